//! Flows: which reports are of one test, which socket carried it, which host is at which end.

use crate::advice::{Shared, share};
use crate::captured::{self, Captured};
use crate::fact::{Figure, Of, Place};
use crate::flows::filed::file_of;
use crate::flows::placed;
use crate::flows::roles::{self, Roles};
use crate::flows::sockets;
use crate::flows::untied;
use crate::history::SEVERAL;
use crate::interfaces::bypassed::{self, Bypassed};
use crate::known::System;
use crate::paths::pinged::{self, Pings};
use crate::programs::follow::TESTERS;
use crate::programs::requests::MOUNTER;
use crate::read::{COPIES, Facts};
use crate::seen::{End, Report, SERIES, Side, Test};
use crate::series::stepped::{self, Stepped};

/// A flow, and where its facts are.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// What was reported of it; none where only sockets or the user spoke of it.
    pub(crate) test: Option<Test>,
    /// It is what is slow beside transfers, and not one of them: no rate is its own.
    pub(crate) unrated: bool,
    /// The sender's end.
    pub(crate) from: End,
    /// The receiver's end.
    pub(crate) to: End,
    /// Sockets of the sender that carried it.
    pub(crate) sockets: Vec<u32>,
    /// Sockets of the receiver.
    pub(crate) far_sockets: Vec<u32>,
    /// Hosts whose text is that of the sender, or may be.
    pub(crate) senders: Vec<u32>,
    /// Hosts whose text is that of the receiver, or may be.
    pub(crate) receivers: Vec<u32>,
    /// Hosts that shape and are neither end: they are on the way.
    pub(crate) between: Vec<u32>,
    /// Hosts of an end that nothing ties to it but that they have another name than the other.
    pub(crate) assumed: Vec<u32>,
    /// Hosts that nothing ties to an end, and whose texts are left out as the others show the cause.
    pub(crate) untied: Vec<u32>,
    /// Interfaces of hosts that did not carry it.
    pub(crate) bypassed: Bypassed,
    /// Captured directions that are of it.
    pub(crate) captured: Vec<usize>,
    /// Pings of its path.
    pub(crate) pings: Pings,
    /// Systems of sender and receiver.
    pub(crate) systems: [Option<System>; 2],
    /// Other tests between the same hosts, the same way.
    pub(crate) beside: Vec<Test>,
    /// Whether what is called the sender, the receiver, a client or a server is so in another flow, and how this one goes beside it.
    pub(crate) roles: Option<Roles>,
    /// What flows of the same hosts ask of them, so that all suggest the same.
    pub(crate) shared: Shared,
    /// How its path changed in mid-test; the test is then what was reported since.
    pub(crate) stepped: Option<Stepped>,
}

/// Most flows that are judged.
pub(crate) const FLOWS_MAX: usize = 400;

/// Most captured connections that no text speaks of and are judged.
const CAPTURED_MAX: usize = 8;

/// They are large where they carried this share of the largest at least.
pub(crate) const LARGE: f64 = 0.01;

/// A report is of a captured connection whose bytes are within this of its own: a tool counts its own words, too.
const BYTES_APART: f64 = 0.05;

/// Makes flows of what was read.
pub(crate) fn flows(facts: &Facts) -> Vec<Flow> {
    let (mut flows, _) = of_tests(facts);
    captured(facts, &mut flows);
    for flow in &mut flows {
        let test = flow.test.as_ref().expect("each was made of one");
        (flow.from, flow.to) = (test.from.clone(), test.to.clone());
    }
    sockets::sockets(facts, &mut flows);
    said(facts, &mut flows);
    if flows.is_empty() {
        flows.push(Flow::of(None, &End::default(), &End::default()));
    }
    roles::give(facts, &mut flows);
    placed::hosts(facts, &mut flows);
    for flow in &mut flows {
        flow.pings = pinged::of_flow(facts, flow);
    }
    stepped::since_the_change(facts, &mut flows);
    sockets::side_by_side(facts, &mut flows);
    beside(facts, &mut flows);
    bypassed::give(facts, &mut flows);
    placed::by_cause(facts, &mut flows);
    bypassed::give(facts, &mut flows);
    if untied::leave_out(facts, &mut flows) {
        bypassed::give(facts, &mut flows);
    }
    share(facts, &mut flows);
    name_apart(facts, &mut flows);
    flows
}

