//! What a test of flows that come and go measured, all of them together.

use farpath_record::streams::percentile;
use farpath_scenario::Test;
use farpath_units::Time;

use super::{Metrics, ends, put};
use crate::build::Built;

pub(super) fn metrics(built: &Built, flows: &[usize], test: &Test, m: &mut Metrics) {
    let (mut bytes, mut measured, mut retransmits, mut rtos) = (0_u64, 0_u64, 0_u64, 0_u64);
    let (mut offered, mut last_start, mut last) = (0_u64, test.start, Time::ZERO);
    let (mut begun, mut times) = (0_u64, Vec::new());
    for (source, sink) in flows.iter().filter_map(|f| ends(built, *f)) {
        let (start, amount) = (source.config().start, source.config().tcp.amount);
        begun += 1;
        offered += amount.unwrap_or(0);
        last_start = last_start.max(start);
        bytes += sink.receiver().delivered();
        measured += sink.measured_bytes();
        let stats = source.sender().stats();
        retransmits += stats.retransmits;
        rtos += stats.rtos;
        last = last.max(sink.last);
        if Some(sink.receiver().delivered()) == amount {
            times.push(sink.last.since(start).as_ps() as f64 / 1000.0);
        }
    }
    let per_second = |bytes: u64, seconds: f64| match seconds > 0.0 {
        true => bytes as f64 * 8.0 / seconds,
        false => 0.0,
    };
    let span = test.duration.map_or_else(
        || last.since(test.start + test.omit).as_secs_f64(),
        |d| d.as_secs_f64(),
    );
    put(m, "goodput_bps", per_second(measured, span));
    put(m, "bytes", bytes as f64);
    put(m, "completion_ns", last.since(test.start).as_ns() as f64);
    put(m, "retransmits", retransmits as f64);
    put(m, "rtos", rtos as f64);
    put(m, "flows", times.len() as f64);
    let arriving = last_start.since(test.start).as_secs_f64();
    put(m, "offered_bps", per_second(offered, arriving));
    put(
        m,
        "size_mean_bytes",
        (offered as f64 / begun.max(1) as f64).round(),
    );
    times.sort_by(f64::total_cmp);
    if !times.is_empty() {
        let sum: f64 = times.iter().sum();
        put(m, "flow_time_avg_ns", (sum / times.len() as f64).round());
        put(m, "flow_time_p50_ns", percentile(&times, 0.50).round());
        put(m, "flow_time_p99_ns", percentile(&times, 0.99).round());
    }
}
