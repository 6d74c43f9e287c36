//! Which labs there are: a folder for each, which `exec`, `status` and `down` find it by.
//!
//! A lab is up while its data plane holds the lock in its folder; the kernel lets go of that however
//! the process ends. What a killed one leaves is this folder alone, and the next of its name, or
//! `down`, removes it.

use std::ffi::OsStr;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use nix::poll::PollTimeout;
use nix::sys::signal::Signal;
use nix::unistd::getuid;
use serde::{Deserialize, Serialize};

use crate::host::Host;
use crate::process::Process;

/// What others may know of a lab.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lab {
    /// Its name.
    pub name: String,
    /// The scenario, as the user named it.
    pub scenario: String,
    /// The one command with which it ends; none where it is up until `down`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The process that is its network.
    pub data_plane: Process,
    /// Its hosts' first processes, in order.
    pub hosts: Vec<(String, Process)>,
}

/// Why there is no such lab, or cannot be.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The name is not valid.
    #[error("`{0}` cannot be a lab's name: letters, digits, `-` and `_`, at most 64 of them")]
    Name(String),
    /// A lab of that name is up.
    #[error("lab `{name}` is in use by {}; end it with `farpath lab --lab {name} down`, or use another name", owner(*.pid))]
    InUse {
        /// The name.
        name: String,
        /// The process whose network it is, once it has said so.
        pid: Option<i32>,
    },
    /// No lab of that name.
    #[error("there is no lab `{name}`{}", others(.known))]
    Unknown {
        /// The name.
        name: String,
        /// Those there are.
        known: Vec<String>,
    },
    /// The folder belongs to somebody else.
    #[error("{} belongs to somebody else: remove it, or set XDG_RUNTIME_DIR to a folder of your own", .0.display())]
    Foreign(PathBuf),
    /// Files could not be read or written.
    #[error("{what} {}: {source}", path.display())]
    File {
        /// What was done.
        what: &'static str,
        /// To what.
        path: PathBuf,
        /// What came of it.
        source: io::Error,
    },
    /// A process of the lab does not end.
    #[error("process {pid} of lab `{name}` does not end, not even by SIGKILL")]
    Stuck {
        /// The lab.
        name: String,
        /// The process.
        pid: i32,
    },
}

fn owner(pid: Option<i32>) -> String {
    pid.map_or("another process".to_owned(), |pid| format!("process {pid}"))
}

fn others(known: &[String]) -> String {
    if known.is_empty() {
        return "; none is up".to_owned();
    }
    format!("; up are `{}`", known.join("`, `"))
}

/// The labs of one user.
#[derive(Clone, Debug)]
pub struct Registry {
    folder: PathBuf,
}

/// Longest name of a lab.
const LONGEST_NAME: usize = 64;

/// How long a data plane may take to end after a signal, and then each of its hosts; milliseconds.
const PATIENCE: u16 = 10_000;

/// How long to wait for a data plane that holds a name: one that was killed gives its memory back first; milliseconds.
const DYING: u16 = 2_000;

const LOCK: &str = "lock";
const FILE: &str = "lab.json";

impl Registry {
    /// That of the user, in `$XDG_RUNTIME_DIR/farpath`, `/run/user/UID/farpath` or `/tmp/farpath-UID`: the first whose
    /// folder is the user's own, which another's is after `su`.
    ///
    /// # Errors
    /// When the folder cannot be made, or is somebody else's.
    pub fn open() -> Result<Registry, StateError> {
        let runtime = std::env::var_os("XDG_RUNTIME_DIR");
        let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
        let uid = outer_uid(&map, getuid().as_raw());
        let own = getuid().as_raw();
        let is_own = |p: &Path| std::fs::metadata(p).is_ok_and(|m| m.is_dir() && m.uid() == own);
        Registry::at(&folder(runtime.as_deref(), uid, is_own))
    }

    /// That in `folder`, which is made when there is something to put into it.
    ///
    /// # Errors
    /// When the folder is somebody else's.
    pub fn at(folder: &Path) -> Result<Registry, StateError> {
        let registry = Registry {
            folder: folder.to_owned(),
        };
        registry.check_own()?;
        Ok(registry)
    }

