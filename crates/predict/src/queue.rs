//! Waiting and losses at a transmitter that serves equal datagrams.

/// Mean wait of Poisson arrivals in units of one service: ρ/(2(1 − ρ)) (M/D/1; Pollaczek and
/// Khinchine), the service itself not counted. `None` at a load of 1 or above, where no mean exists.
pub fn md1_wait(load: f64) -> Option<f64> {
    (load < 1.0).then(|| load / (2.0 * (1.0 - load)))
}

/// Share of equally spaced arrivals that a full queue must drop: 1 − 1/ρ, and none up to a load of
/// 1 (D/D/1 with a finite queue, in steady state).
pub fn dd1_drop_ratio(load: f64) -> f64 {
    libm::fmax(0.0, 1.0 - 1.0 / load)
}

/// Load from which on a line with a place to wait is hardly ever idle: less than e⁻⁵⁰ of the time.
const NEVER_IDLE: f64 = 50.0;
/// Places beyond which a queue is taken for one of so many.
const PLACES_MOST: u64 = 100_000;
/// Chances below this are none.
const CHANCE_LEAST: f64 = 1e-20;
/// Weights of states beyond this are made smaller, all alike.
const WEIGHT_MOST: f64 = 1e200;

/// Share of Poisson arrivals that find the line busy and `waiting` others in front of it, which is all that the queue holds (M/D/1/K with
/// K = `waiting` + 1): 1 − 1/(π₀ + ρ). π₀ is the share of departures that leave nobody behind, by the embedded Markov chain (Kendall 1953;
/// Gross and Harris, Fundamentals of Queueing Theory, M/G/1/K). `load` is of one service, 0 and above.
///
/// Exact in the long run, to some 10⁻¹⁵. More than 100 000 waiting are taken for so many, and from a load of 50 on it is
/// [`dd1_drop_ratio`].
pub fn md1k_drop_ratio(load: f64, waiting: u64) -> f64 {
    if load >= NEVER_IDLE {
        return dd1_drop_ratio(load);
    }
    let nobody = libm::exp(-load);
    let more_than = arrivals_beyond(load);
    // Weights of how many a departure leaves behind; as often as a state is passed upwards it is passed downwards, by one.
    let mut left = vec![1.0];
    let mut all = 1.0;
    for state in 0..waiting.min(PLACES_MOST) {
        let from_idle = more_than.get(state as usize).map_or(0.0, |p| p * left[0]);
        let first = left.len().saturating_sub(more_than.len()).max(1);
        let near = left[first..].iter().rev();
        let from_busy: f64 = near.zip(&more_than[1..]).map(|(w, p)| w * p).sum();
        let next = (from_idle + from_busy) / nobody;
        if next < CHANCE_LEAST * all {
            break;
        }
        left.push(next);
        all += next;
        if next > WEIGHT_MOST {
            left.iter_mut().for_each(|weight| *weight /= WEIGHT_MOST);
            all /= WEIGHT_MOST;
        }
    }
    (1.0 - 1.0 / (load + left[0] / all)).clamp(0.0, 1.0)
}

/// The chances that more than 0, 1, 2 … arrive during one service.
fn arrivals_beyond(load: f64) -> Vec<f64> {
    let mut chances = vec![libm::exp(-load)];
    let mut last = chances[0];
    while chances.len() as f64 <= load || last > CHANCE_LEAST {
        last *= load / chances.len() as f64;
        chances.push(last);
    }
    let mut beyond = 0.0;
    for chance in chances.iter_mut().rev() {
        let own = *chance;
        *chance = beyond;
        beyond += own;
    }
    chances
}

/// A stream of a constant rate into a queue that drops at its end, in front of a shaper whose bucket is full at the start: a fluid. All
/// are counted in one unit, such as bits of payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overload {
    /// What comes, bit/s; above 0.
    pub offered_bps: f64,
    /// The line behind the shaper, bit/s; above 0.
    pub line_bps: f64,
    /// What the shaper, or the line without one, keeps up, bit/s; above 0 and no more than the line.
    pub rate_bps: f64,
    /// What the full bucket lets pass beside that rate, bits.
    pub bucket_bits: f64,
    /// What the queue holds, bits.
    pub queue_bits: f64,
}

