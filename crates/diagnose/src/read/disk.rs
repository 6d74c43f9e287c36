//! What hosts say of their disks: the closing lines of `dd` and `fio`, and the tables of `iostat`.

use std::collections::BTreeMap;

use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::words::{binary, decimal, whole};

/// Where a file system of the network is mounted.
pub(crate) const MOUNT: &str = "network_mount";

/// The files that `dd` or `fio` read and wrote on a host.
pub(crate) const FILES: [&str; 2] = ["disk_input", "disk_output"];

/// How much `dd` reads and writes at a time (`bs=`), bytes.
pub(crate) const PIECE: &str = "disk_piece_bytes";

/// `dd` read or wrote past the kernel's cache, as a fact has it.
pub(crate) const DIRECT: &str = "disk_direct";

/// File systems of the network, as `mount` names them.
const TYPES: [&str; 10] = [
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "fuse.sshfs",
    "fuse.glusterfs",
    "fuse.rclone",
    "ceph",
    "lustre",
];

/// Where such a file system is mounted, in a line of `mount` of Linux, a BSD or macOS, or of `/proc/mounts`.
pub(crate) fn point(text: &str) -> Option<&str> {
    if let Some((_, rest)) = text.split_once(" on ")
        && let Some((folder, options)) = rest.rsplit_once(" (")
    {
        let (folder, kind) = match folder.split_once(" type ") {
            Some(both) => both,
            None => (folder, options.split([',', ')']).next()?),
        };
        return TYPES.contains(&kind).then_some(folder);
    }
    let words: Vec<&str> = text.split_whitespace().take(6).collect();
    match words[..] {
        [_, folder, kind, options, ..] if TYPES.contains(&kind) && folder.starts_with('/') => {
            let is = options.starts_with("rw") || options.starts_with("ro");
            is.then_some(folder)
        }
        _ => None,
    }
}

/// The state of reading.
#[derive(Default)]
pub(super) struct Disk {
    iostat: bool,
    host: Option<Of>,
    /// The heads of the columns of the table that is read.
    columns: Vec<String>,
    /// A row of processors comes next.
    processors: bool,
    /// The last row of each disk.
    disks: BTreeMap<String, Row>,
    /// The files that the `dd` or `fio` reads and writes which was typed last.
    files: [Option<String>; 2],
    /// How much it reads and writes at a time, bytes.
    piece: Option<f64>,
    /// It reads or writes past the kernel's cache (`iflag=direct`, `oflag=direct`).
    direct: bool,
    /// The last line is of a mount.
    mount: bool,
    /// What the `fio` that is read moved one way, bit/s.
    fio: Option<f64>,
}

/// A row of a disk.
#[derive(Clone, Copy)]
struct Row {
    /// Share of the time in which it was busy, 0 to 1.
    busy: f64,
    /// What was read and written, bit/s, where the table says it.
    moved: [Option<f64>; 2],
    at: Place,
}

/// Most disks of a host.
const DISKS_MAX: usize = 1000;

impl Tool for Disk {
    fn name(&self) -> &'static str {
        match (self.mount, self.iostat, self.fio) {
            (true, ..) => "mount",
            (false, true, _) => "iostat",
            (false, false, Some(_)) => "fio",
            (false, false, None) => "dd",
        }
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(folder) = point(text) {
            facts.word(Of::Path, MOUNT, folder, line.at);
            (self.mount, self.host) = (true, None);
            return true;
        }
        self.mount = false;
        if let Some(files) = typed(text) {
            (self.files, self.piece, self.direct) = (files, piece(text), is_direct(text));
            return false;
        }
        if let Some((reads, bps)) = of_fio(text) {
            self.fio(reads, bps, line.at, going, facts);
            return true;
        }
        if records(text) || copied(text).is_some() {
            if !going || self.iostat {
                self.host = None;
            }
            (self.iostat, self.fio) = (false, None);
            if let Some((bytes, seconds)) = copied(text) {
                let host = *self.host.get_or_insert_with(|| facts.host());
                let files = core::mem::take(&mut self.files);
                for (name, file) in FILES.into_iter().zip(files) {
                    if let Some(file) = file {
                        facts.word(host, name, &file, line.at);
                    }
                }
                if let Some(bytes) = self.piece.take() {
                    facts.exact(host, PIECE, bytes, line.at);
                }
                if core::mem::take(&mut self.direct) {
                    facts.word(host, DIRECT, "yes", line.at);
                }
                facts.exact(host, "disk_bps", bytes * 8.0 / seconds, line.at);
            }
            return true;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let heads = words.first().map_or("", |w| w.trim_end_matches(':'));
        if words == ["extended", "device", "statistics"] {
            if !going || !self.iostat {
                self.host = None;
            }
            self.iostat = true;
            return true;
        }
        // FreeBSD's `device` has its share under `%b`.
        let linux = heads == "Device" && words.last() == Some(&"%util");
        let disks = linux || heads == "device" && words.last() == Some(&"%b");
        if disks || heads == "avg-cpu" && words.last() == Some(&"%idle") {
            self.begin(going, line.at, facts);
            self.processors = !disks;
            let heads = words.iter().filter(|_| disks);
            self.columns = heads.map(|w| (*w).to_owned()).collect();
            return true;
        }
        if !going || !self.iostat {
            return false;
        }
        if self.processors {
            self.processors = false;
            return !words.is_empty() && words.iter().all(|w| decimal(w).is_some());
        }
        self.row(&words, line.at, facts)
    }
}

