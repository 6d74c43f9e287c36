//! `farpath trace`: what captures say.

#![allow(
    clippy::disallowed_methods,
    reason = "the binary's files are read here, with errors that name the path"
)]

mod anonymous;
mod lists;
mod page;
mod xplot;

use std::cmp::Reverse;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use farpath_experiment::Progress;
use farpath_record::trace::{TraceConnection, TraceDirection, TraceDocument, TracePair};
use farpath_trace::{
    Analysis, Filter, Source, TraceError, Trail, Wanted, Watch, analyse_some, compare, trail,
};
use farpath_units::Duration;
use sha2::{Digest, Sha256};

use crate::args::{Sort, TraceArgs};
use crate::exit::{Exit, Failure, layout, print, print_json};
use crate::output::{Output, prepare_file};
use crate::piped::is_piped;
use crate::progress::{self, Bar};
use crate::value::maybe;

/// Connections in the table where `--top` is not given.
const TABLE: usize = 20;

pub(crate) fn trace(args: &TraceArgs) -> Result<Exit, Failure> {
    let time = |name, text: &Option<String>| maybe::<Duration>(name, text.as_deref());
    let (from, to) = (time("from", &args.from)?, time("to", &args.to)?);
    let filter = args.filter.as_deref().map(Filter::parse).transpose();
    let filter = filter.map_err(|e| refused(&e))?;
    can_be_read_again(args)?;
    let out = args.out.as_deref().map(Output::prepare).transpose()?;
    let plots = args.xplot.as_deref().map(Output::prepare).transpose()?;
    let csv = args.csv.as_deref().map(prepare_file).transpose()?;
    let events = args.events.as_deref().map(prepare_file).transpose()?;
    progress::watch_interrupts()?;
    let mut analysis = read(&args.files, args.json, filter)?;
    analysis.document.pairs = compared(&analysis, args)?;
    let span_ns = span(from, to);
    let drawn = match &out {
        Some(_) => {
            let mut document = analysis.document.clone();
            if args.anonymise {
                anonymous::replace(&mut document);
            }
            draw(&analysis, document, (&args.files, args.connection), span_ns)?
        }
        None => None,
    };
    if let Some(plots) = &plots {
        plot(plots, &analysis, args, span_ns)?;
    }
    choose(&mut analysis, args, span_ns)?;
    if let (Some(out), Some(html)) = (&out, drawn) {
        prepare_file(&out.folder().join("trace.html"))?.write(html.as_bytes())?;
    }
    if args.anonymise {
        anonymous::replace(&mut analysis.document);
    }
    if let Some(file) = csv {
        file.write(lists::connections(&analysis.document).as_bytes())?;
    }
    if let Some(file) = events {
        let text = lists::segments(&analysis);
        let packed = args
            .events
            .as_ref()
            .is_some_and(|p| p.extension().is_some_and(|e| e == "zst"));
        let bytes = if packed {
            zstd::stream::encode_all(text.as_bytes(), 3)
                .map_err(|e| Failure::environment(format!("pack the events: {e}")))?
        } else {
            text.into_bytes()
        };
        file.write(&bytes)?;
    }
    let mut document = analysis.document;
    order(&mut document.connections, args.sort, args.json);
    if args.json {
        if let Some(top) = args.top {
            document.connections.truncate(top);
            document.flows.truncate(top);
        }
        print_json(&document)?;
    } else {
        let most = args.top.unwrap_or(TABLE);
        print(&farpath_report::trace::render(
            &document,
            most,
            layout(false),
        ))?;
    }
    Ok(Exit::Ok)
}

/// What is read a second time must not be standard input.
fn can_be_read_again(args: &TraceArgs) -> Result<(), Failure> {
    if !args.files.iter().any(|f| is_piped(f)) {
        return Ok(());
    }
    let wanted = [
        ("--out", "page", &args.out),
        ("--xplot", "plot", &args.xplot),
    ];
    match wanted.into_iter().find(|w| w.2.is_some()) {
        Some((name, what, _)) => Err(Failure::usage(format!(
            "{name}: standard input cannot be read a second time for the {what}"
        ))
        .hint("write the capture to a file, and name that")),
        None => Ok(()),
    }
}

/// Nanoseconds from the start of a connection, as `--from` and `--to` say.
fn span(from: Option<Duration>, to: Option<Duration>) -> [u64; 2] {
    [
        from.map_or(0, Duration::as_ns),
        to.map_or(u64::MAX, Duration::as_ns),
    ]
}

/// The page of the connection with most bytes of one capture, which the page calls `name`; none where it has no connection.
pub(crate) fn page_of(file: &Path, name: &str) -> Result<Option<String>, Failure> {
    let files = [file.to_owned()];
    let mut analysis = read(&files, false, None)?;
    for file in &mut analysis.document.files {
        file.name = name.to_owned();
    }
    let document = analysis.document.clone();
    draw(&analysis, document, (&files, None), span(None, None))
}

