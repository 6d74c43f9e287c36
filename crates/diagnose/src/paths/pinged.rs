//! Pings: whom they went to, and which of them are of a flow's path.

use std::collections::BTreeSet;
use std::net::IpAddr;

use crate::fact::{Fact, Figure, Of, Place};
use crate::flows::flow::{Flow, alike};
use crate::lines::shared_queue::SharedQueue;
use crate::paths::first_hop::{is_first_hop, is_gateway};
use crate::paths::traced_elsewhere;
use crate::programs::follow::TESTERS;
use crate::read::{Facts, FetchedBy, OWN_SERVERS};
use crate::seen::Test;

/// Most targets that are named.
const NAMED_MAX: usize = 4;

/// Which pings are of a flow's path.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pings {
    /// Numbers of those that are, in order.
    own: Vec<u32>,
    /// Numbers of those to a first hop of its path.
    pub(crate) near: Vec<u32>,
    /// Targets of pings where none of them is, by their first names.
    pub(crate) others: Vec<String>,
    /// Numbers of pings to one of its ends that are not weighed all the same, and why; [`LEFT_MAX`] at most.
    left: Vec<(u32, Left)>,
    /// Where traces stand that are of another path.
    pub(crate) elsewhere: BTreeSet<Place>,
}

/// Why a ping to an end of a flow is not of its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// It went by the version of IP that the flow did not take.
    Version,
    /// Pings went by both, and nothing says which the flow took.
    Versions,
    /// It is of another time.
    Time,
    /// A comment says that other traffic ran beside it.
    Beside,
    /// It was typed on a third host.
    Host,
}

/// Most pings that are named with why they are not weighed.
const LEFT_MAX: usize = 8;

impl Pings {
    /// Whether what was said of this is of the flow's path.
    pub(crate) fn is_own(&self, of: Of) -> bool {
        match of {
            Of::Path => true,
            Of::Ping(n) => self.own.binary_search(&n).is_ok(),
            _ => false,
        }
    }

    /// Whether a fact is of the flow's path.
    fn is_of(&self, fact: &Fact) -> bool {
        let of_trace = fact.of == Of::Path && self.elsewhere.contains(&fact.at);
        self.is_own(fact.of) && !of_trace
    }

    /// Whether a run is of a trace of another path.
    fn is_elsewhere(&self, run: &Run) -> bool {
        let at = run[0].from.first();
        at.is_some_and(|at| self.elsewhere.contains(at))
    }

    /// The target of the first of them.
    pub(crate) fn target<'f>(&self, facts: &'f Facts) -> Option<&'f str> {
        let names = facts.pings.get(*self.own.first()? as usize)?;
        names.first().map(String::as_str)
    }

    /// Where the first of them was read.
    pub(crate) fn place(&self, facts: &Facts) -> Option<Place> {
        let first = Of::Ping(*self.own.first()?);
        let fact = facts.facts.iter().find(|f| f.of == first)?;
        Some(fact.at)
    }
}

impl Facts {
    /// A ping more, to a host of these names.
    pub(crate) fn ping(&mut self, names: Vec<String>) -> Of {
        self.reached(names.iter().map(String::as_str));
        let (_, prompt) = self.prompt();
        self.pinged_at.push(prompt);
        self.pings.push(names);
        Of::Ping(self.pings.len() as u32 - 1)
    }

    /// Every figure of this name that was said of the path, in the order of the texts.
    pub(crate) fn of_path(&self, name: &str) -> impl DoubleEndedIterator<Item = &Figure> {
        self.figures(name, |f| f.of == Of::Path)
    }

    /// The same, with what a flow's pings said.
    pub(crate) fn along<'f>(
        &'f self,
        flow: &'f Flow,
        name: &'f str,
    ) -> impl DoubleEndedIterator<Item = &'f Figure> {
        self.figures(name, |f| flow.pings.is_of(f))
    }

    fn figures<'f>(
        &'f self,
        name: &str,
        is: impl Fn(&Fact) -> bool,
    ) -> impl DoubleEndedIterator<Item = &'f Figure> {
        let named = self.facts.iter().filter(move |f| f.name == name);
        named.filter(move |f| is(f)).filter_map(Fact::number)
    }
}

/// Least, mean and greatest round trip of a run of pings, nanoseconds.
pub(crate) type Run = [Figure; 3];

