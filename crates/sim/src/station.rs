//! A node's own endpoint: the programs that run on a host or router, and what the node answers by
//! itself.

use farpath_element::{
    Answer, Drop, Element, IntervalClock, Io, ROUTER_ANSWER, Sampling, answer, frame_hash,
};
use farpath_units::{Duration, Time};
use farpath_wire::{FlowDir, Frame, Kind};

use farpath_wan::Drops;

use crate::due::Due;
use crate::exchange::{Answerer, Asker};
use crate::host::{Host, Step};
use crate::prober::Prober;
use crate::tcp::{TcpSink, TcpSource};
use crate::udp::{UdpSink, UdpSource};

/// One program on a node.
#[derive(Debug)]
pub enum Program {
    /// Sends data over TCP.
    TcpSource(Box<TcpSource>),
    /// Receives data over TCP.
    TcpSink(Box<TcpSink>),
    /// Sends datagrams.
    UdpSource(UdpSource),
    /// Receives datagrams.
    UdpSink(UdpSink),
    /// Sends or hears single packets.
    Prober(Box<dyn Prober>),
    /// Asks over TCP.
    Asker(Box<Asker>),
    /// Answers over TCP.
    Answerer(Box<Answerer>),
}

impl Program {
    /// The connection it sends on, if it has one.
    pub fn tcp_source(&self) -> Option<&TcpSource> {
        match self {
            Program::TcpSource(p) => Some(p),
            Program::Asker(p) => Some(p.asks()),
            Program::Answerer(p) => Some(p.gives()),
            _ => None,
        }
    }

    /// The same, to take its time–sequence record.
    pub fn tcp_source_mut(&mut self) -> Option<&mut TcpSource> {
        match self {
            Program::TcpSource(p) => Some(p),
            Program::Asker(p) => Some(p.asks_mut()),
            Program::Answerer(p) => Some(p.gives_mut()),
            _ => None,
        }
    }

    /// The connection it receives on, if it has one.
    pub fn tcp_sink(&self) -> Option<&TcpSink> {
        match self {
            Program::TcpSink(p) => Some(p),
            Program::Asker(p) => Some(p.takes()),
            Program::Answerer(p) => Some(p.hears()),
            _ => None,
        }
    }

    #[inline]
    /// When it is to do something next; [`Time::MAX`]: only when something arrives.
    pub(crate) fn deadline(&self) -> Time {
        match self {
            Program::TcpSource(p) => p.deadline(),
            Program::TcpSink(p) => p.deadline(),
            Program::UdpSource(p) => p.deadline(),
            Program::UdpSink(_) => Time::MAX,
            Program::Prober(p) => p.deadline(),
            Program::Asker(p) => p.deadline(),
            Program::Answerer(p) => p.deadline(),
        }
    }

    fn on_deadline(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        match self {
            Program::TcpSource(p) => p.on_deadline(now, host, io),
            Program::TcpSink(p) => p.on_deadline(now, host, io),
            Program::UdpSource(p) => p.on_deadline(now, host, io),
            Program::UdpSink(_) => {}
            Program::Prober(p) => p.on_deadline(now, host, io),
            Program::Asker(p) => p.on_deadline(now, host, io),
            Program::Answerer(p) => p.on_deadline(now, host, io),
        }
    }

    /// Its turn in the host has come.
    fn on_turn(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        match self {
            Program::TcpSource(p) => p.on_turn(now, host, io),
            Program::UdpSource(p) => p.on_turn(now, host, io),
            Program::Asker(p) => p.on_turn(now, host, io),
            Program::Answerer(p) => p.on_turn(now, host, io),
            Program::TcpSink(_) | Program::UdpSink(_) | Program::Prober(_) => {}
        }
    }

    /// Takes the first of `frames` and those of its flow behind it, up to the program's own next
    /// deadline or up to `until`; returns how many. No deadline of the program is due before.
    #[inline]
    fn on_frames(
        &mut self,
        frames: &[Frame],
        until: Time,
        host: &mut Host,
        io: &mut Io<'_>,
    ) -> usize {
        match self {
            Program::TcpSource(p) => return p.on_frames(frames, until, host, io),
            Program::TcpSink(p) => return p.on_frames(frames, until, host, io),
            Program::UdpSource(_) => {}
            Program::UdpSink(p) => p.on_frame(frames[0].at, &frames[0]),
            Program::Prober(p) => p.on_frame(frames[0].at, &frames[0]),
            Program::Asker(p) => p.on_frame(&frames[0], host, io),
            Program::Answerer(p) => p.on_frame(&frames[0], host, io),
        }
        1
    }

