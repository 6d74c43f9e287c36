//! Keyed draws: luck that depends on names and ordinals, never on the order of calls.
//!
//! Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) as a
//! counter-based generator: the value for (key, ordinal) is a pure function of both.

/// The name of one stream of luck: (seed, element, direction, purpose, flow …) hashed to 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key(u64);

/// The draws of one key, addressed by ordinal.
#[derive(Clone, Copy, Debug)]
pub struct Stream {
    key: Key,
}

impl Key {
    /// The root key of a run.
    pub fn new(seed: u64) -> Key {
        Key(seed)
    }

    /// The key below this one with a textual part (an element's or test's name, a purpose).
    #[must_use]
    pub fn with(self, part: &str) -> Key {
        // FNV-1a over the parent and the text; the generator itself does the mixing.
        let mut h = self.0 ^ 0xcbf2_9ce4_8422_2325;
        for b in part.bytes() {
            h = (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        Key(h.rotate_left(17).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The key below this one with a numeric part (a flow, a direction).
    #[must_use]
    pub fn with_number(self, part: u64) -> Key {
        Key((self.0 ^ part.wrapping_mul(0xd6e8_feb8_6659_fd93))
            .rotate_left(29)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// The draws of this key.
    pub fn stream(self) -> Stream {
        Stream { key: self }
    }
}

impl Stream {
    /// The 64-bit draw at `ordinal`.
    #[inline]
    pub fn bits(self, ordinal: u64) -> u64 {
        let out = philox4x32_10(
            [ordinal as u32, (ordinal >> 32) as u32, 0, 0],
            [self.key.0 as u32, (self.key.0 >> 32) as u32],
        );
        u64::from(out[0]) | (u64::from(out[1]) << 32)
    }

    /// The draw at `ordinal`, uniform in the open interval (0, 1).
    #[inline]
    pub fn uniform(self, ordinal: u64) -> f64 {
        ((self.bits(ordinal) >> 12) as f64 + 0.5) * (1.0 / 4_503_599_627_370_496.0)
    }

    /// How many trials fail before the next success of probability `p`: geometric on 0, 1, 2 …
    /// `u64::MAX` when `p` is 0.
    pub fn geometric(self, ordinal: u64, p: f64) -> u64 {
        if p <= 0.0 {
            return u64::MAX;
        }
        if p >= 1.0 {
            return 0;
        }
        let skips = libm::floor(libm::log(self.uniform(ordinal)) / libm::log1p(-p));
        if skips >= 1.8e19 {
            u64::MAX
        } else {
            skips as u64
        }
    }

    /// An exponential variate of mean 1.
    pub fn exponential(self, ordinal: u64) -> f64 {
        -libm::log(self.uniform(ordinal))
    }
}

fn philox4x32_10(mut ctr: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let p0 = u64::from(ctr[0]) * 0xD251_1F53;
        let p1 = u64::from(ctr[2]) * 0xCD9E_8D57;
        ctr = [
            (p1 >> 32) as u32 ^ ctr[1] ^ key[0],
            p1 as u32,
            (p0 >> 32) as u32 ^ ctr[3] ^ key[1],
            p0 as u32,
        ];
        key = [
            key[0].wrapping_add(0x9E37_79B9),
            key[1].wrapping_add(0xBB67_AE85),
        ];
    }
    ctr
}

#[cfg(test)]
mod tests {
    use super::philox4x32_10;

    /// Known-answer vectors published with Random123 (kat_vectors, philox4x32 10).
    #[test]
    fn philox_known_answers() {
        assert_eq!(
            philox4x32_10([0; 4], [0; 2]),
            [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]
        );
        assert_eq!(
            philox4x32_10([u32::MAX; 4], [u32::MAX; 2]),
            [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]
        );
        assert_eq!(
            philox4x32_10(
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0]
            ),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }
}
