//! First in, first out, with a limit in bytes or frames: the drop-tail queue.
//!
//! The service time of a FIFO is known on arrival, so the queue needs no event of its own: it holds
//! the instants at which waiting frames enter service, and forgets a frame when that instant has
//! come. Frames whose service starts at the very instant of an arrival no longer wait.
//!
//! Frames of one footprint that wait behind one another enter service at equal steps, so they are
//! kept as one run: a queue of ten thousand like frames is one entry.

use std::collections::VecDeque;

use farpath_units::{Duration, Time};

use crate::counters::Drop;

/// How much may wait; the frame in service does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Bytes as the framing's queue counts them: no preamble, FCS, gap.
    Bytes(u64),
    /// Frames.
    Packets(u64),
}

/// What a frame counts for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
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

/// Like frames that wait behind one another.
#[derive(Clone, Copy, Debug)]
struct Run {
    footprint: Footprint,
    /// The instant the first one's service starts.
    start: Time,
    /// From one start to the next.
    step: Duration,
    count: u32,
}

impl Run {
    /// The instant service starts of a frame that joins the run.
    #[inline]
    fn next(&self) -> Time {
        self.start + self.step.times(self.count.into())
    }
}

/// Bytes a waiting frame costs that is like no other around it.
pub const WAITING_BYTES: usize = size_of::<Run>();

/// The waiting frames of a transmitter whose service order is the order of arrival.
#[derive(Debug)]
pub struct Fifo {
    limit: Limit,
    runs: VecDeque<Run>,
    bytes: u64,
    frames: u64,
}

impl Fifo {
    /// An empty queue.
    pub fn new(limit: Limit) -> Fifo {
        Fifo {
            limit,
            runs: VecDeque::new(),
            bytes: 0,
            frames: 0,
        }
    }

    /// Replaces the limit; frames already waiting stay.
    pub fn set_limit(&mut self, limit: Limit) {
        self.limit = limit;
    }

    /// The next frames of one footprint whose service has started by `now`, and how many they are;
    /// they no longer wait.
    #[inline]
    pub fn started(&mut self, now: Time) -> Option<(Footprint, u64)> {
        let run = self.runs.front_mut()?;
        if run.start > now {
            return None;
        }
        let before = run.count;
        while run.count > 0 && run.start <= now {
            run.start += run.step;
            run.count -= 1;
        }
        let (footprint, count, empty) =
            (run.footprint, u64::from(before - run.count), run.count == 0);
        if empty {
            self.runs.pop_front();
        }
        self.forget(&footprint, count);
        Some((footprint, count))
    }

    /// The frame at the head, which enters service now whatever was expected.
    pub fn take(&mut self) -> Option<Footprint> {
        let run = self.runs.front_mut()?;
        let footprint = run.footprint;
        run.start += run.step;
        run.count -= 1;
        if run.count == 0 {
            self.runs.pop_front();
        }
        self.forget(&footprint, 1);
        Some(footprint)
    }

    #[inline]
    fn forget(&mut self, footprint: &Footprint, count: u64) {
        self.bytes -= u64::from(footprint.queue_bytes) * count;
        self.frames -= count;
    }

    /// Whether a frame of `bytes` that has to wait still fits.
    #[inline]
    pub fn admits(&self, bytes: u32) -> bool {
        match self.limit {
            Limit::Bytes(limit) => self.bytes + u64::from(bytes) <= limit,
            Limit::Packets(limit) => self.frames < limit,
        }
    }

    /// A frame waits until `start`, which comes after that of every frame before it, and is then in
    /// service for `time`.
    #[inline]
    pub fn wait(&mut self, start: Time, time: Duration, footprint: Footprint) {
        self.bytes += u64::from(footprint.queue_bytes);
        self.frames += 1;
        if let Some(run) = self.runs.back_mut()
            && run.next() == start
            && run.step == time
            && run.footprint == footprint
            && run.count < u32::MAX
        {
            run.count += 1;
            return;
        }
        self.runs.push_back(Run {
            footprint,
            start,
            step: time,
            count: 1,
        });
    }

    /// Bytes waiting.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Frames waiting.
    #[inline]
    pub fn frames(&self) -> u64 {
        self.frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footprint(queue_bytes: u32) -> Footprint {
        Footprint {
            queue_bytes,
            ..Footprint::default()
        }
    }

    #[test]
    fn like_frames_are_one_run_and_leave_one_by_one() {
        let mut fifo = Fifo::new(Limit::Packets(4));
        let time = Duration::from_ps(10);
        for n in 0..3 {
            fifo.wait(Time::from_ps(100 + 10 * n), time, footprint(1500));
        }
        fifo.wait(Time::from_ps(130), Duration::from_ps(2), footprint(64));
        assert_eq!((fifo.runs.len(), fifo.frames(), fifo.bytes()), (2, 4, 4564));
        assert!(!fifo.admits(1));
        assert_eq!(fifo.started(Time::from_ps(99)), None);
        assert_eq!(fifo.started(Time::from_ps(110)), Some((footprint(1500), 2)));
        assert_eq!(fifo.started(Time::from_ps(119)), None);
        assert_eq!(fifo.take(), Some(footprint(1500)));
        assert_eq!(fifo.started(Time::from_ps(130)), Some((footprint(64), 1)));
        assert_eq!((fifo.frames(), fifo.bytes(), fifo.take()), (0, 0, None));
    }

    #[test]
    fn a_gap_in_service_begins_a_new_run() {
        let mut fifo = Fifo::new(Limit::Bytes(10_000));
        let time = Duration::from_ps(10);
        fifo.wait(Time::from_ps(100), time, footprint(1));
        fifo.wait(Time::from_ps(111), time, footprint(1));
        assert_eq!(fifo.started(Time::from_ps(110)), Some((footprint(1), 1)));
        assert_eq!(fifo.frames(), 1);
    }
}
