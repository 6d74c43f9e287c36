//! Modes, services, drivers, an independent port, conservation, replay: all on random networks.

use std::collections::BTreeMap;

use farpath_element::{Channel, Drop, Mode};
use farpath_units::{Duration, Time};
use farpath_wire::{Burst, Frame};
use proptest::prelude::*;

use crate::law::choices::Choices;
use crate::law::net::{Make, Net, Outcome};
use crate::law::plain::Fault;
use crate::law::plan::{BundlePlan, Plan};

pub(crate) const EVENTS: Mode = Mode::EventByEvent;

const WINDOWS: [Duration; 7] = [
    Duration::from_us(10),
    Duration::from_us(137),
    Duration::from_us(777),
    Duration::from_ms(1),
    Duration::from_ms(5),
    Duration::from_ms(50),
    Duration::MAX,
];

/// The oracle's outcome and the instant at which the network had come to rest, if it did.
pub(crate) fn oracle(plan: &Plan, make: Make) -> (Outcome, Time, bool) {
    let mut net = Net::build(plan, make);
    let mut end = Time::ZERO + Duration::from_ms(5);
    for _ in 0..7 {
        net.run(plan, end, &[EVENTS], &[]);
        if net.is_drained() {
            break;
        }
        end = end + end.since(Time::ZERO);
    }
    let drained = net.is_drained();
    let end = net.network.now();
    (net.outcome(plan, end), end, drained)
}

pub(crate) fn run(plan: &Plan, make: Make, end: Time, modes: &[Mode], cuts: &[Time]) -> Outcome {
    let mut net = Net::build(plan, make);
    net.run(plan, end, modes, cuts);
    net.outcome(plan, end)
}

/// The first part in which two outcomes differ.
pub(crate) fn difference(a: &Outcome, b: &Outcome) -> Option<String> {
    for (p, q) in a.ports.iter().zip(&b.ports) {
        if p != q {
            return Some(format!("{p:?}\n{q:?}"));
        }
    }
    for (p, q) in a.nodes.iter().zip(&b.nodes) {
        if p != q {
            return Some(format!("{p:?}\n{q:?}"));
        }
    }
    (a != b).then(|| format!("{:?} {:?}", a.totals, b.totals))
}

fn assert_same(a: &Outcome, b: &Outcome, what: &str) {
    if let Some(difference) = difference(a, b) {
        panic!("{what}:\n{difference}");
    }
}

/// Every frame is accounted for, at each port and in the whole network.
fn assert_conserved(outcome: &Outcome, drained: bool) {
    let refused = [Drop::Tail, Drop::Red, Drop::Policed, Drop::Mtu, Drop::Down];
    for port in &outcome.ports {
        let c = &port.counters;
        let refused: u64 = refused.iter().map(|&r| c.dropped(r)).sum();
        assert_eq!(
            c.offered,
            c.frames + refused - c.realised.cut - c.policed_as_cells + port.waiting,
            "{}",
            port.name
        );
        for (q, waiting) in &port.queues {
            assert_eq!(
                q.offered,
                q.frames + q.tail + q.early + q.down + waiting,
                "{}",
                port.name
            );
        }
        let classes: u64 = c.classes.iter().map(|class| class.frames).sum();
        assert_eq!(classes, c.frames, "{}", port.name);
        let order = &c.realised.order;
        assert_eq!(
            c.realised.added.count() + c.realised.duplicated,
            order.arrived + order.copies + port.held,
            "{}",
            port.name
        );
    }
    let all =
        |f: fn(&crate::law::node::NodeOutcome) -> u64| outcome.nodes.iter().map(f).sum::<u64>();
    let (sent, received) = (all(|n| n.sent), all(|n| n.received));
    let refused_by_nodes = all(|n| n.drops[Drop::NoRoute as usize]);
    let dropped: u64 = outcome.ports.iter().flat_map(|p| p.counters.drops).sum();
    if drained {
        assert_eq!(outcome.in_flight, 0);
        assert!(outcome.ports.iter().all(|p| p.held == 0));
        let copies = outcome.ports.iter().map(|p| p.counters.realised.duplicated);
        let copies: u64 = copies.sum();
        assert_eq!(sent - refused_by_nodes + copies, received + dropped);
    }
    for node in &outcome.nodes {
        assert_eq!(node.out_of_order, 0, "a node saw time run back");
    }
}

