//! NFS and SMB: what `mount`, `nfsstat -m` and `/proc/mounts` say of a mount, and the tables of `nfsiostat`.

use super::disk::MOUNT;
use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of, Place};
use crate::hosts::mounted;
use crate::programs::requests::{
    AGREED, DIRECT, MOST, MOUNTER, OTHER, PER_S, SIZE, SMB_PORT, SYNC, TOOK, WHOLE,
};
use crate::redact::address;
use crate::seen::{Report, Side, Test};
use crate::words::{between, decimal, keyed, whole};

/// The port of an NFS server, as IANA registers it.
const PORT: u16 = 2049;

/// What stands for any address of a client, and says none.
const ANY: [&str; 2] = ["0.0.0.0", "::"];

/// Most mounts that are kept.
const MOUNTS_MAX: usize = 100;

/// The state of reading.
#[derive(Default)]
pub(super) struct Nfs {
    /// Whether the last line is of nfsiostat.
    table: bool,
    mounts: Vec<Mount>,
    /// The mount that is spoken of.
    current: Option<usize>,
    /// Whose numbers come next.
    next: Next,
}

/// Whose numbers come next in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Next {
    #[default]
    Nothing,
    /// Requests a second, and those that wait.
    Waiting,
    /// Reads or writes.
    Way(usize),
}

/// A mount, and what nfsiostat reported of it last.
#[derive(Clone, Debug)]
struct Mount {
    /// It is of SMB, and else of NFS.
    smb: bool,
    server: String,
    folder: String,
    /// The server's address, where the options have it.
    alias: Option<String>,
    /// The client's address, where the options have it.
    client: Option<String>,
    /// The largest read and write, bytes.
    sizes: [Option<f64>; 2],
    connections: Option<f64>,
    /// It has each write wait until the server has it.
    sync: bool,
    /// Reports of nfsiostat: the first is of all the time since the mount.
    reports: usize,
    /// Its last reads and writes.
    rows: [Option<Row>; 2],
    at: Place,
}

/// A row of reads or writes.
#[derive(Clone, Copy, Debug)]
struct Row {
    per_s: f64,
    kib_per_s: f64,
    kib_each: f64,
    rtt_ms: f64,
    whole_ms: f64,
    at: Place,
}

impl Tool for Nfs {
    fn name(&self) -> &'static str {
        let mount = self.current.and_then(|n| self.mounts.get(n));
        match (self.table, mount.is_some_and(|m| m.smb)) {
            (true, _) => "nfsiostat",
            (false, true) => "mount",
            (false, false) => "nfs",
        }
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some((what, folder)) = text
            .strip_suffix(':')
            .and_then(|t| t.split_once(" mounted on "))
            && what.contains(":/")
        {
            self.table = true;
            self.begin(what, folder, line.at);
            if let Some(mount) = self.mount() {
                if mount.reports == 0 {
                    facts.word(Of::Path, MOUNT, folder, line.at);
                }
                mount.reports += 1;
                mount.rows = [None, None];
            }
            return true;
        }
        if let Some((what, folder, options)) = mounted(text) {
            self.table = false;
            self.begin(what, folder, line.at);
            facts.word(Of::Path, MOUNT, folder, line.at);
            self.options(options, line.at, facts);
            return true;
        }
        if !going {
            return false;
        }
        if let Some(options) = text.strip_prefix("Flags:").filter(|o| o.contains("rsize=")) {
            self.options(options.trim(), line.at, facts);
            return true;
        }
        self.table && self.row(text, line.at)
    }

    fn held(&self) -> usize {
        let rows = self.mounts.iter().flat_map(|m| m.rows.iter().flatten());
        rows.count() * FACTS
    }

    fn finish(&mut self, facts: &mut Facts) {
        let mut said = false;
        for mount in core::mem::take(&mut self.mounts) {
            if mount.reports < 2 {
                let copied = mount.copied(facts);
                facts.tests.extend(copied);
            }
            match mount.reports {
                0 if mount.smb => {}
                0 => {
                    let place = facts.place(mount.at);
                    if !said {
                        facts.notes.push(format!(
                            "{place}: an NFS mount; nfsiostat 5 2 on its client, while data moves, says how fast that is and what each request waits for"
                        ));
                    }
                    said = true;
                }
                1 => facts.notes.push(format!(
                    "{}: one report of nfsiostat is of all the time since the mount, and not of a transfer: nfsiostat 5 2 adds one of 5 s",
                    facts.place(mount.at)
                )),
                _ => mount.tests(facts),
            }
        }
        *self = Nfs::default();
    }
}

