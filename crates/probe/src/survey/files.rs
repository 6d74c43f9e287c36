//! Files below a root, each read once and no further than a limit.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Most bytes of a file that are read: the counters of 4096 processors fit.
const BYTES_MAX: u64 = 1 << 20;

/// Most names in a folder that are listed.
const NAMES_MAX: usize = 10_000;

/// Most empty files that are named.
const EMPTY_NAMED: usize = 4;

/// Where the files are, and which of them could not be read.
pub(super) struct Files {
    root: PathBuf,
    failed: BTreeMap<String, std::io::Error>,
    /// Files without a word in them, which a kernel never leaves empty.
    empty: BTreeSet<String>,
}

impl Files {
    pub(super) fn new(root: &Path) -> Files {
        Files {
            root: root.to_owned(),
            failed: BTreeMap::new(),
            empty: BTreeSet::new(),
        }
    }

    /// The file of an absolute path, below the root.
    pub(super) fn below(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }

    /// The same, for people.
    pub(super) fn shown(&self, path: &str) -> String {
        self.below(path).display().to_string()
    }

    /// A file's text; none where it is missing or cannot be read.
    #[allow(
        clippy::disallowed_methods,
        reason = "what a kernel says of itself stands in files"
    )]
    pub(super) fn text(&mut self, path: &str) -> Option<String> {
        let mut bytes = Vec::new();
        let read = File::open(self.below(path))
            .and_then(|file| file.take(BYTES_MAX).read_to_end(&mut bytes));
        match read {
            Ok(_) => {
                // An archive of /sys fills files with zeros: they say they are a page long.
                let end = bytes.iter().rposition(|b| *b != 0).map_or(0, |n| n + 1);
                Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
            }
            Err(error) => {
                self.failed.insert(path.to_owned(), error);
                None
            }
        }
    }

    /// The text of a file that a kernel never leaves empty; none where it is, as copies of `/proc` by `tar` are: the files
    /// there say that they have 0 bytes.
    pub(super) fn full(&mut self, path: &str) -> Option<String> {
        let text = self.text(path)?;
        if text.trim().is_empty() {
            self.empty.insert(path.to_owned());
            return None;
        }
        Some(text)
    }

    /// A file's only word; none where it has none.
    pub(super) fn word(&mut self, path: &str) -> Option<String> {
        let text = self.text(path)?;
        Some(text.trim().to_owned()).filter(|word| !word.is_empty())
    }

    /// A file's only number.
    pub(super) fn number(&mut self, path: &str) -> Option<u64> {
        self.word(path)?.parse().ok()
    }

    /// Whether something is there, whether or not it may be read.
    pub(super) fn has(&self, path: &str) -> bool {
        self.below(path).symlink_metadata().is_ok()
    }

    /// The last name of what a symbolic link points to.
    pub(super) fn link(&self, path: &str) -> Option<String> {
        let target = self.below(path).read_link().ok()?;
        Some(target.file_name()?.to_string_lossy().into_owned())
    }

    /// The names in a folder, in order.
    pub(super) fn names(&self, path: &str) -> Vec<String> {
        let entries = self.below(path).read_dir().into_iter().flatten();
        let mut names: Vec<String> = entries
            .take(NAMES_MAX)
            .filter_map(|e| Some(e.ok()?.file_name().to_string_lossy().into_owned()))
            .collect();
        names.sort();
        names
    }

    /// Why a file could not be read.
    pub(super) fn why(&self, path: &str) -> String {
        match self.failed.get(path) {
            Some(error) => error.to_string(),
            None if self.empty.contains(path) => format!("it is empty, {EMPTY}"),
            None => "it has no numbers".to_owned(),
        }
    }

    /// Files that are there and could not be read. One that is missing is of another kernel, or of another namespace; an
    /// interface without a rate answers that its file has no value.
    pub(super) fn unread(&self) -> Vec<String> {
        let is_news = |e: &std::io::Error| {
            !matches!(
                e.kind(),
                ErrorKind::NotFound | ErrorKind::InvalidInput | ErrorKind::NotADirectory
            )
        };
        let failed = self.failed.iter().filter(|(_, e)| is_news(e));
        let mut all: Vec<String> = failed.map(|(path, e)| format!("{path}: {e}")).collect();
        if !self.empty.is_empty() {
            let named = self.empty.iter().take(EMPTY_NAMED).cloned();
            let named = named.collect::<Vec<_>>().join(", ");
            let more = match self.empty.len().saturating_sub(EMPTY_NAMED) {
                0 => String::new(),
                n => format!(" and {n} more"),
            };
            all.push(format!("{named}{more}: empty, {EMPTY}"));
        }
        all
    }
}

/// Why a file of a kernel is empty.
const EMPTY: &str = "as tar copies the files of /proc: copy them with cat or cp";
