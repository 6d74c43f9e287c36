//! Draws that follow from a seed and a number.

/// A sequence of draws: splitmix64.
#[derive(Clone, Debug)]
pub struct Luck(u64);

impl Luck {
    /// The sequence of mutation `number` of a run with this seed.
    pub fn new(seed: u64, number: u64) -> Luck {
        let mut luck = Luck(seed);
        luck.0 = luck.bits() ^ number;
        Luck(luck.bits())
    }

    /// 64 even bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// Whether one case of `n` came up.
    pub fn odds(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of several.
    ///
    /// # Panics
    /// If there is none.
    pub fn pick<'a, T: ?Sized>(&mut self, among: &[&'a T]) -> &'a T {
        among[self.below(among.len())]
    }
}
