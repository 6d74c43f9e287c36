//! What hosts say of their interfaces: `ethtool`, `ip -s link`, `/proc/net/bonding`, `tc -s qdisc`, `/proc/net/softnet_stat`.

mod bonding;
mod unnamed;

use super::carrier::TRANSITIONS;
use super::frames::{ALLOWANCES, UNSENT};
use super::modes::{Duplexed, Modes, Negotiated};
use super::{Facts, Line, Tool, frames, net_tools, qdisc, routed, tunnels};
use crate::fact::{Fact, Of, Place, Value};
use crate::interfaces::counter::{Counter, Link, Unit, Way};
use crate::words::{after, decimal, whole};

/// The state of reading.
#[derive(Default)]
pub(super) struct Nic {
    kind: &'static str,
    host: Option<Of>,
    /// The columns of `ip -s link` that the next line fills.
    columns: Option<Vec<String>>,
    loopback: bool,
    /// Whether another interface carries the one that `ip` prints now: `eth0@if7`.
    stacked: bool,
    /// Whether the queue discipline that is read stands at the root of an interface.
    root: bool,
    /// The interface whose counters follow, where a command or a head before them names it.
    interface: String,
    /// What the command before asked for, whatever `grep` leaves of it.
    asked: Option<Asked>,
    /// The part of `ethtool -g` that is read.
    ring: Option<&'static str>,
    /// Packets that it counts, and their bytes: received, sent.
    carried: [[Option<u64>; 2]; 2],
    /// What the interface that is read now and its partner offer.
    link: Negotiated,
    /// The list of modes that is read.
    modes: Option<Modes>,
    /// The bond that is read.
    bond: bonding::Bond,
}

/// What a command asks an interface for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// Its counters, `-S`.
    Counters,
    /// Its driver, `-i`.
    Driver,
    /// Its queue disciplines, which `tc` prints.
    Queues,
    /// What it does for the processor, `-k`.
    Features,
    /// Anything else.
    Settings,
}

impl Tool for Nic {
    fn name(&self) -> &'static str {
        if self.kind.is_empty() {
            "ethtool"
        } else {
            self.kind
        }
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        self.bond.awaits(text);
        if let Some((asked, name)) = command(text) {
            name.clone_into(&mut self.interface);
            let kind = ["ethtool", "tc"][usize::from(asked == Asked::Queues)];
            let same = |host: &Of| going && facts.may_be_here(*host);
            (self.kind, self.host) = (kind, self.host.filter(same));
            self.asked = Some(asked);
            (self.link, self.modes) = (Negotiated::default(), None);
            if facts.mixed_ports.is_some() {
                (self.host, self.interface) = (None, String::new());
            }
            return true;
        }
        if facts.mixed_ports.is_some() && self.is_unnamed(text, going) {
            facts.leaves_unnamed();
            return true;
        }
        let tunnel = tunnels::head(text);
        if let Some(head) = &tunnel {
            facts.tunnel(head, line.at);
        }
        if let Some(kind) = begins(text) {
            self.begin(kind, line, going, facts);
            return true;
        }
        if text.contains(": flags=") && tunnel.is_some_and(|head| head.point_to_point) {
            return true;
        }
        if net_tools::begins(text).is_some() || going && routed::begins(text) {
            return false;
        }
        let Some(host) = self.host.filter(|_| going) else {
            if !going || !self.is_asked(text) {
                return false;
            }
            let host = self.begun(line.at, facts);
            return self.ethtool(host, text, line.at, facts);
        };
        match self.kind {
            "ip" => self.ip(host, text, line.at, facts),
            "tc" => qdisc::below((host, &self.interface, self.root), text, line.at, facts),
            "bonding" => self.bond.line(host, text, line.at, facts),
            _ => self.ethtool(host, text, line.at, facts),
        }
    }
}

