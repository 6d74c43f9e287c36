//! Congestion control that a kernel lacks, as BPF programs the kernel calls (struct_ops): ours for
//! HighSpeed, Scalable and H-TCP, and a user's own object.
//!
//! A registration belongs to the whole machine and outlives its maker, so each is recorded in a folder, under
//! a lock that its users hold and the kernel lets go when they die: the last to leave unregisters, and
//! [`unregister_stale`] does it for those who could not. `docs/models/bpf-congestion.md` has the rules.

mod object;
mod obstacle;
mod record;
mod tool;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use farpath_tcp::{Algorithm, Flavour};
use nix::sys::socket::sockopt::TcpCongestion;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, setsockopt, socket};

use record::{Folder, Record};
use tool::Bpftool;

use crate::program::{FOLDERS, folders};
use crate::settings::{self, controls};

/// Where the kernel lists what a socket may choose.
const AVAILABLE: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
/// The kind of structure that is a congestion control.
const KIND: &str = "tcp_congestion_ops";

/// What is to be registered.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// One of ours, by these rules.
    Ours(Algorithm, Flavour),
    /// A user's object file, compiled for BPF, with one `struct tcp_congestion_ops` in section `.struct_ops`.
    Object(&'a Path),
}

/// What registering needs of the machine.
#[derive(Clone, Debug)]
pub struct Place {
    /// Folders in which `clang` and `bpftool` are looked for, as in `PATH`.
    pub search: OsString,
    /// Where registrations are recorded and objects kept: a folder that is emptied at boot, root's alone.
    pub folder: PathBuf,
}

impl Default for Place {
    /// The process's `PATH` and where programs of root are, and `/run/farpath/bpf`.
    fn default() -> Place {
        // No folder of a path has a colon in its name.
        let search = std::env::join_paths(folders());
        Place {
            search: search.unwrap_or_default(),
            folder: PathBuf::from("/run/farpath/bpf"),
        }
    }
}

/// Why an algorithm is not registered, or not unregistered.
#[derive(Debug, thiserror::Error)]
pub enum BpfError {
    /// There is no BPF program of ours for it.
    #[error("no BPF program for `{0}`: there is one for highspeed, scalable and htcp")]
    NotWritten(&'static str),
    /// The kernel lets root of the machine alone do it.
    #[error(
        "BPF congestion control needs root of the machine, and this is a user namespace: run the lab as root, or choose an algorithm of `cat {AVAILABLE}`"
    )]
    UserNamespace,
    /// Capabilities are missing.
    #[error("BPF congestion control needs {0}: run as root, in a container with these added")]
    Capabilities(String),
    /// The kernel was built without type information.
    #[error(
        "BPF congestion control needs the kernel's types, and /sys/kernel/btf/vmlinux is missing: a kernel with CONFIG_DEBUG_INFO_BTF is needed"
    )]
    NoTypes,
    /// The kernel does not compile BPF programs.
    #[error(
        "BPF congestion control needs the kernel's BPF compiler (CONFIG_BPF_JIT, and net.core.bpf_jit_enable = 1)"
    )]
    NoCompiler,
    /// A program that is needed is not installed.
    #[error(
        "BPF congestion control needs `{0}`, which is neither in PATH nor in {others}: apt-get install clang bpftool",
        others = FOLDERS.join(", ")
    )]
    NoProgram(&'static str),
    /// A program could not be run, or said something else than it should.
    #[error("run {program}: {source}")]
    Program {
        /// Its name.
        program: &'static str,
        /// Why.
        source: io::Error,
    },
    /// Reading or writing a file failed.
    #[error("{path}: {source}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// clang refused our source.
    #[error("clang cannot compile `{name}` for BPF:\n{log}")]
    Compile {
        /// The algorithm.
        name: &'static str,
        /// What clang said.
        log: String,
    },
    /// The kernel or bpftool refused an object.
    #[error("the kernel refuses {what}{hint}:\n{log}")]
    Refused {
        /// The algorithm or file.
        what: String,
        /// What may be the reason, or nothing.
        hint: String,
        /// The end of what bpftool said, the verifier's log included.
        log: String,
    },
    /// A file is not a BPF object.
    #[error(
        "{path} is not a BPF object ({found}): make one with `clang -target bpf -mcpu=v3 -O2 -g -c FILE.c -o FILE.o`",
        path = path.display()
    )]
    NoObject {
        /// The file.
        path: PathBuf,
        /// What it is.
        found: &'static str,
    },
    /// An algorithm of that name exists and is not this one.
    #[error(
        "congestion control `{0}` is registered already, by another version or another program: end it, or `bpftool struct_ops unregister name {0}`; or choose another .name in your own object"
    )]
    NameTaken(String),
    /// A user's object does not hold one congestion control.
    #[error("{path} has {found} congestion controls: one is needed, a struct tcp_congestion_ops in section .struct_ops", path = path.display())]
    NotOne {
        /// The object.
        path: PathBuf,
        /// How many it registered; they are unregistered again.
        found: usize,
    },
}

/// The name under which the kernel knows one of ours, for `TCP_CONGESTION`; `None` if there is no program
/// for the algorithm. The document's rules go by the plain name, those of Linux's module by `_lx`.
pub fn name(algorithm: Algorithm, flavour: Flavour) -> Option<&'static str> {
    object::Ours::of(algorithm, flavour).map(|ours| ours.name)
}

