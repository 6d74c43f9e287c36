//! What another program measured, in our own words.

use farpath_record::streams::{merge_streams, ramp_end};
use farpath_record::{Record, StreamRecord};
use farpath_scenario::{Test, TestKind};

use super::{Metrics, lost, put};
use crate::report::Iperf3Report;

/// Fills a record with what iperf3's clients said, one a stream.
pub(super) fn fill(reports: &[&Iperf3Report], test: &Test, record: &mut Record) {
    let Some(first) = reports.first() else {
        return;
    };
    record.notes.push(format!(
        "run by {}; it says nothing of what limited it, and its clock starts some milliseconds \
         after the test",
        first.version
    ));
    if matches!(test.kind, TestKind::Udp(_)) {
        datagrams(first, &mut record.metrics);
    } else {
        for (stream, report) in reports.iter().enumerate() {
            let mut of_stream = StreamRecord {
                stream: stream as u32,
                ..StreamRecord::default()
            };
            connection(report, test, &mut of_stream.metrics);
            record.streams.push(of_stream);
        }
        merge_streams(record);
        // What it does not count it does not say.
        record.metrics.remove("rtos");
        let goodputs = series(reports, record);
        if let Some(t) = ramp_end(&goodputs) {
            let ramp_ns = t.saturating_sub(test.start.as_ns());
            put(&mut record.metrics, "ramp_s", ramp_ns as f64 * 1e-9);
        }
    }
    let longest = reports.iter().map(|r| r.completion_ns).max();
    record.duration_ns = longest.unwrap_or_default();
}

fn connection(report: &Iperf3Report, test: &Test, m: &mut Metrics) {
    put(m, "bytes", report.bytes as f64);
    put(m, "goodput_bps", report.goodput_bps as f64);
    if test.kind.tcp().is_some_and(|tcp| tcp.bytes.is_some()) {
        put(m, "completion_ns", report.completion_ns as f64);
    }
    if let Some(retransmits) = report.retransmits {
        put(m, "retransmits", retransmits as f64);
    }
    if let Some(cwnd) = report.cwnd_max {
        put(m, "cwnd_max_bytes", cwnd as f64);
    }
    if let Some([least, mean, most]) = report.rtt_ns {
        put(m, "rtt_min_ns", least as f64);
        put(m, "rtt_avg_ns", mean as f64);
        put(m, "rtt_max_ns", most as f64);
    }
}

fn datagrams(report: &Iperf3Report, m: &mut Metrics) {
    put(m, "sent_bps", report.sent_bps as f64);
    put(m, "goodput_bps", report.goodput_bps as f64);
    put(m, "bytes", report.bytes as f64);
    if let (Some(sent), Some(gone)) = (report.packets, report.lost) {
        let received = sent.saturating_sub(gone);
        put(m, "sent", sent as f64);
        put(m, "received", received as f64);
        put(m, "loss_ratio", lost(sent as f64, received as f64));
    }
    if let Some(reordered) = report.reordered {
        put(m, "reordered", reordered as f64);
    }
    if let Some(jitter) = report.jitter_ns {
        put(m, "jitter_ns", jitter.round());
    }
}

/// The streams' intervals, summed up by number: they are equally long.
fn series(reports: &[&Iperf3Report], record: &mut Record) -> Vec<(u64, f64)> {
    let count = reports.iter().map(|r| r.intervals.len()).min().unwrap_or(0);
    let mut goodputs = Vec::new();
    for n in 0..count {
        let intervals = || reports.iter().map(|r| r.intervals[n]);
        let t = reports[0].started_ns + reports[0].intervals[n].end_ns;
        let goodput = intervals().map(|i| i.goodput_bps as f64).sum();
        goodputs.push((t, goodput));
        let cwnd = intervals().map(|i| i.cwnd).sum::<Option<u64>>();
        let mut note = |name: &str, value: Option<f64>| {
            let Some(value) = value else { return };
            let series = record.series.entry(name.to_owned()).or_default();
            series.t_ns.push(t);
            series.v.push(value);
        };
        note("goodput_bps", Some(goodput));
        note("cwnd_bytes", cwnd.filter(|c| *c > 0).map(|c| c as f64));
        let srtt = reports[0].intervals[n].srtt_ns.filter(|rtt| *rtt > 0);
        note("srtt_ns", srtt.map(|rtt| rtt as f64));
    }
    goodputs
}
