//! What a direction does to frames before they meet its queue: markers, meters, policers.

use farpath_units::Time;
use farpath_wire::{Frame, LabelEntry};

use crate::qdisc::{Classifier, TokenBucket};

/// One stage: a frame meets the conditioner its place names, and no other of the stage.
#[derive(Clone, Debug)]
pub struct Stage {
    /// Which conditioner a frame meets, by [`Place::queue`](crate::qdisc::Place); a number beyond the
    /// last one means none. Rules of a scenario are in order: the first that matches.
    pub classifier: Classifier,
    /// The conditioners.
    pub conditioners: Vec<Conditioner>,
}

/// Something that changes or drops frames.
#[derive(Clone, Debug)]
pub enum Conditioner {
    /// Sets the DSCP of a datagram, or the traffic class of a labelled frame to its upper three bits.
    Mark(u8),
    /// Measures frames and treats each by its colour.
    Police(Box<Policer>),
}

/// How well a frame keeps to a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Colour {
    /// Within it.
    Green = 0,
    /// Beyond the first of two bounds.
    Yellow = 1,
    /// Beyond all.
    Red = 2,
}

/// What is done with frames of a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Nothing.
    Pass,
    /// Their DSCP is set.
    Mark(u8),
    /// They are dropped.
    Drop,
}

/// How colours are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meter {
    /// One bucket: green or red.
    Single(TokenBucket),
    /// Single rate, three colours (RFC 2697): committed and excess burst.
    SingleRate {
        /// Fills first.
        committed: TokenBucket,
        /// Takes what the other cannot hold.
        excess: TokenBucket,
    },
    /// Two rates, three colours (RFC 2698).
    TwoRate {
        /// The committed rate.
        committed: TokenBucket,
        /// The peak rate.
        peak: TokenBucket,
    },
}

/// A meter and its actions.
#[derive(Clone, Debug)]
pub struct Policer {
    /// The contract.
    pub meter: Meter,
    /// Frames have a colour already: the drop precedence of their assured-forwarding DSCP (RFC 2597).
    pub colour_aware: bool,
    /// What is done with green, yellow and red frames.
    pub actions: [Action; 3],
    /// Bytes a frame is counted for beyond those it takes in a queue; below zero, short of them.
    pub overhead: i32,
    /// Frames and their counted bytes, by colour.
    pub counted: [(u64, u64); 3],
}

impl Policer {
    /// The colour of a frame of `bytes` at `now`; it is taken from the buckets.
    pub fn measure(&mut self, now: Time, bytes: u32, before: Colour) -> Colour {
        let before = if self.colour_aware {
            before
        } else {
            Colour::Green
        };
        let colour = self.meter.measure(now, bytes, before);
        let counted = &mut self.counted[colour as usize];
        counted.0 += 1;
        counted.1 += u64::from(bytes);
        colour
    }
}

impl Meter {
    /// RFC 2697 §3 and RFC 2698 §3; `before` is green to a meter that is blind to colours.
    fn measure(&mut self, now: Time, bytes: u32, before: Colour) -> Colour {
        match self {
            Meter::Single(bucket) => {
                bucket.fill(now);
                if before == Colour::Red || !bucket.holds(bytes) {
                    return Colour::Red;
                }
                bucket.take(bytes);
                Colour::Green
            }
            Meter::SingleRate { committed, excess } => {
                let over = committed.fill(now);
                excess.add(over);
                if before == Colour::Green && committed.holds(bytes) {
                    committed.take(bytes);
                    Colour::Green
                } else if before < Colour::Red && excess.holds(bytes) {
                    excess.take(bytes);
                    Colour::Yellow
                } else {
                    Colour::Red
                }
            }
            Meter::TwoRate { committed, peak } => {
                committed.fill(now);
                peak.fill(now);
                if before == Colour::Red || !peak.holds(bytes) {
                    return Colour::Red;
                }
                peak.take(bytes);
                if before == Colour::Yellow || !committed.holds(bytes) {
                    return Colour::Yellow;
                }
                committed.take(bytes);
                Colour::Green
            }
        }
    }
}

/// The colour a DSCP stands for: drop precedence 2 is yellow, 3 red (RFC 2597 §6), all else green.
fn colour_of(frame: &Frame) -> Colour {
    let dscp = frame.class >> 2;
    match (dscp >> 3, dscp & 7) {
        (1..=4, 4) => Colour::Yellow,
        (1..=4, 6) => Colour::Red,
        _ => Colour::Green,
    }
}

fn mark(frame: &mut Frame, dscp: u8) {
    if frame.label.is_some() {
        let LabelEntry(raw) = frame.label;
        frame.label = LabelEntry(raw & !(7 << 9) | u32::from(dscp >> 3 & 7) << 9);
    } else {
        frame.class = dscp << 2 | frame.class & 3;
    }
}

impl Stage {
    /// Conditions `frame`, which takes `bytes` in a queue, at `frame.at`; false: it is dropped.
    pub fn condition(&mut self, frame: &mut Frame, bytes: u32) -> bool {
        let number = usize::from(self.classifier.place(frame).queue);
        match self.conditioners.get_mut(number) {
            None => {}
            Some(Conditioner::Mark(dscp)) => mark(frame, *dscp),
            Some(Conditioner::Police(policer)) => {
                let bytes = bytes.saturating_add_signed(policer.overhead);
                let colour = policer.measure(frame.at, bytes, colour_of(frame));
                match policer.actions[colour as usize] {
                    Action::Pass => {}
                    Action::Mark(dscp) => mark(frame, dscp),
                    Action::Drop => return false,
                }
            }
        }
        true
    }

