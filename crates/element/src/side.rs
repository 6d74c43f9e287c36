//! What an acknowledgement carries besides its number, kept beside the frames.

use farpath_wire::FlowDir;

/// The selective acknowledgements and the window of one ACK. A retransmission keeps what its timestamp says in the same room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AckExtras {
    /// Receive window in bytes beyond the acknowledgement.
    pub window: u64,
    /// SACK blocks `[start, end)` as stream offsets, newest first (RFC 2018 §4).
    pub blocks: [(u64, u64); 4],
    /// How many blocks are used.
    pub count: u8,
}

/// One flow's extras, by a handle that counts up; 0 is not a handle.
#[derive(Debug, Default)]
pub struct SideFifo {
    items: std::collections::VecDeque<AckExtras>,
    /// Handle of the front item.
    first: u32,
}

impl SideFifo {
    /// Stores extras and returns their handle.
    pub fn push(&mut self, extras: AckExtras) -> u32 {
        if self.items.is_empty() && self.first == 0 {
            self.first = 1;
        }
        let mut handle = self.first.wrapping_add(self.items.len() as u32);
        if handle == 0 {
            // The counter wrapped onto "no handle": spend one item on it.
            self.items.push_back(extras);
            handle = 1;
        }
        self.items.push_back(extras);
        handle
    }

    /// The extras behind `handle`, left where they are for whoever the ACK is for.
    pub fn peek(&self, handle: u32) -> Option<&AckExtras> {
        let index = handle.wrapping_sub(self.first) as usize;
        (handle != 0).then(|| self.items.get(index)).flatten()
    }

    /// The extras behind `handle`; forgets everything more than [`REORDER_SLACK`] older.
    pub fn get(&mut self, handle: u32) -> Option<AckExtras> {
        let index = handle.wrapping_sub(self.first) as usize;
        let found = self.peek(handle).copied();
        if found.is_some() && index > REORDER_SLACK {
            let forget = index - REORDER_SLACK;
            self.items.drain(..forget);
            self.first = self.first.wrapping_add(forget as u32);
        }
        found
    }
}

/// How far an ACK may be overtaken before its extras are forgotten.
const REORDER_SLACK: usize = 4096;

/// The side FIFOs of every flow, by direction.
#[derive(Debug, Default)]
pub struct Sides(Vec<SideFifo>);

impl Sides {
    /// The FIFO of one direction of one flow.
    #[inline]
    pub fn of(&mut self, flow: FlowDir) -> &mut SideFifo {
        let index = flow.index();
        if index >= self.0.len() {
            self.0.resize_with(index + 1, SideFifo::default);
        }
        &mut self.0[index]
    }
}
