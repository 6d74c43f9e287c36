//! IOS008: access lists that take path MTU discovery away.

use core::ops::Range;

use crate::commands::{Kind, Reader, Tree};
use crate::rules::IOS008;

/// What the routers' answer to a packet that is too large is called in an entry: alone, as all unreachables, by type and code.
const TOO_LARGE: [&str; 5] = [
    "packet-too-big",
    "unreachable",
    "unreachables",
    "3",
    "too-big",
];

/// An entry of an access list.
struct Entry<'a> {
    list: &'a str,
    /// From its `permit` or `deny` on.
    words: Vec<&'a str>,
    span: Range<usize>,
}

/// What an entry does with that answer, whoever sends it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Passes,
    Dropped,
    /// It is of other packets, or of some addresses only.
    Other,
}

/// IOS008, of the access lists that interfaces have.
pub(super) fn check(tree: &Tree<'_>, reader: &mut Reader) {
    let entries = entries(tree);
    let mut seen = Vec::new();
    for name in applied(tree) {
        let of_list = || entries.iter().filter(|e| e.list == name);
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

/// The access lists of interfaces, `ip access-group NAME in` and as IOS XR writes it.
fn applied<'a>(tree: &Tree<'a>) -> Vec<&'a str> {
    let lines = 0..tree.lines().len();
    let inside = lines.filter(|&line| {
        let line = &tree.lines()[line];
        line.kind == Kind::Statement && line.parent.is_some()
    });
    let groups = inside.filter_map(|line| {
        let words: Vec<&str> = tree.content(line).split_whitespace().collect();
        match words[..] {
            ["ip" | "ipv4" | "ipv6", "access-group", name, ..] => Some(name),
            ["ipv6", "traffic-filter", name, ..] => Some(name),
            _ => None,
        }
    });
    groups.collect()
}

/// The entries of all access lists, in order.
fn entries<'a>(tree: &Tree<'a>) -> Vec<Entry<'a>> {
    let mut all = Vec::new();
    for line in tree.inside(None) {
        let words: Vec<&str> = tree.content(line).split_whitespace().collect();
        let list = match words[..] {
            ["access-list", list, ..] => {
                let span = tree.lines()[line].span.clone();
                all.extend(Entry::read(list, &words[2..], span));
                continue;
            }
            ["ip", "access-list", "extended", list] => list,
            ["ip" | "ipv4" | "ipv6", "access-list", list] => list,
            _ => continue,
        };
        for inner in tree.statements(line) {
            let words: Vec<&str> = tree.content(inner).split_whitespace().collect();
            let span = tree.lines()[inner].span.clone();
            all.extend(Entry::read(list, &words, span));
        }
    }
    all
}

impl<'a> Entry<'a> {
    /// `[NUMBER] permit|deny PROTOCOL FROM TO …`; none of remarks.
    fn read(list: &'a str, words: &[&'a str], span: Range<usize>) -> Option<Entry<'a>> {
        let from = words.iter().position(|w| ["permit", "deny"].contains(w))?;
        (from <= 1).then(|| Entry {
            list,
            words: words[from..].to_vec(),
            span,
        })
    }

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
