//! A port of a switch that carries smaller packets than the hosts on either side of it send: the place of a hole for large packets.

use crate::evidence::Evidence;
use crate::fact::{Of, Place, Value};
use crate::flows::flow::Flow;
use crate::losses::holes::{is_bridged, smallest_lost};
use crate::paths::tunnel;
use crate::ports::{Counted, Kind, Port, counts};
use crate::read::Facts;
use crate::words::whole;

/// Such a port, and what it is to carry.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NarrowPort {
    /// Its switch and its name.
    port: Port,
    /// Its MTU, bytes.
    mtu: u64,
    /// The MTU that it is to have, bytes.
    set: u64,
    /// Another port of the same switch that has this MTU.
    like: Option<String>,
}

/// Most ports that are named.
const NAMED_MAX: usize = 4;

/// The largest MTU of most switches of these systems, and of some of them, bytes.
const JUMBO: f64 = 9216.0;
const JUMBO_OF_SOME: u64 = 9198;

/// What names of ports begin with that carry frames themselves: a VLAN's interface and a tunnel's have an MTU of their own.
const CARRIES: [&str; 8] = ["eth", "fa", "gi", "te", "tw", "fi", "fo", "hu"];

impl NarrowPort {
    /// One of all ports, where the packets that it is to carry have at most so many bytes.
    fn of(narrow: &Counted, all: &[Counted], needed: f64) -> NarrowPort {
        let router = &narrow.port.router;
        let beside = |c: &&Counted| {
            let same = !router.is_empty() && c.port.router == *router;
            same && c.count.value >= needed && carries(&c.port.name)
        };
        let other = all.iter().find(beside);
        let set = other.map_or_else(|| needed.max(JUMBO), |c| c.count.value);
        NarrowPort {
            port: narrow.port.clone(),
            mtu: narrow.count.value as u64,
            set: set as u64,
            like: other.map(|c| c.port.name.clone()),
        }
    }

    /// What to type, and what to type to have it as before.
    pub(crate) fn change(&self) -> [String; 2] {
        let name = &self.port.name;
        let switch = match self.port.router.as_str() {
            "" => "the switch",
            router => router,
        };
        let why = match &self.like {
            Some(like) => format!("which {like} has"),
            None => format!("or the most that it takes: {JUMBO_OF_SOME} of many"),
        };
        let shows = format!("show running-config interface {name}");
        let set = self.set;
        [
            format!(
                "on {switch}, first: {shows}, and keep what it prints; then: configure terminal; interface {name}; mtu {set} ({why}). Where the interface does not take it: system mtu {set} of IOS, which some take at the next start, or a policy-map of type network-qos of NX-OS"
            ),
            format!(
                "on {switch}: configure terminal; interface {name}; mtu {}, or no mtu, where `{shows}` printed none before",
                self.mtu
            ),
        ]
    }

    /// `Te1/0/5 of sw1`, for people.
    pub(crate) fn named(&self) -> String {
        self.port.named("a port of a switch")
    }
}

/// Whether a name is of a port that carries frames itself.
fn carries(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let begins = CARRIES.iter().any(|kind| lower.starts_with(kind));
    // `Ethernet11` of EOS.
    let numbered = lower.strip_prefix("ethernet").and_then(whole);
    begins && (lower.contains('/') || numbered.is_some())
}

/// Whether what was read at this place was printed by IOS, NX-OS or EOS.
fn has_statements(facts: &Facts, at: Place) -> bool {
    let before = facts
        .facts
        .iter()
        .rfind(|f| f.of == Of::Path && f.name == "interface" && f.at <= at);
    before.is_some_and(|f| match &f.value {
        Value::Word(system) => ["ios", "nxos"].contains(&system.as_str()),
        Value::Number(_) => false,
    })
}

/// The ports between the ends of a flow whose MTU is below pings that were all lost, and not below one that was answered; none where a router
/// or a tunnel may lie between. One that counts frames as too large is one wherever routers lie.
fn narrow(facts: &Facts, flow: &Flow) -> Vec<NarrowPort> {
    let (bridged, giants) = (is_bridged(facts, flow), counts(facts, Kind::Giants));
    let lost = smallest_lost(facts, flow);
    let Some(lost) = lost.filter(|_| bridged || !giants.is_empty()) else {
        return Vec::new();
    };
    let gets = |c: &Counted| giants.iter().any(|g| g.port == c.port);
    let answered = facts.along(flow, "ping_answered_bytes").map(|f| f.value);
    let passes = answered.filter(|b| *b < lost.value).fold(0.0, f64::max);
    if tunnel::of_flow(facts, flow, [passes, lost.value]).is_some() {
        return Vec::new();
    }
    let larger = facts.along(flow, "ping_large_lost_bytes").map(|f| f.value);
    let needed = larger.fold(lost.value, f64::max);
    let all = counts(facts, Kind::Mtu);
    let is_it = |c: &&Counted| {
        let between = c.count.value < lost.value && c.count.value >= passes;
        let mut places = c.count.from.iter();
        let on_way = bridged || gets(c);
        between && on_way && carries(&c.port.name) && places.any(|at| has_statements(facts, *at))
    };
    let ports = all.iter().filter(is_it).take(NAMED_MAX);
    ports.map(|c| NarrowPort::of(c, &all, needed)).collect()
}

impl Evidence {
    /// Takes the ports of switches that are too narrow for what is lost.
    pub(crate) fn of_narrow_ports(&mut self, facts: &Facts, flow: &Flow) {
        self.around.narrow_ports = narrow(facts, flow);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_carries_frames_has_a_name_that_a_vlan_has_not() {
        for name in [
            "Te1/0/5",
            "ethernet1/5",
            "Ethernet11",
            "HundredGigE0/0/0/1",
            "Gi0/1",
        ] {
            assert!(carries(name), "{name}");
        }
        for name in ["Vlan10", "Tunnel0", "port-channel10", "Loopback0", ""] {
            assert!(!carries(name), "{name}");
        }
    }
}
