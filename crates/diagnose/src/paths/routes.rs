//! Two runs of pings of one path that lie far apart, and of which neither varies: the route changed, or a queue stood.

use crate::evidence::{Evidence, NS};
use crate::fact::{Figure, Place};
use crate::flows::flow::Flow;
use crate::items::Item;
use crate::lines::bloat::ms;
use crate::losses::lost_beside::by_lost_beside;
use crate::paths::apart::{lie_apart, step_of};
use crate::paths::detour::by_detour;
use crate::paths::pinged::{Run, is_over_before, of_other_times};
use crate::paths::vantage::by_vantages;
use crate::read::Facts;

/// Another route takes so many times as long at most.
const DETOUR: f64 = 4.0;

/// A socket's round trip is that of a run within this part of it.
const NEAR: f64 = 0.1;

/// Two round trips of one path.
#[derive(Clone, Debug)]
pub(crate) struct Routes {
    /// Mean of the shorter and the longer, seconds.
    means: [f64; 2],
    /// The least of the shorter, seconds.
    least: f64,
    /// TTL of the answers of each, where both were printed.
    ttl: Option<[u32; 2]>,
    /// Which of them counts.
    used: Used,
}

/// Which of two round trips counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Used {
    /// The test's own socket had the shorter.
    Shorter,
    /// It had the longer.
    Longer,
    /// Nobody knows which it had.
    Either,
}

/// The TTL of the answers of a run: the last that was printed before its closing line.
fn ttl(facts: &Facts, run: &Run) -> Option<u32> {
    let Some(Place::Line(source, closing)) = run[0].from.first().copied() else {
        return None;
    };
    let before = |at: &Place| matches!(at, Place::Line(s, l) if *s == source && *l <= closing);
    let last = facts.reply_ttls.iter().rev().find(|(at, ..)| before(at))?;
    // A run of which no answer was printed has none of another's.
    let of_other = facts.facts.iter().any(|f| {
        let between = f.at > last.0 && f.at < Place::Line(source, closing);
        f.name == "rtt_max_ns" && between
    });
    (!of_other).then_some(last.1)
}

/// Two runs of pings.
pub(crate) type Two<'r> = (&'r Run, &'r Run, Option<(u32, u32)>);

/// The shortest and the longest of runs that are sorted by their means, where they lie far apart and neither varies, and the TTL of the
/// answers of each.
pub(crate) fn far_apart<'r>(facts: &Facts, runs: &'r [Run]) -> Option<Two<'r>> {
    let (short, long) = (runs.first()?, runs.last()?);
    let ttls = ttl(facts, short).zip(ttl(facts, long));
    let turned = ttls.is_some_and(|(a, b)| a != b);
    let [a, b] = [short, long].map(|run| run.each_ref().map(|f| f.value));
    lie_apart(a, b, turned).then_some((short, long, ttls))
}

impl Evidence {
    /// Which runs of pings do not count, as another of the same path lies far from them and neither varies; `runs` are sorted by their means.
    pub(crate) fn of_routes(&mut self, facts: &Facts, flow: &Flow, runs: &[Run]) -> Vec<Run> {
        let Some((short, long, ttls)) = far_apart(facts, runs) else {
            return Vec::new();
        };
        let middle = f64::midpoint(short[1].value, long[1].value);
        let without = |longer: bool| {
            let other = runs.iter().filter(|run| (run[1].value > middle) == longer);
            other.cloned().collect::<Vec<Run>>()
        };
        if let Some(stepped) = &self.around.stepped {
            return without(!stepped.is_longer());
        }
        let near = |seconds: &Figure, run: &Run| {
            (seconds.value / NS - run[1].value).abs() < NEAR * run[1].value
        };
        let has = |seconds: &Option<Figure>, run| seconds.as_ref().is_some_and(|s| near(s, run));
        let turned = ttls.is_some_and(|(a, b)| a != b);
        // A detour is rarely so long, and a window that grows while the rate stays fills a queue.
        let over = [short, long].map(|run| is_over_before(facts, flow, run));
        let queued = long[1].value > DETOUR * short[1].value && over != [true, true]
            || self.window_outgrows() > 0.5;
        if queued && !turned {
            return Vec::new();
        }
        let used = match () {
            // Its own least is the short one, and it waited as long as the other: a queue, and no other route.
            () if has(&self.rtt_floor, short) && has(&self.rtt_loaded, long) => return Vec::new(),
            () if has(&self.rtt_floor, long) => Used::Longer,
            () if has(&self.rtt_floor, short) && has(&self.rtt_loaded, short) => Used::Shorter,
            () => Used::Either,
        };
        self.around.routes = Some(Routes {
            means: [short[1].value * NS, long[1].value * NS],
            least: short[0].value * NS,
            ttl: ttls.map(|(a, b)| [a, b]),
            used,
        });
        without(used == Used::Shorter)
    }

