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
    /// The instant the transmitter falls idle.
    free: Time,
    /// Times already computed, by the low bits of the payload length.
    cache: [(u32, Duration); CACHE],
}

const CACHE: usize = 8;

/// Bytes of the smallest IP datagram: what bounds the lookahead from below.
const SMALLEST_DATAGRAM: u32 = 20;

impl Transmitter {
    /// An idle transmitter.
    pub fn new(rate: Rate, framing: Framing) -> Transmitter {
        Transmitter {
            rate,
            framing,
            free: Time::ZERO,
            cache: [(u32::MAX, Duration::ZERO); CACHE],
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

    /// How long `frame` occupies the link.
    #[inline]
    pub fn time_for(&mut self, frame: &Frame) -> Duration {
        let payload = frame.link_payload();
        let slot = (payload ^ (payload >> 4)) as usize % CACHE;
        let (cached, time) = self.cache[slot];
        if cached == payload {
            return time;
        }
        let time = self
            .rate
            .time_for(Size::from_bytes(self.framing.wire_bytes(payload).into()));
        self.cache[slot] = (payload, time);
        time
    }

    /// Sends `frame`, offered at `now`, after everything sent before. Returns start and end.
    #[inline]
    pub fn send(&mut self, now: Time, frame: &Frame) -> (Time, Time) {
        let start = self.free.max(now);
        self.free = start + self.time_for(frame);
        (start, self.free)
    }

    /// No frame takes less than this.
    pub fn shortest(&self) -> Duration {
        let bytes = self.framing.wire_bytes(SMALLEST_DATAGRAM);
        self.rate.time_for(Size::from_bytes(bytes.into()))
    }
}
