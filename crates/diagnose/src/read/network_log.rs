//! What switches, routers and firewalls log beside the state of their links (IOS, NX-OS, EOS, Junos, ASA): ports shut, too little
//! light, addresses that stand twice, and connections that were closed as idle.

use std::collections::BTreeMap;

use super::kernel_log::links::moment;
use super::{Facts, Line, Tool};
use crate::programs::idle_session::IDLE_CLOSED;
use crate::reach::answered_twice::TWO_CARDS;
use crate::reach::network_log::Event;
use crate::words::{after, between};

/// Most lines that are kept, and most closed connections: what flaps fills logs.
const KEPT_MAX: usize = 10_000;

/// Most bytes of a message that are kept.
const SAID_MAX: usize = 200;

/// What such logs call their events.
const EVENTS: [(&str, Event); 6] = [
    ("-ERR_DISABLE:", Event::Shut),
    ("-ERRDISABLE:", Event::Shut),
    ("IF_DOWN_ERROR_DISABLED", Event::Shut),
    ("-BLOCK_BPDUGUARD", Event::Shut),
    ("BPDU_BLOCK_ERROR_ENABLED", Event::Shut),
    ("x power low alarm", Event::Dim),
];

/// The state of reading: how many lines were kept, and the connections that a firewall closed as idle, with their ages.
#[derive(Default)]
pub(super) struct NetworkLog {
    kept: usize,
    closed: BTreeMap<[String; 2], String>,
}

impl Tool for NetworkLog {
    fn name(&self) -> &'static str {
        "syslog"
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if self.firewall(line, facts) {
            return true;
        }
        if let Some((address, card)) = twice(text) {
            // A router that has the address, or a host of its network, hears another one use it.
            let said = format!("{address} is used by the card {card}, too, as was logged");
            facts.word_once(TWO_CARDS, &said, line.at);
            return true;
        }
        let Some((at, event)) = event(text) else {
            return false;
        };
        self.kept += 1;
        if self.kept <= KEPT_MAX {
            facts.dated_word(event.fact(), said(text, at), line);
        }
        // That a link went down is read of it as well.
        !text.contains("ETHPORT-")
    }
}

/// Where the name of an event stands in a line, and which it is.
fn event(text: &str) -> Option<(usize, Event)> {
    let find = |(name, event): &(&str, Event)| Some((text.find(*name)?, *event));
    let found = EVENTS.iter().find_map(find)?;
    let cleared = text.contains(" cleared");
    // Tables of optics have such an alarm as well, without a time.
    let dated = found.1 != Event::Dim || moment(text).is_some();
    (text.len() < 1000 && dated && !cleared).then_some(found)
}

/// The message of a line whose event's name is at this byte: from its mark on, or from the word with that name.
fn said(text: &str, at: usize) -> &str {
    let word = text[..at].rfind(' ').map_or(0, |space| space + 1);
    let from = text[..at].rfind('%').unwrap_or(word);
    let all = &text[from..];
    all[..all.floor_char_boundary(SAID_MAX)].trim_end_matches('.')
}

/// What marks a line about an address that stands twice, and the words before that address and before the card of the other host.
const TWICE: [[&str; 3]; 3] = [
    ["-DUPADDR:", "Duplicate address ", "sourced by "],
    ["ARP_DUPLICATE_ADDR", "IP address ", "sent from address: "],
    ["-DUP_SRC_IP:", "duplicate of local, ", "received from "],
];

/// An address that another host uses as well, and the card of that one: `%IP-4-DUPADDR: Duplicate address 192.0.2.1 on Vlan120, sourced by
/// 0025.9099.c1d2`, `KERN_ARP_DUPLICATE_ADDR: duplicate IP address 192.0.2.1! sent from address: 00:25:90:99:c1:d2`, `%ARP-2-DUP_SRC_IP: arp
/// [3512] Source address of packet received from 0025.9099.c1d2 on Vlan120 is duplicate of local, 192.0.2.1`.
fn twice(text: &str) -> Option<(&str, &str)> {
    let [_, address, card] = TWICE.iter().find(|[mark, ..]| text.contains(*mark))?;
    let bare = |before: &str| Some(after(text, before)?.trim_end_matches(['!', ',', '.']));
    Some((bare(address)?, bare(card)?))
}

impl NetworkLog {
    /// Takes a line of ASA or FTD about a connection that it closed as idle, or about a packet of a connection that it does not know. That both are of
    /// one connection shows that its ends held it for open.
    fn firewall(&mut self, line: Line<'_>, facts: &mut Facts) -> bool {
        let text = line.bare;
        if text.contains("-302014: ") {
            let idle = ["Connection timeout", "Conn-timeout"];
            if idle.iter().any(|reason| text.contains(reason))
                && let Some(ends) = between(text, " for ", " duration ").and_then(ends)
                && let Some(age) = after(text, " duration ")
                && self.closed.len() < KEPT_MAX
            {
                self.closed.insert(ends, age.to_owned());
            }
            return true;
        }
        if !text.contains("-106015: ") {
            return false;
        }
        facts.denies_answer(text, line.at);
        let own = between(text, " from ", " flags ").and_then(ends);
        let reset = between(text, " flags ", " on interface").is_some_and(|f| f.contains("RST"));
        if let Some(ends) = own.filter(|_| !reset)
            && let Some(age) = self.closed.get(&ends)
        {
            let said = format!("that of {} and {}, after {age}", ends[0], ends[1]);
            facts.word_once(IDLE_CLOSED, &said, line.at);
        }
        true
    }
}

