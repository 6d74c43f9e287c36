//! Connections that were watched from outside, as observations, and as facts for a diagnosis.
//!
//! The kernel's samples of a connection nobody of us began become the observation that a test's own samples become, and
//! the same account says what limited it.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use farpath_diagnose::{End, Facts, LiveFlow, LiveRow};
use farpath_observe::limit::{largest, shares};
use farpath_observe::{Connection, Surroundings, percentile};
use farpath_probe::live::{Seen, Snapshot, Watched};
use farpath_record::survey::Survey;

use crate::records::at;
pub use crate::records::sample;

/// Connections that are judged: those that carried most.
pub const JUDGED_MAX: usize = 8;

/// What carries less than this share of the busiest is not judged beside it: control connections, idle ones.
const SMALL: f64 = 0.01;

/// What a connection does now is said of so much of its last time, nanoseconds.
const NOW_NS: u64 = 1_000_000_000;

/// Most intervals that a watched time is cut into, and their least length.
const INTERVALS_MAX: f64 = 60.0;
const INTERVAL_LEAST_S: f64 = 1.0;

/// A connection as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct Now {
    /// Its own end.
    pub local: SocketAddr,
    /// The other end.
    pub peer: SocketAddr,
    /// This host sends most of what it carries.
    pub sends: bool,
    /// It is still there.
    pub open: bool,
    /// Payload of its last second, bit/s.
    pub bps: f64,
    /// Smoothed round-trip time, nanoseconds; none before the first.
    pub rtt_ns: Option<u64>,
    /// Congestion window, bytes.
    pub cwnd: u64,
    /// Bytes in flight.
    pub in_flight: u64,
    /// What limited it in its last second, by the words of `limited_by`; none where it receives or is idle.
    pub limit: Option<String>,
}

/// Every connection as it is now, the busiest first.
pub fn now(watched: &Watched) -> Vec<Now> {
    let mut all: Vec<Now> = watched.connections.iter().filter_map(now_of).collect();
    all.sort_by(|a, b| b.open.cmp(&a.open).then(b.bps.total_cmp(&a.bps)));
    all
}

fn now_of(seen: &Seen) -> Option<Now> {
    let last = seen.snapshots.last()?;
    let since = last.sample.t_ns.saturating_sub(NOW_NS);
    let begin = seen.snapshots.partition_point(|s| s.sample.t_ns < since);
    // The snapshot before: what was counted between the two lies within.
    let recent = &seen.snapshots[begin.saturating_sub(1)..];
    let sends = sends(seen);
    let (bytes, seconds) = carried(recent, sends);
    let limit = (sends && bytes > 0.0).then(|| largest(&limits(seen, recent)));
    Some(Now {
        local: seen.local,
        peer: seen.peer,
        sends,
        open: seen.open,
        bps: if seconds > 0.0 {
            bytes * 8.0 / seconds
        } else {
            0.0
        },
        rtt_ns: Some(last.sample.srtt_ns).filter(|rtt| *rtt > 0),
        cwnd: last.sample.cwnd,
        in_flight: last.sample.in_flight,
        limit: limit.flatten(),
    })
}

/// Whether this host sends most of what was carried while it was watched, or before.
fn sends(seen: &Seen) -> bool {
    let (Some(first), Some(last)) = (seen.snapshots.first(), seen.snapshots.last()) else {
        return false;
    };
    let acked = last.acked.saturating_sub(first.acked);
    let received = last.received.saturating_sub(first.received);
    match acked == received {
        true => last.acked >= last.received,
        false => acked > received,
    }
}

/// Payload of some snapshots, bytes, and their time in seconds.
fn carried(snapshots: &[Snapshot], sends: bool) -> (f64, f64) {
    let (Some(first), Some(last)) = (snapshots.first(), snapshots.last()) else {
        return (0.0, 0.0);
    };
    let of = |s: &Snapshot| if sends { s.acked } else { s.received };
    let bytes = of(last).saturating_sub(of(first)) as f64;
    let ns = last.sample.t_ns.saturating_sub(first.sample.t_ns);
    (bytes, ns as f64 * 1e-9)
}

