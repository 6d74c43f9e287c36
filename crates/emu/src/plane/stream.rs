//! What one end of a connection has sent, and what of it the other has.

use std::collections::BTreeMap;

use farpath_units::Time;

/// So many ranges behind a hole are kept: what is more is not known.
const RANGES: usize = 1 << 10;

/// What one end has sent, and what of it the other has. Bytes are counted from the first one.
#[derive(Clone, Debug, Default)]
pub(super) struct Stream {
    pub(super) first: Option<u32>,
    pub(super) sent: u64,
    /// Without a hole.
    pub(super) arrived: u64,
    behind: BTreeMap<u64, u64>,
    /// When `arrived` last grew.
    pub(super) grew: Time,
}

impl Stream {
    /// The first byte and the one behind the last.
    pub(super) fn place(&mut self, seq: u32, length: u32) -> (u64, u64) {
        let first = *self.first.get_or_insert(seq);
        let ahead = seq.wrapping_sub(first.wrapping_add(self.sent as u32)) as i32;
        let start = self.sent.saturating_add_signed(i64::from(ahead));
        (start, start + u64::from(length))
    }

    /// Bytes have come at an instant, perhaps again.
    pub(super) fn arrives(&mut self, seq: u32, length: u32, at: Time) {
        let (start, end) = self.place(seq, length);
        if start > self.arrived {
            if self.behind.len() < RANGES {
                let known = self.behind.entry(start).or_default();
                *known = end.max(*known);
            }
            return;
        }
        if end <= self.arrived {
            return;
        }
        self.arrived = end;
        self.grew = self.grew.max(at);
        while let Some(next) = self.behind.first_entry() {
            if *next.key() > self.arrived {
                break;
            }
            self.arrived = self.arrived.max(next.remove());
        }
    }

    /// Whether all that was sent has come.
    pub(super) fn is_all_there(&self) -> bool {
        self.arrived >= self.sent
    }

    /// Whether these bytes have all come before.
    pub(super) fn has(&mut self, seq: u32, length: u32) -> bool {
        let (start, end) = self.place(seq, length);
        let behind = self.behind.get(&start).copied().unwrap_or_default();
        end <= self.arrived.max(behind)
    }
}
