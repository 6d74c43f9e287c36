//! First in, first out, with a limit in bytes or frames: the drop-tail queue.
//!
//! The service time of a FIFO is known on arrival, so the queue needs no event of its own: it holds
//! the instant at which each waiting frame enters service, and forgets a frame when that instant
//! has come. Frames whose service starts at the very instant of an arrival no longer wait.

use std::collections::VecDeque;

use farpath_units::Time;

use crate::counters::Drop;

/// How much may wait; the frame in service does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Bytes as the framing's queue counts them: no preamble, FCS, gap.
    Bytes(u64),
    /// Frames.
    Packets(u64),
}

/// A frame's footprint in the queue and in the counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket {
    /// The instant its service starts.
    pub start: Time,
    /// Bytes it occupies while waiting.
    pub queue_bytes: u32,
    /// Bytes it costs on the wire.
    pub wire_bytes: u32,
    /// TCP or UDP payload bytes in it.
    pub payload_bytes: u32,
    /// Its TOS byte.
    pub class: u8,
    /// What becomes of it after transmission, if it does not arrive.
    pub fate: Option<Drop>,
}

/// The waiting frames of a transmitter whose service order is the order of arrival.
#[derive(Debug)]
pub struct Fifo {
    limit: Limit,
    waiting: VecDeque<Ticket>,
    bytes: u64,
}

impl Fifo {
    /// An empty queue.
    pub fn new(limit: Limit) -> Fifo {
        Fifo {
            limit,
            waiting: VecDeque::new(),
            bytes: 0,
        }
    }

    /// Replaces the limit; frames already waiting stay.
    pub fn set_limit(&mut self, limit: Limit) {
        self.limit = limit;
    }

    /// The next frame whose service has started by `now`, no longer waiting.
    #[inline]
    pub fn started(&mut self, now: Time) -> Option<Ticket> {
        let front = *self.waiting.front()?;
        if front.start > now {
            return None;
        }
        self.bytes -= u64::from(front.queue_bytes);
        self.waiting.pop_front();
        Some(front)
    }

    /// Whether a frame of `bytes` that has to wait still fits.
    #[inline]
    pub fn admits(&self, bytes: u32) -> bool {
        match self.limit {
            Limit::Bytes(limit) => self.bytes + u64::from(bytes) <= limit,
            Limit::Packets(limit) => (self.waiting.len() as u64) < limit,
        }
    }

    /// A frame waits; its service starts after that of every frame before it.
    #[inline]
    pub fn wait(&mut self, ticket: Ticket) {
        self.bytes += u64::from(ticket.queue_bytes);
        self.waiting.push_back(ticket);
    }

    /// Bytes waiting.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Frames waiting.
    pub fn frames(&self) -> u64 {
        self.waiting.len() as u64
    }
}
