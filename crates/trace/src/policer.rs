//! A policer, from the losses of one direction.
//!
//! What a token bucket lacks to be full is the backlog of a queue of its rate that never refuses: it grows by what passes and
//! shrinks at the rate. A packet passes while that and its own length are not more than the bucket's size, and is lost when they
//! are. So of the right rate all losses come at one backlog, the size, and no packet passes above it. Rates are tried, and those
//! that explain the most decisions are kept: a sender far below the policer's rate leaves many of them, and all that is sure is
//! the size (Flach and others, "An Internet-Wide Analysis of Traffic Policing", SIGCOMM 2016, take the goodput between losses
//! instead, which such a sender does not have).
//!
//! A line with a short queue loses packets as a bucket of the queue's size does. What tells them apart is that packets wait in
//! a queue, and never for a policer: where they wait at the losses for as long as the bucket takes to empty, it is a queue.
//!
//! Senders that keep the bucket near empty, as BBR does, need rates that are closer to each other: `bounds` finds them.
//! While a path is down nothing passes, and what it loses then says nothing of tokens: `outages` leaves it out.

mod bounds;
mod outages;

use farpath_observe::percentile;
use farpath_record::trace::PolicerFound;
use farpath_units::Rate;

use crate::classify::Class;
use crate::event::Event;
use crate::flights::Interval;
use crate::observed::Direction;
use crate::passages::{Passage, Passages};
use crate::policer::bounds::Trials;
use crate::policer::outages::Outages;
use crate::work;

/// Losses that are needed, and round trips that have some.
const LOSSES_LEAST: u64 = 15;
const SLICES_LEAST: usize = 3;
/// Rates tried, as shares of what passes: up to the first number of each in steps of the second. A sender near the policer's rate
/// empties the bucket over seconds, and tells rates that are close to each other; one that is far below tells little.
const RATES: [(f64, f64); 3] = [(1.4, 1.001), (2.0, 1.005), (60.0, 1.04)];
/// Replays until the size at the first loss is known.
const ROUNDS: usize = 3;
/// The smallest bucket.
const SIZE_LEAST: f64 = 4000.0;
/// A decision is explained where it lies so many packets from the bucket's size.
const SLACK: f64 = 1.5;
/// And so much of the bucket: what passed together is not divided.
const SLACK_SHARE: f64 = 0.05;
/// What a rate may leave unexplained.
struct Unexplained {
    /// At losses a bucket holds at most this share of what it holds otherwise.
    left: f64,
    /// At most this share of what passed finds an empty bucket.
    overdrawn: f64,
    /// At most this share of losses come while a bucket has room.
    roomy: f64,
}

/// Either is enough. A host that was busy sends in bursts that its capture has no times of, and sends again what was not lost: then a few
/// more losses find room. Where next to nothing passed an empty bucket, chance does not lose most of its packets there.
const ENOUGH: [Unexplained; 2] = [
    Unexplained {
        left: 0.3,
        overdrawn: 0.03,
        roomy: 0.15,
    },
    Unexplained {
        left: 0.4,
        overdrawn: 0.003,
        roomy: 0.3,
    },
];
/// Rates are as good as the best one within this share of all losses.
const AS_GOOD: f64 = 0.02;
/// Two buckets are one whose sizes are at most this share apart, and whose rates meet.
const ALIKE: f64 = 0.1;
/// A queue of a bucket's size makes packets wait for at least this share of the time in which it empties.
const WAITED: f64 = 0.4;
/// At most so many losses come while round trips are this much longer than usual, and by this: a queue's.
const QUEUED_LOSSES: f64 = 0.20;
const INFLATED: f64 = 1.3;
const INFLATED_NS: i64 = 5_000_000;

/// Packets that were lost together.
#[derive(Clone, Copy, Debug)]
struct Lost {
    /// When they passed the capture, or when the one before them did.
    at: i64,
    /// How many they are, and the bytes with headers of each that passed here; none where they were lost before.
    count: u32,
    bytes: f64,
}

