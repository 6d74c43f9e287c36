//! The folder in which registrations are recorded: a file for each, locked by those who use it.

use std::fs::{DirBuilder, File, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use super::error::{BpfError, at};

/// The file whose lock lets one process at a time read and change the folder.
const GATE: &str = "gate";
/// The file with the name of what is being registered.
const INTENT: &str = "intent";
/// How names of records end.
const ENDING: &str = "registered";

/// The folder, locked for reading and changing it.
pub(super) struct Folder {
    path: PathBuf,
    _gate: File,
}

/// A registration: the map's number, what it is made of, the algorithm's name.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) id: u32,
    pub(super) hash: String,
    pub(super) name: String,
    path: PathBuf,
    file: File,
}

impl Folder {
    /// Opens the folder, made for root alone if it is not there, and waits until nobody else is in it.
    pub(super) fn open(path: &Path) -> Result<Folder, BpfError> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(path)
            .map_err(at(path))?;
        let gate = path.join(GATE);
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&gate)
            .map_err(at(&gate))?;
        file.lock().map_err(at(&gate))?;
        Ok(Folder {
            path: path.to_owned(),
            _gate: file,
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Says what is about to be registered, for those who come after a crash.
    pub(super) fn intend(&self, name: &str) -> Result<(), BpfError> {
        let path = self.path.join(INTENT);
        std::fs::write(&path, name).map_err(at(&path))
    }

    /// What somebody was about to register and did not record.
    pub(super) fn intended(&self) -> Option<String> {
        std::fs::read_to_string(self.path.join(INTENT)).ok()
    }

    /// Nothing is about to be registered any more.
    pub(super) fn settle(&self) -> Result<(), BpfError> {
        let path = self.path.join(INTENT);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != ErrorKind::NotFound => Err(at(&path)(source)),
            _ => Ok(()),
        }
    }

    /// All records. One that was cut short is removed: the intent is still there.
    pub(super) fn records(&self) -> Result<Vec<Record>, BpfError> {
        let mut records = Vec::new();
        for entry in std::fs::read_dir(&self.path).map_err(at(&self.path))? {
            let path = entry.map_err(at(&self.path))?.path();
            if path.extension().is_none_or(|ending| ending != ENDING) {
                continue;
            }
            let text = std::fs::read_to_string(&path).map_err(at(&path))?;
            let file = File::open(&path).map_err(at(&path))?;
            let id = path.file_stem().and_then(|s| s.to_str()?.parse().ok());
            let words: Vec<&str> = text.split_whitespace().collect();
            if let (Some(id), [hash, name]) = (id, words.as_slice()) {
                records.push(Record {
                    id,
                    hash: (*hash).to_owned(),
                    name: (*name).to_owned(),
                    path,
                    file,
                });
            } else {
                std::fs::remove_file(&path).map_err(at(&path))?;
            }
        }
        Ok(records)
    }

    /// Records a registration, used by this process from now on.
    pub(super) fn note(&self, id: u32, hash: &str, name: &str) -> Result<Record, BpfError> {
        let path = self.path.join(format!("{id}.{ENDING}"));
        std::fs::write(&path, format!("{hash} {name}\n")).map_err(at(&path))?;
        let file = File::open(&path).map_err(at(&path))?;
        let record = Record {
            id,
            hash: hash.to_owned(),
            name: name.to_owned(),
            path,
            file,
        };
        record.join()
    }

    pub(super) fn forget(&self, record: &Record) -> Result<(), BpfError> {
        std::fs::remove_file(&record.path).map_err(at(&record.path))
    }
}

impl Record {
    /// Uses it, until it is dropped or the process ends.
    pub(super) fn join(self) -> Result<Record, BpfError> {
        self.file.lock_shared().map_err(at(&self.path))?;
        Ok(self)
    }

    /// Uses it no more. Returns whether nobody does.
    pub(super) fn leave(&self) -> Result<bool, BpfError> {
        self.file.unlock().map_err(at(&self.path))?;
        match self.file.try_lock() {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            Err(TryLockError::Error(source)) => Err(at(&self.path)(source)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_to_leave_knows() {
        let folder = tempfile::tempdir().unwrap();
        let first = {
            let open = Folder::open(folder.path()).unwrap();
            open.note(7, "abc", "fp_htcp").unwrap()
        };
        let open = Folder::open(folder.path()).unwrap();
        let second = open.records().unwrap().pop().unwrap().join().unwrap();
        assert_eq!(
            (second.id, second.hash.as_str(), second.name.as_str()),
            (7, "abc", "fp_htcp")
        );
        assert!(!first.leave().unwrap());
        assert!(second.leave().unwrap());
        open.forget(&second).unwrap();
        assert!(open.records().unwrap().is_empty());
    }

    #[test]
    fn a_record_cut_short_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let open = Folder::open(folder.path()).unwrap();
        let path = folder.path().join(format!("9.{ENDING}"));
        std::fs::write(&path, "abc").unwrap();
        open.intend("fp_htcp").unwrap();
        assert!(open.records().unwrap().is_empty());
        assert!(!path.exists());
        assert_eq!(open.intended().as_deref(), Some("fp_htcp"));
        open.settle().unwrap();
        open.settle().unwrap();
        assert_eq!(open.intended(), None);
    }
}
