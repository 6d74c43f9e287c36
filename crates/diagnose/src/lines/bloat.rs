//! A queue that makes everybody on a line wait: how much it adds to the round trip, and what that says of the line.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
pub(crate) use crate::figures::ms;
use crate::flows::flow::{Flow, number, word};
use crate::items::{Item, spread, step};
use crate::lines::filled_shaper::SHAPER_HELD;
use crate::lines::leaves::{by_leaves, shaping};
use crate::lines::shared_queue::{SharedQueue, by_shared_queue};
use crate::paths::detour::by_other_ways;
use crate::paths::pinged;
use crate::read::Facts;

/// A queue of so many round trips of the idle path is longer than any congestion control needs, and this long, in seconds, it is felt.
pub(crate) const BLOAT: f64 = 2.0;
pub(crate) const BLOAT_S: f64 = 0.08;

/// A ping whose answers take so many times the least that the kernel saw was sent under load.
const UNDER_LOAD: f64 = 3.0;

/// Intervals that differ by less than this are those of a line that stays full.
pub(crate) const STAYS_FULL: f64 = 0.15;

impl Evidence {
    /// What the queue adds to the round trip: its mean under load less that at rest, seconds.
    pub(crate) fn queueing(&self) -> Option<f64> {
        let [rest, _] = self.rtt_at_rest()?;
        Some(libm::fmax(self.rtt_loaded.as_ref()?.value - rest, 0.0))
    }

    /// The same, where that is many times what the path takes: those beside the flow wait for it. None where it is as long as queues
    /// have to be.
    pub(crate) fn bloat(&self) -> Option<f64> {
        let floor = self.rtt_floor.as_ref()?.value;
        let added = self.queueing()?;
        (added > BLOAT_S && added > BLOAT * floor).then_some(added)
    }

    /// What a queue adds that others' pings met, or a test which loaded both ways at the same time, seconds.
    pub(crate) fn waits_beside(&self) -> Option<f64> {
        self.shared_wait().or_else(|| self.waits_in_slower())
    }

    /// How long packets wait at most before the line or a shaper, seconds, where others feel it: as was seen, or as a shaper's own
    /// settings say.
    pub(crate) fn waits(&self) -> Option<f64> {
        let stated = self.around.shaper_queue.as_ref().map(|q| q.value);
        let seen = self.bloat().or_else(|| self.waits_beside());
        seen.or(stated.filter(|s| *s > BLOAT_S))
    }

    /// The same for people: as was seen, and the most that a shaper's own settings allow.
    pub(crate) fn waits_in_words(&self) -> String {
        let seen = self.queueing().filter(|seen| *seen > 0.0);
        let seen = seen.or_else(|| self.waits_beside());
        let stated = self.around.shaper_queue.as_ref().map(|q| q.value);
        let most = stated.filter(|most| seen.is_none_or(|seen| *most > 1.1 * seen));
        match (seen, most) {
            (Some(seen), Some(most)) => format!(
                "{}, as was seen under load, and {} at most, as the shaper's settings allow",
                ms(seen),
                ms(most)
            ),
            (Some(seen), None) => ms(seen),
            (None, Some(most)) => format!("up to {}, which the shaper's settings allow", ms(most)),
            (None, None) => String::new(),
        }
    }

    /// Shapers of the sender, and of hosts on the way, but for those of interfaces that did not carry the flow: the one with the lowest
    /// rate counts.
    pub(crate) fn of_shapers(&mut self, facts: &Facts, flow: &Flow) {
        let hosts = flow.senders.iter().chain(&flow.between);
        let own = |host: &u32| {
            let port = word(facts, Of::Host(*host), "shaper_port");
            !port.is_some_and(|(port, _)| flow.bypassed.leaves(*host, port))
        };
        let hosts = hosts.filter(|host| own(host));
        let passes = self.settled().map(|rate| rate.value);
        let rate = |host: &u32| Some((*host, shaping(facts, Of::Host(*host), passes)?));
        let slowest = hosts.filter_map(rate);
        let slowest = slowest.min_by(|a, b| a.1.0.value.total_cmp(&b.1.0.value));
        let Some((host, (bps, held))) = slowest else {
            return;
        };
        if self
            .shaper
            .as_ref()
            .is_none_or(|known| bps.value < known.value)
        {
            self.shaper = Some(bps);
        }
        let get = |name| number(facts, Of::Host(host), name).cloned();
        self.around.shaper_of = Some(host);
        self.around.held = held;
        self.around.shaper_drops = get("qdisc_drops");
        let [held, packets] = SHAPER_HELD.map(get);
        self.around.shaper_held = held.zip(packets).map(|(n, of)| [n.value, of.value]);
        self.around.shaper_queue = get("shaper_queue_ns").map(|q| q.times(NS));
    }

