//! Sockets: the test that each of them carried, and those that are connections of their own.

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::ceiling::bytes;
use crate::document::Stream;
use crate::evidence::Evidence;
use crate::fact::{Of, Place};
use crate::flows::flow::{FLOWS_MAX, Flow, LARGE, alike, number};
use crate::programs::one_by_one::OneByOne;
use crate::reach::stuck::is_stuck;
use crate::read::Facts;
use crate::seen::{End, Report, Side, Test};
use crate::verdict::Judged;
use crate::windows::channel::{OVER_SSH, SSH_PORT};
use crate::windows::shut_window::is_shut;

/// A socket that carried less needs no explanation beside a test, bytes.
const WORTH: f64 = 1e6;

/// Most sockets that are named as left out.
const NAMED_MAX: usize = 4;

/// Gives each socket to the flow it carried. Those that are of no test and carried much are flows of their own, in the order of the texts.
pub(crate) fn sockets(facts: &Facts, flows: &mut Vec<Flow>) {
    let mut own: Vec<Flow> = Vec::new();
    let copied = copies(facts, flows);
    let beside = against(facts, flows);
    for (n, [here, peer]) in (0_u32..).zip(&facts.sockets) {
        if copied.contains(&n) {
            continue;
        }
        // What both ends print of one connection is of one flow.
        let mut known = flows.iter_mut().chain(&mut own);
        let is = |f: &Flow, a: &End, b: &End| (f.from.port, f.to.port) == (a.port, b.port);
        let of_ports = known.find(|f| is(f, here, peer) || is(f, peer, here));
        let side = sends(facts, n);
        if let Some(flow) = of_ports.filter(|_| here.port.is_some()) {
            match is(flow, here, peer) {
                true => flow.sockets.push(n),
                false => flow.far_sockets.push(n),
            }
            continue;
        }
        if beside.contains(&n) {
            own.push(alone(n, side, here, peer));
            continue;
        }
        match carriers(facts, flows, here, peer)[..] {
            [one] => {
                let side = side.or_else(|| flows[one].opened(here, peer));
                flows[one].name_ends(side, here, peer);
                flows[one].give(n, side);
            }
            [] if between(flows, here, peer) => own.push(alone(n, side, here, peer)),
            _ => {}
        }
    }
    let tests = !flows.is_empty();
    without_idle(facts, flows, &mut own, tests);
    for flow in own {
        if flows.len() >= FLOWS_MAX {
            break;
        }
        let at = first_place(facts, &flow);
        let is_later = |f: &Flow| f.test.as_ref().is_some_and(|t| Some(t.at) > at);
        let place = flows.iter().position(is_later).unwrap_or(flows.len());
        flows.insert(place, flow);
    }
}

impl Facts {
    /// The number of the socket between these ends, the own one first. However often it is printed it is one.
    pub(crate) fn socket(&mut self, ends: [End; 2]) -> u32 {
        let new = self.sockets.len() as u32;
        if ends.iter().any(|e| e.port.is_none() || e.host.is_empty()) {
            self.sockets.push(ends);
            return new;
        }
        let n = *self.sockets_between.entry(ends.clone()).or_insert(new);
        if n == new {
            self.sockets.push(ends);
        }
        n
    }

    /// What the other end printed of a socket's connection.
    fn far_end(&self, n: u32) -> Option<u32> {
        let [here, peer] = self.sockets.get(n as usize)?;
        let far = [peer.clone(), here.clone()];
        self.sockets_between.get(&far).copied().filter(|m| *m != n)
    }
}

/// Gives a copy over SSH without addresses its socket, the busiest of several, and with it its ends; the sockets that are taken.
fn copies(facts: &Facts, flows: &mut [Flow]) -> Vec<u32> {
    let is_copy = |f: &&mut Flow| {
        let test = f.test.as_ref();
        let named = test.is_some_and(|t| OVER_SSH.contains(&t.tool));
        named && f.from.host.is_empty() && f.to.host.is_empty()
    };
    let mut all: Vec<u32> = (0..facts.sockets.len() as u32)
        .filter(|n| {
            facts.sockets[*n as usize]
                .iter()
                .any(|e| e.port == Some(SSH_PORT))
        })
        .collect();
    let size = |n: &u32| carried(facts, *n).unwrap_or(0.0);
    all.sort_by(|a, b| size(b).total_cmp(&size(a)));
    let mut taken = Vec::new();
    for flow in flows.iter_mut().filter(is_copy) {
        let fits = |n: &&u32| !taken.contains(*n) && flow.may_be(sends(facts, **n));
        let Some(n) = all.iter().find(fits).copied() else {
            continue;
        };
        let [here, peer] = &facts.sockets[n as usize];
        flow.copied(n, sends(facts, n), here, peer);
        taken.push(n);
    }
    taken
}

