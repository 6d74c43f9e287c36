//! A congestion window that losses cut and that grows between them, while the rate stays: what it adds stands in the queue of a full line,
//! and losses are how that queue ends its growth. Without a queue a rate goes by its window, whatever takes the packets.

use crate::cause::Cause;
use crate::ceiling::{bps, bytes};
use crate::evidence::Evidence;
use crate::items::{Item, of, spread};
use crate::lines::bloat::ms;
use crate::seen::{Row, Side};
use crate::windows::outgrown::{OF_SENDER, QUEUED, ROOMS, WAITS};

/// Intervals differ by less than this part of their mean where the rate stays.
const STAYS: f64 = 0.05;

/// Windows of intervals without losses lie so many times apart, at least, in so many intervals.
const APART: f64 = 1.15;
const QUIET_LEAST: usize = 3;

/// A rate goes by its window with a power of one where no queue stands, and with none where one does.
const FOLLOWS: f64 = 0.35;

/// So many intervals show how a window goes, at least, and so large a part of them that losses cut it and that it grows otherwise: that of
/// BBR goes by neither. Choices.
const SHOWN_LEAST: f64 = 4.0;
const LIKE_A_SAW: f64 = 0.8;

/// What is in flight is beyond what the path at rest holds by so many times, at least.
const BEYOND: f64 = 1.1;

/// A window that goes up and down over a full line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Saw {
    /// The least and the largest window of intervals without losses, bytes.
    window: [f64; 2],
    /// The rate meanwhile, bit/s.
    rate: f64,
    /// The round trip at rest, seconds, where it is known.
    rest_s: Option<f64>,
}

impl Saw {
    fn sentence(self) -> String {
        let holds = self.rest_s.map_or_else(String::new, |rest_s| {
            format!(
                ", and over {} at rest this rate needs {}",
                ms(rest_s),
                bytes(self.rate * rest_s / 8.0)
            )
        });
        format!(
            "losses cut the congestion window, it grew from {} to {} between them, and the rate stayed at {}{holds}: the rest stands in the queue of a full line or shaper, which a policer does not have, and losses are what that queue drops when it is full",
            bytes(self.window[0]),
            bytes(self.window[1]),
            bps(self.rate)
        )
    }
}

/// How large a part of the intervals shows a window that losses cut and that grows otherwise, 0 to 1; none of too few.
fn is_like_saw(rows: &[(f64, &Row)]) -> Option<f64> {
    let (mut like, mut shown) = (0.0, 0.0);
    let mut lossy_before = true;
    for (before, row) in rows {
        let own = row.cwnd.unwrap_or(0.0);
        let lossy = row.retransmits.is_some_and(|n| n > 0.0);
        // A cut for losses at the end of one interval may show in the next.
        let late = lossy_before && !lossy && own < *before;
        if !late {
            shown += 1.0;
            like += f64::from(u8::from(lossy == (own < *before)));
        }
        lossy_before = lossy;
    }
    (shown >= SHOWN_LEAST).then_some(like / shown)
}

/// The power of its window with which a rate goes, of pairs of the two; none where windows are alike.
fn power(pairs: &[(f64, f64)]) -> Option<f64> {
    let n = pairs.len() as f64;
    let logs = pairs.iter().map(|(w, r)| (libm::log(*w), libm::log(*r)));
    let logs: Vec<(f64, f64)> = logs.collect();
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| logs.iter().map(of).sum::<f64>() / n;
    let (window, rate) = (mean(&|p| p.0), mean(&|p| p.1));
    let square = mean(&|p| (p.0 - window) * (p.0 - window));
    let product = mean(&|p| (p.0 - window) * (p.1 - rate));
    (square > 0.0).then(|| product / square)
}

impl Evidence {
    /// The window of a log that losses cut, and that grows between them without the rate.
    pub(crate) fn saw(&self) -> Option<Saw> {
        let waits = [&self.rwnd_share, &self.sndbuf_share];
        let waits = waits.into_iter().flatten().any(|s| s.value > WAITS);
        if self.is_bbr() || self.streams > 1.0 || waits || !self.never_pauses() {
            return None;
        }
        let of_sender = self.counted.iter().filter(|r| r.side == Side::Sender);
        let rows: Vec<&Row> = of_sender.collect();
        let windows: Vec<f64> = rows.iter().map(|r| r.cwnd).collect::<Option<_>>()?;
        let later: Vec<(f64, &Row)> = windows
            .iter()
            .copied()
            .zip(rows.iter().copied().skip(1))
            .collect();
        let rates: Vec<f64> = later.iter().map(|(_, r)| r.bps).collect();
        let stays = spread(&rates).is_some_and(|s| s < STAYS);
        let lossless = |r: &Row| r.retransmits.is_some_and(|n| n <= 0.0);
        let cut = later.iter().any(|(_, r)| !lossless(r));
        let like = is_like_saw(&later).is_some_and(|part| part >= LIKE_A_SAW);
        if !stays || !cut || !like {
            return None;
        }
        // A window that fell in an interval without losses was cut within it: its mean is not known.
        let grew = later
            .iter()
            .filter(|(before, r)| lossless(r) && r.cwnd.is_some_and(|own| own >= *before));
        let quiet: Vec<(f64, f64)> = grew
            .map(|(before, r)| (f64::midpoint(*before, r.cwnd.unwrap_or(*before)), r.bps))
            .collect();
        let ends = |most: fn(f64, f64) -> f64| quiet.iter().map(|p| p.0).reduce(most);
        let window = [ends(libm::fmin)?, ends(libm::fmax)?];
        let apart = quiet.len() >= QUIET_LEAST && window[1] >= APART * window[0];
        let stands = power(&quiet).is_some_and(|power| power < FOLLOWS);
        let rate = rates.iter().sum::<f64>() / rates.len() as f64;
        let rest_s = self.rtt_at_rest().map(|[_, most]| most);
        let fits = rest_s.is_some_and(|rest| window[1] * 8.0 < BEYOND * rate * rest);
        let loaded = self.rtt_loaded.as_ref().map(|r| r.value);
        let unqueued = loaded.zip(rest_s);
        let unqueued = unqueued.is_some_and(|(loaded, rest)| loaded < QUEUED * rest);
        (apart && stands && !fits && !unqueued).then_some(Saw {
            window,
            rate,
            rest_s,
        })
    }
}

