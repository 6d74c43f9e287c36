//! TCP timestamps as a tap reconstructs them: frames carry none.

use std::collections::VecDeque;

use farpath_units::{Duration, Time};

use crate::{Flags, Frame, Kind};

/// What the taps of a run remember of one flow's timestamps (RFC 7323), a clock of 1 ms. One for all
/// tapped links, given frames in the order of time.
///
/// TSval is the instant at which a place first saw the segment, so waiting between its sender and that
/// place is in it. Later passes of a segment, on the same link or another, keep its TSval and TSecr, and so
/// do copies that a link makes of data. Each retransmission has its own, by the handle in its `side`, also where the
/// original passes a place behind it. What has neither a handle nor data (an ACK without extras, a window
/// probe) is sent anew where its number comes again at the first place. At later places it is the last of its number that had
/// the time to come there, by the shortest time seen. Where it waited longer on the way, it may have the TSval of a later one.
///
/// TSecr of an ACK is the TSval of the last segment it acknowledges; where a hole was filled, of what filled it: that begins where the
/// ACK before ended (RFC 7323 §4.3). It is never lower than that of an ACK before. A receiver that delays
/// ACKs echoes the first of those an ACK newly acknowledges. TSecr of data is the
/// latest TSval that its sender can have had: of the ACKs that passed the other direction of the link where the data is seen
/// first, those that had the time to reach the sender, and the data from there to the tap.
#[derive(Clone, Debug, Default)]
pub struct Timestamps {
    ends: [End; 2],
    /// The longest time from a TSval to its echo, in ms.
    longest: u32,
    /// TSvals of ACKs where they passed, by link and direction, each where it was new there.
    passes: Vec<(usize, VecDeque<Pass>)>,
    recent: Recent,
}

/// What the receiver last acknowledged and echoed.
#[derive(Clone, Copy, Debug, Default)]
struct Recent {
    number: u64,
    value: u32,
    /// The number came more than once: something arrived above it.
    is_repeated: bool,
}

/// The first pass of a TSval at one place.
#[derive(Clone, Copy, Debug)]
struct Pass {
    at: Time,
    value: u32,
}

/// What one end has sent.
#[derive(Clone, Debug, Default)]
struct End {
    /// Segments not yet forgotten, by rising key, and those of one key in the order of their sending.
    segments: VecDeque<Segment>,
    /// The shortest time from the first place to another one, in ms.
    travels: Vec<((usize, u32), u32)>,
    /// The latest TSval; 0 is none.
    latest: u32,
}

#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Where it stands in the stream, the SYN first, and which of several of one number it is.
    key: (u64, u32),
    value: u32,
    echo: u32,
    /// The link's direction and the label it was first seen with: one crossing of the link.
    place: (usize, u32),
}

/// Most passes remembered of one place: a minute of a clock of 1 ms.
const PASSES_MAX: usize = 1 << 16;

/// Most segments remembered at either end, where no echo says when they may be forgotten.
const SEGMENTS_MAX: usize = 1 << 20;

/// Bytes of the headers of IPv6 and of TCP with timestamps. A longer datagram has data; a window probe has none, and the number of
/// the one before it.
const HEADERS_MAX: u16 = 72;

/// Which of one number the ACK is that completes the handshake: behind every SYN.
const HANDSHAKE: u32 = 4;

/// Which of several a SYN or SYN-ACK is, as far as its flags tell; less than [`HANDSHAKE`].
fn opening(frame: &Frame) -> u32 {
    let flags = frame.flags();
    let again = u32::from(flags.contains(Flags::RETRANSMIT));
    again + 2 * u32::from(flags.contains(Flags::ECHO_RETRANSMIT))
}

