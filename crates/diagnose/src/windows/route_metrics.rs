//! What the routes of hosts set of TCP: the most that is announced as a window, sizes of packets, and what a connection begins with (ip-route, 8).

use core::net::IpAddr;

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::flows::flow::{Flow, alike};
use crate::items::{Item, step};
use crate::losses::segments::{FIXED_HEADERS, HEADERS};
use crate::paths::pinged::names;
use crate::read::Facts;
use crate::windows::room::Room;

/// What a route may set, as `ip route` names it.
pub(crate) const SETTINGS: [&str; 10] = [
    "window", "mtu", "advmss", "initcwnd", "initrwnd", "cwnd", "ssthresh", "congctl", "rto_min",
    "quickack",
];

/// Most routes that are kept.
const ROUTES_MAX: usize = 1000;

/// A smaller MTU has hardly a link: a router's message, which may be forged, or somebody said it. A choice, far below the 1280 of IPv6.
const TINY_MTU: f64 = 1000.0;

/// The bytes of a packet that every Ethernet carries.
const USUAL_MTU: f64 = 1500.0;

/// A window is used up between these parts of it. A choice.
const USED: [f64; 2] = [0.6, 0.8];
const BEYOND: [f64; 2] = [1.3, 1.6];

/// What it is worth that a route holds the window that is used up, decibans. A choice.
const HELD: f64 = 30.0;

/// The largest window without scaling, bytes: a route that allows no more makes its host offer a scale of 0.
const UNSCALED: f64 = 65_535.0;

/// A route of a host, and what it sets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SetRoute {
    /// The source, and the name at its prompt, which may be empty.
    source: u32,
    prompt: String,
    /// Where it leads: the network, or none of a default route, and the bits of its prefix.
    to: Option<IpAddr>,
    bits: u8,
    /// Whether it is a default route of IPv6.
    ipv6: bool,
    /// As a command names it, without what it sets: `192.0.2.0/24 via 10.0.0.1 dev eth0`.
    named: String,
    /// What it sets, by its names.
    sets: Vec<(&'static str, String)>,
    at: Place,
}

/// What a line of `ip route`, or the line below one of `ip route get`, sets.
pub(crate) fn sets(text: &str) -> Vec<(&'static str, String)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let value = |key: &&'static str| {
        let at = words.iter().position(|word| word == key)?;
        let rest = &words[at + 1..];
        let value = rest.iter().find(|word| **word != "lock")?;
        Some((*key, (*value).to_owned()))
    };
    SETTINGS.iter().filter_map(value).collect()
}

/// A route's words before those that it sets.
fn named(text: &str) -> String {
    let words = text.split_whitespace();
    let own = words.take_while(|word| !SETTINGS.contains(word));
    own.collect::<Vec<&str>>().join(" ")
}

/// The network and the bits of `192.0.2.0/24` or `192.0.2.9`.
fn network(word: &str) -> Option<(IpAddr, u8)> {
    let (address, bits) = match word.split_once('/') {
        Some((address, bits)) => (address, Some(bits.parse::<u8>().ok()?)),
        None => (word, None),
    };
    let address: IpAddr = address.parse().ok()?;
    let all = if address.is_ipv4() { 32 } else { 128 };
    Some((address, bits.unwrap_or(all).min(all)))
}

/// Whether the first bits of two addresses are the same.
fn holds((network, bits): (IpAddr, u8), address: IpAddr) -> bool {
    let same = |a: u128, b: u128, all: u32| {
        let others = all - u32::from(bits).min(all);
        a.checked_shr(others) == b.checked_shr(others)
    };
    match (network, address) {
        (IpAddr::V4(a), IpAddr::V4(b)) => same(u32::from(a).into(), u32::from(b).into(), 32),
        (IpAddr::V6(a), IpAddr::V6(b)) => same(a.into(), b.into(), 128),
        _ => false,
    }
}

impl Facts {
    /// Adds a route of whoever printed the lines that are read now, by its line.
    pub(crate) fn routes_by(&mut self, text: &str, at: Place) {
        let Some(first) = text.split_whitespace().next() else {
            return;
        };
        let to = network(first);
        if self.set_routes.len() >= ROUTES_MAX || to.is_none() && first != "default" {
            return;
        }
        let (source, prompt) = self.prompt();
        self.set_routes.push(SetRoute {
            source,
            prompt,
            to: to.map(|(address, _)| address),
            bits: to.map_or(0, |(_, bits)| bits),
            ipv6: to.is_none()
                && crate::words::after(text, " via ").is_some_and(|v| v.contains(':')),
            named: crate::redact(&named(text)),
            sets: sets(text),
            at,
        });
    }

    /// Adds what the kernel keeps of the route above: `cache expires 512sec mtu 576`.
    pub(crate) fn route_keeps(&mut self, text: &str, at: Place) {
        let below = |route: &&mut SetRoute| at.lines_below(route.at) == Some(1);
        if let Some(last) = self.set_routes.last_mut().filter(below) {
            last.sets.extend(sets(text));
        }
    }
}