/// The sockets that go the other way than the test they might be of, before one of them names its ends.
fn against(facts: &Facts, flows: &[Flow]) -> Vec<u32> {
    let busy = busy_hosts(facts);
    let goes = |(n, [here, peer]): &(u32, &[End; 2])| match carriers(facts, flows, here, peer)[..] {
        [one] => goes_against(&flows[one], &here.host, sends(facts, *n), &busy),
        _ => false,
    };
    let all = (0_u32..).zip(&facts.sockets);
    all.filter(goes).map(|(n, _)| n).collect()
}

/// The hosts at which sockets that carried much send, and those at which such receive.
fn busy_hosts(facts: &Facts) -> [BTreeSet<&str>; 2] {
    let mut all = [BTreeSet::new(), BTreeSet::new()];
    for (n, [here, _]) in (0_u32..).zip(&facts.sockets) {
        let busy = carried(facts, n).is_some_and(|bytes| bytes >= WORTH);
        if let Some(side) = sends(facts, n).filter(|_| busy) {
            all[usize::from(side == Side::Receiver)].insert(here.host.as_str());
        }
    }
    all
}

/// Whether a socket goes the other way than a test whose ends no text names by address, while another one of its host goes the test's way:
/// that one is the test's, and this one is a connection beside it.
fn goes_against(
    flow: &Flow,
    host: &str,
    side: Option<Side>,
    [sending, receiving]: &[BTreeSet<&str>; 2],
) -> bool {
    let is_address = |end: &End| end.host.parse::<IpAddr>().is_ok();
    let known = |test: &&Test| is_address(&test.from) && is_address(&test.to);
    let Some(test) = flow.test.as_ref().filter(|test| !known(test)) else {
        return false;
    };
    match (test.sent.is_some(), test.received.is_some(), side) {
        (false, true, Some(Side::Sender)) => receiving.contains(host),
        (true, false, Some(Side::Receiver)) => sending.contains(host),
        _ => false,
    }
}

/// The flow of a socket alone.
fn alone(n: u32, side: Option<Side>, here: &End, peer: &End) -> Flow {
    let mut flow = match side {
        Some(Side::Receiver) => Flow::of(None, peer, here),
        _ => Flow::of(None, here, peer),
    };
    flow.give(n, side);
    flow
}

impl Flow {
    /// Whether a copy went the way of a socket's data. Only rsync's closing line says which way that was.
    fn may_be(&self, side: Option<Side>) -> bool {
        let Some(test) = &self.test else { return false };
        let report = test.sent.as_ref().or(test.received.as_ref());
        let closing = test.tool == "rsync" && report.is_some_and(|r| r.bytes.is_some());
        let own = if test.sent.is_some() {
            Side::Sender
        } else {
            Side::Receiver
        };
        !closing || side.is_none_or(|side| side == own)
    }

    /// Takes the socket of a copy, the ends that it names, and the way of its data.
    fn copied(&mut self, n: u32, side: Option<Side>, here: &End, peer: &End) {
        let receives = side == Some(Side::Receiver);
        (self.from, self.to) = match receives {
            true => (peer.clone(), here.clone()),
            false => (here.clone(), peer.clone()),
        };
        if let Some(test) = &mut self.test {
            (test.from, test.to) = (self.from.clone(), self.to.clone());
            if receives && test.received.is_none() {
                test.received = test.sent.take();
                test.client = Side::Receiver;
            }
        }
        self.give(n, side);
    }

    /// Takes the names of its ends from a socket, where no text says them and it is known which of them sent.
    fn name_ends(&mut self, side: Option<Side>, here: &End, peer: &End) {
        let (Some(side), Some(test)) = (side, &mut self.test) else {
            return;
        };
        let ends = match side {
            Side::Sender => [here, peer],
            Side::Receiver => [peer, here],
        };
        let own = [&mut self.from, &mut self.to];
        // What is named of it has to be so in the socket.
        let agrees = |(own, end): (&&mut End, &&End)| own.host.is_empty() || own.host == end.host;
        if !own.iter().zip(&ends).all(agrees) {
            return;
        }
        for (own, end) in own.into_iter().zip(ends) {
            own.host.clone_from(&end.host);
        }
        (test.from, test.to) = (self.from.clone(), self.to.clone());
    }

