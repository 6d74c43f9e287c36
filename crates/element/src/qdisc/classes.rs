//! Several queues in front of one transmitter: classes with limits of their own in shared memory.

use std::collections::VecDeque;

use farpath_units::{Duration, Time};
use farpath_wire::Frame;

use super::rounds::Turns;
use super::{Classifier, Footprint, Limit, Place, Rounds};
use crate::counters::Drop;

/// What one queue is made of.
#[derive(Clone, Debug)]
pub struct QueueConfig {
    /// Bytes a round gives it; `None`: it is served before every queue that has some, in order.
    pub quantum: Option<u32>,
    /// What may wait in it.
    pub limit: Limit,
}

/// What a port's queues are made of.
#[derive(Clone, Debug)]
pub struct ClassesConfig {
    /// Who waits where.
    pub classifier: Classifier,
    /// How the queues take turns.
    pub rounds: Rounds,
    /// At least one and at most [`super::MOST_QUEUES`].
    pub queues: Vec<QueueConfig>,
    /// Bytes that may wait in all queues together.
    pub memory: u64,
}

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
    /// Frames marked as having met congestion (RFC 3168 §5) instead of dropped.
    pub marked: u64,
    /// Most bytes ever waiting, as seen by arriving frames.
    pub most_bytes: u64,
    /// Longest wait of a frame that was sent.
    pub longest_wait: Duration,
    /// All their waits together, in picoseconds.
    pub waited_ps: u128,
}

/// A frame that waits; its `at` is when it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waiting {
    pub(super) frame: Frame,
    pub(super) queue_bytes: u32,
    pub(super) wire_bytes: u32,
}

#[derive(Debug)]
struct Queue {
    waiting: VecDeque<Waiting>,
    bytes: u64,
    byte_limit: u64,
    frame_limit: usize,
    counter: QueueCounter,
}

impl Queue {
    fn set_limit(&mut self, limit: Limit) {
        (self.byte_limit, self.frame_limit) = match limit {
            Limit::Bytes(bytes) => (bytes, usize::MAX),
            Limit::Packets(frames) => (u64::MAX, usize::try_from(frames).unwrap_or(usize::MAX)),
        };
    }
}

/// The queues of one port at work.
#[derive(Debug)]
pub struct Classes {
    classifier: Classifier,
    turns: Turns,
    queues: Vec<Queue>,
    memory: u64,
    bytes: u64,
    frames: u64,
    most_bytes: u64,
}

impl Classes {
    /// Empty queues.
    pub fn new(config: ClassesConfig) -> Classes {
        let quanta = config.queues.iter().map(|q| q.quantum);
        let turns = Turns::new(config.rounds, quanta);
        let queue = |config: QueueConfig| {
            let mut queue = Queue {
                waiting: VecDeque::new(),
                bytes: 0,
                byte_limit: 0,
                frame_limit: 0,
                counter: QueueCounter::default(),
            };
            queue.set_limit(config.limit);
            queue
        };
        Classes {
            classifier: config.classifier,
            turns,
            queues: config.queues.into_iter().map(queue).collect(),
            memory: config.memory,
            bytes: 0,
            frames: 0,
            most_bytes: 0,
        }
    }

    /// Where `frame` waits.
    pub fn place(&self, frame: &Frame) -> Place {
        self.classifier.place(frame)
    }

    /// `frame` comes at `frame.at`; `waits`: the transmitter is busy, so that it takes up room. A
    /// frame that does not is taken next.
    ///
    /// # Errors
    /// Why the frame is dropped.
    #[inline]
    pub fn offer(
        &mut self,
        frame: &Frame,
        cost: &Footprint,
        place: Place,
        waits: bool,
    ) -> Result<(), Drop> {
        let number = usize::from(place.queue);
        let queue = &mut self.queues[number];
        queue.counter.offered += 1;
        let length = u64::from(cost.queue_bytes);
        let (own, all) = (queue.bytes + length, self.bytes + length);
        if waits {
            let fits = own <= queue.byte_limit
                && all <= self.memory
                && queue.waiting.len() < queue.frame_limit;
            if !fits {
                queue.counter.tail += 1;
                return Err(Drop::Tail);
            }
            queue.counter.most_bytes = queue.counter.most_bytes.max(own);
            self.most_bytes = self.most_bytes.max(all);
        }
        queue.waiting.push_back(Waiting {
            frame: *frame,
            queue_bytes: cost.queue_bytes,
            wire_bytes: cost.wire_bytes,
        });
        (queue.bytes, self.bytes) = (own, all);
        self.frames += 1;
        self.turns.fill(number);
        Ok(())
    }

    /// The frame the transmitter takes at `now`.
    #[inline]
    pub fn take(&mut self, now: Time) -> Option<Frame> {
        let queues = &self.queues;
        let head = |n: usize| queues[n].waiting.front().map_or(0, |w| w.queue_bytes);
        let number = self.turns.next(head)?;
        let queue = &mut self.queues[number];
        let taken = queue.waiting.pop_front()?;
        self.turns
            .spend(number, taken.queue_bytes, queue.waiting.is_empty());
        let length = u64::from(taken.queue_bytes);
        queue.bytes -= length;
        self.bytes -= length;
        self.frames -= 1;
        let counter = &mut queue.counter;
        counter.frames += 1;
        counter.bytes += u64::from(taken.wire_bytes);
        let wait = now.since(taken.frame.at);
        counter.longest_wait = counter.longest_wait.max(wait);
        counter.waited_ps += u128::from(wait.as_ps());
        Some(taken.frame)
    }

    /// Replaces the limit of every queue; frames already waiting stay.
    pub fn set_limit(&mut self, limit: Limit) {
        for queue in &mut self.queues {
            queue.set_limit(limit);
        }
    }

    /// Bytes waiting.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Frames waiting.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Most bytes that ever waited, as seen by arriving frames.
    pub fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// The counters of every queue, and the frames that wait in it.
    pub fn counters(&self) -> impl Iterator<Item = (&QueueCounter, u64)> {
        self.queues
            .iter()
            .map(|q| (&q.counter, q.waiting.len() as u64))
    }
}
