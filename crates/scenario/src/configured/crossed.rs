//! The files of a scenario's routers, judged for the tests that cross them.

use std::collections::BTreeMap;

use farpath_config::qos::{Crossing, Options};
use farpath_config::{Report, check_with};
use farpath_units::{Duration, Rate};
use farpath_wire::FlowDir;

use super::interface::interfaces;
use crate::model::{Configuration, Plug, Scenario, Way};
use crate::plan::Plan;
use crate::sections::Tables;

/// Of an end of a link: the longest round trip through it, and the fastest at which its frames come.
type Seen = BTreeMap<(usize, usize), (Duration, Option<Rate>)>;

impl Configuration {
    /// Notes where the links of a scenario end.
    pub(crate) fn plug_in(&mut self, tables: &Tables, scenario: &Scenario) {
        self.plugs.clear();
        for (link, (joined, f)) in scenario.links.iter().zip(&tables.links).enumerate() {
            let Some(names) = interfaces(f) else { continue };
            for (side, name) in names.into_iter().enumerate() {
                let node = joined.ends[side];
                if let Some(file) = self.nodes.iter().position(|n| *n == node) {
                    self.plugs.push(Plug {
                        file,
                        interface: name.get_ref().clone(),
                        link,
                        side,
                    });
                }
            }
        }
    }

    /// The report on the files with what the scenario knows: round trips and rates of its tests at the ports they cross,
    /// and its cables.
    pub fn judged(&self, scenario: &Scenario, plan: &Plan) -> Report {
        let options = Options {
            crossings: Some(self.crossings(scenario, plan)),
            cables: Some(self.cables()),
            ..Options::default()
        };
        check_with(&self.sources, &self.dialects, &options)
    }

    fn crossings(&self, scenario: &Scenario, plan: &Plan) -> Vec<Crossing> {
        let seen = seen(scenario, plan);
        let crossing = |plug: &Plug| {
            let (rtt, arrives) = *seen.get(&(plug.link, plug.side))?;
            Some(Crossing {
                file: plug.file,
                interface: plug.interface.clone(),
                rtt,
                arrives,
            })
        };
        self.plugs.iter().filter_map(crossing).collect()
    }

    /// The links both of whose ends are at interfaces of files.
    fn cables(&self) -> Vec<[(usize, String); 2]> {
        let pairs = self.plugs.windows(2).filter_map(|pair| match pair {
            [a, b] if a.link == b.link => {
                Some([a, b].map(|plug| (plug.file, plug.interface.clone())))
            }
            _ => None,
        });
        pairs.collect()
    }
}

/// What the scenario's own tests see at each end of a link that they cross; pairs of hosts where it has no test.
fn seen(scenario: &Scenario, plan: &Plan) -> Seen {
    let is_own = |n: &usize| !scenario.tests[plan.flows[*n].test].stands_for_a_pair();
    let (own, pairs): (Vec<_>, Vec<_>) = (0..plan.flows.len()).partition(is_own);
    let mut seen = Seen::new();
    let flows = if own.is_empty() { pairs } else { own };
    for number in flows {
        let dir = FlowDir::forward(number as u16);
        let ways = [plan.walk(scenario, dir), plan.walk(scenario, dir.turned())];
        let [there, back] = ways.each_ref().map(|way| plan.propagation(scenario, way));
        let rtt = there + back;
        for way in &ways {
            let mut slowest: Option<Rate> = None;
            for hop in way {
                let port = &plan.ports[hop.port];
                let (near, far) = match port.way {
                    Way::Forward => (0, 1),
                    Way::Reverse => (1, 0),
                };
                let before = slowest;
                slowest = Some(before.map_or(port.rate, |s| s.min(port.rate)));
                for (side, arrives) in [(near, before), (far, slowest)] {
                    let new = (Duration::ZERO, None);
                    let at = seen.entry((port.link.0, side)).or_insert(new);
                    *at = (at.0.max(rtt), at.1.max(arrives));
                }
            }
        }
    }
    seen
}
