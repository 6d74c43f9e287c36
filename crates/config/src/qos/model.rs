//! What a switch's configuration says, whichever dialect it is written in.

use farpath_units::{Rate, Ratio, Size};

use super::{
    Class, Ipsec, Maps, PortType, Pppoe, Srr, SrrMaps, Stated, StormControl, Trust, Tunnel,
};
use crate::dialect::Dialect;
use crate::finding::Finding;
use crate::platform::Platform;
use crate::source::Place;
use crate::vlan::{Tag, Vlans};

/// One device's configuration, as far as it is understood.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// Number of its file.
    pub file: usize,
    /// The language it is written in.
    pub dialect: Dialect,
    /// The machine it is for.
    pub platform: Platform,
    /// `hostname`.
    pub name: Option<String>,
    /// `mls qos`, `no mls qos`, `set qos enable`; nothing acts without it.
    pub qos: Option<Stated<bool>>,
    /// The maps between CoS, precedence and DSCP.
    pub maps: Maps,
    /// The queues of marks on switches with shaped round robin.
    pub srr: SrrMaps,
    /// `class-map`s.
    pub class_maps: Vec<ClassMap>,
    /// Classes that the machine defines itself, such as `c-out-8q-q1` of NX-OS, as policies name them.
    pub given_classes: Vec<String>,
    /// `policy-map`s.
    pub policy_maps: Vec<PolicyMap>,
    /// The policy maps of the whole switch, `system qos` of NX-OS.
    pub of_system: Vec<Stated<String>>,
    /// `crypto ipsec`: what tunnels are sealed with.
    pub(crate) ipsec: Ipsec,
    /// `port-channel load-balance` by MAC addresses alone: the words behind it.
    pub channel_hash: Option<Stated<String>>,
    /// Interfaces in order of their first mention.
    pub interfaces: Vec<Interface>,
    /// Faults of the text itself: values out of range, comments where none may stand.
    pub faults: Vec<Finding>,
    /// Statements not understood, outside interfaces.
    pub unknown: Vec<Place>,
    /// Those of them that may bear on quality of service.
    pub unknown_qos: Vec<Place>,
    /// Statements understood or passed over that make no difference to a run.
    pub without_effect: Vec<Place>,
    /// Number of statements understood.
    pub understood: usize,
    /// Number of statements known to have nothing to do with queues, classes or circuits.
    pub passed_over: usize,
}

/// An interface, or on CatOS the ports of one type.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// Its full name, such as `GigabitEthernet3/1`.
    pub name: String,
    /// Where it is first named.
    pub place: Option<Place>,
    /// `description`.
    pub description: Option<Stated<String>>,
    /// IPv4 addresses with prefix length, primary first.
    pub addresses: Vec<Stated<(core::net::Ipv4Addr, u8)>>,
    /// Bytes of a header that its `mtu` counts and [`Interface::mtu`] does not: 14 on Ethernet of IOS XR.
    pub header_in_mtu: u32,
    /// Its name does not say its speed, as `Ethernet1/1` of NX-OS.
    pub any_speed: bool,
    /// `mtu`: the largest IP packet, if `ip mtu` is not less.
    pub mtu: Option<Stated<u32>>,
    /// `ip mtu`.
    pub ip_mtu: Option<Stated<u32>>,
    /// `ipv6 mtu`.
    pub ipv6_mtu: Option<Stated<u32>>,
    /// Of a tunnel, what it is made of.
    pub tunnel: Tunnel,
    /// PPP over Ethernet, on either side of it.
    pub pppoe: Pppoe,
    /// `ip tcp adjust-mss`: the largest segment that SYNs through it offer, bytes.
    pub adjust_mss: Option<Stated<u32>>,
    /// `ipv6 tcp adjust-mss`: the same over IPv6.
    pub adjust_mss_ipv6: Option<Stated<u32>>,
    /// `bandwidth`: what routing and percentages of classes take the line for; it sets no rate.
    pub bandwidth: Option<Stated<Rate>>,
    /// `speed`.
    pub speed: Option<Stated<Speed>>,
    /// `duplex`.
    pub duplex: Option<Stated<Duplex>>,
    /// `negotiation auto`, or with `false` `no negotiation auto`: whether a port of 1 Gbit/s negotiates.
    pub negotiation: Option<Stated<bool>>,
    /// Layer 2 and how.
    pub switchport: Option<Stated<Switchport>>,
    /// `encapsulation dot1Q`: the tag of a subinterface's frames; [`Tag::Other`] on a trunk that is stated to be ISL.
    pub tag: Option<Stated<Tag>>,
    /// `switchport access vlan`, `set vlan`: the VLAN of an access port, 1 to 4094.
    pub access_vlan: Option<Stated<u16>>,
    /// `switchport trunk native vlan`, on CatOS `set vlan`: the VLAN a trunk carries untagged.
    pub native_vlan: Option<Stated<u16>>,
    /// `switchport trunk allowed vlan`, `set trunk`, `clear trunk`: what a trunk carries; all unless stated.
    pub trunk_vlans: Option<Stated<Vlans>>,
    /// Member of a channel.
    pub channel: Option<Stated<ChannelGroup>>,
    /// `flowcontrol send|receive`, as (statement says send, wanted).
    pub flow_control: Vec<Stated<(Direction, bool)>>,
    /// `rate-limit`, in order.
    pub rate_limits: Vec<Stated<RateLimit>>,
    /// `storm-control … level`, one for each kind of frame.
    pub storms: Vec<Stated<StormControl>>,
    /// `vrf forwarding`, `vrf member`: the routing table it is in.
    pub vrf: Option<Stated<String>>,
    /// `switchport voice vlan`: a telephone's frames are tagged on an access port.
    pub voice_vlan: Option<Stated<()>>,
    /// `shutdown`.
    pub shutdown: bool,
    /// `service-policy`.
    pub services: Vec<Stated<Service>>,
    /// What marks are believed.
    pub trust: Option<Stated<Trust>>,
    /// CoS of frames that bring none, or are not trusted.
    pub default_cos: Option<Stated<u8>>,
    /// Queues.
    pub queueing: Queueing,
    /// Egress queues of a port with shaped round robin.
    pub srr: Srr,
    /// ATM circuits.
    pub pvcs: Vec<Pvc>,
    /// Payload rate of the line, where a note states it.
    pub line: Option<Stated<Rate>>,
    /// What the author says is meant, in a note.
    pub intent: Option<Stated<Intent>>,
    /// Statements not understood.
    pub unknown: Vec<Place>,
}

