//! Means of repeated runs and what may be said of them: standard deviation, confidence interval,
//! Student's t, Welch's comparison of two means.
//!
//! Runs are taken as independent draws of one distribution near the normal one; with few runs the
//! intervals are wide for that reason, and honest.

use serde::{Deserialize, Serialize};

use crate::kinds::{Kind, two_kinds};
use crate::number;
use crate::results::median;

/// Probability with which an interval covers the mean.
pub const CONFIDENCE: f64 = 0.95;
/// Probability with which a difference that is there is to be found.
const POWER: f64 = 0.8;
/// Values that differ by no more than this share are equal: sums in another order differ by as much.
const ROUNDING: f64 = 1e-12;
/// Most runs that are asked for.
pub const RUNS_MAX: u32 = 10_000;

/// What several values of one metric have in common.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many values, at least 1.
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
    /// Standard deviation of one value (divided by n − 1); `None` for one value.
    #[serde(default, with = "number::option")]
    pub sd: Option<f64>,
    /// Half the width of the 95 % confidence interval of the mean, t(0.975, n − 1)·sd/√n (Student), of a loss ratio over repeats at
    /// least that of its counts (Wilson); `None` for one value.
    #[serde(default, with = "number::option")]
    pub ci95: Option<f64>,
    /// Where that interval begins: the mean less `ci95`, or the least value that the metric can have ([`Summary::within`]).
    #[serde(default, with = "number::option")]
    pub ci95_low: Option<f64>,
    /// Where it ends.
    #[serde(default, with = "number::option")]
    pub ci95_high: Option<f64>,
    /// The middle one, or the middle of the two there; `None` in documents of earlier versions.
    #[serde(default, with = "number::option")]
    pub median: Option<f64>,
    /// The two sets that they fall into, with nothing between; `None` of one kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub two_kinds: Option<[Kind; 2]>,
}

impl Summary {
    /// The summary of `values`; `None` for none, and where one is not finite.
    pub fn of(values: &[f64]) -> Option<Summary> {
        let n = u32::try_from(values.len()).ok().filter(|n| *n > 0)?;
        if values.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let count = f64::from(n);
        let min = values.iter().copied().fold(f64::INFINITY, f64::min);
        let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Taken from the first value: equal values have exactly that mean and no deviation.
        let first = values[0];
        let from_first = |v: &f64| match max - min <= ROUNDING * max.abs().max(min.abs()) {
            true => 0.0,
            false => v - first,
        };
        let mean = first + values.iter().map(from_first).sum::<f64>() / count;
        let from_mean = |v: &f64| first + from_first(v) - mean;
        let squares: f64 = values.iter().map(|v| from_mean(v) * from_mean(v)).sum();
        let sd = (n > 1).then(|| libm::sqrt(squares / (count - 1.0)));
        let ci95 = sd.map(|sd| t_quantile(half_tail(), count - 1.0) * sd / libm::sqrt(count));
        Some(Summary {
            n,
            min,
            max,
            mean,
            sd,
            ci95,
            ci95_low: ci95.map(|half| mean - half),
            ci95_high: ci95.map(|half| mean + half),
            median: median(values.to_vec()),
            two_kinds: two_kinds(values),
        })
    }

    /// The same of a share of `counted` things in all: its interval is at least as wide as that of the counts, which equal shares of a
    /// few runs do not show.
    #[must_use]
    pub(crate) fn of_counts(self, counted: f64) -> Summary {
        if counted <= 0.0 {
            return self;
        }
        let (low, high) = wilson((self.mean, counted));
        let half = (high - self.mean).max(self.mean - low);
        let ci95 = self.ci95.map(|own| own.max(half));
        Summary {
            ci95,
            ci95_low: ci95.map(|half| self.mean - half),
            ci95_high: ci95.map(|half| self.mean + half),
            ..self
        }
    }

