//! Reno with timeouts: the model of Padhye, Firoiu, Towsley and Kurose (SIGCOMM 1998), and the form
//! of it that TFRC uses (RFC 5348 §3.1).

/// A path as the model sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pftk {
    /// Round-trip time in seconds; above 0.
    pub rtt_s: f64,
    /// The first retransmission timeout in seconds; RFC 5348 §4.3 takes 4 RTT.
    pub timeout_s: f64,
    /// Segments for each ACK, 1 or 2; above 0.
    pub segments_per_ack: f64,
    /// Largest window in segments; infinite where there is no limit.
    pub window: f64,
}

impl Pftk {
    /// A path with no window limit, one ACK a segment, and a timeout of 4 RTT.
    pub fn of_rtt(rtt_s: f64) -> Pftk {
        Pftk {
            rtt_s,
            timeout_s: 4.0 * rtt_s,
            segments_per_ack: 1.0,
            window: f64::INFINITY,
        }
    }

    /// The mean window in segments that losses alone leave.
    fn unlimited(self, p: f64) -> f64 {
        let b = self.segments_per_ack;
        let first = (2.0 + b) / (3.0 * b);
        first + libm::sqrt(8.0 * (1.0 - p) / (3.0 * b * p) + first * first)
    }

    /// Whether the full model takes its branch of a limited window: losses alone would leave as large a one. `loss` between 0 and 1,
    /// both excluded.
    pub fn is_limited(self, loss: f64) -> bool {
        self.unlimited(loss) >= self.window
    }

    /// Segments a second: the full model, the paper's equation 32. `loss` between 0 and 1, both
    /// excluded: the probability that a segment is the first one lost of a round.
    pub fn full(self, loss: f64) -> f64 {
        let (b, p) = (self.segments_per_ack, loss);
        let mean = self.unlimited(p);
        let backoff = (1..=6).fold(1.0, |sum, n| {
            sum + libm::ldexp(libm::pow(p, n.into()), n - 1)
        });
        let window = libm::fmin(mean, self.window);
        let timeouts = timeout_share(p, window);
        let rounds = if self.is_limited(p) {
            b / 8.0 * window + (1.0 - p) / (p * window) + 2.0
        } else {
            b / 2.0 * window + 1.0
        };
        let sent = (1.0 - p) / p + window + timeouts / (1.0 - p);
        sent / (self.rtt_s * rounds + timeouts * self.timeout_s * backoff / (1.0 - p))
    }

    /// Segments a second: the paper's approximation, equation 33.
    pub fn approximate(self, loss: f64) -> f64 {
        libm::fmin(self.window / self.rtt_s, self.short_form(loss, 1.0))
    }

    /// Segments a second: RFC 5348 §3.1, which drops the bound of the timeouts' share at 1 and the
    /// window. RFC 4828 table 1 is made with it.
    pub fn tfrc(self, loss: f64) -> f64 {
        self.short_form(loss, f64::INFINITY)
    }

    fn short_form(self, p: f64, most: f64) -> f64 {
        let b = self.segments_per_ack;
        let share = libm::fmin(most, 3.0 * libm::sqrt(3.0 * b * p / 8.0));
        let waiting = self.timeout_s * share * p * (1.0 + 32.0 * p * p);
        1.0 / (self.rtt_s * libm::sqrt(2.0 * b * p / 3.0) + waiting)
    }
}

/// The probability that a loss in a window of `w` segments ends in a timeout: the paper's Q̂(w).
fn timeout_share(p: f64, w: f64) -> f64 {
    if w <= 3.0 {
        return 1.0;
    }
    // In logarithms, so that a small p keeps its digits.
    let keep = |n: f64| libm::exp(n * libm::log1p(-p));
    let lose = |n: f64| -libm::expm1(n * libm::log1p(-p));
    let share = lose(3.0) * (1.0 + keep(3.0) * lose(w - 3.0)) / lose(w);
    libm::fmin(1.0, share)
}
