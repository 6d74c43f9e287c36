//! Whose turn it is: strict priority, then rounds in which every queue may send so many bytes.

/// How a queue spends what a round gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounds {
    /// Weighted round robin by bytes: a queue sends while it has credit, so its last frame may
    /// overdraw it. The debt is carried into the next round, or forgotten as switching hardware does.
    Wrr {
        /// Whether it is carried.
        carry: bool,
    },
    /// Deficit round robin (Shreedhar and Varghese, IEEE/ACM ToN 4(3), 1996): a queue sends while its
    /// credit covers the frame, and keeps the rest.
    Drr,
}

/// One queue's part in the rounds.
#[derive(Clone, Copy, Debug)]
struct Share {
    /// Bytes a round gives it.
    quantum: i64,
    /// Bytes it has left.
    credit: i64,
}

/// Decides which queue sends next.
#[derive(Clone, Debug)]
pub(crate) struct Turns {
    rounds: Rounds,
    shares: Vec<Share>,
    /// Queues that come before all others, the lowest number first; a bit each.
    urgent: u32,
    /// Queues that are not empty; a bit each.
    occupied: u32,
    /// The queue whose visit it is.
    turn: usize,
}

impl Turns {
    /// Before the first round; a queue without quantum is served before all that have one, in order.
    pub(crate) fn new(rounds: Rounds, quanta: impl IntoIterator<Item = Option<u32>>) -> Turns {
        let quanta: Vec<Option<u32>> = quanta.into_iter().collect();
        let urgent = quanta.iter().enumerate().filter(|(_, q)| q.is_none());
        Turns {
            rounds,
            urgent: urgent.map(|(n, _)| 1 << n).sum(),
            shares: quanta
                .iter()
                .map(|quantum| Share {
                    quantum: quantum.unwrap_or(0).into(),
                    credit: 0,
                })
                .collect(),
            occupied: 0,
            turn: 0,
        }
    }

    /// Queue `n` is no longer empty.
    #[inline]
    pub(crate) fn fill(&mut self, n: usize) {
        self.occupied |= 1 << n;
    }

    /// The queue that sends next, if any has frames; `head` says how long its first frame is.
    #[inline]
    pub(crate) fn next(&mut self, head: impl Fn(usize) -> u32) -> Option<usize> {
        if self.occupied == 0 {
            return None;
        }
        let urgent = self.occupied & self.urgent;
        if urgent != 0 {
            return Some(urgent.trailing_zeros() as usize);
        }
        loop {
            let turn = self.turn;
            let credit = self.shares[turn].credit;
            let may = match self.rounds {
                Rounds::Wrr { .. } => credit > 0,
                Rounds::Drr => credit >= i64::from(head(turn)),
            };
            if may && self.occupied >> turn & 1 == 1 {
                return Some(turn);
            }
            self.pass_on();
        }
    }

    /// The visit of the queue whose turn it is ends, and the next one's begins.
    fn pass_on(&mut self) {
        if self.rounds == (Rounds::Wrr { carry: false }) {
            self.shares[self.turn].credit = 0;
        }
        let after = self.occupied & (u32::MAX << self.turn << 1);
        let from = if after == 0 { self.occupied } else { after };
        self.turn = from.trailing_zeros() as usize;
        let share = &mut self.shares[self.turn];
        share.credit += share.quantum;
    }

    /// Queue `n` has sent `bytes`; `empty`: and has nothing left. What an empty queue has not used is
    /// lost, what it owes is not.
    #[inline]
    pub(crate) fn spend(&mut self, n: usize, bytes: u32, empty: bool) {
        let share = &mut self.shares[n];
        share.credit -= i64::from(bytes);
        if empty {
            self.occupied &= !(1 << n);
            share.credit = share.credit.min(0);
        }
    }
}
