//! From what both ends of every flow told to records, with the names and meanings of simulated ones.

mod curve;
mod foreign;

use std::collections::BTreeMap;
use std::net::IpAddr;

use farpath_record::streams::{compare_groups, largest_share, merge_streams, percentile};
use farpath_record::{Origin, RECORD_SCHEMA, Record, Series, StreamRecord};
use farpath_scenario::plan::Plan;
use farpath_scenario::{Scenario, Test, TestKind, Tool};

use crate::limits;
use crate::planned::Planned;
use crate::report::{
    AskReport, PingReport, Report, TcpReceiveReport, TcpSendReport, UdpReceiveReport, UdpSendReport,
};
use crate::results::Results;
use curve::{ramp_ns, recovery_ns, tcp_series};

/// Says what else than its own timers limited a flow between two instants of the run, in
/// nanoseconds: a link that was full, say (`link`, `nic`).
pub type Overrule<'a> = &'a dyn Fn(usize, u64, u64) -> Option<&'static str>;

type Metrics = BTreeMap<String, f64>;
type Point = BTreeMap<String, String>;

/// One record for every test that was run, in file order.
pub fn records(
    scenario: &Scenario,
    plan: &Plan,
    (planned, results): (&Planned, &Results),
    origin: Origin,
    point: &Point,
    overrule: Overrule<'_>,
) -> Vec<Record> {
    let collector = Collector {
        scenario,
        plan,
        planned,
        results,
        overrule,
    };
    let run = |n: &usize| !planned.skipped.contains_key(n);
    let numbers: Vec<usize> = (0..scenario.tests.len()).filter(run).collect();
    let all = numbers.iter().map(|n| collector.record(*n, origin, point));
    let mut records: Vec<Record> = all.collect();
    let group = |n: &usize| scenario.tests[*n].group.as_deref();
    let groups: Vec<Option<&str>> = numbers.iter().map(group).collect();
    compare_groups(&groups, &mut records);
    records
}

struct Collector<'a> {
    scenario: &'a Scenario,
    plan: &'a Plan,
    planned: &'a Planned,
    results: &'a Results,
    overrule: Overrule<'a>,
}

/// Both ends of a connection.
#[derive(Clone, Copy)]
pub(crate) struct Ends<'a> {
    source: &'a TcpSendReport,
    sink: &'a TcpReceiveReport,
}

fn put(metrics: &mut Metrics, name: &str, value: f64) {
    metrics.insert(name.to_owned(), value);
}

/// `ramp_s`, of intervals not shorter than a round trip or the hundredth part of the test.
fn put_ramp(
    goodputs: &[(u64, f64)],
    test: &Test,
    (duration_ns, rtt_ns): (u64, u64),
    record: &mut Record,
) {
    let duration_ns = test.duration.map_or(duration_ns, |d| d.as_ns());
    let least = rtt_ns.max(duration_ns / 100);
    if let Some(ns) = ramp_ns(goodputs, test.start.as_ns(), least) {
        put(&mut record.metrics, "ramp_s", ns as f64 * 1e-9);
    }
}

/// Bits in bytes over seconds; 0 in no time.
fn per_second(bytes: u64, ns: u64) -> f64 {
    match ns {
        0 => 0.0,
        ns => bytes as f64 * 8e9 / ns as f64,
    }
}

