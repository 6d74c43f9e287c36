//! Full segments that never arrive, however often they are sent, as a capture shows them.

use farpath_record::trace::{IcmpError, TraceConnection, TraceDirection};
use farpath_trace::{DirectionFound, SegmentSeen};

use crate::fact::{Figure, Place};

/// Full segments that were sent again and again and never arrived, where small ones did.
#[derive(Clone, Debug)]
pub(crate) struct Swallowed {
    /// How often they were sent again.
    pub(crate) again: Figure,
    /// The largest packet that the way carries, as a router reported, bytes.
    pub(crate) mtu: Option<Figure>,
    /// Who reported that; empty where nobody did.
    pub(crate) by: String,
}

/// Full segments of a direction that were sent again and again and never arrived: no full one did, or a router said why.
pub(super) fn swallowed(
    errors: &[IcmpError],
    (connection, reverse): (&TraceConnection, bool),
    direction: &TraceDirection,
    found: &DirectionFound,
    at: Place,
) -> Option<Swallowed> {
    let mss = direction.mss?;
    let delivered = found.observed.as_ref().map_or(0, |o| o.delivered);
    let never = |s: &&SegmentSeen| {
        let resent = !["reordered", "network_duplicate"].contains(&s.class);
        resent && s.length >= mss / 2 && s.offset + u64::from(s.length) > delivered
    };
    let again: Vec<&SegmentSeen> = found.segments.iter().filter(never).collect();
    let sender = if reverse {
        &connection.b
    } else {
        &connection.a
    };
    // A sender that heeds the report sends smaller segments then, and of these none is reported.
    let heeded = |e: &IcmpError| again.first().is_none_or(|s| e.last_ns < s.at_ns);
    let mut reported = errors.iter().filter(|e| {
        let says = ["fragmentation_needed", "packet_too_big"].contains(&e.kind.as_str());
        let ours = e.connection == Some(connection.id) && e.flow_from == *sender;
        says && ours && !heeded(e)
    });
    let report = reported.next();
    let again = again.len();
    if again < AGAIN_LEAST || report.is_none() && delivered >= u64::from(mss) {
        return None;
    }
    let mtu = report.and_then(|r| r.mtu).filter(|m| *m >= MTU_LEAST);
    Some(Swallowed {
        again: Figure::exact(again as f64, at),
        mtu: mtu.map(|m| Figure::exact(f64::from(m), at)),
        by: report.map_or(String::new(), |r| r.from.clone()),
    })
}

/// A full segment that is lost twice more was not lost by accident.
const AGAIN_LEAST: usize = 2;

/// Every link carries packets of this many bytes (RFC 791).
const MTU_LEAST: u32 = 68;
