//! Several queues in front of one transmitter: classes with limits of their own in shared memory.

use std::collections::VecDeque;

use farpath_units::Time;
use farpath_wire::Frame;

use super::aqm::{Aqm, Found, Served, Verdict};
use super::rounds::Turns;
use super::waiting::{Gone, QueueCounter, Waiting, marked};
use super::{AqmConfig, Classifier, Curve, Footprint, Limit, Place, QueueSite, Rounds};
use crate::drops::Drop;

/// What one queue is made of.
#[derive(Clone, Debug)]
pub struct QueueConfig {
    /// Bytes a round gives it; `None`: it is served before every queue that has some, in order.
    pub quantum: Option<u32>,
    /// What may wait in it.
    pub limit: Limit,
    /// Rules for some of its frames, by [`Place::level`]; a frame beyond them has none.
    pub levels: Vec<Level>,
    /// Active queue management, and where it is done.
    pub aqm: Option<(AqmConfig, QueueSite)>,
}

impl QueueConfig {
    /// A queue that drops what does not fit.
    pub fn tail(quantum: Option<u32>, limit: Limit) -> QueueConfig {
        QueueConfig {
            quantum,
            limit,
            levels: Vec::new(),
            aqm: None,
        }
    }
}

/// What becomes of some of a queue's frames before it is full.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Level {
    /// Bytes waiting beyond which they are dropped.
    pub threshold: Option<u64>,
    /// Their curve of early drops.
    pub curve: Option<Curve>,
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

#[derive(Debug)]
struct Queue {
    waiting: VecDeque<Waiting>,
    bytes: u64,
    byte_limit: u64,
    frame_limit: usize,
    levels: Vec<Level>,
    aqm: Option<Box<dyn Aqm>>,
    counter: QueueCounter,
}

impl Queue {
    /// Whether it drops what does not fit and does nothing else.
    fn is_plain(&self) -> bool {
        self.levels.is_empty() && self.aqm.is_none()
    }

    /// Whether a frame of a level is dropped, or marked, before the queue is full.
    #[inline(never)]
    fn early(&mut self, frame: &mut Frame, level: u8, own: u64, fits: bool) -> Option<Drop> {
        let rule = self.levels.get(usize::from(level));
        let threshold = rule.and_then(|rule| rule.threshold);
        if threshold.is_some_and(|most| own > most) {
            self.counter.tail += 1;
            return Some(Drop::Tail);
        }
        let found = Found {
            bytes: self.bytes,
            fits,
            curve: rule.and_then(|rule| rule.curve.as_ref()),
        };
        let drop = match self.aqm.as_mut()?.arrive(frame, &found) {
            Verdict::Pass => false,
            Verdict::Mark => !marked(frame),
            Verdict::Drop => true,
        };
        if drop {
            self.counter.early += 1;
            return Some(Drop::Red);
        }
        None
    }

    fn set_limit(&mut self, limit: Limit) {
        (self.byte_limit, self.frame_limit) = match limit {
            Limit::Bytes(bytes) => (bytes, usize::MAX),
            Limit::Packets(frames) => (u64::MAX, usize::try_from(frames).unwrap_or(usize::MAX)),
        };
    }
}

/// The queues of one port at work.
#[derive(Debug)]
pub(super) struct Classes {
    classifier: Classifier,
    turns: Turns,
    queues: Vec<Queue>,
    memory: u64,
    bytes: u64,
    frames: u64,
}