impl Overload {
    /// What has left the queue some seconds after the start, bits: min(R t, L t, b + S t).
    pub fn sent_bits(self, seconds: f64) -> f64 {
        let line = libm::fmin(self.offered_bps, self.line_bps) * seconds;
        libm::fmin(line, self.bucket_bits + self.rate_bps * seconds)
    }

    /// What has come by then and was not dropped, bits: no more than what has left, and a full queue.
    pub fn admitted_bits(self, seconds: f64) -> f64 {
        let all = self.offered_bps * seconds;
        libm::fmin(all, self.sent_bits(seconds) + self.queue_bits)
    }

    /// When the queue is full, seconds after the start: (b + Q)/(R − S), or Q/(R − L) where the line is too slow before; infinite where
    /// it never is.
    pub fn full_after_s(self) -> f64 {
        let after = |held: f64, rate: f64| match self.offered_bps > rate {
            true => held / (self.offered_bps - rate),
            false => f64::INFINITY,
        };
        let by_bucket = after(self.bucket_bits + self.queue_bits, self.rate_bps);
        libm::fmin(by_bucket, after(self.queue_bits, self.line_bps))
    }

    /// The share that is dropped of what comes between two times, seconds after the start; 1 − S/R once the queue is full and the bucket
    /// empty.
    pub fn dropped_ratio(self, from_s: f64, until_s: f64) -> f64 {
        let came = self.offered_bps * (until_s - from_s);
        if self.full_after_s() >= until_s || came <= 0.0 {
            return 0.0;
        }
        let admitted = self.admitted_bits(until_s) - self.admitted_bits(from_s);
        (1.0 - admitted / came).clamp(0.0, 1.0)
    }

    /// How long what comes then waits, if it is not dropped, seconds: up to Q/S.
    pub fn wait_s(self, seconds: f64) -> f64 {
        let before = self.admitted_bits(seconds);
        let by_line = before / self.line_bps;
        let by_bucket = (before - self.bucket_bits) / self.rate_bps;
        libm::fmax(libm::fmax(by_line, by_bucket) - seconds, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 50 Mbit/s into 10 with a bucket of 1 MB and a queue of 4 MB: 8 Mbit drain at 40 Mbit/s in 0.2 s, 32 Mbit fill in 0.8 s.
    const SHAPED: Overload = Overload {
        offered_bps: 50e6,
        line_bps: 1e9,
        rate_bps: 10e6,
        bucket_bits: 8e6,
        queue_bits: 32e6,
    };

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value} {expected}");
    }

    #[test]
    fn a_bucket_drains_a_queue_fills_and_the_rest_is_dropped() {
        near(SHAPED.full_after_s(), 1.0);
        near(SHAPED.dropped_ratio(0.0, 1.0), 0.0);
        // Of 100 Mbit in two seconds 20 are sent, 8 were in the bucket and 32 wait.
        near(SHAPED.dropped_ratio(0.0, 2.0), 0.4);
        near(SHAPED.dropped_ratio(1.0, 2.0), 0.8);
        near(SHAPED.dropped_ratio(5.0, 9.0), dd1_drop_ratio(5.0));
    }

    #[test]
    fn a_wait_grows_from_the_empty_bucket_to_the_full_queue() {
        near(SHAPED.wait_s(0.1), 0.0);
        near(SHAPED.wait_s(0.2), 0.0);
        // 30 Mbit have come and 14 are sent: 16 at 10 Mbit/s.
        near(SHAPED.wait_s(0.6), 1.6);
        near(SHAPED.wait_s(1.0), 3.2);
        near(SHAPED.wait_s(60.0), 3.2);
    }

    #[test]
    fn a_slow_line_fills_the_queue_before_the_bucket_is_empty() {
        let slow = Overload {
            line_bps: 20e6,
            queue_bits: 3e6,
            ..SHAPED
        };
        near(slow.full_after_s(), 0.1);
        near(slow.wait_s(0.1), 0.15);
        // After a second at 10 Mbit/s and the bucket 18 Mbit have left, and 3 wait.
        near(slow.dropped_ratio(0.0, 1.0), 1.0 - 21.0 / 50.0);
    }

    #[test]
    fn what_the_rate_carries_waits_for_nothing() {
        let fits = Overload {
            offered_bps: 10e6,
            ..SHAPED
        };
        assert_eq!(fits.full_after_s(), f64::INFINITY);
        near(fits.dropped_ratio(0.0, 600.0), 0.0);
        near(fits.wait_s(600.0), 0.0);
    }
}