    fn sample(&mut self, now: Time) {
        match self {
            Program::TcpSource(p) => p.sample(now),
            Program::TcpSink(p) => p.sample(),
            Program::Asker(p) => p.sample(now),
            Program::Answerer(p) => p.sample(now),
            Program::UdpSink(_) | Program::UdpSource(_) | Program::Prober(_) => {}
        }
    }
}

/// A node's endpoint as an element.
#[derive(Debug)]
pub struct Station {
    node: u32,
    answers: bool,
    /// Added to the instant of an answer; zero on hosts.
    answer_after: Duration,
    /// Output by `FlowDir::index`.
    routes: Vec<Option<u16>>,
    programs: Vec<Program>,
    host: Host,
    /// Frames are handled one by one: they wait for a processor, or may be damaged.
    careful: bool,
    /// Program by `FlowDir::index` of the frames it receives.
    receivers: Vec<Option<u32>>,
    /// For each program an instant that its deadline is not before: it is lowered at once, and raised when it has come.
    due: Due,
    /// Nothing is due earlier.
    wake: Time,
    clock: IntervalClock,
    intervals: usize,
    /// Frames that ended here, for any reason.
    pub received: u64,
    /// Frames dropped here, by input: in a result they are drops of the link they came over.
    dropped: Vec<Drops>,
    digest: Option<u64>,
}

impl Station {
    /// A node without programs.
    pub fn new(
        node: u32,
        answers: bool,
        is_router: bool,
        routes: Vec<Option<u16>>,
        host: Host,
        sampling: Sampling,
    ) -> Station {
        Station {
            node,
            answers,
            answer_after: if is_router {
                ROUTER_ANSWER
            } else {
                Duration::ZERO
            },
            routes,
            programs: Vec::new(),
            careful: host.is_limited(),
            host,
            receivers: Vec::new(),
            due: Due::default(),
            wake: Time::ZERO,
            clock: IntervalClock::new(sampling),
            intervals: 0,
            received: 0,
            dropped: Vec::new(),
            digest: None,
        }
    }

    /// Frames may be damaged: the transport checksum of each is verified.
    pub(crate) fn check_sums(&mut self) {
        self.careful = true;
    }

    /// What the station promises beyond the instant it has been advanced to.
    pub fn lookahead(&self) -> Duration {
        self.answer_after
    }

    /// The output on which frames of `flow` leave.
    pub fn output(&self, flow: FlowDir) -> Option<usize> {
        self.routes
            .get(flow.index())
            .copied()
            .flatten()
            .map(usize::from)
    }

    /// The machinery between the programs and the links.
    pub fn host(&self) -> &Host {
        &self.host
    }

    /// Takes over when the host is due next, after a change from outside.
    pub(crate) fn renew(&mut self) {
        self.wake = self.wake.min(self.host.wake);
    }

    /// The same, to change.
    pub(crate) fn host_mut(&mut self) -> &mut Host {
        &mut self.host
    }

    /// Adds a program that receives the frames of `receives`.
    pub fn add(&mut self, mut program: Program, receives: &[FlowDir]) {
        let number = self.programs.len() as u32;
        if let Some(source) = program.tcp_source_mut() {
            source.number = number;
            self.host.watch();
        } else if let Program::UdpSource(source) = &mut program {
            source.number = number;
        }
        for flow in receives {
            if self.receivers.len() <= flow.index() {
                self.receivers.resize(flow.index() + 1, None);
            }
            self.receivers[flow.index()] = Some(number);
        }
        self.programs.push(program);
        self.due.push(Time::ZERO);
    }

    /// The program that receives the frames of `flow`.
    pub fn program(&self, flow: FlowDir) -> Option<&Program> {
        let index = self.receivers.get(flow.index()).copied().flatten()?;
        self.programs.get(index as usize)
    }

    /// Every program.
    pub fn programs(&self) -> &[Program] {
        &self.programs
    }

