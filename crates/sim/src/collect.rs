//! From the network at rest to records: metrics, series and link counters.

use std::collections::BTreeMap;

use farpath_record::streams::{compare_groups, largest_share, merge_streams, percentile, ramp_end};
use farpath_record::{LinkRecord, Origin, Record, Series, StreamRecord};
use farpath_scenario::{Scenario, Test, TestKind};
use farpath_units::Time;
use farpath_wire::FlowDir;

use crate::build::Built;
use crate::limits;
use crate::ping::Pinger;
use crate::programs::measured;
use crate::run::Outcome;
use crate::station::Program;
use crate::tcp::{TcpSink, TcpSource};
use crate::udp::{UdpSink, UdpSource};

mod cells;
mod exchange;
mod flows;

type Metrics = BTreeMap<String, f64>;
type Point = BTreeMap<String, String>;

/// One record per test, in file order.
pub fn records(scenario: &Scenario, outcome: &Outcome, point: &Point) -> Vec<Record> {
    let tests = scenario.tests.iter().enumerate();
    let mut records: Vec<Record> = tests
        .map(|(number, test)| record(scenario, outcome, point, number, test))
        .collect();
    let groups: Vec<_> = scenario.tests.iter().map(|t| t.group.as_deref()).collect();
    compare_groups(&groups, &mut records);
    records
}

fn record(
    scenario: &Scenario,
    outcome: &Outcome,
    point: &Point,
    number: usize,
    test: &Test,
) -> Record {
    let built = &outcome.built;
    let flows = built
        .wan
        .plan
        .flows
        .iter()
        .enumerate()
        .filter(|(_, f)| f.test == number && !f.asks);
    let flows: Vec<usize> = flows.map(|(n, _)| n).collect();
    let mut record = Record {
        schema: "farpath.record/1".to_owned(),
        origin: Origin::Simulated,
        test: test.name.clone(),
        kind: test.kind.name().to_owned(),
        from: scenario.node_name(test.from).to_owned(),
        to: scenario.node_name(test.to).to_owned(),
        point: point.clone(),
        repeat: 0,
        started_ns: test.start.as_ns(),
        duration_ns: outcome.end.since(test.start).as_ns(),
        metrics: Metrics::new(),
        limited_by: None,
        streams: Vec::new(),
        series: BTreeMap::new(),
        valid: true,
        notes: Vec::new(),
        findings: Vec::new(),
        certificate: None,
    };
    if let Some(duration) = test.duration {
        record.duration_ns = duration.as_ns();
    }
    match &test.kind {
        TestKind::Ping(_) => ping(scenario, built, flows[0], &mut record),
        TestKind::Flows(_) => flows::metrics(built, &flows, test, &mut record.metrics),
        TestKind::Udp(_) => udp(scenario, built, flows[0], test, &mut record),
        TestKind::Tcp(_) => tcp(scenario, built, &flows, test, &mut record),
        TestKind::Transfer(_) | TestKind::Request(_) => {
            tcp(scenario, built, &flows, test, &mut record);
            exchange::metrics(built, &flows, test, &mut record.metrics);
        }
    }
    record
}

fn put(metrics: &mut Metrics, name: &str, value: f64) {
    metrics.insert(name.to_owned(), value);
}

fn pinger(built: &Built, flow: usize) -> Option<&Pinger> {
    let dir = FlowDir::forward(flow as u16).turned();
    match built
        .station(built.wan.plan.flows[flow].source.0)
        .program(dir)?
    {
        Program::Pinger(p) => Some(p),
        _ => None,
    }
}

