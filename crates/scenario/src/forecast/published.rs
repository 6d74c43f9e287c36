//! What published laws ask of a scenario.

use farpath_predict::published::Place;

use super::Path;
use crate::model::{Loss, Scenario, TestKind};
use crate::plan::Plan;

/// What the laws of [`farpath_predict::published`] ask of a test's path, the idle round trip of a full segment and its ACK;
/// `None` for a test without long TCP connections, or one whose datagrams a policy on its way discards.
pub fn law_place(scenario: &Scenario, plan: &Plan, test: &str) -> Option<Place> {
    let number = scenario.tests.iter().position(|t| t.name == test)?;
    let flow = plan.flows.iter().position(|f| f.test == number)?;
    let path = Path::new(scenario, plan, flow);
    let test = &scenario.tests[number];
    if path.discarded(test).is_some() {
        return None;
    }
    match &test.kind {
        TestKind::Tcp(tcp) => Some(path.flow_of(tcp).place(path.has_bursts())),
        _ => None,
    }
}

impl Path<'_> {
    fn has_bursts(&self) -> bool {
        self.there.iter().any(|hop| {
            let port = &self.plan.ports[hop.port];
            let losses = &self.scenario.links[port.link.0].direction(port.way).losses;
            losses
                .iter()
                .any(|l| matches!(l, Loss::GilbertElliott { .. }))
        })
    }
}
