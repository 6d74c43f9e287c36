//! Whether a queue stood when a capture's losses came: the round trip that ended before each of them, beside those of all the time.
//!
//! A queue that drops is full then, and round trips are as long as it makes them. Chance takes packets whatever stands in it. Where no round
//! trip shows a queue, nothing is known of it: a burst overflows a short one between two round trips.

use farpath_observe::Connection as Seen;
use farpath_trace::DirectionFound;

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::items::Item;

/// How the losses of a capture lie by the queue that round trips show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stood {
    /// Losses, those of one repair as one.
    losses: f64,
    /// Those before which round trips were long.
    long: f64,
    /// Share of the packets that were sent while round trips were as long, 0 to 1.
    usual: f64,
    /// What the queue adds to a round trip at most, seconds.
    adds_s: f64,
}

/// A queue is seen from this on, seconds, and from this part of the least round trip on: as a capture's limits have it (`observe`).
const SEEN_S: f64 = 1e-3;
const SEEN_PART: f64 = 0.05;

/// Round trips are long from this part of what the queue adds on.
const LONG: f64 = 0.6;

/// Fewer losses than this say nothing, and fewer round trips.
const LOSSES_LEAST: f64 = 5.0;
const ROUNDS_LEAST: usize = 40;

/// With fewer packets in a round trip than this acknowledgements that wait make it long, and no queue.
const FLIGHT_LEAST: f64 = 8.0;

/// The most that the queue adds is what this part of the round trips stay below: a few are longer by chance.
const MOST: f64 = 0.95;

/// Before this part of a full queue's losses round trips are long: the shortest of a round trip's time counts.
const BY_QUEUE: f64 = 0.9;

/// Whether round trips are longer where more is in flight: others, or hosts that were busy, made those long that are not.
fn grows_with_flight(seen: &Seen) -> bool {
    let pairs = seen
        .flights
        .iter()
        .filter_map(|f| Some((f.peak as f64, f.rtt?.as_secs_f64())));
    let pairs: Vec<(f64, f64)> = pairs.collect();
    let n = pairs.len() as f64;
    let (flight, rtt) = pairs
        .iter()
        .fold((0.0, 0.0), |s, p| (s.0 + p.0 / n, s.1 + p.1 / n));
    let together: f64 = pairs.iter().map(|p| (p.0 - flight) * (p.1 - rtt)).sum();
    together >= 0.0
}

impl Stood {
    /// Of one direction; its segments' times begin at `started_ns`. None where no round trip shows a queue.
    pub(crate) fn of(seen: &Seen, found: &DirectionFound, started_ns: i64) -> Option<Stood> {
        // A round trip, when it ended, and the packets sent meanwhile.
        let all: Vec<(f64, f64, f64)> = seen
            .flights
            .iter()
            .filter_map(|f| {
                let until = f.until.as_ps() as f64 / 1e12;
                Some((until, f.rtt?.as_secs_f64(), f64::from(f.packets)))
            })
            .collect();
        if all.len() < ROUNDS_LEAST || !grows_with_flight(seen) {
            return None;
        }
        let mut sorted: Vec<f64> = all.iter().map(|(_, rtt, _)| *rtt).collect();
        sorted.sort_by(f64::total_cmp);
        let (floor, most) = (sorted[0], sorted[(MOST * sorted.len() as f64) as usize]);
        let adds_s = most - floor;
        let is_long = |rtt: f64| rtt - floor > LONG * adds_s;
        if adds_s < SEEN_S || adds_s < SEEN_PART * floor {
            return None;
        }
        let lasted = all.last()?.0 - all[0].0;
        let sent: f64 = all.iter().map(|(_, _, packets)| packets).sum();
        if sent * floor < FLIGHT_LEAST * lasted {
            return None;
        }
        let packets = |part: &dyn Fn(f64) -> bool| -> f64 {
            let of = all.iter().filter(|(_, rtt, _)| part(*rtt));
            of.map(|(_, _, packets)| packets).sum()
        };
        let usual = packets(&is_long) / packets(&|_| true).max(1.0);
        let (mut losses, mut long, mut repaired) = (0.0, 0.0, f64::NEG_INFINITY);
        let not_lost = ["reordered", "network_duplicate", "unneeded"];
        let again = found.segments.iter().filter(|s| s.length > 0);
        for segment in again.filter(|s| !not_lost.contains(&s.class) && s.why != "unneeded") {
            let at = (segment.at_ns - started_ns) as f64 / 1e9;
            let new = at > repaired + most;
            repaired = at;
            let before = all.partition_point(|(until, ..)| *until <= at);
            let Some((until, rtt, _)) = before.checked_sub(1).and_then(|n| all.get(n)) else {
                continue;
            };
            if new && at - until < 2.0 * most {
                losses += 1.0;
                long += f64::from(u8::from(is_long(*rtt)));
            }
        }
        (losses >= LOSSES_LEAST).then_some(Stood {
            losses,
            long,
            usual,
            adds_s,
        })
    }

