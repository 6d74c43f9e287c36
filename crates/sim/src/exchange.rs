//! Requests and their answers over two connections, one for each direction of data: files fetched
//! one after the other, or blocks asked for by an application with a window of its own.

use std::collections::VecDeque;

use farpath_element::Io;
use farpath_observe::Asker as Asked;
use farpath_units::{Duration, Time};
use farpath_wire::Frame;

use crate::host::{Host, PIECE, Way};
use crate::tcp::{TcpSink, TcpSource};

/// What both ends know.
#[derive(Clone, Copy, Debug)]
pub struct ExchangeConfig {
    /// Bytes of a request.
    pub request: u64,
    /// Bytes of an answer.
    pub answer: u64,
    /// Requests without an answer at most.
    pub outstanding: u64,
    /// From an answer to the request that follows it.
    pub think: Duration,
    /// Requests in all; without, as many as there is time for.
    pub requests: Option<u64>,
    /// Start of the measurement.
    pub measured_from: Time,
    /// Its end: nothing is asked any more.
    pub stop: Time,
}

/// The end that asks.
#[derive(Debug)]
pub struct Asker {
    config: ExchangeConfig,
    asks: TcpSource,
    takes: TcpSink,
    asked: u64,
    answered: u64,
    /// When each request without an answer was made.
    pending: VecDeque<Time>,
    /// When the next requests are made.
    thinking: VecDeque<Time>,
    begun: bool,
    /// Answers within the measurement.
    pub measured: u64,
    /// Least, most and sum of the times from request to whole answer, of those.
    pub response: [Duration; 3],
    /// Each of those times, of as many as an observation holds.
    pub times: Vec<Duration>,
    /// The instant of the last whole answer.
    pub last: Time,
}

impl Asker {
    /// The end that asks, before the start.
    pub fn new(config: ExchangeConfig, asks: TcpSource, takes: TcpSink) -> Asker {
        Asker {
            config,
            asks,
            takes,
            asked: 0,
            answered: 0,
            pending: VecDeque::new(),
            thinking: VecDeque::new(),
            begun: false,
            measured: 0,
            response: [Duration::MAX, Duration::ZERO, Duration::ZERO],
            times: Vec::new(),
            last: Time::ZERO,
        }
    }

    /// The connection that carries requests.
    pub fn asks(&self) -> &TcpSource {
        &self.asks
    }

    pub(crate) fn asks_mut(&mut self) -> &mut TcpSource {
        &mut self.asks
    }

    /// The connection that carries answers.
    pub fn takes(&self) -> &TcpSink {
        &self.takes
    }

    /// Whole answers so far.
    pub fn answered(&self) -> u64 {
        self.answered
    }

    /// Whether nothing more will be asked and every answer is there, on the disk if there is one.
    pub fn done(&self, now: Time) -> bool {
        let all_there = self.may_ask() == 0 && self.answered == self.asked;
        now >= self.config.stop || (all_there && self.takes.is_stored())
    }

    /// Requests that are still to be made.
    fn may_ask(&self) -> u64 {
        self.config.requests.unwrap_or(u64::MAX) - self.asked
    }

    #[inline(never)]
    pub(crate) fn deadline(&self) -> Time {
        let next = self.thinking.front().copied().unwrap_or(Time::MAX);
        next.min(self.asks.deadline()).min(self.takes.deadline())
    }

    pub(crate) fn on_deadline(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        if self.asks.deadline() <= now {
            self.asks.on_deadline(now, host, io);
        }
        if self.takes.deadline() <= now {
            self.takes.on_deadline(now, host, io);
        }
        let mut due = 0;
        while self.thinking.front().is_some_and(|at| *at <= now) {
            self.thinking.pop_front();
            due += 1;
        }
        self.ask(now, due, host, io);
        self.note_answers(now, host, io);
    }

    pub(crate) fn on_turn(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        self.asks.on_turn(now, host, io);
    }

    #[inline(never)]
    pub(crate) fn on_frame(&mut self, frame: &Frame, host: &mut Host, io: &mut Io<'_>) {
        let now = frame.at;
        if frame.flow.flow() == self.asks.config().flow.flow() {
            self.asks.on_frame(frame, host, io);
            self.opened(now, host, io);
            return;
        }
        self.takes.on_frame(frame, host, io);
        self.opened(now, host, io);
        self.note_answers(now, host, io);
    }

    /// The first requests are made once both connections are there: a response's time begins with its request.
    fn opened(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        if !self.begun && self.asks.sender().was_open() && self.takes.is_open() {
            self.begun = true;
            self.ask(now, self.config.outstanding, host, io);
        }
    }

    pub(crate) fn sample(&mut self, now: Time) {
        self.asks.sample(now);
        self.takes.sample();
    }

