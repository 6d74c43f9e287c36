//! What a router is configured to do, as plain data with places.

use core::net::Ipv4Addr;

use farpath_units::{Rate, Size};

use crate::esp::Transform;
use crate::qos::ChannelMode;
use crate::source::Place;

pub use super::class::{
    ClassOfService, Classifier, CosInterface, Marks, Scheduler, SchedulerMap, Transmit,
};
pub use super::firewall::{Applied, Condition, Filter, Policer, Side, Term};

/// A value and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub place: Place,
    /// Where the group or range is applied that it came from.
    pub applied: Option<Place>,
}

/// A router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Router {
    /// Its host name, or its file's name.
    pub name: String,
    /// The whole file, or its `logical-systems` statement.
    pub place: Place,
    /// `routing-options router-id`.
    pub router_id: Option<Stated<Ipv4Addr>>,
    /// Physical interfaces.
    pub interfaces: Vec<Interface>,
    /// `protocols mpls`; `None` without it.
    pub mpls: Option<Mpls>,
    /// `protocols rsvp interface`.
    pub rsvp: Vec<ProtocolInterface>,
    /// `protocols ospf`, `isis`: what can fill a traffic engineering database.
    pub igp: Option<Place>,
    /// `protocols connections`.
    pub connections: Vec<Connection>,
    /// `class-of-service`.
    pub class_of_service: ClassOfService,
    /// `firewall policer`.
    pub policers: Vec<Policer>,
    /// `firewall filter` and `firewall family … filter`.
    pub filters: Vec<Filter>,
    /// `security flow tcp-mss`.
    pub tcp_mss: Vec<FlowMss>,
    /// What each tunnel of IPsec, such as `st0.0`, is sealed with, where its proposals are known.
    pub(crate) sealed: Vec<(String, Transform)>,
    /// `vlans`.
    pub vlans: Vec<Vlan>,
    /// What `family bridge` is held against.
    pub(crate) bridging: Bridging,
}

/// The VLANs of a router's own switch, and what belongs to others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bridging {
    /// `vlan-id` and `vlan-id-list` of `bridge-domains`: numbers, ranges of these, or `all`.
    pub(crate) vlans: Vec<String>,
    /// `interface` of `routing-instances`: units of other switches, such as `ge-0/0/1.0`.
    pub(crate) others: Vec<String>,
}

/// A VLAN of a Junos switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vlan {
    /// Its name.
    pub name: String,
    /// `vlan-id`, 1 to 4094; none where it has none, or another word.
    pub id: Option<u16>,
    /// `interface`: units that are in it, such as `ge-0/0/1.0`.
    pub interfaces: Vec<String>,
}

/// `family ethernet-switching`, or `family bridge` with an `interface-mode`: a unit is a port of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switching {
    /// `interface-mode trunk`, on older machines `port-mode trunk`; an access port without it.
    pub trunk: bool,
    /// `vlan members`: names of VLANs, their numbers, ranges of these, or `all`.
    pub members: Vec<String>,
    /// `family bridge`: `members` are its `vlan-id` or `vlan-id-list`, and `bridge-domains` has the switch's VLANs.
    pub bridge: bool,
}

/// What a firewall makes of the segment sizes that SYNs offer through it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowMss {
    /// Of which connections: `all-tcp`, `ipsec-vpn`, `gre-in`, `gre-out`.
    pub of: &'static str,
    /// At most this, 64 to 65535 bytes.
    pub bytes: Stated<u64>,
}

/// A physical interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// `so-1/0/0`.
    pub name: String,
    /// Its name.
    pub place: Place,
    /// Where it is switched off: `inactive:` or `disable`.
    pub off: Option<Place>,
    /// Largest frame without its check sequence (media MTU).
    pub mtu: Option<Stated<Size>>,
    /// `speed`, as written, of the port or of its `ether-options`; none where it is negotiated.
    pub speed: Option<Stated<String>>,
    /// `link-mode`, of either; none where it is negotiated.
    pub link_mode: Option<Stated<String>>,
    /// `no-auto-negotiation` of its `ether-options`, `gigether-options` or `fastether-options`.
    pub no_negotiation: Option<Place>,
    /// `encapsulation`.
    pub encapsulation: Option<Stated<String>>,
    /// Any of `vlan-tagging`, `flexible-vlan-tagging`, `stacked-vlan-tagging`.
    pub tagging: Option<Place>,
    /// `native-vlan-id`: the VLAN whose frames have no tag.
    pub native_vlan: Option<Stated<u16>>,
    /// Of a bundle, how it forms by `aggregated-ether-options lacp`, and where that is written; without it, by no protocol.
    pub lacp: Option<Stated<ChannelMode>>,
    /// The bundle it is a member of (`802.3ad`, `aggregate`).
    pub member_of: Option<Stated<String>>,
    /// Logical interfaces.
    pub units: Vec<Unit>,
}