    /// The policers of the stage, in order.
    pub fn policers(&self) -> impl Iterator<Item = &Policer> {
        self.conditioners.iter().filter_map(|c| match c {
            Conditioner::Police(policer) => Some(&**policer),
            Conditioner::Mark(_) => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_units::{Duration, Rate};
    use farpath_wire::{FlowDir, Kind};
    use proptest::prelude::*;

    fn policer(meter: Meter, colour_aware: bool) -> Policer {
        Policer {
            meter,
            colour_aware,
            actions: [Action::Pass, Action::Mark(1), Action::Drop],
            overhead: 0,
            counted: [(0, 0); 3],
        }
    }

    fn rate(bps: u64) -> Rate {
        Rate::from_bps(bps).expect("not zero")
    }

    /// Frames of `bytes` every `gap` picoseconds from 0 on; how many of each colour.
    fn constant(policer: &mut Policer, bytes: u32, gap: u64, count: u64) -> [u64; 3] {
        for n in 0..count {
            policer.measure(Time::from_ps(n * gap), bytes, Colour::Green);
        }
        policer.counted.map(|c| c.0)
    }

    /// Most whole frames of `bytes` in a burst and what a rate brings in `ps` picoseconds.
    fn whole(burst: u64, bps: u64, ps: u64, bytes: u32) -> u64 {
        let bits = u128::from(burst) * 8_000_000_000_000 + u128::from(bps) * u128::from(ps);
        (bits / (u128::from(bytes) * 8_000_000_000_000)) as u64
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200 * ProptestConfig::default().cases / 256, failure_persistence: None, ..ProptestConfig::default() })]

        /// A stream faster than the contract: burst and rate are used to the last whole frame.
        #[test]
        fn what_conforms_is_exact(
            bps in 1000_u64..40_000_000_000, burst in 3000_u64..1_000_000, bytes in 40_u32..1500,
            part in 1_u64..1000, count in 1_u64..5000,
        ) {
            // The gap is shorter than what the rate needs for a frame, and the bucket never full again.
            let gap = (u128::from(bytes) * 8_000_000_000_000 / u128::from(bps)) as u64;
            let gap = (u128::from(gap) * u128::from(part) / 1000) as u64;
            let end = gap * (count - 1);
            let green = whole(burst, bps, end, bytes).min(count);
            let bucket = TokenBucket::new(rate(bps), burst);
            let got = constant(&mut policer(Meter::Single(bucket), false), bytes, gap, count);
            prop_assert_eq!(got, [green, 0, count - green]);
        }
    }

    /// RFC 2697: green keeps to CIR and CBS, green and yellow to CIR and CBS + EBS.
    #[test]
    fn a_single_rate_gives_three_colours() {
        let meter = Meter::SingleRate {
            committed: TokenBucket::new(rate(8_000_000), 10_000),
            excess: TokenBucket::new(rate(8_000_000), 5_000),
        };
        // 1000 bytes every 500 µs are twice the rate.
        let got = constant(&mut policer(meter, false), 1000, 500_000_000, 2001);
        assert_eq!(got, [10 + 1000, 5, 2001 - 1015]);
        // Half the rate is all green, and an idle excess bucket stays full.
        let got = constant(&mut policer(meter, false), 1000, 2_000_000_000, 100);
        assert_eq!(got, [100, 0, 0]);
    }

    /// RFC 2698: yellow between CIR and PIR.
    #[test]
    fn two_rates_give_three_colours() {
        let meter = Meter::TwoRate {
            committed: TokenBucket::new(rate(8_000_000), 10_000),
            peak: TokenBucket::new(rate(12_000_000), 2_000),
        };
        let got = constant(&mut policer(meter, false), 1000, 500_000_000, 2001);
        // The peak passes 2 + 1500 of the frames, the committed rate 10 + 1000 of those.
        assert_eq!(got, [1010, 492, 499]);
    }

    #[test]
    fn an_aware_meter_promotes_nothing() {
        let bucket = TokenBucket::new(rate(8_000_000), 100_000);
        for meter in [
            Meter::SingleRate {
                committed: bucket,
                excess: bucket,
            },
            Meter::TwoRate {
                committed: bucket,
                peak: bucket,
            },
        ] {
            for before in [Colour::Green, Colour::Yellow, Colour::Red] {
                let mut aware = policer(meter, true);
                assert_eq!(aware.measure(Time::ZERO, 1000, before), before);
                let mut blind = policer(meter, false);
                assert_eq!(blind.measure(Time::ZERO, 1000, before), Colour::Green);
            }
        }
    }

    #[test]
    fn marks_keep_the_ecn_field_and_reach_labels() {
        let mut stage = Stage {
            classifier: Classifier::new(crate::qdisc::Place::default()),
            conditioners: vec![Conditioner::Mark(46)],
        };
        let mut frame = Frame::new(Kind::Udp, FlowDir::forward(0), 0, 100);
        frame.class = 8 << 2 | 2;
        assert!(stage.condition(&mut frame, 114));
        assert_eq!(frame.class, 46 << 2 | 2);
        frame.label = LabelEntry::bottom(17, 1, 9);
        assert!(stage.condition(&mut frame, 118));
        assert_eq!(frame.label, LabelEntry::bottom(17, 5, 9));
    }

    /// A shaper's frames leave on the picosecond their tokens are there.
    #[test]
    fn a_bucket_says_when_it_will_hold_enough() {
        let mut bucket = TokenBucket::new(rate(3_000_000_000), 1500);
        bucket.spend(Time::ZERO, 1500);
        let ready = bucket.ready(Time::ZERO, 1500);
        assert_eq!(ready, Time::ZERO + Duration::from_us(4));
        bucket.spend(ready, 1500);
        let ready = bucket.ready(ready, 1);
        assert_eq!(ready.as_ps(), 4_000_000 + 2667); // 8/3 ns, rounded up
    }
}