/// Weighs such a window: a line or a shaper is full, and what it loses does not hold the flow.
pub(crate) fn by_saw(e: &Evidence, items: &mut Vec<Item>) {
    let Some(saw) = e.saw() else { return };
    let dropping = [
        (Cause::Policer, -36.0),
        (Cause::ShallowBuffer, -24.0),
        (Cause::RandomLoss, -18.0),
        (Cause::CongestionLoss, -14.0),
        (Cause::Client, -30.0),
    ];
    items.push(Item {
        holds: 1.0,
        weights: [
            of(&[Cause::Link, Cause::Shaper], 14.0),
            of(&ROOMS, -30.0),
            of(&OF_SENDER, -20.0),
            dropping.to_vec(),
        ]
        .concat(),
        sentence: saw.sentence(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// Seconds of a test: Mbit/s, what was sent again in each, and the congestion window at its end, kB.
    fn evidence(rows: &[(f64, f64, f64)]) -> Evidence {
        let row = |(mbit, again, kilo): &(f64, f64, f64)| (mbit * 1e6, *again, Some(1e3 * kilo));
        Evidence {
            rate: Some(Figure::exact(18.6e6, Place::You)),
            counted: Row::intervals(1.0, rows.iter().map(row)),
            tester: true,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// CUBIC of a real kernel on a line of 20 Mbit/s whose queue holds what the path does, 40 ms.
    const FULL: [(f64, f64, f64); 16] = [
        (19.1, 32.0, 185.0),
        (19.4, 3.0, 147.0),
        (18.9, 0.0, 158.0),
        (18.6, 0.0, 163.0),
        (18.1, 0.0, 173.0),
        (19.4, 0.0, 184.0),
        (18.9, 1.0, 144.0),
        (18.9, 0.0, 168.0),
        (18.9, 0.0, 182.0),
        (18.9, 1.0, 132.0),
        (18.6, 0.0, 150.0),
        (18.9, 0.0, 157.0),
        (18.9, 0.0, 164.0),
        (18.9, 0.0, 175.0),
        (18.6, 0.0, 184.0),
        (19.1, 1.0, 148.0),
    ];

    fn at_rest(rest_s: f64) -> Evidence {
        Evidence {
            rtt_floor: Some(Figure::exact(rest_s, Place::You)),
            ..evidence(&FULL)
        }
    }

    #[test]
    fn a_window_between_cuts_that_leaves_the_rate_as_it_is_fills_a_queue() {
        let saw = evidence(&FULL).saw().expect("it shows without a ping");
        assert_eq!(saw.window, [141e3, 179.5e3]);
        assert!(at_rest(0.0401).saw().is_some());
        // Over 100 ms all of it is on its way.
        assert_eq!(at_rest(0.1).saw(), None);
        let unqueued = Evidence {
            rtt_loaded: Some(Figure::exact(0.0405, Place::You)),
            ..at_rest(0.0401)
        };
        assert_eq!(unqueued.saw(), None);
    }

    #[test]
    fn a_rate_that_goes_by_its_window_fills_none() {
        let mut follows = FULL;
        for (mbit, _, kilo) in &mut follows {
            *mbit = 18.9 * (1.0 + 0.5 * (*kilo / 160.0 - 1.0));
        }
        assert_eq!(evidence(&follows).saw(), None);
        // Nothing cut it: that is of another rule.
        let mut lossless = FULL;
        lossless.iter_mut().for_each(|row| row.1 = 0.0);
        assert_eq!(evidence(&lossless).saw(), None);
        // A window that goes up and down whatever is lost is not one that losses cut.
        let mut other = FULL;
        for (n, row) in other.iter_mut().enumerate() {
            row.2 = [209.0, 269.0][n % 2];
        }
        assert_eq!(evidence(&other).saw(), None);
        // A program that sends in pieces grows in each of them.
        let asked = Evidence {
            application: Some(Figure::exact(18.9e6, Place::You)),
            ..evidence(&FULL)
        };
        assert_eq!(asked.saw(), None);
    }

    #[test]
    fn a_full_line_with_losses_is_no_policer() {
        let weighed = crate::infer::weigh(&at_rest(0.0401), &[]);
        let first = weighed.ranking[0].cause;
        let full = [Cause::Link, Cause::Shaper].contains(&first);
        assert!(full, "{:?}", weighed.ranking);
    }
}
