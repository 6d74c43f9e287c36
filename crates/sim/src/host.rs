//! A host's own machinery between its programs and its links: the queue in front of each interface
//! as the stack sees it, and the processor and bus that every frame costs time of.
//!
//! `docs/models/host.md` says what is modelled and what is not.

mod disk;
mod interface;
mod others;
mod paths;
mod processor;

use std::ops::Range;

use farpath_element::qdisc::Limit;
use farpath_scenario::HostLimits;
use farpath_units::{Duration, Rate, Time};
use farpath_wire::Frame;

use disk::Disk;
pub(crate) use disk::PIECE;
pub(crate) use interface::{Backlog, Interface, Refusal, Run};
use paths::{Destination, Paths};
pub(crate) use processor::Processor;

/// Which way a disk is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Files are read.
    Read = 0,
    /// Files are written.
    Write = 1,
}

/// What a host does next of its own accord.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// This program may send.
    Turn(u32),
    /// A received frame has been taken in hand.
    Served,
}

/// One host.
#[derive(Debug)]
pub struct Host {
    /// By output of the station.
    interfaces: Vec<Interface>,
    processor: Option<Box<Processor>>,
    /// For reading and for writing.
    disks: [Option<Disk>; 2],
    /// Whether departures have to be followed at all.
    watched: bool,
    /// A program is sending in its turn, so that those who wait behind it do not stop it.
    in_turn: bool,
    /// The interface whose turn was last.
    last: usize,
    /// Time at work by the end of each interval.
    busy: Vec<Duration>,
    /// Nothing of this host's own is due earlier.
    pub(crate) wake: Time,
    /// What routers said of paths.
    paths: Paths,
}

impl Host {
    /// A node without machinery: a router's own endpoint.
    pub fn none() -> Host {
        Host::new(Vec::new(), &HostLimits::default())
    }

    /// A host with these interfaces, by output; without limits of its own it costs nothing until a
    /// connection's queue is followed.
    pub(crate) fn new(interfaces: Vec<Interface>, limits: &HostLimits) -> Host {
        let processor = limits
            .slows_frames()
            .then(|| Box::new(Processor::new(limits)));
        Host {
            interfaces,
            watched: processor.is_some(),
            processor,
            disks: [limits.disk_read, limits.disk_write].map(|rate| rate.map(Disk::new)),
            in_turn: false,
            last: 0,
            busy: Vec::new(),
            wake: Time::MAX,
            paths: Paths::default(),
        }
    }

    /// The path's MTU as a router reported it within the last ten minutes.
    pub(crate) fn path_mtu(&self, now: Time, to: Destination) -> Option<u16> {
        self.paths.mtu(now, to)
    }

    /// A router reported the path's MTU.
    pub(crate) fn learn_path_mtu(&mut self, now: Time, to: Destination, mtu: u16) {
        self.paths.learn(now, to, mtu);
    }

    /// Follows departures from now on: a connection sends from here.
    pub(crate) fn watch(&mut self) {
        self.watched = !self.interfaces.is_empty();
    }

    /// Whether frames wait for a processor.
    #[inline]
    pub(crate) fn is_limited(&self) -> bool {
        self.processor.is_some()
    }

    /// Whether no received frame is in it and nobody waits to send.
    pub(crate) fn is_idle(&self) -> bool {
        self.wake == Time::MAX
    }

    /// Whether a connection has to wait before it may put another segment on `output`.
    #[inline]
    pub(crate) fn refuses(&self, now: Time, output: usize) -> Option<Refusal> {
        if !self.watched {
            return None;
        }
        let interface = &self.interfaces[output];
        if self.processor.is_none() && interface.has_room(now) {
            return (interface.is_awaited() && !self.in_turn).then_some(Refusal::Queued);
        }
        self.refusal(now, interface)
    }

    #[cold]
    fn refusal(&self, now: Time, interface: &Interface) -> Option<Refusal> {
        if !interface.has_room(now) {
            return Some(interface.refusal());
        }
        let busy = self.processor.as_ref().is_some_and(|p| p.is_busy(now));
        (busy || (interface.is_awaited() && !self.in_turn)).then_some(Refusal::Busy)
    }

    /// Program `program` waits for its turn on `output`.
    pub(crate) fn hold(&mut self, output: usize, program: u32) {
        self.interfaces[output].hold(program);
        self.renew();
    }

    /// What a connection may send at `now` without asking again for each segment: everything that
    /// is like `frame`, until the queue in front of `output` is as long as allowed. `None` when it
    /// has to ask.
    #[inline]
    pub(crate) fn run(&mut self, now: Time, output: usize, frame: &Frame) -> Option<Run> {
        if self.processor.is_some() {
            return None;
        }
        let interface = self.interfaces.get_mut(output)?;
        if interface.is_awaited() && !self.in_turn {
            return None;
        }
        Some(interface.run(now, frame))
    }

    /// A run has come to its end.
    #[inline]
    pub(crate) fn end_run(&mut self, output: usize, run: &Run) {
        self.interfaces[output].end_run(run);
    }

    /// When a frame handed over at `now` gets to the queue of `output`: at once, or when the
    /// processor and the bus have dealt with it. What a connection's sender sends has
    /// [`Host::sends`].
    #[inline]
    pub(crate) fn departs(&mut self, now: Time, output: usize, frame: &Frame) -> Time {
        if !self.watched {
            return now;
        }
        self.departs_watched(now, output, frame)
    }

    #[inline(never)]
    fn departs_watched(&mut self, now: Time, output: usize, frame: &Frame) -> Time {
        let at = self.prepared(now, frame);
        self.interfaces[output].send_other(now, at, frame);
        at
    }

