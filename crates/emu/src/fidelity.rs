//! How true an emulation was: what the real machine added to what the model ordered.

use farpath_units::Duration;

/// Buckets: 16 for each doubling, from 1 ns on.
const PER_OCTAVE: usize = 16;
const BUCKETS: usize = 64 * PER_OCTAVE;

/// How late frames were, by the logarithm.
#[derive(Clone, Debug)]
pub struct Histogram {
    counts: Box<[u64]>,
    total: u64,
    max: Duration,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            counts: vec![0; BUCKETS].into_boxed_slice(),
            total: 0,
            max: Duration::ZERO,
        }
    }
}

impl Histogram {
    /// Counts `count` frames that were `late`.
    pub fn add(&mut self, late: Duration, count: u64) {
        self.counts[bucket(late.as_ns())] += count;
        self.total += count;
        self.max = self.max.max(late);
    }

    /// How many were counted.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The largest.
    pub fn max(&self) -> Duration {
        self.max
    }

    /// The upper end of the bucket in which quantile `q` lies: at most a sixteenth too much.
    pub fn quantile(&self, q: f64) -> Duration {
        let rank = (q * self.total as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (n, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank && *count > 0 {
                return Duration::from_ns(upper(n)).min(self.max);
            }
        }
        self.max
    }
}

/// Below 16 ns a bucket each, then 16 for each doubling.
fn bucket(ns: u64) -> usize {
    if ns < PER_OCTAVE as u64 {
        return ns as usize;
    }
    let octave = 63 - ns.leading_zeros() as usize;
    let within = (ns >> (octave - 4)) as usize & (PER_OCTAVE - 1);
    (octave - 3) * PER_OCTAVE + within
}

/// The largest value of a bucket.
fn upper(bucket: usize) -> u64 {
    if bucket < PER_OCTAVE {
        return bucket as u64;
    }
    let (octave, within) = (bucket / PER_OCTAVE + 3, bucket % PER_OCTAVE);
    let step = 1_u64 << (octave - 4);
    (1_u64 << octave) + (within as u64 + 1) * step - 1
}

/// What a data plane notes about itself.
#[derive(Clone, Debug)]
pub struct Fidelity {
    /// How late deliveries were.
    pub lateness: Histogram,
    /// What counts as late.
    pub tolerance: Duration,
    /// Frames delivered later than that.
    pub late: u64,
    /// The longest time between two readings of the clock.
    pub longest_gap: Duration,
}

impl Fidelity {
    /// Nothing noted yet; frames more than `tolerance` behind their time are counted as late.
    pub fn new(tolerance: Duration) -> Fidelity {
        Fidelity {
            lateness: Histogram::default(),
            tolerance,
            late: 0,
            longest_gap: Duration::ZERO,
        }
    }

    /// `count` frames have been delivered, `late` behind their time.
    pub fn delivered(&mut self, late: Duration, count: u64) {
        self.lateness.add(late, count);
        if late > self.tolerance {
            self.late += count;
        }
    }

    /// So much passed between two readings of the clock.
    pub fn gap(&mut self, gap: Duration) {
        self.longest_gap = self.longest_gap.max(gap);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_its_bucket() {
        for ns in (0..5000).chain([1 << 20, (1 << 20) + 1, u64::MAX / 2]) {
            let n = bucket(ns);
            assert!(upper(n) >= ns, "{ns}");
            assert!(n == 0 || upper(n - 1) < ns, "{ns}");
        }
    }

    #[test]
    fn quantiles_are_right_within_a_sixteenth() {
        let mut h = Histogram::default();
        for us in 1..=1000 {
            h.add(Duration::from_us(us), 1);
        }
        for (q, us) in [(0.5, 500.0), (0.99, 990.0), (1.0, 1000.0)] {
            let got = h.quantile(q).as_ns() as f64 / 1000.0;
            assert!(got >= us * 0.999 && got <= us * 1.07, "{q}: {got}");
        }
        assert_eq!(h.max(), Duration::from_us(1000));
    }
}