/// Passages for the replay: when, what was not lost of it, and how many losses came with it.
#[derive(Clone, Copy, Debug)]
struct Step {
    at: i64,
    passed: f64,
    losses: u32,
}

/// How a rate fits.
#[derive(Clone, Copy, Debug)]
struct Fit {
    rate: f64,
    size: f64,
    /// Decisions that it does not explain.
    wrong: u64,
}

/// The policer that the losses of a direction show, if they show one; `full` is the payload of a full segment, bytes.
pub(crate) fn policer(
    direction: &Direction,
    passages: &Passages,
    (events, classes): (&[Event], &[Class]),
    full: u32,
) -> Option<PolicerFound> {
    let all = losses(events, classes, passages.header);
    let round_trip = direction.round_trip;
    if round_trip <= 0 || full == 0 || !are_enough(&all, round_trip) {
        return None;
    }
    let packet = f64::from(full + passages.header);
    let (steps, losses) = decisions(passages, all, packet)?;
    if !are_enough(&losses, round_trip) || queued(&direction.intervals, &losses) > QUEUED_LOSSES {
        return None;
    }
    let (count, slices) = (counted(&losses), slices(&losses, round_trip));
    let span = steps.last()?.at - steps[0].at;
    let passed: f64 = steps.iter().map(|s| s.passed).sum();
    let passes = passed / span.max(1) as f64;
    let fits = fits(&steps, &rates(passes), (packet, passages.from_start));
    let trials = Trials {
        steps: &steps,
        packet,
        from_start: passages.from_start,
        joined: passages.is_joined(),
        slices,
    };
    let (found, [least, most]) = closer(best(&fits, count), trials.bucket(passes))?;
    // Less than the bucket is not seen of packets that were joined.
    let mut together: Vec<f64> = steps.iter().map(|s| s.passed).collect();
    together.sort_by(f64::total_cmp);
    if passages.is_joined() && percentile(&together, 0.9) > found.size / 4.0 {
        return None;
    }
    let empties_ns = found.size / found.rate;
    if waited(&direction.intervals, &losses, direction.at_sender)? >= WAITED * empties_ns {
        return None;
    }
    let bps = |rate: f64| (rate * 8e9) as u64;
    Some(PolicerFound {
        rate_bps: bps(found.rate),
        rate_least_bps: bps(least),
        rate_most_bps: bps(most),
        burst_bytes: found.size as u64,
    })
}

/// A policer's rate, where the losses leave it open by less than a quarter.
pub(crate) fn known_rate(found: PolicerFound) -> Option<Rate> {
    let is_known = found.rate_most_bps < found.rate_least_bps.saturating_mul(5) / 4;
    Rate::from_bps(found.rate_bps).filter(|_| is_known)
}

/// What was lost, in order of time.
fn losses(events: &[Event], classes: &[Class], header: u32) -> Vec<Lost> {
    let mut all = Vec::new();
    for (e, class) in events.iter().zip(classes).filter(|(e, _)| e.pieces > 0) {
        let bytes = f64::from(e.length) / f64::from(e.pieces) + f64::from(header);
        let lost = match class {
            Class::Again(_) => Lost {
                at: e.at - e.lag,
                count: e.pieces,
                bytes,
            },
            Class::Upstream(_) => Lost {
                at: e.at - e.lag - e.gap,
                count: e.pieces,
                bytes: 0.0,
            },
            _ => continue,
        };
        all.push(lost);
    }
    all.sort_by_key(|l| l.at);
    all
}

/// How many packets were lost.
fn counted(losses: &[Lost]) -> u64 {
    losses.iter().map(|l| u64::from(l.count)).sum()
}

/// Whether so many losses in so many round trips may show a policer.
fn are_enough(losses: &[Lost], round_trip: i64) -> bool {
    counted(losses) >= LOSSES_LEAST && slices(losses, round_trip) >= SLICES_LEAST
}

