//! A connection round by round, when it is named which segments are lost.
//!
//! A rounds model: a round sends a window and lasts a round trip, or as long as the line needs for
//! it. Slow start doubles the window, or adds to it, up to a cap. A round in which a named segment is lost is
//! followed by one at the cut window, in which it is repaired; then the window climbs as
//! [`Climb`] says. The cap is room at one of the ends, which a hole keeps occupied: where the window
//! stood at it, the round of the repair sends nothing new, and in the one after it nothing is
//! acknowledged that could make the window grow. No timeouts, no queue that overflows, no handshake.

use crate::cc::{Cc, Rules};
use crate::climb::Climb;
use crate::htcp::Growth;
use crate::reduction::Fall;
use crate::slow_start::{first_growth, quick_left};

/// A connection and its losses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Connection<'l> {
    /// The algorithm.
    pub cc: Cc,
    /// Round-trip time in seconds; above 0.
    pub rtt_s: f64,
    /// Segments the line takes in one RTT; above 0.
    pub pipe: f64,
    /// Largest window in segments; at least 1.
    pub cap: f64,
    /// Largest congestion window in segments; at least `cap`, of which nothing beyond is ever sent. The RFCs' is `cap`;
    /// a kernel's grows in slow start to twice that, and a cut is one of the whole.
    pub ceiling: f64,
    /// Initial window in segments; at least 1.
    pub initial: f64,
    /// Segments acknowledged for each by which slow start grows.
    pub segments_per_growth: f64,
    /// From where on slow start is limited, in segments (RFC 3742), if it is.
    pub max_ssthresh: Option<f64>,
    /// Segments that are acknowledged one by one at first; not below 0.
    pub quick: f64,
    /// Segments for each ACK as [`Climb`] has them.
    pub segments_per_ack: f64,
    /// Whose rules H-TCP, Scalable TCP and Vegas follow.
    pub rules: Rules,
    /// Numbers of the segments lost, from 1, ascending.
    pub lost: &'l [u64],
}

/// One round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// When it begins, in seconds after the first segment.
    pub start_s: f64,
    /// When the next one begins.
    pub end_s: f64,
    /// Segments sent in it.
    pub segments: f64,
    /// The congestion window at its beginning, in segments; in a round that repairs, the one it comes down to.
    pub window: f64,
    /// How the window comes down in it, if a loss became known at its beginning.
    pub fall: Option<Fall>,
}

/// Rounds followed before a connection is given up.
const ROUNDS_MAX: usize = 2_000_000;

impl Connection<'_> {
    /// The rounds, without end; `None` for algorithms whose answer to a loss is not known
    /// ([`Climb::start`]).
    pub fn rounds(&self) -> Option<impl Iterator<Item = Round> + '_> {
        self.climb(self.cap).start()?;
        let mut state = State {
            now_s: 0.0,
            sent: 0.0,
            window: libm::fmin(self.initial, self.ceiling),
            climb: None,
            fall: None,
            waits: false,
            round: 0,
        };
        Some(core::iter::repeat_with(move || state.advance(self)))
    }

    /// Segments sent from `from_s` to `until_s` after the first one; `None` as for
    /// [`Connection::rounds`], and for spans of more than two million round trips.
    pub fn sent(&self, from_s: f64, until_s: f64) -> Option<f64> {
        let mut sum = 0.0;
        for round in self.rounds()?.take(ROUNDS_MAX) {
            if round.start_s >= until_s {
                return Some(sum);
            }
            let inside = libm::fmin(round.end_s, until_s) - libm::fmax(round.start_s, from_s);
            sum += round.segments * libm::fmax(inside, 0.0) / (round.end_s - round.start_s);
        }
        None
    }

    /// Seconds from the first segment to the last of `segments`; `None` as for
    /// [`Connection::sent`].
    pub fn time_s(&self, segments: f64) -> Option<f64> {
        let mut sent = 0.0;
        for round in self.rounds()?.take(ROUNDS_MAX) {
            if sent + round.segments >= segments {
                // What is left goes out at the rate of the line.
                let left = (segments - sent) / self.pipe * self.rtt_s;
                return Some(round.start_s + left);
            }
            sent += round.segments;
        }
        None
    }

    fn climb(&self, top: f64) -> Climb {
        Climb {
            cc: self.cc,
            top,
            rtt_s: self.rtt_s,
            segments_per_ack: self.segments_per_ack,
            htcp: match self.rules {
                Rules::Document => Growth::PAPER,
                Rules::Linux => Growth::linux(self.rtt_s),
            },
            rules: self.rules,
        }
    }
}

