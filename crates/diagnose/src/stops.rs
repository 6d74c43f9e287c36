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
    /// Where a capture or a log shows that the path was down: how often data was sent again in it, as far as that was seen.
    pub(crate) dark: Option<usize>,
    /// A log of a tool shows it, which counts what the stop took with all else that was sent again.
    pub(crate) by_log: bool,
    /// It lasted until a capture's end: nothing answered any more.
    pub(crate) to_end: bool,
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
            by_log: false,
            to_end: false,
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
                by_log: true,
                to_end: false,
            });
        }
    }
    longest
}

/// So many intervals with data before a stop show that full segments passed until then.
const PASSED_LEAST: usize = 2;

/// In a stop of this many seconds and more one segment was sent again so often where the path was down: chance rarely takes three in a
/// row, and two suffice where nothing else was sent again, but for what lies beside the stop.
const DARK_S: f64 = 1.0;
const AGAIN: [f64; 2] = [3.0, 2.0];

/// Intervals begin where others end: within this, seconds.
const NEAR: f64 = 1e-6;

impl Stop {
    /// The same, and whether these intervals show that the path was down: full segments passed before it and passed again after it, and
    /// meanwhile all was sent again in vain. `streams` connections are counted together.
    pub(crate) fn with_repeats(self, rows: &[Row], streams: f64) -> Stop {
        let Some(from) = self.from else { return self };
        let until = from + self.lasted;
        let within = |r: &&Row| {
            let middle = f64::midpoint(r.from, r.until);
            middle > from && middle < until
        };
        let again: f64 = rows
            .iter()
            .filter(within)
            .filter_map(|r| r.retransmits)
            .sum();
        let counts = |r: &&Row| r.bps > 0.0 && r.retransmits.is_some();
        let before = rows.iter().filter(counts).filter(|r| r.until <= from);
        let apart = |r: &&Row| r.until < from - NEAR || r.from > until + NEAR;
        let mut others = rows.iter().filter(apart).filter_map(|r| r.retransmits);
        let alone = others.all(|n| n <= 0.0);
        let each = again / streams.max(1.0);
        let sure = self.lasted >= DARK_S * 0.999
            && each >= AGAIN[usize::from(alone)]
            && before.count() >= PASSED_LEAST;
        Stop {
            dark: sure.then_some(again as usize),
            ..self
        }
    }
}

impl Stop {
    /// Whether an interval lies within it, where it is known when it was.
    pub(crate) fn covers(&self, row: &Row) -> bool {
        let inside = |from: f64| row.from >= from - NEAR && row.until <= from + self.lasted + NEAR;
        self.from.is_some_and(inside)
    }

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
            (Some(again), _) => crate::blackout::though(again, stop.to_end),
            (None, true) => ", as a link was down".to_owned(),
            (None, false) => String::new(),
        };
        Some(format!(
            "besides, {} nothing arrived{why}{cost}; that is an outage, and not what limits the rest",
            stop.shown()
        ))
    }
}