/// What passed and what was lost, outages left out: from the start on, or from the first loss where passages before it are not known.
fn decisions(
    passages: &Passages,
    mut losses: Vec<Lost>,
    packet: f64,
) -> Option<(Vec<Step>, Vec<Lost>)> {
    let mut steps = steps(passages, &losses)?;
    Outages::of(&steps, packet).leave(&mut steps, &mut losses);
    let first = steps.iter().position(|s| s.losses > 0)?;
    if !passages.from_start {
        steps.drain(..first);
    }
    Some((steps, losses))
}

/// What passed, in order of time, and how many were lost with it.
fn steps(passages: &Passages, losses: &[Lost]) -> Option<Vec<Step>> {
    let step = |p: &Passage| Step {
        at: p.at,
        passed: f64::from(p.bytes),
        losses: 0,
    };
    let mut all: Vec<Step> = passages.all.iter().map(step).collect();
    let last = passages.all.last()?.at;
    for lost in losses {
        let after = passages.all.partition_point(|p| p.at <= lost.at);
        let is_last = after == all.len() && lost.at > last;
        let step = after.checked_sub(1).filter(|_| !is_last);
        if let Some(step) = step.and_then(|n| all.get_mut(n)) {
            step.losses = step.losses.saturating_add(lost.count);
            step.passed = (step.passed - lost.bytes * f64::from(lost.count)).max(0.0);
        }
    }
    Some(all)
}

/// The rates that are tried, the lowest first; `passes` is what passes on.
fn rates(passes: f64) -> Vec<f64> {
    let (mut rate, mut all) = (passes * 0.98, Vec::new());
    for (until, step) in RATES {
        while rate < until * passes {
            all.push(rate);
            rate *= step;
        }
    }
    all
}

/// The rates that fit. Not all are replayed: at a higher rate no backlog is higher, so that two replays are the bounds of all
/// between them, and mostly say that none of these fits.
fn fits(steps: &[Step], rates: &[f64], about: (f64, bool)) -> Vec<Fit> {
    let replayed = |at: usize| (at, Replay::of(steps, rates[at], about));
    let Some(last) = rates.len().checked_sub(1) else {
        return Vec::new();
    };
    let mut lower = replayed(0);
    let mut found: Vec<Fit> = lower.1.fit(rates[0], about.0).into_iter().collect();
    let mut above = vec![replayed(last)];
    while let Some(upper) = above.pop() {
        if upper.0 - lower.0 > 1 && !lower.1.excludes(&upper.1, about.0) {
            let middle = usize::midpoint(lower.0, upper.0);
            above.push(upper);
            above.push(replayed(middle));
            continue;
        }
        found.extend(upper.1.fit(rates[upper.0], about.0));
        lower = upper;
    }
    found
}

/// Backlogs at one rate.
struct Replay {
    /// At losses, and how many there were at each; the lowest first.
    at_losses: Vec<(f64, u32)>,
    losses: u64,
    /// After what passed.
    at_passes: Vec<f64>,
    /// The bucket's size that the losses show; none where it is not a bucket's.
    size: Option<f64>,
}

impl Replay {
    /// A connection that was seen from its start finds a full bucket, any other one an empty one at its first loss.
    fn of(steps: &[Step], rate: f64, (packet, from_start): (f64, bool)) -> Replay {
        let mut replay = Replay::from(steps, rate, packet, 0.0);
        for _ in 0..if from_start { 0 } else { ROUNDS } {
            let Some(size) = replay.size else { break };
            let first = size - packet / 2.0 - steps[0].passed;
            replay = Replay::from(steps, rate, packet, first.max(0.0));
        }
        replay
    }

    /// From this backlog at the first step on, bytes; `rate` is in bytes a nanosecond.
    fn from(steps: &[Step], rate: f64, packet: f64, first: f64) -> Replay {
        work::count(steps.len());
        let (mut backlog, mut before) = (first, steps[0].at);
        let (mut at_losses, mut at_passes) = (Vec::new(), Vec::with_capacity(steps.len()));
        for step in steps {
            backlog = f64::max(0.0, backlog - rate * (step.at - before) as f64) + step.passed;
            before = step.at;
            match step.losses {
                0 => at_passes.push(backlog),
                losses => at_losses.push((backlog, losses)),
            }
        }
        at_losses.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let losses = at_losses.iter().map(|l| u64::from(l.1)).sum();
        // They lie within a packet below the size.
        let size = ranked(&at_losses, losses / 2) + packet / 2.0;
        Replay {
            at_losses,
            losses,
            at_passes,
            size: (size >= SIZE_LEAST).then_some(size),
        }
    }

