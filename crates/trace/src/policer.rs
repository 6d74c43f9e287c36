//! A policer, from the losses of one direction.
//!
//! The method is that of Flach and others, "An Internet-Wide Analysis of Traffic Policing" (SIGCOMM 2016): between the
//! first loss and the last, a bucket that fills at the rate of what came through is empty where packets are lost and
//! holds tokens where they pass. What passed is known here at the ends of intervals, not packet by packet.

use farpath_record::trace::PolicerFound;

use crate::classify::Class;
use crate::event::Event;
use crate::flights::Interval;
use crate::observed::Direction;

/// Samples of losses and of passing packets that are needed, and round trips that have losses.
const SAMPLES_LEAST: usize = 15;
const SLICES_LEAST: usize = 3;
/// The first loss comes within so many bytes, or four bandwidth-delay products.
const FIRST_LOSS_BYTES: f64 = 2e6;
/// Tolerances in bytes of a round trip at the rate.
const DEBT: f64 = 0.75;
const SPREAD: f64 = 2.0;
/// Shares of samples that may lie outside.
const LOSSES_OUTSIDE: f64 = 0.10;
const PASSES_OUTSIDE: f64 = 0.03;
const QUEUED_LOSSES: f64 = 0.20;
/// A round trip this much longer than usual, and this long, is a queue's.
const INFLATED: f64 = 1.3;
const INFLATED_NS: f64 = 2e7;

/// One loss: when the packet that was lost was sent, and its bytes.
#[derive(Clone, Copy)]
struct Loss {
    at: i64,
    bytes: f64,
}

/// What was sent until an instant, by the intervals.
struct Sent<'a> {
    intervals: &'a [Interval],
    /// Bytes before each interval, with those sent again.
    before: Vec<f64>,
}

impl Sent<'_> {
    fn until(&self, at: i64) -> f64 {
        let n = self.intervals.partition_point(|i| i.until <= at);
        let Some(i) = self.intervals.get(n) else {
            return self.before.last().copied().unwrap_or(0.0);
        };
        let share = (at - i.from).max(0) as f64 / (i.until - i.from).max(1) as f64;
        self.before[n] + share * (i.sent + i.again) as f64
    }
}

/// The policer that the losses of a direction show, if they show one.
pub(crate) fn policer(
    direction: &Direction,
    events: &[Event],
    classes: &[Class],
) -> Option<PolicerFound> {
    let losses = losses(events, classes);
    let round_trip = direction.round_trip as f64;
    if losses.len() < SAMPLES_LEAST || direction.round_trip <= 0 {
        return None;
    }
    // Once with all of them, once without the outermost two.
    let cut = &losses[1..losses.len() - 1];
    [losses.as_slice(), cut]
        .into_iter()
        .find_map(|losses| fits(direction, losses, round_trip))
}

fn losses(events: &[Event], classes: &[Class]) -> Vec<Loss> {
    let of = events.iter().zip(classes);
    let lost = of.filter(|(_, c)| matches!(c, Class::Again(_)));
    let mut all: Vec<Loss> = lost
        .map(|(e, _)| Loss {
            at: e.at - e.lag,
            bytes: f64::from(e.length),
        })
        .collect();
    all.sort_by_key(|l| l.at);
    all
}

