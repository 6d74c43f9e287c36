//! One direction as an observation: what `observe` makes metrics, series and limits of.

use std::collections::BTreeMap;

use farpath_observe::{Connection as Observed, Flight, Limit, RoundTrips};
use farpath_units::{Duration, Time};

use crate::classify::{Class, Why};
use crate::connection::{Connection, Vantage};
use crate::event::{Event, NEVER};
use crate::flights::Interval;
use crate::stream::Stream;
use crate::unseen_timeout::{self, before_hole};
use crate::work;

/// A direction, judged: what is needed of it once its connection is over.
pub(crate) struct Direction {
    pub(crate) intervals: Vec<Interval>,
    pub(crate) repairs: Vec<Repair>,
    /// When the window was made smaller for marks, and until when that took a round trip; in order, and apart from each other.
    pub(crate) cuts: Vec<(i64, i64)>,
    /// Whole round trip, the shortest, nanoseconds; 0 where it is unknown.
    pub(crate) round_trip: i64,
    /// From the capture to the sender and back, nanoseconds; 0 at the sender, and where it is unknown.
    pub(crate) beyond: i64,
    /// Captured where it was sent.
    pub(crate) at_sender: bool,
    pub(crate) observed: Observed,
}

/// A span in which losses were being repaired.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Repair {
    pub(crate) from: i64,
    /// Since when nothing came that could begin it: a timeout is waited for before it repairs.
    pub(crate) waits: i64,
    pub(crate) until: i64,
    /// The first byte that was sent again.
    pub(crate) seq: u64,
    pub(crate) timeout: bool,
    pub(crate) segments: u64,
}

/// The part of a connection that is described, nanoseconds: a hundred days.
const LONGEST: i64 = 100 * 86_400 * 1_000_000_000;

/// Nanoseconds since a connection's first packet.
pub(crate) fn since(started: i64, at: i64) -> Time {
    Time::from_ps((at - started).clamp(0, LONGEST) as u64 * 1000)
}

fn lasting(ns: i64) -> Duration {
    Duration::from_ns(ns.clamp(0, LONGEST) as u64)
}

/// Takes a direction's intervals and makes an observation of it.
pub(crate) fn observe(connection: &mut Connection, from: usize, classes: &[Class]) -> Direction {
    let vantage = connection.vantage();
    let round_trip = connection.round_trip().unwrap_or(0);
    let beyond = match vantage {
        Vantage::At(end) if end == from => 0,
        Vantage::Unknown => 0,
        _ => connection.turn(from).unwrap_or(0),
    };
    let (started, established, last) = (
        connection.started,
        connection.established,
        connection.last(),
    );
    let echoes = connection.echoes_marks();
    let stream = &mut connection.streams[from];
    let mut intervals = stream.flights.finish();
    let full = (round_trip, stream.mss());
    let unseen = unseen_timeout::find(&stream.events, classes, &mut intervals, full);
    let repairs = repairs(&stream.events, classes, &unseen, last);
    let cuts = match echoes {
        true => cuts(stream, last),
        false => Vec::new(),
    };
    // Of data that never came the whole time counts, and so does that of an end that is waited for.
    let over = match (delivered(stream), stream.unanswered(classes)) {
        (0, _) => last,
        (_, Some(silent)) => silent.until_ns,
        (_, None) => stream.last_delivered(),
    };
    let at_sender = vantage == Vantage::At(from);
    // The sender has the last acknowledgement so much later.
    let heard = match at_sender {
        true => over,
        false => over + beyond,
    };
    let turns = intervals.iter().any(|i| i.turn > 0);
    let flights = intervals
        .iter()
        .filter(|i| i.from < heard && i.from - started < LONGEST)
        .map(|i| {
            let mut flight = flight(i, started, (beyond, turns), (&repairs, &cuts));
            flight.far = !at_sender;
            flight
        });
    let mut flights: Vec<Flight> = flights.collect();
    flights.shrink_to_fit();
    let observed = Observed {
        opened: Time::ZERO,
        established: since(started, established),
        finished: since(started, heard),
        delivered: delivered(stream),
        measured: delivered(stream),
        lasted: Some(lasting(over - started)),
        retransmits: Some(again(stream, classes)),
        rtos: Some(repairs.iter().filter(|r| r.timeout).count() as u64),
        rtt: round_trips(stream, beyond, round_trip),
        taker: black_hole(stream, classes),
        flights,
        ..Observed::default()
    };
    Direction {
        intervals,
        repairs,
        cuts,
        round_trip,
        beyond,
        at_sender,
        observed,
    }
}

/// Payload bytes that the other end has.
pub(crate) fn delivered(stream: &Stream) -> u64 {
    match stream.acks {
        0 => stream.unique,
        _ => (stream.una.saturating_sub(stream.base)).min(stream.unique + stream.missed),
    }
}

fn again(stream: &Stream, classes: &[Class]) -> u64 {
    let of = stream.events.iter().zip(classes);
    let again =
        of.filter(|(_, c)| matches!(c, Class::Again(_) | Class::Unneeded(_) | Class::Upstream(_)));
    again.map(|(e, _)| u64::from(e.pieces)).sum()
}

