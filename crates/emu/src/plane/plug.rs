//! How nodes become pieces of the network, and how interfaces are plugged into it.

use farpath_element::{ElementId, Network};
use farpath_scenario::Scenario;
use farpath_scenario::plan::{Output, Plan};
use farpath_units::Duration;

use super::router::Router;
use super::{Attachment, Macs, Piece, Socket};

/// A node's piece of the network, and what it promises.
pub(super) fn endpoint(scenario: &Scenario, plan: &Plan, node: usize) -> (Piece, Duration) {
    let Some(router) = node.checked_sub(scenario.hosts.len()) else {
        return (Piece::Host, Duration::ZERO);
    };
    let routes = plan.nodes[node].routes.clone();
    let router = Router::new(node as u32, scenario.routers[router].answers, routes);
    let lookahead = router.lookahead();
    (Piece::Router(router), lookahead)
}

/// Plugs an interface in; nothing if the plan never uses its link.
pub(super) fn socket<I>(
    network: &Network<Piece>,
    plan: &Plan,
    (nodes, ports): (&[ElementId], &[ElementId]),
    attachment: Attachment<I>,
) -> Option<Socket<I>> {
    let node = attachment.node;
    let used = &plan.nodes[node.0].ports;
    let output = used.iter().position(|p| *p == attachment.port)?;
    // The other direction of the same link brings frames.
    let inward = attachment.port ^ 1;
    let outputs = &plan.ports[inward].outputs;
    let local = outputs.iter().position(|o| *o == Output::Node(node))?;
    let mut source = attachment.mac;
    source[5] ^= 0x80;
    Some(Socket {
        node,
        interface: attachment.interface,
        out: network.outputs(nodes[node.0])[output],
        arrivals: network.outputs(ports[inward])[local],
        macs: Macs {
            destination: attachment.mac,
            source,
        },
    })
}
