use proptest::prelude::*;

use super::*;
use crate::{FlowDir, Kind, LabelEntry};

fn frame(at: u64, seq: u64) -> Frame {
    let mut f = Frame::new(Kind::Data, FlowDir::forward(1), seq, 1500);
    f.at = Time::from_ps(at);
    f
}

fn coalesce(frames: &[Frame]) -> Vec<Burst> {
    let mut coalescer = Coalescer::new();
    let mut bursts: Vec<Burst> = frames.iter().filter_map(|f| coalescer.push(*f)).collect();
    bursts.extend(coalescer.finish());
    assert!(coalescer.is_empty());
    bursts
}

fn expand(bursts: &[Burst]) -> Vec<Frame> {
    bursts.iter().flat_map(Burst::frames).collect()
}

/// Groups of `m` back-to-back frames, one group every `period`.
fn pattern(groups: u64, m: u64, gap: u64, period: u64) -> Vec<Frame> {
    (0..groups * m)
        .map(|i| frame(i / m * period + i % m * gap, i * 1448))
        .collect()
}

#[test]
fn a_burst_is_compact() {
    assert!(size_of::<Burst>() <= 96, "{}", size_of::<Burst>());
}

#[test]
fn an_even_train_is_one_burst() {
    let frames = pattern(1, 10_000, 1_230_400, 0);
    let bursts = coalesce(&frames);
    assert_eq!(
        (bursts.len(), bursts[0].count(), bursts[0].group()),
        (1, 10_000, None)
    );
    assert_eq!(expand(&bursts), frames);
}

#[test]
fn delayed_ack_pairs_and_slow_start_fours_are_one_burst() {
    for m in [2, 4] {
        let frames = pattern(5_000, m, 1_230_400, 24_000_000);
        let bursts = coalesce(&frames);
        assert_eq!((bursts.len(), u64::from(bursts[0].count())), (1, 5_000 * m));
        assert_eq!(expand(&bursts), frames);
    }
}

#[test]
fn a_pattern_joined_in_the_middle_of_a_group_is_still_one_burst() {
    for m in [2, 3, 4, 7] {
        for skip in 0..m {
            let frames = &pattern(100, m, 10, 1000)[skip as usize..];
            let bursts = coalesce(frames);
            assert_eq!(bursts.len(), 1, "groups of {m}, {skip} skipped: {bursts:?}");
            assert_eq!(expand(&bursts), frames);
        }
    }
}

#[test]
fn a_grown_window_breaks_the_pattern_into_three_bursts_at_most() {
    // Two hundred pairs, then a triple (one segment of growth), then pairs again.
    let mut frames = pattern(200, 2, 10, 1000);
    frames.push(frame(200_000 - 1000 + 20, 400 * 1448));
    let shift = frames.len() as u64 * 1448;
    frames.extend(
        pattern(200, 2, 10, 1000)
            .iter()
            .map(|f| frame(f.at.as_ps() + 200_000, f.seq + shift)),
    );
    let bursts = coalesce(&frames);
    assert!(bursts.len() <= 3, "{bursts:?}");
    assert_eq!(expand(&bursts), frames);
}

#[test]
fn frames_that_differ_in_a_shared_field_do_not_join() {
    let base = frame(0, 0);
    let change: [fn(&mut Frame); 8] = [
        |f| f.flow = f.flow.turned(),
        |f| f.len = 40,
        |f| f.ttl = 63,
        |f| f.class = 0x20,
        |f| f.kind = Kind::Udp,
        |f| f.label = LabelEntry::bottom(16, 0, 255),
        |f| f.set_flags(crate::Flags::RETRANSMIT),
        |f| f.set_inner(Some(false)),
    ];
    for c in change {
        let mut other = base;
        c(&mut other);
        assert_eq!(coalesce(&[base, other]).len(), 2);
    }
}

#[test]
fn time_that_runs_back_ends_a_burst() {
    let frames = [frame(100, 0), frame(99, 1)];
    let bursts = coalesce(&frames);
    assert_eq!(bursts.len(), 2);
    assert_eq!(expand(&bursts), frames);
}

#[test]
fn constructors_agree_with_the_coalescer() {
    let frames = pattern(50, 4, 10, 1000);
    let inner = Step {
        at: Duration::from_ps(10),
        seq: 1448,
        side: 0,
    };
    let outer = Step {
        at: Duration::from_ps(970),
        seq: 1448,
        side: 0,
    };
    let burst = Burst::grouped(frames[0], 200, 4, inner, outer);
    assert_eq!(coalesce(&frames), [burst]);
    assert_eq!(
        (burst.inner(), burst.outer(), burst.group(), burst.phase()),
        (inner, outer, Some(4), 0)
    );
    let train = Burst::train(frames[0], 4, inner);
    assert_eq!(coalesce(&frames[..4]), [train]);
    assert_eq!(train.delayed(Duration::from_ps(7)).first().at.as_ps(), 7);
}

