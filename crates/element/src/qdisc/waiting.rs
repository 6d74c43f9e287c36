//! Frames that wait in a queue, and what is counted of them.

use farpath_units::{Duration, Time};
use farpath_wire::Frame;

use super::Footprint;
use crate::drops::Drop;

/// A frame dropped out of its turn, and why.
pub(crate) type Gone = (Frame, Drop);

/// Counters of one queue.
///
/// Conservation: `offered = frames + drops + waiting`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueueCounter {
    /// Frames offered.
    pub offered: u64,
    /// Frames taken by the transmitter.
    pub frames: u64,
    /// Their wire bytes, framing included.
    pub bytes: u64,
    /// Frames dropped because they did not fit.
    pub tail: u64,
    /// Frames dropped early, by active queue management.
    pub early: u64,
    /// Frames dropped because the link went down while they waited.
    pub down: u64,
    /// Frames taken into the queue and marked as having met congestion (RFC 3168 §5) instead of dropped.
    pub marked: u64,
    /// Most bytes ever waiting, as seen by arriving frames.
    pub most_bytes: u64,
    /// Longest wait of a frame that was sent.
    pub longest_wait: Duration,
    /// All their waits together, in picoseconds.
    pub waited_ps: u128,
}

impl QueueCounter {
    /// The transmitter takes a frame at `now`.
    #[inline]
    pub(super) fn sent(&mut self, taken: &Waiting, now: Time) {
        self.frames += 1;
        self.bytes += u64::from(taken.wire_bytes);
        let wait = now.since(taken.frame.at);
        self.longest_wait = self.longest_wait.max(wait);
        self.waited_ps += u128::from(wait.as_ps());
    }
}

/// The ECN field of the TOS byte (RFC 3168 §5): congestion experienced.
const CE: u8 = 3;

/// Marks a datagram of an ECN-capable transport; whether it is one (RFC 3168 §5).
#[inline]
pub(super) fn marked(frame: &mut Frame) -> bool {
    let capable = !frame.label.is_some() && frame.class & CE != 0;
    if capable {
        frame.class |= CE;
    }
    capable
}

/// A frame that waits; its `at` is when it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) frame: Frame,
    pub(super) queue_bytes: u32,
    pub(super) wire_bytes: u32,
}

impl Waiting {
    #[inline]
    pub(super) fn new(frame: &Frame, cost: &Footprint) -> Waiting {
        Waiting {
            frame: *frame,
            queue_bytes: cost.queue_bytes,
            wire_bytes: cost.wire_bytes,
        }
    }
}
