use farpath_predict::atm::{frame_loss, frame_loss_glued};
use farpath_units::Rate;
use farpath_wire::{FlowDir, Kind, LabelEntry};

use super::*;

fn circuits(loss: CellLoss, glue: bool, seed: u64) -> Circuits {
    Circuits::new(CircuitsConfig {
        line: Rate::from_bps(599_040_000).expect("not zero"),
        loss,
        glue,
        single: [false, true].into(),
        police: None,
        shape: None,
        queue: None,
        key: Key::new(seed),
        names: Arc::default(),
    })
}

fn frame(flow: u16, seq: u64) -> Frame {
    Frame::new(Kind::Data, FlowDir::forward(flow), seq, 9180)
}

/// Frames and cells lost of `frames` frames of `cells` cells.
fn lost(circuits: &mut Circuits, frames: u64, cells: u32) -> (u64, u64) {
    let mut sum = (0, 0);
    for seq in 0..frames {
        let hurt = circuits.pass(Time::ZERO, cells * CELL, &frame(0, seq));
        sum.0 += u64::from(hurt.fate.is_some());
        sum.1 += u64::from(hurt.lost);
    }
    sum
}

/// Binomial: within four standard deviations of the closed form.
#[test]
fn frames_are_lost_as_the_closed_form_says() {
    let cases = [(1e-5, 192), (1e-5, 32), (1e-4, 192), (0.01, 2), (0.3, 1)];
    for (n, (ratio, cells)) in cases.into_iter().enumerate() {
        for glue in [false, true] {
            let loss = CellLoss {
                ratio,
                bit_error: 0.0,
            };
            let frames = 2_000_000;
            let (frames_lost, cells_lost) =
                lost(&mut circuits(loss, glue, n as u64), frames, cells);
            let expected = match glue {
                true => frame_loss_glued(cells, ratio),
                false => frame_loss(cells, ratio),
            };
            let within = |count: u64, of: f64, p: f64| {
                // A glued pair counts twice, which widens the spread by no more than half.
                let spread = (of * p * (1.0 - p)).sqrt() * 1.5;
                assert!(
                    (count as f64 - of * p).abs() < 4.0 * spread,
                    "{count} of {of} at {p}"
                );
            };
            within(frames_lost, frames as f64, expected);
            within(cells_lost, (frames * u64::from(cells)) as f64, ratio);
        }
    }
}

/// The hazard counts cells, not frames: the same cells are lost however they are put into frames.
#[test]
fn the_same_cells_are_lost_in_frames_of_any_length() {
    let loss = CellLoss {
        ratio: 0.01,
        bit_error: 0.0,
    };
    let mut at = Vec::new();
    for cells in [1_u32, 2, 3, 192, 4096] {
        let mut circuits = circuits(loss, false, 7);
        let (luck, circuit) = circuits.flows.of(&frame(0, 0));
        let mut struck = Vec::new();
        for first in (0..1_000_000_u64).step_by(cells as usize) {
            let draws = (luck, 0, loss.ratio);
            circuit
                .cells
                .pass(cells.into(), draws, |n| struck.push(first + n));
        }
        struck.retain(|n| *n < 990_000);
        at.push(struck);
    }
    assert!(at[0].len() > 9000);
    assert!(at.iter().all(|struck| *struck == at[0]));
}

#[test]
fn a_lost_last_cell_takes_the_next_frame_of_its_own_circuit() {
    let loss = CellLoss {
        ratio: 0.2,
        bit_error: 0.0,
    };
    let (mut glued, mut plain) = (circuits(loss, true, 3), circuits(loss, false, 3));
    let mut open = false;
    for seq in 0..1000 {
        let a = glued.pass(Time::ZERO, CELL, &frame(0, seq));
        let b = plain.pass(Time::ZERO, CELL, &frame(0, seq));
        assert_eq!(a.lost, b.lost);
        assert_eq!(a.fate.is_some(), b.fate.is_some() || open);
        open = b.lost > 0;
    }
}