impl Disk {
    /// A table of `iostat`, or another of the same one.
    fn begin(&mut self, going: bool, at: Place, facts: &Facts) {
        if !going || !self.iostat {
            self.host = facts.headed(at);
            self.disks.clear();
        }
        self.iostat = true;
    }

    /// What `fio` read or wrote in all; of one that did both the disk moved the sum.
    fn fio(&mut self, reads: bool, bps: f64, at: Place, going: bool, facts: &mut Facts) {
        // What it wrote stands below what it read.
        if !going || reads || self.fio.is_none() {
            (self.host, self.fio) = (None, None);
        }
        self.iostat = false;
        let host = *self.host.get_or_insert_with(|| facts.host());
        let all = self.fio.unwrap_or(0.0) + bps;
        self.fio = Some(all);
        let way = usize::from(!reads);
        if let Some(file) = &self.files[way] {
            facts.word(host, FILES[way], file, at);
        }
        facts.exact(host, "disk_bps", all, at);
    }

    /// A row of a table of disks. What is said of the host is what the busiest of its disks shows: one that waits hides no other.
    fn row(&mut self, words: &[&str], at: Place, facts: &mut Facts) -> bool {
        if self.columns.len() < 2 || words.len() != self.columns.len() {
            return false;
        }
        let numbers: Option<Vec<f64>> = words[1..].iter().map(|w| decimal(w)).collect();
        let Some(numbers) = numbers else {
            return false;
        };
        let under = |head: &str| {
            let column = self.columns[1..].iter().position(|c| c == head)?;
            numbers.get(column).copied()
        };
        // Bytes are counted by the 1024.
        let moved = |way: &str| {
            let kib = under(&format!("{way}kB/s"));
            let kib = kib.or_else(|| Some(under(&format!("{way}MB/s"))? * 1024.0));
            let kib = kib.or_else(|| under(&format!("k{way}/s")));
            kib.map(|k| k * 1024.0 * 8.0)
        };
        let share = under("%util").or_else(|| under("%b"));
        let row = Row {
            busy: (share.unwrap_or(0.0) / 100.0).clamp(0.0, 1.0),
            moved: [moved("r"), moved("w")],
            at,
        };
        if self.host.is_none() {
            self.disks.clear();
        }
        let host = *self.host.get_or_insert_with(|| facts.host());
        if self.disks.len() < DISKS_MAX || self.disks.contains_key(words[0]) {
            self.disks.insert(words[0].to_owned(), row);
        }
        let all = self.disks.values();
        let Some(busiest) = all.max_by(|a, b| a.busy.total_cmp(&b.busy)) else {
            return true;
        };
        facts.exact(host, "disk_busy_ratio", busiest.busy, busiest.at);
        let names = ["disk_read_bps", "disk_written_bps"];
        for (name, moved) in names.into_iter().zip(busiest.moved) {
            facts.exact(host, name, moved.unwrap_or(0.0), busiest.at);
        }
        true
    }
}

/// Whether `fio` read, and how fast it was, bit/s: `READ: bw=155MiB/s (162MB/s), 155MiB/s-155MiB/s (…), io=4096MiB (4295MB), …`.
fn of_fio(text: &str) -> Option<(bool, f64)> {
    let (way, rest) = text.split_once(": bw=")?;
    let reads = match way {
        "READ" => true,
        "WRITE" => false,
        _ => return None,
    };
    let size = rest.split([' ', ',']).next()?.strip_suffix("B/s")?;
    let (digits, worth) = match size.strip_suffix('i') {
        Some(size) => {
            let prefix = size.chars().next_back()?;
            (size.strip_suffix(prefix)?, binary(Some(prefix))?)
        }
        None => (size, 1.0),
    };
    Some((reads, decimal(digits)? * worth * 8.0))
}

