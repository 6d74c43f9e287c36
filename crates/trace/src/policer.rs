//! A policer, from the losses of one direction.
//!
//! A token bucket is empty where packets are lost and holds tokens where they pass. The idea is that of Flach and
//! others, "An Internet-Wide Analysis of Traffic Policing" (SIGCOMM 2016), who replay a bucket without an upper end at
//! the goodput between the first loss and the last. A sender that each loss sets back far below the rate never shows
//! it as goodput. So here buckets of many rates and sizes are replayed, each with its end, against what passed and what was
//! lost; one is found where it is as good as empty at the losses and is hardly ever overdrawn.
//!
//! A line with a short queue loses packets as a bucket of the queue's size does. What tells them apart is that packets wait in
//! a queue, and never for a policer: where they wait at the losses for as long as the bucket takes to empty, it is a queue.

use farpath_observe::percentile;
use farpath_record::trace::PolicerFound;

use crate::classify::Class;
use crate::event::Event;
use crate::flights::Interval;
use crate::observed::Direction;

/// Losses that are needed, and round trips that have some.
const LOSSES_LEAST: usize = 15;
const SLICES_LEAST: usize = 3;
/// Intervals replayed: the first ones.
const INTERVALS_MAX: usize = 1 << 14;
/// Rates tried, from the goodput on, each larger than the one before by [`STEP`].
const RATES: u32 = 40;
const STEP: f64 = 1.05;
/// Sizes of buckets tried: from 4 kB on, each half as large again.
const SIZES: u32 = 18;
const SIZE_LEAST: f64 = 4000.0;
const SIZE_STEP: f64 = 1.5;
/// At losses a bucket holds at most this share of what it holds otherwise.
const EMPTY: f64 = 0.3;
/// What passed overdraws a bucket in at most this share of intervals.
const OVERDRAWN: f64 = 0.03;
/// At most this share of losses come while a bucket is fuller than half.
const FULL_LOSSES: f64 = 0.10;
/// A queue of a bucket's size makes packets wait for at least this share of the time in which it empties.
const WAITED: f64 = 0.4;
/// At most so many losses come while round trips are this much longer than usual, and by this: a queue's.
const QUEUED_LOSSES: f64 = 0.20;
const INFLATED: f64 = 1.3;
const INFLATED_NS: i64 = 5_000_000;

/// One interval for the replay.
#[derive(Clone, Copy)]
struct Slot {
    ns: f64,
    passed: f64,
    losses: u32,
}

/// How a bucket fits.
#[derive(Clone, Copy)]
struct Fit {
    rate: f64,
    size: f64,
    /// Mean tokens at losses over mean tokens where packets pass.
    emptiness: f64,
}

/// The policer that the losses of a direction show, if they show one.
pub(crate) fn policer(
    direction: &Direction,
    events: &[Event],
    classes: &[Class],
) -> Option<PolicerFound> {
    let losses = losses(events, classes);
    let intervals = &direction.intervals[..direction.intervals.len().min(INTERVALS_MAX)];
    if losses.len() < LOSSES_LEAST || direction.round_trip <= 0 || intervals.len() < 64 {
        return None;
    }
    let slices = slices(&losses, direction.round_trip);
    if slices < SLICES_LEAST || queued(intervals, &losses) > QUEUED_LOSSES {
        return None;
    }
    let slots = slots(intervals, &losses);
    let whole: f64 = slots.iter().map(|s| s.ns).sum();
    let passed: f64 = slots.iter().map(|s| s.passed).sum();
    let mut best: Option<Fit> = None;
    let mut rate = passed / whole.max(1.0);
    for _ in 0..RATES {
        let mut size = SIZE_LEAST;
        for _ in 0..SIZES {
            if let Some(fit) = replay(&slots, rate, size)
                && best.is_none_or(|b| fit.emptiness < b.emptiness)
            {
                best = Some(fit);
            }
            size *= SIZE_STEP;
        }
        rate *= STEP;
    }
    let found = best.filter(|fit| fit.emptiness <= EMPTY)?;
    let empties_ns = found.size / found.rate;
    if waited(intervals, &losses, direction.at_sender)? >= WAITED * empties_ns {
        return None;
    }
    Some(PolicerFound {
        rate_bps: (found.rate * 8e9) as u64,
        burst_bytes: found.size as u64,
    })
}

/// When what was lost had been sent, and its bytes that passed here: none of what was lost before.
fn losses(events: &[Event], classes: &[Class]) -> Vec<(i64, u32)> {
    let of = events.iter().zip(classes).filter(|(e, _)| e.length > 0);
    let lost = of.filter_map(|(e, class)| match class {
        Class::Again(_) => Some((e.at - e.lag, e.length)),
        Class::Upstream(_) => Some((e.at - e.lag, 0)),
        _ => None,
    });
    let mut all: Vec<(i64, u32)> = lost.collect();
    all.sort_unstable();
    all
}

