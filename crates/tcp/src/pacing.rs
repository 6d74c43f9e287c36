//! Pacing: a sender that releases bursts at a rate instead of all that the window allows.
//!
//! The sender grants itself a burst, about a millisecond of its rate, and may not begin another
//! before the burst has had its time on a wire of that rate. New data and retransmissions draw on
//! the same burst.

use farpath_units::{Duration, Rate, Size, Time};

use crate::config::Pacing;
use crate::flavour::Flavour;

/// The rate over cwnd per round trip below half of ssthresh, and from there on (Linux's
/// `tcp_pacing_ss_ratio` and `tcp_pacing_ca_ratio`).
const SLOW_START_GAIN: f64 = 2.0;
const AVOIDANCE_GAIN: f64 = 1.2;
/// A burst is what the rate gives in 1/1024 of a second (Linux's `sk_pacing_shift`, 10).
const BURSTS_A_SECOND: f64 = 1024.0;
/// At least so many segments.
const LEAST_SEGMENTS: u64 = 2;
/// What a super-frame keeps for headers, in bytes.
pub(crate) const HEADERS: u64 = 321;
/// A short path's bursts are longer by the largest one, halved for each of these of its least round trip (`tcp_tso_rtt_log`).
const HALVED_EACH: Duration = Duration::from_us(512);
/// The first segments of a connection are not paced.
const UNPACED_SEGMENTS: u64 = 10;

/// What follows from the window: bytes a second, infinite before the first round trip is known.
pub(crate) fn window_rate(cwnd: f64, ssthresh: f64, srtt_s: f64) -> f64 {
    let gain = if cwnd < ssthresh / 2.0 {
        SLOW_START_GAIN
    } else {
        AVOIDANCE_GAIN
    };
    gain * cwnd / srtt_s
}

/// Bytes that bursts are longer by on a path whose least round trip is `least_rtt`, where the longest has `largest`: Linux's
/// `tcp_tso_autosize` from 5.18 on. None before the first round trip is known.
pub(crate) fn longer_by(largest: u64, least_rtt: Option<Duration>) -> u64 {
    let halvings = least_rtt.map(|rtt| rtt.as_ps() / HALVED_EACH.as_ps());
    halvings
        .and_then(|n| u32::try_from(n).ok())
        .and_then(|n| largest.checked_shr(n))
        .unwrap_or(0)
}

/// Bytes of a burst at a `rate` in bytes a second, with `more` on a short path ([`longer_by`]): whole segments, two at least, and else no more
/// than `largest`.
pub(crate) fn burst(rate: f64, more: u64, largest: u64, segment: u64) -> u64 {
    let bytes = ((rate / BURSTS_A_SECOND) as u64).saturating_add(more);
    (bytes.min(largest) / segment).max(LEAST_SEGMENTS) * segment
}

/// The pacing of one sender.
#[derive(Clone, Debug)]
pub(crate) struct Pacer {
    segment: u64,
    /// Largest burst in bytes.
    largest: u64,
    /// Bytes of the largest super-frame that its host makes; 0: it makes none, and bursts follow from the rate alone.
    super_frame: u64,
    /// The least round trip, once it is known: on a short path bursts are longer.
    least_rtt: Option<Duration>,
    /// No burst begins earlier.
    release: Time,
    /// What is left of the burst under way, in bytes, as of `spent_to`.
    left: u64,
    /// New data below this offset has been drawn from the burst.
    spent_to: u64,
    /// Bytes a second, when the algorithm sets it.
    ordered: Option<f64>,
    /// Bytes a second that the application asks not to be exceeded.
    most: f64,
    flavour: Flavour,
}

impl Pacer {
    pub(crate) fn new(pacing: Pacing, segment: u64, flavour: Flavour) -> Pacer {
        Pacer {
            segment,
            largest: pacing.burst.max(LEAST_SEGMENTS * segment),
            super_frame: 0,
            least_rtt: None,
            release: Time::ZERO,
            left: UNPACED_SEGMENTS * segment,
            spent_to: 0,
            ordered: None,
            most: pacing
                .most
                .map_or(f64::INFINITY, |most| most.as_bps() as f64 / 8.0),
            flavour,
        }
    }

