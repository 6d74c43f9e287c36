//! Growth in whole segments: one for so many acknowledged, as Linux counts.

/// Acknowledged segments that have not become growth yet.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Whole {
    waiting: f64,
}

impl Whole {
    /// `acked` segments are acknowledged and one is added for every `each`; returns how many are due
    /// now. A rest stays for the next time; when `each` falls below what waits already, one is due
    /// at once and the rest is forgotten.
    #[inline]
    pub(crate) fn add(&mut self, acked: f64, each: f64) -> f64 {
        let mut due = 0.0;
        if self.waiting >= each {
            self.waiting = 0.0;
            due = 1.0;
        }
        self.waiting += acked;
        if self.waiting >= each {
            let more = (self.waiting / each).floor();
            self.waiting -= more * each;
            due += more;
        }
        due
    }

    /// Forgets what waits.
    pub(crate) fn clear(&mut self) {
        self.waiting = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_segment_for_every_so_many() {
        let mut whole = Whole::default();
        let due: Vec<f64> = (0..7).map(|_| whole.add(2.0, 5.0)).collect();
        assert_eq!(due, [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        assert_eq!(whole.add(2.0, 2.0), 2.0); // 4 waited: one at once, one for these two
        whole.clear();
        assert_eq!(whole.add(1.0, 2.0), 0.0);
    }
}
