//! Connections of captures as evidence: what each direction that carried data shows.

mod hole;
mod scaling;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use farpath_observe::Connection as Seen;
use farpath_record::trace::{TraceConnection, TraceDirection};
use farpath_trace::{Analysis, DirectionFound};

pub(crate) use hole::Swallowed;
use hole::swallowed;
use scaling::of_handshake;
pub(crate) use scaling::{LeftOut, who_left_out};

use crate::account::{Account, unexplained};
use crate::fact::{Figure, Place};
use crate::flows::flow::Flow;
use crate::losses::incomplete::lacks;
use crate::losses::lost_answers::LostAnswers;
use crate::losses::stood::Stood;
use crate::programs::opened::{self, Opened};
use crate::programs::turns::Turns;
use crate::reach::lost_syns;
use crate::read::Facts;
use crate::seen::{End, Report, Row, Side, Test};
use crate::series::blackout::Blackout;
use crate::series::stops::{self, Stop};
use crate::signs::is_lossless;
use crate::windows::shrunk::Shrunk;

/// Most directions of a capture that are kept, the largest.
const KEPT_MAX: usize = 1000;

/// Intervals that a connection's time is cut into: as many as a log of a test has.
const ROWS: usize = 12;

/// Without scaling a window is at most 65 535 bytes (RFC 9293 §3.1); one that is nearly so is held down by that.
const UNSCALED_LEAST: u64 = 60_000;

/// Where a capture was taken, beside the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Vantage {
    /// At the end that sends.
    Sender,
    /// Between the two.
    Middle,
    /// At the end that receives.
    Receiver,
    /// The capture does not say.
    Unknown,
}

/// One direction of a connection, as a capture shows it.
#[derive(Clone, Debug)]
pub(crate) struct Captured {
    /// Its ends, rate, round trips, repetitions and intervals.
    pub(crate) test: Test,
    /// Bytes delivered.
    pub(crate) bytes: f64,
    /// Number of its source.
    pub(crate) source: u32,
    /// Where it was captured.
    pub(crate) vantage: Vantage,
    /// Time of its first packet, nanoseconds since 1970-01-01 00:00 UTC.
    pub(crate) started_ns: i64,
    /// The policer that its losses show: its rate.
    pub(crate) policer: Option<Figure>,
    /// How its losses lie in time: `periodic`, `random`, `clustered`.
    pub(crate) pattern: Option<String>,
    /// How its losses lie by the queue that its round trips show.
    pub(crate) stood: Option<Stood>,
    /// Acknowledgements of it.
    pub(crate) came: Option<crate::losses::way_back::Came>,
    /// The largest window that the receiver announced, bytes.
    pub(crate) window: Option<Figure>,
    /// That window shrank, and was full.
    pub(crate) shrunk: Option<Shrunk>,
    /// Window scaling was not agreed on, and the window is as large as it can be then.
    pub(crate) unscaled: bool,
    /// Who left scaling out, where it was not agreed on and the handshake was captured.
    pub(crate) left_out: Option<LeftOut>,
    /// Windows are scaled in it.
    pub(crate) scaled: bool,
    /// Payload that was sent, each byte once, whether or not it arrived.
    offered: f64,
    /// Full segments of it that never arrived, however often they were sent.
    pub(crate) swallowed: Option<Swallowed>,
    /// The longest time in which nothing of it arrived.
    pub(crate) stop: Option<Stop>,
    /// It only speaks of another connection, which carried the data, as the first one of iperf3 and FTP does.
    pub(crate) control: bool,
    /// Nothing of it was lost, and the capture would have shown it.
    pub(crate) lossless: bool,
    /// How its ends wait for each other.
    pub(crate) turns: Option<Turns>,
    /// It stands for several short connections.
    pub(crate) opened: Option<Opened>,
}

