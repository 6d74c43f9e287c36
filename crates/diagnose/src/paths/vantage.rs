//! Runs of pings that were typed on two hosts and lie far apart: of two paths, or of one on which a queue stood.

use crate::asking::Asking;
use crate::document::MissingFact;
use crate::evidence::{Evidence, NS};
use crate::fact::{Figure, Of};
use crate::flows::flow::{Flow, alike};
use crate::flows::placed::by_names;
use crate::items::Item;
use crate::lines::bloat::ms;
use crate::paths::pinged::Run;
use crate::read::{Facts, WINDOWS};

/// From so many times the shorter round trip on, nobody takes what two hosts saw for one path at rest. A choice.
const TIMES: f64 = 4.0;

/// What else says a round trip means that of a run within this part of it.
const NEAR: f64 = 0.1;

/// The round trips of two hosts, of which no text says that one was seen under load.
#[derive(Clone, Debug)]
pub(crate) struct Vantages {
    /// The hosts that saw the shorter and the longer.
    hosts: [String; 2],
    /// Means of the shorter and the longer, seconds.
    means: [f64; 2],
    /// The least of the shorter, seconds.
    least: f64,
    /// Which of them counts.
    used: Used,
}

/// Which of two round trips counts: the shorter is 0, the longer 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Used {
    /// The test's own socket had it.
    Socket(usize),
    /// Its host is an end of the flow.
    End(usize),
    /// Neither: you said another.
    You,
    /// Nobody knows which it had.
    Either,
}

/// The name at the prompt under which a run of pings began.
fn typed_at<'f>(facts: &'f Facts, run: &Run) -> Option<&'f str> {
    let mut all = facts.facts.iter();
    let least = all.find(|f| f.name == "rtt_min_ns" && f.number() == Some(&run[0]))?;
    let Of::Ping(n) = least.of else { return None };
    let name = facts.pinged_at.get(n as usize)?;
    (!name.is_empty()).then_some(name.as_str())
}

impl Vantages {
    /// Those of a flow, if there are such; `runs` are sorted by their means.
    fn of(e: &Evidence, facts: &Facts, flow: &Flow, runs: &[Run]) -> Option<Vantages> {
        let (short, long) = (runs.first()?, runs.last()?);
        let names = [typed_at(facts, short)?, typed_at(facts, long)?];
        // A run that came down to the other's round trip was of the same path.
        let far = long[1].value > TIMES * short[1].value && long[0].value > short[2].value;
        let queued = facts.moments.is_loaded(*long[0].from.first()?) || e.window_outgrows() > 0.5;
        if !far || queued || alike(names[0], names[1]) || e.around.stepped.is_some() {
            return None;
        }
        let near = |seconds: &Option<Figure>, run: &Run| {
            let off = |s: &Figure| (s.value / NS - run[1].value).abs();
            seconds
                .as_ref()
                .is_some_and(|s| off(s) < NEAR * run[1].value)
        };
        let [floor, loaded] = [&e.rtt_floor, &e.rtt_loaded];
        let ends = names.map(|name| by_names(facts, flow, &[name.to_owned()]));
        let used = match ends {
            _ if facts.of_path("rtt_known_ns").next_back().is_some() => Used::You,
            // The kernel of the flow saw both: a queue.
            _ if near(floor, short) && near(loaded, long) => return None,
            _ if near(floor, long) => Used::Socket(1),
            _ if near(floor, short) => Used::Socket(0),
            // From both ends it is one path.
            [Some(_), Some(_)] => return None,
            [Some(_), None] => Used::End(0),
            [None, Some(_)] => Used::End(1),
            [None, None] => Used::Either,
        };
        let called = |name: &str| match name {
            WINDOWS => "the host of Windows".to_owned(),
            name => name.to_owned(),
        };
        Some(Vantages {
            hosts: names.map(called),
            means: [short[1].value * NS, long[1].value * NS],
            least: short[0].value * NS,
            used,
        })
    }

    /// The runs that do not count.
    fn left(&self, runs: &[Run]) -> Vec<Run> {
        let middle = f64::midpoint(self.means[0], self.means[1]) / NS;
        let longer = matches!(self.used, Used::Socket(0) | Used::End(0) | Used::You);
        let left = runs.iter().filter(|r| (r[1].value > middle) == longer);
        left.cloned().collect()
    }

    /// Both round trips, and which of them counts.
    fn sentence(&self) -> String {
        let [short, long] = self.means.map(ms);
        let [a, b] = &self.hosts;
        let one = |n: usize| [&short, &long][n];
        let used = match self.used {
            Used::Socket(n) => format!("{} counts, as the test's socket had it", one(n)),
            Used::End(n) => format!(
                "{} counts, as {} is an end of the flow",
                one(n),
                self.hosts[n]
            ),
            Used::You => "the round trip that you said counts".to_owned(),
            Used::Either => format!(
                "what is to be in flight goes by {long}, as what is enough for that is enough for {short}"
            ),
        };
        format!(
            "pings took {short} on {a} and {long} on {b}, and no text says that one was sent under load: they may be of two paths; {used}"
        )
    }

    /// Which of the two the flow has.
    fn asks(&self, asking: &Asking) -> MissingFact {
        let [short, long] = self.means.map(ms);
        let [a, b] = &self.hosts;
        MissingFact {
            fact: "rtt_idle_ns",
            would_decide: format!(
                "which round trip the path of this flow has at rest: {short}, as pings on {a} took, or {long}, as on {b}: two paths, or one with a queue"
            ),
            command: format!(
                "{} at rest, and again during a test; or farpath diagnose --rtt {short} ... with the one that is",
                asking.ping(20)
            ),
        }
    }
}

impl Evidence {
    /// Which runs of pings do not count, as another host's lie far from them and no text says that they were sent under load; `runs` are
    /// sorted by their means.
    pub(crate) fn of_vantages(&mut self, facts: &Facts, flow: &Flow, runs: &[Run]) -> Vec<Run> {
        self.around.vantages = Vantages::of(self, facts, flow, runs);
        let found = self.around.vantages.as_ref();
        found.map_or_else(Vec::new, |v| v.left(runs))
    }

    /// A round trip of which nobody knows whether it was the shorter of two hosts' may be that.
    pub(crate) fn span_vantages(&mut self) {
        let either = self.around.vantages.as_ref();
        let either = either.filter(|v| v.used == Used::Either && self.rtt_loaded.is_none());
        if let (Some(vantages), Some(rtt)) = (either, &mut self.rtt) {
            rtt.low = rtt.low.min(vantages.least);
        }
    }

    /// Which of two hosts' round trips the flow has, where nothing says it.
    pub(crate) fn asks_vantage(&self, asking: &Asking) -> Option<MissingFact> {
        let found = self.around.vantages.as_ref();
        let open = found.filter(|v| v.used == Used::Either)?;
        Some(open.asks(asking))
    }
}

/// Says what two hosts' pings took.
pub(crate) fn by_vantages(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.around.vantages.as_ref().map(|vantages| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: vantages.sentence(),
    }));
}
