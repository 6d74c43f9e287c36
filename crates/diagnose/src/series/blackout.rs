//! Times in which a captured path was down: data was sent again and again, and nothing came of it until all went on as before.
//!
//! What was on its way then was lost with the path. It says nothing of queues, chance or policers, and neither do the rates meanwhile.

use farpath_observe::{Connection as Seen, Surroundings, limit::shares};
use farpath_record::trace::TraceDirection;
use farpath_trace::{DirectionFound, SegmentSeen};
use farpath_units::Time;

use crate::captured::NOT_LOST;
use crate::seen::Row;
use crate::series::stops::{self, Stop, seconds};

/// The times in which the path was down, and what is left of a direction without them.
#[derive(Clone, Debug)]
pub(crate) struct Blackout {
    /// When, and how long: the longest, with the time of all.
    pub(crate) stop: Stop,
    /// Segments that were sent again because of them.
    pub(crate) segments: f64,
    /// The direction without them, and without what they lost.
    pub(crate) rest: DirectionFound,
    /// Of each from its begin until what it lost had arrived, seconds since the first packet.
    spans: Vec<[f64; 2]>,
}

/// So often data is sent again in it where other segments are lost, too: chance does not take three in a row where the rest passes.
const AGAIN: usize = 3;

/// Where no other segment is lost twice is enough, in a second or more.
const AGAIN_ALONE: usize = 2;
const ALONE_S: f64 = 1.0;

/// Far from the sender nothing is seen of what it sends again. One loss of that makes a silence of three timeouts, and two make one of
/// seven, as each is twice the one before (RFC 6298 §5.5).
const TIMEOUTS: [f64; 2] = [3.0, 7.0];

/// A timeout is a round trip and this much, seconds, at least: Linux's least, below that of RFC 6298 §2.4.
pub(crate) const TIMEOUT_S: f64 = 0.2;

/// Whether a segment with data was lost.
fn is_lost(segment: &SegmentSeen) -> bool {
    segment.length > 0 && !NOT_LOST.contains(&segment.class) && segment.why != NOT_LOST[2]
}

/// One silence of a captured direction, if the path was down in it, and up to which byte data had been sent by its end.
fn judged(
    mut stop: Stop,
    (seen, found): (&Seen, &DirectionFound),
    started_ns: i64,
    near: bool,
) -> Option<(Stop, u64)> {
    let from = stop.from?;
    let until = from + stop.lasted;
    let since = |ns: i64| (ns - started_ns) as f64 / 1e9;
    // All that had been sent when it began, or was sent meanwhile.
    let most = sent_until(seen, from, until);
    let of_it = |s: &SegmentSeen| s.length > 0 && since(s.at_ns) >= from && s.offset < most;
    let all = &found.segments;
    let elsewhere = all.iter().any(|s| is_lost(s) && !of_it(s));
    let meanwhile = all.iter().filter(|s| of_it(s) && since(s.at_ns) <= until);
    let mut times: Vec<i64> = meanwhile
        .filter(|s| !NOT_LOST[..2].contains(&s.class))
        .map(|s| s.at_ns)
        .collect();
    times.dedup();
    let again = if near { times.len() } else { 0 };
    let timeout = TIMEOUT_S + seen.rtt.as_ref().map_or(0.0, |r| r.avg_ns / 1e9);
    let sure = match near {
        true => again >= AGAIN || again >= AGAIN_ALONE && !elsewhere && stop.lasted >= ALONE_S,
        false => stop.lasted >= timeout * TIMEOUTS[usize::from(elsewhere)],
    };
    // The capture ends in it; where the other end is heard of, the path is not down.
    let vain = found.unanswered.filter(|u| until > since(u.since_ns));
    if !sure || vain.is_some_and(|u| u.heard) {
        return None;
    }
    (stop.dark, stop.to_end) = (Some(again), vain.is_some());
    Some((stop, most))
}

