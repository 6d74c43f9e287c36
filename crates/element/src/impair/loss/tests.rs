use farpath_units::Key;
use farpath_wire::{Flags, FlowDir, Frame, Kind};

use super::{GilbertElliott, Loss, LossSpec, Safe};
use crate::drops::Drop;

fn frame(flow: u16, seq: u64) -> Frame {
    Frame::new(Kind::Data, FlowDir::forward(flow), seq, 1500)
}

fn lost(loss: &mut Loss, flow: u16, frames: u64) -> Vec<u64> {
    (0..frames)
        .filter(|&i| loss.strikes(&frame(flow, i), 1538).is_some())
        .collect()
}

#[test]
fn every_third_frame_of_each_flow_is_lost() {
    let mut loss = Loss::new(LossSpec::EveryNth(3), Key::new(1));
    assert_eq!(lost(&mut loss, 0, 10), [2, 5, 8]);
    assert_eq!(lost(&mut loss, 1, 4), [2]);
    // It was counted among losses by chance.
    let mut loss = Loss::new(LossSpec::EveryNth(1), Key::new(1));
    assert_eq!(loss.strikes(&frame(0, 0), 1538), Some(Drop::EveryNth));
    let mut loss = Loss::new(LossSpec::Bernoulli(1.0), Key::new(1));
    assert_eq!(loss.strikes(&frame(0, 0), 1538), Some(Drop::Error));
}

#[test]
fn a_scripted_loss_hits_the_first_transmission_once() {
    let spec = LossSpec::Scripted {
        flow: FlowDir::forward(2),
        seq: 7,
        header: u16::MAX,
    };
    let mut loss = Loss::new(spec, Key::new(1));
    let mut again = frame(2, 7);
    again.set_flags(Flags::RETRANSMIT);
    assert!(loss.strikes(&again, 1538).is_none());
    assert!(loss.strikes(&frame(1, 7), 1538).is_none());
    assert!(loss.strikes(&frame(2, 7), 1538).is_some());
    assert!(loss.strikes(&frame(2, 7), 1538).is_none());
}

#[test]
fn bernoulli_loses_its_share_within_four_sigma() {
    let (n, p) = (2_000_000_u64, 1e-3);
    let mut loss = Loss::new(LossSpec::Bernoulli(p), Key::new(42).with("link"));
    let count = lost(&mut loss, 0, n).len() as f64;
    let mean = n as f64 * p;
    assert!(
        (count - mean).abs() < 4.0 * mean.sqrt(),
        "{count} of {mean}"
    );
}

#[test]
fn the_certain_and_the_impossible() {
    let always = LossSpec::Bernoulli(1.0);
    assert_eq!(lost(&mut Loss::new(always, Key::new(1)), 0, 5).len(), 5);
    let never = LossSpec::Bernoulli(0.0);
    assert_eq!(lost(&mut Loss::new(never, Key::new(1)), 0, 5).len(), 0);
}

#[test]
fn a_bit_error_rate_knows_the_length_of_the_frame() {
    let ber = 1e-6;
    let count = |bytes: u32| {
        let mut loss = Loss::new(LossSpec::BitError(ber), Key::new(7));
        (0..1_000_000)
            .filter(|&i| loss.strikes(&frame(0, i), bytes).is_some())
            .count() as f64
    };
    for bytes in [84_u32, 1538, 9038] {
        let p = 1.0 - libm::pow(1.0 - ber, 8.0 * f64::from(bytes));
        let mean = 1e6 * p;
        let found = count(bytes);
        assert!(
            (found - mean).abs() < 4.0 * mean.sqrt(),
            "{bytes} B: {found} of {mean}"
        );
    }
}

