//! CCC012, CCC015, CCC016 and CCC017: the links between the routers.

use std::collections::{BTreeMap, BTreeSet};

use farpath_units::Rate;

use super::{Check, Circuit, Hop, Port, WALK};
use crate::finding::Severity;
use crate::junos::model::{Lsp, ProtocolInterface};
use crate::rules::{CCC012, CCC015, CCC016, CCC017};

/// The entry of a protocol's list that stands for a unit: its own, or `all`.
pub(super) fn entry<'p>(
    list: &'p [ProtocolInterface],
    unit: &str,
) -> Option<&'p ProtocolInterface> {
    let bare = unit.strip_suffix(".0").unwrap_or(unit);
    let own = list.iter().find(|i| i.name == unit || i.name == bare);
    own.or_else(|| list.iter().find(|i| i.name == "all"))
}

impl<'r> Check<'_, 'r> {
    pub(super) fn core(&mut self) {
        for port in self.core_ports() {
            self.mpls_and_rsvp(&port);
        }
        let mut seen: BTreeSet<(usize, &str)> = BTreeSet::new();
        let mut lsps: Vec<(usize, &'r Lsp, bool)> = Vec::new();
        let chains = self.circuits.iter().flat_map(Self::chains_of);
        for crossing in chains.flat_map(|c| &c.crossings) {
            let lsp = self.network.lsp(crossing.from, &crossing.lsp);
            let new = lsp.filter(|l| seen.insert((crossing.from, &l.name)));
            lsps.extend(new.map(|l| (crossing.from, l, !crossing.hops.is_empty())));
        }
        for (router, lsp, has_way) in lsps {
            self.signalling(router, lsp, has_way);
        }
        self.admission();
        for circuit in self.circuits {
            self.asked_for(circuit);
            if circuit.complete {
                self.shared(circuit);
            }
        }
        self.duplex();
    }

    /// CCC012 on an interface.
    fn mpls_and_rsvp(&mut self, port: &Port) {
        let router = self.router(port.router);
        let Some((interface, unit)) = self.network.unit(port.router, &port.interface) else {
            return;
        };
        let rests: &[&[&str]] = &[
            &["interfaces", &interface.name],
            &["protocols", "mpls"],
            &["protocols", "rsvp"],
        ];
        let at = (port.router, &unit.place);
        let name = &port.interface;
        let whose = format!("`{name}` of `{}` is on the way of an LSP", router.name);
        if unit.mpls.is_none() {
            let message = format!("{whose} and has no `family mpls`");
            self.say(
                &CCC012,
                at,
                message,
                "write `family mpls;` in the unit",
                rests,
            );
        }
        let mpls = router.mpls.as_ref().map_or(&[][..], |m| &m.interfaces);
        for (protocol, list) in [("mpls", mpls), ("rsvp", &router.rsvp[..])] {
            if entry(list, name).is_none() {
                let message = format!("{whose} and not under `protocols {protocol}`");
                let remedy = format!("write `interface {name};` under `protocols {protocol}`");
                self.say(&CCC012, at, message, &remedy, rests);
            }
        }
    }

    /// CCC012 on an LSP: can it be signalled at all.
    fn signalling(&mut self, router: usize, lsp: &Lsp, has_way: bool) {
        let configured = self.router(router);
        if let Some(from) = &lsp.from
            && !configured.has_address(from.value)
        {
            let message = format!(
                "LSP `{}` comes from {}, which is not an address of `{}`",
                lsp.name, from.value, configured.name
            );
            let remedy = "write an address of this router, or leave `from` out";
            self.say(
                &CCC012,
                (router, &from.place),
                message,
                remedy,
                &[&["interfaces"], &["routing-options"]],
            );
        }
        let all = configured.mpls.as_ref().and_then(|m| m.no_cspf.as_ref());
        if lsp.fixed || configured.igp.is_some() {
            return;
        }
        let rests: &[&[&str]] = &[&["protocols"], &["interfaces"]];
        if lsp.no_cspf.is_none() && all.is_none() {
            let message = format!(
                "LSP `{}` computes its way by CSPF, and no OSPF or IS-IS of `{}` fills the database for it",
                lsp.name, configured.name
            );
            let finding = self.say(
                &CCC012,
                (router, &lsp.place),
                message,
                "write `no-cspf;`, or configure traffic engineering",
                rests,
            );
            finding.severity = Severity::Warning;
        }
        if !has_way {
            let place = lsp.to.as_ref().map_or(&lsp.place, |t| &t.place);
            let message = format!(
                "no link of `{}` leads towards the tail of LSP `{}`: no two interfaces share a subnet on the way",
                configured.name, lsp.name
            );
            let finding = self.say(
                &CCC012,
                (router, place),
                message,
                "give the two ends of the link addresses in one subnet",
                rests,
            );
            finding.severity = Severity::Warning;
        }
    }

    /// CCC015: what all LSPs ask of each link.
    fn admission(&mut self) {
        let mut asked: BTreeMap<Hop, u64> = BTreeMap::new();
        for router in 0..self.network.routers.len() {
            for lsp in self.router(router).lsps() {
                let Some(bandwidth) = &lsp.bandwidth else {
                    continue;
                };
                for hop in self.network.way(router, lsp) {
                    let sum = asked.entry(hop).or_default();
                    *sum = sum.saturating_add(bandwidth.value.as_bps());
                }
            }
        }
        for (hop, sum) in asked {
            let router = hop.from.router;
            let Some((_, unit)) = self.network.unit(router, &hop.from.interface) else {
                continue;
            };
            let rsvp = entry(&self.router(router).rsvp, &hop.from.interface);
            let stated = rsvp.and_then(|r| r.bandwidth.as_ref());
            let Some(rate) = self.rate_of(&hop.from) else {
                continue;
            };
            let share = rsvp
                .and_then(|r| r.subscription.as_ref())
                .map_or(100, |s| s.value);
            let limit = rate.as_bps().saturating_mul(share) / 100;
            if sum > limit {
                let place = stated.map_or(&unit.place, |b| &b.place);
                let message = format!(
                    "LSPs ask for {} over `{}`, which admits {}",
                    shown(sum),
                    hop.from.interface,
                    shown(limit)
                );
                let remedy = "ask for less, or cross the link less often";
                let rests: &[&[&str]] = &[&["protocols", "rsvp"], &["protocols", "mpls"]];
                let finding = self.say(&CCC015, (router, place), message, remedy, rests);
                finding.severity = Severity::Error;
            }
        }
    }

    /// CCC015: what one circuit's LSPs ask for.
    fn asked_for(&mut self, circuit: &Circuit) {
        let crossings = Self::chains_of(circuit).flat_map(|c| &c.crossings);
        let lsps: Vec<(usize, &Lsp)> = crossings
            .filter_map(|c| Some((c.from, self.network.lsp(c.from, &c.lsp)?)))
            .collect();
        let asking: Vec<_> = lsps
            .iter()
            .filter_map(|(_, l)| l.bandwidth.as_ref())
            .collect();
        let times = circuit.both_ways();
        if asking.is_empty() {
            if times > 1 {
                let (router, connection) = circuit.forward.start;
                let place = self.router(router).connections[connection].place.clone();
                let message = format!(
                    "no LSP of circuit `{}` asks for bandwidth, and one link is crossed {times} times one way",
                    circuit.name
                );
                let remedy = format!(
                    "write `bandwidth` of at most a {} of the link's rate in each LSP",
                    nth(times)
                );
                self.say(&CCC015, (router, &place), message, &remedy, WALK);
            }
            return;
        }
        let most = asking.iter().map(|b| b.value).max();
        for (router, lsp) in lsps {
            let asks = lsp.bandwidth.as_ref();
            let what = match asks {
                None => "no bandwidth".to_owned(),
                Some(b) if Some(b.value) < most => shown(b.value.as_bps()),
                Some(_) => continue,
            };
            let place = asks.map_or(&lsp.place, |b| &b.place);
            let message = format!(
                "LSP `{}` asks for {what}, and others of circuit `{}` for {}",
                lsp.name,
                circuit.name,
                shown(most.map_or(0, Rate::as_bps))
            );
            self.say(
                &CCC015,
                (router, place),
                message,
                "ask for the same in each: the circuit has the least of them",
                WALK,
            );
        }
    }

    /// The rate of a link: the bandwidth configured for RSVP, or else the interface's.
    fn rate_of(&self, port: &Port) -> Option<Rate> {
        let (interface, _) = self.network.unit(port.router, &port.interface)?;
        let rsvp = entry(&self.router(port.router).rsvp, &port.interface);
        let stated = rsvp.and_then(|r| r.bandwidth.as_ref());
        stated.map(|b| b.value).or(interface.rate())
    }

    /// CCC016: the circuit's share of its links.
    fn shared(&mut self, circuit: &Circuit) {
        if circuit.both_ways() < 2 {
            return;
        }
        let (router, connection) = circuit.forward.start;
        let place = self.router(router).connections[connection].place.clone();
        let loads: Vec<String> = circuit
            .loads
            .iter()
            .map(|l| {
                format!(
                    "{} > {}: {} forward, {} reverse",
                    self.router(l.hop.from.router).name,
                    self.router(l.hop.to.router).name,
                    l.forward,
                    l.reverse
                )
            })
            .collect();
        let (one, both) = (circuit.one_way(), circuit.both_ways());
        let known = circuit
            .loads
            .iter()
            .filter_map(|l| self.rate_of(&l.hop.from))
            .min();
        let figures = known.map_or(String::new(), |c| {
            format!(
                " ({} and {})",
                shown(c.as_bps() / u64::from(one)),
                shown(c.as_bps() / u64::from(both))
            )
        });
        let folded = match &circuit.loads[..] {
            [a, b] if a.hop.from == b.hop.to && a.hop.to == b.hop.from => {
                let (there, back) = (a.forward + a.reverse, b.forward + b.reverse);
                (there == back).then(|| format!("{there} times the link's"))
            }
            _ => None,
        };
        let trip = folded.unwrap_or_else(|| format!("{} crossings", circuit.crossings()));
        let most = known.map(|c| c.as_bps() / u64::from(one));
        let asked = self
            .rate
            .filter(|r| most.is_some_and(|most| r.as_bps() > most));
        let asked_text = asked.map_or(String::new(), |r| format!("; a test of {r} asks for more"));
        let message = format!(
            "circuit `{}` gets at most 1/{one} of its link's rate one way alone, 1/{both} both ways at once{figures}; its round trip is {trip} ({}){asked_text}",
            circuit.name,
            loads.join("; ")
        );
        let at = (router, &place);
        let said = self.say(&CCC016, at, message, "test with less than that", WALK);
        if asked.is_some() {
            said.severity = Severity::Warning;
        }
    }

    /// CCC017.
    fn duplex(&mut self) {
        let mut ports = self.core_ports();
        for circuit in self.circuits {
            if let Some((near, far)) = self.sides(circuit) {
                for side in [near, far] {
                    ports.push(Port {
                        router: side.router,
                        interface: format!("{}.{}", side.port.name, side.unit.number),
                    });
                }
            }
        }
        for port in ports {
            let Some((interface, _)) = self.network.unit(port.router, &port.interface) else {
                continue;
            };
            let half = interface
                .link_mode
                .as_ref()
                .filter(|m| m.value.contains("half"));
            let slow = interface
                .speed
                .as_ref()
                .filter(|s| matches!(s.value.as_str(), "10m" | "100m"));
            for stated in half.into_iter().chain(slow) {
                let message = format!(
                    "`{}` of `{}` is fixed to `{}`",
                    interface.name,
                    self.router(port.router).name,
                    stated.value
                );
                let rests: &[&[&str]] = &[&["interfaces", &interface.name]];
                self.say(
                    &CCC017,
                    (port.router, &stated.place),
                    message,
                    "let it negotiate, or write `link-mode full-duplex` and the real speed",
                    rests,
                );
            }
        }
    }
}

/// A rate as a person says it.
fn shown(bps: u64) -> String {
    Rate::from_bps(bps).map_or("nothing".to_owned(), |r| r.to_string())
}

fn nth(n: u32) -> String {
    match n {
        2 => "half".to_owned(),
        3 => "third".to_owned(),
        n => format!("{n}th"),
    }
}
