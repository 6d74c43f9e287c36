//! A second port, written the plainest way from its description alone: one event at a time, every
//! sum taken afresh, no caches, no arithmetic ahead of time. The real one must agree with it to the
//! bit. It can also be wrong on purpose, in ways that only a network with exact ties shows.

use std::collections::VecDeque;

use farpath_element::atm::{Circuits, Hurt};
use farpath_element::impair::Loss;
use farpath_element::qdisc::Footprint;
use farpath_element::qdisc::Limit;
use farpath_element::{
    Change, Counters, Drop, Element, Exit, Forwarding, Interval, Io, PortConfig, Sampling,
    frame_hash,
};
use farpath_predict::Framing;
use farpath_units::{Duration, Time};
use farpath_wire::{Frame, Kind};

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
    circuits: Option<Circuits>,
    forwarding: Forwarding,
    headers: std::sync::Arc<[u16]>,
    sampling: Sampling,
    queue: VecDeque<(Frame, Option<Drop>)>,
    free: Time,
    last_arrival: Time,
    counters: Counters,
    /// (start of service, wire bytes); (time, bytes waiting from then on).
    starts: Vec<(Time, u64)>,
    levels: Vec<(Time, u64)>,
    digest: u64,
    fault: Fault,
}

impl Plain {
    pub(crate) fn new(config: PortConfig, fault: Fault) -> Plain {
        Plain {
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
            free: Time::ZERO,
            last_arrival: Time::ZERO,
            counters: Counters::default(),
            starts: Vec::new(),
            levels: Vec::new(),
            digest: 0,
            fault,
        }
    }

    fn time_for(&self, payload: u32) -> Duration {
        let bits = u128::from(self.framing.wire_bytes(payload)) * 8;
        let half = match self.fault {
            Fault::RoundingDown => 0,
            _ => u128::from(self.rate) / 2,
        };
        let ps = (bits * 1_000_000_000_000 + half) / u128::from(self.rate);
        Duration::from_ps(ps as u64)
    }

    pub(crate) fn lookahead(&self) -> Duration {
        self.time_for(20) + self.delay
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
            Change::Limit(limit) => self.limit = limit,
            Change::Up(up) => self.up = up,
        }
    }

    fn bytes_waiting(&self) -> u64 {
        let bytes = |(f, _): &(Frame, _)| u64::from(self.framing.queue_bytes(f.link_payload()));
        self.queue.iter().map(bytes).sum()
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
        let bytes = self.framing.wire_bytes(frame.link_payload());
        self.losses.iter_mut().find_map(|l| l.strikes(frame, bytes))
    }

    fn arrive(&mut self, frame: Frame, io: &mut Io<'_>) {
        let now = frame.at;
        self.counters.offered += 1;
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
        if self.free <= now && self.queue.is_empty() {
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
        let (start, end) = shaped.unwrap_or((now, now + self.time_for(payload)));
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
        frame.at = end + self.delay;
        match self.forwarding.decide(&mut frame) {
            Exit::Drop(reason) => {
                self.counters.drop(reason);
                self.hash(frame.at, &frame, 1 + reason as u64);
            }
            Exit::Output(output) => {
                self.hash(frame.at, &frame, 0);
                if self.reorder {
                    return io.output(output.into()).push_sorted(frame);
                }
                self.last_arrival = self.last_arrival.max(frame.at);
                frame.at = self.last_arrival;
                io.output(output.into()).push(frame);
            }
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
        self.queue.len() as u64
    }
}

impl Element for Plain {
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        loop {
            let due = self.deadline();
            let (arrival, n) = self.first(io);
            if due.min(arrival) >= until {
                return;
            }
            let end_first = match self.fault {
                Fault::ArrivalBeforeEnd => due < arrival,
                _ => due <= arrival,
            };
            if end_first {
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
        match self.queue.is_empty() {
            true => Time::MAX,
            false => self.free,
        }
    }
}
