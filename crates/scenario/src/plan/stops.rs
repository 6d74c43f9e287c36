//! The nodes that count a packet down: what a traceroute finds.

use farpath_wire::{FlowDir, Frame, Kind};

use crate::model::NodeId;
use crate::plan::Plan;

/// A node that a packet is handed to when its TTL has run out, or at the end of its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The node.
    pub node: NodeId,
    /// The label that the packet came with.
    pub label: Option<u32>,
}

impl Plan {
    /// Where packets of `dir` with a TTL of 1, 2 … `longest` end, in that order, up to the destination; none where one is
    /// dropped unseen. Whether the node would answer is another matter.
    pub fn stops(&self, dir: FlowDir, longest: u8) -> Vec<Option<Stop>> {
        let flow = &self.flows[usize::from(dir.flow())];
        let (from, to) = match dir.is_reverse() {
            false => (flow.source, flow.sink),
            true => (flow.sink, flow.source),
        };
        let mut stops = Vec::new();
        for ttl in 1..=longest {
            let mut packet = Frame::new(Kind::Data, dir, 0, 28);
            packet.ttl = ttl;
            let mut label = None;
            let node = self.follow(from, packet, |_, packet| {
                label = packet.label.is_some().then(|| packet.label.label());
            });
            stops.push(node.map(|node| Stop { node, label }));
            if node == Some(to) {
                return stops;
            }
        }
        let last = stops.iter().rposition(Option::is_some);
        stops.truncate(last.map_or(0, |last| last + 1));
        stops
    }
}
