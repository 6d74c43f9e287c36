//! How many repeats have what an expectation is of, and what those come to that lack it.
//!
//! A repeat that lacks a value never did what the value measures. It is worse than any bound: in the median it lies above any `max`
//! and below any `min`. Where half of the repeats or more lack it, the median is unknown.
//!
//! Repeats have seeds in common, and so their random numbers. A ratio or difference is therefore worked out in each repeat, and what
//! counts is the median of those. A repeat lacks it that lacks one of its metrics; one that is invalid for one of them does not count.

use crate::point::Point;
use crate::results::{Results, Subject, median, split, unseen};
use crate::{Expect, Origin, Partly};

/// One metric of an expectation over the repeats that count.
pub(crate) struct Present<'e> {
    metric: &'e str,
    /// Where its results are: of what is compared with, outside any sweep where its subject is not swept.
    point: Point,
    /// Each repeat that counts, and its value.
    all: Vec<(u32, Option<f64>)>,
}

impl Present<'_> {
    /// The values of the repeats that have it.
    fn values(&self) -> Vec<f64> {
        self.all.iter().filter_map(|(_, value)| *value).collect()
    }

    fn is_most(&self) -> bool {
        2 * self.values().len() > self.all.len()
    }

    /// What `apply` makes of this and another, repeat by repeat, of those that both have.
    fn with(mut self, other: &Self, apply: fn(f64, f64) -> f64) -> Self {
        let one = |(repeat, value): (u32, Option<f64>)| {
            let (_, second) = other.all.iter().find(|(n, _)| *n == repeat)?;
            let both = value.zip(*second);
            let value = both.map(|(a, b)| apply(a, b)).filter(|v| v.is_finite());
            Some((repeat, value))
        };
        self.all = self.all.into_iter().filter_map(one).collect();
        self
    }

    /// The median where repeats that lack it count as less than any value, and as more.
    fn medians(&self) -> Option<[f64; 2]> {
        if !self.is_most() {
            return None;
        }
        let with = |end: f64| {
            let values = self.all.iter().map(|(_, value)| value.unwrap_or(end));
            median(values.collect())
        };
        Some([with(f64::NEG_INFINITY)?, with(f64::INFINITY)?])
    }

    /// How many have it, where some do and some do not.
    fn partly(&self) -> Option<Partly> {
        let (have, of) = (self.values().len(), self.all.len());
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        (1..of).contains(&have).then(|| Partly {
            have: count(have),
            of: count(of),
        })
    }
}

impl Results<'_> {
    fn present<'e>(&self, metric: &'e str, origin: Origin, point: Point) -> Option<Present<'e>> {
        let (subject, name) = split(metric)?;
        let all: Vec<(u32, Option<f64>)> = match subject {
            Subject::Link { .. } => self
                .links
                .iter()
                .filter(|l| l.origin == origin && l.point == point && subject.is_link(l))
                .map(|l| (l.repeat, self.link_metric(l, name)))
                .collect(),
            _ => self
                .repeats(&subject, origin, &point)
                .map(|r| (r.repeat, r.value(name)))
                .collect(),
        };
        Some(Present { metric, point, all })
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

    /// What an expectation speaks of, in each repeat.
    fn together<'e>(
        &self,
        expect: &'e Expect,
        origin: Origin,
        point: &Point,
    ) -> Option<Present<'e>> {
        let mut all = self.present(&expect.metric, origin, point.clone())?;
        if let Some(metric) = &expect.over {
            all = all.with(&self.reference(metric, origin, point)?, |a, b| a / b);
        }
        if let Some(metric) = &expect.minus {
            all = all.with(&self.reference(metric, origin, point)?, |a, b| a - b);
        }
        Some(all)
    }

    /// Of how many repeats an expectation's value is, where some of them lack it.
    pub(crate) fn partly(&self, expect: &Expect, origin: Origin, point: &Point) -> Option<Partly> {
        let together = self.together(expect, origin, point)?;
        if !together.values().is_empty() {
            return together.partly();
        }
        let each = self.each(expect, origin, point);
        each.iter().find_map(Present::partly)
    }

    /// Why there is nothing to compare: what the first repeat says that lacks it, where half or more do.
    pub(crate) fn reason(&self, expect: &Expect, origin: Origin, point: &Point) -> Option<String> {
        let all = self.each(expect, origin, point);
        let mut fewest = all.iter().filter(|one| !one.is_most());
        if let Some(why) = fewest.find_map(|one| self.lack(one, origin)) {
            return Some(why);
        }
        // Most repeats have each metric, and half or fewer have all.
        let together = self.together(expect, origin, point)?;
        let mut some = all.iter().filter(|one| one.partly().is_some());
        match together.is_most() {
            true => None,
            false => some.find_map(|one| self.lack(one, origin)),
        }
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
        let first = repeats.find(|r| r.value(name).is_none())?;
        let why = first.absent.get(name).cloned().unwrap_or_else(why);
        Some(format!("repeat {}: {why}", first.repeat))
    }

    /// The value an expectation speaks of: a metric, a ratio or a difference. Of one that repeats lack it is the end that the
    /// band fails by, or else the upper one.
    pub(crate) fn compared(&self, expect: &Expect, origin: Origin, point: &Point) -> Option<f64> {
        let [low, high] = self.together(expect, origin, point)?.medians()?;
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
