//! Runs past losses: a port that takes like frames in runs loses the frames that a port loses that
//! takes them one by one. Losses are aimed at the first and the last frame of a run.

use farpath_element::Drop;
use farpath_element::impair::{GilbertElliott, Impairments, LossSpec};
use farpath_element::qdisc::Limit;
use farpath_predict::Framing;
use farpath_wire::FlowDir;

use crate::law::choices::Choices;
use crate::law::equivalence::{Replay, oracle, uphold};
use crate::law::net::Make;
use crate::law::plan::{Cells, Direction, Plan};

impl Plan {
    /// The same network with long bursts of like frames, in front of ports that take them in runs past
    /// losses. Frames of a burst leave their host at one instant, so that they are a run in every mode.
    fn with_runs_past_losses(mut self, c: &mut Choices) -> Plan {
        let size = c.pick(&[8, 2, 3, 20, 64]);
        let bursts = self.flows.iter_mut().flat_map(|f| &mut f.script);
        bursts.for_each(|burst| burst.count = size);
        let flows = self.flows.len() as u64;
        for flow in &mut self.flows {
            flow.habits.total = size * (1 + c.below(12));
            flow.habits.per_ack = c.pick(&[2, size]);
        }
        for direction in self.links.iter_mut().flat_map(|l| &mut l.directions) {
            straighten(direction, c);
            direction.losses = (0..1 + c.below(3)).map(|_| aimed(c, size, flows)).collect();
        }
        self.changes.clear();
        self
    }
}

/// Most directions do nothing to single frames, and have room for a burst.
fn straighten(direction: &mut Direction, c: &mut Choices) {
    direction.changes = false;
    direction.cells = Cells::none();
    if direction.framing.is_atm() {
        direction.framing = Framing::Ethernet;
    }
    if c.chance(80) {
        direction.reorder = false;
        direction.impairments = Impairments::default();
    }
    if c.chance(60) {
        direction.limit = Limit::Packets(1000);
        direction.mtu = 9216;
    }
}

/// A loss that is due, often, at the first or last frame of a burst of `size`.
fn aimed(c: &mut Choices, size: u64, flows: u64) -> LossSpec {
    let edge = c.pick(&[0, size - 1, size, 1]);
    match c.below(8) {
        0..4 => LossSpec::Scripted {
            flow: FlowDir::forward(c.below(flows) as u16),
            seq: size * c.below(4) + edge,
            header: c.pick(&[u16::MAX, 60]),
        },
        4 => LossSpec::EveryNth(c.pick(&[size, size + 1, size - 1, 3 * size])),
        5 => LossSpec::Bernoulli(c.pick(&[0.02, 0.3, 1e-4, 1e-12])),
        6 => LossSpec::BitError(c.pick(&[1e-6, 1e-5, 1e-12])),
        _ => LossSpec::GilbertElliott(GilbertElliott {
            p: c.pick(&[0.02, 0.2]),
            r: c.pick(&[0.3, 0.9]),
            loss_good: c.pick(&[0.0, 0.0, 0.01]),
            loss_bad: c.pick(&[1.0, 0.6, 0.0]),
        }),
    }
}

#[test]
fn a_hundred_networks_with_runs_past_losses_obey() {
    let (mut hops, mut scripted, mut random) = (0, 0, 0);
    for seed in 0..100 {
        let mut c = Choices::from_seed(3000 + seed);
        let plan = Plan::draw(&mut c).with_runs_past_losses(&mut c);
        let guard = Replay(3000 + seed);
        uphold(&plan, &mut c);
        std::mem::forget(guard);
        let (truth, _, _) = oracle(&plan, Make::AsPlanned);
        hops += truth.totals.iter().sum::<u64>();
        scripted += truth.dropped(Drop::Scripted);
        random += truth.dropped(Drop::Error) + truth.dropped(Drop::EveryNth);
    }
    println!("{hops} hops, {scripted} scripted losses, {random} others");
    assert!(
        hops > 50_000 && scripted > 100 && random > 2500,
        "{hops} {scripted} {random}"
    );
}