/// Names tests of the same way and without a name of an end by the line that each begins on; those of a history are of one flow.
fn name_apart(facts: &Facts, flows: &mut [Flow]) {
    let names: Vec<String> = flows.iter().map(Flow::name).collect();
    for (flow, name) in flows.iter_mut().zip(&names) {
        let count = names.iter().filter(|n| *n == name).count();
        let nameless = flow.from.host.is_empty() || flow.to.host.is_empty();
        let test = flow.test.as_mut().filter(|t| t.name.is_empty());
        if let Some(test) = test
            && nameless
            && (2..SEVERAL).contains(&count)
        {
            test.name = format!("test at {}", facts.place(test.at));
        }
    }
}

/// A flow of each test, and how many reports of tests had no room.
fn of_tests(facts: &Facts) -> (Vec<Flow>, usize) {
    let mut flows: Vec<Flow> = Vec::new();
    let mut left = 0;
    for test in facts.tests.iter().filter(|t| t.is_measured()) {
        let room = flows.len() < FLOWS_MAX;
        let known = flows
            .iter()
            .position(|f| f.test.as_ref().is_some_and(|t| same(t, test)));
        match known.and_then(|n| flows[n].test.as_mut()) {
            Some(known) => join(known, test),
            None if room => flows.push(Flow::of(Some(test.clone()), &test.from, &test.to)),
            None => left += 1,
        }
    }
    (flows, left)
}

/// That there were more tests than are judged.
pub(crate) fn left_out(facts: &Facts) -> Option<String> {
    if facts.tests.len() <= FLOWS_MAX {
        return None;
    }
    let (_, left) = of_tests(facts);
    let reports = match left {
        0 => return None,
        1 => "1 report of a test is".to_owned(),
        n => format!("{n} reports of tests are"),
    };
    Some(format!(
        "{reports} left out: {FLOWS_MAX} flows are judged at most, the first ones; give the others apart"
    ))
}

/// What you say you measured is a connection of its own beside those that texts report, unless one of them was as fast.
fn said(facts: &Facts, flows: &mut Vec<Flow>) {
    let said = facts.of_path("measured_bps").last().cloned();
    let Some((said, first)) = said.zip(flows.first()) else {
        return;
    };
    let rate = |f: &Flow| Some(f.test.as_ref()?.goodput()?.0.value);
    let near = |rate: f64| (rate - said.value).abs() < BYTES_APART * rate;
    // What sockets alone show is what was measured.
    let alone = flows.iter().any(|f| f.test.is_none());
    if alone || flows.iter().filter_map(rate).any(near) {
        return;
    }
    let end = |end: &End| End {
        host: end.host.clone(),
        port: None,
    };
    let mut test = Test::new("you", Place::You);
    (test.from, test.to) = (end(&first.from), end(&first.to));
    "as you measured".clone_into(&mut test.name);
    test.received = Some(Report {
        goodput: said,
        bytes: None,
        seconds: 0.0,
    });
    let (from, to) = (test.from.clone(), test.to.clone());
    flows.push(Flow::of(Some(test), &from, &to));
}