    /// Where everybody may write, somebody may have been here first.
    fn check_own(&self) -> Result<(), StateError> {
        match std::fs::symlink_metadata(&self.folder) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(e) => Err(file("read", &self.folder)(e)),
            Ok(found) if found.is_dir() && found.uid() == getuid().as_raw() => Ok(()),
            Ok(_) => Err(StateError::Foreign(self.folder.clone())),
        }
    }

    /// Makes the folder, if it is not there.
    ///
    /// # Errors
    /// When it cannot be made, or is somebody else's.
    pub fn make(&self) -> Result<(), StateError> {
        let folder = self.folder.as_path();
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(file("create", folder))?;
        self.check_own()
    }

    /// A new log beside the folders of labs, for the lab of that name.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create_log(&self, name: &str) -> Result<File, StateError> {
        let path = self.log_of(name);
        loop {
            self.make()?;
            match File::create(&path) {
                // A lab that ended meanwhile has taken the folder away.
                Err(e) if e.kind() == io::ErrorKind::NotFound && !self.folder.exists() => {}
                other => return other.map_err(file("write", &path)),
            }
        }
    }

    /// Where a lab in the background keeps its log: beside its folder, until `down`.
    pub fn log_of(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.log"))
    }

    /// Takes the folder away if nothing is in it.
    pub fn leave(&self) {
        leave(&self.folder);
    }

    /// Where journals and labs lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Takes the name for this process. What a lab of that name has left behind is removed, with a
    /// note.
    ///
    /// # Errors
    /// When the name is taken or none, or its folder cannot be written.
    pub fn create(&self, name: &str, scenario: &str) -> Result<State, StateError> {
        if !is_name(name) {
            return Err(StateError::Name(name.to_owned()));
        }
        self.make()?;
        let folder = self.folder.join(name);
        let lock = loop {
            let made = DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&folder);
            made.map_err(file("create", &folder))?;
            // A lab that ends removes its folder with the lock in it: then this lock is nobody's.
            match self.lock(name)? {
                Some(lock) if is_at(&lock, &folder.join(LOCK)) => break lock,
                _ => {}
            }
        };
        let mut state = State {
            folder,
            lab: Lab {
                name: name.to_owned(),
                scenario: scenario.to_owned(),
                command: None,
                data_plane: Process::own(),
                hosts: Vec::new(),
            },
            note: None,
            _lock: lock,
        };
        if let Ok(stale) = self.read_file(name) {
            wait_for_hosts(&stale)?;
            clear(&state.folder)?;
            state.note = Some(format!(
                "lab `{name}` of process {}, which has ended without a word, is cleaned up",
                stale.data_plane.pid
            ));
        }
        state.write()?;
        Ok(state)
    }

    /// Whether a lab could have this name now; [`Registry::create`] takes it.
    ///
    /// # Errors
    /// As there.
    pub fn check_free(&self, name: &str) -> Result<(), StateError> {
        if !is_name(name) {
            return Err(StateError::Name(name.to_owned()));
        }
        self.lock(name).map(drop)
    }

    /// The lock of a lab's folder, or nothing if the folder is no more.
    fn lock(&self, name: &str) -> Result<Option<Flock<File>>, StateError> {
        let path = self.folder.join(name).join(LOCK);
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).mode(0o600);
        let mut open = match options.open(&path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other.map_err(file("open", &path))?,
        };
        let mut owner = None;
        for last in [false, true] {
            open = match Flock::lock(open, FlockArg::LockExclusiveNonblock) {
                Ok(lock) => return Ok(Some(lock)),
                Err((open, Errno::EWOULDBLOCK)) => open,
                Err((_, e)) => return Err(file("lock", &path)(e.into())),
            };
            owner = self.read_file(name).ok().map(|lab| lab.data_plane);
            let ended = match owner {
                Some(owner) if !last => owner.wait(DYING.into()),
                _ => Ok(false),
            };
            if !ended.map_err(file("wait for the data plane of", &path))? {
                break;
            }
        }
        Err(StateError::InUse {
            name: name.to_owned(),
            pid: owner.map(|owner| owner.pid),
        })
    }

    /// A lab that is up.
    ///
    /// # Errors
    /// When there is none of that name.
    pub fn read(&self, name: &str) -> Result<Lab, StateError> {
        let unknown = || StateError::Unknown {
            name: name.to_owned(),
            known: self.list().into_iter().map(|lab| lab.name).collect(),
        };
        let lab = Some(name).filter(|n| is_name(n)).map(|n| self.read_file(n));
        let up = lab
            .and_then(Result::ok)
            .filter(|lab| lab.data_plane.is_alive());
        up.ok_or_else(unknown)
    }

    fn read_file(&self, name: &str) -> io::Result<Lab> {
        let text = std::fs::read(self.folder.join(name).join(FILE))?;
        Ok(serde_json::from_slice(&text)?)
    }

    /// Takes a name for this process that runs one command, `run-` and its number.
    ///
    /// # Errors
    /// When its folder cannot be written.
    pub fn create_for(&self, command: &str, scenario: &str) -> Result<State, StateError> {
        let mut state = self.create(&format!("run-{}", std::process::id()), scenario)?;
        state.lab.command = Some(command.to_owned());
        state.write()?;
        Ok(state)
    }

    /// Removes what killed labs of one command have left: nobody comes back for their names.
    pub fn sweep(&self) {
        for lab in self.read_all() {
            if lab.command.is_some() && !lab.data_plane.is_alive() {
                // Who may not remove it has not left it either.
                _ = self.remove(&lab.name);
            }
        }
        self.leave();
    }

    /// Labs that are up, by name.
    pub fn list(&self) -> Vec<Lab> {
        let mut labs = self.read_all();
        labs.retain(|lab| lab.data_plane.is_alive());
        labs.sort_by(|a, b| a.name.cmp(&b.name));
        labs
    }

    fn read_all(&self) -> Vec<Lab> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten();
        let names = entries.flatten().map(|e| e.file_name());
        let labs = names.filter_map(|name| self.read_file(name.to_str()?).ok());
        labs.collect()
    }

    /// Ends a lab and waits until nothing of it is left: its data plane is asked, then killed, and
    /// the hosts go with it. A lab that has been killed is cleaned up.
    ///
    /// # Errors
    /// When there is none of that name, or a process of it cannot be killed.
    pub fn stop(&self, name: &str) -> Result<(), StateError> {
        let lab = match self.read_file(name) {
            Ok(lab) if is_name(name) => lab,
            // A folder without a file is a lab that is on its way up or down, or was killed there.
            _ if is_name(name) && self.lock(name)?.is_some() => return self.remove(name),
            _ => return self.read(name).map(drop),
        };
        let path = self.folder.join(name);
        for signal in [Signal::SIGTERM, Signal::SIGKILL] {
            let told = lab.data_plane.signal(signal);
            told.map_err(file("end the data plane of", &path))?;
            let ended = lab.data_plane.wait(PATIENCE.into());
            if ended.map_err(file("wait for the data plane of", &path))? {
                wait_for_hosts(&lab)?;
                return self.remove(name);
            }
        }
        Err(StateError::Stuck {
            name: name.to_owned(),
            pid: lab.data_plane.pid,
        })
    }

    /// Removes the folder of a lab that has ended, unless the name has been taken again.
    fn remove(&self, name: &str) -> Result<(), StateError> {
        let folder = self.folder.join(name);
        match self.lock(name) {
            Ok(Some(_lock)) => std::fs::remove_dir_all(&folder).map_err(file("remove", &folder)),
            Ok(None) | Err(StateError::InUse { .. }) => Ok(()),
            Err(e) => Err(e),
        }
    }
}

