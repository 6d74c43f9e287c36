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
