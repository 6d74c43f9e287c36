//! Tests by ranks, which ask nothing of how values are distributed: a mixture of two kinds of run has no use for its mean.
//!
//! Both give the two-sided probability that chance orders the values so. Of up to 30 values, all of them different, it is exact: the
//! orders are counted. Else it is the normal approximation, with the correction for continuity and for ties.

/// Values in all up to which orders are counted: 2³⁰ at most, which a double holds exactly.
const COUNTED: usize = 30;

/// The probability of the ranks of two samples that have nothing in common (Mann and Whitney, Annals of Mathematical Statistics
/// 18, 1947); 1 where all values are equal or a side has none.
pub(crate) fn rank_sum(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len() as f64, b.len() as f64);
    let all = n + m;
    if n == 0.0 || m == 0.0 || all < 2.0 {
        return 1.0;
    }
    let (ranks, ties) = ranks(&[a, b].concat());
    let above = ranks[a.len()..].iter().sum::<f64>() - m * (m + 1.0) / 2.0;
    of_sum(above, [a.len(), b.len()], ties)
}

/// The least that [`rank_sum`] can be of so many values with such ties: that of samples that have nothing in common. 1 where it is
/// 1 whatever they are.
pub(crate) fn rank_sum_least(a: &[f64], b: &[f64]) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 1.0;
    }
    let (_, ties) = ranks(&[a, b].concat());
    of_sum(0.0, [a.len(), b.len()], ties)
}

/// Of `n` and `m` values, at least one each, of whose pairs `above` have the larger one of the second sample; `ties` as of [`ranks`].
fn of_sum(above: f64, [n, m]: [usize; 2], ties: f64) -> f64 {
    let pairs = n as f64 * m as f64;
    if ties == 0.0 && n + m <= COUNTED {
        return of_orders(orders_of_sum(n, m, above.min(pairs - above)));
    }
    two_sided(
        above - pairs / 2.0,
        variance_of_sum(n as f64, m as f64, ties),
    )
}

/// The variance of a rank sum of `n` and `m` values, at least one each.
fn variance_of_sum(n: f64, m: f64, ties: f64) -> f64 {
    let all = n + m;
    n * m / 12.0 * (all + 1.0 - ties / (all * (all - 1.0)))
}

/// The probability of the signed ranks of the differences of pairs (Wilcoxon, Biometrics Bulletin 1, 1945), those that are 0 left out;
/// 1 where none is left.
pub(crate) fn signed_rank(differences: &[f64]) -> f64 {
    let signed: Vec<f64> = differences.iter().copied().filter(|d| *d != 0.0).collect();
    let sizes: Vec<f64> = signed.iter().map(|d| d.abs()).collect();
    let (ranks, ties) = ranks(&sizes);
    let pairs = ranks.iter().zip(&signed).filter(|(_, d)| **d > 0.0);
    of_signed(pairs.map(|(rank, _)| rank).sum(), signed.len(), ties)
}

/// The least that [`signed_rank`] can be of so many differences with such ties: that of differences of one sign.
pub(crate) fn signed_rank_least(differences: &[f64]) -> f64 {
    let sizes = differences.iter().map(|d| d.abs()).filter(|d| *d != 0.0);
    let sizes: Vec<f64> = sizes.collect();
    let (_, ties) = ranks(&sizes);
    of_signed(0.0, sizes.len(), ties)
}

/// Of `count` differences, none of them 0, of which the positive ones have ranks of the sum `above`; `ties` as of [`ranks`].
fn of_signed(above: f64, count: usize, ties: f64) -> f64 {
    let n = count as f64;
    let all = n * (n + 1.0) / 2.0;
    if ties == 0.0 && count <= COUNTED {
        return of_orders(orders_of_signed(count, above.min(all - above)));
    }
    two_sided(above - all / 2.0, variance_of_signed(n, ties))
}

/// The variance of a sum of `n` signed ranks.
fn variance_of_signed(n: f64, ties: f64) -> f64 {
    n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0
}

/// Two-sided, of how many orders have a rank sum as far from its mean on one side, and how many there are.
fn of_orders((far, all): (f64, f64)) -> f64 {
    (2.0 * far / all).min(1.0)
}

/// How many orders of `n` and `m` different values have at most `most` pairs with the larger one on the second side, and how many
/// there are. The counts by pairs are the coefficients of ∏ (1 − qⁿ⁺ⁱ) / (1 − qⁱ), i from 1 to `m`.
fn orders_of_sum(n: usize, m: usize, most: f64) -> (f64, f64) {
    let mut counts = vec![0.0_f64; most as usize + 1];
    counts[0] = 1.0;
    let mut all = 1.0;
    for i in 1..=m {
        for pairs in (n + i..counts.len()).rev() {
            counts[pairs] -= counts[pairs - n - i];
        }
        for pairs in i..counts.len() {
            counts[pairs] += counts[pairs - i];
        }
        all = all * (n + i) as f64 / i as f64;
    }
    (counts.iter().sum(), all)
}

/// How many ways there are to give `n` ranks a sign with positive ones that sum to at most `most`, and how many in all. The counts
/// by sum are the coefficients of ∏ (1 + qⁱ), i from 1 to `n`.
fn orders_of_signed(n: usize, most: f64) -> (f64, f64) {
    let mut counts = vec![0.0_f64; most as usize + 1];
    counts[0] = 1.0;
    let mut all = 1.0;
    for i in 1..=n {
        for sum in (i..counts.len()).rev() {
            counts[sum] += counts[sum - i];
        }
        all *= 2.0;
    }
    (counts.iter().sum(), all)
}

