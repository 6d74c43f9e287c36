//! What a link carried and held while tests were measured: means over the whole run have its start, its warm-up and its end in them.

use std::collections::BTreeMap;

use crate::{LinkRecord, Origin, Point, Record, Results, link_metric};

/// The samples of a link that a mean is of.
type Samples = fn(&LinkRecord) -> &[f64];

/// The metrics of links that are of the measured time, and their samples.
const MEASURED: [(&str, Samples); 2] = [
    ("measured_rate_mean_bps", |l| &l.rate_bps),
    ("measured_queue_mean_bytes", |l| &l.queue_bytes),
];

/// From when to when, nanoseconds since the start of the run.
type Span = (u64, u64);

/// One repeat of a point, of one origin.
type Run<'r> = (Origin, &'r Point, u32);

/// When the tests of each run are measured: from the first of their measurements to the end of the last.
#[derive(Default)]
pub(crate) struct Measured<'r>(BTreeMap<Run<'r>, Span>);

impl<'r> Measured<'r> {
    /// Of these records.
    pub(crate) fn of(records: impl Iterator<Item = &'r Record>) -> Measured<'r> {
        let mut all: BTreeMap<Run<'r>, Span> = BTreeMap::new();
        for record in records {
            let Some((from, to)) = span(record) else {
                continue;
            };
            let run = (record.origin, &record.point, record.repeat);
            let known = all.entry(run).or_insert((from, to));
            *known = (known.0.min(from), known.1.max(to));
        }
        Measured(all)
    }

    /// A metric of [`MEASURED`]; none of another name, and where nothing was measured.
    pub(crate) fn metric(&self, link: &LinkRecord, name: &str) -> Option<f64> {
        let (_, samples) = MEASURED.iter().find(|(known, _)| *known == name)?;
        let span = self.0.get(&(link.origin, &link.point, link.repeat))?;
        mean_within(&link.t_ns, samples(link), *span)
    }

    /// Both, with their names.
    pub(crate) fn metrics(&self, link: &LinkRecord) -> Vec<(String, f64)> {
        let all = MEASURED.iter();
        all.filter_map(|(name, _)| Some(((*name).to_owned(), self.metric(link, name)?)))
            .collect()
    }
}

impl Results<'_> {
    /// A metric of a link, see [`link_metric`]; with those of the time in which the run's tests are measured.
    pub(crate) fn link_metric(&self, link: &LinkRecord, name: &str) -> Option<f64> {
        if MEASURED.iter().all(|(known, _)| *known != name) {
            return link_metric(link, name);
        }
        let same =
            |r: &&Record| (r.origin, &r.point, r.repeat) == (link.origin, &link.point, link.repeat);
        Measured::of(self.records.iter().filter(same)).metric(link, name)
    }
}

impl Record {
    /// When what was measured ended, nanoseconds since the start of the run: of a test that no clock ends when all was delivered.
    /// None of such a test where that is unknown.
    pub fn ended_ns(&self) -> Option<u64> {
        match self.duration_ns {
            0 => {
                let took = *self.metrics.get("completion_ns")? as u64;
                Some(self.started_ns.saturating_add(took))
            }
            duration => {
                let from = self.measured_from_ns.unwrap_or(self.started_ns);
                Some(from.saturating_add(duration))
            }
        }
    }
}

/// When a test is measured; none of pings and the like, which load no link, and of documents that do not say it.
fn span(record: &Record) -> Option<Span> {
    let from = record.measured_from_ns?;
    let loads = !matches!(
        record.kind.as_str(),
        "ping" | "oneway" | "bandwidth" | "search"
    );
    let to = record.ended_ns()?;
    (loads && to > from).then_some((from, to))
}

/// Mean of samples or rates within a span, each weighed by what of its interval lies there; the first begins at 0.
fn mean_within(ends: &[u64], values: &[f64], (from, to): Span) -> Option<f64> {
    let (mut start, mut sum, mut time) = (0, 0.0, 0);
    for (end, value) in ends.iter().zip(values) {
        let within = to.min(*end).saturating_sub(from.max(start));
        sum += value * within as f64;
        time += within;
        start = *end;
    }
    (time > 0).then(|| sum / time as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link() -> LinkRecord {
        LinkRecord {
            t_ns: vec![10, 20, 30, 40],
            rate_bps: vec![0.0, 6.0, 8.0, 0.0],
            queue_bytes: vec![0.0, 3.0, 5.0, 1.0],
            ..LinkRecord::new(Origin::Simulated, "l", "a>b")
        }
    }

    fn test(kind: &str, started_ns: u64, omit_ns: u64, duration_ns: u64) -> Record {
        let mut record = Record::new(Origin::Simulated, kind, kind, "a", "b");
        record.started_ns = started_ns;
        record.measured_from_ns = Some(started_ns + omit_ns);
        record.duration_ns = duration_ns;
        record
    }

    #[test]
    fn a_test_ends_with_its_clock_or_its_last_byte() {
        assert_eq!(test("tcp", 5, 5, 20).ended_ns(), Some(30));
        let mut file = test("tcp", 10, 0, 0);
        assert_eq!(file.ended_ns(), None);
        file.set("completion_ns", 7.0);
        assert_eq!(file.ended_ns(), Some(17));
    }

    /// The mean of the whole run was 3.5: a tenth of a second before the test and the silence behind it counted.
    #[test]
    fn means_are_of_the_time_in_which_tests_are_measured() {
        let mean = |records: &[Record], name: &str| {
            let links = [link()];
            let results = Results {
                records,
                links: &links,
            };
            results.link_metric(&links[0], name)
        };
        let rate = "measured_rate_mean_bps";
        let bulk = [test("tcp", 5, 5, 20)];
        assert_eq!(mean(&bulk, rate), Some(7.0));
        assert_eq!(mean(&bulk, "measured_queue_mean_bytes"), Some(4.0));
        assert_eq!(mean(&bulk, "rate_mean_bps"), Some(3.5));
        // An interval counts as far as it lies there; a ping measures nothing that a link carries.
        let ping = test("ping", 0, 0, 40);
        assert_eq!(
            mean(&[test("tcp", 15, 0, 10), ping.clone()], rate),
            Some(7.0)
        );
        assert_eq!(mean(&[ping], rate), None);
        // Of two tests it is from the first to the last; of one by bytes until it completed.
        let mut file = test("tcp", 10, 0, 0);
        file.set("completion_ns", 10.0);
        assert_eq!(mean(std::slice::from_ref(&file), rate), Some(6.0));
        assert_eq!(
            mean(&[file, test("udp", 25, 0, 15)], rate),
            Some(14.0 / 3.0)
        );
        // Earlier versions did not say what was left out.
        let old = Record {
            measured_from_ns: None,
            ..bulk[0].clone()
        };
        assert_eq!(mean(&[old], rate), None);
    }
}
