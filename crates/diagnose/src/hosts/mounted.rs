//! Files on file systems of the network: to read or write them is a transfer, and says nothing of a disk of the host that does it.

use crate::fact::{Figure, Of};
use crate::flows::flow::{number, word};
use crate::read::Facts;
use crate::read::disk::{DIRECT, FILES, MOUNT, PIECE};

/// Whether a file lies in a folder.
fn lies(file: &str, folder: &str) -> bool {
    let rest = file.strip_prefix(folder.trim_end_matches('/'));
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// A file of the network that was read or written on a host, and where its file system is mounted.
fn remote(facts: &Facts, host: Of) -> Option<(&str, &str)> {
    FILES.into_iter().find_map(|name| {
        let (file, _) = word(facts, host, name)?;
        let folders = facts.all_words(MOUNT).map(|(_, folder)| folder);
        let own = folders.filter(|folder| lies(file, folder));
        Some((file, own.max_by_key(|folder| folder.len())?))
    })
}

/// The rate at which `dd` read a file in a folder, or wrote it, bit/s; whether it read; and in pieces of which size, bytes, where it says
/// that; and whether it did so past the kernel's cache.
pub(crate) fn transfer<'f>(
    facts: &'f Facts,
    folder: &str,
) -> Option<(&'f Figure, bool, Option<f64>, bool)> {
    let rates = facts.facts.iter().filter(|f| f.name == "disk_bps");
    let mut each = rates.filter_map(|f| {
        let ours = |name| word(facts, f.of, name).is_some_and(|(file, _)| lies(file, folder));
        let [read, written] = FILES.map(ours);
        let piece = number(facts, f.of, PIECE).map(|bytes| bytes.value);
        let direct = word(facts, f.of, DIRECT).is_some();
        (read || written).then_some((f.number()?, read, piece, direct))
    });
    each.next_back()
}

/// Whether what `dd` measured on a host was a transfer.
pub(crate) fn is_transfer(facts: &Facts, host: Of) -> bool {
    remote(facts, host).is_some()
}

/// That rates of `dd` and `fio` are not those of disks.
pub(crate) fn left_out(facts: &Facts) -> Vec<String> {
    let rates = facts.facts.iter().filter(|f| f.name == "disk_bps");
    let note = |f: &crate::fact::Fact| {
        let (file, folder) = remote(facts, f.of)?;
        Some(format!(
            "{}: {} lies on the network's file system at {folder}: to read or write it is a transfer, and that rate is not weighed as a disk's",
            facts.place(f.at),
            file.trim_end_matches('/')
        ))
    };
    let mut all: Vec<String> = rates.filter_map(note).collect();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_lies_in_a_folder_and_not_beside_it() {
        assert!(lies("/mnt/big", "/mnt"));
        assert!(lies("/mnt/big", "/mnt/"));
        assert!(!lies("/mnt2/big", "/mnt"));
        assert!(!lies("/mnt", "/mnt"));
    }
}