impl Vantage {
    pub(crate) fn of(connection: &TraceConnection, reverse: bool) -> Vantage {
        match (connection.vantage.as_str(), reverse) {
            ("sender_of_a", false) | ("sender_of_b", true) => Vantage::Sender,
            ("sender_of_a", true) | ("sender_of_b", false) => Vantage::Receiver,
            ("middle", _) => Vantage::Middle,
            _ => Vantage::Unknown,
        }
    }

    /// Whose account of the sender's time it is.
    pub(crate) const fn by(self) -> &'static str {
        match self {
            Vantage::Sender => "the capture at the sender",
            Vantage::Middle => "the capture on the way",
            Vantage::Receiver => "the capture at the receiver",
            Vantage::Unknown => "the capture",
        }
    }

    /// How far from the sender what held it back can still be seen: little enough that a suspicion stays one.
    const fn trust(self) -> f64 {
        match self {
            Vantage::Sender => 1.0,
            Vantage::Middle => 0.35,
            Vantage::Receiver | Vantage::Unknown => 0.25,
        }
    }
}

impl Facts {
    /// Adds the connections of one capture; `name` is its file's as the user gave it.
    pub fn capture(&mut self, name: &str, analysis: &Analysis) {
        let source = self.source(name);
        let mut all = Vec::new();
        let connections = &analysis.document.connections;
        self.resets_of(source, connections);
        let mut lost = connections.iter();
        let lost = lost.find_map(|c| LostAnswers::captured(source, c));
        self.lost_answers = self.lost_answers.take().or(lost);
        let sets = opened::sets(source, connections, &analysis.found);
        let in_sets: BTreeSet<u64> = sets.iter().flat_map(|s| s.ids.clone()).collect();
        let each = connections.iter().zip(&analysis.found);
        for (connection, found) in each.filter(|(c, _)| !in_sets.contains(&c.id)) {
            let ways = [
                (&connection.a2b, &found[0], false),
                (&connection.b2a, &found[1], true),
            ];
            for (direction, found, reverse) in ways {
                let at = Place::Connection(source, connection.id);
                let errors = &analysis.document.icmp_errors;
                let gone = swallowed(errors, (connection, reverse), direction, found, at);
                // What swallows large segments alone is not an outage.
                let near = Vantage::of(connection, reverse) == Vantage::Sender;
                let dark = match &gone {
                    Some(_) => None,
                    None => Blackout::of(direction, found, connection.start_ns, near),
                };
                let way = (direction, found, dark.as_ref());
                let Some(mut one) = captured(source, connection, way, reverse) else {
                    continue;
                };
                one.swallowed = gone;
                one.control = is_control(connection, connections);
                all.push(one);
            }
        }
        all.extend(sets.into_iter().map(|s| s.captured));
        all.sort_by(by_size);
        all.truncate(KEPT_MAX);
        let name = self.sources[source as usize].clone();
        if all.is_empty() {
            self.notes.push(format!("{name}: {}", nothing(connections)));
        }
        self.notes.extend(lacks(&name, &analysis.document));
        self.captured.append(&mut all);
    }
}

/// Why no connection of a capture is evidence.
fn nothing(connections: &[TraceConnection]) -> String {
    let carried = |c: &&TraceConnection| c.a2b.unique_bytes + c.b2a.unique_bytes > 0;
    match connections.iter().filter(carried).count() {
        0 => "no TCP connection in it carried data".to_owned(),
        1 => "its TCP connection carried one segment each way at most: too little to say what limits it".to_owned(),
        n => format!(
            "each of its {n} TCP connections with data carried one segment each way at most: too little to say what limits them"
        ),
    }
}

