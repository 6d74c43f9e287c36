//! Streams of one test on different members of a bundle.

use farpath_element::Unit;
use farpath_record::Record;
use farpath_wire::FlowDir;

use super::{Narrowest, Path};
use crate::model::Bundle;

/// A port on some stream's way: what is left of it, and what each stream needs of it.
struct Place {
    port: usize,
    left_bps: f64,
    /// Wire bytes a payload byte of each stream takes.
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
        let mut places: Vec<Place> = ports
            .into_iter()
            .map(|port| Place {
                port,
                left_bps: self.lasting_rate(port).as_bps() as f64,
                needs: streams
                    .iter()
                    .map(|s| s.wire_on(port, len, acks, ack_len) / f64::from(payload))
                    .collect(),
            })
            .collect();
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
    }

    /// Says how streams are placed, where bundles part them or keep them together.
    pub(super) fn note_bundles(&self, record: &mut Record) {
        self.note_turns(record);
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
