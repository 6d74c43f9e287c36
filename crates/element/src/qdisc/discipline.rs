//! Any discipline, behind one contract: frames are offered and taken.

use farpath_units::Time;
use farpath_wire::Frame;

use super::token_bucket::TokenBucket;
use super::waiting::Gone;
use super::{
    Classes, ClassesConfig, Footprint, FqCodel, FqCodelConfig, Limit, Place, QueueCounter,
};
use crate::drops::Drop;

/// What a discipline is made of.
#[derive(Clone, Debug)]
pub struct DisciplineConfig {
    /// Who waits where, and who is next.
    pub queues: QueuesConfig,
    /// What delays frames beyond the transmitter's own rate.
    pub shaper: Option<TokenBucket>,
}

/// The queues of a discipline.
#[derive(Clone, Debug)]
pub enum QueuesConfig {
    /// Configured classes.
    Classes(ClassesConfig),
    /// A queue for each flow.
    FqCodel(FqCodelConfig),
}

#[derive(Debug)]
enum Queues {
    Classes(Classes),
    FqCodel(FqCodel),
}

/// A discipline at work.
#[derive(Debug)]
pub struct Discipline {
    queues: Queues,
    shaper: Option<Shaper>,
    most_bytes: u64,
    /// Frames dropped out of their turn since [`Discipline::gone`] was last asked.
    gone: Vec<Gone>,
}

/// Sends a frame when there are tokens for it.
#[derive(Debug)]
struct Shaper {
    bucket: TokenBucket,
    /// The frame that waits for tokens, its bytes, and when there are enough.
    next: Option<(Frame, u32, Time)>,
}

impl Discipline {
    /// With empty queues.
    pub fn new(config: DisciplineConfig) -> Discipline {
        Discipline {
            queues: match config.queues {
                QueuesConfig::Classes(classes) => Queues::Classes(Classes::new(classes)),
                QueuesConfig::FqCodel(fair) => Queues::FqCodel(FqCodel::new(fair)),
            },
            shaper: config.shaper.map(|bucket| Shaper { bucket, next: None }),
            most_bytes: 0,
            gone: Vec::new(),
        }
    }

    /// Where `frame` waits.
    pub fn place(&self, frame: &Frame) -> Place {
        match &self.queues {
            Queues::Classes(classes) => classes.place(frame),
            Queues::FqCodel(_) => Place::default(),
        }
    }

    /// `frame` comes at `frame.at`; `waits`: something is in service or waits before it, so that it
    /// takes up room. A frame that does not is taken next.
    ///
    /// # Errors
    /// Why the frame is dropped. Others may be dropped for it: see [`Discipline::gone`].
    #[inline]
    pub fn offer(
        &mut self,
        frame: &Frame,
        cost: &Footprint,
        place: Place,
        waits: bool,
    ) -> Result<(), Drop> {
        match &mut self.queues {
            Queues::Classes(classes) => classes.offer(frame, cost, place, waits)?,
            Queues::FqCodel(fair) => fair.offer(frame, cost, waits, &mut self.gone),
        }
        if waits {
            self.most_bytes = self.most_bytes.max(self.bytes());
        }
        Ok(())
    }

    /// The frame the transmitter takes at `now`, if one may be sent by then.
    #[inline]
    pub fn take(&mut self, now: Time, bytes: impl Fn(&Frame) -> u32) -> Option<Frame> {
        let Some(shaper) = &mut self.shaper else {
            return self.queues.take(now, &mut self.gone);
        };
        if shaper.next.is_none() {
            let frame = self.queues.take(now, &mut self.gone)?;
            let length = bytes(&frame);
            let ready = shaper.bucket.ready(now, length);
            shaper.next = Some((frame, length, ready));
        }
        let (frame, length, _) = shaper.next.take_if(|next| next.2 <= now)?;
        shaper.bucket.spend(now, length);
        Some(frame)
    }

    /// Whether it holds classes that drop what does not fit, and nothing else: then frames can be
    /// offered in runs and read before they are taken.
    pub(crate) fn is_plain(&self) -> bool {
        match &self.queues {
            Queues::Classes(classes) => self.shaper.is_none() && classes.is_plain(),
            Queues::FqCodel(_) => false,
        }
    }