/// A direction as evidence, without what an outage did; none of one that carried next to nothing.
fn captured(
    source: u32,
    connection: &TraceConnection,
    (direction, found, dark): (&TraceDirection, &DirectionFound, Option<&Blackout>),
    reverse: bool,
) -> Option<Captured> {
    if direction.segments < 2 {
        return None;
    }
    let at = Place::Connection(source, connection.id);
    let vantage = Vantage::of(connection, reverse);
    let found = dark.map_or(found, |d| &d.rest);
    let seen = found.observed.as_deref()?;
    let bytes = seen.delivered as f64;
    let mut test = Test::new("capture", at);
    let ends = [end(&connection.a), end(&connection.b)];
    let [a, b] = ends;
    (test.from, test.to) = if reverse { (b, a) } else { (a, b) };
    let report = Some(report(connection, direction, bytes, at));
    match vantage {
        Vantage::Receiver => test.received = report,
        _ => test.sent = report,
    }
    // Far from the sender its turns are guessed at: the handshake's round trip is the whole one wherever it was seen.
    let whole = lost_syns::handshake_ns(connection).filter(|_| vantage != Vantage::Sender);
    numbers(&mut test, (direction, seen, dark), whole, at);
    lost_syns::note(&mut test, connection, reverse, at);
    test.rows = rows(seen, found, connection.start_ns, at);
    if let Some(dark) = dark {
        let opened = stops::seconds(seen.established);
        test.rows.retain(|row| dark.spares(row, opened));
    }
    let lost = connection.quality.contains_key("bytes_missed_by_capture");
    test.account = account_of(direction, vantage, dark, (lost, at));
    let window = direction.window_max_bytes;
    let unscaled = direction.window_scale == Some(0) && !direction.window_scale_inferred;
    Some(Captured {
        test,
        bytes,
        source,
        vantage,
        started_ns: connection.start_ns,
        // Which of the losses they go by were the outage's is not in them.
        policer: direction
            .policer
            .filter(|_| dark.is_none())
            .map(|p| crate::losses::fitted::rate(&p, at)),
        pattern: direction.loss_pattern.clone().filter(|_| dark.is_none()),
        stood: Stood::of(seen, found, connection.start_ns),
        came: crate::losses::way_back::Came::of(&found.acks, seen),
        window: (window > 0).then(|| Figure::exact(window as f64, at)),
        shrunk: Shrunk::captured(seen, window as f64),
        unscaled: unscaled && window >= UNSCALED_LEAST,
        left_out: of_handshake(connection, reverse, vantage).filter(|_| unscaled),
        scaled: direction.window_scale.is_some_and(|s| s > 0) || window > 65_535,
        offered: direction.unique_bytes as f64,
        swallowed: None,
        stop: match dark {
            Some(dark) => Some(dark.stop),
            None => stops::captured(&direction.glitches, seen),
        },
        control: false,
        lossless: !lost && is_lossless(direction, seen, vantage),
        turns: Turns::of(connection, reverse, seen, whole),
        opened: None,
    })
}

/// The rate of a direction.
fn report(
    connection: &TraceConnection,
    direction: &TraceDirection,
    bytes: f64,
    at: Place,
) -> Report {
    Report {
        goodput: Figure::exact(direction.goodput_bps as f64, at),
        bytes: Some(Figure::exact(bytes, at)),
        seconds: match direction.goodput_bps {
            0 => connection.duration_ns as f64 / 1e9,
            bps => bytes * 8.0 / bps as f64,
        },
    }
}

/// What held a sender back, as a capture shows it; `lost` where the capture itself lost packets.
fn account_of(
    direction: &TraceDirection,
    vantage: Vantage,
    dark: Option<&Blackout>,
    (lost, at): (bool, Place),
) -> Option<Account> {
    // Waits of small writes are not in what the rest of the time alone shows.
    let rest = dark.filter(|_| direction.held_small.is_none());
    let shares = rest.and_then(Blackout::shares);
    (!direction.limit_shares.is_empty()).then(|| Account {
        shares: unexplained(shares.unwrap_or_else(|| direction.limit_shares.clone())),
        // What the capture itself lost looks like the path's losses.
        trust: vantage.trust() * if lost { 0.6 } else { 1.0 },
        sees_buffers: false,
        by: vantage.by(),
        at,
    })
}

