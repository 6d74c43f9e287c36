//! `display interface` of Huawei's VRP 5 and 8: a port, its MTU, speed and duplex, and what it counts.

mod optics;
mod queues;
mod statistics;

use super::ports::Here;
use super::router::{carried, rate_of};
use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::interfaces::port::Kind;
use crate::words::{after, decimal, shortens, whole};
pub(super) use optics::Transceivers;
pub(super) use queues::Queues;
pub(super) use statistics::Statistics;

/// The state of reading.
#[derive(Default)]
pub(super) struct Display {
    here: Here,
    /// Whether lines of a port may follow.
    on: bool,
    /// Whether the port has a link.
    up: bool,
    /// Whether what is counted now leaves by the port; none before either way began.
    leaves: Option<bool>,
}

/// What other lines of a port begin with.
const HEADS: [&str; 24] = [
    "Line protocol ",
    "Last ",
    "Description:",
    "Internet ",
    "IP Sending Frames",
    "Hardware address ",
    "Current system time",
    "Port Mode",
    "Port hardware type",
    "Mdi",
    "Input ",
    "Output ",
    "Route Port",
    "Switch Port",
    "The Maximum ",
    "Link-type",
    "PVID",
    "Media type",
    "Current BW",
    "Max-bandwidth",
    "Realtime ",
    "Loopback",
    "Link quality grade",
    "Statistics last cleared",
];

impl Tool for Display {
    fn name(&self) -> &'static str {
        "display interface"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (line.bare, line.at);
        if let Some(router) = asks(text) {
            *self = Display {
                on: true,
                ..Display::default()
            };
            self.here.of_router(router);
            return true;
        }
        if let Some((name, up)) = head(text) {
            self.here.is(name);
            (self.on, self.up, self.leaves) = (true, up, None);
            facts.word(Of::Path, "interface", "vrp", at);
            return true;
        }
        if !going || !self.on {
            return false;
        }
        if let Some(mtu) = after(text, "Maximum Transmit Unit is ").and_then(decimal) {
            self.here.has(Kind::Mtu, mtu, at, facts);
            return true;
        }
        // VRP 8 has a colon before the rate.
        let rate = carried(text).or_else(|| carried(&text.replacen("put rate: ", "put rate ", 1)));
        if let Some((way, bps)) = rate {
            facts.exact(Of::Path, rate_of(&way), bps, at);
            self.here.has(way, bps, at, facts);
            return true;
        }
        if let Some((leaves, packets)) = packets(text) {
            self.leaves = Some(leaves);
            if !leaves {
                self.here.arrived(packets);
            }
            return true;
        }
        if let Some(leaves) = heading(text) {
            self.leaves = Some(leaves);
            return true;
        }
        let pairs = pairs(text);
        for (key, value) in &pairs {
            self.says(key, value, at, facts);
        }
        let counts = !pairs.is_empty() && pairs.iter().all(|(_, value)| whole(value).is_some());
        let known = ["Speed", "Duplex"];
        let states = pairs.first().is_some_and(|(key, _)| known.contains(key));
        counts || states || HEADS.iter().any(|head| text.starts_with(head))
    }

    fn is_indented(&self) -> bool {
        true
    }
}

impl Display {
    /// What a key of a port says.
    fn says(&mut self, key: &str, value: &str, at: Place, facts: &mut Facts) {
        let here = &mut self.here;
        match (key, self.leaves, whole(value)) {
            ("Speed", None, Some(mbit)) if mbit > 0 => {
                let bps = mbit as f64 * 1e6;
                facts.exact(Of::Path, "interface_bps", bps, at);
                here.has(Kind::Speed, bps, at, facts);
            }
            ("Duplex", None, _) if value.eq_ignore_ascii_case("half") && self.up => {
                facts.word(Of::Path, "half_duplex", "half", at);
                here.is_half(Kind::HalfOfVrp, at, facts);
            }
            ("CRC", Some(false), Some(n)) => here.has(Kind::Damaged, n as f64, at, facts),
            ("Discard", Some(false), Some(n)) => here.has(Kind::Refused, n as f64, at, facts),
            ("Discard", Some(true), Some(n)) => here.has(Kind::Dropped, n as f64, at, facts),
            ("Total Error", Some(false), Some(n)) => {
                facts.exact(Of::Path, "interface_errors", n as f64, at);
            }
            ("Collisions", Some(true), Some(n)) => here.has(Kind::Collided, n as f64, at, facts),
            ("Late Collisions", Some(true), Some(n)) => here.has(Kind::Late, n as f64, at, facts),
            _ => {}
        }
    }
}

