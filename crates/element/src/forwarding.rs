//! What the node at the far end of a link does with an arriving frame: route it, switch its label,
//! join it to a circuit, or deliver it.
//!
//! A node's decision about a frame depends on the frame and on fixed tables alone, so the port that
//! feeds the node takes it, without an element of its own on the way. Each port holds the tables of
//! its far node as seen from its link: labels belong to the node, circuits to the interface.

use farpath_wire::{Frame, LabelEntry};

use crate::drops::Drop;
use crate::spread::Spread;

/// First label of the dense table; 16 is the first unreserved label (RFC 3032 §2.1).
pub const FIRST_LABEL: u32 = 16;

/// IPv4 explicit null (RFC 3032 §2.1): pop, then route by the IP header.
pub const EXPLICIT_NULL: u32 = 0;

/// TTL of a label pushed onto a customer's layer-2 frame, which has no TTL to copy (RFC 3443 §3.2,
/// pipe model).
pub(crate) const CIRCUIT_TTL: u8 = 255;

/// What happens to a labelled frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelAction {
    /// Swap the label and send on this output: transit, or one LSP stitched to the next.
    Swap {
        /// The outgoing label.
        label: u32,
        /// The output of the port that feeds the node.
        output: u16,
    },
    /// Pop, and hand the customer's frame to this output: the end of a Circuit Cross-Connect.
    PopToInterface {
        /// The output.
        output: u16,
    },
    /// Pop, and send the bare datagram on this output: penultimate-hop popping.
    PopForward {
        /// The output.
        output: u16,
    },
    /// Pop, and route by the IP header: the end of an LSP.
    PopAndRoute,
}

/// What happens to an unlabelled datagram, by flow and direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RouteAction {
    /// Nowhere to go.
    #[default]
    None,
    /// This node is the destination.
    Deliver,
    /// Send on this output.
    Forward {
        /// The output.
        output: u16,
        /// Largest datagram that output's link carries unfragmented.
        mtu: u16,
    },
    /// Send on one of several outputs.
    Spread {
        /// Which of [`Forwarding::spreads`] chooses.
        spread: u16,
        /// Largest datagram their links carry unfragmented.
        mtu: u16,
    },
    /// Push a label and send on this output: the start of an LSP.
    Push {
        /// The label.
        label: u32,
        /// The output.
        output: u16,
        /// Largest datagram that fits behind the label.
        mtu: u16,
    },
}

/// Where a frame goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// On this output of the port.
    Output(u16),
    /// On the output that one of [`Forwarding::spreads`] chooses.
    Spread(u16),
    /// Nowhere, for this reason.
    Drop(Drop),
}

/// The far node's tables.
#[derive(Clone, Debug, Default)]
pub struct Forwarding {
    /// Whether the far node forwards IP datagrams (a host does not).
    pub routes_ip: bool,
    /// The output that leads to the far node itself: its own traffic, and frames that need an answer.
    pub local: u16,
    /// By `FlowDir::index`.
    pub routes: Vec<RouteAction>,
    /// By label, from [`FIRST_LABEL`].
    pub labels: Vec<Option<LabelAction>>,
    /// The interface belongs to a Circuit Cross-Connect: what is pushed onto whatever arrives.
    pub circuit: Option<Circuit>,
    /// Bundles that choose among outputs frame by frame.
    pub spreads: Vec<Spread>,
}

/// The start of a Circuit Cross-Connect at a customer's interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Circuit {
    /// First label of the transmit LSP.
    pub label: u32,
    /// The output towards it.
    pub output: u16,
    /// The customer's Ethernet frame carries an 802.1Q tag (`vlan-ccc`).
    pub tagged: bool,
}

impl Forwarding {
    /// Decides about `frame` and rewrites what the node rewrites: labels and TTLs.
    #[inline]
    pub fn decide(&self, frame: &mut Frame) -> Exit {
        if frame.label.is_some() {
            return self.switch(frame);
        }
        match self.circuit {
            Some(circuit) => enter(circuit, frame),
            None => self.route(frame),
        }
    }

    #[inline(never)]
    fn switch(&self, frame: &mut Frame) -> Exit {
        let entry = frame.label;
        let action = match entry.label() {
            EXPLICIT_NULL => Some(LabelAction::PopAndRoute),
            label => {
                let index = label.wrapping_sub(FIRST_LABEL) as usize;
                self.labels.get(index).copied().flatten()
            }
        };
        let Some(action) = action else {
            return Exit::Drop(Drop::NoRoute);
        };
        let ttl = entry.ttl().saturating_sub(1);
        if ttl == 0 && !(action == LabelAction::PopAndRoute && self.delivers(frame)) {
            return self.expired(frame);
        }
        match action {
            LabelAction::Swap { label, output } => {
                frame.label = entry.with_label(label).with_ttl(ttl);
                Exit::Output(output)
            }
            LabelAction::PopToInterface { output } => {
                frame.label = LabelEntry::NONE;
                frame.set_inner(None);
                Exit::Output(output)
            }
            LabelAction::PopForward { output } => {
                frame.label = LabelEntry::NONE;
                // RFC 3443 §3.1, uniform model: the label's TTL goes back into the header.
                frame.ttl = frame.ttl.min(ttl);
                Exit::Output(output)
            }
            LabelAction::PopAndRoute => {
                frame.label = LabelEntry::NONE;
                // The LSR already counted this hop: undo one so that routing may count it.
                frame.ttl = frame.ttl.min(entry.ttl());
                self.route(frame)
            }
        }
    }

