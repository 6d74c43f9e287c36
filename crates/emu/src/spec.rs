//! What a host is to be, before it is one.

use std::net::IpAddr;

use farpath_units::{Rate, Size};
use serde::{Deserialize, Serialize};

use crate::tap::Device;

/// A host as it is to be started.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSpec {
    /// Its name, also what `hostname` says inside.
    pub name: String,
    /// Its interfaces besides loopback.
    pub interfaces: Vec<InterfaceSpec>,
    /// What is written under `/proc/sys` of the host: `net.ipv4.tcp_rmem`, value.
    pub settings: Vec<(String, String)>,
    /// The congestion control of connections to other nodes, chosen by the routes to them (`congctl`); the
    /// default of the namespace if absent. Unlike a default it need not be open to everybody.
    pub control: Option<String>,
    /// What `/etc/hosts` says inside, besides loopback.
    pub names: Vec<(IpAddr, String)>,
    /// How the interfaces are made.
    pub device: DeviceChoice,
}

impl HostSpec {
    /// A host that shows whether there can be any: it has one interface and nothing else.
    pub(crate) fn trial() -> HostSpec {
        HostSpec {
            name: "trial".to_owned(),
            interfaces: vec![InterfaceSpec {
                name: "eth0".to_owned(),
                mac: [2, 0, 0, 0, 0, 1],
                mtu: SMALLEST_IPV6_MTU,
                addresses: Vec::new(),
                routes: Vec::new(),
                ring_packets: 1,
                segments_at_once: None,
                shaping: None,
            }],
            settings: Vec::new(),
            control: None,
            names: Vec::new(),
            device: DeviceChoice::Available,
        }
    }
}

/// How interfaces are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeviceChoice {
    /// TAPs, or veth pairs and a note where there is no `/dev/net/tun`.
    #[default]
    Available,
    /// This kind, or an error.
    Only(Device),
}

/// One interface.
#[derive(Clone, Debug, PartialEq)]
pub struct InterfaceSpec {
    /// Its name, at most 15 bytes: `eth0`.
    pub name: String,
    /// Its address: what frames to it must carry.
    pub mac: [u8; 6],
    /// Largest IP datagram in bytes: at least 68, at most [`LARGEST_MTU`]. Below 1280 there is no
    /// IPv6 (RFC 8200 §5), and addresses and routes of that kind are left out.
    pub mtu: u32,
    /// The host's own addresses on it, each alone in its prefix.
    pub addresses: Vec<IpAddr>,
    /// Other nodes reached through it.
    pub routes: Vec<Route>,
    /// Packets that may wait for the data plane to read them (`txqueuelen`).
    pub ring_packets: u32,
    /// Most segments TCP builds and hands over as one (`gso_max_segs`): 1 for a host without segmentation offload, the
    /// kernel's 65 535 if absent.
    pub segments_at_once: Option<u32>,
    /// The rate the host feels; none lets it send as fast as the data plane reads.
    pub shaping: Option<Shaping>,
}

/// The largest MTU of a TAP: 65 535 bytes less the Ethernet header's 14.
pub const LARGEST_MTU: u32 = 65_521;

/// The smallest MTU with IPv6 (RFC 8200 §5).
pub const SMALLEST_IPV6_MTU: u32 = 1280;

/// A destination and how it is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The other node.
    pub to: IpAddr,
    /// An address of the host, perhaps of another interface: the source towards it.
    pub from: IpAddr,
    /// Only for sockets that are bound to the interface, and for what is marked with its number and one (the
    /// first interface's mark is 1): others go another way.
    pub bound_only: bool,
    /// First congestion window of connections to it in segments (`initcwnd`); the kernel's if absent.
    pub initial_window: Option<u32>,
    /// Largest congestion window of connections to it in segments (`cwnd`, locked); none if absent.
    pub largest_window: Option<u32>,
    /// Largest segment that SYNs to it offer, bytes (`advmss`): what a router on the way would lower them to; the kernel's own if absent.
    pub largest_segment: Option<u32>,
}

/// A token bucket in front of an interface. A device without a queueing discipline takes all the
/// host sends at once, and TCP Small Queues never hold a connection back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shaping {
    /// Bytes of Ethernet frames, header included and nothing else, that leave.
    pub rate: Rate,
    /// Bytes that may leave at once. Larger super-frames are cut.
    pub burst: Size,
    /// Bytes that may wait; more are dropped by the host itself.
    pub limit: Size,
}

/// The longest super-frame of a kernel, in bytes of Ethernet: 64 KiB less one, and the header.
const LONGEST: Size = Size::from_bytes(65_535 + 14);

impl Shaping {
    /// It in place of what was there `before`. A super-frame that waits is as long as that let it be, and for a bucket that holds
    /// less than that the kernel never finds the tokens.
    pub fn after(self, before: Option<Shaping>) -> Shaping {
        let waits = before.map_or(LONGEST, |b| b.burst.min(LONGEST));
        Shaping {
            burst: self.burst.max(waits),
            ..self
        }
    }
}
