//! Which programs a scenario's tests put on which nodes.

mod one_way;
mod ping;

use farpath_scenario::plan::Flow;
use farpath_scenario::{Pace, Scenario, Test, TestKind, arrivals};
use farpath_units::{Duration, Key, Time};
use farpath_wire::FlowDir;

use crate::built::{Built, Keep};
use crate::exchange::{Answerer, Asker, ExchangeConfig};
use crate::host::Way;
use crate::station::Program;
use crate::tcp::{TcpSink, TcpSinkConfig, TcpSource, TcpSourceConfig};
use crate::udp::{UdpConfig, UdpSink, UdpSource};

/// Start and end of a test's measurement; a test without duration is measured to its end.
pub fn measured(test: &Test) -> (Time, Time) {
    let from = test.start + test.omit;
    (from, test.duration.map_or(Time::MAX, |d| from + d))
}

/// Puts every test's programs on its two nodes, and audits on all nodes when they are kept.
pub(crate) fn install(scenario: &Scenario, built: &mut Built, keep: Keep) {
    let mut of_flows = Vec::new();
    for number in 0..built.wan.plan.flows.len() {
        let flow = built.wan.plan.flows[number].clone();
        let dir = FlowDir::forward(number as u16);
        let (Some(out), Some(back)) = (
            built.station(flow.source.0).output(dir),
            built.station(flow.sink.0).output(dir.turned()),
        ) else {
            continue; // the plan routed every flow; a test to oneself has no route
        };
        let test = &scenario.tests[flow.test];
        if let Some(exchange) = test.kind.exchange(flow.stream) {
            // The flow of its requests comes next, and is put on with it.
            if !flow.asks {
                exchanges(scenario, built, keep, number, &exchange);
            }
            continue;
        }
        if let Some(flows) = test.kind.flows()
            && flow.stream == 0
        {
            of_flows = arrivals(test, flows, built.wan.seed());
        }
        let arrival = test.kind.flows();
        let arrival = arrival.and_then(|_| of_flows.get(flow.stream as usize).copied());
        // Who would come after the end of the test does not come.
        if arrival.is_some_and(|a| a.0 >= measured(test).1) {
            continue;
        }
        let outputs = [out, back];
        let (source, sink) = programs(scenario, built, keep, &flow, dir, outputs, arrival);
        let source_station = built.station_mut(flow.source.0);
        source_station.add(source, &[dir.turned()]);
        if let Some(sink) = sink {
            built.station_mut(flow.sink.0).add(sink, &[dir]);
        }
    }
    if keep.audit {
        for node in 0..scenario.node_count() {
            built.station_mut(node).audit();
        }
    }
}

/// The program that starts a flow, and the one at its other end. A ping has none there: every node
/// answers echo requests by itself. `outputs` are where the two ends send.
fn programs(
    scenario: &Scenario,
    built: &Built,
    keep: Keep,
    flow: &Flow,
    dir: FlowDir,
    [out, back]: [usize; 2],
    arrival: Option<(Time, u64)>,
) -> (Program, Option<Program>) {
    let test = &scenario.tests[flow.test];
    match &test.kind {
        TestKind::Ping(ping) => {
            let after = built.station(flow.source.0).lookahead();
            let pinger = ping::Pinger::new(test, ping, dir, out, after);
            (Program::Prober(Box::new(pinger)), None)
        }
        TestKind::OneWay(all) => {
            let (source, sink) = one_way::ends(test, all, dir, out);
            (Program::Prober(source), Some(Program::Prober(sink)))
        }
        TestKind::Udp(udp) => {
            let (measured_from, stop) = measured(test);
            let key = Key::new(built.wan.seed()).with(&test.name);
            let source = UdpSource::new(UdpConfig {
                flow: dir,
                output: out,
                measured_from,
                stop,
                pace: Pace::new(udp, test.start, key),
                payload: udp.size,
                header: flow.header_bytes,
                class: test.class,
            });
            let there = built.wan.plan.walk(scenario, dir);
            let base = built.wan.plan.propagation(scenario, &there);
            let mut sink = UdpSink::new(udp.size, measured_from, stop, base);
            let contract = udp.cells.and_then(|cells| cells.contract);
            sink.meter = contract.map(|c| (farpath_wan::meter(&c), 0));
            (Program::UdpSource(source), Some(Program::UdpSink(sink)))
        }
        TestKind::Tcp(_) | TestKind::Transfer(_) | TestKind::Request(_) | TestKind::Flows(_) => {
            let (source, sink) = connection(scenario, built, keep, dir, [out, back], arrival);
            (
                Program::TcpSource(Box::new(source)),
                Some(Program::TcpSink(Box::new(sink))),
            )
        }
    }
}

