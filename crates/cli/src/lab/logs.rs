//! What the programs of a `lab run` print: to the terminal and, if wanted, to files as well.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::exit::{Failure, note};
use crate::progress;

/// How often to check whether the copies are complete.
const LOOK: Duration = Duration::from_millis(10);

/// How long the rest may take where the user has interrupted.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whose log it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Who {
    /// The command's.
    Client,
    /// The server's.
    Server,
}

impl Who {
    const fn name(self) -> &'static str {
        match self {
            Who::Client => "client",
            Who::Server => "server",
        }
    }
}

/// The logs of one run, in a folder or nowhere.
pub(super) struct Logs<'a> {
    folder: Option<&'a Path>,
    copies: Vec<JoinHandle<Result<(), String>>>,
}

impl<'a> Logs<'a> {
    /// Those in `folder`, which is made if need be.
    pub(super) fn new(folder: Option<&'a Path>) -> Result<Logs<'a>, Failure> {
        if let Some(folder) = folder {
            let made = std::fs::create_dir_all(folder);
            made.map_err(|e| {
                Failure::environment(format!(
                    "--logs {}: create the folder: {e}",
                    folder.display()
                ))
                .hint("name a folder in a place you may write to")
            })?;
        }
        let copies = Vec::new();
        Ok(Logs { folder, copies })
    }

    /// Starts `command`, whose log is `name`. Standard output is that of one program, the client.
    pub(super) fn spawn(&mut self, command: &mut Command, who: Who) -> Result<Child, Failure> {
        let name = who.name();
        let Some(folder) = self.folder else {
            if who == Who::Server {
                let said = io::stderr().as_fd().try_clone_to_owned();
                command.stdout(said.map_err(Failure::environment)?);
            }
            return command.spawn().map_err(Failure::environment);
        };
        let path = folder.join(format!("{name}.log"));
        let failed = |e: io::Error| Failure::environment(format!("write {}: {e}", path.display()));
        let files = File::create(&path).and_then(|f| Ok((f.try_clone()?, f)));
        let (one, other) = files.map_err(failed)?;
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(Failure::environment)?;
        if let Some(out) = child.stdout.take() {
            match who {
                Who::Client => self.copy(out, io::stdout(), (one, &path)),
                Who::Server => self.copy(out, io::stderr(), (one, &path)),
            }
        }
        if let Some(err) = child.stderr.take() {
            self.copy(err, io::stderr(), (other, &path));
        }
        Ok(child)
    }

    fn copy(
        &mut self,
        from: impl Read + Send + 'static,
        to: impl Write + Send + 'static,
        (file, path): (File, &Path),
    ) {
        let name = path.display().to_string();
        self.copies.push(std::thread::spawn(move || {
            copy(from, to, file).map_err(|e| format!("{name} is not complete: {e}"))
        }));
    }

    /// Waits for the rest of what the programs have said. It has an end when the hosts have ended: a program may leave
    /// processes behind that hold its output as long as they live.
    pub(super) fn finish(self) -> Result<(), Failure> {
        let begun = Instant::now();
        while self.copies.iter().any(|c| !c.is_finished()) {
            if progress::interrupted() && begun.elapsed() > PATIENCE {
                return Err(Failure::interrupted("interrupted; both hosts are gone"));
            }
            std::thread::park_timeout(LOOK);
        }
        for copy in self.copies {
            if let Ok(Err(why)) = copy.join() {
                note(&why);
            }
        }
        Ok(())
    }
}

/// Copies everything; a log that cannot be written does not end it, so that the program is not held up by it. The first
/// fault of the log, or of reading.
fn copy(mut from: impl Read, mut to: impl Write, mut file: impl Write) -> io::Result<()> {
    let mut buffer = [0; 8192];
    let mut logged = Ok(());
    loop {
        let n = match from.read(&mut buffer) {
            Ok(0) => return logged,
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return logged.and(Err(e)),
        };
        if logged.is_ok() {
            logged = file.write_all(&buffer[..n]);
        }
        // A reader that went away is met by the program as it would be without a log: it cannot write any more.
        if to
            .write_all(&buffer[..n])
            .and_then(|()| to.flush())
            .is_err()
        {
            return logged;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Full;

    impl Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_log_that_cannot_be_written_is_told_of_and_holds_nothing_up() {
        let text = vec![b'x'; 20_000];
        let (mut shown, mut kept) = (Vec::new(), Vec::new());
        copy(&text[..], &mut shown, &mut kept).expect("it can be written");
        assert_eq!((&shown, &kept), (&text, &text));
        shown.clear();
        let fault = copy(&text[..], &mut shown, Full).expect_err("it is full");
        assert_eq!(fault.kind(), io::ErrorKind::StorageFull);
        assert_eq!(shown, text);
    }
}
