//! The transmitter: one frame at a time, each for the time its length takes at the link's rate.

use farpath_predict::Framing;
use farpath_units::{Duration, Rate, Size, Time};
use farpath_wire::Frame;

/// Serialises frames onto one direction of a link.
///
/// The time for a frame of `L` wire bytes is the one integer round(8·L·10¹² / rate): exact on every
/// Ethernet rate, within 10⁻⁵ of a frame on SDH.
#[derive(Debug)]
pub struct Transmitter {
    rate: Rate,
    framing: Framing,
    /// The end of a frame's time on the link in which nothing of it is sent any more.
    gap: Duration,
    /// The instant the transmitter falls idle.
    free: Time,
    /// Costs already worked out, by the low bits of the payload length.
    cache: [(u32, Cost); CACHE],
}

/// What one frame costs on a link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// How long it occupies the link.
    pub time: Duration,
    /// Bytes of link time, everything included.
    pub wire_bytes: u32,
    /// Bytes it occupies while waiting.
    pub queue_bytes: u32,
}

const CACHE: usize = 8;

/// Bytes of the smallest IP datagram: what bounds the lookahead from below.
pub(crate) const SMALLEST_DATAGRAM: u32 = 20;

impl Transmitter {
    /// An idle transmitter.
    pub fn new(rate: Rate, framing: Framing) -> Transmitter {
        Transmitter {
            rate,
            framing,
            gap: framing.gap(rate),
            free: Time::ZERO,
            cache: [(u32::MAX, Cost::default()); CACHE],
        }
    }

    /// The rate left for framed packets.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// The framing.
    pub fn framing(&self) -> Framing {
        self.framing
    }

    /// Changes the rate; the frame in service keeps its end.
    pub fn set_rate(&mut self, rate: Rate) {
        *self = Transmitter {
            free: self.free,
            ..Transmitter::new(rate, self.framing)
        };
    }

    /// The instant the transmitter falls idle.
    #[inline]
    pub fn free(&self) -> Time {
        self.free
    }

    /// The transmitter has been given frames until `free`.
    #[inline]
    pub(crate) fn set_free(&mut self, free: Time) {
        self.free = free;
    }

    /// What a frame with this payload of the framing costs on the link.
    #[inline]
    pub fn cost_of(&mut self, payload: u32) -> Cost {
        let slot = (payload ^ (payload >> 4)) as usize % CACHE;
        let (cached, cost) = self.cache[slot];
        if cached == payload {
            return cost;
        }
        self.work_out(payload, slot)
    }

    #[cold]
    fn work_out(&mut self, payload: u32, slot: usize) -> Cost {
        let wire_bytes = self.framing.wire_bytes(payload);
        let cost = Cost {
            time: self.rate.time_for(Size::from_bytes(wire_bytes.into())),
            wire_bytes,
            queue_bytes: self.framing.queue_bytes(payload),
        };
        self.cache[slot] = (payload, cost);
        cost
    }

    /// How long `frame` occupies the link.
    #[inline]
    pub fn time_for(&mut self, frame: &Frame) -> Duration {
        self.cost_of(frame.link_payload()).time
    }

    /// Sends `frame`, offered at `now`, after everything sent before. Returns start and end.
    #[inline]
    pub fn send(&mut self, now: Time, frame: &Frame) -> (Time, Time) {
        let time = self.time_for(frame);
        self.occupy(now, time)
    }

    /// Is busy for `time`, from `now` or after everything before. Returns start and end.
    #[inline]
    pub(crate) fn occupy(&mut self, now: Time, time: Duration) -> (Time, Time) {
        let start = self.free.max(now);
        self.free = start + time;
        (start, self.free)
    }

    /// How long a frame is through before its time on the link ends, in which the next one may not begin.
    #[inline]
    pub(crate) fn gap(&self) -> Duration {
        self.gap
    }

    /// No frame takes less than this until it is through.
    pub fn shortest(&self) -> Duration {
        let bytes = self.framing.wire_bytes(SMALLEST_DATAGRAM);
        let whole = self.rate.time_for(Size::from_bytes(bytes.into()));
        whole.saturating_sub(self.gap)
    }
}
