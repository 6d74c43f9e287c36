//! Bundles whose routers choose a member while the network runs.

use farpath_element::{Spread, Unit};
use farpath_units::Stream;
use farpath_wire::FlowDir;

use crate::model::{Bundle, Scenario};
use crate::plan::{Plan, PortPlan, port_of};

impl PortPlan {
    /// The spread over `outputs`, where `dir` draws its member from `draws`.
    pub(super) fn spread(
        &mut self,
        unit: Unit,
        outputs: &[u16],
        dir: FlowDir,
        draws: Stream,
    ) -> u16 {
        let spreads = &mut self.forwarding.spreads;
        let same = |s: &Spread| s.outputs().eq(outputs.iter().copied());
        let place = spreads.iter().position(same).unwrap_or_else(|| {
            spreads.push(Spread::new(unit, outputs));
            spreads.len() - 1
        });
        spreads[place].set_flow(dir, draws);
        place as u16
    }
}

impl Plan {
    /// The ports of all members of the bundle that `port` belongs to, where a flow's frames take turns on them (`spread = "packet"`);
    /// none else.
    pub fn taking_turns(&self, scenario: &Scenario, port: usize) -> Vec<usize> {
        let members = self.members(scenario, port);
        let members = members.filter(|(bundle, _)| bundle.unit == Unit::Packet);
        members.map_or_else(Vec::new, |(_, ports)| ports)
    }

    /// The bundle `port` belongs to and the ports of all members the same way, if its router chooses
    /// among them while the network runs.
    pub(super) fn members<'s>(
        &self,
        scenario: &'s Scenario,
        port: usize,
    ) -> Option<(&'s Bundle, Vec<usize>)> {
        let (link, from) = (self.ports[port].link, self.ports[port].from);
        let bundle = scenario.bundle_of(link)?;
        let members = bundle.links.iter();
        let members = members.map(|l| port_of(*l, scenario.way_from(from, *l)));
        bundle
            .chooses(scenario)
            .then(|| (bundle, members.collect()))
    }
}