impl Timestamps {
    /// TSval and TSecr for the next frame of the flow. `place` is the link, times two, and its direction, that it is on. `turn`
    /// is the least time in which an ACK that passes the other direction there reaches the sender, and what the sender
    /// answers this place; none where ACKs go another way.
    pub fn stamp(&mut self, frame: &Frame, place: usize, turn: Option<Duration>) -> (u32, u32) {
        let stamps = self.stamped(frame, place, turn);
        if frame.flow.is_reverse() {
            self.pass(frame.at, place, stamps.0);
        }
        stamps
    }

    fn stamped(&mut self, frame: &Frame, place: usize, turn: Option<Duration>) -> (u32, u32) {
        let from = usize::from(frame.flow.is_reverse());
        let reverse = place ^ 1;
        // One more than the clock: 0 means that nothing has been seen yet.
        let now = ((frame.at.as_ns() / 1_000_000) as u32).wrapping_add(1);
        let place = (place, frame.label.label());
        let again = frame.flags().contains(Flags::RETRANSMIT);
        let key = match frame.kind {
            Kind::Syn | Kind::SynAck => Some((0, opening(frame))),
            // The handle of a retransmission names it.
            Kind::Data if again => Some((frame.seq + 1, frame.side)),
            Kind::Data => Some((frame.seq + 1, 0)),
            Kind::Ack if from == 1 => Some((frame.seq + 1, frame.side)),
            // Data goes one way: an ACK the way data goes completes the handshake.
            Kind::Ack => Some((0, HANDSHAKE)),
            _ => None,
        };
        let is_named = if again {
            frame.side != 0
        } else {
            frame.len > HEADERS_MAX
        };
        let once = frame.kind == Kind::Data && is_named;
        let known = key.and_then(|key| self.ends[from].seen(key, (place, now), once));
        if let Some(known) = known {
            return (known.value, known.echo);
        }
        let of_again = frame.flags().contains(Flags::ECHO_RETRANSMIT);
        let echo = match frame.kind {
            Kind::SynAck => self.ends[1 - from].before(1, of_again),
            Kind::Ack if from == 1 => self.echoed(frame.seq, of_again),
            _ if from == 1 => self.ends[0].latest,
            _ => turn
                .and_then(|turn| self.heard(frame.at, reverse, turn))
                .unwrap_or(self.ends[1].latest),
        };
        if let Some(key) = key {
            self.ends[from].add(Segment {
                key,
                value: now,
                echo,
                place,
            });
        }
        if from == 1 && echo != 0 {
            self.longest = self.longest.max(now.wrapping_sub(echo));
            self.forget(now);
        }
        (now, echo)
    }

    /// The TSval that a new ACK of all below `number` echoes, of a repetition where that is `of_again`.
    fn echoed(&mut self, number: u64, of_again: bool) -> u32 {
        let (sent, before) = (&self.ends[0], self.recent);
        let last = sent.before(number + 1, of_again);
        if number < before.number {
            return last;
        }
        let is_new = number > before.number;
        let fills = is_new && (of_again || before.is_repeated);
        let value = match fills {
            true => sent.before(before.number + 2, of_again),
            false => last,
        };
        self.recent = Recent {
            number,
            value: before.value.max(value),
            is_repeated: !is_new,
        };
        self.recent.value
    }

    /// A TSval passes a place on its way to the sender.
    fn pass(&mut self, at: Time, place: usize, value: u32) {
        let found = self.passes.iter().position(|p| p.0 == place);
        let number = found.unwrap_or_else(|| {
            self.passes.push((place, VecDeque::new()));
            self.passes.len() - 1
        });
        let all = &mut self.passes[number].1;
        if all.back().is_none_or(|last| last.value < value) {
            all.push_back(Pass { at, value });
            if all.len() > PASSES_MAX {
                all.pop_front();
            }
        }
    }

    /// The latest TSval that passed `place` a `turn` before `at`, or the first one; none where nothing passed.
    fn heard(&mut self, at: Time, place: usize, turn: Duration) -> Option<u32> {
        let all = &mut self.passes.iter_mut().find(|p| p.0 == place)?.1;
        while all.get(1).is_some_and(|next| next.at + turn <= at) {
            all.pop_front();
        }
        all.front().map(|pass| pass.value)
    }

