//! The test's hosts and routers: scripted sources, feedback, delayed answers, and a hash of all
//! that is received, in order.

use farpath_element::{Answer, Drop, Element, Io, answer, frame_hash};
use farpath_units::{Duration, Time};
use farpath_wire::{Coalescer, Flags, FlowDir, Frame, Kind};

use crate::law::choices::Choices;

/// Frames sent by the script at one instant.
#[derive(Clone, Debug)]
pub(crate) struct Burst {
    pub(crate) at: Time,
    pub(crate) flow: usize,
    pub(crate) count: u64,
}

/// What the two ends of a flow do.
#[derive(Clone, Debug)]
pub(crate) struct Habits {
    pub(crate) kind: Kind,
    pub(crate) len: u16,
    pub(crate) ttl: u8,
    pub(crate) class: u8,
    pub(crate) dont_fragment: bool,
    /// The source sends at most so many frames.
    pub(crate) total: u64,
    /// Every so many frames the destination acknowledges; 0: never.
    pub(crate) ack_every: u64,
    /// Frames it has not acknowledged are acknowledged so long after the first of them.
    pub(crate) ack_timer: Duration,
    /// Frames sent for each acknowledgement.
    pub(crate) per_ack: u64,
}

#[derive(Clone, Debug, Default)]
struct FlowState {
    sent: u64,
    received: u64,
    acked: u64,
    timer: Option<Time>,
}

/// What became of everything a node had to do with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NodeOutcome {
    pub(crate) digest: u64,
    pub(crate) sent: u64,
    pub(crate) received: u64,
    pub(crate) drops: [u64; Drop::ALL.len()],
    /// Sequence numbers received, by `FlowDir::index`.
    pub(crate) seqs: Vec<Vec<u64>>,
    pub(crate) out_of_order: u64,
}

/// A host or the routing engine of a router.
pub(crate) struct Node {
    pub(crate) number: u32,
    pub(crate) answers: bool,
    /// From arrival or due time to the own channel's far end; the channels' lookahead.
    pub(crate) think: Duration,
    /// By `FlowDir::index`: the output that leads to that direction's destination.
    pub(crate) routes: Vec<Option<usize>>,
    /// By `FlowDir::index`: the direction ends here.
    pub(crate) ends_here: Vec<bool>,
    pub(crate) habits: Vec<Habits>,
    /// In order of time.
    pub(crate) script: Vec<Burst>,
    pub(crate) next: usize,
    /// Sends go out as bursts, cut wherever these choices say.
    pub(crate) cutter: Option<Choices>,
    /// By output: what is not yet cut into bursts.
    unsent: Vec<Vec<Frame>>,
    states: Vec<FlowState>,
    pub(crate) outcome: NodeOutcome,
    last: Time,
}

impl Node {
    pub(crate) fn new(number: u32, think: Duration, habits: &[Habits]) -> Node {
        Node {
            number,
            answers: true,
            think,
            routes: vec![None; habits.len() * 2],
            ends_here: vec![false; habits.len() * 2],
            habits: habits.to_vec(),
            script: Vec::new(),
            next: 0,
            cutter: None,
            unsent: Vec::new(),
            states: vec![FlowState::default(); habits.len()],
            outcome: NodeOutcome {
                seqs: vec![Vec::new(); habits.len() * 2],
                ..NodeOutcome::default()
            },
            last: Time::ZERO,
        }
    }

    fn note_time(&mut self, now: Time) {
        self.outcome.out_of_order += u64::from(now < self.last);
        self.last = now;
    }

    fn send(&mut self, now: Time, mut frame: Frame, io: &mut Io<'_>) {
        self.outcome.sent += 1;
        match self.routes[frame.flow.index()] {
            Some(output) => {
                frame.at = now + self.think;
                if self.cutter.is_none() {
                    return io.output(output).push(frame);
                }
                if self.unsent.len() <= output {
                    self.unsent.resize(output + 1, Vec::new());
                }
                self.unsent[output].push(frame);
            }
            None => self.outcome.drops[Drop::NoRoute as usize] += 1,
        }
    }