/// What each run of pings of a flow's path said, and each trace.
pub(crate) fn runs(facts: &Facts, flow: &Flow) -> Vec<Run> {
    let mut own = runs_of(facts, |of| flow.pings.is_own(of));
    own.retain(|run| !is_by_other_version(facts, flow, run) && !flow.pings.is_elsewhere(run));
    let late = traces_of_other_times(facts, flow);
    own.retain(|run| !late.contains(run));
    own
}

/// What traces said that are of another time than the test of a flow, where some text of its time says how long a round trip takes.
pub(crate) fn traces_of_other_times(facts: &Facts, flow: &Flow) -> Vec<Run> {
    let another = |run: &Run| {
        let both = flow.test.as_ref().zip(run[0].from.first());
        both.is_some_and(|(test, at)| facts.moments.is_of_another_time(test, *at))
    };
    let mut all = runs_of(facts, |of| flow.pings.is_own(of));
    all.retain(|run| !flow.pings.is_elsewhere(run));
    let timely = all.iter().any(|run| !another(run));
    let mut traces = runs_of(facts, |of| of == Of::Path);
    traces.retain(|run| timely && another(run) && !flow.pings.is_elsewhere(run));
    traces
}

/// What traces said that went by the version of IP which a flow did not take.
pub(crate) fn by_other_version(facts: &Facts, flow: &Flow) -> Vec<Run> {
    let mut others = runs_of(facts, |of| of == Of::Path);
    others.retain(|run| is_by_other_version(facts, flow, run));
    others
}

/// What pings to an end of a flow, and traces, said that are of another time than its test.
pub(crate) fn of_other_times(facts: &Facts, flow: &Flow) -> Vec<Run> {
    let left = |n: u32| flow.pings.left.contains(&(n, Left::Time));
    let mut all = runs_of(facts, |of| matches!(of, Of::Ping(n) if left(n)));
    all.extend(traces_of_other_times(facts, flow));
    all
}

/// Whether a run is of a trace to an address of the version of IP that a flow did not take.
fn is_by_other_version(facts: &Facts, flow: &Flow, run: &Run) -> bool {
    let at = run[0].from.first();
    let Some(target) = at.and_then(|at| facts.trace_targets.get(at)) else {
        return false;
    };
    let ends = [0, 1].map(|n| names(flow, n));
    let both = one_version(ends.iter().flatten()).zip(one_version(target));
    both.is_some_and(|(own, other)| own != other)
}

/// The runs of whom this holds.
pub(crate) fn runs_of(facts: &Facts, is: impl Fn(Of) -> bool) -> Vec<Run> {
    const NAMES: [&str; 3] = ["rtt_min_ns", "rtt_avg_ns", "rtt_max_ns"];
    let run = |three: &[Fact]| {
        let [least, mean, most] = three else {
            return None;
        };
        let one = least.of == mean.of && mean.of == most.of && is(least.of);
        let named = [least.name, mean.name, most.name] == NAMES;
        let figures = [least.number()?, mean.number()?, most.number()?];
        (one && named).then(|| figures.map(Figure::clone))
    };
    facts.facts.windows(3).filter_map(run).collect()
}

/// Whether a run of pings stands behind another test and before that of a flow, in one text: it was not this flow that loaded the path then.
/// A test between other hosts did not, either, nor one of the other way than the traffic that the comment above the run names.
pub(crate) fn is_before(facts: &Facts, flow: &Flow, run: &Run) -> bool {
    let line = |at: Place| match at {
        Place::Line(source, line) => Some((source, line)),
        _ => None,
    };
    let (Some(test), Some(at)) = (&flow.test, run[0].from.first()) else {
        return false;
    };
    let (Some(own), Some(run)) = (line(test.at), line(*at)) else {
        return false;
    };
    let earlier = |at: (u32, u32)| at.0 == run.0 && at.1 < run.1;
    let ends = [0, 1].map(|n| names(flow, n));
    let meant = facts.moments.way_beside(*at) == Some(test.client);
    let loads =
        |t: &&Test| !is_between_others(facts, t, &ends) && (!meant || t.client == test.client);
    let others = facts.tests.iter().filter(loads);
    let mut others = others.filter_map(|t| line(t.at));
    own.0 == run.0 && own.1 > run.1 && others.any(earlier)
}

