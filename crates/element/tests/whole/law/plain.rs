//! A second port, written the plainest way from its description alone: one event at a time, every
//! sum taken afresh, no caches, no arithmetic ahead of time. The real one must agree with it to the
//! bit. It can also be wrong on purpose, in ways that only a network with exact ties shows.

use std::collections::VecDeque;

use farpath_element::atm::{Circuits, Hurt};
use farpath_element::impair::{Damage, Fate, Line, Loss};
use farpath_element::qdisc::{Footprint, Limit, QueueCounter};
use farpath_element::{
    Change, Counters, Drop, Element, Exit, Forwarding, Interval, Io, PortConfig, Sampling,
    frame_hash,
};
use farpath_predict::Framing;
use farpath_units::{Duration, Time};
use farpath_wire::{Frame, Kind};

use crate::law::shelves::Shelves;

/// A deliberate mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// None: the plain port as described.
    None,
    /// A queue that is exactly full after an arrival refuses it.
    FullQueueBoundary,
    /// Of two arrivals at one instant, the later input goes first.
    TieOrder,
    /// An arrival at the very end of a transmission is served before that end.
    ArrivalBeforeEnd,
    /// The time of a frame is rounded down.
    RoundingDown,
    /// A frame that is lost on the way leaves the transmitter free at once.
    LossFreesTheLink,
    /// The frame in service counts as waiting.
    ServiceCounts,
    /// Luck is spent on arrival, by frames that are then refused, too.
    LuckBeforeQueue,
    /// A frame whose service starts at an interval's end counts in the next.
    IntervalEnd,
    /// Frames that a line delays to one instant arrive there the last one first.
    LineTies,
    /// A frame that is held back on a line holds back those behind it.
    HeldBackHoldsAll,
    /// A loss strikes the frame after the one it is due at.
    LossOneLate,
    /// A frame that is like the one before it spends no luck.
    RunsSpendNoLuck,
}

pub(crate) struct Plain {
    rate: u64,
    framing: Framing,
    mtu: u32,
    limit: Limit,
    delay: Duration,
    reorder: bool,
    up: bool,
    losses: Vec<Loss>,
    line: Option<Line>,
    /// On the line: arrival, number, whether it is a copy, output.
    under_way: Vec<(Time, u64, bool, usize, Frame)>,
    numbered: u64,
    promised: Duration,
    circuits: Option<Circuits>,
    forwarding: Forwarding,
    headers: std::sync::Arc<[u16]>,
    sampling: Sampling,
    queue: VecDeque<(Frame, Option<Drop>)>,
    shelves: Option<Box<Shelves>>,
    free: Time,
    last_arrival: Time,
    counters: Counters,
    /// (start of service, wire bytes); (time, bytes waiting from then on).
    starts: Vec<(Time, u64)>,
    levels: Vec<(Time, u64)>,
    digest: u64,
    fault: Fault,
    /// For faults: the likeness of the latest frame, and a loss that has not struck yet.
    latest: Option<(u32, u64)>,
    owed: Option<Drop>,
}

impl Plain {
    pub(crate) fn new(config: PortConfig, line: Option<Line>, fault: Fault) -> Plain {
        let mut plain = Plain {
            line,
            under_way: Vec::new(),
            numbered: 0,
            promised: Duration::ZERO,
            rate: config.rate.as_bps(),
            framing: config.framing,
            mtu: config.mtu,
            limit: config.limit,
            delay: config.delay,
            reorder: config.reorder,
            up: true,
            losses: config.losses,
            circuits: config.circuits.map(Circuits::new),
            forwarding: config.forwarding,
            headers: config.headers,
            sampling: config.sampling,
            queue: VecDeque::new(),
            shelves: config.queues.map(|q| Box::new(Shelves::new(q))),
            free: Time::ZERO,
            last_arrival: Time::ZERO,
            counters: Counters::default(),
            starts: Vec::new(),
            levels: Vec::new(),
            digest: 0,
            fault,
            latest: None,
            owed: None,
        };
        plain.promised = plain.shortest();
        plain
    }