/// Removes what a killed lab has left in its folder: all but the lock, which is the next one's already.
fn clear(folder: &Path) -> Result<(), StateError> {
    let entries = std::fs::read_dir(folder).map_err(file("read", folder))?;
    for entry in entries.flatten().filter(|e| e.file_name() != LOCK) {
        let path = entry.path();
        std::fs::remove_file(&path).map_err(file("remove", &path))?;
    }
    Ok(())
}

/// Hosts end when their data plane does; their namespaces take a moment.
fn wait_for_hosts(lab: &Lab) -> Result<(), StateError> {
    for (_, init) in &lab.hosts {
        let gone = init.wait(PollTimeout::from(PATIENCE));
        if !gone.map_err(file("wait for the hosts of", Path::new(&lab.name)))? {
            return Err(StateError::Stuck {
                name: lab.name.clone(),
                pid: init.pid,
            });
        }
    }
    Ok(())
}

fn file<'a>(what: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> StateError + 'a {
    move |source| StateError::File {
        what,
        path: path.to_owned(),
        source,
    }
}

/// A name that a lab may have.
///
/// # Errors
/// That it may not, and what names are.
pub fn lab_name(name: &str) -> Result<String, StateError> {
    match is_name(name) {
        true => Ok(name.to_owned()),
        false => Err(StateError::Name(name.to_owned())),
    }
}

fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(allowed)
}

/// Takes away the folder of labs if it is empty; one that is not stays.
pub(crate) fn leave(folder: &Path) {
    _ = std::fs::remove_dir(folder);
}

