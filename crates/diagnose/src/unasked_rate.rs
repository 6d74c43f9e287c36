//! Datagrams at the rate that iperf sends where no `-b` asks for another: 1 Mbit/s (iperf3, 1), which says nothing of the path.

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
        // Another rate, or the same on purpose, was asked for.
        assert!(!of(100e6, None).has_unasked_rate());
        assert!(!of(1.05e6, Some(1.05e6)).has_unasked_rate());
    }
}
