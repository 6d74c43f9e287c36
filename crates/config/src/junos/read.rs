//! From the tree to typed values. A value that cannot be read is a problem, and left out.

use core::net::{Ipv4Addr, Ipv6Addr};
use core::str::FromStr;

use farpath_units::Size;

use super::model::{
    Bridging, Connection, ExplicitPath, FlowMss, Interface, Joins, Lsp, Mpls, ProtocolInterface,
    Router, Stated, Switching, Unit, Vlan,
};
use super::problem::Problem;
use super::tree::{Id, ROOT, Tree};
use super::values::{number, rate, text};
use crate::finding::quoted;
use crate::mask::BITS_IPV6;
use crate::qos::ChannelMode;
use crate::source::Place;

/// A tree being read.
pub(super) struct Reader<'t, 'a> {
    pub(super) tree: &'t Tree<'a>,
    pub(super) file: usize,
    pub(super) problems: Vec<Problem>,
}

/// Where the options of an Ethernet port stand, by the machine.
const ETHERNET: [&str; 3] = ["gigether-options", "ether-options", "fastether-options"];

/// The routers of a file: itself, and its logical systems.
pub(super) fn routers(
    tree: &Tree<'_>,
    file: usize,
    file_name: &str,
) -> (Vec<Router>, Vec<Problem>) {
    let mut reader = Reader {
        tree,
        file,
        problems: Vec::new(),
    };
    let mut all = vec![reader.router(ROOT, file_name)];
    if let Some(systems) = tree.child(ROOT, "logical-systems") {
        for system in tree.children(systems) {
            let name = format!("{}:{}", all[0].name, tree.node(system).word);
            all.push(reader.router(system, &name));
        }
    }
    (all, reader.problems)
}

/// An MTU Junos takes.
fn mtu(text: &str) -> Option<Size> {
    let bytes: u64 = text.parse().ok()?;
    (256..=16_000)
        .contains(&bytes)
        .then(|| Size::from_bytes(bytes))
}

/// A segment size Junos takes.
fn segment(text: &str) -> Option<u64> {
    text.parse().ok().filter(|b| (64..=65_535).contains(b))
}

const SEGMENT: &str = "a number of bytes from 64 to 65535";

fn vlan(text: &str) -> Option<u16> {
    text.parse().ok().filter(|id| (1..=4094).contains(id))
}

fn address(text: &str) -> Option<Ipv4Addr> {
    Ipv4Addr::from_str(text).ok()
}

/// `192.0.2.1/30`; without a length, a host's.
fn prefix(text: &str) -> Option<(Ipv4Addr, u8)> {
    let (host, length) = text.split_once('/').unwrap_or((text, "32"));
    let length: u8 = length.parse().ok().filter(|l| *l <= 32)?;
    Some((address(host)?, length))
}

/// Whether an address of IPv6 has a length from 0 to 128 behind it, if it has any.
fn prefix_ipv6(text: &str) -> Option<()> {
    let parts = text.split_once('/');
    let parts = parts.filter(|(host, _)| host.parse::<Ipv6Addr>().is_ok());
    let Some((_, length)) = parts else {
        return Some(());
    };
    let length: u32 = length.parse().ok()?;
    (length <= BITS_IPV6).then_some(())
}

impl Reader<'_, '_> {
    pub(super) fn place(&self, id: Id) -> Place {
        let node = self.tree.node(id);
        Place {
            file: self.file,
            span: node.start as usize..node.end as usize,
        }
    }

    /// An active child.
    pub(super) fn child(&self, id: Id, word: &str) -> Option<Id> {
        let child = self.tree.child(id, word)?;
        (!self.tree.node(child).inactive).then_some(child)
    }

    pub(super) fn at(&self, id: Id, path: &[&str]) -> Option<Id> {
        path.iter().try_fold(id, |at, word| self.child(at, word))
    }