/// Gives each flow the tests of others between the same hosts, and connections of which sockets alone speak.
fn beside(facts: &Facts, flows: &mut [Flow]) {
    if flows.len() < 2 {
        return;
    }
    let head = |f: &Flow| match &f.test {
        Some(test) => Some(test.head()),
        None => sockets::head(facts, f),
    };
    let tests: Vec<Option<Test>> = flows.iter().map(head).collect();
    let of_mount = |a: &Test, b: &Test| OF_MOUNTS.contains(&a.tool) && TESTERS.contains(&b.tool);
    let is_end = |a: &Test, b: &Test, n: usize| {
        // Of a test of which only the report was pasted one end may be unnamed, of a mount its client, and of fetches who fetched.
        let fetched = is_fetched(a) && is_fetched(b) && facts.moments.may_share_shell(a.at, b.at);
        let open = n == 0 || of_mount(a, b) || of_mount(b, a) || fetched;
        let of = |t: &Test| {
            let end = if n == 0 { &t.from } else { &t.to };
            let client = t.words.get(MOUNTER);
            let client = client.filter(|_| n == usize::from(t.client == Side::Receiver));
            let names = t.aliases[n].iter().chain([&end.host]).chain(client);
            let named = names.filter(|h| !h.is_empty());
            named.cloned().collect::<Vec<String>>()
        };
        let row = |t: &Test| t.words.contains_key(SERIES);
        let series = row(a) && row(b) && a.at.source() == b.at.source();
        let (a, b) = (of(a), of(b));
        if series && a.is_empty() && b.is_empty() {
            return true;
        }
        open && (a.is_empty() || b.is_empty()) || a.iter().any(|a| b.iter().any(|b| alike(a, b)))
    };
    for (n, flow) in flows.iter_mut().enumerate() {
        let Some(test) = &tests[n] else { continue };
        let others = tests.iter().enumerate().filter(|(m, _)| *m != n);
        let others = others.filter_map(|(_, t)| t.as_ref());
        let same = others.filter(|t| is_end(test, t, 0) && is_end(test, t, 1));
        flow.beside = same.take(BESIDE_MAX).cloned().collect();
        if flow.beside.is_empty() && COPIES.contains(&test.tool) {
            flow.beside.extend(between_the_same(facts, &tests, test));
        }
    }
}

/// Whether a test fetched something from a host with a name, and nothing names who fetched it.
fn is_fetched(test: &Test) -> bool {
    let unnamed = test.to.host.is_empty() && test.aliases[1].is_empty();
    unnamed && test.client == Side::Receiver && !test.from.host.is_empty()
}

/// What tests from memory say of a copy that names neither host, where all of them are between the same two: the fastest of a way, as
/// the path carries that; and of both ways the slower, as nobody says which way the copy went.
fn between_the_same(facts: &Facts, tests: &[Option<Test>], copy: &Test) -> Option<Test> {
    let is_named = |t: &&Test| !t.from.host.is_empty() && !t.to.host.is_empty();
    let all = tests.iter().flatten().filter(|t| !t.udp);
    let all: Vec<&Test> = all.filter(is_named).collect();
    let first = all.first()?;
    let pair = [&first.from.host, &first.to.host];
    let same = |t: &&Test| pair.contains(&&t.from.host) && pair.contains(&&t.to.host);
    if !copy.from.host.is_empty() || !copy.to.host.is_empty() || !all.iter().all(same) {
        return None;
    }
    let rate = |t: &Test| t.goodput().map_or(0.0, |(rate, _)| rate.value);
    let ways = pair.map(|from| {
        let own = all.iter().filter(|t| t.from.host == *from);
        let tests = own.filter(|t| TESTERS.contains(&t.tool) && file_of(facts, t).is_none());
        tests.max_by(|a, b| rate(a).total_cmp(&rate(b)))
    });
    let slower = ways.into_iter().flatten();
    let slower = slower.min_by(|a, b| rate(a).total_cmp(&rate(b)));
    slower.map(|t| (*t).clone())
}

/// What says the rate of a mount, whose client no text need name.
const OF_MOUNTS: [&str; 2] = ["dd", "nfsiostat"];

/// Most other tests that a flow is compared with.
const BESIDE_MAX: usize = 8;