    fn time_for(&self, payload: u32) -> Duration {
        self.time_of(self.framing.wire_bytes(payload))
    }

    /// When a frame arrives whose time on the link ends at `end`: its last bit comes a gap before.
    fn arrival(&self, end: Time) -> Time {
        let traced = self.line.as_ref().is_some_and(Line::follows_a_trace);
        let gap = match traced {
            true => Duration::ZERO,
            false => self.time_of(self.framing.gap_bytes()),
        };
        end - gap + self.delay
    }

    fn time_of(&self, bytes: u32) -> Duration {
        let bits = u128::from(bytes) * 8;
        let half = match self.fault {
            Fault::RoundingDown => 0,
            _ => u128::from(self.rate) / 2,
        };
        let ps = (bits * 1_000_000_000_000 + half) / u128::from(self.rate);
        Duration::from_ps(ps as u64)
    }

    fn shortest(&self) -> Duration {
        let bytes = self.framing.wire_bytes(20).into();
        let traced = self.line.as_ref().and_then(|l| l.shortest(bytes));
        let gap = self.time_of(self.framing.gap_bytes());
        traced.unwrap_or(self.time_for(20).saturating_sub(gap)) + self.delay
    }

    pub(crate) fn lookahead(&self) -> Duration {
        self.promised
    }

    pub(crate) fn held(&self) -> u64 {
        self.under_way.len() as u64
    }

    pub(crate) fn apply(&mut self, change: Change) {
        match change {
            Change::Rate(rate) => {
                self.rate = rate.as_bps();
                if let Some(circuits) = &mut self.circuits {
                    circuits.set_line(rate);
                }
            }
            Change::Delay(delay) => self.delay = delay,
            Change::Losses(losses) => self.losses = losses,
            Change::Limit(limit) => {
                self.limit = limit;
                self.shelves.iter_mut().for_each(|s| s.set_limit(limit));
            }
            Change::Up(up) => self.up = up,
            Change::Line { line, overtaking } => {
                self.reorder = overtaking;
                match &mut self.line {
                    Some(own) => own.exchange(*line),
                    None => self.line = Some(*line),
                }
            }
        }
        let shortest = self.shortest();
        self.promised = match self.under_way.is_empty() {
            true => shortest,
            false => self.promised.min(shortest),
        };
    }

    fn bytes_waiting(&self) -> u64 {
        let bytes = |(f, _): &(Frame, _)| u64::from(self.framing.queue_bytes(f.link_payload()));
        let shelved = self.shelves.as_ref().map_or(0, |s| s.all_bytes());
        shelved + self.queue.iter().map(bytes).sum::<u64>()
    }

    fn fits(&self, frame: &Frame) -> bool {
        let extra = u64::from(self.fault == Fault::ServiceCounts);
        let bytes = u64::from(self.framing.queue_bytes(frame.link_payload()));
        let strict = u64::from(self.fault == Fault::FullQueueBoundary);
        match self.limit {
            Limit::Bytes(limit) => self.bytes_waiting() + bytes + extra * bytes + strict <= limit,
            Limit::Packets(limit) => self.queue.len() as u64 + 1 + extra + strict <= limit,
        }
    }

    fn luck(&mut self, frame: &Frame) -> Option<Drop> {
        let framing = self.framing;
        let bytes = framing.exposed_bytes(framing.wire_bytes(frame.link_payload()));
        let likeness = Some(frame.likeness());
        let alike = std::mem::replace(&mut self.latest, likeness) == likeness;
        if alike && self.fault == Fault::RunsSpendNoLuck {
            return None;
        }
        let lost = self.losses.iter_mut().find_map(|l| l.strikes(frame, bytes));
        match self.fault {
            Fault::LossOneLate => std::mem::replace(&mut self.owed, lost),
            _ => lost,
        }
    }