    /// The end of a test that a socket is of which says nothing of its bytes: whoever opened the connection has the higher port, where
    /// the other is of a service.
    fn opened(&self, here: &End, peer: &End) -> Option<Side> {
        let client = self.test.as_ref()?.client;
        let (own, other) = here.port.zip(peer.port)?;
        match (own < SYSTEM_PORTS, other < SYSTEM_PORTS) {
            (false, true) => Some(client),
            (true, false) => Some(client.other()),
            _ => None,
        }
    }

    /// Takes a socket, as that of the end which it is of.
    fn give(&mut self, n: u32, side: Option<Side>) {
        match side {
            Some(Side::Receiver) => self.far_sockets.push(n),
            _ => self.sockets.push(n),
        }
    }
}

/// Tests that a socket may have carried: over TCP, between hosts and ports that are not others.
fn carriers(facts: &Facts, flows: &[Flow], here: &End, peer: &End) -> Vec<usize> {
    let service = |f: &Flow| {
        f.to.port.is_some() && f.to.port == peer.port
            || f.from.port.is_some() && f.from.port == here.port
    };
    let may = |f: &Flow| {
        f.test.as_ref().is_some_and(|t| !t.udp)
            && !foreign(f, here, peer)
            && (f.from.port.is_none() || service(f) || facts.sockets.len() == 1)
    };
    (0..flows.len()).filter(|n| may(&flows[*n])).collect()
}

/// Whether a socket is of another connection for certain: both say their ports, or their hosts, and share none; or it is of another
/// service than the test.
fn foreign(flow: &Flow, here: &End, peer: &End) -> bool {
    let ports: Vec<u16> = [&flow.from, &flow.to]
        .iter()
        .filter_map(|e| e.port)
        .collect();
    let sockets: Vec<u16> = [here, peer].iter().filter_map(|e| e.port).collect();
    if !ports.is_empty() && sockets.len() == 2 {
        return !ports.iter().any(|p| sockets.contains(p));
    }
    let service = flow.test.as_ref().and_then(|t| t.service);
    let of_other = service.is_some_and(|port| sockets.len() == 2 && !sockets.contains(&port));
    of_other || !among(flow, here, peer)
}

/// Whether a socket may be between the hosts of one of the flows, one way or the other; any may where there are none.
fn between(flows: &[Flow], here: &End, peer: &End) -> bool {
    flows.is_empty() || flows.iter().any(|f| among(f, here, peer))
}

/// Whether a socket may be between the hosts of a flow, one way or the other.
fn among(flow: &Flow, here: &End, peer: &End) -> bool {
    let names = |n: usize, end: &End| -> Vec<String> {
        let others = flow.test.iter().flat_map(|t| t.aliases[n].clone());
        others.chain([end.host.clone()]).collect()
    };
    let (from, to) = (names(0, &flow.from), names(1, &flow.to));
    let may = |names: &[String], end: &End| names.iter().any(|n| !differ(n, &end.host));
    may(&from, here) && may(&to, peer) || may(&from, peer) && may(&to, here)
}

/// Whether two names are of two hosts for certain. An address may be that of any name.
fn differ(a: &str, b: &str) -> bool {
    let is_address = |s: &str| s.parse::<IpAddr>().is_ok();
    !a.is_empty() && !b.is_empty() && is_address(a) == is_address(b) && !alike(a, b)
}

/// What a socket carried, bytes.
fn carried(facts: &Facts, n: u32) -> Option<f64> {
    let get = |name| number(facts, Of::Socket(n), name).map(|f| f.value);
    let counts = [get("bytes_acked"), get("bytes_sent"), get("bytes_received")];
    counts.into_iter().flatten().reduce(f64::max)
}

/// What the largest socket of a flow carried, bytes.
fn most(facts: &Facts, flow: &Flow) -> f64 {
    let all = flow.sockets.iter().chain(&flow.far_sockets);
    let each = all.filter_map(|n| carried(facts, *n));
    each.fold(0.0, f64::max)
}

