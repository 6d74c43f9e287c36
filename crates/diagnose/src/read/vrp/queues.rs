//! `display qos queue statistics` of Huawei's VRP: what the queues of a port sent and dropped, a table in VRP 8 and a list before.

use super::{interface, is, typed};
use crate::fact::Place;
use crate::interfaces::port::{Kind, Port, PortReading};
use crate::read::{Facts, Line, Tool};
use crate::words::whole;

/// The state of reading.
#[derive(Default)]
pub(in crate::read) struct Queues {
    router: String,
    interface: String,
    /// The queue whose counts follow; empty before the first.
    queue: String,
    /// Whether the second line of a queue's row follows, of bytes.
    bytes: bool,
    /// Whether the command was seen.
    on: bool,
}

/// What heads of the table begin with.
const HEADS: [&str; 4] = ["Queue ", "(% or kbps)", "(Packets", "Bytes)"];

/// What keys of the list begin with.
const KEYS: [&str; 5] = ["Queue ID", "CIR", "PIR", "Passed ", "Dropped "];

impl Tool for Queues {
    fn name(&self) -> &'static str {
        "display qos queue statistics"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some((router, interface)) = asks(text) {
            *self = Queues {
                router: crate::redact(router),
                interface: crate::redact(&interface),
                on: true,
                ..Queues::default()
            };
            return true;
        }
        if !going || !self.on {
            return false;
        }
        self.row(text, line.at, facts)
            || self.pair(text, line.at, facts)
            || HEADS.iter().any(|head| text.starts_with(head))
    }
}

impl Queues {
    /// `0   0   812345678   81234   1234   12  2026-11-30`, packets by queue, CIR, what passed and its rate, what was dropped and its rate;
    /// and below it `10000000  987654321098  981234567  1876543  145152  09:58:12`, the same of PIR and bytes.
    fn row(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let words: Vec<&str> = text.split_whitespace().collect();
        // CIR and PIR may be shares of the port's speed.
        let begins = |word: &&&str| number(word.trim_end_matches('%')).is_some();
        let Some(first) = words.first().filter(begins) else {
            return false;
        };
        let counts = |from: usize| -> Option<Vec<u64>> {
            let four = words.get(from..from + 4)?;
            four.iter().map(|word| number(word)).collect()
        };
        if core::mem::take(&mut self.bytes) {
            let Some(counts) = counts(1) else {
                return false;
            };
            self.says(Kind::Serves, counts[1], at, facts);
            return true;
        }
        let Some(counts) = counts(2) else {
            return false;
        };
        self.queue = format!("queue {first}");
        self.bytes = true;
        self.says(Kind::Dropped, counts[2], at, facts);
        facts.drops_now(&self.port(), counts[3], at);
        true
    }

    /// `Queue ID          : 0`, `Dropped Packets   : 1,234`, `Passed Rate(bps)  : 981,234,567`.
    fn pair(&mut self, text: &str, at: Place, facts: &mut Facts) -> bool {
        let Some((key, value)) = text.split_once(':') else {
            return false;
        };
        let (key, value) = (key.trim(), value.trim());
        match (key, number(value)) {
            ("Queue ID", Some(queue)) => self.queue = format!("queue {queue}"),
            ("Dropped Packets", Some(n)) => self.says(Kind::Dropped, n, at, facts),
            ("Dropped Rate(pps)", Some(n)) => facts.drops_now(&self.port(), n, at),
            ("Passed Rate(bps)", Some(n)) => self.says(Kind::Serves, n, at, facts),
            _ => return KEYS.iter().any(|begin| key.starts_with(begin)),
        }
        true
    }

    /// The queue that is read now.
    fn port(&self) -> Port {
        Port {
            router: self.router.clone(),
            name: format!("{} at {}", self.queue, self.interface),
        }
    }

    /// What is counted of the queue that is read now.
    fn says(&self, kind: Kind, n: u64, at: Place, facts: &mut Facts) {
        if self.queue.is_empty() {
            return;
        }
        facts.ports.push(PortReading {
            port: self.port(),
            kind,
            value: n as f64,
            packets: None,
            sent: None,
            at,
        });
    }
}

/// A whole number, which may have commas.
fn number(word: &str) -> Option<u64> {
    whole(&word.replace(',', ""))
}

/// The router and the interface of `<core1>display qos queue statistics interface 10GE 1/0/1`.
fn asks(text: &str) -> Option<(&str, String)> {
    let (router, command) = typed(text)?;
    let words: Vec<&str> = command.split_whitespace().collect();
    let [first, "qos", "queue", counts, rest @ ..] = &words[..] else {
        return None;
    };
    let is_it = is(Some(*first), "display") && is(Some(*counts), "statistics");
    is_it.then(|| (router, interface(rest, &["queue"])))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::taken;

    #[test]
    fn queues_are_read_of_the_table_and_of_the_list() {
        let table = "<core1>display qos queue statistics interface 10GE 1/0/1
 Queue        CIR/PIR          Passed   Pass Rate         Dropped   Drop Rate   Drop Time
          (% or kbps) (Packets/Bytes)   (pps/bps) (Packets/Bytes)   (pps/bps)
     0              0       812345678       81234            1234          12   2026-11-30
             10000000    987654321098   981234567         1876543      145152     09:58:12
     1            10%               0           0               0           0   -
                 100%               0           0               0           0
";
        let list = "<core1>display qos queue statistics interface 10GE1/0/1
  Queue ID          : 0
  CIR(kbps)         : 0
  PIR(kbps)         : 10,000,000
  Passed Packets    : 812,345,678
  Dropped Packets   : 1,234
  Dropped Rate(pps) : 12
  Passed Rate(bps)  : 981,234,567
  Queue ID          : 1
  Dropped Packets   : 0
  Passed Rate(bps)  : 0
";
        for text in [table, list] {
            let facts = taken(Queues::default(), text);
            let each: Vec<(String, Kind, f64)> = facts
                .ports
                .iter()
                .map(|r| (r.port.named(""), r.kind, r.value))
                .collect();
            let of = |n: u32| format!("queue {n} at 10GE1/0/1 of core1");
            let wanted = [
                (of(0), Kind::Dropped, 1234.0),
                (of(0), Kind::Serves, 981_234_567.0),
                (of(1), Kind::Dropped, 0.0),
                (of(1), Kind::Serves, 0.0),
            ];
            assert_eq!(each, wanted, "{text}");
            let said = "queue 0 at 10GE1/0/1 of core1 drops 12 packets a second";
            assert!(facts.notes.join("\n").contains(said), "{:?}", facts.notes);
        }
        let (_, port) = asks("[~core1]dis qos queue stat interface 10GE1/0/1").expect("it asks");
        assert_eq!(port, "10GE1/0/1");
        assert!(asks("<core1>display interface 10GE1/0/1").is_none());
    }
}
