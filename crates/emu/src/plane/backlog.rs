//! Requests that wait at the end that answers them, where the other one keeps several outstanding.
//!
//! Such an end sends another request for each answer. Of what it has asked for at any instant, a part is on the way, which is counted; the
//! rest is at the end that answers. By Little's law (L = λW) a request spends its time in the same proportion. How much is outstanding shows
//! where the conversation begins and where it ends: so many requests are sent before an answer comes, and so many answers come after the last
//! request. All of it is counted in bytes: requests share segments where a window is small.
//!
//! A large request has the bytes of several, and so have the last message of a handshake and the request behind it. So several are believed
//! only where they are seen: where an end sends while data is on its way to it, or where answers come one by one after the last request. An
//! end that has every answer before it asks again, from one that had every request, has been answered all that it had asked for.

use farpath_units::{Duration, Time};

use super::turns::Turns;

/// A longer segment is one of a transfer, and not a request by itself, bytes: what is left of the smallest MTU of IPv6 (RFC 8200 §5).
const LONG: u32 = 1220;

/// With fewer requests outstanding, ends take turns.
const LEAST: f64 = 1.5;

/// An end asks as soon as it is answered where its waits are this share of the time at least.
const CLOSED: f64 = 0.5;

/// One that is late now and then asks as soon where they are this share. Who sends at times of its own is prompt by chance for an eighth.
const OFTEN: f64 = 0.2;

/// Answers that come one by one after the last request are this part of the time between earlier ones apart, at least.
const APART: f64 = 0.5;

/// Segments that follow each other in one direction without one in the other.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    segments: u64,
    bytes: u64,
    /// When it began, and when its last segment was.
    begun: Time,
    last: Time,
    /// The most bytes of any, and when there were first so many.
    most: u64,
    at: Time,
}

impl Run {
    fn goes_on(&mut self, bytes: u64, at: Time) {
        if self.segments == 0 {
            self.begun = at;
        }
        self.last = at;
        self.segments += 1;
        self.bytes += bytes;
        if self.bytes > self.most {
            (self.most, self.at) = (self.bytes, at);
        }
    }

    fn stops(&mut self) {
        (self.segments, self.bytes) = (0, 0);
    }
}

/// How an end took its turns.
#[derive(Clone, Copy, Debug, Default)]
struct Taken {
    /// The other end's last turn began before that one had all of this end's data.
    other_overlaps: bool,
    all: u64,
    /// Those that began with data on its way to this end, or followed such a one of the other end.
    overlapping: u64,
}

/// What one end has outstanding, where it is the one that asks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Backlog {
    sent: Run,
    came: Run,
    all_segments: u64,
    all_sent: u64,
    all_came: u64,
    is_closed: bool,
    turns: Taken,
    /// Of runs that were sent the one of the most bytes, whatever was answered since.
    asked: Run,
    /// Of runs that came and were followed by a request: the most segments and bytes of one, the segments of all, and when the first began.
    before: Run,
    came_segments: u64,
    came_first: Option<Time>,
    /// Seconds in which it waited, and these times its own bytes that were on the way meanwhile, and the other end's.
    waited: f64,
    way: [f64; 2],
}

impl Backlog {
    /// The end has sent a segment with so many bytes of new data.
    pub(super) fn sends(&mut self, length: u32, now: Time) {
        self.all_segments += 1;
        self.all_sent += u64::from(length);
        self.answers_end();
        if length < LONG {
            self.sent.goes_on(u64::from(length), now);
            if self.sent.bytes > self.asked.bytes {
                self.asked = self.sent;
            }
        }
    }

    /// What came is followed by a request.
    fn answers_end(&mut self) {
        if self.came.segments > 0 {
            self.before.segments = self.before.segments.max(self.came.segments);
            self.before.bytes = self.before.bytes.max(self.came.bytes);
            self.came_segments += self.came.segments;
            self.came_first.get_or_insert(self.came.begun);
        }
        self.came.stops();
    }

    /// An end sends after the other one: this end, or the other. It had all that was sent to it, or had not.
    pub(super) fn turns(&mut self, is_own: bool, has_all: bool) {
        let taken = &mut self.turns;
        if !is_own {
            taken.other_overlaps = !has_all;
            return;
        }
        taken.all += 1;
        if taken.other_overlaps || !has_all {
            taken.overlapping += 1;
        } else if taken.overlapping == 0 && self.all_sent > 0 {
            // All that it had asked for is answered.
            self.answers_end();
            (self.sent, self.came) = Default::default();
        }
    }

    /// A segment with so many bytes has come.
    pub(super) fn comes(&mut self, length: u32, at: Time) {
        self.all_came += u64::from(length);
        if !self.is_closed {
            self.sent.stops();
            self.came.goes_on(u64::from(length), at);
        }
    }

    /// The end has sent its FIN, or a reset.
    pub(super) fn closes(&mut self) {
        self.is_closed = true;
    }

    /// The end has waited for so many seconds, and meanwhile its own bytes and the other's were on the way for so many of each.
    pub(super) fn waits(&mut self, seconds: f64, way: [f64; 2]) {
        self.waited += seconds;
        (0..2).for_each(|n| self.way[n] += way[n]);
    }