fn slots(intervals: &[Interval], losses: &[(i64, u32)]) -> Vec<Slot> {
    let mut next = 0;
    let slot = |i: &Interval| {
        let mut lost = (0, 0.0);
        while let Some((_, bytes)) = losses.get(next).filter(|l| l.0 <= i.until) {
            lost = (lost.0 + 1, lost.1 + f64::from(*bytes));
            next += 1;
        }
        Slot {
            ns: (i.until - i.from) as f64,
            passed: ((i.sent + i.again) as f64 - lost.1).max(0.0),
            losses: lost.0,
        }
    };
    intervals.iter().map(slot).collect()
}

/// Replays a bucket of this rate, bytes a nanosecond, and size.
fn replay(slots: &[Slot], rate: f64, size: f64) -> Option<Fit> {
    let mut tokens = size;
    let (mut at_losses, mut losses, mut at_passes, mut passes, mut overdrawn) =
        (0.0, 0u32, 0.0, 0u32, 0u32);
    let mut full_losses = 0;
    for slot in slots {
        tokens = (tokens + rate * slot.ns).min(size) - slot.passed;
        // A segment, or a fifth of the bucket, may be a matter of when within the interval it passed.
        if tokens < -f64::max(3000.0, size / 5.0) {
            overdrawn += 1;
            tokens = 0.0;
            if f64::from(overdrawn) > OVERDRAWN * slots.len() as f64 {
                return None;
            }
        }
        if slot.losses > 0 {
            at_losses += f64::from(slot.losses) * tokens.max(0.0);
            losses += slot.losses;
            if tokens > size / 2.0 {
                full_losses += slot.losses;
            }
        } else if slot.passed > 0.0 {
            at_passes += tokens.max(0.0);
            passes += 1;
        }
    }
    if losses == 0
        || passes == 0
        || f64::from(overdrawn) > OVERDRAWN * f64::from(passes + overdrawn)
        || f64::from(full_losses) > FULL_LOSSES * f64::from(losses)
    {
        return None;
    }
    let usual = at_passes / f64::from(passes);
    let emptiness = at_losses / f64::from(losses) / usual.max(1.0);
    // A bucket that is always empty says nothing: every packet would be lost.
    (usual > size / 10.0).then_some(Fit {
        rate,
        size,
        emptiness,
    })
}

/// Round trips that have losses.
fn slices(losses: &[(i64, u32)], round_trip: i64) -> usize {
    let of = losses
        .iter()
        .map(|l| (l.0 - losses[0].0) / round_trip.max(1));
    let mut of: Vec<i64> = of.collect();
    of.dedup();
    of.len()
}

/// The share of losses at which round trips were longer than usual: a queue's and not a policer's.
fn queued(intervals: &[Interval], losses: &[(i64, u32)]) -> f64 {
    // The shortest of an interval: single longer ones are delayed acknowledgements.
    let known = intervals.iter().filter(|i| i.rtt_min > 0);
    let Some(low) = known.map(|i| i.rtt_min).min() else {
        return 0.0;
    };
    let long = |rtt: i64| rtt as f64 > INFLATED * low as f64 && rtt - low >= INFLATED_NS;
    let at = |loss: &&(i64, u32)| {
        let n = intervals.partition_point(|i| i.until <= loss.0);
        let near = intervals[..n.min(intervals.len())].iter().rev().take(64);
        near.clone()
            .map(|i| i.rtt_min)
            .find(|r| *r > 0)
            .is_some_and(long)
    };
    losses.iter().filter(at).count() as f64 / losses.len() as f64
}

/// How long packets waited before the losses, beside the shortest times, nanoseconds: the median. None where that is not seen,
/// far from the sender and without timestamps.
fn waited(intervals: &[Interval], losses: &[(i64, u32)], at_sender: bool) -> Option<f64> {
    let here = waits(intervals, losses, |i| i.rtt_min);
    let there = waits(intervals, losses, |i| i.turn);
    let all = match (here, there) {
        (here, _) if at_sender => here?,
        (Some(here), Some(there)) => here.iter().zip(there).map(|(a, b)| a + b).collect(),
        _ => return None,
    };
    Some(percentile(&sorted(all), 0.5))
}

/// The same of one kind of times, loss by loss.
fn waits(
    intervals: &[Interval],
    losses: &[(i64, u32)],
    of: impl Fn(&Interval) -> i64,
) -> Option<Vec<f64>> {
    let low = intervals.iter().map(&of).filter(|ns| *ns > 0).min()?;
    let at = |loss: &(i64, u32)| {
        let n = intervals.partition_point(|i| i.until <= loss.0);
        let mut near = intervals[..n].iter().rev().take(64).map(&of);
        near.find(|ns| *ns > 0).map_or(0.0, |ns| (ns - low) as f64)
    };
    Some(losses.iter().map(at).collect())
}

fn sorted(mut all: Vec<f64>) -> Vec<f64> {
    all.sort_by(f64::total_cmp);
    all
}
