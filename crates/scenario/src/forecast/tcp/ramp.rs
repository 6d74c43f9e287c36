//! How a transfer starts, and when what it carries has arrived.

use farpath_predict::slow_start::SlowStart;
use farpath_units::{Duration, Rate, Size};

use super::goes_on;
use crate::model::Test;

/// The start of a transfer: one RTT of handshake, slow start, half an RTT to the receiver.
pub(in crate::forecast) struct Ramp {
    pub(super) seconds: f64,
    pub(in crate::forecast) wasted_s: f64,
    pub(super) slow_start: SlowStart,
    pub(super) rtt: Duration,
    pub(super) mss: u32,
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

    /// Payload of one connection delivered until `at`, bits: round by round, each round's burst at `burst_bps`, and at `bps` once the
    /// window is full.
    pub(super) fn delivered(&self, at: Duration, bps: f64, burst_bps: f64) -> f64 {
        let (segment, rtt_s) = (f64::from(self.mss) * 8.0, self.rtt.as_secs_f64());
        let (burst_s, segment_s) = (segment / burst_bps.max(bps), segment / bps);
        let since_s = (at.saturating_sub(self.late)).as_secs_f64() - 1.5 * rtt_s;
        segment * self.slow_start.sent_in(since_s, rtt_s, burst_s, segment_s)
    }

    /// SYN to the last byte delivered.
    pub(in crate::forecast) fn transfer_s(&self, bytes: u64, bps: f64) -> f64 {
        let rate = Rate::from_bps(bps.round() as u64);
        let (size, mss) = (Size::from_bytes(bytes), Size::from_bytes(self.mss.into()));
        let sending = rate.map_or(f64::INFINITY, |r| {
            self.slow_start.transfer_s(size, mss, r, self.rtt)
        });
        1.5 * self.rtt.as_secs_f64() + self.late.as_secs_f64() + sending
    }
}