impl Collector<'_> {
    fn record(&self, number: usize, origin: Origin, point: &Point) -> Record {
        let test = &self.scenario.tests[number];
        let mut record = Record {
            schema: RECORD_SCHEMA.to_owned(),
            origin,
            test: test.name.clone(),
            kind: test.kind.name().to_owned(),
            from: self.scenario.node_name(test.from).to_owned(),
            to: self.scenario.node_name(test.to).to_owned(),
            point: point.clone(),
            repeat: 0,
            started_ns: test.start.as_ns(),
            duration_ns: 0,
            metrics: Metrics::new(),
            limited_by: None,
            streams: Vec::new(),
            series: BTreeMap::new(),
            valid: true,
            notes: self.planned.notes.get(&number).cloned().unwrap_or_default(),
            findings: Vec::new(),
            certificate: None,
        };
        let flows = self.plan.flows.iter().enumerate();
        let flows: Vec<usize> = flows
            .filter(|(_, f)| f.test == number && !f.asks)
            .map(|(n, _)| n)
            .collect();
        self.fill(test, &flows, &mut record);
        if let Some(duration) = test.duration {
            record.duration_ns = duration.as_ns();
        }
        let faults = self.results.faults.iter();
        let ours = faults.filter(|(flow, _)| flow.is_none_or(|f| flows.contains(&f)));
        for (flow, fault) in ours {
            record.valid = false;
            let stream = flow.and_then(|f| flows.iter().position(|n| *n == f));
            record.notes.push(match stream {
                Some(stream) if flows.len() > 1 => format!("stream {stream}: {fault}"),
                _ => fault.clone(),
            });
        }
        let mut kept = Vec::new();
        record.notes.retain(|note| {
            let new = !kept.contains(note);
            kept.push(note.clone());
            new
        });
        record
    }

    fn fill(&self, test: &Test, flows: &[usize], record: &mut Record) {
        if test.tool == Tool::Iperf3 {
            let find = |flow: &usize| match self.find(*flow, is_iperf3) {
                Some(Report::Iperf3(report)) => Some(report),
                _ => None,
            };
            let reports: Vec<_> = flows.iter().filter_map(find).collect();
            return foreign::fill(&reports, test, record);
        }
        match &test.kind {
            TestKind::Ping(_) => {
                if let Some(Report::Ping(report)) =
                    flows.first().and_then(|f| self.find(*f, is_ping))
                {
                    ping(report, &self.planned.names, record);
                }
            }
            TestKind::Udp(udp) => {
                let flow = flows.first().copied().unwrap_or_default();
                let (source, sink) = (self.find(flow, is_source), self.find(flow, is_sink));
                if let (Some(Report::UdpSend(source)), Some(Report::UdpReceive(sink))) =
                    (source, sink)
                {
                    let duration_ns = test.duration.map_or(0, |d| d.as_ns());
                    datagrams(source, sink, (udp.size, duration_ns), record);
                }
            }
            TestKind::Flows(_) => {
                let all: Vec<Ends<'_>> = flows.iter().filter_map(|f| self.ends(*f)).collect();
                many(&all, test, record);
            }
            TestKind::Tcp(_) => self.connections(test, flows, record),
            TestKind::Transfer(_) | TestKind::Request(_) => {
                self.connections(test, flows, record);
                let find = |f: &usize| match self.find(*f, is_sink) {
                    Some(Report::Ask(report)) => Some(report),
                    _ => None,
                };
                let askers: Vec<&AskReport> = flows.iter().filter_map(find).collect();
                answers(&askers, test, &mut record.metrics);
            }
        }
    }

    fn find(&self, flow: usize, is: fn(&Report) -> bool) -> Option<&Report> {
        self.results.reports.get(&flow)?.iter().find(|r| is(r))
    }

    fn ends(&self, flow: usize) -> Option<Ends<'_>> {
        let source = match self.find(flow, is_source)? {
            Report::TcpSend(report) | Report::Answer(report) => report,
            _ => return None,
        };
        let sink = match self.find(flow, is_sink)? {
            Report::TcpReceive(report) => report,
            Report::Ask(report) => &report.received,
            _ => return None,
        };
        Some(Ends { source, sink })
    }

    fn connections(&self, test: &Test, flows: &[usize], record: &mut Record) {
        let mut shares = Metrics::new();
        let mut all = Vec::new();
        for (stream, flow) in flows.iter().enumerate() {
            let Some(ends) = self.ends(*flow) else {
                continue;
            };
            all.push(ends);
            let mut of_stream = StreamRecord {
                stream: stream as u32,
                ..StreamRecord::default()
            };
            connection(ends, test, &mut of_stream.metrics);
            let from = (test.start + test.omit).as_ns();
            of_stream.limited_by = limits::shares(
                *flow,
                ends.source,
                Some(ends.sink),
                (test.start.as_ns(), from),
                self.overrule,
            );
            for (name, share) in &of_stream.limited_by {
                *shares.entry(name.clone()).or_default() += share / flows.len() as f64;
            }
            record.notes.extend_from_slice(&ends.source.notes);
            record.notes.extend_from_slice(&ends.sink.notes);
            record.streams.push(of_stream);
        }
        if all.is_empty() {
            return;
        }
        merge_streams(record);
        record.limited_by = largest_share(&shares);
        let last = all.iter().map(|e| e.sink.last_ns).max().unwrap_or_default();
        record.duration_ns = last.saturating_sub(test.start.as_ns());
        let (series, goodputs) = tcp_series(&all, test);
        record.series = series;
        let rtt = record.metrics.get("rtt_avg_ns").copied().unwrap_or(0.0) as u64;
        put_ramp(&goodputs, test, (record.duration_ns, rtt), record);
    }
}

fn is_iperf3(report: &Report) -> bool {
    matches!(report, Report::Iperf3(_))
}