    /// The same of a metric that has no values outside `low` to `high`, its interval cut there. The mean of such values lies between
    /// them in any case: what is cut off could not hold it, and the rest covers it as often as the whole.
    #[must_use]
    pub fn within(self, (low, high): (f64, f64)) -> Summary {
        Summary {
            ci95_low: self.ci95_low.map(|end| end.max(low)),
            ci95_high: self.ci95_high.map(|end| end.min(high)),
            ..self
        }
    }

    /// Where the interval was cut: at its lower and at its upper end.
    pub fn cut(&self) -> (Option<f64>, Option<f64>) {
        let half = self.ci95.unwrap_or(0.0);
        let low = self.ci95_low.filter(|end| *end > self.mean - half);
        let high = self.ci95_high.filter(|end| *end < self.mean + half);
        (low, high)
    }

    /// The variance of the mean; 0 for one value.
    fn variance_of_mean(&self) -> f64 {
        let sd = self.sd.unwrap_or(0.0);
        sd * sd / f64::from(self.n)
    }
}

fn half_tail() -> f64 {
    0.5 + CONFIDENCE / 2.0
}

/// Two means compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// Second mean less the first.
    pub difference: f64,
    /// Degrees of freedom; infinite where nothing varies.
    pub df: f64,
    /// Half the width of the 95 % confidence interval of the difference.
    pub ci95: f64,
    /// Cohen's d: the difference in standard deviations of one value (the root of the two
    /// variances' mean); infinite where neither varies and they differ, 0 where they do not.
    pub effect: f64,
}

/// Compares two means of runs that have nothing in common (Welch, Biometrika 34, 1947). A summary without a standard
/// deviation is taken as a value known exactly, such as a closed form's: the other side's deviation is then all there is.
pub fn welch(a: &Summary, b: &Summary) -> Compared {
    let difference = b.mean - a.mean;
    let (va, vb) = (a.variance_of_mean(), b.variance_of_mean());
    let variance = va + vb;
    let share = |v: f64, n: u32| {
        if v > 0.0 {
            v * v / f64::from(n - 1)
        } else {
            0.0
        }
    };
    let df = if variance > 0.0 {
        variance * variance / (share(va, a.n) + share(vb, b.n))
    } else {
        f64::INFINITY
    };
    let ci95 = if variance > 0.0 {
        t_quantile(half_tail(), df) * libm::sqrt(variance)
    } else {
        0.0
    };
    let deviation = deviation(a, b);
    let effect = if difference == 0.0 {
        0.0
    } else {
        difference / deviation
    };
    Compared {
        difference,
        df,
        ci95,
        effect,
    }
}

/// Compares two means of runs that are pairs, by the summary of their differences (Student, Biometrika 6, 1908): what
/// the runs of a pair share, such as the seed and with it the losses, is in neither. At least two pairs.
pub fn paired(a: &Summary, b: &Summary, differences: &Summary) -> Compared {
    let varies = differences.sd.is_some_and(|sd| sd > 0.0);
    Compared {
        difference: differences.mean,
        df: match varies {
            true => f64::from(differences.n - 1),
            false => f64::INFINITY,
        },
        ci95: differences.ci95.unwrap_or(0.0),
        effect: welch(a, b).effect,
    }
}

/// Half the width of the 95 % confidence interval of the difference of two shares, towards 0: Newcombe, Statistics in
/// Medicine 17 (1998), method 10, of the two Wilson intervals. Each is a share (0 to 1) and of how many things; 0 things
/// are a share known exactly.
pub fn shares(a: (f64, f64), b: (f64, f64)) -> f64 {
    let ((low_a, high_a), (low_b, high_b)) = (wilson(a), wilson(b));
    let root = |x: f64, y: f64| libm::sqrt(x * x + y * y);
    match b.0 >= a.0 {
        true => root(b.0 - low_b, high_a - a.0),
        false => root(high_b - b.0, a.0 - low_a),
    }
}

