//! A congestion window that a log shows to be far above what rate and round trip imply: as much was in flight at some time, so that no window
//! or buffer of the hosts is as small as these would have to be.

use crate::asking::processors;
use crate::cause::Cause;
use crate::ceiling::bytes;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::items::{Item, of, step};

/// From so many times what rate and round trip imply on that was in flight at some time excludes a window or buffer of the latter, and fully
/// from the second on. Choices: kernels before Linux 3.16 let slow start grow a window further that was not used up.
const TIMES: [f64; 2] = [3.0, 6.0];

/// A window of so many segments may be one that never grew (RFC 6928 §2), or fell behind losses.
const FIRST: f64 = 20.0;

/// What it says against them, decibans.
const AGAINST: f64 = -60.0;

impl Evidence {
    /// What was in flight at some time at least, what rate and round trip imply at most, both in bytes, and how surely that excludes a window
    /// or buffer, 0 to 1; none where it does not.
    fn once_beyond(&self) -> Option<(f64, f64, f64)> {
        let once = self.once_in_flight();
        let implied = self.settled_flight()?.high;
        let holds = step(once / implied.max(1.0), TIMES[0], TIMES[1]);
        let grew = once > FIRST * self.mss;
        (self.never_pauses() && grew && holds > 0.0).then_some((once, implied, holds))
    }

    /// What holds a flow so evenly that no window does: a processor of which no text says how busy it is.
    pub(crate) fn asks_processors_of_both(&self) -> Option<MissingFact> {
        let beyond = self.once_beyond().is_some_and(|(.., holds)| holds > 0.5);
        let open = !self.open_rooms().is_empty() && self.cpu.is_none();
        (beyond && open).then(|| MissingFact {
            fact: "cpu_ratio",
            would_decide: "whether a processor of one of the hosts is full: no window or buffer is, by the congestion window".to_owned(),
            command: match self.systems {
                [None, None] => "on both hosts, during a test: mpstat -P ALL 5 1".to_owned(),
                [sender, receiver] => format!(
                    "on the sender, during a test: {}; on the receiver: {}",
                    processors(sender),
                    processors(receiver)
                ),
            },
        })
    }
}

/// Weighs such a window against windows and buffers of which no text says how large they are.
pub(crate) fn by_grown_window(e: &Evidence, items: &mut Vec<Item>) {
    let rooms = e.open_rooms();
    let Some((once, implied, holds)) = e.once_beyond().filter(|_| !rooms.is_empty()) else {
        return;
    };
    let unscaled = e.unscaled.is_none() && rooms.contains(&Cause::ReceiveWindow);
    let scaling = unscaled.then_some((Cause::NoWindowScaling, AGAINST));
    items.push(Item {
        holds,
        weights: of(&rooms, AGAINST).into_iter().chain(scaling).collect(),
        sentence: format!(
            "rate and round trip imply {} in flight at most, and the congestion window says that {} were at some time: kernels let only a window grow that is used up. No window or buffer as small as the former holds the flow, and round trips under load are longer than those that were measured, or the hosts are slower",
            bytes(implied),
            bytes(once)
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// A test of 3.1 Gbit/s over 0.2 ms, which are 77.5 kB, with a congestion window of so many bytes.
    fn evidence(cwnd: f64) -> Evidence {
        Evidence {
            rate: Some(Figure::exact(3.1e9, Place::You)),
            rtt: Some(Figure::exact(0.2e-3, Place::You)),
            cwnd: Some(Figure::exact(cwnd, Place::You)),
            tester: true,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    fn against_window(e: &Evidence) -> f64 {
        let mut items = Vec::new();
        by_grown_window(e, &mut items);
        let weighs = |i: &Item| {
            let own = i.weights.iter().filter(|(c, _)| *c == Cause::ReceiveWindow);
            i.holds * own.map(|(_, w)| w).sum::<f64>()
        };
        items.iter().map(weighs).sum()
    }

    #[test]
    fn a_large_congestion_window_excludes_a_small_window() {
        assert!((against_window(&evidence(3.1e6)) - AGAINST).abs() < 1e-9);
        assert!(against_window(&evidence(78e3)).abs() < 1e-9);
        assert!(evidence(3.1e6).asks_processors_of_both().is_some());
        assert!(evidence(78e3).asks_processors_of_both().is_none());
    }

    #[test]
    fn what_is_known_of_a_window_and_bbr_are_left() {
        let waited = Evidence {
            rwnd_share: Some(Figure::exact(0.9, Place::You)),
            ..evidence(3.1e6)
        };
        assert!(against_window(&waited).abs() < 1e-9);
        let bbr = Evidence {
            cc: Some("bbr".to_owned()),
            ..evidence(3.1e6)
        };
        assert!(against_window(&bbr).abs() < 1e-9);
        // A program that pauses has less in flight on average than its window.
        let asked = Evidence {
            application: Some(Figure::exact(3.1e9, Place::You)),
            ..evidence(3.1e6)
        };
        assert!(against_window(&asked).abs() < 1e-9);
    }
}