/// The two ends of the connection that is flow `dir`; `outputs` are where they send, `arrival` its
/// own start and bytes where it has them.
fn connection(
    scenario: &Scenario,
    built: &Built,
    keep: Keep,
    dir: FlowDir,
    [out, back]: [usize; 2],
    arrival: Option<(Time, u64)>,
) -> (TcpSource, TcpSink) {
    let number = usize::from(dir.flow());
    let flow = &built.wan.plan.flows[number];
    let test = &scenario.tests[flow.test];
    let tcp = test
        .kind
        .tcp()
        .expect("only tests over TCP have connections");
    let exchange = test.kind.exchange(flow.stream);
    let (measured_from, stop) = measured(test);
    let mut config = built.wan.plan.tcp_config(scenario, number, tcp);
    if let Some((_, bytes)) = arrival {
        config.amount = Some(bytes);
    }
    let ip_header = if test.ip == 6 { 40 } else { 20 };
    // `from` opens every connection, also those it fetches over.
    let called = flow.source != test.from;
    let start = arrival.map_or(test.start_of(flow.stream), |a| a.0);
    let to_disk = exchange.is_some_and(|e| e.disks) && !flow.asks;
    let source = TcpSource::new(TcpSourceConfig {
        flow: dir,
        output: out,
        start,
        called,
        stop,
        quiet: arrival.is_some(),
        goes_on: exchange.is_some(),
        ip_header,
        header: flow.header_bytes,
        class: test.class,
        too_big: too_big(scenario, built, number),
        peer: flow.sink.0 as u32,
        sequence: if flow.asks || arrival.is_some() {
            0
        } else {
            keep.sequence
        },
        tcp: config.clone(),
    });
    let sink = TcpSink::new(TcpSinkConfig {
        flow: dir,
        output: back,
        measured_from,
        measured_until: stop,
        steps: arrival
            .is_none()
            .then(|| (test.start, round(scenario, built, flow.test))),
        ip_header,
        header: flow.header_bytes,
        class: test.class,
        dials: called.then_some(start),
        writes: to_disk && built.station(flow.sink.0).host().has_disk(Way::Write),
        tcp: config,
    });
    (source, sink)
}

/// The shortest round trip of a test's first connection: a full segment and its acknowledgement, nothing waiting.
fn round(scenario: &Scenario, built: &Built, test: usize) -> Duration {
    let plan = &built.wan.plan;
    let mut flows = plan.flows.iter();
    let number = flows.position(|f| f.test == test).unwrap_or_default();
    let mss = scenario.tests[test].kind.tcp().map(|tcp| {
        let config = plan.tcp_config(scenario, number, tcp);
        config.mss
    });
    let header = u32::from(plan.flows[number].header_bytes);
    let dir = FlowDir::forward(number as u16);
    let ways = [
        (dir, header + mss.unwrap_or_default()),
        (dir.turned(), header),
    ];
    ways.into_iter().fold(Duration::ZERO, |sum, (dir, len)| {
        let hops = plan.walk(scenario, dir);
        sum + plan.propagation(scenario, &hops) + plan.serialisation(scenario, &hops, len)
    })
}

/// What routers say of a flow's datagrams: node, and the largest that it sends on.
fn too_big(scenario: &Scenario, built: &Built, flow: usize) -> Vec<(u32, u16)> {
    let (_, steps) = built.wan.plan.steps_of(scenario, flow);
    let told = steps.iter().filter(|step| step.answers);
    told.map(|step| (step.node.0 as u32, step.mtu as u16))
        .collect()
}

/// Puts both ends of stream `data` on their nodes; the flow of its requests is the next.
fn exchanges(
    scenario: &Scenario,
    built: &mut Built,
    keep: Keep,
    data: usize,
    exchange: &farpath_scenario::Exchange,
) {
    let flow = built.wan.plan.flows[data].clone();
    let test = &scenario.tests[flow.test];
    let (there, asking) = (
        FlowDir::forward(data as u16),
        FlowDir::forward(data as u16 + 1),
    );
    let output = |node: usize, dir: FlowDir| built.station(node).output(dir).unwrap_or(0);
    let (source, sink) = (flow.source.0, flow.sink.0);
    let outputs = [output(source, there), output(sink, there.turned())];
    let (gives, takes) = connection(scenario, built, keep, there, outputs, None);
    let outputs = [output(sink, asking), output(source, asking.turned())];
    let (asks, hears) = connection(scenario, built, keep, asking, outputs, None);
    let (measured_from, stop) = measured(test);
    let config = ExchangeConfig {
        request: exchange.request,
        answer: exchange.answer,
        outstanding: exchange.outstanding,
        think: exchange.think,
        requests: exchange.requests,
        measured_from,
        stop,
    };
    let reads = exchange.disks && built.station(source).host().has_disk(Way::Read);
    let answerer = Answerer::new(config, hears, gives, reads);
    let asker = Asker::new(config, asks, takes);
    let answerer = Program::Answerer(Box::new(answerer));
    built
        .station_mut(source)
        .add(answerer, &[there.turned(), asking]);
    let asker = Program::Asker(Box::new(asker));
    built
        .station_mut(sink)
        .add(asker, &[there, asking.turned()]);
}