    fn arrive(&mut self, frame: Frame, io: &mut Io<'_>) {
        let now = frame.at;
        self.counters.offered += 1;
        self.weather(now);
        if !self.up {
            return self.refuse(&frame, Drop::Down);
        }
        if frame.link_payload() > self.mtu {
            return self.refuse(&frame, Drop::Mtu);
        }
        let early = match self.fault {
            Fault::LuckBeforeQueue => self.luck(&frame),
            _ => None,
        };
        let idle = self.free <= now && !self.has_frames();
        if let Some(shelves) = &mut self.shelves {
            let payload = frame.link_payload();
            let cost = Footprint {
                queue_bytes: self.framing.queue_bytes(payload),
                wire_bytes: self.framing.wire_bytes(payload),
                ..Footprint::default()
            };
            if let Some(reason) = shelves.offer(frame, cost, !idle) {
                return self.refuse(&frame, reason);
            }
            return self.shelved(now, idle, io);
        }
        if idle {
            return self.transmit(now, frame, early, io);
        }
        if !self.fits(&frame) {
            return self.refuse(&frame, Drop::Tail);
        }
        self.queue.push_back((frame, early));
        let waiting = self.bytes_waiting();
        self.levels.push((now, waiting));
        self.counters.queue_max_bytes = self.counters.queue_max_bytes.max(waiting);
    }

    /// A frame has found room on the shelves.
    fn shelved(&mut self, now: Time, idle: bool, io: &mut Io<'_>) {
        if idle {
            let frame = self.shelves.as_mut().and_then(|s| s.take(now));
            return self.transmit(now, frame.expect("it is there"), None, io);
        }
        let waiting = self.bytes_waiting();
        self.levels.push((now, waiting));
        self.counters.queue_max_bytes = self.counters.queue_max_bytes.max(waiting);
    }

    fn has_frames(&self) -> bool {
        let shelved = self.shelves.as_ref().map_or(0, |s| s.frames());
        shelved + self.queue.len() > 0
    }

    fn refuse(&mut self, frame: &Frame, reason: Drop) {
        self.counters.drop(reason);
        self.hash(frame.at, frame, 1 + reason as u64);
    }

    fn hash(&mut self, at: Time, frame: &Frame, outcome: u64) {
        self.digest = self.digest.wrapping_add(frame_hash(at, frame, outcome));
    }

    fn transmit(&mut self, now: Time, mut frame: Frame, early: Option<Drop>, io: &mut Io<'_>) {
        let payload = frame.link_payload();
        let wire = self.framing.wire_bytes(payload);
        let header = self.headers.get(frame.flow.index()).copied().unwrap_or(0);
        let data = match frame.kind {
            Kind::Data | Kind::Udp => u32::from(frame.len.saturating_sub(header)),
            _ => 0,
        };
        let footprint = Footprint {
            wire_bytes: wire,
            payload_bytes: data,
            class: frame.class,
            ..Footprint::default()
        };
        let shaped = match &mut self.circuits {
            Some(circuits) => circuits.shape(now, wire),
            None => None,
        };
        let (start, end) = shaped.unwrap_or_else(|| {
            let traced = self.line.as_mut().and_then(|l| l.end(now, wire));
            (now, traced.unwrap_or(now + self.time_for(payload)))
        });
        if self
            .line
            .as_ref()
            .is_some_and(|l| l.cuts(self.arrival(end)))
        {
            self.counters.sent(&footprint, 1);
            self.starts.push((now, wire.into()));
            self.free = end;
            self.counters.realised.cut += 1;
            self.counters.drop(Drop::Down);
            return self.hash(end, &frame, 1 + Drop::Down as u64);
        }
        let mut lost = match self.fault {
            Fault::LuckBeforeQueue => early,
            _ => self.luck(&frame),
        };
        let mut hurt = Hurt::default();
        if lost.is_none()
            && let Some(circuits) = &mut self.circuits
        {
            hurt = circuits.pass(start, wire, &frame);
            lost = hurt.fate;
            self.counters.policed_as_cells += u64::from(lost == Some(Drop::Policed));
        }
        let footprint = Footprint {
            cells_lost: hurt.lost,
            cells_tagged: hurt.tagged,
            ..footprint
        };
        self.counters.sent(&footprint, 1);
        self.starts.push((now, wire.into()));
        if let Some(reason) = lost {
            if self.fault != Fault::LossFreesTheLink {
                self.free = end;
            }
            self.counters.drop(reason);
            return self.hash(end, &frame, 1 + reason as u64);
        }
        self.free = end;
        if self.line.is_some() {
            return self.impair(end, frame, wire);
        }
        frame.at = self.arrival(end);
        let exit = self.forwarding.decide(&mut frame);
        if let Exit::Drop(reason) = exit {
            self.counters.drop(reason);
            return self.hash(frame.at, &frame, 1 + reason as u64);
        }
        self.hash(frame.at, &frame, 0);
        if self.reorder {
            let output = self.output(exit, &frame);
            return io.output(output).push_sorted(frame);
        }
        self.last_arrival = self.last_arrival.max(frame.at);
        frame.at = self.last_arrival;
        let output = self.output(exit, &frame);
        io.output(output).push(frame);
    }

