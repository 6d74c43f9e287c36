//! Sizes of data segments: which of them is a full one.

/// Different sizes counted; further ones are not.
const KINDS: usize = 6;

/// Sizes seen, and what the handshake says of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sizes {
    /// By the handshake; 0 where that was not seen.
    stated: u32,
    seen: [(u32, u32); KINDS],
    largest: u32,
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

    /// Payload bytes of a full segment: by the handshake, else the most frequent size, divided among its like where
    /// that is more than networks carry; 0 before the first data.
    #[inline]
    pub(crate) fn full(&self) -> u32 {
        if self.stated > 0 {
            return self.stated;
        }
        self.inferred()
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

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