    /// Active children of a statement below `id`.
    pub(super) fn all(&self, id: Id, path: &[&str]) -> Vec<Id> {
        let at = self.at(id, path);
        at.map_or_else(Vec::new, |at| self.named(at))
    }

    /// As [`Self::all`], without those that are inactive.
    pub(super) fn active(&self, id: Id, path: &[&str]) -> Vec<Id> {
        let mut all = self.all(id, path);
        all.retain(|c| !self.tree.node(*c).inactive);
        all
    }

    /// Children that are names, inactive ones too.
    fn named(&self, id: Id) -> Vec<Id> {
        let name = |c: &Id| !self.tree.node(*c).word.starts_with("apply-groups");
        self.tree.children(id).filter(name).collect()
    }

    /// A place, if the statement is there and active.
    pub(super) fn said(&self, id: Id, word: &str) -> Option<Place> {
        self.child(id, word).map(|c| self.place(c))
    }

    fn off(&self, id: Id) -> Option<Place> {
        let inactive = self.tree.node(id).inactive.then(|| self.place(id));
        inactive.or_else(|| self.said(id, "disable"))
    }

    /// The value of a statement: of several, the last.
    pub(super) fn value<T>(
        &mut self,
        id: Id,
        word: &str,
        read: impl Fn(&str) -> Option<T>,
        wanted: &str,
    ) -> Option<Stated<T>> {
        let statement = self.child(id, word)?;
        let values = self.named(statement);
        let mut active = values.iter().filter(|v| !self.tree.node(**v).inactive);
        let Some(last) = active.next_back().copied() else {
            // An inactive value is none; a statement that ends before its value is a mistake.
            if values.is_empty() {
                self.wrong(statement, format!("`{word}` has no value"), wanted);
            }
            return None;
        };
        self.stated(last, word, read, wanted)
    }

    pub(super) fn stated<T>(
        &mut self,
        id: Id,
        word: &str,
        read: impl Fn(&str) -> Option<T>,
        wanted: &str,
    ) -> Option<Stated<T>> {
        let node = self.tree.node(id);
        let Some(value) = read(node.word) else {
            let shown = quoted(node.word);
            self.wrong(id, format!("`{word}` cannot be `{shown}`"), wanted);
            return None;
        };
        let applied = node.applied.map(|(start, end)| Place {
            file: self.file,
            span: start as usize..end as usize,
        });
        Some(Stated {
            value,
            place: self.place(id),
            applied,
        })
    }

    fn wrong(&mut self, id: Id, message: String, wanted: &str) {
        let span = self.place(id).span;
        self.problems
            .push(Problem::new(span, message, format!("write {wanted}")));
    }

    fn name(&self, id: Id) -> String {
        self.tree.node(id).word.to_owned()
    }

    fn router(&mut self, id: Id, file_name: &str) -> Router {
        let system = self.child(id, "system");
        let name = system.and_then(|s| self.value(s, "host-name", text, "a name"));
        let options = self.child(id, "routing-options");
        let router_id = options.and_then(|o| self.value(o, "router-id", address, DOTTED));
        let interfaces = self.all(id, &["interfaces"]);
        let interfaces = interfaces
            .into_iter()
            .filter(|i| self.tree.node(*i).word != "interface-range");
        let interfaces: Vec<Id> = interfaces.collect();
        let igp = ["ospf", "isis"]
            .iter()
            .find_map(|p| self.at(id, &["protocols", p]));
        Router {
            name: name.map_or_else(|| file_name.to_owned(), |n| n.value),
            place: self.place(id),
            router_id,
            interfaces: interfaces.into_iter().map(|i| self.interface(i)).collect(),
            mpls: self.at(id, &["protocols", "mpls"]).map(|m| self.mpls(m)),
            rsvp: self.protocol_interfaces(id, &["protocols", "rsvp", "interface"]),
            igp: igp.map(|i| self.place(i)),
            connections: self.connections(id),
            class_of_service: self.class_of_service(id),
            policers: self.policers(id),
            filters: self.filters(id),
            tcp_mss: self.flow_mss(id),
            sealed: self.sealed(id),
            vlans: self.vlans(id),
            bridging: self.bridging(id),
        }
    }

