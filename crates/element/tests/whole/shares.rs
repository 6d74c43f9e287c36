//! Shares of a saturated link, for any mix of packet sizes, against their closed forms.

use farpath_element::qdisc::{
    ClassesConfig, Classifier, Discipline, DisciplineConfig, Footprint, Limit, Place, QueueConfig,
    QueuesConfig, Rounds,
};
use farpath_units::Time;
use farpath_wire::{FlowDir, Frame, Kind};
use proptest::prelude::*;

/// Bytes each of two queues that are never empty sends, of 200 000 frames.
fn sent(rounds: Rounds, quanta: [u32; 2], sizes: [&[u32]; 2], luck: u64) -> [u64; 2] {
    let mut classifier = Classifier::new(Place::default());
    classifier.set_flow(2, Place { queue: 1, level: 0 });
    let queue = |quantum| QueueConfig::tail(Some(quantum), Limit::Packets(u64::MAX));
    let mut classes = Discipline::new(DisciplineConfig {
        queues: QueuesConfig::Classes(ClassesConfig {
            classifier,
            rounds,
            queues: quanta.map(queue).to_vec(),
            memory: u64::MAX,
        }),
        shaper: None,
    });
    let mut state = luck | 1;
    let mut offer = |classes: &mut Discipline, number: usize| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        let all = sizes[number];
        let bytes = all[(state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % all.len()];
        let frame = Frame::new(Kind::Udp, FlowDir::forward(number as u16), 0, bytes as u16);
        let cost = Footprint {
            queue_bytes: bytes,
            wire_bytes: bytes,
            ..Footprint::default()
        };
        let place = classes.place(&frame);
        assert_eq!(usize::from(place.queue), number);
        classes
            .offer(&frame, &cost, place, true)
            .expect("there is room");
    };
    offer(&mut classes, 0);
    offer(&mut classes, 1);
    offer(&mut classes, 0);
    offer(&mut classes, 1);
    for _ in 0..200_000 {
        let frame = classes
            .take(Time::ZERO, |f| f.len.into())
            .expect("both have frames");
        offer(&mut classes, usize::from(frame.flow.flow()));
    }
    let bytes: Vec<u64> = classes.counters().iter().map(|(c, _)| c.bytes).collect();
    [bytes[0], bytes[1]]
}

fn share([a, b]: [f64; 2]) -> f64 {
    a / (a + b)
}

/// A renewal process passes a far mark by E[L²] / (2 E[L]) on average, plus half the step of sizes.
fn overshoot(sizes: &[u32]) -> f64 {
    let sum: f64 = sizes.iter().copied().map(f64::from).sum();
    let squares: f64 = sizes.iter().map(|s| f64::from(*s) * f64::from(*s)).sum();
    squares / (2.0 * sum)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48 * ProptestConfig::default().cases / 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_packet_sizes_get_their_weights(
        weights in [1_u32..100, 1_u32..100],
        first in proptest::collection::vec(40_u32..1515, 1..6),
        second in proptest::collection::vec(40_u32..1515, 1..6),
        luck in any::<u64>(),
    ) {
        let least = weights[0].min(weights[1]);
        let unit = 1514_u32.div_ceil(least).max(256);
        let quanta = weights.map(|w| w * unit);
        let fair = share(weights.map(f64::from));
        for rounds in [Rounds::Drr, Rounds::Wrr { carry: true }] {
            let got = share(sent(rounds, quanta, [&first, &second], luck).map(|b| b as f64));
            prop_assert!((got - fair).abs() < 0.01, "{rounds:?} {weights:?}: {got} for {fair}");
        }
    }

    /// Without carrying, a queue keeps what its last frames overshoot. Quanta of many frames make
    /// the phase random; sizes that share a divisor have a lattice, which the spread breaks.
    #[test]
    fn without_carry_the_overshoot_counts(
        weights in [1_u32..8, 1_u32..8],
        first in (40_u32..300, 900_u32..1515),
        second in (40_u32..300, 900_u32..1515),
        luck in any::<u64>(),
    ) {
        let spread = |(a, b): (u32, u32)| (0..40).map(|k| a + k * (b - a) / 39).collect::<Vec<_>>();
        let sizes = [spread(first), spread(second)];
        let quanta = weights.map(|w| w * 4096);
        let expected = share([0, 1].map(|n: usize| f64::from(quanta[n]) + overshoot(&sizes[n])));
        let rounds = Rounds::Wrr { carry: false };
        let got = share(sent(rounds, quanta, [&sizes[0], &sizes[1]], luck).map(|b| b as f64));
        prop_assert!((got - expected).abs() < 0.01, "{weights:?}: {got} for {expected}");
    }
}

/// Frames of one size and a share of several: the count is rounded up to whole frames.
#[test]
fn equal_frames_round_the_share_up() {
    let rounds = Rounds::Wrr { carry: false };
    let [be, lbe] = sent(rounds, [99 * 1514, 1514], [&[1514], &[1514]], 1);
    assert!((be as f64 / (be + lbe) as f64 - 0.99).abs() < 1e-4);
    let [be, lbe] = sent(rounds, [4000, 1514], [&[1500], &[1500]], 1);
    // 4000 bytes are three frames, 1514 bytes two.
    assert!((be as f64 / lbe as f64 - 1.5).abs() < 1e-3);
}