impl Classes {
    /// Empty queues.
    pub(super) fn new(config: ClassesConfig) -> Classes {
        let quanta = config.queues.iter().map(|q| q.quantum);
        let turns = Turns::new(config.rounds, quanta);
        let queue = |config: QueueConfig| {
            let mut queue = Queue {
                waiting: VecDeque::new(),
                bytes: 0,
                byte_limit: 0,
                frame_limit: 0,
                levels: config.levels,
                aqm: config.aqm.map(|(aqm, site)| aqm.build(&site)),
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
        }
    }

    /// Where `frame` waits.
    pub(super) fn place(&self, frame: &Frame) -> Place {
        self.classifier.place(frame)
    }

    /// `frame` comes at `frame.at`; `waits`: the transmitter is busy, so that it takes up room. A
    /// frame that does not is taken next.
    ///
    /// # Errors
    /// Why the frame is dropped.
    #[inline]
    pub(super) fn offer(
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
        let room = own <= queue.byte_limit
            && all <= self.memory
            && queue.waiting.len() < queue.frame_limit;
        let fits = room || !waits;
        let mut waiting = Waiting::new(frame, cost);
        if !queue.is_plain()
            && let Some(reason) = queue.early(&mut waiting.frame, place.level, own, fits)
        {
            return Err(reason);
        }
        if !fits {
            queue.counter.tail += 1;
            return Err(Drop::Tail);
        }
        // A mark that a full queue drops with its frame is seen by nobody.
        queue.counter.marked += u64::from(waiting.frame.class != frame.class);
        if waits {
            queue.counter.most_bytes = queue.counter.most_bytes.max(own);
        }
        queue.waiting.push_back(waiting);
        (queue.bytes, self.bytes) = (own, all);
        self.frames += 1;
        self.turns.fill(number);
        Ok(())
    }

    /// Whether all queues drop what does not fit and do nothing else.
    pub(super) fn is_plain(&self) -> bool {
        self.queues.iter().all(Queue::is_plain)
    }

    /// Like frames come while the transmitter is busy, and nothing leaves meanwhile; returns how many of
    /// them, from the first on, are not refused. For plain classes.
    #[inline]
    pub(super) fn offer_run(&mut self, run: &[Frame], cost: &Footprint, place: Place) -> usize {
        let number = usize::from(place.queue);
        let queue = &mut self.queues[number];
        let length = u64::from(cost.queue_bytes);
        let mut admitted = 0;
        for frame in run {
            let (own, all) = (queue.bytes + length, self.bytes + length);
            let fits = own <= queue.byte_limit
                && all <= self.memory
                && queue.waiting.len() < queue.frame_limit;
            if !fits {
                break;
            }
            queue.waiting.push_back(Waiting::new(frame, cost));
            (queue.bytes, self.bytes) = (own, all);
            admitted += 1;
        }
        queue.counter.offered += run.len() as u64;
        queue.counter.tail += (run.len() - admitted) as u64;
        if admitted > 0 {
            queue.counter.most_bytes = queue.counter.most_bytes.max(queue.bytes);
            self.frames += admitted as u64;
            self.turns.fill(number);
        }
        admitted
    }

    /// A frame comes that finds the transmitter idle and nothing waiting, and is taken at once.
    #[inline]
    pub(super) fn pass_by(&mut self, cost: &Footprint, place: Place) {
        let number = usize::from(place.queue);
        self.turns.fill(number);
        self.turns.next(|_| cost.queue_bytes);
        self.turns.spend(number, cost.queue_bytes, true);
        let counter = &mut self.queues[number].counter;
        counter.offered += 1;
        counter.frames += 1;
        counter.bytes += u64::from(cost.wire_bytes);
    }

    /// The frame that is to be taken, and its queue; to ask again changes nothing.
    #[inline]
    pub(super) fn next(&mut self) -> Option<(usize, &Frame)> {
        let queues = &self.queues;
        let head = |n: usize| queues[n].waiting.front().map_or(0, |w| w.queue_bytes);
        let number = self.turns.next(head)?;
        Some((number, &queues[number].waiting.front()?.frame))
    }

    /// The transmitter takes the head of queue `number` at `now`.
    #[inline]
    pub(super) fn remove(&mut self, number: usize, now: Time) {
        let queue = &mut self.queues[number];
        let Some(taken) = queue.waiting.front() else {
            return;
        };
        let bytes = taken.queue_bytes;
        queue.counter.sent(taken, now);
        queue.bytes -= u64::from(bytes);
        self.bytes -= u64::from(bytes);
        self.frames -= 1;
        queue.waiting.pop_front();
        let empty = queue.waiting.is_empty();
        self.turns.spend(number, bytes, empty);
    }

    /// The frame the transmitter takes at `now`; what active queue management drops instead goes into `gone`.
    #[inline]
    pub(super) fn take(&mut self, now: Time, gone: &mut Vec<Gone>) -> Option<Frame> {
        loop {
            let (number, frame) = self.next()?;
            let frame = *frame;
            if self.queues[number].aqm.is_some() {
                let taken = self.take_managed(number, now, gone);
                if taken.is_some() {
                    return taken;
                }
                continue;
            }
            self.remove(number, now);
            return Some(frame);
        }
    }

    /// What the management of queue `number` lets through, if anything.
    #[inline(never)]
    fn take_managed(&mut self, number: usize, now: Time, gone: &mut Vec<Gone>) -> Option<Frame> {
        let queue = &mut self.queues[number];
        let aqm = queue.aqm.as_mut()?;
        let mut head = Served {
            waiting: &mut queue.waiting,
            bytes: &mut queue.bytes,
            counter: &mut queue.counter,
            left: (&mut self.bytes, &mut self.frames),
            gone,
        };
        let taken = aqm.take(now, &mut head);
        let empty = queue.waiting.is_empty();
        if empty {
            aqm.emptied(now);
        }
        let bytes = taken.as_ref().map_or(0, |t| t.queue_bytes);
        self.turns.spend(number, bytes, empty);
        let taken = taken?;
        queue.counter.sent(&taken, now);
        Some(taken.frame)
    }

    /// All that waits is dropped into `gone` at `now`.
    pub(super) fn empty(&mut self, now: Time, gone: &mut Vec<Gone>) {
        for (number, queue) in self.queues.iter_mut().enumerate() {
            if queue.waiting.is_empty() {
                continue;
            }
            queue.counter.down += queue.waiting.len() as u64;
            gone.extend(queue.waiting.drain(..).map(|w| (w.frame, Drop::Down)));
            queue.bytes = 0;
            if let Some(aqm) = &mut queue.aqm {
                aqm.emptied(now);
            }
            self.turns.spend(number, 0, true);
        }
        (self.bytes, self.frames) = (0, 0);
    }

    /// Replaces the limit of every queue; frames already waiting stay.
    pub(super) fn set_limit(&mut self, limit: Limit) {
        for queue in &mut self.queues {
            queue.set_limit(limit);
        }
    }

    /// Bytes waiting.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Frames waiting.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// The counters of every queue, and the frames that wait in it.
    pub(super) fn counters(&self) -> impl Iterator<Item = (&QueueCounter, u64)> {
        self.queues
            .iter()
            .map(|q| (&q.counter, q.waiting.len() as u64))
    }
}
