//! What an end of a connection waited for where turns overlap: several requests are on the way at once, and each answer brings the
//! next one.
//!
//! An end that sends as soon as data has come has waited for that data since it last sent. Of this time the data was on the way from
//! when it was handed over. Before that the other end had it, from when something had come there to be answered. Who sends at
//! a time of its own, some time after data came, is not known to have waited for it.

use std::collections::VecDeque;

use farpath_units::{Duration, Time};

use super::backlog::Backlog;

/// An end that sends so soon after data came, as a part of the time since it last sent, has waited for the data.
const PROMPT: u64 = 8;

/// So many segments of an end are followed: more under way are a transfer, and no requests.
const FOLLOWED: usize = 256;

/// What an end waited for, beside the time of turns that do not overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Data of either end was on the way.
    pub way: Duration,
    /// The other end had data, and had not answered.
    pub other: Duration,
}

/// A segment that is under way.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// The byte behind its last.
    until: u64,
    length: u32,
    sent: Time,
    /// Since when its sender had something to answer, or had sent the one before.
    since: Time,
}

/// One end.
#[derive(Clone, Debug, Default)]
struct Side {
    /// What it sent that has not arrived, the oldest first.
    under_way: VecDeque<Segment>,
    /// The bytes of that.
    bytes: u64,
    /// When it last sent, how much time of turns had been counted by then, and for how many seconds bytes of both ends had been under
    /// way, each of them.
    last: Option<(Time, Overlap, [f64; 2])>,
    /// What came to it first since then, and when.
    came: Option<(Time, Segment)>,
    found: Overlap,
    backlog: Backlog,
}

/// Both ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Overlaps {
    sides: [Side; 2],
    /// More was under way at once than is followed.
    is_full: bool,
    /// When the number of segments under way last changed, time with any, that times their number, and times their bytes by the end that
    /// sent them, in seconds.
    changed: Time,
    busy: f64,
    segments: f64,
    carried: [f64; 2],
}

impl Overlaps {
    /// An end has handed over this many bytes of new data, up to a byte; `counted` is what it has waited so far by turns that do not overlap.
    pub(super) fn sent(
        &mut self,
        end: usize,
        (until, length): (u64, u32),
        now: Time,
        counted: Overlap,
    ) {
        self.passes(now);
        let carried = self.carried;
        let side = &mut self.sides[end];
        side.backlog.sends(length, now);
        let came = side.came.take();
        if let (Some((last, before, then)), Some((at, first))) = (side.last, came) {
            let at = at.clamp(last, now.max(last));
            let (waited, took) = (at.since(last), now.max(at).since(at));
            if took.times(PROMPT) <= waited + took {
                let way = [end, 1 - end].map(|who| carried[who] - then[who]);
                let seconds = (waited + took).as_secs_f64();
                side.backlog.waits(seconds, way);
                let (from, until) = (first.since.max(last), first.sent.min(at));
                let other = until.max(from).since(from);
                let way = counted.way.saturating_sub(before.way);
                let turn = counted.other.saturating_sub(before.other);
                side.found.way += waited.saturating_sub(other.max(turn) + way);
                side.found.other += other.saturating_sub(turn);
            }
        }
        let last = side.last.map_or(now, |(last, ..)| last);
        let since = came.map_or(last, |(at, _)| at);
        side.last = Some((now, counted, carried));
        if side.under_way.len() >= FOLLOWED {
            self.is_full = true;
            return;
        }
        side.bytes += u64::from(length);
        side.under_way.push_back(Segment {
            until,
            length,
            sent: now,
            since,
        });
    }

    /// What an end sent has arrived up to a byte, without a hole.
    pub(super) fn arrived(&mut self, end: usize, until: u64, at: Time) {
        self.passes(at);
        let [from, to] = match &mut self.sides {
            [a, b] if end == 0 => [a, b],
            [a, b] => [b, a],
        };
        while let Some(first) = from.under_way.front().filter(|s| s.until <= until) {
            to.came.get_or_insert((at, *first));
            to.backlog.comes(first.length, at);
            from.bytes -= u64::from(first.length);
            from.under_way.pop_front();
        }
    }

    /// Counts the time up to an instant with what is under way.
    fn passes(&mut self, now: Time) {
        let under_way: usize = self.sides.iter().map(|s| s.under_way.len()).sum();
        let now = now.max(self.changed);
        if under_way > 0 {
            let time = now.since(self.changed).as_secs_f64();
            self.busy += time;
            self.segments += time * under_way as f64;
            let bytes = |end: usize| self.sides[end].bytes as f64;
            (0..2).for_each(|end| self.carried[end] += time * bytes(end));
        }
        self.changed = now;
    }

    /// An end sends after the other one, and had all that this one had sent, or had not.
    pub(super) fn turns(&mut self, end: usize, has_all: bool) {
        for (who, side) in self.sides.iter_mut().enumerate() {
            side.backlog.turns(who == end, has_all);
        }
    }

    /// An end has sent its FIN, or a reset.
    pub(super) fn closes(&mut self, end: usize) {
        self.sides[end].backlog.closes();
    }

    /// The end that keeps several requests outstanding, and the share of its waits in which they were at the other one, of a conversation of
    /// this length; none where that is not known, or no more than promptness leaves open.
    pub(super) fn backlog(&self, span: Duration) -> Option<(usize, f64)> {
        let of = |end: usize| {
            let share = self.sides[end].backlog.share(span.as_secs_f64());
            share
                .filter(|share| share * PROMPT as f64 > 1.0)
                .map(|share| (end, share))
        };
        [0, 1].into_iter().find_map(of).filter(|_| !self.is_full)
    }

    /// What each of the two ends waited for.
    pub(super) fn found(&self) -> [Overlap; 2] {
        [0, 1].map(|end| self.sides[end].found)
    }

    /// How many segments were under way at a time, on average of the time with any; none where there was none, or where they were many.
    pub(super) fn at_a_time(&self) -> Option<f64> {
        (self.busy > 0.0 && !self.is_full).then(|| self.segments / self.busy)
    }
}
