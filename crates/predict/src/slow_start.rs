//! Slow start in rounds: how long until the window is full, and what the filling costs.
//!
//! A rounds model: each round lasts one RTT and multiplies the window by 1 + 1/b, with b segments
//! for each ACK. It counts neither the handshake, nor the delayed-ACK timer, nor the way home of
//! the last ACK, and nothing is lost; a packet-level run differs by a few tenths of an RTT.

use farpath_units::{Duration, Rate, Size};

use crate::answer::{Answer, answer};
use crate::window::seconds;

/// Where the idea of counting what slow start wastes comes from.
pub(crate) const METHOD: &str = "LBNL, TCP over an OC-12 ATM WAN (method)";

/// Rounds followed at most. Doubling takes 64 to 2^64 segments; this is for windows that hardly grow.
const ROUNDS_MOST: u32 = 100_000;

/// How a sender's window grows from its first round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlowStart {
    /// Window that fills the path, in segments; above 0.
    pub full: f64,
    /// Initial window in segments; above 0. RFC 6928 gives 10.
    pub initial: f64,
    /// Segments for each ACK: 1, or 2 with delayed ACKs (RFC 5681 §4.2); above 0.
    pub segments_per_ack: f64,
    /// The window in segments from which on it grows by half of that a round trip (RFC 3742); `None`: it doubles to the end.
    pub max_ssthresh: Option<f64>,
    /// Round trips that each window is sent in, above 0: 1, and 2 of Vegas as its paper has it, which grows every other one.
    pub rounds_each: u32,
    /// Segments that are acknowledged one by one at first, whatever `segments_per_ack` says; not below 0. A receiver of Linux does 16.
    pub quick: f64,
}

/// By how much a window of slow start grows when `acked` segments of it are acknowledged: by one for each `segments_per_ack`, and beyond
/// `max_ssthresh` by a share 1/K of that, K = ⌊w / (max_ssthresh / 2)⌋ (RFC 3742 §2).
pub(crate) fn growth(
    window: f64,
    acked: f64,
    segments_per_ack: f64,
    max_ssthresh: Option<f64>,
) -> f64 {
    let Some(most) = max_ssthresh.filter(|most| window + acked / segments_per_ack > *most) else {
        return acked / segments_per_ack;
    };
    let half = 0.5 * most;
    let (mut grown, mut left) = (window, acked / segments_per_ack);
    while left > 0.0 {
        // Where K is the next larger one.
        let (k, until) = match grown < most {
            true => (1.0, most),
            false => {
                let k = libm::fmax(libm::floor(grown / half), 2.0);
                (k, (k + 1.0) * half)
            }
        };
        let more = libm::fmin(left, (until - grown) * k);
        left = if more < left { left - more } else { 0.0 };
        grown = if left > 0.0 { until } else { grown + more / k };
    }
    grown - window
}

/// How many of `quick` segments are left to be acknowledged one by one, each of which makes the window larger by one, when it has grown by so many.
pub(crate) fn quick_left(quick: f64, grown: f64) -> f64 {
    libm::fmax(quick - grown, 0.0)
}

/// [`growth`] where the first `quick` segments of those acknowledged are so one by one.
pub(crate) fn first_growth(
    window: f64,
    acked: f64,
    quick: f64,
    (segments_per_ack, max_ssthresh): (f64, Option<f64>),
) -> f64 {
    let alone = libm::fmin(quick, acked);
    let more = growth(window, alone, 1.0, max_ssthresh);
    more + growth(window + more, acked - alone, segments_per_ack, max_ssthresh)
}

/// What slow start costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// Rounds until the window is at least full: the smallest n with IW·(1 + 1/b)ⁿ ≥ W.
    pub rounds: u32,
    /// Round trips' worth of a full window that were not sent: Σ (1 − wₖ/W).
    pub wasted_rtts: f64,
    /// Segments sent in those rounds.
    pub sent: f64,
}

impl SlowStart {
    /// The window after a round that began with `window`.
    pub(crate) fn next(&self, window: f64) -> f64 {
        let quick = quick_left(self.quick, window - self.initial);
        window
            + first_growth(
                window,
                window,
                quick,
                (self.segments_per_ack, self.max_ssthresh),
            )
    }

    /// The window after so many `rounds` from the first on, of which the last began with `window`.
    fn after(&self, window: f64, rounds: u32) -> f64 {
        match rounds.is_multiple_of(self.rounds_each) {
            true => self.next(window),
            false => window,
        }
    }

    /// The windows that its rounds begin with, each once, in segments, on beyond a full one.
    pub fn windows(self) -> impl Iterator<Item = f64> {
        core::iter::successors(Some(self.initial), move |window| Some(self.next(*window)))
    }

