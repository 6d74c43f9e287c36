//! One direction of a link: queue, transmitter, impairments, propagation, and the far node's decision.
//!
//! Two ways of serving the same queue give the same departures. *On arrival*: the service of a FIFO
//! at a constant rate is known when a frame arrives, so it is sent on at once and the port needs no
//! deadline. *By pull*: the transmitter takes the next frame when it falls idle, which every other
//! discipline needs, and every port whose rate, delay or losses change while frames wait.

mod arrivals;
mod cells;
mod classed;
mod config;
mod passage;
mod queued;
mod run;
mod service;

use std::collections::VecDeque;
use std::sync::Arc;

use farpath_predict::atm::CELL;
use farpath_units::{Duration, Time};
use farpath_wire::{FlowDir, Frame};

use crate::atm::{CellQueue, Circuits, Hurt};
use crate::conditioner::Stage;
use crate::counters::{Counters, Interval, IntervalClock};
use crate::drops::Drop;
use crate::forwarding::{Exit, Forwarding};
use crate::impair::Loss;
use crate::merge::Merge;
use crate::network::{Element, Io};
use crate::qdisc::{Discipline, Fifo, Place, TallyId};
use crate::tap::Tapped;
use crate::transmitter::Transmitter;
use crate::treatment::{Treatment, Treatments};
use arrivals::Pace;
pub use config::{Change, PortConfig};
use passage::{Impaired, Passage};
use service::Service;

/// One direction of a link at work.
pub struct Port {
    transmitter: Transmitter,
    fifo: Fifo,
    conditioning: Vec<Stage>,
    ingress: Vec<Stage>,
    service: Service,
    mtu: u32,
    delay: Duration,
    passage: Passage,
    impaired: Option<Box<Impaired>>,
    up: bool,
    losses: Vec<Loss>,
    /// Frames that causes of loss which are no longer at work had to strike, and did not.
    missed: Vec<(FlowDir, u64)>,
    forwarding: Forwarding,
    headers: Arc<[u16]>,
    last_arrival: Time,
    clock: IntervalClock,
    counters: Counters,
    interval: Interval,
    tapped: Option<Vec<Tapped>>,
    digest: Option<u64>,
    fates: Option<Box<Fates>>,
    merge: Merge,
    treatments: Treatments,
    circuits: Option<Box<Circuits>>,
    cells: Option<Box<CellQueue>>,
}

impl Port {
    /// A port before the start of the run.
    pub fn new(config: PortConfig) -> Port {
        // How long a shaped frame takes is known when its turn has come.
        let shaped = config.circuits.as_ref().is_some_and(|c| c.shape.is_some());
        let queue = config.circuits.as_ref().and_then(|c| c.queue);
        let cells = queue.map(|queue| Box::new(CellQueue::new(queue, config.rate)));
        let service = match config.queues {
            Some(queues) => Service::Queues(Box::new(Discipline::new(queues))),
            None if config.changes || shaped => Service::Fifo(VecDeque::new()),
            None => Service::OnArrival,
        };
        Port {
            transmitter: Transmitter::new(config.rate, config.framing),
            fifo: Fifo::new(config.limit),
            conditioning: config.conditioning,
            ingress: Vec::new(),
            service,
            mtu: config.mtu,
            delay: config.delay,
            passage: if config.reorder {
                Passage::Overtaking
            } else {
                Passage::Straight
            },
            impaired: None,
            up: true,
            losses: config.losses,
            missed: Vec::new(),
            forwarding: config.forwarding,
            headers: config.headers,
            last_arrival: Time::ZERO,
            clock: IntervalClock::new(config.sampling),
            counters: Counters::default(),
            interval: Interval::default(),
            tapped: None,
            digest: None,
            fates: None,
            merge: Merge::default(),
            treatments: Treatments::default(),
            circuits: config.circuits.map(|c| Box::new(Circuits::new(c))),
            cells,
        }
    }

    /// What the port promises beyond the instant it has been advanced to: the shortest frame's
    /// time on the link and the propagation.
    pub fn lookahead(&self) -> Duration {
        self.promised()
    }

    /// Keeps a copy of every frame put on the link, for [`Port::take_tapped`].
    pub fn tap(&mut self) {
        self.tapped = Some(Vec::new());
    }

