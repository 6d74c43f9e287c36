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
    /// [`Duration::MAX`] before the first sample, and by the document after a timeout.
    rtt_min: Duration,
    /// By the kernel's rules: the next sample is the smallest round trip, whatever was before.
    learns_anew: bool,
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

    /// Bytes of bandwidth times the smallest round trip; `None` before there is a sample of both.
    fn pipe(&self) -> Option<f64> {
        let known = self.bandwidth > 0.0 && self.rtt_min < Duration::MAX;
        known.then(|| self.bandwidth * self.rtt_min.as_secs_f64())
    }

    /// The same as Linux takes it: whole segments, and none before there are samples (`tcp_westwood_bw_rttmin`).
    fn whole_pipe(&self, segment: f64) -> f64 {
        (self.pipe().unwrap_or(0.0) / segment).floor() * segment
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
            learns_anew: false,
        }
    }

    fn increase(&mut self, ack: &Ack) -> f64 {
        self.reno.increase(ack)
    }

    /// By the document bandwidth times the smallest round trip, Reno's half without an estimate, and never more than
    /// what was in use. Linux takes Reno's half for as long as the repair lasts, and the estimate at once
    /// after a timeout alone (`tcp_westwood_event`).
    fn reduce(&mut self, loss: &Loss) -> f64 {
        let half = self.reno.reduce(loss);
        match (self.flavour, self.pipe()) {
            (Flavour::Linux, _) if loss.timeout => self.whole_pipe(loss.segment).min(loss.window),
            (Flavour::Linux, _) | (Flavour::Rfc, None) => half,
            (Flavour::Rfc, Some(pipe)) => pipe.min(loss.window),
        }
    }

    /// Linux falls, or rises, to the estimate when the repair is over, with what was measured meanwhile.
    fn complete(&mut self, segment: f64) -> Option<f64> {
        (self.flavour == Flavour::Linux).then(|| self.whole_pipe(segment))
    }

    fn restart(&mut self) {
        match self.flavour {
            Flavour::Rfc => self.rtt_min = Duration::MAX,
            Flavour::Linux => self.learns_anew = true,
        }
    }

    fn watches(&self) -> Watch {
        Watch::Acks
    }

    fn watch(&mut self, seen: &Seen) -> Steer {
        if let Some(rtt) = seen.rtt {
            self.rtt = rtt;
            self.rtt_min = match core::mem::take(&mut self.learns_anew) {
                true => rtt,
                false => self.rtt_min.min(rtt),
            };
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
        let mut westwood = steady(Flavour::Rfc, 1000, 20, 100);
        let left = westwood.reduce(&loss(1000.0));
        assert!((970.0..=1000.0).contains(&left), "{left}");
        assert_eq!(westwood.complete(1.0), None);
    }

    /// Linux's `.ssthresh` is Reno's; CA_EVENT_COMPLETE_CWR sets the estimate. It fell to that at once.
    #[test]
    fn linux_halves_for_the_repair_and_then_takes_the_estimate() {
        let mut westwood = steady(Flavour::Linux, 1000, 20, 100);
        assert_eq!(westwood.reduce(&loss(1000.0)), 500.0);
        let left = westwood.complete(1.0).unwrap();
        assert!((970.0..=1000.0).contains(&left), "{left}");
        assert_eq!(left, left.floor());
        // A sample of the repair's round counts, here one of nothing: 1/64 of the estimate is gone.
        westwood.sample(0.0);
        let after = westwood.complete(1.0).unwrap();
        assert!((left - after - left / 64.0).abs() < 2.0, "{left} {after}");
    }

    /// CA_EVENT_LOSS sets ssthresh to the estimate, and the smallest round trip is that of the next sample.
    #[test]
    fn in_linux_a_timeout_leaves_the_estimate() {
        let mut westwood = steady(Flavour::Linux, 1000, 20, 100);
        let timeout = Loss {
            timeout: true,
            ..loss(2000.0)
        };
        let left = westwood.reduce(&timeout);
        assert!((970.0..=1000.0).contains(&left), "{left}");
        westwood.restart();
        assert_eq!(westwood.rtt_min, Duration::from_ms(100));
        westwood.watch(&seen(Time::ZERO, Duration::from_ms(150), 1, 1.0, 1.0));
        assert_eq!(westwood.rtt_min, Duration::from_ms(150));
    }

    /// Before the first sample the kernel's estimate is nothing, of which the sender keeps two segments.
    #[test]
    fn linux_without_a_sample_is_left_with_the_least() {
        let mut westwood = Westwood::new(&setup(Flavour::Linux));
        assert_eq!(westwood.reduce(&loss(100.0)), 50.0);
        assert_eq!(westwood.complete(1.0), Some(0.0));
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
