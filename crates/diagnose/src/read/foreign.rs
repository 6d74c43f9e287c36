//! Output of platforms that is recognised and not read: it is named as that, and is not taken for another platform's.

use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::Place;
use crate::words::whole;

/// A platform that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Platform {
    Asa,
    SrOs,
    FortiOs,
}

/// The state of reading: whose lines may follow, and where each platform's begin and end.
#[derive(Default)]
pub(super) struct Foreign {
    now: Option<Platform>,
    seen: Vec<(Platform, Place, Place)>,
}

impl Tool for Foreign {
    fn name(&self) -> &'static str {
        match self.now {
            Some(Platform::Asa) => "Cisco ASA, not read",
            Some(Platform::SrOs) => "Nokia SR OS, not read",
            Some(Platform::FortiOs) => "FortiOS, not read",
            None => "not read",
        }
    }

    fn line(&mut self, line: Line<'_>, going: bool, _facts: &mut Facts) -> bool {
        let (text, at) = (line.bare, line.at);
        let follows = |platform: &Platform| going && platform.prints(text);
        let Some(platform) = begins(text).or(self.now.filter(follows)) else {
            return false;
        };
        self.now = Some(platform);
        match self.seen.iter_mut().find(|(known, ..)| *known == platform) {
            Some((_, _, last)) => *last = at,
            None => self.seen.push((platform, at, at)),
        }
        true
    }

    fn finish(&mut self, facts: &mut Facts) {
        for (platform, first, last) in core::mem::take(&mut self.seen) {
            if facts.notes.len() < NOTES_MAX {
                let note = format!(
                    "{} to {}: output of {}, which is not read: say by option what it shows of the path: --line for the speed of the slowest port, --mtu for the largest packet, --loss for the share that it drops or receives damaged",
                    facts.place(first),
                    facts.place(last),
                    platform.called()
                );
                facts.notes.push(note);
            }
        }
    }
}

/// The platform whose output begins with a line, by its prompt and command, or by a shape that no other has.
fn begins(text: &str) -> Option<Platform> {
    let found = [
        (Platform::Asa, is_of_asa(text)),
        (Platform::SrOs, is_of_sros(text)),
        (Platform::FortiOs, is_of_fortios(text)),
    ];
    found
        .into_iter()
        .find_map(|(platform, is)| is.then_some(platform))
}

/// `Interface GigabitEthernet0/0 "outside", is up, line protocol is up`: IOS has no name in quotes there.
pub(super) fn is_of_asa(text: &str) -> bool {
    let named = text.starts_with("Interface ") && text.contains(" \"");
    named && text.contains("\", is ") && text.contains(", line protocol is ")
}

/// `A:PE1# show port 1/1/1`, `*B:PE1>config# show router interface`: which of two processors is active stands before the name.
fn is_of_sros(text: &str) -> bool {
    let text = text.strip_prefix('*').unwrap_or(text);
    let rest = text.strip_prefix("A:").or_else(|| text.strip_prefix("B:"));
    let typed = rest.and_then(|rest| rest.split_once("# "));
    typed.is_some_and(|(name, command)| {
        let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
        is_name && command.trim_start().starts_with("show ")
    })
}

/// `FGT60F # get system interface physical`, `FGT60F (root) # diagnose hardware deviceinfo nic port1`.
fn is_of_fortios(text: &str) -> bool {
    let commands = [
        "get system ",
        "get hardware ",
        "get router info",
        "diagnose ",
    ];
    text.split_once(" # ").is_some_and(|(prompt, command)| {
        let mut words = prompt.split(' ');
        let named = words.next().is_some_and(|name| !name.is_empty());
        let domain = words.next().is_none_or(|word| word.starts_with('('));
        let is_prompt = named && domain && words.next().is_none();
        is_prompt && commands.iter().any(|c| command.starts_with(c))
    })
}

/// What lines of `show interface` of ASA begin with, and what they have in them.
const ASA: [&str; 18] = [
    "Hardware is ",
    "Auto-Duplex",
    "Full-Duplex",
    "Half-Duplex",
    "Auto-Speed",
    "Input flow control",
    "Description:",
    "MAC address ",
    "IP address ",
    "Available but ",
    "Traffic Statistics",
    "Received ",
    "Control Point",
    "Interface number ",
    "Interface config ",
    "Interface state ",
    "Member of ",
    "Management-only",
];
const WITHIN_ASA: [&str; 13] = [
    " packets input,",
    " packets output,",
    " packets dropped",
    " input errors,",
    " output errors,",
    " decode drops",
    " pause ",
    " late collisions",
    " queue (",
    " reset drops",
    " minute input rate",
    " minute output rate",
    " minute drop rate",
];