    /// The active words below a statement.
    fn words(&self, id: Id, path: &[&str]) -> Vec<String> {
        let all = self.active(id, path);
        all.into_iter().map(|w| self.name(w)).collect()
    }

    fn vlans(&self, id: Id) -> Vec<Vlan> {
        let all = self.active(id, &["vlans"]);
        let read = |v: Id| Vlan {
            name: self.name(v),
            id: self.words(v, &["vlan-id"]).last().and_then(|w| vlan(w)),
            interfaces: self.words(v, &["interface"]),
        };
        all.into_iter().map(read).collect()
    }

    fn switching(&self, family: Id) -> Switching {
        let modes = ["interface-mode", "port-mode"];
        let mut modes = modes.into_iter().flat_map(|m| self.words(family, &[m]));
        Switching {
            trunk: modes.any(|m| m == "trunk"),
            members: self.words(family, &["vlan", "members"]),
            bridge: false,
        }
    }

    /// A port of a router's switch that says how it carries VLANs. What others carry follows from `bridge-domains` alone, and is not read.
    fn bridge_port(&self, unit: Id) -> Option<Switching> {
        let family = self.at(unit, &["family", "bridge"])?;
        let modes = self.words(family, &["interface-mode"]);
        let trunk = match modes.last()?.as_str() {
            "trunk" => true,
            "access" => false,
            _ => return None,
        };
        let key = if trunk { "vlan-id-list" } else { "vlan-id" };
        Some(Switching {
            trunk,
            members: self.words(family, &[key]),
            bridge: true,
        })
    }

    fn bridging(&self, id: Id) -> Bridging {
        let below = |path: &str, keys: &[&str]| {
            let mut words = Vec::new();
            for one in self.active(id, &[path]) {
                for key in keys {
                    words.extend(self.words(one, &[*key]));
                }
            }
            words
        };
        Bridging {
            vlans: below("bridge-domains", &["vlan-id", "vlan-id-list"]),
            others: below("routing-instances", &["interface"]),
        }
    }

    fn flow_mss(&mut self, id: Id) -> Vec<FlowMss> {
        let kinds = ["all-tcp", "ipsec-vpn", "gre-in", "gre-out"];
        let said = kinds.into_iter().filter_map(|of| {
            let at = self.at(id, &["security", "flow", "tcp-mss", of])?;
            let bytes = self.value(at, "mss", segment, SEGMENT)?;
            Some(FlowMss { of, bytes })
        });
        said.collect()
    }

    fn interface(&mut self, id: Id) -> Interface {
        let member_of = ETHERNET.iter().chain(&["sonet-options"]).find_map(|o| {
            let options = self.child(id, o)?;
            self.value(options, "802.3ad", text, "a bundle, `ae0`")
                .or_else(|| self.value(options, "aggregate", text, "a bundle, `as0`"))
        });
        let units = self.all(id, &["unit"]);
        Interface {
            name: self.name(id),
            place: self.place(id),
            off: self.off(id),
            mtu: self.value(id, "mtu", mtu, "a number of bytes from 256 to 16000"),
            speed: self.of_line(id, "speed", "a speed, `10g`"),
            link_mode: self.of_line(id, "link-mode", "`full-duplex`"),
            no_negotiation: ETHERNET
                .iter()
                .find_map(|o| self.said(self.child(id, o)?, "no-auto-negotiation")),
            encapsulation: self.value(id, "encapsulation", text, "an encapsulation"),
            tagging: self
                .said(id, "vlan-tagging")
                .or_else(|| self.said(id, "flexible-vlan-tagging"))
                .or_else(|| self.said(id, "stacked-vlan-tagging")),
            lacp: self.lacp(id),
            native_vlan: self.value(id, "native-vlan-id", vlan, "a number from 1 to 4094"),
            member_of,
            units: units.into_iter().map(|u| self.unit(u)).collect(),
        }
    }