/// The page of a connection, read a second time; none where no connection has that number. `document` is that of the
/// analysis, with other addresses perhaps.
fn draw(
    analysis: &Analysis,
    document: TraceDocument,
    (files, id): (&[PathBuf], Option<u64>),
    span_ns: [u64; 2],
) -> Result<Option<String>, Failure> {
    let Some(chosen) = page::choose(analysis, id) else {
        return Ok(None);
    };
    let wanted = page::wanted(analysis, &chosen, span_ns);
    let trail = followed(files, &wanted, "drawing")?;
    let data = page::page(analysis, document, &chosen, &trail, span_ns);
    Ok(Some(farpath_report::trace_page::render_page(&data)))
}

/// Reads files once more for the trail of one direction.
fn followed(files: &[PathBuf], wanted: &Wanted, what: &str) -> Result<Trail, Failure> {
    let (sources, counts, bytes) = sources(files, false)?;
    let counts = counts.into_iter().map(|c| c.0).collect();
    let mut watch = Reading::new(counts, bytes, what);
    let trail = trail(sources, wanted, &mut watch);
    watch.bar.finish();
    trail.map_err(|e| refused(&e))
}

/// Writes the plots of a connection's directions with data, each read from the files once more.
fn plot(
    folder: &Output,
    analysis: &Analysis,
    args: &TraceArgs,
    span_ns: [u64; 2],
) -> Result<(), Failure> {
    let Some(chosen) = page::choose(analysis, args.connection) else {
        return Ok(());
    };
    let mut document = analysis.document.clone();
    if args.anonymise {
        anonymous::replace(&mut document);
    }
    for (side, name) in ["a2b", "b2a"].into_iter().enumerate() {
        let chosen = chosen.of(side);
        if !chosen.has_data(analysis) {
            continue;
        }
        let wanted = page::wanted(analysis, &chosen, span_ns);
        let trail = followed(&args.files, &wanted, "plotting")?;
        let text = chosen.xplot(analysis, &document, &trail, span_ns);
        let file = folder.folder().join(format!("{name}_tsg.xpl"));
        prepare_file(&file)?.write(text.as_bytes())?;
    }
    Ok(())
}

/// What became of packets between two points, read a second time; nothing where no connection was captured twice.
fn compared(analysis: &Analysis, args: &TraceArgs) -> Result<Vec<TracePair>, Failure> {
    if analysis.paired.is_empty() || args.files.iter().any(|f| is_piped(f)) {
        return Ok(Vec::new());
    }
    let (sources, counts, bytes) = sources(&args.files, false)?;
    let counts = counts.into_iter().map(|c| c.0).collect();
    let mut watch = Reading::new(counts, bytes, "comparing");
    let pairs = compare(sources, &analysis.paired, &mut watch);
    watch.bar.finish();
    pairs.map_err(|e| refused(&e))
}

/// Leaves one connection, and of it what happened within a span.
fn choose(analysis: &mut Analysis, args: &TraceArgs, [from, to]: [u64; 2]) -> Result<(), Failure> {
    let Some(id) = args.connection else {
        return Ok(());
    };
    let all = &mut analysis.document.connections;
    let Some(place) = all.iter().position(|c| c.id == id) else {
        let last = all.last().map_or(0, |c| c.id);
        return Err(
            Failure::usage(format!("--connection {id}: there is none")).hint(format!(
                "the numbers are in the first column; the last one is {last}"
            )),
        );
    };
    let (mut connection, mut found) = (all.swap_remove(place), analysis.found.swap_remove(place));
    for direction in [&mut connection.a2b, &mut connection.b2a] {
        direction
            .glitches
            .retain(|g| g.start_ns + g.duration_ns >= from && g.start_ns < to);
    }
    for direction in &mut found {
        let since = |at: i64| (at - connection.start_ns).max(0) as u64;
        direction
            .segments
            .retain(|s| (from..to).contains(&since(s.at_ns)));
    }
    let document = &mut analysis.document;
    document.flows.clear();
    document.pairs.retain(|p| p.connections.contains(&id));
    document.icmp_errors.retain(|e| e.connection == Some(id));
    document.connections = vec![connection];
    analysis.found = vec![found];
    Ok(())
}

/// What is counted of a file, and its sum where that is wanted.
type Counts = (Arc<Mutex<u64>>, Option<Arc<Mutex<Sha256>>>);

/// The files to be read, what is counted of each, and the bytes of all.
fn sources(
    files: &[PathBuf],
    summed: bool,
) -> Result<(Vec<Source<'static>>, Vec<Counts>, u64), Failure> {
    let (mut sources, mut counts, mut bytes) = (Vec::new(), Vec::new(), 0);
    for path in files {
        let (from, length) = open(path)?;
        bytes += length;
        let counted = Counted {
            from,
            count: Arc::default(),
            sum: summed.then(Arc::default),
        };
        counts.push((Arc::clone(&counted.count), counted.sum.clone()));
        sources.push(Source {
            name: path.display().to_string(),
            bytes: Box::new(counted),
        });
    }
    Ok((sources, counts, bytes))
}

