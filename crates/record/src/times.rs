//! How long each of many took in one run: answers, flows, connections.

use serde::{Deserialize, Serialize};

/// The times of one test's answers, flows or connections, the shortest first: of many, some that stand for all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// How many there were.
    pub count: u64,
    /// Their times, nanoseconds: all, or [`Times::KEPT`] of evenly spaced ranks, the least and the greatest among them.
    #[serde(with = "crate::number::list")]
    pub v: Vec<f64>,
}

impl Times {
    /// Most times that are kept: their distribution is known to a five-hundredth.
    pub const KEPT: usize = 500;

    /// Of times in nanoseconds, the shortest first; none where there are none.
    pub fn of(sorted: &[f64]) -> Option<Times> {
        let last = sorted.len().checked_sub(1)?;
        let v = match sorted.len() > Times::KEPT {
            false => sorted.to_vec(),
            true => {
                let steps = Times::KEPT - 1;
                // To the nearest rank.
                let rank = |n: usize| (n * last + steps / 2) / steps;
                (0..=steps).map(|n| sorted[rank(n)]).collect()
            }
        };
        Some(Times {
            count: sorted.len() as u64,
            v,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_times_the_kept_ones_have_their_distribution() {
        let all: Vec<f64> = (0..100_000_u32).map(f64::from).collect();
        let kept = Times::of(&all).expect("some");
        assert_eq!((kept.count, kept.v.len()), (100_000, Times::KEPT));
        assert_eq!((kept.v[0], kept.v[Times::KEPT - 1]), (0.0, 99_999.0));
        for (n, v) in kept.v.iter().enumerate() {
            let (share, of_all) = ((n + 1) as f64 / Times::KEPT as f64, (v + 1.0) / 1e5);
            assert!((share - of_all).abs() <= 1.0 / Times::KEPT as f64, "{n}");
        }
        let one_more: Vec<f64> = (0..=Times::KEPT as u32).map(f64::from).collect();
        let kept = Times::of(&one_more).expect("some").v;
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]), "each once");
    }

    #[test]
    fn few_are_all_kept() {
        let kept = Times::of(&[1.0, 2.0]).expect("some");
        assert_eq!((kept.count, kept.v), (2, vec![1.0, 2.0]));
        assert_eq!(Times::of(&[]), None);
    }
}