struct State {
    now_s: f64,
    sent: f64,
    window: f64,
    climb: Option<Climb>,
    /// The window is cut, and this round repairs.
    fall: Option<Fall>,
    /// The round before this one sent nothing.
    waits: bool,
    /// Rounds since the climb began.
    round: u32,
}

impl State {
    fn advance(&mut self, of: &Connection<'_>) -> Round {
        let window = self.window;
        let fall = self.fall.take();
        let held = fall.is_some_and(|f| f.held);
        let segments = if held {
            0.0
        } else {
            libm::fmin(window, of.cap)
        };
        let round = Round {
            start_s: self.now_s,
            end_s: self.now_s + of.rtt_s * libm::fmax(1.0, segments / of.pipe),
            segments,
            window,
            fall,
        };
        let (before, after) = (self.sent, self.sent + segments);
        self.now_s = round.end_s;
        self.sent = after;
        let first = of.lost.partition_point(|n| *n as f64 <= before);
        let hit = of.lost.get(first).is_some_and(|n| *n as f64 <= after);
        if hit && fall.is_none() {
            self.cut(of, window);
        } else if fall.is_none() && !self.waits {
            self.grow(of);
        } else {
            self.waits = held;
        }
        round
    }

    /// A segment of a round of `window` is lost.
    fn cut(&mut self, of: &Connection<'_>, window: f64) {
        // By the time the loss is known, slow start has grown once more.
        let top = match self.climb {
            None => self.doubled(of),
            Some(_) => window,
        };
        let climb = of.climb(top);
        self.window = libm::fmax(climb.start().unwrap_or(top), 2.0);
        let fall = Fall {
            before: top,
            after: self.window,
            held: window >= of.cap,
        };
        // H-TCP's clock runs from the congestion, in Linux from the repair; the others' from when there is growth again.
        self.round = match (of.cc, of.rules) {
            (Cc::Htcp, Rules::Document) => 1 + u32::from(fall.held),
            (Cc::Htcp, Rules::Linux) => u32::from(fall.held),
            _ => 0,
        };
        self.waits = false;
        self.climb = Some(climb);
        self.fall = Some(fall);
    }

    fn grow(&mut self, of: &Connection<'_>) {
        let grown = match &self.climb {
            None => self.doubled(of),
            // What is not used does not grow.
            Some(_) if self.window >= of.cap => self.window,
            Some(climb) => libm::fmin(climb.next(self.window, self.round), of.cap),
        };
        self.round = self.round.saturating_add(1);
        self.window = grown;
    }

    /// The window after a round of slow start: it grows by what is acknowledged of it.
    fn doubled(&self, of: &Connection<'_>) -> f64 {
        // Vegas grows every other round trip, so that it can measure in between; Linux's in each.
        let pauses = of.cc == Cc::Vegas && of.rules == Rules::Document;
        if pauses && self.round.is_multiple_of(2) {
            return self.window;
        }
        let sent = libm::fmin(self.window, of.cap);
        let quick = quick_left(of.quick, self.window - of.initial);
        let more = first_growth(
            self.window,
            sent,
            quick,
            (of.segments_per_growth, of.max_ssthresh),
        );
        libm::fmin(self.window + more, of.ceiling)
    }
}