/// The file that a `fio` reads and writes which was typed, or the folder of its files.
fn fio_typed(text: &str) -> Option<[Option<String>; 2]> {
    if !text.contains("fio ") {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().take(60).collect();
    let is = |w: &&str| w.rsplit(['$', '#', '>', '%', '/']).next() == Some("fio");
    let start = words.iter().position(is)?;
    let keys = ["--filename=", "--directory="];
    let mut options = words[start + 1..].iter();
    let file = options.find_map(|w| keys.iter().find_map(move |key| w.strip_prefix(*key)))?;
    // What lies in a folder lies below its name.
    let file = format!("{}/", file.trim_end_matches('/'));
    let both = [Some(file.clone()), Some(file)];
    both[0].as_ref()?.starts_with('/').then_some(both)
}

/// The files that a `dd` reads and writes which was typed, also behind a shell's prompt.
fn typed(text: &str) -> Option<[Option<String>; 2]> {
    if let Some(files) = fio_typed(text) {
        return Some(files);
    }
    if !text.contains("f=/") {
        return None;
    }
    let words: Vec<&str> = text.split_whitespace().take(60).collect();
    let is = |w: &&str| w.rsplit(['$', '#', '>', '%', '/']).next() == Some("dd");
    let start = words.iter().position(is)?;
    let file = |key: &str| {
        let mut named = words[start + 1..].iter();
        let file = named.find_map(|w| w.strip_prefix(key))?;
        file.starts_with('/').then(|| file.to_owned())
    };
    let files = [file("if="), file("of=")];
    files.iter().any(Option::is_some).then_some(files)
}

/// Whether the `dd` that was typed has `direct` among its flags of a file: `iflag=direct`, `oflag=direct,sync`.
fn is_direct(text: &str) -> bool {
    let flags = |word: &str| {
        let flags = word.strip_prefix("iflag=");
        let flags = flags.or_else(|| word.strip_prefix("oflag="));
        flags.is_some_and(|flags| flags.split(',').any(|flag| flag == "direct"))
    };
    text.split_whitespace().any(flags)
}

/// How much the `dd` that was typed reads and writes at a time, bytes: `bs=64k`, `bs=1M`, `bs=1MB`, `bs=65536`.
fn piece(text: &str) -> Option<f64> {
    let value = text
        .split_whitespace()
        .find_map(|w| w.strip_prefix("bs="))?;
    let digits = value.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let worth = match &value[digits.len()..] {
        "" => 1.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        unit => {
            let prefix = unit.strip_suffix("iB").unwrap_or(unit);
            let mut letters = prefix.chars();
            let letter = letters.next().filter(|_| letters.next().is_none());
            binary(Some(letter?))?
        }
    };
    let count = whole(digits).filter(|count| *count > 0)?;
    Some(count as f64 * worth)
}

/// `8192+0 records in`.
fn records(text: &str) -> bool {
    let head = text
        .strip_suffix(" records in")
        .or_else(|| text.strip_suffix(" records out"));
    let counts = head.and_then(|h| h.split_once('+'));
    counts.is_some_and(|(a, b)| whole(a).is_some() && whole(b).is_some())
}

/// Bytes and seconds of `8589934592 bytes (8.6 GB, 8.0 GiB) copied, 229.4 s, 37.4 MB/s`, and of the BSDs' `8589934592 bytes
/// transferred in 229.4 secs (37445225 bytes/sec)`.
fn copied(text: &str) -> Option<(f64, f64)> {
    let (bytes, rest) = text.split_once(" bytes ")?;
    let took = match rest.split_once(" copied, ") {
        Some((_, took)) => took.split_once(" s, ").or(took.split_once(" s,"))?.0,
        None => rest.strip_prefix("transferred in ")?.split_once(" secs")?.0,
    };
    let (bytes, seconds) = (whole(bytes)?, decimal(took)?);
    (bytes > 0 && seconds > 0.0).then_some((bytes as f64, seconds))
}

#[cfg(test)]
mod tests {
    use crate::fact::Of;
    use crate::flows::flow::number;
    use crate::read::{Source, read};

    #[test]
    fn where_file_systems_of_the_network_are_mounted() {
        for (line, folder) in [
            (
                "filer:/vol1 on /mnt type nfs (rw,vers=3,rsize=32768)",
                Some("/mnt"),
            ),
            (
                "//srv/share on /mnt/share type cifs (rw,vers=3.1.1)",
                Some("/mnt/share"),
            ),
            (
                "dtn1:/srv /mnt/far fuse.sshfs rw,nosuid 0 0",
                Some("/mnt/far"),
            ),
            (
                "//srv/share on /Volumes/far (smbfs, nodev, nosuid)",
                Some("/Volumes/far"),
            ),
            ("/dev/sda1 on / type ext4 (rw,relatime)", None),
            ("/dev/sda1 / ext4 rw,relatime 0 0", None),
        ] {
            assert_eq!(super::point(line), folder, "{line}");
        }
    }

    /// What FreeBSD prints: the second report is of the time between both.
    #[test]
    fn a_busy_disk_of_freebsd_is_read() {
        let report = |written: &str, busy: &str| {
            format!(
                "                        extended device statistics\ndevice       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b\nada0           0       2      0.1      {written}     1     0     0     0    0   {busy}\n"
            )
        };
        let text = format!(
            "fs# iostat -x -w 5 -c 2\n{}{}",
            report("35.5", "1"),
            report("98000.0", "99")
        );
        let facts = read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.into_bytes(),
        }]);
        assert_eq!(facts.ignored_count, [0], "{:?}", facts.ignored);
        let value = |name| number(&facts, Of::Host(0), name).map(|n| n.value);
        assert_eq!(value("disk_busy_ratio"), Some(0.99));
        assert_eq!(value("disk_written_bps"), Some(98_000.0 * 8192.0));
    }
}
