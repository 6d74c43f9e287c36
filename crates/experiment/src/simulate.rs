//! One scenario at one point: predicted, simulated, and what the report shows of it.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::{Fault, Progress};
use farpath_element::Mode;
use farpath_record::Sequence;
use farpath_record::curve::compare_windows;
use farpath_record::{LinkRecord, Record};
use farpath_scenario::plan::Plan;
use farpath_scenario::{Scenario, forecast};
use farpath_sim as sim;

use crate::emulate::{self, Manner};
use crate::tap::Taps;
use crate::{algorithms, sequence};

/// What is wanted of a run.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Closed forms.
    pub predict: bool,
    /// The simulation.
    pub simulate: bool,
    /// Real hosts, and how.
    pub emulate: Option<Manner>,
    /// Bursts of each kind in a connection's time–sequence record, for the report; 0 is none.
    pub sequence: usize,
    /// One instant at a time.
    pub event_by_event: bool,
    /// Series have about this many intervals.
    pub intervals: u32,
}

/// Everything one point gave.
#[derive(Debug, Default)]
pub struct Point {
    /// One for each test and origin.
    pub records: Vec<Record>,
    /// Both directions of every link.
    pub links: Vec<LinkRecord>,
    /// Traces of connections, for the page.
    pub sequences: Vec<Sequence>,
}

/// Bursts of each kind recorded for all connections of a page together: some tens of MB. The page carries fewer.
const SEQUENCE_BURSTS: usize = 500_000;

/// What each connection keeps of them, `points` being all that share the page.
pub fn sequence_bursts<'s>(points: impl Iterator<Item = &'s Scenario>) -> usize {
    let streams = |s: &Scenario| -> usize {
        let tests = s.tests.iter().filter_map(|t| t.kind.tcp());
        tests.map(|tcp| tcp.parallel as usize).sum()
    };
    let all: usize = points.map(streams).sum();
    (SEQUENCE_BURSTS / all.max(1)).clamp(100, SEQUENCE_BURSTS / 5)
}

/// Runs one point.
pub fn point(
    scenario: &Scenario,
    at: &BTreeMap<String, String>,
    wanted: Wanted,
    seed: u64,
    taps: Option<&mut Taps>,
    progress: &mut dyn Progress,
) -> Result<Point, Fault> {
    let mut point = Point::default();
    let plan = Plan::new(scenario)?;
    if wanted.predict {
        point.records.extend(forecast(scenario, &plan, at));
    }
    if wanted.simulate {
        let outcome = run(scenario, wanted, seed, taps, progress)?;
        point.records.extend(sim::records(scenario, &outcome, at));
        point.links.extend(sim::links(scenario, &outcome, at));
        if wanted.sequence > 0 {
            point.sequences.extend(sequence::of(scenario, outcome, at));
        }
    } else {
        progress.advance(1000);
    }
    if let Some(manner) = wanted.emulate {
        let (records, links) = emulate::point(scenario, at, (manner, seed), progress)?;
        point.records.extend(records);
        point.links.extend(links);
    }
    algorithms::leave_out(scenario, &mut point);
    compare_windows(&mut point.records);
    Ok(point)
}

fn run(
    scenario: &Scenario,
    wanted: Wanted,
    seed: u64,
    mut taps: Option<&mut Taps>,
    progress: &mut dyn Progress,
) -> Result<sim::Outcome, Fault> {
    let mut told = 0;
    let cannot_write = Cell::new(false);
    let mut report = |p: sim::Progress| {
        let done = (p.now.as_secs_f64() / p.end.as_secs_f64() * 1000.0) as u64;
        let done = done.clamp(told, 1000);
        progress.advance(done - told);
        told = done;
        !progress.interrupted() && !cannot_write.get()
    };
    let keep = sim::Keep {
        sequence: wanted.sequence,
        audit: false,
        taps: taps.is_some(),
    };
    let mode = if wanted.event_by_event {
        Mode::EventByEvent
    } else {
        Mode::Windowed(sim::WINDOW)
    };
    let outcome = sim::run(
        scenario,
        sim::Options {
            mode,
            seed,
            intervals: wanted.intervals.into(),
            keep,
            progress: &mut report,
            tap: &mut |scenario, built, frames| {
                if let Some(taps) = taps.as_deref_mut() {
                    cannot_write.set(!taps.write(scenario, built, frames));
                }
            },
        },
    );
    progress.advance(1000 - told);
    taps.map_or(Ok(()), Taps::failed)?;
    Ok(outcome?)
}
