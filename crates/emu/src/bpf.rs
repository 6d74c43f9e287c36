//! Congestion control that a kernel lacks, as BPF programs the kernel calls (struct_ops): ours for
//! HighSpeed, Scalable and H-TCP, and a user's own object.
//!
//! A registration belongs to the whole machine and outlives its maker, so each is recorded in a folder, under
//! a lock that its users hold and the kernel lets go when they die: the last to leave unregisters, and
//! [`unregister_stale`] does it for those who could not. `docs/models/bpf-congestion.md` has the rules.

mod error;
mod listed;
mod object;
mod obstacle;
mod record;
mod tool;

use std::ffi::OsString;
use std::path::PathBuf;

use farpath_tcp::{Algorithm, Flavour};
use nix::sys::socket::sockopt::TcpCongestion;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, setsockopt, socket};

pub use error::BpfError;
pub use listed::available;
pub use object::Source;
use record::{Folder, Record};
use tool::Bpftool;

use crate::program::folders;

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::FOLDERS;

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
