//! `netstat -s` of Windows: what its protocols counted, IPv4 and IPv6 each in a list of its own.

use std::collections::BTreeMap;

use super::counters::put;
use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::words::whole;

/// The state of reading.
#[derive(Default)]
pub(super) struct Protocols {
    host: Option<Of>,
    /// The protocol whose list is read.
    protocol: &'static str,
    /// Heads of lists of this reading.
    heads: Vec<String>,
    /// What was counted, both versions of IP together, by the counter's name in Linux, and where.
    counted: BTreeMap<&'static str, (u64, Place)>,
}

/// Heads of lists, and their protocol.
const HEADS: [(&str, &str); 8] = [
    ("TCP Statistics for IPv4", "TCP"),
    ("TCP Statistics for IPv6", "TCP"),
    ("UDP Statistics for IPv4", "UDP"),
    ("UDP Statistics for IPv6", "UDP"),
    ("IPv4 Statistics", ""),
    ("IPv6 Statistics", ""),
    ("ICMPv4 Statistics", ""),
    ("ICMPv6 Statistics", ""),
];

/// Counters that are read: protocol, name, and what Linux calls the same one of RFC 1213.
const COUNTERS: [(&str, &str, &str); 4] = [
    ("TCP", "Segments Sent", "TcpOutSegs"),
    ("TCP", "Segments Retransmitted", "TcpRetransSegs"),
    ("UDP", "Datagrams Received", "UdpInDatagrams"),
    ("UDP", "Receive Errors", "UdpInErrors"),
];

impl Tool for Protocols {
    fn name(&self) -> &'static str {
        "netstat"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some((_, protocol)) = HEADS.iter().find(|(head, _)| *head == text) {
            let again = self.heads.iter().any(|head| head == text);
            if !going || again {
                self.over(facts);
            }
            self.heads.push(text.to_owned());
            self.protocol = *protocol;
            if self.host.is_none() && !protocol.is_empty() {
                let host = facts.host();
                facts.word(host, "system", "windows", line.at);
                self.host = Some(host);
            }
            return true;
        }
        if !going {
            return false;
        }
        let Some((name, value)) = text.split_once('=') else {
            return is_icmp(text);
        };
        let (name, Some(value)) = (name.trim_end(), whole(value.trim())) else {
            return false;
        };
        let mut known = COUNTERS.iter();
        let is = |known: &&(&str, &str, &str)| known.0 == self.protocol && known.1 == name;
        if let Some((.., counter)) = known.find(is) {
            let counted = self.counted.entry(*counter).or_insert((0, line.at));
            counted.0 = counted.0.saturating_add(value);
        }
        true
    }

    fn held(&self) -> usize {
        self.counted.len()
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.over(facts);
    }
}

impl Protocols {
    /// A reading is over: what it counted is handed over.
    fn over(&mut self, facts: &mut Facts) {
        let reading = core::mem::take(self);
        let Some(host) = reading.host else { return };
        for (name, (value, at)) in reading.counted {
            put(host, name, value, at, facts);
        }
    }
}

/// A row of ICMP's lists, `Messages  12  3`, or their head.
fn is_icmp(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    match words[..] {
        ["Received", "Sent"] => true,
        [.., received, sent] => whole(received).is_some() && whole(sent).is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::fact::Of;
    use crate::flows::flow::number;
    use crate::read::{Source, read};

    /// Both versions of IP count together, and each reading by itself.
    #[test]
    fn two_readings_of_windows_are_read() {
        let reading = |again: u32| {
            format!(
                "C:\\>netstat -s\n\nIPv4 Statistics\n\n  Packets Received                   = 812211\n\nICMPv4 Statistics\n\n                            Received    Sent\n  Messages                  12          3\n\nTCP Statistics for IPv4\n\n  Active Opens                        = 8122\n  Segments Sent                       = 1000\n  Segments Retransmitted              = {again}\n\nTCP Statistics for IPv6\n\n  Segments Sent                       = 200\n  Segments Retransmitted              = 5\n\nUDP Statistics for IPv4\n\n  Datagrams Received    = 12345\n  Receive Errors        = 7\n"
            )
        };
        let text = reading(40) + &reading(90);
        let facts = read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.into_bytes(),
        }]);
        assert_eq!(facts.ignored_count, [0], "{:?}", facts.ignored);
        for (host, name, value) in [
            (0, "host_retransmits", 45.0),
            (0, "host_segments", 1200.0),
            (0, "host_datagram_errors", 7.0),
            (1, "host_retransmits", 95.0),
        ] {
            let found = number(&facts, Of::Host(host), name).map(|n| n.value);
            assert_eq!(found, Some(value), "{host} {name}");
        }
    }
}
