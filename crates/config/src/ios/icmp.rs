//! IOS008: access lists that take path MTU discovery away.

use super::lists::{Entry, Lists};
use crate::commands::Reader;
use crate::rules::IOS008;

/// What the routers' answer to a packet that is too large is called in an entry: alone, as all unreachables, by type and code.
const TOO_LARGE: [&str; 5] = [
    "packet-too-big",
    "unreachable",
    "unreachables",
    "3",
    "too-big",
];

/// What an entry does with that answer, whoever sends it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Passes,
    Dropped,
    /// It is of other packets, or of some addresses only.
    Other,
}

/// IOS008, of the access lists that interfaces have.
pub(super) fn check(lists: &Lists<'_>, reader: &mut Reader) {
    let mut seen = Vec::new();
    for &name in &lists.applied {
        let of_list = || lists.entries.iter().filter(|e| e.list == name);
        let met = of_list().find(|e| e.fate() != Fate::Other);
        let dropped = match met {
            Some(entry) => Some(entry).filter(|e| e.fate() == Fate::Dropped),
            // What no entry is of is denied.
            None => of_list().rfind(|e| e.passes_tcp()),
        };
        let Some(entry) = dropped.filter(|_| !seen.contains(&name)) else {
            continue;
        };
        seen.push(name);
        reader.fault(
            &IOS008,
            entry.span.clone(),
            format!(
                "access list `{name}` {}, `packet-too-big` too: where a link on the way carries less than the sender's MTU, full \
                 segments vanish",
                match met {
                    Some(_) => "denies ICMP",
                    None => "has no entry for ICMP and denies it",
                }
            ),
            "an entry `permit icmp any any packet-too-big` in front; or `ip tcp adjust-mss` that fits every link of the way",
        );
    }
}

impl Entry<'_> {
    fn fate(&self) -> Fate {
        let (what, protocol) = (self.words[0], self.words.get(1).copied());
        let (from, rest) = addresses(self.words.get(2..).unwrap_or_default());
        let (to, kinds) = addresses(rest);
        let of_icmp = matches!(protocol, Some("icmp" | "icmpv6" | "1" | "58"));
        if !of_icmp && !matches!(protocol, Some("ip" | "ipv4" | "ipv6")) {
            return Fate::Other;
        }
        match what {
            _ if !kinds.iter().all(|word| of_answer(word)) => Fate::Other,
            // Also of some addresses only: whose answers it is meant to let through is not known.
            "permit" => Fate::Passes,
            _ if from == Some("any") && (of_icmp || to == Some("any")) => Fate::Dropped,
            _ => Fate::Other,
        }
    }

    /// Whether it lets all of TCP through, and so a transfer.
    fn passes_tcp(&self) -> bool {
        matches!(self.words[..], ["permit", "tcp", "any", "any", ..])
    }
}

/// The first address of some words, and what stands behind it: `any`, `host ADDRESS`, `ADDRESS MASK`, `ADDRESS/LENGTH`.
fn addresses<'w, 'a>(words: &'w [&'a str]) -> (Option<&'a str>, &'w [&'a str]) {
    match words {
        [one, rest @ ..] if *one == "any" || one.contains('/') => (Some(one), rest),
        [one, _, rest @ ..] => (Some(one), rest),
        _ => (None, &[]),
    }
}

/// Whether what stands behind the addresses of an entry leaves that answer among its packets.
fn of_answer(word: &str) -> bool {
    TOO_LARGE.contains(&word) || ["log", "log-input", "4"].contains(&word)
}