/// Leaves out of each flow, and of the flows of sockets alone, those that carried next to nothing beside the largest, such as that of a
/// tool's own words: it waits for nothing, and its round trips are those of an idle path.
fn without_idle(facts: &Facts, flows: &mut [Flow], own: &mut Vec<Flow>, tests: bool) {
    for flow in &mut *flows {
        let largest = most(facts, flow);
        let large = |n: &u32| carried(facts, *n).is_none_or(|b| b >= LARGE * largest);
        flow.sockets.retain(large);
        flow.far_sockets.retain(large);
    }
    let all = flows.iter().chain(&*own);
    let largest = all.map(|f| most(facts, f)).fold(0.0, f64::max);
    let least = if tests { WORTH } else { 0.0 };
    // What hangs carried little for that very reason.
    let stands = |n: &u32| is_stuck(facts, *n) || is_shut(facts, *n);
    let hangs = |f: &Flow| f.sockets.iter().any(stands);
    // Requests that wait for each other carry little, too. Of several such sockets nobody says which is slow, and a shell only has its keys.
    let asks = |f: &Flow| tests && !is_shell(f) && OneByOne::waits_long(facts, f);
    let asks_alone = own.iter().filter(|f| asks(f)).count() == 1;
    let shows = |f: &Flow| hangs(f) || asks_alone && asks(f);
    own.retain(|f| shows(f) || most(facts, f) >= (LARGE * largest).max(least));
}

/// Whether one end of a flow is a server of SSH.
fn is_shell(flow: &Flow) -> bool {
    let ends = [&flow.from, &flow.to];
    ends.iter().any(|end| end.port == Some(SSH_PORT))
}

/// Where the first socket of a flow was read.
fn first_place(facts: &Facts, flow: &Flow) -> Option<Place> {
    let first = flow.sockets.iter().chain(&flow.far_sockets).next()?;
    let of = Of::Socket(*first);
    // Details without addresses have no queues above them.
    let fact = facts.latest(of, "receive_queue_bytes");
    let fact = fact.or_else(|| facts.latest(of, "cwnd_bytes"))?;
    Some(fact.at)
}