/// Whether the addresses of a test's hosts are others than those of both ends of a flow.
fn is_between_others(facts: &Facts, test: &Test, ends: &[Vec<String>; 2]) -> bool {
    let hosts = [&test.from.host, &test.to.host];
    let mut own = hosts.into_iter().zip(&test.aliases);
    own.all(|(host, aliases)| {
        let all = aliases.iter().chain([host]).cloned();
        let all: Vec<String> = all.collect();
        ends.iter().all(|end| apart(facts, &all, end))
    })
}

/// Whether a run of pings was over before the test of a flow began, as both were typed at one prompt: it did not load the path then.
pub(crate) fn is_over_before(facts: &Facts, flow: &Flow, run: &Run) -> bool {
    let at = run[0].from.first();
    let both = at.zip(flow.test.as_ref());
    both.is_some_and(|(at, test)| facts.moments.is_over_before(test, *at))
}

/// The pings of a flow's path, and the traces that are of another.
pub(crate) fn of_flow(facts: &Facts, flow: &Flow) -> Pings {
    let mut pings = pings_of(facts, flow);
    pings.elsewhere = traced_elsewhere::of_flow(facts, flow, &pings);
    let strange = traced_elsewhere::pings_of_third_hosts(facts, flow, &pings);
    pings.own.retain(|n| !strange.contains(n));
    let room = LEFT_MAX.saturating_sub(pings.left.len());
    let strange = strange.into_iter().map(|n| (n, Left::Host));
    pings.left.extend(strange.take(room));
    pings
}

/// The pings of a flow's path: those to one of its ends. Where there are none, those to the only target that may be its peer by another name.
fn pings_of(facts: &Facts, flow: &Flow) -> Pings {
    let ends = [0, 1].map(|n| names(flow, n));
    let is = |of: &Vec<String>, end: &[String]| of.iter().any(|a| end.iter().any(|b| alike(a, b)));
    let all = || (0_u32..).zip(&facts.pings);
    let is_near =
        |n: u32, of: &Vec<String>| is_first_hop(of, flow) || is_gateway(facts, flow, (n, of));
    let first_hops = all().filter(|(n, of)| is_near(*n, of));
    let near: Vec<u32> = first_hops.map(|(n, _)| n).collect();
    let own: Vec<u32> = all()
        .filter(|(_, of)| ends.iter().any(|end| is(of, end)))
        .map(|(n, _)| n)
        .collect();
    if !own.is_empty() {
        let (own, left) = set_aside(facts, flow, &ends, &own);
        return Pings {
            own,
            near,
            left,
            ..Pings::default()
        };
    }
    let far: Vec<(u32, &Vec<String>)> = all().filter(|(n, _)| !near.contains(n)).collect();
    // A ping to a first hop alone may be to the end after all, where nothing says how the end is called.
    let nameless = ends.iter().all(Vec::is_empty);
    let far = match far.is_empty() && nameless {
        true => all().collect(),
        false => far,
    };
    let peer = peer(&ends, flow);
    let chosen = peer.iter().any(|name| OWN_SERVERS.contains(&name.as_str()));
    let may: Vec<(u32, &Vec<String>)> = far
        .iter()
        .copied()
        .filter(|(_, of)| !chosen && !apart(facts, of, peer) && !is_behind_proxy(facts, flow, of))
        .collect();
    let one = may
        .first()
        .is_some_and(|(_, first)| may.iter().all(|(_, of)| is(of, first)));
    let others = match one {
        true => Vec::new(),
        false => targets(&facts.pings),
    };
    let own: Vec<u32> = may.iter().filter(|_| one).map(|(n, _)| *n).collect();
    let near = near.into_iter().filter(|n| !own.contains(n)).collect();
    let (own, left) = set_aside(facts, flow, &ends, &own);
    Pings {
        own,
        near,
        others,
        left,
        ..Pings::default()
    }
}

/// Whether these are names of the server that a transfer went to through a proxy: the connection is to the proxy.
fn is_behind_proxy(facts: &Facts, flow: &Flow, names: &[String]) -> bool {
    let fetch = flow.test.as_ref().and_then(|test| facts.fetched_by(test));
    let behind = fetch.filter(|fetch| matches!(fetch.way, FetchedBy::Through(_)));
    behind.is_some_and(|fetch| names.iter().any(|name| alike(name, &fetch.host)))
}

