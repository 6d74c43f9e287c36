//! What another program measured, as an observation.

use farpath_observe::{Connection, Datagrams, Observation, RoundTrips, Sample};
use farpath_record::FOREIGN;
use farpath_scenario::Test;
use farpath_units::{Duration, Time};

use super::{Seen, at};
use farpath_probe::report::Iperf3Report;

/// What iperf3's clients said, one a stream.
pub(super) fn seen(reports: &[&Iperf3Report], test: &Test) -> Option<Seen> {
    let first = reports.first()?;
    let note = format!(
        "run by {}; {FOREIGN}, and its clock starts some milliseconds after the test",
        first.version
    );
    let observation = if test.kind.udp().is_some() {
        Observation::Datagrams(datagrams(first))
    } else {
        let all = reports.iter().map(|report| connection(report, test));
        Observation::Connections(all.collect(), Vec::new())
    };
    let longest = reports.iter().map(|r| r.completion_ns).max();
    Some(Seen {
        observation,
        last: longest.map(|ns| test.start + Duration::from_ns(ns)),
        notes: vec![note],
    })
}

fn connection(report: &Iperf3Report, test: &Test) -> Connection {
    let whole = test.kind.whole(0);
    let end = |ns: u64| at(report.started_ns + ns);
    let mut since = 0;
    let bytes = |i: &farpath_probe::report::Iperf3Interval, since: u64| {
        let ns = i.end_ns.saturating_sub(since);
        (i.goodput_bps as f64 * ns as f64 / 8e9).round() as u64
    };
    let intervals: Vec<(Time, u64)> = report
        .intervals
        .iter()
        .map(|i| {
            let bytes = bytes(i, since);
            since = i.end_ns;
            (end(i.end_ns), bytes)
        })
        .collect();
    let samples = report.intervals.iter().map(|i| Sample {
        t: end(i.end_ns),
        cwnd: i.cwnd.filter(|cwnd| *cwnd > 0),
        srtt: i.srtt_ns.filter(|rtt| *rtt > 0).map(Duration::from_ns),
        ..Sample::default()
    });
    Connection {
        opened: at(report.started_ns),
        finished: end(report.completion_ns),
        delivered: report.bytes,
        goodput_bps: Some(report.goodput_bps as f64),
        whole,
        lasted: whole.map(|_| Duration::from_ns(report.completion_ns)),
        retransmits: report.retransmits,
        // iperf3 counts anew when what is omitted is over.
        measured_retransmits: report.retransmits,
        cwnd_max: report.cwnd_max,
        rtt: report.rtt_ns.map(|[least, mean, most]| RoundTrips {
            min_ns: least as f64,
            avg_ns: mean as f64,
            max_ns: most as f64,
            smoothed: true,
        }),
        samples: samples.collect(),
        // They are equally long; the last may be shorter.
        every: Duration::from_ns(report.intervals.first().map_or(0, |i| i.end_ns)),
        intervals,
        ..Connection::default()
    }
}

fn datagrams(report: &Iperf3Report) -> Datagrams {
    Datagrams {
        sent: report.packets,
        sent_bps: Some(report.sent_bps as f64),
        received: report
            .packets
            .zip(report.lost)
            .map(|(sent, lost)| sent.saturating_sub(lost)),
        goodput_bps: Some(report.goodput_bps as f64),
        total_bytes: report.bytes,
        reordered: report.reordered,
        jitter_ns: report.jitter_ns,
        ..Datagrams::default()
    }
}
