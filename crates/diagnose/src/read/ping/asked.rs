//! What a ping command asks for: where to, of which size, whole or not, and by which version of IP.

use super::is_host;
use crate::read::label::behind_prompt;
use crate::words::whole;

/// What a command says of its run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Asked {
    /// The host that it names.
    pub(super) to: Option<String>,
    /// The bytes of each packet, with its headers.
    pub(super) size: Option<f64>,
    /// Whether it asked for IPv6, or for IPv4; none where it leaves that to the system.
    pub(super) ipv6: Option<bool>,
    /// Whether no router may cut its packets.
    pub(super) whole: bool,
    /// The same, if it is typed at a BSD or macOS: `-D` of Linux prints the time.
    pub(super) whole_of_bsd: bool,
}

/// Options and words behind which a word stands that is not the host.
const VALUED: [&str; 12] = [
    "-M",
    "-I",
    "-S",
    "-p",
    "-T",
    "-Q",
    "-F",
    "-N",
    "vrf",
    "routing-instance",
    "source",
    "interface",
];

/// Words of routers before a host.
const VERSIONS: [&str; 4] = ["ip", "ipv6", "inet", "inet6"];

impl Asked {
    /// What this command says.
    pub(super) fn of(command: &str) -> Asked {
        Asked {
            to: target(command).map(str::to_owned),
            size: size(command),
            ipv6: ipv6(command),
            whole: is_whole(command),
            whole_of_bsd: command.split_whitespace().any(|word| word == "-D"),
        }
    }
}

/// The command behind a prompt, if it is a ping: `$ sudo ping -M do -s 1372 192.0.2.9`.
pub(super) fn typed(text: &str) -> Option<&str> {
    let is_first = |command: &&str| {
        let mut words = command.split_whitespace();
        let first = words.find(|w| !matches!(*w, "sudo" | "doas"));
        first.is_some_and(is_ping)
    };
    behind_prompt(text)?.split([';', '&', '|']).find(is_first)
}

/// Whether a word is the program: `/usr/bin/ping6`, `ping.exe`.
fn is_ping(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    matches!(name.trim_end_matches(".exe"), "ping" | "ping6")
}

/// The host that a command names: its first word that is neither an option nor the value of one.
fn target(command: &str) -> Option<&str> {
    let mut words = command
        .split_whitespace()
        .skip_while(|word| !is_ping(word))
        .take_while(|word| !word.starts_with('#'));
    words.next()?;
    while let Some(word) = words.next() {
        if VALUED.contains(&word) {
            words.next();
            continue;
        }
        let is_number = word.parse::<f64>().is_ok();
        if !is_number && !VERSIONS.contains(&word) && is_host(word) {
            return Some(word);
        }
    }
    None
}

/// Whether a command asks for IPv6 (`-6`, `ping6`) or for IPv4 (`-4`).
fn ipv6(command: &str) -> Option<bool> {
    command.split_whitespace().find_map(|word| match word {
        "-6" => Some(true),
        "-4" => Some(false),
        _ if word.ends_with("ping6") => Some(true),
        _ => None,
    })
}

/// The bytes of each packet of a command, with its headers: `-s 1372` or `-s1372`, which is `-l` of Windows.
fn size(command: &str) -> Option<f64> {
    let behind = |word: &str| {
        let own = word.strip_prefix("-s").or_else(|| word.strip_prefix("-l"));
        own.map(str::to_owned)
    };
    let mut words = command.split_whitespace();
    let data = match words.find_map(behind)?.as_str() {
        "" => words.next().and_then(whole)?,
        joined => whole(joined)?,
    };
    Some(data as f64 + 28.0)
}

/// Whether a command has its packets go whole: `-M do` of Linux, `-f` of Windows, which has its size behind `-l`.
fn is_whole(command: &str) -> bool {
    let words: Vec<&str> = command.split_whitespace().collect();
    let by_linux = |two: &[&str]| two[0] == "-M" && matches!(two[1], "do" | "probe");
    let by_windows = || words.contains(&"-f") && words.contains(&"-l");
    words.windows(2).any(by_linux) || words.contains(&"-Mdo") || by_windows()
}

/// `Sending 5, 1500-byte ICMP Echos to 192.0.2.9` of a router: the bytes of each packet with its headers.
pub(super) fn routers_size(text: &str) -> Option<f64> {
    let (_, behind) = text.strip_prefix("Sending ")?.split_once(", ")?;
    let (bytes, _) = behind.split_once("-byte ")?;
    whole(bytes).map(|n| n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_its_host_wherever_it_stands() {
        for (text, to) in [
            ("$ ping -c 10 B", "B"),
            (
                "$ sudo ping -M do -s 1472 -I eth0 192.0.2.9 | tail -2",
                "192.0.2.9",
            ),
            ("C:\\>ping -f -l 1472 -n 20 far.example", "far.example"),
            ("user@r1> ping routing-instance blue 192.0.2.9", "192.0.2.9"),
            ("a$ ping far -c 5   # idle now", "far"),
            ("$ ping6 -c 3 2001:db8::1", "2001:db8::1"),
        ] {
            let asked = typed(text).map(Asked::of).unwrap_or_default();
            assert_eq!(asked.to.as_deref(), Some(to), "{text}");
        }
        assert_eq!(Asked::of("ping -c 10").to, None);
    }

    #[test]
    fn a_command_says_how_its_packets_go() {
        let of = Asked::of;
        assert!(of("ping -M do -s 1472 far").whole && of("ping -f -l 1472 far").whole);
        assert!(!of("ping -s 1472 far").whole && !of("ping -f far").whole);
        assert_eq!(of("ping -4 far").ipv6, Some(false));
        for sized in ["ping -s 1472 far", "ping -s1472 far", "ping -l 1472 far"] {
            assert_eq!(of(sized).size, Some(1500.0), "{sized}");
        }
        let bsd = of("ping -D -s 1472 far");
        assert!(bsd.whole_of_bsd && !bsd.whole && !of("ping -s 1472 far").whole_of_bsd);
    }
}
