//! Two traces of one path that part on the way: which hops it has got, and by how much longer it is.

use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::flows::flow::{Flow, alike};
use crate::items::Item;
use crate::lines::bloat::ms;
use crate::paths::pinged::{Run, names};
use crate::read::Facts;

/// Most traces that are kept, and most hops of one: no packet passes more.
const WAYS_MAX: usize = 64;
const HOPS_MAX: usize = 255;

/// The way is longer from so many times on, and by so much, ms. Choices, as the next.
const LONGER: f64 = 1.2;
const LONGER_MS: f64 = 5.0;

/// Two traces have a hop in common where its round trips differ by no more than this, ms, and this part of it.
const EVEN_MS: f64 = 2.0;
const EVEN: f64 = 0.2;

/// Causes that leave a rate by the round trip: a shorter way takes them away.
const BY_ROUND_TRIP: [Cause; 5] = [
    Cause::ReceiveWindow,
    Cause::SendBuffer,
    Cause::NoWindowScaling,
    Cause::RandomLoss,
    Cause::Ramp,
];

/// A hop that answered a trace.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Hop {
    /// Its number, from 1.
    pub(crate) number: u32,
    pub(crate) name: String,
    /// Its least round trip, ms.
    pub(crate) least_ms: f64,
}

/// A trace that reached its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Way {
    /// Where it begins.
    pub(crate) at: Place,
    /// Where its end stands.
    pub(crate) end: Place,
    /// Names and addresses of its end.
    pub(crate) target: Vec<String>,
    /// Hops that answered, the end last.
    pub(crate) hops: Vec<Hop>,
}

/// The way of one trace that is longer than that of another.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Detour {
    /// The last hop that both have; none where they part at the first.
    before: Option<String>,
    /// The first hop of the longer one that the other has not.
    hop: Hop,
    /// What the shorter one has in its place.
    instead: Option<String>,
    /// The end of the shorter and of the longer one.
    ends: [Hop; 2],
    /// The texts say that the shorter one is of another time than the test.
    dated: bool,
}

impl Facts {
    /// A trace that reached its end.
    pub(crate) fn goes_by(&mut self, way: Way) {
        if self.ways.len() < WAYS_MAX && (2..=HOPS_MAX).contains(&way.hops.len()) {
            self.ways.push(way);
        }
    }
}

/// A round trip of pings is that of a way within this part of it.
const NEAR: f64 = 0.1;

/// The traces among the runs of a flow's path that took another way than the one it has: what lies between the lengths of two ways is
/// distance, and no queue. The flow has the way that pings agree with, and of several the one that stands nearest above its test. Where a
/// text says that a trace was sent under load, all of them stay.
pub(crate) fn by_other_ways(facts: &Facts, flow: &Flow, runs: &[Run]) -> Vec<Run> {
    let ends = [0, 1].map(|n| names(flow, n));
    let place = |run: &Run| run[0].from.first().copied();
    let is_taken = |way: &&Way| runs.iter().any(|run| place(run) == Some(way.end));
    let own = facts.ways.iter().filter(|w| w.leads_to(&ends));
    let own: Vec<&Way> = own.filter(is_taken).collect();
    if own.len() < 2 || own.iter().any(|way| facts.moments.is_loaded(way.at)) {
        return Vec::new();
    }
    let of_trace = |run: &Run| own.iter().any(|way| place(run) == Some(way.end));
    let pinged = |way: &Way| {
        let apart = |run: &Run| libm::fabs(run[0].value / NS_OF_MS - way.end_ms());
        let mut pings = runs.iter().filter(|run| !of_trace(run));
        pings.any(|run| apart(run) < NEAR * way.end_ms())
    };
    let above = |way: &Way| flow.test.as_ref()?.at.lines_below(way.at);
    let nearest = |way: &&&Way| {
        let lines = above(way);
        let far = u32::MAX - lines.unwrap_or(u32::MAX);
        (pinged(way), lines.is_some(), far, way.at)
    };
    let Some(used) = own.iter().max_by_key(nearest) else {
        return Vec::new();
    };
    let parts = |way: &Way| {
        let both = [(*used, way), (way, *used)];
        both.iter()
            .any(|(a, b)| Detour::between(a, b, false).is_some())
    };
    let others: Vec<Place> = own.iter().filter(|w| parts(w)).map(|w| w.end).collect();
    let of_other = |run: &&Run| place(run).is_some_and(|at| others.contains(&at));
    runs.iter().filter(of_other).cloned().collect()
}

