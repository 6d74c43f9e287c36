//! Counters of interfaces as net-tools and the kernel print them in tables: `ifconfig` of Linux, `netstat -i` of Linux, the BSDs, macOS and
//! Solaris, `/proc/net/dev`.

use super::frames::UNSENT;
use super::{Facts, Line, PORT, Tool};
use crate::fact::{Of, Place};
use crate::interfaces::counter::{Unit, Way};
use crate::words::{after, decimal, whole};

/// Which system has a table of this form, among the facts of a host.
pub(crate) const TABLE_OF: &str = "table_system";

const IFCONFIG: &str = "ifconfig";
const NETSTAT: &str = "netstat -i";
const PROC: &str = "/proc/net/dev";

/// The state of reading.
#[derive(Default)]
pub(super) struct NetTools {
    kind: &'static str,
    host: Option<Of>,
    /// The interface that `ifconfig` prints now; empty for the loopback.
    interface: String,
    /// The columns of the table that `netstat -i` prints.
    columns: Vec<String>,
}

impl Tool for NetTools {
    fn name(&self) -> &'static str {
        if self.kind.is_empty() {
            IFCONFIG
        } else {
            self.kind
        }
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (line.bare, line.at);
        let Some(kind) = begins(text) else {
            let Some(host) = self.host.filter(|_| going) else {
                return false;
            };
            return match self.kind {
                IFCONFIG => self.ifconfig(host, text, at, facts),
                _ => self.row(host, text, at, facts),
            };
        };
        let host = match self.host.filter(|_| going) {
            Some(host) => host,
            None => facts.host(),
        };
        (self.kind, self.host) = (kind, Some(host));
        self.columns = text.split_whitespace().map(str::to_owned).collect();
        if let Some(name) = interface(text) {
            let loops = text.to_ascii_lowercase().contains("loopback");
            self.interface = if loops { "" } else { name }.to_owned();
            named(host, &self.interface, at, facts);
            self.mtu(host, (text, " mtu "), at, facts);
        }
        true
    }
}

/// What begins with this line.
pub(super) fn begins(text: &str) -> Option<&'static str> {
    if interface(text).is_some() {
        return Some(IFCONFIG);
    }
    let is_table = text.starts_with("Iface ") && text.contains(" RX-OK ");
    let of_bsd = text.starts_with("Name ") && text.contains(" Ipkts ");
    if is_table || of_bsd || text == "Kernel Interface table" {
        return Some(NETSTAT);
    }
    let first = text.starts_with("Inter-|") && text.contains("Receive");
    let second = text.starts_with("face |") && text.contains("compressed");
    (first || second).then_some(PROC)
}

/// The interface that a head of `ifconfig` names: `eth0: flags=4163<UP,RUNNING>  mtu 1500`, `eth0      Link encap:Ethernet`. Tunnels are
/// left to the reader of their MTU.
fn interface(text: &str) -> Option<&str> {
    let new = text.split_once(": flags=");
    let (name, rest) = new.or_else(|| text.split_once(" Link encap:"))?;
    let name = name.trim_end();
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    (is_name && !rest.contains("POINTOPOINT")).then_some(name)
}

/// What other lines of `ifconfig` begin with.
const OTHERS: [&str; 11] = [
    "UP ",
    "BROADCAST ",
    "ether ",
    "loop ",
    "unspec ",
    "infiniband ",
    "txqueuelen ",
    "device ",
    "Interrupt:",
    "Base address:",
    "Memory:",
];

/// Counters of an interface, frames, as far as a line has them.
#[derive(Default)]
struct Counts {
    errors: Option<u64>,
    dropped: Option<u64>,
    overruns: Option<u64>,
    unsent: Option<u64>,
    queue_drops: Option<u64>,
    carrier: Option<u64>,
    collisions: Option<u64>,
}

impl Counts {
    /// Adds them, under the names that `ip -s link` has for the same.
    fn put(&self, host: Of, port: &str, at: Place, facts: &mut Facts) {
        // Frames for which there was no room are among the errors (Documentation/networking/statistics.rst).
        let roomless = self.overruns.unwrap_or(0);
        let damaged = self.errors.map(|n| n.saturating_sub(roomless));
        let all = [
            (damaged, ("nic_damaged", "RX.errors")),
            // Of /proc/net/dev, with those that were missed (net/core/net-procfs.c).
            (self.dropped, ("nic_dropped", "RX-DRP")),
            (self.overruns, ("nic_drops", "RX.overrun")),
            (self.unsent, ("nic_unsent", UNSENT)),
            (self.queue_drops, ("queue_drops", "TX.dropped")),
            (self.carrier, ("nic_carrier", "TX.carrier")),
            (self.collisions, ("nic_collisions", "TX.collsns")),
        ];
        for (count, name) in all {
            if let Some(n) = count {
                facts.counted(host, port, name, n, at);
            }
        }
    }
}

/// What an interface passed, as far as a row has it: in the order of [`PASSED`].
type Passed = [Option<u64>; 4];

/// The ways and units of what passed.
const PASSED: [(Way, Unit); 4] = [
    (Way::Received, Unit::Bytes),
    (Way::Received, Unit::Packets),
    (Way::Sent, Unit::Bytes),
    (Way::Sent, Unit::Packets),
];

