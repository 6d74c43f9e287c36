//! `--out`: the page of one connection, from what the first reading found and a second one for its trail.

use std::collections::BTreeMap;

use farpath_observe::limit::{WORDS, account};
use farpath_observe::{Flight, Surroundings};
use farpath_record::trace::{TraceConnection, TraceDirection, TraceDocument};
use farpath_record::{Origin, Sequence, SequenceBurst, SequenceKind, Series};
use farpath_report::trace_page::{LimitSpan, Other, SCHEMA, TracePage};
use farpath_trace::{Analysis, DirectionFound, Mark, Marks, Trail, Wanted};
use farpath_units::Time;

use super::xplot;

/// Segments sent again that are kept one by one; of more, strokes stand for several.
const AGAIN_MAX: usize = 20_000;
/// Values of a series.
const VALUES_MAX: usize = 4000;
/// Connections that are listed below the one that is drawn.
const OTHERS_MAX: usize = 50;

/// Of two directions of which one has no more than so many times the other's data, that with more losses is drawn.
const LIKE: u64 = 10;

/// A connection that is drawn, and its direction with more data, or with the losses: 0 is what `a` sent.
pub(crate) struct Chosen {
    place: usize,
    from: usize,
}

impl Chosen {
    /// The same connection, the direction of what `a` sent (0) or `b` sent (1).
    pub(crate) fn of(&self, from: usize) -> Chosen {
        Chosen {
            place: self.place,
            from,
        }
    }

    /// Whether any data goes this way.
    pub(crate) fn has_data(&self, analysis: &Analysis) -> bool {
        direction(&analysis.document.connections[self.place], self.from).unique_bytes > 0
    }

    /// Its plot; `document` is that of the analysis, with other addresses perhaps.
    pub(crate) fn xplot(
        &self,
        analysis: &Analysis,
        document: &TraceDocument,
        trail: &Trail,
        span_ns: [u64; 2],
    ) -> String {
        let connection = &document.connections[self.place];
        let (a, b) = (connection.a.as_str(), connection.b.as_str());
        let ends = if self.from == 0 { [a, b] } else { [b, a] };
        let found = &analysis.found[self.place][self.from];
        xplot::text(connection, ends, trail, found, span_ns)
    }
}

fn bytes(c: &TraceConnection) -> u64 {
    c.a2b.unique_bytes + c.b2a.unique_bytes
}

/// The connection of a number, or else the one with most data.
pub(crate) fn choose(analysis: &Analysis, id: Option<u64>) -> Option<Chosen> {
    let all = &analysis.document.connections;
    let place = match id {
        Some(id) => all.iter().position(|c| c.id == id)?,
        None => (0..all.len()).max_by_key(|n| (bytes(&all[*n]), all.len() - n))?,
    };
    let directions = [0, 1].map(|from| direction(&all[place], from));
    let less = usize::from(directions[0].unique_bytes >= directions[1].unique_bytes);
    // What lost and is not much less tells more.
    let lost = directions.map(|d| d.retransmitted_segments - d.retransmissions.unneeded);
    let is_like = directions[less].unique_bytes * LIKE >= directions[1 - less].unique_bytes;
    let from = match is_like && lost[less] > lost[1 - less] {
        true => less,
        false => 1 - less,
    };
    Some(Chosen { place, from })
}

fn direction(connection: &TraceConnection, from: usize) -> &TraceDirection {
    [&connection.a2b, &connection.b2a][from]
}

/// What the second reading must look for.
pub(crate) fn wanted(analysis: &Analysis, chosen: &Chosen, span_ns: [u64; 2]) -> Wanted {
    let connection = &analysis.document.connections[chosen.place];
    let [a, b] = [connection.a.clone(), connection.b.clone()];
    Wanted {
        ends: if chosen.from == 0 { [a, b] } else { [b, a] },
        start_ns: connection.start_ns,
        duration_ns: connection.duration_ns,
        shift: direction(connection, chosen.from).window_scale.unwrap_or(0),
        span_ns,
    }
}

/// The page's data; `document` is that of the analysis, with other addresses perhaps.
pub(crate) fn page(
    analysis: &Analysis,
    mut document: TraceDocument,
    chosen: &Chosen,
    trail: &Trail,
    span_ns: [u64; 2],
) -> TracePage {
    let connection = document.connections.swap_remove(chosen.place);
    let mut others: Vec<Other> = document.connections.iter().map(other).collect();
    others.sort_by_key(|o| (std::cmp::Reverse(o.bytes), o.id));
    let left_out = others.len().saturating_sub(OTHERS_MAX);
    others.truncate(OTHERS_MAX);
    let found = &analysis.found[chosen.place][chosen.from];
    let (start, name) = (connection.start_ns, format!("connection {}", connection.id));
    document.connections = vec![connection];
    let mut bursts = bursts_of(&trail.data, SequenceKind::Data);
    bursts.extend(bursts_of(&trail.sacks, SequenceKind::Sack));
    bursts.extend(bursts_of(&trail.acks, SequenceKind::Ack));
    TracePage {
        schema: SCHEMA.to_owned(),
        document,
        direction: ["a2b", "b2a"][chosen.from].to_owned(),
        others,
        others_left_out: left_out as u64,
        sequence: Sequence {
            origin: Origin::Captured,
            test: name,
            stream: 0,
            point: BTreeMap::new(),
            bursts,
            complete_until_ns: None,
            detail_ns: Vec::new(),
        },
        again: again(found, start, span_ns),
        edges: bursts_of(&trail.edges, SequenceKind::Ack),
        limits: limits(found, span_ns),
        series: series(found, trail, span_ns),
    }
}

