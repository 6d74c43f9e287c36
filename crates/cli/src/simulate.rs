//! One scenario at one point: predicted, simulated, and what the report shows of it.

use std::cell::Cell;
use std::collections::BTreeMap;

use farpath_element::Mode;
use farpath_record::{LinkRecord, Origin, Record};
use farpath_report::html::{Sequence, SequenceBurst, SequenceKind};
use farpath_scenario::plan::Plan;
use farpath_scenario::{Scenario, TestKind, forecast};
use farpath_sim as sim;
use farpath_units::Time;
use farpath_wire::Burst;

use crate::exit::Failure;
use crate::progress;
use crate::tap::Taps;

/// What is wanted of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    /// Closed forms.
    pub(crate) predict: bool,
    /// The simulation.
    pub(crate) simulate: bool,
    /// Bursts of each kind in a connection's time–sequence record, for the report; 0 is none.
    pub(crate) sequence: usize,
    /// One instant at a time.
    pub(crate) event_by_event: bool,
}

/// Everything one point gave.
#[derive(Debug, Default)]
pub(crate) struct Point {
    pub(crate) records: Vec<Record>,
    pub(crate) links: Vec<LinkRecord>,
    pub(crate) sequences: Vec<Sequence>,
}

/// Series keep about this many intervals.
const INTERVALS: u64 = 600;

/// Bursts of each kind kept for all connections of a page together: some 10 MB of it at most.
const SEQUENCE_BURSTS: usize = 60_000;

/// What each connection keeps of them, `points` being all that share the page.
pub(crate) fn sequence_bursts<'s>(points: impl Iterator<Item = &'s Scenario>) -> usize {
    let streams = |s: &Scenario| -> usize {
        let tcp = s.tests.iter().filter_map(|t| match &t.kind {
            TestKind::Tcp(tcp) => Some(tcp.parallel as usize),
            _ => None,
        });
        tcp.sum()
    };
    let all: usize = points.map(streams).sum();
    (SEQUENCE_BURSTS / all.max(1)).max(100)
}

/// Runs one point. `advance` is told thousandths of it as they are done.
pub(crate) fn point(
    scenario: &Scenario,
    at: &BTreeMap<String, String>,
    wanted: Wanted,
    seed: u64,
    taps: Option<&mut Taps>,
    advance: &mut dyn FnMut(u64),
) -> Result<Point, Failure> {
    let mut point = Point::default();
    let plan = Plan::new(scenario).map_err(|e| Failure::usage(e.to_string()))?;
    if wanted.predict {
        point.records.extend(forecast(scenario, &plan, at));
    }
    if wanted.simulate {
        let outcome = run(scenario, wanted, seed, taps, advance)?;
        point.records.extend(sim::records(scenario, &outcome, at));
        point.links.extend(sim::links(scenario, &outcome, at));
        if wanted.sequence > 0 {
            point.sequences.extend(sequences(scenario, outcome, at));
        }
    } else {
        advance(1000);
    }
    Ok(point)
}

fn run(
    scenario: &Scenario,
    wanted: Wanted,
    seed: u64,
    mut taps: Option<&mut Taps>,
    advance: &mut dyn FnMut(u64),
) -> Result<sim::Outcome, Failure> {
    let mut told = 0;
    let cannot_write = Cell::new(false);
    let mut report = |p: sim::Progress| {
        let done = (p.now.as_secs_f64() / p.end.as_secs_f64() * 1000.0) as u64;
        let done = done.clamp(told, 1000);
        advance(done - told);
        told = done;
        !progress::interrupted() && !cannot_write.get()
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
            intervals: INTERVALS,
            keep,
            progress: &mut report,
            tap: &mut |scenario, built, frames| {
                if let Some(taps) = taps.as_deref_mut() {
                    cannot_write.set(!taps.write(scenario, built, frames));
                }
            },
        },
    );
    advance(1000 - told);
    taps.map_or(Ok(()), Taps::failed)?;
    outcome.map_err(|e| match e {
        sim::RunError::Interrupted { .. } => Failure::interrupted(e.to_string()),
        other => Failure::usage(other.to_string()),
    })
}