impl Blackout {
    /// Those of a captured direction, whose times begin at `started_ns`; `near` where it was captured at its sender. None where the longest
    /// silence shows none.
    pub(crate) fn of(
        direction: &TraceDirection,
        found: &DirectionFound,
        started_ns: i64,
        near: bool,
    ) -> Option<Blackout> {
        let seen = found.observed.as_deref()?;
        let mut silent = stops::all_captured(&direction.glitches, seen).into_iter();
        let longest = judged(silent.next()?, (seen, found), started_ns, near)?;
        let others = silent.filter_map(|stop| judged(stop, (seen, found), started_ns, near));
        let all: Vec<(Stop, u64)> = [longest].into_iter().chain(others).collect();
        let spans: Vec<(f64, u64)> = all
            .iter()
            .filter_map(|(stop, most)| Some((stop.from?, *most)))
            .collect();
        let at = |s: &SegmentSeen| (s.at_ns - started_ns) as f64 / 1e9;
        let of_them = |s: &SegmentSeen| {
            let mut each = spans.iter();
            s.length > 0 && each.any(|(from, most)| at(s) >= *from && s.offset < *most)
        };
        let mss = f64::from(direction.mss.unwrap_or(u32::MAX).max(1));
        let pieces = |s: &SegmentSeen| libm::ceil(f64::from(s.length) / mss);
        let segments = &found.segments;
        let taken = segments.iter().filter(|s| is_lost(s) && of_them(s));
        let (rest, repaired) = without(seen, &spans);
        let each = all.iter().zip(&spans).zip(&repaired);
        let each = each
            .map(|((stop, (from, _)), until)| [*from, libm::fmax(*until, *from + stop.0.lasted)]);
        Some(Blackout {
            stop: longest.0.for_all(all.iter().map(|(stop, _)| stop)),
            segments: taken.map(pieces).sum(),
            spans: each.collect(),
            rest: DirectionFound {
                segments: segments.iter().filter(|s| !of_them(s)).copied().collect(),
                observed: Some(Box::new(rest)),
                acks: found.acks.clone(),
                unanswered: None,
            },
        })
    }

    /// What held the sender back in the rest of the time, by shares of that.
    pub(crate) fn shares(&self) -> Option<std::collections::BTreeMap<String, f64>> {
        let rest = self.rest.observed.as_deref()?;
        let shares = shares(rest, Time::ZERO, &Surroundings::default());
        (!shares.is_empty() && shares.values().all(|s| s.is_finite())).then_some(shares)
    }

    /// Whether an interval lies outside of them; the connection's data begins at `opened`, seconds.
    pub(crate) fn spares(&self, row: &Row, opened: f64) -> bool {
        let spared =
            |[from, until]: &[f64; 2]| row.until + opened <= *from || row.from + opened >= *until;
        self.spans.iter().all(spared)
    }
}

/// Bytes that had been sent by the end of a silence: what was delivered before it, and the most that was on its way in it.
fn sent_until(seen: &Seen, from: f64, until: f64) -> u64 {
    let before = seen
        .flights
        .iter()
        .filter(|f| seconds(f.until) <= from + NEAR);
    let delivered: u64 = before.map(|f| f.delivered).sum();
    let inside = |f: &&farpath_observe::Flight| {
        seconds(f.until) > from - NEAR && seconds(f.from) < until + NEAR
    };
    let peak = seen.flights.iter().filter(inside).map(|f| f.peak).max();
    delivered + peak.unwrap_or(0)
}

/// Intervals begin where others end: within this, seconds.
const NEAR: f64 = 1e-6;

/// The same without the intervals in which what had been sent by the end of a silence was not yet delivered; and when that was, seconds. Of
/// each silence it has the begin, seconds, and up to which byte data had been sent.
fn without(seen: &Seen, spans: &[(f64, u64)]) -> (Seen, Vec<f64>) {
    let mut rest = seen.clone();
    let mut delivered = 0;
    let mut repaired: Vec<f64> = spans.iter().map(|(from, _)| *from).collect();
    rest.flights.retain(|f| {
        let mut open = false;
        for ((from, most), until) in spans.iter().zip(&mut repaired) {
            if seconds(f.from) >= *from - NEAR && delivered < *most {
                open = true;
                *until = seconds(f.until);
            }
        }
        delivered += f.delivered;
        !open
    });
    (rest.rtos, rest.taker, rest.policed) = (None, None, None);
    (rest, repaired)
}

/// Why a silence is an outage, where data was sent again so often in it, and what else it may be where it lasted to the capture's end.
pub(crate) fn though(again: usize, to_end: bool) -> String {
    let mut text = match again {
        0 => String::new(),
        n => format!(", though data was sent again {n} times"),
    };
    if to_end {
        text += ", and nothing answered until the capture's end (the path is down or carries nothing large any more, a device on it drops the \
                 data, or the other end is gone: pings meanwhile, small and large, tell)";
    }
    text
}