    /// Where the far node hands a frame that it hands on, as it gets there.
    fn output(&mut self, exit: Exit, frame: &Frame) -> usize {
        usize::from(match exit {
            Exit::Output(output) => output,
            Exit::Spread(n) => self.forwarding.spreads[usize::from(n)].output(frame, frame.at),
            Exit::Drop(_) => unreachable!("it is handed on"),
        })
    }

    /// The line goes down and up as it is due.
    fn weather(&mut self, now: Time) {
        while let Some(flap) = self.line.as_mut().and_then(|l| l.flap())
            && let Some(due) = flap.change(now)
        {
            if flap.holds() {
                if !flap.is_up() {
                    self.free = self.free.max(flap.next());
                }
                continue;
            }
            self.up = flap.is_up();
            if !self.up {
                for (frame, _) in std::mem::take(&mut self.queue) {
                    self.counters.drop(Drop::Down);
                    self.hash(due, &frame, 1 + Drop::Down as u64);
                }
                let shelved = self.shelves.as_mut().map(|s| s.empty());
                for frame in shelved.into_iter().flatten() {
                    self.counters.drop(Drop::Down);
                    self.hash(due, &frame, 1 + Drop::Down as u64);
                }
                self.levels.push((now, 0));
            }
        }
    }

    /// What the line does to a frame.
    fn impair(&mut self, end: Time, frame: Frame, wire: u32) {
        let bytes = self.framing.exposed_bytes(wire);
        let Some(fate) = self.line.as_mut().map(|line| line.befall(&frame, bytes)) else {
            return;
        };
        let straight = self.arrival(end);
        let realised = &mut self.counters.realised;
        if fate.damage == Some(Damage::Crc) {
            realised.crc_errors += 1;
            self.counters.drop(Drop::Error);
            return self.hash(end, &frame, 1 + Drop::Error as u64);
        }
        let mut sent = frame;
        let exit = self.forwarding.decide(&mut sent);
        if let Exit::Drop(reason) = exit {
            self.counters.drop(reason);
            return self.hash(straight, &frame, 1 + reason as u64);
        }
        realised.damaged += u64::from(fate.damage == Some(Damage::Checksum));
        realised.undetected += u64::from(fate.damage == Some(Damage::Undetected));
        sent.at = straight + fate.delay + fate.held_back.unwrap_or_default();
        let goes_on = fate.held_back.is_none() || self.fault == Fault::HeldBackHoldsAll;
        if goes_on && !self.reorder {
            sent.at = sent.at.max(self.last_arrival);
            self.last_arrival = sent.at;
        }
        let output = self.output(exit, &sent);
        self.put(straight, sent, output, fate);
    }

    fn put(&mut self, straight: Time, mut sent: Frame, output: usize, fate: Fate) {
        let (at, number) = (sent.at, self.numbered);
        self.numbered += 1;
        self.counters.realised.added.note(at.since(straight));
        let mut outcome = 0;
        if fate.damage == Some(Damage::Checksum) {
            sent.damage();
            outcome = 64;
        }
        self.hash(at, &sent, outcome);
        self.under_way.push((at, number, false, output, sent));
        if let Some(after) = fate.copy {
            self.counters.realised.duplicated += 1;
            sent.at = at + after;
            self.hash(sent.at, &sent, outcome);
            self.under_way.push((sent.at, number, true, output, sent));
        }
    }

