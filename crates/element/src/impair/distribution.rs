//! How long jitter holds frames up: distributions of a delay that is never negative, by their
//! quantiles.

use std::sync::Arc;

use farpath_units::Duration;

/// A distribution of added delays.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Every delay from 0 to `max` alike: mean `max` / 2, standard deviation `max` / √12.
    Uniform {
        /// The longest.
        max: Duration,
    },
    /// A normal distribution without its negative part: the rest is raised in proportion, so the mean
    /// is above `mean`, by σ·φ(μ/σ) / Φ(μ/σ), and the standard deviation below `std`.
    Normal {
        /// Mean of the whole normal distribution, μ.
        mean: Duration,
        /// Its standard deviation, σ.
        std: Duration,
    },
    /// Heavy-tailed from 0 up (Pareto of the second kind, Lomax 1954): P(X > x) = (1 + x/s)^−α with
    /// s = mean·(α − 1), without its part above `max`.
    Pareto {
        /// Mean of the whole distribution.
        mean: Duration,
        /// The exponent α, above 1.
        shape: f64,
        /// The longest.
        max: Duration,
    },
    /// A quarter of a draw from `Normal` and three quarters of one from `Pareto`, both with this mean:
    /// the mixture of netem's `paretonormal`.
    ParetoNormal {
        /// Mean of both.
        mean: Duration,
        /// Standard deviation of the normal one.
        std: Duration,
        /// Exponent of the Pareto one.
        shape: f64,
        /// Longest of the Pareto one.
        max: Duration,
    },
    /// Delays that were measured, ascending, each as likely as the others.
    Table(Arc<[Duration]>),
}

impl Distribution {
    /// The delay below which a share `u` of all lie; `v` is the same for the second draw of a mixture.
    /// Both lie in (0, 1).
    pub fn quantile(&self, u: f64, v: f64) -> Duration {
        match *self {
            Distribution::Uniform { max } => rounded(ps(max) * u),
            Distribution::Normal { mean, std } => rounded(normal(ps(mean), ps(std), u)),
            Distribution::Pareto { mean, shape, max } => {
                rounded(pareto(ps(mean), shape, ps(max), u))
            }
            Distribution::ParetoNormal {
                mean,
                std,
                shape,
                max,
            } => {
                let heavy = pareto(ps(mean), shape, ps(max), v);
                rounded(0.25 * normal(ps(mean), ps(std), u) + 0.75 * heavy)
            }
            Distribution::Table(ref delays) => {
                let place = (u * delays.len() as f64) as usize;
                let place = place.min(delays.len().saturating_sub(1));
                delays.get(place).copied().unwrap_or_default()
            }
        }
    }

    /// The mean, truncation included.
    pub fn mean(&self) -> Duration {
        match *self {
            Distribution::Uniform { max } => rounded(ps(max) / 2.0),
            Distribution::Normal { mean, std } => rounded(normal_mean(ps(mean), ps(std))),
            Distribution::Pareto { mean, shape, max } => {
                rounded(pareto_mean(ps(mean), shape, ps(max)))
            }
            Distribution::ParetoNormal {
                mean,
                std,
                shape,
                max,
            } => {
                let heavy = pareto_mean(ps(mean), shape, ps(max));
                rounded(0.25 * normal_mean(ps(mean), ps(std)) + 0.75 * heavy)
            }
            Distribution::Table(ref delays) => {
                let sum: f64 = delays.iter().map(|d| ps(*d)).sum();
                rounded(sum / delays.len().max(1) as f64)
            }
        }
    }

    /// The share of delays up to `delay`, 0 to 1; `None` where that is not smooth: of a table, of one delay, and of a mixture of two draws.
    pub fn share_within(&self, delay: Duration) -> Option<f64> {
        match *self {
            Distribution::Uniform { max } if delay < max => Some(ps(delay) / ps(max)),
            Distribution::Uniform { .. } => Some(1.0),
            Distribution::Normal { mean, std } if ps(std) > 0.0 => {
                let below = |x: f64| normal_cdf((x - ps(mean)) / ps(std));
                Some((below(ps(delay)) - below(0.0)) / (1.0 - below(0.0)))
            }
            Distribution::Pareto { mean, shape, max } if delay < max => {
                let scale = ps(mean) * (shape - 1.0);
                let within = |x: f64| -libm::expm1(-shape * libm::log1p(x / scale));
                (scale > 0.0).then(|| within(ps(delay)) / within(ps(max)))
            }
            Distribution::Pareto { .. } => Some(1.0),
            _ => None,
        }
    }