    /// How the rate fits; none where it does not.
    fn fit(&self, rate: f64, packet: f64) -> Option<Fit> {
        let size = self.size?;
        let (roomy, overdrawn) = (self.roomy(size, packet), self.overdrawn(size, packet));
        let usual = self.left_by_passes(size);
        let left = self.left_by_losses(size) / usual;
        let fits = usual > size / 10.0 && self.explains(roomy, overdrawn, left);
        fits.then_some(Fit {
            rate,
            size,
            wrong: roomy + overdrawn,
        })
    }

    /// Whether no rate between this one's and a higher one fits.
    fn excludes(&self, higher: &Replay, packet: f64) -> bool {
        work::count(self.at_passes.len() + self.at_losses.len());
        let Some(most) = self.size else {
            return true;
        };
        let Some(least) = higher.size else {
            return false;
        };
        let (roomy, overdrawn) = (self.roomy(least, packet), higher.overdrawn(most, packet));
        let usual = higher.left_by_passes(most);
        let left = self.left_by_losses(least) / usual;
        usual <= least / 10.0 || !self.explains(roomy, overdrawn, left)
    }

    /// Whether so many decisions that are not explained are few, where at losses the bucket holds the share `left` of what it holds
    /// otherwise.
    fn explains(&self, roomy: u64, overdrawn: u64, left: f64) -> bool {
        ENOUGH.iter().any(|most| {
            roomy as f64 <= most.roomy * self.losses as f64
                && overdrawn as f64 <= most.overdrawn * self.at_passes.len() as f64
                && left <= most.left
        })
    }

    /// Losses while a bucket of this size has room.
    fn roomy(&self, size: f64, packet: f64) -> u64 {
        let least = size - packet - slack(size, packet);
        let before = self.at_losses.partition_point(|l| l.0 < least);
        self.at_losses[..before]
            .iter()
            .map(|l| u64::from(l.1))
            .sum()
    }

    /// Passages while a bucket of this size is empty. Losses that come one after the other add nothing.
    fn overdrawn(&self, size: f64, packet: f64) -> u64 {
        let most = size + slack(size, packet);
        self.at_passes.iter().filter(|b| **b > most).count() as u64
    }

    /// What is left in a bucket of this size when something passes, in the mean.
    fn left_by_passes(&self, size: f64) -> f64 {
        let left = self.at_passes.iter().map(|b| (size - b).max(0.0));
        left.sum::<f64>() / self.at_passes.len().max(1) as f64
    }

    /// The same when something is lost.
    fn left_by_losses(&self, size: f64) -> f64 {
        let left = self
            .at_losses
            .iter()
            .map(|l| f64::from(l.1) * (size - l.0).max(0.0));
        left.sum::<f64>() / self.losses.max(1) as f64
    }
}

/// How far from a bucket's size a decision may lie.
fn slack(size: f64, packet: f64) -> f64 {
    f64::max(SLACK * packet, SLACK_SHARE * size)
}

/// The value of a rank, 0 the lowest, of values in rising order that come so many times each; 0 without any.
fn ranked(all: &[(f64, u32)], rank: u64) -> f64 {
    let mut until = 0;
    let mut upto = all.iter().filter(|(_, count)| {
        until += u64::from(*count);
        until > rank
    });
    upto.next().map_or(0.0, |v| v.0)
}

/// The middle one of the rates that explain as much as the best, and their ends.
fn best(fits: &[Fit], losses: u64) -> Option<(Fit, [f64; 2])> {
    let least = fits.iter().map(|f| f.wrong).min()?;
    let allowed = least + (AS_GOOD * losses as f64) as u64;
    let good: Vec<&Fit> = fits.iter().filter(|f| f.wrong <= allowed).collect();
    let ends = [good[0].rate, good[good.len() - 1].rate];
    let middle = libm::sqrt(ends[0] * ends[1]);
    let apart = |f: &&&Fit| (libm::log(f.rate / middle)).abs();
    let found = good.iter().min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
    Some((**found, ends))
}

