//! The sender's view of what left the network: SACKed, lost and retransmitted bytes (RFC 6675 §3, §4).
//!
//! RFC 6675's `IsLost` is monotone (what is below a lost byte and not SACKed is lost too) and its
//! `NextSeg` retransmits upwards, so two edges and the SACKed ranges say everything:
//!
//! ```text
//!   una ........ resent ........ lost ........ nxt       (resent may also pass lost)
//!   lost and     lost, not      in flight,
//!   retransmitted retransmitted  not SACKed
//! ```
//!
//! `pipe` follows from byte counts below each edge, kept as ranges come and edges move: no scan.

use crate::ranges::{Range, Ranges};
use crate::sack::{MAX_SACK_BLOCKS, SackBlock};

/// RFC 6675 §2: this many segments above a byte make it lost.
const DUP_THRESH: usize = 3;

/// The scoreboard. The caller passes `una` (first unacknowledged byte) and `nxt` (first unsent).
#[derive(Clone, Debug, Default)]
pub(crate) struct Scoreboard {
    sacked: Ranges,
    /// RFC 6675's HighRxt: everything below that is not SACKed was retransmitted in this episode.
    resent: u64,
    sacked_below_resent: u64,
    /// Everything below that is not SACKed is lost.
    lost: u64,
    sacked_below_lost: u64,
    /// Without SACK: bytes that duplicate ACKs stand for.
    assumed: u64,
    /// Blocks of the last ACK, to skip repetitions.
    seen: [SackBlock; MAX_SACK_BLOCKS],
}

impl Scoreboard {
    /// Brings the edges up to `una` after ACKs the scoreboard was not told of.
    pub(crate) fn catch_up(&mut self, una: u64) {
        if self.resent < una {
            self.resent = una;
            self.sacked_below_resent = 0;
        }
        if self.lost < una {
            self.lost = una;
            self.sacked_below_lost = 0;
        }
    }

    /// Nothing is SACKed, lost or retransmitted: everything from `una` up is in flight once.
    pub(crate) fn is_clean(&self, una: u64) -> bool {
        self.sacked.is_empty() && self.lost <= una && self.resent <= una && self.assumed == 0
    }

    /// Bytes SACKed, or that duplicate ACKs stand for.
    pub(crate) fn sacked_bytes(&self) -> u64 {
        self.sacked.bytes() + self.assumed
    }

    /// Bytes from `una` up that are lost.
    pub(crate) fn lost_bytes(&self, una: u64) -> u64 {
        self.lost.saturating_sub(una + self.sacked_below_lost)
    }

    /// Bytes from `una` up that were sent again in this episode.
    pub(crate) fn resent_bytes(&self, una: u64) -> u64 {
        self.resent.saturating_sub(una + self.sacked_below_resent)
    }

    /// The cumulative acknowledgement moved to `una`; returns bytes below it that were SACKed before.
    pub(crate) fn acknowledge(&mut self, una: u64) -> u64 {
        let removed = self.sacked.trim_below(una);
        if una >= self.resent {
            self.resent = una;
            self.sacked_below_resent = 0;
        } else {
            self.sacked_below_resent -= removed;
        }
        if una >= self.lost {
            self.lost = una;
            self.sacked_below_lost = 0;
        } else {
            self.sacked_below_lost -= removed;
        }
        removed
    }

