//! When, where and with what a test was taken, and the way its packets took.

use farpath_record::{Host, Route, RouteHop, Taken};
use farpath_scenario::plan::Stop;
use farpath_scenario::{NodeId, Test, TestKind, Tool};
use farpath_wire::FlowDir;

use super::Collector;
use farpath_probe::report::{IcmpError, PingError, Report};

/// What runs a test that no other tool does.
const OWN_TOOL: &str = concat!("farpath ", env!("CARGO_PKG_VERSION"));

/// TTL that kernels send with unless another is configured.
const USUAL_TTL: u8 = 64;

impl Collector<'_, '_> {
    /// What is known of the circumstances of a test that was run.
    pub(super) fn taken(&self, test: &Test, flows: &[usize]) -> Taken {
        let iperf3 = || {
            let reports = self.each(flows, |report| match report {
                Report::Iperf3(report) => Some(report.version.clone()),
                _ => None,
            });
            reports.into_iter().next()
        };
        let ends = [test.from, test.to];
        let [from, to] = ends.map(|node| self.scenario.node_name(node));
        let zero = self.results.zero;
        Taken {
            at_utc_ns: zero.map(|zero| zero.at_ns),
            utc_error_ns: zero.and_then(|zero| zero.error_ns),
            clock_error_ns: self.results.clock_error_ns(from, to),
            tool: match test.tool {
                Tool::Iperf3 => iperf3(),
                Tool::Farpath => Some(OWN_TOOL.to_owned()),
            },
            hosts: ends.map(|node| self.host(node, test.ip)).into(),
        }
    }

    fn host(&self, node: NodeId, version: u8) -> Host {
        let name = self.scenario.node_name(node);
        let system = self.results.systems.get(name);
        let clock = self.results.clocks.get(name);
        Host {
            name: name.to_owned(),
            addresses: vec![self.planned.address(node, version).to_string()],
            os: system.map(|system| system.os.clone()),
            kernel: system.map(|system| system.kernel.clone()),
            clock_error_ns: clock.map(|clock| clock.error_ns()),
        }
    }

    /// The way from the end that starts: what the network between the hosts was made to do, where there is such a thing, and
    /// where requests of a ping were seen to expire.
    pub(super) fn route(&self, test: &Test, flow: usize) -> Option<Route> {
        let ttl = match &test.kind {
            TestKind::Ping(ping) => ping.ttl,
            _ => USUAL_TTL,
        };
        let there = FlowDir::forward(flow as u16);
        let dir = match self.plan.flows[flow].source == test.from {
            true => there,
            false => there.turned(),
        };
        let stops = match (self.paths)(flow) {
            Some(_) => self.plan.stops(dir, ttl),
            None => Vec::new(),
        };
        let reached = stops.last().copied().flatten();
        let reached = reached.is_some_and(|stop| stop.node == test.to);
        let hops = (1..).zip(&stops);
        let mut hops: Vec<RouteHop> = hops.map(|(ttl, s)| self.hop(ttl, *s, test.ip)).collect();
        let expired = self.find(flow, |report| match report {
            Report::Ping(report) => self.expired(&report.errors, ttl),
            _ => None,
        });
        if let Some(expired) = expired {
            hops.truncate(usize::from(ttl) - 1);
            hops.push(expired);
        }
        (!hops.is_empty()).then_some(Route { hops, reached })
    }

    fn hop(&self, ttl: u8, stop: Option<Stop>, version: u8) -> RouteHop {
        let node = stop.map(|stop| stop.node);
        RouteHop {
            ttl,
            address: node.map(|node| self.planned.address(node, version).to_string()),
            name: node.map(|node| self.scenario.node_name(node).to_owned()),
            rtt_ns: Vec::new(),
            labels: stop.and_then(|stop| stop.label).into_iter().collect(),
        }
    }

    /// Who answered requests whose TTL ran out.
    fn expired(&self, errors: &[PingError], ttl: u8) -> Option<RouteHop> {
        let expired = |e: &&PingError| e.error == IcmpError::TimeExceeded;
        let first = errors.iter().find(expired)?;
        let same = errors.iter().filter(expired).filter(|e| e.by == first.by);
        Some(RouteHop {
            ttl,
            address: first.by.map(|by| by.to_string()),
            name: first.by.and_then(|by| self.name_of(by)).map(str::to_owned),
            rtt_ns: same.map(|e| e.rtt_ns).collect(),
            labels: first.labels.clone(),
        })
    }
}