/// What a row gives: a rate, and what its requests are like.
const FACTS: usize = 5;

/// What is mounted, where, and with which options: a line of `mount`, `/proc/mounts` or `/etc/fstab`, and the first of two of `nfsstat -m`.
fn mounted(text: &str) -> Option<(&str, &str, &str)> {
    let kinds = [" type nfs", " type cifs", " type smb3"];
    if let Some((what, rest)) = text.split_once(" on ")
        && let Some((folder, options)) = kinds.iter().find_map(|kind| rest.split_once(*kind))
    {
        return Some((what, folder, between(options, "(", ")")?));
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        [what, folder, "nfs" | "nfs4", options, ..] if what.contains(":/") => {
            let says = options.contains("rsize=") || is_sync(options);
            says.then_some((what, folder, options))
        }
        [what, folder, "cifs" | "smb3", options, ..] if what.starts_with("//") => options
            .contains("rsize=")
            .then_some((what, folder, options)),
        [folder, "from", what] if folder.starts_with('/') && what.contains(":/") => {
            Some((what, folder, ""))
        }
        _ => None,
    }
}

/// Whether a mount has the option by which each write waits.
fn is_sync(options: &str) -> bool {
    options.split(',').any(|option| option.trim() == "sync")
}

impl Nfs {
    fn begin(&mut self, what: &str, folder: &str, at: Place) {
        let smb = what.starts_with("//");
        let server = match smb {
            true => what[2..].split('/').next().unwrap_or(""),
            false => what.split_once(":/").map_or(what, |(host, _)| host),
        };
        let server = address(server.trim_matches(['[', ']']));
        let is = |m: &Mount| m.server == server && m.folder == folder;
        self.current = self.mounts.iter().position(is);
        if self.current.is_none() && self.mounts.len() < MOUNTS_MAX {
            self.mounts.push(Mount {
                smb,
                server,
                folder: folder.to_owned(),
                alias: None,
                client: None,
                sizes: [None, None],
                connections: None,
                sync: false,
                reports: 0,
                rows: [None, None],
                at,
            });
            self.current = Some(self.mounts.len() - 1);
        }
        self.next = Next::Nothing;
    }

    fn mount(&mut self) -> Option<&mut Mount> {
        self.mounts.get_mut(self.current?)
    }

    /// `rw,vers=4.2,rsize=1048576,wsize=1048576,proto=tcp,nconnect=4,addr=192.0.2.9`.
    fn options(&mut self, options: &str, at: Place, facts: &mut Facts) {
        let number = |key: &str| keyed(options, key).and_then(whole).map(|n| n as f64);
        let sizes = [number("rsize="), number("wsize=")];
        let connections = number("nconnect=");
        let Some(mount) = self.mount() else { return };
        mount.sizes = sizes;
        mount.connections = connections;
        mount.sync = is_sync(options);
        let find = |key: &str| keyed(options, key);
        let alias = find("addr=").or_else(|| find("mountaddr="));
        mount.alias = alias.map(address);
        let client = find("clientaddr=").map(address);
        mount.client = client.filter(|own| !ANY.contains(&own.as_str()));
        if mount.smb {
            return;
        }
        if sizes.iter().flatten().count() + usize::from(connections.is_some()) == 0 {
            return;
        }
        let host = facts.host();
        let names = ["nfs_read_most_bytes", "nfs_write_most_bytes"];
        for (name, size) in names.into_iter().zip(sizes) {
            if let Some(bytes) = size {
                facts.exact(host, name, bytes, at);
            }
        }
        // Without the option it is one.
        facts.exact(host, "nfs_connections", connections.unwrap_or(1.0), at);
    }

    /// A line of a report of nfsiostat.
    fn row(&mut self, text: &str, at: Place) -> bool {
        let way = ["read:", "write:"].iter().position(|w| text.starts_with(w));
        if let Some(way) = way.filter(|_| text.contains("kB/op")) {
            self.next = Next::Way(way);
            return true;
        }
        if text.ends_with("rpc bklog") {
            self.next = Next::Waiting;
            return true;
        }
        let words = text.split_whitespace();
        // `0 (0.0%)`: counts have their share behind them.
        let words = words.filter(|w| !w.starts_with('(') && !w.ends_with(')'));
        let numbers: Option<Vec<f64>> = words.map(decimal).collect();
        let Some(numbers) = numbers.filter(|n| !n.is_empty()) else {
            return false;
        };
        match core::mem::take(&mut self.next) {
            Next::Nothing => false,
            Next::Waiting => true,
            Next::Way(way) => {
                let [per_s, kib_per_s, kib_each, _, rtt_ms, whole_ms, ..] = numbers[..] else {
                    return false;
                };
                if let Some(mount) = self.mount() {
                    mount.rows[way] = Some(Row {
                        per_s,
                        kib_per_s,
                        kib_each,
                        rtt_ms,
                        whole_ms,
                        at,
                    });
                }
                true
            }
        }
    }
}

