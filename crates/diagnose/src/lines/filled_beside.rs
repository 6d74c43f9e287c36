//! A connection that keeps its rate, where more of them side by side filled the line and lost nothing: no traffic of others held the one.

use crate::evidence::Evidence;
use crate::items::Item;

/// From so many times the rate of the one on, more connections carry more.
const MORE: f64 = 1.6;

/// A line is full between these parts of its rate: what goes beyond it has more than one line.
const FULL: [f64; 2] = [0.85, 1.06];

/// A rate stays where its fastest interval is at most so many times the slowest. A choice.
const STAYS: f64 = 1.05;

/// Fewer intervals show no rate that stays.
const INTERVALS_LEAST: usize = 3;

impl Evidence {
    /// Whether the intervals after the start are alike.
    fn stays(&self) -> bool {
        let least = self.steady.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.steady.iter().copied().fold(0.0, f64::max);
        self.steady.len() >= INTERVALS_LEAST && least > 0.0 && most <= STAYS * least
    }

    /// Whether more connections between the same ends filled the line without a loss, and this one kept a far lower rate: others that leave it no
    /// more would have left those no more either.
    pub(crate) fn is_filled_by_more(&self) -> bool {
        let counted = &self.counted_else;
        let (Some((_, times)), Some(rate), Some((line, _))) =
            (counted.wider, &self.rate, &self.line)
        else {
            return false;
        };
        let lossless = self.retransmits.as_ref().is_some_and(|n| n.value == 0.0);
        let part = times * rate.value / line.value;
        let alone = self.around.group.is_none();
        let fills = times > MORE && alone && (FULL[0]..FULL[1]).contains(&part);
        // What counts others' traffic on the way shows it.
        let counts = self.is_full_of_others();
        fills && counted.wider_clean && lossless && self.stays() && !counts
    }
}

/// Says that others did not hold it, and what may.
pub(crate) fn by_filled(e: &Evidence, items: &mut Vec<Item>) {
    if e.is_filled_by_more() {
        items.push(Item {
            holds: 1.0,
            weights: Vec::new(),
            sentence: "more connections between the same ends filled the line without a loss: a limit of each connection holds this one, as a core of a firewall, a tunnel, or a shaper for each flow has".to_owned(),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cause::Cause;
    use crate::fact::{Figure, Place};
    use crate::infer::weigh;

    /// One connection at 1.91 Gbit/s on a line of 10, and six that carried so many times as much.
    fn evidence(times: f64) -> Evidence {
        let figure = |value: f64| Figure::exact(value, Place::You);
        let mut e = Evidence {
            rate: Some(figure(1.91e9)),
            line: Some((figure(10e9), "the line")),
            retransmits: Some(figure(0.0)),
            rtt_floor: Some(figure(0.008)),
            rtt_loaded: Some(figure(0.0249)),
            steady: vec![1.91e9; 3],
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        e.counted_else.wider = Some((6.0, times));
        e.counted_else.wider_clean = true;
        e
    }

    /// Others' traffic was 87 %, which would have had to leave six connections 9.36 of 9.41 Gbit/s.
    #[test]
    fn a_line_that_more_connections_fill_is_not_full_of_others() {
        let e = evidence(4.9);
        assert!(e.is_filled_by_more());
        let weighed = weigh(&e, &[]);
        let others = weighed
            .ranking
            .iter()
            .find(|r| r.cause == Cause::CrossTraffic);
        assert!(others.is_none_or(|r| r.confidence < 1e-6));
    }

    #[test]
    fn what_varies_or_fills_nothing_may_be_of_others() {
        assert!(!evidence(1.9).is_filled_by_more());
        let mut varies = evidence(4.9);
        varies.steady = vec![1.9e9, 1.2e9, 2.4e9];
        assert!(!varies.is_filled_by_more());
        let mut lossy = evidence(4.9);
        lossy.counted_else.wider_clean = false;
        assert!(!lossy.is_filled_by_more());
    }
}
