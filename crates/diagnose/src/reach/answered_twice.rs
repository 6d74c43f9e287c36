//! Pings that were answered more than once, and addresses that two hosts answer for: something copies packets, or two hosts have one address.

use core::net::IpAddr;
use std::collections::{BTreeMap, BTreeSet};

use crate::document::MissingFact;
use crate::fact::{Of, Place};
use crate::flows::flow::number;
use crate::losses::holes::FULL_TTLS;
use crate::read::Facts;

/// How what is said first of such answers begins.
pub(crate) const TWICE: &str = "more than one answer came to a ping";
pub(crate) const TWO_HOSTS: &str = "two hosts answer for one address";

/// Answers that came beside the first to each ping of a run, as facts have it.
pub(crate) const DUPLICATES: &str = "ping_duplicates";

/// Two addresses of cards that answered `arping` for one address, as facts have it.
pub(crate) const TWO_CARDS: &str = "ping_two_cards";

/// What is said of all of them, and where it was read; none where each ping had one answer.
fn each(facts: &Facts) -> impl Iterator<Item = (Place, String)> {
    let cards = cards(facts);
    let swaps = swaps(facts).filter(|_| cards.is_none());
    cards.into_iter().chain(runs(facts)).chain(swaps)
}

/// So often the TTL has to change from that of one system to that of another: once is a host that went away.
const CHANGES: usize = 3;

/// A run of pings whose answers come now with the TTL of one system and now with that of another.
fn swaps(facts: &Facts) -> Option<(Place, String)> {
    let mut each: BTreeMap<Of, Vec<(Place, u32)>> = BTreeMap::new();
    for (at, ttl, of) in &facts.reply_ttls {
        each.entry(*of).or_default().push((*at, *ttl));
    }
    each.iter().find_map(|(of, all)| {
        let Of::Ping(n) = *of else { return None };
        let names = facts.pings.get(n as usize)?;
        let doubled = number(facts, *of, DUPLICATES).is_some();
        let ttls: BTreeSet<u32> = all.iter().map(|(_, ttl)| *ttl).collect();
        let (least, most) = (ttls.first()?, ttls.last()?);
        let began = |ttl: &u32| FULL_TTLS.into_iter().find(|begin| begin >= ttl);
        let changes = all.windows(2).filter(|pair| pair[0].1 != pair[1].1);
        let swapped = ttls.len() == 2 && began(least) != began(most) && changes.count() >= CHANGES;
        let host = one_host(names).filter(|_| swapped && !doubled)?;
        let said = format!(
            "{TWO_HOSTS}, or lie behind it: what answers for {host} has now a TTL of {least} and now of {most}, which two systems begin with. Packets of a connection that reach the other one are reset. A balancer of load in front of two servers gives the same picture"
        );
        Some((all.first()?.0, said))
    })
}

/// An address for which two cards answered.
fn cards(facts: &Facts) -> Option<(Place, String)> {
    let (fact, word) = facts.all_words(TWO_CARDS).next()?;
    let said = format!(
        "{TWO_HOSTS}: {word}. Packets reach now the one and now the other, which resets what it does not know. Give one of them another address: the MAC table of the switches has their ports. Two routers that answer in the stead of a host (proxy ARP) give the same picture"
    );
    Some((fact.at, said))
}

/// Runs of pings with more answers than one to a ping.
fn runs(facts: &Facts) -> impl Iterator<Item = (Place, String)> {
    (0_u32..).zip(&facts.pings).filter_map(move |(n, names)| {
        let doubled = number(facts, Of::Ping(n), DUPLICATES)?;
        let at = *doubled.from.first()?;
        let host = one_host(names)?;
        let count = doubled.value;
        Some((
            at,
            format!(
                "{TWICE}: {host} sent {count:.0} more than it was asked for{}",
                why(&ttls(facts, n))
            ),
        ))
    })
}

/// The host that a run went to, for people; none where its address is that of several.
fn one_host(names: &[String]) -> Option<&str> {
    let many = names.iter().any(|name| is_of_many(name));
    (!many).then(|| names.first().map_or("the host", String::as_str))
}

/// Whether an address is that of several hosts, each of which answers.
fn is_of_many(name: &str) -> bool {
    match name.parse::<IpAddr>() {
        Ok(IpAddr::V4(one)) => one.is_multicast() || one.octets()[3] == 255,
        Ok(IpAddr::V6(one)) => one.is_multicast(),
        Err(_) => false,
    }
}

/// The TTL of the answers to a run.
fn ttls(facts: &Facts, n: u32) -> BTreeSet<u32> {
    let own = facts
        .reply_ttls
        .iter()
        .filter(|(.., of)| *of == Of::Ping(n));
    own.map(|(_, ttl, _)| *ttl).collect()
}

/// What may be the reason, by the TTL of the answers.
fn why(ttls: &BTreeSet<u32>) -> String {
    let all: Vec<String> = ttls.iter().map(u32::to_string).collect();
    match &all[..] {
        [least, .., most] => format!(
            ", with a TTL of {least} and of {most}: two hosts have that address, or its answers come by two ways"
        ),
        _ => ". Something on the way copies packets: a loop of switches, a mirrored port whose copies come back, or a bond whose switch knows nothing of it".to_owned(),
    }
}

