//! What switches and routers count of pause frames at their ports: `show interface flowcontrol` of NX-OS, EOS and IOS, and lines of a port's own
//! counters.

use super::Facts;
use super::ports::Here;
use crate::fact::Place;
use crate::interfaces::port::Kind;
use crate::words::whole;

/// What counts them, heard and sent.
const BOTH: [Kind; 2] = [Kind::PausesHeard, Kind::PausesSent];

/// Words behind such a count in lines of one port, in small letters: NX-OS, IOS and EOS.
const BEHIND: [(&str, Kind); 4] = [
    (" rx pause", Kind::PausesHeard),
    (" pause input", Kind::PausesHeard),
    (" tx pause", Kind::PausesSent),
    (" pause output", Kind::PausesSent),
];

/// What stands in a row for what is set and what runs, in small letters.
const STATES: [&str; 8] = [
    "on",
    "off",
    "desired",
    "auto",
    "unsupp.",
    "unsupp",
    "unsupported",
    "disagree",
];

/// Takes a line with counts of pause frames, or the head of a table of them.
pub(super) fn takes(here: &mut Here, text: &str, at: Place, facts: &mut Facts) -> bool {
    if is_head(text) {
        return true;
    }
    if let Some((port, counts)) = row(text) {
        here.is(port);
        for (kind, n) in BOTH.into_iter().zip(counts) {
            here.has(kind, n, at, facts);
        }
        return true;
    }
    if let Some(counts) = of_junos(text) {
        for (kind, n) in BOTH.into_iter().zip(counts) {
            here.has(kind, n, at, facts);
        }
        return true;
    }
    let lower = text.to_ascii_lowercase();
    let mut any = false;
    for (words, kind) in BEHIND {
        let before = lower.split_once(words).map(|(before, _)| before);
        let last = before.and_then(|before| before.split_whitespace().next_back());
        if let Some(n) = last.and_then(whole) {
            here.has(kind, n as f64, at, facts);
            any = true;
        }
    }
    any
}

/// The two lines above a table: what is set and what runs, each way, and the counts.
fn is_head(text: &str) -> bool {
    let mut words = text.split_whitespace();
    let both = text.contains("RxPause") && text.contains("TxPause");
    both || !text.is_empty() && words.all(|word| ["admin", "oper"].contains(&word))
}

/// `Eth1/14   on   on   on   on   81912244 0`: the port, and the frames that it was sent and that it sent.
fn row(text: &str) -> Option<(&str, [f64; 2])> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let [port, states @ .., heard, sent] = &words[..] else {
        return None;
    };
    let is_state = |word: &&str| STATES.contains(&word.to_ascii_lowercase().as_str());
    let named = port.starts_with(|c: char| c.is_ascii_alphabetic())
        && port.ends_with(|c: char| c.is_ascii_digit());
    let fits = named && states.len() == 4 && states.iter().all(is_state);
    let counts = [whole(heard)? as f64, whole(sent)? as f64];
    fits.then_some((*port, counts))
}

/// `MAC pause frames   12   0` of Junos: received, and sent.
fn of_junos(text: &str) -> Option<[f64; 2]> {
    let rest = text.strip_prefix("MAC pause frames")?;
    let mut counts = rest.split_whitespace().map(whole);
    Some([counts.next()?? as f64, counts.next()?? as f64])
}

#[cfg(test)]
mod tests {
    use crate::interfaces::port::Kind;
    use crate::read::taken::whole as read_whole;

    /// What the readings of a text are, of both kinds, with the port.
    fn read(text: &str) -> Vec<(String, Kind, f64)> {
        let (facts, all) = read_whole(text);
        assert!(all, "{text}: {:?}", facts.ignored);
        let both = facts.ports.iter().filter(|r| super::BOTH.contains(&r.kind));
        let of = both.map(|r| (r.port.named(""), r.kind, r.value));
        of.collect()
    }

    #[test]
    fn tables_and_lines_of_a_port_count_both_ways() {
        let table = "n9k-1# show interface ethernet 1/14 flowcontrol
--------------------------------------------------------------------------------
Port         Send FlowControl  Receive FlowControl  RxPause TxPause
             admin    oper     admin    oper
--------------------------------------------------------------------------------
Eth1/14      on       on       on       on          81221122 7
";
        let expected = |port: &str| {
            vec![
                (port.to_owned(), Kind::PausesHeard, 81_221_122.0),
                (port.to_owned(), Kind::PausesSent, 7.0),
            ]
        };
        assert_eq!(read(table), expected("Eth1/14 of n9k-1"));
        let own = "n9k-1# show interface ethernet 1/14
Ethernet1/14 is up
  RX
    81221122 Rx pause
  TX
    7 Tx pause
";
        assert_eq!(read(own), expected("Ethernet1/14 of n9k-1"));
        let ios = "sw1#show interfaces Te1/1/1
TenGigabitEthernet1/1/1 is up, line protocol is up (connected)
     0 watchdog, 12 multicast, 81221122 pause input
     0 lost carrier, 0 no carrier, 7 pause output
";
        let of = read(ios);
        assert_eq!(of, expected("TenGigabitEthernet1/1/1 of sw1"));
    }

    #[test]
    fn other_rows_are_none() {
        for text in [
            "Eth1/14 connected trunk full 10G 1 2",
            "Eth1/14 on on on 1 2",
            "5 on on on on 1 2",
        ] {
            assert_eq!(super::row(text), None, "{text}");
        }
        assert_eq!(super::of_junos("MAC pause frames 12 3"), Some([12.0, 3.0]));
    }
}
