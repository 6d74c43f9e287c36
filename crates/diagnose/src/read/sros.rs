//! `show port PORT detail` of Nokia's SR OS: a port, its speed and duplex, and what it counts.

use super::foreign::{is_of_sros, is_row};
use super::ports::Here;
use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::interfaces::port::Kind;
use crate::words::{decimal, whole};

/// The state of reading.
#[derive(Default)]
pub(super) struct ShowPort {
    here: Here,
    /// Whether the command was seen.
    on: bool,
}

/// What counters are of.
const COUNTS: [(&str, Kind); 3] = [
    ("FCS Errors", Kind::Damaged),
    ("Collisions", Kind::Collided),
    ("Late Collisions", Kind::Late),
];

impl Tool for ShowPort {
    fn name(&self) -> &'static str {
        "show port of SR OS"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (line.bare, line.at);
        if let Some((router, port)) = asks(text) {
            *self = ShowPort::default();
            self.here.of_router(router);
            self.here.is(port);
            self.on = true;
            facts.word(Of::Path, "interface", "sros", at);
            return true;
        }
        if !self.on {
            return false;
        }
        let pairs = pairs(text);
        // Tables of its optics stand between.
        let own = pairs.iter().any(|(key, _)| *key == COUNTS[0].0);
        if !going && !own {
            return false;
        }
        for (key, value) in &pairs {
            self.says(key, value, at, facts);
        }
        self.row(text, at, facts) || !pairs.is_empty() || is_row(text)
    }
}

impl ShowPort {
    /// What a key of a port says.
    fn says(&mut self, key: &str, value: &str, at: Place, facts: &mut Facts) {
        match key {
            "Oper Speed" => {
                if let Some(bps) = speed(value) {
                    facts.exact(Of::Path, "interface_bps", bps, at);
                    self.here.has(Kind::Speed, bps, at, facts);
                }
            }
            // Of a port without a link it is N/A.
            "Oper Duplex" if value == "half" => {
                facts.word(Of::Path, "half_duplex", "half", at);
                self.here.is_half(Kind::HalfOfSrOs, at, facts);
            }
            _ => {
                let kind = COUNTS.iter().find(|(name, _)| *name == key);
                if let Some(((_, kind), n)) = kind.zip(whole(value)) {
                    self.here.has(*kind, n as f64, at, facts);
                }
            }
        }
    }

    /// A row of what arrived and what left: `Packets    1234567    45678`, `Discards    0    12`.
    fn row(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [name, arrived, left] = words[..] else {
            return false;
        };
        let Some((arrived, left)) = whole(arrived).zip(whole(left)) else {
            return false;
        };
        match name {
            "Packets" => self.here.arrived(arrived as f64),
            "Discards" => {
                self.here.has(Kind::Refused, arrived as f64, at, facts);
                self.here.has(Kind::Dropped, left as f64, at, facts);
            }
            _ => {}
        }
        true
    }
}

/// The router and the port of a command: `*A:pe2# show port 1/1/3 detail`, `A:admin@pe2# show port 1/1/c1/1`.
pub(super) fn asks(text: &str) -> Option<(&str, &str)> {
    if !is_of_sros(text) {
        return None;
    }
    let (prompt, command) = text.split_once("# ")?;
    let (_, name) = prompt.split_once(':')?;
    let name = name.rsplit('@').next().unwrap_or(name);
    let router = name.split('>').next().unwrap_or(name);
    let words: Vec<&str> = command.split_whitespace().collect();
    match words[..] {
        ["show", "port", port] | ["show", "port", port, "detail"] if port.contains('/') => {
            Some((router, port))
        }
        _ => None,
    }
}

/// `1 Gbps`, `100 Mbps`: bit/s.
fn speed(text: &str) -> Option<f64> {
    let (number, unit) = text.split_once(' ')?;
    let unit = match unit {
        "Gbps" => 1e9,
        "Mbps" => 1e6,
        _ => return None,
    };
    decimal(number).map(|n| n * unit).filter(|bps| *bps > 0.0)
}

/// The names and values of a line: `Interface          : 1/1/3                      Oper Speed       : 1 Gbps`.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let (mut all, mut rest) = (Vec::new(), text);
    while let Some((key, behind)) = rest.split_once(" : ") {
        let behind = behind.trim_start();
        let (value, next) = behind.split_at(behind.find("  ").unwrap_or(behind.len()));
        all.push((key.trim(), value.trim()));
        rest = next;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{ShowPort, asks, pairs};
    use crate::interfaces::port::Kind;
    use crate::read::taken::taken;

    #[test]
    fn a_port_its_duplex_and_its_counters_are_read() {
        let text = "*A:pe2# show port 1/1/3 detail
Interface          : 1/1/3                      Oper Speed       : 1 Gbps
Admin State        : up                         Oper Duplex      : half
Oper State         : up                         Config Duplex    : full
Packets                                          1234567                45678
Discards                                               0                   12
FCS Errors       :                   40  Mult Collisions  :                    0
SQE Test Errors  :                    0  Late Collisions  :                    7";
        let facts = taken(ShowPort::default(), text);
        let all = facts.ports.iter();
        let all: Vec<(Kind, f64)> = all.map(|r| (r.kind, r.value)).collect();
        let expected = [
            (Kind::Speed, 1e9),
            (Kind::HalfOfSrOs, 1.0),
            (Kind::Refused, 0.0),
            (Kind::Dropped, 12.0),
            (Kind::Damaged, 40.0),
            (Kind::Late, 7.0),
        ];
        assert_eq!(all, expected);
        let named = |r: &crate::interfaces::port::PortReading| r.port.named("") == "1/1/3 of pe2";
        assert!(facts.ports.iter().all(named), "{:?}", facts.ports);
    }

    #[test]
    fn other_commands_and_lines_are_told_apart() {
        let port = asks("A:admin@pe2# show port 1/1/c1/1");
        assert_eq!(port, Some(("pe2", "1/1/c1/1")));
        assert_eq!(asks("A:pe2# show port"), None);
        assert_eq!(asks("A:pe2# show port 1/1/3 optical"), None);
        assert_eq!(asks("A:pe2# show lag 1 detail"), None);
        let two = "Oper State         : up                         Config Duplex    : full";
        let both = [("Oper State", "up"), ("Config Duplex", "full")];
        assert_eq!(pairs(two), both);
    }
}