/// A logical interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// `591`.
    pub number: String,
    /// Its number's place.
    pub place: Place,
    /// Where it is switched off.
    pub off: Option<Place>,
    /// `encapsulation`.
    pub encapsulation: Option<Stated<String>>,
    /// `vlan-id`.
    pub vlan: Option<Stated<u16>>,
    /// `vlan-tags`: two tags.
    pub vlan_tags: Option<Place>,
    /// `vlan-id-list` or `vlan-id-range`: several VLANs.
    pub vlan_list: Option<Place>,
    /// `tunnel source`.
    pub tunnel_source: Option<Stated<Ipv4Addr>>,
    /// `tunnel key`.
    pub tunnel_key: Option<Place>,
    /// `family inet address`, each with the length of its prefix.
    pub addresses: Vec<Stated<(Ipv4Addr, u8)>>,
    /// `family inet` and other families of routed packets.
    pub routed: Option<Place>,
    /// `family inet mtu`.
    pub inet_mtu: Option<Stated<Size>>,
    /// `family inet6 mtu`.
    pub inet6_mtu: Option<Stated<Size>>,
    /// `family inet tcp-mss`, bytes.
    pub tcp_mss: Option<Stated<u64>>,
    /// `family inet6 tcp-mss`, bytes.
    pub tcp_mss_ipv6: Option<Stated<u64>>,
    /// `family mpls`.
    pub mpls: Option<Place>,
    /// `family mpls mtu`.
    pub mpls_mtu: Option<Stated<Size>>,
    /// `family ccc`.
    pub ccc: Option<Place>,
    /// `family ethernet-switching`, or `family bridge` with an `interface-mode`.
    pub switching: Option<Switching>,
    /// Filters and policers that act on it.
    pub conditioners: Vec<Applied>,
}

/// An interface in a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtocolInterface {
    /// `all`, `so-1/0/0.0`.
    pub name: String,
    /// Its name.
    pub place: Place,
    /// Where it is switched off.
    pub off: Option<Place>,
    /// RSVP's `bandwidth`: what may be reserved, before `subscription`.
    pub bandwidth: Option<Stated<Rate>>,
    /// RSVP's `subscription`, in percent.
    pub subscription: Option<Stated<u64>>,
    /// RSVP's `link-protection`.
    pub link_protection: Option<Place>,
}

/// `protocols mpls`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mpls {
    /// The statement.
    pub place: Place,
    /// `explicit-null`.
    pub explicit_null: Option<Place>,
    /// `no-cspf` for all LSPs.
    pub no_cspf: Option<Place>,
    /// `interface`.
    pub interfaces: Vec<ProtocolInterface>,
    /// `label-switched-path` and `static-label-switched-path`.
    pub lsps: Vec<Lsp>,
    /// `path`: addresses in order.
    pub paths: Vec<ExplicitPath>,
}

/// A label-switched path, as configured on its head end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lsp {
    /// Its name.
    pub name: String,
    /// Its name's place.
    pub place: Place,
    /// Where it is switched off.
    pub off: Option<Place>,
    /// It is configured hop by hop, not signalled.
    pub fixed: bool,
    /// `from`.
    pub from: Option<Stated<Ipv4Addr>>,
    /// `to`.
    pub to: Option<Stated<Ipv4Addr>>,
    /// `bandwidth` to reserve.
    pub bandwidth: Option<Stated<Rate>>,
    /// `no-cspf`.
    pub no_cspf: Option<Place>,
    /// `fast-reroute`, `link-protection` or `node-link-protection`.
    pub protection: Option<Place>,
    /// `primary`.
    pub primary: Option<Stated<String>>,
}

/// `protocols mpls path`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplicitPath {
    /// Its name.
    pub name: String,
    /// Its name's place.
    pub place: Place,
    /// The addresses it goes by.
    pub hops: Vec<Ipv4Addr>,
}

/// What a connection joins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Joins {
    /// `interface-switch`: two interfaces.
    Interfaces(Vec<Stated<String>>),
    /// `remote-interface-switch`: an interface, an LSP out and an LSP in.
    Remote {
        /// The interface.
        interface: Option<Stated<String>>,
        /// The LSP that starts here.
        transmit: Option<Stated<String>>,
        /// The LSP that ends here.
        receive: Option<Stated<String>>,
    },
    /// `lsp-switch`: an LSP in and an LSP out, one way.
    Lsps {
        /// The LSP that starts here.
        transmit: Option<Stated<String>>,
        /// The LSP that ends here.
        receive: Option<Stated<String>>,
    },
}

/// `protocols connections`: one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Its name.
    pub name: String,
    /// Its name's place.
    pub place: Place,
    /// Where it is switched off.
    pub off: Option<Place>,
    /// What it joins.
    pub joins: Joins,
}

