//! Westwood+ (Grieco and Mascolo, "Performance evaluation and comparison of Westwood+, New Reno, and
//! Vegas TCP congestion control", CCR 34(2), 2004): Reno that falls to the measured bandwidth times
//! the smallest round trip, not to a half.

use farpath_units::{Duration, Time};

use super::reno::Reno;
use super::{Ack, Control, Loss, Seen, Setup, Steer, Watch};
use crate::flavour::Flavour;

/// A sample covers a round trip, and at least this.
const LEAST_SPAN: Duration = Duration::from_ms(50);
/// The paper's filter keeps this part of the old estimate (§2.2, α).
const PAPER_KEEPS: f64 = 0.9;
/// Each of Linux's two filters in a row.
const LINUX_KEEPS: f64 = 7.0 / 8.0;

/// Reno with an estimate of the bandwidth.
#[derive(Clone, Debug)]
pub(crate) struct Westwood {
    flavour: Flavour,
    reno: Reno,
    /// Bytes delivered since `begun`.
    delivered: u64,
    begun: Time,
    /// The estimate in bytes a second, and Linux's first filter; 0 before the first sample.
    bandwidth: f64,
    first: f64,
    rtt: Duration,
    /// [`Duration::MAX`] before the first sample, and after a timeout.
    rtt_min: Duration,
}

impl Westwood {
    fn sample(&mut self, rate: f64) {
        if self.bandwidth == 0.0 {
            (self.first, self.bandwidth) = (rate, rate);
            return;
        }
        match self.flavour {
            Flavour::Rfc => {
                self.bandwidth = PAPER_KEEPS * self.bandwidth + (1.0 - PAPER_KEEPS) * rate;
            }
            Flavour::Linux => {
                self.first = LINUX_KEEPS * self.first + (1.0 - LINUX_KEEPS) * rate;
                self.bandwidth = LINUX_KEEPS * self.bandwidth + (1.0 - LINUX_KEEPS) * self.first;
            }
        }
    }
}

impl Control for Westwood {
    fn new(setup: &Setup) -> Westwood {
        Westwood {
            flavour: setup.flavour,
            reno: Reno::new(setup),
            delivered: 0,
            begun: Time::ZERO,
            bandwidth: 0.0,
            first: 0.0,
            rtt: Duration::ZERO,
            rtt_min: Duration::MAX,
        }
    }

    fn increase(&mut self, ack: &Ack) -> f64 {
        self.reno.increase(ack)
    }

    /// Bandwidth times the smallest round trip; without an estimate, Reno's half. Never more than
    /// what was in use.
    fn reduce(&mut self, loss: &Loss) -> f64 {
        let half = self.reno.reduce(loss);
        if self.bandwidth == 0.0 || self.rtt_min == Duration::MAX {
            return half;
        }
        (self.bandwidth * self.rtt_min.as_secs_f64()).min(loss.window)
    }

    fn restart(&mut self) {
        self.rtt_min = Duration::MAX;
    }

    fn watches(&self) -> Watch {
        Watch::Acks
    }

    fn watch(&mut self, seen: &Seen) -> Steer {
        if let Some(rtt) = seen.rtt {
            self.rtt = rtt;
            self.rtt_min = self.rtt_min.min(rtt);
        }
        self.delivered += seen.delivered;
        if self.begun == Time::ZERO {
            // What the first ACK delivers was sent before anything was measured.
            (self.begun, self.delivered) = (seen.now, 0);
        }
        let span = seen.now.since(self.begun);
        if span >= self.rtt.max(LEAST_SPAN) {
            self.sample(self.delivered as f64 / span.as_secs_f64());
            (self.begun, self.delivered) = (seen.now, 0);
        }
        Steer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{loss, seen, setup};

    /// `segments` delivered each 100 ms for `rounds` round trips of `rtt_ms`.
    fn steady(flavour: Flavour, segments: u64, rounds: u64, rtt_ms: u64) -> Westwood {
        let mut westwood = Westwood::new(&setup(flavour));
        for n in 0..=rounds * segments {
            let now = Time::ZERO + Duration::from_ps(1_000_000 + n * 100_000_000_000 / segments);
            let rtt = Duration::from_ms(if n < segments { 100 } else { rtt_ms });
            westwood.watch(&seen(now, rtt, n, segments as f64, 1.0));
        }
        westwood
    }

    #[test]
    fn a_random_loss_with_an_empty_queue_costs_nearly_nothing() {
        for flavour in [Flavour::Rfc, Flavour::Linux] {
            let mut westwood = steady(flavour, 1000, 20, 100);
            let left = westwood.reduce(&loss(1000.0));
            assert!((970.0..=1000.0).contains(&left), "{left}");
        }
    }

    /// A window of 1000 over a queue that doubles the round trip: half of it is the pipe.
    #[test]
    fn a_full_queue_is_given_back() {
        let mut westwood = steady(Flavour::Rfc, 1000, 40, 200);
        let left = westwood.reduce(&loss(2000.0));
        assert!((970.0..=1010.0).contains(&left), "{left}");
    }

    #[test]
    fn linux_filters_twice_by_seven_eighths() {
        let mut westwood = Westwood::new(&setup(Flavour::Linux));
        westwood.sample(800.0);
        westwood.sample(1600.0);
        assert_eq!((westwood.first, westwood.bandwidth), (900.0, 812.5));
        let mut westwood = Westwood::new(&setup(Flavour::Rfc));
        westwood.sample(800.0);
        westwood.sample(1600.0);
        assert!((westwood.bandwidth - 880.0).abs() < 1e-9);
    }

    #[test]
    fn before_any_sample_and_after_a_timeout_it_is_reno() {
        let mut westwood = Westwood::new(&setup(Flavour::Rfc));
        assert_eq!(westwood.reduce(&loss(100.0)), 50.0);
        let mut westwood = steady(Flavour::Rfc, 1000, 20, 100);
        westwood.restart();
        assert_eq!(westwood.reduce(&loss(100.0)), 50.0);
    }
}
