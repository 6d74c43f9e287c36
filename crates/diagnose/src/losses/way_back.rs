//! The way back of acknowledgements, as captures show it: how many of those that the receiver sent arrived, whether they come at one
//! pace whatever the data does, and how far the round trip has risen.

use farpath_observe::Connection as Seen;
use farpath_trace::Acks;

use crate::advice::{DELETED, unseen_back};
use crate::captured::{Captured, Vantage};
use crate::cause::Cause;
use crate::ceiling::{FRAME, bps, payload_share};
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::items::Item;
use crate::lines::bloat::ms;

/// What a full way back is worth where nothing shows it, decibans: it is not a cause then. As of outages.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth where both ends show it, and where the sender's alone makes it likely.
const SEEN: f64 = 200.0;
const LIKELY: f64 = 150.0;

/// The most that is said of it where the receiver was not captured. A choice: some receivers thin their acknowledgements by a timer.
const BY_SENDER: f64 = 0.6;

/// Fewer acknowledgements, or bins with some, than this show no pace.
const ACKS_LEAST: f64 = 300.0;
const BINS_LEAST: usize = 12;

/// Acknowledgements come at one pace where nine tenths of the middle bins have so much of the middle one, and data at many where the
/// fastest tenth of them has so many times the slowest.
const PACE: [f64; 2] = [0.8, 1.2];
const VARIES: f64 = 1.5;

/// Bytes of a segment that any receiver acknowledges at once, and how many of them a healthy one may: what arrives within a millisecond
/// may be joined (GRO, LRO), and every second segment is acknowledged (RFC 9293 §3.8.6.3).
const SEGMENTS: f64 = 4.0;
const JOINED_S: f64 = 1e-3;

/// The round trip has risen from so many times its least on, and by so many seconds.
const RISEN: f64 = 1.3;
const RISEN_S: f64 = 5e-3;

/// This share of the acknowledgements is lost where the way back is full; less is chance, or the capture's edge.
const LOST: f64 = 0.2;

/// Both captures hold the same of the connection where they acknowledge the same within this part.
const SAME: f64 = 0.1;

/// The forward line is not full below this part of what it leaves for payload, or, where nobody said that, of what passed in the fastest
/// tenth of the time: it leaves as much at least.
const OPEN: f64 = 0.85;

/// The most that is said where nobody said how fast the forward line is. A choice.
const UNNAMED: f64 = 0.8;

/// A frame of an acknowledgement on the line: headers of IPv4 and TCP with timestamps, bytes.
const ACK_BYTES: f64 = 52.0 + FRAME;

/// Acknowledgements of a direction at one point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Came {
    count: f64,
    bytes: f64,
    /// How many a second, where they come at one pace.
    pace: Option<f64>,
    /// The data that they acknowledge comes at many.
    varies: bool,
    /// The rate of that in the fastest tenth of the bins, bit/s; 0 of too few bins.
    fast_bps: f64,
    /// Least and mean round trip, seconds.
    rtt: Option<[f64; 2]>,
}

impl Came {
    /// Of one direction.
    pub(crate) fn of(acks: &Acks, seen: &Seen) -> Option<Came> {
        let (count, bytes) = (acks.count() as f64, acks.bytes() as f64);
        let rtt = seen.rtt.as_ref().map(|r| [r.min_ns / 1e9, r.avg_ns / 1e9]);
        let (skip, n) = (acks.bins.len().div_ceil(10), acks.bins.len());
        let middle = acks.bins.get(skip..n.saturating_sub(1)).unwrap_or(&[]);
        let sorted = |of: &dyn Fn(&(u32, u64)) -> f64| {
            let mut all: Vec<f64> = middle.iter().map(of).collect();
            all.sort_by(f64::total_cmp);
            all
        };
        let counts = sorted(&|b| f64::from(b.0));
        let data = sorted(&|b| b.1 as f64);
        let at = |all: &[f64], part: f64| all[(part * (all.len() - 1) as f64).round() as usize];
        let enough = middle.len() >= BINS_LEAST && count >= ACKS_LEAST;
        let usual = if enough { at(&counts, 0.5) } else { 0.0 };
        let paced = usual > 0.0
            && at(&counts, 0.05) >= PACE[0] * usual
            && at(&counts, 0.95) <= PACE[1] * usual;
        Some(Came {
            count,
            bytes,
            pace: paced.then(|| usual * 1e9 / acks.width_ns as f64),
            varies: enough && at(&data, 0.9) > VARIES * at(&data, 0.1),
            fast_bps: if enough {
                at(&data, 0.9) * 8e9 / acks.width_ns as f64
            } else {
                0.0
            },
            rtt,
        })
        .filter(|_| count > 0.0)
    }