/// The queue commands of one interface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Queueing {
    /// The port type, where a note or the command itself states it.
    pub port_type: Option<Stated<PortType>>,
    /// Bytes of credit per unit of weight, where a note states it.
    pub unit: Option<Stated<Size>>,
    /// `wrr-queue bandwidth`: a weight for each queue, 1 to 255.
    pub bandwidth: Option<Stated<Vec<u32>>>,
    /// `wrr-queue queue-limit`: percent of the transmit buffer.
    pub limits: Option<Stated<Vec<u32>>>,
    /// `priority-queue queue-limit`.
    pub strict_limit: Option<Stated<u32>>,
    /// `wrr-queue cos-map`, in order.
    pub cos_maps: Vec<Stated<QueueMap>>,
    /// `priority-queue cos-map`: CoS values of the strict queue.
    pub strict_cos: Option<Stated<Vec<u8>>>,
    /// `wrr-queue dscp-map`, in order.
    pub dscp_maps: Vec<Stated<QueueMap>>,
    /// `wrr-queue threshold`: queue, and percent of the queue for each threshold.
    pub thresholds: Vec<Stated<(u8, Vec<u32>)>>,
    /// `wrr-queue random-detect`.
    pub random_detect: Vec<Stated<RandomDetect>>,
    /// `rcv-queue` statements, kept and not modelled.
    pub receive: Vec<Place>,
}

/// Marks to a queue and threshold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueMap {
    /// Queue, from 1.
    pub queue: u8,
    /// Threshold, from 1.
    pub threshold: u8,
    /// CoS values, 0 to 7, or DSCP values, 0 to 63.
    pub marks: Vec<u8>,
}

/// A statement about random early detection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RandomDetect {
    /// Use it on this queue, or with `false` tail drop.
    Use(u8, bool),
    /// Percent of the queue below which nothing is dropped, for each threshold.
    Min(u8, Vec<u32>),
    /// Percent of the queue above which all is dropped, for each threshold.
    Max(u8, Vec<u32>),
}

/// `speed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speed {
    /// Negotiated.
    Auto,
    /// `speed nonegotiate`: the port's own speed, and no negotiation.
    NoNegotiation,
    /// Fixed, in Mbit/s.
    Fixed(u32),
}

/// `duplex`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duplex {
    /// Negotiated.
    Auto,
    /// One at a time.
    Half,
    /// Both at once.
    Full,
}

/// What a layer-2 port carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switchport {
    /// `switchport`, mode negotiated.
    Dynamic,
    /// One VLAN, untagged.
    Access,
    /// Tagged.
    Trunk,
}

