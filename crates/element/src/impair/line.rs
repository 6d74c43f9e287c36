//! What a direction of a link does to frames after their transmission, besides losing them.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use farpath_units::{Duration, Key, Time};
use farpath_wire::Frame;

use super::chance::{Chance, Strikes};
use super::distribution::Distribution;
use super::flap::{Flap, FlapSpec};
use super::jitter::Jitter;
use super::trace::{Follower, RateTrace};

/// Jitter, reordering, duplication and corruption of one direction of a link, as configured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Impairments {
    /// Delays added to every frame, and the correlation of successive ones.
    pub jitter: Option<(Distribution, f64)>,
    /// Frames held back, and by how much: those behind them go on.
    pub reordering: Option<(Chance, Duration)>,
    /// Frames handed on twice, and how long after the first the second arrives.
    pub duplication: Option<(Chance, Duration)>,
    /// Frames damaged, and who finds out.
    pub corruption: Option<(Chance, Finder)>,
    /// The link goes down and up.
    pub flap: Option<FlapSpec>,
    /// The rate follows a trace.
    pub trace: Option<RateTrace>,
}

/// Who finds that a frame is damaged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finder {
    /// The far end's interface, by the frame check sequence: the frame is dropped there.
    Crc,
    /// The end host, by the transport checksum: every link and router on the way carries the frame. A
    /// share passes even there.
    Checksum {
        /// Share of damaged frames whose checksum is right all the same; 1/65536 if all sums are
        /// equally likely.
        undetected: f64,
    },
}

impl Impairments {
    /// Whether nothing happens to any frame.
    pub fn is_none(&self) -> bool {
        *self == Impairments::default()
    }
}

/// What becomes of one frame on the line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// Added to its propagation.
    pub delay: Duration,
    /// Added besides to a frame that others are to overtake.
    pub held_back: Option<Duration>,
    /// Added to the arrival of its copy, if there is one.
    pub copy: Option<Duration>,
    /// It is damaged.
    pub damage: Option<Damage>,
}

/// A damaged frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Damage {
    /// Found by the far end's interface.
    Crc,
    /// Found by the end host.
    Checksum,
    /// Never found.
    Undetected,
}

/// Impairments at work.
#[derive(Debug)]
pub struct Line {
    jitter: Option<Jitter>,
    reordering: Option<(Strikes, Duration)>,
    duplication: Option<(Strikes, Duration)>,
    corruption: Option<(Strikes, Finder)>,
    flap: Option<Flap>,
    follower: Option<Follower>,
}

impl Line {
    /// Impairments that draw from `key`, which names the link and its direction. The luck of each flow
    /// is keyed by its name, as [`Loss::with_flow_names`](super::Loss::with_flow_names) does.
    pub fn new(config: &Impairments, key: Key, names: &Arc<[String]>) -> Line {
        let strikes = |chance: Chance, purpose: &str| {
            let mut strikes = Strikes::new(chance, key.with(purpose));
            strikes.name(Arc::clone(names));
            strikes
        };
        Line {
            jitter: config.jitter.as_ref().map(|(distribution, correlation)| {
                Jitter::new(distribution.clone(), *correlation, key.with("jitter"))
                    .with_flow_names(Arc::clone(names))
            }),
            reordering: config
                .reordering
                .map(|(chance, by)| (strikes(chance, "reordering"), by)),
            duplication: config
                .duplication
                .map(|(chance, after)| (strikes(chance, "duplication"), after)),
            corruption: config
                .corruption
                .map(|(chance, finder)| (strikes(chance, "corruption"), finder)),
            flap: config.flap.map(|spec| Flap::new(spec, key.with("flap"))),
            follower: config.trace.clone().map(Follower::new),
        }
    }

    /// Does to single frames from now on what `other` does. The link as a whole and its rate go on as before.
    pub fn exchange(&mut self, other: Line) {
        self.jitter = other.jitter;
        self.reordering = other.reordering;
        self.duplication = other.duplication;
        self.corruption = other.corruption;
    }

