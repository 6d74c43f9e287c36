//! What a repair leaves of a window's clumps, where the receiver holds back acknowledgements of what is out of order.
//!
//! Behind a lost segment the first three acknowledgements leave at once, and all others are held for a millisecond or a twentieth
//! of a round trip (Linux, `tcp_ack_snd_check`), until the hole is filled a round trip later. So most of the window comes that much later
//! than the part which those three sent off, and the bucket fills between the two. How much each of them sends is PRR's rule (RFC 9937 §6):
//! of what is delivered the share that the cut leaves, and once less is in flight than the new threshold, what is missing to it.

use super::Clumped;
use super::clump::Clump;

/// They leave at once: by them a sender knows of a loss (RFC 5681 §3.2).
const AT_ONCE: usize = 3;
/// Held for this part of a round trip at most (Linux).
const PART: f64 = 0.05;
/// And for no longer than this (`tcp_comp_sack_delay_ns`), seconds.
const LONGEST_S: f64 = 1e-3;
/// The timer runs out so much later (`tcp_comp_sack_slack_ns`), seconds.
const SLACK_S: f64 = 1e-4;

/// What the two hosts of a connection do about a loss.
pub(super) struct Repair {
    rtt_s: f64,
    /// Seconds from one segment to the next at the line's rate.
    slot_s: f64,
    gather_s: f64,
    /// Segments of one gathering.
    most: u64,
    /// An acknowledgement is held so long, seconds.
    hold_s: f64,
    /// Acknowledgements that one stands for at most.
    held_most: u64,
}

/// What one acknowledgement speaks for.
struct Acked {
    after_s: f64,
    segments: u64,
    spread_s: f64,
    /// Whether it is of the same clump as the one before, and comes as close behind it.
    goes_on: bool,
}

impl Repair {
    pub(super) fn new(of: &Clumped, most: u64, slot_s: f64) -> Repair {
        Repair {
            rtt_s: of.rtt_s,
            slot_s,
            gather_s: of.gather_s,
            most,
            hold_s: libm::fmin(LONGEST_S, of.rtt_s * PART) + SLACK_S,
            held_most: u64::from(of.compressed_sacks),
        }
    }

    /// The clumps of the round trip of the repair: the first loss is in the clump `hole`, of each clump the last `lost` segments
    /// are lost, and the window is cut to `left`.
    pub(super) fn of(
        &self,
        clumps: Vec<Clump>,
        hole: usize,
        lost: &[u64],
        left: u64,
    ) -> Vec<Clump> {
        let prior = clumps.iter().map(Clump::segments).sum::<u64>().max(1);
        let mut flying = prior.saturating_sub(lost.iter().sum());
        let acked = self.acknowledged(clumps, hole, lost);
        let (mut delivered, mut sent) = (0, 0);
        let mut sends: Vec<Clump> = Vec::with_capacity(acked.len() + 1);
        for ack in acked {
            delivered += ack.segments;
            flying = flying.saturating_sub(ack.segments);
            let more = if flying > left {
                (left * delivered).div_ceil(prior).saturating_sub(sent)
            } else {
                (left - flying).min(delivered.saturating_sub(sent).max(ack.segments))
            };
            sent += more;
            flying += more;
            self.send(&mut sends, &ack, more);
        }
        // With the last of them the hole is filled, and the window is open again.
        match sends.last_mut() {
            Some(last) => last.gathered.push(left.saturating_sub(flying)),
            None => sends.push(Clump::new(0.0, left, 0.0, self.most)),
        }
        for clump in &mut sends {
            clump.gathered.retain(|n| *n > 0);
            clump.fold(self.most);
        }
        sends.retain(|c| !c.gathered.is_empty());
        sends.sort_by(|a, b| a.after_s.total_cmp(&b.after_s));
        sends
    }

    fn send(&self, sends: &mut Vec<Clump>, ack: &Acked, segments: u64) {
        if segments == 0 {
            return;
        }
        match sends.last_mut().filter(|_| ack.goes_on) {
            Some(last) => last.gathered.push(segments),
            None => sends.push(Clump {
                after_s: ack.after_s,
                gathered: vec![segments],
                spread_s: ack.spread_s,
            }),
        }
    }

