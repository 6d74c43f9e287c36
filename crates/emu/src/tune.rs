//! `--tune-host`: settings of the whole machine, changed while a lab runs and put back.
//!
//! What was there is on disk before anything is written, and is put back when this is dropped, or by
//! the next lab after a crash. A value that somebody else has changed meanwhile is left alone.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use farpath_units::Size;
use serde::{Deserialize, Serialize};

use crate::process::Process;
use crate::settings::{
    ALLOWED, HYSTART, Machine, Need, RMEM_MAX, TCP_MEM, WMEM_MAX, page_size, setting_file,
};
use crate::state;

/// One setting of the machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Its key, with dots.
    pub key: String,
    /// What it is to be.
    pub value: String,
}

/// What would meet `needs`, those of all hosts together, on a machine with this much memory.
pub fn changes(needs: &[Need], machine: &Machine, memory: Size) -> Vec<Change> {
    let (mut receive, mut send, mut held) = (Size::default(), Size::default(), 0_u64);
    let mut allowed = machine.allowed.clone();
    let mut hystart = None;
    for need in needs {
        match need {
            Need::ReceiveBuffer(size) => receive = receive.max(*size),
            Need::SendBuffer(size) => send = send.max(*size),
            Need::TcpMemory(size) => held = held.saturating_add(size.as_bytes()),
            Need::Allowed(name) if allowed.contains(name) => {}
            Need::Allowed(name) => allowed.push(name.clone()),
            Need::HyStart(on) => hystart = Some(*on),
        }
    }
    let mut changes = Vec::new();
    let mut set = |key: &str, value: String| {
        let key = key.to_owned();
        changes.push(Change { key, value });
    };
    let has = |limit: Option<Size>| limit.unwrap_or_default();
    if receive > has(machine.rmem_max) {
        set(RMEM_MAX, receive.as_bytes().to_string());
    }
    if send > has(machine.wmem_max) {
        set(WMEM_MAX, send.as_bytes().to_string());
    }
    // The machine has other things to remember.
    let held = held.min(memory.as_bytes() / 2);
    if held > has(machine.tcp_mem).as_bytes() {
        let pressure = held.div_ceil(page_size());
        // The kernel's own proportions: it leaves pressure at 3/4, and refuses at twice that.
        set(
            TCP_MEM,
            format!("{} {pressure} {}", pressure / 4 * 3, pressure / 2 * 3),
        );
    }
    if allowed != machine.allowed {
        set(ALLOWED, allowed.join(" "));
    }
    if let Some(on) = hystart.filter(|on| machine.hystart != Some(*on)) {
        set(HYSTART, u8::from(on).to_string());
    }
    changes
}

/// Why the machine was not changed, or not put back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuneError {
    /// Another lab has changed it.
    #[error("process {0} has tuned this machine: end it first, or do without --tune-host")]
    Busy(i32),
    /// The machine's own settings are not to be seen from here.
    #[error(
        "--tune-host: this is a container, or another network or user namespace, and the machine's settings are not to be \
         changed from here: root of the machine sets them outside of it; do without --tune-host"
    )]
    Elsewhere,
    /// A setting could not be read or written.
    #[error("{what} {key}: {source}{}", place(source))]
    Setting {
        /// What was done.
        what: &'static str,
        /// To which.
        key: String,
        /// What came of it.
        source: io::Error,
    },
    /// The journal could not be.
    #[error("{what} {}: {source}", path.display())]
    Journal {
        /// What was done.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What came of it.
        source: io::Error,
    },
}

/// Where settings of the machine can be changed, if `refused` says that they cannot be here.
fn place(refused: &io::Error) -> &'static str {
    match refused.kind() {
        io::ErrorKind::NotFound
        | io::ErrorKind::PermissionDenied
        | io::ErrorKind::ReadOnlyFilesystem => {
            "; root of the machine sets it, outside of containers and of other network or user namespaces: set it there \
             beforehand, and do without --tune-host"
        }
        _ => "",
    }
}

/// What is on disk while the machine is changed.
#[derive(Debug, Serialize, Deserialize)]
struct Journal {
    owner: Process,
    entries: Vec<Entry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    key: String,
    old: String,
    new: String,
}

/// The machine, changed until this is dropped.
#[derive(Debug)]
pub struct Tuning {
    root: PathBuf,
    journal: PathBuf,
    entries: Vec<Entry>,
}

const JOURNAL: &str = "tuned.json";

