//! The run document as text, and its series as CSV.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::Formatter;

use crate::compared::{Compared, compared, parts};
use crate::link::link_metrics;
use crate::measured::Measured;
use crate::number::Number;
use crate::swept::Swept;
use crate::{Keys, LinkRecord, Origin, Point, Record, Results, RunDocument};

/// Value of `schema` in a [`RunDocument`].
pub const RUN_SCHEMA: &str = "farpath.run/1";
/// Value of `schema` in a [`Record`].
pub const RECORD_SCHEMA: &str = "farpath.record/1";
/// Why a test has no completion whose senders write until its time is over.
pub const CLOCK_ENDS: &str = "a clock ends the test, and not its last byte";

impl Origin {
    /// All origins, in the order of their columns.
    pub const ALL: [Origin; 5] = [
        Origin::Predicted,
        Origin::Simulated,
        Origin::Emulated,
        Origin::Measured,
        Origin::Captured,
    ];

    /// The name in JSON, CSV and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Origin::Predicted => "predicted",
            Origin::Simulated => "simulated",
            Origin::Emulated => "emulated",
            Origin::Measured => "measured",
            Origin::Captured => "captured",
        }
    }
}

impl Record {
    /// An empty record of one test: point `{}`, repeat 0, valid.
    pub fn new(origin: Origin, test: &str, kind: &str, from: &str, to: &str) -> Record {
        Record {
            schema: RECORD_SCHEMA.to_owned(),
            origin,
            test: test.to_owned(),
            kind: kind.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
            point: BTreeMap::new(),
            group: None,
            repeat: 0,
            started_ns: 0,
            measured_from_ns: None,
            duration_ns: 0,
            metrics: BTreeMap::new(),
            absent: BTreeMap::new(),
            not_run: None,
            limited_by: None,
            limited_at: None,
            streams: Vec::new(),
            series: BTreeMap::new(),
            times: BTreeMap::new(),
            valid: true,
            notes: Vec::new(),
            findings: Vec::new(),
            certificate: None,
            taken: None,
            uncertainty: BTreeMap::new(),
            route: None,
            evidence_quality: None,
        }
    }

    /// Sets a metric; one that is not finite is left out.
    pub fn set(&mut self, metric: &str, value: f64) {
        if value.is_finite() {
            self.metrics.insert(metric.to_owned(), value);
        }
    }

    /// Sets how long each of many took, nanoseconds, the shortest first; nothing where there are none.
    pub fn set_times(&mut self, name: &str, sorted: &[f64]) {
        if let Some(times) = crate::Times::of(sorted) {
            self.times.insert(name.to_owned(), times);
        }
    }

    /// Whether a clock ended the connections, and not their last byte: what was under way when the test's time was over arrived later, so
    /// that `completion_ns` says no more than how long the test was to take; or it is absent for this reason, [`CLOCK_ENDS`].
    pub fn is_ended_by_clock(&self) -> bool {
        let took = self.metrics.get("completion_ns");
        let late = took.is_some_and(|ns| *ns > self.duration_ns as f64);
        let why = self.absent.get("completion_ns");
        let none = why.is_some_and(|why| why == CLOCK_ENDS);
        self.kind == "tcp" && self.duration_ns > 0 && (late || none)
    }

    /// The note that says that a forecast's closed form does not hold for the test; none where it does.
    pub fn out_of_range(&self) -> Option<&str> {
        let mut notes = self
            .notes
            .iter()
            .filter(|_| self.origin == Origin::Predicted);
        let found = notes.find(|note| note.contains(OUT_OF_RANGE));
        found.map(String::as_str)
    }

    /// Takes a metric out again, because what it measures never came about.
    pub fn unset(&mut self, metric: &str, why: String) {
        self.metrics.remove(metric);
        self.absent.insert(metric.to_owned(), why);
    }
}

/// How notes of forecasts begin whose formula does not hold for the test.
const OUT_OF_RANGE: &str = "outside the formula";

impl RunDocument {
    /// An empty document of this version of farpath.
    pub fn new(scenario: &str, seed: u64, scenario_sha256: String) -> RunDocument {
        RunDocument {
            schema: RUN_SCHEMA.to_owned(),
            scenario: scenario.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: None,
            seed,
            scenario_sha256,
            sweep: Vec::new(),
            link_names: Vec::new(),
            records: Vec::new(),
            links: Vec::new(),
            expectations: Vec::new(),
            repeats: None,
            stopped: None,
            notes: Vec::new(),
        }
    }

