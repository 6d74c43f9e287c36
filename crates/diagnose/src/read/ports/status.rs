//! `show interfaces status` of IOS and NX-OS: how fast a port runs, and whether it is at half duplex. Of a table of several connected ports
//! nothing says which of them is on the path: none is taken, and those at half duplex are named.

use crate::fact::Place;
use crate::interfaces::port::Port;
use crate::words::decimal;

/// A connected port.
#[derive(Debug, PartialEq)]
pub(super) struct Connected {
    pub(super) port: Port,
    pub(super) half: bool,
    /// Whether it is set to full duplex and to a speed: what negotiates has `a-` before both.
    pub(super) fixed: bool,
    /// Whether it agreed on 100 Mbit/s, and its kind can run at 1 Gbit/s.
    pub(super) less: bool,
    /// Its speed, bit/s, where it is known.
    pub(super) bps: Option<f64>,
    pub(super) at: Place,
}

/// The table that is read.
#[derive(Default)]
pub(super) struct Table {
    /// Whether its head was read.
    on: bool,
    /// How many connected ports it has.
    rows: usize,
    /// The first of them.
    first: Option<Connected>,
    /// Those at half duplex, the first of them.
    half: Vec<String>,
}

/// Most ports at half duplex that are named.
const HALF_MAX: usize = 12;

/// The state of a port that has a link.
const CONNECTED: &str = "connected";

/// What a port's state may be.
const STATES: [&str; 8] = [
    CONNECTED,
    "notconnect",
    "notconnec",
    "disabled",
    "err-disabled",
    "errdisabled",
    "inactive",
    "xcvrAbsen",
];

/// What a port's duplex may be.
const DUPLEX: [&str; 5] = ["full", "half", "a-full", "a-half", "auto"];

impl Table {
    /// Takes a line of the table, which is of a router.
    pub(super) fn line(&mut self, text: &str, router: &str, at: Place) -> bool {
        if is_head(text) {
            self.on = true;
            return true;
        }
        let Some((name, state, [duplex, speed])) = row(text) else {
            return false;
        };
        let connected = state == CONNECTED;
        // A filter may have taken the head of a row that says why a port is down.
        if connected && !self.on {
            return false;
        }
        if connected {
            self.rows += 1;
            if duplex.ends_with("half") && self.half.len() < HALF_MAX {
                self.half.push(crate::redact(name));
            }
            self.first.get_or_insert_with(|| Connected {
                port: Port {
                    router: router.to_owned(),
                    name: crate::redact(name),
                },
                half: duplex.ends_with("half"),
                fixed: duplex == "full" && !speed.starts_with("a-"),
                less: speed == "a-100" && text.contains("/1000Base"),
                bps: of_speed(speed),
                at,
            });
        }
        true
    }

    /// Of several connected ports those at half duplex, for people, and where the first of all was read.
    pub(super) fn halves(&self) -> Option<(String, Place)> {
        let some = self.rows > 1 && !self.half.is_empty();
        let first = self.first.as_ref().filter(|_| some)?;
        let of = match first.port.router.as_str() {
            "" => String::new(),
            router => format!(" of {router}"),
        };
        let said = format!(
            "of {} connected ports{of} these are at half duplex: {}; a flow that crosses one of them may be held by that: add what `show interfaces` prints of the flow's port",
            self.rows,
            self.half.join(", ")
        );
        Some((said, first.at))
    }

    /// The table is over: its only connected port.
    pub(super) fn ended(&mut self) -> Option<Connected> {
        let table = core::mem::take(self);
        table.first.filter(|_| table.rows == 1)
    }
}

/// `Port  Name  Status  Vlan  Duplex  Speed Type`.
fn is_head(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let named = ["Status", "Duplex", "Speed"];
    words.next() == Some("Port") && named.iter().all(|name| words.clone().any(|w| w == *name))
}

/// `Fa0/5  srv  connected  10  full  100 10/100BaseTX`: the port, its state, its duplex and its speed.
fn row(text: &str) -> Option<(&str, &str, [&str; 2])> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let state = words.iter().rposition(|w| STATES.contains(w))?;
    let name = words.first().filter(|_| state > 0)?;
    let (duplex, speed) = (words.get(state + 2)?, words.get(state + 3)?);
    let is_row = DUPLEX.contains(duplex);
    is_row.then_some((*name, words[state], [*duplex, *speed]))
}

/// States of a port that its switch shut by itself: of IOS and NX-OS, and of EOS.
pub(super) const SHUT: [&str; 2] = ["err-disabled", "errdisabled"];

/// The name and the state of a port without a link: `notconnect`, `err-disabled`.
pub(super) fn unlinked(text: &str) -> Option<(&str, &str)> {
    let (name, state, _) = row(text)?;
    (state != CONNECTED).then_some((name, state))
}

/// `100`, `a-1000`, `10G`, bit/s.
fn of_speed(text: &str) -> Option<f64> {
    let text = text.strip_prefix("a-").unwrap_or(text);
    let (digits, worth) = match text.strip_suffix('G') {
        Some(digits) => (digits, 1e9),
        None => (text, 1e6),
    };
    decimal(digits).map(|n| n * worth).filter(|bps| *bps > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "Port      Name               Status       Vlan       Duplex  Speed Type";

    fn of(rows: &[&str]) -> Option<Connected> {
        let mut table = Table::default();
        assert!(table.line(HEAD, "sw1", Place::You));
        for row in rows {
            assert!(table.line(row, "sw1", Place::You), "{row}");
        }
        table.ended()
    }

    #[test]
    fn the_only_connected_port_is_taken() {
        let fast =
            "Fa0/5     srv                connected    10           full    100 10/100BaseTX";
        let down =
            "Fa0/6                        notconnect   1            auto   auto 10/100BaseTX";
        let half =
            "Gi1/0/1   to the lab         connected    trunk      a-half  a-10 10/100/1000BaseTX";
        let nexus =
            "Eth1/1        uplink             connected routed    full    10G     10Gbase-SR";
        let one = of(&[fast, down]).expect("one is connected");
        assert_eq!((one.half, one.fixed, one.bps), (false, true, Some(1e8)));
        assert_eq!((&*one.port.router, &*one.port.name), ("sw1", "Fa0/5"));
        let one = of(&[half]).expect("one is connected");
        assert_eq!((one.half, one.fixed, one.bps), (true, false, Some(1e7)));
        let one = of(&[nexus]).expect("one is connected");
        assert_eq!((one.half, one.bps), (false, Some(1e10)));
        assert_eq!(of(&[fast, half]), None);
        let mut both = Table::default();
        for line in [HEAD, fast, half, down] {
            assert!(both.line(line, "sw1", Place::You));
        }
        let (said, _) = both.halves().expect("one is at half duplex");
        let named = "of 2 connected ports of sw1 these are at half duplex: Gi1/0/1;";
        assert!(said.starts_with(named), "{said}");
        assert_eq!(of(&[down]), None);
        // A table has a head.
        assert!(!Table::default().line(fast, "sw1", Place::You));
        // What is down needs none: a filter leaves its row alone.
        assert!(Table::default().line(down, "sw1", Place::You));
        assert_eq!(unlinked(down), Some(("Fa0/6", "notconnect")));
        assert_eq!(unlinked(fast), None);
    }
}
