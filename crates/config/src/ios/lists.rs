//! Access lists: their entries, the interfaces that have them, and masks in place of wildcards (IOS011).

use core::net::Ipv4Addr;
use core::ops::Range;
use std::collections::BTreeMap;

use crate::commands::{Kind, Reader, Tree};
use crate::mask::length;
use crate::rules::IOS011;

/// The access lists of a text.
pub(super) struct Lists<'a> {
    /// Of all lists, in order.
    pub(super) entries: Vec<Entry<'a>>,
    /// The lists that interfaces have, `ip access-group NAME in` and as IOS XR writes it.
    pub(super) applied: Vec<&'a str>,
}

/// An entry of an access list.
pub(super) struct Entry<'a> {
    pub(super) list: &'a str,
    /// From its `permit` or `deny` on.
    pub(super) words: Vec<&'a str>,
    pub(super) span: Range<usize>,
}

/// Reads the access lists of a text.
pub(super) fn read<'a>(tree: &Tree<'a>) -> Lists<'a> {
    let mut lists = Lists {
        entries: Vec::new(),
        applied: Vec::new(),
    };
    // The names of lists by the lines that open them.
    let mut opened: BTreeMap<usize, &'a str> = BTreeMap::new();
    for (number, line) in tree.lines().iter().enumerate() {
        if line.kind != Kind::Statement {
            continue;
        }
        let words: Vec<&'a str> = tree.content(number).split_whitespace().collect();
        let top = line.parent.is_none();
        match words[..] {
            ["access-list", list, ..] if top => {
                lists.entry(list, &words[2..], &line.span);
            }
            ["ip" | "ipv4" | "ipv6", "access-list", list]
            | ["ip", "access-list", "extended" | "standard", list]
                if top =>
            {
                opened.insert(number, list);
            }
            ["ip" | "ipv4" | "ipv6", "access-group", name, ..]
            | ["ipv6", "traffic-filter", name, ..]
                if !top =>
            {
                lists.applied.push(name);
            }
            _ => {
                if let Some(list) = line.parent.and_then(|parent| opened.get(&parent)) {
                    lists.entry(list, &words, &line.span);
                }
            }
        }
    }
    lists
}

impl<'a> Lists<'a> {
    /// `[NUMBER] permit|deny …`; remarks are none.
    fn entry(&mut self, list: &'a str, words: &[&'a str], span: &Range<usize>) {
        let from = match words {
            ["permit" | "deny", ..] => Some(0),
            [number, "permit" | "deny", ..] if number.starts_with(|c: char| c.is_ascii_digit()) => {
                Some(1)
            }
            _ => None,
        };
        if let Some(from) = from {
            self.entries.push(Entry {
                list,
                words: words[from..].to_vec(),
                span: span.clone(),
            });
        }
    }
}

/// IOS011, of the entries of all lists.
pub(super) fn check(lists: &Lists<'_>, reader: &mut Reader) {
    for entry in &lists.entries {
        let Some((address, mask)) = masked(&entry.words) else {
            continue;
        };
        let wildcard = Ipv4Addr::from_bits(!mask.to_bits());
        reader.fault(
            &IOS011,
            entry.span.clone(),
            format!(
                "access list `{}` has `{address} {mask}`: {mask} stands where a wildcard does, and the entry is not of that subnet",
                entry.list
            ),
            &format!("`{address} {wildcard}`"),
        );
    }
}

/// The first address of an entry with the mask of a subnet in place of a wildcard: of what the mask covers a wildcard would
/// leave nothing.
fn masked(words: &[&str]) -> Option<(Ipv4Addr, Ipv4Addr)> {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first == "host" {
            rest = after.get(1..)?;
            continue;
        }
        let Ok(address) = first.parse::<Ipv4Addr>() else {
            continue;
        };
        let Some(second) = after.first().and_then(|w| w.parse::<Ipv4Addr>().ok()) else {
            continue;
        };
        rest = &after[1..];
        let subnet = length(second).is_some_and(|l| (8..32).contains(&l));
        if subnet && address.to_bits() & second.to_bits() != 0 {
            return Some((address, second));
        }
    }
    None
}
