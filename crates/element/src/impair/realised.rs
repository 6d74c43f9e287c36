//! What impairments came to in a run: not what was set, but what happened.

use std::collections::VecDeque;

use farpath_units::Duration;

/// Realised impairments of one direction of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Realised {
    /// Delay added to the propagation of every frame that was handed on; copies do not count.
    pub added: Spread,
    /// Frames handed on twice.
    pub duplicated: u64,
    /// Damaged frames that the far end's interface found and dropped.
    pub crc_errors: u64,
    /// Damaged frames handed on, for the end host's checksum to find.
    pub damaged: u64,
    /// Damaged frames that no checksum finds.
    pub undetected: u64,
    /// Frames that were on the line when it went down.
    pub cut: u64,
    /// Order of arrival, if the link may change it.
    pub order: Order,
}

/// Count, sum, squares, least and greatest of lengths of time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    count: u64,
    sum: u128,
    squares: u128,
    min: Duration,
    max: Duration,
}

impl Spread {
    /// Adds one.
    pub fn note(&mut self, value: Duration) {
        let ps = u128::from(value.as_ps());
        self.min = if self.count == 0 {
            value
        } else {
            self.min.min(value)
        };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum = self.sum.saturating_add(ps);
        self.squares = self.squares.saturating_add(ps.saturating_mul(ps));
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean in seconds; 0 of nothing.
    pub fn mean_s(&self) -> f64 {
        self.sum as f64 / self.count.max(1) as f64 / 1e12
    }

    /// The standard deviation in seconds; 0 of nothing.
    pub fn std_s(&self) -> f64 {
        let n = u128::from(self.count.max(1));
        // n·Σx² − (Σx)² exactly where it fits: the difference of two large numbers.
        let variance = match (self.squares.checked_mul(n), self.sum.checked_mul(self.sum)) {
            (Some(a), Some(b)) => a.saturating_sub(b) as f64 / (n * n) as f64,
            _ => {
                let mean = self.sum as f64 / n as f64;
                (self.squares as f64 / n as f64 - mean * mean).max(0.0)
            }
        };
        libm::sqrt(variance) / 1e12
    }

    /// The least.
    pub fn min(&self) -> Duration {
        self.min
    }

    /// The greatest.
    pub fn max(&self) -> Duration {
        self.max
    }
}

/// Frames in order of arrival, by their number in order of transmission (RFC 4737 §3.3, §4.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Frames that arrived; copies do not count.
    pub arrived: u64,
    /// Copies that arrived.
    pub copies: u64,
    /// Of them, frames that arrived behind one sent later.
    pub reordered: u64,
    /// Greatest reordering extent: places between a late frame and the first that overtook it.
    pub extent_max: u64,
    /// Sum of all extents.
    pub extent_sum: u64,
    /// Stretches of arrivals each of which was the highest so far: place and number of the first, and
    /// how many there are, place and number rising by one.
    rises: VecDeque<(u64, u64, u64)>,
}

/// Stretches remembered: of a frame that is overtaken in more of them, the extent is a lower bound.
const RISES: usize = 4096;

impl Order {
    /// Frame `number` arrives.
    pub fn arrive(&mut self, number: u64) {
        let place = self.arrived;
        self.arrived += 1;
        let next = self.rises.back().map_or(0, |r| r.1 + r.2);
        if number >= next {
            match self.rises.back_mut() {
                Some((first, from, count))
                    if *first + *count == place && *from + *count == number =>
                {
                    *count += 1;
                }
                _ => {
                    if self.rises.len() == RISES {
                        self.rises.pop_front();
                    }
                    self.rises.push_back((place, number, 1));
                }
            }
            return;
        }
        // The first arrival that was sent later: within a stretch both numbers rise together.
        let after = self.rises.partition_point(|r| r.1 + r.2 <= number + 1);
        let first = self
            .rises
            .get(after)
            .map_or(place, |r| r.0 + (number + 1).saturating_sub(r.1));
        let extent = place - first;
        self.reordered += 1;
        self.extent_sum += extent;
        self.extent_max = self.extent_max.max(extent);
    }

    /// The share of frames that arrived out of order.
    pub fn ratio(&self) -> f64 {
        self.reordered as f64 / self.arrived.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(arrivals: &[u64]) -> Order {
        let mut order = Order::default();
        arrivals.iter().for_each(|n| order.arrive(*n));
        order
    }

    /// By the definition itself: e = i − j, j the first place with a higher number (RFC 4737 §4.2.2).
    fn by_definition(arrivals: &[u64]) -> (u64, u64, u64) {
        let (mut count, mut sum, mut max) = (0, 0, 0);
        for (i, n) in arrivals.iter().enumerate() {
            if let Some(j) = arrivals[..i].iter().position(|m| m > n) {
                count += 1;
                sum += (i - j) as u64;
                max = max.max((i - j) as u64);
            }
        }
        (count, sum, max)
    }

    #[test]
    fn one_late_frame_is_reordered_by_as_many_as_overtook_it() {
        let found = order(&[1, 2, 3, 5, 6, 7, 8, 4, 9, 10]);
        assert_eq!((found.reordered, found.extent_max), (1, 4));
        assert_eq!(order(&[0, 1, 2, 3]).reordered, 0);
    }

    #[test]
    fn any_permutation_is_measured_as_defined() {
        let luck = farpath_units::Key::new(11).stream();
        for round in 0..2000_u64 {
            let n = 2 + luck.bits(round) % 40;
            let mut arrivals: Vec<u64> = (0..n).collect();
            let swaps = luck.bits(round ^ 77 << 32) % 12;
            for k in 0..swaps {
                let at = luck.bits(round << 16 | k | 1 << 60);
                let (i, j) = ((at % n) as usize, (at >> 32) as usize % n as usize);
                let late = arrivals.remove(i.min(j));
                arrivals.insert(i.max(j), late);
            }
            // Losses leave gaps in the numbers.
            arrivals.retain(|a| (a * 7 + round) % 5 != 0);
            let found = order(&arrivals);
            let triple = (found.reordered, found.extent_sum, found.extent_max);
            assert_eq!(triple, by_definition(&arrivals), "{arrivals:?}");
        }
    }

    #[test]
    fn a_spread_is_exact_where_it_is_narrow() {
        let mut spread = Spread::default();
        assert_eq!((spread.mean_s(), spread.std_s()), (0.0, 0.0));
        for ps in [1_000_000_000_000, 1_000_000_000_002] {
            spread.note(Duration::from_ps(ps));
        }
        assert_eq!(spread.std_s(), 1e-12);
        assert_eq!(spread.min(), Duration::from_secs(1));
        assert_eq!(spread.max(), Duration::from_ps(1_000_000_000_002));
    }
}