fn is_at(open: &File, path: &Path) -> bool {
    match (open.metadata(), std::fs::metadata(path)) {
        (Ok(a), Ok(b)) => a.ino() == b.ino() && a.dev() == b.dev(),
        _ => false,
    }
}

fn folder(runtime: Option<&OsStr>, uid: u32, is_own: impl Fn(&Path) -> bool) -> PathBuf {
    let own = PathBuf::from(format!("/run/user/{uid}"));
    let runtime = runtime.map(PathBuf::from).filter(|p| p.is_absolute());
    match [runtime, Some(own)]
        .into_iter()
        .flatten()
        .find(|p| is_own(p))
    {
        Some(folder) => folder.join("farpath"),
        None => PathBuf::from(format!("/tmp/farpath-{uid}")),
    }
}

/// Who `uid` is outside this user namespace, by its map: first inside, first outside, how many.
fn outer_uid(map: &str, uid: u32) -> u32 {
    let outer = |line: &str| {
        let numbers: Vec<u32> = line
            .split_whitespace()
            .map_while(|n| n.parse().ok())
            .collect();
        let [inside, outside, count] = numbers.as_slice() else {
            return None;
        };
        let offset = uid.checked_sub(*inside).filter(|o| o < count)?;
        outside.checked_add(offset)
    };
    map.lines().find_map(outer).unwrap_or(uid)
}

/// A name that is taken while this lives.
#[derive(Debug)]
pub struct State {
    folder: PathBuf,
    lab: Lab,
    /// What was cleaned up to take it.
    pub note: Option<String>,
    _lock: Flock<File>,
}

impl State {
    /// What others know of this lab.
    pub fn lab(&self) -> &Lab {
        &self.lab
    }

    /// The folder of this lab, for files that go with it.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the hosts known.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn set_hosts<'a>(
        &mut self,
        hosts: impl IntoIterator<Item = &'a Host>,
    ) -> Result<(), StateError> {
        let hosts = hosts.into_iter().map(|h| (h.name.clone(), h.init));
        self.lab.hosts = hosts.collect();
        self.write()
    }

    /// Whoever reads finds the whole of it or what was there before.
    fn write(&self) -> Result<(), StateError> {
        let path = self.folder.join(FILE);
        let new = self.folder.join("lab.json.new");
        let text = serde_json::to_vec(&self.lab).expect("text and numbers become JSON");
        let written = File::create(&new).and_then(|mut f| f.write_all(&text));
        let written = written.and_then(|()| std::fs::rename(&new, &path));
        written.map_err(file("write", &path))
    }
}

impl Drop for State {
    fn drop(&mut self) {
        // Who comes next cleans up what is left. The lock is let go of afterwards.
        _ = std::fs::remove_dir_all(&self.folder);
        self.folder.parent().into_iter().for_each(leave);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    fn registry() -> (tempfile::TempDir, Registry) {
        let folder = tempfile::tempdir().unwrap();
        let registry = Registry::at(&folder.path().join("farpath")).unwrap();
        (folder, registry)
    }

    #[test]
    fn a_lab_of_one_command_is_listed_and_swept_when_it_was_killed() {
        let (_folder, registry) = registry();
        let run = registry.create_for("ping server", "x.toml").unwrap();
        let name = run.lab().name.clone();
        assert_eq!(registry.list()[0].command.as_deref(), Some("ping server"));
        // What is alive stays.
        registry.sweep();
        assert_eq!(registry.read(&name).unwrap(), *run.lab());
        // One whose process has ended: no process has so large a number.
        let mut dead = run.lab().clone();
        dead.name = "run-0".to_owned();
        dead.data_plane.pid = i32::MAX;
        let left = registry.folder().join(&dead.name);
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join(FILE), serde_json::to_vec(&dead).unwrap()).unwrap();
        registry.sweep();
        assert!(!left.exists() && registry.read(&name).is_ok());
    }

    #[test]
    fn labs_are_found_while_they_are_up() {
        let (_folder, registry) = registry();
        assert!(!registry.folder().exists(), "it is made when it is used");
        let a = registry.create("a", "x.toml").unwrap();
        let b = registry.create("b", "y.toml").unwrap();
        assert_eq!((a.note.clone(), b.note.clone()), (None, None));
        assert_eq!(registry.list(), [a.lab().clone(), b.lab().clone()]);
        assert_eq!(registry.read("a").unwrap().scenario, "x.toml");
        drop(a);
        let unknown = registry.read("a").unwrap_err().to_string();
        assert_eq!(unknown, "there is no lab `a`; up are `b`");
        drop(b);
        assert!(registry.list().is_empty());
        assert!(!registry.folder().exists(), "nothing is left");
        assert!(
            registry
                .stop("b")
                .unwrap_err()
                .to_string()
                .ends_with("none is up")
        );
    }