    /// farpath's version, with its commit where that is known: `0.1.0 (1a2b3c4d5e6f 2026-11-22)`.
    pub fn built(&self) -> String {
        match &self.commit {
            Some(commit) => format!("{} ({commit})", self.version),
            None => self.version.clone(),
        }
    }

    /// The origins that have a record or a link, in the order of their columns.
    pub fn origins(&self) -> Vec<Origin> {
        let has = |o: &Origin| {
            self.records.iter().any(|r| r.origin == *o) || self.links.iter().any(|l| l.origin == *o)
        };
        Origin::ALL.into_iter().filter(has).collect()
    }

    /// Writes the document as JSON: every record, link and expectation on a line of its own, so
    /// that two documents differ line by line; keys always in the same order.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn write_json(&self, mut out: impl Write) -> io::Result<()> {
        let mut serializer = Serializer::with_formatter(&mut out, Lines::default());
        self.serialize(&mut serializer)?;
        out.write_all(b"\n")
    }

    /// The document as JSON; see [`RunDocument::write_json`].
    pub fn to_json(&self) -> String {
        let mut bytes = Vec::new();
        self.write_json(&mut bytes)
            .expect("a Vec takes everything and map keys are strings");
        String::from_utf8(bytes).expect("JSON is UTF-8")
    }

    /// Reads a document. Unknown keys are skipped: later versions add some.
    ///
    /// # Errors
    /// When the text is not JSON or not of this schema.
    pub fn from_json(text: &str) -> serde_json::Result<RunDocument> {
        let document: RunDocument = serde_json::from_str(text)?;
        if document.schema == RUN_SCHEMA {
            Ok(document)
        } else {
            Err(serde::de::Error::custom(format!(
                "schema is `{}`, not `{RUN_SCHEMA}`",
                document.schema
            )))
        }
    }

    /// Writes every series as CSV, one value a row: origin, test, a column for each key of the sweep, repeat, series, `t_ns`,
    /// `v`, valid.
    ///
    /// A link's series have `link.NAME.A>B` for the test, and are `rate_bps` and `queue_bytes`. `valid` is that of the record, of a link that of the run that it is of.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn write_series_csv(&self, mut out: impl Write) -> io::Result<()> {
        let (keys, valid) = (Keys::of(self), ValidRuns::of(self));
        let swept = self.swept(&keys);
        writeln!(
            out,
            "origin,test,{}repeat,series,t_ns,v,valid{}",
            point_heads(&keys),
            swept.heads()
        )?;
        for record in &self.records {
            for (name, series) in &record.series {
                let row = Row::new(
                    record.origin,
                    &record.test,
                    &point_cells(&keys, &record.point),
                    record.repeat,
                    name,
                );
                let end = format!("{}{}", record.valid, swept.cells(&record.point));
                row.write((&series.t_ns, &series.v), &end, &mut out)?;
            }
        }
        for link in &self.links {
            let test = link.path();
            let end = format!("{}{}", valid.has(link), swept.cells(&link.point));
            for (name, values) in [
                ("rate_bps", &link.rate_bps),
                ("queue_bytes", &link.queue_bytes),
            ] {
                Row::new(
                    link.origin,
                    &test,
                    &point_cells(&keys, &link.point),
                    link.repeat,
                    name,
                )
                .write((&link.t_ns, values), &end, &mut out)?;
            }
        }
        out.flush()
    }

    fn swept<'k>(&self, keys: &'k Keys) -> Swept<'k> {
        let records = self.records.iter().map(|r| &r.point);
        Swept::of(keys, records.chain(self.links.iter().map(|l| &l.point)))
    }
}

