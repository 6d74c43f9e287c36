//! One metric of both sides: how far apart they are, and whether chance may have done it.

use std::collections::BTreeMap;

use super::{Key, Row, Side, Verdict, more, subject};
use crate::Origin;
use crate::range::range;
use crate::ranks::{rank_sum, rank_sum_least, signed_rank, signed_rank_least};
use crate::results::median;
use crate::statistics::{CONFIDENCE, Summary, paired, shares, welch};

/// The difference of each pair of runs with one seed, where both sides have the same ones: two or more.
fn pairs(x: &Side, y: &Side) -> Option<Vec<f64>> {
    let by_seed = |side: &Side| -> Option<BTreeMap<u64, f64>> {
        let seeds = side.seeds.iter().copied().collect::<Option<Vec<u64>>>()?;
        let all: BTreeMap<u64, f64> = seeds.into_iter().zip(side.values.iter().copied()).collect();
        (all.len() == side.values.len()).then_some(all)
    };
    let (a, b) = (by_seed(x)?, by_seed(y)?);
    if !a.keys().eq(b.keys()) {
        return None;
    }
    let differences: Vec<f64> = a.values().zip(b.values()).map(|(a, b)| b - a).collect();
    (differences.len() > 1).then_some(differences)
}

/// Half the width of the interval of a difference of two shares of counted things, towards 0: equal shares in a few runs
/// do not show their spread. 0 where nothing was counted, or nothing is random.
fn counting(x: &Side, y: &Side, (a, b): (&Summary, &Summary)) -> f64 {
    let counts = [x, y].iter().any(|side| side.random && side.counted > 0.0);
    match counts {
        true => shares((a.mean, x.counted), (b.mean, y.counted)),
        false => 0.0,
    }
}

/// The probability by ranks, where these say more than means: runs of a side are of two kinds, and there are several on both.
fn by_ranks(
    x: &Side,
    y: &Side,
    (a, b): (&Summary, &Summary),
    pairs: Option<&[f64]>,
) -> Option<f64> {
    let mixed = a.two_kinds.is_some() || b.two_kinds.is_some();
    (mixed && a.n > 1 && b.n > 1).then(|| match pairs {
        Some(differences) => signed_rank(differences),
        None => rank_sum(&x.values, &y.values),
    })
}

/// Median absolute deviations from the median beyond which a run lies far from the others: 6.7 standard deviations of a
/// normal distribution.
const FAR: f64 = 10.0;

fn has_far(values: &[f64]) -> bool {
    let middle = median(values.to_vec()).unwrap_or(0.0);
    let off: Vec<f64> = values.iter().map(|v| (v - middle).abs()).collect();
    let spread = median(off.clone()).unwrap_or(0.0);
    off.iter().any(|d| *d > FAR * spread)
}

/// The probability by ranks where these differ and the means of a row do not, as a run lies far from the others; else none.
pub(super) fn hidden(row: &Row, x: &Side, y: &Side) -> Option<f64> {
    let least = row.step.unwrap_or(0.0).max(ROUNDING * row.a.mean.abs());
    let several = row.a.n > 1 && row.b.n > 1;
    let known = several && row.difference_ci95.is_some() && row.rank_p.is_none();
    if row.verdict != Verdict::Inconclusive || !known || row.difference.abs() <= least {
        return None;
    }
    let (p, is_far) = match pairs(x, y) {
        Some(differences) => (signed_rank(&differences), has_far(&differences)),
        None => {
            let far = has_far(&x.values) || has_far(&y.values);
            (rank_sum(&x.values, &y.values), far)
        }
    };
    (is_far && p < 1.0 - CONFIDENCE).then_some(p)
}

/// Whether a row that ranks decide could not differ by them, however far apart its runs lie: they are too few.
pub(super) fn are_few(row: &Row, x: &Side, y: &Side) -> bool {
    let least = || match pairs(x, y) {
        Some(differences) => signed_rank_least(&differences),
        None => rank_sum_least(&x.values, &y.values),
    };
    let is_apart = row.rank_p.is_some() && row.difference != 0.0;
    is_apart && least() >= 1.0 - CONFIDENCE
}