/// Names connections that carried much and are of no flow: between other hosts than the tests, or of one of several.
pub(crate) fn left_out(facts: &Facts, flows: &[Flow]) -> Vec<String> {
    let taken = |n: &u32| {
        let has = |f: &Flow| f.sockets.contains(n) || f.far_sockets.contains(n);
        flows.iter().any(has)
    };
    let all = 0..facts.sockets.len() as u32;
    let mut rest: Vec<(u32, f64)> = all
        .filter(|n| !taken(n))
        .filter_map(|n| Some((n, carried(facts, n)?)))
        .filter(|(_, bytes)| *bytes >= WORTH)
        .collect();
    let kept = flows.iter().map(|f| most(facts, f)).fold(0.0, f64::max);
    rest.retain(|(_, bytes)| *bytes >= LARGE * kept);
    rest.sort_by(|a, b| b.1.total_cmp(&a.1));
    let more = rest.len().saturating_sub(NAMED_MAX);
    let named = rest.iter().take(NAMED_MAX).map(|(n, carried)| {
        let [here, peer] = &facts.sockets[*n as usize];
        format!(
            "{} and {} ({})",
            here.shown(),
            peer.shown(),
            bytes(*carried)
        )
    });
    let named: Vec<String> = named.collect();
    let more = match more {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    let note = format!(
        "connections that are of no test for certain are left out: between {}{more}",
        named.join(", ")
    );
    if named.is_empty() {
        Vec::new()
    } else {
        vec![note]
    }
}

/// Whether the host of a socket sent: by the bytes that went each way as it counts them, or its peer, or else by the bytes that wait.
/// Of two ends that say nothing the one that was read first sends.
fn sends(facts: &Facts, socket: u32) -> Option<Side> {
    let far = facts.far_end(socket);
    let of_far = |by: fn(&Facts, u32) -> Option<Side>| by(facts, far?).map(Side::other);
    by_bytes(facts, socket)
        .or_else(|| of_far(by_bytes))
        .or_else(|| by_queues(facts, socket))
        .or_else(|| of_far(by_queues))
        .or_else(|| {
            Some(match far? > socket {
                true => Side::Sender,
                false => Side::Receiver,
            })
        })
}

/// Bytes wait to be sent at the sender, and to be read at the receiver.
fn by_queues(facts: &Facts, socket: u32) -> Option<Side> {
    let get = |name| number(facts, Of::Socket(socket), name).map_or(0.0, |f| f.value);
    match (get("send_queue_bytes"), get("receive_queue_bytes")) {
        (sent, 0.0) if sent > 0.0 => Some(Side::Sender),
        (0.0, read) if read > 0.0 => Some(Side::Receiver),
        _ => None,
    }
}

/// Whether the host of a socket sent, by the bytes that went each way: those it sent, which the kernel of one that hangs counts though
/// nothing of them is acknowledged, and those of its peer, which may never have come.
fn by_bytes(facts: &Facts, socket: u32) -> Option<Side> {
    let sent = |n: u32| {
        let get = |name| number(facts, Of::Socket(n), name).map_or(0.0, |f| f.value);
        let new = get("bytes_sent") - get("bytes_retransmitted");
        get("bytes_acked").max(new)
    };
    let arrived = |n: u32| number(facts, Of::Socket(n), "bytes_received").map_or(0.0, |f| f.value);
    let far = facts.far_end(socket);
    let own = sent(socket).max(far.map_or(0.0, arrived));
    let other = arrived(socket).max(far.map_or(0.0, sent));
    match own == other {
        true => None,
        false if own > other => Some(Side::Sender),
        false => Some(Side::Receiver),
    }
}

/// What sockets without a test carried, as a test that only the sender reported.
pub(crate) fn head(facts: &Facts, flow: &Flow) -> Option<Test> {
    let e = Evidence::of(facts, flow);
    let mut test = Test::new("ss", first_place(facts, flow)?);
    (test.from, test.to) = (flow.from.clone(), flow.to.clone());
    test.streams = e.streams as u32;
    test.sent = Some(Report {
        goodput: e.rate?,
        bytes: e.bytes,
        seconds: e.seconds.unwrap_or(0.0),
    });
    if let Some(again) = e.retransmits {
        test.set("retransmits", again);
    }
    Some(test)
}

/// Puts connections side by side into one flow: between the same hosts, to the same service where it has a port of its own, and limited
/// by the same.
pub(crate) fn side_by_side(facts: &Facts, flows: &mut Vec<Flow>) {
    let alone = |f: &Flow| f.test.is_none() && !f.sockets.is_empty();
    if flows.iter().filter(|f| alone(f)).count() < 2 {
        return;
    }
    let mut all: Vec<(Flow, Option<&str>)> = Vec::new();
    for flow in core::mem::take(flows) {
        let cause = alone(&flow).then(|| Judged::of(facts, &flow).cause().name());
        let same = |(other, of): &&mut (Flow, Option<&str>)| {
            let services = services(other) == services(&flow);
            of.is_some()
                && *of == cause
                && services
                && other.from.host == flow.from.host
                && other.to.host == flow.to.host
        };
        match all.iter_mut().find(same) {
            Some((first, _)) => {
                first.sockets.extend(flow.sockets);
                first.far_sockets.extend(flow.far_sockets);
                let apart = |a: &mut End, b: &End| a.port = a.port.filter(|p| Some(*p) == b.port);
                apart(&mut first.from, &flow.from);
                apart(&mut first.to, &flow.to);
            }
            None => all.push((flow, cause)),
        }
    }
    flows.extend(all.into_iter().map(|(flow, _)| flow));
}

/// Ports of both ends that are of a service.
fn services(flow: &Flow) -> [Option<u16>; 2] {
    [&flow.from, &flow.to].map(|end| end.port.filter(|p| *p < SYSTEM_PORTS))
}

/// Ports below are those of services (RFC 6335 §6).
const SYSTEM_PORTS: u16 = 1024;

/// Each connection of a flow that several sockets carry and no test reports, with its rate.
pub(crate) fn streams(facts: &Facts, flow: &Flow) -> Vec<Stream> {
    if flow.test.is_some() || flow.sockets.len() < 2 {
        return Vec::new();
    }
    let each = flow.sockets.iter().map(|n| {
        let [here, peer] = &facts.sockets[*n as usize];
        let one = Flow {
            far_sockets: Vec::new(),
            sockets: vec![*n],
            ..flow.clone()
        };
        let rate = Evidence::of(facts, &one).rate;
        Stream {
            name: format!("{} > {}", here.shown(), peer.shown()),
            goodput_bps: rate.as_ref().map(|r| r.value),
            source: rate.and_then(|r| r.from.first().map(|at| facts.place(*at))),
        }
    });
    each.collect()
}
