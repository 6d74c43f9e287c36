//! Active queue management: what becomes of a queue's frames before it is full.

mod codel;
mod pie;
mod red;

use std::collections::VecDeque;
use std::fmt::Debug;
use std::sync::Arc;

use farpath_units::{Duration, Key, Time};
use farpath_wire::Frame;

use super::waiting::{Gone, QueueCounter, Waiting, marked};
use crate::drops::Drop;
use crate::flows::Flows;
pub(super) use codel::Codel;
pub use codel::CodelConfig;
use pie::Pie;
pub use pie::PieConfig;
use red::Red;
pub use red::{Curve, RedConfig};

/// What manages a queue, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AqmConfig {
    /// Random early detection: drops by the average of what waits, along the curve of a frame's level.
    Red(RedConfig),
    /// Controlled delay: drops at the head by how long frames waited.
    Codel(CodelConfig),
    /// A proportional integral controller: drops on arrival as often as keeps the delay at a target.
    Pie(PieConfig),
}

impl AqmConfig {
    /// For an empty queue at the start of the run.
    pub(super) fn build(self, site: &QueueSite) -> Box<dyn Aqm> {
        match self {
            AqmConfig::Red(config) => Box::new(Red::new(config, site)),
            AqmConfig::Codel(config) => Box::new(Codel::new(config, site.frame)),
            AqmConfig::Pie(config) => Box::new(Pie::new(config, site)),
        }
    }
}

/// Where a queue that is managed stands.
#[derive(Clone, Debug)]
pub struct QueueSite {
    /// Bytes of a full frame, as a queue counts them.
    pub frame: u32,
    /// Time of a full frame on the link.
    pub frame_time: Duration,
    /// What luck is drawn from: the port and the queue.
    pub key: Key,
    /// Names of the flows, by number, which key their luck.
    pub names: Arc<[String]>,
}

/// What manages one queue, at work.
pub(super) trait Aqm: Debug + Send {
    /// What is done with a frame that comes at `frame.at`.
    fn arrive(&mut self, _frame: &Frame, _found: &Found<'_>) -> Verdict {
        Verdict::Pass
    }

    /// The frame that is sent at `now`, when those at the head that are not have been dropped.
    fn take(&mut self, _now: Time, head: &mut Served<'_>) -> Option<Waiting> {
        head.pop().map(|(item, ..)| item)
    }

    /// Nothing waits any more.
    fn emptied(&mut self, _now: Time) {}
}

/// What an arriving frame finds.
pub(super) struct Found<'a> {
    /// Bytes waiting.
    pub(super) bytes: u64,
    /// Whether there is room for it.
    pub(super) fits: bool,
    /// The curve of the frame's level.
    pub(super) curve: Option<&'a Curve>,
}

/// What is done with an arriving frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Pass,
    /// Mark it, or drop it where its transport does not allow that.
    Mark,
    Drop,
}

/// The luck of a queue's frames: each flow draws for itself.
#[derive(Debug)]
pub(super) struct Draws(Flows<u64>);

impl Draws {
    pub(super) fn new(site: &QueueSite) -> Draws {
        let mut flows = Flows::new(site.key);
        flows.name(Arc::clone(&site.names));
        Draws(flows)
    }

    /// The next draw of the flow `frame` belongs to, in [0, 1).
    pub(super) fn uniform(&mut self, frame: &Frame) -> f64 {
        let (luck, drawn) = self.0.of(frame);
        *drawn += 1;
        luck.uniform(*drawn - 1)
    }
}

/// A queue as its controller sees it.
pub(super) trait Head {
    /// What waits in it.
    type Item;
    /// Takes the frame at the head: when it came, and the bytes left behind it.
    fn pop(&mut self) -> Option<(Self::Item, Time, u64)>;
    /// Drops a frame.
    fn drop(&mut self, item: Self::Item);
    /// Marks a frame if its transport allows; whether it did.
    fn mark(&mut self, item: &mut Self::Item) -> bool;
}

/// A queue with its controller at work on it.
pub(super) struct Served<'a> {
    pub(super) waiting: &'a mut VecDeque<Waiting>,
    pub(super) bytes: &'a mut u64,
    pub(super) counter: &'a mut QueueCounter,
    /// Bytes and frames of the whole port.
    pub(super) left: (&'a mut u64, &'a mut u64),
    pub(super) gone: &'a mut Vec<Gone>,
}

impl Head for Served<'_> {
    type Item = Waiting;

    fn pop(&mut self) -> Option<(Waiting, Time, u64)> {
        let item = self.waiting.pop_front()?;
        let length = u64::from(item.queue_bytes);
        *self.bytes -= length;
        *self.left.0 -= length;
        *self.left.1 -= 1;
        Some((item, item.frame.at, *self.bytes))
    }

    fn drop(&mut self, item: Waiting) {
        self.counter.early += 1;
        self.gone.push((item.frame, Drop::Red));
    }

    fn mark(&mut self, item: &mut Waiting) -> bool {
        let marked = marked(&mut item.frame);
        self.counter.marked += u64::from(marked);
        marked
    }
}
