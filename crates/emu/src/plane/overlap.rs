//! What an end of a connection waited for where turns overlap: several requests are on the way at once, and each answer brings the
//! next one.
//!
//! An end that sends as soon as data has come has waited for that data since it last sent. Of this time the data was on the way from
//! when it was handed over. Before that the other end had it, from when something had come there to be answered. Who sends at
//! a time of its own, some time after data came, is not known to have waited for it.
//!
//! A small message in the middle of a large answer, as what opens a window of HTTP/2 or gRPC again, is due with the data right before it: the end
//! kept back nothing of what came earlier. Who goes on behind such a message alone, which is known to open a window, had sent what that allowed, and
//! has waited for it even where its program is slow to go on.

use std::collections::VecDeque;

use farpath_units::{Duration, Time};

use super::backlog::Backlog;

/// An end that sends so soon after data came, as a part of the time since it last sent, has waited for the data.
const PROMPT: u64 = 8;

/// A message of so many bytes at most, behind so many times as much data, says what has come and asks for nothing.
const SAYS_MOST: u32 = 128;
const SAYS_PART: u64 = 100;

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

/// How often an end went on as a message that opens a window had come, and nothing else, and how long it had sent nothing before that came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Windows {
    /// How often.
    pub times: u64,
    /// Time before these messages, of all.
    pub waited: Duration,
    /// The messages were ciphered, and known by the lengths of their records.
    pub by_length: bool,
}

/// What was handed over at once and is under way: a segment, or several that a card is to cut out of it.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// The byte behind its last.
    until: u64,
    length: u32,
    /// How many frames it is.
    frames: u32,
    sent: Time,
    /// Since when its sender had something to answer, or had sent the one before.
    since: Time,
    /// It opens a window, and does nothing else.
    is_grant: bool,
    /// That is known by its length.
    is_by_length: bool,
}

/// One end.
#[derive(Clone, Debug, Default)]
struct Side {
    /// What it sent that has not arrived, the oldest first.
    under_way: VecDeque<Segment>,
    /// The bytes of that, and its frames.
    bytes: u64,
    frames: u64,
    /// Bytes of the longest frame that it sends; 0 where what it hands over is not cut.
    longest: u32,
    /// When it last sent, how much time of turns had been counted by then, and for how many seconds bytes of both ends had been under
    /// way, each of them.
    last: Option<(Time, Overlap, [f64; 2])>,
    /// What came to it first since then, and when.
    came: Option<(Time, Segment)>,
    /// When data last came to it, a part of a segment as well, and how many bytes since it last sent.
    latest: Option<Time>,
    bytes_came: u64,
    /// What came since it last sent was more than messages that open a window.
    has_more: bool,
    /// What it sends now is such a message, and whether it was known by its length.
    grants: Option<bool>,
    windows: Windows,
    /// The byte behind the last that has come of what it sent, without a hole.
    arrived: u64,
    found: Overlap,
    backlog: Backlog,
}

impl Side {
    /// Since when a message of so many bytes was due that the end sends `now`, after its last one, where it only says what has come, and does at once.
    fn due(&self, length: u32, last: Time, now: Time) -> Option<Time> {
        let latest = self.latest.filter(|latest| (last..=now).contains(latest))?;
        let is_prompt = now.since(latest).times(PROMPT) <= latest.since(last);
        (is_prompt && self.says(length)).then_some(latest)
    }

    /// Whether a message of so many bytes only says what has come.
    fn says(&self, length: u32) -> bool {
        length <= SAYS_MOST && self.bytes_came >= u64::from(length) * SAYS_PART
    }
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
            let is_granted = first.is_grant && !side.has_more && took <= waited;
            if is_granted {
                side.windows.times += 1;
                side.windows.waited += waited;
                side.windows.by_length |= first.is_by_length;
            }
            if is_granted || took.times(PROMPT) <= waited + took {
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
        let since = side.due(length, last, now).unwrap_or(since);
        side.bytes_came = 0;
        side.has_more = false;
        let grants = side.grants.take();
        side.last = Some((now, counted, carried));
        if side.under_way.len() >= FOLLOWED {
            self.is_full = true;
            return;
        }
        let frames = match side.longest {
            0 => 1,
            longest => length.div_ceil(longest).max(1),
        };
        side.bytes += u64::from(length);
        side.frames += u64::from(frames);
        side.under_way.push_back(Segment {
            until,
            length,
            frames,
            sent: now,
            since,
            is_grant: grants.is_some(),
            is_by_length: grants == Some(true),
        });
    }

    /// What an end is about to send opens a window, and does nothing else; whether that is known by its length.
    pub(super) fn grants(&mut self, end: usize, by_length: bool) {
        self.sides[end].grants = Some(by_length);
    }

    /// How each of the two ends waited for such messages.
    pub(super) fn windows(&self) -> [Windows; 2] {
        [0, 1].map(|end| self.sides[end].windows)
    }

    /// The frames of an end carry so many bytes at most.
    pub(super) fn cuts(&mut self, end: usize, longest: u32) {
        self.sides[end].longest = longest;
    }

    /// Whether a message of so many bytes that an end sends now only says what has come.
    pub(super) fn says(&self, end: usize, length: u32) -> bool {
        self.sides[end].says(length)
    }