/// The router whose command a line is: `<core1>display interface GigabitEthernet 0/0/1`, also behind `[core1]`.
fn asks(text: &str) -> Option<&str> {
    let (router, command) = typed(text)?;
    let mut words = command.split_whitespace();
    let is_it = is(words.next(), "display") && is(words.next(), "interface");
    // `display interface 10GE1/0/1 transceiver` prints something else.
    let light = words.any(|word| is(Some(word), "transceiver"));
    (is_it && !light).then_some(router)
}

/// The interface that the words of a command name, up to one of these: `interface 10GE 1/0/1 queue`; empty where it names none.
fn interface(words: &[&str], ends: &[&str]) -> String {
    let names = words.iter().skip_while(|w| **w != "interface").skip(1);
    let name: Vec<&str> = names.take_while(|w| !ends.contains(*w)).copied().collect();
    name.concat()
}

/// The router and the command of a line with a prompt of VRP.
fn typed(text: &str) -> Option<(&str, &str)> {
    let behind = |open: char, close: char| text.strip_prefix(open)?.split_once(close);
    let (router, command) = behind('<', '>').or_else(|| behind('[', ']'))?;
    // A configuration that is not committed yet has a sign before the name.
    Some((router.trim_start_matches(['~', '*']), command))
}

/// Whether a word is this one of a command, or the beginning of it.
fn is(word: Option<&str>, name: &str) -> bool {
    word.is_some_and(|w| shortens(w, name, 3))
}

/// The port whose lines begin, and whether it has a link: `10GE1/0/1 current state : UP (ifindex: 7)`.
fn head(text: &str) -> Option<(&str, bool)> {
    let (name, state) = text.split_once(" current state")?;
    let state = state.trim_start().strip_prefix(':')?.trim_start();
    let is_port = !name.contains(' ') && name.contains(|c: char| c.is_ascii_digit());
    is_port.then(|| (name, state.starts_with("UP")))
}

/// Whether what is counted below leaves: `Output:` of VRP 8, which has the packets of both ways above.
fn heading(text: &str) -> Option<bool> {
    match text {
        "Input:" => Some(false),
        "Output:" => Some(true),
        _ => None,
    }
}

/// Whether packets are counted that leave, and how many: `Output:  5123456 packets, 812345678 bytes`, and `Output:  812345678 bytes, 5123456
/// packets` of VRP 8.
fn packets(text: &str) -> Option<(bool, f64)> {
    let (way, rest) = text.split_once(':')?;
    let mut parts = rest.split(',');
    let count = parts.find_map(|part| Some(part.split_once(" packets")?.0))?;
    let leaves = match way.split('(').next()?.trim() {
        "Input" => false,
        "Output" => true,
        _ => return None,
    };
    Some((leaves, whole(count.trim())? as f64))
}

/// Keys and values of `CRC:   0,  Giants:   0`, `Speed : 1000,  Loopback: NONE`.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let each = text.split(',').filter_map(|part| part.split_once(':'));
    each.map(|(key, value)| (key.trim(), value.trim()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_port_are_told_apart() {
        assert_eq!(
            asks("<core1>display interface GigabitEthernet 0/0/1"),
            Some("core1")
        );
        assert_eq!(asks("[core1] dis int 10GE1/0/1"), Some("core1"));
        assert_eq!(asks("<core1>display version"), None);
        let light = "[~core1] display interface 10GE1/0/1 transceiver verbose";
        assert_eq!(asks(light), None);
        assert_eq!(asks("[  5] local 192.0.2.1 port 32774"), None);
        let up = head("10GE1/0/1 current state : UP (ifindex: 7)");
        assert_eq!(up, Some(("10GE1/0/1", true)));
        assert_eq!(head("Line protocol current state : UP"), None);
        assert_eq!(
            packets("Output:  512 packets, 8123 bytes"),
            Some((true, 512.0))
        );
        let eight = "Output:  8123 bytes, 512 packets";
        assert_eq!(packets(eight), Some((true, 512.0)));
        assert_eq!(
            [heading("Input:"), heading("Input: 8 bytes")],
            [Some(false), None]
        );
        assert_eq!(packets("Input peak rate 10488 bits/sec"), None);
        let two = pairs("CRC:        7,  Giants:     0");
        assert_eq!(two, [("CRC", "7"), ("Giants", "0")]);
    }
}
