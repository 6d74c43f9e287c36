//! What a tester of cells has seen.

use super::{Metrics, put};
use crate::udp::{UdpSink, UdpSource};

/// Cells sent and received, how many conformed, and how much their time under way varied.
pub(super) fn metrics(source: &UdpSource, sink: &UdpSink, m: &mut Metrics) {
    let (sent, received) = (source.measured as f64, sink.received as f64);
    put(m, "cells_sent", sent);
    put(m, "cells_received", received);
    if sent > 0.0 {
        put(m, "loss_ratio", (1.0 - received / sent).max(0.0));
    }
    if let (Some((_, outside)), true) = (&sink.meter, sink.seen() > 0) {
        put(
            m,
            "conforming_ratio",
            1.0 - *outside as f64 / sink.seen() as f64,
        );
    }
    put(m, "jitter_ns", sink.jitter_ns.round());
    let (least, most) = sink.transit_range_ns;
    if most >= least {
        put(m, "cdv_ns", (most - least) as f64);
    }
}