    fn note_answers(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        let whole = self.takes.stored() / self.config.answer;
        let new = whole - self.answered;
        if new == 0 {
            return;
        }
        (self.answered, self.last) = (whole, now);
        for _ in 0..new {
            let asked = self.pending.pop_front().unwrap_or(now);
            if now >= self.config.measured_from && now < self.config.stop {
                self.measured += 1;
                let [least, most, sum] = &mut self.response;
                let took = now.since(asked);
                *least = took.min(*least);
                *most = took.max(*most);
                *sum += took;
                if self.times.len() < Asked::TIMES {
                    self.times.push(took);
                }
            }
        }
        if self.config.think == Duration::ZERO {
            self.ask(now, new, host, io);
        } else {
            let next = now + self.config.think;
            self.thinking.extend((0..new).map(|_| next));
        }
    }

    fn ask(&mut self, now: Time, count: u64, host: &mut Host, io: &mut Io<'_>) {
        let count = count.min(self.may_ask());
        if count == 0 || now >= self.config.stop {
            return;
        }
        self.asked += count;
        self.pending.extend((0..count).map(|_| now));
        self.takes
            .expect(self.asked.saturating_mul(self.config.answer));
        self.asks.write(now, count * self.config.request, host, io);
    }
}

/// The end that answers.
#[derive(Debug)]
pub struct Answerer {
    config: ExchangeConfig,
    hears: TcpSink,
    gives: TcpSource,
    /// Answers come from the host's disk.
    reads: bool,
    heard: u64,
    /// Bytes of answers not yet read from the disk.
    unread: u64,
    /// The piece being read, and when it is there.
    piece: u64,
    done: Time,
}

impl Answerer {
    /// The end that answers, before the start; `reads`: from its host's disk.
    pub fn new(config: ExchangeConfig, hears: TcpSink, gives: TcpSource, reads: bool) -> Answerer {
        Answerer {
            config,
            hears,
            gives,
            reads,
            heard: 0,
            unread: 0,
            piece: 0,
            done: Time::MAX,
        }
    }

    /// The connection that carries requests.
    pub fn hears(&self) -> &TcpSink {
        &self.hears
    }

    /// The connection that carries answers.
    pub fn gives(&self) -> &TcpSource {
        &self.gives
    }

    pub(crate) fn gives_mut(&mut self) -> &mut TcpSource {
        &mut self.gives
    }

    /// Whether every request heard has been answered and the answers acknowledged.
    pub fn done(&self) -> bool {
        self.done == Time::MAX && self.gives.complete()
    }

    #[inline(never)]
    pub(crate) fn deadline(&self) -> Time {
        let ends = self.gives.deadline().min(self.hears.deadline());
        self.done.min(ends)
    }

    pub(crate) fn on_deadline(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        if self.hears.deadline() <= now {
            self.hears.on_deadline(now, host, io);
        }
        if self.gives.deadline() <= now {
            self.gives.on_deadline(now, host, io);
        }
        self.go_on(now, host, io);
    }

    pub(crate) fn on_turn(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        self.gives.on_turn(now, host, io);
        self.account(now);
    }

    #[inline(never)]
    pub(crate) fn on_frame(&mut self, frame: &Frame, host: &mut Host, io: &mut Io<'_>) {
        let now = frame.at;
        if frame.flow.flow() == self.gives.config().flow.flow() {
            self.gives.on_frame(frame, host, io);
            self.account(now);
            return;
        }
        self.hears.on_frame(frame, host, io);
        self.go_on(now, host, io);
    }

    pub(crate) fn sample(&mut self, now: Time) {
        self.gives.sample(now);
        self.hears.sample();
    }

    fn go_on(&mut self, now: Time, host: &mut Host, io: &mut Io<'_>) {
        let whole = self.hears.receiver().delivered() / self.config.request;
        let asked = (whole - self.heard).saturating_mul(self.config.answer);
        self.heard = whole;
        if now >= self.config.stop {
            (self.unread, self.done) = (0, Time::MAX);
            return;
        }
        if !self.reads {
            if asked > 0 {
                self.gives.write(now, asked, host, io);
            }
            return;
        }
        self.unread = self.unread.saturating_add(asked);
        if self.done <= now {
            self.done = Time::MAX;
            let piece = std::mem::take(&mut self.piece);
            self.gives.write(now, piece, host, io);
        }
        if self.done == Time::MAX && self.unread > 0 {
            self.piece = self.unread.min(PIECE);
            self.unread -= self.piece;
            self.done = host.moves(Way::Read, now, self.piece);
        }
        self.account(now);
    }

    /// Who has sent everything and reads on is limited by the disk, not by the application.
    fn account(&mut self, now: Time) {
        if self.done < Time::MAX {
            self.gives.waits_for_disk(now);
        }
    }
}
