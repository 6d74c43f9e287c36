//! Sendings that were seen and do not count as repetitions: an original that came late into its hole, and copies that the network made.

use std::collections::BTreeMap;

use crate::event::Event;
use crate::work;

/// How many of them there were of bytes that are not acknowledged: where they begin, where they end, and how often.
#[derive(Clone, Debug, Default)]
pub(super) struct Uncounted(BTreeMap<u64, (u64, u8)>);

impl Uncounted {
    /// This segment is one.
    pub(super) fn add(&mut self, e: &Event) {
        // What is acknowledged was seen once, as events count it.
        while let Some(first) = self.0.first_entry().filter(|x| x.get().0 <= e.una) {
            work::count(1);
            first.remove();
        }
        if e.length > 0 {
            work::count(1);
            let end = e.seq + u64::from(e.length);
            let of = self.0.entry(e.seq).or_insert((end, 0));
            *of = (of.0.max(end), of.1.saturating_add(1));
        }
    }

    /// How many there were of the first byte of a segment.
    pub(super) fn of(&self, e: &Event) -> u8 {
        let before = self.0.range(..=e.seq).next_back().map(|x| *x.1);
        let of = before.filter(|x| e.length > 0 && e.seq < x.0);
        of.map_or(0, |x| x.1)
    }
}
