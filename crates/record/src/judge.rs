//! Expectations against results.
//!
//! A metric is written `TEST.METRIC`, `link.NAME.A>B.METRIC` or `search.NAME.METRIC`. What a search
//! found is a record of kind `search` with the search's name as its test.
//!
//! An expectation is judged once for each sweep point at which its subject (the test, the link, the
//! search) has results, and there for each origin:
//!
//! - With origins named: for each named one that ran. Its metric must exist. Where none of them ran, one of a file fails once,
//!   as not measured; the scenario's own is left out.
//! - Without: for each that ran. The simulator sees everything, so where it has the subject it must
//!   have the metric. Any other origin may lack it: no closed form counts drops, no kernel tells all.
//! - A metric that a record says is absent, because what it measures never came about, is judged
//!   everywhere, and fails: a transfer that never completed has no `completion_ns`.
//! - If that leaves nobody, although somebody asked for ran, the expectation fails once: a test or a
//!   metric that exists nowhere is a mistake, not a success. So does one of a file on what the scenario lacks.
//!
//! Several repeats count by their median, ratios and differences by that of each repeat's; one that lacks the metric is in it as worse
//! than any bound, see `present.rs`. A metric that is absent where it is 0 is 0, see `zero.rs`.
//! Repeats marked invalid count only where none is valid.

use crate::results::{Results, split};
use crate::stated::{of_more_points, unstated};
use crate::{Expect, Expectation, Origin, Point};

/// Judges expectations; `ran` are the origins that ran. The order is that of `expects`, then of
/// points, then of origins.
pub fn judge(expects: &[Expect], results: Results<'_>, ran: &[Origin]) -> Vec<Expectation> {
    let mut judged = Vec::new();
    for expect in expects {
        let asked: Vec<Origin> = Origin::ALL
            .into_iter()
            .filter(|o| {
                ran.contains(o) && (expect.origins.is_empty() || expect.origins.contains(o))
            })
            .collect();
        let before = judged.len();
        let statement = |point: &Point, origin| unstated(expect, expects, (point, origin, &asked));
        for point in points(expect, &results) {
            for origin in asked
                .iter()
                .copied()
                .filter(|o| applies(expect, &results, *o, &point))
            {
                let actual = results.compared(expect, origin, &point);
                let mut one = verdict(expect, origin, point.clone(), actual);
                one.unstated = statement(&one.point, origin)
                    .or_else(|| of_more_points(expect, expects, &one, (&asked, &results)));
                one.pass &= one.unstated.is_none();
                one.repeats = results.partly(expect, origin, &point);
                if actual.is_none() {
                    let reason = results.reason(expect, origin, &point);
                    one.absent = reason.or_else(|| results.why(expect, origin, &point));
                }
                judged.push(one);
            }
        }
        if judged.len() == before
            && let Some(origin) = asked.last()
        {
            let mut none = verdict(expect, *origin, expect.point.clone(), None);
            none.absent = expect
                .lacking
                .clone()
                .or_else(|| results.why(expect, *origin, &expect.point));
            none.unstated = statement(&expect.point, *origin).filter(|_| expect.lacking.is_none());
            judged.push(none);
        }
        if asked.is_empty() && expect.file.is_some() {
            judged.extend(not_measured(expect));
        }
    }
    judged
}

/// The verdict on an expectation of origins that did not run: it fails, by the last of them.
fn not_measured(expect: &Expect) -> Option<Expectation> {
    let origin = expect.origins.iter().max()?;
    let mut none = verdict(expect, *origin, expect.point.clone(), None);
    none.absent = expect
        .lacking
        .clone()
        .or_else(|| Some(unmeasured(&expect.origins)));
    Some(none)
}

/// Why nothing was measured of any of these origins, which did not run, and what to add to the command.
pub fn unmeasured(origins: &[Origin]) -> String {
    let names: Vec<&str> = origins.iter().map(|o| o.name()).collect();
    let option = |origin: &Origin| match origin {
        Origin::Predicted => Some("--predict"),
        Origin::Simulated => Some("--simulate"),
        Origin::Emulated => Some("--emulate, on a machine that can run labs"),
        Origin::Captured => Some("--captured TEST=FILE"),
        Origin::Measured => None,
    };
    let options: Vec<&str> = origins.iter().filter_map(option).collect();
    let remedy = match options.is_empty() {
        true => "and `farpath run` makes none".to_owned(),
        false => format!("add {}", options.join(" or ")),
    };
    format!(
        "not measured: it is on {} results alone, and there are none; {remedy}",
        names.join(" and ")
    )
}

/// The points at which an expectation is judged.
fn points(expect: &Expect, results: &Results<'_>) -> Vec<Point> {
    let known = split(&expect.metric).filter(|_| expect.lacking.is_none());
    let Some((subject, _)) = known else {
        return Vec::new();
    };
    let matches = |p: &Point| expect.point.iter().all(|(k, v)| p.get(k) == Some(v));
    results
        .points(&subject, None)
        .into_iter()
        .filter(matches)
        .collect()
}

/// Whether this origin is judged at this point: see the module's text.
fn applies(expect: &Expect, results: &Results<'_>, origin: Origin, point: &Point) -> bool {
    let must = || {
        split(&expect.metric)
            .is_some_and(|(subject, _)| results.points(&subject, Some(origin)).contains(point))
    };
    !expect.origins.is_empty()
        || results.compared(expect, origin, point).is_some()
        || results.reason(expect, origin, point).is_some()
        || (origin == Origin::Simulated && must())
}

fn verdict(expect: &Expect, origin: Origin, point: Point, actual: Option<f64>) -> Expectation {
    let mut judged = Expectation {
        point,
        min: expect.min,
        max: expect.max,
        actual,
        stated: expect.stated.clone(),
        source: expect.source.clone(),
        note: expect.note.clone(),
        file: expect.file.clone(),
        question: expect.question,
        asks: expect.stated_within.is_some(),
        ..Expectation::new(origin, &expect.written())
    };
    judged.pass = judged.is_inside();
    if judged.actual.is_none() && expect.stated_within.is_some() {
        // What a file's marks want stays with whoever marks.
        judged = Expectation {
            min: None,
            max: None,
            stated: None,
            note: None,
            ..judged
        };
    }
    judged
}

impl Expectation {
    /// One that did not pass, at point `{}`: without bounds, value and words.
    pub fn new(origin: Origin, metric: &str) -> Expectation {
        Expectation {
            metric: metric.to_owned(),
            origin,
            point: Point::new(),
            min: None,
            max: None,
            actual: None,
            repeats: None,
            absent: None,
            stated: None,
            source: None,
            note: None,
            file: None,
            question: None,
            asks: false,
            unstated: None,
            pass: false,
        }
    }

    /// Whether there is a value and it lies inside the bounds, whatever else is demanded.
    pub fn is_inside(&self) -> bool {
        let inside =
            |v: f64| self.min.is_none_or(|min| v >= min) && self.max.is_none_or(|max| v <= max);
        self.actual.is_some_and(inside)
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
