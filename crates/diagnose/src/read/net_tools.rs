//! Counters of interfaces as net-tools and the kernel print them in tables: `ifconfig` of Linux, `netstat -i`, `/proc/net/dev`.

use super::{Facts, Line, PORT, Tool};
use crate::fact::{Of, Place};
use crate::tally::UNSENT;
use crate::words::{after, decimal, whole};

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
    if is_table || text == "Kernel Interface table" {
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
        }
        true
    }

    /// A row of a table: an interface, and what it counts.
    fn row(&self, host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
        let row = match self.kind {
            PROC => of_proc(text),
            _ => of_netstat(&self.columns, text),
        };
        let Some((name, counts)) = row else {
            return text.contains("no statistics available");
        };
        if name != "lo" {
            named(host, name, at, facts);
            counts.put(host, name, at, facts);
        }
        true
    }
}

/// `eth0: 91000000000 11000000 320 0 0 320 0 120 410000000 5400000 0 0 0 0 0 0`: eight columns received, and eight sent.
fn of_proc(text: &str) -> Option<(&str, Counts)> {
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
    Some((name, counts))
}

/// `eth0  9000 11000000  320  0 0  5400000  0  0  0 BMRU`.
fn of_netstat<'t>(columns: &[String], text: &'t str) -> Option<(&'t str, Counts)> {
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
    words.first().map(|name| (*name, counts))
}
