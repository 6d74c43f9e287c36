//! What a test's streams come to together, and the tests of a group: the same sums for every origin.

use std::collections::BTreeMap;

use farpath_record::Record;

use farpath_units::{Duration, Time};

use crate::Span;
use crate::metric::{METRICS, Merge};

/// A test's metrics from those of its streams, written over what it had: as the registry says they are taken
/// together ([`Merge`]), and the Jain index of the goodputs. A sum that a stream cannot be added to is absent.
pub fn merge_streams(record: &mut Record) {
    let mut m = BTreeMap::new();
    for metric in METRICS {
        let of = record
            .streams
            .iter()
            .map(|s| s.metrics.get(metric.name).copied());
        let known: Vec<f64> = of.flatten().collect();
        let all_known = known.len() == record.streams.len();
        let merged = match metric.merge {
            _ if known.is_empty() => None,
            Merge::Sum => all_known.then(|| known.iter().sum()),
            Merge::Largest => known.iter().copied().reduce(f64::max),
            Merge::Smallest => known.iter().copied().reduce(f64::min),
            Merge::Mean => Some((known.iter().sum::<f64>() / known.len() as f64).round()),
            Merge::Never => None,
        };
        m.extend(merged.map(|value| (metric.name.to_owned(), value)));
    }
    let goodputs = record
        .streams
        .iter()
        .filter_map(|s| s.metrics.get("goodput_bps").copied());
    let index = jain_index(&goodputs.collect::<Vec<f64>>());
    m.extend(index.map(|index| ("jain_index".to_owned(), index)));
    record.metrics = m;
}

/// Windows of measurement that lie apart by more than this share of the shorter one are different times.
const APART: f64 = 0.01;

/// Jain's index over the goodputs of the tests of each group, into `group_jain_index`. `groups` has
/// the group of each record, in the same order, and `spans` when it is measured: a note says where that differs in a group.
pub fn compare_groups(groups: &[Option<&str>], spans: &[Span], records: &mut [Record]) {
    for (number, group) in groups.iter().enumerate() {
        let Some(name) = group else { continue };
        if let Some(record) = records.get_mut(number) {
            record.group = Some((*name).to_owned());
        }
        let members = groups.iter().zip(&*records).filter(|(g, _)| *g == group);
        let goodputs: Vec<f64> = members
            .filter_map(|(_, r)| r.metrics.get("goodput_bps").copied())
            .collect();
        // One is as fair as can be to itself.
        if goodputs.len() < 2 {
            continue;
        }
        if let (Some(index), Some(record)) = (jain_index(&goodputs), records.get_mut(number)) {
            let metrics = &mut record.metrics;
            metrics.insert("group_jain_index".to_owned(), index);
            let of_group = groups.iter().zip(spans).filter(|(g, _)| *g == group);
            let apart = windows_apart(of_group.map(|(_, span)| span));
            record.notes.extend(apart.map(|seconds| {
                format!(
                    "group_jain_index compares goodputs of different times: the tests of group {name} are measured up to \
                     {seconds:.1} s apart; it is fairness where `start` and `omit` of each add up to one instant"
                )
            }));
        }
    }
}

/// How far the measurements of tests lie apart, in seconds, at their starts or their ends, where it is more than a little.
fn windows_apart<'a>(spans: impl Iterator<Item = &'a Span>) -> Option<f64> {
    let windows: Vec<(Time, Duration)> = spans
        .filter_map(|s| Some((s.from(), s.duration?)))
        .collect();
    let apart = |times: Vec<Time>| -> Option<Duration> {
        Some(times.iter().max()?.since(*times.iter().min()?))
    };
    let starts = apart(windows.iter().map(|(from, _)| *from).collect())?;
    let ends = apart(windows.iter().map(|(from, d)| *from + *d).collect())?;
    let shortest = windows.iter().map(|(_, d)| *d).min()?;
    let seconds = starts.max(ends).as_secs_f64();
    (seconds > APART * shortest.as_secs_f64()).then_some(seconds)
}

/// (Σx)² / (n · Σx²) (Jain, Chiu, Hawe, DEC-TR-301, 1984); none when nothing was delivered.
pub fn jain_index(goodputs: &[f64]) -> Option<f64> {
    let squares: f64 = goodputs.iter().map(|g| g * g).sum();
    let sum: f64 = goodputs.iter().sum();
    (squares > 0.0).then(|| sum * sum / (goodputs.len() as f64 * squares))
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::{Origin, StreamRecord};

    #[test]
    fn jains_index_is_one_for_equals_and_a_share_for_one_of_many() {
        assert_eq!(jain_index(&[3.0, 3.0]), Some(1.0));
        assert_eq!(jain_index(&[4.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain_index(&[0.0]), None);
    }

    /// Measured for 60 s from that second on.
    fn span(start: u64) -> Span {
        Span {
            start: Time::ZERO + Duration::from_secs(start),
            omit: Duration::ZERO,
            duration: Some(Duration::from_secs(60)),
        }
    }

    #[test]
    fn goodputs_of_different_times_are_said_to_be() {
        let notes = |starts: [u64; 2]| {
            let mut records = ["x", "y"].map(|test| {
                let mut record = Record::new(Origin::Simulated, test, "tcp", "a", "b");
                record.set("goodput_bps", 1e6);
                record
            });
            compare_groups(&[Some("g"); 2], &starts.map(span), &mut records);
            records.map(|r| r.notes.concat())
        };
        assert_eq!(notes([5, 5]), ["", ""]);
        let [x, y] = notes([5, 7]);
        assert!(
            x == y && x.contains("group g are measured up to 2.0 s apart"),
            "{x}"
        );
    }

    #[test]
    fn a_group_of_one_has_no_fairness() {
        let record = |test: &str| {
            let mut record = Record::new(Origin::Simulated, test, "tcp", "a", "b");
            record.set("goodput_bps", 1e6);
            record
        };
        let mut records = [record("x"), record("y"), record("alone")];
        let spans = vec![span(0); 3];
        compare_groups(&[Some("g"), Some("g"), Some("h")], &spans, &mut records);
        let index = |r: &Record| r.metrics.get("group_jain_index").copied();
        assert_eq!([index(&records[0]), index(&records[2])], [Some(1.0), None]);
        assert_eq!(records[2].group.as_deref(), Some("h"));
    }

    #[test]
    fn what_one_stream_does_not_know_is_no_sum() {
        let stream = |metrics: &[(&str, f64)]| StreamRecord {
            metrics: metrics.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect(),
            ..StreamRecord::default()
        };
        let mut record = Record::new(Origin::Emulated, "t", "tcp", "a", "b");
        record.streams = vec![
            stream(&[
                ("bytes", 1.0),
                ("retransmits", 2.0),
                ("rtos", 1.0),
                ("rtt_min_ns", 7.0),
            ]),
            stream(&[("bytes", 3.0), ("retransmits", 4.0), ("recovery_s", 5.0)]),
        ];
        merge_streams(&mut record);
        let found: Vec<(&str, f64)> = record
            .metrics
            .iter()
            .map(|(n, v)| (n.as_str(), *v))
            .collect();
        assert_eq!(
            found,
            [
                ("bytes", 4.0),
                ("recovery_s", 5.0),
                ("retransmits", 6.0),
                ("rtt_min_ns", 7.0)
            ]
        );
    }
}