impl Platform {
    /// Its name for people.
    fn called(self) -> &'static str {
        match self {
            Platform::Asa => "Cisco ASA",
            Platform::SrOs => "Nokia SR OS",
            Platform::FortiOs => "FortiOS",
        }
    }

    /// Whether a line may be one of its output.
    fn prints(self, text: &str) -> bool {
        match self {
            Platform::Asa => {
                let begins = ASA.iter().any(|head| text.starts_with(head));
                begins || WITHIN_ASA.iter().any(|words| text.contains(words))
            }
            Platform::SrOs => is_row(text),
            Platform::FortiOs => text.starts_with("==") || is_pair(text),
        }
    }
}

/// A line of SR OS: `Oper State     : up`, `Octets       812345      4711`, or a heading.
fn is_row(text: &str) -> bool {
    let named = |w: &str| w.starts_with(|c: char| c.is_ascii_uppercase());
    let number = |w: &str| whole(&w.trim_end_matches('%').replace('.', "")).is_some();
    let words: Vec<&str> = text.split_whitespace().collect();
    let begins = words.first().is_some_and(|w| named(w));
    let counts = words.len() > 2 && words.iter().rev().take(2).all(|w| number(w));
    let letters = |w: &str| {
        w.chars()
            .all(|c| c.is_ascii_alphabetic() || "-/()".contains(c))
    };
    let heading = words.len() <= 5 && words.iter().all(|w| named(w) && letters(w));
    begins && (counts || heading || text.contains(" : "))
}

/// Longest key of FortiOS, letters.
const KEY_MAX: usize = 40;

/// A line of FortiOS: `Speed           :1000`, `Rx_CRC_Errors=0`, `speed: 1000Mbps (Duplex: full)`.
fn is_pair(text: &str) -> bool {
    text.split_once([':', '=']).is_some_and(|(key, value)| {
        let letters = |c: char| c.is_ascii_alphanumeric() || "_ -/.".contains(c);
        let begins = key.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_key = begins && key.chars().all(letters);
        is_key && key.len() <= KEY_MAX && !value.trim().is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_known_by_what_no_other_has() {
        for (text, platform) in [
            (
                "Interface GigabitEthernet0/0 \"outside\", is up, line protocol is up",
                Some(Platform::Asa),
            ),
            (
                "Interface GigabitEthernet0/1 \"\", is administratively down, line protocol is up",
                Some(Platform::Asa),
            ),
            (
                "GigabitEthernet0/1 is up, line protocol is up (connected)",
                None,
            ),
            ("A:PE1# show port 1/1/1", Some(Platform::SrOs)),
            ("*B:PE1>config# show port 1/1/1", Some(Platform::SrOs)),
            ("A:PE1# ping 192.0.2.1", None),
            ("r1# show interfaces", None),
            (
                "FGT60F # get system interface physical",
                Some(Platform::FortiOs),
            ),
            (
                "FGT60F (root) # diagnose hardware deviceinfo nic port1",
                Some(Platform::FortiOs),
            ),
            (
                "FGT-CAMPUS # diagnose sys session list",
                Some(Platform::FortiOs),
            ),
            ("we then ran # get system status", None),
            ("host # ss -tin", None),
        ] {
            assert_eq!(begins(text), platform, "{text}");
        }
    }

    #[test]
    fn lines_of_other_tools_are_not_theirs() {
        for text in [
            "[  5]   0.00-10.00  sec  6.00 MBytes  5.03 Mbits/sec  353             sender",
            "64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=0.301 ms",
            "PING 192.0.2.1 (192.0.2.1): 56 data bytes",
            "Settings for eth0:",
            "Connecting to host 192.0.2.1, port 5201",
            "we see 12",
        ] {
            let all = [Platform::Asa, Platform::SrOs, Platform::FortiOs];
            assert!(!all.iter().any(|platform| platform.prints(text)), "{text}");
        }
    }
}
