//! One direction of a link at the end of a run, as its record.

use std::collections::BTreeMap;

use farpath_element::{Drop, Port};
use farpath_record::{LinkRecord, Origin};
use farpath_scenario::Scenario;
use farpath_scenario::plan::Hop;
use farpath_units::Time;
use farpath_wire::FlowDir;

use crate::wan::Wan;
use crate::{circuits, queueing, realised};

/// Counters of drops, in the order of [`Drop::ALL`].
pub type Drops = [u64; Drop::ALL.len()];

/// The record of port `number`, which has been finished at `end`; `behind` are frames that crossed
/// its link and were dropped by the node behind it.
pub fn link(
    scenario: &Scenario,
    wan: &Wan,
    number: usize,
    (port, behind): (&Port, &Drops),
    end: Time,
) -> LinkRecord {
    let (id, way) = (wan.plan.ports[number].link, wan.plan.ports[number].way);
    let counters = port.counters();
    let every = wan.sampling.every;
    let all = |reason: Drop| counters.dropped(reason) + behind[reason as usize];
    let named = |reason: &Drop| (reason.name().to_owned(), all(*reason));
    let mut drops: BTreeMap<String, u64> = Drop::ALL
        .iter()
        .map(named)
        .filter(|(_, n)| *n > 0)
        .collect();
    drops.entry("tail".to_owned()).or_default();
    let intervals = counters.intervals.iter();
    let direction = scenario.links[id.0].direction(way);
    LinkRecord {
        origin: Origin::Simulated,
        link: scenario.links[id.0].name.clone(),
        direction: scenario.direction_name(id, way),
        point: BTreeMap::new(),
        repeat: 0,
        bytes: counters.bytes,
        payload_bytes: counters.payload_bytes,
        offered: Some(counters.offered),
        frames: counters.frames,
        drops,
        too_large_for: match behind[Drop::Mtu as usize] {
            0 => Vec::new(),
            _ => smaller_behind(scenario, wan, number),
        },
        t_ns: (1..=counters.intervals.len() as u64)
            .map(|n| every.times(n).as_ns())
            .collect(),
        rate_bps: intervals
            .clone()
            .map(|i| (i.bytes as f64 * 8.0 / every.as_secs_f64()).round())
            .collect(),
        queue_bytes: intervals.map(|i| i.queue_bytes as f64).collect(),
        queue_max_bytes: Some(counters.queue_max_bytes),
        queues: queueing::queues(direction, port),
        policers: queueing::policers(direction, port),
        realised: realised::metrics(scenario, id, way, &counters.realised, (wan, end)),
        cells: circuits::counted(scenario.links[id.0].framing, counters),
    }
}

/// The directions of links that carry less than port `number` and over which what comes that way goes on, each once.
fn smaller_behind(scenario: &Scenario, wan: &Wan, number: usize) -> Vec<String> {
    let plan = &wan.plan;
    let carries = |hop: &Hop| {
        let port = &plan.ports[hop.port];
        let direction = scenario.links[port.link.0].direction_from(port.from);
        direction.mtu.saturating_sub(hop.extra)
    };
    let mut found: Vec<String> = Vec::new();
    for flow in 0..plan.flows.len() {
        let there = FlowDir::forward(flow as u16);
        for dir in [there, there.turned()] {
            for pair in plan.walk(scenario, dir).windows(2) {
                if pair[0].port != number || carries(&pair[1]) >= carries(&pair[0]) {
                    continue;
                }
                let next = &plan.ports[pair[1].port];
                let name = scenario.port_name(next.link, next.way);
                if !found.contains(&name) {
                    found.push(name);
                }
            }
        }
    }
    found
}