    /// The host hands bursts to its card as super-frames of `bytes` at most: on a short path they are longer.
    pub(crate) fn makes_super_frames(&mut self, bytes: u64) {
        self.super_frame = bytes.min(self.largest).saturating_sub(HEADERS);
    }

    /// The least round trip is `least_rtt` now.
    pub(crate) fn note_round_trip(&mut self, least_rtt: Option<Duration>) {
        self.least_rtt = least_rtt;
    }

    /// Segments have another size.
    pub(crate) fn resize(&mut self, segment: u64) {
        self.segment = segment;
        self.largest = self.largest.max(LEAST_SEGMENTS * segment);
    }

    /// The algorithm sets the rate, in bytes a second.
    pub(crate) fn order(&mut self, rate: f64) {
        self.ordered = Some(rate);
    }

    /// The rate set, or what follows from the window, and no more than the application asks for: bytes a second. Infinite
    /// before the first round trip is known, where it asks for nothing.
    pub(crate) fn rate(&self, cwnd: f64, ssthresh: f64, srtt_s: f64) -> f64 {
        let own = self
            .ordered
            .unwrap_or_else(|| window_rate(cwnd, ssthresh, srtt_s));
        own.min(self.most)
    }

    /// Whether `rate` is as fast as the application lets it be.
    pub(crate) fn is_most(&self, rate: f64) -> bool {
        rate >= self.most
    }

    /// The first byte of new data that must wait, with `nxt` sent so far.
    pub(crate) fn edge(&mut self, nxt: u64) -> u64 {
        self.settle(nxt);
        nxt.saturating_add(self.left)
    }

    /// Draws what was sent of new data from the burst.
    fn settle(&mut self, nxt: u64) {
        self.left = self.left.saturating_sub(nxt - self.spent_to);
        self.spent_to = nxt;
    }

    /// A retransmission draws on it too.
    pub(crate) fn draw(&mut self, bytes: u64) {
        self.left = self.left.saturating_sub(bytes);
    }

