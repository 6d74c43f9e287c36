//! Tail loss probes beside timeouts (RFC 8985 §7.2).
//!
//! A probe is the last segment that was sent, due two round trips after what was sent or acknowledged last. It allows for a delayed
//! acknowledgement where one segment is under way, and comes no later than the timer. The timer sends the first segment that is not acknowledged.
//! What Linux sends behind an acknowledgement bounds the probe by a timer that counts from when the first segment under way was sent: with a
//! window under way that is a round trip sooner.

use super::{Class, RTO_LEAST, Times, Why};
use crate::event::{Event, NEVER};
use crate::work;

/// The shortest delay of acknowledgements that a sender allows for; the longest one is as long as the shortest timer.
const DELAY_LEAST: i64 = 40_000_000;

/// What was sent or acknowledged within this is not the quiet before a probe.
const QUIET_LEAST: i64 = 2_000_000;

/// What a sender waited for before it sent a segment again, nanoseconds, and what its timers were.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    /// Since it was sent last, or something before it was acknowledged.
    pub(super) quiet: i64,
    /// Since the first segment under way was sent; `NEVER` where nothing tells.
    pub(super) head: i64,
    pub(super) smoothed: i64,
    pub(super) variation: i64,
}

impl Wait {
    /// Of a segment at its sender, which is `to_sender` from the capture and back.
    pub(super) fn of(e: &Event, times: Times) -> Wait {
        let d = times.to_sender;
        let smoothed = match e.smoothed {
            0 => times.round_trip,
            some => some + d,
        };
        Wait {
            // What was acknowledged here was not yet where its sender is.
            quiet: match e.known {
                true => e.lag,
                false => e.lag.min((e.at - e.una_at - d).max(0)),
            },
            head: e.head_lag,
            smoothed,
            variation: e.variation,
        }
    }

    /// The timeout of RFC 6298, as Linux has it.
    fn timer(&self) -> i64 {
        self.smoothed + (4 * self.variation).max(RTO_LEAST)
    }

    /// The probe of a segment alone with the longest delay that is allowed for.
    fn probe(&self) -> i64 {
        2 * self.smoothed + RTO_LEAST
    }

    /// Whether a last segment that was sent again is a probe: `alone` of one that is also the first, so that the timer may have sent it.
    pub(super) fn is_probe(&self, alone: bool) -> bool {
        let (quiet, smoothed) = (self.quiet, self.smoothed);
        // The shortest timer in use: a probe does not come later than the timer.
        let shortest = (smoothed + RTO_LEAST).saturating_mul(19) / 20;
        let is_soon = quiet.saturating_mul(2) < smoothed * 3;
        if smoothed != 0 && !alone && is_soon && self.is_due_by_head(shortest) {
            return true;
        }
        if smoothed == 0 || is_soon && (alone || quiet < shortest) {
            return false;
        }
        if !alone {
            return quiet <= self.timer().max(self.probe()).saturating_mul(5) / 4;
        }
        // The timer of a sender which had one sample more, that of the handshake.
        let varied = (smoothed + 3 * self.variation).saturating_mul(17) / 20;
        let usual = (4 * smoothed + DELAY_LEAST / 4).max(2 * smoothed + DELAY_LEAST / 4 * 5);
        let latest = self.probe().saturating_mul(21) / 20;
        quiet < shortest && quiet <= usual || quiet < varied && quiet <= latest
    }

    /// Whether the timer of the first segment under way was just due, where it bounds the probe of what was sent since.
    fn is_due_by_head(&self, shortest: i64) -> bool {
        let is_quiet = self.quiet >= QUIET_LEAST;
        is_quiet && (shortest..=self.timer().saturating_mul(21) / 20).contains(&self.head)
    }

    /// Whether a probe of a segment alone may have been due so late, when the timer was due as well.
    fn is_due_with_timer(&self) -> bool {
        let due = self.timer().min(self.probe());
        self.quiet >= RTO_LEAST / 5 * 4 && self.quiet <= due.saturating_mul(5) / 4
    }
}

/// What the time says of a segment that was alone under way, and was sent again when both its probe and its timer were due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lone {
    /// It was sent once more after a timeout that had not doubled: the first one was a probe.
    Probe,
    /// The timeout had doubled: the first one was a timeout as well.
    Timeout,
    /// Nothing more was sent of it, or something was heard before.
    Open,
}

/// Of event `n` what it is; none where the probe was not due with the timer.
fn lone(events: &[Event], n: usize, times: Times) -> Option<Lone> {
    let e = &events[n];
    let alone = |e: &Event| e.head && e.tail && e.sack_at == NEVER && e.dup_at == NEVER;
    let wait = Wait::of(e, times);
    let is_first = alone(e) && e.pieces == 1 && e.times < 2;
    if times.is_sackless || !is_first || !wait.is_due_with_timer() {
        return None;
    }
    let next = events.get(n + 1).filter(|next| next.seq == e.seq);
    Some(match next {
        Some(next) if next.lag.saturating_mul(2) >= wait.quiet.saturating_mul(3) => Lone::Timeout,
        // Behind a probe the timer starts anew, with what it was.
        Some(next) if alone(next) && next.una == e.una && next.lag >= RTO_LEAST / 5 * 4 => {
            Lone::Probe
        }
        _ => Lone::Open,
    })
}

/// Timeouts that were probes, by how long the timer behind them took.
pub(super) fn name(events: &[Event], classes: &mut [Class], times: Times) {
    work::count(events.len());
    for (n, class) in classes.iter_mut().enumerate() {
        let probe = match *class {
            Class::Again(Why::Rto) => Class::Again(Why::Tlp),
            Class::Unneeded(Why::Rto) => Class::Unneeded(Why::Tlp),
            _ => continue,
        };
        if lone(events, n, times) == Some(Lone::Probe) {
            *class = probe;
        }
    }
}

/// Timeouts of a segment that was alone under way which may as well be probes: nothing tells.
pub(crate) fn open(events: &[Event], classes: &[Class], times: Times) -> u64 {
    work::count(events.len());
    let is_open = |n: &usize| {
        classes[*n] == Class::Again(Why::Rto) && lone(events, *n, times) == Some(Lone::Open)
    };
    (0..events.len()).filter(is_open).count() as u64
}
