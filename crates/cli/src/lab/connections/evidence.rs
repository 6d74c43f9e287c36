//! What samples of a connection are evidence of.

use farpath_observe::{Limit, Path, Sample, Taken};
use farpath_units::Duration;

use super::Watched;
use crate::lab::asleep::Asleep;
use crate::lab::cause::Cause;
use crate::lab::held::{self, HELD_LEAST};
use crate::lab::waits::Waits;
use crate::lab::{back, buffer};

/// A full segment of Ethernet, bytes: fewer may wait for an acknowledgement to be sent with more (RFC 1122 §4.2.3.4, Nagle's algorithm).
pub(super) const SEGMENT: u64 = 1448;

/// A window with so many tenths of it in flight has room.
const ROOM: u64 = 8;

/// Whether a link is full is judged over rounds of this length.
pub(super) const ROUND: Duration = Duration::from_ms(200);

impl Watched {
    /// The samples, with no send buffer taken for full that nobody waited for, and no window where nothing waits for it.
    pub(super) fn judged(&self) -> Vec<Sample> {
        let waited = buffer::waited(&self.samples, &self.ends);
        let mut samples = self.samples.clone();
        for ((sample, end), waited) in samples.iter_mut().zip(&self.ends).zip(waited) {
            let Some(timers) = &mut sample.timers else {
                continue;
            };
            timers.full &= waited;
            let is_all_sent = timers.unsent.is_some_and(|bytes| bytes < SEGMENT);
            let Some(asleep) = end.asleep.filter(|_| is_all_sent) else {
                continue;
            };
            // All is sent, and its program waits: the window has room, however much of it is in flight.
            timers.full = asleep == Asleep::ForRoom;
            timers.unsent = Some(0);
            let room = sample.cwnd.map(|cwnd| cwnd / 10 * ROOM);
            sample.in_flight = sample.in_flight.zip(room).map(|(a, b)| a.min(b));
        }
        samples
    }

    /// What a full way back may account for.
    pub(super) fn waiting(&self, path: Option<&Path<'_>>) -> Vec<Limit> {
        let delivered = self.last.end.acked;
        let by_chance = |path: &Path<'_>| path.taken(delivered) != Taken::Otherwise;
        let mut all = match self.last.retransmits > 0 && path.is_some_and(by_chance) {
            true => back::GROWTH.to_vec(),
            false => back::WINDOW.to_vec(),
        };
        if !self.is_asked_to_pace() {
            all.push(Limit::Pacing);
        }
        all
    }

    /// The shortest round trip that its kernel has seen.
    pub(super) fn min_rtt(&self) -> Option<Duration> {
        let last = self.samples.last()?;
        last.timers?.min_rtt.filter(|rtt| *rtt > Duration::ZERO)
    }

    /// Gives what it waited for its shares, by frames, where they were seen, and by samples of both ends: of `lost`, an outage's share, none
    /// is given twice.
    pub(super) fn share_waits(
        &self,
        (waits, other): (Option<&Waits>, Option<&Watched>),
        back: Option<&Path<'_>>,
        lost: f64,
        causes: &mut Vec<(Cause, f64)>,
    ) {
        let time = self.time();
        if let Some(waits) = waits {
            waits.share(time, lost, causes);
            waits.share_landing(time, causes);
            waits.share_unasked(time, causes);
        }
        let known = waits.map_or(0.0, |waits| waits.known(time));
        let held = [Some(self), other].map(|end| end.map_or(0.0, Watched::held_share));
        let held = waits.map_or((held, 1.0), |waits| waits.held(time, held));
        held::share(self.host, held, known, causes);
        if let Some(waits) = waits {
            let until = self.last.sample.t;
            let full = back.map(|back| back.full(self.begun(), until, ROUND));
            let full = full.map_or(0.0, |full| full.values().sum());
            waits.share_asking(time, full, causes);
            waits.share_overlap(time, causes);
            waits.share_lines(time, causes);
            waits.share_timers(time, lost, causes);
            waits.share_elsewhere(self.host, time, causes);
            waits.share_errands(self.host, time, causes);
            // An outage's share is of all the time.
            let is_whole = lost <= 0.0;
            let gone = match is_whole {
                true => waits.take_gone((self.host, until), time, causes),
                false => 0.0,
            };
            waits.name_quiet(time, causes);
            if self.host == 1 && self.held_small() < HELD_LEAST {
                waits.name_asked(time, causes);
            }
            waits.doubt_multipath(causes);
            if is_whole {
                waits.share_set_up(gone, time, causes);
            }
        }
    }

    /// Share of the samples in which a small write waited.
    pub(super) fn held_small(&self) -> f64 {
        let held = self.ends.iter().filter(|end| end.is_held).count();
        held as f64 / self.ends.len().max(1) as f64
    }

    /// Share of the time before samples in which a small write waited.
    pub(super) fn held_share(&self) -> f64 {
        let mut before = self.begun();
        let (mut held, mut all) = (0.0, 0.0);
        for (sample, end) in self.samples.iter().zip(&self.ends) {
            let time = sample.t.since(before.min(sample.t)).as_secs_f64();
            held += if end.is_held { time } else { 0.0 };
            all += time;
            before = sample.t;
        }
        held / f64::max(all, 1e-9)
    }
}
