//! What the links of a run saw, as evidence of what limited its flows: the same for simulated hosts and real ones.

use farpath_element::impair::Flap;
use farpath_element::{Drop, Port};
use farpath_observe::{Dropped, Hop, Interval, Path};
use farpath_record::NOT_FOLLOWED;
use farpath_scenario::plan::PortPlan;
use farpath_scenario::{Change, Loss, Scenario};
use farpath_units::{Rate, Time};
use farpath_wire::FlowDir;

use crate::links::Drops;
use crate::wan::Wan;

/// A link that goes down more often in a run is not followed: its outages would fill the memory.
const OUTAGES_MOST: usize = 100_000;

/// Every port's intervals and drops.
pub struct Evidence<'a> {
    scenario: &'a Scenario,
    wan: &'a Wan,
    real_hosts: bool,
    /// Of each its intervals, what was dropped, and the mean length of a frame on the wire, bytes.
    ports: Vec<(Vec<Interval>, Dropped, u64)>,
    /// The link of every port and its direction, by name.
    names: Vec<String>,
    /// The rates of every port, each from an instant on.
    rates: Vec<Vec<(Time, Rate)>>,
    /// Port, flow and `seq` of what was to be lost by order and did not come by.
    missed: Vec<(usize, FlowDir, u64)>,
    /// Ports that lose every n-th frame of a flow and were offered fewer in all: n, and how many.
    too_few: Vec<(usize, u64, u64)>,
}

