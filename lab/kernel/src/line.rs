//! One direction of the path, on the packets' own timeline: a rate, a FIFO, a delay and one scripted loss.

use std::collections::VecDeque;

use farpath_units::{Duration, Rate, Size, Time};

use crate::packet::Segment;

/// A transmitter behind a FIFO, and the propagation after it. Nothing here knows the real time, so a
/// forwarder that is late delivers late and falls behind no further.
#[derive(Debug)]
pub(crate) struct Line {
    rate: Rate,
    delay: Duration,
    /// Packets that may wait; the one in service does not count.
    limit: usize,
    free: Time,
    latest: Time,
    /// When the service of each waiting packet begins.
    starts: VecDeque<Time>,
    /// Packets that found the queue full.
    pub(crate) dropped: u64,
}

impl Line {
    pub(crate) fn new(rate: Rate, delay: Duration, limit: usize) -> Line {
        Line {
            rate,
            delay,
            limit,
            free: Time::ZERO,
            latest: Time::ZERO,
            starts: VecDeque::new(),
            dropped: 0,
        }
    }

    /// A packet of `bytes` arrives at `at`: when it reaches the far end, or `None` if the queue is full.
    pub(crate) fn offer(&mut self, at: Time, bytes: u64) -> Option<Time> {
        let at = at.max(self.latest);
        self.latest = at;
        while self.starts.front().is_some_and(|start| *start <= at) {
            self.starts.pop_front();
        }
        let start = at.max(self.free);
        if start > at {
            if self.starts.len() >= self.limit {
                self.dropped += 1;
                return None;
            }
            self.starts.push_back(start);
        }
        self.free = start + self.rate.time_for(Size::from_bytes(bytes));
        Some(self.free + self.delay)
    }
}

/// Loses the first transmission of one data segment, counted from 1, and notes when its
/// retransmission passes.
#[derive(Debug, Default)]
pub(crate) struct Script {
    ordinal: Option<u64>,
    seen: u64,
    /// The end of what was sent so far.
    edge: Option<u32>,
    lost: Option<u32>,
    /// When the lost segment was sent.
    pub(crate) lost_at: Option<Time>,
    /// When it was sent again.
    pub(crate) resent_at: Option<Time>,
    /// Data segments sent that begin below the edge.
    pub(crate) retransmissions: u64,
}

impl Script {
    pub(crate) fn new(ordinal: Option<u64>) -> Script {
        Script {
            ordinal,
            ..Script::default()
        }
    }

    /// Whether this segment is the one to lose.
    pub(crate) fn strikes(&mut self, at: Time, segment: &Segment) -> bool {
        if segment.payload == 0 {
            return false;
        }
        let end = segment.seq.wrapping_add(segment.payload);
        let new = self
            .edge
            .is_none_or(|edge| segment.seq.wrapping_sub(edge) < 1 << 31);
        if !new {
            self.retransmissions += 1;
            if self.lost == Some(segment.seq) && self.resent_at.is_none() {
                self.resent_at = Some(at);
            }
            return false;
        }
        self.edge = Some(end);
        self.seen += 1;
        if self.ordinal != Some(self.seen) {
            return false;
        }
        self.lost = Some(segment.seq);
        self.lost_at = Some(at);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 12 Mbit/s: 1500 bytes take 1 ms.
    fn line(limit: usize) -> Line {
        let rate = Rate::from_bps(12_000_000).expect("not zero");
        Line::new(rate, Duration::from_ms(10), limit)
    }

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn packets_leave_one_transmission_apart_and_arrive_a_delay_later() {
        let mut line = line(10);
        let due: Vec<_> = (0..3).map(|_| line.offer(ms(5), 1500)).collect();
        assert_eq!(due, [Some(ms(16)), Some(ms(17)), Some(ms(18))]);
        // Idle again: nothing is carried over.
        assert_eq!(line.offer(ms(40), 1500), Some(ms(51)));
    }

    #[test]
    fn the_packet_in_service_does_not_count_against_the_limit() {
        let mut line = line(2);
        let fits: Vec<_> = (0..4).map(|_| line.offer(ms(0), 1500).is_some()).collect();
        assert_eq!(fits, [true, true, true, false]);
        assert_eq!(line.dropped, 1);
        // At 1 ms the second is in service: one place is free, and only one.
        assert!(line.offer(ms(1), 1500).is_some());
        assert!(line.offer(ms(1), 1500).is_none());
    }

    #[test]
    fn an_earlier_stamp_does_not_overtake() {
        let mut line = line(10);
        assert_eq!(line.offer(ms(20), 1500), Some(ms(31)));
        assert_eq!(line.offer(ms(19), 1500), Some(ms(32)));
    }

    fn data(seq: u32, payload: u32) -> Segment {
        Segment {
            seq,
            payload,
            syn: false,
        }
    }

    #[test]
    fn the_nth_new_segment_is_lost_once_across_the_wrap() {
        let mut script = Script::new(Some(3));
        let start = u32::MAX - 150;
        let seq = |n: u32| start.wrapping_add(100 * n);
        assert!(!script.strikes(ms(0), &data(seq(0), 100)));
        assert!(!script.strikes(ms(1), &data(seq(1), 100)));
        assert!(!script.strikes(ms(2), &data(seq(0), 100))); // sent again: does not count
        assert!(!script.strikes(ms(2), &data(seq(2), 0))); // no data
        assert!(script.strikes(ms(3), &data(seq(2), 100)));
        assert!(!script.strikes(ms(4), &data(seq(3), 100)));
        assert!(!script.strikes(ms(5), &data(seq(2), 100)));
        assert_eq!(script.lost_at, Some(ms(3)));
        assert_eq!(script.resent_at, Some(ms(5)));
        assert_eq!(script.retransmissions, 2);
    }
}
