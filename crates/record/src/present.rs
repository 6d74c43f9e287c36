//! How many repeats have what an expectation is of, and what those come to that lack it.
//!
//! A repeat that lacks a value never did what the value measures. It is worse than any bound: in the median it counts as more than a
//! greatest value and as less than a least one. Where half of the repeats or more lack it there is no median.

use crate::judge::{Point, Results, Subject, median, split, unseen};
use crate::{Expect, Origin, Partly};

/// One metric of an expectation over the repeats that count.
pub(crate) struct Present<'e> {
    metric: &'e str,
    /// Where its results are: of what is compared with, outside any sweep where its subject is not swept.
    point: Point,
    /// Of the repeats that have it.
    values: Vec<f64>,
    /// How many repeats count.
    of: usize,
}

impl Present<'_> {
    fn is_most(&self) -> bool {
        2 * self.values.len() > self.of
    }

    /// The median where repeats that lack it count as less than any value, and as more.
    fn medians(&self) -> Option<[f64; 2]> {
        if !self.is_most() {
            return None;
        }
        let missing = self.of - self.values.len();
        let with = |end: f64| {
            let ends = std::iter::repeat_n(end, missing);
            median(self.values.iter().copied().chain(ends).collect())
        };
        Some([with(f64::NEG_INFINITY)?, with(f64::INFINITY)?])
    }

    /// The median of those that have it, where they are most.
    fn median(&self) -> Option<f64> {
        let values = self.is_most().then(|| self.values.clone())?;
        median(values)
    }

    /// How many have it, where some do and some do not.
    fn partly(&self) -> Option<Partly> {
        let partly = (1..self.of).contains(&self.values.len());
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        partly.then(|| Partly {
            have: count(self.values.len()),
            of: count(self.of),
        })
    }
}

impl Results<'_> {
    fn present<'e>(&self, metric: &'e str, origin: Origin, point: Point) -> Option<Present<'e>> {
        let (subject, name) = split(metric)?;
        let all: Vec<Option<f64>> = match subject {
            Subject::Link { .. } => self
                .links
                .iter()
                .filter(|l| l.origin == origin && l.point == point && subject.is_link(l))
                .map(|l| self.link_metric(l, name))
                .collect(),
            _ => self
                .repeats(&subject, origin, &point)
                .map(|r| r.metrics.get(name).copied())
                .collect(),
        };
        Some(Present {
            metric,
            point,
            of: all.len(),
            values: all.into_iter().flatten().collect(),
        })
    }

    /// What an expectation compares with: where its subject has no result at `point`, the one outside any sweep counts.
    fn reference<'e>(&self, metric: &'e str, origin: Origin, point: &Point) -> Option<Present<'e>> {
        let (subject, _) = split(metric)?;
        let swept = self.points(&subject, Some(origin)).contains(point);
        let point = if swept { point.clone() } else { Point::new() };
        self.present(metric, origin, point)
    }

    /// Each metric of an expectation, the one that is judged first.
    fn each<'e>(&self, expect: &'e Expect, origin: Origin, point: &Point) -> Vec<Present<'e>> {
        let others = [&expect.over, &expect.minus].into_iter().flatten();
        let others = others.filter_map(|metric| self.reference(metric, origin, point));
        let first = self.present(&expect.metric, origin, point.clone());
        first.into_iter().chain(others).collect()
    }

    /// Of how many repeats an expectation's value is, where some of them lack it.
    pub(crate) fn partly(&self, expect: &Expect, origin: Origin, point: &Point) -> Option<Partly> {
        self.each(expect, origin, point)
            .iter()
            .find_map(Present::partly)
    }

    /// Why there is nothing to compare: what the first repeat says that lacks it, where half or more do.
    pub(crate) fn reason(&self, expect: &Expect, origin: Origin, point: &Point) -> Option<String> {
        let all = self.each(expect, origin, point);
        all.iter()
            .filter(|one| !one.is_most())
            .find_map(|one| self.lack(one, origin))
    }

    fn lack(&self, one: &Present<'_>, origin: Origin) -> Option<String> {
        let (subject, name) = split(one.metric)?;
        if one.partly().is_none() {
            return self.absence(&subject, name, origin, &one.point);
        }
        let why = || unseen(one.metric, origin).unwrap_or_else(|| "it has none".to_owned());
        if let Subject::Link { .. } = subject {
            return Some(why());
        }
        let mut repeats = self.repeats(&subject, origin, &one.point);
        let first = repeats.find(|r| !r.metrics.contains_key(name))?;
        let why = first.absent.get(name).cloned().unwrap_or_else(why);
        Some(format!("repeat {}: {why}", first.repeat))
    }

    /// The value an expectation speaks of: a metric, a ratio or a difference. Of one that repeats lack it is the end that the
    /// band fails by, or else the upper one.
    pub(crate) fn compared(&self, expect: &Expect, origin: Origin, point: &Point) -> Option<f64> {
        let medians = self.present(&expect.metric, origin, point.clone())?;
        let (mut over, mut minus) = (1.0, 0.0);
        if let Some(metric) = &expect.over {
            over = self.reference(metric, origin, point)?.median()?;
        }
        if let Some(metric) = &expect.minus {
            minus = self.reference(metric, origin, point)?.median()?;
        }
        let [low, high] = medians.medians()?.map(|v| v / over - minus);
        let fails_low = expect.min.is_some_and(|min| low < min);
        let value = match expect.max {
            Some(_) if !fails_low => high,
            _ => low,
        };
        value.is_finite().then_some(value)
    }
}

#[cfg(test)]
#[path = "present_tests.rs"]
mod tests;
