//! What a frame counts for, of a queue, a line and a class.

use crate::drops::Drop;

/// What a frame counts for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Bytes it occupies while waiting.
    pub queue_bytes: u32,
    /// Bytes it costs on the wire.
    pub wire_bytes: u32,
    /// TCP or UDP payload bytes in it.
    pub payload_bytes: u32,
    /// Its TOS byte.
    pub class: u8,
    /// What becomes of it after transmission, if it does not arrive.
    pub fate: Option<Drop>,
    /// Cells of it that do not arrive.
    pub cells_lost: u32,
    /// Cells of it that are tagged.
    pub cells_tagged: u32,
}
