//! `run --captured TEST=FILE[#ID]`: a capture's connection beside a test.

use std::path::Path;

use farpath_observe::{Connection, Observation, Span, Surroundings};
use farpath_record::trace::{TraceConnection, TraceDirection};
use farpath_record::{EvidenceQuality, Origin, Record, RunDocument, Taken};
use farpath_report::quantity;
use farpath_scenario::Scenario;
use farpath_trace::{Analysis, DirectionFound};
use farpath_units::{Duration, Time};

use crate::exit::Failure;
use crate::trace;

/// Another connection with more than this share of the most bytes could be meant as well.
const RIVAL: f64 = 0.5;
/// A capture that lacks more than this share of a test's time is not of it.
const LACKS: f64 = 0.02;
/// Connections named in an error.
const CANDIDATES: usize = 8;

/// A capture's connection, read before anything runs.
pub(crate) struct Captured {
    test: String,
    connection: TraceConnection,
    found: DirectionFound,
    /// The data that counts is what `b` sent.
    reverse: bool,
    dropped: u64,
}

/// Reads what the arguments name.
pub(crate) fn read(texts: &[String]) -> Result<Vec<Captured>, Failure> {
    texts.iter().map(|text| read_one(text)).collect()
}

fn read_one(text: &str) -> Result<Captured, Failure> {
    let form = || {
        Failure::usage(format!("--captured {text}: it has no `=`"))
            .hint("write TEST=FILE, or TEST=FILE#ID with a number of `farpath trace FILE`")
    };
    let (test, rest) = text.split_once('=').ok_or_else(form)?;
    let (name, id) = match rest.rsplit_once('#') {
        Some((name, id)) if id.chars().all(|c| c.is_ascii_digit()) && !id.is_empty() => {
            (name, Some(id))
        }
        _ => (rest, None),
    };
    let analysis = trace::read(&[Path::new(name).to_owned()], false, None)?;
    let dropped = analysis
        .document
        .files
        .iter()
        .map(|f| f.dropped_by_capture)
        .sum();
    let place = chosen(name, &analysis, id)?;
    let connection = analysis.document.connections[place].clone();
    let reverse = connection.b2a.unique_bytes > connection.a2b.unique_bytes;
    let found = analysis.found[place][usize::from(reverse)].clone();
    Ok(Captured {
        test: test.to_owned(),
        connection,
        found,
        reverse,
        dropped,
    })
}

fn most(c: &TraceConnection) -> u64 {
    c.a2b.unique_bytes.max(c.b2a.unique_bytes)
}

/// The connection of that number; without one, that with the most bytes in a direction.
fn chosen(name: &str, analysis: &Analysis, id: Option<&str>) -> Result<usize, Failure> {
    let all = &analysis.document.connections;
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|n| std::cmp::Reverse(most(&all[*n])));
    let candidates = || {
        let each = order.iter().take(CANDIDATES).map(|n| {
            let c = &all[*n];
            format!("#{} {} > {} ({} bytes)", c.id, c.a, c.b, most(c))
        });
        each.collect::<Vec<_>>().join(", ")
    };
    if let Some(id) = id {
        let found = all.iter().position(|c| c.id.to_string() == id);
        return found.ok_or_else(|| {
            Failure::usage(format!("{name}: it has no connection #{id}")).hint(candidates())
        });
    }
    match order[..] {
        [] => Err(Failure::usage(format!("{name}: it has no TCP connection"))
            .hint("`farpath trace FILE` says what is in it")),
        [first, second, ..] if most(&all[second]) as f64 > RIVAL * most(&all[first]) as f64 => Err(
            Failure::usage(format!("{name}: which connection is meant is not clear"))
                .hint(format!("write {name}#ID: {}", candidates())),
        ),
        [first, ..] => Ok(first),
    }
}

