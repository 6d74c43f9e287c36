//! `/interface print stats`, `/interface ethernet print stats` and `monitor` of MikroTik's RouterOS: what ports count, and how fast they run.

use super::ports::{Here, Several};
use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::interfaces::port::{Kind, Port};
use crate::interfaces::slow_pair::{AGREED_ON_LESS, NO_MORE};
use crate::words::{rate, whole};

/// The state of reading.
#[derive(Default)]
pub(super) struct RouterOs {
    router: String,
    /// Lines of the command may follow.
    on: bool,
    /// The ports that the list has a column for each, and the packets that had arrived at them.
    ports: Vec<(String, Option<f64>)>,
    /// Heads of the columns of a table that has a row for each port.
    columns: Vec<String>,
    /// The port that is watched.
    here: Here,
    /// Its speed, bit/s, and whether it offers 1 Gbit/s or more, as far as its lines say.
    speed: f64,
    offers: bool,
    counted: Several,
}

/// What a list counts, and what it is of.
const COUNTERS: [(&str, Kind); 3] = [
    ("rx-fcs-error", Kind::Damaged),
    ("rx-overflow", Kind::Refused),
    ("tx-drop", Kind::Dropped),
];

/// What columns of a table count, together where there are more.
const COLUMNS: [(&[&str], Kind); 3] = [
    (&["RX-ERROR"], Kind::Errors),
    (&["RX-DROP"], Kind::Refused),
    (&["TX-DROP", "TX-QUEUE-DROP"], Kind::Dropped),
];

/// A port of Fast Ethernet, bit/s.
const SLOW: f64 = 100e6;

/// The column of names, behind which all are numbers.
const NAME: &str = "NAME";

/// What the arrived packets are called in lists.
const ARRIVED: [&str; 2] = ["driver-rx-packet", "rx-packet"];

impl Tool for RouterOs {
    fn name(&self) -> &'static str {
        "routeros"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (line.bare, line.at);
        if let Some(router) = asks(text) {
            self.router = crate::redact(router);
            (self.on, self.ports, self.columns) = (true, Vec::new(), Vec::new());
            self.here.of_router(router);
            return true;
        }
        if !self.on || !going {
            return false;
        }
        if text.starts_with("Flags:") || text.starts_with("Columns:") {
            return true;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        if let Some(names) = words.iter().position(|w| *w == NAME)
            && words.contains(&"RX-BYTE")
        {
            self.columns = words[names + 1..].iter().map(|w| (*w).to_owned()).collect();
            return true;
        }
        match key(text) {
            Some((key, value)) => self.list(key, value, at, facts),
            None => self.row(text, at),
        }
    }

    fn held(&self) -> usize {
        self.counted.held()
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.counted.ends(facts);
    }
}

impl RouterOs {
    /// `rx-fcs-error: 0 12`: a value for each port.
    fn list(&mut self, key: &str, value: &str, at: Place, facts: &mut Facts) -> bool {
        if key == "name" {
            let names = value.split_whitespace();
            self.ports = names.map(|name| (crate::redact(name), None)).collect();
            self.here.is(value);
            (self.speed, self.offers) = (0.0, false);
            if self.ports.len() == 1 {
                facts.word(Of::Path, "interface", "routeros", at);
            }
            return true;
        }
        let cells = cells(value, self.ports.len());
        let numbers: Vec<Option<u64>> = cells.iter().map(|cell| whole(cell)).collect();
        if numbers.len() != self.ports.len() {
            return !self.ports.is_empty();
        }
        let kind = COUNTERS.iter().find(|(name, _)| *name == key);
        let arrived = ARRIVED.contains(&key);
        for ((name, packets), n) in self.ports.iter_mut().zip(numbers) {
            let Some(n) = n.map(|n| n as f64) else {
                continue;
            };
            if arrived {
                *packets = packets.or(Some(n));
            }
            if let Some((_, kind)) = kind {
                let port = Port {
                    router: self.router.clone(),
                    name: name.clone(),
                };
                self.counted.adds(port, (*kind, n), *packets, at);
            }
        }
        if self.ports.len() == 1 {
            self.alone(key, &cells[0], at, facts);
        }
        true
    }