/// Reads files, each summed up where that is wanted.
pub(crate) fn read(
    files: &[PathBuf],
    summed: bool,
    filter: Option<Filter>,
) -> Result<Analysis, Failure> {
    let (sources, sums, bytes) = sources(files, summed)?;
    let counts = sums.iter().map(|s| Arc::clone(&s.0)).collect();
    let mut watch = Reading::new(counts, bytes, "reading");
    watch.live = files.iter().any(|f| is_piped(f));
    let analysis = analyse_some(sources, filter, &mut watch);
    watch.bar.finish();
    let mut analysis = analysis.map_err(|e| refused(&e))?;
    for (file, (_, sum)) in analysis.document.files.iter_mut().zip(sums) {
        if let Some(sum) = sum {
            let digest = lock(&sum).clone().finalize();
            file.sha256 = digest.iter().map(|b| format!("{b:02x}")).collect();
        }
    }
    Ok(analysis)
}

/// Reads one capture of so many bytes, 0 where that is unknown, and shows how far it is.
pub(crate) fn read_one(
    name: &str,
    from: Box<dyn Read + '_>,
    bytes: u64,
) -> Result<Analysis, Failure> {
    progress::watch_interrupts()?;
    let counted = Counted {
        from,
        count: Arc::default(),
        sum: None,
    };
    let mut watch = Reading::new(vec![Arc::clone(&counted.count)], bytes, "reading");
    let source = Source {
        name: name.to_owned(),
        bytes: Box::new(counted),
    };
    let analysis = analyse_some([source], None, &mut watch);
    watch.bar.finish();
    analysis.map_err(|e| refused(&e))
}

fn refused(error: &TraceError) -> Failure {
    let failure = match error {
        TraceError::Interrupted => Failure::interrupted("interrupted"),
        other => Failure::usage(other.to_string()),
    };
    match error.remedy() {
        Some(remedy) => failure.hint(remedy),
        None => failure,
    }
}

fn open(path: &Path) -> Result<(Box<dyn Read>, u64), Failure> {
    if is_piped(path) {
        return Ok((Box::new(Live(io::stdin().lock())), 0));
    }
    let cannot = |e: io::Error| {
        Failure::usage(format!("read {}: {e}", path.display()))
            .hint("name a capture file, or - for standard input")
    };
    if path.is_dir() {
        return Err(cannot(io::Error::other("it is a folder")));
    }
    let length = fs::metadata(path).map_err(cannot)?.len();
    Ok((Box::new(File::open(path).map_err(cannot)?), length))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}

/// A capture that is being made: Ctrl-C ends it, and what came until then is read.
struct Live(io::StdinLock<'static>);

impl Read for Live {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        match progress::interrupted() {
            true => Ok(0),
            false => self.0.read(to),
        }
    }
}

/// A file whose bytes are counted and summed up as they are read.
struct Counted<'a> {
    from: Box<dyn Read + 'a>,
    count: Arc<Mutex<u64>>,
    sum: Option<Arc<Mutex<Sha256>>>,
}

impl Read for Counted<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(to)?;
        *lock(&self.count) += read as u64;
        if let Some(sum) = &self.sum {
            lock(sum).update(&to[..read]);
        }
        Ok(read)
    }
}

/// The bar of a reading.
struct Reading {
    bar: Bar,
    /// Bytes of all files; 0 where that is unknown.
    bytes: u64,
    counts: Vec<Arc<Mutex<u64>>>,
    told: u64,
    /// Ctrl-C ends the capture and not the reading.
    live: bool,
}

impl Reading {
    fn new(counts: Vec<Arc<Mutex<u64>>>, bytes: u64, what: &str) -> Reading {
        let mut bar = Bar::new();
        bar.expect(1);
        bar.say(what);
        Reading {
            bar,
            bytes,
            counts,
            told: 0,
            live: false,
        }
    }
}

impl Watch for Reading {
    fn read(&mut self, _file: usize, _bytes: u64) -> bool {
        let done: u64 = self.counts.iter().map(|c| *lock(c)).sum();
        let now = (done * 1000).checked_div(self.bytes).unwrap_or(0).min(1000);
        self.bar.advance(now - self.told.min(now));
        self.told = now.max(self.told);
        self.live || !self.bar.interrupted()
    }
}

/// Puts connections in order; without one, by number in JSON and by bytes in the table.
fn order(connections: &mut [TraceConnection], sort: Option<Sort>, json: bool) {
    let usual = if json { Sort::Id } else { Sort::Bytes };
    let both = |c: &TraceConnection, of: fn(&TraceDirection) -> u64| of(&c.a2b) + of(&c.b2a);
    let cost = |d: &TraceDirection| d.glitches.iter().map(|g| g.cost_bytes).sum();
    connections.sort_by_key(|c| {
        let by = match sort.unwrap_or(usual) {
            Sort::Id => 0,
            Sort::Bytes => both(c, |d| d.unique_bytes),
            Sort::Duration => c.duration_ns,
            Sort::Goodput => c.a2b.goodput_bps.max(c.b2a.goodput_bps),
            Sort::Retransmissions => both(c, |d| d.retransmitted_segments),
            Sort::Cost => both(c, cost),
        };
        (Reverse(by), c.id)
    });
}
