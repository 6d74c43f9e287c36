//! Finding a connection by its two ends: an open hash table, bounded, whose order nobody sees.

use crate::segment::End;
use crate::work;

/// Both ends, the lower one first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Key([End; 2]);

impl Key {
    #[inline]
    pub(crate) fn new(a: End, b: End) -> Key {
        if a <= b { Key([a, b]) } else { Key([b, a]) }
    }

    /// No order of addresses or ports makes long chains by itself.
    #[inline]
    fn hash(&self) -> u64 {
        let mut hash = 0x9e37_79b9_7f4a_7c15_u64;
        for end in &self.0 {
            for part in [
                end.address as u64,
                (end.address >> 64) as u64,
                u64::from(end.port),
            ] {
                hash = folded(hash, part);
            }
        }
        hash
    }
}

/// One more word of a hash: multiplied, and both halves folded.
#[inline]
pub(crate) fn folded(hash: u64, part: u64) -> u64 {
    let product = u128::from(hash ^ part) * 0xa076_1d64_78bd_642f;
    (product as u64) ^ ((product >> 64) as u64).rotate_left(23)
}

/// Longest search in the table. Ends that somebody chose so that they collide are not followed further.
const SEARCH_MAX: usize = 128;

/// Where connections are, by their ends.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    slots: Vec<Option<(Key, u32)>>,
    count: usize,
}

impl Index {
    pub(crate) fn new() -> Index {
        Index {
            slots: vec![None; 1 << 10],
            count: 0,
        }
    }

    fn home(&self, key: &Key) -> usize {
        key.hash() as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn place(&self, key: &Key) -> Option<usize> {
        let mask = self.slots.len() - 1;
        let home = self.home(key);
        for step in 0..SEARCH_MAX {
            work::count(1);
            let at = (home + step) & mask;
            match &self.slots[at] {
                Some((k, _)) if k == key => return Some(at),
                None => return None,
                _ => {}
            }
        }
        None
    }

    #[inline]
    pub(crate) fn find(&self, key: &Key) -> Option<u32> {
        self.place(key).and_then(|at| self.slots[at]).map(|s| s.1)
    }

    /// Puts a number in; false where there is no room near its place.
    pub(crate) fn insert(&mut self, key: Key, number: u32) -> bool {
        if self.count * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let home = self.home(&key);
        for step in 0..SEARCH_MAX {
            let slot = &mut self.slots[(home + step) & mask];
            match slot {
                Some((k, n)) if *k == key => {
                    *n = number;
                    return true;
                }
                None => {
                    *slot = Some((key, number));
                    self.count += 1;
                    return true;
                }
                _ => {}
            }
        }
        false
    }

    fn grow(&mut self) {
        let larger = vec![None; self.slots.len() * 2];
        let all = std::mem::replace(&mut self.slots, larger);
        work::count(all.len());
        self.count = 0;
        for (key, number) in all.into_iter().flatten() {
            self.insert(key, number);
        }
    }

    /// Takes a key out; those behind it move up.
    pub(crate) fn remove(&mut self, key: &Key) {
        let Some(mut hole) = self.place(key) else {
            return;
        };
        let mask = self.slots.len() - 1;
        self.slots[hole] = None;
        self.count -= 1;
        let mut at = hole;
        for _ in 0..self.slots.len() {
            work::count(1);
            at = (at + 1) & mask;
            let Some((next, _)) = self.slots[at] else {
                return;
            };
            let home = self.home(&next);
            // It may move to the hole unless its home lies behind that.
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(hole) & mask) {
                self.slots[hole] = self.slots[at].take();
                hole = at;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: u32) -> Key {
        let end = |port| End {
            address: u128::from(n),
            port,
        };
        Key::new(end(1), end(2))
    }

    #[test]
    fn what_was_put_in_is_found_until_it_is_taken_out() {
        let mut index = Index::new();
        for n in 0..5000 {
            assert!(index.insert(key(n), n));
        }
        for n in (0..5000).step_by(3) {
            index.remove(&key(n));
        }
        for n in 0..5000 {
            assert_eq!(index.find(&key(n)), (n % 3 != 0).then_some(n), "{n}");
        }
    }

    #[test]
    fn both_directions_have_one_key() {
        let [a, b] = [1, 2].map(|port| End { address: 7, port });
        assert_eq!(Key::new(a, b), Key::new(b, a));
    }
}