impl<'a> Evidence<'a> {
    /// Of ports at rest, with what the nodes behind them dropped; `port` is asked by number. Real hosts hold back
    /// what waits for their own links.
    pub fn new<'p>(
        scenario: &'a Scenario,
        wan: &'a Wan,
        real_hosts: bool,
        port: impl Fn(usize) -> (&'p Port, Drops),
    ) -> Evidence<'a> {
        let (mut missed, mut too_few) = (Vec::new(), Vec::new());
        let seen = |number| {
            let (port, behind) = port(number);
            let orders = port.never_struck();
            missed.extend(orders.map(|(flow, seq)| (number, flow, seq)));
            let counters = port.counters();
            too_few.extend(
                every_nth(scenario, wan, number)
                    .and_then(|n| (counters.offered < n).then_some((number, n, counters.offered))),
            );
            let intervals = counters.intervals.iter().map(|i| Interval {
                bytes: i.bytes,
                queue_bytes: i.queue_bytes,
            });
            let all = |reason: Drop| counters.dropped(reason) + behind[reason as usize];
            let [tail, early, policed, mtu] =
                [Drop::Tail, Drop::Red, Drop::Policed, Drop::Mtu].map(all);
            // Frames that lost cells to a queue of cells.
            let plan = &wan.plan.ports[number];
            let cells = &scenario.links[plan.link.0].direction_from(plan.from).cells;
            let queued = cells.as_ref().is_some_and(|cells| cells.queue.is_some());
            let queue = tail + early + if queued { all(Drop::Cell) } else { 0 };
            let sum: u64 = Drop::ALL.iter().map(|reason| all(*reason)).sum();
            let host = all(Drop::Host);
            let dropped = Dropped {
                queue,
                policed,
                mtu,
                host,
                other: sum - queue - policed - mtu - host,
            };
            let frame_bytes = counters.bytes / counters.frames.max(1);
            (intervals.collect(), dropped, frame_bytes)
        };
        let all = 0..wan.plan.ports.len();
        let name = |port: &PortPlan| scenario.port_name(port.link, port.way);
        Evidence {
            ports: all.clone().map(seen).collect(),
            names: wan.plan.ports.iter().map(name).collect(),
            rates: all.map(|number| rates(scenario, wan, number)).collect(),
            missed,
            too_few,
            scenario,
            wan,
            real_hosts,
        }
    }

    /// What a reader must know of a flow's losses: those that were ordered and did not happen.
    pub fn notes(&self, flow: usize) -> Vec<String> {
        let ours = |(_, dir, _): &&(usize, FlowDir, u64)| usize::from(dir.flow()) == flow;
        let missed: Vec<_> = self.missed.iter().filter(ours).collect();
        if missed.is_empty() && self.too_few.is_empty() {
            return Vec::new();
        }
        let plan = &self.wan.plan;
        let test = &self.scenario.tests[plan.flows[flow].test];
        let unit = match test.kind.tcp() {
            Some(_) => u64::from(plan.mss(self.scenario, flow)),
            None => 1,
        };
        let walk = plan.walk(self.scenario, FlowDir::forward(flow as u16));
        let link = |port: usize| plan.ports[port].link;
        // A link's own `lose` stands in both directions, and the data cross one of them.
        let expected = |number: usize| {
            let elsewhere = !walk.iter().any(|hop| link(hop.port) == link(number));
            elsewhere || walk.iter().any(|hop| hop.port == number)
        };
        let missed = missed.into_iter().filter(|(port, ..)| expected(*port));
        let note = |(port, _, seq): &(usize, FlowDir, u64)| {
            let port = &plan.ports[*port];
            format!(
                "segment {} was to be lost on link {}, {}, and never passed there",
                seq / unit.max(1) + 1,
                self.scenario.links[port.link.0].name,
                self.scenario.direction_name(port.link, port.way)
            )
        };
        let few = |(port, ..): &&(usize, u64, u64)| walk.iter().any(|hop| hop.port == *port);
        let few = self.too_few.iter().filter(few).map(|(port, n, offered)| {
            let port = &plan.ports[*port];
            format!(
                "every {n}th frame was to be lost on link {}, {}, and {offered} came",
                self.scenario.links[port.link.0].name,
                self.scenario.direction_name(port.link, port.way)
            )
        });
        missed.map(note).chain(few).collect()
    }

    /// The links that the data of a flow cross.
    pub fn path(&self, flow: usize) -> Path<'_> {
        let mut path = self.way(FlowDir::forward(flow as u16));
        path.notes.extend(self.notes(flow));
        path
    }

    /// When a port that flaps was down until the end of the run; `None` where that is too often to follow.
    fn flaps(&self, port: usize) -> Option<Vec<(Time, Time)>> {
        let plan = &self.wan.plan.ports[port];
        let direction = self.scenario.links[plan.link.0].direction(plan.way);
        let Some(spec) = direction.impairments.flap else {
            return Some(Vec::new());
        };
        let intervals = self.ports.iter().map(|(intervals, ..)| intervals.len());
        let counted = intervals.max().unwrap_or(0) as u64;
        let end = Time::ZERO + self.wan.sampling.every.times(counted);
        let flap = Flap::new(spec, self.wan.flap_key(self.scenario, port));
        let down = flap.times_down().take_while(|(from, _)| *from < end);
        let times: Vec<_> = down.take(OUTAGES_MOST + 1).collect();
        (times.len() <= OUTAGES_MOST).then_some(times)
    }

    /// The links of one direction of a flow.
    pub fn way(&self, dir: FlowDir) -> Path<'_> {
        let plan = &self.wan.plan;
        let every = self.wan.sampling.every;
        let walk = plan.walk(self.scenario, dir);
        let hop = |number: usize| {
            let port = &plan.ports[number];
            let (intervals, dropped, frame_bytes) = &self.ports[number];
            let own = !self.scenario.is_router(port.from);
            Hop {
                name: &self.names[number],
                own,
                waits_unseen: own && self.real_hosts,
                rates: self.rates[number].clone(),
                intervals,
                dropped: *dropped,
                frame_bytes: *frame_bytes,
            }
        };
        // What is sent is not acknowledged either while the way back is down.
        let both = [walk.clone(), plan.walk(self.scenario, dir.turned())].concat();
        let mut notes = Vec::new();
        let down = plan.outages(self.scenario, &both, |port| {
            self.flaps(port).unwrap_or_else(|| {
                let name = &self.scenario.links[plan.ports[port].link.0].name;
                notes.push(format!(
                    "link {name} went down more than {OUTAGES_MOST} times: {NOT_FOLLOWED}"
                ));
                Vec::new()
            })
        });
        let back = plan.walk(self.scenario, dir.turned()).into_iter();
        Path {
            every,
            notes,
            down,
            hops: walk.iter().map(|step| hop(step.port)).collect(),
            back: back.map(|step| hop(step.port)).collect(),
        }
    }
}

/// Of how many frames of a flow a port loses the last, if it loses them from the start.
fn every_nth(scenario: &Scenario, wan: &Wan, number: usize) -> Option<u64> {
    let port = &wan.plan.ports[number];
    let losses = &scenario.links[port.link.0].direction(port.way).losses;
    losses.iter().find_map(|loss| match loss {
        Loss::EveryNth(n) => Some(*n),
        _ => None,
    })
}

/// The rates of a port, each from an instant on: its own, and what events make of it.
fn rates(scenario: &Scenario, wan: &Wan, number: usize) -> Vec<(Time, Rate)> {
    let port = &wan.plan.ports[number];
    let direction = scenario.links[port.link.0].direction(port.way);
    let shape = direction.queueing.as_ref().and_then(|q| q.shape);
    // A shaper counts frames without their framing, which the intervals have: full is a little less than full.
    let shaped = |rate: Rate| shape.map_or(rate, |s| s.rate.min(rate));
    let changed = scenario.events.iter().filter_map(|event| {
        let own = event.link == port.link && event.ways.contains(&port.way);
        match event.change {
            Change::Rate(rate) if own => Some((event.at, wan.host_rate(scenario, number, rate))),
            _ => None,
        }
    });
    let all = core::iter::once((Time::ZERO, port.rate)).chain(changed);
    all.map(|(at, rate)| (at, shaped(rate))).collect()
}
