//! What queues of a port dropped: a class of `show policy-map interface`, `show interfaces queue` of Junos, `show queuing interface` of
//! NX-OS, `show queueing interface` of the Catalyst 6500.

use crate::fact::Place;
use crate::interfaces::port::Port;
use crate::read::{Facts, NOTES_MAX};
use crate::words::whole;

/// The queue of a port whose lines are read.
#[derive(Default)]
pub(super) struct Queue {
    /// As the router calls it; empty where none was named.
    name: String,
    /// Tables of NX-OS or of a Catalyst 6500 follow.
    tables: bool,
    /// Of a Catalyst 6500, what its queues are called after: empty until a table of drops begins.
    catalyst: Option<&'static str>,
    /// What Junos prints is of what the queue sent, and not of what came to it.
    sent: bool,
}

/// What a line says of queues.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Said {
    /// Nothing that is kept.
    Nothing,
    /// The port whose queues follow.
    Port(String),
    /// The queue, and the packets that it dropped.
    Dropped(String, u64),
    /// The queue, and what it sends now, bit/s.
    Sends(String, u64),
}

impl Queue {
    /// Another command begins, one that prints tables of NX-OS or not.
    pub(super) fn begins(&mut self, tables: bool) {
        *self = Queue {
            tables,
            ..Queue::default()
        };
    }

    /// Takes a line about queues.
    pub(super) fn line(&mut self, text: &str) -> Option<Said> {
        match self.tables {
            true => self.of_catalyst(text).or_else(|| self.of_nexus(text)),
            false => self.of_junos(text),
        }
    }

    /// `Queue: 0, Forwarding classes: best-effort`, and below it `Tail-dropped packets :  950  2 pps`, and below `Transmitted:` what it sends:
    /// `Bytes  :  1180120601120  999912312 bps`.
    fn of_junos(&mut self, text: &str) -> Option<Said> {
        let (key, value) = text.split_once(':')?;
        if value.is_empty() {
            self.sent = key == "Transmitted";
            return None;
        }
        if key == "Queue" {
            let (number, class) = value.split_once(',')?;
            let class = class.split_once(':').map_or("", |(_, name)| name.trim());
            self.name = match class {
                "" => format!("queue {}", number.trim()),
                class => class.to_owned(),
            };
            return Some(Said::Nothing);
        }
        let by = match key.trim_end() {
            "Tail-dropped packets" => "",
            "RED-dropped packets" => " by RED",
            "Bytes" if self.sent && !self.name.is_empty() => {
                let words: Vec<&str> = value.split_whitespace().collect();
                let [_, bps, "bps"] = words[..] else {
                    return None;
                };
                return Some(Said::Sends(self.name.clone(), whole(bps)?));
            }
            _ => return None,
        };
        let packets = whole(value.split_whitespace().next()?)?;
        let named = !self.name.is_empty();
        named.then(|| Said::Dropped(format!("{}{by}", self.name), packets))
    }

    /// `Interface GigabitEthernet1/1 queueing strategy:  Weighted Round-Robin`, and behind `Packets dropped on Transmit:` rows such as
    /// `1     1234  [0 1 ]`.
    fn of_catalyst(&mut self, text: &str) -> Option<Said> {
        if let Some((head, _)) = text.split_once(" queueing strategy:") {
            let port = head.strip_prefix("Interface ")?;
            self.catalyst = Some("");
            return Some(Said::Port(port.to_owned()));
        }
        let after = self.catalyst?;
        let mut tables = DROPPED.iter();
        if let Some((_, name)) = tables.find(|(head, _)| text.starts_with(head)) {
            self.catalyst = Some(*name);
            return Some(Said::Nothing);
        }
        let dropped = || {
            let (counts, cos) = text.split_once('[')?;
            let mut counts = counts.split_whitespace().map(whole);
            let (_, packets) = (counts.next()??, counts.next()??);
            counts
                .next()
                .is_none()
                .then_some((packets, cos.trim_end_matches([']', ' '])))
        };
        if let Some((packets, cos)) = dropped().filter(|_| !after.is_empty()) {
            return Some(Said::Dropped(format!("{after} {cos}"), packets));
        }
        let is_cell = |word: &str| {
            let word = word.trim_matches(|c: char| c.is_ascii_digit() || "[].%".contains(c));
            word.is_empty() || ["WRR", "SRR", "DWRR", "Priority", "N/A"].contains(&word)
        };
        let is_row =
            text.starts_with(|c: char| c.is_ascii_digit()) && text.split_whitespace().all(is_cell);
        let is_head = CATALYST.iter().any(|head| text.starts_with(head));
        (is_row || is_head).then_some(Said::Nothing)
    }