fn ping(scenario: &Scenario, built: &Built, flow: usize, record: &mut Record) {
    let Some(pinger) = pinger(built, flow) else {
        return;
    };
    let mut rtts: Vec<f64> = pinger
        .replies
        .iter()
        .map(|(_, rtt)| rtt.as_ps() as f64 / 1000.0)
        .collect();
    let series = Series {
        t_ns: pinger
            .replies
            .iter()
            .map(|(sent, _)| sent.as_ns())
            .collect(),
        v: rtts.iter().map(|r| r.round()).collect(),
    };
    record.series.insert("rtt_ns".to_owned(), series);
    rtts.sort_by(f64::total_cmp);
    let m = &mut record.metrics;
    let (sent, received) = (pinger.sent() as f64, rtts.len() as f64);
    put(m, "sent", sent);
    put(m, "received", received);
    if pinger.duplicates > 0 {
        put(m, "duplicates", pinger.duplicates as f64);
    }
    put(
        m,
        "loss_ratio",
        if sent > 0.0 {
            1.0 - received / sent
        } else {
            0.0
        },
    );
    if let (Some(first), Some(last)) = (rtts.first(), rtts.last()) {
        put(m, "rtt_min_ns", first.round());
        put(m, "rtt_max_ns", last.round());
        put(
            m,
            "rtt_avg_ns",
            (rtts.iter().sum::<f64>() / received).round(),
        );
        put(m, "rtt_p50_ns", percentile(&rtts, 0.50).round());
        put(m, "rtt_p99_ns", percentile(&rtts, 0.99).round());
    }
    for (ordinal, node, kind) in &pinger.errors {
        let name = scenario.node_name(farpath_scenario::NodeId(*node as usize));
        record.notes.push(format!(
            "request {} was answered by {name}: {kind:?}",
            ordinal + 1
        ));
    }
}

fn udp(scenario: &Scenario, built: &Built, flow: usize, test: &Test, record: &mut Record) {
    let dir = FlowDir::forward(flow as u16);
    let plan = &built.wan.plan.flows[flow];
    let source = built.station(plan.source.0).program(dir.turned());
    let sink = built.station(plan.sink.0).program(dir);
    let (Some(Program::UdpSource(source)), Some(Program::UdpSink(sink))) = (source, sink) else {
        return;
    };
    match &test.kind {
        TestKind::Udp(udp) if udp.cells.is_some() => {
            cells::metrics(source, sink, &mut record.metrics);
        }
        _ => udp_metrics(source, sink, test, &mut record.metrics),
    }
    let missing = sink.missing.series();
    record
        .series
        .extend(missing.map(|s| ("missing".to_owned(), s)));
    let lossy = sink.received < source.measured;
    let limit = if lossy {
        limits::of_lossy_stream(scenario, built, flow)
    } else if source.was_held {
        "host_cpu"
    } else {
        "application"
    };
    record.limited_by = Some(limit.to_owned());
}

fn udp_metrics(source: &UdpSource, sink: &UdpSink, test: &Test, m: &mut Metrics) {
    let seconds = test.duration.map_or(0.0, |d| d.as_secs_f64());
    let per_second = |bytes: f64| {
        if seconds > 0.0 {
            bytes * 8.0 / seconds
        } else {
            0.0
        }
    };
    put(m, "sent", source.measured as f64);
    put(m, "received", sink.received as f64);
    put(
        m,
        "sent_bps",
        per_second(source.measured as f64 * f64::from(source.payload())),
    );
    put(m, "goodput_bps", per_second(sink.bytes as f64));
    let lost = source.measured.saturating_sub(sink.received) as f64;
    put(
        m,
        "loss_ratio",
        if source.measured > 0 {
            lost / source.measured as f64
        } else {
            0.0
        },
    );
    put(m, "jitter_ns", sink.jitter_ns.round());
    put(m, "reordered", sink.reordered as f64);
    if sink.duplicates > 0 {
        put(m, "duplicates", sink.duplicates as f64);
    }
    put(m, "bytes", sink.total_bytes as f64);
}

fn ends(built: &Built, flow: usize) -> Option<(&TcpSource, &TcpSink)> {
    let dir = FlowDir::forward(flow as u16);
    let plan = &built.wan.plan.flows[flow];
    let source = built.station(plan.source.0).program(dir.turned())?;
    let sink = built.station(plan.sink.0).program(dir)?;
    Some((source.tcp_source()?, sink.tcp_sink()?))
}

fn tcp(scenario: &Scenario, built: &Built, flows: &[usize], test: &Test, record: &mut Record) {
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    for (stream, flow) in flows.iter().enumerate() {
        let Some((source, sink)) = ends(built, *flow) else {
            continue;
        };
        let mut stream_record = StreamRecord {
            stream: stream as u32,
            ..StreamRecord::default()
        };
        tcp_metrics(source, sink, test, &mut stream_record.metrics);
        stream_record.limited_by = limits::shares(scenario, built, *flow, source);
        for (name, share) in &stream_record.limited_by {
            *shares.entry(name.clone()).or_default() += share / flows.len() as f64;
        }
        record.streams.push(stream_record);
    }
    merge_streams(record);
    record.limited_by = largest_share(&shares);
    tcp_series(built, flows, test, record);
}