/// What limited a sender in some snapshots; empty where its kernel keeps no account.
fn limits(seen: &Seen, snapshots: &[Snapshot]) -> BTreeMap<String, f64> {
    let observed = observed(seen, snapshots);
    shares(&observed, observed.established, &Surroundings::default())
}

/// The observation of some snapshots: its timers count from the first of them.
pub fn observed(seen: &Seen, snapshots: &[Snapshot]) -> Connection {
    let Some(first) = snapshots.first().filter(|_| seen.details.has_timers) else {
        return Connection::default();
    };
    let base = sample(&first.sample);
    let samples = snapshots.iter().skip(1).map(|snapshot| {
        let mut sample = sample(&snapshot.sample);
        if let (Some(timers), Some(base)) = (&mut sample.timers, &base.timers) {
            timers.busy = timers.busy.saturating_sub(base.busy);
            timers.receive_window = timers.receive_window.saturating_sub(base.receive_window);
            timers.send_buffer = timers.send_buffer.saturating_sub(base.send_buffer);
        }
        sample
    });
    let last = snapshots.last().unwrap_or(first);
    Connection {
        opened: base.t,
        established: base.t,
        finished: at(last.sample.t_ns),
        delivered: last.acked.saturating_sub(first.acked),
        retransmits: Some(last.retransmits.saturating_sub(first.retransmits)),
        samples: samples.collect(),
        ..Connection::default()
    }
}

/// The connections that are worth a verdict, the busiest first, and how many were not.
pub fn judged(watched: &Watched) -> (Vec<LiveFlow>, usize) {
    let mut all: Vec<LiveFlow> = watched.connections.iter().filter_map(flow).collect();
    all.sort_by(|a, b| b.bytes.total_cmp(&a.bytes));
    let most = all.first().map_or(0.0, |f| f.bytes);
    all.retain(|f| f.bytes >= SMALL * most);
    all.truncate(JUDGED_MAX);
    let left = watched.connections.len() + watched.passed_over - all.len();
    (all, left)
}

/// What a diagnosis starts from: the connections, this host's settings, and by how much its counters grew.
pub fn facts(flows: &[LiveFlow], survey: &Survey, grown: &BTreeMap<String, u64>) -> Facts {
    let mut facts = Facts::default();
    for flow in flows {
        facts.live(flow);
    }
    let host = facts.survey(survey, None);
    let mut own: Vec<String> = flows.iter().map(|f| f.own.host.clone()).collect();
    own.dedup();
    facts.call(host, own);
    facts.grown(host, grown);
    facts
}

/// By how much counters grew; those that did not are left out.
pub fn grown(
    before: &BTreeMap<String, u64>,
    after: &BTreeMap<String, u64>,
) -> BTreeMap<String, u64> {
    let grown = |(name, now): (&String, &u64)| {
        let by = now.saturating_sub(before.get(name).copied().unwrap_or(0));
        (by > 0).then(|| (name.clone(), by))
    };
    after.iter().filter_map(grown).collect()
}

