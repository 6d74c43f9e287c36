//! A switch's queue of cells: circuits interleave in it, and what is discarded is a cell or a frame's rest.
//!
//! A frame that has arrived goes on cell by cell at the rate of the line it came on, each crossing of
//! its flow a circuit of its own: cells of one circuit keep their order, those of several mix. The line serves them first
//! in, first out. Instants of arrival are whole picoseconds, the line is served in exact fractions.
//!
//! Where one circuit is at work and nothing can be discarded, a frame is one step; where several mix,
//! every cell is.

use farpath_predict::atm::CELL;
use farpath_units::{Duration, Rate, Size, Time};
use farpath_wire::Frame;

use super::gcra::{ticks, unit_of};
use crate::flows::Crossings;

/// What is discarded when cells do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discard {
    /// The cell; the others of its frame go on, in vain.
    Plain,
    /// The cell and the rest of its frame but the last cell (partial packet discard).
    Partial,
    /// The same, and whole frames that begin when at least this many cells wait (early packet discard,
    /// Romanow and Floyd 1995).
    Early {
        /// Cells.
        threshold: u64,
    },
}

/// How a queue of cells is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellQueueConfig {
    /// Cells that may wait; the one in service does not count.
    pub limit: u64,
    /// What is discarded.
    pub discard: Discard,
}

/// A queue of cells at work.
#[derive(Debug)]
pub struct CellQueue {
    config: CellQueueConfig,
    line: Rate,
    /// Units in a picosecond, and of one cell's service.
    unit: i128,
    service: i128,
    /// When the line falls idle, in units since the start.
    free: i128,
    /// In order of arrival.
    trains: Vec<Train>,
    circuits: Crossings<Circuit>,
    most: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Circuit {
    /// When its last frame's cells have all arrived.
    end: Time,
    /// Its last frame's end was discarded: the next one will be taken for its rest.
    open: bool,
}

/// A frame on its way into the queue.
#[derive(Clone, Copy, Debug)]
struct Train {
    frame: Frame,
    start: Time,
    cells: u32,
    /// Ordinal of the next cell.
    next: u32,
    lost: u32,
    /// Its last cell was discarded.
    end_lost: bool,
    /// Nothing more of it is taken but, perhaps, its end.
    skips: Option<Skip>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Skip {
    Rest,
    Whole,
}

/// A frame whose last cell has arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The frame.
    pub frame: Frame,
    /// When its last cell's service ends, rounded up; that of its arrival if it was discarded.
    pub end: Time,
    /// Cells discarded.
    pub lost: u32,
    /// Cells sent.
    pub sent: u32,
    /// All cells went on, behind the end of the frame before.
    pub whole: bool,
}

impl CellQueue {
    /// An empty queue in front of a line of `line` bit/s.
    pub fn new(config: CellQueueConfig, line: Rate) -> CellQueue {
        let mut queue = CellQueue {
            config,
            line,
            unit: 1,
            service: 1,
            free: 0,
            trains: Vec::new(),
            circuits: Crossings::new(),
            most: 0,
        };
        queue.set_line(line);
        queue
    }

    /// The line's rate has changed; what is in the queue is served as it was to be.
    pub fn set_line(&mut self, line: Rate) {
        let idle = self.in_time(self.free);
        let unit = unit_of(&[line]);
        self.line = line;
        (self.unit, self.service) = (unit as i128, ticks(line, unit));
        self.free = i128::from(idle.as_ps()) * self.unit;
    }

    /// A frame of `cells` cells has arrived at `frame.at`.
    pub fn offer(&mut self, frame: &Frame, cells: u32) {
        let span = self.spaced(cells);
        let circuit = self.circuits.of(frame, |_| Circuit::default());
        let start = circuit.end.max(frame.at);
        circuit.end = start + span;
        self.trains.push(Train {
            frame: *frame,
            start,
            cells,
            next: 0,
            lost: 0,
            end_lost: false,
            skips: None,
        });
    }

    /// When the next frame is finished.
    #[inline]
    pub fn deadline(&self) -> Time {
        let ends = self.trains.iter().map(|t| self.arrival(t, t.cells - 1));
        ends.min().unwrap_or(Time::MAX)
    }

    /// Frames whose cells have not all arrived.
    pub fn frames(&self) -> u64 {
        self.trains.len() as u64
    }

