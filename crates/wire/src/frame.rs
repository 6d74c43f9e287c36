//! The frame descriptor: 32 plain bytes that stand for one frame inside the models.
//!
//! A frame carries no payload, no timestamps of its own and no heap. What is rare or not linear
//! over a burst (SACK blocks) sits in a per-flow side FIFO and is found by `side`.

use farpath_units::Time;

/// A flow and the direction in which this frame travels along it.
///
/// `flow << 1 | reverse`: forward is from the test's `from` host to its `to` host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowDir(pub u16);

impl FlowDir {
    /// The forward direction of flow number `flow` (0 ..= 32767).
    pub const fn forward(flow: u16) -> FlowDir {
        FlowDir(flow << 1)
    }

    /// The flow number.
    #[inline]
    pub const fn flow(self) -> u16 {
        self.0 >> 1
    }

    /// Whether this is the direction from `to` back to `from`.
    #[inline]
    pub const fn is_reverse(self) -> bool {
        self.0 & 1 == 1
    }

    /// The same flow, the other way.
    #[inline]
    #[must_use]
    pub const fn turned(self) -> FlowDir {
        FlowDir(self.0 ^ 1)
    }

    /// Dense index for tables: two entries a flow.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a frame is, as far as a model must know. `seq` means something else in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A TCP segment with payload; `seq` is the offset of its first payload byte in the stream.
    Data = 0,
    /// A TCP segment without payload; `seq` is the cumulative acknowledgement as a stream offset.
    Ack = 1,
    /// A TCP SYN.
    Syn = 2,
    /// A TCP SYN-ACK.
    SynAck = 3,
    /// A UDP datagram; `seq` is its ordinal in the flow.
    Udp = 4,
    /// An ICMP echo request; `seq` is its ordinal.
    EchoRequest = 5,
    /// An ICMP echo reply; `seq` is the request's ordinal.
    EchoReply = 6,
    /// ICMP time exceeded, on its way to the source of the frame that died; `seq` is that frame's
    /// `seq`, `side` the number of the node that answered.
    TimeExceeded = 7,
    /// ICMP fragmentation needed (packet too big), likewise.
    FragmentationNeeded = 8,
}

impl Kind {
    /// Whether it is an error that a router reports (RFC 792).
    pub const fn is_report(self) -> bool {
        matches!(self, Kind::TimeExceeded | Kind::FragmentationNeeded)
    }
}

/// Single-bit facts about a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(u8);

impl Flags {
    /// Nothing set.
    pub const NONE: Flags = Flags(0);
    /// Data, Syn, SynAck: a retransmission.
    pub const RETRANSMIT: Flags = Flags(1);
    /// Ack, SynAck: the segment whose timestamp is echoed was a retransmission (RFC 7323 §4.3 decides which).
    pub const ECHO_RETRANSMIT: Flags = Flags(2);
    /// The sender asked not to fragment (IPv4 DF); always in force for IPv6.
    pub const DONT_FRAGMENT: Flags = Flags(4);
    /// ECN (RFC 3168 §6.1): Ack: ECN-Echo; Data: congestion window reduced; Syn, SynAck: asked for, agreed to.
    pub const ECN: Flags = Flags(8);

    /// Whether every bit of `other` is set.
    #[inline]
    pub const fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[inline]
    #[must_use]
    pub const fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// The raw bits, for hashing and encoding.
    pub const fn bits(self) -> u8 {
        self.0
    }
}

/// A label stack entry in the layout of RFC 3032 §2.1: label 20 bits, TC 3, S 1, TTL 8.
///
/// The raw value 0 (label 0, S clear, TTL 0) never occurs on a wire and means "no label".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LabelEntry(pub u32);

impl LabelEntry {
    /// No label: a plain IP frame.
    pub const NONE: LabelEntry = LabelEntry(0);

    /// An entry at the bottom of the stack.
    pub const fn bottom(label: u32, traffic_class: u8, ttl: u8) -> LabelEntry {
        LabelEntry((label << 12) | ((traffic_class as u32 & 7) << 9) | (1 << 8) | ttl as u32)
    }

    /// Whether there is a label at all.
    #[inline]
    pub const fn is_some(self) -> bool {
        self.0 != 0
    }

    /// The 20-bit label.
    #[inline]
    pub const fn label(self) -> u32 {
        self.0 >> 12
    }

    /// The TTL.
    #[inline]
    pub const fn ttl(self) -> u8 {
        self.0 as u8
    }

    /// The traffic class, 3 bits (RFC 5462).
    #[inline]
    pub const fn traffic_class(self) -> u8 {
        (self.0 >> 9) as u8 & 7
    }

    /// Whether this is the bottom of the stack (the S bit).
    #[inline]
    pub const fn is_bottom(self) -> bool {
        self.0 & (1 << 8) != 0
    }

    /// The same entry with the S bit set or cleared.
    #[inline]
    #[must_use]
    pub const fn with_bottom(self, bottom: bool) -> LabelEntry {
        LabelEntry((self.0 & !(1 << 8)) | ((bottom as u32) << 8))
    }

    /// The same entry with another label.
    #[inline]
    #[must_use]
    pub const fn with_label(self, label: u32) -> LabelEntry {
        LabelEntry((self.0 & 0xfff) | (label << 12))
    }