/// Of pings to an end of a flow those that are of its path, and the others. The two versions of IP take paths of their own; at another time,
/// or beside other traffic, a queue is not the flow's.
fn set_aside(
    facts: &Facts,
    flow: &Flow,
    ends: &[Vec<String>; 2],
    pings: &[u32],
) -> (Vec<u32>, Vec<(u32, Left)>) {
    let version = one_version(ends.iter().flatten());
    let version = version.or_else(|| facts.version_of(flow.test.as_ref()?));
    let versions = pings.iter().filter_map(|n| by_ipv6(facts, *n));
    let versions: BTreeSet<bool> = versions.collect();
    let both = versions.len() > 1;
    let places = match facts.moments.is_empty() {
        true => Vec::new(),
        false => places(facts),
    };
    let why = |n: u32| -> Option<Left> {
        match (version, by_ipv6(facts, n)) {
            (Some(flows), Some(own)) if flows != own => return Some(Left::Version),
            (None, Some(_)) if both => return Some(Left::Versions),
            _ => {}
        }
        let test = flow.test.as_ref()?;
        let at = places.get(n as usize).copied().flatten()?;
        let others = facts.moments.is_beside_others(test, at);
        if others || is_beside_another_way(facts, test, ends, at) {
            return Some(Left::Beside);
        }
        let another = facts.moments.is_of_another_time(test, at);
        another.then_some(Left::Time)
    };
    let each: Vec<(u32, Option<Left>)> = pings.iter().map(|n| (*n, why(*n))).collect();
    // Of a path that nobody pinged at the time another time's ping is better than none.
    let timely = each.iter().any(|(_, why)| why.is_none());
    // Then those are better whose time of day is the nearest.
    let apart = |n: u32| {
        let at = places.get(n as usize).copied().flatten()?;
        facts.moments.minutes_apart(flow.test.as_ref()?.at, at)
    };
    let late = each.iter().filter(|(_, why)| *why == Some(Left::Time));
    let nearest = late.filter_map(|(n, _)| apart(*n)).min();
    let near = |n: u32| {
        apart(n)
            .zip(nearest)
            .is_none_or(|(own, least)| own <= least)
    };
    let is_own =
        |n: u32, why: Option<Left>| why.is_none() || why == Some(Left::Time) && !timely && near(n);
    let own = each.iter().filter(|(n, why)| is_own(*n, *why));
    let left = each.iter().filter(|(n, why)| !is_own(*n, *why));
    let left = left.filter_map(|(n, why)| Some((*n, (*why)?)));
    let own = own.map(|(n, _)| *n);
    (own.collect(), left.take(LEFT_MAX).collect())
}

/// Whether the comment above a ping names the way of a test that stands above this one, and not this one's.
fn is_beside_another_way(facts: &Facts, test: &Test, ends: &[Vec<String>; 2], at: Place) -> bool {
    let way = facts.moments.way_beside(at);
    let above = |t: &Test| test.at.lines_below(t.at).is_some_and(|lines| lines > 0);
    TESTERS.contains(&test.tool)
        && way.is_some_and(|way| way != test.client)
        && facts
            .tests
            .iter()
            .any(|t| way == Some(t.client) && above(t) && !is_between_others(facts, t, ends))
}

/// Whether all addresses among names are of IPv6, or all of IPv4; none where they are of both, or none is an address.
fn one_version<'n>(names: impl IntoIterator<Item = &'n String>) -> Option<bool> {
    let addresses = names.into_iter().filter_map(|n| n.parse::<IpAddr>().ok());
    let mut versions = addresses.map(|a| a.to_canonical().is_ipv6());
    let first = versions.next()?;
    versions.all(|v| v == first).then_some(first)
}

/// Whether a ping went by IPv6, or by IPv4, as its address or else its command says.
pub(crate) fn by_ipv6(facts: &Facts, ping: u32) -> Option<bool> {
    let names = facts.pings.get(ping as usize)?;
    let typed = facts.by_ipv6.get(&ping).copied();
    one_version(names).or(typed)
}

/// Where each ping said something first.
fn places(facts: &Facts) -> Vec<Option<Place>> {
    let mut places = vec![None; facts.pings.len()];
    for fact in &facts.facts {
        if let Of::Ping(n) = fact.of
            && let Some(place) = places.get_mut(n as usize)
        {
            *place = place.or(Some(fact.at));
        }
    }
    places
}

/// The first names of pings, each once, as many as are named.
fn targets<'f>(pings: impl IntoIterator<Item = &'f Vec<String>>) -> Vec<String> {
    let mut targets: Vec<String> = Vec::new();
    for target in pings.into_iter().filter_map(|of| of.first()) {
        if targets.len() < NAMED_MAX && !targets.contains(target) {
            targets.push(target.clone());
        }
    }
    targets
}