/// What there is to note.
pub(crate) fn notes(facts: &Facts) -> Vec<String> {
    each(facts)
        .map(|(at, said)| format!("{}: {said}", facts.place(at)))
        .collect()
}

/// What is said first of them, where no text says how fast anything was.
pub(crate) fn first(facts: &Facts) -> Option<String> {
    let (at, said) = each(facts).next()?;
    Some(format!("{said} ({})", facts.place(at)))
}

/// Whose answers these are; none where each ping had one answer, or it is known.
pub(crate) fn asks(facts: &Facts, host: &str) -> Option<MissingFact> {
    let open = runs(facts).next().or_else(|| swaps(facts));
    open.filter(|_| cards(facts).is_none())?;
    Some(MissingFact {
        fact: "answering_cards",
        would_decide: "whether two hosts answer for that address, or one whose packets are copied: two MAC addresses are of two hosts".to_owned(),
        command: format!(
            "on a host of the same network as {host}: arping -c 3 -I INTERFACE {host}; on its switches: show mac address-table, show spanning-tree, show monitor session all"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    const PINGS: &str = "\
PING 192.0.2.20 (192.0.2.20) 56(84) bytes of data.
64 bytes from 192.0.2.20: icmp_seq=1 ttl=64 time=0.412 ms
64 bytes from 192.0.2.20: icmp_seq=1 ttl=128 time=0.933 ms (DUP!)
64 bytes from 192.0.2.20: icmp_seq=2 ttl=64 time=0.401 ms

--- 192.0.2.20 ping statistics ---
2 packets transmitted, 2 received, +1 duplicates, 0% packet loss, time 1090ms
rtt min/avg/max/mdev = 0.401/0.582/0.933/0.235 ms
";

    fn facts(text: &str) -> Facts {
        read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }])
    }

    #[test]
    fn answers_by_their_ttl_are_of_two_hosts_or_copied() {
        let two = facts(PINGS);
        let said = first(&two).expect("there are two answers");
        assert!(said.contains("a TTL of 64 and of 128"), "{said}");
        assert!(asks(&two, "192.0.2.20").is_some());
        let one = first(&facts(&PINGS.replace("ttl=128", "ttl=64")));
        assert!(one.is_some_and(|said| said.contains("copies packets")));
    }

    /// Such pings had "neither loss nor waiting", and nothing was said.
    #[test]
    fn answers_of_two_systems_by_turns_are_of_two_hosts() {
        let answer =
            |ttl: u32| format!("64 bytes from 192.0.2.20: icmp_seq=1 ttl={ttl} time=2.10 ms\n");
        let of = |ttls: &[u32]| {
            let answers: String = ttls.iter().map(|ttl| answer(*ttl)).collect();
            let head = "PING 192.0.2.20 (192.0.2.20) 56(84) bytes of data.\n";
            facts(&format!("{head}{answers}"))
        };
        let two = of(&[61, 61, 125, 125, 61, 125]);
        let said = first(&two).expect("there are two");
        assert!(said.starts_with(TWO_HOSTS), "{said}");
        assert!(asks(&two, "192.0.2.20").is_some());
        // Another way, a host that went away, and one host.
        for ttls in [
            &[61, 60, 61, 60, 61][..],
            &[61, 61, 125, 125],
            &[61, 61, 61],
        ] {
            assert_eq!(first(&of(ttls)), None, "{ttls:?}");
        }
    }

    /// Each host of a network answers a ping to all of them.
    #[test]
    fn one_answer_to_each_ping_and_pings_to_many_say_nothing() {
        let alone = PINGS.replace("+1 duplicates, ", "");
        let many = PINGS.replace(
            "PING 192.0.2.20 (192.0.2.20)",
            "PING 192.0.2.255 (192.0.2.255)",
        );
        let many = many.replace("--- 192.0.2.20", "--- 192.0.2.255");
        for text in [alone, many] {
            assert_eq!(first(&facts(&text)), None, "{text}");
        }
    }

    #[test]
    fn two_cards_that_answer_for_one_address_are_two_hosts() {
        let arping = "\
ARPING 192.0.2.20 from 192.0.2.5 eth0
Unicast reply from 192.0.2.20 [00:1E:67:AA:01:02]  0.712ms
Unicast reply from 192.0.2.20 [3C:52:82:77:10:9F]  0.990ms
Received 2 response(s)
";
        let both = facts(&format!("{PINGS}{arping}"));
        let said = first(&both).expect("there are two cards");
        assert!(said.starts_with(TWO_HOSTS), "{said}");
        assert!(asks(&both, "192.0.2.20").is_none());
        let same = arping.replace("3C:52:82:77:10:9F", "00:1e:67:aa:01:02");
        assert_eq!(first(&facts(&same)), None);
    }
}