/// Whole round trips: what was seen here, and the rest of the way to the sender.
fn round_trips(stream: &Stream, beyond: i64, round_trip: i64) -> Option<RoundTrips> {
    let samples = stream.rtt.karn.stated()?;
    Some(RoundTrips {
        min_ns: (samples.min_ns as i64 + beyond).min(round_trip.max(1)) as f64,
        avg_ns: (samples.avg_ns as i64 + beyond) as f64,
        max_ns: (samples.max_ns as i64 + beyond) as f64,
        smoothed: false,
    })
}

/// Segments that filled the path at the start were sent again and again and never came: larger than a link carries.
fn black_hole(stream: &Stream, classes: &[Class]) -> Option<Limit> {
    let events = || {
        stream
            .events
            .iter()
            .zip(classes)
            .filter(|(e, _)| e.length > 0)
    };
    let timeouts = events().filter(|(_, c)| matches!(c, Class::Again(Why::Rto)));
    let nothing = stream.una <= stream.base && stream.acks > 0;
    let full = events().all(|(e, _)| e.length >= stream.mss() && e.length > 1000);
    (nothing && full && timeouts.count() >= 2).then_some(Limit::Mtu)
}

/// When the window was made smaller for marks; `last` ends what was not over.
fn cuts(stream: &Stream, last: i64) -> Vec<(i64, i64)> {
    let all = stream.marks.iter().flat_map(|marks| &marks.cuts);
    all.map(|cut| (cut.from, cut.until.min(last))).collect()
}

fn flight(
    i: &Interval,
    started: i64,
    way: (i64, bool),
    (repairs, cuts): (&[Repair], &[(i64, i64)]),
) -> Flight {
    let within = |timeout: bool| {
        let first = repairs.partition_point(|r| r.until <= i.from);
        let of = repairs[first..].iter().take_while(|r| r.waits < i.until);
        let of = of.inspect(|_| work::count(1));
        let of = of.filter(|r| r.timeout == timeout);
        of.map(|r| r.until.min(i.until) - r.waits.max(i.from))
            .sum::<i64>()
    };
    let marked = || {
        let first = cuts.partition_point(|cut| cut.1 <= i.from);
        let of = cuts[first..].iter().take_while(|cut| cut.0 < i.until);
        let of = of.inspect(|_| work::count(1));
        of.map(|cut| cut.1.min(i.until) - cut.0.max(i.from))
            .sum::<i64>()
    };
    Flight {
        from: since(started, i.from),
        until: since(started, i.until),
        idle: lasting(i.idle),
        under_way: lasting(i.under_way),
        window: lasting(i.window),
        held: lasting(i.held),
        recovery: lasting((within(false) + marked()).min(i.until - i.from)),
        timeout: lasting(within(true)),
        sent: i.sent,
        delivered: i.delivered,
        peak: i.peak,
        rtt: whole_trip(i, way).map(lasting),
        packets: i.packets,
        gap: lasting(i64::from(i.gap_max)),
        far: false,
    }
}

/// The shortest whole round trip of an interval: from here to the receiver, and what a sender that is far took then.
/// Where that is seen at all, an interval without it tells of no queue.
fn whole_trip(i: &Interval, (beyond, turns): (i64, bool)) -> Option<i64> {
    match (i.rtt_min, i.turn) {
        (0, _) => None,
        (here, _) if beyond == 0 || !turns => Some(here + beyond),
        (_, 0) => None,
        (here, turn) => Some(here + turn.max(beyond)),
    }
}

/// Since when a timeout was waited for: nothing was heard, and the segment was not sent.
fn waited_since(event: &Event) -> i64 {
    let sent = event.at.saturating_sub(event.lag);
    sent.max(event.ack_at).min(event.at)
}

/// Spans of repair, in order and apart from each other; `last` ends one that was not over. What fills the hole behind a segment that
/// ended one of the `unseen` silences is repaired by the timeout that did.
fn repairs(
    events: &[Event],
    classes: &[Class],
    unseen: &BTreeMap<i64, i64>,
    last: i64,
) -> Vec<Repair> {
    let mut all: Vec<Repair> = Vec::new();
    work::count(events.len());
    for (event, class) in events.iter().zip(classes) {
        let silence = unseen.get_key_value(&before_hole(event));
        let silence = silence.filter(|_| event.gap > 0);
        let timeout = match class {
            _ if event.length == 0 || event.is_unneeded() => continue,
            Class::Again(why) | Class::Upstream(why) => *why == Why::Rto || silence.is_some(),
            Class::Unneeded(_) | Class::Reordered | Class::NetworkDuplicate => continue,
        };
        let until = match event.repaired_at {
            NEVER => last,
            at => at,
        };
        let segments = u64::from(event.pieces);
        match all.last_mut() {
            Some(open) if event.at <= open.until && open.timeout == timeout => {
                open.until = open.until.max(until);
                open.segments += segments;
            }
            Some(open) if event.at <= open.until && open.timeout => open.segments += segments,
            previous => {
                let (from, mut waits) = match (silence, timeout) {
                    (Some((at, since)), _) => (*at, *since),
                    (None, true) => (event.at, waited_since(event)),
                    (None, false) => (event.at, event.at),
                };
                if let Some(open) = previous {
                    open.until = open.until.min(from);
                    waits = waits.max(open.until);
                }
                all.push(Repair {
                    from,
                    waits,
                    until,
                    seq: event.seq,
                    timeout,
                    segments,
                });
            }
        }
    }
    all
}