    /// The same of what a connection's sender sends, which counts against what it may queue.
    pub(crate) fn sends(&mut self, now: Time, output: usize, frame: &Frame) -> Time {
        if !self.watched {
            return now;
        }
        let at = self.prepared(now, frame);
        self.interfaces[output].send(at, frame);
        at
    }

    /// When the processor and the bus have dealt with a frame to send.
    fn prepared(&mut self, now: Time, frame: &Frame) -> Time {
        match &mut self.processor {
            None => now,
            Some(processor) => processor.send(now, frame.len),
        }
    }

    /// A frame arrived over `input`; false if nothing can hold it.
    pub(crate) fn take_in(&mut self, input: usize, frame: &Frame) -> bool {
        let Some(processor) = &mut self.processor else {
            return false;
        };
        let taken = processor.arrive(input as u32, frame);
        self.renew();
        taken
    }

    /// A received frame whose processing has ended by `now`.
    pub(crate) fn processed(&mut self, now: Time) -> Option<(usize, Frame)> {
        let found = self.processor.as_mut()?.finish(now)?;
        Some((found.0 as usize, found.1))
    }

    /// What comes next at `now`: received frames and programs that wait to send by turns.
    pub(crate) fn step(&mut self, now: Time) -> Option<Step> {
        let step = match &mut self.processor {
            None => self.turn(now),
            Some(p) if p.is_occupied(now) => None,
            Some(p) if p.served_last() => self.turn(now).or_else(|| self.serve(now)),
            Some(_) => self.serve(now).or_else(|| self.turn(now)),
        };
        self.in_turn = matches!(step, Some(Step::Turn(_)));
        self.renew();
        step
    }

    fn serve(&mut self, now: Time) -> Option<Step> {
        let processor = self.processor.as_mut()?;
        processor.serve(now).then_some(Step::Served)
    }

    fn turn(&mut self, now: Time) -> Option<Step> {
        if self.processor.as_ref().is_some_and(|p| p.is_busy(now)) {
            return None;
        }
        let count = self.interfaces.len();
        let due = |n: &usize| self.interfaces[*n].resumes() <= now;
        let next = (1..=count).map(|k| (self.last + k) % count).find(due)?;
        self.last = next;
        if let Some(processor) = &mut self.processor {
            processor.turned();
        }
        self.interfaces[next].next_held().map(Step::Turn)
    }

    /// The queue in front of an interface has another limit from `now` on.
    pub(crate) fn set_limit(&mut self, now: Time, output: usize, limit: Limit) {
        if let Some(interface) = self.interfaces.get_mut(output) {
            interface.set_limit(now, limit);
        }
        self.renew();
    }

    /// The rate of an interface changed at `now`.
    pub(crate) fn set_rate(&mut self, now: Time, output: usize, rate: Rate) {
        if let Some(interface) = self.interfaces.get_mut(output) {
            interface.set_rate(now, rate);
        }
        self.renew();
    }

    /// The program whose turn it was has sent what it could.
    pub(crate) fn end_turn(&mut self) {
        self.in_turn = false;
        self.renew();
    }

    /// An interval ended at `now`.
    pub(crate) fn sample(&mut self, now: Time) {
        if let Some(processor) = &self.processor {
            self.busy.push(processor.busy(now));
        }
        for disk in self.disks.iter_mut().flatten() {
            disk.sample(now);
        }
    }

    /// Whether processor or bus had hardly a pause in the intervals numbered `of`, each of length `every`.
    pub(crate) fn was_busy(&self, of: Range<usize>, every: Duration) -> bool {
        saturated(&self.busy, of, every)
    }

    /// The same of a disk.
    pub(crate) fn was_disk_busy(&self, way: Way, of: Range<usize>, every: Duration) -> bool {
        let disk = self.disks[way as usize].as_ref();
        disk.is_some_and(|disk| saturated(&disk.busy, of, every))
    }

    /// `bytes` are read from a disk or written to it, asked at `now`; returns when that is done:
    /// at once without a disk that limits.
    pub(crate) fn moves(&mut self, way: Way, now: Time, bytes: u64) -> Time {
        match &mut self.disks[way as usize] {
            Some(disk) => disk.move_bytes(now, bytes),
            None => now,
        }
    }

    /// Whether a disk limits.
    pub(crate) fn has_disk(&self, way: Way) -> bool {
        self.disks[way as usize].is_some()
    }

    /// Works out again when the next thing is due.
    pub(crate) fn renew(&mut self) {
        let mut wake = Time::MAX;
        let free = self.processor.as_ref().map_or(Time::ZERO, |p| p.ready());
        for interface in &self.interfaces {
            let resumes = interface.resumes();
            if resumes < Time::MAX {
                wake = wake.min(resumes.max(free));
            }
        }
        if let Some(processor) = &self.processor {
            wake = wake.min(processor.deadline());
        }
        self.wake = wake;
    }
}

/// A processor is the limit in some intervals when it was at work for this share of them.
const SATURATED: f64 = 0.98;

/// Whether something that had worked for `busy` by the end of each interval hardly paused in those numbered `of`.
fn saturated(busy: &[Duration], of: Range<usize>, every: Duration) -> bool {
    let by = |n: usize| n.checked_sub(1).and_then(|n| busy.get(n)).copied();
    let worked = by(of.end)
        .unwrap_or_default()
        .saturating_sub(by(of.start).unwrap_or_default());
    worked.as_secs_f64() >= SATURATED * every.times(of.len() as u64).as_secs_f64()
}
