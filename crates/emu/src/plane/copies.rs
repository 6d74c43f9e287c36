//! Segments that were copied.
//!
//! A copy shares the handle of its segment, and so do the answers to both. What becomes of a segment is what becomes of the last of its
//! copies, unless one arrives whole.

use std::collections::BTreeMap;

use super::packet::SEGMENTS;
use super::pool::{SlotId, handle};

/// A segment that was copied.
#[derive(Clone, Copy, Debug)]
struct Copied {
    /// How many of it are under way.
    live: u32,
    /// One has arrived whole.
    has_arrived: bool,
}

/// Segments that were copied, by handle, while any of them is under way.
#[derive(Debug, Default)]
pub(super) struct Copies(BTreeMap<u32, Copied>);

impl Copies {
    /// A segment is under way once more.
    pub(super) fn made(&mut self, handle: u32) {
        let alone = Copied {
            live: 1,
            has_arrived: false,
        };
        self.0.entry(handle).or_insert(alone).live += 1;
    }

    /// A segment, or one of its copies, has arrived, or will not arrive whole. Returns whether that is what becomes of the segment: it is
    /// the first to arrive, or the last where none has.
    pub(super) fn ended(&mut self, handle: u32, is_whole: bool) -> bool {
        let Some(copied) = self.0.get_mut(&handle) else {
            return true;
        };
        copied.live -= 1;
        let decides = !copied.has_arrived && (is_whole || copied.live == 0);
        copied.has_arrived |= is_whole;
        if copied.live == 0 {
            self.0.remove(&handle);
        }
        decides
    }

    /// How many of a packet's segments under way count for none: another of the same segment does, or has arrived.
    pub(super) fn spare(&self, slot: SlotId) -> u32 {
        let all = self.0.range(handle(slot, 0)..=handle(slot, SEGMENTS - 1));
        all.map(|(_, copied)| copied.live - u32::from(!copied.has_arrived))
            .sum()
    }
}
