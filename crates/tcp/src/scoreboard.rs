//! The sender's view of what left the network: SACKed, lost and retransmitted bytes (RFC 6675 §3, §4).
//!
//! RFC 6675's `IsLost` is monotone (what is below a lost byte and not SACKed is lost too), so is
//! RFC 8985's (what was sent before a lost byte is lost), and both retransmit upwards. So two edges
//! and the SACKed ranges say everything about one round of sending:
//!
//! ```text
//!   una ........ resent ........ lost ........ nxt       (resent may also pass lost)
//!   lost and     lost, not      in flight,
//!   retransmitted retransmitted  not SACKed
//! ```
//!
//! A lost retransmission begins another round, with two edges below `resent`. `pipe` follows from
//! byte counts below each edge, kept as ranges come and edges move: no scan.

use crate::edge::{Edge, Round};
use crate::ranges::{Range, Ranges};
use crate::sack::{MAX_SACK_BLOCKS, SackBlock};

/// RFC 6675 §2: this many segments above a byte make it lost.
const DUP_THRESH: usize = 3;
/// Rounds kept apart: the loss of a byte's seventh retransmission is left to the timer.
pub(crate) const MOST_ROUNDS: usize = 8;

/// The scoreboard. The caller passes `una` (first unacknowledged byte) and `nxt` (first unsent).
#[derive(Clone, Debug)]
pub(crate) struct Scoreboard {
    sacked: Ranges,
    rounds: [Round; MOST_ROUNDS],
    /// Rounds in use.
    depth: usize,
    /// Without SACK: bytes that duplicate ACKs stand for.
    assumed: u64,
    /// Bytes found to be lost since the start, each as often as it was.
    lost: u64,
    /// Blocks of the last ACK, to skip repetitions.
    seen: [SackBlock; MAX_SACK_BLOCKS],
}

/// What the blocks of one ACK brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct News {
    /// Bytes newly SACKed.
    pub(crate) bytes: u64,
    /// The first and the last of them, among those at or above the byte asked for.
    pub(crate) above: Option<(u64, u64)>,
    /// The last of them below it.
    pub(crate) below: Option<u64>,
}

impl Default for Scoreboard {
    fn default() -> Scoreboard {
        Scoreboard {
            sacked: Ranges::default(),
            rounds: [Round::default(); MOST_ROUNDS],
            depth: 1,
            assumed: 0,
            lost: 0,
            seen: [SackBlock::default(); MAX_SACK_BLOCKS],
        }
    }
}

impl Scoreboard {
    /// Brings the edges up to `una` after ACKs the scoreboard did not see.
    pub(crate) fn catch_up(&mut self, una: u64) {
        for round in &mut self.rounds[..self.depth] {
            round.resent.catch_up(una);
            round.lost.catch_up(una);
        }
    }

    /// Nothing is SACKed, lost or retransmitted: everything from `una` up is in flight once.
    pub(crate) fn is_clean(&self, una: u64) -> bool {
        let first = &self.rounds[0];
        self.sacked.is_empty()
            && first.lost.at <= una
            && first.resent.at <= una
            && self.assumed == 0
    }

    /// Bytes SACKed, or that duplicate ACKs stand for.
    pub(crate) fn sacked_bytes(&self) -> u64 {
        self.sacked.bytes() + self.assumed
    }

    /// Bytes found to be lost since the start, each as often as it was.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// Bytes from `una` up that are lost.
    pub(crate) fn lost_bytes(&self, una: u64) -> u64 {
        self.rounds[0].lost.outstanding(una)
    }

    /// Bytes from `una` up that were sent again in this episode.
    pub(crate) fn resent_bytes(&self, una: u64) -> u64 {
        self.rounds[0].resent.outstanding(una)
    }

    /// Bytes from `una` up that were sent again and are neither SACKed nor lost again: repairs in flight, Linux's `retrans_out`.
    pub(crate) fn repairs(&self, una: u64) -> u64 {
        let rounds = &self.rounds[..self.depth];
        let sent: u64 = rounds.iter().map(|r| r.resent.outstanding(una)).sum();
        let again = rounds.iter().skip(1);
        let lost: u64 = again.map(|r| r.lost.outstanding(una)).sum();
        sent.saturating_sub(lost)
    }

