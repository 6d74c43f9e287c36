//! A congestion window far above what the path at rest holds, which still grows though the rate stays: what it adds stands in a queue.

use crate::cause::Cause;
use crate::ceiling::{bps, bytes};
use crate::evidence::Evidence;
use crate::items::{Item, of, spread};
use crate::lines::bloat::ms;
use crate::seen::{Row, Side};

/// A window is far above what the path at rest holds from so many times that on.
const ABOVE: f64 = 1.5;

/// It grew to so many times what it was, and to so many times in the later half alone. Slow start leaves one that is not used up at twice
/// what is in flight, and there it stays.
const GREW: f64 = 1.2;
const LATER_GREW: f64 = 1.05;

/// A rate stays where its intervals differ by less than this part of their mean.
const STAYS: f64 = 0.05;

/// Intervals of fewer round trips at rest may be of slow start.
const ROUNDS: f64 = 4.0;

/// A sender's kernel that waited for a window or a buffer for more than this part of its time knows better.
pub(crate) const WAITS: f64 = 0.2;

/// Round trips of the flow below so many times those at rest have no queue in them.
pub(crate) const QUEUED: f64 = 1.25;

/// Most that is said of a line which nobody named, and whose queue no round trip shows. A choice.
const UNNAMED: f64 = 0.8;

/// What the window would stop at if they held the flow.
pub(crate) const ROOMS: [Cause; 3] = [
    Cause::ReceiveWindow,
    Cause::SendBuffer,
    Cause::NoWindowScaling,
];

/// What leaves a window that is not used up.
pub(crate) const OF_SENDER: [Cause; 4] =
    [Cause::Application, Cause::Pacing, Cause::Disk, Cause::Ramp];

/// A window that outgrew its path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Outgrown {
    /// The congestion window after the start, first and last, bytes.
    window: [f64; 2],
    /// The rate meanwhile, bit/s.
    rate: f64,
    /// The round trip at rest, seconds.
    rest_s: f64,
}

impl Outgrown {
    /// What the path at rest holds at this rate, bytes.
    fn holds(self) -> f64 {
        self.rate * self.rest_s / 8.0
    }

    /// The longest that its queue makes others wait, seconds.
    fn queue_s(self) -> f64 {
        self.window[1] * 8.0 / self.rate - self.rest_s
    }

    fn sentence(self) -> String {
        format!(
            "the congestion window grew from {} to {}, the rate stayed at {}, and nothing was sent again. A window grows only while it is used up, and over {} at rest this rate needs {}: the rest stands in a queue of up to {} before a slower line or a shaper, and no window or buffer of the hosts holds the flow",
            bytes(self.window[0]),
            bytes(self.window[1]),
            bps(self.rate),
            ms(self.rest_s),
            bytes(self.holds()),
            ms(self.queue_s())
        )
    }
}

impl Evidence {
    /// The congestion window that outgrew its path, by the intervals of a test that had no reason to pause.
    pub(crate) fn outgrown(&self) -> Option<Outgrown> {
        let waits = [&self.rwnd_share, &self.sndbuf_share];
        let waits = waits.into_iter().flatten().any(|s| s.value > WAITS);
        let other = self.is_bbr() || self.streams > 1.0 || waits;
        if other || !self.never_pauses() || self.has_sent_again() {
            return None;
        }
        let of_sender = self.counted.iter().filter(|r| r.side == Side::Sender);
        let rows: Vec<&Row> = of_sender.skip(1).collect();
        let windows: Vec<f64> = rows.iter().map(|r| r.cwnd).collect::<Option<_>>()?;
        let rates: Vec<f64> = rows.iter().map(|r| r.bps).collect();
        let stays = spread(&rates).is_some_and(|s| s < STAYS);
        let (first, last) = (*windows.first()?, *windows.last()?);
        let grew = last >= GREW * first && last >= LATER_GREW * windows[windows.len() / 2];
        let [_, rest_s] = self.rtt_at_rest()?;
        let unqueued = |r: f64| r < QUEUED * rest_s;
        let unqueued = self.rtt_loaded.as_ref().is_some_and(|r| unqueued(r.value));
        let lasts = |r: &&Row| r.until - r.from >= ROUNDS * rest_s;
        let found = Outgrown {
            window: [first, last],
            rate: rates.iter().sum::<f64>() / rates.len() as f64,
            rest_s,
        };
        let above = last > ABOVE * found.holds();
        let shown = stays && grew && above && !unqueued && rows.iter().all(lasts);
        shown.then_some(found)
    }

