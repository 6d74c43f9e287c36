//! A rate that falls from the start of a test to its end, with losses all along: no policer leaves that.
//!
//! A policer passes a burst, and from then on what its rate leaves: the middle of a test is as fast as its end (RFC 2697 §3: tokens come at one
//! rate). Other traffic that fills the same queue more and more, or losses that come faster than the window grows back, let a rate fall on.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::items::Item;
use crate::seen::{Row, Side};

/// Fewer intervals than this show no fall that goes on. A choice, as those below.
const LEAST: usize = 5;

/// Each third of the test has less than this part of the third before.
const FALLS: f64 = 0.85;

/// An interval has at most so many times the one before, in this part of all steps.
const RISES: f64 = 1.1;
const MOST: f64 = 0.8;

/// So many last intervals that differ by no more than a step may rise do not fall any more: what came before them was a burst.
const LEVEL: usize = 4;

/// So large a part of the intervals has losses.
const LOSSY: f64 = 0.8;

/// What it says against a conditioner that holds one rate, decibans.
const AGAINST: f64 = -24.0;

/// What a test shows that falls.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Falling {
    /// The rate of its first third and of its last, bit/s.
    rates: [f64; 2],
    /// Intervals with losses, and all of them.
    lossy: [usize; 2],
}

/// The mean rate of some intervals, bit/s.
fn mean(rows: &[&Row]) -> f64 {
    rows.iter().map(|r| r.bps).sum::<f64>() / rows.len().max(1) as f64
}

impl Evidence {
    /// A rate that fell through all of the sender's intervals, the first left out where it was still slower than the next; none where a
    /// policer is known by other texts.
    fn falls(&self) -> Option<Falling> {
        let known = self.policer.is_some() || self.found_policer.is_some();
        if known || self.udp || self.around.ports.surely_police(self) {
            return None;
        }
        let of_sender = self.counted.iter().filter(|r| r.side == Side::Sender);
        let all: Vec<&Row> = of_sender.collect();
        let begins = matches!(all[..], [first, next, ..] if first.bps < next.bps);
        let rows = all.get(usize::from(begins)..)?;
        if rows.len() < LEAST {
            return None;
        }
        let third = rows.len() / 3;
        let (first, rest) = rows.split_at(third);
        let (middle, last) = rest.split_at(rest.len() - third);
        let [first, middle, last] = [first, middle, last].map(mean);
        let part = |n: usize, of: usize| n as f64 / of.max(1) as f64;
        let steady = |two: &&[&Row]| two[1].bps <= RISES * two[0].bps;
        let down = part(rows.windows(2).filter(steady).count(), rows.len() - 1);
        let lossy = rows.iter().filter(|r| r.retransmits.unwrap_or(0.0) > 0.0);
        let lossy = [lossy.count(), rows.len()];
        let falls = middle < FALLS * first && last < FALLS * middle && down >= MOST;
        let ends = rows.iter().rev().take(LEVEL).map(|r| r.bps);
        let lowest = ends.clone().fold(f64::INFINITY, f64::min);
        let levels = ends.fold(0.0, f64::max) <= RISES * lowest;
        let along = last > 0.0 && !levels && part(lossy[0], lossy[1]) >= LOSSY;
        (falls && along).then_some(Falling {
            rates: [first, last],
            lossy,
        })
    }
}

/// Weighs it.
pub(crate) fn by_falling(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.falls().map(|falling| Item {
        holds: 1.0,
        weights: vec![(Cause::Policer, AGAINST), (Cause::Shaper, AGAINST)],
        sentence: format!(
            "the rate fell from {} in the first third to {} in the last, with losses in {} of {} intervals: a policer passes a burst and then one rate. A queue that others fill more and more, or losses by chance, let it fall on",
            bps(falling.rates[0]),
            bps(falling.rates[1]),
            falling.lossy[0],
            falling.lossy[1]
        ),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Seconds at these rates, Mbit/s, each with so many segments sent again.
    fn falls(rates: &[f64], again: f64) -> bool {
        let each: Vec<(f64, f64)> = rates.iter().map(|rate| (*rate, again)).collect();
        let e = Evidence {
            counted: Row::seconds(&each),
            streams: 1.0,
            ..Evidence::default()
        };
        e.falls().is_some()
    }

    #[test]
    fn a_burst_and_then_one_rate_does_not_fall_on() {
        let falling = [9100.0, 7210.0, 5400.0, 3900.0, 2800.0, 2050.0];
        assert!(falls(&falling, 40.0));
        // The start may be slower, as a window opens.
        assert!(falls(&[&[4000.0][..], &falling].concat(), 40.0));
        // Losses at the start alone, and a few intervals, show nothing.
        assert!(!falls(&falling, 0.0));
        assert!(!falls(&falling[..4], 40.0));
        let policed = [9100.0, 4000.0, 2050.0, 1980.0, 2060.0, 2010.0, 1990.0];
        assert!(!falls(&policed, 40.0));
        // A burst of half the test that ends within an interval.
        let credits = [4810.0, 4800.0, 4810.0, 1850.0, 511.0, 511.0, 511.0, 511.0];
        assert!(!falls(&credits, 800.0));
        let sawtooth = [9100.0, 5000.0, 7800.0, 4200.0, 6900.0, 3100.0, 5200.0];
        assert!(!falls(&sawtooth, 40.0));
    }
}