    /// The cumulative acknowledgement moved to `una`; returns bytes below it that were SACKed before.
    pub(crate) fn acknowledge(&mut self, una: u64) -> u64 {
        let removed = self.sacked.trim_below(una);
        for round in &mut self.rounds[..self.depth] {
            round.resent.trim(una, removed);
            round.lost.trim(una, removed);
        }
        while self.depth > 1 && self.rounds[self.depth - 1].lost.at <= una {
            self.depth -= 1;
        }
        removed
    }

    /// Takes in the blocks of one ACK; says what is new, apart below and above `split`. Blocks that
    /// cannot be true (empty, beyond `nxt`) are ignored; parts below `una` (D-SACK, RFC 2883) too.
    pub(crate) fn sack(&mut self, blocks: &[SackBlock], una: u64, nxt: u64, split: u64) -> News {
        let mut news = News::default();
        let before = self.sacked.bytes();
        let mut seen = [SackBlock::default(); MAX_SACK_BLOCKS];
        for (i, block) in blocks.iter().take(MAX_SACK_BLOCKS).enumerate() {
            seen[i] = *block;
            let start = block.start.max(una);
            if start < block.end && block.end <= nxt && !self.seen.contains(block) {
                let rounds = &mut self.rounds[..self.depth];
                self.sacked.insert(Range::new(start, block.end), |new| {
                    for round in rounds.iter_mut() {
                        round.resent.note(new);
                        round.lost.note(new);
                    }
                    news.add(new, split);
                });
            }
        }
        self.seen = seen;
        news.bytes = self.sacked.bytes() - before;
        news
    }

    /// Without SACK: a duplicate ACK says one more segment arrived (RFC 9937 §6, DeliveredData).
    pub(crate) fn assume(&mut self, segment: u64, una: u64, nxt: u64) -> u64 {
        let room = (nxt - una).saturating_sub(segment + self.assumed);
        let more = segment.min(room);
        self.assumed += more;
        more
    }

    /// Without SACK: `acked` bytes were acknowledged; returns how many of them were assumed before.
    pub(crate) fn settle_assumed(&mut self, acked: u64, segment: u64) -> u64 {
        let settled = self.assumed.min(acked.saturating_sub(segment));
        self.assumed -= settled;
        settled
    }

    pub(crate) fn forget_assumed(&mut self) {
        self.assumed = 0;
    }

    /// RFC 6675 §4 `IsLost` and `Update`: moves the lost edge to below the byte with three ranges or
    /// more than two segments SACKed above it. Returns whether it moved. At most three steps.
    pub(crate) fn detect_loss(&mut self, segment: u64) -> bool {
        let mut bytes = 0;
        for (i, range) in self.sacked.descending().take(DUP_THRESH).enumerate() {
            bytes += range.len();
            if i + 1 == DUP_THRESH || bytes > (DUP_THRESH as u64 - 1) * segment {
                let lost = &mut self.rounds[0].lost;
                let moved = range.start > lost.at;
                if moved {
                    let sacked = self.sacked.bytes() - bytes;
                    self.lost += (range.start - lost.at) - (sacked - lost.sacked);
                    *lost = Edge::new(range.start, sacked);
                }
                return moved;
            }
        }
        false
    }

    /// Everything below `edge` that is not SACKed was lost in `round` (RFC 8985 §6.2). Returns
    /// whether that is anything new.
    pub(crate) fn lose_below(&mut self, round: usize, edge: u64, una: u64) -> bool {
        if round == self.depth {
            self.rounds[round] = Round::at(una);
            self.depth += 1;
        }
        let old = self.rounds[round].lost;
        if edge <= old.at {
            return false;
        }
        let sacked = self.sacked.bytes_between(old.at, edge);
        self.rounds[round].lost = Edge::new(edge, old.sacked + sacked);
        self.lost += edge - old.at - sacked;
        sacked < edge - old.at
    }

    /// Declares the segment at `una` lost, in whichever round it is in flight: by duplicate ACKs
    /// alone, by a partial ACK without SACK, or by the timer.
    pub(crate) fn lose_head(&mut self, una: u64, nxt: u64, segment: u64) {
        let mut round = self.rounds_sent(una);
        let mut sent = match round {
            0 => nxt,
            _ => self.rounds[round - 1].resent.at,
        };
        if round == MOST_ROUNDS {
            round -= 1;
            sent = self.rounds[round - 1].resent.at;
            self.rounds[round].resent = Edge::new(una, 0);
        }
        let above = self.sacked.first().map_or(u64::MAX, |r| r.start);
        let edge = (una + segment).min(sent).min(above);
        self.lose_below(round, edge, una);
    }