impl SetRoute {
    /// A number that it sets.
    fn number(&self, name: &str) -> Option<f64> {
        let (_, value) = self.sets.iter().find(|(own, _)| *own == name)?;
        value.parse().ok()
    }

    /// Whether it leads to an address.
    fn leads_to(&self, address: IpAddr) -> bool {
        match self.to {
            Some(to) => holds((to, self.bits), address),
            None => self.ipv6 == address.is_ipv6(),
        }
    }

    /// Whether it is of one of these hosts, or was printed at a prompt with a name of an end.
    fn is_of(&self, facts: &Facts, hosts: &[u32], names: &[String]) -> bool {
        if self.prompt.is_empty() {
            // Without a name it may be of any host of its source.
            let mut all = (0_u32..).zip(&facts.host_sources);
            let here = |host: &u32| facts.host_sources.get(*host as usize) == Some(&self.source);
            return hosts.iter().any(here)
                && all.all(|(host, source)| *source != self.source || hosts.contains(&host));
        }
        let called = |host: &u32| {
            let own = facts.hosts.get(*host as usize);
            own.is_some_and(|own| own.contains(&self.prompt))
        };
        names.iter().any(|name| alike(name, &self.prompt)) || hosts.iter().any(called)
    }
}

/// The addresses of an end of a flow, as its test and pings to it have them: 0 is the sender.
pub(crate) fn addresses(facts: &Facts, flow: &Flow, n: usize) -> Vec<IpAddr> {
    let called = names(flow, n);
    let pinged = facts.pings.iter();
    let pinged = pinged.filter(|all| all.iter().any(|one| called.contains(one)));
    let all = called.iter().chain(pinged.flatten());
    all.filter_map(|name| name.parse().ok()).collect()
}

/// The route of an end of a flow to the other that counts: of those that lead there the one of most bits.
fn of_end<'f>(facts: &'f Facts, flow: &Flow, end: usize) -> Option<&'f SetRoute> {
    let (own, other) = match end {
        0 => (&flow.senders, &flow.receivers),
        _ => (&flow.receivers, &flow.senders),
    };
    let alone: Vec<u32> = own.iter().filter(|h| !other.contains(h)).copied().collect();
    let called = names(flow, end);
    let peer = addresses(facts, flow, 1 - end);
    let to_peer = |route: &&SetRoute| peer.iter().any(|address| route.leads_to(*address));
    let routes = facts.set_routes.iter().filter(to_peer);
    let own = routes.filter(|route| route.is_of(facts, &alone, &called));
    own.max_by_key(|route| route.bits)
}

/// What a receiver's route holds its window to.
#[derive(Clone, Debug)]
pub(crate) struct RouteWindow {
    bytes: Figure,
    /// The route as a command names it, and where it stands, for people.
    named: String,
    place: String,
}

impl Evidence {
    /// Takes what the routes of the ends set: a window that is announced at most, and the sender's congestion control.
    pub(crate) fn of_route_metrics(&mut self, facts: &Facts, flow: &Flow) {
        if let Some(route) = of_end(facts, flow, 0) {
            let set = route.sets.iter().find(|(name, _)| *name == "congctl");
            let control = set.and_then(|(_, value)| crate::known::control(value));
            self.cc = self.cc.take().or(control.map(str::to_owned));
        }
        let Some(route) = of_end(facts, flow, 1) else {
            return;
        };
        let Some(bytes) = route.number("window").filter(|bytes| *bytes > 0.0) else {
            return;
        };
        // A window that was announced, and is larger, is of another route.
        let larger = |r: &Room| r.is_announced() && r.bytes.low > 1.1 * bytes;
        if self.windows.iter().any(larger) {
            return;
        }
        let bytes = Figure::exact(bytes, route.at);
        let within = |r: &Room| r.is_announced() || r.bytes.value <= bytes.value;
        self.windows.retain(within);
        self.tuned.retain(within);
        if !self.windows.iter().any(Room::is_announced) {
            self.windows.push(Room {
                bytes: bytes.clone(),
                memory: None,
                what: "the window of the receiver's route (ip route)".to_owned(),
                asked: true,
            });
        }
        self.route_window = Some(RouteWindow {
            bytes,
            named: route.named.clone(),
            place: facts.place(route.at),
        });
    }

    /// Whether a route makes this cause.
    pub(crate) fn is_held_by_route(&self, cause: Cause) -> bool {
        let windows = matches!(cause, Cause::ReceiveWindow | Cause::NoWindowScaling);
        windows && self.route_window.is_some()
    }
}