    /// No delay is shorter.
    pub fn least(&self) -> Duration {
        match self {
            Distribution::Table(delays) => delays.first().copied().unwrap_or_default(),
            _ => Duration::ZERO,
        }
    }
}

fn ps(d: Duration) -> f64 {
    d.as_ps() as f64
}

fn rounded(ps: f64) -> Duration {
    Duration::from_ps(libm::round(ps.max(0.0)) as u64)
}

/// The quantile of a normal distribution cut off below 0.
fn normal(mean: f64, std: f64, u: f64) -> f64 {
    if std <= 0.0 {
        return mean;
    }
    let below = normal_cdf(-mean / std);
    // From the upper end, where a probability near 1 would lose its digits.
    let above = (1.0 - u) * (1.0 - below);
    mean - std * normal_quantile(above.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON))
}

fn normal_mean(mean: f64, std: f64) -> f64 {
    if std <= 0.0 {
        return mean;
    }
    let m = mean / std;
    let density = libm::exp(-m * m / 2.0) / libm::sqrt(2.0 * core::f64::consts::PI);
    mean + std * density / normal_cdf(m)
}

/// The quantile of a Lomax distribution cut off above `max`.
fn pareto(mean: f64, shape: f64, max: f64, u: f64) -> f64 {
    let scale = mean * (shape - 1.0);
    if scale <= 0.0 {
        return 0.0;
    }
    let kept = -libm::expm1(-shape * libm::log1p(max / scale));
    scale * libm::expm1(-libm::log1p(-u * kept) / shape)
}

/// E[X | X ≤ max] = (∫₀^max P(X > x) dx − max·P(X > max)) / P(X ≤ max).
fn pareto_mean(mean: f64, shape: f64, max: f64) -> f64 {
    let scale = mean * (shape - 1.0);
    if scale <= 0.0 {
        return 0.0;
    }
    let tail = libm::exp(-shape * libm::log1p(max / scale));
    let area = -mean * libm::expm1((1.0 - shape) * libm::log1p(max / scale));
    (area - max * tail) / (1.0 - tail)
}

/// Φ(x).
pub(super) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2)
}

/// Φ⁻¹(p) for p in (0, 1), to about 1e-16 relative (Wichura, "Algorithm AS 241: the percentage
/// points of the normal distribution", Applied Statistics 37, 1988, PPND16).
pub(super) fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * polynomial(&A, r) / polynomial(&B, r);
    }
    let r = libm::sqrt(-libm::log(if q < 0.0 { p } else { 1.0 - p }));
    let x = if r <= 5.0 {
        polynomial(&C, r - 1.6) / polynomial(&D, r - 1.6)
    } else {
        polynomial(&E, r - 5.0) / polynomial(&F, r - 5.0)
    };
    if q < 0.0 { -x } else { x }
}

// AS 241's coefficients.
const A: [f64; 8] = [
    3.387_132_872_796_366_5,
    133.141_667_891_784_38,
    1_971.590_950_306_551_3,
    13_731.693_765_509_46,
    45_921.953_931_549_87,
    67_265.770_927_008_7,
    33_430.575_583_588_13,
    2_509.080_928_730_122_7,
];
const B: [f64; 8] = [
    1.0,
    42.313_330_701_600_91,
    687.187_007_492_057_9,
    5_394.196_021_424_751,
    21_213.794_301_586_597,
    39_307.895_800_092_71,
    28_729.085_735_721_943,
    5_226.495_278_852_854,
];
const C: [f64; 8] = [
    1.423_437_110_749_683_5,
    4.630_337_846_156_546,
    5.769_497_221_460_691,
    3.647_848_324_763_204_5,
    1.270_458_252_452_368_4,
    0.241_780_725_177_450_6,
    0.022_723_844_989_269_184,
    7.745_450_142_783_414e-4,
];
const D: [f64; 8] = [
    1.0,
    2.053_191_626_637_759,
    1.676_384_830_183_803_8,
    0.689_767_334_985_1,
    0.148_103_976_427_480_08,
    0.015_198_666_563_616_457,
    5.475_938_084_995_345e-4,
    1.050_750_071_644_416_9e-9,
];
const E: [f64; 8] = [
    6.657_904_643_501_103,
    5.463_784_911_164_114,
    1.784_826_539_917_291_3,
    0.296_560_571_828_504_87,
    0.026_532_189_526_576_124,
    0.001_242_660_947_388_078_4,
    2.711_555_568_743_487_6e-5,
    2.010_334_399_292_288_1e-7,
];
const F: [f64; 8] = [
    1.0,
    0.599_832_206_555_888,
    0.136_929_880_922_735_8,
    0.014_875_361_290_850_615,
    7.868_691_311_456_133e-4,
    1.846_318_317_510_054_8e-5,
    1.421_511_758_316_446e-7,
    2.044_263_103_389_939_7e-15,
];

