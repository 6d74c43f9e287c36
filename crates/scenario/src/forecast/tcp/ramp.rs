//! How a transfer starts, and when what it carries has arrived.

use farpath_predict::idle::Flights;
use farpath_predict::slow_start::SlowStart;
use farpath_units::{Duration, Rate, Size};

use super::super_frames::EQUAL;
use crate::forecast::flow::goes_on;
use crate::model::Test;

/// The start of a transfer: one RTT of handshake, slow start, half an RTT to the receiver.
pub(in crate::forecast) struct Ramp {
    pub(super) seconds: f64,
    pub(in crate::forecast) wasted_s: f64,
    pub(super) slow_start: SlowStart,
    pub(super) rtt: Duration,
    pub(super) mss: u32,
    /// The handshake and the way of a first segment, without that segment's own time on the narrowest place.
    pub(super) opens: Duration,
    /// What the ends let one connection have in flight, in segments, what that sends in bit/s, and how long its flights are apart.
    pub(super) cap: f64,
    pub(super) window_bps: f64,
    pub(super) apart: Duration,
    /// One connection's share of the narrowest place, bit/s.
    pub(super) line_bps: f64,
    /// What the start waits for beside a handshake of one round trip.
    pub(super) late: Duration,
}

impl Ramp {
    pub(in crate::forecast) fn seconds(&self) -> f64 {
        self.seconds
    }

    /// The same, that begins so much later.
    pub(in crate::forecast) fn after(self, late: Duration) -> Ramp {
        let late_s = late.as_secs_f64();
        Ramp {
            seconds: self.seconds + late_s,
            wasted_s: self.wasted_s + late_s,
            late: self.late + late,
            ..self
        }
    }

    /// Whether it ends within a test of so many bytes a connection, where they are limited.
    pub(super) fn ends_in(&self, test: &Test, amount: Option<u64>) -> bool {
        let sent = self.slow_start.cost().sent * f64::from(self.mss);
        goes_on(test, amount, self.seconds, sent)
    }

    /// Payload of one connection delivered until `at`, bits: round by round, each round's burst at the line's rate, and at `bps` once the
    /// window is full.
    pub(super) fn delivered(&self, at: Duration, bps: f64) -> f64 {
        let (segment, rtt_s) = (f64::from(self.mss) * 8.0, self.rtt.as_secs_f64());
        let (burst_s, segment_s) = (segment / self.line_bps.max(bps), segment / bps);
        let since_s = at.as_secs_f64() - self.late.as_secs_f64() - self.opens.as_secs_f64();
        segment * self.slow_start.sent_in(since_s, rtt_s, burst_s, segment_s)
    }

    /// SYN to the last byte delivered. Where the window sets the rate, each round sends one, at the line's rate.
    pub(in crate::forecast) fn transfer_s(&self, bytes: u64, bps: f64) -> f64 {
        let begins_s = self.opens.as_secs_f64() + self.late.as_secs_f64();
        begins_s
            + match self.is_by_window(bps) {
                true => {
                    let segment = f64::from(self.mss) * 8.0;
                    let segments = bytes as f64 * 8.0 / segment;
                    let full = SlowStart {
                        full: self.cap,
                        ..self.slow_start
                    };
                    let (rtt_s, apart_s) = (self.rtt.as_secs_f64(), self.apart.as_secs_f64());
                    full.flights_s(segments, (rtt_s, apart_s), segment / self.line_bps)
                }
                false => self.at_rate_s(bytes, bps),
            }
    }

    /// Whether nothing but the window sets a rate of `bps`.
    fn is_by_window(&self, bps: f64) -> bool {
        bps >= self.window_bps * (1.0 - EQUAL) && self.window_bps < self.line_bps
    }

    /// How flights leave where nothing but the window sets a rate of `bps`, each at the line's rate.
    pub(in crate::forecast) fn flights(&self, bps: f64) -> Option<Flights> {
        self.is_by_window(bps).then(|| Flights {
            segment_s: f64::from(self.mss) * 8.0 / self.line_bps,
            apart_s: self.apart.as_secs_f64(),
        })
    }

    /// First segment to the last one, at `bps` when the window is full.
    fn at_rate_s(&self, bytes: u64, bps: f64) -> f64 {
        let rate = Rate::from_bps(bps.round() as u64);
        let (size, mss) = (Size::from_bytes(bytes), Size::from_bytes(self.mss.into()));
        rate.map_or(f64::INFINITY, |r| {
            self.slow_start.transfer_s(size, mss, r, self.rtt)
        })
    }

    /// Slow start, where a sender's window is not full yet, or no handshake is over, for most of the measured time; `ends_s` is when the
    /// test's bytes are delivered.
    pub(super) fn limits(&self, test: &Test, ends_s: f64) -> Option<&'static str> {
        let from_s = test.omit.as_secs_f64();
        let stops_s = test
            .duration
            .map_or(f64::INFINITY, |d| from_s + d.as_secs_f64());
        let until_s = ends_s.min(stops_s);
        let rounds = 1.0 + f64::from(self.slow_start.cost().rounds);
        let full_s = self.late.as_secs_f64() + rounds * self.rtt.as_secs_f64();
        let starts_s = full_s.min(until_s) - from_s;
        (starts_s > 0.5 * (until_s - from_s)).then_some("cwnd_slow_start")
    }
}
