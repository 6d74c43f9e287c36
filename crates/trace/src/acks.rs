//! Acknowledgements without data that came back for what one end sent, in time: how many, and how much each was of.

use crate::room::join_pairs;

/// Bins at most; there are half as many of twice the width once they are full.
const BINS_MAX: usize = 64;

/// A bin's width at first, nanoseconds.
const WIDTH_NS: u64 = 50_000_000;

/// Acknowledgements without data, in bins of one width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Acks {
    /// When the first came, nanoseconds since 1970-01-01 00:00 UTC by the capture's clock.
    pub from_ns: i64,
    /// How wide each bin is, nanoseconds.
    pub width_ns: u64,
    /// Of each bin: how many came, and how many bytes they acknowledged for the first time.
    pub bins: Vec<(u32, u64)>,
}

impl Acks {
    /// Takes one, and the bytes that it acknowledges for the first time.
    pub(crate) fn take(&mut self, at_ns: i64, bytes: u64) {
        if self.bins.is_empty() {
            (self.from_ns, self.width_ns) = (at_ns, WIDTH_NS);
        }
        let since = u64::try_from(at_ns - self.from_ns).unwrap_or(0);
        while since / self.width_ns >= BINS_MAX as u64 {
            join_pairs(&mut self.bins, |one, other| {
                one.0 += other.0;
                one.1 += other.1;
            });
            self.width_ns *= 2;
        }
        let bin = (since / self.width_ns) as usize;
        if self.bins.len() <= bin {
            self.bins.resize(bin + 1, (0, 0));
        }
        self.bins[bin].0 += 1;
        self.bins[bin].1 += bytes;
    }

    /// How many came in all.
    pub fn count(&self) -> u64 {
        self.bins.iter().map(|(count, _)| u64::from(*count)).sum()
    }

    /// How many bytes they acknowledged in all.
    pub fn bytes(&self) -> u64 {
        self.bins.iter().map(|(_, bytes)| bytes).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_grow_wider_and_keep_what_they_hold() {
        let mut acks = Acks::default();
        // Ten seconds of one in a hundredth, of a segment each.
        for n in 0..1000 {
            acks.take(5_000_000_000 + n * 10_000_000, 1448);
        }
        assert_eq!((acks.count(), acks.bytes()), (1000, 1_448_000));
        assert_eq!((acks.from_ns, acks.width_ns), (5_000_000_000, 200_000_000));
        assert_eq!(acks.bins.len(), 50);
        assert!(acks.bins.iter().all(|b| *b == (20, 20 * 1448)));
    }
}