/// Of a rank sum that lies so far from its mean.
fn two_sided(distance: f64, variance: f64) -> f64 {
    if variance <= 0.0 {
        return 1.0;
    }
    let z = (distance.abs() - 0.5).max(0.0) / libm::sqrt(variance);
    libm::erfc(z / core::f64::consts::SQRT_2)
}

/// The rank of each value from 1, equal ones their mean rank; and the sum of t³ − t over each group of t equal ones.
fn ranks(values: &[f64]) -> (Vec<f64>, f64) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|p, q| values[*p].total_cmp(&values[*q]));
    let mut ranks = vec![0.0; values.len()];
    let (mut from, mut ties) = (0, 0.0);
    for group in order.chunk_by(|p, q| values[*p] == values[*q]) {
        let t = group.len() as f64;
        for at in group {
            ranks[*at] = from as f64 + (t + 1.0) / 2.0;
        }
        ties += t * t * t - t;
        from += group.len();
    }
    (ranks, ties)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hollander and Wolfe, Nonparametric Statistical Methods (1973), p. 69, as in R's `wilcox.test`: of the permeability of membranes
    /// W is 35, of 10 and 5 values: exactly 0.1272 one-sided, and 0.1103 by the large-sample formula without a correction.
    #[test]
    fn two_samples_have_the_published_rank_sum() {
        let at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let earlier = [1.15, 0.88, 0.90, 0.74, 1.21];
        let found = rank_sum(&at_term, &earlier);
        assert!((found / 2.0 - 0.1272).abs() < 5e-5, "{found}");
        assert_eq!(found, rank_sum(&earlier, &at_term));
        // The mean is 25 and the variance 200/3: z is 10 over its root, half a pair more with the correction.
        let large = two_sided(10.5, variance_of_sum(10.0, 5.0, 0.0));
        assert!((large / 2.0 - 0.1103).abs() < 5e-5, "{large}");
    }

    /// The same book, p. 29: depression before and after a therapy, nine pairs; V is 40, and exactly 0.0391 two-sided.
    #[test]
    #[allow(
        clippy::approx_constant,
        reason = "a published depression score, not pi"
    )]
    fn pairs_have_the_published_signed_rank() {
        let before = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30];
        let after = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29];
        let differences: Vec<f64> = before.iter().zip(after).map(|(a, b)| a - b).collect();
        let found = signed_rank(&differences);
        assert!((found - 20.0 / 512.0).abs() < 1e-12, "{found}");
    }

    #[test]
    fn so_few_pairs_never_reach_five_per_cent() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0];
        let least = |n: usize, m: usize| rank_sum_least(&values[..n], &values[n..n + m]);
        // One order of 45, on either side.
        assert!((least(8, 2) - 2.0 / 45.0).abs() < 1e-12, "{}", least(8, 2));
        assert_eq!(least(8, 2), rank_sum(&values[..8], &values[8..10]));
        assert!(least(7, 2) > 0.05 && least(9, 2) < 0.05 && least(8, 3) < 0.05);
        let pairs = |n: usize| signed_rank_least(&values[..n]);
        assert!((pairs(5) - 2.0 / 32.0).abs() < 1e-12, "{}", pairs(5));
        assert_eq!(pairs(5), signed_rank(&values[..5]));
        assert!(pairs(6) < 0.05);
        // Differences of 0 are none.
        assert_eq!(signed_rank_least(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 1.0);
    }

    #[test]
    fn few_values_without_ties_have_exact_probabilities() {
        let is = |found: f64, exact: f64| assert!((found - exact).abs() < 1e-12, "{found} {exact}");
        // All of one side above the other: 2 of the 70 ways of four and four, 2 of the 252 of five and five.
        let (low, high) = ([1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]);
        is(rank_sum(&low[..4], &high[..4]), 2.0 / 70.0);
        is(rank_sum(&low, &high), 2.0 / 252.0);
        // Two and two with three of four pairs: of the six orders one has none, one a single pair.
        is(rank_sum(&[1.0, 3.0], &[2.0, 4.0]), 4.0 / 6.0);
        // Six differences of one sign: 2 of 64.
        is(signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 2.0 / 64.0);
        for none in [
            rank_sum(&[], &low),
            rank_sum(&[2.0; 4], &[2.0; 4]),
            signed_rank(&[0.0; 5]),
        ] {
            assert_eq!(none, 1.0);
        }
    }

    /// Where orders are too many to count, or values are equal, the normal distribution stands for them.
    #[test]
    fn many_values_and_ties_have_the_normal_approximation() {
        let values: Vec<f64> = (0..32_i32).map(f64::from).collect();
        let sum = rank_sum(&values[..16], &values[16..]);
        assert_eq!(sum, two_sided(128.0, variance_of_sum(16.0, 16.0, 0.0)));
        let tied = rank_sum(&[1.0, 1.0, 2.0], &[3.0, 4.0]);
        assert_eq!(tied, two_sided(3.0, variance_of_sum(3.0, 2.0, 6.0)));
        let signed = two_sided(32.0 * 33.0 / 4.0, variance_of_signed(32.0, 0.0));
        let shifted: Vec<f64> = values.iter().map(|v| v + 1.0).collect();
        assert_eq!(signed_rank(&shifted), signed);
        // The two are close long before: 10 and 5 values, 35 of the pairs.
        let counted = of_sum(35.0, [10, 5], 0.0);
        let near = two_sided(10.0, variance_of_sum(10.0, 5.0, 0.0));
        assert!((counted - near).abs() < 0.01, "{counted} {near}");
    }
}
