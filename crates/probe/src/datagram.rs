//! Datagrams of a stream: what each carries at the least and at the most.

/// Bytes of the number and the instant.
pub const HEADER: usize = 16;

/// Most payload bytes of one call over IPv4 or IPv6.
pub const MOST_BYTES: u64 = 65_487;