    /// By how much the round trip has risen above its least on average, seconds; none where that is little.
    fn risen(&self) -> Option<f64> {
        let [least, mean] = self.rtt?;
        (mean > RISEN * least && mean - least > RISEN_S).then_some(mean - least)
    }

    /// Whether each is of much more than a healthy receiver acknowledges at once at this rate, bit/s.
    fn is_of_many(&self, rate: f64, mss: f64) -> bool {
        let each = self.bytes / self.count;
        each > SEGMENTS * mss && each > rate / 8.0 * JOINED_S + 2.0 * mss
    }
}

/// What captures of a flow show of its way back.
#[derive(Clone, Debug)]
pub(crate) struct WayBack {
    /// What the sender got.
    came: Came,
    /// How many the receiver sent, where it was captured as well.
    left: Option<f64>,
}

impl WayBack {
    /// Of the captures of a flow: one at the sender is needed.
    pub(crate) fn of(all: &[&Captured]) -> Option<WayBack> {
        let at = |vantage| {
            let mut there = all.iter().filter(|c| c.vantage == vantage);
            // Of several connections side by side each has a way back of its own.
            let first = there.next()?;
            there.next().is_none().then_some(first.came.as_ref())?
        };
        let came = at(Vantage::Sender)?.clone();
        let same = |left: &&Came| (left.bytes - came.bytes).abs() < SAME * came.bytes;
        let left = at(Vantage::Receiver).filter(same).map(|left| left.count);
        Some(WayBack { came, left })
    }

    /// Of those that left the receiver the share that never came, 0 to 1; none where that is next to nothing.
    fn lost(&self) -> Option<f64> {
        let lost = 1.0 - self.came.count / self.left?;
        (lost >= LOST && self.came.count >= ACKS_LEAST).then_some(lost)
    }

    /// What was counted, and what it means.
    fn sentence(&self) -> String {
        let came = match self.left {
            Some(left) => format!(
                "of {left:.0} acknowledgements that left the receiver {:.0} came to the sender",
                self.came.count
            ),
            None => format!(
                "each acknowledgement is of {:.0} bytes on average",
                self.came.bytes / self.came.count
            ),
        };
        let pace = self.came.pace.map_or_else(String::new, |pace| {
            format!(
                ", {pace:.0} a second whatever rate the data had ({} of frames)",
                bps(pace * 8.0 * ACK_BYTES)
            )
        });
        let risen = self.came.risen().map_or_else(String::new, |by| {
            format!("; the round trip is {} above its least on average", ms(by))
        });
        format!("{came}{pace}{risen}")
    }
}

impl Evidence {
    /// Whether the line of the data is not full: by what it is said to have, or by what passed at other times, while its rate varied.
    fn is_open(&self, came: &Came) -> bool {
        let leaves = match &self.line {
            Some((line, _)) => line.value * payload_share(self.mss),
            None if came.varies && self.stated.is_none() => came.fast_bps,
            None => return false,
        };
        self.settled()
            .is_some_and(|rate| rate.value < OPEN * leaves)
    }

    /// What it is worth that the way back is full, decibans; 0 where nothing says so.
    fn full_way_back(&self) -> f64 {
        let back = self.around.way_back.as_ref();
        let Some(back) = back.filter(|back| self.is_open(&back.came)) else {
            return 0.0;
        };
        let rate = self.rate.as_ref().map_or(0.0, |r| r.value);
        let paced = back.came.pace.is_some();
        let risen = back.came.risen().is_some();
        match (back.left, back.lost()) {
            // A modem that thins them delays nothing.
            (Some(_), Some(_)) if paced && (risen || back.came.varies) => SEEN,
            (Some(_), _) => 0.0,
            // Without the receiver's capture nothing counts what was lost: the line of the data has to be known then.
            (None, _) if paced && risen && back.came.varies && self.line.is_some() => {
                LIKELY * f64::from(u8::from(back.came.is_of_many(rate, self.mss)))
            }
            (None, _) => 0.0,
        }
    }

