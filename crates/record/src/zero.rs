//! Metrics that a record has only where they are not 0: a count of what did not happen is 0 there, and not unknown.

use std::collections::BTreeSet;

use crate::notes::{FOREIGN, NOT_FOLLOWED};
use crate::{Origin, Point, Record};

/// Kinds of tests that have connections.
const CONNECTED: &[&str] = &["tcp", "transfer", "request"];

/// Kinds of tests that number their packets.
const NUMBERED: &[&str] = &["ping", "udp", "oneway"];

/// The metrics of which an absent one means 0, each with the kinds of tests that may have it. Records of simulations and emulations
/// alone are meant: no other origin sees all that happened.
pub const ABSENT_IS_ZERO: [(&str, &[&str]); 3] = [
    ("outage_ratio", CONNECTED),
    ("stall_s", CONNECTED),
    ("duplicates", NUMBERED),
];

impl Record {
    /// The value of a metric; 0 of one that is not written where it is 0, if the record saw what it counts. None where that is unknown.
    pub fn value(&self, metric: &str) -> Option<f64> {
        let written = self.metrics.get(metric).copied();
        written.or_else(|| self.is_zero(metric).then_some(0.0))
    }

    /// Whether a metric is absent because what it counts did not happen.
    fn is_zero(&self, metric: &str) -> bool {
        let kind = self.kind.as_str();
        let meant = |(name, kinds): &(&str, &[&str])| *name == metric && kinds.contains(&kind);
        let modelled = matches!(self.origin, Origin::Simulated | Origin::Emulated);
        let lacks = !self.metrics.contains_key(metric) && !self.absent.contains_key(metric);
        let is_open = modelled && lacks && self.not_run.is_none();
        is_open && ABSENT_IS_ZERO.iter().any(meant) && self.has_seen(metric)
    }

    /// Whether the record has an account of what the metric counts.
    fn has_seen(&self, metric: &str) -> bool {
        let says = |what: &str| self.notes.iter().any(|note| note.contains(what));
        match metric {
            "outage_ratio" => {
                // A connection that never opened has no account of its time.
                let accounted = self.streams.iter().all(|s| !s.limited_by.is_empty());
                !self.streams.is_empty() && accounted && !says(NOT_FOLLOWED)
            }
            // Its intervals are those of the series.
            "stall_s" => self.series.contains_key("goodput_bps"),
            _ => self.metrics.contains_key("received") && !says(FOREIGN),
        }
    }
}

/// Where some record has a metric that others of the same test and point lack because it is 0.
#[derive(Default)]
pub(crate) struct Written<'r>(BTreeSet<(&'r str, &'r str, &'r Point, &'static str)>);

impl<'r> Written<'r> {
    /// Of these records.
    pub(crate) fn of(records: impl Iterator<Item = &'r Record>) -> Written<'r> {
        let mut written = BTreeSet::new();
        for record in records {
            let has = ABSENT_IS_ZERO
                .iter()
                .filter(|(name, _)| record.metrics.contains_key(*name));
            for (name, _) in has {
                let (test, kind) = (record.test.as_str(), record.kind.as_str());
                written.insert((test, kind, &record.point, *name));
            }
        }
        Written(written)
    }

    /// The metrics that are 0 in `record`, and that others of its test and point have.
    pub(crate) fn zeros(&self, record: &Record) -> Vec<&'static str> {
        let (test, kind) = (record.test.as_str(), record.kind.as_str());
        let is_zero = |name: &&'static str| {
            let place = (test, kind, &record.point, *name);
            self.0.contains(&place) && record.is_zero(name)
        };
        let names = ABSENT_IS_ZERO.iter().map(|(name, _)| *name);
        names.filter(is_zero).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Expect, LinkRecord, Repeats, Results, Series, StreamRecord, judge};

    /// A connection that the receiver's window held all the time.
    fn connection(repeat: u32, outage: Option<f64>) -> Record {
        let mut one = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
        one.repeat = repeat;
        one.set("goodput_bps", 1e6 + f64::from(repeat));
        one.streams = vec![StreamRecord {
            limited_by: [("receive_window".to_owned(), 1.0)].into(),
            ..StreamRecord::default()
        }];
        if let Some(outage) = outage {
            one.set("outage_ratio", outage);
        }
        one
    }

    const NO_LINKS: &[LinkRecord] = &[];

    /// Five of seven had an outage: the median of those, 5.59 %, failed a bound that four of seven keep.
    #[test]
    fn a_repeat_without_an_outage_counts_as_none() {
        let shares = [0.07, 0.0, 0.1229, 0.0232, 0.022, 0.0559, 0.0];
        let written = shares.map(|share| (share > 0.0).then_some(share));
        let records: Vec<Record> = (0..)
            .zip(written)
            .map(|(n, share)| connection(n, share))
            .collect();
        let results = Results {
            records: &records,
            links: NO_LINKS,
        };
        let expect = Expect {
            metric: "bulk.outage_ratio".to_owned(),
            max: Some(0.05),
            ..Expect::default()
        };
        let judged = judge(&[expect], results, &[Origin::Simulated]);
        assert_eq!((judged[0].actual, judged[0].pass), (Some(0.0232), true));
        assert_eq!(judged[0].repeats, None);
        let seeds = (1..8).collect();
        let all = Repeats::of(seeds, results, &[]).metrics;
        let found = all.into_iter().find(|m| m.metric == "outage_ratio");
        let summary = found.expect("it is summed up").summary;
        assert_eq!((summary.n, summary.min), (7, 0.0));
        // Without any nothing is summed up, and a bound holds.
        assert_eq!(connection(0, None).value("outage_ratio"), Some(0.0));
    }

    #[test]
    fn what_was_not_seen_is_not_zero() {
        let mut one = connection(0, None);
        assert_eq!(one.value("recovery_s"), None, "a time");
        assert_eq!(one.value("duplicates"), None, "of another kind");
        one.notes = vec![format!(
            "link l went down more than 100000 times: {NOT_FOLLOWED}"
        )];
        assert_eq!(one.value("outage_ratio"), None, "too many to follow");
        one = connection(0, None);
        one.origin = Origin::Captured;
        assert_eq!(one.value("outage_ratio"), None, "a capture");
        one = connection(0, None);
        one.streams[0].limited_by.clear();
        assert_eq!(one.value("outage_ratio"), None, "never open");
    }

    #[test]
    fn stalls_are_zero_where_a_series_shows_none() {
        let mut one = connection(0, None);
        assert_eq!(one.value("stall_s"), None, "no series");
        one.series
            .insert("goodput_bps".to_owned(), Series::default());
        assert_eq!(one.value("stall_s"), Some(0.0));
        one.set("stall_s", 1.5);
        assert_eq!(one.value("stall_s"), Some(1.5));
    }

    #[test]
    fn copies_are_zero_where_they_were_counted() {
        let mut one = Record::new(Origin::Emulated, "u", "udp", "a", "b");
        assert_eq!(one.value("duplicates"), None, "nothing is known");
        one.set("received", 10.0);
        assert_eq!(one.value("duplicates"), Some(0.0));
        one.notes.push(format!("run by iperf 3.20; {FOREIGN}"));
        assert_eq!(one.value("duplicates"), None, "not counted");
        one.set("duplicates", 3.0);
        assert_eq!(one.value("duplicates"), Some(3.0));
    }
}