    /// Takes what pings of another time than the test took, where it is far from what those of its time did; `runs` are sorted by their
    /// means.
    pub(crate) fn of_other_times(&mut self, facts: &Facts, flow: &Flow, runs: &[Run]) {
        self.of_detour(facts, flow);
        let others = of_other_times(facts, flow);
        let then = others
            .iter()
            .min_by(|a, b| a[1].value.total_cmp(&b[1].value));
        self.around.moved = then.zip(runs.first()).and_then(|(then, now)| {
            let means = [then, now].map(|run| run[1].value * NS);
            let far = libm::fabs(means[0] - means[1]) > step_of(libm::fmin(means[0], means[1]));
            let ttl = ttl(facts, then).zip(ttl(facts, now));
            far.then(|| Moved {
                means,
                ttl: ttl.map(|(a, b)| [a, b]),
            })
        });
    }

    /// That the round trip is another than at another time, for people.
    pub(crate) fn moved_in_words(&self) -> Option<String> {
        self.around.moved.map(Moved::sentence)
    }

    /// A round trip of which nobody knows whether it was the shorter of two may be that.
    pub(crate) fn span_routes(&mut self) {
        let either = self.around.routes.as_ref();
        let either = either.filter(|r| r.used == Used::Either && self.rtt_loaded.is_none());
        if let (Some(routes), Some(rtt)) = (either, &mut self.rtt) {
            rtt.low = rtt.low.min(routes.least);
        }
        self.span_vantages();
    }
}

/// Both round trips, what they mean, and which of them counts.
pub(crate) fn by_routes(e: &Evidence, items: &mut Vec<Item>) {
    by_vantages(e, items);
    by_lost_beside(e, items);
    items.extend(e.around.routes.as_ref().map(|routes| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: routes.sentence(),
    }));
    by_detour(e, items);
    items.extend(e.moved_in_words().map(|sentence| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence,
    }));
}

/// A round trip that is another than at another time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Moved {
    /// Mean round trips of pings of another time than the test, and of those of its time, seconds.
    means: [f64; 2],
    /// TTL of the answers of each, where both were printed.
    ttl: Option<[u32; 2]>,
}

impl Moved {
    /// Mean round trips of pings of another time than the test, and of those of its time, seconds.
    pub(crate) fn means(self) -> [f64; 2] {
        self.means
    }

    fn sentence(self) -> String {
        let [then, now] = self.means.map(ms);
        let begin = format!(
            "the round trip changed: pings of another time took {then}, and those of the test's time {now}"
        );
        match self.ttl {
            Some([a, b]) if a != b => format!(
                "{begin}. The route has changed, as the TTL of the answers did, from {a} to {b}: a trace of both ways shows the new one, and who runs it knows why; ceilings go by the {now}"
            ),
            _ => {
                format!("{begin}, by another route or a queue of others; ceilings go by the {now}")
            }
        }
    }
}

impl Routes {
    fn sentence(&self) -> String {
        let [short, long] = self.means.map(ms);
        let why = match (self.ttl, self.used) {
            (Some([a, b]), _) if a != b => {
                format!("the route changed, as the TTL of the answers did, {a} and {b}")
            }
            (_, Used::Either) => {
                "the route changed, or one was sent while a queue stood".to_owned()
            }
            (Some(_), _) | (None, _) => "the route changed".to_owned(),
        };
        let used = match self.used {
            Used::Shorter => format!("{short} counts, as the test's socket had it"),
            Used::Longer => format!("{long} counts, as the test's socket had it"),
            Used::Either => format!(
                "what is to be in flight goes by {long}, as what is enough for that is enough for {short}; minrtt of `ss` during a test says which it has"
            ),
        };
        format!(
            "pings took {short} in one run, or a part of one, and {long} in another, and hardly varied in either: {why}; {used}"
        )
    }
}