    /// What an end sent has arrived up to a byte, without a hole.
    pub(super) fn arrived(&mut self, end: usize, until: u64, at: Time) {
        self.passes(at);
        let [from, to] = match &mut self.sides {
            [a, b] if end == 0 => [a, b],
            [a, b] => [b, a],
        };
        let more = until.saturating_sub(from.arrived);
        from.arrived = from.arrived.max(until);
        if more > 0 {
            to.latest = Some(at);
            to.bytes_came += more;
        }
        while let Some(first) = from.under_way.front().filter(|s| s.until <= until) {
            to.came.get_or_insert((at, *first));
            to.has_more |= !first.is_grant;
            to.backlog.comes(first.length, at);
            from.bytes -= u64::from(first.length);
            from.frames -= u64::from(first.frames);
            from.under_way.pop_front();
        }
    }

    /// Counts the time up to an instant with what is under way.
    fn passes(&mut self, now: Time) {
        let under_way: u64 = self.sides.iter().map(|s| s.frames).sum();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A large answer through a window of 32 kB, 40 ms each way, two halves of it 1 ms apart: the client opens it again so long after the first of
    /// them by a message of so many bytes.
    fn through_a_window(works: u64, bytes: u32) -> Overlap {
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let counted = Overlap::default();
        let mut overlaps = Overlaps::default();
        for n in 0..100 {
            let t = n * (80 + works);
            let [first, second] = [1, 2].map(|half| 32_768 * n + 16_384 * half);
            let opened = (n + 1) * u64::from(bytes);
            overlaps.sent(1, (first, 16_384), at(t), counted);
            overlaps.sent(1, (second, 16_384), at(t + 1), counted);
            overlaps.arrived(1, first, at(t + 40));
            if works > 0 {
                overlaps.arrived(1, second, at(t + 41));
            }
            overlaps.sent(0, (opened, bytes), at(t + 40 + works), counted);
            overlaps.arrived(1, second, at(t + 41));
            overlaps.arrived(0, opened, at(t + 80 + works));
        }
        overlaps.found()[1]
    }

    /// Six answers of two windows each, 40 ms each way, of a server that goes on so long after the window was opened, or after that and a request.
    #[test]
    fn what_waits_for_a_window_is_known() {
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let waited = |works: u64, asks: bool| {
            let (mut overlaps, counted) = (Overlaps::default(), Overlap::default());
            let (mut sent, mut opened) = (0, 0);
            for n in 0..6 {
                let t = n * 200;
                sent += 65_535;
                overlaps.sent(1, (sent, 65_535), at(t), counted);
                overlaps.arrived(1, sent, at(t + 40));
                overlaps.grants(0, false);
                opened += 26;
                overlaps.sent(0, (opened, 26), at(t + 41), counted);
                overlaps.arrived(0, opened, at(t + 81));
                if asks {
                    opened += 50;
                    overlaps.sent(0, (opened, 50), at(t + 42), counted);
                    overlaps.arrived(0, opened, at(t + 82));
                }
                sent += 34_465;
                overlaps.sent(1, (sent, 34_465), at(t + 81 + works), counted);
            }
            (overlaps.windows()[1], overlaps.found()[1].way)
        };
        let windows = |times: u64| Windows {
            times,
            waited: Duration::from_ms(81).times(times),
            by_length: false,
        };
        let (prompt, way) = waited(1, false);
        assert_eq!((prompt, way), (windows(6), Duration::from_ms(6 * 80)));
        let (slow, way) = waited(40, false);
        assert_eq!((slow, way), (windows(6), Duration::from_ms(6 * 80)));
        assert_eq!(waited(90, false), (windows(0), Duration::ZERO));
        assert_eq!(waited(1, true).0, windows(0));
    }

    /// An upload of 1 MB a round trip of 200 ms, handed over in 16 pieces that the card cuts into frames of 1448 bytes; and small messages.
    #[test]
    fn what_a_card_cuts_counts_by_its_frames() {
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let at_a_time = |longest: u32, length: u32, pieces: u64| {
            let mut overlaps = Overlaps::default();
            overlaps.cuts(0, longest);
            let mut until = 0;
            for round in 0..10 {
                for _ in 0..pieces {
                    until += u64::from(length);
                    overlaps.sent(0, (until, length), at(round * 200), Overlap::default());
                }
                overlaps.arrived(0, until, at(round * 200 + 100));
            }
            overlaps.at_a_time().map_or(0.0, f64::round)
        };
        // 65160 bytes are 45 frames.
        assert_eq!(at_a_time(1448, 65_160, 16), 16.0 * 45.0);
        assert_eq!(at_a_time(1448, 300, 8), 8.0);
        assert_eq!(at_a_time(0, 300, 8), 8.0);
    }

    /// The second half of each window has come long before the client opens it again, and is not what that waited for.
    #[test]
    fn a_window_that_is_opened_at_once_keeps_nobody_waiting() {
        let ms = Duration::from_ms;
        let at_once = through_a_window(0, 4);
        assert_eq!((at_once.way, at_once.other), (ms(99 * 79), ms(0)));
        let late = through_a_window(20, 4);
        assert_eq!((late.way, late.other), (ms(99 * 79), ms(99 * 20)));
        // A request of its own may have been due with the half that came before.
        let asks = through_a_window(0, 1000);
        assert_eq!(asks.other, ms(98 * 39));
    }
}