    /// The host whose text has the shaper that limits the flow. One that lets through twice what passes and more does not: what is full is
    /// somewhere else.
    pub(crate) fn shaping_host(&self) -> Option<u32> {
        let stated = self.shaper.as_ref().map_or(0.0, |s| s.value);
        let limits = self.settled().is_none_or(|rate| stated < 2.0 * rate.value);
        self.around.shaper_of.filter(|_| limits)
    }

    /// The round trip that windows and losses leave a rate by. A queue of many round trips, or one that a window fills, is the flow's own
    /// work: one that was held by something else would not fill it.
    pub(crate) fn rtt_by_itself(&self) -> Option<&Figure> {
        let rest = self.rtt_idle.as_ref().or(self.rtt_floor.as_ref());
        match self.bloat().is_some() || self.fills_queue().is_some() {
            true => rest.or(self.rtt.as_ref()),
            false => self.rtt.as_ref(),
        }
    }

    /// Whether what the flow gets is far below the line that was said, though a queue is full of it.
    pub(crate) fn is_slower_line(&self) -> bool {
        let most = self.line.as_ref().map(|(line, _)| line.value);
        let rate = self.settled().map_or(0.0, |r| r.value);
        most.is_some_and(|line| rate < 0.5 * line)
    }

    /// Whether a shaper is stated that is full of the flow.
    pub(crate) fn is_shaped(&self) -> bool {
        let stated = self.shaper.as_ref().map(|s| s.value);
        let rate = self.settled().map_or(0.0, |r| r.value);
        stated.is_some_and(|stated| rate > 0.85 * stated && rate < stated)
    }

    /// How surely a log's congestion window grows and its rate does not, 0 to 1: what is added waits in a queue. A kernel lets only a
    /// window grow that is used up.
    pub(crate) fn window_outgrows(&self) -> f64 {
        let rows = self.counted.get(1..).unwrap_or(&[]);
        let rates: Vec<f64> = rows.iter().map(|r| r.bps).collect();
        let even = spread(&rates).is_some_and(|s| s < STAYS_FULL / 2.0);
        let mut least = f64::INFINITY;
        let mut most: f64 = 0.0;
        for cwnd in rows.iter().filter_map(|r| r.cwnd).filter(|c| *c > 0.0) {
            least = libm::fmin(least, cwnd);
            most = libm::fmax(most, cwnd / least);
        }
        match even && !self.udp && !self.is_bbr() {
            true => step(most, OUTGROWN[0], OUTGROWN[1]),
            false => 0.0,
        }
    }