#[test]
fn gilbert_elliott_has_its_mean_and_its_burst_length() {
    let ge = GilbertElliott {
        p: 0.001,
        r: 0.1,
        loss_good: 0.0,
        loss_bad: 1.0,
    };
    let mut loss = Loss::new(LossSpec::GilbertElliott(ge), Key::new(3));
    let hits = lost(&mut loss, 0, 4_000_000);
    let share = hits.len() as f64 / 4e6;
    let expected = ge.p / (ge.p + ge.r);
    assert!(
        (share / expected - 1.0).abs() < 0.05,
        "{share} of {expected}"
    );
    let bursts = 1 + hits.windows(2).filter(|w| w[1] != w[0] + 1).count();
    let mean_burst = hits.len() as f64 / bursts as f64;
    assert!((mean_burst - 10.0).abs() < 0.5, "mean burst {mean_burst}");
}

#[test]
fn another_flow_changes_nobody_elses_luck() {
    let specs = [
        LossSpec::Bernoulli(0.01),
        LossSpec::BitError(1e-6),
        LossSpec::GilbertElliott(GilbertElliott {
            p: 0.01,
            r: 0.2,
            loss_good: 0.0,
            loss_bad: 0.8,
        }),
    ];
    for spec in specs {
        let alone = lost(&mut Loss::new(spec.clone(), Key::new(9)), 0, 20_000);
        let mut shared = Loss::new(spec, Key::new(9));
        let mut beside = Vec::new();
        for i in 0..20_000 {
            shared.strikes(&frame(5, i), 64);
            if shared.strikes(&frame(0, i), 1538).is_some() {
                beside.push(i);
            }
        }
        assert_eq!(alone, beside);
    }
}

#[test]
#[should_panic(expected = "there is no 0th frame")]
fn every_0th_frame_is_refused() {
    Loss::new(LossSpec::EveryNth(0), Key::new(1));
}

/// What of `frames` is lost by a port that passes on runs of at most `most` frames, and by single ones in
/// between.
fn lost_in_runs(loss: &mut Loss, frames: &[Frame], most: usize) -> Vec<u64> {
    let mut lost = Vec::new();
    let mut rest = frames;
    while let Some(head) = rest.first() {
        let mut safe = Safe::ALL;
        loss.narrow(&mut safe, head, 1538);
        let most = most.min(usize::try_from(safe.frames).unwrap_or(usize::MAX));
        let spared = rest.iter().take(most).take_while(|f| safe.spares(f.seq));
        let count = spared.count();
        if count > 0 {
            loss.passed(head, 1538, count as u64);
        } else if loss.strikes(head, 1538).is_some() {
            lost.push(head.seq);
        }
        rest = &rest[count.max(1)..];
    }
    lost
}

#[test]
fn a_run_loses_what_its_frames_lose_one_by_one() {
    let two_state = |loss_good| {
        LossSpec::GilbertElliott(GilbertElliott {
            p: 0.05,
            r: 0.3,
            loss_good,
            loss_bad: 0.7,
        })
    };
    let scripted = |seq| LossSpec::Scripted {
        flow: FlowDir::forward(0),
        seq,
        header: u16::MAX,
    };
    let specs = [
        LossSpec::EveryNth(1),
        LossSpec::EveryNth(7),
        LossSpec::Bernoulli(0.03),
        LossSpec::Bernoulli(1.0),
        LossSpec::Bernoulli(0.0),
        LossSpec::BitError(1e-5),
        two_state(0.0),
        two_state(0.01),
        scripted(0),
        scripted(6),
        scripted(7),
        scripted(499),
        scripted(500),
    ];
    // In order, and with a stretch that comes late and begins with a scripted one.
    let order = (0..500_u64).collect::<Vec<_>>();
    let late = [&order[..7], &order[40..], &order[7..40]].concat();
    for spec in specs {
        for order in [&order, &late] {
            let frames: Vec<Frame> = order.iter().map(|&seq| frame(0, seq)).collect();
            let mut one = Loss::new(spec.clone(), Key::new(5));
            let struck = |f: &&Frame| one.strikes(f, 1538).is_some();
            let expected: Vec<u64> = frames.iter().filter(struck).map(|f| f.seq).collect();
            for most in [1, 2, 7, 1000] {
                let mut runs = Loss::new(spec.clone(), Key::new(5));
                let found = lost_in_runs(&mut runs, &frames, most);
                assert_eq!(found, expected, "{spec:?}, runs of {most}");
            }
        }
    }
}