/// What a command asks ethtool or tc for, and of which interface: `ethtool -S eth0 | grep rx`, `sudo ethtool -g ens1f0np0`,
/// `tc -s qdisc show dev eth0`. Names of interfaces have a number, and words of a sentence have none.
fn command(text: &str) -> Option<(Asked, &str)> {
    if text.len() >= COMMAND_MAX {
        return None;
    }
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.bytes().any(|b| b.is_ascii_digit())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"-_.@".contains(&b))
    };
    if let Some(name) = after(text, "qdisc show dev ").filter(|name| is_name(name)) {
        return text.contains("tc ").then_some((Asked::Queues, name));
    }
    let (_, rest) = text.split_once("ethtool ")?;
    let mut words = rest.split_whitespace();
    let first = words.next()?;
    let asked = match first {
        "-S" => return Some((Asked::Counters, words.next()?)),
        "-i" => Asked::Driver,
        "-k" => Asked::Features,
        _ => Asked::Settings,
    };
    let shows = ["-i", "-g", "-k", "-a", "-c", "-l", "-m"];
    let name = if shows.contains(&first) {
        words.next()?
    } else {
        first
    };
    let alone = words
        .next()
        .is_none_or(|word| word.starts_with(['|', '>', '#', ';', '&']));
    (is_name(name) && alone).then_some((asked, name))
}

/// The interface that a head names: `Ring parameters for eth0:`, `2: eth0: <BROADCAST,UP> mtu 1500`, `qdisc fq 8001: dev eth0 root`.
fn head(text: &str) -> Option<&str> {
    if text.starts_with("qdisc ") {
        return after(text, " dev ").filter(|name| *name != "lo");
    }
    let of = |head: &&str| text.strip_prefix(*head)?.strip_suffix(':');
    HEADS.iter().find_map(of).or_else(|| {
        let named = text.split(": ").nth(1)?;
        text.contains(": <")
            .then(|| named.split('@').next().unwrap_or(named))
    })
}

/// What ethtool prints an interface's name behind.
const HEADS: [&str; 5] = [
    "Settings for ",
    "Features for ",
    "Ring parameters for ",
    "Coalesce parameters for ",
    "Pause parameters for ",
];

/// Longest line that is taken for a command.
const COMMAND_MAX: usize = 200;

/// What an interface carried in all.
const CARRIED: [&str; 4] = ["rx_packets", "rx_bytes", "tx_packets", "tx_bytes"];

/// Bytes of a frame on average, received and sent.
pub(crate) const MEAN: [&str; 2] = ["received_frame_bytes", "sent_frame_bytes"];

/// Fewer packets than this have no mean that says anything.
const PACKETS_LEAST: u64 = 10_000;

/// The same of each queue, with its number in brackets: Google's gve.
const QUEUE_DROPS: [&str; 2] = ["rx_queue_drop_cnt", "rx_no_buffers_posted"];

/// The counter of a queue that a name is: `rx_queue_drop_cnt[3]`.
fn of_queue(name: &str) -> Option<&'static str> {
    let is = |known: &&str| {
        name.strip_prefix(*known)
            .is_some_and(|rest| rest.starts_with('['))
    };
    QUEUE_DROPS.iter().copied().find(|known| is(known))
}

/// Other names of late collisions.
const LATE: [&str; 2] = ["tx_late_coll", "tx_window_errors"];

/// What the name of an interface is called among the facts of a host.
pub(crate) const PORT: &str = "port_name";

/// Columns of `ip -s -s link` that count, and what.
const COLUMNS: [(&str, &str); 13] = [
    ("RX.errors", "nic_damaged"),
    ("RX.dropped", "nic_dropped"),
    ("RX.missed", "nic_drops"),
    ("RX.overrun", "nic_drops"),
    (UNSENT, "nic_unsent"),
    ("TX.dropped", "queue_drops"),
    ("TX.carrier", "nic_carrier"),
    ("TX.collsns", "nic_collisions"),
    // Collisions behind the first 64 bytes of a frame (Documentation/networking/statistics.rst).
    ("TX errors.window", "nic_late_collisions"),
    ("TX errors.transns", TRANSITIONS),
    ("RX errors.crc", "nic_damaged"),
    ("RX errors.overrun", "nic_drops"),
    ("RX errors.missed", "nic_drops"),
];

/// Columns of what an interface passed.
const PASSED: [(&str, Counter); 4] = [
    ("RX.bytes", ("ip", Way::Received, Unit::Bytes)),
    ("RX.packets", ("ip", Way::Received, Unit::Packets)),
    ("TX.bytes", ("ip", Way::Sent, Unit::Bytes)),
    ("TX.packets", ("ip", Way::Sent, Unit::Packets)),
];