/// Nanoseconds of a millisecond.
const NS_OF_MS: f64 = 1e6;

impl Way {
    /// Whether it leads to an end of a flow, or to one that no text names.
    fn leads_to(&self, ends: &[Vec<String>; 2]) -> bool {
        let last = self.hops.last().map(|hop| &hop.name);
        let mut own = self.target.iter().chain(last);
        let is_end = |name: &String| ends.iter().flatten().any(|end| alike(name, end));
        ends.iter().all(Vec::is_empty) || own.any(is_end)
    }

    fn end_ms(&self) -> f64 {
        self.hops.last().map_or(0.0, |hop| hop.least_ms)
    }
}

impl Detour {
    /// Of the first and the last trace of a flow's path.
    fn of(facts: &Facts, flow: &Flow) -> Option<Detour> {
        let ends = [0, 1].map(|n| names(flow, n));
        let own: Vec<&Way> = facts.ways.iter().filter(|w| w.leads_to(&ends)).collect();
        let (first, last) = (*own.first()?, *own.last()?);
        let test = flow.test.as_ref();
        let marked = [first, last]
            .map(|way| test.is_some_and(|test| facts.moments.is_of_another_time(test, way.at)));
        let (then, now) = match marked {
            [true, false] => (first, last),
            [false, true] => (last, first),
            // Nobody says which of them the test had.
            _ if first.end_ms() <= last.end_ms() => (first, last),
            _ => (last, first),
        };
        Detour::between(then, now, marked[0] != marked[1])
    }

    /// Where one trace leaves the other for a longer way.
    fn between(then: &Way, now: &Way, dated: bool) -> Option<Detour> {
        let (short, long) = (then.hops.last()?, now.hops.split_last()?);
        let (end, inner) = long;
        let added = end.least_ms - short.least_ms;
        let longer = added >= LONGER_MS && end.least_ms >= LONGER * short.least_ms;
        let place = |hop: &Hop| {
            let even = |other: &Hop| {
                let apart = libm::fabs(hop.least_ms - other.least_ms);
                apart <= EVEN_MS + EVEN * other.least_ms
            };
            let is_it = |other: &Hop| other.name == hop.name && even(other);
            then.hops.iter().position(is_it)
        };
        let common = inner.iter().rposition(|hop| place(hop).is_some());
        let before = common.and_then(|n| inner.get(n));
        let hop = inner.get(common.map_or(0, |n| n + 1))?;
        // The same hops, of which one is slower now, are the same way.
        let is_new = then.hops.iter().all(|other| other.name != hop.name);
        let next = before.and_then(place).map_or(0, |n| n + 1);
        let instead = then.hops.get(next).filter(|other| other.name != short.name);
        (longer && is_new).then(|| Detour {
            before: before.map(|hop| hop.name.clone()),
            hop: hop.clone(),
            instead: instead.map(|hop| hop.name.clone()),
            ends: [short.clone(), end.clone()],
            dated,
        })
    }

    /// ` in place of 203.0.113.9`, where the shorter way has a hop there.
    fn in_place(&self) -> String {
        let name = self.instead.as_ref();
        name.map_or_else(String::new, |name| format!(" in place of {name}"))
    }

