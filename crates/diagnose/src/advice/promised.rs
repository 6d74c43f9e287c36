//! What a change promises: the next limit and its rate, and no number that no line in the texts carries.

use super::{GAIN, NO_RISK};
use crate::cause::Cause;
use crate::ceiling::slow_start_s;
use crate::document::{Change, Then};
use crate::evidence::Evidence;
use crate::fact::Figure;

/// From so many times what was measured on no line is known to carry what a law leaves.
const UNKNOWN: f64 = 4.0;

/// Below this part of what was measured a limit did not hold.
const REFUTED: f64 = 0.98;

/// A shorter slow start than this, seconds, is not worth naming.
const START_LEAST_S: f64 = 1.0;

/// Faster than this, bit/s, no line is that nobody named: the fastest port in wide use. A choice.
const FASTEST: f64 = 400e9;

/// What is said in place of a number.
const UNBOUNDED: &str = "how much that gives is not bounded by what these texts show";

/// A line of so many times what was measured needs more of processors and cards than was seen of them. A choice.
const FAR: f64 = 2.0;

/// What is said in place of a line's rate behind a processor that was full, and behind a slot.
const BEHIND_CORE: &str = "that takes away this processor's limit: what the next one and the interface's queues carry no text says, so that the line's rate is not promised";
const BEHIND_SLOT: &str = "that takes away the slot's limit: what processors and the card's queues carry no text says, so that the line's rate is not promised";

/// What limits after a change against a cause, and at which rate; behind a processor or a slot only as far as something that was read says.
pub(super) fn promise_after(
    cause: Cause,
    change: &mut Change,
    next: &(Cause, Figure),
    e: &Evidence,
) {
    match left_open(cause, next, e) {
        Some(open) => warn(change, open),
        None => promise(change, next, e),
    }
}

/// What is open behind a processor or a slot: the line is far above what was measured, and no processor says how much it would carry.
fn left_open(cause: Cause, (next, figure): &(Cause, Figure), e: &Evidence) -> Option<&'static str> {
    let measured = e.settled()?.value;
    if *next != Cause::Link || figure.value <= FAR * measured {
        return None;
    }
    match cause {
        Cause::HostCpu if e.other_end_carries().is_none() => Some(BEHIND_CORE),
        Cause::Nic if e.full_slot().is_some() && e.processor_carries().is_none() => {
            Some(BEHIND_SLOT)
        }
        _ => None,
    }
}

/// What is to be known of a change besides.
fn warn(change: &mut Change, what: &str) {
    change.risk = match change.risk.as_str() {
        "" | NO_RISK => what.to_owned(),
        risk => format!("{risk}; {what}"),
    };
}

/// What limits after a change, and at which rate.
pub(super) fn promise(change: &mut Change, (next, figure): &(Cause, Figure), e: &Evidence) {
    // A limit below what was measured is refuted.
    let measured = e.settled().map_or(0.0, |rate| rate.low);
    if figure.value < REFUTED * measured {
        return;
    }
    // A law of losses that was met by bursts, or that leaves many times as much on a line nobody knows, promises nothing.
    let law = *next == Cause::RandomLoss;
    let beyond = e.line.is_none() && figure.value > UNKNOWN * measured;
    if law && (beyond || figure.value <= GAIN * measured) {
        return;
    }
    let Some(most) = most(figure, e) else {
        warn(change, UNBOUNDED);
        return;
    };
    change.start_ns = slow_start_s(e, figure.value)
        .filter(|s| *s >= START_LEAST_S)
        .map(|s| (s * 1e9).round());
    change.predicted_bps = Some(figure.value);
    (change.low_bps, change.high_bps) = (Some(figure.low), Some(figure.high.min(most)));
    change.then = Some(Then {
        cause: next.name(),
        limit_bps: figure.value,
    });
}

/// The most that a line carries which has room for this rate, bit/s: the one that is known, or the fastest port whose speed the texts
/// have. None where the rate is beyond all of these.
fn most(figure: &Figure, e: &Evidence) -> Option<f64> {
    let carries = |most: &f64| figure.value <= *most;
    let line = e.line.as_ref().map(|(line, _)| line.high);
    if let Some(line) = line.filter(carries) {
        return Some(line);
    }
    // A port that is slower than what was measured did not carry it.
    let measured = e.settled().map_or(0.0, |rate| rate.value);
    let port = e.around.ports.fastest().filter(|port| *port >= measured);
    let port = port.filter(|_| line.is_none());
    Some(port.unwrap_or(FASTEST)).filter(carries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;

    /// What a window of 8 connections is said to give, with up to four times as much, where 9 Gbit/s were measured.
    fn promised(bps: f64, line: Option<f64>) -> Change {
        let e = Evidence {
            rate: Some(Figure::exact(9e9, Place::You)),
            line: line.map(|bps| (Figure::exact(bps, Place::You), "the line")),
            streams: 8.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        let figure = Figure::between(bps, 9e9, 4.0 * bps, Place::You);
        let mut change = Change {
            risk: NO_RISK.to_owned(),
            ..Change::default()
        };
        promise(&mut change, &(Cause::ReceiveWindow, figure), &e);
        change
    }

    #[test]
    fn no_change_promises_more_than_a_line_carries() {
        let beyond = promised(2.9e12, None);
        assert_eq!(beyond.predicted_bps, None);
        assert!(beyond.then.is_none());
        assert_eq!(beyond.risk, UNBOUNDED);
        let within = promised(20e9, None);
        assert_eq!(within.predicted_bps, Some(20e9));
        assert_eq!(within.high_bps, Some(80e9));
        assert_eq!(within.risk, NO_RISK);
        // The most is no more than the line, or the fastest port there is.
        assert_eq!(promised(200e9, None).high_bps, Some(FASTEST));
        assert_eq!(promised(20e9, Some(25e9)).high_bps, Some(25e9));
        // Whoever has a faster line says so.
        assert_eq!(promised(700e9, Some(800e9)).predicted_bps, Some(700e9));
    }
}
