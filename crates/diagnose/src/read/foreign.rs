//! Output of platforms that is recognised and not read: it is named as that, and is not taken for another platform's.

use super::firewall_cpu::is_of_fortios as is_read;
use super::{Facts, Line, NOTES_MAX, Tool, sros};
use crate::fact::Place;
use crate::words::whole;

/// A platform that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Platform {
    Asa,
    SrOs,
    FortiOs,
    PanOs,
    AosCx,
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
            Some(Platform::PanOs) => "Palo Alto PAN-OS, not read",
            Some(Platform::AosCx) => "Aruba AOS-CX, not read",
            None => "not read",
        }
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (line.bare, line.at);
        if sros::asks(text).is_some() {
            return false;
        }
        let follows = |platform: &Platform| going && platform.prints(text);
        let Some(platform) = begins(text).or(self.now.filter(follows)) else {
            return false;
        };
        self.now = Some(platform);
        if platform == Platform::PanOs {
            facts.counts_non_syn(text, at);
        }
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
        (Platform::PanOs, is_of_panos(text)),
        (Platform::AosCx, is_of_aoscx(text)),
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
pub(super) fn is_of_sros(text: &str) -> bool {
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
        let read = is_read(command.trim_start());
        is_prompt && !read && commands.iter().any(|c| command.starts_with(c))
    })
}

/// `admin@PA-850(active)> show counter global`, `Name: ethernet1/1, ID: 16`: Junos, whose prompt is alike, has none of these commands.
fn is_of_panos(text: &str) -> bool {
    let commands = ["show counter ", "show session ", "show interface ethernet"];
    let typed = text.split_once("> ").is_some_and(|(prompt, command)| {
        let is_prompt = prompt.contains('@') && !prompt.contains(char::is_whitespace);
        is_prompt && commands.iter().any(|c| command.starts_with(c))
    });
    let port = || {
        let rest = text.strip_prefix("Name: ethernet")?;
        let (_, number) = rest.split_once(", ID: ")?;
        whole(number)
    };
    typed || port().is_some() || ["Global counters:", "target-dp: *.dp0"].contains(&text)
}

