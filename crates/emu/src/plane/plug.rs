//! How nodes become pieces of the network, and how interfaces are plugged into it.

use std::io::{self, IoSlice};

use farpath_element::{ChannelId, Element, ElementId, Io, Network, Port};
use farpath_scenario::plan::{Output, Plan};
use farpath_scenario::{NodeId, Scenario};
use farpath_units::{Duration, Time};

use super::heading::Macs;
use super::router::Router;

/// An interface of a host, seen from the network: a queue of packets with offload headers.
pub trait Interface {
    /// Takes the next packet the host sends; `WouldBlock` when there is none.
    ///
    /// # Errors
    /// Those of the device.
    fn take(&mut self, into: &mut [u8]) -> io::Result<usize>;

    /// Hands the host a packet, given in parts.
    ///
    /// # Errors
    /// Those of the device; `WouldBlock` when the host's queue is full.
    fn give(&mut self, parts: &[IoSlice<'_>]) -> io::Result<()>;
}

/// One interface and where it is plugged in.
pub struct Attachment<I> {
    /// The host.
    pub node: NodeId,
    /// The port its frames leave on, by number in the plan.
    pub port: usize,
    /// Its hardware address.
    pub mac: [u8; 6],
    /// The interface.
    pub interface: I,
}

/// One element of an emulated network.
pub(super) enum Piece {
    /// A host: real, so nothing happens here.
    Host,
    Router(Router),
    Port(Box<Port>),
}

impl Element for Piece {
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        match self {
            Piece::Host => {}
            Piece::Router(r) => r.advance(until, io),
            Piece::Port(p) => p.advance(until, io),
        }
    }

    fn deadline(&self) -> Time {
        match self {
            Piece::Host | Piece::Router(_) => Time::MAX,
            Piece::Port(p) => p.deadline(),
        }
    }
}

/// How frames come to an interface and go from it.
pub(super) struct Socket<I> {
    pub(super) node: NodeId,
    pub(super) interface: I,
    /// Where its frames are put.
    pub(super) out: ChannelId,
    /// Where frames for it arrive.
    pub(super) arrivals: ChannelId,
    pub(super) macs: Macs,
}

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
