//! Locality of luck: what is added to a network leaves everybody else's losses alone.

use std::collections::BTreeMap;

use farpath_element::impair::{GilbertElliott, LossSpec};
use farpath_element::qdisc::Limit;
use farpath_units::{Duration, Time};
use farpath_wire::Kind;

use crate::law::choices::Choices;
use crate::law::equivalence::{EVENTS, run};
use crate::law::net::Make;
use crate::law::node::Burst;
use crate::law::plan::{Link, Plan, Way};

/// A plan without feedback or full queues, in which luck alone decides what arrives.
fn open_loop(seed: u64) -> Plan {
    let mut c = Choices::from_seed(seed);
    let mut plan = Plan::draw(&mut c);
    for direction in plan.links.iter_mut().flat_map(|l| &mut l.directions) {
        direction.limit = Limit::Packets(1_000_000);
        direction.mtu = 9216;
        // A frame's luck follows its place in its flow, so nothing may change that by its timing.
        direction.reorder = false;
        direction.impairments.reordering = None;
        direction.impairments.flap = None;
        if let Some((_, after)) = &mut direction.impairments.duplication {
            *after = Duration::ZERO;
        }
        direction
            .losses
            .retain(|l| !matches!(l, LossSpec::Scripted { .. }));
        direction.losses.push(match c.below(3) {
            0 => LossSpec::Bernoulli(0.05),
            1 => LossSpec::BitError(1e-5),
            _ => LossSpec::GilbertElliott(GilbertElliott {
                p: 0.05,
                r: 0.4,
                loss_good: 0.001,
                loss_bad: 0.8,
            }),
        });
    }
    for flow in &mut plan.flows {
        flow.habits.ack_every = 0;
    }
    plan.changes.clear();
    plan
}

/// What each flow's ends received, by name and direction.
fn received(plan: &Plan) -> BTreeMap<(String, usize), Vec<u64>> {
    let end = Time::ZERO + Duration::from_secs(2);
    let outcome = run(plan, Make::AsPlanned, end, &[EVENTS], &[]);
    assert_eq!(outcome.in_flight, 0);
    let mut all = BTreeMap::new();
    for (f, flow) in plan.flows.iter().enumerate() {
        for (dir, node) in [(0, flow.to), (1, flow.from)] {
            let mut seqs = outcome.nodes[node].seqs[2 * f + dir].clone();
            seqs.sort_unstable();
            all.insert((flow.name.clone(), dir), seqs);
        }
    }
    all
}

/// Puts a flow in front of all others, so that every other is renumbered.
fn insert_flow(plan: &mut Plan, kind: Kind) {
    let mut flow = plan.flows[0].clone();
    flow.name = "newcomer".into();
    flow.way = Way::Ip;
    flow.habits.kind = kind;
    flow.habits.total = 100;
    flow.script = (0..50)
        .map(|i| Burst {
            at: Time::ZERO + Duration::from_us(3 * i),
            flow: 0,
            count: 2,
        })
        .collect();
    for burst in plan.flows.iter_mut().flat_map(|f| &mut f.script) {
        burst.flow += 1;
    }
    plan.flows.insert(0, flow);
}

/// Puts a router with a host of its own in front of all other links.
fn insert_link(plan: &mut Plan) {
    let host = plan.routers + plan.hosts.len();
    plan.hosts.push(0);
    let directions = plan.links[0].directions.clone();
    plan.links.insert(
        0,
        Link {
            name: "annex".into(),
            ends: [host, 0],
            directions,
        },
    );
}

#[test]
fn a_new_flow_a_ping_and_a_new_link_leave_others_their_losses() {
    let mut losses = 0;
    for seed in 2000..2060 {
        let plan = open_loop(seed);
        let before = received(&plan);
        for kind in [Kind::Udp, Kind::EchoRequest] {
            let mut more = plan.clone();
            insert_flow(&mut more, kind);
            insert_link(&mut more);
            let mut after = received(&more);
            after.retain(|key, _| key.0 != "newcomer");
            assert_eq!(before, after, "seed {seed}, {kind:?}");
        }
        let sent = plan.flows.iter().map(|f| f.habits.total.min(10));
        let arrived = before.values().map(|seqs| seqs.len() as u64);
        losses += u64::from(sent.sum::<u64>() > 0 && arrived.sum::<u64>() > 0);
    }
    assert!(losses > 30, "networks in which anything arrived: {losses}");
}