/// `Interface 1/1/1 is up`, `Interface 1/1/2 is down (Administratively down)`: others name the kind of a port.
fn is_of_aoscx(text: &str) -> bool {
    let rest = text.strip_prefix("Interface ");
    rest.and_then(|rest| rest.split_once(" is "))
        .is_some_and(|(name, state)| {
            let numbers: Vec<&str> = name.split('/').collect();
            let is_port = numbers.len() == 3 && numbers.iter().all(|n| whole(n).is_some());
            let state = state.split(' ').next().unwrap_or("");
            is_port && ["up", "down"].contains(&state.trim_end())
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

/// What lines of PAN-OS begin with that are neither a pair nor a count.
const PANOS: [&str; 14] = [
    "name  ",
    "Global counters",
    "Elapsed time since ",
    "Total counters shown",
    "target-dp",
    "Link status",
    "MAC address",
    "Physical port counters ",
    "Hardware interface counters ",
    "Logical interface counters ",
    "Interface MTU ",
    "Virtual router ",
    "Session ",
    "Application trickling ",
];

/// What lines of `show interface` of AOS-CX begin with, and what those of its older releases have in them.
const AOSCX: [&str; 33] = [
    "Admin state is ",
    "Link state: ",
    "Link transitions: ",
    "Description:",
    "Persona:",
    "Hardware: Ethernet",
    "MTU ",
    "Type ",
    "Full-duplex",
    "Half-duplex",
    "qos trust ",
    "Speed ",
    "Auto-negotiation is ",
    "Flow-control: ",
    "Error-control: ",
    "Energy-Efficient Ethernet",
    "MDI mode",
    "VLAN Mode: ",
    "Native VLAN: ",
    "Access VLAN: ",
    "Allowed VLAN List: ",
    "Rate collection interval",
    "Rate  ",
    "Statistic  ",
    "Mbits / sec",
    "KPkts / sec",
    "L3 Packets",
    "L3 Bytes",
    "Pause Frames",
    "CRC/FCS",
    "Aggregate-name ",
    "IPv4 address ",
    "State information: ",
];
const WITHIN_AOSCX: [&str; 5] = [
    " input packets",
    " output packets",
    " input error",
    " CRC/FCS",
    " collision",
];

impl Platform {
    /// Its name for people.
    fn called(self) -> &'static str {
        match self {
            Platform::Asa => "Cisco ASA",
            Platform::SrOs => "Nokia SR OS",
            Platform::FortiOs => "FortiOS",
            Platform::PanOs => "Palo Alto PAN-OS",
            Platform::AosCx => "Aruba AOS-CX",
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
            Platform::PanOs => {
                let begins = PANOS.iter().any(|head| text.starts_with(head));
                begins || is_pair(text) || is_count(text)
            }
            Platform::AosCx => {
                let begins = AOSCX.iter().any(|head| text.starts_with(head));
                begins
                    || is_of_both_ways(text)
                    || WITHIN_AOSCX.iter().any(|words| text.contains(words))
            }
        }
    }
}

/// A line of SR OS: `Oper State     : up`, `Octets       812345      4711`, or a heading.
pub(super) fn is_row(text: &str) -> bool {
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

/// A count of PAN-OS: `rx-bytes                      1234`, `pkt_recv    1234567   123421 info   packet   pktproc   Packets received`.
fn is_count(text: &str) -> bool {
    let named = |name: &str| {
        let letters = |c: char| c.is_ascii_alphanumeric() || "_- /.()".contains(c);
        name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(letters)
    };
    let counts = |name: &str, value: &str| named(name) && whole(value).is_some();
    let last = text.rsplit_once("  ");
    if last.is_some_and(|(name, value)| counts(name.trim_end(), value)) {
        return true;
    }
    let words: Vec<&str> = text.split_whitespace().take(4).collect();
    let severities = ["info", "warn", "error", "drop"];
    matches!(words[..], [name, value, rate, severity]
        if counts(name, value) && whole(rate).is_some() && severities.contains(&severity))
}

/// A row of AOS-CX, of what arrives, what leaves and both: `Dropped       0      12345      12345`, `CRC/FCS   0   n/a   0`.
fn is_of_both_ways(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let counted = |w: &str| w == "n/a" || whole(&w.replace('.', "")).is_some();
    let named = |w: &str| {
        let letters = |c: char| c.is_ascii_alphanumeric() || "-/".contains(c);
        w.starts_with(|c: char| c.is_ascii_uppercase()) && w.chars().all(letters)
    };
    let [names @ .., arrives, leaves, both] = &words[..] else {
        return false;
    };
    let few = (1..=3).contains(&names.len());
    few && names.iter().all(|w| named(w)) && [arrives, leaves, both].iter().all(|w| counted(w))
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
            (
                "admin@PA-850> show counter global filter delta yes",
                Some(Platform::PanOs),
            ),
            (
                "admin@PA-850(active)> show interface ethernet1/1",
                Some(Platform::PanOs),
            ),
            ("admin@PA-850> show session info", Some(Platform::PanOs)),
            ("Name: ethernet1/1, ID: 16", Some(Platform::PanOs)),
            ("noc@mx1> show interfaces ge-0/0/1 extensive", None),
            ("Interface 1/1/1 is up", Some(Platform::AosCx)),
            (
                "Interface 1/1/2 is down (Administratively down)",
                Some(Platform::AosCx),
            ),
            ("Interface lag1 is up", None),
            ("we then ran # get system status", None),
            ("FGT60 # get system performance status", None),
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
            let all = [
                Platform::Asa,
                Platform::SrOs,
                Platform::FortiOs,
                Platform::PanOs,
                Platform::AosCx,
            ];
            assert!(!all.iter().any(|platform| platform.prints(text)), "{text}");
        }
    }
}
