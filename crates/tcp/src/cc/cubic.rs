//! CUBIC (RFC 9438): growth by a cubic of the time since the last loss, in segments and seconds.

use farpath_units::Time;

use super::cubic_linux::KernelCubic;
use super::{Ack, Control, Loss, Setup};
use crate::flavour::Flavour;

/// Segments per second cubed (RFC 9438 §5).
const C: f64 = 0.4;
/// What remains after a loss (RFC 9438 §4.6).
const BETA: f64 = 0.7;
/// Slope of the Reno-friendly estimate, 3(1−β)/(1+β) (RFC 9438 §4.3).
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// CUBIC's state. Lengths are segments, spans seconds.
#[derive(Clone, Debug)]
pub(crate) struct Cubic {
    /// Whether a congestion avoidance stage is under way; the next five fields are its own.
    running: bool,
    /// When it began; moved forward by the time cwnd was not the limit (RFC 9438 §5.8).
    start: Time,
    /// From `start` to the plateau.
    k: f64,
    /// Window at the plateau.
    origin: f64,
    /// W_est: what Reno would have.
    reno: f64,
    /// The last ACK seen.
    latest: Time,
    /// W_max; `None` before the first loss.
    w_max: Option<f64>,
    /// `cwnd_prior`: the window before the last reduction.
    prior: f64,
    after_timeout: bool,
    /// `w_max` and `prior` before the last reduction, until it is taken back.
    before: (Option<f64>, f64),
    /// In place of all of this, in the `linux` flavour.
    kernel: Option<Box<KernelCubic>>,
}

impl Cubic {
    /// RFC 9438 §4.2 and, after a timeout, §4.8. Without a loss so far (HyStart++ ended slow
    /// start) the stage begins at its plateau, as §4.10 says.
    #[cold]
    fn begin(&mut self, now: Time, cwnd: f64) {
        let w_max = if self.after_timeout {
            cwnd
        } else {
            self.w_max.unwrap_or(cwnd)
        };
        (self.k, self.origin) = if cwnd < w_max {
            (libm::cbrt((w_max - cwnd) / C), w_max)
        } else {
            (0.0, cwnd)
        };
        self.running = true;
        self.start = now;
        self.reno = cwnd;
    }
}

impl Control for Cubic {
    fn new(setup: &Setup) -> Cubic {
        Cubic {
            running: false,
            start: Time::ZERO,
            k: 0.0,
            origin: 0.0,
            reno: 0.0,
            latest: Time::ZERO,
            w_max: None,
            prior: f64::INFINITY,
            after_timeout: false,
            before: (None, f64::INFINITY),
            kernel: (setup.flavour == Flavour::Linux).then(Box::default),
        }
    }

    fn increase(&mut self, ack: &Ack) -> f64 {
        if let Some(kernel) = &mut self.kernel {
            return kernel.increase(ack);
        }
        let cwnd = ack.cwnd * ack.per_byte;
        if !self.running {
            self.begin(ack.now, cwnd);
        }
        self.latest = ack.now;
        // Acknowledged segments over the window: the part of a round trip this ACK stands for.
        let part = ack.acked / ack.cwnd;
        // RFC 9438 §4.3: once W_est has reached cwnd_prior its slope is Reno's own.
        self.reno += if self.reno < self.prior {
            ALPHA * part
        } else {
            part
        };
        let since_plateau = ack.now.since(self.start).as_secs_f64() - self.k;
        let cubic = |t: f64| C * t * t * t + self.origin;
        let wanted = if cubic(since_plateau) < self.reno {
            (self.reno - cwnd).max(0.0)
        } else {
            // RFC 9438 §4.4, per segment acknowledged rather than per ACK, so that delayed ACKs
            // do not halve the slope.
            let target = cubic(since_plateau + ack.srtt_s).max(cwnd).min(1.5 * cwnd);
            (target - cwnd) * part
        };
        wanted * ack.segment
    }

    fn reduce(&mut self, loss: &Loss) -> f64 {
        if let Some(kernel) = &mut self.kernel {
            return kernel.reduce(loss);
        }
        let cwnd = loss.window / loss.segment;
        self.before = (self.w_max, self.prior);
        // RFC 9438 §4.7, fast convergence: make room when the last plateau was not reached.
        self.w_max = Some(match self.w_max {
            Some(w_max) if cwnd < w_max => cwnd * (1.0 + BETA) / 2.0,
            _ => cwnd,
        });
        self.prior = cwnd;
        self.running = false;
        self.after_timeout = false;
        loss.window * BETA
    }

    fn hold(&mut self, now: Time) {
        if self.running && self.kernel.is_none() {
            self.start += now.since(self.latest);
            self.latest = now;
        }
    }

    fn resume(&mut self, now: Time, sent: Time) -> Option<f64> {
        match &mut self.kernel {
            Some(kernel) => kernel.resume(now, sent),
            None => self.hold(now),
        }
        None
    }

    fn restart(&mut self) {
        if let Some(kernel) = &mut self.kernel {
            kernel.restart();
        }
        self.running = false;
        self.after_timeout = true;
    }

