//! `show interfaces PORT` of ProCurve and ArubaOS-Switch: what a port counts, in two columns.

mod modes;

use super::{Facts, Line, Tool};
use crate::fact::Place;
use crate::interfaces::port::{Kind, Port, PortReading};
use crate::words::whole;
use modes::Tables;

/// The state of reading.
#[derive(Default)]
pub(super) struct ProCurve {
    /// The port whose lines are read.
    port: Port,
    /// The router of the last command, and where that was typed.
    asked: Option<(String, Place)>,
    /// Packets that arrived at it, and that left.
    packets: [Option<f64>; 2],
    /// Tables of several ports.
    tables: Tables,
}

/// How the head of a port's counters begins.
const HEAD: &str = "Status and Counters - Port Counters for port ";

/// The command, behind a prompt.
const COMMANDS: [&str; 2] = ["# show interfaces ", "> show interfaces "];

/// The head of a port's counters stands so many lines below its command at most.
const NEAR: u32 = 4;

/// What counters are of.
const COUNTS: [(&str, Kind); 4] = [
    ("FCS Rx", Kind::Damaged),
    ("Drops Tx", Kind::Dropped),
    ("Collisions Tx", Kind::Collided),
    ("Late Colln Tx", Kind::Late),
];

impl Tool for ProCurve {
    fn name(&self) -> &'static str {
        "show interfaces of ProCurve"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        let mut commands = COMMANDS.iter();
        if let Some((router, _)) = commands.find_map(|c| text.split_once(*c)) {
            self.asked = Some((crate::redact(router), line.at));
            return false;
        }
        if Tables::begins(text) {
            let router = self.router(line.at);
            self.tables.of_router(router);
            return true;
        }
        if let Some(port) = text.strip_prefix(HEAD) {
            self.port = Port {
                router: self.router(line.at),
                name: format!("port {}", crate::redact(port.trim())),
            };
            self.packets = [None; 2];
            return true;
        }
        if !going {
            return false;
        }
        if self.tables.line(text, line.at) {
            return true;
        }
        let all = pairs(text);
        for (key, value) in &all {
            let Some(n) = whole(&value.replace(',', "")).map(|n| n as f64) else {
                continue;
            };
            match *key {
                "Unicast Rx" => self.packets[0] = Some(n),
                "Unicast Tx" => self.packets[1] = Some(n),
                _ => {}
            }
            let mut kinds = COUNTS.iter();
            if let Some((_, kind)) = kinds.find(|(name, _)| name == key) {
                facts.ports.push(PortReading {
                    port: self.port.clone(),
                    kind: *kind,
                    value: n,
                    packets: self.packets[0].filter(|_| *kind == Kind::Damaged),
                    sent: self.packets[1].filter(|_| *kind == Kind::Dropped),
                    at: line.at,
                });
            }
        }
        !all.is_empty() || text.ends_with(':')
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.tables.ends(facts);
    }
}

impl ProCurve {
    /// The router of the command right above this place; empty where none stands there.
    fn router(&mut self, at: Place) -> String {
        let is_near = |above: Place| at.lines_below(above).is_some_and(|n| n <= NEAR);
        let asked = self.asked.take().filter(|(_, above)| is_near(*above));
        asked.map_or_else(String::new, |(router, _)| router)
    }
}

/// The names and values of a line: `Runts Rx        : 0                  Late Colln Tx   : 19,210`.
fn pairs(text: &str) -> Vec<(&str, &str)> {
    let mut parts = text.split(" : ");
    let mut key = parts.next().unwrap_or("").trim();
    let mut all = Vec::new();
    for part in parts {
        let part = part.trim();
        let (value, next) = part.split_once(' ').unwrap_or((part, ""));
        all.push((key, value));
        key = next.trim();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{ProCurve, pairs};
    use crate::interfaces::port::Kind;
    use crate::read::taken::taken;

    #[test]
    fn both_columns_are_read() {
        let line = "Runts Rx        : 0                  Late Colln Tx   : 19,210";
        let all = [("Runts Rx", "0"), ("Late Colln Tx", "19,210")];
        assert_eq!(pairs(line), all);
        let text = format!(
            "Status and Counters - Port Counters for port 11\nTotals (Since boot or last clear) :\nUnicast Rx      : 9,120,331          Unicast Tx      : 11,982,310\n{line}"
        );
        let facts = taken(ProCurve::default(), &text);
        let all = facts.ports.iter();
        let all: Vec<(&str, Kind, f64)> = all
            .map(|r| (r.port.name.as_str(), r.kind, r.value))
            .collect();
        assert_eq!(all, [("port 11", Kind::Late, 19_210.0)]);
    }
}