/// The time–sequence records of every connection.
fn sequences(
    scenario: &Scenario,
    mut outcome: sim::Outcome,
    at: &BTreeMap<String, String>,
) -> Vec<Sequence> {
    let flows = outcome.built.plan.flows.clone();
    let mut found = Vec::new();
    for node in 0..scenario.node_count() {
        for program in outcome.built.station_mut(node).programs_mut() {
            let sim::Program::TcpSource(source) = program else {
                continue;
            };
            let (Some(sequence), mss) = (source.sequence.take(), source.config().tcp.mss) else {
                continue;
            };
            let flow = &flows[usize::from(source.config().flow.flow())];
            let record = sequence.finish();
            found.push(Sequence {
                origin: Origin::Simulated,
                test: scenario.tests[flow.test].name.clone(),
                stream: flow.stream,
                point: at.clone(),
                bursts: bursts(&record, mss.into()),
            });
        }
    }
    found.sort_by(|a, b| (&a.test, a.stream).cmp(&(&b.test, b.stream)));
    found
}

fn bursts(record: &sim::SequenceRecord, mss: u64) -> Vec<SequenceBurst> {
    let mut all = Vec::new();
    for (kind, len, track) in [
        (SequenceKind::Data, mss, &record.data),
        (SequenceKind::Retransmit, mss, &record.retransmits),
        (SequenceKind::Ack, 0, &record.acks),
    ] {
        all.extend(track.iter().flat_map(|b| plain(kind, len, b)));
    }
    all.extend(
        record
            .sacks
            .iter()
            .map(|&(at, start, end)| single(SequenceKind::Sack, at, start, end - start)),
    );
    all.sort_by_key(|b| b.t_ns);
    all
}

fn single(kind: SequenceKind, at: Time, seq: u64, len: u64) -> SequenceBurst {
    SequenceBurst {
        kind,
        t_ns: at.as_ns(),
        seq,
        len,
        n: 1,
        gap_ns: 0.0,
        seq_step: 0,
        m: 1,
        group_gap_ns: 0.0,
        group_seq_step: 0,
    }
}

/// A burst as the page expands it: whole groups, and what was cut off at either end apart.
fn plain(kind: SequenceKind, len: u64, burst: &Burst) -> Vec<SequenceBurst> {
    let group = burst.group().unwrap_or(burst.count());
    let cut = (group - burst.phase()) % group;
    let mut parts = Vec::new();
    let mut rest = *burst;
    if cut > 0 && cut < rest.count() {
        let (head, tail) = rest.split_at(cut);
        parts.push(groups(kind, len, &head, cut, 1));
        rest = tail;
    }
    let whole = rest.count() / group;
    let left = rest.count() % group;
    if whole > 0 && left > 0 {
        let (body, tail) = rest.split_at(whole * group);
        parts.push(groups(kind, len, &body, group, whole));
        rest = tail;
    }
    let (n, m) = if left > 0 {
        (rest.count(), 1)
    } else {
        (group.min(rest.count()), whole.max(1))
    };
    parts.push(groups(kind, len, &rest, n, m));
    parts
}

fn groups(kind: SequenceKind, len: u64, burst: &Burst, n: u32, m: u32) -> SequenceBurst {
    let first = burst.first();
    let next = if m > 1 { burst.frame(n) } else { *first };
    SequenceBurst {
        n: n.into(),
        gap_ns: burst.inner().at.as_ps() as f64 / 1000.0,
        seq_step: burst.inner().seq,
        m: m.into(),
        group_gap_ns: next.at.since(first.at).as_ps() as f64 / 1000.0,
        group_seq_step: next.seq.wrapping_sub(first.seq),
        ..single(kind, first.at, first.seq, len)
    }
}
