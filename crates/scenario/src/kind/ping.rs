//! `ping`: echo requests and their replies.

use farpath_predict::rtt;
use farpath_record::Record;
use farpath_units::Duration;

use super::Periodic;
use crate::decode::Fields;
use crate::forecast::{Path, put};
use crate::network::octets;

/// `kind = "ping"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Ping {
    /// Requests sent.
    pub count: u32,
    /// From one request to the next.
    pub interval: Duration,
    /// Bytes of the IP datagram.
    pub size: u32,
    /// IP TTL of the requests.
    pub ttl: u8,
    /// How long an answer is waited for.
    pub timeout: Duration,
}

impl Ping {
    pub(super) fn read(f: &Fields) -> Ping {
        Ping {
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

    /// Its times and losses on a path that has nothing else to carry.
    pub(super) fn predict(&self, path: &Path<'_>, record: &mut Record) {
        let m = &mut record.metrics;
        let round_trip = rtt::ping_rtt(&path.hops(&path.there), &path.hops(&path.back), self.size);
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
        put(m, "sent", self.count.into());
        let arrives = 1.0 - path.loss_ratio(self.size, &path.there);
        let returns = 1.0 - path.loss_ratio(self.size, &path.back);
        put(m, "loss_ratio", 1.0 - arrives * returns);
        path.jitter_ping(record);
    }

    pub(super) fn periodic(&self) -> Periodic {
        Periodic {
            count: self.count.into(),
            interval: self.interval,
            timeout: self.timeout,
        }
    }
}
