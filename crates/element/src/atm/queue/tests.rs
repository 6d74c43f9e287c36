use std::collections::{BTreeMap, VecDeque};

use farpath_wire::{FlowDir, Kind};

use super::*;

const OC48: u64 = 2_396_160_000;

/// Every cell by itself: a list of arrivals in order, a list of the starts of service still to come.
struct Reference {
    limit: usize,
    discard: Discard,
    /// Numerator and denominator of a cell's service in picoseconds.
    service: (i128, i128),
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Passing,
    DropsRest,
    DropsAll,
}

struct Offered {
    at: u64,
    flow: u16,
    cells: u32,
}

impl Reference {
    /// By frame, in the order of their last cells: number, end (rounded up), cells lost, whole.
    fn run(&self, frames: &[Offered]) -> Vec<(usize, u64, u32, bool)> {
        let (num, den) = self.service;
        let mut cells = Vec::new();
        let mut ends: BTreeMap<u16, u64> = BTreeMap::new();
        for (number, frame) in frames.iter().enumerate() {
            let start = frame.at.max(ends.get(&frame.flow).copied().unwrap_or(0));
            for n in 0..=frame.cells {
                let at = start + (i128::from(n) * num / den) as u64;
                if n < frame.cells {
                    cells.push((at, number, n));
                } else {
                    ends.insert(frame.flow, at);
                }
            }
        }
        cells.sort_unstable();
        let mut waiting: VecDeque<i128> = VecDeque::new();
        let mut idle = 0_i128;
        let mut open: BTreeMap<u16, bool> = BTreeMap::new();
        let mut states = vec![(State::Passing, 0_u32); frames.len()];
        let mut done = Vec::new();
        for (at, number, n) in cells {
            let now = i128::from(at) * den;
            while waiting.front().is_some_and(|start| *start <= now) {
                waiting.pop_front();
            }
            let frame = &frames[number];
            let (mut state, mut lost) = states[number];
            if let (0, Discard::Early { threshold }) = (n, self.discard)
                && waiting.len() as u64 >= threshold
            {
                state = State::DropsAll;
            }
            let last = n + 1 == frame.cells;
            let wanted = state == State::Passing || (state == State::DropsRest && last);
            let taken = wanted && (waiting.len() < self.limit || idle <= now);
            if taken {
                if idle > now {
                    waiting.push_back(idle);
                }
                idle = idle.max(now) + num;
            } else {
                lost += 1;
                if state == State::Passing && self.discard != Discard::Plain {
                    state = State::DropsRest;
                }
            }
            states[number] = (state, lost);
            if last {
                let before = open.get(&frame.flow).copied().unwrap_or(false);
                if state != State::DropsAll {
                    open.insert(frame.flow, !taken);
                }
                let end = (idle + den - 1) / den;
                done.push((number, end as u64, lost, lost == 0 && !before));
            }
        }
        done
    }
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One to four circuits at OC-48, alone, in turn or at once; every end of service and every loss.
#[test]
fn frames_end_and_are_lost_as_cells_one_by_one_say() {
    let mut luck = 5;
    let (mut whole, mut broken) = (0, 0);
    for case in 0..600 {
        let line = Rate::from_bps([OC48, 599_040_000][case % 2]).expect("not zero");
        let limit = [0, 1, 5, 64, 300, 2000][(random(&mut luck) % 6) as usize];
        let discard = match random(&mut luck) % 3 {
            0 => Discard::Plain,
            1 => Discard::Partial,
            _ => Discard::Early {
                threshold: random(&mut luck) % (limit + 1),
            },
        };
        let config = CellQueueConfig { limit, discard };
        let mut queue = CellQueue::new(config, line);
        let flows = 1 + random(&mut luck) % 4;
        let mut at = 0;
        let mut frames: Vec<Offered> = (0..60)
            .map(|_| {
                at += [0, 1, 17_000_000, 34_000_000, 90_000_000][(random(&mut luck) % 5) as usize];
                Offered {
                    at,
                    flow: (random(&mut luck) % flows) as u16,
                    cells: [1, 2, 32, 192][(random(&mut luck) % 4) as usize],
                }
            })
            .collect();
        frames.sort_by_key(|f| f.at);
        let reference = Reference {
            limit: limit as usize,
            discard,
            service: (queue.service, queue.unit),
        };
        let expected = reference.run(&frames);
        let mut found = Vec::new();
        let mut note = |f: Finished| {
            found.push((f.frame.seq as usize, f.end.as_ps(), f.lost, f.whole));
        };
        for (number, frame) in frames.iter().enumerate() {
            let mut offered = Frame::new(
                Kind::Data,
                FlowDir::forward(frame.flow),
                number as u64,
                1500,
            );
            offered.at = Time::from_ps(frame.at);
            while queue.deadline() <= offered.at {
                let due = queue.deadline();
                note(queue.advance(due).expect("a frame is due"));
            }
            if random(&mut luck).is_multiple_of(3) && frame.at > 0 {
                let before = Time::from_ps(frame.at - 1);
                assert_eq!(queue.advance(before), None);
            }
            queue.offer(&offered, frame.cells);
        }
        while queue.deadline() < Time::MAX {
            let due = queue.deadline();
            note(queue.advance(due).expect("a frame is due"));
        }
        // A frame that is lost has no end.
        let known = |(n, end, lost, whole): &(usize, u64, u32, bool)| {
            (*n, if *whole { *end } else { 0 }, *lost, *whole)
        };
        let of = |all: &[(usize, u64, u32, bool)]| all.iter().map(known).collect::<Vec<_>>();
        assert_eq!(of(&found), of(&expected), "case {case}: {config:?}");
        whole += found.iter().filter(|f| f.3).count();
        broken += found.iter().filter(|f| !f.3).count();
    }
    assert!(whole > 5000 && broken > 5000, "{whole} {broken}");
}

/// Alone on the line, a frame takes the time its cells take, and frames back to back do not drift.
#[test]
fn a_frame_alone_is_one_step_and_exact() {
    let line = Rate::from_bps(OC48).expect("not zero");
    let config = CellQueueConfig {
        limit: 10,
        discard: Discard::Plain,
    };
    let mut queue = CellQueue::new(config, line);
    let mut end = Time::ZERO;
    for n in 0..10_000_u64 {
        let mut frame = Frame::new(Kind::Data, FlowDir::forward(0), n, 9180);
        frame.at = Time::ZERO;
        queue.offer(&frame, 192);
        let due = queue.deadline();
        end = queue.advance(due).expect("a frame is due").end;
    }
    let exact = (10_000 * 192 * 424 * 1_000_000_000_000_u128).div_ceil(u128::from(OC48));
    // A train begins at a whole picosecond, so the last may have begun one early.
    assert!(u128::from(end.as_ps()).abs_diff(exact) <= 1);
}