impl Flow {
    pub(crate) fn of(test: Option<Test>, from: &End, to: &End) -> Flow {
        Flow {
            test,
            unrated: false,
            from: from.clone(),
            to: to.clone(),
            sockets: Vec::new(),
            far_sockets: Vec::new(),
            senders: Vec::new(),
            receivers: Vec::new(),
            between: Vec::new(),
            assumed: Vec::new(),
            untied: Vec::new(),
            bypassed: Bypassed::default(),
            captured: Vec::new(),
            pings: Pings::default(),
            systems: [None, None],
            beside: Vec::new(),
            roles: None,
            shared: Shared::default(),
            stepped: None,
        }
    }

    /// What the texts of hosts say of an end: of that one alone, or else of a text that may be of either.
    pub(crate) fn said<T>(&self, side: Side, of: impl Fn(u32) -> Option<T>) -> Option<T> {
        let (own, other) = match side {
            Side::Sender => (&self.senders, &self.receivers),
            Side::Receiver => (&self.receivers, &self.senders),
        };
        let (both, alone): (Vec<u32>, Vec<u32>) = own.iter().partition(|n| other.contains(n));
        let said = |texts: &[u32]| texts.iter().find_map(|n| of(*n));
        said(&alone).or_else(|| said(&both))
    }

    /// Whether a captured direction is of this flow: by ports; without them by hosts, or the bytes that both report.
    fn is_of(&self, facts: &Facts, c: &Captured) -> bool {
        let Some(test) = self.test.as_ref().filter(|t| !t.udp) else {
            return false;
        };
        let (from, to) = (&c.test.from, &c.test.to);
        let hosts = |ours: &End, other: &End, n: usize| {
            let names = test.aliases[n].iter().chain([&ours.host]);
            names
                .into_iter()
                .any(|h| !h.is_empty() && alike(h, &other.host))
        };
        let hosts = hosts(&test.from, from, 0) && hosts(&test.to, to, 1);
        let ports = (test.from.port, test.to.port);
        let seen_there = self.captured.iter().map(|n| &facts.captured[*n]);
        let twice = seen_there.filter(|d| d.source == c.source).count() > 0;
        let bytes = test.received.as_ref().or(test.sent.as_ref());
        let bytes = bytes.and_then(|r| r.bytes.as_ref()).map(|b| b.value);
        let alike = bytes.is_some_and(|b| (b - c.bytes).abs() < BYTES_APART * b);
        match ports {
            (Some(_), Some(_)) if ports == (from.port, to.port) => hosts || !twice,
            (Some(a), Some(b)) if test.streams > 1 => {
                let service = Some(a) == from.port || Some(b) == to.port;
                let large = bytes.is_some_and(|all| c.bytes > LARGE * all);
                hosts && service && large
            }
            (Some(_), Some(_)) => false,
            (a, b) => {
                let service =
                    a.is_none_or(|a| Some(a) == from.port) && b.is_none_or(|b| Some(b) == to.port);
                service && !twice && (alike || hosts && bytes.is_none())
            }
        }
    }

    /// Takes what a capture shows of it, where the texts do not say it.
    fn capture(&mut self, n: usize, c: &Captured) {
        self.captured.push(n);
        let Some(test) = &mut self.test else { return };
        if test.from.port.is_none() && test.to.port.is_none() {
            (test.from, test.to) = (c.test.from.clone(), c.test.to.clone());
        }
        if test.streams > 1 {
            return;
        }
        if test.sent.is_none() && test.received.is_none() {
            test.sent.clone_from(&c.test.sent);
            test.received.clone_from(&c.test.received);
        }
        if test.rows.is_empty() {
            test.rows.clone_from(&c.test.rows);
        }
        for (name, figure) in &c.test.numbers {
            test.set(name, figure.clone());
        }
    }

    /// The texts of hosts where data arrives: the receiver's, and those of devices on the way.
    pub(crate) fn arrives_at(&self) -> Vec<u32> {
        let all = self.receivers.iter().chain(&self.between);
        all.copied().collect()
    }