/// Of two values, the share by which they may differ and are taken for equal.
const ROUNDING: f64 = 1e-9;
/// The same of two forecasts of a rate: tables show a tenth of it at most.
const FORECASTS: f64 = 1e-5;

/// Whether two sides of equal means have other values: one run of either lies where none of the other does.
fn are_unlike(a: &Summary, b: &Summary, rounding: f64) -> bool {
    (a.min - b.min).abs() > rounding || (a.max - b.max).abs() > rounding
}

/// What one side has of a metric, as [`crate::Repeats`] sums it up.
fn summary(key: &Key<'_>, side: &Side) -> Option<Summary> {
    let counted = if side.random { side.counted } else { 0.0 };
    let summary = Summary::of(&side.values)?.of_counts(counted);
    Some(summary.within(range(key.metric)))
}

/// A row of what both sides have of a metric; none where a side has nothing to measure.
pub(super) fn row(
    key: &Key<'_>,
    origin_b: Origin,
    x: &Side,
    y: &Side,
    tolerance: Option<f64>,
) -> Option<Row> {
    let (a, b) = (summary(key, x)?, summary(key, y)?);
    let exact = |s: &Summary, origin: Origin| s.n > 1 || origin == Origin::Predicted;
    let certain = (key.origin, origin_b) == (Origin::Predicted, Origin::Predicted);
    let known = exact(&a, key.origin) && exact(&b, origin_b) && (a.n > 1 || b.n > 1 || certain);
    let differences = pairs(x, y);
    let pairs = differences.as_deref().and_then(Summary::of);
    let found = match &pairs {
        Some(differences) => paired(&a, &b, differences),
        None => welch(&a, &b),
    };
    let ci95 = found.ci95.max(counting(x, y, (&a, &b)));
    let rank_p = by_ranks(x, y, (&a, &b), differences.as_deref());
    let by_chance = match rank_p {
        Some(p) => p >= 1.0 - CONFIDENCE,
        None => found.difference.abs() <= ci95,
    };
    let step = x.step.max(y.step);
    // Equal sums may differ by rounding.
    let share = match certain && key.metric.ends_with("_bps") {
        true => FORECASTS,
        false => ROUNDING,
    };
    let rounding = share * a.mean.abs().max(b.mean.abs());
    let rounded = found.difference != 0.0 && found.difference.abs() <= rounding;
    let below_step = found.difference.abs() < step || rounded;
    let equal = below_step || found.difference == 0.0 && (known || a == b);
    // What lies below a step is none, whatever its spread.
    let apart = known && step == 0.0 && are_unlike(&a, &b, rounding);
    let verdict = if equal && !apart {
        Verdict::Same
    } else if !known {
        Verdict::Unknown
    } else if equal || by_chance {
        Verdict::Inconclusive
    } else {
        Verdict::Differs
    };
    let relative = (a.mean != 0.0).then(|| found.difference / a.mean.abs());
    let out_of_range = x.out_of_range || y.out_of_range;
    let accepted = |share: f64| out_of_range || found.difference.abs() <= share * a.mean.abs();
    Some(Row {
        test: subject(key),
        point: key.point.clone(),
        metric: key.metric.to_owned(),
        origin_a: key.origin,
        origin_b,
        a,
        b,
        difference: found.difference,
        difference_ci95: known.then_some(ci95),
        relative,
        effect: Some(found.effect).filter(|e| known && e.is_finite() && !rounded),
        df: Some(found.df).filter(|d| known && d.is_finite()),
        verdict,
        rank_p,
        paired: pairs.is_some(),
        step: (step > 0.0).then_some(step),
        more_runs: more::runs((&a, &b), pairs.as_ref(), verdict)
            .filter(|n| !below_step && (rank_p.is_none() || *n == 0)),
        out_of_range,
        beyond_tolerance: !verdict.is_chance() && tolerance.is_some_and(|t| !accepted(t)),
    })
}
