//! Packets sent one at a time, and how long each took: echo requests until their replies.

use farpath_record::{Record, Series};
use farpath_units::{Duration, Time};

use crate::percentile::percentile;

/// What came of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Packets {
    /// What is timed, as the names of its metrics and of its series begin: `rtt`.
    pub timed: &'static str,
    /// Packets sent.
    pub sent: u64,
    /// When each that came to something was sent, and how long that took.
    pub arrived: Vec<(Time, Duration)>,
    /// Copies of what had arrived.
    pub duplicates: u64,
}

/// What a reader must know where `late` of `sent` came after `timeout`, and so count as lost; nothing where none did.
/// What comes after the end of a test is not seen, so there may be more.
pub fn too_late(what: &str, late: u64, sent: u64, timeout: Duration) -> Option<String> {
    (late > 0).then(|| {
        format!(
            "at least {late} of {sent} {what} came after the timeout of {timeout} and count as lost: a longer \
             `timeout` counts them"
        )
    })
}

impl Packets {
    pub(crate) fn fill(&self, record: &mut Record) {
        let ns = |took: &Duration| took.as_ps() as f64 / 1000.0;
        let series = Series {
            t_ns: self.arrived.iter().map(|(sent, _)| sent.as_ns()).collect(),
            v: self.arrived.iter().map(|(_, t)| ns(t).round()).collect(),
        };
        record.series.insert(format!("{}_ns", self.timed), series);
        let mut times: Vec<f64> = self.arrived.iter().map(|(_, t)| ns(t)).collect();
        // The mean is summed up in the order of the times.
        times.sort_by(f64::total_cmp);
        let (sent, received) = (self.sent as f64, times.len() as f64);
        record.set("sent", sent);
        record.set("received", received);
        if self.duplicates > 0 {
            record.set("duplicates", self.duplicates as f64);
        }
        if sent > 0.0 {
            record.set("loss_ratio", (sent - received).max(0.0) / sent);
        }
        if let (Some(first), Some(last)) = (times.first(), times.last()) {
            for (of, value) in [
                ("min", *first),
                ("max", *last),
                ("avg", times.iter().sum::<f64>() / received),
                ("p50", percentile(&times, 0.50)),
                ("p99", percentile(&times, 0.99)),
            ] {
                record.set(&format!("{}_{of}_ns", self.timed), value.round());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use farpath_record::Origin;

    use super::*;

    #[test]
    fn one_of_a_hundred_lost_is_a_hundredth() {
        let arrived = |n| (Time::ZERO + Duration::from_ms(n), Duration::from_ms(1));
        let packets = Packets {
            timed: "rtt",
            sent: 100,
            arrived: (0..99).map(arrived).collect(),
            duplicates: 0,
        };
        let mut record = Record::new(Origin::Simulated, "p", "ping", "a", "b");
        packets.fill(&mut record);
        assert_eq!(record.metrics["loss_ratio"], 0.01);
    }
}
