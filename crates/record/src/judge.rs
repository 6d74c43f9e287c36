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

use std::collections::{BTreeMap, BTreeSet};

use crate::stated::{of_more_points, unstated};
use crate::{Expectation, LinkRecord, Origin, Record};

/// A sweep point.
pub type Point = BTreeMap<String, String>;

/// An expectation with its tolerance already resolved into bounds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// `TEST.METRIC`, `link.NAME.A>B.METRIC` or `search.NAME.METRIC`.
    pub metric: String,
    /// Divide by this metric.
    pub over: Option<String>,
    /// Subtract this metric.
    pub minus: Option<String>,
    /// Lower bound, inclusive.
    pub min: Option<f64>,
    /// Upper bound, inclusive.
    pub max: Option<f64>,
    /// Origins it applies to; empty means those that ran.
    pub origins: Vec<Origin>,
    /// Sweep points it applies to: every pair must match.
    pub point: Point,
    /// The source's own words; never compared.
    pub stated: Option<String>,
    /// The source.
    pub source: Option<String>,
    /// Why stated and band differ.
    pub note: Option<String>,
    /// The file of `--expect` it stands in; none for the scenario's own.
    pub file: Option<String>,
    /// Its number among the `[[expect]]` of that file, from 1: one question, at however many points; none for the scenario's own.
    pub question: Option<u32>,
    /// Where it stands, `marks.toml:12:10`; none for the scenario's own.
    pub place: Option<String>,
    /// The scenario must expect the same in a band of its own that holds the middle of this one and is at most this share of its
    /// own middle wide.
    pub stated_within: Option<f64>,
    /// What the scenario has not, and must have for a file of `--expect` to judge it: it fails.
    pub lacking: Option<String>,
}

/// Finds metrics in a run's records and links.
#[derive(Clone, Copy, Debug)]
pub struct Results<'a> {
    /// Every record.
    pub records: &'a [Record],
    /// Every direction of every link.
    pub links: &'a [LinkRecord],
}

/// What a metric is a metric of.
#[derive(Clone, Copy)]
pub(crate) enum Subject<'a> {
    Test(&'a str),
    Search(&'a str),
    Link { link: &'a str, direction: &'a str },
}

impl<'a> Results<'a> {
    /// The value of a metric at a point: the median over the repeats that have it, whatever the others say of why they lack it; `None`
    /// when nobody has it.
    pub fn value(&self, metric: &str, origin: Origin, point: &Point) -> Option<f64> {
        let (subject, name) = split(metric)?;
        self.value_at(&subject, name, origin, point)
    }

    fn value_at(
        &self,
        subject: &Subject<'_>,
        name: &str,
        origin: Origin,
        point: &Point,
    ) -> Option<f64> {
        let values: Vec<f64> = match subject {
            Subject::Link { .. } => self
                .links
                .iter()
                .filter(|l| l.origin == origin && l.point == *point && subject.is_link(l))
                .filter_map(|l| self.link_metric(l, name))
                .collect(),
            _ => self
                .repeats(subject, origin, point)
                .filter_map(|r| r.value(name))
                .collect(),
        };
        median(values)
    }

    /// The records of a test or search at a point, one of each repeat: the valid ones, or all where none is valid.
    pub(crate) fn repeats<'s>(
        &'s self,
        subject: &'s Subject<'_>,
        origin: Origin,
        point: &'s Point,
    ) -> impl Iterator<Item = &'a Record> + use<'a, 's> {
        let of = |r: &&Record| r.origin == origin && r.point == *point && subject.is_record(r);
        counting(self.records.iter().filter(of)).into_iter()
    }

    /// Why a metric is absent, in the first repeat that says so.
    pub(crate) fn absence(
        &self,
        subject: &Subject<'_>,
        name: &str,
        origin: Origin,
        point: &Point,
    ) -> Option<String> {
        let mut repeats = self.repeats(subject, origin, point);
        let (repeat, why) = repeats.find_map(|r| Some((r.repeat, r.absent.get(name)?)))?;
        let several = self.repeats(subject, origin, point).count() > 1;
        Some(match several {
            true => format!("repeat {repeat}: {why}"),
            false => why.clone(),
        })
    }

    /// That the origin did not run a test of which an expectation speaks, and why.
    fn not_run(&self, expect: &Expect, origin: Origin, point: &Point) -> Option<String> {
        let all = [
            Some(&expect.metric),
            expect.over.as_ref(),
            expect.minus.as_ref(),
        ];
        let why = all.into_iter().flatten().find_map(|metric| {
            let (subject, _) = split(metric)?;
            let here = |r: &&Record| r.origin == origin && r.point == *point;
            let mut records = self.records.iter().filter(here);
            records.find_map(|r| r.not_run.as_ref().filter(|_| subject.is_record(r)))
        })?;
        Some(format!("not run: {why}"))
    }

    /// Why a result is not there for which no record has a reason of its own.
    fn why(&self, expect: &Expect, origin: Origin, point: &Point) -> Option<String> {
        let not_run = self.not_run(expect, origin, point);
        not_run.or_else(|| unseen(&expect.metric, origin))
    }

    /// Points at which the subject has results from `origin`, or from any.
    pub(crate) fn points(&self, subject: &Subject<'_>, origin: Option<Origin>) -> BTreeSet<Point> {
        let asked = |o: Origin| origin.is_none_or(|asked| asked == o);
        let records = self
            .records
            .iter()
            .filter(|r| asked(r.origin) && subject.is_record(r))
            .map(|r| r.point.clone());
        let links = self
            .links
            .iter()
            .filter(|l| asked(l.origin) && subject.is_link(l))
            .map(|l| l.point.clone());
        records.chain(links).collect()
    }
}

