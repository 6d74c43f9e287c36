//! Which way a path was down, where it was in one direction alone.

use farpath_scenario::plan::Plan;
use farpath_scenario::{Change, Scenario};
use farpath_wire::FlowDir;

use super::busiest::Busiest;
use super::path::Path;
use super::sender::SENDERS;

/// The host, 0 for the command's and 1 for the server's, of which alone the frames may find a link down.
pub(super) fn down_from(path: &Path, plan: &Plan, scenario: &Scenario) -> Option<usize> {
    match path.ways(plan).map(|dir| goes_down(scenario, plan, dir)) {
        [true, false] => Some(0),
        [false, true] => Some(1),
        _ => None,
    }
}

/// Whether a link may go down, by events or by itself, in front of frames that go this way.
fn goes_down(scenario: &Scenario, plan: &Plan, dir: FlowDir) -> bool {
    plan.walk(scenario, dir).iter().any(|hop| {
        let port = &plan.ports[hop.port];
        let mut events = scenario.events.iter();
        let link = &scenario.links[port.link.0];
        let flap = link.direction(port.way).impairments.flap;
        flap.is_some()
            || events.any(|event| {
                event.change == Change::Up(false)
                    && event.link == port.link
                    && event.ways.contains(&port.way)
            })
    })
}

impl Busiest {
    /// The same where only what this host sent may have found the path down.
    pub(super) fn down_one_way(mut self, from: Option<usize>) -> Busiest {
        let Some(from) = from.filter(|_| self.path_down_s > 0.0) else {
            return self;
        };
        self.path_down_from = Some(SENDERS[from]);
        let way = format!(
            "the path from {} to {} was down",
            SENDERS[from],
            SENDERS[1 - from]
        );
        self.cause = self.cause.replace("the path was down", &way);
        self.in_words()
    }
}
