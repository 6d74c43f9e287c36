//! Merging many inputs in order of arrival.

use farpath_units::Time;

use crate::network::Io;

/// The inputs of an element that have a frame to give, as a heap by (arrival, input number).
///
/// For elements with many inputs: [`Io::first_input`] reads every channel each time it is asked,
/// this reads each once in an `advance` and then only those that gave a frame. It holds
/// nothing between two calls of `advance` but its memory.
#[derive(Debug, Default)]
pub struct Merge {
    heads: Vec<Head>,
}

/// An input by the arrival of its head and its own number, as one number in that order: to compare
/// such takes no branch that a processor has to guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Head(u128);

impl Head {
    #[inline]
    fn new(at: Time, input: usize) -> Head {
        Head(u128::from(at.as_ps()) << 64 | input as u128)
    }

    #[inline]
    fn at(self) -> Time {
        Time::from_ps((self.0 >> 64) as u64)
    }

    #[inline]
    fn input(self) -> usize {
        self.0 as usize
    }
}

impl Merge {
    /// Notes every input whose head arrives before `until`.
    #[inline]
    pub fn start(&mut self, until: Time, io: &mut Io<'_>) {
        self.heads.clear();
        for n in 0..io.inputs() {
            let at = io.input(n).head_at();
            if at < until {
                self.heads.push(Head::new(at, n));
            }
        }
        // A sorted sequence is a heap.
        self.heads.sort_unstable();
    }

    /// The input whose head arrives first (lowest number on ties), and the instant before which all
    /// it has may be taken without asking again; not beyond `until`. `None` when no input is left.
    #[inline]
    pub fn first(&self, until: Time) -> Option<(usize, Time)> {
        let first = self.heads.first()?.input();
        let second = match self.heads[1..] {
            [] => return Some((first, until)),
            [only] => only,
            [left, right, ..] => left.min(right),
        };
        // A lower number wins ties, and so may go on up to and including the other's arrival.
        let stays = if first < second.input() {
            second.at().next()
        } else {
            second.at()
        };
        Some((first, stays.min(until)))
    }

    /// The first input has been drained; what it has left arrives at `at` at the earliest.
    #[inline]
    pub fn drained(&mut self, at: Time, until: Time) {
        let last = self.heads.len() - 1;
        let mut moved = Head::new(at, self.heads[0].input());
        if at >= until {
            moved = self.heads[last];
            self.heads.truncate(last);
        }
        // What moves is written once, where it comes to rest: to read a pair back whole after its
        // half was written stalls the processor.
        let heads = &mut self.heads[..];
        let mut i = 0;
        while 2 * i + 1 < heads.len() {
            let left = 2 * i + 1;
            let right = (left + 1).min(heads.len() - 1);
            let child = if heads[right] < heads[left] {
                right
            } else {
                left
            };
            if moved <= heads[child] {
                break;
            }
            heads[i] = heads[child];
            i = child;
        }
        if let Some(place) = heads.get_mut(i) {
            *place = moved;
        }
    }
}