/// Weighs a window that a route holds.
pub(crate) fn by_route(e: &Evidence, items: &mut Vec<Item>) {
    let Some(route) = e.route_window.as_ref().filter(|_| !e.udp) else {
        return;
    };
    let part = e
        .settled_flight()
        .map_or(0.0, |flight| flight.value / route.bytes.value);
    let mut weights = vec![(Cause::ReceiveWindow, HELD)];
    if route.bytes.value <= UNSCALED {
        weights.push((Cause::NoWindowScaling, -HELD));
    }
    items.push(Item {
        holds: step(part, USED[0], USED[1]) * (1.0 - step(part, BEYOND[0], BEYOND[1])),
        weights,
        sentence: format!(
            "the receiver's route `{}` sets `window {:.0}` ({}): no larger window is announced by it, whatever the buffers are",
            route.named, route.bytes.value, route.place
        ),
    });
}

/// The route without its window; nothing where no route holds one.
pub(crate) fn remedy(e: &Evidence) -> Option<Remedy> {
    let route = e.route_window.as_ref()?;
    let (named, bytes) = (&route.named, route.bytes.value);
    Some(Remedy {
        commands: vec![
            format!("ip route show, and keep what it prints: the route {named} has `window {bytes:.0}`"),
            format!("ip route change {named}, with what else that line sets and without `window`; connections that are opened then have none"),
        ],
        undo: vec![format!("ip route change {named} window {bytes:.0}")],
        persist: vec![
            "where the route comes from: NetworkManager, netplan, systemd-networkd, /etc/network/interfaces, or a routing daemon".to_owned(),
        ],
        risk: "each connection by that route may use as much kernel memory as tcp_rmem allows".to_owned(),
        ..Remedy::default()
    })
}

/// What there is to note of routes: tiny packets, and what the routes between the ends of flows set besides.
pub(crate) fn notes(facts: &Facts, flows: &[Flow]) -> Vec<String> {
    let small = facts.set_routes.iter().filter_map(|route| {
        let mtu = route.number("mtu");
        let segment = route.number("advmss").map(|mss| mss + FIXED_HEADERS);
        let mtu = [mtu, segment].into_iter().flatten().reduce(f64::min)?;
        (mtu < TINY_MTU).then(|| tiny(facts, route, mtu))
    });
    let ends = flows.iter().flat_map(|flow| [(flow, 0), (flow, 1)]);
    let others = ends.filter_map(|(flow, end)| {
        let route = of_end(facts, flow, end)?;
        let is_other = |name: &str| !["window", "mtu", "advmss"].contains(&name);
        let all = route.sets.iter().filter(|(name, _)| is_other(name));
        let all: Vec<String> = all.map(|(name, value)| format!("{name} {value}")).collect();
        (!all.is_empty()).then(|| {
            format!(
                "{}: the route `{}` sets {}: connections by it have that, whatever sysctl says",
                facts.place(route.at),
                route.named,
                crate::redact(&all.join(", "))
            )
        })
    });
    small.chain(others).collect()
}

/// That the packets of a route are tiny.
fn tiny(facts: &Facts, route: &SetRoute, mtu: f64) -> String {
    let times = (USUAL_MTU - HEADERS) / (mtu - HEADERS).max(1.0);
    format!(
        "{}: packets by the route `{}` have {mtu:.0} bytes at most, where links carry {USUAL_MTU:.0}: the same data takes {times:.1} times the packets, and processors work for each. A router's message, which may be forged, or a setting says so. tracepath -n ADDRESS shows the hop that has such a link; where none has, ip route flush cache forgets what was learnt, and ip route change takes out what was set",
        facts.place(route.at),
        route.named
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_route_sets_is_read_by_its_names() {
        let text = "10.10.0.0/16 via 10.20.4.1 dev eth0 proto static mtu lock 1400 window 131072 initcwnd 40 congctl reno rto_min lock 40ms";
        let all = sets(text);
        for (name, value) in [
            ("window", "131072"),
            ("mtu", "1400"),
            ("initcwnd", "40"),
            ("congctl", "reno"),
            ("rto_min", "40ms"),
        ] {
            assert!(all.contains(&(name, value.to_owned())), "{name}: {all:?}");
        }
        assert_eq!(
            named(text),
            "10.10.0.0/16 via 10.20.4.1 dev eth0 proto static"
        );
        assert!(sets("10.20.4.0/24 dev eth0 proto kernel scope link src 10.20.4.11").is_empty());
        assert_eq!(
            sets("cache expires 512sec mtu 576"),
            [("mtu", "576".to_owned())]
        );
    }

    #[test]
    fn networks_hold_their_addresses_alone() {
        let of = |text: &str| network(text).expect("a network");
        let ip = |text: &str| text.parse().expect("an address");
        assert!(holds(of("10.10.0.0/16"), ip("10.10.1.3")));
        assert!(!holds(of("10.10.0.0/16"), ip("10.11.1.3")));
        assert!(holds(of("0.0.0.0/0"), ip("10.11.1.3")));
        assert!(holds(of("2001:db8::/32"), ip("2001:db8:1::9")));
        assert!(!holds(of("2001:db8::/32"), ip("10.11.1.3")));
        assert!(!holds(of("192.0.2.9"), ip("192.0.2.8")));
    }
}
