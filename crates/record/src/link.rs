//! Metrics of links: each by its name, with how it comes from the counters.

use crate::{LinkRecord, PolicerRecord, QueueRecord};

/// Why a frame is dropped: the keys of [`LinkRecord::drops`].
pub const DROP_REASONS: [&str; 13] = [
    "tail",
    "red",
    "policed",
    "error",
    "mtu",
    "ttl",
    "no_route",
    "down",
    "host",
    "scripted",
    "checksum",
    "cell",
    "every_nth",
];

/// What a name comes to; none where there is nothing to say.
type Metric<R> = (&'static str, fn(&R) -> Option<f64>);

const PLAIN: [Metric<LinkRecord>; 15] = [
    ("bytes", |l| Some(l.bytes as f64)),
    ("payload_bytes", |l| Some(l.payload_bytes as f64)),
    ("offered", |l| Some(l.offered? as f64)),
    ("frames", |l| Some(l.frames as f64)),
    ("drops", |l| Some(l.drops.values().sum::<u64>() as f64)),
    ("rate_mean_bps", mean_rate),
    ("rate_max_bps", |l| largest(&l.rate_bps)),
    ("queue_max_bytes", most_waiting),
    ("queue_mean_bytes", |l| mean_of(&l.t_ns, &l.queue_bytes)),
    ("queue_p50_bytes", |l| quantile(&l.queue_bytes, 0.5)),
    ("queue_p99_bytes", |l| quantile(&l.queue_bytes, 0.99)),
    ("cells", |l| cells(l, "sent")),
    ("cells_lost", |l| cells(l, "lost")),
    ("cells_tagged", |l| cells(l, "tagged")),
    ("cell_loss_ratio", |l| {
        ratio(cells(l, "lost")?, cells(l, "sent")?)
    }),
];

/// Of a class's queue; of nothing there is no ratio and no delay. `rate_mean_bps` needs the link's time.
const QUEUE: [Metric<QueueRecord>; 9] = [
    ("offered", |q| Some(q.offered as f64)),
    ("frames", |q| Some(q.frames as f64)),
    ("bytes", |q| Some(q.bytes as f64)),
    ("drops", |q| Some(q.drops.values().sum::<u64>() as f64)),
    ("marked", |q| Some(q.marked as f64)),
    ("loss_ratio", |q| {
        ratio(q.drops.values().sum::<u64>() as f64, q.offered as f64)
    }),
    ("queue_max_bytes", |q| Some(q.queue_max_bytes as f64)),
    ("delay_max_ns", |q| (q.frames > 0).then_some(q.delay_max_ns)),
    ("delay_mean_ns", |q| {
        (q.frames > 0).then_some(q.delay_mean_ns)
    }),
];

/// Of a policer; what conforms is green.
const POLICER: [Metric<PolicerRecord>; 7] = [
    ("green", |p| Some(p.frames[0] as f64)),
    ("yellow", |p| Some(p.frames[1] as f64)),
    ("red", |p| Some(p.frames[2] as f64)),
    ("green_bytes", |p| Some(p.bytes[0] as f64)),
    ("yellow_bytes", |p| Some(p.bytes[1] as f64)),
    ("red_bytes", |p| Some(p.bytes[2] as f64)),
    ("conforming_ratio", |p| {
        ratio(p.bytes[0] as f64, p.bytes.iter().sum::<u64>() as f64)
    }),
];

/// A link's metric: its counters, `drops` (all) and `drops.REASON`, `rate_max_bps`, `rate_mean_bps`
/// (over the time the series covers), `queue_max_bytes`, those of the samples of the queue (`queue_mean_bytes`,
/// `queue_p50_bytes`, `queue_p99_bytes`), those of `queue.CLASS` and `police.NAME`; on a link of cells
/// `cells`, `cells_lost`, `cells_tagged` and `cell_loss_ratio`.
pub fn link_metric(link: &LinkRecord, name: &str) -> Option<f64> {
    if let Some(metric) = find(&PLAIN, name) {
        return metric(link);
    }
    match name.split_once('.') {
        Some(("drops", reason)) => {
            let known = DROP_REASONS.contains(&reason).then_some(0);
            let counted = link.drops.get(reason).copied().or(known);
            counted.map(|n| n as f64)
        }
        Some(("queue", rest)) => {
            let (class, metric) = rest.split_once('.')?;
            let queue = link.queues.iter().find(|q| q.class == class)?;
            queue_metric(link, queue, metric)
        }
        Some(("police", rest)) => {
            let (policer, metric) = rest.split_once('.')?;
            let policer = link.policers.iter().find(|p| p.name == policer)?;
            find(&POLICER, metric)?(policer)
        }
        _ => link.realised.get(name).copied(),
    }
}

/// Every metric that a link has, with its value: see [`link_metric`].
pub(crate) fn link_metrics(link: &LinkRecord) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    let mut add = |name: String, value: Option<f64>| found.extend(value.map(|v| (name, v)));
    for (name, of) in PLAIN {
        add(name.to_owned(), of(link));
    }
    for (reason, n) in &link.drops {
        add(format!("drops.{reason}"), Some(*n as f64));
    }
    for (name, value) in &link.realised {
        add(name.clone(), Some(*value));
    }
    for queue in &link.queues {
        let reasons = queue.drops.keys().map(|reason| format!("drops.{reason}"));
        let names = QUEUE.map(|(name, _)| name.to_owned()).into_iter();
        for name in names.chain(["rate_mean_bps".to_owned()]).chain(reasons) {
            let value = queue_metric(link, queue, &name);
            add(format!("queue.{}.{name}", queue.class), value);
        }
    }
    for policer in &link.policers {
        for (name, of) in POLICER {
            add(format!("police.{}.{name}", policer.name), of(policer));
        }
    }
    found
}