    /// RFC 6675 §5.1: after a timeout everything not SACKed is lost and to be sent again. A SACKed
    /// byte at `una` itself means the receiver took SACKs back (RFC 2018 §8): then all are dropped.
    pub(crate) fn lose_all(&mut self, una: u64, nxt: u64) {
        self.lost += self.pipe(una, nxt);
        if self.has_reneged(una) {
            self.sacked.clear();
            self.seen = [SackBlock::default(); MAX_SACK_BLOCKS];
        }
        self.assumed = 0;
        self.depth = 1;
        self.rounds[0] = Round {
            lost: Edge::new(nxt, self.sacked.bytes()),
            resent: Edge::new(una, 0),
        };
    }

    /// Nothing was lost after all: what is not SACKed is in flight once.
    pub(crate) fn lose_nothing(&mut self, una: u64) {
        self.assumed = 0;
        self.depth = 1;
        self.rounds[0] = Round::at(una);
    }

    /// Whether `una` itself is SACKed: the receiver took SACKs back (RFC 2018 §8).
    pub(crate) fn has_reneged(&self, una: u64) -> bool {
        self.sacked.first().is_some_and(|r| r.start <= una)
    }

    /// Whether anything from `una` up is lost.
    pub(crate) fn has_lost(&self, una: u64) -> bool {
        self.rounds[0].lost.at > una
    }

    /// Below this everything not SACKed was lost in `round`.
    pub(crate) fn lost_edge(&self, round: usize, una: u64) -> u64 {
        if round < self.depth {
            self.rounds[round].lost.at
        } else {
            una
        }
    }

    /// Below this everything not SACKed was sent again after it was lost in `round`.
    pub(crate) fn resent_edge(&self, round: usize) -> u64 {
        self.rounds[round].resent.at
    }

    /// The last byte of `from .. to` that is not SACKed; `to` is above 0.
    pub(crate) fn last_unsacked_of(&self, from: u64, to: u64) -> Option<u64> {
        let end = self.sacked.holding(to - 1).map_or(to, |range| range.start);
        end.checked_sub(1).filter(|last| *last >= from)
    }

    /// How often `seq` was sent again: the round its last transmission belongs to.
    pub(crate) fn rounds_sent(&self, seq: u64) -> usize {
        let rounds = &self.rounds[..self.depth];
        rounds.iter().take_while(|r| r.resent.at > seq).count()
    }

    /// Rounds in which something was sent again.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// The first byte of `from .. to` that is not SACKed.
    pub(crate) fn first_unsacked(&mut self, from: u64, to: u64) -> Option<u64> {
        if from >= to {
            return None;
        }
        self.sacked.first_gap(from, to).map(|gap| gap.start)
    }

    /// RFC 6675 §4 `NextSeg` rule 1: the lowest lost byte not sent again yet and what follows it, and
    /// the round in which it was lost.
    pub(crate) fn next_lost(&mut self) -> Option<(usize, Range)> {
        for n in (0..self.depth).rev() {
            let round = &mut self.rounds[n];
            if round.resent.at < round.lost.at {
                if let Some(gap) = self.sacked.first_gap(round.resent.at, round.lost.at) {
                    return Some((n, gap));
                }
                round.resent = round.lost;
            }
        }
        None
    }

    /// `NextSeg` rule 3: a byte below the highest SACK, not retransmitted yet, not known to be lost.
    pub(crate) fn next_doubtful(&mut self) -> Option<Range> {
        let top = self.sacked.last()?.start;
        let resent = self.rounds[0].resent.at;
        if resent >= top {
            return None;
        }
        self.sacked.first_gap(resent, top)
    }

    /// `NextSeg` rule 4: the last segment, when it is neither SACKed nor retransmitted.
    pub(crate) fn last_unsacked(&self, nxt: u64, segment: u64) -> Option<Range> {
        let resent = self.rounds[0].resent.at;
        let floor = resent.max(self.sacked.last().map_or(0, |top| top.end));
        (floor < nxt).then(|| Range::new(nxt.saturating_sub(segment).max(floor), nxt))
    }

    /// `range` (as returned by `next_lost` or `next_doubtful`, cut short perhaps) was sent again
    /// after it was lost in `round`.
    pub(crate) fn resend(&mut self, round: usize, range: Range) {
        let resent = &mut self.rounds[round].resent;
        *resent = Edge::new(range.end, resent.sacked + (range.start - resent.at));
    }