impl Captured {
    /// One of which nothing but its test is known.
    pub(crate) fn plain(
        test: Test,
        source: u32,
        vantage: Vantage,
        started_ns: i64,
        bytes: f64,
    ) -> Captured {
        Captured {
            test,
            bytes,
            source,
            vantage,
            started_ns,
            policer: None,
            pattern: None,
            stood: None,
            came: None,
            window: None,
            shrunk: None,
            unscaled: false,
            left_out: None,
            scaled: false,
            offered: bytes,
            swallowed: None,
            stop: None,
            control: false,
            lossless: false,
            turns: None,
            opened: None,
        }
    }
}

/// The largest first, by what was sent: what carries data to a hole delivers none of it.
pub(crate) fn by_size(x: &Captured, y: &Captured) -> Ordering {
    y.size().total_cmp(&x.size())
}

impl Captured {
    /// Payload that it carried, or was to carry, bytes.
    pub(crate) fn size(&self) -> f64 {
        libm::fmax(self.offered, self.bytes)
    }
}

/// Whether a connection is a small one that was opened before another to the same port and ended after it.
fn is_control(own: &TraceConnection, all: &[TraceConnection]) -> bool {
    let bytes = |c: &TraceConnection| c.a2b.unique_bytes.max(c.b2a.unique_bytes);
    let until = |c: &TraceConnection| c.start_ns.saturating_add_unsigned(c.duration_ns);
    let host = |c: &TraceConnection| end(&c.a).host;
    let data = all.iter().filter(|c| c.b == own.b && host(c) == host(own));
    data.filter(|c| bytes(own) < bytes(c) / CONTROL)
        .any(|c| own.start_ns < c.start_ns && until(own).saturating_add(SECOND_NS) >= until(c))
}

/// What speaks of another connection carries less than one part in so many of its bytes.
const CONTROL: u64 = 5;

/// A second, nanoseconds: ends are as far apart at most where a capture was stopped with its program.
const SECOND_NS: i64 = 1_000_000_000;

/// `192.0.2.1:40000`, `[2001:db8::1]:40000`.
pub(crate) fn end(text: &str) -> End {
    let (host, port) = text.rsplit_once(':').unwrap_or((text, ""));
    End {
        host: host.trim_matches(['[', ']']).to_owned(),
        port: port.parse().ok(),
    }
}

fn numbers(
    test: &mut Test,
    (direction, seen, dark): (&TraceDirection, &Seen, Option<&Blackout>),
    whole: Option<u64>,
    at: Place,
) {
    let mut put = |name, value: Option<f64>| {
        if let Some(value) = value.filter(|v| v.is_finite()) {
            test.set(name, Figure::exact(value, at));
        }
    };
    put("mss_bytes", direction.mss.map(f64::from));
    let again = direction.retransmitted_segments - direction.retransmissions.unneeded;
    let of_outage = dark.map_or(0.0, |d| d.segments);
    put(
        "retransmits",
        Some(libm::fmax(again as f64 - of_outage, 0.0)),
    );
    put("retransmission_timeouts", seen.rtos.map(|n| n as f64));
    put("reordered", Some(direction.reordered_segments as f64));
    put("flight_max_bytes", Some(direction.flight_max_bytes as f64));
    put("zero_windows", Some(direction.zero_windows as f64));
    if let Some(rtt) = &seen.rtt {
        let floor = whole.map_or(rtt.min_ns, |ns| ns as f64);
        put("handshake_rtt_ns", Some(floor));
        let mean = rtt.avg_ns.max(floor);
        let low = f64::midpoint(mean, floor);
        let loaded = Figure::between(mean, low, mean * 1.1, at);
        test.set("rtt_loaded_ns", loaded);
    }
    crate::losses::duplicates::of_capture(test, direction, at);
    crate::losses::marked::of_capture(test, direction, at);
}

/// Classes of segments that were not lost; the last is a way to come to send one again, too.
pub(crate) const NOT_LOST: [&str; 3] = ["reordered", "network_duplicate", "unneeded"];

