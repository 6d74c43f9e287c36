//! What a receiver takes for a full segment, every second of which it acknowledges, and a window too small for two.

use super::Receiver;
use crate::{Config, Flavour, Reading};

/// What is shorter is none (Linux's `TCP_MSS_DEFAULT`).
const LEAST: u64 = 536;
/// Most bytes that a host gathers to one segment: what the length of an IPv4 datagram can say.
pub(super) const GATHERED: u64 = 65_535;

/// Bytes of options that a segment may lack, so that it has as much more payload (RFC 9293 §3.1).
const OPTIONS: u64 = 40;

/// Bytes that are handed over at once where segments of `segment` bytes are gathered, at least those of a `pair`.
pub(super) fn gathered(pair: u64, segment: u64) -> u64 {
    pair.max(GATHERED / segment.max(1) * segment)
}

/// A sender that found its path's MTU smaller sends shorter segments, and those are full ones then.
#[derive(Clone, Copy, Debug)]
pub(super) struct FullSegment {
    largest: u64,
    /// An ACK is due for so many bytes, however few segments they are.
    enough: u64,
    /// Whether anything beyond all but one of the full segments makes an ACK due (Linux).
    beyond: bool,
    /// Length and end of the last segment that was shorter than a full one.
    shorter: (u64, u64),
}

impl FullSegment {
    /// Before anything arrived: what the two ends agreed on.
    pub(super) fn of(config: &Config) -> FullSegment {
        // A Linux whose program has read everything acknowledges at once where that at least doubles what was left of the
        // window (`__tcp_cleanup_rbuf`): half of it has come. Of a window of one or two segments that is each of them.
        let enough = match (config.flavour, config.reading) {
            (Flavour::Linux, Reading::AtOnce) => config.receive_window.div_ceil(2).max(1),
            _ => u64::MAX,
        };
        FullSegment {
            largest: config.segment() + OPTIONS,
            enough,
            beyond: config.flavour == Flavour::Linux,
            shorter: (0, 0),
        }
    }

    /// Unacknowledged bytes that make an ACK due, where `every` full segments of `segment` bytes do. By RFC 9293 §3.8.6.3 as many
    /// bytes; in Linux more than all but one of them have (`__tcp_ack_snd_check`), so that the short end of an answer behind
    /// a full segment waits for no timer.
    pub(super) fn due(&self, every: u64, segment: u64) -> u64 {
        match every {
            1 => 1,
            _ if self.beyond => self.enough.min((every - 1) * segment + 1),
            _ => self.enough.min(every * segment),
        }
    }

    /// A segment of `len` bytes at `seq` arrived, where full ones have `segment`: what they have from now on. Two in a row of one
    /// length are believed, and one that is longer (`tcp_measure_rcv_mss` in Linux).
    ///
    /// Deviation from Linux: the second must come before the first is acknowledged (`waits`). Else the sender may have
    /// had no more to send, and what an application asks again and again is not a full segment.
    pub(super) fn note(&mut self, segment: u64, seq: u64, len: u64, waits: bool) -> Option<u64> {
        if len < segment {
            let again = self.shorter == (len, seq);
            self.shorter = (len, seq.saturating_add(len));
            if !waits || !again || len < LEAST {
                return None;
            }
        }
        Some(len.min(self.largest))
    }
}

impl Receiver {
    /// Payload bytes of a full segment: the usual case is one of these.
    #[inline]
    pub fn segment_bytes(&self) -> u64 {
        self.segment
    }

    /// A segment is about to be handed to `on_data` that is not as long as a full one.
    #[cold]
    pub fn note_length(&mut self, seq: u64, len: u64) {
        let waits = self.next > self.acked;
        let Some(segment) = self.full.note(self.segment, seq, len, waits) else {
            return;
        };
        self.segment = segment;
        if self.every > 1 {
            let pair = self.full.due(self.every, segment);
            self.usual_threshold = pair;
            if let Some(gathers) = &mut self.gathers {
                gathers.threshold = pair;
                self.usual_threshold = gathered(pair, segment);
            }
        }
        if self.quick == 0 {
            self.threshold = self.usual_threshold;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_a_length_are_full_ones_and_so_is_a_longer_one() {
        let mut full = FullSegment::of(&Config {
            mss: 8948,
            ..Config::default()
        });
        assert_eq!(full.note(8948, 0, 4418, true), None);
        assert_eq!(full.note(8948, 4418, 784, true), None);
        assert_eq!(full.note(8948, 5202, 4418, true), None);
        assert_eq!(full.note(8948, 90_000, 4418, true), None, "not in a row");
        assert_eq!(full.note(8948, 94_418, 4418, false), None, "requests");
        assert_eq!(full.note(8948, 98_836, 4418, true), Some(4418));
        assert_eq!(full.note(4418, 103_254, 8948, false), Some(8948));
        assert_eq!(full.note(4418, 112_202, 9000, false), Some(8988));
        assert_eq!(full.note(8948, 0, 100, true), None);
        assert_eq!(full.note(8948, 100, 100, true), None, "too short");
    }

    #[test]
    fn half_of_a_small_window_makes_an_ack_due_in_linux() {
        let due = |flavour, segments: u64| {
            let config = Config {
                flavour,
                receive_window: segments * 1448,
                ..Config::default()
            };
            FullSegment::of(&config).due(2, 1448)
        };
        for (segments, bytes) in [(1, 724), (2, 1448), (3, 1449), (4, 1449), (100, 1449)] {
            assert_eq!(due(Flavour::Linux, segments), bytes, "{segments}");
            assert_eq!(due(Flavour::Rfc, segments), 2896, "{segments}");
        }
        let told = Config {
            flavour: Flavour::Linux,
            receive_window: 1448,
            reading: Reading::Told,
            ..Config::default()
        };
        assert_eq!(FullSegment::of(&told).due(2, 1448), 1449);
        assert_eq!(FullSegment::of(&told).due(1, 1448), 1);
    }
}