/// What begins with this line.
fn begins(text: &str) -> Option<&'static str> {
    let is_link = text.split_once(": ").is_some_and(|(n, rest)| {
        whole(n).is_some() && rest.contains(": <") && rest.contains("mtu ")
    });
    if is_link {
        return Some("ip");
    }
    if text.starts_with("Ethernet Channel Bonding Driver:") || text.starts_with("Bonding Mode:") {
        return Some("bonding");
    }
    // Where one interface was asked for, its name is left out.
    let handle = || {
        text.split_whitespace()
            .nth(2)
            .is_some_and(|h| h.ends_with(':'))
    };
    if text.starts_with("qdisc ") && (text.contains(" dev ") || handle()) {
        return Some("tc");
    }
    let is_ethtool = HEADS
        .iter()
        .any(|b| text.starts_with(b) && text.ends_with(':'))
        || text == "NIC statistics:"
        || text
            .strip_prefix("driver: ")
            .is_some_and(|name| CLOUDS.contains(&name));
    (is_ethtool || is_alone(text)).then_some("ethtool")
}

/// A line that `grep` took out of what ethtool prints: `Speed: 100Mb/s`, `Duplex: Half`, `rx_crc_errors: 12`,
/// `Laser rx power low alarm   : On`.
fn is_alone(text: &str) -> bool {
    let Some((key, value)) = text.split_once(':') else {
        return false;
    };
    let (key, value) = (key.trim_end(), value.trim());
    match key {
        "Speed" => value.ends_with("Mb/s"),
        "Duplex" => matches!(value, "Half" | "Full"),
        _ if ALLOWANCES.iter().any(|(name, ..)| *name == key) => whole(value).is_some(),
        _ if key.starts_with("rx_") || key.starts_with("tx_") => {
            whole(value).is_some() && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        }
        _ => text.contains(" : ") && OPTICS.iter().any(|o| key.starts_with(o)),
    }
}

/// Drivers of the interfaces that clouds give their instances: Amazon's, Google's, Microsoft's.
const CLOUDS: [&str; 4] = ["ena", "gve", "hv_netvsc", "mana"];

/// What lines of `ethtool -m` begin with that say how its light is.
const OPTICS: [&str; 5] = [
    "Laser ",
    "Receiver signal average optical power",
    "Module temperature",
    "Module voltage",
    "Transceiver type",
];

impl Nic {
    /// Takes the line that what one of the tools prints begins with.
    fn begin(&mut self, kind: &'static str, line: Line<'_>, going: bool, facts: &mut Facts) {
        let text = line.bare;
        self.host = self.host.filter(|_| going && self.kind == kind);
        self.kind = kind;
        self.columns = None;
        if !going {
            (self.asked, self.interface) = (None, String::new());
        }
        if text == "NIC statistics:" {
            self.carried = [[None; 2]; 2];
        }
        if let Some(name) = head(text) {
            name.clone_into(&mut self.interface);
        }
        self.ring = None;
        if text.starts_with("Settings for ") {
            (self.link, self.modes) = (Negotiated::default(), None);
        }
        self.of_ip(text, kind == "ip");
        let host = self.begun(line.at, facts);
        match kind {
            "tc" => self.root = qdisc::head((host, &self.interface), text, line.at, facts),
            "ip" if !self.loopback => qdisc::ip((host, &self.interface), text, line.at, facts),
            "ip" => {}
            "bonding" => {
                self.bond.line(host, text, line.at, facts);
            }
            // A line by itself says something already.
            _ if !text.ends_with(':') => {
                self.ethtool(host, text, line.at, facts);
            }
            _ => {}
        }
    }

    /// The host whose lines begin here, and the interface that they are of.
    fn begun(&mut self, at: Place, facts: &mut Facts) -> Of {
        let host = *self.host.get_or_insert_with(|| facts.host());
        let named =
            |fact: &Fact| matches!(&fact.value, Value::Word(name) if *name == self.interface);
        let known = facts.latest(host, PORT).is_some_and(named);
        if !self.interface.is_empty() && !self.loopback && !known {
            facts.word(host, PORT, &self.interface, at);
        }
        host
    }

    /// What the line says that an interface begins with, where `ip` prints it.
    fn of_ip(&mut self, text: &str, is_ip: bool) {
        let named = text.split(": ").nth(1);
        self.loopback = is_ip && text.contains("LOOPBACK");
        self.stacked = is_ip && named.is_some_and(|name| name.contains('@'));
    }

