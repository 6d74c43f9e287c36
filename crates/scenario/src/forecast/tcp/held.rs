//! What losses hold a connection at: its window, and how long its round trips last. They are longer than those of a segment by itself,
//! by what waits at both ends: bursts that the sender makes whole (TSO), and segments that the receiver gathers (GRO).

use farpath_predict::Cc;
use farpath_units::Duration;

use crate::forecast::flow::Flow;

/// Most bytes that a host gathers to one segment: what the length of an IPv4 datagram can say.
const GATHERED: f64 = 65_535.0;

/// A window and its round trip.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) segments: f64,
    pub(super) round_trip: Duration,
}

impl Flow {
    /// The mean window that losses leave by the law of `cc`. A law may ask for the round trip, and that for the window: once more is
    /// enough.
    pub(super) fn under_loss(&self, cc: Cc) -> Option<Held> {
        let idle = self.window_by_law(cc, self.rtt_s())?;
        let longer = self.base + self.lengthened(idle);
        let segments = self.window_by_law(cc, longer.as_secs_f64())?;
        Some(Held {
            segments,
            round_trip: self.base + self.lengthened(segments),
        })
    }

    /// By how much the round trips of a window of so many segments are longer than an idle one.
    pub(super) fn lengthened(&self, segments: f64) -> Duration {
        let sends = self.waits_under_s(Some(segments * self.mss()));
        Duration::from_secs_f64(sends + self.gathers_s(segments))
    }

    /// For how long the receiver holds the first segment back of those that it gathers. Once in a flight it waits for the time to be
    /// over, and otherwise until it has as much as it gathers.
    pub(super) fn gathers_s(&self, segments: f64) -> f64 {
        let (timer_s, segment_s) = (self.config.gro.as_secs_f64(), self.segment_s());
        if timer_s <= segment_s {
            return 0.0;
        }
        let most = (GATHERED / self.mss()).floor().max(1.0);
        let last = (most / segments).min(1.0);
        last * timer_s + (1.0 - last) * timer_s.min(most * segment_s)
    }
}
