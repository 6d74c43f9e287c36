//! What limited a connection, interval by interval: the sender's own account, overruled where a
//! queue on the way was standing, for then the path and not the window set the pace.

use std::collections::BTreeMap;

use farpath_element::{Drop, Interval};
use farpath_scenario::{Scenario, TestKind};
use farpath_tcp::{Limit, Shares};
use farpath_units::Time;
use farpath_wire::FlowDir;

use crate::build::Built;
use crate::host::Way;
use crate::programs::measured;
use crate::tcp::TcpSource;

/// A link is saturated in an interval when it sent at this share of its rate and frames waited.
const SATURATED: f64 = 0.98;

/// Shares of the connection's time by limit, named as in a record; they sum to 1. The time is that
/// from the interval of the measurement's start until the application stopped, or until everything
/// it wrote was acknowledged.
pub(crate) fn shares(
    scenario: &Scenario,
    built: &Built,
    flow: usize,
    source: &TcpSource,
) -> BTreeMap<String, f64> {
    let hops = built.wan.plan.walk(scenario, FlowDir::forward(flow as u16));
    let mut shares: BTreeMap<String, f64> = BTreeMap::new();
    let mut before = Shares::default();
    let (from, _) = measured(&scenario.tests[built.wan.plan.flows[flow].test]);
    let test = &scenario.tests[built.wan.plan.flows[flow].test];
    let files = matches!(test.kind, TestKind::Transfer(_));
    for (n, sample) in source.samples.iter().enumerate() {
        let interval = sample.limited.between(&before, source.ended.as_ref());
        before = sample.limited;
        if Time::ZERO + built.wan.sampling.every.times(n as u64 + 1) <= from {
            continue;
        }
        let spent = |limit: Limit| interval.spent(limit).as_secs_f64();
        let total: f64 = Limit::ALL.into_iter().map(spent).sum();
        let saturated = hops.iter().find(|hop| {
            let port = built.port(hop.port);
            let interval = port
                .counters()
                .intervals
                .get(n)
                .copied()
                .unwrap_or_default();
            is_saturated(built, hop.port, interval)
        });
        match saturated {
            Some(hop) if total > 0.0 => {
                let own = !scenario.is_router(built.wan.plan.ports[hop.port].from);
                *shares
                    .entry(if own { "nic" } else { "link" }.to_owned())
                    .or_default() += total;
            }
            None if total > 0.0 && was_busy(built, flow, n) => {
                *shares.entry("host_cpu".to_owned()).or_default() += total;
            }
            None if total > 0.0 && files && was_disk_busy(built, flow, n) => {
                *shares.entry("disk".to_owned()).or_default() += total;
            }
            _ => {
                for limit in Limit::ALL.into_iter().filter(|l| spent(*l) > 0.0) {
                    *shares.entry(limit.as_str().to_owned()).or_default() += spent(limit);
                }
            }
        }
    }
    let sum: f64 = shares.values().sum();
    shares.values_mut().for_each(|share| *share /= sum);
    shares
}

/// What took datagrams out of a stream: the reason that dropped most on its path. The counters are
/// those of the links, whoever else used them.
pub(crate) fn of_lossy_stream(scenario: &Scenario, built: &Built, flow: usize) -> &'static str {
    let hops = built.wan.plan.walk(scenario, FlowDir::forward(flow as u16));
    let (mut most, mut name, mut by_chance) = (0, "link", 0);
    for hop in &hops {
        let counters = built.port(hop.port).counters();
        let full = counters.dropped(Drop::Tail);
        by_chance += counters.drops.iter().sum::<u64>() - full;
        if full > most {
            let own = !scenario.is_router(built.wan.plan.ports[hop.port].from);
            (most, name) = (full, if own { "nic" } else { "link" });
        }
    }
    let in_host = hops
        .last()
        .map_or(0, |hop| built.dropped_behind(hop.port)[Drop::Host as usize]);
    if in_host > most {
        (most, name) = (in_host, "host_cpu");
    }
    if by_chance > most { "loss" } else { name }
}

/// Whether the processor or the bus of a flow's hosts had hardly a pause in interval `n`.
fn was_busy(built: &Built, flow: usize, n: usize) -> bool {
    let flow = &built.wan.plan.flows[flow];
    let every = built.wan.sampling.every;
    let busy = |node: usize| built.station(node).host().was_busy(n, every);
    busy(flow.source.0) || busy(flow.sink.0)
}

/// The same of the disk that is read or the one that is written.
fn was_disk_busy(built: &Built, flow: usize, n: usize) -> bool {
    let flow = &built.wan.plan.flows[flow];
    let every = built.wan.sampling.every;
    let busy = |node: usize, way| built.station(node).host().was_disk_busy(way, n, every);
    busy(flow.source.0, Way::Read) || busy(flow.sink.0, Way::Write)
}

fn is_saturated(built: &Built, port: usize, interval: Interval) -> bool {
    let capacity = built.wan.plan.ports[port]
        .rate
        .bytes_in(built.wan.sampling.every)
        .as_bytes() as f64;
    interval.queue_bytes > 0 && interval.bytes as f64 >= SATURATED * capacity
}