/// Adds what a row says that an interface passed.
fn passed((host, port): (Of, &str), of: &'static str, row: Passed, at: Place, facts: &mut Facts) {
    for ((way, unit), count) in PASSED.into_iter().zip(row) {
        if let Some(n) = count {
            facts.passes(host, port, (of, way, unit), n, at);
        }
    }
}

/// Adds the name of an interface, unless it is the loopback.
fn named(host: Of, port: &str, at: Place, facts: &mut Facts) {
    if !port.is_empty() {
        facts.word(host, PORT, port, at);
    }
}

impl NetTools {
    /// The MTU of an interface that runs, behind `before`.
    fn mtu(&self, host: Of, (text, before): (&str, &str), at: Place, facts: &mut Facts) {
        let mtu = after(text, before).and_then(decimal);
        let runs = text.contains("RUNNING") && !self.interface.is_empty();
        if let Some(mtu) = mtu.filter(|m| *m >= 576.0 && runs) {
            facts.exact(host, "interface_mtu_bytes", mtu, at);
            facts.interface(host, &self.interface, mtu);
        }
    }

    /// `RX errors 320  dropped 0  overruns 0  frame 320`, `RX packets:11000000 errors:320 dropped:0 overruns:0 frame:320`.
    fn ifconfig(&self, host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
        let inet = ["inet ", "inet6 "];
        if let Some(rest) = inet.iter().find_map(|b| text.strip_prefix(b)) {
            let rest = rest.trim_start().trim_start_matches("addr:").trim_start();
            let address = rest.split(['/', '%', ' ']).next().unwrap_or("");
            let parsed = address.parse::<core::net::IpAddr>();
            if let Ok(own) = parsed
                && !own.is_loopback()
            {
                facts.owns(address);
                facts.owned(&self.interface, own, None);
                let mask = after(text, " netmask ").and_then(|m| m.parse().ok());
                let bits = mask.map(|m: core::net::Ipv4Addr| u32::from(m).count_ones() as u8);
                let bits = bits.or_else(|| after(text, " prefixlen ")?.parse().ok());
                if let Some(bits) = bits {
                    facts.addressed(host, &self.interface, (own, bits));
                }
            }
            return true;
        }
        let sends = text.starts_with("TX ");
        if !sends && !text.starts_with("RX ") && !text.starts_with("collisions:") {
            self.mtu(host, (text, "MTU:"), at, facts);
            return OTHERS.iter().any(|begin| text.starts_with(begin));
        }
        let mut counts = Counts::default();
        let words: Vec<&str> = text
            .split([' ', ':'])
            .filter(|word| !word.is_empty())
            .collect();
        for pair in words.windows(2) {
            let count = match (pair[0], sends) {
                ("errors", false) => &mut counts.errors,
                ("errors", true) => &mut counts.unsent,
                ("dropped", false) => &mut counts.dropped,
                ("dropped", true) => &mut counts.queue_drops,
                ("carrier", true) => &mut counts.carrier,
                ("overruns", false) => &mut counts.overruns,
                ("collisions", _) => &mut counts.collisions,
                _ => continue,
            };
            *count = whole(pair[1]);
        }
        if !self.interface.is_empty() {
            counts.put(host, &self.interface, at, facts);
            self.passed(host, &words, at, facts);
        }
        true
    }

    /// What an interface passed: `RX packets 11000000  bytes 91000000000`. A line with bytes of both ways is left.
    fn passed(&self, host: Of, words: &[&str], at: Place, facts: &mut Facts) {
        let way = match [words.contains(&"RX"), words.contains(&"TX")] {
            [true, false] => Way::Received,
            [false, true] => Way::Sent,
            _ => return,
        };
        for pair in words.windows(2) {
            let unit = match pair[0] {
                "packets" => Unit::Packets,
                "bytes" => Unit::Bytes,
                _ => continue,
            };
            if let Some(n) = whole(pair[1]) {
                facts.passes(host, &self.interface, (IFCONFIG, way, unit), n, at);
            }
        }
    }

    /// A row of a table: an interface, and what it counts.
    fn row(&self, host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
        if self.columns.first().is_some_and(|first| first == "Name") {
            return self.bsd(host, text, at, facts);
        }
        let row = match self.kind {
            PROC => of_proc(text),
            _ => of_netstat(&self.columns, text),
        };
        let Some((name, counts, through)) = row else {
            return text.contains("no statistics available");
        };
        if name != "lo" {
            named(host, name, at, facts);
            counts.put(host, name, at, facts);
            passed((host, name), self.kind, through, at, facts);
        }
        true
    }