fn polynomial(coefficients: &[f64; 8], x: f64) -> f64 {
    coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_ms(1);

    /// φ and Φ⁻¹ undo each other: Φ comes from `libm`, which is not Wichura's.
    #[test]
    fn the_normal_quantile_undoes_the_normal_distribution() {
        for i in -75..=60 {
            let x = f64::from(i) / 10.0;
            let found = normal_quantile(normal_cdf(x));
            // Near 1 a probability has few digits left: the density says how many.
            let lost = 1e-16 / (libm::exp(-x * x / 2.0) / 2.5066);
            assert!((found - x).abs() < 1e-13 + lost, "{x}: {found}");
        }
        // Wichura's own test values.
        assert!((normal_quantile(0.25) + 0.674_489_750_196_081_7).abs() < 1e-15);
        assert!((normal_quantile(0.001) + 3.090_232_306_167_814).abs() < 1e-14);
        assert!((normal_quantile(1e-20) + 9.262_340_089_798_408).abs() < 1e-13);
    }

    #[test]
    fn the_share_within_a_delay_undoes_its_quantile() {
        for distribution in all() {
            for u in [0.1, 0.5, 0.9, 0.99] {
                let delay = distribution.quantile(u, u);
                let found = distribution.share_within(delay);
                // A picosecond of a microsecond or more.
                let near = found.is_none_or(|share| (share - u).abs() < 1e-6);
                assert!(near, "{distribution:?} {u}: {found:?}");
            }
        }
        let known = all()
            .iter()
            .filter(|d| d.share_within(MS).is_some())
            .count();
        assert!(known >= 3, "{known}");
    }

    fn all() -> Vec<Distribution> {
        let table = [1, 1, 2, 5, 100].map(Duration::from_us);
        vec![
            Distribution::Uniform { max: MS.times(2) },
            Distribution::Normal {
                mean: MS,
                std: Duration::from_us(300),
            },
            Distribution::Normal { mean: MS, std: MS },
            Distribution::Normal {
                mean: Duration::ZERO,
                std: MS,
            },
            Distribution::Pareto {
                mean: MS,
                shape: 3.0,
                max: MS.times(100),
            },
            Distribution::Pareto {
                mean: MS,
                shape: 1.2,
                max: MS.times(50),
            },
            Distribution::ParetoNormal {
                mean: MS,
                std: Duration::from_us(500),
                shape: 2.5,
                max: MS.times(30),
            },
            Distribution::Table(Arc::from(table)),
        ]
    }

    /// The mean by formula is that of the quantile, integrated.
    #[test]
    fn quantiles_rise_from_the_least_and_have_the_mean_they_should() {
        const N: u32 = 400_000;
        for d in all() {
            let at = |i: u32| (f64::from(i) + 0.5) / f64::from(N);
            let (mut sum, mut last) = (0.0, Duration::ZERO);
            for i in 0..N {
                let x = d.quantile(at(i), at(i));
                assert!(x >= last, "{d:?} falls at {}", at(i));
                sum += ps(x);
                last = x;
            }
            let (found, mean) = (sum / f64::from(N), ps(d.mean()));
            assert!((found / mean - 1.0).abs() < 2e-4, "{d:?}: {found} {mean}");
            assert!(d.quantile(1e-300, 1e-300) >= d.least());
        }
    }

    #[test]
    fn the_ends_of_a_distribution_are_its_bounds() {
        let (low, high) = (f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
        let uniform = Distribution::Uniform { max: MS };
        assert_eq!(uniform.quantile(low, low), Duration::ZERO);
        assert_eq!(uniform.quantile(high, high), MS);
        let pareto = Distribution::Pareto {
            mean: MS,
            shape: 1.5,
            max: MS.times(20),
        };
        assert_eq!(pareto.quantile(low, low), Duration::ZERO);
        let most = ps(pareto.quantile(high, high));
        assert!((most / ps(MS.times(20)) - 1.0).abs() < 1e-12);
        // A table of two: the upper half begins exactly at one half.
        let table = Distribution::Table(Arc::from([MS, MS.times(2)]));
        assert_eq!(table.quantile(0.5 - 1e-16, 0.0), MS);
        assert_eq!(table.quantile(0.5, 0.0), MS.times(2));
        let constant = Distribution::Normal {
            mean: MS,
            std: Duration::ZERO,
        };
        assert_eq!(constant.quantile(0.01, 0.9), MS);
        assert_eq!(constant.mean(), MS);
    }
}
