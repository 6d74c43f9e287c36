//! Single packets at equal intervals: echo requests.

use farpath_predict::rtt;
use farpath_record::Record;
use farpath_units::Duration;

use crate::decode::Fields;
use crate::forecast::{Path, put};
use crate::network::octets;

/// Single packets at equal intervals, which hardly load a path: `kind = "ping"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Periodic {
    /// Packets sent.
    pub count: u32,
    /// From one to the next.
    pub interval: Duration,
    /// Bytes of the IP datagram.
    pub size: u32,
    /// Their IP TTL.
    pub ttl: u8,
    /// How long after it was sent one still counts.
    pub timeout: Duration,
}

impl Periodic {
    pub(super) fn read(f: &Fields) -> Periodic {
        Periodic {
            count: octets(f, "count").unwrap_or(5),
            interval: f.get("interval").unwrap_or(Duration::from_secs(1)),
            size: octets(f, "size").unwrap_or(84),
            ttl: f
                .get::<i64>("ttl")
                .and_then(|t| u8::try_from(t).ok())
                .unwrap_or(64),
            timeout: f.get("timeout").unwrap_or(Duration::from_secs(5)),
        }
    }
}

impl Path<'_> {
    /// A ping on the path alone.
    pub(super) fn ping(&self, ping: &Periodic, record: &mut Record) {
        let m = &mut record.metrics;
        let round_trip = rtt::ping_rtt(&self.hops(&self.there), &self.hops(&self.back), ping.size);
        let ns = round_trip.as_ps() as f64 / 1000.0;
        for name in [
            "rtt_min_ns",
            "rtt_avg_ns",
            "rtt_max_ns",
            "rtt_p50_ns",
            "rtt_p99_ns",
        ] {
            put(m, name, ns.round());
        }
        put(m, "sent", ping.count.into());
        let arrives = 1.0 - self.loss_ratio(ping.size, &self.there);
        let returns = 1.0 - self.loss_ratio(ping.size, &self.back);
        put(m, "loss_ratio", 1.0 - arrives * returns);
        self.jitter_ping(record);
    }
}
