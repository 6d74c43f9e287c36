//! What the links of a run saw, as evidence of what limited its flows: the same for simulated hosts and real ones.

use farpath_element::{Drop, Port};
use farpath_observe::{Dropped, Hop, Interval, Path};
use farpath_scenario::Scenario;
use farpath_wire::FlowDir;

use crate::links::Drops;
use crate::wan::Wan;

/// Every port's intervals and drops.
pub struct Evidence<'a> {
    scenario: &'a Scenario,
    wan: &'a Wan,
    real_hosts: bool,
    ports: Vec<(Vec<Interval>, Dropped)>,
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
        let seen = |number| {
            let (port, behind) = port(number);
            let counters = port.counters();
            let intervals = counters.intervals.iter().map(|i| Interval {
                bytes: i.bytes,
                queue_bytes: i.queue_bytes,
            });
            let all = |reason: Drop| counters.dropped(reason) + behind[reason as usize];
            let named = [Drop::Tail, Drop::Policed, Drop::Mtu].map(all);
            let sum: u64 = Drop::ALL.iter().map(|reason| all(*reason)).sum();
            let host = all(Drop::Host);
            let dropped = Dropped {
                tail: named[0],
                policed: named[1],
                mtu: named[2],
                host,
                other: sum - named.iter().sum::<u64>() - host,
            };
            (intervals.collect(), dropped)
        };
        Evidence {
            scenario,
            wan,
            real_hosts,
            ports: (0..wan.plan.ports.len()).map(seen).collect(),
        }
    }

    /// The links that the data of a flow cross.
    pub fn path(&self, flow: usize) -> Path<'_> {
        let plan = &self.wan.plan;
        let every = self.wan.sampling.every;
        let walk = plan.walk(self.scenario, FlowDir::forward(flow as u16));
        let hop = |number: usize| {
            let port = &plan.ports[number];
            let (intervals, dropped) = &self.ports[number];
            let own = !self.scenario.is_router(port.from);
            Hop {
                own,
                waits_unseen: own && self.real_hosts,
                capacity_bytes: port.rate.bytes_in(every).as_bytes() as f64,
                intervals,
                dropped: *dropped,
            }
        };
        Path {
            every,
            hops: walk.iter().map(|step| hop(step.port)).collect(),
        }
    }
}