/// Everything the law says about one network.
pub(crate) fn uphold(plan: &Plan, c: &mut Choices) {
    let (truth, end, drained) = oracle(plan, Make::AsPlanned);
    assert_conserved(&truth, drained);

    for window in [c.pick(&WINDOWS), c.pick(&WINDOWS)] {
        let found = run(plan, Make::AsPlanned, end, &[Mode::Windowed(window)], &[]);
        assert_same(&truth, &found, &format!("window {window:?}"));
    }

    let windowed = Mode::Windowed(c.pick(&WINDOWS));
    let cuts = cuts(c, end);
    let sliced = run(plan, Make::AsPlanned, end, &[windowed], &cuts);
    assert_same(&truth, &sliced, "windowed, in slices");
    let mixed = run(plan, Make::AsPlanned, end, &[windowed, EVENTS], &cuts);
    assert_same(&truth, &mixed, "slices in changing modes");

    for mode in [windowed, EVENTS] {
        let mut net = Net::build(plan, Make::AsPlanned);
        net.send_in_bursts(c.below(1000));
        net.run(plan, end, &[mode], &cuts);
        assert_same(&truth, &net.outcome(plan, end), "sent in bursts");
    }

    // Until the network has come to rest, service on arrival knows more than service by pull.
    let middle = Time::from_ps(c.below(end.as_ps()));
    let arrival = run(plan, Make::AsPlanned, middle, &[windowed], &[]);
    let pulled = run(plan, Make::Pull, middle, &[windowed], &cuts);
    let plain = || run(plan, Make::Plain(Fault::None), middle, &[EVENTS], &[]);
    assert_conserved(&arrival, false);
    assert_conserved(&pulled, false);
    for (p, q) in arrival.ports.iter().zip(&pulled.ports) {
        let seen = |p: &crate::law::net::PortOutcome| (p.counters.clone(), p.waiting);
        assert_eq!(seen(p), seen(q), "by pull, {} at {middle}", p.name);
    }
    assert_eq!(arrival.nodes, pulled.nodes, "by pull, at {middle}");
    if plan.is_plain() {
        assert_same(&pulled, &plain(), "the plain port, before the end");
    }

    if drained {
        let pulled = run(plan, Make::Pull, end, &[windowed], &cuts);
        assert_same(&truth, &pulled, "by pull");
    }
    if drained && plan.is_plain() {
        let plain = run(plan, Make::Plain(Fault::None), end, &[windowed], &cuts);
        assert_same(&truth, &plain, "the plain port");
    }
}

/// What is on its way at `middle` is the same frame by frame and as bursts.
fn coalesce(plan: &Plan, middle: Time) -> (u64, u64) {
    let mut net = Net::build(plan, Make::AsPlanned);
    net.run(plan, middle, &[EVENTS], &[]);
    let take = |channel: &mut Channel| -> Vec<Frame> {
        std::iter::from_fn(|| channel.pop_before(Time::MAX)).collect()
    };
    let frames = net.channels(take);
    let mut net = Net::build(plan, Make::AsPlanned);
    net.run(plan, middle, &[EVENTS], &[]);
    let bursts = net.channels(|channel| channel.take_bursts(Time::MAX).collect::<Vec<_>>());
    let expanded: Vec<Vec<Frame>> = bursts
        .iter()
        .map(|bursts| bursts.iter().flat_map(Burst::frames).collect())
        .collect();
    assert_eq!(frames, expanded);
    (
        frames.iter().map(|f| f.len() as u64).sum(),
        bursts.iter().map(|b| b.len() as u64).sum(),
    )
}

#[test]
fn outputs_as_bursts_expand_to_the_same_frames() {
    let (mut frames, mut bursts) = (0, 0);
    for seed in 0..100 {
        let plan = Plan::draw(&mut Choices::from_seed(seed));
        let middle = Time::ZERO + Duration::from_us(20 + 7 * seed);
        let (f, b) = coalesce(&plan, middle);
        frames += f;
        bursts += b;
    }
    assert!(
        frames > 1000 && bursts < frames,
        "{bursts} bursts, {frames} frames"
    );
}

/// Late wake-ups, early ones, and ones that come twice.
fn cuts(c: &mut Choices, end: Time) -> Vec<Time> {
    let mut cuts = Vec::new();
    let mut at = 0;
    for _ in 0..c.below(60) {
        let step = c.pick(&[end.as_ps() / 20, 1, 1_230_400, 1_000_000, 0]);
        at += c.below(step + 1);
        cuts.push(Time::from_ps(at));
    }
    cuts
}

#[test]
fn three_hundred_networks_obey() {
    let (mut hops, mut drained, mut drops) = (0_u64, 0, [0_u64; Drop::ALL.len()]);
    for seed in 0..300 {
        let mut c = Choices::from_seed(seed);
        let plan = Plan::draw(&mut c);
        let guard = Replay(seed);
        uphold(&plan, &mut c);
        std::mem::forget(guard);
        let (truth, _, rested) = oracle(&plan, Make::AsPlanned);
        hops += truth.totals.iter().sum::<u64>();
        drained += u64::from(rested);
        for reason in Drop::ALL {
            drops[reason as usize] += truth.dropped(reason);
        }
    }
    println!("{hops} hops, {drained} networks came to rest, drops {drops:?}");
    // The networks are worth the run: most come to rest, and every kind of drop a port knows occurs.
    assert!(drained > 270 && hops > 300_000, "{drained} {hops}");
    for reason in [
        Drop::Tail,
        Drop::Error,
        Drop::Mtu,
        Drop::Ttl,
        Drop::NoRoute,
        Drop::Down,
        Drop::Scripted,
    ] {
        assert!(drops[reason as usize] > 0, "no {}", reason.name());
    }
}

