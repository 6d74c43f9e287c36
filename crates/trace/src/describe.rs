//! What was seen of a connection, as the document says it.

use std::net::Ipv6Addr;

use farpath_observe::Surroundings;
use farpath_observe::limit::{Limit, largest, shares};
use farpath_record::trace::{
    HeldSmall, RequestTotals, Retransmissions, TraceConnection, TraceDirection,
};
use farpath_units::Time;

use crate::classify::{Class, Times, Why, classify, syns_again};
use crate::connection::{Connection, Vantage};
use crate::found::{self, DirectionFound};
use crate::glitches::{glitches, pattern};
use crate::noted::{in_vain_notes, notes, unread_notes};
use crate::observed::{delivered, observe};
use crate::opening::without_sack;
use crate::plateau::name_own;
use crate::policer::{known_rate, policer};
use crate::sack_benefit::sack_benefit;
use crate::segment::End;
use crate::stream::Stream;
use crate::undecided::{self, Undecided};

/// More than this share of data packets larger than a segment: the capturing host's offload.
const OFFLOAD_SHARE: f64 = 0.05;

/// A connection, and what a caller gets of it beside the document.
pub(crate) struct Judged {
    pub(crate) described: TraceConnection,
    /// What `a` sent, and what `b` sent.
    pub(crate) found: [DirectionFound; 2],
}

/// Address and port as text.
pub(crate) fn end_text(end: &End) -> String {
    let address = Ipv6Addr::from(end.address);
    match address.to_ipv4_mapped() {
        Some(v4) => format!("{v4}:{}", end.port),
        None => format!("[{address}]:{}", end.port),
    }
}

/// The times of a connection as the sender `from` has them.
pub(crate) fn times(connection: &Connection, from: usize) -> Times {
    let to_sender = match connection.vantage() {
        Vantage::At(end) if end == from => 0,
        Vantage::Unknown => 0,
        _ => connection.turn(from).unwrap_or(0),
    };
    Times {
        to_sender,
        round_trip: connection.round_trip().unwrap_or(0),
        at_sender: connection.vantage() == Vantage::At(from),
        ids_differ: connection.streams[from].ids_differ,
        is_sackless: without_sack([0, 1].map(|n| connection.streams[n].syn.as_ref())),
        tick: connection.tick(from).unwrap_or(0),
    }
}

/// Describes a connection.
pub(crate) fn describe(connection: &mut Connection, id: u64) -> Judged {
    connection.streams.iter_mut().for_each(Stream::settle);
    let [a, b] = connection.ends;
    let mut described = TraceConnection {
        id,
        a: end_text(&a),
        b: end_text(&b),
        start_ns: connection.started,
        duration_ns: (connection.last() - connection.started) as u64,
        complete: connection.is_complete(),
        vantage: vantage_name(connection.vantage()).to_owned(),
        offload: connection.streams.iter().any(is_offloaded),
        handshake_rtt_ns: connection.handshake.map(|ns| ns as u64),
        ..TraceConnection::default()
    };
    let mut found = [DirectionFound::default(), DirectionFound::default()];
    let mut open = [Undecided::default(); 2];
    for from in [0, 1] {
        let (direction, of, left) = direction(connection, from);
        found[from] = of;
        open[from] = left;
        match from {
            0 => described.a2b = direction,
            _ => described.b2a = direction,
        }
    }
    begin_and_end(connection, &mut described);
    quality(connection, &mut described);
    notes(connection, &mut described);
    let mut more = unread_notes(&described, &found);
    more.extend(undecided::notes(&described, open));
    more.extend(in_vain_notes(&described, &found));
    described.notes.extend(more);
    Judged { described, found }
}

/// How it began, what was asked on it, and who broke it off.
fn begin_and_end(connection: &mut Connection, described: &mut TraceConnection) {
    let syns = [0, 1].map(|n| connection.streams[n].syn.as_ref());
    let acknowledged = connection.is_acknowledged();
    let syns_seen = connection.syns;
    let again = [0, 1].map(|n| syns_again(&connection.streams[n].events, times(connection, n)));
    described.opening = syns_seen.stated(syns, connection.handshake, acknowledged, &again);
    let started = connection.started;
    described.reset = connection
        .broken
        .map(|b| b.stated(started, connection.ttls(b.by)));
    described.tls = connection.tls.as_ref().map(|t| t.stated());
    described.name = described.tls.as_ref().and_then(|t| t.name.clone());
    let secured = connection.tls.as_ref().and_then(|t| t.done);
    let turns = connection.turns();
    let (requests, totals) = connection.exchanges.stated(turns, started, secured);
    described.requests = requests;
    described.request_totals = totals.map(|t| RequestTotals {
        client_is_a: connection.client == 0,
        ..t
    });
}