    /// `Egress Queuing for Ethernet1/48 [System]`, and below it rows such as `| WRED/AFD & Tail Drop Pkts |  1738|  0|`.
    fn of_nexus(&mut self, text: &str) -> Option<Said> {
        if let Some((_, rest)) = text.split_once("gress Queuing for ") {
            self.name.clear();
            let port = rest.split_whitespace().next().unwrap_or("");
            return Some(Said::Port(port.to_owned()));
        }
        let heads = ["slot ", "QoS-Group#", "Min "];
        if heads.iter().any(|head| text.starts_with(head)) {
            return Some(Said::Nothing);
        }
        let Some(row) = text.strip_prefix('|') else {
            // `0  100  -  -  -  -  9(D)`: what a group has.
            let group = text.split_whitespace().next().and_then(whole);
            return group
                .filter(|_| text.contains(" - "))
                .map(|_| Said::Nothing);
        };
        let mut cells = row.split('|').map(str::trim);
        let label = cells.next().unwrap_or("");
        if label.starts_with("QOS GROUP") || label.contains("QUEUE") {
            label.clone_into(&mut self.name);
            return Some(Said::Nothing);
        }
        let Some(drops) = label.strip_suffix(" Pkts").filter(|l| l.contains("Drop")) else {
            return Some(Said::Nothing);
        };
        let packets: u64 = cells.filter_map(whole).sum();
        let by = match drops.contains("Tail") || drops.starts_with("Dropped") {
            true => String::new(),
            false => format!(" by {}", drops.trim_end_matches("Drop").trim_end()),
        };
        let named = !self.name.is_empty();
        Some(match named {
            true => Said::Dropped(format!("{}{by}", self.name), packets),
            false => Said::Nothing,
        })
    }
}

/// What heads a table of drops of a Catalyst 6500, and what its queues are called after: the classes that they take.
const DROPPED: [(&str, &str); 2] = [
    ("Packets dropped on Transmit:", "CoS"),
    ("Packets dropped on Receive:", "arriving CoS"),
];

/// What other lines of it begin with.
const CATALYST: [&str; 13] = [
    "Port QoS is ",
    "Port is ",
    "Trust ",
    "Extend trust ",
    "Default COS ",
    "Queueing Mode ",
    "Transmit queues ",
    "Receive queues ",
    "Queue Id ",
    "WRR bandwidth ",
    "BPDU packets:",
    "queue-limit ",
    "queue ",
];

/// What a queue of Junos drops as its text is printed, packets a second: `Tail-dropped packets :   950   2 pps`.
pub(super) fn dropped_now(text: &str) -> Option<u64> {
    let (key, value) = text.split_once(':')?;
    let words: Vec<&str> = value.split_whitespace().collect();
    match words[..] {
        [_, pps, "pps"] if key.contains("-dropped packets") => whole(pps),
        _ => None,
    }
}

impl Facts {
    /// Notes that a queue drops as its text is printed, so many packets a second; nothing of 0. The one that drops most is kept.
    pub(in crate::read) fn drops_now(&mut self, queue: &Port, pps: u64, at: Place) {
        if pps == 0 {
            return;
        }
        let named = queue.named("the queue of a router's port");
        if self.notes.len() < NOTES_MAX {
            let note = format!(
                "{}: {named} drops {pps} packets a second as this is printed: it is full at that time, whatever it dropped in all",
                self.place(at)
            );
            self.notes.push(note);
        }
        let most = self.full_queue.as_ref().map_or(0, |(_, most, _)| *most);
        if pps > most {
            self.full_queue = Some((named, pps, at));
        }
    }
}

