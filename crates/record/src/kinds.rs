//! Runs of two kinds: values that fall into two sets with nothing between them. A mean of such runs is like none of them.
//!
//! The rule is a plain one. Of at least eight values in order, the widest gap between two neighbours parts two sets of two or more.
//! It is wider than twice the wider set, and than a tenth of the mean. Of eight values of a normal distribution one set in a
//! hundred has such a gap by chance, of ten one in five hundred. Of values with a long tail (exponential) it is one in thirty and
//! one in sixty.

use serde::{Deserialize, Serialize};

use crate::number;
use crate::quantity::quantity;

/// One of the two sets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kind {
    /// How many values, at least 2.
    pub n: u32,
    /// The least.
    #[serde(with = "number::one")]
    pub min: f64,
    /// The greatest.
    #[serde(with = "number::one")]
    pub max: f64,
    /// Their mean.
    #[serde(with = "number::one")]
    pub mean: f64,
}

/// Fewer values show no kinds.
const LEAST: usize = 8;
/// Fewer values make up none.
const EACH: usize = 2;
/// By how many times the wider set's width the two lie apart.
const APART: f64 = 2.0;
/// By what share of the mean they do.
const SHARE: f64 = 0.1;

/// The two sets, the lower one first; none where values are of one kind. Counts that differ by one are.
pub fn two_kinds(values: &[f64]) -> Option<[Kind; 2]> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    if sorted.len() < LEAST {
        return None;
    }
    let gap = |at: &usize| sorted[*at] - sorted[at - 1];
    let at = (1..sorted.len()).max_by(|a, b| gap(a).total_cmp(&gap(b)))?;
    let (low, high) = sorted.split_at(at);
    let width = |set: &[f64]| set[set.len() - 1] - set[0];
    let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
    let counts = sorted.iter().all(|v| v.fract() == 0.0);
    let far = gap(&at) > APART * width(low).max(width(high))
        && gap(&at) > SHARE * mean.abs()
        && !(counts && gap(&at) <= 1.0);
    let several = low.len().min(high.len()) >= EACH;
    (far && several).then(|| [kind(low), kind(high)])
}

/// A set in order.
fn kind(set: &[f64]) -> Kind {
    Kind {
        n: u32::try_from(set.len()).unwrap_or(u32::MAX),
        min: set[0],
        max: set[set.len() - 1],
        mean: set.iter().sum::<f64>() / set.len() as f64,
    }
}

/// Two kinds of a metric in words: `3 near 20 Mbit/s, 7 near 90 Mbit/s`.
pub fn kinds_words(metric: &str, kinds: &[Kind; 2]) -> String {
    let words = kinds.map(|kind| format!("{} near {}", kind.n, quantity(metric, kind.mean)));
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goodput_of_two_states_is_of_two_kinds() {
        let goodputs = [88e6, 21e6, 90e6, 92e6, 19e6, 90e6, 91e6, 20e6, 89e6, 90e6];
        let kinds = two_kinds(&goodputs).expect("two");
        assert_eq!(kinds.map(|k| (k.n, k.mean)), [(3, 20e6), (7, 90e6)]);
        assert_eq!((kinds[0].min, kinds[0].max), (19e6, 21e6));
        assert_eq!(
            kinds_words("goodput_bps", &kinds),
            "3 near 20 Mbit/s, 7 near 90 Mbit/s"
        );
    }

    #[test]
    fn what_scatters_or_has_a_stray_is_of_one_kind() {
        // Evenly spread; one stray; too few; counts that differ by one; a gap that is small beside the mean.
        let even: Vec<f64> = (0..20).map(f64::from).collect();
        for values in [
            &even[..],
            &[1.0, 1.1, 1.2, 1.0, 1.1, 1.2, 1.0, 9.0],
            &[1.0, 1.0, 1.0, 9.0, 9.0, 9.0],
            &[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0],
            &[99.0, 99.0, 99.0, 99.0, 103.0, 103.0, 103.0, 103.0],
            &[],
        ] {
            assert_eq!(two_kinds(values), None, "{values:?}");
        }
    }

    /// The share of sets of normal values that the rule parts in two, as its description has it: sums of twelve even draws.
    #[test]
    fn chance_seldom_makes_two_kinds() {
        let mut state = 1_u64;
        let mut even = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut normal = || 20.0 + 6.0 * ((0..12).map(|_| even()).sum::<f64>() - 6.0);
        for (n, most) in [(8, 0.02), (10, 0.005), (20, 0.001)] {
            let mut parted = 0;
            for _ in 0..4000 {
                let values: Vec<f64> = (0..n).map(|_| normal()).collect();
                parted += u32::from(two_kinds(&values).is_some());
            }
            assert!(
                f64::from(parted) / 4000.0 <= most,
                "{parted} of 4000 of {n}"
            );
        }
    }
}