    #[test]
    fn a_name_in_use_is_refused_with_its_remedy() {
        let (_folder, registry) = registry();
        let held = registry.create("a", "x").unwrap();
        let refused = registry.create("a", "x").unwrap_err().to_string();
        assert_eq!(registry.check_free("a").unwrap_err().to_string(), refused);
        registry.check_free("b").unwrap();
        let pid = std::process::id();
        assert_eq!(
            refused,
            format!(
                "lab `a` is in use by process {pid}; end it with `farpath lab --lab a down`, or use another name"
            )
        );
        drop(held);
        assert!(registry.create("a", "x").is_ok());
    }

    /// The folder of a lab whose data plane was killed.
    fn stale(registry: &Registry, data_plane: Process) {
        let state = registry.create("a", "x").unwrap();
        let lab = Lab {
            data_plane,
            hosts: vec![("h".to_owned(), data_plane)],
            ..state.lab().clone()
        };
        let folder = state.folder().to_owned();
        drop(state);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(LOCK), "").unwrap();
        std::fs::write(folder.join(FILE), serde_json::to_vec(&lab).unwrap()).unwrap();
        drop(UnixListener::bind(folder.join("control")).unwrap());
    }

    #[test]
    fn what_a_killed_lab_left_is_cleaned_up_with_a_note() {
        let (_folder, registry) = registry();
        // The number has passed on to this process: it is not the one that was there.
        let reused = Process {
            start: 1,
            ..Process::own()
        };
        stale(&registry, reused);
        assert!(registry.list().is_empty());
        assert!(registry.read("a").is_err());
        let state = registry.create("a", "x").unwrap();
        assert!(state.note.as_deref().unwrap().contains("is cleaned up"));
        assert!(state.lab().hosts.is_empty());
        // Its socket would be in the way of the next one's.
        UnixListener::bind(state.folder().join("control")).unwrap();
        drop(state);
        stale(&registry, reused);
        registry.stop("a").unwrap();
        assert!(!registry.folder().join("a").exists());
    }

    #[test]
    fn a_lab_is_stopped_by_a_signal() {
        let (_folder, registry) = registry();
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let process = Process::of(child.id().cast_signed()).unwrap();
        stale(&registry, process);
        assert_eq!(registry.list().len(), 1);
        registry.stop("a").unwrap();
        assert!(!process.is_alive());
        assert!(registry.list().is_empty());
        assert!(!registry.folder().join("a").exists());
        child.wait().unwrap();
    }

    #[test]
    fn names_stay_inside_the_folder() {
        let (_folder, registry) = registry();
        for name in ["", "..", "a/b", "ä", &"x".repeat(65)] {
            assert!(matches!(
                registry.create(name, ""),
                Err(StateError::Name(_))
            ));
            assert!(registry.read(name).is_err());
            assert!(registry.stop(name).is_err());
        }
    }

    #[test]
    fn the_folder_is_the_users_own() {
        let at = |runtime: Option<&str>, own: &[&str]| {
            let is_own = |p: &Path| own.iter().any(|t| Path::new(t) == p);
            folder(runtime.map(OsStr::new), 7, is_own)
        };
        assert_eq!(at(Some("/x"), &["/x"]), Path::new("/x/farpath"));
        assert_eq!(
            at(Some("/x"), &["/run/user/7"]),
            Path::new("/run/user/7/farpath")
        );
        assert_eq!(at(None, &["/run/user/7"]), Path::new("/run/user/7/farpath"));
        assert_eq!(
            at(Some("relative"), &["relative"]),
            Path::new("/tmp/farpath-7")
        );
        assert_eq!(at(None, &[]), Path::new("/tmp/farpath-7"));
        let (base, _) = registry();
        let link = base.path().join("link");
        std::os::unix::fs::symlink(base.path(), &link).unwrap();
        assert!(matches!(Registry::at(&link), Err(StateError::Foreign(_))));
    }

    #[test]
    fn root_of_a_user_namespace_is_who_made_it() {
        assert_eq!(outer_uid("         0       1000          1\n", 0), 1000);
        assert_eq!(outer_uid("         0          0 4294967295\n", 1000), 1000);
        assert_eq!(outer_uid("0 5 1\n1 100000 65536\n", 3), 100_002);
        assert_eq!(outer_uid("", 3), 3);
    }
}
