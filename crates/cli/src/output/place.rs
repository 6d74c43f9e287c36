//! What a path leads to: a file, or something that is written through, as a shell's `>` does.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::unistd::{AccessFlags, access};

/// Where a result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A regular file, there or not yet, behind all links.
    File(PathBuf),
    /// A FIFO, a device, a socket.
    Stream(PathBuf),
    /// What this process has open already: `/dev/stdout`, `/dev/fd/3`.
    Descriptor(u32),
}

/// The kernel follows no more links than these.
const LINKS: usize = 40;

/// How often to look whether a FIFO has a reader.
const CHECK: Duration = Duration::from_millis(20);

/// What `path` leads to. Of what a process has open `/proc` shows links to files, which may be others by now, and not
/// written where the process is. `-` is standard output.
pub(super) fn of(path: &Path) -> io::Result<Place> {
    if path.as_os_str() == "-" {
        return Ok(Place::Descriptor(1));
    }
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let real = fs::canonicalize(folder)?;
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        let here = real.join(name);
        if is_own(&real)
            && let Some(number) = name.to_str().and_then(|n| n.parse().ok())
        {
            return Ok(Place::Descriptor(number));
        }
        match fs::symlink_metadata(&here) {
            Ok(found) if found.is_symlink() => path = real.join(fs::read_link(&here)?),
            Ok(found) if found.is_file() => return Ok(Place::File(here)),
            Ok(_) => return Ok(Place::Stream(here)),
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Place::File(here)),
            Err(e) => return Err(e),
        }
    }
    Err(Errno::ELOOP.into())
}

/// Whether a folder is `/proc`'s of what this process has open.
fn is_own(folder: &Path) -> bool {
    ["/proc/self/fd", "/proc/thread-self/fd"]
        .iter()
        .any(|own| fs::canonicalize(own).is_ok_and(|own| own == folder))
}

/// Whether this process may write to a stream; a FIFO is opened when there is something to write.
pub(super) fn check(stream: &Path) -> io::Result<()> {
    Ok(access(stream, AccessFlags::W_OK)?)
}

impl Place {
    /// Whether it is a device, such as `/dev/null`.
    pub(super) fn is_device(&self) -> bool {
        match self {
            Place::Stream(path) => fs::metadata(path).is_ok_and(|m| m.file_type().is_char_device()),
            Place::File(_) | Place::Descriptor(_) => false,
        }
    }

    /// Opens it to be written. A FIFO waits for its reader, as it does in a shell, until that is `interrupted`.
    pub(super) fn open(&self, interrupted: impl Fn() -> bool) -> io::Result<File> {
        match self {
            Place::Descriptor(1) => own(io::stdout()),
            Place::Descriptor(2) => own(io::stderr()),
            // What others have written there stays.
            Place::Descriptor(number) => OpenOptions::new()
                .append(true)
                .open(format!("/proc/self/fd/{number}")),
            Place::File(path) => File::create(path),
            Place::Stream(path) => {
                let _opened = fs::metadata(path)?
                    .file_type()
                    .is_fifo()
                    .then(|| wait_for_reader(path, interrupted))
                    .transpose()?;
                OpenOptions::new().write(true).open(path)
            }
        }
    }
}

/// Waits until a FIFO is read, or `interrupted`: an open end of it.
fn wait_for_reader(fifo: &Path, interrupted: impl Fn() -> bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.write(true).custom_flags(OFlag::O_NONBLOCK.bits());
    loop {
        match options.open(fifo) {
            Err(e) if e.raw_os_error() == Some(Errno::ENXIO as i32) && !interrupted() => {
                std::thread::park_timeout(CHECK);
            }
            other => return other,
        }
    }
}

/// A stream of this process, once more.
fn own(stream: impl AsFd) -> io::Result<File> {
    Ok(stream.as_fd().try_clone_to_owned()?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_process_has_open_is_known_by_its_number() {
        for (path, number) in [
            ("/proc/self/fd/1", 1),
            ("/dev/fd/2", 2),
            ("/dev/stdout", 1),
            ("/proc/thread-self/fd/7", 7),
        ] {
            // Where a container has no such links there is nothing to follow.
            if fs::symlink_metadata(Path::new(path).parent().expect("a folder")).is_ok()
                && (path != "/dev/stdout" || Path::new(path).is_symlink())
            {
                let found = of(Path::new(path)).expect(path);
                assert_eq!(found, Place::Descriptor(number), "{path}");
            }
        }
    }

    #[test]
    fn a_dash_is_standard_output() {
        let found = of(Path::new("-")).expect("it is open");
        assert_eq!(found, Place::Descriptor(1));
    }

    #[test]
    fn a_stream_without_a_reader_is_given_up_when_interrupted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("fifo");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).expect("a FIFO");
        let place = of(&path).expect("it is there");
        assert_eq!(place, Place::Stream(path));
        let given_up = place.open(|| true).expect_err("nobody reads");
        assert_eq!(given_up.raw_os_error(), Some(Errno::ENXIO as i32));
    }
}
