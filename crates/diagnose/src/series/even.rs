//! How even a flow's intervals are, and its rate after the start.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::items::{Item, spread, step};
use crate::series::middle::middle;

/// Intervals under a window differ by less than this part of their mean.
const EVEN: f64 = 0.1;

/// Intervals that differ by more than this part of their mean are of different parts.
const STEPS: f64 = 0.3;

/// Intervals that differ by more than this through pieces alone say nothing.
const GRAIN_MAX: f64 = 0.25;

/// Nobody calls intervals even that differ by more than this.
const UNEVEN: f64 = 0.08;

/// Where pieces make intervals differ by more than this, and they do, the middle one is one piece above the mean, or below it.
const COARSE: f64 = 0.05;

/// Each loss cuts the window by up to half: by chance rates of intervals differ by half over the root of the losses in one. Intervals that differ
/// by less than the first part of that are not of chance, and by more than the second they may be.
const OF_CHANCE: [f64; 2] = [0.05, 0.12];

/// Fewer intervals, or fewer losses in one of them, are even by chance.
const ROWS_LEAST: usize = 4;
const LOSSES_LEAST: f64 = 4.0;

impl Evidence {
    /// The deviation of a short log's intervals over their mean, and what losses by chance would leave of it; none where more is known of the
    /// losses. Of longer logs the evenness after the start speaks.
    fn beside_chance(&self) -> Option<(f64, f64)> {
        let lost = self.idle_loss.as_ref().is_some_and(|l| l.low > 0.0);
        let known = lost || self.around.is_damaged() || self.around.own_drops.is_some();
        let counted = self.account.is_some() || !self.counted_else.lacks_datagrams();
        let other = self.udp || self.is_bbr() || self.streams > 1.0;
        let rows = &self.counted;
        if known || counted || other || spread(&self.steady).is_some() || rows.len() < ROWS_LEAST {
            return None;
        }
        let losses: Vec<f64> = rows.iter().filter_map(|r| r.retransmits).collect();
        if losses.iter().any(|n| *n < LOSSES_LEAST) {
            return None;
        }
        let rates: Vec<f64> = rows.iter().map(|r| r.bps).collect();
        let seen = spread(&rates)?;
        let mean = losses.iter().sum::<f64>() / losses.len().max(1) as f64;
        Some((seen, 0.5 / mean.sqrt()))
    }

    /// Whether a short log is too even for losses by chance.
    pub(crate) fn is_too_even(&self) -> bool {
        let even = |(seen, chance): (f64, f64)| seen < OF_CHANCE[1] * chance;
        self.beside_chance().is_some_and(even)
    }

    /// By how much of their mean intervals differ though nothing changes: by whole writes, and by whole windows.
    pub(crate) fn pieces(&self) -> f64 {
        libm::hypot(self.grain, self.whole_windows())
    }

    /// The same by whole windows alone: a second has room for one more or one less. Where segments are lost, windows are no longer alike.
    fn whole_windows(&self) -> f64 {
        let lossless = self.retransmits.as_ref().is_some_and(|r| r.value <= 1.0);
        match &self.rtt {
            Some(rtt) if lossless && self.interval_s > 0.0 => 0.5 * rtt.value / self.interval_s,
            _ => 0.0,
        }
    }

    /// Whether its intervals are as even as a window leaves them, or are not known.
    pub(crate) fn is_even(&self) -> bool {
        spread(&self.steady).is_none_or(|s| s < EVEN.max(1.5 * self.pieces()))
    }

    /// Whether its intervals differ by so much that a mean rate and a round trip are of different parts of the test.
    pub(crate) fn steps(&self) -> bool {
        spread(&self.steady).is_some_and(|s| s > STEPS)
    }

    /// The middle one of the intervals after the start, bit/s; none of fewer than four.
    pub(crate) fn late(&self) -> Option<f64> {
        let enough = self.steady.len() >= 4;
        middle(self.steady.iter().copied()).filter(|_| enough)
    }

    /// The mean of the intervals after the start, bit/s, where each is some pieces and the middle one a piece too many; otherwise
    /// the middle one.
    fn usual(&self) -> Option<f64> {
        let mean = self.steady.iter().sum::<f64>() / self.steady.len().max(1) as f64;
        let late = self.late()?;
        let coarse = self.pieces() > COARSE && spread(&self.steady)? > COARSE;
        Some(if coarse { mean } else { late })
    }

    /// The rate after the start, where the intervals then are even; otherwise the mean rate. The mean has the start in
    /// it, of which a sender's socket may have taken more than a line carried.
    pub(crate) fn usual_rate(&self) -> Option<Figure> {
        let rate = self.rate.as_ref()?;
        let even = !self.udp && rate.value > 0.0 && self.is_even();
        let usual = self.usual().filter(|_| even);
        Some(usual.map_or_else(|| rate.clone(), |usual| rate.times(usual / rate.value)))
    }

