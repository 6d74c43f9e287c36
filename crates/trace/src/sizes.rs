//! Sizes of data segments: which of them is a full one.

use crate::in_use::{InUse, gcd};

/// Different sizes counted; further ones are not.
const KINDS: usize = 6;

/// Sizes seen, and what the handshake says of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    /// By the handshake; 0 where that was not seen.
    stated: u32,
    seen: [(u32, u32); KINDS],
    largest: u32,
    in_use: InUse,
    /// Packets larger than a full segment, and segments as they are on the wire.
    pub(crate) over: u64,
    pub(crate) packets: u64,
    pub(crate) segments: u64,
}

/// No payload of a network's segment is larger (jumbo frames).
const LARGEST_ON_A_NETWORK: u32 = 9216;

impl Sizes {
    /// What the handshake says: the smaller MSS, without the options that every segment has.
    pub(crate) fn state(&mut self, mss: u32) {
        self.stated = mss;
    }

    /// What the handshake says, where full segments of another size are in use now.
    pub(crate) fn stated_in_vain(&self) -> Option<u32> {
        let is_other = self.stated > 0 && self.in_use.size > 0 && self.in_use.size != self.stated;
        is_other.then_some(self.stated)
    }

    /// A router reports how much payload fits.
    pub(crate) fn report(&mut self, payload: u32) {
        self.in_use.report(payload);
    }

    /// Takes in the payload of a segment, or of its part up to which the receiver acknowledged; `cut` where what follows was
    /// written with it.
    #[inline]
    pub(crate) fn learn(&mut self, length: u32, cut: bool) {
        let most = match self.stated {
            0 => LARGEST_ON_A_NETWORK,
            stated => stated,
        };
        self.in_use.see(length, cut, (self.full(), most));
    }

    #[inline]
    pub(crate) fn add(&mut self, length: u32) {
        self.packets += 1;
        self.largest = self.largest.max(length);
        if self.stated == 0 {
            self.count(length);
        }
        let full = self.full();
        if length > full && full > 0 {
            self.over += 1;
            self.segments += u64::from(length.div_ceil(full));
        } else {
            self.segments += 1;
        }
    }

    fn count(&mut self, length: u32) {
        let place = self.seen.iter_mut().find(|s| s.0 == length || s.1 == 0);
        if let Some(slot) = place {
            *slot = (length, slot.1.saturating_add(1));
        }
    }

    /// Payload bytes of a full segment: the size in use where that was seen, else by the handshake, else the most frequent size, divided among its like where
    /// that is more than networks carry; 0 before the first data.
    #[inline]
    pub(crate) fn full(&self) -> u32 {
        match (self.in_use.size, self.stated) {
            (0, 0) => self.inferred(),
            (0, stated) => stated,
            (in_use, _) => in_use,
        }
    }

    fn inferred(&self) -> u32 {
        let large = |s: &&(u32, u32)| s.1 > 0 && s.0 >= 500;
        let Some(usual) = self.seen.iter().filter(large).max_by_key(|s| s.1) else {
            return self.largest;
        };
        if usual.0 <= LARGEST_ON_A_NETWORK {
            return usual.0;
        }
        // Super-segments are whole numbers of full ones.
        let divisor = self.seen.iter().filter(large).fold(0, |d, s| gcd(d, s.0));
        match divisor {
            500..=LARGEST_ON_A_NETWORK => divisor,
            _ => 1448,
        }
    }
}