fn other(connection: &TraceConnection) -> Other {
    Other {
        id: connection.id,
        a: connection.a.clone(),
        b: connection.b.clone(),
        name: connection.name.clone(),
        bytes: bytes(connection),
    }
}

fn bursts_of(marks: &Marks, kind: SequenceKind) -> Vec<SequenceBurst> {
    let burst = |m: &Mark| {
        let one = m.count == 1;
        SequenceBurst {
            kind,
            t_ns: m.from_ns,
            seq: m.seq,
            len: u64::from(m.length),
            n: if one { 1 } else { 2 },
            gap_ns: (m.until_ns - m.from_ns) as f64,
            seq_step: m.last_seq as i64 - m.seq as i64,
            m: 1,
            group_gap_ns: 0.0,
            group_seq_step: 0,
            stands_for: if one { 0 } else { m.count },
        }
    };
    marks.all().iter().map(burst).collect()
}

/// What was sent again within the span, by class; each class has its share of the marks.
fn again(
    found: &DirectionFound,
    start: i64,
    [from, to]: [u64; 2],
) -> BTreeMap<String, Vec<SequenceBurst>> {
    let mut classes: BTreeMap<&str, Marks> = BTreeMap::new();
    let count = found.segments.len().max(1);
    for s in &found.segments {
        let at = (s.at_ns - start).max(0) as u64;
        if !(from..to).contains(&at) {
            continue;
        }
        let of = || found.segments.iter().filter(|x| x.class == s.class).count();
        let marks = classes.entry(s.class).or_insert_with(|| {
            Marks::new(if count <= AGAIN_MAX {
                AGAIN_MAX
            } else {
                AGAIN_MAX * of() / count
            })
        });
        marks.add(Mark {
            from_ns: at,
            until_ns: at,
            seq: s.offset,
            last_seq: s.offset,
            length: s.length,
            count: 1,
        });
    }
    let named = classes.iter().map(|(class, marks)| {
        let bursts = bursts_of(marks, SequenceKind::Retransmit);
        ((*class).to_owned(), bursts)
    });
    named.collect()
}

/// What limited most of each stretch; equal ones are joined.
fn limits(found: &DirectionFound, [from, to]: [u64; 2]) -> Vec<LimitSpan> {
    let mut all: Vec<LimitSpan> = Vec::new();
    let Some(observed) = found.observed.as_deref() else {
        return all;
    };
    for stretch in account(observed, Time::ZERO, &Surroundings::default()) {
        let (from_ns, until_ns) = (stretch.from.as_ns(), stretch.until.as_ns());
        if until_ns <= from || from_ns >= to {
            continue;
        }
        let most = WORDS.iter().max_by(|a, b| {
            let (a, b) = (stretch.spent(a.0), stretch.spent(b.0));
            a.total_cmp(&b)
        });
        let Some((_, word, _)) = most else { continue };
        match all.last_mut() {
            Some(last) if last.limit == *word => last.until_ns = until_ns,
            _ => all.push(LimitSpan {
                from_ns,
                until_ns,
                limit: (*word).to_owned(),
            }),
        }
    }
    all
}

/// Round trips, flight, window and rates, interval by interval: as many joined as the page has room for.
fn series(found: &DirectionFound, trail: &Trail, [from, to]: [u64; 2]) -> BTreeMap<String, Series> {
    let within = |f: &&Flight| f.until.as_ns() > from && f.from.as_ns() < to;
    let mut all: BTreeMap<String, Series> = BTreeMap::new();
    let Some(observed) = found.observed.as_deref() else {
        return all;
    };
    let flights: Vec<&Flight> = observed.flights.iter().filter(within).collect();
    let mut put = |name: &str, t: u64, value: Option<f64>| {
        if let Some(value) = value {
            let series = all.entry(name.to_owned()).or_default();
            series.t_ns.push(t);
            series.v.push(value);
        }
    };
    // Rates of single milliseconds are those of single packets: a round trip or a hundredth of it all is long enough.
    let span = flights.last().map_or(0, |f| f.until.as_ns())
        - flights.first().map_or(0, |f| f.from.as_ns());
    let round = observed.rtt.map_or(0, |rtt| rtt.min_ns as u64);
    let wide = round.clamp(span / VALUES_MAX as u64, (span / 100).max(1));
    let mut group: Vec<&Flight> = Vec::new();
    for flight in flights {
        group.push(flight);
        let (first, last) = (group[0].from.as_ns(), flight.until.as_ns());
        if last - first < wide {
            continue;
        }
        let seconds = (last - first) as f64 / 1e9;
        let sum = |of: fn(&Flight) -> u64| group.iter().map(|f| of(f)).sum::<u64>() as f64;
        let rtts = || {
            group
                .iter()
                .filter_map(|f| f.rtt)
                .map(|rtt| rtt.as_ns() as f64)
        };
        put("rtt_ns", last, rtts().reduce(f64::min));
        put(
            "goodput_bps",
            last,
            Some(sum(|f| f.delivered) * 8.0 / seconds),
        );
        put("sent_bps", last, Some(sum(|f| f.sent) * 8.0 / seconds));
        let peak = group.iter().map(|f| f.peak).max();
        put("flight_bytes", last, peak.map(|b| b as f64));
        group.clear();
    }
    let windows = trail.windows.all();
    let every = windows.len().div_ceil(VALUES_MAX).max(1);
    for chunk in windows.chunks(every) {
        let least = chunk.iter().min_by_key(|m| m.seq);
        if let Some(m) = least {
            put("window_bytes", m.from_ns, Some(m.seq as f64));
        }
    }
    all
}
