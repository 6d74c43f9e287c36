//! Where a node and a flow are found on the wire: addresses and ports, the same in a capture of a
//! simulated link and between the kernels of an emulated path.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::Plan;
use crate::model::NodeId;

/// First port of a flow's source: the first dynamic one (RFC 6335).
const FIRST_SOURCE: u16 = 49_152;

/// First port of a flow's sink.
const FIRST_SINK: u16 = 5001;

/// Flows that have ports of their own.
const PORTS: usize = 16_384;

/// The address of a node, by its number: 198.18.0.0/15 (RFC 2544) or 2001:db8::/32 (RFC 3849).
pub fn address(node: NodeId, version: u8) -> IpAddr {
    let host = node.0 as u32 + 1;
    if version == 6 {
        Ipv6Addr::from((0x2001_0db8 << 96) | u128::from(host)).into()
    } else {
        Ipv4Addr::from(0xc612_0000 | (host & 0x1_ffff)).into()
    }
}

/// The node that has an address; there may be fewer nodes.
pub fn node_at(at: IpAddr) -> Option<NodeId> {
    let (number, version) = match at {
        IpAddr::V4(a) => (u32::from(a) & 0x1_ffff, 4),
        IpAddr::V6(a) => (u128::from(a) as u32, 6),
    };
    let node = NodeId(number.checked_sub(1)? as usize);
    (address(node, version) == at).then_some(node)
}

impl Plan {
    /// TCP or UDP ports of flow `number` at its source and at its sink.
    pub fn flow_ports(number: usize) -> [u16; 2] {
        let n = (number % PORTS) as u16;
        [FIRST_SOURCE + n, FIRST_SINK + n]
    }

    /// Identifier of the ICMP echoes of flow `number`.
    pub fn echo_identifier(number: usize) -> u16 {
        number as u16 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_back_to_its_node() {
        for node in [0, 1, 255, 256, 70_000].map(NodeId) {
            for version in [4, 6] {
                assert_eq!(node_at(address(node, version)), Some(node));
            }
        }
        for other in ["198.18.0.0", "198.51.100.1", "::1", "2001:db8::", "fe80::1"] {
            assert_eq!(node_at(other.parse().expect("it is an address")), None);
        }
    }
}
