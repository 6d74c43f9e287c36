//! The MPLS label stack (RFC 3032 §2.1).

use crate::LabelEntry;
use crate::header::{HeaderError, Reader};

/// Deepest stack that is read or written.
pub const DEPTH_MAX: usize = 8;

/// A label stack, top first; at most [`DEPTH_MAX`] entries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LabelStack {
    entries: [LabelEntry; DEPTH_MAX],
    depth: u8,
}

impl LabelStack {
    /// The empty stack.
    pub const EMPTY: LabelStack = LabelStack {
        entries: [LabelEntry::NONE; DEPTH_MAX],
        depth: 0,
    };

    /// A stack from entries, top first; the S bit is set on the last and cleared on the others.
    /// `None` when there are more than [`DEPTH_MAX`].
    pub fn new(entries: &[LabelEntry]) -> Option<LabelStack> {
        let mut stack = LabelStack::EMPTY;
        stack
            .entries
            .get_mut(..entries.len())?
            .copy_from_slice(entries);
        stack.depth = entries.len() as u8;
        for (i, entry) in stack.entries[..entries.len()].iter_mut().enumerate() {
            *entry = entry.with_bottom(i + 1 == entries.len());
        }
        Some(stack)
    }

    /// The entries, top first.
    pub fn entries(&self) -> &[LabelEntry] {
        &self.entries[..usize::from(self.depth)]
    }

    /// Reads entries up to the one with the S bit; returns the stack and what follows.
    ///
    /// # Errors
    /// When the bytes end before the bottom, or it lies deeper than [`DEPTH_MAX`].
    pub fn parse(bytes: &[u8]) -> Result<(LabelStack, &[u8]), HeaderError> {
        let mut r = Reader::new("MPLS", bytes);
        let mut stack = LabelStack::EMPTY;
        loop {
            let entry = LabelEntry(r.u32()?);
            let Some(slot) = stack.entries.get_mut(usize::from(stack.depth)) else {
                return Err(r.malformed("stack depth"));
            };
            *slot = entry;
            stack.depth += 1;
            if entry.is_bottom() {
                return Ok((stack, r.rest()));
            }
        }
    }

    /// Appends the entries: 4 bytes each.
    pub fn write(&self, out: &mut Vec<u8>) {
        for entry in self.entries() {
            out.extend(entry.0.to_be_bytes());
        }
    }
}
