//! Round-trip times at the place of the capture.

use farpath_record::trace::RttSamples;

/// No round trip is longer: an hour, nanoseconds. What a damaged file makes of one counts as that.
pub(crate) const LONGEST: i64 = 3_600_000_000_000;

/// Samples of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Samples {
    min: i64,
    max: i64,
    sum: u64,
    count: u64,
}

impl Samples {
    #[inline]
    pub(crate) fn add(&mut self, ns: i64) {
        let ns = ns.clamp(0, LONGEST);
        if self.count == 0 || ns < self.min {
            self.min = ns;
        }
        self.max = self.max.max(ns);
        // Beyond 2⁶⁴ ns are five million samples of an hour each.
        self.sum = self.sum.saturating_add(ns as u64);
        self.count += 1;
    }

    pub(crate) fn min(&self) -> Option<i64> {
        (self.count > 0).then_some(self.min)
    }

    pub(crate) fn stated(&self) -> Option<RttSamples> {
        (self.count > 0).then(|| RttSamples {
            min_ns: self.min as u64,
            avg_ns: self.sum / self.count,
            max_ns: self.max as u64,
            samples: self.count,
        })
    }
}

/// The three kinds, which are never mixed, and the sender's estimate of RFC 6298 §2 from the first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rtt {
    /// Until a cumulative acknowledgement (Karn).
    pub(crate) karn: Samples,
    /// Until a SACK block.
    pub(crate) sack: Samples,
    /// By echoed timestamps.
    pub(crate) timestamp: Samples,
    /// By the last acknowledgement of new data (Karn), nanoseconds; 0 where it gave none.
    pub(crate) latest: i64,
    /// Smoothed, nanoseconds; 0 before the first.
    pub(crate) smoothed: i64,
    /// Mean deviation.
    pub(crate) variation: i64,
}

impl Rtt {
    #[inline]
    pub(crate) fn add_karn(&mut self, ns: i64) {
        self.karn.add(ns);
        self.latest = ns.clamp(0, LONGEST);
        self.estimate(self.latest);
    }

    pub(crate) fn add_timestamp(&mut self, ns: i64) {
        self.timestamp.add(ns);
    }

    #[inline]
    fn estimate(&mut self, ns: i64) {
        if self.smoothed == 0 {
            self.smoothed = ns;
            self.variation = ns / 2;
        } else {
            self.variation += ((self.smoothed - ns).abs() - self.variation) / 4;
            self.smoothed += (ns - self.smoothed) / 8;
        }
    }

    /// The shortest of any kind. That by timestamps is left out: their clock is coarse.
    pub(crate) fn floor(&self) -> Option<i64> {
        match (self.karn.min(), self.sack.min()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}