    /// Whether anything was sent again, in the whole test or in one of its intervals.
    fn has_sent_again(&self) -> bool {
        let all = self.retransmits.as_ref().map_or(0.0, |r| r.value);
        let each = self.counted.iter().filter_map(|r| r.retransmits);
        all + each.sum::<f64>() > 0.0
    }

    /// The most that is said of a line by such a window alone: a shaper leaves the same, and no text says how fast the line is.
    pub(crate) fn at_most_of_outgrown(&self) -> f64 {
        let open = self.line.is_none() && self.rtt_loaded.is_none();
        match open && (self.outgrown().is_some() || self.saw().is_some()) {
            true => UNNAMED,
            false => 1.0,
        }
    }
}

/// Weighs such a window: a line or a shaper is full, and no window, buffer or program holds the flow.
pub(crate) fn by_outgrown(e: &Evidence, items: &mut Vec<Item>) {
    crate::windows::sawtooth::by_saw(e, items);
    let Some(outgrown) = e.outgrown() else { return };
    let full = of(&[Cause::Link, Cause::Shaper], 14.0);
    let dropping = [
        (Cause::Policer, -14.0),
        (Cause::ShallowBuffer, -14.0),
        (Cause::RandomLoss, -8.0),
        (Cause::Client, -40.0),
    ];
    let weights = [
        full,
        of(&ROOMS, -60.0),
        of(&OF_SENDER, -20.0),
        dropping.to_vec(),
    ];
    items.push(Item {
        holds: 1.0,
        weights: weights.concat(),
        sentence: outgrown.sentence(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// Seconds at 9.54 Mbit/s over 18 ms, which hold 21 465 bytes: the congestion window of each, kB.
    fn evidence(windows: &[f64]) -> Evidence {
        let row = |kilo: &f64| (9.54e6, 0.0, Some(1e3 * kilo));
        Evidence {
            rate: Some(Figure::exact(9.54e6, Place::You)),
            rtt_floor: Some(Figure::exact(0.018, Place::You)),
            counted: Row::intervals(1.0, windows.iter().map(row)),
            tester: true,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    const GROWS: [f64; 8] = [90.0, 140.0, 171.0, 190.0, 205.0, 214.0, 230.0, 240.0];

    #[test]
    fn a_window_that_grows_while_the_rate_stays_fills_a_queue() {
        let outgrown = evidence(&GROWS).outgrown().expect("it grows");
        assert_eq!(outgrown.window, [140e3, 240e3]);
        // 240 kB at 9.54 Mbit/s are 201.3 ms.
        assert!((outgrown.queue_s() - 0.1833).abs() < 1e-3, "{outgrown:?}");
        assert!((evidence(&GROWS).at_most_of_outgrown() - UNNAMED).abs() < 1e-9);
    }

    #[test]
    fn a_window_that_stopped_is_not_used_up() {
        // Slow start left it far above what a receiver's window lets be in flight.
        let stands = [90.0, 140.0, 160.0, 160.0, 160.0, 160.0, 160.0, 160.0];
        assert_eq!(evidence(&[610.0; 8]).outgrown(), None);
        assert_eq!(evidence(&stands).outgrown(), None);
        // Nearly all of it is on its way: nothing need stand in a queue.
        let small = [10.0, 15.0, 18.0, 20.0, 22.0, 25.0, 28.0, 31.0];
        assert_eq!(evidence(&small).outgrown(), None);
        let mut lossy = evidence(&GROWS);
        lossy.counted[3].retransmits = Some(2.0);
        assert_eq!(lossy.outgrown(), None);
        let waited = Evidence {
            rwnd_share: Some(Figure::exact(0.9, Place::You)),
            ..evidence(&GROWS)
        };
        assert_eq!(waited.outgrown(), None);
        // A program that sends in pieces uses its window up in each of them.
        let asked = Evidence {
            application: Some(Figure::exact(9.54e6, Place::You)),
            ..evidence(&GROWS)
        };
        assert_eq!(asked.outgrown(), None);
    }
}
