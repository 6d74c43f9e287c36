//! Merging many inputs in order of arrival.

use farpath_units::Time;

use crate::network::Io;

/// The inputs of an element that have a frame to give, as a heap by (arrival, input number).
///
/// For elements with many inputs: [`Io::first_input`] looks at every channel each time it is asked,
/// this looks at each once in an `advance` and then only at those that gave a frame. It holds
/// nothing between two calls of `advance` but its memory.
#[derive(Debug, Default)]
pub struct Merge {
    heads: Vec<(Time, usize)>,
}

impl Merge {
    /// Notes every input whose head arrives before `until`.
    #[inline]
    pub fn start(&mut self, until: Time, io: &mut Io<'_>) {
        self.heads.clear();
        for n in 0..io.inputs() {
            let at = io.input(n).head_at();
            if at < until {
                self.heads.push((at, n));
            }
        }
        // A sorted sequence is a heap.
        self.heads.sort_unstable();
    }

    /// The input whose head arrives first (lowest number on ties), and the instant before which all
    /// it has may be taken without asking again; not beyond `until`. `None` when no input is left.
    #[inline]
    pub fn first(&self, until: Time) -> Option<(usize, Time)> {
        let &(_, first) = self.heads.first()?;
        let second = match self.heads[1..] {
            [] => return Some((first, until)),
            [only] => only,
            [left, right, ..] => left.min(right),
        };
        // A lower number wins ties, and so may go on up to and including the other's arrival.
        let stays = if first < second.1 {
            second.0.next()
        } else {
            second.0
        };
        Some((first, stays.min(until)))
    }

    /// The first input has been drained; what it has left arrives at `at` at the earliest.
    #[inline]
    pub fn drained(&mut self, at: Time, until: Time) {
        if at < until {
            self.heads[0].0 = at;
        } else {
            self.heads.swap_remove(0);
        }
        let mut i = 0;
        loop {
            let (left, right) = (2 * i + 1, 2 * i + 2);
            let mut least = i;
            if left < self.heads.len() && self.heads[left] < self.heads[least] {
                least = left;
            }
            if right < self.heads.len() && self.heads[right] < self.heads[least] {
                least = right;
            }
            if least == i {
                return;
            }
            self.heads.swap(i, least);
            i = least;
        }
    }
}
