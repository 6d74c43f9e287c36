//! Keyed draws: luck that depends on names and ordinals, never on the order of calls.
//!
//! Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011) as a
//! counter-based generator: the value for (key, ordinal) is a pure function of both.

/// The name of one stream of luck: (seed, element, direction, purpose, flow …) hashed to 64 bits.
///
/// Each step passes the parent and the part through a 64-bit finaliser (Stafford's thirteenth
/// variant of MurmurHash3's, as in SplitMix64: Steele, Lea, Flood, OOPSLA 2014), so that neighbouring
/// seeds and similar names share nothing: `("ab", "c")`, `("a", "bc")` and `("abc")` differ, a text
/// and a number never stand for the same part, and one flipped input bit flips half of the output.
/// Two of n keys coincide with probability n² / 2⁶⁵: one in 3·10⁷ for a million keys.
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
        // Mixed, because FNV below begins with an exclusive or: unmixed, seed 0 with "a" and
        // seed 3 with "b" would be one key.
        Key(mixed(seed.wrapping_add(GOLDEN)))
    }

    /// The key below this one with a textual part (an element's or test's name, a purpose).
    #[must_use]
    pub fn with(self, part: &str) -> Key {
        // FNV-1a gathers the bytes; the finaliser mixes them.
        let gathered = part.bytes().fold(self.0 ^ 0xcbf2_9ce4_8422_2325, |h, b| {
            (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Key(mixed(gathered.wrapping_add(part.len() as u64)))
    }

    /// The key below this one with a numeric part (a flow, a direction).
    #[must_use]
    pub fn with_number(self, part: u64) -> Key {
        // Mixed once before it meets the parent, so that the parents of small numbers stay apart,
        // and offset, so that a number and a text differ.
        Key(mixed(
            self.0.rotate_left(32) ^ mixed(part.wrapping_add(GOLDEN)),
        ))
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

/// 2⁶⁴ divided by the golden ratio: an odd step away from zero, which `mixed` leaves at zero.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// A bijection of 64 bits in which every input bit reaches every output bit.
fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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
    use super::{Key, mixed, philox4x32_10};
    use std::collections::BTreeSet;

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

    /// SplitMix64 seeded with 1234567 yields this first value (Vigna's reference, test vectors of
    /// its ports).
    #[test]
    fn finaliser_is_that_of_splitmix64() {
        assert_eq!(
            mixed(1_234_567_u64.wrapping_add(super::GOLDEN)),
            6_457_827_717_110_365_317
        );
    }

    #[test]
    fn keys_of_obvious_grids_do_not_collide() {
        let mut seen = BTreeSet::new();
        let mut count = 0;
        let mut add = |k: Key| {
            count += 1;
            seen.insert(k.0);
        };
        let names = [
            "", "a", "b", "c", "ab", "ba", "abc", "link", "link-1", "link-2", "1", "2", "12",
            "loss", "jitter",
        ];
        for seed in 0..64 {
            let root = Key::new(seed);
            add(root);
            for name in names {
                let element = root.with(name);
                add(element);
                for direction in 0..2 {
                    let side = element.with_number(direction);
                    add(side);
                    add(side.with("loss"));
                    (0..100).for_each(|flow| add(side.with_number(flow)));
                }
            }
            (0..1000).for_each(|n| add(root.with_number(n)));
        }
        assert_eq!(seen.len(), count);
        assert!(count > 250_000);
    }

    #[test]
    fn neighbouring_seeds_and_names_share_no_key() {
        // The plain hash had these as one key: 0 ^ 'a' == 3 ^ 'b'.
        assert_ne!(Key::new(0).with("a"), Key::new(3).with("b"));
        assert_ne!(
            Key::new(1).with("ab").with("c"),
            Key::new(1).with("a").with("bc")
        );
        assert_ne!(Key::new(1).with("abc"), Key::new(1).with("ab").with("c"));
        assert_ne!(Key::new(1).with(""), Key::new(1));
    }

    /// Every input bit flips every output bit in half of the cases: 4096 keys a bit, so the count
    /// has standard deviation 32, and of 3 × 64 × 64 counts none strays by 7 of them.
    #[test]
    fn every_input_bit_reaches_every_output_bit() {
        const KEYS: u64 = 4096;
        let steps: [fn(u64) -> Key; 3] = [
            Key::new,
            |n| Key::new(7).with_number(n),
            |n| Key(n).with("loss"),
        ];
        for step in steps {
            for input in 0..64 {
                let mut flips = [0_i64; 64];
                for n in 0..KEYS {
                    let changed = step(n).0 ^ step(n ^ (1 << input)).0;
                    (0..64).for_each(|bit| flips[bit] += (changed >> bit & 1) as i64);
                }
                for (bit, count) in flips.iter().enumerate() {
                    assert!(
                        (count - 2048).abs() < 224,
                        "input bit {input}, output bit {bit}: {count}"
                    );
                }
            }
        }
    }

    #[test]
    fn draws_have_the_moments_of_their_distributions() {
        let stream = Key::new(3).with("moments").stream();
        const N: u64 = 200_000;
        let mean = |f: &dyn Fn(u64) -> f64| (0..N).map(f).sum::<f64>() / N as f64;
        // Standard errors: 0.289, 1 and 9.49 over the root of N; five of them each.
        assert!((mean(&|i| stream.uniform(i)) - 0.5).abs() < 0.0033);
        assert!((mean(&|i| stream.exponential(i)) - 1.0).abs() < 0.0112);
        assert!((mean(&|i| stream.geometric(i, 0.1) as f64) - 9.0).abs() < 0.107);
        assert!((0..N).all(|i| (0.0..1.0).contains(&stream.uniform(i)) && stream.uniform(i) > 0.0));
        assert_eq!(stream.geometric(0, 0.0), u64::MAX);
        assert_eq!(stream.geometric(0, 1.0), 0);
    }
}
