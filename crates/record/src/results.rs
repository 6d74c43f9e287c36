//! Metrics of a run's records and links, by their names.

use std::collections::BTreeSet;

use crate::{Expect, LinkRecord, Origin, Point, Record};

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
    pub(crate) fn why(&self, expect: &Expect, origin: Origin, point: &Point) -> Option<String> {
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
