//! Packets at equal intervals that jitter delays and that keep their order: each arrives with the one in front where that is later.

/// Share of delays above which what is left is none.
const NEVER: f64 = 1e-12;

/// Gauss and Legendre's three points on −1 to 1, and their weights.
const POINTS: [(f64, f64); 3] = [
    (-0.774_596_669_241_483_4, 5.0 / 9.0),
    (0.0, 8.0 / 9.0),
    (0.774_596_669_241_483_4, 5.0 / 9.0),
];

/// Mean delay of `count` packets, at least 1, that are sent `apart` after one another, whose delays are independent and of one distribution.
///
/// Packet k is late by the largest of X(k − j) − j d, so that P(D ≤ x) = Π F(x + j d), j from 0 to k. The mean is the integral of 1 − P.
/// `panels` are the bounds of its parts, ascending from 0 to the longest delay; `share_within` is F, the share of delays up to one. All times
/// are of one unit.
pub fn mean_delay(
    count: u32,
    apart: f64,
    panels: &[f64],
    share_within: impl Fn(f64) -> f64,
) -> f64 {
    // Of all packets, those that are later than `delay`.
    let later = |delay: f64| {
        let (mut within, mut sum) = (1.0, 0.0);
        for before in 0..count {
            let share = share_within(delay + f64::from(before) * apart);
            if share >= 1.0 - NEVER {
                sum += f64::from(count - before) * (1.0 - within);
                break;
            }
            within *= share;
            sum += 1.0 - within;
        }
        sum / f64::from(count)
    };
    let part = |bounds: &[f64]| {
        let (middle, half) = (
            f64::midpoint(bounds[0], bounds[1]),
            (bounds[1] - bounds[0]) / 2.0,
        );
        let points = POINTS
            .iter()
            .map(|(at, weight)| weight * later(middle + half * at));
        half * points.sum::<f64>()
    };
    panels.windows(2).map(part).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Evenly spread up to 5: two packets 3 apart, of which the second waits (8/3)/50 in the mean, by hand. 2000 of them 1 apart: 3.0303, as
    /// the product says; simulated 3.04.
    #[test]
    fn packets_wait_for_those_in_front() {
        let panels: Vec<f64> = (0..=50).map(|n| f64::from(n) / 10.0).collect();
        let mean = |count, apart| mean_delay(count, apart, &panels, |x| (x / 5.0).min(1.0));
        let two = mean(2, 3.0);
        assert!((two - (2.5 + 8.0 / 300.0)).abs() < 1e-5, "{two}");
        let many = mean(2000, 1.0);
        assert!((many - 3.030_289).abs() < 1e-4, "{many}");
        for alone in [mean(1, 1.0), mean(100, 5.0)] {
            assert!((alone - 2.5).abs() < 1e-9, "{alone}");
        }
    }
}
