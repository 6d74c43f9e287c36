//! Requests that wait at the end that answers them, where the other one keeps several outstanding.
//!
//! Such an end sends another request for each answer. Of what it has asked for at any instant, a part is on the way, which is counted; the
//! rest is at the end that answers. By Little's law (L = λW) a request spends its time in the same proportion. How much is outstanding shows
//! where the conversation begins and where it ends: so many requests are sent before an answer comes, and so many answers come after the last
//! request. All of it is counted in bytes: requests share segments where a window is small.

use farpath_units::Time;

/// A longer segment is one of a transfer, and not a request by itself, bytes: what is left of the smallest MTU of IPv6 (RFC 8200 §5).
const LONG: u32 = 1220;

/// With fewer requests outstanding, ends take turns.
const LEAST: f64 = 1.5;

/// An end asks as soon as it is answered where its waits are this share of the time at least.
const CLOSED: f64 = 0.5;

/// Segments that follow each other in one direction without one in the other.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    segments: u64,
    bytes: u64,
    /// The most bytes of any, and when there were first so many.
    most: u64,
    at: Time,
}

impl Run {
    fn goes_on(&mut self, bytes: u64, at: Time) {
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

/// What one end has outstanding, where it is the one that asks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Backlog {
    sent: Run,
    came: Run,
    all_segments: u64,
    all_sent: u64,
    all_came: u64,
    is_closed: bool,
    /// Seconds in which it waited, and these times its own bytes that were on the way meanwhile, and the other end's.
    waited: f64,
    way: [f64; 2],
}

impl Backlog {
    /// The end has sent a segment with so many bytes of new data.
    pub(super) fn sends(&mut self, length: u32, now: Time) {
        self.all_segments += 1;
        self.all_sent += u64::from(length);
        self.came.stops();
        if length < LONG {
            self.sent.goes_on(u64::from(length), now);
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

    /// The share of this end's waits in which its requests were at the other end, of a conversation of so many seconds. None where it does
    /// not ask, or what it has outstanding is not known.
    pub(super) fn share(&self, span: f64) -> Option<f64> {
        let asks = self.sent.most > 0 && self.came.most > 0 && self.sent.at < self.came.at;
        if !asks || self.waited <= 0.0 || self.waited < CLOSED * span {
            return None;
        }
        // Bytes of an answer to each of a request.
        let answers = self.all_came as f64 / self.all_sent as f64;
        let [asked, drained] = [self.sent.most as f64, self.came.most as f64 / answers];
        // One that closes in the middle leaves the rest unanswered.
        let outstanding = match self.came.segments > 1 {
            true => asked.min(drained),
            false => asked,
        };
        let [requests, answered] = self.way.map(|times| times / self.waited);
        let way = requests + answered / answers;
        let request = self.all_sent as f64 / self.all_segments as f64;
        (outstanding >= LEAST * request).then(|| (1.0 - way / outstanding).max(0.0))
    }
}