fn is_ping(report: &Report) -> bool {
    matches!(report, Report::Ping(_))
}

fn is_source(report: &Report) -> bool {
    matches!(
        report,
        Report::UdpSend(_) | Report::TcpSend(_) | Report::Answer(_)
    )
}

fn is_sink(report: &Report) -> bool {
    matches!(
        report,
        Report::UdpReceive(_) | Report::TcpReceive(_) | Report::Ask(_)
    )
}

fn ping(report: &PingReport, names: &BTreeMap<IpAddr, String>, record: &mut Record) {
    let mut rtts: Vec<f64> = report.replies.iter().map(|(_, rtt)| *rtt as f64).collect();
    // In the order of the requests: an instant of the series never lies before the last.
    let mut replies = report.replies.clone();
    replies.sort_unstable();
    let series = Series {
        t_ns: replies.iter().map(|(sent, _)| *sent).collect(),
        v: replies.iter().map(|(_, rtt)| *rtt as f64).collect(),
    };
    let last = replies.iter().map(|(sent, rtt)| sent + rtt).max();
    record.duration_ns = last.map_or(0, |t| t.saturating_sub(record.started_ns));
    record.series.insert("rtt_ns".to_owned(), series);
    for (number, from, how) in &report.errors {
        let by = from.map_or_else(|| "?".to_owned(), |a| a.to_string());
        let by = from.and_then(|a| names.get(&a)).unwrap_or(&by);
        let note = format!("request {number} was answered by {by}: {how}");
        record.notes.push(note);
    }
    record.notes.extend_from_slice(&report.notes);
    rtts.sort_by(f64::total_cmp);
    let m = &mut record.metrics;
    let (sent, received) = (report.sent as f64, rtts.len() as f64);
    put(m, "sent", sent);
    put(m, "received", received);
    if report.duplicates > 0 {
        put(m, "duplicates", report.duplicates as f64);
    }
    put(m, "loss_ratio", lost(sent, received));
    if let (Some(first), Some(last)) = (rtts.first(), rtts.last()) {
        let sum: f64 = rtts.iter().sum();
        put(m, "rtt_min_ns", *first);
        put(m, "rtt_max_ns", *last);
        put(m, "rtt_avg_ns", (sum / received).round());
        put(m, "rtt_p50_ns", percentile(&rtts, 0.50));
        put(m, "rtt_p99_ns", percentile(&rtts, 0.99));
    }
}

/// The share that did not arrive; 0 of nothing.
fn lost(sent: f64, received: f64) -> f64 {
    if sent > 0.0 {
        (1.0 - received / sent).max(0.0)
    } else {
        0.0
    }
}

fn datagrams(
    source: &UdpSendReport,
    sink: &UdpReceiveReport,
    (size, duration_ns): (u32, u64),
    record: &mut Record,
) {
    let m = &mut record.metrics;
    put(m, "sent", source.measured as f64);
    put(m, "received", sink.received as f64);
    let sent_bytes = source.measured.saturating_mul(size.into());
    put(m, "sent_bps", per_second(sent_bytes, duration_ns));
    put(m, "goodput_bps", per_second(sink.bytes, duration_ns));
    put(
        m,
        "loss_ratio",
        lost(source.measured as f64, sink.received as f64),
    );
    put(m, "jitter_ns", sink.jitter_ns.round());
    put(m, "reordered", sink.reordered as f64);
    if sink.duplicates > 0 {
        put(m, "duplicates", sink.duplicates as f64);
    }
    put(m, "bytes", sink.total_bytes as f64);
    let missing = sink.missing.clone();
    record
        .series
        .extend(missing.map(|s| ("missing".to_owned(), s)));
    record.notes.extend_from_slice(&source.notes);
    record.notes.extend_from_slice(&sink.notes);
    if source.late_max_ns > LATE_NS {
        record.notes.push(format!(
            "a datagram left {:.1} ms after it was due",
            source.late_max_ns as f64 * 1e-6
        ));
    }
    // Where they were lost, this end does not know.
    let whole = sink.received >= source.measured;
    record.limited_by = whole.then(|| "application".to_owned());
}

/// Later than this is worth a note.
const LATE_NS: u64 = 1_000_000;