    /// Takes in what arrives up to and including `until`, and stops at the first frame finished.
    pub fn advance(&mut self, until: Time) -> Option<Finished> {
        if let [train] = self.trains[..]
            && self.passes_whole(&train, until)
        {
            self.free =
                self.free.max(self.units(train.start)) + i128::from(train.cells) * self.service;
            self.trains.clear();
            return Some(self.finish(train, train.cells));
        }
        loop {
            let heads = self.trains.iter().enumerate();
            let heads = heads.map(|(n, t)| (self.arrival(t, t.next), n));
            let (at, n) = heads.min().filter(|(at, _)| *at <= until)?;
            let mut train = self.trains[n];
            self.take(at, &mut train);
            if train.next == train.cells {
                self.trains.remove(n);
                return Some(self.finish(train, train.cells - train.lost));
            }
            self.trains[n] = train;
        }
    }

    /// Whether all of a frame, alone at work, arrives by `until` and nothing of it can be discarded.
    /// It comes as fast as it is served, so no more cells wait at its end than at its beginning, but
    /// for a picosecond of rounding.
    fn passes_whole(&self, train: &Train, until: Time) -> bool {
        let most = self.waiting_beyond(self.free - self.units(train.start) + self.unit);
        let early = match self.config.discard {
            Discard::Early { threshold } => most >= threshold,
            Discard::Plain | Discard::Partial => false,
        };
        train.next == 0
            && self.arrival(train, train.cells - 1) <= until
            && most < self.config.limit
            && most < self.most
            && !early
    }

    /// One cell of `train` arrives at `at`.
    fn take(&mut self, at: Time, train: &mut Train) {
        let waiting = self.waiting(at);
        let (first, last) = (train.next == 0, train.next + 1 == train.cells);
        if first
            && let Discard::Early { threshold } = self.config.discard
            && waiting >= threshold
        {
            train.skips = Some(Skip::Whole);
        }
        let wanted = match train.skips {
            None => true,
            Some(Skip::Rest) => last,
            Some(Skip::Whole) => false,
        };
        let now = self.units(at);
        // A cell that finds the line idle does not wait.
        let fits = waiting < self.config.limit || self.free <= now;
        if wanted && fits {
            if self.free > now {
                self.most = self.most.max(waiting + 1);
            }
            self.free = self.free.max(now) + self.service;
        } else {
            train.lost += 1;
            if wanted && self.config.discard != Discard::Plain {
                train.skips = train.skips.or(Some(Skip::Rest));
            }
            train.end_lost = last;
        }
        train.next += 1;
    }

    fn finish(&mut self, train: Train, sent: u32) -> Finished {
        let last = self.arrival(&train, train.cells - 1);
        let end = if sent > 0 {
            self.in_time(self.free).max(last)
        } else {
            last
        };
        let circuit = self.circuits.of(&train.frame, |_| Circuit::default());
        let whole = train.lost == 0 && !circuit.open;
        // Of a frame that is gone as a whole nobody takes the end for another's.
        if train.skips != Some(Skip::Whole) {
            circuit.open = train.end_lost;
        }
        Finished {
            frame: train.frame,
            end,
            lost: train.lost,
            sent,
            whole,
        }
    }

    /// When cell `ordinal` of a train arrives.
    fn arrival(&self, train: &Train, ordinal: u32) -> Time {
        train.start + self.spaced(ordinal)
    }

    /// `cells` cells at the rate of the line, rounded down to a picosecond.
    fn spaced(&self, cells: u32) -> Duration {
        Duration::from_ps((i128::from(cells) * self.service / self.unit) as u64)
    }

    fn units(&self, at: Time) -> i128 {
        i128::from(at.as_ps()) * self.unit
    }

    fn in_time(&self, units: i128) -> Time {
        Time::from_ps(((units + self.unit - 1) / self.unit) as u64)
    }

    /// Cells that wait at `now`, by what has arrived so far.
    pub fn waiting(&self, now: Time) -> u64 {
        self.waiting_beyond(self.free - self.units(now))
    }

    /// Cells whose service has not begun when the line is busy for `busy` units more.
    fn waiting_beyond(&self, busy: i128) -> u64 {
        ((busy.max(1) + self.service - 1) / self.service - 1) as u64
    }

    /// Most cells that ever waited.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// A cell's time on the line: no frame is finished earlier than that before its end.
    pub fn shortest(&self) -> Duration {
        self.line.time_for(Size::from_bytes(CELL.into()))
    }
}

#[cfg(test)]
mod tests;
