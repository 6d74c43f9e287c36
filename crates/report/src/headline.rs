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

#[cfg(test)]
mod tests {
    use super::*;

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
