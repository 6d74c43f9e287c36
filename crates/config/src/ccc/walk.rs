//! The walk of circuits: from an interface over its LSP, from stitch to stitch, to the far interface.

use std::collections::BTreeSet;

use super::circuit::{Chain, Circuit, Crossing, End, loads};
use super::network::Network;
use crate::junos::model::Joins;

/// Most crossings of a chain.
const MOST_CROSSINGS: usize = 1024;

/// Every circuit that starts at a `remote-interface-switch`.
pub fn circuits(network: &Network<'_>) -> Vec<Circuit> {
    let mut circuits = Vec::new();
    let mut done: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (router, configured) in network.routers.iter().enumerate() {
        for (number, connection) in configured.connections.iter().enumerate() {
            let start = (router, number);
            if !matches!(connection.joins, Joins::Remote { .. }) || done.contains(&start) {
                continue;
            }
            let forward = chain(network, start);
            let far = match forward.end {
                End::At { router, connection } => Some((router, connection)),
                _ => None,
            };
            let reverse = far.map(|far| chain(network, far));
            let back = End::At {
                router,
                connection: number,
            };
            let complete = reverse.as_ref().is_some_and(|r| r.end == back);
            done.insert(start);
            if complete {
                done.extend(far);
            }
            circuits.push(Circuit {
                name: connection.name.clone(),
                loads: loads(&forward, reverse.as_ref()),
                forward,
                reverse,
                complete,
            });
        }
    }
    circuits
}

/// Follows the LSPs from a connection.
fn chain(network: &Network<'_>, start: (usize, usize)) -> Chain {
    let mut crossings = Vec::new();
    let mut seen = BTreeSet::from([start]);
    let (mut router, mut connection) = start;
    let end = loop {
        let transmit = network.routers[router].connections[connection].transmit();
        let lsp = transmit.and_then(|t| network.lsp(router, &t.value));
        let Some(lsp) = lsp else {
            break End::NoLsp { router, connection };
        };
        let Some(tail) = network.tail(router, lsp) else {
            break End::Leaves { router };
        };
        let next = network.receivers(tail, &lsp.name).first().copied();
        let taker = next.map(|n| &network.routers[tail].connections[n]);
        crossings.push(Crossing {
            from: router,
            to: tail,
            lsp: lsp.name.clone(),
            hops: network.way(router, lsp),
            taken_by: taker.map(|c| c.name.clone()),
        });
        let (Some(next), Some(taker)) = (next, taker) else {
            break End::Open { router: tail };
        };
        (router, connection) = (tail, next);
        if !taker.is_stitch() {
            break End::At { router, connection };
        }
        if !seen.insert((router, connection)) || crossings.len() >= MOST_CROSSINGS {
            break End::Loop { router, connection };
        }
    };
    Chain {
        start,
        crossings,
        end,
    }
}