    /// Forgets what no pass of any ACK can ask for: two round trips and a second are enough.
    fn forget(&mut self, now: u32) {
        let keep = self.longest.saturating_mul(2).saturating_add(1000);
        for end in &mut self.ends {
            // One stays: the number before the next.
            while end
                .segments
                .get(1)
                .is_some_and(|s| now.wrapping_sub(s.value) > keep)
            {
                end.segments.pop_front();
            }
        }
    }
}

impl End {
    /// The segment `key` that passes `place` at `now`, if it was sent before; one that is sent `once` and comes again is a copy.
    fn seen(
        &mut self,
        key: (u64, u32),
        (place, now): ((usize, u32), u32),
        once: bool,
    ) -> Option<Segment> {
        let start = self.segments.partition_point(|s| s.key < key);
        let end = self.segments.partition_point(|s| s.key <= key);
        let last = *self.segments.range(start..end).next_back()?;
        if last.place == place {
            return once.then_some(last);
        }
        let took = now.wrapping_sub(last.value);
        let known = self.travels.iter().position(|travel| travel.0 == place);
        if end - start == 1 {
            match known {
                Some(n) => self.travels[n].1 = self.travels[n].1.min(took),
                None => self.travels.push((place, took)),
            }
            return Some(last);
        }
        let least = known.map_or(0, |n| self.travels[n].1);
        let all = self.segments.range(start..end);
        let came = all.rev().find(|s| now.wrapping_sub(s.value) >= least);
        came.or(self.segments.get(start)).copied()
    }

    /// Remembers a segment where it was seen first.
    fn add(&mut self, segment: Segment) {
        let at = self.segments.partition_point(|s| s.key <= segment.key);
        self.segments.insert(at, segment);
        if self.segments.len() > SEGMENTS_MAX {
            self.segments.pop_front();
        }
        self.latest = segment.value;
    }

