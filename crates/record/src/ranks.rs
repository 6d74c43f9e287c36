//! Tests by ranks, which ask nothing of how values are distributed: a mixture of two kinds of run has no use for its mean.
//!
//! Both give the two-sided probability that chance orders the values so, by the normal approximation with the correction for
//! continuity and for ties. From four values a side on it is within 0.01 of the exact probability.

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
    two_sided(above - n * m / 2.0, variance_of_sum(n, m, ties))
}

/// The least that [`rank_sum`] can be of so many values with such ties: that of samples that have nothing in common. 1 where it is
/// 1 whatever they are.
pub(crate) fn rank_sum_least(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len() as f64, b.len() as f64);
    if n == 0.0 || m == 0.0 {
        return 1.0;
    }
    let (_, ties) = ranks(&[a, b].concat());
    two_sided(n * m / 2.0, variance_of_sum(n, m, ties))
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
    let n = signed.len() as f64;
    let sizes: Vec<f64> = signed.iter().map(|d| d.abs()).collect();
    let (ranks, ties) = ranks(&sizes);
    let pairs = ranks.iter().zip(&signed).filter(|(_, d)| **d > 0.0);
    let above: f64 = pairs.map(|(rank, _)| rank).sum();
    two_sided(above - n * (n + 1.0) / 4.0, variance_of_signed(n, ties))
}

/// The least that [`signed_rank`] can be of so many differences with such ties: that of differences of one sign.
pub(crate) fn signed_rank_least(differences: &[f64]) -> f64 {
    let sizes = differences.iter().map(|d| d.abs()).filter(|d| *d != 0.0);
    let sizes: Vec<f64> = sizes.collect();
    let n = sizes.len() as f64;
    let (_, ties) = ranks(&sizes);
    two_sided(n * (n + 1.0) / 4.0, variance_of_signed(n, ties))
}

/// The variance of a sum of `n` signed ranks.
fn variance_of_signed(n: f64, ties: f64) -> f64 {
    n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0
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
    /// W is 35, of 10 and 5 values, and its large-sample probability without a correction, one-sided, 0.1103.
    #[test]
    fn two_samples_have_the_published_rank_sum() {
        let at_term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46];
        let earlier = [1.15, 0.88, 0.90, 0.74, 1.21];
        // The mean is 25 and the variance 200/3: z is 10 over its root, and 9.5 with the correction.
        let z = |distance: f64| libm::erfc(distance / libm::sqrt(200.0 / 3.0) / libm::sqrt(2.0));
        assert!((z(10.0) / 2.0 - 0.1103).abs() < 5e-5);
        assert!((rank_sum(&at_term, &earlier) - z(9.5)).abs() < 1e-12);
        assert_eq!(rank_sum(&at_term, &earlier), rank_sum(&earlier, &at_term));
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
        let z = 17.0 / libm::sqrt(71.25);
        let found = signed_rank(&differences);
        assert!(
            (found - libm::erfc(z / libm::sqrt(2.0))).abs() < 1e-12,
            "{found}"
        );
        assert!((found - 0.0391).abs() < 0.01, "{found}");
    }

    /// z is 7.5 over the root of 16/12 · 11, and 7 over that of 13.75.
    #[test]
    fn so_few_values_never_reach_five_per_cent() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0];
        let least = |n: usize, m: usize| rank_sum_least(&values[..n], &values[n..n + m]);
        assert!((least(8, 2) - 0.0502).abs() < 1e-4, "{}", least(8, 2));
        assert_eq!(least(8, 2), rank_sum(&values[..8], &values[8..10]));
        assert!(least(9, 2) < 0.05 && least(8, 3) < 0.05);
        let pairs = |n: usize| signed_rank_least(&values[..n]);
        assert!((pairs(5) - 0.0591).abs() < 1e-4, "{}", pairs(5));
        assert_eq!(pairs(5), signed_rank(&values[..5]));
        assert!(pairs(6) < 0.05);
        // Differences of 0 are none.
        assert_eq!(signed_rank_least(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 1.0);
    }

    #[test]
    fn exact_probabilities_of_few_values_are_near() {
        // All of one side above the other: 2 of the 70 ways of four and four, 2 of the 252 of five and five.
        let (low, high) = ([1.0, 2.0, 3.0, 4.0, 5.0], [6.0, 7.0, 8.0, 9.0, 10.0]);
        assert!((rank_sum(&low[..4], &high[..4]) - 2.0 / 70.0).abs() < 0.01);
        assert!((rank_sum(&low, &high) - 2.0 / 252.0).abs() < 0.01);
        // Six differences of one sign: 2 of 64.
        assert!((signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) - 2.0 / 64.0).abs() < 0.01);
        for none in [
            rank_sum(&[], &low),
            rank_sum(&[2.0; 4], &[2.0; 4]),
            signed_rank(&[0.0; 5]),
        ] {
            assert_eq!(none, 1.0);
        }
    }
}
