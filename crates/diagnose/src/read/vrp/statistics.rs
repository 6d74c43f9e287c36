//! `display traffic policy statistics` of Huawei's VRP: what policers (`car`) of an interface dropped.

use super::{interface, is, typed};
use crate::fact::Place;
use crate::interfaces::port::{Kind, Port, PortReading};
use crate::read::{Facts, Line, Tool};
use crate::words::whole;

/// The state of reading.
#[derive(Default)]
pub(in crate::read) struct Statistics {
    router: String,
    interface: String,
    /// The class and the board whose counts follow; empty where none was named.
    class: String,
    board: String,
    /// Whether the command was seen.
    on: bool,
}

/// What rows count.
const COUNTS: [&str; 4] = ["Packets:", "Bytes:", "Rate(pps):", "Rate(bps):"];

/// What other lines begin with.
const HEADS: [&str; 5] = [
    "Traffic policy",
    "Rule number",
    "Current status",
    "Statistics interval",
    "Behavior:",
];

impl Tool for Statistics {
    fn name(&self) -> &'static str {
        "display traffic policy statistics"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some((router, interface)) = asks(text) {
            *self = Statistics {
                router: crate::redact(router),
                interface: crate::redact(&interface),
                on: true,
                ..Statistics::default()
            };
            return true;
        }
        if !going || !self.on {
            return false;
        }
        if let Some((what, rest)) = text.split_once('|') {
            let rest = rest.trim_start();
            let counts = COUNTS.iter().any(|name| rest.starts_with(name));
            let packets = rest.strip_prefix(COUNTS[0]).map(str::trim);
            let packets = packets.and_then(|n| whole(&n.replace(',', "")));
            if let Some(packets) = packets.filter(|_| what.trim() == "Car") {
                facts.ports.push(self.dropped(packets, line.at));
            }
            return counts;
        }
        let Some((key, value)) = text.split_once(':') else {
            return false;
        };
        let word = crate::redact(value.split_whitespace().next().unwrap_or(""));
        match key.trim() {
            "Interface" => self.interface = word,
            "Classifier" => (self.class, self.board) = (word, String::new()),
            "Board" | "Slot" => self.board = word,
            _ => return HEADS.iter().any(|head| text.starts_with(head)),
        }
        true
    }
}

impl Statistics {
    /// What a policer dropped.
    fn dropped(&self, packets: u64, at: Place) -> PortReading {
        let of = match self.class.as_str() {
            "" => String::new(),
            class => format!(" of class {class}"),
        };
        let on = match self.board.as_str() {
            "" => String::new(),
            board => format!(" on board {board}"),
        };
        PortReading {
            port: Port {
                router: self.router.clone(),
                name: format!("the policer{of} at {}{on}", self.interface),
            },
            kind: Kind::Policed,
            value: packets as f64,
            packets: None,
            sent: None,
            at,
        }
    }
}

/// The router and the interface of `<core1>display traffic policy statistics interface GigabitEthernet 0/0/1 inbound`.
fn asks(text: &str) -> Option<(&str, String)> {
    let (router, command) = typed(text)?;
    let words: Vec<&str> = command.split_whitespace().collect();
    let traffic = words.get(1).is_some_and(|w| w.starts_with("traffic"));
    let counts = words.iter().any(|w| is(Some(*w), "statistics"));
    let is_it = is(words.first().copied(), "display") && traffic && counts;
    is_it.then(|| {
        (
            router,
            interface(&words, &["inbound", "outbound", "verbose"]),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::taken;

    #[test]
    fn what_policers_dropped_is_read_by_class_and_board() {
        let text = "<core1>display traffic policy statistics interface GigabitEthernet 0/0/1 inbound verbose rule-base
 Interface: GigabitEthernet0/0/1
 Traffic policy inbound: limit
 Rule number: 1
 Current status: success
 Statistics interval: 300
 Classifier: CUST operator or
 Behavior: CUST
 Board : 0
 Matched          |      Packets:                         9,000
                  |      Bytes:                               -
   Dropped        |      Packets:                           426
     Filter       |      Packets:                             0
     Car          |      Packets:                         8,426
                  |      Bytes:                               -
";
        let facts = taken(Statistics::default(), text);
        let each: Vec<(String, Kind, f64)> = facts
            .ports
            .iter()
            .map(|r| (r.port.named(""), r.kind, r.value))
            .collect();
        let policer = "the policer of class CUST at GigabitEthernet0/0/1 on board 0 of core1";
        assert_eq!(each, [(policer.to_owned(), Kind::Policed, 8426.0)]);
        assert!(asks("<core1>display interface GigabitEthernet 0/0/1").is_none());
    }
}