/// Puts the records of captured connections behind those of their tests, measured as these are in the scenario.
pub(crate) fn add(
    all: Vec<Captured>,
    document: &mut RunDocument,
    scenario: &Scenario,
) -> Result<(), Failure> {
    for captured in all {
        let last = document
            .records
            .iter()
            .rposition(|r| r.test == captured.test);
        let Some(last) = last else {
            let names: Vec<&str> = document.records.iter().map(|r| r.test.as_str()).collect();
            return Err(
                Failure::usage(format!("--captured {}: no such test ran", captured.test))
                    .hint(format!("tests that ran: {}", names.join(", "))),
            );
        };
        let mut tests = scenario.tests.iter();
        let test = tests.find(|test| test.name == captured.test);
        let span = test.map_or(Span::default(), |test| Span {
            start: Time::ZERO,
            omit: test.omit,
            duration: test.duration,
        });
        let record = captured.record(&document.records[last], span);
        document.records.insert(last + 1, record);
    }
    Ok(())
}

impl Captured {
    fn direction(&self) -> &TraceDirection {
        match self.reverse {
            true => &self.connection.b2a,
            false => &self.connection.a2b,
        }
    }

    /// Beside a record of a test that is measured in `span`.
    fn record(self, of: &Record, span: Span) -> Record {
        let mut record = Record::new(Origin::Captured, &of.test, &of.kind, &of.from, &of.to);
        let connection = &self.connection;
        record.duration_ns = connection.duration_ns;
        let observed = self.found.observed.as_deref().cloned();
        let mut observed = observed.unwrap_or_default();
        let (span, measured) = within(&mut observed, span);
        let observation = Observation::Connections(vec![observed], Vec::new());
        let around = |_| Surroundings::default();
        observation.fill(&span, &around, &mut record);
        record.notes.clone_from(&connection.notes);
        record.notes.extend(measured);
        let direction = self.direction();
        record.notes.push(format!(
            "connection {} of the capture, {} > {}",
            connection.id,
            if self.reverse {
                &connection.b
            } else {
                &connection.a
            },
            if self.reverse {
                &connection.a
            } else {
                &connection.b
            }
        ));
        if direction.window_scale_inferred {
            record
                .notes
                .push("the window's scale is inferred".to_owned());
        }
        record.evidence_quality = Some(EvidenceQuality {
            vantage: Some(vantage(connection, self.reverse).to_owned()),
            dropped: self.dropped,
            counts: connection.quality.clone(),
            ..EvidenceQuality::default()
        });
        record.taken = Some(Taken {
            at_utc_ns: u64::try_from(connection.start_ns).ok(),
            tool: Some(format!("farpath trace {}", env!("CARGO_PKG_VERSION"))),
            ..Taken::default()
        });
        record
    }
}

/// Measures what was captured in the span of its test, which begins with the connection, and says so; all of it, where the
/// test has none or the capture ends too soon.
fn within(observed: &mut Connection, span: Span) -> (Span, Option<String>) {
    let seconds = |time: Duration| quantity("t_s", time.as_secs_f64());
    let last = observed.finished.since(observed.opened);
    let Some(duration) = span.duration else {
        return (Span::default(), None);
    };
    let until = span.omit + duration;
    let of_test = format!("from {} to {}", seconds(span.omit), seconds(until));
    if last.as_secs_f64() < (1.0 - LACKS) * until.as_secs_f64() {
        let note = format!(
            "measured over all of the capture, {}: the test is measured {of_test}",
            seconds(last)
        );
        return (Span::default(), Some(note));
    }
    observed.measured = observed.arrived(span.from(), span.from() + duration);
    (
        span,
        Some(format!(
            "measured {of_test} of the connection, as the test is"
        )),
    )
}

/// Where it was captured, beside the data.
fn vantage(connection: &TraceConnection, reverse: bool) -> &'static str {
    match (connection.vantage.as_str(), reverse) {
        ("sender_of_a", false) | ("sender_of_b", true) => "sender",
        ("sender_of_a", true) | ("sender_of_b", false) => "receiver",
        ("middle", _) => "middle",
        _ => "unknown",
    }
}
