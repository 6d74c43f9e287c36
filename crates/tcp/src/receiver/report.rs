//! What a receiver says: the acknowledgements it sends, and its counters.

use crate::sack::SackBlock;

/// An acknowledgement to put on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckOut<'a> {
    /// A SYN-ACK: the answer to a SYN. Its other fields are those of an acknowledgement of nothing.
    pub syn_ack: bool,
    /// The next byte expected.
    pub ack: u64,
    /// Bytes beyond `ack` that the sender may have in flight.
    pub window: u64,
    /// The sender knows this window: it need not be said.
    pub window_known: bool,
    /// The segment whose timestamp is echoed was a retransmission (RFC 7323 §4.3 decides which).
    pub echo_retransmit: bool,
    /// What arrived out of order, the most recent first (RFC 2018 §4); before it what arrived twice,
    /// where that is reported (RFC 2883 §4).
    pub sack: &'a [SackBlock],
    /// ECN-Echo (RFC 3168 §6.1.3).
    pub ecn_echo: bool,
}

/// What a receiver counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReceiverStats {
    /// Data segments that arrived.
    pub segments: u64,
    /// Segments that arrived above a gap.
    pub out_of_order: u64,
    /// Segments that brought nothing new, taken or not.
    pub duplicates: u64,
    /// Segments ignored: before a SYN, or beyond the window.
    pub refused: u64,
    /// Segments ignored because their timestamp went back (RFC 7323 §5.3).
    pub outdated: u64,
    /// Acknowledgements sent, without SYN-ACKs.
    pub acks: u64,
}
