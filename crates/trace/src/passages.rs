//! What passed, packet by packet: for whoever asks what the losses have in common.

use crate::room::{Room, make_room};
use crate::work;

/// Passages of one direction before something is lost: the newest ones.
const BEFORE_MAX: usize = 1 << 14;
/// Passages of one direction from then on; then each two become one, so many times, and further ones are left out.
const PASSAGES_MAX: usize = 1 << 16;
const JOINS_MAX: u32 = 2;

/// Packets that passed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    /// When the first of them did, nanoseconds.
    pub(crate) at: i64,
    /// Bytes with the headers of IP and TCP.
    pub(crate) bytes: u32,
}

/// The passages of one direction, in order of time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passages {
    pub(crate) all: Vec<Passage>,
    /// The headers of each packet, bytes.
    pub(crate) header: u32,
    /// They begin with the connection's first data.
    pub(crate) from_start: bool,
    /// What passes within this time is one passage, nanoseconds.
    width: i64,
    joins: u32,
    /// Further ones are left out.
    ended: bool,
}

impl Passages {
    /// Passages of packets with headers of so many bytes.
    pub(crate) fn new(header: u32) -> Passages {
        Passages {
            header,
            from_start: true,
            ..Passages::default()
        }
    }

    /// A packet passes; `lost` where something was lost before. There is no room for further ones where others have taken it.
    #[inline]
    pub(crate) fn add(&mut self, at: i64, bytes: u32, lost: bool, room: &mut Room) {
        if let Some(last) = self.all.last_mut()
            && at - last.at < self.width
        {
            last.bytes = last.bytes.saturating_add(bytes);
            return;
        }
        let most = if lost { PASSAGES_MAX } else { BEFORE_MAX };
        if self.all.len() >= most {
            self.shorten(lost, room);
        }
        self.ended |= room.passages == 0 || self.all.len() >= most;
        if !self.ended {
            room.passages -= 1;
            make_room(&mut self.all);
            self.all.push(Passage { at, bytes });
        }
    }

    /// Without losses the older half is of no use; else what passed together becomes one.
    #[cold]
    fn shorten(&mut self, lost: bool, room: &mut Room) {
        let before = self.all.len();
        let moves = !lost || self.joins < JOINS_MAX;
        work::count(if moves { before } else { 0 });
        if lost {
            if self.joins < JOINS_MAX {
                self.joins += 1;
                self.join();
            }
        } else {
            self.all.drain(..before / 2);
            self.from_start = false;
        }
        room.passages += before - self.all.len();
    }

    /// Whether packets were joined that did not pass at once.
    pub(crate) fn is_joined(&self) -> bool {
        self.joins > 0
    }

    fn join(&mut self) {
        let spans = self
            .all
            .chunks(2)
            .map(|pair| pair[pair.len() - 1].at - pair[0].at);
        // Of the shorter half: pauses between bursts are not what passes together.
        let mut spans: Vec<i64> = spans.collect();
        spans.sort_unstable();
        self.width = self.width.max(spans[spans.len() / 2]).max(1) * 2;
        let mut kept: Vec<Passage> = Vec::with_capacity(PASSAGES_MAX);
        for next in self.all.drain(..) {
            match kept.last_mut() {
                Some(last) if next.at - last.at < self.width => {
                    last.bytes = last.bytes.saturating_add(next.bytes);
                }
                _ => kept.push(next),
            }
        }
        self.all = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_kept_and_room_is_given_back_when_passages_are_joined() {
        let mut room = Room::default();
        let before = room.passages;
        let mut passages = Passages::new(40);
        for n in 0..100_000 {
            passages.add(n * 12_000 + n / 20 * 50_000_000, 1500, true, &mut room);
        }
        let bytes: u64 = passages.all.iter().map(|p| u64::from(p.bytes)).sum();
        assert_eq!(bytes, 150_000_000);
        assert!(passages.is_joined());
        assert!(passages.all.len() <= PASSAGES_MAX);
        assert_eq!(before - room.passages, passages.all.len());
        // Twenty in a burst: whole bursts are joined, and not bursts with each other.
        assert!(passages.all.iter().all(|p| p.bytes <= 30_000));
    }

    #[test]
    fn before_a_loss_the_newest_are_kept() {
        let mut room = Room::default();
        let before = room.passages;
        let mut passages = Passages::new(40);
        for n in 0..100_000 {
            passages.add(n * 1000, 100, false, &mut room);
        }
        let newest = passages.all.last().expect("some are kept");
        assert!(!passages.from_start && newest.at == 99_999_000);
        assert!((BEFORE_MAX / 2..=BEFORE_MAX).contains(&passages.all.len()));
        assert_eq!(before - room.passages, passages.all.len());
    }
}