    /// Which pings of a flow's path were sent under load: those far above another run, or far above the least that the kernel saw while
    /// it saw a queue, too. What they say stands beside what a socket says of its own round trips.
    pub(crate) fn of_pings(&mut self, facts: &Facts, flow: &Flow) -> Vec<[Figure; 3]> {
        self.around.shared_queue = SharedQueue::of(facts, flow);
        let mut runs = pinged::runs(facts, flow);
        runs.sort_by(|a, b| a[1].value.total_cmp(&b[1].value));
        let mut other = match self.around.stepped {
            Some(_) => Vec::new(),
            None => by_other_ways(facts, flow, &runs),
        };
        runs.retain(|run| !other.contains(run));
        other.extend(self.of_vantages(facts, flow, &runs));
        runs.retain(|run| !other.contains(run));
        other.extend(self.of_routes(facts, flow, &runs));
        runs.retain(|run| !other.contains(run));
        self.of_other_times(facts, flow, &runs);
        other.extend(pinged::by_other_version(facts, flow));
        other.extend(pinged::traces_of_other_times(facts, flow));
        let socket = self.rtt_floor.as_ref().zip(self.rtt_loaded.as_ref());
        let socket = socket.map(|(floor, loaded)| (floor.value / NS, loaded.value / NS));
        let rest = runs.first().map(|[_, mean, most]| (mean.value, most.value));
        let began = self.began_at_rest((facts, flow), &runs);
        let is_loaded = |[_, mean, _]: &[Figure; 3]| {
            let above = |rest: f64, most: f64| {
                mean.value > most + LEAST_NS && mean.value > most + 0.5 * rest
            };
            let by_socket = socket.is_some_and(|(floor, loaded)| {
                let far = |rtt: f64| rtt > UNDER_LOAD * floor && rtt > floor + BLOAT_S / NS;
                far(mean.value) && far(loaded)
            });
            let by_rest = rest.is_some_and(|(mean, most)| above(mean, most));
            began.is_some() || by_socket || by_rest
        };
        let mut loaded: Vec<[Figure; 3]> =
            runs.iter().filter(|run| is_loaded(run)).cloned().collect();
        let own = |run: &&pinged::Run| !pinged::is_before(facts, flow, run);
        if let Some([least, mean, most]) = loaded.iter().rfind(own) {
            let mut rtt = mean.times(NS);
            // The first of them were answered before the queue was full.
            rtt.low = libm::fmax(least.value, 2.0 * mean.value - most.value) * NS;
            rtt.high = most.value * NS;
            self.rtt_loaded = self.rtt_loaded.take().or(Some(rtt));
        }
        self.rtt_floor = self.rtt_floor.take().or_else(|| began.clone());
        // What varies beside a run that does not was sent under load, or nobody knows when: it is not the path at rest.
        let still = runs.first().cloned();
        let uneven = runs.iter().filter(|run| !is_loaded(run));
        let uneven: Vec<[Figure; 3]> = uneven
            .filter(|run| {
                still
                    .as_ref()
                    .is_some_and(|still| varies_beside(run, still))
            })
            .cloned()
            .collect();
        let means = still.as_ref().zip(uneven.first());
        self.around.uneven = means.map(|(a, b)| [a[1].value * NS, b[1].value * NS]);
        // What still pings never came down to stood in a queue: they were not of the path at rest.
        let least = uneven.iter().map(|run| run[0].value).reduce(libm::fmin);
        let below =
            |[still, least]: &[f64; 2]| *least < (1.0 - LOWER) * still && still - least > UNEVEN_NS;
        let both = still.as_ref().zip(least).map(|(s, l)| [s[0].value, l]);
        self.around.below = both.filter(below).map(|b| b.map(|ns| ns * NS));
        loaded.extend(uneven);
        loaded.extend(other);
        loaded
    }
}

/// A run of pings whose round trips are within this part of their mean does not vary.
const STILL: f64 = 0.05;

/// One that varies so many times as much beside it, and is slower by this part, was sent under load, or at another time.
const VARIES: f64 = 5.0;
const SLOWER: f64 = 0.02;

/// Whether a run of pings varies and is slower where another, of the same least round trip or less, stands still.
fn varies_beside(run: &[Figure; 3], still: &[Figure; 3]) -> bool {
    let spread = |[least, _, most]: &[Figure; 3]| most.value - least.value;
    let mean = still[1].value;
    spread(still) < STILL * mean
        && spread(run) > VARIES * spread(still)
        && run[1].value > still[2].value + libm::fmax(SLOWER * mean, UNEVEN_NS)
}

/// By this part a round trip is less than the least of another run.
const LOWER: f64 = 0.03;

/// Runs whose means differ by less than this, nanoseconds, are alike.
const UNEVEN_NS: f64 = 1e6;

/// A window that slow start left doubles once more without being used up; one that outgrows that is used.
const OUTGROWN: [f64; 2] = [2.1, 2.6];

const NS: f64 = crate::evidence::NS;

/// Runs of pings that differ by less than this, nanoseconds, need no queue.
const LEAST_NS: f64 = 1e7;