    /// The frames tapped since the last call, in the order of their transmission. Frames that
    /// still wait for the transmitter at the end of a run may be among them.
    pub fn take_tapped(&mut self) -> Vec<Tapped> {
        self.tapped.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Sums a hash of every departure and drop, for comparing runs.
    pub fn audit(&mut self) {
        self.digest = Some(0);
    }

    /// Keeps the frames that end here and those that are doubled, for [`Port::fates`].
    pub fn watch(&mut self) {
        self.fates = Some(Box::default());
    }

    /// What became of frames other than departure since it was last emptied, if somebody watches.
    pub fn fates(&mut self) -> Option<&mut Fates> {
        self.fates.as_deref_mut()
    }

    /// The sum so far.
    pub fn digest(&self) -> u64 {
        self.digest.unwrap_or_default()
    }

    /// Whether the link carries anything, as far as the port has been advanced.
    pub fn is_up(&self) -> bool {
        self.up
    }

    /// The counters, as of [`Port::catch_up`]; complete after [`Port::finish`].
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Frames waiting, as of [`Port::catch_up`] or [`Port::finish`].
    pub fn waiting(&self) -> u64 {
        let queued = self.service.queues().map_or(0, Discipline::frames);
        self.fifo.frames() + queued + self.cells.as_ref().map_or(0, |c| c.frames())
    }

    /// Applies a change at `now`. The port must have been built with `changes`.
    pub fn apply(&mut self, change: Change) {
        assert!(
            !matches!(self.service, Service::OnArrival),
            "a port that changes is served by pull"
        );
        match change {
            Change::Rate(rate) => {
                self.transmitter.set_rate(rate);
                if let Some(circuits) = &mut self.circuits {
                    circuits.set_line(rate);
                }
                if let Some(cells) = &mut self.cells {
                    cells.set_line(rate);
                }
                self.treatments.clear();
            }
            Change::Delay(delay) => self.delay = delay,
            Change::Losses(losses) => {
                self.missed
                    .extend(self.losses.iter().filter_map(Loss::waits_for));
                self.losses = losses;
            }
            Change::Limit(limit) => match &mut self.service {
                Service::Queues(queues) => queues.set_limit(limit),
                _ => self.fifo.set_limit(limit),
            },
            Change::Up(up) => self.up = up,
            Change::Line { line, overtaking } => self.exchange_line(*line, overtaking),
        }
        self.renew_promise();
    }

    /// Frames that were to be lost by order and have not come by.
    pub fn never_struck(&self) -> impl Iterator<Item = (FlowDir, u64)> {
        let at_work = self.losses.iter().filter_map(Loss::waits_for);
        self.missed.iter().copied().chain(at_work)
    }

    /// Counts what has entered service by now: everything earlier than `now` has happened. Only then
    /// do [`Port::waiting`] and [`Port::counters`] say how things are.
    pub fn catch_up(&mut self, now: Time) {
        let last = now - Duration::from_ps(1);
        self.note_intervals(last);
        self.fifo.settle(last);
        self.count();
    }

    /// Settles the counters at the end of the run: everything earlier than `end` has happened.
    pub fn finish(&mut self, end: Time) {
        self.catch_up(end);
        while self.clock.has_ended(end) {
            self.note_interval();
        }
    }

    /// Ends every interval that lies before `now`.
    #[inline]
    fn note_intervals(&mut self, now: Time) {
        if now > self.clock.end {
            self.end_intervals(now);
        }
    }

    #[cold]
    fn end_intervals(&mut self, now: Time) {
        while now > self.clock.end {
            self.fifo.settle(self.clock.end);
            self.note_interval();
        }
    }

    fn note_interval(&mut self) {
        self.count();
        let queued = self.service.queues().map_or(0, Discipline::bytes);
        let cells = self.settle_cells(self.clock.end);
        self.interval.queue_bytes = self.fifo.bytes() + queued + cells;
        self.counters.intervals.push(self.interval);
        self.interval = Interval::default();
        self.clock.next(self.counters.intervals.len());
    }

    /// Brings the counters up to what the queue knows to have started.
    fn count(&mut self) {
        let (counters, interval) = (&mut self.counters, &mut self.interval);
        self.fifo.count_started(|footprint, count| {
            counters.sent(footprint, count);
            interval.bytes += u64::from(footprint.wire_bytes) * count;
            if let Some(reason) = footprint.fate {
                counters.drops[reason as usize] += count;
                counters.policed_as_cells += count * u64::from(reason == Drop::Policed);
            }
        });
        let queued = self.service.queues().map_or(0, Discipline::most_bytes);
        let cells = self.cells.as_ref().map_or(0, |c| c.most()) * u64::from(CELL);
        self.counters.queue_max_bytes = self.fifo.most_bytes().max(queued).max(cells);
    }

    /// A frame is offered at `frame.at`.
    fn arrive(&mut self, frame: &Frame, known: &mut Treatments, io: &mut Io<'_>) {
        let now = frame.at;
        self.note_intervals(now);
        self.counters.offered += 1;
        if self.passage == Passage::Impaired {
            self.weather(now);
        }
        if !self.up {
            return self.refuse(frame, Drop::Down);
        }
        if self.conditioning.is_empty() {
            self.admit(frame, known, io);
        } else {
            self.condition(frame, known, io);
        }
    }

    /// A frame that is not refused yet waits or is sent.
    #[inline]
    fn admit(&mut self, frame: &Frame, known: &mut Treatments, io: &mut Io<'_>) {
        let now = frame.at;
        let treatment = self.treatment(frame, known);
        if treatment.enclosed > self.mtu {
            return self.refuse(frame, Drop::Mtu);
        }
        if matches!(self.service, Service::Queues(_)) {
            if self.enqueue(frame, treatment) {
                self.serve(now, known, io);
            }
            return;
        }
        let must_wait = self.transmitter.free() > now;
        if must_wait && !self.fifo.admits(now, treatment.footprint.queue_bytes) {
            return self.refuse(frame, Drop::Tail);
        }
        if must_wait && let Service::Fifo(waiting) = &mut self.service {
            waiting.push_back(*frame);
            let (time, bytes) = (treatment.time, treatment.footprint.queue_bytes);
            return self.fifo.wait(Time::MAX, time, bytes, treatment.tally);
        }
        let (start, tally) = self.transmit(now, frame, treatment, io);
        if must_wait {
            let bytes = treatment.footprint.queue_bytes;
            self.fifo.wait(start, treatment.time, bytes, tally);
        } else {
            self.fifo.start(tally, 1);
        }
    }

    #[inline]
    fn treatment<'t>(&mut self, frame: &Frame, known: &'t mut Treatments) -> &'t Treatment {
        if !known.knows(frame) {
            self.work_out(frame, known);
        }
        known.of(frame)
    }

    #[inline(never)]
    fn work_out(&mut self, frame: &Frame, known: &mut Treatments) {
        let queues = self.service.queues();
        let place = queues.map_or_else(Place::default, |q| q.place(frame));
        let (transmitter, fifo) = (&mut self.transmitter, &mut self.fifo);
        let (forwarding, headers) = (&self.forwarding, &self.headers);
        known.work_out(frame, transmitter, fifo, forwarding, headers, place);
    }

    #[cold]
    fn refuse(&mut self, frame: &Frame, reason: Drop) {
        self.counters.drop(reason);
        self.hash(frame.at, frame, 1 + reason as u64);
    }

    /// The transmitter falls idle at `now` and takes the next frame.
    fn pull(&mut self, now: Time, known: &mut Treatments, io: &mut Io<'_>) {
        self.note_intervals(now);
        if self.passage == Passage::Impaired {
            self.weather(now);
            if self.transmitter.free() > now {
                return;
            }
        }
        let waiting = match &mut self.service {
            Service::Fifo(waiting) => waiting,
            Service::OnArrival => return,
            Service::Queues(_) => return self.serve(now, known, io),
        };
        let Some(frame) = waiting.pop_front() else {
            return;
        };
        self.fifo.take();
        let treatment = self.treatment(&frame, known);
        let (_, tally) = self.transmit(now, &frame, treatment, io);
        self.fifo.start(tally, 1);
    }

    /// Puts a frame on the link, not before `now`, and hands it on as the far node decides. Returns
    /// when its service starts and what it counts for, which is its fate, too.
    fn transmit(
        &mut self,
        now: Time,
        frame: &Frame,
        treatment: &Treatment,
        io: &mut Io<'_>,
    ) -> (Time, TallyId) {
        let (start, end) = self.occupy(now, treatment);
        (start, self.leave(start, end, frame, treatment, io))
    }

    /// Hands a frame that was sent from `start` to `end` on as its cells and the far node decide.
    /// Returns what it counts for.
    fn leave(
        &mut self,
        start: Time,
        end: Time,
        frame: &Frame,
        treatment: &Treatment,
        io: &mut Io<'_>,
    ) -> TallyId {
        if self.passage != Passage::Straight {
            return self.leave_aside(start, end, frame, treatment, io);
        }
        let wire_bytes = treatment.footprint.wire_bytes;
        if (!self.losses.is_empty() || self.tapped.is_some())
            && let Some(reason) = self.suffer(end, wire_bytes, frame, io)
        {
            return self.ended(treatment, reason);
        }
        let hurt = match self.through_cells((start, end), frame, treatment) {
            Ok(hurt) => hurt,
            Err(tally) => return tally,
        };
        let at = self.arrival(end);
        if !self.ingress.is_empty() {
            return self.enter(at, frame, (treatment, hurt), io);
        }
        if self.digest.is_some() || matches!(treatment.exit, Exit::Drop(_)) {
            self.audit_exit(at, frame, treatment);
        }
        let output = match treatment.exit {
            Exit::Output(output) => output,
            Exit::Spread(spread) => self.member(spread, frame, self.last_arrival.max(at)),
            Exit::Drop(reason) => return self.ended_hurt(treatment, hurt, reason),
        };
        self.last_arrival = self.last_arrival.max(at);
        let channel = io.output(output.into());
        channel.push_like(&treatment.sent, self.last_arrival, frame.seq, frame.side);
        self.hurt(treatment, hurt)
    }

    /// The output of a frame that gets to a bundle's node at `at`.
    #[inline(never)]
    fn member(&mut self, spread: u16, frame: &Frame, at: Time) -> u16 {
        self.forwarding.spreads[usize::from(spread)].output(frame, at)
    }

    /// What a frame counts for that is transmitted but does not arrive.
    fn ended(&mut self, treatment: &Treatment, reason: Drop) -> TallyId {
        self.ended_hurt(treatment, Hurt::default(), reason)
    }

    /// The same for a frame some of whose cells were lost or tagged.
    fn ended_hurt(&mut self, treatment: &Treatment, hurt: Hurt, reason: Drop) -> TallyId {
        let fate = Some(reason);
        self.hurt(treatment, Hurt { fate, ..hurt })
    }

    #[inline(never)]
    fn audit_exit(&mut self, at: Time, frame: &Frame, treatment: &Treatment) {
        let outcome = match treatment.exit {
            Exit::Output(_) | Exit::Spread(_) => 0,
            Exit::Drop(reason) => 1 + reason as u64,
        };
        self.hash(at, &treatment.apply(frame, at), outcome);
    }

    /// The tap, and the causes of loss in order.
    #[inline(never)]
    fn suffer(
        &mut self,
        end: Time,
        wire_bytes: u32,
        frame: &Frame,
        io: &mut Io<'_>,
    ) -> Option<Drop> {
        let through = self.through(end);
        if let Some(tapped) = &mut self.tapped {
            tapped.push(Tapped::new(frame, through, io));
        }
        let bytes = self.transmitter.framing().exposed_bytes(wire_bytes);
        let mut losses = self.losses.iter_mut();
        let reason = losses.find_map(|l| l.strikes(frame, bytes))?;
        self.hash(end, frame, 1 + reason as u64);
        Some(reason)
    }

    fn hash(&mut self, at: Time, frame: &Frame, outcome: u64) {
        if let Some(sum) = &mut self.digest {
            *sum = sum.wrapping_add(frame_hash(at, frame, outcome));
        }
        let reason = outcome.checked_sub(1);
        if let Some(reason) = reason.and_then(|n| Drop::ALL.get(n as usize).copied())
            && let Some(fates) = &mut self.fates
        {
            fates.lost.push((*frame, reason));
        }
    }
}

