//! The processor of a host and the bus to its interfaces: two servers in a row, first come first
//! served, with a time for each frame that is known beforehand.

use std::collections::VecDeque;

use farpath_scenario::HostLimits;
use farpath_units::{Duration, Rate, Size, Time};
use farpath_wire::Frame;

/// A received frame that waits for the processor, or is in its hands.
#[derive(Debug)]
struct Waiting {
    /// When it has crossed the bus.
    ready: Time,
    input: u32,
    frame: Frame,
}

/// Processor, bus and receive ring of one host.
#[derive(Debug)]
pub(crate) struct Processor {
    /// Per frame and per byte, sending and receiving.
    send: [Duration; 2],
    receive: [Duration; 2],
    bus: Option<Rate>,
    /// When the processor falls idle.
    free: Time,
    /// When the bus does.
    bus_free: Time,
    /// Received frames; the first is in the processor's hands while `until` is set.
    ring: VecDeque<Waiting>,
    ring_frames: usize,
    until: Option<Time>,
    /// What was done last was receiving.
    served: bool,
    /// Time the processor and the bus were given to do so far.
    work: Duration,
    bus_work: Duration,
}

/// Frames that may cross the bus ahead of what the processor prepares next, so that both work at once.
const AHEAD: u64 = 2;
/// Bytes of such a frame.
const USUAL: u64 = 1500;

impl Processor {
    pub(crate) fn new(limits: &HostLimits) -> Processor {
        Processor {
            send: [limits.send_per_packet, limits.send_per_byte],
            receive: [limits.receive_per_packet, limits.receive_per_byte],
            bus: limits.memory_bus,
            free: Time::ZERO,
            bus_free: Time::ZERO,
            ring: VecDeque::new(),
            ring_frames: usize::try_from(limits.receive_ring).unwrap_or(usize::MAX),
            until: None,
            served: false,
            work: Duration::ZERO,
            bus_work: Duration::ZERO,
        }
    }

    fn work(&mut self, from: Time, time: Duration) -> Time {
        self.work += time;
        self.free = self.free.max(from) + time;
        self.free
    }

    fn cross_bus(&mut self, from: Time, bytes: u64) -> Time {
        let Some(rate) = self.bus else {
            return from;
        };
        let time = rate.time_for(Size::from_bytes(bytes));
        self.bus_work += time;
        self.bus_free = self.bus_free.max(from) + time;
        self.bus_free
    }

    /// A frame to send takes its time; returns when it is in front of the interface.
    pub(crate) fn send(&mut self, now: Time, len: u16) -> Time {
        let done = self.work(now, cost(self.send[0], self.send[1], len.into()));
        self.cross_bus(done, len.into())
    }

    /// A frame arrived; false if the ring is full. The frame being processed does not count.
    pub(crate) fn arrive(&mut self, input: u32, frame: &Frame) -> bool {
        let waiting = self.ring.len() - usize::from(self.until.is_some());
        if waiting >= self.ring_frames {
            return false;
        }
        let ready = self.cross_bus(frame.at, frame.len.into());
        self.ring.push_back(Waiting {
            ready,
            input,
            frame: *frame,
        });
        true
    }

    /// Takes the next received frame in hand, if one is ready at `now`.
    pub(crate) fn serve(&mut self, now: Time) -> bool {
        let Some(first) = self.ring.front().filter(|w| w.ready <= now) else {
            return false;
        };
        let time = cost(self.receive[0], self.receive[1], first.frame.len.into());
        self.until = Some(self.work(now, time));
        self.served = true;
        true
    }

    /// The frame in hand, if its processing has ended by `now`: it arrives only now.
    pub(crate) fn finish(&mut self, now: Time) -> Option<(u32, Frame)> {
        let until = self.until.filter(|until| *until <= now)?;
        self.until = None;
        let done = self.ring.pop_front()?;
        Some((done.input, done.frame.arriving(until)))
    }

    /// Whether nothing new can be taken in hand at `now`.
    pub(crate) fn is_occupied(&self, now: Time) -> bool {
        self.until.is_some() || self.free > now
    }

    /// Whether nothing more can be prepared for sending at `now`.
    pub(crate) fn is_busy(&self, now: Time) -> bool {
        self.until.is_some() || self.ready() > now
    }

    /// When the next frame can be prepared for sending.
    pub(crate) fn ready(&self) -> Time {
        let ahead = self.bus.map_or(Duration::ZERO, |rate| {
            rate.time_for(Size::from_bytes(AHEAD * USUAL))
        });
        let bus = Time::ZERO + self.bus_free.since(Time::ZERO + ahead);
        self.free.max(bus)
    }

    /// Whether the last thing done was receiving.
    pub(crate) fn served_last(&self) -> bool {
        self.served
    }

    /// A program has its turn.
    pub(crate) fn turned(&mut self) {
        self.served = false;
    }

    /// When a received frame is next taken in hand or done.
    pub(crate) fn deadline(&self) -> Time {
        match (self.until, self.ring.front()) {
            (Some(until), _) => until,
            (None, Some(first)) => first.ready.max(self.free),
            (None, None) => Time::MAX,
        }
    }

    /// How long processor or bus, whichever was longer, has been at work by `now`.
    pub(crate) fn busy(&self, now: Time) -> Duration {
        let worked = self.work.saturating_sub(self.free.since(now));
        let crossed = self.bus_work.saturating_sub(self.bus_free.since(now));
        worked.max(crossed)
    }
}

/// How long `bytes` occupy something that takes `per_byte` for each and `once` in any case.
fn cost(once: Duration, per_byte: Duration, bytes: u64) -> Duration {
    once + per_byte.times(bytes)
}