/// One direction: classes first, then what is made of them, and what they leave open.
fn direction(
    connection: &mut Connection,
    from: usize,
) -> (TraceDirection, DirectionFound, Undecided) {
    let at = times(connection, from);
    let classes = classify(&connection.streams[from].events, at);
    let mut d = counts(connection, from, &classes);
    let mut seen = observe(connection, from, &classes);
    let stream = &connection.streams[from];
    d.held_small = connection.held_small(from);
    d.glitches = glitches(&seen, connection.started, stream.mss());
    d.loss_pattern = pattern(
        &seen.repairs,
        &lost(stream, &classes),
        (stream.unique, stream.mss()),
    )
    .map(str::to_owned);
    d.sack_benefit = sack_benefit(&stream.events, &classes, seen.beyond);
    d.policer = match stream.passages.as_deref() {
        Some(passages) => policer(&seen, passages, (&stream.events, &classes), stream.mss()),
        None => None,
    };
    if let Some(found) = d.policer {
        seen.observed.taker = Some(Limit::Policer);
        seen.observed.policed = known_rate(found);
    }
    // Offload joins segments of the network to larger ones, whose sizes say nothing.
    if !is_offloaded(stream) {
        let (sizes, scales) = stream
            .size_classes
            .stated(&stream.events, &classes, stream.mss());
        d.loss_by_size = sizes;
        d.loss_scales = scales.map(str::to_owned);
    }
    if stream.unique > 0 {
        d.limit_shares = shares(&seen.observed, Time::ZERO, &Surroundings::default());
        if stream.late * 2 > stream.unique {
            // What comes after its acknowledgement was never seen in flight.
            d.limit_shares = [(Limit::Unknown.name().to_owned(), 1.0)].into();
        }
        name_own(&mut d, &seen, stream.mss());
        d.limited_by = largest(&d.limit_shares);
        if let Some(held) = d.held_small {
            let lasted = seen.observed.finished.since(seen.observed.opened);
            let lasted = lasted.as_secs_f64().max(f64::MIN_POSITIVE);
            name_held(&mut d, held.waited_ns as f64 / 1e9 / lasted);
        }
    }
    let each = stream.events.iter().zip(&classes);
    let segments = each.map(|(event, class)| found::seen(event, *class, stream.base));
    let found = DirectionFound {
        segments: segments.collect(),
        observed: (stream.unique > 0).then(|| Box::new(seen.observed)),
        acks: stream.bare_acks.clone(),
        unanswered: stream.unanswered(&classes),
    };
    let left = Undecided::of(&stream.events, &classes, at);
    (d, found, left)
}

/// The first bytes of segments that were lost, before the capture or behind it.
fn lost(stream: &Stream, classes: &[Class]) -> Vec<u64> {
    let again = stream.events.iter().zip(classes);
    let lost = again.filter(|(event, class)| {
        event.length > 0 && matches!(class, Class::Again(_) | Class::Upstream(_))
    });
    lost.map(|(event, _)| event.seq).collect()
}

fn vantage_name(vantage: Vantage) -> &'static str {
    match vantage {
        Vantage::At(0) => "sender_of_a",
        Vantage::At(_) => "sender_of_b",
        Vantage::Middle => "middle",
        Vantage::Unknown => "unknown",
    }
}

fn is_offloaded(stream: &Stream) -> bool {
    let sizes = &stream.sizes;
    sizes.packets > 0 && sizes.over as f64 > OFFLOAD_SHARE * sizes.packets as f64
}