/// The two ends in `inside:198.51.100.40/50122 to dmz:203.0.113.200/22`, the lesser first.
fn ends(text: &str) -> Option<[String; 2]> {
    let bare = |word: &str| {
        let (_, end) = word.rsplit_once(':').unwrap_or(("", word));
        end.to_owned()
    };
    let mut all = text.split_whitespace().filter(|word| word.contains('/'));
    let mut both = [bare(all.next()?), bare(all.next()?)];
    both.sort();
    Some(both)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Of;
    use crate::flows::flow::word;
    use crate::read::kernel_log::links::WHEN;
    use crate::read::taken::taken;

    fn of(text: &str, name: &'static str) -> Option<String> {
        let facts = taken(NetworkLog::default(), text);
        word(&facts, Of::Path, name).map(|(said, _)| said.to_owned())
    }

    #[test]
    fn each_system_names_its_events() {
        for (text, event) in [
            (
                "Nov 25 02:10:11: %PM-4-ERR_DISABLE: bpduguard error detected on Gi1/0/9, putting Gi1/0/9 in err-disable state",
                Event::Shut,
            ),
            (
                "Nov 25 02:10:11: %SPANTREE-2-BLOCK_BPDUGUARD: Received BPDU on port GigabitEthernet1/0/9 with BPDU Guard enabled. Disabling port.",
                Event::Shut,
            ),
            (
                "Nov 25 01:02:11: %SFF8472-5-THRESHOLD_VIOLATION: Te1/1/1: Rx power low alarm; Operating value: -30.0 dBm, Threshold value: -17.0 dBm.",
                Event::Dim,
            ),
        ] {
            let said = of(text, event.fact()).expect(text);
            assert!(text.trim_end_matches('.').ends_with(&said), "{said}");
            // It has a date.
            let facts = taken(NetworkLog::default(), text);
            assert!(facts.latest(Of::Path, WHEN).is_some(), "{text}");
        }
    }

    #[test]
    fn other_lines_are_left_to_others() {
        let mut facts = Facts::default();
        for text in [
            "Nov 25 02:41:08: %SYS-5-CONFIG_I: Configured from console by noc",
            "Nov 25 02:51:07.811: %SPANTREE-5-TOPOTRAP: Topology Change Trap for vlan 80",
            "Laser rx power low alarm : On",
            "the port was in err-disable state",
        ] {
            let line = Line {
                bare: text,
                at: crate::fact::Place::Line(0, 1),
            };
            let takes = NetworkLog::default().line(line, false, &mut facts);
            assert!(!takes, "{text}");
        }
    }

    #[test]
    fn an_address_that_another_card_uses_is_of_two_hosts() {
        for text in [
            "Nov 25 03:12:40: %IP-4-DUPADDR: Duplicate address 203.0.113.14 on Vlan120, sourced by 0025.9099.c1d2",
            "Nov 25 03:12:40 r1 /kernel: KERN_ARP_DUPLICATE_ADDR: duplicate IP address 203.0.113.14! sent from address: 0025.9099.c1d2 (error count = 3)",
            "Nov 25 03:12:40 n9k: %ARP-2-DUP_SRC_IP: arp [3512]  Source address of packet received from 0025.9099.c1d2 on Vlan120 is duplicate of local, 203.0.113.14",
        ] {
            let said = of(text, TWO_CARDS).expect(text);
            let begins = "203.0.113.14 is used by the card 0025.9099.c1d2";
            assert!(said.starts_with(begins), "{said}");
        }
    }

    const CLOSED: &str = "Nov 25 02:00:15 asa %ASA-6-302014: Teardown TCP connection 88123123 for inside:198.51.100.40/50122 to dmz:203.0.113.200/22 duration 1:00:03 bytes 8123 Connection timeout";
    const UNKNOWN: &str = "Nov 25 02:00:40 asa %ASA-6-106015: Deny TCP (no connection) from 198.51.100.40/50122 to 203.0.113.200/22 flags PSH ACK  on interface inside";

    /// A connection that nobody used any more may well be closed; one that goes on afterwards was open to its ends.
    #[test]
    fn an_idle_connection_that_goes_on_was_closed_too_early() {
        let said = of(&format!("{CLOSED}\n{UNKNOWN}"), IDLE_CLOSED).expect("both are of one");
        assert!(said.ends_with("after 1:00:03"), "{said}");
        for text in [
            CLOSED.to_owned(),
            UNKNOWN.to_owned(),
            format!("{CLOSED}\n{}", UNKNOWN.replace("PSH ACK", "RST")),
            format!("{CLOSED}\n{}", UNKNOWN.replace("50122", "50123")),
            format!(
                "{}\n{UNKNOWN}",
                CLOSED.replace("Connection timeout", "TCP FINs")
            ),
        ] {
            assert_eq!(of(&text, IDLE_CLOSED), None, "{text}");
        }
    }
}