    /// The link as a whole, if it goes down and up by itself.
    pub fn flap(&mut self) -> Option<&mut Flap> {
        self.flap.as_mut()
    }

    /// The end of a frame of `wire_bytes` that starts at `now`, the last having ended at `free`, if the
    /// rate follows a trace.
    pub fn end(&mut self, now: Time, wire_bytes: u32) -> Option<Time> {
        Some(self.follower.as_mut()?.end(now, wire_bytes))
    }

    /// Whether its rate follows a trace.
    pub fn follows_a_trace(&self) -> bool {
        self.follower.is_some()
    }

    /// What `bytes` take at least, if the rate follows a trace.
    pub fn shortest(&self, bytes: u64) -> Option<Duration> {
        Some(self.follower.as_ref()?.shortest(bytes))
    }

    /// Whether a frame that starts now and would arrive at `arrival` is on the line when that goes
    /// down, and lost.
    pub fn cuts(&self, arrival: Time) -> bool {
        let flap = self.flap.as_ref();
        flap.is_some_and(|f| !f.holds() && f.is_up() && f.next() <= arrival)
    }

    /// What becomes of `frame`, in `bytes` of whose bytes on this link a wrong bit spoils it (`Framing::exposed_bytes`).
    pub fn befall(&mut self, frame: &Frame, bytes: u32) -> Fate {
        let struck = |it: &mut Option<(Strikes, Duration)>| {
            let (strikes, time) = it.as_mut()?;
            strikes.strike(frame, bytes).map(|_| *time)
        };
        let damage = self.corruption.as_mut().and_then(|(strikes, finder)| {
            let draw = strikes.strike(frame, bytes)?;
            Some(match *finder {
                Finder::Crc => Damage::Crc,
                Finder::Checksum { undetected } if draw < undetected => Damage::Undetected,
                Finder::Checksum { .. } => Damage::Checksum,
            })
        });
        let delay = self.jitter.as_mut().map(|j| j.delays(frame));
        Fate {
            delay: delay.unwrap_or_default(),
            held_back: struck(&mut self.reordering),
            copy: struck(&mut self.duplication),
            damage,
        }
    }
}

/// Frames on the line in order of arrival, kept until nothing sent later can arrive before them.
#[derive(Debug, Default)]
pub(crate) struct Sorter {
    heap: BinaryHeap<Sorted>,
    /// Frames put in so far.
    count: u64,
}

/// A frame on the line.
#[derive(Debug)]
pub(crate) struct Sorted {
    pub(crate) frame: Frame,
    /// Its place in order of transmission; a copy has that of the frame it is a copy of.
    pub(crate) number: u64,
    pub(crate) output: u16,
    pub(crate) is_copy: bool,
}

impl Sorted {
    fn place(&self) -> (Time, u64, bool) {
        (self.frame.at, self.number, self.is_copy)
    }
}

impl PartialEq for Sorted {
    fn eq(&self, other: &Sorted) -> bool {
        self.place() == other.place()
    }
}

impl Eq for Sorted {}

impl PartialOrd for Sorted {
    fn partial_cmp(&self, other: &Sorted) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The earliest is the greatest: `BinaryHeap` gives the greatest first.
impl Ord for Sorted {
    fn cmp(&self, other: &Sorted) -> Ordering {
        other.place().cmp(&self.place())
    }
}

impl Sorter {
    /// The number of the next frame.
    pub(crate) fn number(&mut self) -> u64 {
        self.count += 1;
        self.count - 1
    }

    pub(crate) fn put(&mut self, sorted: Sorted) {
        self.heap.push(sorted);
    }

    /// The arrival of the earliest; `Time::MAX` of none.
    pub(crate) fn first_at(&self) -> Time {
        self.heap.peek().map_or(Time::MAX, |s| s.frame.at)
    }

    /// Takes the earliest if it arrives before `until`.
    pub(crate) fn take_before(&mut self, until: Time) -> Option<Sorted> {
        if self.first_at() >= until {
            return None;
        }
        self.heap.pop()
    }

    pub(crate) fn len(&self) -> u64 {
        self.heap.len() as u64
    }
}
