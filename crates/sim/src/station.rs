//! A node's own endpoint: the programs that run on a host or router, and what the node answers by
//! itself.

use farpath_element::{Answer, Drop, Element, IntervalClock, Io, Sampling, answer, frame_hash};
use farpath_units::{Duration, Time};
use farpath_wire::{FlowDir, Frame, Kind};

use crate::ping::Pinger;
use crate::tcp::{TcpSink, TcpSource};
use crate::udp::{UdpSink, UdpSource};

/// How long a router takes to answer an echo request or to report a frame it cannot forward. Not a
/// figure of any router: the control plane is not modelled, but an answer takes some time.
pub const ROUTER_ANSWER: Duration = Duration::from_us(10);

/// Counters of drops, in the order of [`Drop::ALL`].
pub type Drops = [u64; Drop::ALL.len()];

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
    /// Sends echo requests.
    Pinger(Pinger),
}

impl Program {
    fn deadline(&self) -> Time {
        match self {
            Program::TcpSource(p) => p.deadline(),
            Program::TcpSink(p) => p.deadline(),
            Program::UdpSource(p) => p.deadline(),
            Program::UdpSink(_) => Time::MAX,
            Program::Pinger(p) => p.deadline(),
        }
    }

    fn on_deadline(&mut self, now: Time, io: &mut Io<'_>) {
        match self {
            Program::TcpSource(p) => p.on_deadline(now, io),
            Program::TcpSink(p) => p.on_deadline(now, io),
            Program::UdpSource(p) => p.on_deadline(now, io),
            Program::UdpSink(_) => {}
            Program::Pinger(p) => p.on_deadline(now, io),
        }
    }

    /// Takes the first of `frames` and those of its flow behind it, up to the program's own next
    /// deadline or up to `until`; returns how many. No deadline of the program is due before.
    #[inline]
    fn on_frames(&mut self, frames: &[Frame], until: Time, io: &mut Io<'_>) -> usize {
        match self {
            Program::TcpSource(p) => p.on_frames(frames, until, io),
            Program::TcpSink(p) => p.on_frames(frames, until, io),
            Program::UdpSource(_) => 1,
            Program::UdpSink(p) => {
                p.on_frame(frames[0].at, &frames[0]);
                1
            }
            Program::Pinger(p) => {
                p.on_frame(frames[0].at, &frames[0]);
                1
            }
        }
    }

    fn sample(&mut self, now: Time) {
        match self {
            Program::TcpSource(p) => p.sample(now),
            Program::TcpSink(p) => p.sample(),
            Program::UdpSink(_) | Program::UdpSource(_) | Program::Pinger(_) => {}
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
    /// Program by `FlowDir::index` of the frames it receives.
    receivers: Vec<Option<u32>>,
    /// No program's deadline is earlier.
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
            receivers: Vec::new(),
            wake: Time::ZERO,
            clock: IntervalClock::new(sampling),
            intervals: 0,
            received: 0,
            dropped: Vec::new(),
            digest: None,
        }
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

    /// Adds a program that receives the frames of `receives`.
    pub fn add(&mut self, program: Program, receives: FlowDir) {
        if self.receivers.len() <= receives.index() {
            self.receivers.resize(receives.index() + 1, None);
        }
        self.receivers[receives.index()] = Some(self.programs.len() as u32);
        self.programs.push(program);
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
        let mut wake = Time::MAX;
        for program in &mut self.programs {
            if program.deadline() <= now {
                program.on_deadline(now, io);
            }
            wake = wake.min(program.deadline());
        }
        self.wake = wake;
    }

    /// Takes the first of `frames`, which came over input `input`, and maybe more that arrive before
    /// `until`; returns how many.
    #[inline]
    fn receive(&mut self, input: usize, frames: &[Frame], until: Time, io: &mut Io<'_>) -> usize {
        let frame = &frames[0];
        self.note_intervals(frame.at);
        let receiver = self.receivers.get(frame.flow.index()).copied().flatten();
        let mut taken = 1;
        if let Some(n) = receiver
            && frame.kind != Kind::EchoRequest
        {
            let program = &mut self.programs[n as usize];
            taken = program.on_frames(frames, until.min(self.clock.end.next()), io);
            self.wake = self.wake.min(program.deadline());
        } else {
            self.answer(input, frame, io);
        }
        self.received += taken as u64;
        if let Some(sum) = &mut self.digest {
            for frame in &frames[..taken] {
                *sum = sum.wrapping_add(frame_hash(frame.at, frame, 100));
            }
        }
        taken
    }

    /// A frame for which there is no program.
    fn answer(&mut self, input: usize, frame: &Frame, io: &mut Io<'_>) {
        // A frame that could not be forwarded has a route onwards from here; one that ends here has none.
        let is_destination = self.output(frame.flow).is_none();
        match answer(frame, self.node, is_destination, self.answers) {
            Answer::Accept => self.drop(input, Drop::Host),
            Answer::Drop(reason) => self.drop(input, reason),
            Answer::Reply(mut reply) => match self.output(reply.flow) {
                Some(output) => {
                    reply.at = frame.at + self.answer_after;
                    io.output(output).push(reply);
                }
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
