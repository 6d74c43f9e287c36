//! A rate that rises from interval to interval after the start, to the end: what holds it grows. It is not even, and no full line leaves it.

use crate::evidence::Evidence;
use crate::series::middle::mean;

/// Fewer intervals than this show no climb. A choice, as those below.
const LEAST: usize = 6;

/// The last third has so many times the first third's rate, and so many times that of the third between: a rate that has come to stand does
/// not.
const ROSE: f64 = 1.1;
const LATER_ROSE: f64 = 1.03;

/// No interval has less than this part of the one before, beside one write that was counted there.
const STEP: f64 = 0.99;

impl Evidence {
    /// Whether the rate climbs steadily through the intervals after the start.
    pub(crate) fn climbs(&self) -> bool {
        let rates = &self.steady;
        if rates.len() < LEAST {
            return false;
        }
        let third = rates.len() / 3;
        let (first, rest) = rates.split_at(third);
        let (middle, last) = rest.split_at(rest.len() - third);
        let [first, middle, last] = [first, middle, last].map(mean);
        let up = |two: &[f64]| two[1] >= STEP * two[0] - self.peak_grain;
        let rose = last >= ROSE * first && last >= LATER_ROSE * middle;
        first > 0.0 && rose && rates.windows(2).all(up)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::infer::usual_line;
    use crate::items::Item;
    use crate::series::even::steadiness;

    /// A sender's seconds of these Gbit/s after its start, over 150 ms.
    fn evidence(gbit: &[f64]) -> Evidence {
        let figure = |value: f64| Figure::exact(value, Place::You);
        let mean = mean(gbit);
        Evidence {
            rate: Some(figure(mean * 1e9)),
            rtt: Some(figure(0.15)),
            retransmits: Some(figure(0.0)),
            steady: gbit.iter().map(|gbit| gbit * 1e9).collect(),
            peak: gbit.iter().copied().fold(0.0, f64::max) * 1e9,
            peak_grain: 1_048_576.0,
            interval_s: 1.0,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    const CLIMBS: [f64; 9] = [2.06, 2.12, 2.18, 2.24, 2.31, 2.38, 2.45, 2.52, 2.6];

    /// Their middle one is near the 2.35 Gbit/s that a line of 2.5 Gbit/s leaves.
    #[test]
    fn a_climb_is_neither_a_line_nor_even() {
        let e = evidence(&CLIMBS);
        assert!(e.climbs());
        assert!(e.refutes_line() > 0.9);
        assert_eq!(usual_line(&e), None);
        let mut items = Vec::new();
        steadiness(&e, &mut items);
        let even = |said: &str| said.contains("are even");
        let said = |i: &Item| i.holds > 0.0 && even(&i.sentence);
        assert!(!items.iter().any(said));
    }

    #[test]
    fn what_came_to_stand_or_goes_up_and_down_does_not_climb() {
        let full = [1.9, 2.2, 2.35, 2.35, 2.35, 2.35, 2.35, 2.35, 2.35];
        let waves = [2.06, 2.3, 2.18, 2.4, 2.31, 2.2, 2.45, 2.3, 2.6];
        for rates in [&full[..], &waves, &CLIMBS[..5]] {
            assert!(!evidence(rates).climbs(), "{rates:?}");
        }
        assert_eq!(usual_line(&evidence(&[2.35; 9])), Some(2.5e9));
    }
}