fn counts(connection: &Connection, from: usize, classes: &[Class]) -> TraceDirection {
    let stream = &connection.streams[from];
    let (scale, inferred) = connection.scale(from);
    let mut d = TraceDirection {
        packets: stream.packets,
        bytes: stream.bytes,
        unique_bytes: stream.unique,
        segments: stream.sizes.segments,
        duplicate_acks: stream.duplicate_acks,
        zero_windows: stream.zero_windows,
        marked: stream.congestion_marks,
        mss: Some(stream.mss()).filter(|mss| *mss > 0),
        window_scale: (stream.acks > 0).then_some(scale),
        window_scale_inferred: inferred && stream.acks > 0,
        window_max_bytes: stream.window_max,
        flight_max_bytes: stream.flights.peak,
        goodput_bps: goodput(stream, classes),
        ..TraceDirection::default()
    };
    if let Some(marks) = stream.marks.as_ref().filter(|_| connection.echoes_marks()) {
        (d.ecn_echoes, d.ecn_reductions) = (marks.echoes, marks.answered);
    }
    let mut copied = 0;
    for (event, class) in stream.events.iter().zip(classes) {
        let pieces = u64::from(event.pieces);
        d.segments += pieces;
        match class {
            Class::Reordered => d.reordered_segments += pieces,
            Class::NetworkDuplicate => {
                d.network_duplicates += pieces;
                copied += u64::from(event.length);
            }
            Class::Again(why) => *slot(&mut d.retransmissions, *why) += pieces,
            Class::Unneeded(why) => {
                d.retransmissions.unneeded += pieces;
                *slot(&mut d.unneeded_by, *why) += pieces;
            }
            Class::Upstream(why) => {
                d.retransmissions.upstream += pieces;
                *slot(&mut d.upstream_by, *why) += pieces;
            }
        }
    }
    d.retransmissions.unknown += stream.forgotten_events;
    let (copies, _) = connection.copies(from);
    // The receiver reported them: it was the network that made them.
    if copies > 0 && stream.told_twice * 2 >= copies {
        d.network_duplicates += copies;
    }
    d.retransmitted_segments = d.retransmissions.total();
    d.retransmitted_bytes = stream.repeated.saturating_sub(copied);
    if let Some(samples) = stream.rtt.karn.stated() {
        d.rtt_min_ns = Some(samples.min_ns);
        d.rtt_avg_ns = Some(samples.avg_ns);
        d.rtt_max_ns = Some(samples.max_ns);
        d.rtt_samples = samples.samples;
    }
    for (name, kind) in [
        ("sack", &stream.rtt.sack),
        ("timestamp", &stream.rtt.timestamp),
    ] {
        if let Some(samples) = kind.stated() {
            d.rtt_by.insert(name.to_owned(), samples);
        }
    }
    d
}

fn slot(all: &mut Retransmissions, why: Why) -> &mut u64 {
    match why {
        Why::Fast => &mut all.fast,
        Why::Rto => &mut all.rto,
        Why::Tlp => &mut all.tlp,
        Why::LostRetransmission => &mut all.lost_retransmission,
        Why::Unknown => &mut all.unknown,
    }
}

/// Bytes acknowledged, or seen where nobody acknowledged, over the time they took. One segment alone takes no time that
/// the place of the capture would not decide: no rate is said of it, and none where the capture has no times. The time in which an answer was
/// waited for in vain is among it.
fn goodput(stream: &Stream, classes: &[Class]) -> u64 {
    if stream.sizes.segments < 2 {
        return 0;
    }
    let Some(first) = stream.first_data else {
        return 0;
    };
    let bytes = delivered(stream);
    let silent = stream.unanswered(classes);
    let until = silent.map_or(stream.last_delivered(), |s| s.until_ns);
    let took = until - first;
    match took > 0 {
        true => (u128::from(bytes) * 8_000_000_000 / took as u128) as u64,
        false => 0,
    }
}

/// Counts of what is not right with the evidence.
fn quality(connection: &Connection, described: &mut TraceConnection) {
    let mut put = |name: &str, count: u64| {
        if count > 0 {
            *described.quality.entry(name.to_owned()).or_default() += count;
        }
    };
    put("clock_steps", connection.steps_back());
    for from in 0..2 {
        let stream = &connection.streams[from];
        put("bytes_missed_by_capture", stream.missed);
        put("holes_missed_by_capture", stream.missed_holes);
        put("bytes_never_seen", stream.open_holes());
        put("bytes_after_their_acks", stream.late);
        put("keep_alives", stream.keep_alives);
        put("zero_window_probes", stream.probes);
        put("congestion_marks", stream.congestion_marks);
        put("duplicate_sacks", stream.told_twice);
        put("sack_reneges", stream.reneges);
        let (copies, bare) = connection.copies(from);
        let by_network = copies > 0 && stream.told_twice * 2 >= copies;
        put(
            "doubled_packets",
            bare + if by_network { 0 } else { copies },
        );
        let (_, wrong, damaged) = connection.checksums(from);
        put("damaged_packets", damaged);
        put("wrong_checksums", wrong - damaged);
    }
}

/// Gives small writes that waited their part of the time that is the application's. Beside half as much of the latter they limit most:
/// they are seen, and of the rest only that nothing was there to send.
fn name_held(d: &mut TraceDirection, part: f64) {
    let word = Limit::Application.name();
    let Some(rest) = d.limit_shares.get_mut(word) else {
        return;
    };
    let held = part.clamp(0.0, *rest);
    *rest -= held;
    let leads = d.limited_by.as_deref() == Some(word) && 2.0 * held >= *rest;
    if *rest <= 0.0 {
        d.limit_shares.remove(word);
    }
    d.limit_shares.insert(HeldSmall::LIMIT.to_owned(), held);
    d.limited_by = match leads {
        true => Some(HeldSmall::LIMIT.to_owned()),
        false => largest(&d.limit_shares),
    };
}