    /// Whether a line is of what the command before asked for.
    fn is_asked(&self, text: &str) -> bool {
        let Some((key, value)) = text.split_once(": ") else {
            return false;
        };
        let is_key = !key.is_empty()
            && key
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-.[]".contains(&b));
        match self.asked {
            Some(Asked::Counters) => is_key && whole(value.trim()).is_some(),
            Some(Asked::Driver) => is_key,
            Some(Asked::Features) => is_key && matches!(value.get(..2), Some("on" | "of")),
            // `grep` leaves lists of modes without the line that names their interface.
            Some(Asked::Settings) => Modes::named(key.trim()).is_some(),
            Some(Asked::Queues) | None => false,
        }
    }

    /// `RX: 1024` below `Current hardware settings:` of `ethtool -g`.
    fn ring(&mut self, host: Of, (key, value): (&str, &str), at: Place, facts: &mut Facts) {
        match (key, self.ring, whole(value)) {
            ("Pre-set maximums", ..) => self.ring = Some("ring_most_frames"),
            ("Current hardware settings", ..) => self.ring = Some("ring_frames"),
            ("RX", Some(name), Some(frames)) => facts.exact(host, name, frames as f64, at),
            _ => {}
        }
    }

    /// `Speed: 10000Mb/s`, `Duplex: Half`, `rx_missed_errors: 12`, `Laser rx power low alarm : On`.
    fn ethtool(&mut self, host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
        let Some((key, value)) = text.split_once(':') else {
            // Lists of modes go on over lines.
            self.offers(text);
            return text.contains("base") && text.contains('/');
        };
        let (key, value) = (key.trim(), value.trim());
        // Columns are another tool's.
        let is_key = key.len() < 60
            && !key.contains("  ")
            && key
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b" _-.[]()#".contains(&b));
        if !is_key {
            return false;
        }
        let lower = key.to_ascii_lowercase();
        self.modes = Modes::named(key);
        match key {
            _ if self.modes.is_some() => self.offers(value),
            "Speed" => {
                if let Some(mbit) = value
                    .strip_suffix("Mb/s")
                    .and_then(decimal)
                    .filter(|m| *m > 0.0)
                {
                    facts.exact(host, "nic_bps", mbit * 1e6, at);
                    let link = Negotiated {
                        name: crate::redact(&self.interface),
                        at: Some(at),
                        ..std::mem::take(&mut self.link)
                    };
                    facts.negotiated.push(link);
                    self.link.at = Some(at);
                }
            }
            "Auto-negotiation" => {
                // It is printed below the speed.
                let is_it = |link: &&mut Negotiated| link.at == self.link.at;
                if let Some(link) = facts.negotiated.last_mut().filter(is_it) {
                    link.automatic = Some(value == "on");
                }
            }
            "Duplex" => self.duplex(host, value, at, facts),
            "Link detected" => facts.links(host, &self.interface, Link::of(value == "yes")),
            _ if super::offload::offload(host, (key, value), at, facts) => {}
            "driver" => facts.word(host, "driver", value, at),
            "RX" | "Pre-set maximums" | "Current hardware settings" => {
                self.ring(host, (key, value), at, facts);
            }
            _ if value == "On" && key.ends_with(" low alarm") && key.contains("power") => {
                facts.word(host, "optics_dark", "on", at);
            }
            _ => {
                if let Some(n) = whole(value) {
                    self.counter(host, &lower, n, at, facts);
                }
            }
        }
        true
    }

    /// `Half` or `Full`.
    fn duplex(&self, host: Of, value: &str, at: Place, facts: &mut Facts) {
        let half = value == "Half";
        if half {
            facts.word(host, "half_duplex", "half", at);
        }
        if let (Of::Host(host), "Half" | "Full") = (host, value) {
            facts.duplexes.push(Duplexed {
                host,
                name: crate::redact(&self.interface),
                half,
                at,
            });
        }
    }

    /// Modes of the list that is read.
    fn offers(&mut self, text: &str) {
        if let Some(modes) = self.modes {
            modes.offers(text, &mut self.link);
        }
    }

    /// A counter of `ethtool -S`.
    fn counter(&mut self, host: Of, name: &str, n: u64, at: Place, facts: &mut Facts) {
        if let Some(place) = CARRIED.iter().position(|known| *known == name) {
            let ways = [Way::Received, Way::Sent];
            let units = [Unit::Packets, Unit::Bytes];
            let counter = ("ethtool", ways[place / 2], units[place % 2]);
            facts.passes(host, &self.interface, counter, n, at);
            let way = &mut self.carried[place / 2];
            way[place % 2] = Some(n);
            if let [Some(packets), Some(bytes)] = *way
                && packets > PACKETS_LEAST
            {
                let mean = bytes as f64 / packets as f64;
                facts.exact(host, MEAN[place / 2], mean, at);
            }
            return;
        }
        let found = if let Some(found) = frames::named(name) {
            found
        } else if let Some((name, kind, _)) = ALLOWANCES.iter().find(|(n, ..)| *n == name) {
            (*kind, *name)
        } else if let Some(known) = of_queue(name) {
            let queue = name[known.len()..].trim_matches(['[', ']']);
            let port = format!("{} queue {queue}", self.interface);
            facts.counted(host, &port, ("nic_drops", known), n, at);
            return;
        } else if name.ends_with("late_collisions") || LATE.contains(&name) {
            ("nic_late_collisions", "late")
        } else if name == "collisions" || name == "tx_collisions" {
            ("nic_collisions", "all")
        } else {
            return;
        };
        facts.counted(host, &self.interface, found, n, at);
    }

    /// The address in `inet 10.1.0.2/24 brd 10.1.0.255 scope global eno1`.
    fn address(&self, host: Of, rest: &str, facts: &mut Facts) {
        let mut parts = rest.split(['/', ' ']);
        let address = parts.next().unwrap_or("");
        let bits = parts.next().and_then(|bits| bits.parse().ok());
        let own = address.parse::<core::net::IpAddr>();
        let Some(own) = own.ok().filter(|own| !own.is_loopback()) else {
            return;
        };
        facts.owns(address);
        if !self.stacked {
            facts.owned(&self.interface, own, None);
        }
        if let Some(bits) = bits {
            facts.addressed(host, &self.interface, (own, bits));
        }
    }

    /// What an interface passed, in the columns of `ip -s link`.
    fn passed(
        &self,
        host: Of,
        (columns, numbers): (&[String], &[u64]),
        at: Place,
        facts: &mut Facts,
    ) {
        for (column, n) in columns.iter().zip(numbers).filter(|_| !self.loopback) {
            if let Some((_, counter)) = PASSED.iter().find(|(name, _)| name == column) {
                facts.passes(host, &self.interface, *counter, *n, at);
            }
        }
    }

    /// `RX:  bytes packets errors dropped …`, and the numbers below.
    fn ip(&mut self, host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
        if text.starts_with("link/") || text.starts_with("altname ") {
            return true;
        }
        if let Some(rest) = ["inet ", "inet6 "]
            .iter()
            .find_map(|b| text.strip_prefix(b))
        {
            self.address(host, rest, facts);
            return true;
        }
        if text.starts_with("valid_lft ") {
            return true;
        }
        if let Some(rest) = text
            .strip_prefix("RX:")
            .or_else(|| text.strip_prefix("TX:"))
        {
            let way = &text[..2];
            self.columns = Some(
                rest.split_whitespace()
                    .map(|c| format!("{way}.{c}"))
                    .collect(),
            );
            return true;
        }
        if let Some((way, rest)) = text.split_once(" errors:")
            && matches!(way, "RX" | "TX")
        {
            let names = rest.split_whitespace();
            self.columns = Some(names.map(|c| format!("{way} errors.{c}")).collect());
            return true;
        }
        let numbers: Option<Vec<u64>> = text.split_whitespace().map(whole).collect();
        let (Some(columns), Some(numbers)) = (self.columns.take(), numbers) else {
            return false;
        };
        self.passed(host, (&columns, &numbers), at, facts);
        let of = |name: &str| columns.iter().position(|c| c == name);
        // Where they have a column, frames for which there was no room are among the errors (Documentation/networking/statistics.rst).
        let roomless = of("RX.overrun").and_then(|at| numbers.get(at).copied());
        for (column, &n) in columns.iter().zip(&numbers) {
            let counts = COLUMNS.iter().find(|(name, _)| name == column);
            let n = match column.as_str() {
                "RX.errors" => n.saturating_sub(roomless.unwrap_or(0)),
                _ => n,
            };
            if column == "RX errors.overrun" {
                facts.counted_elsewhere(host, &self.interface, "RX.errors", n);
            }
            if let Some((name, kind)) = counts.filter(|_| !self.loopback) {
                facts.counted(host, &self.interface, (*kind, *name), n, at);
            }
        }
        true
    }
}
