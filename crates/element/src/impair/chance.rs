//! A share of a flow's frames: every n-th, or each with a probability, drawn by skip.

use std::sync::Arc;

use farpath_units::Key;
use farpath_wire::Frame;

use crate::flows::Flows;

/// Which frames something happens to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Chance {
    /// Every n-th frame of each flow and direction; at least 1.
    EveryNth(u64),
    /// Each frame with this probability.
    Share(f64),
    /// Each bit of a frame with this probability: one of L bytes (`Framing::exposed_bytes`) with 1 − (1 − b)^(8L).
    Bits(f64),
}

/// A chance at work.
#[derive(Debug)]
pub(super) struct Strikes {
    chance: Chance,
    flows: Flows<State>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Draws made so far.
    drawn: u64,
    /// Frames, or bits, that pass before the next strike.
    safe: u64,
}

impl Strikes {
    pub(super) fn new(chance: Chance, key: Key) -> Strikes {
        assert!(chance != Chance::EveryNth(0), "there is no 0th frame");
        Strikes {
            chance,
            flows: Flows::new(key),
        }
    }

    pub(super) fn name(&mut self, names: Arc<[String]>) {
        self.flows.name(names);
    }

    /// Whether `frame`, in `bytes` of whose bytes a wrong bit spoils it, is struck: a draw in (0, 1) for what becomes of it.
    #[inline]
    pub(super) fn strike(&mut self, frame: &Frame, bytes: u32) -> Option<f64> {
        let (luck, state) = self.flows.of(frame);
        let draw = |k: u64| match self.chance {
            Chance::EveryNth(n) => n - 1,
            Chance::Share(p) | Chance::Bits(p) => luck.geometric(k, p),
        };
        let hazard = match self.chance {
            Chance::Bits(_) => u64::from(bytes) * 8,
            _ => 1,
        };
        if state.drawn == 0 {
            state.safe = draw(0);
            state.drawn = 1;
        }
        if state.safe >= hazard {
            if state.safe != u64::MAX {
                state.safe -= hazard;
            }
            return None;
        }
        state.safe = draw(state.drawn);
        state.drawn += 1;
        Some(luck.uniform((1 << 63) | state.drawn))
    }
}

#[cfg(test)]
mod tests {
    use farpath_wire::{FlowDir, Kind};

    use super::*;

    fn struck(chance: Chance, frames: u64) -> Vec<u64> {
        let mut strikes = Strikes::new(chance, Key::new(4).with("chance"));
        let frame = |seq| Frame::new(Kind::Udp, FlowDir::forward(0), seq, 1500);
        (0..frames)
            .filter(|&n| strikes.strike(&frame(n), 1538).is_some())
            .collect()
    }

    #[test]
    fn the_nth_the_certain_and_the_impossible() {
        assert_eq!(struck(Chance::EveryNth(3), 10), [2, 5, 8]);
        assert_eq!(struck(Chance::EveryNth(1), 3), [0, 1, 2]);
        assert_eq!(struck(Chance::Share(1.0), 4).len(), 4);
        assert!(struck(Chance::Share(0.0), 1000).is_empty());
    }

    #[test]
    fn shares_are_realised_within_four_standard_deviations() {
        let n = 1_000_000_u64;
        let by_bits = 1.0 - libm::pow(1.0 - 1e-6, 8.0 * 1538.0);
        for (chance, p) in [(Chance::Share(0.01), 0.01), (Chance::Bits(1e-6), by_bits)] {
            let (found, mean) = (struck(chance, n).len() as f64, n as f64 * p);
            assert!((found - mean).abs() < 4.0 * mean.sqrt(), "{found} {mean}");
        }
    }
}