    /// The one end that a host's texts are of.
    pub(crate) fn end_of(&self, host: u32) -> Option<Side> {
        match (self.senders.contains(&host), self.receivers.contains(&host)) {
            (true, false) => Some(Side::Sender),
            (false, true) => Some(Side::Receiver),
            _ => None,
        }
    }

    /// Whether two texts are of two hosts: of one end each, or with a name each.
    pub(crate) fn are_apart(&self, facts: &Facts, a: u32, b: u32) -> bool {
        let name = |n: u32| facts.hosts.get(n as usize).and_then(|names| names.first());
        match (self.end_of(a), self.end_of(b)) {
            (Some(a), Some(b)) => a != b,
            _ => name(a).is_some() && name(b).is_some() && name(a) != name(b),
        }
    }

    /// The host at an end, for people.
    pub(crate) fn called(&self, side: Side) -> String {
        let end = match side {
            Side::Sender => &self.from,
            Side::Receiver => &self.to,
        };
        match end.host.as_str() {
            "" => format!("the {}", side.name()),
            host => host.to_owned(),
        }
    }

    /// A host for people: the end that it is, or else its name, or else `otherwise`.
    pub(crate) fn host_called(&self, facts: &Facts, host: u32, otherwise: &str) -> String {
        if let Some(side) = self.end_of(host) {
            return self.called(side);
        }
        let names = facts.hosts.get(host as usize);
        let name = names
            .and_then(|names| names.first())
            .filter(|name| !name.is_empty());
        name.map_or(otherwise, String::as_str).to_owned()
    }

    /// `A > B`, or what the flow is called without names. Beside others between the same hosts sockets have their ports.
    pub(crate) fn name(&self) -> String {
        let sockets = self.sockets.len().max(self.far_sockets.len());
        let alone = self.test.is_none() && !self.beside.is_empty();
        let shown = |end: &End, other: &str| match (end.host.as_str(), end.port) {
            ("", _) => other.to_owned(),
            (_, Some(_)) if alone => end.shown(),
            (host, _) => host.to_owned(),
        };
        let name = match self.test.as_ref().map(|t| t.name.as_str()) {
            None if sockets > 1 => format!(" ({sockets} connections)"),
            None | Some("") => String::new(),
            Some(name) => format!(" ({name})"),
        };
        format!(
            "{} > {}{name}",
            shown(&self.from, "sender"),
            shown(&self.to, "receiver")
        )
    }
}

/// Whether two reports are of one test: the same ends, or the same bytes reported from either end.
pub(crate) fn same(a: &Test, b: &Test) -> bool {
    if a.udp != b.udp {
        return false;
    }
    let both_sides =
        a.sent.is_some() && b.sent.is_some() || a.received.is_some() && b.received.is_some();
    let ports = |t: &Test| t.from.port.zip(t.to.port);
    if let (Some(x), Some(y)) = (ports(a), ports(b)) {
        return x == y && (!both_sides || exchanged(a, b));
    }
    if both_sides || a.tool != b.tool {
        return false;
    }
    let bytes = |t: &Test| {
        let report = t.received.as_ref().or(t.sent.as_ref());
        report.and_then(|r| r.bytes.clone()).or_else(|| handed(t))
    };
    match (bytes(a), bytes(b)) {
        (Some(x), Some(y)) => x.low <= y.high * 1.02 && y.low <= x.high * 1.02,
        _ => false,
    }
}

/// Whether two reports of the same ports say the same of what arrived: a client's text has its server's report, too.
fn exchanged(a: &Test, b: &Test) -> bool {
    let arrived = |t: &Test| t.received.as_ref().and_then(|r| r.bytes.clone());
    let sent = |t: &Test| t.sent.as_ref().and_then(|r| r.bytes.clone());
    let near = |a: Option<Figure>, b: Option<Figure>| {
        a.zip(b)
            .map(|(a, b)| a.low <= b.high * 1.01 && b.low <= a.high * 1.01)
    };
    let pairs = [near(arrived(a), arrived(b)), near(sent(a), sent(b))];
    // The same ports and bytes at another rate are another test; the ends' clocks leave some per cent.
    let rates = [a, b].map(|t| t.goodput().map_or(0.0, |(rate, _)| rate.value));
    let alike = rates[0] <= rates[1] * 1.2 && rates[1] <= rates[0] * 1.2;
    alike
        && a.tool == b.tool
        && pairs.iter().flatten().count() > 0
        && pairs.iter().flatten().all(|p| *p)
}

