//! What was seen of a segment that is not simply the next one. It is judged when the whole connection was seen.

/// Where a segment that is not new stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// All of its bytes were seen before.
    Seen,
    /// They were missing until now.
    Hole,
}

/// Which sending of its bytes a segment is, by its sender's clock, or by its count of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sending {
    /// Neither of those below, or nothing tells.
    Later,
    /// The one that was seen first, behind another.
    First,
    /// One before that.
    Before,
}

/// How much lower the IPv4 identification of an earlier packet is, where they count up.
pub(crate) const EARLIER_IDS: core::ops::Range<i16> = -1000..0;

/// A time that has not come.
pub(crate) const NEVER: i64 = i64::MAX;

/// A segment that is not new, and the evidence at that instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event {
    pub(crate) at: i64,
    pub(crate) seq: u64,
    /// 0: a SYN or FIN.
    pub(crate) length: u32,
    /// Segments that it is on the wire; of a part of a packet, those that the parts before it do not count.
    pub(crate) pieces: u32,
    pub(crate) place: Place,
    /// Since its bytes were seen last, or since the segment that left the hole; of bytes acknowledged since, from any data.
    pub(crate) lag: i64,
    /// Since its bytes were seen last, acknowledged or not; `NEVER` where that was forgotten.
    pub(crate) since: i64,
    /// Of a hole: from the segment before it to that which left it.
    pub(crate) gap: i64,
    /// How much later its TSval is than that of the other one; none without timestamps.
    pub(crate) stamp: Option<i32>,
    /// How much higher its IPv4 identification is; none where it does not count up.
    pub(crate) identification: Option<i16>,
    pub(crate) sending: Sending,
    /// Times that its bytes had been seen.
    pub(crate) times: u8,
    /// It has the TSecr of the one before it.
    pub(crate) same_echo: bool,
    /// New data with a later TSval had passed before it.
    pub(crate) overtaken: bool,
    /// It is a SYN.
    pub(crate) is_syn: bool,
    /// It is of one packet with the event before it, which has other bytes.
    pub(crate) joined: bool,
    /// The receiver had acknowledged or SACKed all of it.
    pub(crate) known: bool,
    /// A DSACK reported later that the receiver had it twice.
    pub(crate) told: bool,
    /// It showed that the receiver had given up what it had SACKed.
    pub(crate) reneged: bool,
    /// It begins at the first unacknowledged byte.
    pub(crate) head: bool,
    /// It ends at the highest byte sent.
    pub(crate) tail: bool,
    /// Since the first unacknowledged byte was seen last; `NEVER` where all was acknowledged, or that was forgotten.
    pub(crate) head_lag: i64,
    /// When a SACK block above it was first seen.
    pub(crate) sack_at: i64,
    /// When the third duplicate acknowledgement for its number was seen.
    pub(crate) dup_at: i64,
    /// When the number of acknowledged bytes last grew.
    pub(crate) una_at: i64,
    /// When the last acknowledgement of any kind was seen.
    pub(crate) ack_at: i64,
    /// Acknowledged below.
    pub(crate) una: u64,
    /// One past the highest byte seen.
    pub(crate) max: u64,
    /// Smoothed round-trip time here, and its variation.
    pub(crate) smoothed: i64,
    pub(crate) variation: i64,
    /// When all that had been sent by then was acknowledged.
    pub(crate) repaired_at: i64,
}

impl Event {
    /// One past its last byte.
    pub(crate) fn end(&self) -> u64 {
        self.seq + u64::from(self.length)
    }

    /// The receiver had it, as acknowledgements before or a D-SACK after it say.
    pub(crate) fn is_unneeded(&self) -> bool {
        self.known || self.told
    }
}