fn connection(ends: Ends<'_>, test: &Test, m: &mut Metrics) {
    let (source, sink) = (ends.source, ends.sink);
    let opened = source.opened_ns.min(sink.opened_ns);
    let completion = sink.last_ns.saturating_sub(opened);
    put(m, "bytes", sink.bytes as f64);
    let span = match test.duration {
        Some(duration) => duration.as_ns(),
        None => completion.saturating_sub(test.omit.as_ns()),
    };
    put(m, "goodput_bps", per_second(sink.measured, span));
    put(m, "completion_ns", completion as f64);
    put(m, "retransmits", source.retransmits as f64);
    if let Some(rtos) = source.rtos {
        put(m, "rtos", rtos as f64);
    }
    let samples = &source.samples;
    if let Some(cwnd) = samples.iter().map(|s| s.cwnd).max() {
        put(m, "cwnd_max_bytes", cwnd as f64);
    }
    let rtts = samples.iter().map(|s| s.srtt_ns).filter(|rtt| *rtt > 0);
    let (count, sum) = rtts
        .clone()
        .fold((0_u64, 0.0), |(n, sum), rtt| (n + 1, sum + rtt as f64));
    if let (Some(least), Some(most)) = (rtts.clone().min(), rtts.max()) {
        let least = source.rtt_min_ns.unwrap_or(least).min(least);
        put(m, "rtt_min_ns", least as f64);
        put(m, "rtt_avg_ns", (sum / count as f64).round());
        put(m, "rtt_max_ns", most as f64);
    }
    if let Some(ns) = recovery_ns(samples) {
        put(m, "recovery_s", ns as f64 * 1e-9);
    }
}

/// Requests answered within the measurement, how many that is a second, and how long they took.
fn answers(askers: &[&AskReport], test: &Test, m: &mut Metrics) {
    let answered: u64 = askers.iter().map(|a| a.measured).sum();
    put(m, "requests", answered as f64);
    let last = askers.iter().map(|a| a.last_answer_ns).max().unwrap_or(0);
    let ns = match test.duration {
        Some(duration) => duration.as_ns(),
        None => last.saturating_sub((test.start + test.omit).as_ns()),
    };
    let rate = match ns {
        0 => 0.0,
        ns => answered as f64 * 1e9 / ns as f64,
    };
    put(m, "request_rate", rate);
    let some = || askers.iter().filter(|a| a.measured > 0);
    let (least, most) = (
        some().map(|a| a.response_ns[0]).min(),
        some().map(|a| a.response_ns[1]).max(),
    );
    if let (Some(least), Some(most)) = (least, most) {
        let sum: f64 = some().map(|a| a.response_ns[2] as f64).sum();
        put(m, "response_min_ns", least as f64);
        put(m, "response_max_ns", most as f64);
        put(m, "response_avg_ns", (sum / answered as f64).round());
    }
}

/// What flows that come and go measured, all of them together.
fn many(all: &[Ends<'_>], test: &Test, record: &mut Record) {
    let m = &mut record.metrics;
    let start = test.start.as_ns();
    let last = all.iter().map(|e| e.sink.last_ns).max().unwrap_or(start);
    let span = match test.duration {
        Some(duration) => duration.as_ns(),
        None => last.saturating_sub((test.start + test.omit).as_ns()),
    };
    let sum = |of: fn(&Ends<'_>) -> u64| all.iter().map(of).sum::<u64>();
    put(m, "goodput_bps", per_second(sum(|e| e.sink.measured), span));
    put(m, "bytes", sum(|e| e.sink.bytes) as f64);
    put(m, "completion_ns", last.saturating_sub(start) as f64);
    put(m, "retransmits", sum(|e| e.source.retransmits) as f64);
    if all.iter().all(|e| e.source.rtos.is_some()) {
        put(m, "rtos", sum(|e| e.source.rtos.unwrap_or(0)) as f64);
    }
    let opened = |e: &Ends<'_>| e.source.opened_ns.min(e.sink.opened_ns);
    let whole = all.iter().filter(|e| e.sink.bytes == e.source.written);
    let times = whole.map(|e| e.sink.last_ns.saturating_sub(opened(e)) as f64);
    let mut times: Vec<f64> = times.collect();
    put(m, "flows", times.len() as f64);
    let offered = sum(|e| e.source.written);
    let last_start = all.iter().map(opened).max().unwrap_or(start);
    let arriving = last_start.saturating_sub(start);
    put(m, "offered_bps", per_second(offered, arriving));
    let mean = offered as f64 / all.len().max(1) as f64;
    put(m, "size_mean_bytes", mean.round());
    times.sort_by(f64::total_cmp);
    if !times.is_empty() {
        let sum: f64 = times.iter().sum();
        put(m, "flow_time_avg_ns", (sum / times.len() as f64).round());
        put(m, "flow_time_p50_ns", percentile(&times, 0.50));
        put(m, "flow_time_p99_ns", percentile(&times, 0.99));
    }
    record.duration_ns = last.saturating_sub(start);
}
