//! Metrics of a record that are shown without being asked for.

use farpath_observe::metric;
use farpath_record::{Origin, Record, RunDocument};

/// How long a connection took that had so many bytes.
pub(crate) const COMPLETION: &str = "completion_ns";

/// Whether the time that a record's bytes took is shown, or that they did not all arrive: of so many bytes it is the answer. Where a clock
/// ended the test, what a real sender had not delivered of what it wrote is not missing.
pub(crate) fn shows_completion(run: &RunDocument, record: &Record) -> bool {
    let same = |r: &&Record| r.test == record.test && r.point == record.point;
    let clock = || {
        let mut all = run.records.iter().filter(same);
        record.origin != Origin::Predicted && all.any(Record::is_ended_by_clock)
    };
    let took = record.metrics.contains_key(COMPLETION) && !record.is_ended_by_clock();
    record.kind == "tcp" && (took || record.absent.contains_key(COMPLETION) && !clock())
}

/// Those of its kind; of a search, which finds a value of one unit, those that it has.
pub(crate) fn headline(record: &Record) -> impl Iterator<Item = &'static str> {
    let has = |m: &&str| record.metrics.contains_key(*m) || record.absent.contains_key(*m);
    let all = metric::headline(&record.kind).iter().copied();
    all.filter(move |m| record.kind != "search" || has(m))
}

/// Metrics that are news above a value, for tests of these kinds: an echo that did not come back, or was answered on the way, a stream whose datagrams come unevenly (1 ms)
/// or out of order, and packets that come twice.
const NEWS: [(&str, &[&str], f64); 5] = [
    ("hop_rtt_avg_ns", &["ping"], 0.0),
    ("loss_ratio", &["ping"], 0.0),
    ("jitter_ns", &["udp"], 1e6),
    ("reordered", &["udp"], 0.0),
    ("duplicates", &["udp", "ping", "oneway"], 0.0),
];

/// What of a record is shown beside those of its kind, as its value is news.
pub(crate) fn news(record: &Record) -> Vec<&'static str> {
    let value = |metric: &str| record.metrics.get(metric).copied().unwrap_or(0.0);
    NEWS.iter()
        .filter(|(metric, kinds, least)| {
            kinds.contains(&record.kind.as_str()) && value(metric) > *least
        })
        .map(|(metric, ..)| *metric)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_twice_or_out_of_order_is_news() {
        let with = |kind: &str, values: &[(&str, f64)]| {
            let mut record = Record::new(Origin::Simulated, "t", kind, "a", "b");
            for (metric, value) in values {
                record.set(metric, *value);
            }
            news(&record)
        };
        let seen = [
            ("duplicates", 101.0),
            ("jitter_ns", 2.74e6),
            ("loss_ratio", 0.1),
            ("reordered", 63.0),
        ];
        let stream = with("udp", &seen);
        assert_eq!(stream, ["jitter_ns", "reordered", "duplicates"]);
        assert_eq!(with("ping", &seen), ["loss_ratio", "duplicates"]);
        assert_eq!(with("oneway", &seen), ["duplicates"]);
        let even = [("jitter_ns", 9e3), ("loss_ratio", 0.0)];
        assert!(with("udp", &even).is_empty());
        assert!(with("ping", &even).is_empty());
    }

    #[test]
    fn a_search_shows_the_unit_it_found() {
        let mut record = Record::new(Origin::Simulated, "s", "search", "", "");
        record.set("highest_s", 1.5);
        record.unset("lowest_failing_s", "even the high end holds".to_owned());
        let shown: Vec<&str> = headline(&record).collect();
        assert_eq!(shown, ["highest_s", "lowest_failing_s"]);
        let udp = Record::new(Origin::Simulated, "u", "udp", "a", "b");
        let shown: Vec<&str> = headline(&udp).collect();
        assert_eq!(shown, ["goodput_bps", "loss_ratio"]);
    }
}