/// Puts back what a lab that was killed has changed; what was done, in words. `folder` is where
/// journals lie, `root` is `/` but in tests.
///
/// # Errors
/// When a setting cannot be put back: the journal stays.
pub fn recover(root: &Path, folder: &Path) -> Result<Vec<String>, TuneError> {
    let path = folder.join(JOURNAL);
    let Some(journal) = read(&path)? else {
        return Ok(Vec::new());
    };
    if journal.owner.is_alive() {
        return Ok(Vec::new());
    }
    put_back(root, &journal.entries)?;
    std::fs::remove_file(&path).map_err(faulty("remove", &path))?;
    if journal.entries.is_empty() {
        return Ok(Vec::new());
    }
    let keys: Vec<&str> = journal.entries.iter().map(|e| e.key.as_str()).collect();
    Ok(vec![format!(
        "put back {}, which process {} had changed before it was killed",
        keys.join(", "),
        journal.owner.pid
    )])
}

fn read(path: &Path) -> Result<Option<Journal>, TuneError> {
    match std::fs::read(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(faulty("read", path)(e)),
        // It was cut short, so it was not yet synchronised, so nothing had been changed.
        Ok(text) => Ok(Some(serde_json::from_slice(&text).unwrap_or(Journal {
            owner: Process { pid: 0, start: 0 },
            entries: Vec::new(),
        }))),
    }
}

fn faulty<'a>(what: &'static str, path: &'a Path) -> impl FnOnce(io::Error) -> TuneError + 'a {
    move |source| TuneError::Journal {
        what,
        path: path.to_owned(),
        source,
    }
}

fn get(root: &Path, key: &str) -> Result<String, TuneError> {
    let text = std::fs::read_to_string(setting_file(root, key));
    let text = text.map_err(|source| TuneError::Setting {
        what: "read",
        key: key.to_owned(),
        source,
    })?;
    Ok(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn set(root: &Path, key: &str, value: &str) -> Result<(), TuneError> {
    // The kernel's files are there or not: none is made.
    let open = OpenOptions::new()
        .write(true)
        .truncate(true)
        .open(setting_file(root, key));
    let written = open.and_then(|mut file| file.write_all(value.as_bytes()));
    written.map_err(|source| TuneError::Setting {
        what: "write",
        key: key.to_owned(),
        source,
    })
}

/// Last first. What is neither as we left it nor as it was has been changed by somebody else.
fn put_back(root: &Path, entries: &[Entry]) -> Result<(), TuneError> {
    for entry in entries.iter().rev() {
        let now = get(root, &entry.key)?;
        let back = match entry.key == ALLOWED {
            true => without_added(&now, entry),
            false if now == entry.new => entry.old.clone(),
            false => continue,
        };
        if back != now {
            set(root, &entry.key, &back)?;
        }
    }
    Ok(())
}

/// The list `now` without what we added. What else is in it comes and goes: algorithms that others register.
fn without_added(now: &str, entry: &Entry) -> String {
    let ours = |name: &&str| {
        let is_in = |list: &str| list.split_whitespace().any(|n| n == *name);
        is_in(&entry.new) && !is_in(&entry.old)
    };
    let kept: Vec<&str> = now.split_whitespace().filter(|n| !ours(n)).collect();
    kept.join(" ")
}

impl Tuning {
    /// Makes `changes` below `root`, which is `/` but in tests, with a journal in `folder`. What an
    /// earlier lab left is put back first.
    ///
    /// # Errors
    /// When another lab has changed the machine, when this process may not (it takes root, and not that
    /// of a user namespace), or when the journal cannot be written. Nothing stays changed then.
    pub fn apply(root: &Path, folder: &Path, changes: &[Change]) -> Result<Tuning, TuneError> {
        recover(root, folder)?;
        // The kernel shows it in the machine's first network namespace alone.
        if !setting_file(root, TCP_MEM).exists() {
            return Err(TuneError::Elsewhere);
        }
        let entry = |change: &Change| {
            Ok(Entry {
                key: change.key.clone(),
                old: get(root, &change.key)?,
                new: change.value.clone(),
            })
        };
        let entries: Result<Vec<Entry>, TuneError> = changes.iter().map(entry).collect();
        let journal = Journal {
            owner: Process::own(),
            entries: entries?,
        };
        let path = folder.join(JOURNAL);
        match keep(&path, folder, &journal) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                let owner = read(&path)?.map_or(0, |j| j.owner.pid);
                return Err(TuneError::Busy(owner));
            }
            other => other.map_err(faulty("write", &path))?,
        }
        // From here on dropping it puts back whatever has been written.
        let tuning = Tuning {
            root: root.to_owned(),
            journal: path,
            entries: journal.entries,
        };
        for Entry { key, new, .. } in &tuning.entries {
            set(root, key, new)?;
        }
        Ok(tuning)
    }

    /// Puts everything back, and says what went wrong; dropping does the same in silence.
    ///
    /// # Errors
    /// When a setting cannot be put back: the journal stays for the next lab.
    pub fn restore(mut self) -> Result<(), TuneError> {
        self.undo()
    }

    fn undo(&mut self) -> Result<(), TuneError> {
        if self.entries.is_empty() && !self.journal.exists() {
            return Ok(());
        }
        put_back(&self.root, &self.entries)?;
        self.entries.clear();
        match std::fs::remove_file(&self.journal) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                Err(faulty("remove", &self.journal)(e))
            }
            _ => {
                self.journal.parent().into_iter().for_each(state::leave);
                Ok(())
            }
        }
    }
}