    /// Every program, to take results out.
    pub fn programs_mut(&mut self) -> &mut [Program] {
        &mut self.programs
    }

    /// Sums a hash of every arrival, for comparing runs.
    pub fn audit(&mut self) {
        self.digest = Some(0);
    }

    /// Frames that came over input `input` and were dropped here, in the order of [`Drop::ALL`].
    pub fn dropped(&self, input: usize) -> Drops {
        self.dropped.get(input).copied().unwrap_or_default()
    }

    #[cold]
    fn drop(&mut self, input: usize, reason: Drop) {
        if self.dropped.len() <= input {
            self.dropped.resize(input + 1, Drops::default());
        }
        self.dropped[input][reason as usize] += 1;
    }

    /// The sum so far.
    pub fn digest(&self) -> u64 {
        self.digest.unwrap_or_default()
    }

    /// Samples every interval that ends by `end`.
    pub fn finish(&mut self, end: Time) {
        while self.clock.has_ended(end) {
            self.sample();
        }
    }

    fn sample(&mut self) {
        for program in &mut self.programs {
            program.sample(self.clock.end);
        }
        self.host.sample(self.clock.end);
        self.intervals += 1;
        self.clock.next(self.intervals);
    }

    #[inline]
    fn note_intervals(&mut self, now: Time) {
        while now > self.clock.end {
            self.sample();
        }
    }

    fn fire(&mut self, now: Time, io: &mut Io<'_>) {
        self.note_intervals(now);
        while let Some((input, frame)) = self.host.processed(now) {
            self.deliver_late(input, &frame, io);
        }
        let mut from = 0;
        while let Some(n) = self.due.next(from, now) {
            let program = &mut self.programs[n];
            if program.deadline() <= now {
                program.on_deadline(now, &mut self.host, io);
            }
            self.due.set(n, program.deadline());
            from = n + 1;
        }
        if self.host.wake <= now {
            self.go_on(now, io);
        }
        self.wake = self.host.wake.min(self.due.first());
    }

    /// What the host does of its own accord: those that wait send by turns, and received frames
    /// are taken in hand.
    fn go_on(&mut self, now: Time, io: &mut Io<'_>) {
        while let Some(step) = self.host.step(now) {
            match step {
                Step::Turn(n) => {
                    let program = &mut self.programs[n as usize];
                    program.on_turn(now, &mut self.host, io);
                    self.due.lower(n as usize, program.deadline());
                    self.host.end_turn();
                }
                Step::Served => {
                    while let Some((input, frame)) = self.host.processed(now) {
                        self.deliver_late(input, &frame, io);
                    }
                }
            }
        }
    }

    /// Takes the first of `frames`, which came over input `input`, and maybe more that arrive before
    /// `until`; returns how many.
    #[inline]
    fn receive(&mut self, input: usize, frames: &[Frame], until: Time, io: &mut Io<'_>) -> usize {
        self.note_intervals(frames[0].at);
        let taken = if self.careful {
            self.take_in(input, &frames[0], io)
        } else {
            let until = until.min(self.clock.end.next());
            self.deliver(input, frames, until, io)
        };
        self.received += taken as u64;
        if let Some(sum) = &mut self.digest {
            for frame in &frames[..taken] {
                *sum = sum.wrapping_add(frame_hash(frame.at, frame, 100));
            }
        }
        taken
    }

    /// A frame is damaged, or has to wait for the processor, or is dropped.
    #[cold]
    fn take_in(&mut self, input: usize, frame: &Frame, io: &mut Io<'_>) -> usize {
        // A router on the way reads nothing beyond the network header.
        if frame.is_damaged() && self.output(frame.flow).is_none() {
            self.drop(input, Drop::Checksum);
            return 1;
        }
        if !self.host.is_limited() {
            self.deliver_late(input, frame, io);
            return 1;
        }
        if !self.host.take_in(input, frame) {
            self.drop(input, Drop::Host);
        }
        self.wake = self.wake.min(self.host.wake);
        1
    }

    /// A frame that waited for the processor has come through.
    #[inline(never)]
    fn deliver_late(&mut self, input: usize, frame: &Frame, io: &mut Io<'_>) {
        self.deliver(input, std::slice::from_ref(frame), frame.at, io);
    }

