//! Connections that come and go, all of them together.

use std::collections::BTreeMap;

use farpath_record::Record;

use crate::connection::Connection;
use crate::percentile::percentile;
use crate::span::Span;

/// From a flow's SYN to its last byte, nanoseconds.
fn time(flow: &Connection) -> f64 {
    flow.finished.since(flow.opened).as_ps() as f64 / 1000.0
}

/// The same times by the decade of the flow's size, each as `flow_time_ns.LEAST`, where there are several: a mean over sizes is the
/// large ones', and a median the small ones'.
fn by_size<'c>(flows: impl Iterator<Item = &'c Connection>, record: &mut Record) {
    let mut decades: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for flow in flows {
        let least = flow.delivered.checked_ilog10().map_or(0, |n| 10_u64.pow(n));
        decades.entry(least).or_default().push(time(flow).round());
    }
    if decades.len() < 2 {
        return;
    }
    for (least, mut times) in decades {
        times.sort_by(f64::total_cmp);
        record.set_times(&format!("flow_time_ns.{least}"), &times);
    }
}

pub(crate) fn fill(all: &[Connection], span: &Span, record: &mut Record) {
    let start = span.start;
    let last = all.iter().map(|c| c.finished).max().unwrap_or(start);
    let per_second =
        |bytes: u64, seconds: f64| (seconds > 0.0).then(|| bytes as f64 * 8.0 / seconds);
    let sum = |of: fn(&Connection) -> Option<u64>| all.iter().map(of).sum::<Option<u64>>();
    let seconds = match span.duration {
        Some(duration) => duration.as_secs_f64(),
        None => last.since(span.from()).as_secs_f64(),
    };
    let measured = all.iter().map(|c| c.measured).sum();
    let offered = sum(|c| c.written);
    let last_start = all.iter().map(|c| c.opened).max().unwrap_or(start);
    let arriving = last_start.since(start).as_secs_f64();
    let is_whole = |c: &&Connection| c.written == Some(c.delivered);
    let mut times: Vec<f64> = all.iter().filter(is_whole).map(time).collect();
    times.sort_by(f64::total_cmp);
    let mut put = |name: &str, value: Option<f64>| {
        if let Some(value) = value {
            record.set(name, value);
        }
    };
    put("goodput_bps", per_second(measured, seconds));
    let delivered: u64 = all.iter().map(|c| c.delivered).sum();
    put("bytes", Some(delivered as f64));
    put("completion_ns", Some(last.since(start).as_ns() as f64));
    put("retransmits", sum(|c| c.retransmits).map(|n| n as f64));
    put("rtos", sum(|c| c.rtos).map(|n| n as f64));
    put("flows", Some(times.len() as f64));
    put("offered_bps", offered.and_then(|o| per_second(o, arriving)));
    let mean = |offered: u64| (offered as f64 / all.len().max(1) as f64).round();
    put("size_mean_bytes", offered.map(mean));
    if !times.is_empty() {
        let sum: f64 = times.iter().sum();
        put("flow_time_avg_ns", Some((sum / times.len() as f64).round()));
        put("flow_time_p50_ns", Some(percentile(&times, 0.50).round()));
        put("flow_time_p99_ns", Some(percentile(&times, 0.99).round()));
        let whole: Vec<f64> = times.iter().map(|t| t.round()).collect();
        record.set_times("flow_time_ns", &whole);
        by_size(all.iter().filter(is_whole), record);
    }
    if all.is_empty() || times.len() < all.len() {
        let why = format!(
            "{} of {} flows were not delivered whole",
            all.len() - times.len(),
            all.len()
        );
        span.not_ended(record, why);
        if !times.is_empty() {
            record.notes.push(format!(
                "flow_time_* are of the {} of {} flows that were delivered whole; the others would have taken longest",
                times.len(),
                all.len()
            ));
        }
    }
}

#[cfg(test)]
mod tests {
    use farpath_record::Origin;
    use farpath_units::{Duration, Time};

    use super::*;

    #[test]
    fn flow_times_are_kept_by_the_decade_of_the_size() {
        let flow = |delivered: u64, ms: u64| Connection {
            delivered,
            finished: Time::ZERO + Duration::from_ms(ms),
            ..Connection::default()
        };
        let flows = [flow(1000, 5), flow(9999, 3), flow(10_000, 40), flow(0, 1)];
        let of = |flows: &[Connection]| {
            let mut record = Record::new(Origin::Simulated, "web", "flows", "a", "b");
            by_size(flows.iter(), &mut record);
            record.times
        };
        let times = of(&flows);
        let ns = |name: &str| times[name].v.clone();
        assert_eq!(ns("flow_time_ns.1000"), [3e6, 5e6]);
        assert_eq!(ns("flow_time_ns.10000"), [40e6]);
        assert_eq!((ns("flow_time_ns.0"), times.len()), (vec![1e6], 3));
        assert!(
            of(&flows[..2]).is_empty(),
            "of one decade the whole says it"
        );
    }
}