    /// The acknowledgements from the first loss until its repair, in order.
    fn acknowledged(&self, clumps: Vec<Clump>, hole: usize, lost: &[u64]) -> Vec<Acked> {
        let (mut ring, mut before) = (Vec::new(), Vec::new());
        for (i, (mut clump, lost)) in clumps.into_iter().zip(lost).enumerate() {
            clump.keep(clump.segments().saturating_sub(*lost));
            match i > hole {
                true => ring.push(clump),
                false => before.push(clump),
            }
        }
        // Those of the next round trip come behind, the clump with the hole last.
        ring.append(&mut before);
        let mut at_once = AT_ONCE;
        let mut held_from = None;
        let mut acked: Vec<Acked> = Vec::new();
        for mut clump in ring {
            let leaves = at_once.min(clump.gathered.len());
            at_once -= leaves;
            let held = clump.gathered.split_off(leaves);
            for (i, segments) in clump.gathered.into_iter().enumerate() {
                acked.push(Acked {
                    after_s: clump.after_s,
                    segments,
                    spread_s: clump.spread_s + self.gather_s,
                    goes_on: i > 0,
                });
            }
            if held.is_empty() {
                continue;
            }
            let segments = held.iter().sum();
            let joins =
                held_from.is_some_and(|from| (0.0..self.hold_s).contains(&(clump.after_s - from)));
            match acked.last_mut().filter(|_| joins) {
                Some(last) => last.segments += segments,
                None => {
                    held_from = Some(clump.after_s);
                    acked.push(Acked {
                        after_s: libm::fmod(clump.after_s + self.held_s(&held), self.rtt_s),
                        segments,
                        spread_s: 0.0,
                        goes_on: false,
                    });
                }
            }
        }
        acked
    }

    /// How long the first of these is held: until the timer runs out, or as many as one may stand for have come.
    fn held_s(&self, gathered: &[u64]) -> f64 {
        let segments: u64 = gathered.iter().sum();
        // A receiver that does not gather acknowledges each segment.
        let each = if self.gather_s > 0.0 { self.most } else { 1 };
        if segments / each < self.held_most {
            return self.hold_s;
        }
        libm::fmin(self.hold_s, (self.held_most * each) as f64 * self.slot_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repair() -> Repair {
        Repair {
            rtt_s: 0.12,
            slot_s: 1.23e-6,
            gather_s: 50e-6,
            most: 41,
            hold_s: 1.1e-3,
            held_most: 44,
        }
    }

    fn clump(after_ms: f64, segments: u64) -> Clump {
        Clump::new(after_ms / 1e3, segments, 0.0, 41)
    }

    fn seen(clumps: &[Clump]) -> Vec<(f64, u64)> {
        let ms = |s: f64| libm::round(s * 1e5) / 1e2;
        clumps
            .iter()
            .map(|c| (ms(c.after_s), c.segments()))
            .collect()
    }

    /// A window of 108 and 178 segments whose last is lost: 121 of the 123 that three acknowledgements speak for are beyond what the cut
    /// lets fly, as simulated (`docs/models/predict.md`).
    #[test]
    fn what_is_behind_three_acknowledgements_comes_a_millisecond_later() {
        let left = repair().of(vec![clump(0.0, 108), clump(1.2, 178)], 1, &[0, 1], 200);
        let [(0.0, front), (at, rear)] = seen(&left)[..] else {
            panic!("{:?}", seen(&left));
        };
        assert_eq!((at, front + rear), (2.3, 200));
        // 108 × 200 / 286 = 75.5.
        assert_eq!(front, 76);
    }

    /// Once the new threshold is in flight, each acknowledgement sends what it speaks for: the clumps behind are whole.
    #[test]
    fn the_first_clumps_bear_the_cut() {
        let before = vec![
            clump(0.0, 34),
            clump(80.0, 44),
            clump(85.0, 7),
            clump(88.0, 27),
            clump(90.0, 47),
        ];
        let left = repair().of(before, 4, &[0, 0, 0, 0, 1], 111);
        let seen = seen(&left);
        assert_eq!(seen.iter().map(|c| c.1).sum::<u64>(), 111);
        let (last, before_it) = (seen[seen.len() - 1], seen[seen.len() - 2]);
        assert_eq!((before_it.1, last.1), (27, 46), "{seen:?}");
    }

    proptest::proptest! {
        /// Whatever is lost, the window that is left is sent, within the round trip.
        #[test]
        fn what_is_left_of_the_window_is_in_the_clumps(
            sizes in proptest::collection::vec((0.0_f64..119.0, 1_u64..300, 0_u64..300), 1..12),
            hole in 0_usize..12, share in 0.1_f64..0.95,
        ) {
            let mut sizes = sizes;
            sizes.sort_by(|a, b| a.0.total_cmp(&b.0));
            let clumps: Vec<Clump> = sizes.iter().map(|(at, n, _)| clump(*at, *n)).collect();
            let lost: Vec<u64> = sizes.iter().map(|(_, n, lost)| *lost.min(n)).collect();
            let all: u64 = sizes.iter().map(|(_, n, _)| n).sum();
            let left = (all as f64 * share) as u64 + 1;
            let after = repair().of(clumps, hole.min(sizes.len() - 1), &lost, left);
            let sum: u64 = after.iter().map(Clump::segments).sum();
            proptest::prop_assert!(sum >= left.min(all), "{sum} of {left}");
            proptest::prop_assert!(after.iter().all(|c| (0.0..0.12).contains(&c.after_s)));
            proptest::prop_assert!(after.iter().flat_map(|c| &c.gathered).all(|n| (1..=41).contains(n)));
        }
    }
}
