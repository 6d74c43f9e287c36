//! Selective acknowledgement blocks.

/// Bytes `start .. end` of the stream, received out of order (RFC 2018 §3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlock {
    /// First byte of the block.
    pub start: u64,
    /// The byte after the last.
    pub end: u64,
}

/// Most blocks one acknowledgement carries: four without timestamps, three with (RFC 2018 §3).
pub const MAX_SACK_BLOCKS: usize = 4;