/// One wrong bit in a payload costs one frame and no cell; in a header it is corrected.
#[test]
fn bit_errors_cost_frames_by_their_payload() {
    let ber = 1e-7;
    let loss = CellLoss {
        ratio: 0.0,
        bit_error: ber,
    };
    let frames = 2_000_000;
    let (frames_lost, cells_lost) = lost(&mut circuits(loss, true, 1), frames, 192);
    let expected = frame_loss(192 * 384, ber) * frames as f64;
    assert!((frames_lost as f64 - expected).abs() < 4.0 * expected.sqrt());
    assert_eq!(cells_lost, 0);
}

/// A policer that discards counts cells; one that tags lets them pass.
#[test]
fn a_policer_discards_or_tags() {
    for (action, fate, counts) in [
        (Action::Drop, Some(Drop::Policed), (96, 0)),
        (Action::Tag, None, (0, 96)),
    ] {
        let mut config = circuits(CellLoss::default(), true, 1).config;
        let contract = Contract {
            peak: Rate::from_bps(299_520_000).expect("not zero"),
            tolerance: farpath_units::Duration::ZERO,
            sustained: None,
        };
        config.police = Some((contract, action));
        let hurt = Circuits::new(config).pass(Time::ZERO, 192 * CELL, &frame(0, 0));
        assert_eq!((hurt.fate, (hurt.lost, hurt.tagged)), (fate, counts));
    }
}

/// A folded path crosses the link under one flow's name several times. Each crossing loses what it would
/// lose if the others were not there, however they interleave, and no two lose the same.
#[test]
fn the_passes_of_a_folded_path_have_luck_of_their_own() {
    let loss = CellLoss {
        ratio: 0.02,
        bit_error: 1e-5,
    };
    let fates = |ttls: &[u8]| {
        let mut circuits = circuits(loss, true, 5);
        let mut lost = vec![Vec::new(); ttls.len()];
        for seq in 0..600 {
            for (n, ttl) in ttls.iter().enumerate() {
                let mut frame = frame(0, seq);
                frame.label = LabelEntry::bottom(17, 0, *ttl);
                // The crossings take turns unevenly.
                for _ in 0..=(seq + n as u64) % 2 {
                    let hurt = circuits.pass(Time::ZERO, 5 * CELL, &frame);
                    lost[n].push((hurt.fate, hurt.lost));
                }
            }
        }
        lost
    };
    let together = fates(&[255, 253, 251]);
    assert_eq!(together[0], fates(&[255])[0]);
    assert_eq!(together[2], fates(&[255, 250, 251])[2]);
    let common = |a: usize, b: usize| {
        let pairs = together[a].iter().zip(&together[b]);
        pairs
            .filter(|(x, y)| x.0.is_some() && y.0.is_some())
            .count()
    };
    let lost = |n: usize| together[n].iter().filter(|f| f.0.is_some()).count();
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        // Independent: the product of the shares, within four standard deviations.
        let expected = lost(a) as f64 * lost(b) as f64 / 900.0;
        let strays = (common(a, b) as f64 - expected).abs();
        assert!(strays < 4.0 * expected.sqrt(), "{a} {b}: {strays}");
        assert_ne!(together[a], together[b]);
    }
}

/// A tester's cells are not frames: with nothing glued as many are lost as cells are.
#[test]
fn a_single_cell_takes_no_other_with_it() {
    let loss = CellLoss {
        ratio: 0.3,
        bit_error: 0.0,
    };
    let mut circuits = circuits(loss, true, 5);
    let (mut cells, mut frames) = (0, 0);
    for seq in 0..10_000 {
        let hurt = circuits.pass(Time::ZERO, CELL, &frame(1, seq));
        cells += hurt.lost;
        frames += u32::from(hurt.fate.is_some());
    }
    assert!(
        cells == frames && cells > 2_800 && cells < 3_200,
        "{cells} {frames}"
    );
}
