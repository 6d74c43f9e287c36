//! Handshakes whose SYNs stand in a text: segments, window scaling and SACK, as a capture of them gives.

use std::net::IpAddr;

use crate::captured::LeftOut;
use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::flows::flow::{Flow, alike};
use crate::items::Item;
use crate::losses::segments::STAMPS;
use crate::read::{Facts, FetchedBy, Syn};
use crate::seen::{End, Side};
use crate::windows::room::Room;

/// The largest window before it is shifted, bytes (RFC 7323 §2.3).
const UNSHIFTED: f64 = 65_535.0;

/// So much of a window is in flight on average where it is the limit.
const USED: f64 = 0.7;

impl Syn {
    /// The end that opened the connection, and the one that answered.
    pub(crate) fn ends(&self) -> [&End; 2] {
        match self.answers {
            true => [&self.to, &self.from],
            false => [&self.from, &self.to],
        }
    }

    /// Which end of a flow opened this connection; none where it is not of the flow. By ports where both have them, or else by hosts: a
    /// connection beside the flow's, such as the first one of iperf3, has the same options.
    fn opener(&self, flow: &Flow, by_ports: bool) -> Option<Side> {
        let [client, server] = self.ends();
        let is = |own: &End, n: usize| {
            let end = if n == 0 { &flow.from } else { &flow.to };
            let names = flow.test.iter().flat_map(|t| t.aliases[n].iter());
            let mut names = names.chain([&end.host]);
            let host = names.any(|name| !name.is_empty() && alike(name, &own.host));
            let port = end.port.zip(own.port).map(|(a, b)| a == b);
            (host, port)
        };
        let of = |client: (bool, Option<bool>), server: (bool, Option<bool>)| {
            match (client.1, server.1) {
                // A host may be seen by another address where it is not its own.
                (Some(a), Some(b)) if by_ports => a && b,
                _ => !by_ports && client.0 && server.0,
            }
        };
        if of(is(client, 0), is(server, 1)) {
            return Some(Side::Sender);
        }
        of(is(client, 1), is(server, 0)).then_some(Side::Receiver)
    }
}

/// The SYNs of a flow's connections: who opened them, what was offered, and what was answered.
struct Handshake<'f> {
    opener: Side,
    offered: Vec<&'f Syn>,
    answered: Vec<&'f Syn>,
}

impl<'f> Handshake<'f> {
    fn of(facts: &'f Facts, flow: &Flow) -> Option<Handshake<'f>> {
        let of = |by_ports: bool| -> Vec<(&Syn, Side)> {
            let each = facts.syns.iter();
            each.filter_map(|s| Some((s, s.opener(flow, by_ports)?)))
                .collect()
        };
        let exact = of(true);
        let own = if exact.is_empty() { of(false) } else { exact };
        let (opener, all): (Side, Vec<&Syn>) = match own.first() {
            Some((_, side)) => (*side, own.iter().map(|(syn, _)| *syn).collect()),
            None => (unnamed(facts, flow)?, facts.syns.iter().collect()),
        };
        let (answered, offered) = all.into_iter().partition(|syn| syn.answers);
        Some(Handshake {
            opener,
            offered,
            answered,
        })
    }

    /// The last SYN of an end.
    fn last(&self, side: Side) -> Option<&'f Syn> {
        let of = match side == self.opener {
            true => &self.offered,
            false => &self.answered,
        };
        of.last().copied()
    }

    /// Who left scaling out, and where that shows: of a SYN that two hosts show, one of them without, what lies between them. An answer
    /// has it only where it was offered.
    fn left_out(&self) -> Option<(Option<LeftOut>, Place)> {
        for all in [&self.offered, &self.answered] {
            let without = all.iter().rev().find(|syn| syn.shift.is_none());
            let (Some(without), Some(last)) = (without, all.last()) else {
                continue;
            };
            let with = all.iter().filter(|syn| syn.shift.is_some());
            if with.clone().any(|syn| are_apart(syn, without)) {
                return Some((Some(LeftOut::Between), without.at));
            }
            // A SYN that was sent again may be without what the first one had.
            if last.shift.is_some() {
                continue;
            }
            let side = match last.answers {
                true if self.offered.is_empty() => return Some((None, last.at)),
                true => self.opener.other(),
                false => self.opener,
            };
            return Some((Some(LeftOut::Beyond(side)), last.at));
        }
        None
    }
}

/// Whether two SYNs are one packet, seen twice. One that is sent again has the same sequence number, and another identification or time.
fn are_one_packet(a: &Syn, b: &Syn) -> bool {
    let same = |n: usize| a.packet[n].is_some() && a.packet[n] == b.packet[n];
    let unlike = |n: usize| a.packet[n].is_some() && b.packet[n].is_some() && !same(n);
    let ports = a.from.port == b.from.port && a.to.port == b.to.port;
    ports && a.answers == b.answers && same(0) && (same(1) || same(2)) && !unlike(1) && !unlike(2)
}

/// Whether two SYNs were seen at two places: in two texts, under prompts of two names in one, or as one packet with the option and without.
fn are_apart(a: &Syn, b: &Syn) -> bool {
    if are_one_packet(a, b) {
        return true;
    }
    let named = !a.shell.is_empty() && !b.shell.is_empty();
    a.at.source() != b.at.source() || named && a.shell != b.shell
}

