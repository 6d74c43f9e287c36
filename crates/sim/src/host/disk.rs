//! A disk: one server, first come first served, at one rate.

use farpath_units::{Duration, Rate, Size, Time};

/// What a program reads or writes at once. Programs that share a disk take turns by such pieces.
pub(crate) const PIECE: u64 = 65_536;

/// One disk, in one direction.
#[derive(Debug)]
pub(crate) struct Disk {
    rate: Rate,
    free: Time,
    work: Duration,
    /// Time at work by the end of each interval.
    pub(crate) busy: Vec<Duration>,
}

impl Disk {
    pub(crate) fn new(rate: Rate) -> Disk {
        Disk {
            rate,
            free: Time::ZERO,
            work: Duration::ZERO,
            busy: Vec::new(),
        }
    }

    /// Reads or writes `bytes`, asked at `now`; returns when that is done.
    pub(crate) fn move_bytes(&mut self, now: Time, bytes: u64) -> Time {
        let time = self.rate.time_for(Size::from_bytes(bytes));
        self.free = self.free.max(now) + time;
        self.work += time;
        self.free
    }

    /// An interval ended at `now`.
    pub(crate) fn sample(&mut self, now: Time) {
        self.busy
            .push(self.work.saturating_sub(self.free.since(now)));
    }
}