/// The 95 % confidence interval of a share of `n` things (Wilson, Journal of the American Statistical Association 22,
/// 1927): it is right for few things, and for none of many.
fn wilson((share, n): (f64, f64)) -> (f64, f64) {
    if n <= 0.0 {
        return (share, share);
    }
    let z = t_quantile(half_tail(), f64::INFINITY);
    let square = z * z / n;
    let middle = (share + square / 2.0) / (1.0 + square);
    let half = z / (1.0 + square) * libm::sqrt(share * (1.0 - share) / n + square / (4.0 * n));
    ((middle - half).max(0.0), (middle + half).min(1.0))
}

/// The root of the mean variance of those sides that have one.
fn deviation(a: &Summary, b: &Summary) -> f64 {
    let known: Vec<f64> = [a.sd, b.sd].into_iter().flatten().map(|s| s * s).collect();
    libm::sqrt(known.iter().sum::<f64>() / known.len().max(1) as f64)
}

/// Runs on each side that would tell a difference as large as the one seen from none, with 80 %
/// probability at 95 % confidence; `None` beyond [`RUNS_MAX`], and without a difference or a deviation.
pub fn runs_to_tell(a: &Summary, b: &Summary) -> Option<u32> {
    let difference = (b.mean - a.mean).abs();
    let sides = [a.sd, b.sd].into_iter().flatten().count() as f64;
    let variance = deviation(a, b) * deviation(a, b) * sides;
    if difference == 0.0 || sides == 0.0 {
        return None;
    }
    let enough = |n: u32| {
        let df = sides * (f64::from(n) - 1.0);
        let reach = t_quantile(half_tail(), df) + t_quantile(POWER, df);
        reach * libm::sqrt(variance / f64::from(n)) <= difference
    };
    if !enough(RUNS_MAX) {
        return None;
    }
    let (mut few, mut many) = (1, RUNS_MAX);
    while many - few > 1 {
        let middle = few + (many - few) / 2;
        if enough(middle) {
            many = middle;
        } else {
            few = middle;
        }
    }
    Some(many)
}

/// Student's t: the value below which a share `p` of its distribution with `df` degrees of freedom
/// lies. `p` from ½ to below 1; `df` above 0, infinite for the normal distribution.
pub fn t_quantile(p: f64, df: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while t_below(high, df) < p && high < 1e15 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if t_below(middle, df) < p {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Share of Student's t distribution below `t`, at least 0.
fn t_below(t: f64, df: f64) -> f64 {
    // Beyond a hundred million degrees of freedom the two agree to twelve digits.
    if df > 1e8 {
        return 1.0 - 0.5 * libm::erfc(t / core::f64::consts::SQRT_2);
    }
    1.0 - 0.5 * beta_share(df / (df + t * t), df / 2.0, 0.5)
}

/// The regularised incomplete beta function I_x(a, b), by its continued fraction (Abramowitz and
/// Stegun, 26.5.8), evaluated by Lentz's method.
fn beta_share(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    // The fraction converges fast below this point, and the function is symmetric about it.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_share(1.0 - x, b, a);
    }
    let front = libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b)
        + a * libm::log(x)
        + b * libm::log1p(-x);
    let (mut c, mut d) = (1.0, 1.0 / nonzero(1.0 - (a + b) * x / (a + 1.0)));
    let mut value = d;
    for m in 1..10_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut step = 1.0;
        for term in [even, odd] {
            d = 1.0 / nonzero(1.0 + term * d);
            c = nonzero(1.0 + term / c);
            step *= c * d;
        }
        value *= step;
        if (step - 1.0).abs() < 1e-15 {
            break;
        }
    }
    libm::exp(front) * value / a
}

fn nonzero(x: f64) -> f64 {
    if x.abs() < 1e-300 { 1e-300 } else { x }
}

#[cfg(test)]
#[path = "statistics_tests.rs"]
mod tests;