#[test]
fn two_hundred_networks_with_queues_obey() {
    let (mut queued, mut waited, mut refused, mut down) = (0, 0, 0, 0);
    for seed in 0..200 {
        let mut c = Choices::from_seed(seed);
        let plan = Plan::draw(&mut c).with_queues(&mut c);
        let guard = Replay(seed);
        uphold(&plan, &mut c);
        std::mem::forget(guard);
        let (truth, _, _) = oracle(&plan, Make::AsPlanned);
        for (counter, _) in truth.ports.iter().flat_map(|p| &p.queues) {
            queued += u64::from(counter.frames > 0);
            waited += u64::from(counter.longest_wait > Duration::ZERO);
            refused += u64::from(counter.tail > 0);
            down += counter.down;
        }
    }
    assert!(
        queued > 500 && waited > 200 && refused > 100 && down > 50,
        "{queued} {waited} {refused} {down}"
    );
}

#[test]
fn two_hundred_networks_with_disciplines_obey() {
    let (mut early, mut marked, mut policed, mut held, mut down) = (0, 0, 0, 0, 0);
    let mut managed: BTreeMap<String, u64> = BTreeMap::new();
    for seed in 0..200 {
        let mut c = Choices::from_seed(seed);
        let plan = Plan::draw(&mut c).with_disciplines(&mut c);
        let guard = Replay(seed);
        uphold(&plan, &mut c);
        std::mem::forget(guard);
        let (truth, _, _) = oracle(&plan, Make::AsPlanned);
        policed += truth.dropped(Drop::Policed);
        for (counter, _) in truth.ports.iter().flat_map(|p| &p.queues) {
            early += counter.early;
            marked += counter.marked;
            down += counter.down;
            held += u64::from(counter.longest_wait > Duration::from_us(100));
        }
        for (kind, counter) in plan.managed(&truth) {
            *managed.entry(kind).or_default() += counter.early + counter.marked;
        }
    }
    println!("{early} {marked} {policed} {held} {down} {managed:?}");
    assert!(managed.values().all(|acted| *acted > 50), "{managed:?}");
    assert!(
        early > 500 && marked > 50 && policed > 500 && held > 50 && down > 50,
        "{early} {marked} {policed} {held} {down}"
    );
}

#[test]
fn a_hundred_networks_with_bundles_obey() {
    let (mut spread, mut fell) = (0, 0);
    for seed in 0..100 {
        let mut c = Choices::from_seed(seed);
        let plan = Plan::draw(&mut c).with_bundles(&mut c);
        let guard = Replay(seed);
        uphold(&plan, &mut c);
        std::mem::forget(guard);
        let (truth, _, _) = oracle(&plan, Make::AsPlanned);
        for BundlePlan { ends, .. } in &plan.bundles {
            for (from, next) in [(ends[0], ends[1]), (ends[1], ends[0])] {
                let members = plan.members(from, next);
                let ports = members
                    .iter()
                    .map(|(l, d)| &truth.ports[2 * l + d].counters);
                let used = ports.clone().filter(|c| c.frames > 0).count();
                spread += u64::from(used > 1);
                fell += ports.map(|c| c.dropped(Drop::Down)).sum::<u64>();
            }
        }
    }
    assert!(spread > 60 && fell > 60, "{spread} {fell}");
}

/// Names the seed when a network breaks the law.
pub(crate) struct Replay(pub(crate) u64);

impl std::ops::Drop for Replay {
    fn drop(&mut self) {
        println!("replay: Choices::from_seed({})", self.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64 * ProptestConfig::default().cases / 256,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn shrinkable_networks_obey(list in proptest::collection::vec(any::<u32>(), 1..400)) {
        let mut c = Choices::from_list(list);
        let plan = Plan::draw(&mut c);
        uphold(&plan, &mut c);
        let plan = plan.with_queues(&mut c);
        uphold(&plan, &mut c);
        uphold(&plan.with_disciplines(&mut c), &mut c);
    }
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_does_not() {
    let mut differ = 0;
    for seed in 1000..1040 {
        let plan = Plan::draw(&mut Choices::from_seed(seed));
        let (once, end, _) = oracle(&plan, Make::AsPlanned);
        let again = run(&plan, Make::AsPlanned, end, &[EVENTS], &[]);
        assert_same(&once, &again, "replay");
        let other = Plan {
            seed: plan.seed + 1,
            ..plan
        };
        let other = run(&other, Make::AsPlanned, end, &[EVENTS], &[]);
        differ += u64::from(difference(&once, &other).is_some());
    }
    assert!(differ >= 10, "the seed mattered in {differ} of 40 networks");
}