/// Every name of an end of a flow: 0 the sender, 1 the receiver.
pub(crate) fn names(flow: &Flow, n: usize) -> Vec<String> {
    let end = if n == 0 { &flow.from } else { &flow.to };
    let aliases = flow.test.iter().flat_map(|t| t.aliases[n].iter());
    let all = aliases.chain([&end.host]).filter(|name| !name.is_empty());
    all.cloned().collect()
}

/// Names of the end that did not open the connection, which is the one that people ping.
pub(crate) fn peer<'e>(ends: &'e [Vec<String>; 2], flow: &Flow) -> &'e [String] {
    let fetched = flow
        .test
        .as_ref()
        .is_some_and(|t| t.client == crate::seen::Side::Receiver);
    &ends[usize::from(!fetched)]
}

/// Whether both have addresses of one kind, and none in common, or names of records: they are two hosts.
pub(crate) fn apart(facts: &Facts, a: &[String], b: &[String]) -> bool {
    let recorded = |names: &[String]| names.iter().any(|n| facts.recorded_hosts.contains(n));
    if recorded(a) && recorded(b) {
        return !a.iter().any(|x| b.contains(x));
    }
    let addresses =
        |names: &[String]| -> Vec<IpAddr> { names.iter().filter_map(|n| n.parse().ok()).collect() };
    let (a, b) = (addresses(a), addresses(b));
    let kind = a
        .iter()
        .any(|x| b.iter().any(|y| x.is_ipv4() == y.is_ipv4()));
    kind && !a.iter().any(|x| b.contains(x))
}

/// Names the targets of pings that are of no flow's path, and says why some to an end of one are not.
pub(crate) fn left_out(facts: &Facts, flows: &[Flow]) -> Vec<String> {
    let of = |f: &Flow, n: &u32| f.pings.own.binary_search(n).is_ok() || f.pings.near.contains(n);
    let taken = |n: &u32| flows.iter().any(|f| of(f, n));
    let left = || {
        flows
            .iter()
            .flat_map(|f| f.pings.left.iter().map(move |l| (f, l)))
    };
    let aside: BTreeSet<u32> = left().map(|(_, (n, _))| *n).collect();
    let rest = (0_u32..).zip(&facts.pings);
    let rest = rest.filter(|(n, _)| !aside.contains(n) && !taken(n));
    let shared: Vec<SharedQueue> = flows
        .iter()
        .filter_map(|f| SharedQueue::of(facts, f))
        .collect();
    let is_shared = |name: &String| shared.iter().any(|queue| queue.is_to(name));
    let (queued, named): (Vec<String>, Vec<String>) = targets(rest.map(|(_, of)| of))
        .into_iter()
        .partition(is_shared);
    let mut notes: Vec<String> = Vec::new();
    if !queued.is_empty() {
        notes.push(format!(
            "pings to {} are of no flow's path: they count only where a flow fills the queue that they met",
            queued.join(", ")
        ));
    }
    if !named.is_empty() {
        notes.push(format!(
            "pings to {} are of no flow's path, and are left out",
            named.join(", ")
        ));
    }
    notes.extend(traced_elsewhere::left_out(facts, flows));
    let places = match aside.is_empty() {
        true => Vec::new(),
        false => places(facts),
    };
    for (flow, (n, why)) in left().take(NOTED_MAX) {
        let of_another = matches!(why, Left::Version) && taken(n);
        if let Some(at) = places.get(*n as usize).copied().flatten()
            && !of_another
        {
            notes.push(why.note(&facts.place(at), &flow.name()));
        }
    }
    notes
}

/// Most pings to an end of a flow of which is said why they are not weighed.
const NOTED_MAX: usize = 20;

impl Left {
    /// Says it of a ping at a place, and of a flow.
    fn note(self, place: &str, flow: &str) -> String {
        let why = match self {
            Left::Version => "went by another version of IP than the flow",
            Left::Versions => {
                "may have gone by another version of IP than the flow, as pings went by both"
            }
            Left::Time => "is of another time than the test, by the dates or the words above them",
            Left::Host => {
                "was typed on another host than the test, whose own pings took far more or less"
            }
            Left::Beside => "ran beside other traffic than the test, by the comment above it",
        };
        format!("{place}: this ping {why}: it is not weighed for {flow}")
    }
}
