//! Which programs a scenario's tests put on which nodes.

use farpath_scenario::{Arrivals, Scenario, Test, TestKind};
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

pub(crate) fn install(scenario: &Scenario, built: &mut Built, keep: Keep) {
    for number in 0..built.plan.flows.len() {
        let flow = built.plan.flows[number].clone();
        let test = &scenario.tests[flow.test];
        let dir = FlowDir::forward(number as u16);
        let (Some(out), Some(back)) = (
            built.station(flow.source.0).output(dir),
            built.station(flow.sink.0).output(dir.turned()),
        ) else {
            continue; // the plan routed every flow; a test to oneself has no route
        };
        match &test.kind {
            TestKind::Ping(ping) => {
                let pinger = Pinger::new(PingerConfig {
                    flow: dir,
                    output: out,
                    start: test.start,
                    interval: ping.interval,
                    count: ping.count.into(),
                    size: ping.size as u16,
                    ttl: ping.ttl,
                    class: test.class,
                    timeout: ping.timeout,
                });
                built
                    .station_mut(flow.source.0)
                    .add(Program::Pinger(pinger), dir.turned());
            }
            TestKind::Udp(udp) => {
                let (measured_from, stop) = measured(test);
                let key = Key::new(built.seed()).with(&test.name).with("arrivals");
                let source = UdpSource::new(&UdpConfig {
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
                });
                let sink = UdpSink::new(udp.size, measured_from, stop);
                built
                    .station_mut(flow.source.0)
                    .add(Program::UdpSource(source), dir.turned());
                built
                    .station_mut(flow.sink.0)
                    .add(Program::UdpSink(sink), dir);
            }
            TestKind::Tcp(tcp) => {
                let (measured_from, stop) = measured(test);
                let config = built.plan.tcp_config(scenario, number, tcp);
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
                built
                    .station_mut(flow.source.0)
                    .add(Program::TcpSource(Box::new(source)), dir.turned());
                built
                    .station_mut(flow.sink.0)
                    .add(Program::TcpSink(Box::new(sink)), dir);
            }
        }
    }
    if keep.audit {
        for node in 0..scenario.node_count() {
            built.station_mut(node).audit();
        }
    }
}