    /// The window that the round began with in which a queue of `queue` segments overflows, and the window then. In a round that begins
    /// with w₀, w − w₀ waits, as long as segments come one behind the other and are not paced: all that it grows by. Beyond a full window
    /// W, w − W waits.
    pub fn overflowing(&self, queue: f64) -> (f64, f64) {
        let under_way = |began: f64| libm::fmin(began, self.full);
        let (mut began, mut rounds) = (self.initial, 0);
        while self.next(began) - under_way(began) < queue && rounds < ROUNDS_MOST {
            began = self.next(began);
            rounds += 1;
        }
        (began, under_way(began) + queue)
    }

    /// Rounds, waste and segments sent until the window is full.
    pub fn cost(&self) -> Cost {
        let mut cost = Cost {
            rounds: 0,
            wasted_rtts: 0.0,
            sent: 0.0,
        };
        let mut window = self.initial;
        while window < self.full && cost.rounds < ROUNDS_MOST {
            cost.rounds += 1;
            cost.wasted_rtts += 1.0 - window / self.full;
            cost.sent += window;
            window = self.after(window, cost.rounds);
        }
        cost
    }

    /// Rounds that send less than a window of `full` and leave some of so many `segments`, what they send, and the window after them.
    fn growing(&self, segments: f64, full: f64) -> (u32, f64, f64) {
        let (mut window, mut sent) = (self.initial, 0.0);
        let mut rounds = 0_u32;
        while window < full && sent + window < segments && rounds < ROUNDS_MOST {
            sent += window;
            rounds += 1;
            window = self.after(window, rounds);
        }
        (rounds, sent, window)
    }

    /// Seconds from the first segment sent to the last one of `size`, when a full window carries
    /// `goodput` in one `rtt`.
    pub fn transfer_s(&self, size: Size, mss: Size, goodput: Rate, rtt: Duration) -> f64 {
        let segments = size.as_bytes() as f64 / mss.as_bytes() as f64;
        let segment_s = mss.as_bytes() as f64 * 8.0 / goodput.as_bps() as f64;
        let (rounds, sent, _) = self.growing(segments, self.full);
        f64::from(rounds) * seconds(rtt) + (segments - sent) * segment_s
    }

    /// Seconds from the first segment sent to the last one of so many `segments` where the ends hold the window at `full`, less than the
    /// path holds: whole flights leave a round trip apart, and `apart_s` once they are full, their segments one every `segment_s` seconds;
    /// all above 0.
    pub fn flights_s(&self, segments: f64, (rtt_s, apart_s): (f64, f64), segment_s: f64) -> f64 {
        let full = libm::fmax(libm::round(self.full), 1.0);
        let (rounds, sent, window) = self.growing(segments, full);
        let more = match window < full {
            true => 0.0,
            false => libm::fmax(libm::ceil((segments - sent) / full) - 1.0, 0.0),
        };
        f64::from(rounds) * rtt_s + more * apart_s + (segments - sent - more * full) * segment_s
    }

    /// Segments sent in so many `seconds` from the first one on: what [`SlowStart::transfer_s`] turned round gives. Those of a round whose
    /// window is not full leave one every `burst_s` seconds, and later ones one every `segment_s`; both above 0.
    pub fn sent_in(&self, seconds: f64, rtt_s: f64, burst_s: f64, segment_s: f64) -> f64 {
        let (mut window, mut sent, mut left) = (self.initial, 0.0, libm::fmax(seconds, 0.0));
        let mut rounds = 0_u32;
        while window < self.full && rounds < ROUNDS_MOST {
            if left <= rtt_s {
                return sent + libm::fmin(window, left / burst_s);
            }
            sent += window;
            left -= rtt_s;
            rounds += 1;
            window = self.after(window, rounds);
        }
        sent + left / segment_s
    }