    /// The part of the losses that came while round trips were long, 0 to 1.
    fn part(self) -> f64 {
        self.long / self.losses
    }

    /// How much likelier a full queue leaves losses so than chance does, decibans.
    fn by_queue(self) -> f64 {
        let usual = self.usual.clamp(0.02, 0.98);
        let long = self.long * libm::log10(BY_QUEUE / usual);
        let short = (self.losses - self.long) * libm::log10((1.0 - BY_QUEUE) / (1.0 - usual));
        10.0 * (long + short)
    }

    /// Whether neither the queue nor chance made nearly all of them.
    fn is_mixed(self) -> bool {
        (MIXED..=1.0 - MIXED).contains(&self.of_queue())
    }

    /// The part of the losses that the queue made, where the rest is chance, 0 to 1.
    fn of_queue(self) -> f64 {
        let usual = self.usual.min(0.8);
        ((self.part() - usual) / (BY_QUEUE - usual)).clamp(0.0, 1.0)
    }
}

/// A part of the losses below this, or above one less it, is all of one kind.
const MIXED: f64 = 0.25;

/// The most that is said of a kind of loss where losses are of two. A choice: neither is all of it.
const OF_TWO: f64 = 0.55;

/// Decibans from which on losses are tied to a queue, or are not.
const SURE: f64 = 10.0;

impl Evidence {
    /// The most that is said of a kind of loss beside the queue that stood, or did not, before losses.
    pub(crate) fn at_most_of_two(&self) -> f64 {
        match self.stood {
            Some(stood) if stood.is_mixed() => OF_TWO,
            _ => 1.0,
        }
    }
}

/// What losses beside the queue say.
pub(crate) fn by_queue(e: &Evidence, items: &mut Vec<Item>) {
    let Some(stood) = e.stood else { return };
    let seen = format!(
        "of {:.0} losses {:.0} came while a queue stood that adds up to {:.1} ms to the round trip",
        stood.losses,
        stood.long,
        1e3 * stood.adds_s
    );
    let (weights, says) = match stood.of_queue() {
        _ if stood.is_mixed() => (
            vec![
                (Cause::RandomLoss, 4.0),
                (Cause::ShallowBuffer, 2.0),
                (Cause::CongestionLoss, 2.0),
                (Cause::Policer, -8.0),
            ],
            "some are of the queue, and others of chance: two causes, of which each alone would leave more",
        ),
        part if part < MIXED && stood.by_queue() < -SURE => (
            vec![
                (Cause::RandomLoss, 10.0),
                (Cause::ShallowBuffer, -12.0),
                (Cause::CongestionLoss, -12.0),
            ],
            "a full queue would have them all there",
        ),
        part if part > 1.0 - MIXED && stood.by_queue() > SURE => (
            vec![
                (Cause::RandomLoss, -12.0),
                (Cause::Policer, -6.0),
                (Cause::ShallowBuffer, 3.0),
                (Cause::CongestionLoss, 3.0),
            ],
            "chance would not wait for that",
        ),
        _ => return,
    };
    items.push(Item {
        holds: 1.0,
        weights,
        sentence: format!("{seen}: {says}"),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stood(long: f64) -> Stood {
        Stood {
            losses: 20.0,
            long,
            usual: 0.25,
            adds_s: 5e-3,
        }
    }

    #[test]
    fn a_queues_losses_wait_for_it_and_those_of_chance_do_not() {
        assert!(stood(19.0).by_queue() > SURE && stood(19.0).of_queue() == 1.0);
        assert!(stood(5.0).by_queue() < -SURE && stood(5.0).of_queue() == 0.0);
        // 0.25 + 0.5 · 0.65 of 20 are 11.5.
        assert!(stood(12.0).is_mixed() && !stood(19.0).is_mixed() && !stood(5.0).is_mixed());
    }
}