/// The bytes of the intervals, added up, for a test that printed no total.
fn handed(test: &Test) -> Option<Figure> {
    let first = test.rows.first()?;
    let bytes: f64 = test
        .rows
        .iter()
        .map(|r| r.bps * (r.until - r.from) / 8.0)
        .sum();
    Some(Figure::between(bytes, bytes * 0.99, bytes * 1.01, first.at))
}

fn join(into: &mut Test, other: &Test) {
    let fill = |end: &mut End, from: &End| {
        if end.host.is_empty() {
            *end = from.clone();
        }
    };
    fill(&mut into.from, &other.from);
    fill(&mut into.to, &other.to);
    for (mine, theirs) in into.aliases.iter_mut().zip(&other.aliases) {
        mine.extend(theirs.iter().cloned());
    }
    into.sent = into.sent.take().or_else(|| other.sent.clone());
    into.received = into.received.take().or_else(|| other.received.clone());
    // Both may show the intervals of one end: they count once.
    let had: Vec<Side> = into.rows.iter().map(|r| r.side).collect();
    let new = other.rows.iter().filter(|r| !had.contains(&r.side));
    into.rows.extend(new.cloned());
    if into.counts.is_empty() {
        into.counts.clone_from(&other.counts);
    }
    for (name, figure) in &other.numbers {
        into.set(name, figure.clone());
    }
    for (name, word) in &other.words {
        into.words.entry(name).or_insert_with(|| word.clone());
    }
}

/// Gives each captured direction to the flow it is of. Of those that no text speaks of, the large ones are flows of their own.
fn captured(facts: &Facts, flows: &mut Vec<Flow>) {
    let texts = flows.len();
    let mut order: Vec<usize> = (0..facts.captured.len()).collect();
    order.sort_by(|x, y| captured::by_size(&facts.captured[*x], &facts.captured[*y]));
    let largest = order.first().map_or(0.0, |n| facts.captured[*n].size());
    for n in order {
        let c = &facts.captured[n];
        let known = flows.iter().position(|f| f.is_of(facts, c));
        let own = flows.len() - texts;
        let room = own < CAPTURED_MAX && flows.len() < FLOWS_MAX;
        match known {
            Some(known) => flows[known].capture(n, c),
            None if room && !c.control && c.size() >= LARGE * largest => {
                let mut flow = Flow::of(Some(c.test.clone()), &c.test.from, &c.test.to);
                flow.captured.push(n);
                flows.push(flow);
            }
            None => {}
        }
    }
}

/// The last number of this name said of someone.
pub(crate) fn number<'f>(facts: &'f Facts, of: Of, name: &'static str) -> Option<&'f Figure> {
    facts.latest(of, name)?.number()
}

/// The last word of this name said of someone, and where.
pub(crate) fn word<'f>(facts: &'f Facts, of: Of, name: &'static str) -> Option<(&'f str, Place)> {
    facts.latest_word(of, name)
}

/// Whether two names are of one host: the same, or the first label of the other.
pub(crate) fn alike(a: &str, b: &str) -> bool {
    let label = |s: &str| s.split('.').next().unwrap_or("").to_ascii_lowercase();
    let is_name = |s: &str| s.starts_with(|c: char| c.is_ascii_alphabetic());
    a.eq_ignore_ascii_case(b)
        || is_name(a)
            && is_name(b)
            && label(a) == label(b)
            && (!a.contains('.') || !b.contains('.'))
}