    /// [`SlowStart::transfer_s`] with its grounds: `transfer_s`.
    pub fn transfer_answer(&self, size: Size, mss: Size, goodput: Rate, rtt: Duration) -> Answer {
        let time = self.transfer_s(size, mss, goodput, rtt);
        let ideal = size.as_bytes() as f64 * 8.0 / goodput.as_bps() as f64;
        let lost = if time > 0.0 {
            (1.0 - ideal / time) * 100.0
        } else {
            0.0
        };
        answer("transfer_s", time, "s")
            .by("8 S / C + RTT × Σ (1 − w_k / W) over the rounds", METHOD)
            .note(format!("{lost:.2} % of it lost to slow start."))
            .holds(
                "first to last segment sent, no loss; the handshake and the last ACK come on top",
            )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(segments_per_ack: f64, max_ssthresh: Option<f64>) -> SlowStart {
        SlowStart {
            full: 6502.0,
            initial: 10.0,
            segments_per_ack,
            max_ssthresh,
            rounds_each: 1,
            quick: 0.0,
        }
    }

    /// Every acknowledgement lets two segments go while one leaves the queue. Simulated at 1 Gbit/s and 80 ms: 1321 segments are full at a
    /// window of 5.6 to 5.8 MB, 2642 at 11.2 to 11.8 MB, 3302 at 12.2 to 12.5 MB.
    #[test]
    fn what_a_round_grows_by_waits() {
        let of = |b, queue| start(b, None).overflowing(queue);
        assert_eq!(of(1.0, 1321.0), (2560.0, 3881.0));
        assert_eq!(of(1.0, 2642.0), (5120.0, 7762.0));
        assert_eq!(of(1.0, 3302.0), (5120.0, 8422.0));
        let (began, window) = of(2.0, 169.0);
        assert!((began / 2.0 >= 169.0) && (began / 3.0 < 169.0), "{began}");
        assert_eq!(window, began + 169.0);
    }

    /// Rounds of 10, 20 and 40 segments; in the third, 10 of the 40 have left. Where the window is full, it is the line's rate less what
    /// was wasted.
    #[test]
    fn what_is_sent_in_a_time_is_the_transfers_time_turned_round() {
        let start = start(1.0, None);
        assert_eq!(start.sent_in(-1.0, 0.1, 0.001, 0.001), 0.0);
        assert!((start.sent_in(0.21, 0.1, 0.001, 0.001) - 40.0).abs() < 1e-9);
        assert!((start.sent_in(0.25, 0.1, 0.001, 0.001) - 70.0).abs() < 1e-9);
        let (rtt_s, segment_s) = (0.1, 0.1 / start.full);
        let cost = start.cost();
        let sent = start.sent_in(5.0, rtt_s, segment_s, segment_s);
        let full = (5.0 - cost.wasted_rtts * rtt_s) / segment_s;
        assert!((sent / full - 1.0).abs() < 1e-9, "{sent} {full}");
    }

    /// 10, 10, 20 and 20: half of the second doubling's time is over after three and a half round trips.
    #[test]
    fn a_window_that_grows_every_other_round_takes_twice_as_long() {
        let once = start(1.0, None);
        let twice = SlowStart {
            rounds_each: 2,
            ..once
        };
        let (fast, slow) = (once.cost(), twice.cost());
        assert_eq!(slow.rounds, 2 * fast.rounds);
        assert!((slow.sent / fast.sent - 2.0).abs() < 1e-9);
        assert!((slow.wasted_rtts / fast.wasted_rtts - 2.0).abs() < 1e-9);
        assert!((twice.sent_in(0.35, 0.1, 0.001, 0.001) - 60.0).abs() < 1e-9);
    }

    /// 2, 4, 8 and 16 segments, of which 2 are left to be acknowledged alone: 2 + 14 / 2 more, and then half of each window.
    #[test]
    fn what_is_acknowledged_one_by_one_doubles_the_window() {
        let late = SlowStart {
            initial: 2.0,
            quick: 16.0,
            ..start(2.0, None)
        };
        let found: Vec<f64> = late.windows().take(6).collect();
        assert_eq!(found, [2.0, 4.0, 8.0, 16.0, 25.0, 37.5]);
        let none = SlowStart { quick: 0.0, ..late };
        assert_eq!(none.windows().nth(3), Some(6.75));
        let each = start(1.0, None);
        let quick = SlowStart {
            quick: 16.0,
            ..each
        };
        assert_eq!(each.cost(), quick.cost());
    }

    /// 70 segments are flights of 10, 20 and 40, and 80 are one more, of 10; 175 are two of the 45 that a window of 64 KiB holds, and 15.
    #[test]
    fn a_window_is_sent_in_whole_flights() {
        let capped = SlowStart {
            full: 45.0,
            ..start(1.0, None)
        };
        let of = |segments| capped.flights_s(segments, (0.2, 0.21), 0.001);
        for (segments, seconds) in [(9.0, 0.009), (70.0, 0.44), (80.0, 0.61), (175.0, 1.035)] {
            assert!((of(segments) - seconds).abs() < 1e-9, "{segments}");
        }
        let at_once = SlowStart {
            initial: 60.0,
            ..capped
        };
        assert!((at_once.flights_s(90.0, (0.2, 0.2), 0.001) - 0.245).abs() < 1e-9);
    }

    /// 50 segments a round from 100 on: simulated, a path of 6502 segments is full after 10.2 s of 80 ms (RFC 3742).
    #[test]
    fn limited_slow_start_adds_half_its_limit_a_round() {
        let cost = start(1.0, Some(100.0)).cost();
        assert!((120..134).contains(&cost.rounds), "{cost:?}");
        assert_eq!(start(1.0, None).cost().rounds, 10);
        assert_eq!(start(1.0, Some(1e9)).cost(), start(1.0, None).cost());
    }
}