#[test]
fn the_ends_of_the_number_range_are_safe() {
    let step = Step {
        at: Duration::from_ps(u64::MAX / 3),
        seq: u64::MAX / 2 + 7,
        side: u32::MAX,
    };
    let burst = Burst::train(frame(0, u64::MAX), 4, step);
    let frames: Vec<Frame> = burst.frames().collect();
    assert_eq!(frames[3], burst.last());
    assert_eq!(
        (burst.last().at, burst.count_before(Time::MAX)),
        (Time::MAX, 3)
    );
    assert_eq!(expand(&coalesce(&frames)), frames);
    let long = Burst::train(
        frame(0, 0),
        ENDLESS - 1,
        Step {
            at: Duration::from_ps(1 << 32),
            seq: 9000,
            side: 1,
        },
    );
    assert_eq!(long.last().at.as_ps(), (u64::from(ENDLESS) - 2) << 32);
    assert_eq!(long.count_before(Time::from_ps(5 << 32)), 5);
    assert_eq!(long.count_before(long.last().at), ENDLESS - 2);
}

/// Frames whose steps come from a small set, so that patterns, near misses and ties are common.
fn any_frames() -> impl Strategy<Value = Vec<Frame>> {
    let step = prop_oneof![
        8 => (prop_oneof![Just(0u64), Just(10), Just(10), Just(970), Just(1000)],
              prop_oneof![4 => Just(1448u64), 1 => Just(0), 1 => Just(2896)],
              prop_oneof![6 => Just(0u32), 1 => Just(1), 1 => Just(u32::MAX)], Just(0u8)),
        1 => (any::<u64>(), any::<u64>(), any::<u32>(), 0u8..4),
    ];
    let runs = prop::collection::vec((prop::collection::vec(step, 1..6), 1usize..8), 0..12);
    (any::<bool>(), runs).prop_map(|(late, runs)| {
        let mut f = frame(if late { u64::MAX - 40_000 } else { 0 }, 0);
        let mut frames = Vec::new();
        for (steps, times) in runs {
            for (at, seq, side, field) in core::iter::repeat_n(&steps, times).flatten() {
                f.at = Time::from_ps(f.at.as_ps().wrapping_add(*at));
                f.seq = f.seq.wrapping_add(*seq);
                f.side = f.side.wrapping_add(*side);
                match field {
                    1 => f.ttl = f.ttl.wrapping_sub(1),
                    2 => f.flow = f.flow.turned(),
                    3 => f.len ^= 1,
                    _ => {}
                }
                frames.push(f);
            }
        }
        frames
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000 * ProptestConfig::default().cases / 256, ..ProptestConfig::default() })]

    #[test]
    fn expanding_what_was_coalesced_gives_the_same_frames(frames in any_frames()) {
        let bursts = coalesce(&frames);
        prop_assert_eq!(expand(&bursts), frames);
    }

    #[test]
    fn access_by_number_cuts_and_counts_agree_with_expansion(frames in any_frames(), cut in any::<u32>(), until in any::<usize>()) {
        for burst in coalesce(&frames) {
            let all: Vec<Frame> = burst.frames().collect();
            prop_assert_eq!(all.len(), burst.count() as usize);
            for (i, f) in all.iter().enumerate() {
                prop_assert_eq!(burst.frame(i as u32), *f);
            }
            prop_assert!(all.is_sorted_by_key(|f| f.at));
            // Aim at equality: exactly at a frame, just before and just after it.
            let near = all[until % all.len()].at.as_ps();
            for t in [near.saturating_sub(1), near, near.saturating_add(1)] {
                let t = Time::from_ps(t);
                let expected = all.iter().filter(|f| f.at < t).count();
                prop_assert_eq!(burst.count_before(t) as usize, expected);
            }
            if burst.count() > 1 {
                let k = 1 + cut % (burst.count() - 1);
                let (head, tail) = burst.split_at(k);
                prop_assert_eq!(head.frames().collect::<Vec<_>>(), &all[..k as usize]);
                prop_assert_eq!(tail.frames().collect::<Vec<_>>(), &all[k as usize..]);
                prop_assert_eq!(tail.frame(tail.count() - 1), burst.last());
            }
        }
    }
}