fn tcp_metrics(source: &TcpSource, sink: &TcpSink, test: &Test, m: &mut Metrics) {
    let stats = source.sender().stats();
    let completion = sink.finished().since(test.start);
    let seconds = test
        .duration
        .unwrap_or(completion.saturating_sub(test.omit))
        .as_secs_f64();
    put(m, "bytes", sink.receiver().delivered() as f64);
    put(
        m,
        "goodput_bps",
        if seconds > 0.0 {
            sink.measured_bytes() as f64 * 8.0 / seconds
        } else {
            0.0
        },
    );
    put(m, "completion_ns", completion.as_ns() as f64);
    put(m, "retransmits", stats.retransmits as f64);
    put(m, "rtos", stats.rtos as f64);
    put(m, "cwnd_max_bytes", source.cwnd_max as f64);
    let rtt = &source.rtt;
    if rtt.count > 0 {
        put(m, "rtt_min_ns", rtt.min.as_ns() as f64);
        put(m, "rtt_avg_ns", (rtt.mean_s() * 1e9).round());
        put(m, "rtt_max_ns", rtt.max.as_ns() as f64);
    }
    if let Some(loss) = source.sender().last_loss()
        && let Some(regained) = loss.regained
    {
        put(m, "recovery_s", regained.since(loss.at).as_secs_f64());
    }
}

fn tcp_series(built: &Built, flows: &[usize], test: &Test, record: &mut Record) {
    let every = built.wan.sampling.every;
    let (_, until) = measured(test);
    let Some((first_source, first_sink)) = flows.first().and_then(|f| ends(built, *f)) else {
        return;
    };
    let count = first_source.samples.len().min(first_sink.samples.len());
    let mut names: BTreeMap<String, Series> = BTreeMap::new();
    let mut before = vec![0_u64; flows.len()];
    let mut goodputs = Vec::new();
    for n in 0..count {
        let t = Time::ZERO + every.times(n as u64 + 1);
        if t <= test.start {
            continue;
        }
        let (mut cwnd, mut in_flight, mut delivered, mut rtt) = (0.0, 0.0, 0.0, None);
        for (k, flow) in flows.iter().enumerate() {
            let Some((source, sink)) = ends(built, *flow) else {
                continue;
            };
            let (Some(s), Some(d)) = (source.samples.get(n), sink.samples.get(n)) else {
                continue;
            };
            cwnd += s.cwnd as f64;
            in_flight += s.in_flight as f64;
            delivered += (d - before[k]) as f64;
            before[k] = *d;
            rtt = rtt.or(s.srtt);
        }
        let goodput = delivered * 8.0 / every.as_secs_f64();
        goodputs.push((t, goodput));
        let mut note = |name: &str, v: f64| {
            let series = names.entry(name.to_owned()).or_default();
            series.t_ns.push(t.as_ns());
            series.v.push(v);
        };
        note("goodput_bps", goodput.round());
        note("cwnd_bytes", cwnd.round());
        note("in_flight_bytes", in_flight);
        if let Some(rtt) = rtt {
            note("srtt_ns", rtt.as_ns() as f64);
        }
        if t > until {
            break;
        }
    }
    if let Some(t) = ramp_end(&goodputs) {
        let ramp = t.since(test.start).as_secs_f64();
        record.metrics.insert("ramp_s".to_owned(), ramp);
    }
    record.series.extend(names);
}

/// Both directions of every link.
pub fn links(scenario: &Scenario, outcome: &Outcome, point: &Point) -> Vec<LinkRecord> {
    let built = &outcome.built;
    let ports = 0..built.port_count();
    let record = |number| {
        let mut record = farpath_wan::link(
            scenario,
            &built.wan,
            number,
            (built.port(number), &built.dropped_behind(number)),
            outcome.end,
        );
        record.origin = Origin::Simulated;
        record.point.clone_from(point);
        record
    };
    ports.map(record).collect()
}