/// Frames that a port did not simply hand on, for whoever owns the bytes behind them.
#[derive(Debug, Default)]
pub struct Fates {
    /// They go no further, each for its reason.
    pub lost: Vec<(Frame, Drop)>,
    /// Each is under way once more.
    pub copied: Vec<Frame>,
}

impl Element for Port {
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        if self.cells.is_some() {
            return self.advance_cells(until, io);
        }
        let mut known = std::mem::take(&mut self.treatments);
        let pace = self.pace();
        if io.inputs() == 1 {
            self.drain(0, until, pace, &mut known, io);
        } else {
            let mut merge = std::mem::take(&mut self.merge);
            merge.start(until, io);
            while let Some((n, stays_first)) = merge.first(until) {
                let left = self.drain(n, stays_first, pace, &mut known, io);
                merge.drained(left, until);
            }
            self.merge = merge;
        }
        match pace {
            Pace::OnArrival => {}
            Pace::Classed => self.serve_run(until, &mut known, io),
            Pace::Singly => self.pull_until(until, &mut known, io),
        }
        self.treatments = known;
        if self.passage == Passage::Impaired {
            self.release(until, io);
        }
    }

    #[inline]
    fn deadline(&self) -> Time {
        if let Some(cells) = &self.cells {
            return cells.deadline();
        }
        let due = self.service.due(self.transmitter.free());
        match self.passage {
            Passage::Impaired => due.min(self.release_due()),
            Passage::Straight | Passage::Overtaking => due,
        }
    }
}

/// A hash of one frame's fate, for sums that do not depend on the order of adding.
pub fn frame_hash(at: Time, frame: &Frame, outcome: u64) -> u64 {
    let mut h = at.as_ps() ^ 0x9e37_79b9_7f4a_7c15;
    let facts = u64::from(frame.len)
        | u64::from(frame.flow.0) << 16
        | (frame.kind as u64) << 32
        | u64::from(frame.ttl) << 40
        | outcome << 48;
    for word in [
        frame.seq,
        facts,
        u64::from(frame.label.0) | u64::from(frame.flags().bits()) << 32,
    ] {
        h = (h ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
        h ^= h >> 32;
    }
    h
}
