//! What a receiver's window gives where its sender waits until bursts are whole (TCP segmentation offload).

use farpath_tcp::{Flavour, fills_window, waits_for};
use farpath_units::Duration;

use super::most_in_flight;
use crate::forecast::flow::Flow;

/// Of what a window gives: a part that is worth a word.
const WORTH: f64 = 0.02;
/// From so many segments on a kernel's windows of an odd number are the model's (docs/models/predict.md, "Whole segments").
const LIKE_KERNELS: u64 = 7;
/// Up to so many segments a flight that has parted is worth a word.
const PARTED: u64 = 8;
/// Of a rate: what a window may be off by and still be what sets it.
pub(super) const EQUAL: f64 = 1e-6;

impl Flow {
    /// By how many seconds the round trips of a window are longer because acknowledgements of a burst are waited for, one segment after
    /// the other from the narrowest place; the first one of them ends a round trip without waiting.
    pub(super) fn waits_s(&self) -> f64 {
        let by_buffer = self.config.send_buffer < self.config.receive_window;
        match by_buffer {
            true => 0.0,
            false => self.waits_under_s(None),
        }
    }

    /// The same of a window that losses hold at `cwnd` bytes.
    pub(super) fn waits_under_s(&self, cwnd: Option<f64>) -> f64 {
        (self.burst(cwnd) - 1.0).max(0.0) * self.segment_s()
    }

    /// Segments of a burst that it waits for.
    fn burst(&self, cwnd: Option<f64>) -> f64 {
        let apart_s = self.segment_s() * f64::from(self.config.delayed_ack.every.max(1));
        let apart = Duration::from_secs_f64(apart_s);
        waits_for(&self.config, self.window, cwnd, self.base, apart) as f64 / self.mss()
    }

    /// The time of a segment at the narrowest place.
    pub(super) fn segment_s(&self) -> f64 {
        self.mss() * 8.0 / self.narrowest.bps
    }

    /// Whether the receiver gathers segments (GRO) that come one behind the other.
    pub(super) fn gathers(&self) -> bool {
        self.config.gro.as_secs_f64() > self.segment_s()
    }

    /// Whether nothing but the window sets a rate of all connections.
    fn is_by_window(&self, steady: f64) -> bool {
        steady >= self.window_bps() * self.streams * (1.0 - EQUAL)
    }

    /// Says what that takes of a rate that the window sets, where it is worth a word. Without super-frames only whole segments leave.
    pub(super) fn note_of_waiting(&self, steady: f64) -> Option<String> {
        let mut plain = self.clone();
        plain.config.tso = 0;
        plain.window = most_in_flight(&plain.config).min(self.window);
        let at_once = plain.each_round_bps(self.rtt_s());
        let without = (at_once * self.streams).min(self.narrowest.bps);
        let waits = self.is_by_window(steady) && self.waits_s() > 0.0;
        let odd = plain.note_of_odd_window(without);
        (waits && steady < (1.0 - WORTH) * without).then(|| {
            format!(
                "the sender waits until bursts of {:.0} segments are whole (TSO), and its window gives less than one a round trip; \
                 with `tso = false` on its host it is {:.3} Mbit/s{}",
                self.burst(None),
                without / 1e6,
                odd.map_or_else(String::new, |odd| format!("; then {odd}"))
            )
        })
    }

    /// Says what a window of an odd number of segments gives where every second one is acknowledged, and the last one waits: for the next
    /// flight, or for the receiver's timer (RFC 5681 §4.2). What a receiver gathers is acknowledged at once.
    pub(super) fn note_of_odd_window(&self, steady: f64) -> Option<String> {
        let segments = self.window / u64::from(self.config.mss);
        let waits = self.leaves_one();
        let fewer = self.fewer_by_timer();
        let few = segments > 1 && segments as f64 * WORTH < fewer;
        let less = segments as f64 - fewer;
        let whole = steady / self.share_of_odd();
        // Whole where no timer acknowledges it before the next flight.
        let bps = |count: f64| whole * count / segments as f64;
        let (shown, until, less) = match fewer < 1.0 {
            true => (
                format!(
                    "{less:.1} a round trip are {:.3} Mbit/s, and where the flight has parted, so that one segment always waits, {:.0}",
                    bps(less) / 1e6,
                    segments as f64 - 1.0
                ),
                format!(", for {} at most", self.config.delayed_ack.timeout),
                segments as f64 - 1.0,
            ),
            false => (format!("{less:.0}"), String::new(), less),
        };
        let kernels = match self.config.flavour {
            Flavour::Linux if segments < LIKE_KERNELS => {
                "; a kernel that gets a whole flight joined to one (GRO) acknowledges all of it at once"
            }
            _ => "",
        };
        (self.is_by_window(steady) && waits && few).then(|| {
            format!(
                "its window is {segments} segments, and the last one of a flight waits for its acknowledgement, as every second one has one\
                 {until}: {shown} a round trip are {:.3} Mbit/s{kernels}",
                bps(less) / 1e6
            )
        })
    }

