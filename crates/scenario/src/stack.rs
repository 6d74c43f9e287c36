//! The stack of a host, as far as a test's own keys leave it open.

use farpath_tcp::Profile;
use farpath_units::Duration;

use crate::decode::Fields;
use crate::model::{NodeId, Qdisc, Scenario};

/// What a test's own keys leave open of an end of a connection.
#[derive(Clone, Copy, Default)]
pub(crate) struct Stack {
    pub(crate) profile: Profile,
    pub(crate) qdisc: Qdisc,
    pub(crate) gro: Option<Duration>,
    pub(crate) tso: Option<bool>,
    pub(crate) comp_sack_nr: Option<u32>,
}

/// Those of the host that sends the data and of the one that receives it.
pub(crate) fn stacks(scenario: &Scenario, f: &Fields, from: NodeId, to: NodeId) -> [Stack; 2] {
    let ends = if f.get("reverse").unwrap_or(false) {
        [to, from]
    } else {
        [from, to]
    };
    ends.map(|end| stack(scenario, end))
}

fn stack(scenario: &Scenario, node: NodeId) -> Stack {
    let host = scenario.hosts.get(node.0);
    host.map_or_else(Stack::default, |h| Stack {
        profile: h.profile,
        qdisc: h.qdisc,
        gro: h.gro,
        tso: h.tso,
        comp_sack_nr: h.comp_sack_nr,
    })
}
