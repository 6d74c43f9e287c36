//! Whether a datagram behind a lost one is that one again.
//!
//! Who asks again sends the same bytes (RFC 1035 §4.2.1 leaves when to the program). Heartbeats, positions of a game and what else a timer
//! sends have other bytes each time, or come at the same distance whether one is lost or not.

use farpath_units::{Duration, Time};

use crate::plane::packet::{Cut, Packet};

/// So many of the last datagrams are known: a resolver asks for A and AAAA from one port.
const KNOWN: usize = 4;

/// A distance is the usual one where it differs by no more than this part of that.
const USUAL: u64 = 8;

/// An odd number whose bits are mixed: 2⁶⁴ divided by the golden ratio.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

/// What the last datagrams of an end carried.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Carried {
    last: [Option<u64>; KNOWN],
    next: usize,
    /// When the last one was sent.
    asked: Option<Time>,
    /// How long after another one, of which nothing was lost, one was last sent.
    usual: Option<Duration>,
}

impl Carried {
    /// `packet`, whose bytes these are, is sent `now`. Whether it is one of the last ones again, where one of them or its answer `is_lost`.
    pub(super) fn asks(
        &mut self,
        (packet, bytes): (&Packet, &[u8]),
        (now, is_lost): (Time, bool),
    ) -> bool {
        let mark = mark(packet, bytes);
        let is_known = mark.is_some() && self.last.contains(&mark);
        let since = self.asked.replace(now).map(|asked| now.since(asked));
        let is_usual = since
            .zip(self.usual)
            .is_some_and(|(since, usual)| are_like(since, usual));
        if !is_lost {
            self.usual = since;
        }
        if !is_known {
            self.last[self.next] = mark;
            self.next = (self.next + 1) % KNOWN;
        }
        is_lost && is_known && !is_usual
    }
}

/// Whether two distances differ by little.
fn are_like(one: Duration, other: Duration) -> bool {
    let [short, long] = [one.min(other), one.max(other)];
    long.saturating_sub(short).times(USUAL) <= long
}

/// What tells the payload of a datagram from others; none of several in one packet, and none of an empty one.
fn mark(packet: &Packet, bytes: &[u8]) -> Option<u64> {
    let payload = bytes.get(usize::from(packet.payload_at)..packet.end as usize)?;
    let is_one = packet.cut == Cut::Whole && !payload.is_empty();
    is_one.then(|| mixed(payload))
}

/// A hash of these bytes, eight at a time: each datagram of who asks has one.
fn mixed(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, word: [u8; 8]| {
        let sum = sum ^ u64::from_le_bytes(word);
        sum.wrapping_mul(MIX).rotate_left(29)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().copied().fold(bytes.len() as u64, mix);
    if rest.is_empty() {
        return sum;
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    mix(sum, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// Whether each of these is the one before it again: when it is sent, what it carries, and whether one before it is lost.
    fn again(sent: &[(u64, &str, bool)]) -> Vec<bool> {
        let mut carried = Carried::default();
        let each = |(ms, text, is_lost): &(u64, &str, bool)| {
            let packet = Packet {
                payload_at: 0,
                ..Packet::plain(text.len())
            };
            carried.asks((&packet, text.as_bytes()), (at(*ms), *is_lost))
        };
        sent.iter().map(each).collect()
    }

    #[test]
    fn the_same_bytes_behind_a_loss_are_a_retry() {
        let names = [
            (0, "A www", false),
            (0, "AAAA www", false),
            (5000, "A www", true),
        ];
        assert_eq!(again(&names), [false, false, true]);
        let other = [(0, "block 1", false), (1000, "block 2", true)];
        assert_eq!(again(&other), [false, false]);
        let kept = [(0, "block 1", false), (30, "block 1", false)];
        assert_eq!(again(&kept), [false, false], "nothing was lost");
    }

    /// A constant heartbeat each 250 ms; and a program that asks the same as soon as it is answered, and after a second without an answer.
    #[test]
    fn what_comes_at_its_usual_distance_is_no_retry() {
        let beats = [
            (0, "beat", false),
            (250, "beat", false),
            (502, "beat", true),
        ];
        assert_eq!(again(&beats), [false, false, false]);
        let asks = [
            (0, "time?", false),
            (60, "time?", false),
            (1060, "time?", true),
        ];
        assert_eq!(again(&asks), [false, false, true]);
    }
}
