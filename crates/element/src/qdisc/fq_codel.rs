//! Flow queueing with controlled delay (RFC 8290): a queue for each hashed flow, new ones first.

use std::collections::VecDeque;

use farpath_units::{Key, Time};
use farpath_wire::{FlowDir, Frame};

use super::aqm::{Codel, Served};
use super::waiting::{Gone, QueueCounter, Waiting};
use super::{CodelConfig, Footprint};
use crate::drops::Drop;

/// What the queues are made of.
#[derive(Clone, Debug)]
pub struct FqCodelConfig {
    /// How many queues flows are hashed to.
    pub queues: u16,
    /// Bytes a queue may send before the next one's turn.
    pub quantum: u32,
    /// Frames that may wait in all queues.
    pub packets: u64,
    /// Bytes that may wait in all queues.
    pub memory: u64,
    /// The controller of each queue.
    pub codel: CodelConfig,
    /// Bytes of a full frame: a queue of no more is left alone.
    pub frame: u32,
    /// What the hash is keyed with.
    pub key: Key,
}

/// Which list a queue is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    None,
    New,
    Old,
}

#[derive(Debug)]
struct Queue {
    number: u16,
    waiting: VecDeque<Waiting>,
    bytes: u64,
    credit: i64,
    list: List,
    codel: Codel,
}

/// The queues of one port at work.
#[derive(Debug)]
pub(super) struct FqCodel {
    config: FqCodelConfig,
    /// Queues that were ever used, in the order of their first use.
    queues: Vec<Queue>,
    /// By `FlowDir::index`: the place of its queue among `queues`.
    by_flow: Vec<Option<u16>>,
    new: VecDeque<u16>,
    old: VecDeque<u16>,
    bytes: u64,
    frames: u64,
    counter: QueueCounter,
}

impl FqCodel {
    /// Empty queues.
    pub(super) fn new(config: FqCodelConfig) -> FqCodel {
        FqCodel {
            config,
            queues: Vec::new(),
            by_flow: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            bytes: 0,
            frames: 0,
            counter: QueueCounter::default(),
        }
    }

    /// The queue of a flow: a keyed hash, so that two flows may share one (RFC 8290 §4.1.2).
    fn queue_of(&mut self, dir: FlowDir) -> u16 {
        let index = dir.index();
        if self.by_flow.len() <= index {
            self.by_flow.resize(index + 1, None);
        }
        if let Some(place) = self.by_flow[index] {
            return place;
        }
        let bits = self.config.key.with_number(index as u64).stream().bits(0);
        let number = (bits % u64::from(self.config.queues.max(1))) as u16;
        let known = self.queues.iter().position(|q| q.number == number);
        let place = known.unwrap_or_else(|| {
            self.queues.push(Queue {
                number,
                waiting: VecDeque::new(),
                bytes: 0,
                credit: 0,
                list: List::None,
                codel: Codel::new(self.config.codel, self.config.frame),
            });
            self.queues.len() - 1
        }) as u16;
        self.by_flow[index] = Some(place);
        place
    }

    /// `frame` comes at `frame.at`. When too much waits, the fattest queue loses its head into `gone`.
    pub(super) fn offer(
        &mut self,
        frame: &Frame,
        cost: &Footprint,
        waits: bool,
        gone: &mut Vec<Gone>,
    ) {
        let place = self.queue_of(frame.flow);
        self.counter.offered += 1;
        let queue = &mut self.queues[usize::from(place)];
        queue.waiting.push_back(Waiting::new(frame, cost));
        queue.bytes += u64::from(cost.queue_bytes);
        self.bytes += u64::from(cost.queue_bytes);
        self.frames += 1;
        if queue.list == List::None {
            queue.list = List::New;
            queue.credit = self.config.quantum.into();
            self.new.push_back(place);
        }
        if !waits {
            return;
        }
        while self.frames > self.config.packets || self.bytes > self.config.memory {
            let fattest = self.queues.iter_mut().max_by_key(|q| q.bytes);
            let lost = fattest.and_then(|q| {
                let lost = q.waiting.pop_front()?;
                q.bytes -= u64::from(lost.queue_bytes);
                Some(lost)
            });
            let Some(lost) = lost else { return };
            self.bytes -= u64::from(lost.queue_bytes);
            self.frames -= 1;
            self.counter.tail += 1;
            gone.push((lost.frame, Drop::Tail));
        }
        self.counter.most_bytes = self.counter.most_bytes.max(self.bytes);
    }

    /// The frame the transmitter takes at `now` (RFC 8290 §4.2).
    pub(super) fn take(&mut self, now: Time, gone: &mut Vec<Gone>) -> Option<Frame> {
        loop {
            let from_new = !self.new.is_empty();
            let list = if from_new {
                &mut self.new
            } else {
                &mut self.old
            };
            let place = *list.front()?;
            let queue = &mut self.queues[usize::from(place)];
            if queue.credit <= 0 {
                queue.credit += i64::from(self.config.quantum);
                list.pop_front();
                queue.list = List::Old;
                self.old.push_back(place);
                continue;
            }
            let mut controller = queue.codel;
            let mut head = Served {
                waiting: &mut queue.waiting,
                bytes: &mut queue.bytes,
                counter: &mut self.counter,
                left: (&mut self.bytes, &mut self.frames),
                gone,
            };
            let taken = controller.take(now, &mut head);
            queue.codel = controller;
            let Some(taken) = taken else {
                list.pop_front();
                // An empty new queue waits out a round, or it would be new again with the next frame.
                if from_new && !self.old.is_empty() {
                    queue.list = List::Old;
                    self.old.push_back(place);
                } else {
                    queue.list = List::None;
                }
                continue;
            };
            queue.credit -= i64::from(taken.queue_bytes);
            self.counter.sent(&taken, now);
            return Some(taken.frame);
        }
    }

    /// All that waits is dropped into `gone`; queues take their turns as if they had sent it.
    pub(super) fn empty(&mut self, gone: &mut Vec<Gone>) {
        for queue in &mut self.queues {
            gone.extend(queue.waiting.drain(..).map(|w| (w.frame, Drop::Down)));
            queue.bytes = 0;
        }
        self.counter.down += self.frames;
        (self.bytes, self.frames) = (0, 0);
    }

    /// Bytes waiting.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Frames waiting.
    pub(super) fn frames(&self) -> u64 {
        self.frames
    }

    /// The counter of all queues together.
    pub(super) fn counter(&self) -> &QueueCounter {
        &self.counter
    }
}
