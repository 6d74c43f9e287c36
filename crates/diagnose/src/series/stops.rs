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
    /// How long all stops like it lasted together, seconds: of several the longest stands for all.
    pub(crate) in_all: f64,
    /// For how long the usual rate would have needed for what they and the intervals beside them lack, seconds; `in_all` at least.
    pub(crate) cost_s: f64,
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
    all_captured(glitches, seen).into_iter().next()
}

/// The stops among the glitches of a captured direction, the longest first: each silence once.
pub(crate) fn all_captured(glitches: &[Glitch], seen: &Connection) -> Vec<Stop> {
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
            cost: (glitch.cost_bytes > 0).then_some(glitch.cost_bytes as f64),
            ..Stop::one(Some(from), lasted)
        })
    });
    let mut all: Vec<Stop> = each.collect();
    all.sort_by(|a, b| a.lasted.total_cmp(&b.lasted));
    let mut apart: Vec<Stop> = Vec::new();
    for stop in all.into_iter().rev() {
        if !apart.iter().any(|other| other.overlaps(&stop)) {
            apart.push(stop);
        }
    }
    apart
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

/// Intervals begin where others end: within this, seconds.
pub(crate) const NEAR: f64 = 1e-6;

impl Stop {
    /// A stop by itself, of so many seconds.
    pub(crate) fn one(from: Option<f64>, lasted: f64) -> Stop {
        Stop {
            from,
            lasted,
            in_all: lasted,
            cost_s: lasted,
            cost: None,
            dark: None,
            by_log: false,
            to_end: false,
        }
    }

    /// This one for all of these, of which it is one: with the time, the cost and the repeats of all.
    pub(crate) fn for_all<'s>(self, all: impl Iterator<Item = &'s Stop> + Clone) -> Stop {
        let in_all: f64 = all.clone().map(|stop| stop.lasted).sum();
        let costs: Vec<f64> = all.clone().filter_map(|stop| stop.cost).collect();
        let again: usize = all.clone().filter_map(|stop| stop.dark).sum();
        Stop {
            in_all,
            cost_s: in_all,
            cost: (!costs.is_empty()).then(|| costs.iter().sum()),
            dark: self.dark.map(|_| again),
            to_end: all.into_iter().any(|stop| stop.to_end),
            ..self
        }
    }

    /// Whether another lies in the same time in part.
    fn overlaps(&self, other: &Stop) -> bool {
        let both = self.from.zip(other.from);
        both.is_some_and(|(own, from)| own < from + other.lasted && from < own + self.lasted)
    }

    /// Whether an interval lies neither in it nor at its ends; so does every one where it is not known when it was.
    pub(crate) fn is_apart(&self, row: &Row) -> bool {
        let until = |from: f64| from + self.lasted + NEAR;
        let apart = |from: f64| row.until < from - NEAR || row.from > until(from);
        self.from.is_none_or(apart)
    }

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
        let Some(stop) = self.stop.as_ref() else {
            return self.lost_syns_in_words();
        };
        let cost = stop.cost.map_or_else(String::new, |bytes| {
            format!(
                ": {} less than at the rate before it",
                crate::ceiling::bytes(bytes)
            )
        });
        let why = match (stop.dark, self.down() > 0.0) {
            (Some(again), _) => crate::series::blackout::though(again, stop.to_end),
            (None, true) => ", as a link was down".to_owned(),
            (None, false) => String::new(),
        };
        Some(format!(
            "besides, {} nothing arrived{why}{cost}; that is an outage, and not what limits the rest",
            self.when(stop)
        ))
    }

    /// When nothing arrived, or for how long in all stops of a path that was down.
    pub(crate) fn when(&self, stop: &Stop) -> String {
        let silent = match self.down() > 0.0 {
            true => self.silent_s(stop),
            false => stop.lasted,
        };
        match silent > stop.lasted {
            true => format!("for {silent:.1} s in all"),
            false => stop.shown(),
        }
    }
}
