//! Which programs a scenario's tests put on which nodes.

use farpath_scenario::plan::Flow;
use farpath_scenario::{Arrivals, Ping, Scenario, Test, TestKind};
use farpath_units::{Key, Time};
use farpath_wire::FlowDir;

use crate::build::{Built, Keep};
use crate::ping::{Pinger, PingerConfig};
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
    for number in 0..built.plan.flows.len() {
        let flow = built.plan.flows[number].clone();
        let dir = FlowDir::forward(number as u16);
        let (Some(out), Some(back)) = (
            built.station(flow.source.0).output(dir),
            built.station(flow.sink.0).output(dir.turned()),
        ) else {
            continue; // the plan routed every flow; a test to oneself has no route
        };
        let (source, sink) = programs(scenario, built, keep, &flow, dir, [out, back]);
        built.station_mut(flow.source.0).add(source, dir.turned());
        if let Some(sink) = sink {
            built.station_mut(flow.sink.0).add(sink, dir);
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
) -> (Program, Option<Program>) {
    let test = &scenario.tests[flow.test];
    match &test.kind {
        TestKind::Ping(ping) => (Program::Pinger(pinger(test, ping, dir, out)), None),
        TestKind::Udp(udp) => {
            let (measured_from, stop) = measured(test);
            let key = Key::new(built.seed()).with(&test.name).with("arrivals");
            let config = UdpConfig {
                flow: dir,
                output: out,
                start: test.start,
                measured_from,
                stop,
                rate: udp.rate,
                payload: udp.size,
                header: flow.header_bytes,
                class: test.class,
                luck: (udp.arrivals == Arrivals::Poisson).then(|| key.stream()),
            };
            let (source, sink) = (UdpSource::new(&config), UdpSink::new(&config));
            (Program::UdpSource(source), Some(Program::UdpSink(sink)))
        }
        TestKind::Tcp(tcp) => {
            let (measured_from, stop) = measured(test);
            let config = built
                .plan
                .tcp_config(scenario, usize::from(dir.flow()), tcp);
            let ip_header = if test.ip == 6 { 40 } else { 20 };
            let source = TcpSource::new(TcpSourceConfig {
                flow: dir,
                output: out,
                start: test.start,
                stop,
                ip_header,
                header: flow.header_bytes,
                class: test.class,
                sequence: keep.sequence,
                tcp: config.clone(),
            });
            let sink = TcpSink::new(TcpSinkConfig {
                flow: dir,
                output: back,
                measured_from,
                measured_until: stop,
                ip_header,
                header: flow.header_bytes,
                class: test.class,
                tcp: config,
            });
            (
                Program::TcpSource(Box::new(source)),
                Some(Program::TcpSink(Box::new(sink))),
            )
        }
    }
}

fn pinger(test: &Test, ping: &Ping, flow: FlowDir, output: usize) -> Pinger {
    Pinger::new(PingerConfig {
        flow,
        output,
        start: test.start,
        interval: ping.interval,
        count: ping.count.into(),
        size: ping.size as u16,
        ttl: ping.ttl,
        class: test.class,
        timeout: ping.timeout,
    })
}