/// Whether all of several SYNs are of one pair of hosts, or of one connection, of which an address translation shows either end by two addresses.
fn are_one(all: &[Syn]) -> bool {
    let Some(first) = all.first().map(Syn::ends) else {
        return false;
    };
    let host = |n: usize| all.iter().all(|syn| syn.ends()[n].host == first[n].host);
    let port = |n: usize| {
        let own = first[n].port;
        own.is_some() && all.iter().all(|syn| syn.ends()[n].port == own)
    };
    let hosts = [host(0), host(1)];
    hosts == [true; 2] || hosts != [false; 2] && port(0) && port(1)
}

/// Whether the command of a transfer names the address of another server than this one, and goes to it past every proxy that is known.
fn asks_another(facts: &Facts, flow: &Flow, server: &End) -> bool {
    let fetch = flow.test.as_ref().and_then(|test| facts.fetched_by(test));
    let direct = fetch.filter(|fetch| !matches!(fetch.way, FetchedBy::Through(_)));
    let asked = direct.and_then(|fetch| fetch.host.parse::<IpAddr>().ok());
    let there = server.host.parse::<IpAddr>().ok();
    asked
        .zip(there)
        .is_some_and(|(asked, there)| asked != there)
}

/// Who opened a flow that names no host, where all SYNs are between the same two: its client.
fn unnamed(facts: &Facts, flow: &Flow) -> Option<Side> {
    let first = facts.syns.first()?.ends();
    let one = are_one(&facts.syns) && !asks_another(facts, flow, first[1]);
    let bare = flow.from.host.is_empty() && flow.to.host.is_empty();
    let client = flow.test.as_ref().map_or(Side::Sender, |t| t.client);
    (one && bare && !first[0].host.is_empty()).then_some(client)
}

impl Evidence {
    /// What the SYNs of a flow say, where no capture does.
    pub(crate) fn of_handshake(&mut self, facts: &Facts, flow: &Flow) {
        let captured = !flow.captured.is_empty();
        let Some(seen) = Handshake::of(facts, flow).filter(|_| !captured && !self.udp) else {
            return;
        };
        let both = [Side::Sender, Side::Receiver].map(|side| seen.last(side));
        if let [Some(a), Some(b)] = both {
            let mss = a.mss.zip(b.mss).map(|(a, b)| libm::fmin(a, b));
            let stamps = if a.stamps && b.stamps { STAMPS } else { 0.0 };
            // A socket's own size is what is sent.
            if let Some(mss) = mss.filter(|m| (64.0..65_536.0).contains(m) && !self.mss_said) {
                (self.mss, self.mss_said) = (mss - stamps, true);
            }
        }
        let refuses = |side| seen.last(side).is_some_and(|syn| !syn.sack);
        let sides = [seen.opener, seen.opener.other()];
        self.no_sack = sides.into_iter().find(|side| refuses(*side));
        if let Some((who, at)) = seen.left_out() {
            self.unscaled = self.unscaled.or(Some(at));
            self.left_out = self.left_out.or(who);
            return;
        }
        // The receiver's window is shifted where both offer it: an answer is the word of both.
        let agreed = !seen.answered.is_empty();
        let receiver = seen.last(Side::Receiver).filter(|_| agreed);
        if let Some((shift, at)) = receiver.and_then(|syn| Some((syn.shift?, syn.at))) {
            self.scaled |= shift > 0;
            let most = UNSHIFTED * f64::from(1_u32 << shift);
            self.shifted_most = Some(Figure::exact(most, at));
        }
    }

    /// The largest window that the receiver's shift can say is a limit where that much is in flight.
    pub(crate) fn of_shift(&mut self) {
        let Some(most) = self.shifted_most.clone() else {
            return;
        };
        let flight = self.settled_flight().map_or(0.0, |f| f.high);
        if flight > USED * most.value {
            self.windows.push(Room {
                bytes: most,
                memory: None,
                what: "the largest window that the scale in the receiver's SYN can say".to_owned(),
                asked: false,
            });
        }
    }
}

/// What handshakes say beside the cause.
pub(crate) fn by_handshake(e: &Evidence, items: &mut Vec<Item>) {
    let mut say = |sentence: String| {
        items.push(Item {
            holds: 1.0,
            weights: Vec::new(),
            sentence,
        });
    };
    let lossy = e.retransmits.as_ref().is_none_or(|r| r.value > 0.0);
    if let Some(side) = e.no_sack.filter(|_| lossy) {
        let end = side.name();
        say(format!(
            "the {end}'s SYN does not permit SACK: of several losses in a window each costs a round trip (RFC 6582)"
        ));
    }
    if e.rate.is_none() && e.unscaled.is_some() {
        let text = "windows are not scaled: 65535 bytes in flight are the most (RFC 7323 §2.2)";
        say(text.to_owned());
    }
}

/// Names the ends of SYNs that are of no flow.
pub(crate) fn left_out(facts: &Facts, flows: &[Flow]) -> Option<String> {
    let of = |syn: &Syn| {
        let one = |flow: &Flow| {
            syn.opener(flow, false).or(syn.opener(flow, true)).is_some()
                || unnamed(facts, flow).is_some()
        };
        flows.iter().any(one)
    };
    let first = facts.syns.iter().find(|syn| !of(syn))?;
    let [client, server] = first.ends();
    Some(format!(
        "SYNs between {} and {} are of no flow, and are left out",
        client.shown(),
        server.shown()
    ))
}