    /// A row of `netstat -i` of a BSD, macOS or Solaris. Of each interface that of its link counts: those of its addresses count the same
    /// packets again. What carries nothing is not named.
    fn bsd(&self, host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let get = |names: &[&str]| column(&self.columns, &words, names);
        let count = |names: &[&str]| get(names).and_then(whole);
        let is_count = |word: &str| word == "-" || whole(word).is_some();
        let packets = [get(&["Ipkts"]), get(&["Opkts"])];
        let is_row = packets.iter().all(|word| word.is_some_and(is_count));
        let (Some(name), true) = (words.first(), is_row) else {
            return false;
        };
        let solaris = self.columns.iter().any(|column| column == "Net/Dest");
        let of_link = solaris || words.get(2).is_some_and(|net| net.starts_with("<Link"));
        let mut numbers = packets.into_iter().flatten().filter_map(whole);
        let carries = numbers.any(|n| n > 0);
        let name = name.trim_end_matches('*');
        if of_link && carries && !name.starts_with("lo") {
            let counts = Counts {
                errors: count(&["Ierrs"]),
                // OpenBSD has errors and drops in one.
                dropped: count(&["Idrop", "Ifail"]),
                overruns: None,
                unsent: count(&["Oerrs", "Ofail"]),
                // With `-d`.
                queue_drops: count(&["Drop"]),
                carrier: None,
                collisions: count(&["Coll", "Colls", "Collis"]),
            };
            named(host, name, at, facts);
            // No other BSD has this column.
            if self.columns.iter().any(|column| column == "Idrop") {
                facts.word(host, TABLE_OF, "freebsd", at);
            }
            counts.put(host, name, at, facts);
            // Bytes with `-b`.
            let through = ["Ibytes", "Ipkts", "Obytes", "Opkts"].map(|of| count(&[of]));
            passed((host, name), self.kind, through, at, facts);
        }
        true
    }
}

/// What a row has in the first of these columns that its table has. The address before them may be missing: they stand at the end.
fn column<'t>(columns: &[String], words: &[&'t str], names: &[&str]) -> Option<&'t str> {
    let place = columns
        .iter()
        .position(|column| names.contains(&column.as_str()))?;
    let at = words.len().checked_sub(columns.len() - place)?;
    words.get(at).copied()
}

/// `eth0: 91000000000 11000000 320 0 0 320 0 120 410000000 5400000 0 0 0 0 0 0`: eight columns received, and eight sent.
fn of_proc(text: &str) -> Option<(&str, Counts, Passed)> {
    let (name, rest) = text.split_once(':')?;
    let numbers: Option<Vec<u64>> = rest.split_whitespace().map(whole).collect();
    let n = numbers.filter(|n| n.len() == 16)?;
    let counts = Counts {
        errors: Some(n[2]),
        dropped: Some(n[3]),
        overruns: Some(n[4]),
        unsent: Some(n[10]),
        queue_drops: Some(n[11]),
        // Its column has late collisions and others, too (net/core/net-procfs.c).
        carrier: None,
        collisions: Some(n[13]),
    };
    let passed = [n[0], n[1], n[8], n[9]].map(Some);
    Some((name, counts, passed))
}

/// `eth0  9000 11000000  320  0 0  5400000  0  0  0 BMRU`.
fn of_netstat<'t>(columns: &[String], text: &'t str) -> Option<(&'t str, Counts, Passed)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let get = |name: &str| {
        let place = columns.iter().position(|column| column == name)?;
        words.get(place).copied().and_then(whole)
    };
    get("RX-OK")?;
    let counts = Counts {
        errors: get("RX-ERR"),
        dropped: get("RX-DRP"),
        overruns: get("RX-OVR"),
        unsent: get("TX-ERR"),
        queue_drops: get("TX-DRP"),
        carrier: None,
        collisions: None,
    };
    let passed = [None, get("RX-OK"), None, get("TX-OK")];
    words.first().map(|name| (*name, counts, passed))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link without an address has a word less than its table has columns.
    #[test]
    fn columns_of_a_bsd_are_counted_from_the_end() {
        let head = "Name Mtu Network Address Ipkts Ierrs Opkts Oerrs Coll";
        let columns: Vec<String> = head.split(' ').map(str::to_owned).collect();
        for row in [
            "gif0* 1280 <Link#2> 12 3 4 5 6",
            "en0 1500 <Link#4> 02:00:00:00:00:01 12 3 4 5 6",
        ] {
            let words: Vec<&str> = row.split(' ').collect();
            let get = |name: &str| column(&columns, &words, &[name]);
            let all = ["Ipkts", "Ierrs", "Coll", "Colls"].map(get);
            assert_eq!(all, [Some("12"), Some("3"), Some("6"), None], "{row}");
        }
        // `netstat -id` of FreeBSD.
        let head = "Name Mtu Network Address Ipkts Ierrs Idrop Opkts Oerrs Coll Drop";
        let of_free: Vec<String> = head.split(' ').map(str::to_owned).collect();
        let row = "em0 1500 <Link#1> 02:00:00:00:00:01 12 3 4 5 6 7 8";
        let words: Vec<&str> = row.split(' ').collect();
        let get = |name: &str| column(&of_free, &words, &[name]);
        let all = ["Ierrs", "Idrop", "Oerrs", "Drop"].map(get);
        assert_eq!(all, [Some("3"), Some("4"), Some("6"), Some("8")]);
        let short: Vec<&str> = "en0 1500".split(' ').collect();
        assert_eq!(column(&columns, &short, &["Ipkts"]), None);
    }
}