    /// The same where it is faster than the mean, which slow start holds down: what a limit that does not change leaves. Otherwise the
    /// mean rate.
    pub(crate) fn settled(&self) -> Option<Figure> {
        let (mean, usual) = (self.rate.as_ref()?, self.usual_rate()?);
        Some(match usual.value > mean.value {
            true => usual,
            false => mean.clone(),
        })
    }
}

/// Losses that leave all intervals of a short log alike.
fn not_by_chance(e: &Evidence, items: &mut Vec<Item>) {
    let Some((seen, chance)) = e.beside_chance() else {
        return;
    };
    items.push(Item {
        holds: 1.0 - step(seen / chance, OF_CHANCE[0], OF_CHANCE[1]),
        weights: vec![(Cause::RandomLoss, -22.0)],
        sentence: format!(
            "the intervals differ by {:.1} % through all these losses, where chance would leave {:.0} %: a shaper, a policer or a slower line that is full holds a rate so evenly",
            seen * 100.0,
            chance * 100.0
        ),
    });
}

/// How even the intervals are.
pub(crate) fn steadiness(e: &Evidence, items: &mut Vec<Item>) {
    not_by_chance(e, items);
    crate::losses::clustered::by_clusters(e, items);
    let Some(seen) = spread(&e.steady) else {
        return;
    };
    let pieces = e.pieces();
    if e.grain > GRAIN_MAX || pieces > GRAIN_MAX && seen > EVEN {
        // The pieces are as large as the intervals.
        return;
    }
    let spread = (seen * seen - pieces * pieces).max(0.0).sqrt();
    let even = match e.climbs() {
        true => 0.0,
        false => 1.0 - step(spread, 0.02, UNEVEN),
    };
    items.push(Item {
        holds: even,
        weights: vec![
            (Cause::ReceiveWindow, 4.0),
            (Cause::SendBuffer, 4.0),
            (Cause::Link, 3.0),
            (Cause::Pacing, 4.0),
            (Cause::Shaper, 4.0),
            (Cause::RandomLoss, -6.0),
            (Cause::CrossTraffic, -5.0),
            (Cause::Policer, -2.0),
        ],
        sentence: match seen > UNEVEN && spread < 0.5 * seen {
            true => format!(
                "the intervals after the start differ by {:.0} %, as whole writes and whole windows make them",
                seen * 100.0
            ),
            false => format!(
                "the intervals after the start are even: their standard deviation is {:.1} % of their mean",
                seen * 100.0
            ),
        },
    });
    items.push(Item {
        // A window over round trips that vary is a rate that varies.
        holds: step(spread, 0.1, 0.25) * (1.0 - 0.8 * e.unsteady()),
        weights: vec![
            (Cause::RandomLoss, 4.0),
            (Cause::CongestionLoss, 2.0),
            (Cause::CrossTraffic, 3.0),
            (Cause::ReceiveWindow, -6.0),
            (Cause::SendBuffer, -6.0),
            (Cause::Pacing, -6.0),
        ],
        sentence: format!(
            "the intervals after the start differ by {:.0} %",
            seen * 100.0
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seen::Row;

    /// A log of intervals of 5 s: Mbit/s and segments sent again.
    fn log(rows: [(f64, f64); 4]) -> Evidence {
        let row = |(mbit, again): (f64, f64)| (mbit * 1e6, again, None);
        Evidence {
            counted: Row::intervals(5.0, rows.map(row)),
            streams: 1.0,
            ..Evidence::default()
        }
    }

    /// 18 losses by chance leave 12 % either way; 0.4 % are a rate that something holds, and 8 % are not.
    #[test]
    fn losses_that_leave_a_rate_as_it_is_are_not_of_chance() {
        let even = [(48.4, 41.0), (48.1, 18.0), (47.9, 17.0), (48.0, 18.0)];
        assert!(log(even).is_too_even());
        let uneven = [(6.88, 16.0), (5.87, 13.0), (7.34, 15.0), (6.5, 14.0)];
        assert!(!log(uneven).is_too_even());
        // Few losses say nothing.
        let few = [(48.4, 41.0), (48.1, 1.0), (47.9, 17.0), (48.0, 18.0)];
        assert!(!log(few).is_too_even());
    }

    /// 800 to 870 around 845 are 5.3 % apart from it at most: what is said of them is their standard deviation.
    #[test]
    fn what_is_even_is_said_of_the_intervals_after_the_start() {
        let mbit = [850.0, 840.0, 870.0, 800.0, 860.0, 830.0, 840.0, 870.0];
        let e = Evidence {
            steady: mbit.iter().map(|mbit| mbit * 1e6).collect(),
            ..Evidence::default()
        };
        let mut items = Vec::new();
        steadiness(&e, &mut items);
        assert_eq!(
            items[0].sentence,
            "the intervals after the start are even: their standard deviation is 2.6 % of their mean"
        );
    }
}
