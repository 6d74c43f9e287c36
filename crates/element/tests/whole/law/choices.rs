//! Where random networks come from: a sequence of choices, endless from a seed, or a finite list
//! that proptest shrinks. A list that has run out always takes the first, simplest alternative.

pub(crate) enum Choices {
    Seed(u64),
    List(std::vec::IntoIter<u32>),
}

impl Choices {
    pub(crate) fn from_seed(seed: u64) -> Choices {
        Choices::Seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(crate) fn from_list(list: Vec<u32>) -> Choices {
        Choices::List(list.into_iter())
    }

    /// SplitMix64, or the next of the list.
    fn next(&mut self) -> u64 {
        match self {
            Choices::List(list) => list.next().unwrap_or(0).into(),
            Choices::Seed(state) => {
                *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = *state;
                z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                (z ^ (z >> 31)) >> 16
            }
        }
    }

    /// 0 .. n.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n.max(1)
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }

    /// True in `percent` of 100; false is the simpler alternative.
    pub(crate) fn chance(&mut self, percent: u64) -> bool {
        self.below(100) >= 100 - percent
    }
}
