//! Streams of one test on different members of a bundle.

use farpath_element::Unit;
use farpath_record::Record;
use farpath_wire::FlowDir;

use super::policer::bucket;
use super::{Narrowest, Path};
use crate::model::{Bundle, PoliceAction, PoliceRule, Protocol};
use crate::plan::{Hop, port_of};

/// Length of a datagram by which streams' losses are compared, bytes.
const COMPARED: u32 = 1500;
/// Part of a loss by which another must differ to be worth a word.
const DIFFERS: f64 = 0.01;

/// A port on some stream's way, or the shaper in front of it: what is left of it, and what each stream needs of it.
struct Place {
    port: usize,
    left_bps: f64,
    /// Bytes that it counts of a payload byte of each stream: on the wire, or of frames as they wait.
    needs: Vec<f64>,
}

impl<'a> Path<'a> {
    /// The ways of all streams of the test, if bundles part them.
    pub(super) fn parted(&self) -> Option<Vec<Path<'a>>> {
        if self.scenario.bundles.is_empty() {
            return None;
        }
        let own = &self.plan.flows[self.flow];
        let flows = self.plan.flows.iter().enumerate();
        let alike = flows.filter(|(_, f)| f.test == own.test && f.asks == own.asks);
        let streams: Vec<Path<'a>> = alike
            .map(|(flow, _)| Path::new(self.scenario, self.plan, flow))
            .collect();
        streams
            .iter()
            .any(|s| s.there != self.there)
            .then_some(streams)
    }

    /// Payload rate of all streams together when each has as much as every other where they meet
    /// (max-min fairness, by progressive filling), and the place that is full first. One stream's
    /// share is at most a member's rate.
    pub(super) fn filled(
        &self,
        streams: &[Path<'_>],
        len: u32,
        payload: u32,
        (acks, ack_len): (f64, u32),
    ) -> Narrowest {
        let mut ports: Vec<usize> = streams
            .iter()
            .flat_map(|s| &s.there)
            .map(|h| h.port)
            .collect();
        ports.sort_unstable();
        ports.dedup();
        let sizes = ((len, payload), (acks, ack_len));
        let of = |port: usize| self.places(port, streams, sizes);
        let mut places: Vec<Place> = ports.into_iter().flat_map(of).collect();
        let mut grows = vec![true; streams.len()];
        let (mut each, mut total, mut first) = (0.0, 0.0, None);
        // Each round fills a port, and a stream has at least one.
        while grows.contains(&true) {
            let need = |p: &Place| -> f64 {
                let growing = p.needs.iter().zip(&grows).filter(|(_, g)| **g);
                growing.map(|(n, _)| n).sum()
            };
            let steps = places.iter().map(|p| p.left_bps / need(p));
            let Some((full, step)) = steps
                .enumerate()
                .filter(|(_, s)| s.is_finite())
                .min_by(|a, b| a.1.total_cmp(&b.1))
            else {
                break;
            };
            first.get_or_insert(places[full].port);
            let left: Vec<f64> = places.iter().map(|p| p.left_bps - step * need(p)).collect();
            places
                .iter_mut()
                .zip(left)
                .for_each(|(p, l)| p.left_bps = l);
            each += step;
            for (grows, need) in grows.iter_mut().zip(&places[full].needs) {
                if *grows && *need > 0.0 {
                    *grows = false;
                    total += each;
                }
            }
        }
        let hosts_bps = self.hosts_bps(len, payload, acks, ack_len);
        let router = |port: usize| self.scenario.is_router(self.plan.ports[port].from);
        match first {
            Some(port) if total < hosts_bps => Narrowest {
                bps: total,
                place: if router(port) { "link" } else { "nic" },
                port: Some(port),
            },
            _ => Narrowest {
                bps: hosts_bps,
                place: "host_cpu",
                port: None,
            },
        }
    }

    /// A port, and the shaper in front of it if it has one.
    fn places(
        &self,
        port: usize,
        streams: &[Path<'_>],
        ((len, payload), (acks, ack_len)): ((u32, u32), (f64, u32)),
    ) -> Vec<Place> {
        let on_wire = |s: &Path<'_>| s.wire_on(port, len, acks, ack_len) / f64::from(payload);
        let waits = |s: &Path<'_>| s.waits_on(port, len, acks, ack_len) / f64::from(payload);
        let mut places = vec![Place {
            port,
            left_bps: self.lasting_rate(port).as_bps() as f64,
            needs: streams.iter().map(on_wire).collect(),
        }];
        places.extend(self.shape_bps(port).map(|left_bps| Place {
            port,
            left_bps,
            needs: streams.iter().map(waits).collect(),
        }));
        places
    }

    /// The bundle over whose members a router sends the frames of a port in turn.
    pub(super) fn in_turn(&self, port: usize) -> Option<&Bundle> {
        let plan = &self.plan.ports[port];
        let bundle = self.scenario.bundle_of(plan.link);
        bundle.filter(|b| b.unit == Unit::Packet && self.scenario.is_router(plan.from))
    }

    /// The rate that the shaper of a port keeps up, bit/s; where frames take turns that of all members: the slowest sets the pace.
    pub(super) fn shape_bps(&self, port: usize) -> Option<f64> {
        let of = |port: usize| self.shaper(port).map(|s| s.rate.as_bps() as f64);
        let Some(bundle) = self.in_turn(port) else {
            return of(port);
        };
        if self.opened.contains(&port) {
            return None;
        }
        let way = self.plan.ports[port].way;
        let rates = bundle.links.iter().filter_map(|l| of(port_of(*l, way)));
        let slowest = rates.reduce(f64::min)?;
        Some(slowest * bundle.links.len() as f64)
    }

    /// Whether all that a test sends, or all that comes back, crosses a port that some of it does.
    pub(super) fn carries_all(&self, port: usize) -> bool {
        let crosses = |s: &Path<'_>| s.there.iter().chain(&s.back).any(|h| h.port == port);
        let streams = self.parted();
        self.in_turn(port).is_none() && streams.is_none_or(|all| all.iter().all(crosses))
    }

    /// The crossings that only some of a test's streams or frames make, each port once.
    fn crossed_by_some(&self, is_one_way: bool) -> Vec<Hop> {
        let streams = self.parted().unwrap_or_else(|| vec![self.clone()]);
        let mut some = Vec::new();
        for stream in &streams {
            let back = stream.back.iter().filter(|_| !is_one_way);
            for hop in stream.there.iter().chain(back) {
                let way = self.plan.ports[hop.port].way;
                let member = |port: usize| Hop { port, ..*hop };
                match self.in_turn(hop.port) {
                    Some(all) => some.extend(all.links.iter().map(|l| member(port_of(*l, way)))),
                    None => some.push(*hop),
                }
            }
        }
        some.sort_by_key(|hop| hop.port);
        some.dedup_by_key(|hop| hop.port);
        some.retain(|hop| !self.carries_all(hop.port));
        some
    }

    /// Says what the forecast leaves out that only some of a test's streams or frames meet: policers, buckets of shapers, other losses.
    fn note_members(&self, record: &mut Record) {
        if self.scenario.bundles.is_empty() {
            return;
        }
        let test = &self.scenario.tests[self.plan.flows[self.flow].test];
        let is_bulk = test.kind.periodic().is_none();
        let drops = |rule: &&PoliceRule| {
            rule.actions == [PoliceAction::Drop; 3] || is_bulk && bucket(rule).is_some()
        };
        let (mut policers, mut shapers) = (Vec::new(), Vec::new());
        for hop in self.crossed_by_some(test.kind.protocol() == Protocol::Udp) {
            let name = self.port_name(hop.port);
            let rules = self.policed_by(&hop, test).into_iter().flatten();
            let rules = rules.filter(drops);
            policers.extend(rules.map(|rule| format!("`{}` on {name}", rule.name)));
            let deep = self.shaper(hop.port).is_some_and(|s| s.burst.is_some());
            if deep && is_bulk && self.in_turn(hop.port).is_none() {
                shapers.push(name);
            }
        }
        if !policers.is_empty() {
            record.notes.push(format!(
                "as if nothing were dropped by {}: part of the test's streams or frames meets it, and what that costs is not foreseen: simulate",
                policers.join(", ")
            ));
        }
        if !shapers.is_empty() {
            record.notes.push(format!(
                "as if the bucket of the shaper of {} held a single frame: part of the test's streams meets it, and has its rate alone",
                shapers.join(", ")
            ));
        }
        let lost = |s: &Path<'_>| s.loss_ratio(COMPARED, &s.there);
        let own = lost(self);
        let differs = |s: &Path<'_>| (lost(s) - own).abs() > DIFFERS * own.max(lost(s));
        if self.parted().is_some_and(|all| all.iter().any(differs)) {
            record.notes.push(
                "members of a bundle lose different shares: all streams are taken to lose what the first one does"
                    .to_owned(),
            );
        }
    }

    /// Says which bundles send frames in turn.
    fn note_turns(&self, record: &mut Record) {
        let links: Vec<_> = self
            .there
            .iter()
            .map(|h| self.plan.ports[h.port].link)
            .collect();
        for bundle in &self.scenario.bundles {
            if bundle.unit == Unit::Packet && bundle.links.iter().any(|l| links.contains(l)) {
                record.notes.push(format!(
                    "bundle `{}` sends frames over its members in turn; round-trip times are those of the first, and what comes out of order is not in the forecast",
                    bundle.name
                ));
            }
        }
        let unequal = self.there.iter().any(|hop| self.unequal_turns(hop.port));
        let is_full = record.limited_by.as_deref() == Some("link");
        if record.kind == "udp" && is_full && unequal {
            record.notes.push(
                "as if the slowest member of a bundle set the pace of all: what takes turns keeps going on the others, and more of it may arrive: simulate"
                    .to_owned(),
            );
        }
    }

    /// Whether frames of a port take turns over members of different rates.
    fn unequal_turns(&self, port: usize) -> bool {
        let way = self.plan.ports[port].way;
        let members = self.in_turn(port).map_or(&[][..], |all| &all.links[..]);
        let pace = |port: usize| {
            let shape = self.shaper(port).map(|s| s.rate);
            shape.map_or(self.rate_of(port), |rate| rate.min(self.rate_of(port)))
        };
        let mut paces = members.iter().map(|link| pace(port_of(*link, way)));
        let first = paces.next();
        paces.any(|pace| Some(pace) != first)
    }

    /// Says how streams are placed, where bundles part them or keep them together.
    pub(super) fn note_bundles(&self, record: &mut Record) {
        self.note_turns(record);
        self.note_members(record);
        let own = &self.plan.flows[self.flow];
        let flows = self.plan.flows.iter().enumerate();
        let alike: Vec<usize> = flows
            .filter(|(_, f)| f.test == own.test && f.asks == own.asks)
            .map(|(flow, _)| flow)
            .collect();
        if alike.len() < 2 {
            return;
        }
        let by_flow = |b: &&Bundle| b.unit == Unit::Flow;
        for bundle in self.scenario.bundles.iter().filter(by_flow) {
            let mut on = vec![0_u32; bundle.links.len()];
            for flow in &alike {
                let walk = self
                    .plan
                    .walk(self.scenario, FlowDir::forward(*flow as u16));
                for hop in walk {
                    let link = self.plan.ports[hop.port].link;
                    if let Some(member) = bundle.links.iter().position(|l| *l == link) {
                        on[member] += 1;
                    }
                }
            }
            if on.iter().all(|n| *n == 0) {
                continue;
            }
            let members = bundle.links.iter().zip(&on);
            let shares: Vec<String> = members
                .map(|(l, n)| format!("{n} on `{}`", self.scenario.links[l.0].name))
                .collect();
            record.notes.push(format!(
                "bundle `{}` has {} of its streams; round-trip times are those of the first",
                bundle.name,
                shares.join(", ")
            ));
        }
    }
}