fn fits(direction: &Direction, losses: &[Loss], round_trip: f64) -> Option<PolicerFound> {
    let intervals = &direction.intervals;
    let mut sum = 0.0;
    let mut before = Vec::with_capacity(intervals.len() + 1);
    for i in intervals {
        before.push(sum);
        sum += (i.sent + i.again) as f64;
    }
    before.push(sum);
    let sent = Sent { intervals, before };
    let (first, last) = (losses.first()?, losses.last()?);
    let span = (last.at - first.at) as f64;
    if span < SLICES_LEAST as f64 * round_trip {
        return None;
    }
    let lost: f64 = losses.iter().map(|l| l.bytes).sum();
    // Bytes a nanosecond.
    let rate = (sent.until(last.at) - sent.until(first.at) - lost) / span;
    let unit = rate * round_trip;
    let early = sent.until(first.at);
    let begun = intervals.first()?.from;
    let burst = early - rate * (first.at - begun) as f64;
    if rate <= 0.0 || early > FIRST_LOSS_BYTES.max(4.0 * unit) || burst < -DEBT * unit {
        return None;
    }
    let (at_losses, at_passes) = tokens(&sent, losses, rate);
    let slices = slices(losses, round_trip);
    if at_losses.len() < SAMPLES_LEAST || at_passes.len() < SAMPLES_LEAST || slices < SLICES_LEAST {
        return None;
    }
    let (loss_mean, loss_median) = middle(&at_losses);
    let (pass_mean, pass_median) = middle(&at_passes);
    let share = |all: &[f64], out: &dyn Fn(f64) -> bool| {
        all.iter().filter(|t| out(**t)).count() as f64 / all.len() as f64
    };
    let apart = |t: f64| (t - loss_median).abs() > SPREAD * unit;
    let below = |t: f64| t - loss_median < -DEBT * unit;
    if std::env::var("PDEBUG").is_ok() {
        eprintln!(
            "policer rate {} burst {} unit {unit} loss {loss_mean} {loss_median} pass {pass_mean} {pass_median} apart {} below {} queued {}",
            rate * 8e3,
            burst,
            share(&at_losses, &apart),
            share(&at_passes, &below),
            queued(intervals, losses)
        );
    }
    let is = loss_mean < pass_mean
        && loss_median < pass_median
        && share(&at_losses, &apart) <= LOSSES_OUTSIDE
        && share(&at_passes, &below) <= PASSES_OUTSIDE
        && queued(intervals, losses) <= QUEUED_LOSSES;
    is.then_some(PolicerFound {
        rate_bps: (rate * 8e9) as u64,
        burst_bytes: burst.max(0.0) as u64,
    })
}

/// Tokens in a bucket that was empty at the first loss, at each loss and at each interval's end.
fn tokens(sent: &Sent<'_>, losses: &[Loss], rate: f64) -> (Vec<f64>, Vec<f64>) {
    let (first, last) = (losses[0].at, losses[losses.len() - 1].at);
    let start = sent.until(first);
    let mut gone = 0.0;
    let mut next = 0;
    let mut at_losses = Vec::new();
    let mut at_passes = Vec::new();
    let fill = |at: i64, gone: f64| rate * (at - first) as f64 - (sent.until(at) - start - gone);
    for interval in sent
        .intervals
        .iter()
        .filter(|i| i.until > first && i.until <= last)
    {
        let mut clean = true;
        while let Some(loss) = losses.get(next).filter(|l| l.at <= interval.until) {
            at_losses.push(fill(loss.at, gone));
            gone += loss.bytes;
            next += 1;
            clean = false;
        }
        if clean && interval.sent > 0 {
            at_passes.push(fill(interval.until, gone));
        }
    }
    (at_losses, at_passes)
}

/// Round trips that have losses.
fn slices(losses: &[Loss], round_trip: f64) -> usize {
    let mut of: Vec<u64> = losses
        .iter()
        .map(|l| ((l.at - losses[0].at) as f64 / round_trip) as u64)
        .collect();
    of.dedup();
    of.len()
}

fn middle(all: &[f64]) -> (f64, f64) {
    let mut sorted = all.to_vec();
    sorted.sort_by(f64::total_cmp);
    let mean = all.iter().sum::<f64>() / all.len() as f64;
    (mean, sorted[sorted.len() / 2])
}

/// The share of losses at which round trips were longer than usual: a queue's and not a policer's.
fn queued(intervals: &[Interval], losses: &[Loss]) -> f64 {
    let mut usual: Vec<i64> = intervals
        .iter()
        .map(|i| i.rtt_min)
        .filter(|r| *r > 0)
        .collect();
    usual.sort_unstable();
    let Some(low) = usual.get(usual.len() / 10) else {
        return 0.0;
    };
    let at = |loss: &&Loss| {
        let n = intervals.partition_point(|i| i.until <= loss.at);
        // The shortest of an interval: single longer ones are delayed acknowledgements.
        let rtt = intervals.get(n).map_or(0.0, |i| i.rtt_min as f64);
        rtt > INFLATED * *low as f64 && rtt >= INFLATED_NS
    };
    losses.iter().filter(at).count() as f64 / losses.len() as f64
}