    /// The most that is said of a full way back.
    pub(crate) fn way_back_at_most(&self) -> f64 {
        let both = self.around.way_back.as_ref().and_then(|b| b.left);
        match (both, &self.line) {
            (Some(_), Some(_)) => 1.0,
            (Some(_), None) => UNNAMED,
            (None, _) => BY_SENDER,
        }
    }

    /// A capture at the receiver, where that at the sender alone makes a full way back likely.
    pub(crate) fn asks_way_back(&self) -> Option<MissingFact> {
        let likely = self.full_way_back() > 0.0 && self.way_back_at_most() < 1.0;
        likely.then(|| MissingFact {
            fact: "acks_sent",
            would_decide: "how many acknowledgements leave the receiver, beside those that came: whether the way back loses them".to_owned(),
            command: "a capture at the receiver of the same test: tcpdump -i INTERFACE -s 128 -w receiver.pcap tcp port PORT".to_owned(),
        })
    }

    /// What to do about a full way back.
    pub(crate) fn clear_way_back(&self, from: &str, to: &str) -> Change {
        let pace = self.around.way_back.as_ref().and_then(|b| b.came.pace);
        let rate = pace.map_or_else(String::new, |pace| {
            format!(
                ": what passes now is about {} of frames",
                bps(pace * 8.0 * ACK_BYTES)
            )
        });
        Change {
            host: format!("the routers of the way back, from {from} to {to}"),
            commands: vec![
                format!("find what fills it: drops, queue and rate of each port from {from} to {to}, of a policer or shaper too{rate}"),
                "more rate that way, or a class of its own for small packets without data, ahead of the rest".to_owned(),
                "where neither can be: fewer acknowledgements, thinned before the slow port. On Linux: tc qdisc show dev INTERFACE, and keep what it prints; tc qdisc replace dev INTERFACE root cake bandwidth RATE ack-filter, with RATE a little below the port's".to_owned(),
            ],
            undo: unseen_back(),
            risk: format!("no setting of windows or buffers at the ends helps: what is in flight waits longer. With cake {DELETED}"),
            ..Change::default()
        }
    }
}

/// What the way back says.
pub(crate) fn by_way_back(e: &Evidence, items: &mut Vec<Item>) {
    let Some(back) = &e.around.way_back else {
        return;
    };
    let worth = e.full_way_back();
    items.push(Item {
        holds: f64::from(u8::from(worth > 0.0)),
        weights: vec![(Cause::WayBack, worth)],
        sentence: format!("{}: the way back is full", back.sentence()),
    });
    // What is lost of them is a fact, whatever it did.
    items.push(Item {
        holds: f64::from(u8::from(worth == 0.0 && back.lost().is_some())),
        weights: Vec::new(),
        sentence: back.sentence(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn came(acks: Acks, rtt_ms: [f64; 2]) -> Came {
        let seen = Seen {
            rtt: Some(farpath_observe::RoundTrips {
                min_ns: rtt_ms[0] * 1e6,
                avg_ns: rtt_ms[1] * 1e6,
                max_ns: rtt_ms[1] * 1e6,
                smoothed: false,
            }),
            ..Seen::default()
        };
        Came::of(&acks, &seen).expect("some came")
    }

    /// Bins of 0.2 s: 56 acknowledgements each, of data at 10 to 80 Mbit/s.
    fn acks(count: impl Fn(u64) -> u32) -> Acks {
        let bytes = |n: u64| 250_000 * (1 + n % 8);
        Acks {
            from_ns: 0,
            width_ns: 200_000_000,
            bins: (0..50).map(|n| (count(n), bytes(n))).collect(),
        }
    }

    #[test]
    fn one_pace_whatever_the_data_does_is_a_line_that_is_full() {
        let full = came(acks(|_| 56), [60.0, 130.0]);
        assert_eq!(full.pace, Some(280.0));
        assert!(full.varies && full.risen().is_some() && full.is_of_many(45e6, 1448.0));
        // A receiver that acknowledges every second segment, and one that joins what comes within a millisecond.
        for each in [2896, 10_000] {
            let healthy = came(
                acks(|n| (250_000 * (1 + n % 8) / each) as u32),
                [60.0, 61.0],
            );
            assert_eq!(healthy.pace, None, "{each}");
            assert!(healthy.risen().is_none());
        }
        assert!(!came(acks(|_| 2000), [60.0, 61.0]).is_of_many(45e6, 1448.0));
    }
}