    /// The first of `frames`, and maybe more that arrive before `until`, get to the programs.
    // Always inline: this is the whole cost of an arrival at a host.
    #[inline(always)]
    fn deliver(&mut self, input: usize, frames: &[Frame], until: Time, io: &mut Io<'_>) -> usize {
        let frame = &frames[0];
        let receiver = self.receivers.get(frame.flow.index()).copied().flatten();
        if let Some(n) = receiver
            && frame.kind != Kind::EchoRequest
        {
            let program = &mut self.programs[n as usize];
            let taken = program.on_frames(frames, until, &mut self.host, io);
            let deadline = program.deadline();
            self.due.lower(n as usize, deadline);
            self.wake = self.wake.min(deadline).min(self.host.wake);
            return taken;
        }
        self.answer(input, frame, io);
        1
    }

    /// A frame for which there is no program.
    fn answer(&mut self, input: usize, frame: &Frame, io: &mut Io<'_>) {
        // A frame that could not be forwarded has a route onwards from here; one that ends here has none.
        let is_destination = self.output(frame.flow).is_none();
        let answer = answer(frame, self.node, is_destination, self.answers);
        let reported = answer.reported();
        if let Some(reason) = reported {
            self.drop(input, reason);
        }
        match answer {
            // What a router reports is its stack's.
            Answer::Accept if frame.kind.is_report() => {}
            Answer::Accept => self.drop(input, Drop::Host),
            Answer::Drop(reason) => self.drop(input, reason),
            Answer::Reply(mut reply) => match self.output(reply.flow) {
                Some(output) => {
                    reply.at = self.host.departs(frame.at, output, &reply) + self.answer_after;
                    io.output(output).push(reply);
                }
                // One frame is dropped once, whether its report has a route or not.
                None if reported.is_some() => {}
                None => self.drop(input, Drop::NoRoute),
            },
        }
    }
}

impl Element for Station {
    fn advance(&mut self, until: Time, io: &mut Io<'_>) {
        loop {
            let first = io.first_input(until);
            let arrival = first.map_or(until, |(n, _)| io.input(n).head_at());
            if self.wake < until && self.wake <= arrival {
                self.fire(self.wake, io);
                continue;
            }
            let Some((n, stays_first)) = first else {
                return;
            };
            // Taken out while it is drained, so that programs may send through `io`.
            let mut input = std::mem::take(io.input(n));
            let mut taken = 0;
            let frames = input.frames();
            while let Some(frame) = frames.get(taken)
                && frame.at < stays_first.min(self.wake)
            {
                let until = stays_first.min(self.wake);
                taken += self.receive(n, &frames[taken..], until, io);
            }
            input.drop_heads(taken);
            *io.input(n) = input;
        }
    }

    fn deadline(&self) -> Time {
        self.wake
    }
}

#[cfg(test)]
mod tests {
    use farpath_element::{Mode, Network};

    use super::*;

    fn router(routes: Vec<Option<u16>>) -> Station {
        Station::new(0, true, true, routes, Host::none(), Sampling::OFF)
    }

    /// Its TTL has ended, and its report has a way back, or none.
    #[test]
    fn a_frame_is_dropped_once_whatever_becomes_of_its_report() {
        let us = |n| Time::ZERO + Duration::from_us(n);
        let there = FlowDir::forward(0);
        for back in [None, Some(0)] {
            let mut routes = vec![None; 2];
            routes[there.index()] = Some(0);
            routes[there.turned().index()] = back;
            let mut network = Network::new();
            let source = network.add(router(Vec::new()));
            let node = network.add(router(routes));
            let sink = network.add(router(Vec::new()));
            let way = network.connect(source, node, Duration::ZERO);
            network.connect(node, sink, ROUTER_ANSWER);
            let mut frame = Frame::new(Kind::Udp, there, 0, 100);
            (frame.ttl, frame.at) = (1, us(1));
            network.channel_mut(way).push(frame);
            network.run(us(5), Mode::Windowed(Duration::from_ms(1)));
            let dropped = network.element(node).dropped(0);
            assert_eq!(dropped[Drop::Ttl as usize], 1, "{back:?}");
            assert_eq!(dropped.iter().sum::<u64>(), 1, "{back:?}");
        }
    }
}