    fn sentence(&self) -> String {
        let begin = match self.dated {
            true => "the way has become longer",
            false => "two traces took different ways, and one of them is longer",
        };
        let agree = match &self.before {
            Some(before) => format!("they agree as far as {before}"),
            None => "they part at once".to_owned(),
        };
        let [short, long] = &self.ends;
        format!(
            "{begin}, as two traces show: {agree}, and from hop {} on it goes over {}{}. The end is {} away in place of {}, behind {} hops in place of {}: that is distance, and no queue",
            self.hop.number,
            self.hop.name,
            self.in_place(),
            ms(long.least_ms / 1e3),
            ms(short.least_ms / 1e3),
            long.number,
            short.number
        )
    }

    /// Who can make it short again.
    fn change(&self) -> Change {
        let [short, long] = &self.ends;
        let runs = match &self.before {
            Some(before) => format!("whoever runs {before} and {}", self.hop.name),
            None => format!("whoever runs {}", self.hop.name),
        };
        let times = long.least_ms / short.least_ms.max(0.1);
        Change {
            host: format!("the way at hop {}", self.hop.number),
            commands: vec![
                format!(
                    "ask {runs} why packets go over {}{}: a link that failed, maintenance, or a route that is announced otherwise. Send both traces: where the way is as short as it was, the same windows give {times:.1} times the rate",
                    self.hop.name,
                    self.in_place()
                ),
                "a trace from the other end as well: the way back may be the one that changed"
                    .to_owned(),
            ],
            risk: "no setting of a host makes the way shorter; what is changed there besides only makes up for it".to_owned(),
            ..Change::default()
        }
    }
}

impl Evidence {
    /// Holds the traces of a flow's path against each other.
    pub(crate) fn of_detour(&mut self, facts: &Facts, flow: &Flow) {
        self.detour = Detour::of(facts, flow);
    }

    /// Puts first that the way can be short again, where the rate goes by its round trip.
    pub(crate) fn shorten_way(&self, cause: Cause, changes: &mut Vec<Change>) {
        let detour = self
            .detour
            .as_ref()
            .filter(|_| BY_ROUND_TRIP.contains(&cause));
        if let Some(detour) = detour {
            changes.insert(0, detour.change());
        }
    }
}

/// Says that the way is another, and longer.
pub(crate) fn by_detour(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.detour.as_ref().map(|detour| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: detour.sentence(),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(hops: &[(&str, f64)]) -> Way {
        let hop = |(number, (name, least_ms)): (u32, &(&str, f64))| Hop {
            number,
            name: (*name).to_owned(),
            least_ms: *least_ms,
        };
        Way {
            at: Place::You,
            end: Place::You,
            target: Vec::new(),
            hops: (1..).zip(hops).map(hop).collect(),
        }
    }

    #[test]
    fn a_way_over_other_hops_that_is_longer_is_a_detour() {
        let then = way(&[("a", 0.2), ("b", 1.1), ("c", 7.9), ("end", 8.1)]);
        let now = way(&[
            ("a", 0.2),
            ("b", 1.1),
            ("d", 44.9),
            ("e", 88.1),
            ("end", 96.1),
        ]);
        let detour = Detour::between(&then, &now, true).expect("it is longer");
        let says = detour.sentence();
        assert!(
            says.contains("as far as b, and from hop 3 on it goes over d in place of c"),
            "{says}"
        );
        assert!(says.contains("behind 5 hops in place of 4"), "{says}");
        assert!(detour.change().commands[0].contains("11.9 times the rate"));
        // The way back to the shorter one is none.
        assert_eq!(Detour::between(&now, &then, true), None);
    }

    #[test]
    fn the_same_hops_that_wait_are_no_detour() {
        let then = way(&[("a", 0.2), ("b", 1.1), ("c", 7.9), ("end", 8.1)]);
        let waits = way(&[("a", 0.2), ("b", 51.1), ("c", 57.9), ("end", 58.1)]);
        assert_eq!(Detour::between(&then, &waits, true), None);
        // Nor are two routers side by side of a way that is as long.
        let beside = way(&[("a", 0.2), ("x", 1.2), ("c", 7.9), ("end", 8.2)]);
        assert_eq!(Detour::between(&then, &beside, true), None);
    }
}