    /// Says what is left of a small window of an even number of segments over a round trip longer than the receiver's timer: where a flight
    /// has parted into two of odd numbers, as behind the single acknowledgements of the start, they never meet again. Linux acknowledges
    /// each of two segments at once.
    pub(super) fn note_of_parted_window(&self, steady: f64) -> Option<String> {
        let segments = self.window / u64::from(self.config.mss);
        let timer = self.config.delayed_ack.timeout;
        let timer_s = timer.as_secs_f64();
        let fewer = match segments {
            2 if self.config.flavour == Flavour::Linux => return None,
            2 => 2.0 * timer_s / (self.rtt_s() + timer_s),
            4..=PARTED => 2.0 * self.fewer_by_timer(),
            _ => return None,
        };
        let left = 1.0 - fewer / segments as f64;
        let waits = segments.is_multiple_of(2) && self.is_in_pairs() && timer_s < self.rtt_s();
        (self.is_by_window(steady) && waits && left < 1.0 - WORTH).then(|| {
            format!(
                "where a flight of its {segments} segments has parted into two of odd numbers, the last one of each waits for the receiver's timer, \
                 {timer} at most, and {:.3} Mbit/s are left",
                steady * left / 1e6
            )
        })
    }

    /// Whether a window of an odd number of segments leaves the last one of a flight without a second one: its acknowledgement waits.
    fn leaves_one(&self) -> bool {
        let segments = self.window / u64::from(self.config.mss);
        segments % 2 == 1 && self.is_in_pairs()
    }

    /// Whether each flight of a window is acknowledged by twos, and waits for that.
    fn is_in_pairs(&self) -> bool {
        let segments = self.window / u64::from(self.config.mss);
        let pauses = (segments as f64 + 1.0) * self.segment_s() < self.rtt_s();
        // A part of a segment between whole ones parts flights otherwise in each round trip.
        let is_whole = !fills_window(&self.config);
        is_whole && self.config.delayed_ack.every == 2 && !self.gathers() && pauses
    }

    /// By how many seconds each round trip of a window of one segment is longer by the RFCs' rules: its receiver's timer. Linux acknowledges
    /// it as soon as its program has read it.
    pub(super) fn held_s(&self) -> f64 {
        let delayed = self.config.delayed_ack;
        let one = self.window == u64::from(self.config.mss) && delayed.every > 1;
        match one && self.config.flavour == Flavour::Rfc {
            true => delayed.timeout.as_secs_f64(),
            false => 0.0,
        }
    }

    /// What its window gives in rounds of so many seconds, longer by what its receiver holds back.
    pub(super) fn each_round_bps(&self, round_s: f64) -> f64 {
        self.window as f64 * 8.0 / (round_s + self.held_s()) * self.share_of_odd()
    }

    /// What a window of an odd number of segments gives, of what it would if the last one of a flight did not wait; 1 of others. It is
    /// counted where that waits for the next flight, and of three in each case. A kernel may get fewer than seven joined to one.
    fn share_of_odd(&self) -> f64 {
        let segments = self.window / u64::from(self.config.mss);
        let counts = self.config.flavour == Flavour::Rfc || segments >= LIKE_KERNELS;
        let fewer = self.fewer_by_timer();
        match counts && segments > 1 && (segments == 3 || fewer >= 1.0) && self.leaves_one() {
            true => 1.0 - fewer / segments as f64,
            false => 1.0,
        }
    }

    /// Says what a window of one segment is by the RFCs' rules: its receiver holds the acknowledgement back in each round trip, until the
    /// timer has run out. Linux acknowledges it when its program has read it, and the window is open again.
    pub(super) fn note_of_one_segment(&self, steady: f64) -> Option<String> {
        let timer_s = self.held_s();
        let share = self.rtt_s() / (self.rtt_s() + timer_s);
        (self.is_by_window(steady) && share < 1.0 - WORTH).then(|| {
            format!(
                "its window is one segment: its receiver acknowledges it when its timer of {:.0} ms has run out, which leaves {:.3} Mbit/s; \
                 Linux acknowledges it as soon as its program has read it",
                timer_s * 1e3,
                steady / 1e6
            )
        })
    }

    /// By how many segments a round trip has less where the last one of an odd flight waits: one, or a part of it where the receiver's
    /// timer acknowledges it sooner. Then it comes later by the timer in each round trip, until it meets the next flight.
    fn fewer_by_timer(&self) -> f64 {
        let timer_s = self.config.delayed_ack.timeout.as_secs_f64();
        let round_trips = (self.rtt_s() / timer_s).ceil();
        match round_trips.is_finite() {
            true => 1.0 / round_trips.max(1.0),
            false => 0.0,
        }
    }
}
