//! Times in which nothing arrived: named beside the cause, whatever that is.

use farpath_observe::{Connection, Flight};
use farpath_record::trace::Glitch;

use crate::evidence::Evidence;
use crate::seen::Row;

/// A time in which nothing arrived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stop {
    /// Its start, seconds since the first packet, or since the test's start; none where only its length was said.
    pub(crate) from: Option<f64>,
    /// How long it lasted, seconds.
    pub(crate) lasted: f64,
    /// Bytes that were not delivered beside the rate before it, where that was seen.
    pub(crate) cost: Option<f64>,
    /// Where a capture shows that the path was down: how often data was sent again in it, as far as that was seen.
    pub(crate) dark: Option<usize>,
}

/// A stop is worth naming from so many seconds on, or from this part of the whole time.
const LONG_S: f64 = 1.0;
const PART: f64 = 1.0 / 20.0;

/// The shortest stop that is worth naming, of a test of `whole` seconds.
pub(crate) fn least(whole: f64) -> f64 {
    (PART * whole).min(LONG_S)
}

/// Words of what a host did by itself: then the path did not stop.
const OF_HOSTS: [&str; 2] = ["application", "receive_window"];

/// The longest stop among the glitches of a captured direction.
pub(crate) fn captured(glitches: &[Glitch], seen: &Connection) -> Option<Stop> {
    let whole = seen.finished.since(seen.established.min(seen.finished));
    let least = least(whole.as_secs_f64());
    let own = glitches
        .iter()
        .filter(|g| !OF_HOSTS.contains(&g.cause.as_str()));
    let each = own.filter_map(|glitch| {
        let from = glitch.start_ns as f64 / 1e9;
        let until = from + glitch.duration_ns as f64 / 1e9;
        let (from, lasted) = silence(&seen.flights, from, until);
        (lasted >= least && lasted > 0.0).then_some(Stop {
            from: Some(from),
            lasted,
            dark: None,
            cost: (glitch.cost_bytes > 0).then_some(glitch.cost_bytes as f64),
        })
    });
    each.max_by(|a, b| a.lasted.total_cmp(&b.lasted))
}

/// The longest time between two of these instants, seconds, in which nothing was delivered: when it began, and how long it was.
pub(crate) fn silence(flights: &[Flight], from: f64, until: f64) -> (f64, f64) {
    let (mut longest, mut going) = ((from, 0.0), 0.0);
    for flight in flights {
        let (begin, end) = (seconds(flight.from), seconds(flight.until));
        let inside = end > from && begin < until;
        going = match flight.delivered {
            0 if inside => going + end - begin,
            _ => 0.0,
        };
        if going > longest.1 {
            longest = (end - going, going);
        }
    }
    longest
}

/// Seconds since a connection's first packet.
pub(crate) fn seconds(time: farpath_units::Time) -> f64 {
    time.as_ps() as f64 / 1e12
}

/// The longest stretch of intervals of a log in which nothing passed, where others did.
pub(crate) fn logged(rows: &[&Row]) -> Option<Stop> {
    let moved = rows.iter().rposition(|r| r.bps > 0.0)?;
    let first = rows.iter().position(|r| r.bps > 0.0)?;
    let whole = rows.last()?.until;
    let least = least(whole);
    let mut longest: Option<Stop> = None;
    let mut going: Option<f64> = None;
    for row in &rows[first..=moved] {
        if row.bps > 0.0 {
            going = None;
            continue;
        }
        let from = *going.get_or_insert(row.from);
        let lasted = row.until - from;
        if lasted >= least * 0.999 && longest.is_none_or(|l| lasted > l.lasted) {
            longest = Some(Stop {
                from: Some(from),
                lasted,
                cost: None,
                dark: None,
            });
        }
    }
    longest
}

impl Stop {
    /// `for 2.0 s from 6.0 s on`.
    pub(crate) fn shown(&self) -> String {
        let from = self
            .from
            .map_or_else(String::new, |s| format!(" from {s:.1} s on"));
        format!("for {:.1} s{from}", self.lasted)
    }
}

impl Evidence {
    /// What is said of it beside the cause.
    pub(crate) fn stop_sentence(&self) -> Option<String> {
        let stop = self.stop.as_ref()?;
        let cost = stop.cost.map_or_else(String::new, |bytes| {
            format!(
                ": {} less than at the rate before it",
                crate::ceiling::bytes(bytes)
            )
        });
        let why = match (stop.dark, self.down() > 0.0) {
            (Some(again), _) => crate::blackout::though(again),
            (None, true) => ", as a link was down".to_owned(),
            (None, false) => String::new(),
        };
        Some(format!(
            "besides, {} nothing arrived{why}{cost}; that is an outage, and not what limits the rest",
            stop.shown()
        ))
    }
}