impl Drop for Tuning {
    fn drop(&mut self) {
        // What cannot be put back now is in the journal.
        _ = self.undo();
    }
}

/// On disk, with the folder that names it.
fn keep(path: &Path, folder: &Path, journal: &Journal) -> io::Result<()> {
    let text = serde_json::to_vec(journal)?;
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(&text)?;
    file.sync_all()?;
    File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::tests::machine;

    /// A folder with a `proc/sys` of its own, and `rmem_max` and `tcp_mem` in it.
    fn world() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        for (key, value) in [(RMEM_MAX, "212992\n"), (TCP_MEM, "1\t2\t3\n")] {
            let file = setting_file(&root, key);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, value).unwrap();
        }
        (folder, root)
    }

    fn change(key: &str, value: &str) -> Change {
        let (key, value) = (key.to_owned(), value.to_owned());
        Change { key, value }
    }

    fn two() -> [Change; 2] {
        [change(RMEM_MAX, "500000"), change(TCP_MEM, "4 5 6")]
    }

    fn now(root: &Path) -> [String; 2] {
        [RMEM_MAX, TCP_MEM].map(|key| get(root, key).unwrap())
    }

    const OLD: [&str; 2] = ["212992", "1 2 3"];
    const NEW: [&str; 2] = ["500000", "4 5 6"];

    #[test]
    fn where_the_machine_is_not_to_be_seen_nothing_is_said_to_be_tuned() {
        let (folder, root) = world();
        std::fs::remove_file(setting_file(&root, TCP_MEM)).unwrap();
        let refused = Tuning::apply(&root, folder.path(), &[]).unwrap_err();
        assert!(matches!(refused, TuneError::Elsewhere), "{refused}");
        assert!(!folder.path().join(JOURNAL).exists());
    }

    #[test]
    fn settings_are_put_back_when_the_lab_ends() {
        let (folder, root) = world();
        let tuning = Tuning::apply(&root, folder.path(), &two()).unwrap();
        assert_eq!(now(&root), NEW);
        tuning.restore().unwrap();
        assert_eq!(now(&root), OLD);
        drop(Tuning::apply(&root, folder.path(), &two()).unwrap());
        assert_eq!(now(&root), OLD);
        assert!(!folder.path().join(JOURNAL).exists());
    }

    #[test]
    fn hystart_is_a_parameter_of_a_module() {
        let (folder, root) = world();
        let file = root.join("sys/module/tcp_cubic/parameters/hystart");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "1\n").unwrap();
        let machine = Machine {
            hystart: Some(true),
            ..machine()
        };
        let changes = changes(&[Need::HyStart(false)], &machine, Size::default());
        let tuning = Tuning::apply(&root, folder.path(), &changes).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "0");
        tuning.restore().unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "1");
    }

    #[test]
    fn a_killed_labs_settings_are_put_back_by_the_next() {
        let (folder, root) = world();
        let tuning = Tuning::apply(&root, folder.path(), &two()).unwrap();
        // While it lives nobody else touches them.
        assert!(recover(&root, folder.path()).unwrap().is_empty());
        let busy = Tuning::apply(&root, folder.path(), &two()).unwrap_err();
        assert!(matches!(busy, TuneError::Busy(pid) if pid == Process::own().pid));
        // It is killed: what it would have dropped stays, and its number is another's.
        let path = folder.path().join(JOURNAL);
        let mut journal = read(&path).unwrap().unwrap();
        journal.owner.start = 1;
        std::mem::forget(tuning);
        std::fs::write(&path, serde_json::to_vec(&journal).unwrap()).unwrap();
        let said = recover(&root, folder.path()).unwrap();
        assert!(
            said[0].contains("net.core.rmem_max, net.ipv4.tcp_mem"),
            "{said:?}"
        );
        assert_eq!(now(&root), OLD);
        assert!(recover(&root, folder.path()).unwrap().is_empty());
    }

    #[test]
    fn the_journal_is_there_before_anything_is_written() {
        let (folder, root) = world();
        // The last of three cannot be written: the others are put back, and no journal stays.
        let mut three = two().to_vec();
        three.push(change("net.core.wmem_max", "1"));
        let fault = Tuning::apply(&root, folder.path(), &three).unwrap_err();
        assert!(
            fault.to_string().starts_with("read net.core.wmem_max: "),
            "{fault}"
        );
        // Only the machine's first network namespace shows all of them.
        assert!(
            fault.to_string().contains("outside of containers"),
            "{fault}"
        );
        assert_eq!(now(&root), OLD);
        // Without a place for the journal nothing is written.
        let nowhere = folder.path().join("nowhere");
        assert!(Tuning::apply(&root, &nowhere, &two()).is_err());
        assert_eq!(now(&root), OLD);
    }

    #[test]
    fn what_cannot_be_written_leaves_nothing_changed() {
        let (folder, root) = world();
        // It can be read and not written, by root either.
        let full = setting_file(&root, WMEM_MAX);
        std::os::unix::fs::symlink("/proc/self/maps", &full).unwrap();
        let mut three = two().to_vec();
        three.push(change(WMEM_MAX, "1"));
        let fault = Tuning::apply(&root, folder.path(), &three).unwrap_err();
        assert!(
            fault.to_string().starts_with("write net.core.wmem_max: "),
            "{fault}"
        );
        assert_eq!(now(&root), OLD);
    }

    #[test]
    fn a_journal_cut_short_is_one_of_nothing() {
        let (folder, root) = world();
        std::fs::write(folder.path().join(JOURNAL), "{\"owner\"").unwrap();
        let said = recover(&root, folder.path()).unwrap();
        assert_eq!(said, Vec::<String>::new(), "nothing was changed");
        assert_eq!(now(&root), OLD);
        assert!(!folder.path().join(JOURNAL).exists());
    }

    #[test]
    fn somebody_elses_change_is_left_alone() {
        let (folder, root) = world();
        let tuning = Tuning::apply(&root, folder.path(), &two()).unwrap();
        set(&root, RMEM_MAX, "7").unwrap();
        tuning.restore().unwrap();
        assert_eq!(now(&root), ["7", "1 2 3"]);
    }

    #[test]
    fn needs_of_all_hosts_become_changes() {
        let bytes = Size::from_bytes;
        let needs = [
            Need::ReceiveBuffer(bytes(300_000)),
            Need::ReceiveBuffer(bytes(400_000)),
            Need::SendBuffer(bytes(100_000)),
            Need::TcpMemory(bytes(1 << 30)),
            Need::TcpMemory(bytes(1 << 30)),
            Need::Allowed("cubic".to_owned()),
            Need::Allowed("cubic".to_owned()),
        ];
        let pages = (2 << 30) / page_size();
        let all = changes(&needs, &machine(), bytes(64 << 30));
        assert_eq!(
            all,
            [
                change(RMEM_MAX, "400000"),
                change(
                    TCP_MEM,
                    &format!("{} {pages} {}", pages / 4 * 3, pages / 2 * 3)
                ),
                change(ALLOWED, "reno cubic"),
            ]
        );
        // Never more than half of the memory.
        let small = changes(&needs, &machine(), bytes(3 << 30));
        let pages = (3 << 29) / page_size();
        assert!(small[1].value.contains(&format!(" {pages} ")), "{small:?}");
        assert_eq!(changes(&[], &machine(), bytes(1 << 30)), []);
    }

    #[test]
    fn of_a_list_only_what_was_added_is_taken_back() {
        let entry = Entry {
            key: ALLOWED.to_owned(),
            old: "reno bbr theirs".to_owned(),
            new: "reno bbr theirs cubic".to_owned(),
        };
        // Somebody's algorithm has gone, another has come.
        assert_eq!(without_added("reno bbr cubic new", &entry), "reno bbr new");
        assert_eq!(without_added("reno bbr", &entry), "reno bbr");
    }
}
