//! Echo requests and their replies.

use farpath_record::{Record, Series};
use farpath_units::{Duration, Time};

use crate::percentile::percentile;

/// One reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reply {
    /// When its request was sent.
    pub sent: Time,
    /// Its round-trip time.
    pub rtt: Duration,
}

/// What a ping measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ping {
    /// Requests sent.
    pub sent: u64,
    /// Their replies, in the order of the requests.
    pub replies: Vec<Reply>,
    /// Copies of replies.
    pub duplicates: u64,
}

impl Ping {
    pub(crate) fn fill(&self, record: &mut Record) {
        let ns = |rtt: Duration| rtt.as_ps() as f64 / 1000.0;
        let series = Series {
            t_ns: self.replies.iter().map(|r| r.sent.as_ns()).collect(),
            v: self.replies.iter().map(|r| ns(r.rtt).round()).collect(),
        };
        record.series.insert("rtt_ns".to_owned(), series);
        let mut rtts: Vec<f64> = self.replies.iter().map(|r| ns(r.rtt)).collect();
        // The mean is summed up in the order of the replies' times.
        rtts.sort_by(f64::total_cmp);
        let (sent, received) = (self.sent as f64, rtts.len() as f64);
        record.set("sent", sent);
        record.set("received", received);
        if self.duplicates > 0 {
            record.set("duplicates", self.duplicates as f64);
        }
        if sent > 0.0 {
            record.set("loss_ratio", (1.0 - received / sent).max(0.0));
        }
        if let (Some(first), Some(last)) = (rtts.first(), rtts.last()) {
            record.set("rtt_min_ns", first.round());
            record.set("rtt_max_ns", last.round());
            record.set("rtt_avg_ns", (rtts.iter().sum::<f64>() / received).round());
            record.set("rtt_p50_ns", percentile(&rtts, 0.50).round());
            record.set("rtt_p99_ns", percentile(&rtts, 0.99).round());
        }
    }
}