    /// Whether `len` bytes may leave at `now` at a rate of `rate` bytes a second; begins the next
    /// burst when it is due. If not, `Err` says when.
    pub(crate) fn allow(&mut self, now: Time, nxt: u64, len: u64, rate: f64) -> Result<(), Time> {
        self.settle(nxt);
        if self.left >= len {
            return Ok(());
        }
        if now < self.release {
            return Err(self.release);
        }
        let more = longer_by(self.super_frame, self.least_rtt);
        self.left = burst(rate, more, self.largest, self.segment);
        // A rate of 1 bit/s at least, and no faster than the integers go.
        let bits = (rate * 8.0).clamp(1.0, u64::MAX as f64) as u64;
        if let Some(rate) = Rate::from_bps(bits) {
            let span = rate.time_for(Size::from_bytes(self.left));
            // What makes up for late timers in a kernel shortens the wait after any burst that began
            // later than it could.
            let late = now
                .since(self.release)
                .min(Duration::from_ps(span.as_ps() / 2));
            let begun = match self.flavour {
                Flavour::Rfc => now,
                Flavour::Linux => Time::from_ps(now.as_ps() - late.as_ps()),
            };
            self.release = begun + span;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GSO: Pacing = Pacing {
        burst: 65_536,
        most: None,
    };

    fn bursts(rate: f64) -> (u64, Duration) {
        let mut pacer = Pacer::new(GSO, 1000, Flavour::Rfc);
        pacer.left = 0;
        let now = Time::ZERO + Duration::from_secs(1);
        assert_eq!(pacer.allow(now, 0, 1000, rate), Ok(()));
        (pacer.left, pacer.release.since(now))
    }

    /// 1/1024 s of the rate, two segments at least, 64 KiB at most, whole segments.
    #[test]
    fn a_burst_is_a_millisecond_of_the_rate() {
        for (rate, bytes) in [
            (1e5, 2000),
            (10.24e6, 10_000),
            (10.5e6, 10_000),
            (1e9, 65_000),
        ] {
            let (burst, span) = bursts(rate);
            assert_eq!(burst, bytes, "{rate}");
            assert!((span.as_secs_f64() - bytes as f64 / rate).abs() < 1e-11);
        }
    }

    /// Linux 6.18.44 at 100 Mbit/s, `SO_MAX_PACING_RATE`, segments of 1448 bytes: 1138 of 1139 super-frames had 19 segments at a round
    /// trip of 1.04 ms, 2858 of 2859 had 8 at 40 ms. A host without super-frames, or an older one, has 8 at both.
    #[test]
    fn a_short_paths_bursts_are_longer() {
        let segments = |super_frame, rtt_us| {
            let mut pacer = Pacer::new(GSO, 1448, Flavour::Linux);
            pacer.left = 0;
            pacer.makes_super_frames(super_frame);
            pacer.note_round_trip(Some(Duration::from_us(rtt_us)));
            let now = Time::ZERO + Duration::from_secs(1);
            assert_eq!(pacer.allow(now, 0, 1448, 12.5e6), Ok(()));
            pacer.left / 1448
        };
        let found = [1040, 40_000, 100].map(|rtt_us| segments(65_536, rtt_us));
        assert_eq!(found, [19, 8, 45]);
        assert_eq!([1040, 40_000].map(|rtt_us| segments(0, rtt_us)), [8, 8]);
        assert_eq!(longer_by(65_536, None), 0);
    }

    #[test]
    fn the_next_burst_waits_its_time() {
        let mut pacer = Pacer::new(GSO, 1000, Flavour::Rfc);
        // The first ten segments go at once.
        assert_eq!(pacer.edge(0), 10_000);
        assert_eq!(pacer.edge(4000), 10_000);
        assert_eq!(pacer.allow(Time::ZERO, 9000, 1000, 2e6), Ok(()));
        assert_eq!(pacer.allow(Time::ZERO, 10_000, 1000, 2e6), Ok(()));
        assert_eq!(pacer.edge(10_000), 12_000);
        let due = Time::ZERO + Duration::from_ms(1);
        assert_eq!(pacer.allow(Time::ZERO, 12_000, 1000, 2e6), Err(due));
        assert_eq!(pacer.allow(due, 12_000, 1000, 2e6), Ok(()));
        // A retransmission takes its part.
        pacer.draw(1000);
        assert_eq!(pacer.edge(12_000), 13_000);
    }

    /// Linux: credit for half of a burst's time, for one that began later than it could.
    #[test]
    fn the_kernel_waits_half_as_long_after_a_pause() {
        let at = |us| Time::ZERO + Duration::from_us(us);
        let mut pacer = Pacer::new(GSO, 1000, Flavour::Linux);
        assert_eq!(pacer.allow(at(10_000), 10_000, 1000, 2e6), Ok(()));
        assert_eq!(pacer.allow(at(10_000), 12_000, 1000, 2e6), Err(at(10_500)));
        assert_eq!(pacer.allow(at(10_500), 12_000, 1000, 2e6), Ok(()));
        assert_eq!(pacer.allow(at(10_500), 14_000, 1000, 2e6), Err(at(11_500)));
        assert_eq!(pacer.allow(at(11_600), 14_000, 1000, 2e6), Ok(()));
        assert_eq!(pacer.allow(at(11_600), 16_000, 1000, 2e6), Err(at(12_500)));
    }

    /// Linux's ratios: twice cwnd a round trip below half of ssthresh, 1.2 times above.
    #[test]
    fn the_rate_follows_the_window() {
        let mut pacer = Pacer::new(GSO, 1000, Flavour::Rfc);
        assert_eq!(pacer.rate(1e5, f64::INFINITY, 0.1), 2e6);
        assert_eq!(pacer.rate(1e5, 1.5e5, 0.1), 1.2e6);
        pacer.order(5e6);
        assert_eq!(pacer.rate(1e5, 1.5e5, 0.1), 5e6);
    }

    /// SO_MAX_PACING_RATE bounds either, from the first segment on.
    #[test]
    fn the_application_bounds_the_rate() {
        let most = Rate::from_bps(8_000_000);
        let mut pacer = Pacer::new(Pacing { most, ..GSO }, 1000, Flavour::Linux);
        assert_eq!(pacer.rate(1e5, f64::INFINITY, 0.0), 1e6);
        assert_eq!(pacer.rate(4e4, f64::INFINITY, 0.1), 8e5);
        assert!(!pacer.is_most(8e5));
        assert_eq!(pacer.rate(1e5, f64::INFINITY, 0.1), 1e6);
        assert!(pacer.is_most(1e6));
        pacer.order(5e6);
        assert_eq!(pacer.rate(1e5, f64::INFINITY, 0.1), 1e6);
    }
}