impl Subject<'_> {
    pub(crate) fn is_record(&self, record: &Record) -> bool {
        match self {
            Subject::Test(name) => record.test == *name && record.kind != "search",
            Subject::Search(name) => record.test == *name && record.kind == "search",
            Subject::Link { .. } => false,
        }
    }

    pub(crate) fn is_link(&self, record: &LinkRecord) -> bool {
        matches!(self, Subject::Link { link, direction } if record.link == *link && record.direction == *direction)
    }
}

/// Names have no dots, so the first ones separate; a link's metric may have one (`drops.tail`).
pub(crate) fn split(metric: &str) -> Option<(Subject<'_>, &str)> {
    if let Some(rest) = metric.strip_prefix("link.") {
        let (link, rest) = rest.split_once('.')?;
        let (direction, name) = rest.split_once('.')?;
        return Some((Subject::Link { link, direction }, name));
    }
    if let Some(rest) = metric.strip_prefix("search.") {
        let (search, name) = rest.split_once('.')?;
        return Some((Subject::Search(search), name));
    }
    let (test, name) = metric.split_once('.')?;
    Some((Subject::Test(test), name))
}

/// Of the records of one thing those that count: the valid ones, or all where none is valid.
pub fn counting<'r>(records: impl Iterator<Item = &'r Record>) -> Vec<&'r Record> {
    let mut all: Vec<&Record> = records.collect();
    if all.iter().any(|r| r.valid) {
        all.retain(|r| r.valid);
    }
    all
}

/// What several repeats count by: the middle value, or the middle of the two there; none of none.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let upper = *values.get(values.len() / 2)?;
    let lower = values[(values.len() - 1) / 2];
    Some(lower + (upper - lower) / 2.0)
}

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

/// Why a result that an origin might have is not there, as far as its name says it.
pub(crate) fn unseen(metric: &str, origin: Origin) -> Option<String> {
    if origin == Origin::Predicted {
        return Some("no forecast of this test has it".to_owned());
    }
    let (_, name) = split(metric)?;
    let starts = |words: &[&str]| words.iter().any(|w| name.starts_with(w));
    let why = match name {
        _ if matches!(name, "cut_s" | "cwnd_before_bytes") || starts(&["cwnd_nrmse_"]) => {
            "the series of the window shows no cut, or several, or has fewer than two samples a round trip: --intervals 10000 has more"
        }
        "recovery_s" => {
            "no loss cut the window, or it was not back where it had been when the test ended"
        }
        "ramp_s" => "nothing was delivered, or too little to tell when the test had its rate",
        "silent_s" => "what it waited for at its start came within two seconds, or never",
        "duplicates" => "nobody counted copies",
        "outage_ratio" => "a connection never opened, or when its links were down is in no account",
        "stall_s" => "no series of its goodput shows when nothing was delivered",
        "jain_index" => "there is one stream, or nothing was delivered",
        "group_streams_jain_index" => {
            "no test of the group has several connections, its tests are measured at different times, or nothing was delivered"
        }
        "group_convergence_s" => {
            "the tests of the group had no equal shares that they kept before the last fifth of the measured time, or there are fewer than two"
        }
        _ if starts(&["group_"]) => "fewer than two tests of its group have a goodput",
        "response_p99_ns" => "no whole answer came, or more than 131 072",
        _ if starts(&["response_", "request"]) => "no whole answer came",
        _ if starts(&["rtt_", "delay_"]) => "nothing came back, or nothing arrived",
        _ if starts(&["flow_time_", "offered_", "size_mean_"]) => "no flow was delivered whole",
        _ if starts(&["jitter_", "cdv_", "conforming_"]) => "nothing arrived",
        _ if starts(&["measured_rate_", "measured_queue_"]) => "no test was measured but pings",
        _ if starts(&["queue_", "queue."]) => "nothing entered the queue",
        _ => return None,
    };
    Some(why.to_owned())
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

impl Expect {
    /// What it speaks of, in words: `A.goodput_bps over B.goodput_bps`.
    pub fn written(&self) -> String {
        let mut metric = self.metric.clone();
        for (word, other) in [("over", &self.over), ("minus", &self.minus)] {
            if let Some(other) = other {
                metric = format!("{metric} {word} {other}");
            }
        }
        metric
    }
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