    /// What a port states of its line, itself or in its options of Ethernet, as EX switches have it; none where it is negotiated.
    fn of_line(&mut self, id: Id, word: &str, wanted: &str) -> Option<Stated<String>> {
        let options = ETHERNET.iter().filter_map(|o| self.child(id, o));
        let all: Vec<Id> = core::iter::once(id).chain(options).collect();
        let mut said = all.into_iter();
        let said = said.find_map(|at| self.value(at, word, text, wanted))?;
        (!said.value.starts_with("auto")).then_some(said)
    }

    /// How a bundle forms: `passive` unless `active` is written (Junos, `lacp`).
    fn lacp(&self, id: Id) -> Option<Stated<ChannelMode>> {
        let lacp = self.at(id, &["aggregated-ether-options", "lacp"])?;
        let value = match self.child(lacp, "active") {
            Some(_) => ChannelMode::Active,
            None => ChannelMode::Passive,
        };
        Some(Stated {
            value,
            place: self.place(lacp),
            applied: None,
        })
    }

    fn unit(&mut self, id: Id) -> Unit {
        for own in self.active(id, &["family", "inet6", "address"]) {
            self.stated(own, "address", prefix_ipv6, "`2001:db8::1/64`");
        }
        let addresses = self.all(id, &["family", "inet", "address"]);
        let addresses = addresses
            .into_iter()
            .filter(|a| !self.tree.node(*a).inactive);
        let addresses: Vec<Id> = addresses.collect();
        let inet = self.at(id, &["family", "inet"]);
        let inet6 = self.at(id, &["family", "inet6"]);
        let mpls = self.at(id, &["family", "mpls"]);
        // The source of a tunnel over IPv6 is not read.
        let tunnel = self.child(id, "tunnel").filter(|t| self.over_ipv4(*t));
        let routed = ["inet", "inet6", "iso"]
            .iter()
            .find_map(|f| self.at(id, &["family", f]));
        Unit {
            number: self.name(id),
            place: self.place(id),
            off: self.off(id),
            encapsulation: self.value(id, "encapsulation", text, "an encapsulation"),
            vlan: self.value(id, "vlan-id", vlan, "a number from 1 to 4094"),
            vlan_tags: self.said(id, "vlan-tags"),
            vlan_list: self
                .said(id, "vlan-id-list")
                .or_else(|| self.said(id, "vlan-id-range")),
            tunnel_source: tunnel.and_then(|t| self.value(t, "source", address, DOTTED)),
            tunnel_key: tunnel.and_then(|t| self.said(t, "key")),
            addresses: addresses
                .into_iter()
                .filter_map(|a| self.stated(a, "address", prefix, "`192.0.2.1/30`"))
                .collect(),
            routed: routed.map(|f| self.place(f)),
            inet_mtu: inet
                .and_then(|i| self.value(i, "mtu", mtu, "a number of bytes from 256 to 16000")),
            inet6_mtu: inet6
                .and_then(|i| self.value(i, "mtu", mtu, "a number of bytes from 256 to 16000")),
            tcp_mss: inet.and_then(|i| self.value(i, "tcp-mss", segment, SEGMENT)),
            tcp_mss_ipv6: inet6.and_then(|i| self.value(i, "tcp-mss", segment, SEGMENT)),
            mpls: mpls.map(|m| self.place(m)),
            mpls_mtu: mpls
                .and_then(|m| self.value(m, "mtu", mtu, "a number of bytes from 256 to 16000")),
            ccc: self.at(id, &["family", "ccc"]).map(|c| self.place(c)),
            switching: self
                .at(id, &["family", "ethernet-switching"])
                .map(|f| self.switching(f))
                .or_else(|| self.bridge_port(id)),
            conditioners: self.conditioners(id),
        }
    }

    /// Whether a tunnel has no IPv6 address as its source.
    fn over_ipv4(&self, tunnel: Id) -> bool {
        let source = self.child(tunnel, "source");
        let values = source.map(|s| self.named(s)).unwrap_or_default();
        !values.iter().any(|v| self.tree.node(*v).word.contains(':'))
    }

