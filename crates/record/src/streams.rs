//! What a test's streams come to together, and the tests of a group: the same sums for every origin.

use std::collections::BTreeMap;

use crate::Record;

type Metrics = BTreeMap<String, f64>;

/// A test's metrics from those of its streams, written over what it had: sums, extremes, and the
/// Jain index of the goodputs.
pub fn merge_streams(record: &mut Record) {
    let values = |name: &str| -> Vec<f64> {
        record
            .streams
            .iter()
            .filter_map(|s| s.metrics.get(name).copied())
            .collect()
    };
    let mut m = Metrics::new();
    let mut put = |name: &str, value: f64| {
        m.insert(name.to_owned(), value);
    };
    for name in ["bytes", "goodput_bps", "retransmits", "rtos"] {
        put(name, values(name).iter().sum());
    }
    for name in [
        "completion_ns",
        "cwnd_max_bytes",
        "rtt_max_ns",
        "recovery_s",
    ] {
        if let Some(v) = values(name).into_iter().reduce(f64::max) {
            put(name, v);
        }
    }
    if let Some(v) = values("rtt_min_ns").into_iter().reduce(f64::min) {
        put("rtt_min_ns", v);
    }
    let averages = values("rtt_avg_ns");
    if !averages.is_empty() {
        let sum: f64 = averages.iter().sum();
        put("rtt_avg_ns", (sum / averages.len() as f64).round());
    }
    if let Some(index) = jain_index(&values("goodput_bps")) {
        put("jain_index", index);
    }
    record.metrics = m;
}

/// Jain's index over the goodputs of the tests of each group, into `group_jain_index`. `groups` has
/// the group of each record, in the same order.
pub fn compare_groups(groups: &[Option<&str>], records: &mut [Record]) {
    for (number, group) in groups.iter().enumerate() {
        if group.is_none() {
            continue;
        }
        let members = groups.iter().zip(&*records).filter(|(g, _)| *g == group);
        let goodputs: Vec<f64> = members
            .filter_map(|(_, r)| r.metrics.get("goodput_bps").copied())
            .collect();
        if let (Some(index), Some(record)) = (jain_index(&goodputs), records.get_mut(number)) {
            let metrics = &mut record.metrics;
            metrics.insert("group_jain_index".to_owned(), index);
        }
    }
}

/// (Σx)² / (n · Σx²) (Jain, Chiu, Hawe, DEC-TR-301, 1984); none when nothing was delivered.
pub fn jain_index(goodputs: &[f64]) -> Option<f64> {
    let squares: f64 = goodputs.iter().map(|g| g * g).sum();
    let sum: f64 = goodputs.iter().sum();
    (squares > 0.0).then(|| sum * sum / (goodputs.len() as f64 * squares))
}

/// The nearest-rank percentile of sorted values, of which there is at least one; `q` from 0 to 1.
pub fn percentile(sorted: &[f64], q: f64) -> f64 {
    let rank = (q * sorted.len() as f64).ceil().max(1.0) as usize;
    sorted[rank.min(sorted.len()) - 1]
}

/// When a start-up is over: the end of the first interval at 95 % of the best one's goodput.
pub fn ramp_end<T: Copy>(goodputs: &[(T, f64)]) -> Option<T> {
    let best = goodputs.iter().fold(0.0, |best, (_, g)| f64::max(best, *g));
    let reached = |(_, g): &&(T, f64)| *g >= 0.95 * best && *g > 0.0;
    goodputs.iter().find(reached).map(|(t, _)| *t)
}

/// The limit with the largest share; the first by name among equals.
pub fn largest_share(shares: &BTreeMap<String, f64>) -> Option<String> {
    let mut best: Option<(&String, f64)> = None;
    for (name, share) in shares {
        if best.is_none_or(|(_, s)| *share > s) {
            best = Some((name, *share));
        }
    }
    best.map(|(name, _)| name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jains_index_is_one_for_equals_and_a_share_for_one_of_many() {
        assert_eq!(jain_index(&[3.0, 3.0]), Some(1.0));
        assert_eq!(jain_index(&[4.0, 0.0, 0.0, 0.0]), Some(0.25));
        assert_eq!(jain_index(&[0.0]), None);
    }

    #[test]
    fn percentiles_are_of_the_nearest_rank() {
        let values = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(percentile(&values, 0.5), 2.0);
        assert_eq!(percentile(&values, 0.99), 4.0);
        assert_eq!(percentile(&values, 0.0), 1.0);
    }

    #[test]
    fn a_ramp_ends_where_the_rate_is_nearly_the_best() {
        let goodputs = [(1, 0.0), (2, 50.0), (3, 96.0), (4, 100.0)];
        assert_eq!(ramp_end(&goodputs), Some(3));
        assert_eq!(ramp_end(&[(1, 0.0)]), None);
    }

    #[test]
    fn the_first_of_equal_shares_is_named() {
        let shares = |list: &[(&str, f64)]| {
            let shares = list.iter().map(|(n, s)| ((*n).to_owned(), *s));
            largest_share(&shares.collect())
        };
        assert_eq!(
            shares(&[("nic", 0.4), ("link", 0.6)]),
            Some("link".to_owned())
        );
        assert_eq!(
            shares(&[("nic", 0.5), ("link", 0.5)]),
            Some("link".to_owned())
        );
        assert_eq!(shares(&[]), None);
    }
}