    /// The same entry with another TTL.
    #[inline]
    #[must_use]
    pub const fn with_ttl(self, ttl: u8) -> LabelEntry {
        LabelEntry((self.0 & !0xff) | ttl as u32)
    }
}

/// One frame on one channel: when it arrives there, and what every element may need of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Frame {
    /// The instant the last bit arrives at the far end of the channel that holds this frame.
    pub at: Time,
    /// Meaning by kind: byte offset, acknowledgement, or ordinal.
    pub seq: u64,
    /// Handle into the flow's side FIFO (SACK blocks and a window other than the usual one); 0 is none.
    pub side: u32,
    /// The label stack entry, if the frame is labelled.
    pub label: LabelEntry,
    /// The flow and the direction.
    pub flow: FlowDir,
    /// Length of the IP datagram in bytes.
    pub len: u16,
    /// IP time to live (hop limit).
    pub ttl: u8,
    /// The IP TOS byte (traffic class): DSCP and ECN.
    pub class: u8,
    /// What the frame is.
    pub kind: Kind,
    /// Low 4 bits: flags; see [`Frame::flags`]. Bits 4 and 5: code of the customer's layer-2 header
    /// carried below the labels; see [`Frame::inner`]. Bit 7: see [`Frame::is_damaged`].
    bits: u8,
}

const DAMAGED: u8 = 1 << 7;

/// Bytes of the customer's layer-2 header, by its code in a frame.
const INNER_BYTES: [u32; 3] = [0, 14, 18];

impl Frame {
    /// A frame as a host hands it to its interface: unlabelled, TTL 64, not yet on any wire.
    #[inline]
    pub const fn new(kind: Kind, flow: FlowDir, seq: u64, len: u16) -> Frame {
        Frame {
            at: Time::ZERO,
            seq,
            side: 0,
            label: LabelEntry::NONE,
            flow,
            len,
            ttl: 64,
            class: 0,
            kind,
            bits: 0,
        }
    }

    /// Everything about the frame but its place in time and in the stream: frames of one likeness
    /// are treated alike by whatever keeps no account of single frames.
    #[inline]
    pub const fn likeness(&self) -> (u32, u64) {
        let rest = self.flow.0 as u64
            | (self.len as u64) << 16
            | (self.ttl as u64) << 32
            | (self.class as u64) << 40
            | (self.kind as u64) << 48
            | (self.bits as u64) << 56;
        (self.label.0, rest)
    }

    /// The same frame, arriving at `at`.
    #[inline]
    #[must_use]
    pub const fn arriving(mut self, at: Time) -> Frame {
        self.at = at;
        self
    }

    /// The flags.
    #[inline]
    pub const fn flags(&self) -> Flags {
        Flags(self.bits & 0x0f)
    }

    /// Adds flags.
    #[inline]
    pub const fn set_flags(&mut self, flags: Flags) {
        self.bits |= flags.0 & 0x0f;
    }

    /// Bytes of the customer's layer-2 header (without FCS) carried between the labels and the IP
    /// datagram: 0, 14 (Ethernet) or 18 (Ethernet with an 802.1Q tag).
    #[inline]
    pub const fn inner(&self) -> u32 {
        INNER_BYTES[((self.bits >> 4) & 3) as usize % 3]
    }

    /// Sets the customer's layer-2 header: `None` for a bare datagram, else whether it is tagged.
    #[inline]
    pub const fn set_inner(&mut self, ethernet: Option<bool>) {
        let code = match ethernet {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        };
        self.bits = (self.bits & 0xcf) | (code << 4);
    }

    /// Whether some bit of what the transport checksum covers is wrong.
    #[inline]
    pub const fn is_damaged(&self) -> bool {
        self.bits & DAMAGED != 0
    }

    /// Some bit of what the transport checksum covers is wrong from now on.
    #[inline]
    pub const fn damage(&mut self) {
        self.bits |= DAMAGED;
    }

    /// Bytes that the link's own framing encloses: labels, customer's layer-2 header, datagram.
    #[inline]
    pub const fn link_payload(&self) -> u32 {
        let labels = if self.label.is_some() { 4 } else { 0 };
        self.len as u32 + self.inner() + labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_32_bytes() {
        assert_eq!(size_of::<Frame>(), 32);
    }

    #[test]
    fn label_entries_follow_rfc3032() {
        let e = LabelEntry::bottom(0, 0, 255);
        assert!(e.is_some() && e.label() == 0 && e.ttl() == 255);
        assert_eq!(
            LabelEntry::bottom(100_016, 5, 64).with_label(17).0,
            (17 << 12) | (5 << 9) | (1 << 8) | 64
        );
    }

    #[test]
    fn inner_header_and_flags_do_not_disturb_each_other() {
        let mut f = Frame::new(Kind::Data, FlowDir::forward(3), 0, 9000);
        f.set_flags(Flags::RETRANSMIT);
        f.set_inner(Some(true));
        f.label = LabelEntry::bottom(16, 0, 255);
        assert_eq!(
            (f.inner(), f.link_payload(), f.flags()),
            (18, 9022, Flags::RETRANSMIT)
        );
        f.damage();
        f.set_inner(None);
        assert_eq!((f.inner(), f.flags()), (0, Flags::RETRANSMIT));
        assert!(f.is_damaged() && f.link_payload() == 9004);
    }
}