/// The packets that the queue of a class of IOS dropped: `(queue depth/total drops/no-buffer drops) 12/831/0`.
pub(in crate::read) fn of_class(text: &str) -> Option<u64> {
    let (names, values) = text.strip_prefix('(')?.split_once(") ")?;
    let mut names = names.split('/');
    let at = names.position(|name| name.trim() == "total drops")?;
    whole(values.split('/').nth(at)?.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dropped(name: &str, packets: u64) -> Option<Said> {
        Some(Said::Dropped(name.to_owned(), packets))
    }

    #[test]
    fn a_queue_of_junos_is_called_by_its_class() {
        let mut queue = Queue::default();
        let tail = "Tail-dropped packets :                   950                     2 pps";
        assert_eq!(queue.line(tail), None);
        let head = "Queue: 0, Forwarding classes: best-effort";
        assert_eq!(queue.line(head), Some(Said::Nothing));
        assert_eq!(queue.line(tail), dropped("best-effort", 950));
        assert_eq!(dropped_now(tail), Some(2));
        let red = "RED-dropped packets  :                     7                     0 pps";
        assert_eq!(queue.line(red), dropped("best-effort by RED", 7));
        assert_eq!(
            queue.line("Packets              :   6912345    33012 pps"),
            None
        );
        let bytes = "Bytes                :          9812345678             400123456 bps";
        assert_eq!(queue.line(bytes), None);
        assert_eq!(queue.line("Transmitted:"), None);
        assert_eq!(dropped_now(bytes), None);
        let sends = Said::Sends("best-effort".to_owned(), 400_123_456);
        assert_eq!(queue.line(bytes), Some(sends));
        assert_eq!(queue.line("Queued:"), None);
        assert_eq!(queue.line(bytes), None);
    }

    #[test]
    fn a_group_of_nexus_adds_its_columns() {
        let mut queue = Queue::default();
        queue.begins(true);
        let head = "Egress Queuing for Ethernet1/48 [System]";
        assert_eq!(
            queue.line(head),
            Some(Said::Port("Ethernet1/48".to_owned()))
        );
        for row in [
            "slot  1",
            "0            100         -           -            -     -            9(D)",
            "|                              QOS GROUP 0                    |",
            "|                           |  Unicast       |Multicast       |",
            "|                   Tx Pkts |         548123|              40|",
            "| WRED/AFD & Tail Drop Byts |        2631332|               0|",
        ] {
            assert_eq!(queue.line(row), Some(Said::Nothing), "{row}");
        }
        let row = "| WRED/AFD & Tail Drop Pkts |           1738|               2|";
        assert_eq!(queue.line(row), dropped("QOS GROUP 0", 1740));
        let row = "|            WRED Drop Pkts |              5|               0|";
        assert_eq!(queue.line(row), dropped("QOS GROUP 0 by WRED", 5));
        assert_eq!(queue.line("what a person wrote"), None);
    }

    #[test]
    fn a_catalyst_calls_queues_by_their_classes() {
        let mut queue = Queue::default();
        queue.begins(true);
        let head = "Interface GigabitEthernet1/1 queueing strategy:  Weighted Round-Robin";
        let port = "GigabitEthernet1/1".to_owned();
        assert_eq!(queue.line(head), Some(Said::Port(port)));
        for row in [
            "Port QoS is enabled",
            "Transmit queues [type = 1p3q8t]:",
            "Queue Id    Scheduling  Num of thresholds",
            "01         WRR                 08",
            "WRR bandwidth ratios:  100[queue 1] 150[queue 2]",
            "1     70[1] 100[2] 100[3]",
            "1     1      0 1",
            "Packets dropped on Transmit:",
            "queue     dropped  [cos-map]",
        ] {
            assert_eq!(queue.line(row), Some(Said::Nothing), "{row}");
        }
        let row = "1                   829  [0 1 ]";
        assert_eq!(queue.line(row), dropped("CoS 0 1", 829));
        assert_eq!(
            queue.line("Packets dropped on Receive:"),
            Some(Said::Nothing)
        );
        let row = "1                     3  [0 1 2 3 4 5 6 7 ]";
        assert_eq!(queue.line(row), dropped("arriving CoS 0 1 2 3 4 5 6 7", 3));
        assert_eq!(queue.line("what a person wrote"), None);
    }

    #[test]
    fn the_drops_of_a_class_stand_where_their_name_does() {
        for (text, packets) in [
            (
                "(queue depth/total drops/no-buffer drops) 12/831/0",
                Some(831),
            ),
            ("(depth/total drops/no-buffer drops) 0/0/0", Some(0)),
            ("(pkts output/bytes output) 211481/311012345", None),
            ("(total drops) many", None),
        ] {
            assert_eq!(of_class(text), packets, "{text}");
        }
    }
}