/// `channel-group NUMBER mode …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelGroup {
    /// The channel's number.
    pub number: u32,
    /// How it forms, where that is stated.
    pub mode: Option<ChannelMode>,
}

/// How a channel forms (IEEE 802.1AX for `active` and `passive`, Cisco's PAgP for `desirable` and `auto`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelMode {
    /// Without a protocol.
    On,
    /// LACP, begins.
    Active,
    /// LACP, waits.
    Passive,
    /// PAgP, begins.
    Desirable,
    /// PAgP, waits.
    Auto,
}

impl ChannelMode {
    /// As IOS writes it.
    pub const fn word(self) -> &'static str {
        match self {
            ChannelMode::On => "on",
            ChannelMode::Active => "active",
            ChannelMode::Passive => "passive",
            ChannelMode::Desirable => "desirable",
            ChannelMode::Auto => "auto",
        }
    }

    /// Whether a channel forms between this end and that.
    pub const fn forms_with(self, other: ChannelMode) -> bool {
        use ChannelMode::{Active, Auto, Desirable, On, Passive};
        matches!(
            (self, other),
            (On, On)
                | (Active, Active | Passive)
                | (Passive, Active)
                | (Desirable, Desirable | Auto)
                | (Auto, Desirable)
        )
    }

    /// Whether ports of one channel may have the two: one protocol.
    pub const fn is_beside(self, other: ChannelMode) -> bool {
        use ChannelMode::{Active, Auto, Desirable, On, Passive};
        matches!(
            (self, other),
            (On, On) | (Active | Passive, Active | Passive) | (Desirable | Auto, Desirable | Auto)
        )
    }
}

/// `rate-limit`, whichever frames it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// Of frames that arrive, or that leave.
    pub direction: Direction,
    /// Its rate.
    pub rate: Rate,
    /// The larger of its two bursts.
    pub burst: Size,
    /// What exceeds them is dropped.
    pub drops: bool,
}

/// Which way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the device.
    Input,
    /// Out of it.
    Output,
}

/// `service-policy input|output NAME`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Which way.
    pub direction: Direction,
    /// The policy map.
    pub policy: String,
}

/// `class-map`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassMap {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub place: Place,
    /// Whether one match suffices.
    pub any: bool,
    /// What it matches.
    pub matches: Vec<Stated<Match>>,
    /// Statements not understood.
    pub unknown: Vec<Place>,
}

/// A condition on a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Match {
    /// Everything.
    Any,
    /// DSCP among these.
    Dscp(Vec<u8>),
    /// Precedence among these.
    Precedence(Vec<u8>),
    /// CoS among these.
    Cos(Vec<u8>),
    /// MPLS experimental bits among these.
    Experimental(Vec<u8>),
    /// An access list, which farpath does not read.
    AccessGroup(String),
    /// Another class.
    Class(String),
    /// What only the device itself knows, such as `qos-group 3` or `protocol arp`.
    Other(String),
}

/// `policy-map`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyMap {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub place: Place,
    /// Its classes in order.
    pub classes: Vec<Class>,
    /// Statements not understood.
    pub unknown: Vec<Place>,
}

/// An ATM circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pvc {
    /// Its name, where it has one.
    pub name: Option<String>,
    /// Where it is defined.
    pub place: Place,
    /// Virtual path.
    pub vpi: u16,
    /// Virtual channel.
    pub vci: u16,
    /// Cells' contract.
    pub contract: Option<Stated<Contract>>,
    /// How frames are put into AAL5.
    pub encapsulation: Option<Stated<Encapsulation>>,
    /// `pppoe-client dial-pool-number`: the pool of dialers that it dials for.
    pub dial_pool: Option<Stated<u32>>,
    /// Statements not understood.
    pub unknown: Vec<Place>,
}

/// What cells a circuit may carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contract {
    /// The category of service.
    pub category: Category,
    /// Peak cell rate, as bits of whole cells a second; `None` is the line's.
    pub peak: Option<Rate>,
    /// Sustainable cell rate, of variable rate circuits.
    pub sustained: Option<Rate>,
    /// Largest burst at the peak rate, in cells.
    pub burst: Option<u32>,
}

/// ATM's categories of service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Unspecified bit rate.
    Ubr,
    /// Variable bit rate, not real time.
    VbrNrt,
    /// Variable bit rate, real time.
    VbrRt,
    /// Constant bit rate.
    Cbr,
}

/// How frames are put into AAL5 (RFC 2684).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encapsulation {
    /// LLC and SNAP: 8 bytes.
    Snap,
    /// One protocol a circuit: no bytes.
    Mux,
}