    /// RFC 6675 §4 `SetPipe`: bytes thought to be in the network.
    pub(crate) fn pipe(&self, una: u64, nxt: u64) -> u64 {
        let mut sent = Edge::new(nxt, self.sacked.bytes()).unsacked(una);
        let mut lost = self.assumed;
        for round in &self.rounds[..self.depth] {
            let (resent, gone) = round.balance(una);
            sent += resent;
            lost += gone;
        }
        sent.saturating_sub(lost)
    }

    /// Bytes SACKed, or assumed to be.
    pub(crate) fn delivered(&self) -> u64 {
        self.sacked.bytes() + self.assumed
    }

    /// Steps taken in the ranges so far: the cost of the scoreboard.
    pub(crate) fn steps(&self) -> u64 {
        self.sacked.steps()
    }

    /// Ranges SACKed now.
    pub(crate) fn ranges(&self) -> usize {
        self.sacked.len()
    }
}

impl News {
    fn add(&mut self, new: Range, split: u64) {
        if new.end > split {
            let (first, last) = (new.start.max(split), new.end - 1);
            let seen = self.above.unwrap_or((first, last));
            self.above = Some((first.min(seen.0), last.max(seen.1)));
        }
        if new.start < split {
            let last = new.end.min(split) - 1;
            self.below = Some(self.below.map_or(last, |seen| seen.max(last)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SEGMENT: u64 = 10;

    fn block(start: u64, end: u64) -> SackBlock {
        SackBlock { start, end }
    }

    #[test]
    fn rfc6675_4_is_lost_needs_three_ranges_or_more_than_two_segments_above() {
        let mut b = Scoreboard::default();
        b.sack(&[block(10, 20)], 0, 100, 0);
        assert!(!b.detect_loss(SEGMENT));
        b.sack(&[block(10, 30)], 0, 100, 0);
        assert!(!b.detect_loss(SEGMENT));
        b.sack(&[block(10, 31)], 0, 100, 0);
        assert!(b.detect_loss(SEGMENT));
        assert_eq!(b.next_lost(), Some((0, Range::new(0, 10))));
        let mut b = Scoreboard::default();
        b.sack(&[block(10, 12), block(20, 22), block(30, 32)], 0, 100, 0);
        assert!(b.detect_loss(SEGMENT));
        assert_eq!(b.pipe(0, 100), 84);
    }

    #[test]
    fn impossible_blocks_change_nothing() {
        let mut b = Scoreboard::default();
        let bad = [
            block(90, 101),
            block(50, 50),
            block(60, 40),
            block(0, u64::MAX),
        ];
        assert_eq!(b.sack(&bad, 0, 100, 0).bytes, 0);
        assert_eq!(b.sack(&[block(0, 50)], 50, 100, 0).bytes, 0);
        assert_eq!(b.sack(&[block(0, 60)], 50, 100, 0).bytes, 10);
    }

    /// One state per byte: the round it was sent in last, whether that was lost; everything counted
    /// by scanning. Original and retransmission are both in flight until one is known to be lost.
    struct Naive {
        sacked: [bool; 200],
        /// For each round, bytes lost in it and bytes sent again after it.
        lost: [[bool; 200]; MOST_ROUNDS],
        resent: [[bool; 200]; MOST_ROUNDS],
    }

    impl Naive {
        fn pipe(&self, una: usize, nxt: usize) -> u64 {
            (una..nxt)
                .filter(|i| !self.sacked[*i])
                .map(|i| {
                    let count = |rounds: &[[bool; 200]]| {
                        rounds.iter().filter(|round| round[i]).count() as u64
                    };
                    1 + count(&self.resent) - count(&self.lost)
                })
                .sum()
        }

        /// Transmissions after the first, less those that were lost.
        fn repairs(&self, una: usize, nxt: usize) -> u64 {
            let count = |rounds: &[[bool; 200]], i: usize| {
                rounds.iter().filter(|round| round[i]).count() as u64
            };
            let open = (una..nxt).filter(|i| !self.sacked[*i]);
            open.map(|i| count(&self.resent, i) - count(&self.lost[1..], i))
                .sum()
        }

        fn detect(&mut self, una: usize, nxt: usize) {
            for i in una..nxt {
                let above = &self.sacked[i + 1..nxt];
                let bytes = above.iter().filter(|s| **s).count() as u64;
                let ranges = above
                    .iter()
                    .enumerate()
                    .filter(|(j, s)| **s && (*j == 0 || !above[j - 1]))
                    .count();
                if !self.sacked[i] && (ranges >= 3 || bytes > 2 * SEGMENT) {
                    self.lost[0][i] = true;
                }
            }
        }

        /// The lowest byte of the deepest round that is lost and not sent again.
        fn next(&self, una: usize, nxt: usize) -> Option<(usize, usize)> {
            (0..MOST_ROUNDS).rev().find_map(|n| {
                let first = (una..nxt)
                    .find(|i| self.lost[n][*i] && !self.resent[n][*i] && !self.sacked[*i]);
                first.map(|i| (n, i))
            })
        }
    }

    proptest! {
        #[test]
        fn pipe_and_next_segment_agree_with_a_scan(
            ops in proptest::collection::vec((0u8..10, 0u64..200, 1u64..25), 1..160)
        ) {
            let mut b = Scoreboard::default();
            let none = [[false; 200]; MOST_ROUNDS];
            let mut naive = Naive { sacked: [false; 200], resent: none, lost: none };
            let (mut una, nxt) = (0u64, 200u64);
            for (op, at, len) in ops {
                match op {
                    0 if at < 60 => {
                        una = (una + len).min(nxt);
                        b.acknowledge(una);
                    }
                    1 if at < 10 => {
                        b.lose_all(una, nxt);
                        if una < nxt && naive.sacked[una as usize] {
                            naive.sacked.fill(false);
                        }
                        naive.lost = none;
                        naive.resent = none;
                        naive.lost[0].fill(true);
                    }
                    1 if at < 15 => {
                        b.lose_nothing(una);
                        naive.lost = none;
                        naive.resent = none;
                    }
                    2 | 3 => {
                        let next = b.next_lost();
                        prop_assert_eq!(
                            next.map(|(n, r)| (n, r.start as usize)),
                            naive.next(una as usize, nxt as usize)
                        );
                        if let Some((n, r)) = next {
                            let r = Range::new(r.start, r.end.min(r.start + SEGMENT));
                            b.resend(n, r);
                            naive.resent[n][r.start as usize..r.end as usize].fill(true);
                        }
                    }
                    8 | 9 => {
                        // A part of what was sent in some round is lost.
                        let round = (at as usize) % b.depth().clamp(1, MOST_ROUNDS - 1);
                        let round = round + usize::from(len % 2 == 0);
                        let sent = if round == 0 { nxt } else { b.resent_edge(round - 1) };
                        let from = b.lost_edge(round, una);
                        if round > b.depth() || from >= sent {
                            continue;
                        }
                        let edge = (from + len).min(sent);
                        let gone = &mut naive.lost[round][from as usize..edge as usize];
                        gone.fill(true);
                        let fresh = naive.sacked[from as usize..edge as usize].iter().any(|s| !s);
                        prop_assert_eq!(b.lose_below(round, edge, una), fresh);
                    }
                    _ => {
                        let end = (at + len).min(nxt);
                        let start = at.max(una);
                        let news = b.sack(&[block(at, end)], una, nxt, 100);
                        if start < end {
                            let fresh = |i: &u64| !naive.sacked[*i as usize];
                            prop_assert_eq!(news.above.map(|n| n.0), (start.max(100)..end).find(fresh));
                            prop_assert_eq!(news.above.map(|n| n.1), (start.max(100)..end).rfind(fresh));
                            prop_assert_eq!(news.below, (start..end.min(100)).rfind(fresh));
                            naive.sacked[start as usize..end as usize].fill(true);
                        }
                        b.detect_loss(SEGMENT);
                        naive.detect(una as usize, nxt as usize);
                    }
                }
                prop_assert_eq!(b.pipe(una, nxt), naive.pipe(una as usize, nxt as usize));
                prop_assert_eq!(b.repairs(una), naive.repairs(una as usize, nxt as usize));
                let open = |i: &u64| !naive.sacked[*i as usize];
                let edge = nxt - nxt % 7;
                if una < edge {
                    prop_assert_eq!(b.last_unsacked_of(una, edge), (una..edge).rfind(open));
                }
                if una < nxt && !naive.sacked[una as usize] {
                    let count = naive.resent.iter().take_while(|r| r[una as usize]).count();
                    prop_assert_eq!(b.rounds_sent(una), count);
                }
            }
        }
    }
}