    /// Takes in the blocks of one ACK; returns newly SACKed bytes. Blocks that cannot be true
    /// (empty, beyond `nxt`) are ignored; parts below `una` (D-SACK, RFC 2883) too.
    pub(crate) fn sack(&mut self, blocks: &[SackBlock], una: u64, nxt: u64) -> u64 {
        let before = self.sacked.bytes();
        let mut seen = [SackBlock::default(); MAX_SACK_BLOCKS];
        for (i, block) in blocks.iter().take(MAX_SACK_BLOCKS).enumerate() {
            seen[i] = *block;
            let start = block.start.max(una);
            if start < block.end && block.end <= nxt && !self.seen.contains(block) {
                let (resent, lost) = (self.resent, self.lost);
                let (mut below_resent, mut below_lost) = (0, 0);
                self.sacked.insert(Range::new(start, block.end), |new| {
                    below_resent += new.end.min(resent).saturating_sub(new.start);
                    below_lost += new.end.min(lost).saturating_sub(new.start);
                });
                self.sacked_below_resent += below_resent;
                self.sacked_below_lost += below_lost;
            }
        }
        self.seen = seen;
        self.sacked.bytes() - before
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
                let moved = range.start > self.lost;
                if moved {
                    self.lost = range.start;
                    self.sacked_below_lost = self.sacked.bytes() - bytes;
                }
                return moved;
            }
        }
        false
    }

    /// Declares the segment at `una` lost: by duplicate ACKs alone, or by a partial ACK without SACK.
    pub(crate) fn lose_head(&mut self, una: u64, nxt: u64, segment: u64) {
        let edge = (una + segment)
            .min(nxt)
            .min(self.sacked.first().map_or(u64::MAX, |r| r.start));
        if edge > self.lost {
            self.lost = edge;
            self.sacked_below_lost = 0;
        }
    }

    /// RFC 6675 §5.1: after a timeout everything not SACKed is lost and to be sent again. A SACKed
    /// byte at `una` itself means the receiver took SACKs back (RFC 2018 §8): then all are dropped.
    pub(crate) fn lose_all(&mut self, una: u64, nxt: u64) {
        if self.sacked.first().is_some_and(|r| r.start <= una) {
            self.sacked.clear();
            self.seen = [SackBlock::default(); MAX_SACK_BLOCKS];
        }
        self.assumed = 0;
        self.resent = una;
        self.sacked_below_resent = 0;
        self.lost = nxt;
        self.sacked_below_lost = self.sacked.bytes();
    }

    /// Whether anything from `una` up is lost.
    pub(crate) fn has_lost(&self, una: u64) -> bool {
        self.lost > una
    }

    /// RFC 6675 §4 `NextSeg` rule 1: the lowest lost byte not retransmitted yet, and what follows it.
    pub(crate) fn next_lost(&mut self) -> Option<Range> {
        if self.resent >= self.lost {
            return None;
        }
        self.sacked.first_gap(self.resent, self.lost)
    }

    /// `NextSeg` rule 3: a byte below the highest SACK, not retransmitted yet, not known to be lost.
    pub(crate) fn next_doubtful(&mut self) -> Option<Range> {
        let top = self.sacked.last()?.start;
        if self.resent >= top {
            return None;
        }
        self.sacked.first_gap(self.resent, top)
    }

    /// `NextSeg` rule 4: the last segment, when it is neither SACKed nor retransmitted.
    pub(crate) fn last_unsacked(&self, nxt: u64, segment: u64) -> Option<Range> {
        let floor = self.resent.max(self.sacked.last().map_or(0, |top| top.end));
        (floor < nxt).then(|| Range::new(nxt.saturating_sub(segment).max(floor), nxt))
    }

    /// `range` (as returned by `next_lost` or `next_doubtful`, cut short perhaps) was sent again.
    pub(crate) fn resend(&mut self, range: Range) {
        self.sacked_below_resent += range.start - self.resent;
        self.resent = range.end;
    }

    /// RFC 6675 §4 `SetPipe`: bytes thought to be in the network.
    pub(crate) fn pipe(&self, una: u64, nxt: u64) -> u64 {
        let original = (nxt - self.lost) - (self.sacked.bytes() - self.sacked_below_lost);
        let again = (self.resent - una) - self.sacked_below_resent;
        (original + again).saturating_sub(self.assumed)
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
        b.sack(&[block(10, 20)], 0, 100);
        assert!(!b.detect_loss(SEGMENT));
        b.sack(&[block(10, 30)], 0, 100);
        assert!(!b.detect_loss(SEGMENT));
        b.sack(&[block(10, 31)], 0, 100);
        assert!(b.detect_loss(SEGMENT));
        assert_eq!(b.next_lost(), Some(Range::new(0, 10)));
        let mut b = Scoreboard::default();
        b.sack(&[block(10, 12), block(20, 22), block(30, 32)], 0, 100);
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
        assert_eq!(b.sack(&bad, 0, 100), 0);
        assert_eq!(b.sack(&[block(0, 50)], 50, 100), 0);
        assert_eq!(b.sack(&[block(0, 60)], 50, 100), 10);
    }

    /// One state per byte, and everything counted by scanning.
    struct Naive {
        sacked: [bool; 200],
        resent: [bool; 200],
        lost: [bool; 200],
    }

    impl Naive {
        fn pipe(&self, una: usize, nxt: usize) -> u64 {
            (una..nxt)
                .map(|i| match self.sacked[i] {
                    true => 0,
                    false => u64::from(!self.lost[i]) + u64::from(self.resent[i]),
                })
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
                    self.lost[i] = true;
                }
            }
        }
    }

    proptest! {
        #[test]
        fn pipe_and_next_segment_agree_with_a_scan(
            ops in proptest::collection::vec((0u8..8, 0u64..200, 1u64..25), 1..120)
        ) {
            let mut b = Scoreboard::default();
            let mut naive = Naive { sacked: [false; 200], resent: [false; 200], lost: [false; 200] };
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
                        naive.lost.fill(true);
                        naive.resent.fill(false);
                    }
                    2 | 3 => {
                        let next = b.next_lost();
                        let lowest = (una..nxt).map(|i| i as usize)
                            .find(|i| naive.lost[*i] && !naive.resent[*i] && !naive.sacked[*i]);
                        prop_assert_eq!(next.map(|r| r.start as usize), lowest);
                        if let Some(r) = next {
                            let r = Range::new(r.start, r.end.min(r.start + SEGMENT));
                            b.resend(r);
                            naive.resent[r.start as usize..r.end as usize].fill(true);
                        }
                    }
                    _ => {
                        let end = (at + len).min(nxt);
                        b.sack(&[block(at, end)], una, nxt);
                        if at.max(una) < end {
                            naive.sacked[at.max(una) as usize..end as usize].fill(true);
                        }
                        b.detect_loss(SEGMENT);
                        naive.detect(una as usize, nxt as usize);
                    }
                }
                prop_assert_eq!(b.pipe(una, nxt), naive.pipe(una as usize, nxt as usize));
            }
        }
    }
}
