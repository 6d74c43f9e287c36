//! IOS008: access lists, and interfaces, that take path MTU discovery away.

use core::ops::Range;

use farpath_predict::IpVersion;

use super::interface::names;
use super::lists::{Entry, Lists};
use crate::commands::{Reader, Tree, Words};
use crate::qos::{Device, Interface, default_packet};
use crate::rules::IOS008;

/// Largest packet that most hosts send, bytes.
const USUAL: u32 = 1500;

/// Interfaces that no packet of a host comes in by.
const VIRTUAL: [&str; 3] = ["Loopback", "Null", "Tunnel"];

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

/// IOS008, of interfaces that send no such answers to what comes in there and does not fit a tunnel of the device.
pub(super) fn unreachables(tree: &Tree<'_>, reader: &mut Reader) {
    let mut found: Vec<(Range<usize>, String)> = Vec::new();
    for (number, line) in tree.lines().iter().enumerate() {
        let words: Vec<&str> = tree.content(number).split_whitespace().collect();
        let Some(section) = line
            .parent
            .filter(|_| words == ["no", "ip", "unreachables"])
        else {
            continue;
        };
        let Some(named) = tree.content(section).strip_prefix("interface ") else {
            continue;
        };
        let named = names(&mut Words::new(named, 0));
        let mut each = named.iter();
        let met = each.find_map(|name| Some((name, narrower(&reader.device, name)?)));
        if let Some((name, (tunnel, packet))) = met {
            let message = format!(
                "{name} sends no answer to a packet that does not fit: {tunnel} takes {packet} B, and larger packets that come in here for it, and must not be fragmented, vanish"
            );
            found.push((line.span.clone(), message));
        }
    }
    for (span, message) in found {
        let remedy = "`ip unreachables` here; or `ip tcp adjust-mss` that fits the tunnel";
        reader.fault(&IOS008, span, message, remedy);
    }
}

/// The tunnel with the smallest packets below the usual ones, stated or by default, where no segment size is lowered to fit it and what
/// comes in by `name` may go there.
fn narrower(device: &Device, name: &str) -> Option<(String, u32)> {
    let own = device.interfaces.iter().find(|i| i.name == name)?;
    if own.shutdown || VIRTUAL.iter().any(|kind| name.starts_with(kind)) {
        return None;
    }
    let stated = |i: &Interface| Some(i.ip_mtu.as_ref().or(i.mtu.as_ref())?.value);
    let tunnels = device.interfaces.iter();
    let tunnels = tunnels.filter(|i| i.name.starts_with("Tunnel") && !i.shutdown);
    // What carries a tunnel brings its packets in, and sends none into it.
    let carries = |tunnel: &&Interface| {
        let source = tunnel.tunnel.source.as_ref();
        let has = |at: &str| own.addresses.iter().any(|a| a.value.0.to_string() == at);
        source.is_some_and(|s| s.value == name || has(s.value.as_str()))
    };
    let small = tunnels.filter(|t| !carries(t)).filter_map(|t| {
        let packet = stated(t).or_else(|| default_packet(device, t));
        Some((packet.filter(|packet| *packet < USUAL)?, t.name.clone()))
    });
    let (packet, tunnel) = small.min()?;
    let fits = packet.saturating_sub(IpVersion::V4.fixed_headers());
    let mut sizes = device
        .interfaces
        .iter()
        .filter_map(|i| i.adjust_mss.as_ref());
    let lowered = sizes.any(|mss| mss.value <= fits);
    (!lowered).then_some((tunnel, packet))
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