    /// Hands on what nothing can arrive before any more.
    fn hand_on(&mut self, until: Time, io: &mut Io<'_>) {
        let flip = match self.fault {
            Fault::LineTies => u64::MAX,
            _ => 0,
        };
        let order = |f: &(Time, u64, bool, usize, Frame)| (f.0, f.1 ^ flip, f.2);
        self.under_way.sort_by_key(order);
        let ready = self
            .under_way
            .partition_point(|f| f.0 < until + self.promised);
        for (_, number, is_copy, output, frame) in self.under_way.drain(..ready) {
            match is_copy {
                true => self.counters.realised.order.copies += 1,
                false => self.counters.realised.order.arrive(number),
            }
            io.output(output).push_sorted(frame);
        }
    }

    fn next_end(&self) -> Time {
        match self.has_frames() {
            true => self.free,
            false => Time::MAX,
        }
    }

    /// The input served next, and when.
    fn first(&self, io: &mut Io<'_>) -> (Time, usize) {
        let heads = (0..io.inputs()).map(|n| (io.input(n).head_at(), n));
        let order = |n: usize| match self.fault {
            Fault::TieOrder => usize::MAX - n,
            _ => n,
        };
        heads
            .min_by_key(|&(at, n)| (at, order(n)))
            .unwrap_or((Time::MAX, 0))
    }

    /// The counters as the real port has them after `finish(end)`.
    pub(crate) fn counters(&self, end: Time) -> Counters {
        let mut counters = self.counters.clone();
        let (mut from, mut to) = (Time::ZERO, Time::ZERO + self.sampling.every);
        let late = u64::from(self.fault == Fault::IntervalEnd);
        for _ in 0..self.sampling.count {
            if to > end {
                break;
            }
            // An interval owns its end, not its beginning; the first owns both.
            let mine = |t: Time| {
                let t = t + Duration::from_ps(late);
                (t > from || from == Time::ZERO) && t <= to
            };
            let starts = self.starts.iter().filter(|s| mine(s.0));
            let level = self.levels.iter().rfind(|l| l.0 <= to);
            counters.intervals.push(Interval {
                bytes: starts.map(|s| s.1).sum(),
                queue_bytes: level.map_or(0, |l| l.1),
            });
            (from, to) = (to, to + self.sampling.every);
        }
        counters
    }

    pub(crate) fn digest(&self) -> u64 {
        self.digest
    }

    pub(crate) fn waiting(&self) -> u64 {
        let shelved = self.shelves.as_ref().map_or(0, |s| s.frames());
        (shelved + self.queue.len()) as u64
    }

    pub(crate) fn queues(&self) -> Vec<(QueueCounter, u64)> {
        self.shelves.as_ref().map_or(Vec::new(), |s| s.outcome())
    }
}

impl Element for Plain {
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        loop {
            let due = self.next_end();
            let (arrival, n) = self.first(io);
            if due.min(arrival) >= until {
                return self.hand_on(until, io);
            }
            let end_first = match self.fault {
                Fault::ArrivalBeforeEnd => due < arrival,
                _ => due <= arrival,
            };
            if end_first {
                self.weather(due);
                if self.free > due {
                    continue;
                }
            }
            if end_first && let Some(shelves) = &mut self.shelves {
                if let Some(frame) = shelves.take(due) {
                    self.levels.push((due, self.bytes_waiting()));
                    self.transmit(due, frame, None, io);
                }
            } else if end_first {
                if let Some((frame, early)) = self.queue.pop_front() {
                    self.levels.push((due, self.bytes_waiting()));
                    self.transmit(due, frame, early, io);
                }
            } else if let Some(frame) = io.input(n).pop_before(until) {
                self.arrive(frame, io);
            }
        }
    }

    fn deadline(&self) -> Time {
        let first = self.under_way.iter().map(|f| f.0).min();
        let hand_on = first.map_or(Time::MAX, |at| at - self.promised);
        self.next_end().min(hand_on)
    }
}