    /// The TSval of the last segment that begins before `position`, of its last repetition where that is `of_again`; 0 if there
    /// is none.
    fn before(&self, position: u64, of_again: bool) -> u32 {
        let end = self.segments.partition_point(|s| s.key.0 < position);
        let last = end.checked_sub(1).and_then(|n| self.segments.get(n));
        let original = last.filter(|_| !of_again).and_then(|last| {
            let start = self.segments.partition_point(|s| s.key.0 < last.key.0);
            let key = self.segments.get(start)?.key;
            let behind = self.segments.partition_point(|s| s.key <= key);
            self.segments.get(behind.checked_sub(1)?)
        });
        let segment = original.or(last).or(self.segments.front());
        segment.map_or(0, |s| s.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FlowDir, LabelEntry};

    fn frame(kind: Kind, seq: u64, ms: u64) -> Frame {
        let reverse = matches!(kind, Kind::Ack | Kind::SynAck);
        let flow = FlowDir::forward(0);
        let mut frame = Frame::new(kind, if reverse { flow.turned() } else { flow }, seq, 60);
        frame.at = Time::from_ps(ms * 1_000_000_000);
        frame
    }

    #[test]
    fn an_ack_echoes_the_segment_it_acknowledges() {
        let mut seen = Timestamps::default();
        assert_eq!(seen.stamp(&frame(Kind::Syn, 0, 5), 0, None), (6, 0));
        assert_eq!(seen.stamp(&frame(Kind::SynAck, 0, 105), 1, None), (106, 6));
        assert_eq!(seen.stamp(&frame(Kind::Data, 0, 110), 0, None), (111, 106));
        assert_eq!(
            seen.stamp(&frame(Kind::Data, 1448, 120), 0, None),
            (121, 106)
        );
        assert_eq!(
            seen.stamp(&frame(Kind::Data, 2896, 130), 0, None),
            (131, 106)
        );
        assert_eq!(
            seen.stamp(&frame(Kind::Ack, 2896, 225), 1, None),
            (226, 121)
        );
        assert_eq!(
            seen.stamp(&frame(Kind::Data, 4344, 226), 0, None),
            (227, 226)
        );
    }

    /// What comes late into a hole, and what is sent again for it.
    #[test]
    fn an_ack_echoes_what_filled_a_hole() {
        let sent = |seen: &mut Timestamps, seq: u64, ms: u64, handle: u32| {
            let mut data = frame(Kind::Data, seq, ms);
            if handle != 0 {
                data.set_flags(Flags::RETRANSMIT);
                data.side = handle;
            }
            seen.stamp(&data, 0, None).0
        };
        let echoed = |seen: &mut Timestamps, number: u64, ms: u64, of_again: bool| {
            let mut ack = frame(Kind::Ack, number, ms);
            if of_again {
                ack.set_flags(Flags::ECHO_RETRANSMIT);
            }
            seen.stamp(&ack, 1, None).1
        };
        for again in [false, true] {
            let mut seen = Timestamps::default();
            for (n, value) in [(0, 11), (1, 12), (2, 13), (3, 14)] {
                assert_eq!(sent(&mut seen, 1448 * n, 10 + n, 0), value);
            }
            for ms in [110, 112, 113] {
                assert_eq!(echoed(&mut seen, 1448, ms, false), 11);
            }
            if again {
                assert_eq!(sent(&mut seen, 1448, 116, 1), 117);
            }
            assert_eq!(sent(&mut seen, 5792, 117, 0), 118);
            let filler = if again { 117 } else { 12 };
            assert_eq!(echoed(&mut seen, 5792, 216, again), filler);
            assert_eq!(echoed(&mut seen, 7240, 217, false), 118);
        }
    }

    #[test]
    fn later_passes_keep_the_value_and_retransmissions_do_not() {
        let mut seen = Timestamps::default();
        let mut pass = |label, way, ms| {
            let mut data = frame(Kind::Data, 1448, ms);
            data.label = LabelEntry::bottom(label, 0, 255);
            seen.stamp(&data, way, None).0
        };
        assert_eq!(
            [pass(16, 0, 10), pass(17, 1, 68), pass(18, 0, 126)],
            [11, 11, 11]
        );
        assert_eq!([pass(16, 0, 700), pass(17, 1, 758)], [701, 701]);
        assert_eq!(
            seen.stamp(&frame(Kind::Ack, 2896, 900), 1, None),
            (901, 701)
        );
    }

    #[test]
    fn a_copy_keeps_the_value_of_what_it_copies() {
        let mut seen = Timestamps::default();
        let mut pass = |again: Option<u32>, ms| {
            let mut data = frame(Kind::Data, 1448, ms);
            data.len = 1500;
            if let Some(handle) = again {
                data.set_flags(Flags::RETRANSMIT);
                data.side = handle;
            }
            seen.stamp(&data, 0, None).0
        };
        assert_eq!([pass(None, 10), pass(None, 13)], [11, 11]);
        assert_eq!([pass(Some(1), 300), pass(Some(1), 303)], [301, 301]);
        assert_eq!([pass(Some(2), 900), pass(None, 902)], [901, 11]);
        // Window probes, which have one number and no data.
        let mut seen = Timestamps::default();
        let mut probe = |ms| seen.stamp(&frame(Kind::Data, 1447, ms), 0, None).0;
        assert_eq!([probe(10), probe(210)], [11, 211]);
    }

    /// The first place sees an original, its repetition and a second one; the next place sees them late and in another order.
    #[test]
    fn each_copy_keeps_its_own_value_at_places_further_on() {
        let mut seen = Timestamps::default();
        let mut pass = |handle, place, ms| {
            let mut data = frame(Kind::Data, 1448, ms);
            data.len = 1500;
            if handle != 0 {
                data.set_flags(Flags::RETRANSMIT);
                data.side = handle;
            }
            seen.stamp(&data, place, None).0
        };
        let near = [pass(0, 0, 140), pass(5, 0, 184), pass(9, 0, 190)];
        assert_eq!(near, [141, 185, 191]);
        let far = [pass(5, 2, 204), pass(0, 2, 205), pass(9, 2, 230)];
        assert_eq!(far, [185, 141, 191]);
        // The receiver had the original alone, and then a repetition.
        let mut ack = frame(Kind::Ack, 2896, 231);
        assert_eq!(seen.stamp(&ack, 3, None).1, 141);
        ack.at = Time::from_ps(240 * 1_000_000_000);
        ack.set_flags(Flags::ECHO_RETRANSMIT);
        assert_eq!(seen.stamp(&ack, 3, None).1, 191);
    }

    #[test]
    fn a_syn_that_comes_behind_the_one_sent_again_keeps_its_value() {
        let mut seen = Timestamps::default();
        let mut syn = |again: bool, place, ms| {
            let mut syn = frame(Kind::Syn, 0, ms);
            if again {
                syn.set_flags(Flags::RETRANSMIT);
            }
            seen.stamp(&syn, place, None).0
        };
        assert_eq!([syn(false, 0, 5), syn(true, 0, 1005)], [6, 1006]);
        assert_eq!([syn(false, 2, 1010), syn(true, 2, 1900)], [6, 1006]);
        let answer = frame(Kind::SynAck, 0, 1910);
        assert_eq!(seen.stamp(&answer, 3, None).1, 6);
    }

    #[test]
    fn of_acks_of_one_number_each_has_the_value_of_its_own_sending() {
        let mut seen = Timestamps::default();
        let mut pass = |kind, seq, place, ms| seen.stamp(&frame(kind, seq, ms), place, None).0;
        assert_eq!(pass(Kind::SynAck, 0, 3, 5), 6);
        assert_eq!(pass(Kind::SynAck, 0, 1, 25), 6);
        let mut ack = |place, ms| pass(Kind::Ack, 1448, place, ms);
        assert_eq!([ack(3, 100), ack(3, 110), ack(3, 118)], [101, 111, 119]);
        assert_eq!([ack(1, 120), ack(1, 130), ack(1, 138)], [101, 111, 119]);
    }

    #[test]
    fn data_echoes_what_its_sender_can_have_heard() {
        let mut seen = Timestamps::default();
        let turn = Some(Duration::from_ms(100));
        seen.stamp(&frame(Kind::Syn, 0, 5), 0, turn);
        assert_eq!(seen.stamp(&frame(Kind::SynAck, 0, 10), 1, turn).0, 11);
        assert_eq!(seen.stamp(&frame(Kind::Data, 0, 110), 0, turn).1, 11);
        // Seen at the far link first, where it says nothing to the sender yet, then at the near one.
        assert_eq!(seen.stamp(&frame(Kind::Ack, 1448, 111), 3, turn).0, 112);
        assert_eq!(seen.stamp(&frame(Kind::Ack, 1448, 150), 1, turn).0, 112);
        assert_eq!(seen.stamp(&frame(Kind::Data, 1448, 249), 0, turn).1, 11);
        assert_eq!(seen.stamp(&frame(Kind::Data, 2896, 250), 0, turn).1, 112);
    }

    #[test]
    fn what_was_echoed_long_ago_is_forgotten() {
        let mut seen = Timestamps::default();
        for n in 0..100_000 {
            seen.stamp(&frame(Kind::Data, n * 1448, n), 0, None);
            let echo = seen
                .stamp(&frame(Kind::Ack, n.saturating_sub(99) * 1448, n), 1, None)
                .1;
            assert!(n < 101 || u64::from(echo) == n - 99, "{n} {echo}");
        }
        assert!(seen.ends.iter().all(|end| end.segments.len() < 2000));
    }
}
