//! The size of full segments in use, where it is not the handshake's: a path may carry less than the interfaces of both ends, and
//! that may change (RFC 1191, RFC 4821).
//!
//! Sizes alone do not tell full segments from what a program wrote. What was cut does: a segment without PSH in the middle of
//! what is sent, and the place inside a packet up to which the receiver acknowledged. Both are whole numbers of full segments.

/// Below this no size is looked for: what IPv4's least MTU that Linux accepts (552 bytes) leaves beside headers with timestamps.
const LEAST: u32 = 500;
/// So many signs of another size more than against it make it the size in use.
const ENOUGH: u32 = 4;
/// What a segment that only the present size explains takes away.
const AGAINST: u32 = 2;

/// What is known of the size in use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct InUse {
    /// Payload bytes of a full segment; 0 while nothing speaks against the handshake.
    pub(crate) size: u32,
    /// What the cut of late are whole numbers of, and how much speaks for it.
    other: u32,
    signs: u32,
    /// What a router said would fit; 0 where none did, or it was taken up.
    reported: u32,
}

impl InUse {
    /// A router says that segments of more payload than this do not fit (RFC 1191, RFC 8201).
    pub(crate) fn report(&mut self, payload: u32) {
        if payload >= LEAST {
            self.reported = payload;
        }
    }

    /// Takes in the payload of a segment beside the size of full ones at present; `cut` where more followed it that was already
    /// written. The size in use is never more than `most`.
    #[inline]
    pub(crate) fn see(&mut self, length: u32, cut: bool, (full, most): (u32, u32)) {
        if length == full && self.signs == 0 {
            return;
        }
        self.weigh(length, cut, (full, most));
    }

    fn weigh(&mut self, length: u32, cut: bool, (full, most): (u32, u32)) {
        if length < LEAST || full < LEAST {
            return;
        }
        let is_other = self.signs > 0 && length.is_multiple_of(self.other);
        let is_reported =
            self.reported > 0 && self.reported <= most && length.is_multiple_of(self.reported);
        match (length.is_multiple_of(full), is_other) {
            (true, true) => {}
            (true, false) => self.signs = self.signs.saturating_sub(AGAINST),
            (false, _) if is_reported => (self.other, self.signs) = (self.reported, ENOUGH),
            (false, true) => self.signs = ENOUGH.min(self.signs + 1),
            (false, false) if cut => self.cut(length),
            (false, false) => {}
        }
        if self.signs >= ENOUGH && self.other <= most {
            *self = InUse {
                size: self.other,
                ..InUse::default()
            };
        }
    }

    /// A cut that neither the present size nor the other one explains.
    fn cut(&mut self, length: u32) {
        let common = gcd(self.other, length);
        if self.signs == 0 {
            (self.other, self.signs) = (length, 1);
        } else if common >= LEAST {
            self.other = common;
            self.signs += 1;
        } else {
            self.signs -= 1;
        }
    }
}

/// The greatest common divisor; the other one where one is 0.
pub(crate) fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HANDSHAKE: u32 = 1448;

    /// The size in use after segments of these sizes, cut or not.
    fn after(seen: impl IntoIterator<Item = (u32, bool)>) -> u32 {
        let mut known = InUse::default();
        let mut full = HANDSHAKE;
        for (length, cut) in seen {
            known.see(length, cut, (full, HANDSHAKE));
            full = if known.size > 0 { known.size } else { full };
        }
        full
    }

    #[test]
    fn what_was_cut_tells_the_size_and_what_was_written_does_not() {
        let seen = |lengths: &[u32], cut| after(lengths.iter().map(|n| (*n, cut)));
        assert_eq!(seen(&[1348; 4], true), 1348);
        assert_eq!(seen(&[1348; 100], false), HANDSHAKE);
        assert_eq!(seen(&[2696; 100], false), HANDSHAKE);
        // Of two and more at a time: what they have in common.
        assert_eq!(seen(&[2696; 100], true), HANDSHAKE, "larger than a segment");
        assert_eq!(seen(&[5392, 4044, 8088, 6740], true), 1348);
        // Ends of writes of all lengths, and of windows.
        let mixed = (0..100).flat_map(|n| [(1448, true), (2896, true), (500 + 7 * n, true)]);
        assert_eq!(after(mixed), HANDSHAKE);
        let windows = (0..100).flat_map(|_| [(43_440, false), (1000, true)]);
        assert_eq!(after(windows), HANDSHAKE);
    }

    #[test]
    fn one_cut_makes_larger_segments_signs_and_the_size_may_change_back() {
        let shrunk = [(1348, true), (2696, false), (2696, false), (2696, false)];
        assert_eq!(after(shrunk), 1348);
        let grown = shrunk.into_iter().chain([(1448, true); 4]);
        assert_eq!(after(grown), 1448);
    }

    #[test]
    fn what_a_router_reports_counts_from_the_first_segment_that_heeds_it() {
        let mut known = InUse::default();
        known.report(1348);
        known.see(2896, false, (HANDSHAKE, HANDSHAKE));
        assert_eq!(known.size, 0);
        known.see(2696, false, (HANDSHAKE, HANDSHAKE));
        assert_eq!(known.size, 1348);
        // No more than the handshake allows.
        let mut known = InUse::default();
        known.report(1500);
        known.see(3000, false, (HANDSHAKE, HANDSHAKE));
        assert_eq!(known.size, 0);
    }
}