    /// What is said of a single port.
    fn alone(&mut self, key: &str, value: &str, at: Place, facts: &mut Facts) {
        match (key, rate(value), whole(value)) {
            ("rate", Some(bps), _) if bps > 0.0 => {
                self.speed = bps;
                facts.exact(Of::Path, "interface_bps", bps, at);
                self.here.has(Kind::Speed, bps, at, facts);
            }
            ("advertising", ..) => self.offers = is_fast(value),
            ("link-partner-advertising", ..) if self.offers && self.speed == SLOW => {
                let port = Port {
                    router: self.router.clone(),
                    name: self.ports[0].0.clone(),
                };
                let why = match is_fast(value) {
                    true => {
                        "so does what is plugged in there: its cable carries no more, as one with two of its four pairs"
                    }
                    false => NO_MORE,
                };
                let named = port.named("a port");
                let said = format!("{named} agreed on 100 Mbit/s: it offers 1 Gbit/s, and {why}");
                facts.word(Of::Path, AGREED_ON_LESS, &said, at);
            }
            ("full-duplex", ..) if value == "no" => {
                facts.word(Of::Path, "half_duplex", "half", at);
                self.here.is_half(Kind::HalfOfRouterOs, at, facts);
            }
            ("tx-collision", _, Some(n)) => {
                self.here.has(Kind::Collided, n as f64, at, facts);
            }
            ("tx-late-collision", _, Some(n)) => {
                self.here.has(Kind::Late, n as f64, at, facts);
            }
            _ => {}
        }
    }

    /// `0  R  ether1  6 481 123 456  1 234 567 890  …`: numbers under the heads, the port's name before them.
    fn row(&mut self, text: &str, at: Place) -> bool {
        let begins = text.starts_with(|c: char| c.is_ascii_digit());
        if self.columns.is_empty() || !begins {
            return false;
        }
        let parts: Vec<&str> = text.split("  ").map(str::trim).collect();
        let parts: Vec<&str> = parts.into_iter().filter(|p| !p.is_empty()).collect();
        let Some(names) = parts.len().checked_sub(self.columns.len()) else {
            return true;
        };
        let name = parts[..names].last().and_then(|p| p.split(' ').next_back());
        let Some(name) = name else {
            return true;
        };
        let value = |column: &str| {
            let at = self.columns.iter().position(|c| c == column)?;
            let cell = parts.get(names + at)?;
            whole(&cell.replace(' ', "")).map(|n| n as f64)
        };
        let packets = value("RX-PACKET");
        for (columns, kind) in COLUMNS {
            let each = columns.iter().copied().filter_map(&value);
            if let Some(n) = each.reduce(|a, b| a + b) {
                let port = Port {
                    router: self.router.clone(),
                    name: crate::redact(name),
                };
                self.counted.adds(port, (kind, n), packets, at);
            }
        }
        true
    }
}

/// Whether a list of modes has one of 1 Gbit/s or more: `10M-baseT-half,…,1G-baseT-full`, `1000M-full`.
fn is_fast(modes: &str) -> bool {
    modes.split(',').any(|mode| {
        let speed = mode.trim().split('-').next().unwrap_or("");
        rate(&format!("{speed}bps")).is_some_and(|bps| bps >= 1e9)
    })
}

/// The router whose command a line is: `[admin@gw1] > /interface ethernet print stats`, `[admin@gw1] /interface> monitor ether1`.
fn asks(text: &str) -> Option<&str> {
    let (router, command) = typed(text)?;
    let asked = [" stats", "monitor"].iter().any(|w| command.contains(w));
    let of_ports = command.contains('>') && command.contains("/interface");
    (asked && of_ports).then_some(router)
}

/// The router and the command of a line with a prompt of RouterOS.
pub(super) fn typed(text: &str) -> Option<(&str, &str)> {
    let (who, command) = text.strip_prefix('[')?.split_once(']')?;
    let (_, router) = who.split_once('@')?;
    Some((router, command))
}

/// The key and the values of a line of a list: keys are of small letters, digits and hyphens.
pub(super) fn key(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once(": ")?;
    let is_of = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let is_key = key.starts_with(|c: char| c.is_ascii_lowercase()) && key.bytes().all(is_of);
    is_key.then(|| (key, value.trim()))
}

/// Values of a list without the spaces between their thousands; of so many ports, as two spaces part columns.
fn cells(value: &str, ports: usize) -> Vec<String> {
    if ports == 1 {
        return vec![value.replace(' ', "")];
    }
    let parts = value.split("  ").map(|part| part.replace(' ', ""));
    parts.filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::is_fast;

    #[test]
    fn modes_say_how_fast_a_port_can_be() {
        assert!(is_fast("10M-baseT-half,100M-baseT-full,1G-baseT-full"));
        assert!(is_fast("100M-full,1000M-full"));
        assert!(!is_fast("10M-baseT-half,10M-baseT-full,100M-baseT-full"));
    }
}