/// Of a bucket that was found at rates in steps and one that has closer bounds: the latter where they are not the same, as it explains
/// the losses more closely.
fn closer(
    stepped: Option<(Fit, [f64; 2])>,
    bounded: Option<(Fit, [f64; 2])>,
) -> Option<(Fit, [f64; 2])> {
    let (Some((a, of_a)), Some((b, of_b))) = (stepped, bounded) else {
        return stepped.or(bounded);
    };
    let alike = (a.size - b.size).abs() <= ALIKE * b.size;
    let meet = of_a[0] <= of_b[1] && of_b[0] <= of_a[1];
    if alike && meet { stepped } else { bounded }
}

/// Round trips that have losses.
fn slices(losses: &[Lost], round_trip: i64) -> usize {
    let of = losses
        .iter()
        .map(|l| (l.at - losses[0].at) / round_trip.max(1));
    let mut of: Vec<i64> = of.collect();
    of.dedup();
    of.len()
}

/// The share of losses at which round trips were longer than usual: a queue's and not a policer's.
fn queued(intervals: &[Interval], losses: &[Lost]) -> f64 {
    // The shortest of an interval: single longer ones are delayed acknowledgements.
    let known = intervals.iter().filter(|i| i.rtt_min > 0);
    let Some(low) = known.map(|i| i.rtt_min).min() else {
        return 0.0;
    };
    let long = |rtt: i64| rtt as f64 > INFLATED * low as f64 && rtt - low >= INFLATED_NS;
    let at = |loss: &&Lost| {
        let n = intervals.partition_point(|i| i.until <= loss.at);
        let near = intervals[..n.min(intervals.len())].iter().rev().take(64);
        near.clone()
            .map(|i| i.rtt_min)
            .find(|r| *r > 0)
            .is_some_and(long)
    };
    let count = |l: &Lost| u64::from(l.count);
    let all: u64 = losses.iter().map(count).sum();
    losses.iter().filter(at).map(count).sum::<u64>() as f64 / all as f64
}

/// How long packets waited that passed just before those that were lost, beside the shortest times, nanoseconds: the median. None where
/// that is not seen, far from the sender and without timestamps.
fn waited(intervals: &[Interval], losses: &[Lost], at_sender: bool) -> Option<f64> {
    // What was acknowledged before a loss had been sent a round trip earlier: a sender that probes fills a queue in less.
    let here = waits(intervals, losses, |i| i.rtt_min, true);
    // The sender's data waited on its way here.
    let there = waits(intervals, losses, |i| i.turn, false);
    let all = match (here, there) {
        (here, _) if at_sender => here?,
        (Some(here), Some(there)) => here.iter().zip(there).map(|(a, b)| a + b).collect(),
        _ => return None,
    };
    let counts = losses.iter().map(|l| l.count);
    let mut all: Vec<(f64, u32)> = all.into_iter().zip(counts).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let count: u64 = all.iter().map(|w| u64::from(w.1)).sum();
    Some(ranked(&all, count.div_ceil(2).max(1) - 1))
}

/// The same of one kind of times, loss by loss; they end when their packets pass here, or are `to_come` and end the shortest time later.
fn waits(
    intervals: &[Interval],
    losses: &[Lost],
    of: impl Fn(&Interval) -> i64,
    to_come: bool,
) -> Option<Vec<f64>> {
    let low = intervals.iter().map(&of).filter(|ns| *ns > 0).min()?;
    let later = if to_come { low } else { 0 };
    let at = |loss: &Lost| {
        let n = intervals.partition_point(|i| i.until <= loss.at + later);
        let mut near = intervals[..n].iter().rev().take(64).map(&of);
        near.find(|ns| *ns > 0).map_or(0.0, |ns| (ns - low) as f64)
    };
    Some(losses.iter().map(at).collect())
}

#[cfg(test)]
mod tests;