    fn protocol_interfaces(&mut self, id: Id, path: &[&str]) -> Vec<ProtocolInterface> {
        let all = self.all(id, path);
        let read = |i: Id| ProtocolInterface {
            name: self.name(i),
            place: self.place(i),
            off: self.off(i),
            bandwidth: self.value(i, "bandwidth", rate, "a rate, `10g`"),
            subscription: self.value(i, "subscription", number, "a share in percent"),
            link_protection: self.said(i, "link-protection"),
        };
        all.into_iter().map(read).collect()
    }

    fn mpls(&mut self, id: Id) -> Mpls {
        let signalled = self.all(id, &["label-switched-path"]);
        let fixed = self.all(id, &["static-label-switched-path"]);
        let mut lsps: Vec<Lsp> = signalled.into_iter().map(|l| self.lsp(l, false)).collect();
        lsps.extend(fixed.into_iter().map(|l| self.lsp(l, true)));
        let paths = self.all(id, &["path"]);
        Mpls {
            place: self.place(id),
            explicit_null: self.said(id, "explicit-null"),
            no_cspf: self.said(id, "no-cspf"),
            interfaces: self.protocol_interfaces(id, &["interface"]),
            lsps,
            paths: paths.into_iter().map(|p| self.explicit_path(p)).collect(),
        }
    }

    fn explicit_path(&mut self, id: Id) -> ExplicitPath {
        let hops = self.named(id);
        let hops = hops
            .into_iter()
            .filter_map(|h| self.stated(h, "path", address, DOTTED));
        let hops = hops.map(|h| h.value).collect();
        ExplicitPath {
            name: self.name(id),
            place: self.place(id),
            hops,
        }
    }

    fn lsp(&mut self, id: Id, fixed: bool) -> Lsp {
        let protections = ["fast-reroute", "link-protection", "node-link-protection"];
        let primary = self.all(id, &["primary"]).first().copied();
        // A fixed LSP is built of statements that farpath does not read.
        let value = if fixed { None } else { Some(id) };
        Lsp {
            name: self.name(id),
            place: self.place(id),
            off: self.off(id),
            fixed,
            from: value.and_then(|v| self.value(v, "from", address, DOTTED)),
            to: self.value(id, "to", address, DOTTED),
            bandwidth: value.and_then(|v| self.value(v, "bandwidth", rate, "a rate, `2g`")),
            no_cspf: self.said(id, "no-cspf"),
            protection: protections.iter().find_map(|p| self.said(id, p)),
            primary: primary.and_then(|p| self.stated(p, "primary", text, "a path's name")),
        }
    }

    fn connections(&mut self, id: Id) -> Vec<Connection> {
        let mut all = Vec::new();
        for kind in ["interface-switch", "remote-interface-switch", "lsp-switch"] {
            for c in self.all(id, &["protocols", "connections", kind]) {
                let joins = self.joins(c, kind);
                all.push(Connection {
                    name: self.name(c),
                    place: self.place(c),
                    off: self.off(c),
                    joins,
                });
            }
        }
        all
    }

    fn joins(&mut self, id: Id, kind: &str) -> Joins {
        if kind == "interface-switch" {
            let all = self.all(id, &["interface"]);
            let read = |i| self.stated(i, "interface", text, "an interface");
            return Joins::Interfaces(all.into_iter().filter_map(read).collect());
        }
        let transmit = self.value(id, "transmit-lsp", text, "an LSP's name");
        let receive = self.value(id, "receive-lsp", text, "an LSP's name");
        if kind == "lsp-switch" {
            return Joins::Lsps { transmit, receive };
        }
        Joins::Remote {
            interface: self.value(id, "interface", text, "an interface"),
            transmit,
            receive,
        }
    }
}

const DOTTED: &str = "an IPv4 address, `192.0.2.1`";