/// A congestion control that this process uses. Unregistered when it is dropped, unless others use it too.
#[derive(Debug)]
pub struct Registered {
    record: Record,
    bpftool: Bpftool,
    folder: PathBuf,
    over: bool,
}

impl Registered {
    /// What to pass to `setsockopt(TCP_CONGESTION)`, or to write to a namespace's
    /// `net.ipv4.tcp_congestion_control`.
    pub fn name(&self) -> &str {
        &self.record.name
    }

    /// Leaves it, and unregisters it if nobody else uses it. Connections keep it to their end.
    pub fn unregister(mut self) -> Result<(), BpfError> {
        self.leave()
    }

    fn leave(&mut self) -> Result<(), BpfError> {
        self.over = true;
        let folder = Folder::open(&self.folder)?;
        if self.record.leave()? {
            self.bpftool.unregister(self.record.id)?;
            folder.forget(&self.record)?;
        }
        Ok(())
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        // What fails here stays recorded, and is done by whoever comes next.
        if !self.over && self.leave().is_err() {
            self.over = true;
        }
    }
}

/// Registers a congestion control with the kernel, or joins those who use the same already.
///
/// What a crashed process left is unregistered first. The object of one of ours is compiled once and kept.
pub fn register(place: &Place, source: Source<'_>) -> Result<Registered, BpfError> {
    let wanted = object::Wanted::of(source)?;
    obstacle::Facts::read().judge()?;
    let bpftool = Bpftool::find(&place.search)?;
    let folder = Folder::open(&place.folder)?;
    let live = bpftool.live()?;
    let registered = |record| Registered {
        record,
        bpftool: bpftool.clone(),
        folder: place.folder.clone(),
        over: false,
    };
    for record in folder.records()? {
        if record.hash == wanted.hash && live.iter().any(|map| map.id == record.id) {
            return Ok(registered(record.join()?));
        }
    }
    sweep(&folder, &bpftool)?;
    let object = wanted.object(&folder, &place.search)?;
    if let Some(name) = wanted.name()
        && available()?.iter().any(|a| a == name)
    {
        return Err(BpfError::NameTaken(name.to_owned()));
    }
    if let Some(name) = wanted.name() {
        folder.intend(name)?;
    }
    let maps = bpftool.register(&object, &wanted.what())?;
    let [map] = maps.as_slice() else {
        for map in &maps {
            bpftool.unregister(map.id)?;
        }
        let found = maps.len();
        return Err(BpfError::NotOne {
            path: object,
            found,
        });
    };
    let name = bpftool.algorithm(map.id)?;
    let record = folder.note(map.id, &wanted.hash, &name)?;
    folder.settle()?;
    Ok(registered(record))
}

/// Unregisters what processes that ended left registered: the records nobody holds, and one of ours that its
/// maker could not record any more. Returns their names.
pub fn unregister_stale(place: &Place) -> Result<Vec<String>, BpfError> {
    // A process that cannot register any has left none, and may not read them.
    if !place.folder.exists() || obstacle::Facts::read().judge().is_err() {
        return Ok(Vec::new());
    }
    let bpftool = Bpftool::find(&place.search)?;
    sweep(&Folder::open(&place.folder)?, &bpftool)
}

fn sweep(folder: &Folder, bpftool: &Bpftool) -> Result<Vec<String>, BpfError> {
    let mut live = bpftool.live()?;
    let mut swept = Vec::new();
    for record in folder.records()? {
        let place = live.iter().position(|map| map.id == record.id);
        let map = place.map(|place| live.swap_remove(place));
        if record.leave()? {
            if map.is_some() {
                bpftool.unregister(record.id)?;
                swept.push(record.name.clone());
            }
            folder.forget(&record)?;
        }
    }
    // Nobody else is here: who had this in mind was killed before it was recorded.
    if let Some(name) = folder.intended() {
        for map in live.into_iter().filter(|map| map.name == name) {
            bpftool.unregister(map.id)?;
            swept.push(map.name);
        }
        folder.settle()?;
    }
    Ok(swept)
}

/// The congestion controls the kernel has, by name.
///
/// # Errors
/// When the kernel's list cannot be read.
pub fn available() -> Result<Vec<String>, BpfError> {
    controls(Path::new("/"), settings::AVAILABLE).map_err(at(Path::new(AVAILABLE)))
}

/// Whether the kernel has `name` once a socket has asked for it: a module is loaded then, where this process may.
/// No setting of the machine changes.
pub fn load(name: &str) -> bool {
    let socket = socket(
        AddressFamily::Inet,
        SockType::Stream,
        SockFlag::SOCK_CLOEXEC,
        None,
    );
    let asked = socket.is_ok_and(|s| setsockopt(&s, TcpCongestion, &name.into()).is_ok());
    // Who may not use it has not got it set, and it may be loaded all the same.
    asked || available().is_ok_and(|all| all.iter().any(|a| a == name))
}

/// Says which file an error is about.
fn at(path: &Path) -> impl FnOnce(io::Error) -> BpfError + use<> {
    let path = path.to_owned();
    move |source| BpfError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A user of Debian has neither in `PATH`, and bpftool is in the first of them.
    #[test]
    fn programs_of_root_are_found_where_they_are() {
        let search = Place::default().search;
        let folders: Vec<PathBuf> = std::env::split_paths(&search).collect();
        for folder in FOLDERS {
            assert!(folders.contains(&folder.into()), "{folder}");
        }
        let none = BpfError::NoProgram("bpftool").to_string();
        assert!(none.contains("nor in /usr/sbin, /sbin"), "{none}");
    }
}
