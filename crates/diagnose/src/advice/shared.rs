//! What several flows ask of one host: one value for all of them, the largest.

use super::wanted;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::lines::filled;
use crate::read::Facts;

/// What flows of the same hosts ask of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shared {
    /// Bytes in flight of one connection, at the sender and at the receiver; 0 where no other flow asks.
    pub(crate) room: [f64; 2],
    /// Connections side by side in the largest test of the sender.
    pub(crate) streams: f64,
    /// What others carry that may have been under way at the same time, counted with all headers, bit/s.
    pub(crate) others: f64,
}

/// Gives each flow over TCP what the others ask of its hosts.
pub(crate) fn share(facts: &Facts, flows: &mut [Flow]) {
    if flows.len() < 2 {
        return;
    }
    let (mut asked, mut rates) = (Vec::new(), Vec::new());
    for flow in &*flows {
        let e = Evidence::of(facts, flow);
        let carried = e.settled_flight().map_or(0.0, |f| f.high);
        asked.push(match e.udp {
            true => (0.0, 0.0),
            false => (wanted(&e).map_or(0.0, |own| own.max(carried)), e.streams),
        });
        rates.push(e.with_headers());
    }
    let others = filled::beside(facts, flows, &rates);
    let hosts: Vec<[String; 2]> = flows
        .iter()
        .map(|f| [f.from.host.clone(), f.to.host.clone()])
        .collect();
    for ((flow, own), others) in flows.iter_mut().zip(&hosts).zip(others) {
        let mut shared = Shared {
            others,
            ..Shared::default()
        };
        for (hosts, (room, streams)) in hosts.iter().zip(&asked) {
            for end in [0, 1] {
                if hosts[end] == own[end] {
                    shared.room[end] = shared.room[end].max(*room);
                }
            }
            if hosts[0] == own[0] {
                shared.streams = shared.streams.max(*streams);
            }
        }
        flow.shared = shared;
    }
}