    /// Cuts what is to be sent into bursts: joined as far as they go, and split again at random.
    fn send_bursts(&mut self, io: &mut Io<'_>) {
        let Some(cutter) = &mut self.cutter else {
            return;
        };
        for (output, frames) in self.unsent.iter_mut().enumerate() {
            let mut coalescer = Coalescer::new();
            let mut bursts = Vec::new();
            for frame in frames.drain(..) {
                if cutter.chance(10) {
                    bursts.extend(coalescer.finish());
                }
                bursts.extend(coalescer.push(frame));
            }
            bursts.extend(coalescer.finish());
            for burst in bursts {
                if burst.count() > 1 && cutter.chance(50) {
                    let k = 1 + cutter.below(u64::from(burst.count()) - 1) as u32;
                    let (head, tail) = burst.split_at(k);
                    io.output(output).push_burst(&head);
                    io.output(output).push_burst(&tail);
                } else {
                    io.output(output).push_burst(&burst);
                }
            }
        }
    }

    fn send_data(&mut self, now: Time, flow: usize, count: u64, io: &mut Io<'_>) {
        for _ in 0..count {
            let habits = &self.habits[flow];
            let state = &mut self.states[flow];
            if state.sent == habits.total {
                return;
            }
            let to = FlowDir::forward(flow as u16);
            let mut frame = Frame::new(habits.kind, to, state.sent, habits.len);
            frame.ttl = habits.ttl;
            frame.class = habits.class;
            if habits.dont_fragment {
                frame.set_flags(Flags::DONT_FRAGMENT);
            }
            state.sent += 1;
            self.send(now, frame, io);
        }
    }

    fn acknowledge(&mut self, now: Time, flow: usize, io: &mut Io<'_>) {
        let state = &mut self.states[flow];
        state.acked = state.received;
        state.timer = None;
        let back = FlowDir::forward(flow as u16).turned();
        let frame = Frame::new(Kind::Ack, back, state.acked, 52);
        self.send(now, frame, io);
    }

    fn receive(&mut self, frame: Frame, io: &mut Io<'_>) {
        let now = frame.at;
        self.note_time(now);
        self.outcome.received += 1;
        let facts =
            frame_hash(now, &frame, u64::from(frame.is_damaged())) ^ u64::from(frame.side) << 32;
        self.outcome.digest = self.outcome.digest.rotate_left(7).wrapping_mul(31) ^ facts;
        let mine = self.ends_here[frame.flow.index()];
        match answer(&frame, self.number, mine, self.answers) {
            Answer::Drop(reason) => self.outcome.drops[reason as usize] += 1,
            Answer::Reply(mut reply) => {
                reply.label = farpath_wire::LabelEntry::NONE;
                self.send(now, reply, io);
            }
            Answer::Accept => self.accept(&frame, io),
        }
    }

    fn accept(&mut self, frame: &Frame, io: &mut Io<'_>) {
        let (now, flow) = (frame.at, usize::from(frame.flow.flow()));
        self.outcome.seqs[frame.flow.index()].push(frame.seq);
        let (every, wait) = (self.habits[flow].ack_every, self.habits[flow].ack_timer);
        match frame.kind {
            Kind::Data if every > 0 => {
                let state = &mut self.states[flow];
                state.received += 1;
                if state.received - state.acked >= every {
                    self.acknowledge(now, flow, io);
                } else if state.timer.is_none() {
                    state.timer = Some(now + wait);
                }
            }
            Kind::Ack => self.send_data(now, flow, self.habits[flow].per_ack, io),
            _ => {}
        }
    }

    fn fire(&mut self, due: Time, io: &mut Io<'_>) {
        self.note_time(due);
        if let Some(burst) = self.script.get(self.next).filter(|b| b.at == due).cloned() {
            self.next += 1;
            return self.send_data(due, burst.flow, burst.count, io);
        }
        let timed = |s: &FlowState| s.timer == Some(due);
        if let Some(flow) = self.states.iter().position(timed) {
            self.acknowledge(due, flow, io);
        }
    }
}

impl Element for Node {
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        loop {
            let due = self.deadline();
            let first = io.first_input(until).map(|(n, _)| n);
            let arrival = first.map_or(Time::MAX, |n| io.input(n).head_at());
            if due < until && due <= arrival {
                self.fire(due, io);
            } else if let Some(frame) = first.and_then(|n| io.input(n).pop_before(until)) {
                self.receive(frame, io);
            } else {
                return self.send_bursts(io);
            }
        }
    }

    fn deadline(&self) -> Time {
        let scripted = self.script.get(self.next).map_or(Time::MAX, |b| b.at);
        let timers = self.states.iter().filter_map(|s| s.timer);
        timers.min().unwrap_or(Time::MAX).min(scripted)
    }
}
