//! An application that writes to a disk what it receives, and reads from the socket no faster.

use farpath_units::{Duration, Time};

use crate::host::{Host, PIECE, Way};

/// How long after a window update that brought no data it is repeated: sooner than the sender's
/// window probes would ask.
const REPEAT: Duration = Duration::from_ms(200);

/// Between the socket and the disk.
#[derive(Debug)]
pub(crate) struct Intake {
    /// The socket's receive window in bytes.
    pub(crate) window: u64,
    /// Payload bytes of a full segment.
    segment: u64,
    /// Bytes read from the socket.
    pub(crate) taken: u64,
    /// Bytes on the disk.
    pub(crate) written: u64,
    /// When the last of them got there.
    pub(crate) last: Time,
    /// When the piece in hand is on the disk.
    done: Time,
    /// The highest byte the sender was offered, exclusive.
    edge: u64,
    /// Bytes that are to come.
    pub(crate) expected: u64,
    /// When a window update is sent once more.
    repeat: Time,
}

impl Intake {
    pub(crate) fn new(window: u64, segment: u64) -> Intake {
        Intake {
            window,
            segment: segment.min(window),
            taken: 0,
            written: 0,
            last: Time::ZERO,
            done: Time::MAX,
            edge: window,
            expected: 0,
            repeat: Time::MAX,
        }
    }

    /// What is offered beyond `delivered`, which is about to be acknowledged.
    pub(crate) fn offer(&mut self, delivered: u64) -> u64 {
        self.edge = self.taken + self.window;
        self.edge - delivered
    }

    pub(crate) fn deadline(&self) -> Time {
        self.done.min(self.repeat)
    }

    /// Data arrived: nobody waits for a window.
    pub(crate) fn arrived(&mut self) {
        self.repeat = Time::MAX;
    }

    /// Goes on at `now` with `delivered` bytes in order; returns whether a window update has to be sent.
    pub(crate) fn go_on(&mut self, now: Time, delivered: u64, host: &mut Host) -> bool {
        if self.done <= now {
            self.done = Time::MAX;
            self.written = self.taken;
            self.last = now;
        }
        if self.done == Time::MAX && self.taken < delivered {
            let piece = (delivered - self.taken).min(PIECE);
            self.taken += piece;
            self.done = host.moves(Way::Write, now, piece);
        }
        let repeated = self.repeat <= now;
        if !repeated && !self.must_update(delivered) {
            return false;
        }
        // Who has room for a segment is not waiting for one.
        let starved = delivered < self.expected;
        self.repeat = if starved { now + REPEAT } else { Time::MAX };
        starved || !repeated
    }

    /// As Linux does after a read: the window is twice what the sender knows of, or was too small
    /// for a segment.
    fn must_update(&self, delivered: u64) -> bool {
        let left = self.edge.saturating_sub(delivered);
        let gain = self.taken + self.window - self.edge;
        let opens = left < self.segment && left + gain >= self.segment;
        gain > 0 && (gain >= left || opens)
    }

    /// Whether everything that is to come is on the disk.
    pub(crate) fn complete(&self) -> bool {
        self.written >= self.expected
    }
}
