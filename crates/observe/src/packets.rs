//! Packets sent one at a time, and how long each took: echo requests until their replies.

use farpath_record::{Record, Series};
use farpath_units::{Duration, Time};

use crate::path::Path;
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
    /// How long each answer took of a node at which a TTL ran out, where that is known.
    pub exceeded: Vec<Duration>,
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
        let series = Series {
            t_ns: self.arrived.iter().map(|(sent, _)| sent.as_ns()).collect(),
            v: self.arrived.iter().map(|(_, t)| ns(t).round()).collect(),
        };
        record.series.insert(format!("{}_ns", self.timed), series);
        let times = sorted(self.arrived.iter().map(|(_, t)| t));
        let (sent, received) = (self.sent as f64, times.len() as f64);
        record.set("sent", sent);
        record.set("received", received);
        if self.duplicates > 0 {
            record.set("duplicates", self.duplicates as f64);
        }
        if sent > 0.0 {
            record.set("loss_ratio", (sent - received).max(0.0) / sent);
        }
        set_bounds(self.timed, &times, record);
        if !times.is_empty() {
            for (of, part) in [("p50", 0.50), ("p99", 0.99)] {
                let value = percentile(&times, part);
                record.set(&format!("{}_{of}_ns", self.timed), value.round());
            }
        }
        set_bounds("hop_rtt", &sorted(self.exceeded.iter()), record);
    }

    /// Says what took packets, where queues or policers dropped most of what was dropped on their way there and back.
    pub(crate) fn taken(&self, path: Option<&Path<'_>>) -> Option<String> {
        let lost = self.sent.saturating_sub(self.arrived.len() as u64);
        let by = path?.took_there_and_back().filter(|_| lost > 0)?;
        Some(format!(
            "{lost} of {} did not come: {by} dropped most of what the links there and back dropped in the run, whichever test it was of",
            self.sent
        ))
    }
}

fn ns(took: &Duration) -> f64 {
    took.as_ps() as f64 / 1000.0
}

fn sorted<'a>(all: impl Iterator<Item = &'a Duration>) -> Vec<f64> {
    let mut times: Vec<f64> = all.map(ns).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// The least, mean and greatest of `times`, which are in order; the mean is summed up in that order. Without any there are none.
fn set_bounds(timed: &str, times: &[f64], record: &mut Record) {
    let (Some(least), Some(most)) = (times.first(), times.last()) else {
        return;
    };
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    for (of, value) in [("min", *least), ("avg", mean), ("max", *most)] {
        record.set(&format!("{timed}_{of}_ns"), value.round());
    }
}

#[cfg(test)]
mod tests {
    use farpath_record::Origin;

    use super::*;
    use crate::path::{Dropped, Hop};

    /// Of ten pings these came, beside a link that dropped so many frames in its queue, and by chance.
    #[test]
    fn what_queues_took_of_pings_is_said() {
        let said = |came: u64, queue: u64, other: u64| {
            let hop = Hop {
                name: "l a>b",
                own: false,
                waits_unseen: false,
                rates: Vec::new(),
                intervals: &[],
                dropped: Dropped {
                    queue,
                    other,
                    ..Dropped::default()
                },
                frame_bytes: 0,
            };
            let path = Path {
                every: Duration::from_ms(1),
                hops: Vec::new(),
                back: vec![hop],
                down: Vec::new(),
                notes: Vec::new(),
            };
            let arrived = |n| (Time::ZERO + Duration::from_ms(n), Duration::from_ms(1));
            let packets = Packets {
                timed: "rtt",
                sent: 10,
                arrived: (0..came).map(arrived).collect(),
                duplicates: 0,
                exceeded: Vec::new(),
            };
            packets.taken(Some(&path))
        };
        let words = said(7, 90, 2).expect("a note");
        assert!(words.starts_with("3 of 10 did not come: queues"), "{words}");
        assert_eq!(
            [said(10, 90, 2), said(7, 2, 2), said(7, 0, 0)],
            [None, None, None]
        );
    }

    #[test]
    fn one_of_a_hundred_lost_is_a_hundredth() {
        let arrived = |n| (Time::ZERO + Duration::from_ms(n), Duration::from_ms(1));
        let packets = Packets {
            timed: "rtt",
            sent: 100,
            arrived: (0..99).map(arrived).collect(),
            duplicates: 0,
            exceeded: Vec::new(),
        };
        let mut record = Record::new(Origin::Simulated, "p", "ping", "a", "b");
        packets.fill(&mut record);
        assert_eq!(record.metrics["loss_ratio"], 0.01);
        assert!(!record.metrics.contains_key("hop_rtt_avg_ns"));
    }

    /// A traceroute's requests: none arrived, and a router answered two of them.
    #[test]
    fn what_a_router_answered_has_a_time_of_its_own() {
        let packets = Packets {
            timed: "rtt",
            sent: 3,
            exceeded: vec![Duration::from_us(2100), Duration::from_us(2300)],
            ..Packets::default()
        };
        let mut record = Record::new(Origin::Simulated, "p", "ping", "a", "b");
        packets.fill(&mut record);
        let found = ["min", "avg", "max"].map(|of| record.metrics[&format!("hop_rtt_{of}_ns")]);
        assert_eq!(found, [2_100_000.0, 2_200_000.0, 2_300_000.0]);
        assert_eq!(record.metrics["loss_ratio"], 1.0);
        assert!(!record.metrics.contains_key("rtt_avg_ns"));
    }
}