    /// Like frames come while the transmitter is busy; returns how many of them, from the first on, are
    /// not refused.
    #[inline]
    pub(crate) fn offer_run(&mut self, run: &[Frame], cost: &Footprint, place: Place) -> usize {
        let Queues::Classes(classes) = &mut self.queues else {
            return 0;
        };
        let admitted = classes.offer_run(run, cost, place);
        self.most_bytes = self.most_bytes.max(classes.bytes());
        admitted
    }

    /// A frame comes that finds the transmitter idle and nothing waiting, and is taken at once.
    #[inline]
    pub(crate) fn pass_by(&mut self, cost: &Footprint, place: Place) {
        if let Queues::Classes(classes) = &mut self.queues {
            classes.pass_by(cost, place);
        }
    }

    /// The frame that is to be taken, and its queue, where classes are plain.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<(usize, &Frame)> {
        match &mut self.queues {
            Queues::Classes(classes) => classes.next(),
            Queues::FqCodel(_) => None,
        }
    }

    /// The transmitter takes at `now` what [`Discipline::next`] said.
    #[inline]
    pub(crate) fn remove(&mut self, queue: usize, now: Time) {
        if let Queues::Classes(classes) = &mut self.queues {
            classes.remove(queue, now);
        }
    }

    /// When a frame may be taken, the transmitter apart; `None` when none waits.
    #[inline]
    pub fn ready(&self) -> Option<Time> {
        if let Some((_, _, ready)) = self.held() {
            return Some(*ready);
        }
        (self.queues.frames() > 0).then_some(Time::ZERO)
    }

    #[inline]
    fn held(&self) -> Option<&(Frame, u32, Time)> {
        self.shaper.as_ref().and_then(|s| s.next.as_ref())
    }

    /// The link has gone down at `now`: all that waits is dropped; see [`Discipline::gone`].
    pub fn empty(&mut self, now: Time) {
        match &mut self.queues {
            Queues::Classes(classes) => classes.empty(now, &mut self.gone),
            Queues::FqCodel(fair) => fair.empty(&mut self.gone),
        }
        let held = self.shaper.as_mut().and_then(|s| s.next.take());
        self.gone.extend(held.map(|h| (h.0, Drop::Down)));
    }

    /// Whether frames were dropped out of their turn.
    #[inline]
    pub fn has_gone(&self) -> bool {
        !self.gone.is_empty()
    }

    /// Frames dropped out of their turn since the last call.
    #[inline]
    pub fn gone(&mut self) -> Option<(Frame, Drop)> {
        self.gone.pop()
    }

    /// Replaces the limit of every class; frames already waiting stay.
    pub fn set_limit(&mut self, limit: Limit) {
        if let Queues::Classes(classes) = &mut self.queues {
            classes.set_limit(limit);
        }
    }

    /// Bytes waiting.
    #[inline]
    pub fn bytes(&self) -> u64 {
        let queued = match &self.queues {
            Queues::Classes(classes) => classes.bytes(),
            Queues::FqCodel(fair) => fair.bytes(),
        };
        queued + self.held().map_or(0, |h| u64::from(h.1))
    }

    /// Frames waiting.
    #[inline]
    pub fn frames(&self) -> u64 {
        self.queues.frames() + u64::from(self.held().is_some())
    }

    /// Most bytes that ever waited, as seen by arriving frames.
    pub fn most_bytes(&self) -> u64 {
        self.most_bytes
    }

    /// The counters of every queue, and the frames that wait in it. A frame that a shaper holds has
    /// left its queue.
    pub fn counters(&self) -> Vec<(&QueueCounter, u64)> {
        match &self.queues {
            Queues::Classes(classes) => classes.counters().collect(),
            Queues::FqCodel(fair) => vec![(fair.counter(), fair.frames())],
        }
    }
}

impl Queues {
    #[inline]
    fn take(&mut self, now: Time, gone: &mut Vec<Gone>) -> Option<Frame> {
        match self {
            Queues::Classes(classes) => classes.take(now, gone),
            Queues::FqCodel(fair) => fair.take(now, gone),
        }
    }

    #[inline]
    fn frames(&self) -> u64 {
        match self {
            Queues::Classes(classes) => classes.frames(),
            Queues::FqCodel(fair) => fair.frames(),
        }
    }
}