    /// RFC 9438 §4.9: W_max and `cwnd_prior` are restored. The stage begins anew, at the point of the
    /// curve where cwnd is, or at its plateau when cwnd is beyond W_max.
    fn undo(&mut self) {
        (self.w_max, self.prior) = self.before;
        self.running = false;
        self.after_timeout = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::{loss, setup};
    use farpath_units::Duration;

    const SEGMENT: f64 = 1448.0;

    /// Fluid run of congestion avoidance after a loss at `w_max` segments: seconds until cwnd is
    /// back, one ACK per two segments, spread evenly over each round trip.
    fn seconds_to_regain(w_max: f64, rtt_s: f64) -> f64 {
        let mut cubic = Cubic::new(&setup(Flavour::Rfc));
        let flight = w_max * SEGMENT;
        let mut cwnd = cubic.reduce(&Loss {
            now: Time::ZERO,
            window: flight,
            segment: SEGMENT,
            timeout: false,
            marked: false,
        });
        let mut now = 0.0;
        while cwnd < flight {
            let at = Time::ZERO + Duration::from_secs_f64(now);
            let ack = Ack {
                now: at,
                acked: 2.0 * SEGMENT,
                cwnd,
                segment: SEGMENT,
                per_byte: 1.0 / SEGMENT,
                srtt_s: rtt_s,
                rtt_min: Duration::MAX,
            };
            cwnd += cubic.increase(&ack);
            now += rtt_s * 2.0 * SEGMENT / cwnd;
        }
        now
    }

    /// K = cbrt(0.3·W/0.4): own calculation from RFC 9438 equation (2).
    #[test]
    fn rfc9438_4_2_k_for_long_paths() {
        for (w_max, rtt_s, k) in [
            (10_274.0, 0.120, 19.75),
            (1674.0, 0.120, 10.79),
            (2372.0, 0.017, 12.12),
            (25_112.0, 0.180, 26.61),
        ] {
            let took = seconds_to_regain(w_max, rtt_s);
            println!("{w_max} segments, {rtt_s} s: {took:.2} s, K = {k} s");
            let slack = f64::max(0.02 * k, rtt_s);
            assert!((took - k).abs() <= slack, "{w_max}: {took} s, K = {k} s");
        }
    }

    #[test]
    fn rfc9438_4_3_short_paths_grow_as_reno() {
        let mut cubic = Cubic::new(&setup(Flavour::Rfc));
        let mut cwnd = cubic.reduce(&loss(20.0));
        let mut now = Time::ZERO;
        for _ in 0..50 {
            // A round trip of 1 ms: the cubic hardly moves in 50 ms.
            for _ in 0..cwnd as u64 {
                cwnd += cubic.increase(&Ack {
                    now,
                    acked: 1.0,
                    cwnd,
                    segment: 1.0,
                    per_byte: 1.0,
                    srtt_s: 0.001,
                    rtt_min: Duration::MAX,
                });
            }
            now += Duration::from_ms(1);
        }
        // 14 segments; 0.5294 a round trip up to 20, one a round trip from there.
        let rounds_to_prior = 6.0 / ALPHA;
        let expect = 20.0 + (50.0 - rounds_to_prior);
        assert!((cwnd - expect).abs() < 2.0, "{cwnd} against {expect}");
    }

    #[test]
    fn rfc9438_4_7_fast_convergence() {
        let mut cubic = Cubic::new(&setup(Flavour::Rfc));

        assert_eq!(cubic.reduce(&loss(100.0)), 70.0);
        assert_eq!(cubic.w_max, Some(100.0));
        cubic.reduce(&loss(80.0));
        assert_eq!(cubic.w_max, Some(80.0 * 0.85));
        cubic.reduce(&loss(90.0));
        assert_eq!(cubic.w_max, Some(90.0));
    }

    #[test]
    fn rfc9438_5_8_time_without_need_of_the_window_does_not_count() {
        let mut cubic = Cubic::new(&setup(Flavour::Rfc));
        let cwnd = cubic.reduce(&loss(1000.0));
        let ack = |now| Ack {
            now,
            acked: 1.0,
            cwnd,
            segment: 1.0,
            per_byte: 1.0,
            srtt_s: 0.1,
            rtt_min: Duration::MAX,
        };
        let at = |s| Time::ZERO + Duration::from_secs(s);
        cubic.increase(&ack(at(0)));
        let mut paused = cubic.clone();
        for s in 1..=100 {
            paused.hold(at(s));
        }
        assert_eq!(paused.increase(&ack(at(101))), cubic.increase(&ack(at(1))));
    }

    #[test]
    fn rfc9438_4_8_after_a_timeout_the_plateau_is_where_avoidance_begins() {
        let mut cubic = Cubic::new(&setup(Flavour::Rfc));
        cubic.reduce(&loss(1000.0));
        cubic.restart();
        cubic.begin(Time::ZERO, 700.0);
        assert_eq!((cubic.k, cubic.origin), (0.0, 700.0));
    }
}