/// What an author says a port is meant to do: a note of the form
/// `! farpath lbe share 1 % dscp 8 mtu 9000`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intent {
    /// The share of the low class when everyone sends.
    pub share: Ratio,
    /// The low class's DSCP.
    pub dscp: u8,
    /// The largest IP packet the port is to carry.
    pub mtu: Option<u32>,
}

impl Interface {
    /// What marks it believes; none unless stated.
    pub(crate) fn trusts(&self) -> Trust {
        self.trust.as_ref().map_or(Trust::Nothing, |t| t.value)
    }
}

impl Match {
    /// Whether every frame that meets `other` meets this.
    fn covers(&self, other: &Match) -> bool {
        use Match::{Any, Cos, Dscp, Experimental, Precedence};
        let all = |of: &[u8], them: &[u8]| them.iter().all(|v| of.contains(v));
        match (self, other) {
            (Any, _) => true,
            (Dscp(a), Dscp(b))
            | (Precedence(a), Precedence(b))
            | (Cos(a), Cos(b))
            | (Experimental(a), Experimental(b)) => all(a, b),
            (Precedence(a), Dscp(b)) => b.iter().all(|dscp| a.contains(&(dscp >> 3))),
            (one, other) => one == other,
        }
    }

    /// Whether no frame meets both: one field has one value (RFC 2474 §4.2.2 for precedence and DSCP).
    fn excludes(&self, other: &Match) -> bool {
        use Match::{Cos, Dscp, Experimental, Precedence};
        let none = |a: &[u8], b: &[u8]| !a.iter().any(|v| b.contains(v));
        match (self, other) {
            (Dscp(a), Dscp(b))
            | (Precedence(a), Precedence(b))
            | (Cos(a), Cos(b))
            | (Experimental(a), Experimental(b)) => none(a, b),
            (Precedence(p), Dscp(d)) | (Dscp(d), Precedence(p)) => {
                !d.iter().any(|dscp| p.contains(&(dscp >> 3)))
            }
            _ => false,
        }
    }
}

impl core::fmt::Display for Match {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let list = |f: &mut core::fmt::Formatter<'_>, word: &str, values: &[u8]| {
            let values: Vec<String> = values.iter().map(u8::to_string).collect();
            write!(f, "{word} {}", values.join(" "))
        };
        match self {
            Match::Any => f.write_str("any"),
            Match::Dscp(values) => list(f, "dscp", values),
            Match::Precedence(values) => list(f, "precedence", values),
            Match::Cos(values) => list(f, "cos", values),
            Match::Experimental(values) => list(f, "mpls experimental", values),
            Match::AccessGroup(name) => write!(f, "access-group {name}"),
            Match::Class(name) => write!(f, "class-map {name}"),
            Match::Other(what) => f.write_str(what),
        }
    }
}

impl ClassMap {
    /// Two conditions that must hold together and cannot.
    pub(crate) fn contradiction(&self) -> Option<[&Match; 2]> {
        let all = self.matches.iter().enumerate();
        let mut pairs = all.flat_map(|(n, a)| self.matches[..n].iter().map(move |b| (b, a)));
        let pair = pairs.find(|(a, b)| a.value.excludes(&b.value))?;
        (!self.any).then_some([&pair.0.value, &pair.1.value])
    }

    /// Whether every frame of `other` is one of this, as far as single conditions tell.
    pub(crate) fn covers(&self, other: &ClassMap) -> bool {
        let [own, theirs] = [&self.matches, &other.matches];
        let covers = |own: &Stated<Match>, their: &Stated<Match>| own.value.covers(&their.value);
        if own.is_empty() || theirs.is_empty() {
            return false;
        }
        match (self.any, other.any) {
            (true, true) => theirs.iter().all(|t| own.iter().any(|o| covers(o, t))),
            (true, false) => theirs.iter().any(|t| own.iter().any(|o| covers(o, t))),
            (false, true) => theirs.iter().all(|t| own.iter().all(|o| covers(o, t))),
            (false, false) => own.iter().all(|o| theirs.iter().any(|t| covers(o, t))),
        }
    }
}

impl RandomDetect {
    /// The queue it is about.
    pub(crate) const fn queue(&self) -> u8 {
        match self {
            RandomDetect::Use(queue, _)
            | RandomDetect::Min(queue, _)
            | RandomDetect::Max(queue, _) => *queue,
        }
    }

    /// Whether it says again what `other` says.
    pub(crate) fn replaces(&self, other: &RandomDetect) -> bool {
        let kind = core::mem::discriminant(self) == core::mem::discriminant(other);
        kind && self.queue() == other.queue()
    }
}
