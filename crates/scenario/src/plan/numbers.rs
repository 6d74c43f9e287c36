//! What a scenario says of its nodes, links and circuits by their numbers.

use farpath_element::qdisc::Limit;
use farpath_units::{Duration, Rate};

use crate::model::{Ccc, LinkId, NodeId, QueueLimit, Scenario, Test, Way};

/// The port number of one direction of a link.
pub fn port_of(link: LinkId, way: Way) -> usize {
    link.0 * 2 + usize::from(way == Way::Reverse)
}

impl Scenario {
    /// The name of a node.
    pub fn node_name(&self, node: NodeId) -> &str {
        match node.0.checked_sub(self.hosts.len()) {
            None => &self.hosts[node.0].name,
            Some(router) => &self.routers[router].name,
        }
    }

    /// Whether a node is a router.
    pub fn is_router(&self, node: NodeId) -> bool {
        node.0 >= self.hosts.len()
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.hosts.len() + self.routers.len()
    }

    /// `A>B` for one direction of a link.
    pub fn direction_name(&self, link: LinkId, way: Way) -> String {
        let [a, b] = self.links[link.0].ends;
        let (from, to) = if way == Way::Forward { (a, b) } else { (b, a) };
        format!("{}>{}", self.node_name(from), self.node_name(to))
    }

    /// The link and that direction of it: `neck A>B`.
    pub fn port_name(&self, link: LinkId, way: Way) -> String {
        let direction = self.direction_name(link, way);
        format!("{} {direction}", self.links[link.0].name)
    }

    /// Largest IP datagram a node sends towards `link`.
    pub fn datagram_limit(&self, node: NodeId, link: LinkId) -> u32 {
        let own = self.hosts.get(node.0).and_then(|h| h.mtu);
        own.unwrap_or(u32::MAX)
            .min(self.links[link.0].direction_from(node).mtu)
            .min(65_535)
    }
}

impl Test {
    /// Where the test's data comes from and where it goes: a request's answer is its data.
    pub fn data_ends(&self) -> (NodeId, NodeId) {
        if self.kind.is_reverse() {
            (self.to, self.from)
        } else {
            (self.from, self.to)
        }
    }
}

impl Way {
    /// The other direction.
    #[must_use]
    pub fn turned(self) -> Way {
        match self {
            Way::Forward => Way::Reverse,
            Way::Reverse => Way::Forward,
        }
    }
}

impl Ccc {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Ccc::RemoteInterface { name, .. } | Ccc::LspSwitch { name, .. } => name,
        }
    }

    /// The LSP frames arrive on.
    pub fn receive(&self) -> usize {
        match *self {
            Ccc::RemoteInterface { receive, .. } | Ccc::LspSwitch { receive, .. } => receive,
        }
    }

    /// The LSP frames leave on.
    pub fn transmit(&self) -> usize {
        match *self {
            Ccc::RemoteInterface { transmit, .. } | Ccc::LspSwitch { transmit, .. } => transmit,
        }
    }
}

impl Scenario {
    /// The way along `link` that leaves `node`.
    pub fn way_from(&self, node: NodeId, link: LinkId) -> Way {
        if self.links[link.0].ends[0] == node {
            Way::Forward
        } else {
            Way::Reverse
        }
    }

    /// The queue limit of a port in bytes or packets. `longest_rtt` is the largest base RTT of any
    /// test through the link: what `bdp` multiplies the rate with.
    pub fn queue_limit(limit: QueueLimit, rate: Rate, longest_rtt: Duration) -> Limit {
        match limit {
            QueueLimit::Bytes(size) => Limit::Bytes(size.as_bytes()),
            QueueLimit::Packets(n) => Limit::Packets(n),
            QueueLimit::Time(time) => Limit::Bytes(rate.bytes_in(time).as_bytes()),
            QueueLimit::Bdp(x) => {
                Limit::Bytes((rate.bytes_in(longest_rtt).as_bytes() as f64 * x) as u64)
            }
        }
    }
}