    #[inline]
    fn route(&self, frame: &mut Frame) -> Exit {
        let action = self
            .routes
            .get(frame.flow.index())
            .copied()
            .unwrap_or_default();
        let (exit, mtu) = match action {
            RouteAction::Deliver => return Exit::Output(self.local),
            RouteAction::None => return Exit::Drop(Drop::NoRoute),
            RouteAction::Forward { output, mtu } | RouteAction::Push { output, mtu, .. } => {
                (Exit::Output(output), mtu)
            }
            RouteAction::Spread { spread, mtu } => (Exit::Spread(spread), mtu),
        };
        if !self.routes_ip {
            return Exit::Drop(Drop::NoRoute);
        }
        // The node itself sees what it cannot forward, counts it, and may answer (RFC 1812 §4.3.3).
        if frame.ttl <= 1 || frame.len > mtu {
            return Exit::Output(self.local);
        }
        frame.ttl -= 1;
        if let RouteAction::Push { label, .. } = action {
            frame.label = LabelEntry::bottom(label, frame.class >> 5, frame.ttl);
        }
        exit
    }

    /// Whether the far node is the destination of a datagram: it gets there with its last TTL.
    fn delivers(&self, frame: &Frame) -> bool {
        let action = self.routes.get(frame.flow.index());
        frame.inner() == 0 && action == Some(&RouteAction::Deliver)
    }

    /// A label's TTL ran out. A datagram goes to the node, which may answer (RFC 3032 §2.3); a
    /// customer's layer-2 frame has nobody to answer to.
    fn expired(&self, frame: &mut Frame) -> Exit {
        if frame.inner() > 0 {
            return Exit::Drop(Drop::Ttl);
        }
        frame.ttl = 1;
        Exit::Output(self.local)
    }
}

/// A customer's frame gets its label, whatever it is.
#[inline(never)]
fn enter(circuit: Circuit, frame: &mut Frame) -> Exit {
    frame.set_inner(Some(circuit.tagged));
    frame.label = LabelEntry::bottom(circuit.label, frame.class >> 5, CIRCUIT_TTL);
    Exit::Output(circuit.output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_wire::{FlowDir, Kind};

    fn datagram() -> Frame {
        Frame::new(Kind::Data, FlowDir::forward(0), 0, 1500)
    }

    fn node() -> Forwarding {
        Forwarding {
            routes_ip: true,
            local: 0,
            routes: vec![RouteAction::Forward {
                output: 1,
                mtu: 1500,
            }],
            labels: vec![
                Some(LabelAction::Swap {
                    label: 40,
                    output: 2,
                }),
                Some(LabelAction::PopToInterface { output: 3 }),
                Some(LabelAction::PopForward { output: 4 }),
            ],
            circuit: None,
            spreads: Vec::new(),
        }
    }

    #[test]
    fn routing_counts_the_hop_and_refuses_what_cannot_go_on() {
        let mut f = datagram();
        assert_eq!(node().decide(&mut f), Exit::Output(1));
        assert_eq!(f.ttl, 63);
        f.ttl = 1;
        assert_eq!(node().decide(&mut f), Exit::Output(0));
        let mut large = Frame::new(Kind::Data, FlowDir::forward(0), 0, 1501);
        assert_eq!(node().decide(&mut large), Exit::Output(0));
    }

    #[test]
    fn a_label_is_swapped_popped_and_counts_its_own_hops() {
        let mut f = datagram();
        f.label = LabelEntry::bottom(16, 0, 255);
        assert_eq!(node().decide(&mut f), Exit::Output(2));
        assert_eq!((f.label.label(), f.label.ttl(), f.ttl), (40, 254, 64));
        f.label = LabelEntry::bottom(18, 0, 10);
        assert_eq!(node().decide(&mut f), Exit::Output(4));
        assert_eq!((f.label, f.ttl), (LabelEntry::NONE, 9));
        f.label = LabelEntry::bottom(99, 0, 10);
        assert_eq!(node().decide(&mut f), Exit::Drop(Drop::NoRoute));
    }

    #[test]
    fn explicit_null_is_popped_and_routed_as_one_hop() {
        let mut f = datagram();
        f.label = LabelEntry::bottom(EXPLICIT_NULL, 0, 20);
        assert_eq!(node().decide(&mut f), Exit::Output(1));
        assert_eq!((f.label, f.ttl), (LabelEntry::NONE, 19));
    }

    #[test]
    fn explicit_null_at_its_destination_takes_the_last_ttl() {
        let mut node = node();
        node.routes[0] = RouteAction::Deliver;
        let mut f = datagram();
        f.label = LabelEntry::bottom(EXPLICIT_NULL, 0, 1);
        assert_eq!(node.decide(&mut f), Exit::Output(0));
        assert_eq!(f.label, LabelEntry::NONE);
    }

    #[test]
    fn a_circuit_wraps_the_customers_frame_and_leaves_its_ttl_alone() {
        let mut entry = node();
        entry.circuit = Some(Circuit {
            label: 17,
            output: 5,
            tagged: true,
        });
        let mut f = datagram();
        assert_eq!(entry.decide(&mut f), Exit::Output(5));
        assert_eq!(
            (f.inner(), f.label.label(), f.label.ttl(), f.ttl),
            (18, 17, 255, 64)
        );
        assert_eq!(node().decide(&mut f), Exit::Output(3));
        assert_eq!((f.inner(), f.label, f.ttl), (0, LabelEntry::NONE, 64));
    }

    #[test]
    fn an_expired_circuit_label_dies_silently() {
        let mut f = datagram();
        f.set_inner(Some(false));
        f.label = LabelEntry::bottom(16, 0, 1);
        assert_eq!(node().decide(&mut f), Exit::Drop(Drop::Ttl));
    }
}