/// Its time in intervals: what was delivered in each, what was sent again, and the most that was in flight.
fn rows(seen: &Seen, found: &DirectionFound, started_ns: i64, at: Place) -> Vec<Row> {
    let from = seen.established;
    let seconds = seen.finished.since(from.min(seen.finished)).as_secs_f64();
    if seen.flights.len() < ROWS || seconds <= 0.0 {
        return Vec::new();
    }
    let every = seconds / ROWS as f64;
    let mut all = [(0.0, 0.0, 0.0_f64); ROWS];
    let place = |since: f64| ((since / every).max(0.0) as usize).min(ROWS - 1);
    for flight in &seen.flights {
        let row = &mut all[place(flight.until.since(from.min(flight.until)).as_secs_f64() - 1e-9)];
        row.0 += flight.delivered as f64;
        row.2 = row.2.max(flight.peak as f64);
    }
    let opened = from.as_ps() as f64 / 1e12;
    let again = found.segments.iter();
    for segment in again.filter(|s| !NOT_LOST.contains(&s.class) && s.why != NOT_LOST[2]) {
        let since = (segment.at_ns - started_ns) as f64 / 1e9 - opened;
        all[place(since)].1 += 1.0;
    }
    let row = |(n, (bytes, again, peak)): (usize, (f64, f64, f64))| Row {
        from: n as f64 * every,
        until: (n + 1) as f64 * every,
        bps: bytes * 8.0 / every,
        retransmits: Some(again),
        cwnd: (peak > 0.0).then_some(peak),
        side: Side::Receiver,
        at,
    };
    all.into_iter().enumerate().map(row).collect()
}

/// What several captured directions of one flow come to: those nearest to the sender count, each connection by its time.
pub(crate) fn nearest<'f>(all: &[&'f Captured]) -> Vec<&'f Captured> {
    let best = all.iter().map(|c| c.vantage).min();
    let near = all.iter().filter(|c| Some(c.vantage) == best);
    near.copied().collect()
}

/// The mean account of captured directions, by the time of each.
pub(crate) fn account(all: &[&Captured]) -> Option<Account> {
    let seconds = |c: &Captured| {
        let report = c.test.received.as_ref().or(c.test.sent.as_ref());
        report.map_or(0.0, |r| r.seconds)
    };
    let each = all.iter();
    let each: Vec<(&Account, f64)> = each
        .filter_map(|c| Some((c.test.account.as_ref()?, seconds(c).max(1e-9))))
        .collect();
    Account::mean(&each)
}

/// The connections of each source that no flow was made of, by the name of the source; of a connection that is a flow's, the other
/// direction is none of its own.
pub(crate) fn left_out(facts: &Facts, taken: &[usize]) -> Vec<String> {
    let mut all: BTreeMap<u32, Vec<Place>> = BTreeMap::new();
    let judged = |at: Place| taken.iter().any(|n| facts.captured[*n].test.at == at);
    for c in &facts.captured {
        if !judged(c.test.at) {
            all.entry(c.source).or_default().push(c.test.at);
        }
    }
    let named = |(source, mut places): (u32, Vec<Place>)| {
        places.sort_unstable();
        places.dedup();
        let name = &facts.sources[source as usize];
        let numbers: Vec<String> = places
            .iter()
            .filter_map(|p| match p {
                Place::Connection(_, id) => Some(format!("#{id}")),
                _ => None,
            })
            .collect();
        let more = numbers.len().saturating_sub(NAMED_MAX);
        let listed = numbers[..numbers.len().min(NAMED_MAX)].join(", ");
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        match numbers.len() {
            1 => format!("{name}: a smaller connection is left out: {listed}"),
            _ => format!("{name}: smaller connections are left out: {listed}{rest}"),
        }
    };
    all.into_iter().map(named).collect()
}

/// Most connections that a note names.
const NAMED_MAX: usize = 8;

/// When captures began to see a flow; none that no capture shows.
pub(crate) fn started_ns(facts: &Facts, flow: &Flow) -> Option<i64> {
    let each = flow.captured.iter().map(|n| &facts.captured[*n]);
    each.map(|c| c.started_ns).min()
}