/// What was seen of a connection; none if it carried nothing.
fn flow(seen: &Seen) -> Option<LiveFlow> {
    let sends = sends(seen);
    let first = seen.snapshots.first()?;
    let (bytes, seconds) = carried(&seen.snapshots, sends);
    if bytes <= 0.0 || seconds <= 0.0 {
        return None;
    }
    let last = seen.snapshots.last()?;
    let end = |address: SocketAddr| End {
        host: address.ip().to_string(),
        port: Some(address.port()),
    };
    let most = |of: fn(&Snapshot) -> u64| {
        let most = seen.snapshots.iter().map(of).max();
        most.filter(|n| *n > 0).map(|n| n as f64)
    };
    let grew = |of: fn(&Snapshot) -> Option<u64>| {
        let (from, until) = (of(first)?, of(last)?);
        Some(until.saturating_sub(from) as f64)
    };
    let unread = seen.snapshots.iter().filter(|s| s.unread > 0).count();
    Some(LiveFlow {
        own: end(seen.local),
        peer: end(seen.peer),
        sends,
        seconds,
        bytes,
        is_old: first.acked.max(first.received) > 100_000,
        rows: rows(&seen.snapshots, sends),
        cc: seen.cc.clone(),
        mss_bytes: Some(seen.details.mss as f64).filter(|m| *m > 0.0),
        rtt_ns: round_trips(seen, sends),
        rtt_min_ns: seen.details.rtt_min_ns.map(|ns| ns as f64),
        cwnd_bytes: most(|s| s.sample.cwnd),
        flight_bytes: most(|s| s.sample.in_flight),
        window_bytes: most(|s| s.sample.window.unwrap_or(0)),
        send_buffer_bytes: most(|s| s.send_buffer.unwrap_or(0)),
        receive_buffer_bytes: most(|s| s.receive_buffer.unwrap_or(0)),
        sent_bytes: grew(|s| s.sent),
        resent_bytes: grew(|s| s.resent),
        retransmits: grew(|s| Some(s.retransmits)).unwrap_or(0.0),
        delivery_bps: last.delivery_bps.map(|bps| bps as f64),
        pacing_limit_bps: seen.details.pacing_limit_bps.map(|bps| bps as f64),
        reordered: seen.details.reordered as f64,
        is_scaled: seen.details.scaled,
        shares: match sends {
            true => limits(seen, &seen.snapshots),
            false => BTreeMap::new(),
        },
        unread_ratio: unread as f64 / seen.snapshots.len() as f64,
    })
}

/// Of a sender the smoothed round trips; of a receiver what it measures itself, and that of its SYN otherwise.
fn round_trips(seen: &Seen, sends: bool) -> Option<[f64; 3]> {
    if let Some(own) = seen.details.receiver_rtt_ns.filter(|_| !sends) {
        return Some([own as f64; 3]);
    }
    let all = seen.snapshots.iter().map(|s| s.sample.srtt_ns as f64);
    let mut all: Vec<f64> = all.filter(|ns| *ns > 0.0).collect();
    all.sort_by(f64::total_cmp);
    let mean = all.iter().sum::<f64>() / all.len().max(1) as f64;
    (!all.is_empty()).then(|| {
        let (low, high) = (percentile(&all, 0.1), percentile(&all, 0.9));
        [low.min(mean), mean, high.max(mean)]
    })
}

/// The intervals of a connection.
fn rows(snapshots: &[Snapshot], sends: bool) -> Vec<LiveRow> {
    let (_, seconds) = carried(snapshots, sends);
    let every = (seconds / INTERVALS_MAX).max(INTERVAL_LEAST_S) * 1e9;
    let mut rows = Vec::new();
    let mut begin = 0;
    for (n, snapshot) in snapshots.iter().enumerate().skip(1) {
        let from = &snapshots[begin];
        let ns = snapshot.sample.t_ns.saturating_sub(from.sample.t_ns);
        // A snapshot that comes a little early ends the interval too.
        if (ns as f64) < every * 0.98 {
            continue;
        }
        let (bytes, _) = carried(&snapshots[begin..=n], sends);
        rows.push(LiveRow {
            from: from.sample.t_ns as f64 * 1e-9,
            until: snapshot.sample.t_ns as f64 * 1e-9,
            bytes,
            retransmits: snapshot.retransmits.saturating_sub(from.retransmits) as f64,
            cwnd_bytes: snapshot.sample.cwnd as f64,
        });
        begin = n;
    }
    rows
}

#[cfg(test)]
mod tests;