impl Connection {
    /// The LSP it sends into.
    pub fn transmit(&self) -> Option<&Stated<String>> {
        match &self.joins {
            Joins::Remote { transmit, .. } | Joins::Lsps { transmit, .. } => transmit.as_ref(),
            Joins::Interfaces(_) => None,
        }
    }

    /// The LSP it takes from.
    pub fn receive(&self) -> Option<&Stated<String>> {
        match &self.joins {
            Joins::Remote { receive, .. } | Joins::Lsps { receive, .. } => receive.as_ref(),
            Joins::Interfaces(_) => None,
        }
    }

    /// Its interfaces.
    pub fn interfaces(&self) -> Vec<&Stated<String>> {
        match &self.joins {
            Joins::Interfaces(all) => all.iter().collect(),
            Joins::Remote { interface, .. } => interface.iter().collect(),
            Joins::Lsps { .. } => Vec::new(),
        }
    }

    /// Whether it stitches one LSP to another.
    pub fn is_stitch(&self) -> bool {
        matches!(self.joins, Joins::Lsps { .. })
    }
}

impl Router {
    /// The interface and unit of a name such as `ge-1/1/0.591`; without a unit, `0` is meant.
    pub fn unit(&self, name: &str) -> Option<(&Interface, &Unit)> {
        let (port, number) = name.split_once('.').unwrap_or((name, "0"));
        let interface = self.interfaces.iter().find(|i| i.name == port)?;
        let unit = interface.units.iter().find(|u| u.number == number)?;
        Some((interface, unit))
    }

    /// Its LSPs.
    pub fn lsps(&self) -> &[Lsp] {
        self.mpls.as_ref().map_or(&[], |m| &m.lsps)
    }

    /// The LSP of this name that starts here.
    pub fn lsp(&self, name: &str) -> Option<&Lsp> {
        self.lsps().iter().find(|l| l.name == name)
    }

    /// Whether it has this address.
    pub fn has_address(&self, address: Ipv4Addr) -> bool {
        let units = self.interfaces.iter().flat_map(|i| &i.units);
        let mut addresses = units.flat_map(|u| &u.addresses);
        addresses.any(|a| a.value.0 == address)
            || self.router_id.as_ref().is_some_and(|r| r.value == address)
    }
}

impl Interface {
    /// Packet over SONET/SDH.
    pub fn is_sonet(&self) -> bool {
        self.name.starts_with("so-")
    }

    /// Whether its frames are Ethernet's or SONET's, whose sizes are known; loopbacks and tunnels have others.
    pub fn is_framed(&self) -> bool {
        let kinds = ["fe", "ge", "xe", "et", "ae"];
        let kind = self
            .name
            .trim_end_matches(|c: char| !c.is_ascii_alphabetic());
        let kind = kind.split('-').next().unwrap_or(kind);
        self.is_sonet() || kinds.contains(&kind)
    }

    /// The rate by its name or `speed`; `None` where only the hardware knows it.
    pub fn rate(&self) -> Option<Rate> {
        self.fixed().or_else(|| self.rate_by_name())
    }

    /// The rate that `speed` states.
    pub(crate) fn fixed(&self) -> Option<Rate> {
        self.speed.as_ref().and_then(|s| speed(&s.value))
    }

    /// The rate of ports of its name.
    pub(crate) fn rate_by_name(&self) -> Option<Rate> {
        match self.name.split('-').next()? {
            "fe" => Rate::from_bps(100_000_000),
            "ge" => Rate::from_bps(1_000_000_000),
            "xe" => Rate::from_bps(10_000_000_000),
            _ => None,
        }
    }

    /// Largest frame without check sequence. Unset: Ethernet 1514, with `vlan-tagging` 1518 (the
    /// tag comes on top), SONET/SDH 4474 (Junos, "Media MTU sizes by interface type").
    pub fn media_mtu(&self) -> Size {
        let bytes = match (self.is_sonet(), self.tagging.is_some()) {
            (true, _) => 4474,
            (false, true) => 1518,
            (false, false) => 1514,
        };
        self.mtu
            .as_ref()
            .map_or(Size::from_bytes(bytes), |m| m.value)
    }

    /// Layer-2 header of a labelled frame: PPP or HDLC 4, Ethernet 14, tagged 18.
    pub fn header(&self) -> u64 {
        match (self.is_sonet(), self.tagging.is_some()) {
            (true, _) => 4,
            (false, true) => 18,
            (false, false) => 14,
        }
    }
}

/// The rate of `speed`: `10g`, `1g`, `100m`, `oc192`.
fn speed(text: &str) -> Option<Rate> {
    let bps = match text {
        "oc3" => 149_760_000,
        "oc12" => 599_040_000,
        "oc48" => 2_396_160_000,
        "oc192" => 9_584_640_000,
        _ => super::values::scaled(text)?,
    };
    Rate::from_bps(bps)
}
