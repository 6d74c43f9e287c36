//! Datagrams at the rate that iperf sends where no `-b` asks for another: 1 Mbit/s (iperf3, 1), which says nothing of the path.

use crate::document::Change;
use crate::evidence::Evidence;

/// What iperf sends of datagrams in each connection without `-b`, bit/s of payload: `UDP_RATE`, 1024 · 1024.
const RATE: f64 = 1_048_576.0;

/// A rate is that within this part of it.
const NEAR: f64 = 0.02;

/// What is said of it.
pub(crate) const USUAL: &str = ". Without -b iperf sends datagrams at 1 Mbit/s, whatever the line carries: iperf3 -u -b 100M -c HOST asks for 100 Mbit/s";

impl Evidence {
    /// Whether a test with datagrams, of which no text says what rate it was asked for, has the rate that iperf sends by itself.
    pub(crate) fn has_unasked_rate(&self) -> bool {
        let open = self.udp && self.tester && self.application.is_none();
        let rate = self.rate.as_ref().map(|r| r.value).filter(|_| open);
        let usual = RATE * self.streams;
        rate.is_some_and(|rate| (rate / usual - 1.0).abs() < NEAR)
    }

    /// The rate that such a test is to ask for at its client, whose name this is; none of any other.
    pub(crate) fn asks_more_datagrams(&self, host: String) -> Option<Change> {
        self.has_unasked_rate().then(|| Change {
            host,
            commands: vec![
                "iperf3 -u -c HOST -b RATE: first what the program needs, such as -b 10M, then more until datagrams are lost".to_owned(),
            ],
            risk: "datagrams do not slow down: beyond the rate of the line they take it from all others on it".to_owned(),
            ..Change::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    #[test]
    fn a_megabit_of_datagrams_that_nobody_asked_for_is_what_iperf_sends() {
        let of = |bps: f64, asked: Option<f64>| Evidence {
            rate: Some(Figure::exact(bps, Place::You)),
            application: asked.map(|bps| Figure::exact(bps, Place::You)),
            udp: true,
            tester: true,
            streams: 1.0,
            ..Evidence::default()
        };
        assert!(of(1.05e6, None).has_unasked_rate());
        let change = of(1.05e6, None).asks_more_datagrams("a".to_owned());
        assert!(change.is_some_and(|c| c.commands[0].contains("-b RATE")));
        // Another rate, or the same on purpose, was asked for.
        assert!(!of(100e6, None).has_unasked_rate());
        assert!(
            of(100e6, None)
                .asks_more_datagrams("a".to_owned())
                .is_none()
        );
        assert!(!of(1.05e6, Some(1.05e6)).has_unasked_rate());
    }
}