/// A queue's time, seconds, and the most of it where single round trips under load say that: a mean has the time in it until the queue
/// was full.
pub(crate) fn grown(mean: f64, loaded: &Figure) -> String {
    let most = mean + loaded.high - loaded.value;
    match most > 1.1 * mean {
        true => format!("{} on average and {} at most", ms(mean), ms(most)),
        false => ms(mean),
    }
}

/// What a long queue says. It outlasts every cut of a window, so that the line behind it never rests: losses, windows and buffers hold
/// nothing down.
pub(crate) fn by_bloat(e: &Evidence, items: &mut Vec<Item>) {
    by_growth(e, items);
    items.extend(e.around.uneven.map(|[still, other]| Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: format!(
            "pings took {} in one run and hardly varied, and {} on average in another, which was under load or of another time: it does not count as the path at rest",
            ms(still),
            ms(other)
        ),
    }));
    by_leaves(e, items);
    by_shaper(e, items);
    by_shared_queue(e, items);
    let Some(added) = e.bloat() else { return };
    let even = spread(&e.steady).is_none_or(|s| s < STAYS_FULL);
    let slower = e.is_slower_line();
    let shaped = slower || e.is_shaped();
    let full = if shaped { Cause::Shaper } else { Cause::Link };
    let others = [
        (Cause::CongestionLoss, -10.0),
        (Cause::ShallowBuffer, -16.0),
        (Cause::Policer, -16.0),
        (Cause::RandomLoss, -10.0),
        (Cause::ReceiveWindow, -4.0),
        (Cause::SendBuffer, -4.0),
    ];
    let weight = if shaped { 16.0 } else { 6.0 };
    let weights = others.into_iter().chain([(full, weight)]).collect();
    let rate = e.settled().map_or(0.0, |r| r.value);
    // A program that pauses fills a queue with each of its bursts, and leaves it.
    let paused = e.share(Cause::Application).unwrap_or(0.0);
    items.push(Item {
        holds: if even { 1.0 - step(paused, 0.1, 0.3) } else { 0.0 },
        weights,
        sentence: match (slower, &e.line) {
            (true, Some((line, _))) => format!(
                "a queue is full at {}, far below {}: something slower stands before it, a shaper or a slower line",
                crate::ceiling::bps(rate),
                crate::ceiling::bps(line.value)
            ),
            _ => String::new(),
        },
    });
    items.push(Item {
        holds: 1.0,
        weights: vec![(full, 0.1)],
        sentence: format!(
            "the queue before the line adds {}: whatever shares the line waits as long",
            e.rtt_loaded
                .as_ref()
                .map_or_else(|| ms(added), |loaded| grown(added, loaded))
        ),
    });
}

/// A window that grows while the rate stays: a line that is full, and no losses that hold it.
fn by_growth(e: &Evidence, items: &mut Vec<Item>) {
    // What the path at rest holds says more of the same window.
    if e.outgrown().is_some() {
        return;
    }
    items.push(Item {
        holds: e.window_outgrows(),
        weights: vec![
            (Cause::Link, 6.0),
            (Cause::Shaper, 6.0),
            (Cause::Policer, -14.0),
            (Cause::ShallowBuffer, -14.0),
            (Cause::RandomLoss, -8.0),
            // It is used up: neither a smaller window nor a smaller buffer held what was in flight.
            (Cause::ReceiveWindow, -8.0),
            (Cause::SendBuffer, -8.0),
        ],
        sentence: "the congestion window grew to several times what it was, and the rate stayed: what was added waits in a queue"
            .to_owned(),
    });
}

/// A shaper's queue that dropped what was sent again.
fn by_shaper(e: &Evidence, items: &mut Vec<Item>) {
    let again = e.retransmits.as_ref().filter(|r| !e.udp && r.value > 0.0);
    let (Some(drops), Some(again), true) = (&e.around.shaper_drops, again, e.is_shaped()) else {
        return;
    };
    items.push(Item {
        holds: step(drops.value / again.value, 0.2, 0.7),
        weights: vec![
            (Cause::Shaper, 14.0),
            (Cause::Policer, -12.0),
            (Cause::RandomLoss, -8.0),
        ],
        sentence: format!(
            "the shaper's queue dropped {:.0} packets, and {:.0} segments were sent again",
            drops.value, again.value
        ),
    });
}