impl Mount {
    /// Reads and writes as tests: each where it moved anything beside the other.
    fn tests(&self, facts: &mut Facts) {
        let most = self.rows.iter().flatten();
        let most = most.map(|r| r.kib_per_s).fold(0.0, f64::max);
        for (way, row) in self.rows.iter().enumerate() {
            if let Some(row) = row.filter(|r| r.kib_per_s > LEAST * most && r.per_s > 0.0) {
                facts.tests.push(self.test(way == 0, &row));
            }
        }
    }

    /// What `dd` moved on it, as a test; none where it did not.
    fn copied(&self, facts: &Facts) -> Option<Test> {
        let (rate, reads, piece, direct) = mounted::transfer(facts, &self.folder)?;
        let at = rate.from.first().copied()?;
        let mut test = self.moved("dd", reads, (rate.clone(), at));
        // Of what waits for each write none is larger than what the program writes.
        let waits = piece.filter(|_| self.waits(reads));
        let sizes = [self.sizes[usize::from(!reads)], waits];
        let most = sizes.into_iter().flatten().reduce(f64::min);
        // Past the cache the requests of one piece go out together, and nothing is asked for ahead of it.
        let most = piece.filter(|_| direct).or(most);
        if let Some(most) = most {
            test.set(MOST, Figure::exact(most, at));
        }
        if direct && piece.is_some() {
            test.set(DIRECT, Figure::exact(1.0, at));
        }
        Some(test)
    }

    /// Whether a program waits for each of these requests until the server has answered it.
    fn waits(&self, reads: bool) -> bool {
        self.sync && !reads && !self.smb
    }

    /// A rate at which a tool saw it read or written.
    fn moved(&self, tool: &'static str, reads: bool, (goodput, at): (Figure, Place)) -> Test {
        let mut test = Test::new(tool, at);
        test.to.host.clone_from(&self.server);
        test.to.port = Some(if self.smb { SMB_PORT } else { PORT });
        test.aliases[1].extend(self.alias.clone());
        let client = self.client.iter().map(|own| (MOUNTER, own.clone()));
        test.words.extend(client);
        let kind = if reads { "reads" } else { "writes" };
        let system = if self.smb { "SMB" } else { "NFS" };
        test.name = format!("{system} {kind}, {}", crate::redact(&self.folder));
        test.received = Some(Report {
            goodput,
            bytes: None,
            seconds: 0.0,
        });
        test.streams = self.connections.unwrap_or(1.0).clamp(1.0, 64.0) as u32;
        test.client = Side::Sender;
        if let Some(agreed) = self.sizes[usize::from(!reads)] {
            test.set(AGREED, Figure::exact(agreed, at));
        }
        if self.waits(reads) {
            test.set(SYNC, Figure::exact(1.0, at));
        }
        if reads {
            test.turn();
        }
        test
    }

    fn test(&self, reads: bool, row: &Row) -> Test {
        let at = row.at;
        let goodput = Figure::exact(row.kib_per_s * KIB * 8.0, at);
        let mut test = self.moved("nfsiostat", reads, (goodput, at));
        for (name, value) in [
            (PER_S, row.per_s),
            (SIZE, row.kib_each * KIB),
            (TOOK, row.rtt_ms * 1e6),
            (WHOLE, row.whole_ms * 1e6),
        ] {
            test.set(name, Figure::exact(value, at));
        }
        let other = self.rows[usize::from(reads)];
        if let Some(other) = other.filter(|row| row.per_s >= 1.0 && row.rtt_ms > 0.0) {
            test.set(OTHER, Figure::exact(other.rtt_ms * 1e6, at));
        }
        test
    }
}

/// What moves less than this part of the other way is only what that needs.
const LEAST: f64 = 0.05;

/// nfsiostat counts kilobytes of 1024 bytes.
const KIB: f64 = 1024.0;