    /// Whether requests are seen to overlap: in most of the end's turns.
    fn overlaps(&self) -> bool {
        2 * self.turns.overlapping > self.turns.all
    }

    /// Whether answers came one by one after the last request: more of them than ever before, about as far apart, and several requests had been
    /// sent without one. Segments of one large answer come closer together.
    fn drains(&self) -> bool {
        let (last, before) = (self.came, self.before);
        let Some(first) = self.came_first.filter(|_| self.asked.segments > 1) else {
            return false;
        };
        let is_more = last.segments >= 2 * before.segments
            && last.bytes as f64 >= LEAST * before.bytes as f64;
        let gap = last.begun.since(first).as_secs_f64() / self.came_segments as f64;
        let lasted = last.last.since(last.begun).as_secs_f64();
        is_more && lasted / (last.segments - 1) as f64 >= APART * gap
    }

    /// Bytes of the requests that are outstanding by how the conversation ends, where `answers` bytes come for each.
    fn by_end(&self, answers: f64) -> Option<f64> {
        let [asked, drained] = [self.asked.bytes as f64, self.came.bytes as f64 / answers];
        let is_alike = asked.max(drained) <= LEAST * asked.min(drained);
        (is_alike && self.drains()).then(|| asked.min(drained))
    }

    /// Bytes of the requests that are outstanding, where `answers` bytes come for each; none where no more than one is seen to be.
    fn outstanding(&self, answers: f64) -> Option<f64> {
        let by_end = self.by_end(answers);
        if !self.overlaps() {
            return by_end;
        }
        let asks = self.sent.most > 0 && self.came.most > 0 && self.sent.at < self.came.at;
        let [asked, drained] = [self.sent.most as f64, self.came.most as f64 / answers];
        // One that closes in the middle leaves the rest unanswered.
        let seen = asks.then(|| match self.came.segments > 1 {
            true => asked.min(drained),
            false => asked,
        });
        // The first requests may all be sent before turns are seen to overlap: the end shows how many they were.
        [seen, by_end].into_iter().flatten().reduce(f64::max)
    }

    /// The share of this end's waits in which its requests were at the other end, of a conversation of so many seconds. None where it does
    /// not ask, or what it has outstanding is not known.
    pub(super) fn share(&self, span: f64) -> Option<f64> {
        if self.waited <= 0.0 || self.waited < OFTEN * span {
            return None;
        }
        // Bytes of an answer to each of a request.
        let answers = self.all_came as f64 / self.all_sent as f64;
        // Who asks late has more outstanding meanwhile, where turns do not overlap and the end shows it.
        let outstanding = match self.waited < CLOSED * span {
            true => self.by_end(answers).filter(|_| !self.overlaps()),
            false => self.outstanding(answers),
        }?;
        let [requests, answered] = self.way.map(|times| times / self.waited);
        let way = requests + answered / answers;
        let request = self.all_sent as f64 / self.all_segments as f64;
        (outstanding >= LEAST * request).then(|| (1.0 - way / outstanding).max(0.0))
    }
}

impl Turns {
    /// The same where `asker` keeps several requests outstanding, which are at the other end for this share of its waits: what else is on the
    /// way meanwhile makes none of them later.
    pub(super) fn with_backlog(mut self, asker: usize, share: f64) -> Turns {
        let of = |time: Duration| Duration::from_secs_f64(time.as_secs_f64() * share);
        let own = &mut self.overlapping[asker];
        let other = self.at[1 - asker] + own.other;
        let wanted = of(self.way + own.way + other);
        let mut due = wanted.saturating_sub(other);
        let of_overlap = due.min(own.way);
        (own.way, own.other) = (own.way.saturating_sub(of_overlap), own.other + of_overlap);
        due = due.saturating_sub(of_overlap).min(self.way);
        self.way = self.way.saturating_sub(due);
        self.at[1 - asker] += due;
        // Who has several requests in hand does not wait for one on the way, nor for one that is sent late.
        let answers = &mut self.overlapping[1 - asker];
        answers.way = answers.way.saturating_sub(of(answers.way));
        answers.other = answers.other.saturating_sub(of(answers.other));
        let late = self.at[asker];
        self.at[asker] = Duration::ZERO;
        self.at[1 - asker] += late;
        self.waited[asker] += late;
        // What it sends behind another answer may be the answer to another request.
        self.handing[1 - asker] = self.handing[1 - asker].unknown();
        self.streamed = self.streamed.filter(|of| of.end == asker);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Four requests at a time behind a large message that had its answer, or one at a time: how many bytes of them are outstanding.
    #[test]
    fn what_is_answered_is_not_outstanding() {
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let outstanding = |requests: u64| {
            let is_one = requests == 1;
            let mut backlog = Backlog::default();
            backlog.sends(517, at(0));
            backlog.turns(false, true);
            backlog.comes(1193, at(80));
            backlog.turns(true, true);
            (0..requests).for_each(|_| backlog.sends(10, at(80)));
            for n in 0..100 {
                backlog.turns(false, is_one);
                backlog.comes(10, at(170 + 30 * n));
                backlog.turns(true, is_one);
                backlog.sends(10, at(170 + 30 * n));
            }
            backlog.closes();
            backlog.outstanding(1.0)
        };
        assert_eq!(outstanding(4), Some(40.0));
        assert_eq!(outstanding(1), None);
    }
}