impl RunDocument {
    /// Writes every metric of every record as CSV: origin, test, a column for each key of the sweep, repeat, metric, value,
    /// unit, and whether the record is valid (`true`, `false`: its certificate failed). Behind them stand the ratios and
    /// differences that were judged, each repeat by itself.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn write_metrics_csv(&self, mut out: impl Write) -> io::Result<()> {
        let keys = Keys::of(self);
        let swept = self.swept(&keys);
        writeln!(
            out,
            "origin,test,{}repeat,metric,value,unit,valid{}",
            point_heads(&keys),
            swept.heads()
        )?;
        for record in &self.records {
            let at = point_cells(&keys, &record.point);
            let numbers = swept.cells(&record.point);
            let (origin, test, repeat) =
                (record.origin.name(), quoted(&record.test), record.repeat);
            for (metric, value) in &record.metrics {
                let value = serde_json::to_string(&Number(*value))?;
                let unit = metric_unit(metric);
                writeln!(
                    out,
                    "{origin},{test},{at}{repeat},{},{value},{unit},{}{numbers}",
                    quoted(metric),
                    record.valid
                )?;
            }
        }
        self.write_compared(&keys, &swept, &mut out)?;
        out.flush()
    }

    /// The rows of what divides or subtracts two metrics, where it was judged.
    fn write_compared(
        &self,
        keys: &Keys,
        swept: &Swept<'_>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let results = Results {
            records: &self.records,
            links: &self.links,
        };
        let judged = |metric: &str, one: &Compared| {
            let mut all = self.expectations.iter().filter(|e| e.metric == metric);
            all.any(|e| e.origin == one.origin && e.point == one.point)
        };
        let written: BTreeSet<&str> = self
            .expectations
            .iter()
            .map(|e| e.metric.as_str())
            .collect();
        for metric in written {
            let Some((of, rest)) = parts(metric) else {
                continue;
            };
            let unit = match metric.contains(" over ") {
                true => "",
                false => metric_unit(rest.split(' ').next().unwrap_or(rest)),
            };
            let all = compared(metric, results).into_iter();
            for one in all.filter(|one| judged(metric, one)) {
                let (at, numbers) = (point_cells(keys, &one.point), swept.cells(&one.point));
                let (origin, test, name) = (one.origin.name(), quoted(of), quoted(rest));
                let value = serde_json::to_string(&Number(one.value))?;
                let (repeat, valid) = (one.repeat, one.valid);
                writeln!(
                    out,
                    "{origin},{test},{at}{repeat},{name},{value},{unit},{valid}{numbers}"
                )?;
            }
        }
        Ok(())
    }
}

impl RunDocument {
    /// Writes the counters of every direction of every link as CSV: origin, link, direction, a column for each key of the
    /// sweep, repeat, metric, value, unit, and whether its run is valid. Metrics are those that an expectation may name
    /// (`drops.tail`).
    ///
    /// # Errors
    /// Those of the sink.
    pub fn write_links_csv(&self, mut out: impl Write) -> io::Result<()> {
        let (keys, valid) = (Keys::of(self), ValidRuns::of(self));
        let measured = Measured::of(self.records.iter());
        let swept = self.swept(&keys);
        writeln!(
            out,
            "origin,link,direction,{}repeat,metric,value,unit,valid{}",
            point_heads(&keys),
            swept.heads()
        )?;
        for link in &self.links {
            let at = point_cells(&keys, &link.point);
            let numbers = swept.cells(&link.point);
            let (name, direction) = (quoted(&link.link), quoted(&link.direction));
            let about = format!(
                "{},{name},{direction},{at}{}",
                link.origin.name(),
                link.repeat
            );
            for (metric, value) in [link_metrics(link), measured.metrics(link)].concat() {
                let value = serde_json::to_string(&Number(value))?;
                writeln!(
                    out,
                    "{about},{},{value},{},{}{numbers}",
                    quoted(&metric),
                    metric_unit(&metric),
                    valid.has(link)
                )?;
            }
        }
        out.flush()
    }
}

/// Which runs are valid, by origin, point and repeat. Links have no certificate of their own: theirs is that of the tests
/// beside them.
struct ValidRuns<'r>(BTreeMap<(Origin, &'r Point, u32), bool>);