fn queue_metric(link: &LinkRecord, queue: &QueueRecord, name: &str) -> Option<f64> {
    if let Some(metric) = find(&QUEUE, name) {
        return metric(queue);
    }
    if name == "rate_mean_bps" {
        let span = link.t_ns.last().filter(|t| **t > 0)?;
        return Some(queue.bytes as f64 * 8e9 / *span as f64);
    }
    let reason = name.strip_prefix("drops.")?;
    queue.drops.get(reason).map(|n| *n as f64)
}

fn find<R>(metrics: &[Metric<R>], name: &str) -> Option<fn(&R) -> Option<f64>> {
    let metric = metrics.iter().find(|(known, _)| *known == name);
    metric.map(|(_, of)| *of)
}

fn cells(link: &LinkRecord, kind: &str) -> Option<f64> {
    link.cells.get(kind).map(|n| *n as f64)
}

fn ratio(part: f64, whole: f64) -> Option<f64> {
    (whole > 0.0).then(|| part / whole)
}

/// The most that ever waited; in documents without it, the largest sample.
fn most_waiting(link: &LinkRecord) -> Option<f64> {
    let counted = link.queue_max_bytes.map(|bytes| bytes as f64);
    counted.or_else(|| largest(&link.queue_bytes))
}

fn largest(values: &[f64]) -> Option<f64> {
    values.iter().copied().reduce(f64::max)
}

/// The smallest value that a share of the values does not exceed.
fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied()
}

/// Mean of the intervals' rates, each weighed by its length; the first begins at 0.
fn mean_rate(link: &LinkRecord) -> Option<f64> {
    mean_of(&link.t_ns, &link.rate_bps)
}

/// Mean of samples or rates, each weighed by the interval that it ends; the first begins at 0.
fn mean_of(ends: &[u64], values: &[f64]) -> Option<f64> {
    let (mut start, mut sum) = (0u64, 0.0);
    for (end, value) in ends.iter().zip(values) {
        sum += value * end.saturating_sub(start) as f64;
        start = *end;
    }
    (start > 0 && !values.is_empty()).then(|| sum / start as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_is_what_a_name_gives() {
        let text = r#"{"origin": "simulated", "link": "l", "direction": "a>b", "point": {}, "bytes": 300, "payload_bytes": 250,
            "frames": 3, "drops": {"tail": 2}, "t_ns": [10, 20], "rate_bps": [2, 6], "queue_bytes": [1, 4], "queue_max_bytes": 5,
            "queues": [{"class": "be", "offered": 8, "frames": 6, "bytes": 600, "drops": {"red": 2}, "marked": 1, "waiting": 0,
                "queue_max_bytes": 9, "delay_max_ns": 5, "delay_mean_ns": 3}],
            "policers": [{"name": "p", "frames": [3, 2, 1], "bytes": [30, 20, 10]}],
            "realised": {"jitter_mean_ns": 7}, "cells": {"sent": 40, "lost": 10, "tagged": 0}}"#;
        let link: LinkRecord = serde_json::from_str(text).expect("a record");
        let listed = link_metrics(&link);
        // 14 plain, one reason, one realised; 10 and one reason of the class; 7 of the policer.
        assert_eq!(listed.len(), 14 + 2 + 11 + 7);
        for (name, value) in &listed {
            assert_eq!(link_metric(&link, name), Some(*value), "{name}");
        }
        for (name, value) in [
            ("rate_mean_bps", Some(4.0)),
            ("queue_max_bytes", Some(5.0)),
            ("queue_mean_bytes", Some(2.5)),
            ("queue_p50_bytes", Some(1.0)),
            ("queue_p99_bytes", Some(4.0)),
            ("cell_loss_ratio", Some(0.25)),
            ("drops.mtu", Some(0.0)),
            ("drops.luck", None),
            ("queue.be.loss_ratio", Some(0.25)),
            ("queue.be.rate_mean_bps", Some(240e9)),
            ("queue.be.drops.red", Some(2.0)),
            ("queue.le.frames", None),
            ("police.p.yellow_bytes", Some(20.0)),
            ("police.p.conforming_ratio", Some(0.5)),
            ("police.p.blue", None),
            ("jitter_mean_ns", Some(7.0)),
        ] {
            assert_eq!(link_metric(&link, name), value, "{name}");
        }
    }
}
