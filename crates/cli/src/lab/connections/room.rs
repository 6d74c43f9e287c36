//! How many samples are kept of connections: a program may have thousands.

use super::{Connections, End, Watched};

/// Most samples of all connections together, some 300 B each. Beyond it the connections that carry most are followed, so many ends.
pub(super) const KEPT_MOST: usize = 500_000;
const FOLLOWED: usize = 100;

impl Connections {
    /// Gives up the samples of all connections but those that carry most, where they have become many: one line is said of one.
    pub(super) fn make_room(&mut self) {
        let kept: usize = self.all.values().map(|c| c.samples.len()).sum();
        if kept < KEPT_MOST {
            return;
        }
        let mut carried: Vec<u64> = self.all.values().map(Watched::carried).collect();
        carried.sort_unstable_by(|a, b| b.cmp(a));
        let least = carried.get(FOLLOWED).copied().unwrap_or(0);
        for one in self.all.values_mut().filter(|c| c.carried() <= least) {
            one.is_given_up = true;
            (one.samples, one.ends, one.intervals) = Default::default();
        }
    }
}

impl Watched {
    /// Bytes it has sent or received, as far as is known.
    fn carried(&self) -> u64 {
        let End {
            acked, received, ..
        } = self.last.end;
        acked.max(received)
    }
}