impl<'r> ValidRuns<'r> {
    fn of(run: &'r RunDocument) -> ValidRuns<'r> {
        let mut runs = BTreeMap::new();
        for r in &run.records {
            *runs.entry((r.origin, &r.point, r.repeat)).or_insert(false) |= r.valid;
        }
        ValidRuns(runs)
    }

    fn has(&self, link: &LinkRecord) -> bool {
        let run = (link.origin, &link.point, link.repeat);
        self.0.get(&run).is_none_or(|valid| *valid)
    }
}

/// The headings of a column for each key of the sweep, each with its comma.
fn point_heads(keys: &Keys) -> String {
    let names = keys.names().iter();
    names.map(|k| format!("{},", quoted(&k.key))).collect()
}

/// The cells of a point below [`point_heads`].
fn point_cells(keys: &Keys, point: &Point) -> String {
    let value = |key: &str| quoted(point.get(key).map_or("", String::as_str));
    let names = keys.names().iter();
    names.map(|k| format!("{},", value(&k.key))).collect()
}

/// The unit that a metric's name ends in; empty for counts and ratios.
fn metric_unit(metric: &str) -> &'static str {
    let name = metric.rsplit('.').next().unwrap_or(metric);
    match name.rsplit_once('_').map_or(name, |(_, last)| last) {
        "ns" => "ns",
        "s" => "s",
        "bps" => "bit/s",
        "bytes" => "B",
        "rate" => "1/s",
        _ => "",
    }
}

impl LinkRecord {
    /// An empty record of one direction, `A>B`: point `{}`, repeat 0, nothing counted.
    pub fn new(origin: Origin, link: &str, direction: &str) -> LinkRecord {
        LinkRecord {
            origin,
            link: link.to_owned(),
            direction: direction.to_owned(),
            point: BTreeMap::new(),
            repeat: 0,
            bytes: 0,
            payload_bytes: 0,
            offered: None,
            frames: 0,
            drops: BTreeMap::new(),
            too_large_for: Vec::new(),
            t_ns: Vec::new(),
            rate_bps: Vec::new(),
            queue_bytes: Vec::new(),
            queue_max_bytes: None,
            queues: Vec::new(),
            policers: Vec::new(),
            realised: BTreeMap::new(),
            cells: BTreeMap::new(),
        }
    }

    /// `link.NAME.A>B`: what an expectation's metric begins with.
    pub fn path(&self) -> String {
        format!("link.{}.{}", self.link, self.direction)
    }
}

/// What the rows of one series share: their first fields, quoted where RFC 4180 §2 says so.
struct Row(String);

impl Row {
    /// `point` is that of [`point_cells`].
    fn new(origin: Origin, test: &str, point: &str, repeat: u32, series: &str) -> Row {
        Row(format!(
            "{},{},{point}{repeat},{}",
            origin.name(),
            quoted(test),
            quoted(series)
        ))
    }

    fn write(
        &self,
        (t_ns, values): (&[u64], &[f64]),
        end: &str,
        out: &mut impl Write,
    ) -> io::Result<()> {
        for (t, v) in t_ns.iter().zip(values) {
            let v = serde_json::to_string(&Number(*v))?;
            // An empty field, as CSV has no null.
            let v = if v == "null" { "" } else { &v };
            writeln!(out, "{},{t},{v},{end}", self.0)?;
        }
        Ok(())
    }
}

fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

/// JSON with a new line for each key of the document and for each element of its lists.
#[derive(Default)]
struct Lines {
    depth: usize,
}

/// Depth of the elements of the document's lists.
const ELEMENTS: usize = 2;

impl Lines {
    fn enter<W: ?Sized + Write>(&mut self, bracket: &[u8], out: &mut W) -> io::Result<()> {
        self.depth += 1;
        out.write_all(bracket)
    }

    fn leave<W: ?Sized + Write>(&mut self, bracket: &[u8], out: &mut W) -> io::Result<()> {
        self.depth -= 1;
        out.write_all(bracket)
    }

    fn separate<W: ?Sized + Write>(&self, first: bool, out: &mut W) -> io::Result<()> {
        let separator: &[u8] = match (first, self.depth <= ELEMENTS) {
            (true, true) => b"\n",
            (true, false) => b"",
            (false, true) => b",\n",
            (false, false) => b", ",
        };
        out.write_all(separator)
    }
}

impl Formatter for Lines {
    fn begin_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.enter(b"[", out)
    }

    fn end_array<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.leave(b"]", out)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.separate(first, out)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.enter(b"{", out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.leave(b"}", out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.separate(first, out)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
