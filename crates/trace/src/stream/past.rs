//! Segments that were acknowledged a moment ago. A copy that the network made may come behind the acknowledgement of the first.

use std::collections::VecDeque;

use super::{Sent, Stream};
use crate::event::{EARLIER_IDS, NEVER, Sending};
use crate::room::Room;
use crate::segment::Segment;
use crate::work;

/// How long a segment is remembered that was acknowledged, nanoseconds since it was seen last.
const KEPT_NS: i64 = 1_000_000_000;
/// Acknowledged segments remembered of one direction.
const PAST_MAX: usize = 1 << 14;

/// Acknowledged segments, each list in order of their numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct Past {
    /// Those that were new when they came, and those that filled holes.
    sent: VecDeque<Sent>,
    filled: VecDeque<Sent>,
}

/// What a segment that was seen before is compared with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Earlier {
    /// Time, TSval, identification and how often its bytes had been seen, as an event takes them.
    pub(super) evidence: (i64, u32, u16, u8),
    /// Since its bytes were seen last; `NEVER` where that was forgotten.
    pub(super) since: i64,
    pub(super) same_echo: bool,
    pub(super) sending: Sending,
}

/// The place of the segment with this byte.
fn place_of(list: &VecDeque<Sent>, byte: u64) -> Option<usize> {
    let place = list.partition_point(|x| x.end <= byte);
    (list.get(place)?.seq <= byte).then_some(place)
}

/// Remembers a segment that is acknowledged now, in place of those that are too old.
#[inline]
fn add(list: &mut VecDeque<Sent>, sent: Sent, at: i64, room: &mut Room) {
    while list.front().is_some_and(|x| at - x.last > KEPT_NS) {
        list.pop_front();
        room.past += 1;
        work::count(1);
    }
    if list.len() >= PAST_MAX || room.past == 0 {
        if list.pop_front().is_none() {
            return;
        }
    } else {
        room.past -= 1;
    }
    list.push_back(sent);
}

impl Sent {
    /// Which sending of its bytes this segment is.
    fn sending(&self, s: &Segment) -> Sending {
        let (stamp, id) = self.began;
        let (is_first, is_before) = match s.stamps {
            Some((own, _)) if stamp != 0 => (
                own == stamp && self.stamp != stamp,
                (own.wrapping_sub(stamp) as i32) < 0,
            ),
            None if stamp == 0 && id != 0 && s.ip_id != 0 => (
                s.ip_id == id && self.identification != id,
                EARLIER_IDS.contains(&(s.ip_id.wrapping_sub(id) as i16)),
            ),
            _ => (false, false),
        };
        match (is_first, is_before) {
            (true, _) => Sending::First,
            (false, true) => Sending::Before,
            (false, false) => Sending::Later,
        }
    }
}

impl Stream {
    /// Notes the identification of a packet that is new, or a SYN or FIN.
    #[inline]
    pub(super) fn note_id(&mut self, id: u16) {
        if id != 0 {
            self.ids_differ |= self.last_id != 0 && id != self.last_id;
            self.last_id = id;
        }
    }

    /// Remembers a segment that came in order and is acknowledged now.
    #[inline]
    pub(super) fn keep(&mut self, sent: Sent, at: i64, room: &mut Room) {
        let past = self.past.get_or_insert_with(Box::default);
        add(&mut past.sent, sent, at, room);
    }

    /// Remembers those that filled holes and are acknowledged now; whether there are any.
    pub(super) fn acknowledge_filled(&mut self, ack: u64, at: i64, room: &mut Room) -> bool {
        let mut any = false;
        while let Some(entry) = self.filled.first_entry().filter(|x| x.get().end <= ack) {
            let gone = entry.remove();
            any = true;
            room.sent += 1;
            work::count(1);
            let past = self.past.get_or_insert_with(Box::default);
            add(&mut past.filled, gone, at, room);
        }
        any
    }

    /// Forgets all that was acknowledged.
    pub(super) fn forget_past(&mut self, room: &mut Room) {
        if let Some(past) = self.past.take() {
            room.past += past.sent.len() + past.filled.len();
        }
    }

    /// The acknowledged segment with this byte.
    pub(super) fn acknowledged_with(&self, byte: u64) -> Option<&Sent> {
        let past = self.past.as_deref()?;
        match place_of(&past.sent, byte) {
            Some(place) => past.sent.get(place),
            None => past.filled.get(place_of(&past.filled, byte)?),
        }
    }

    /// What bytes that came again are compared with.
    pub(super) fn earlier(&self, s: &Segment, from: u64, until: u64) -> Earlier {
        let echo = s.stamps.map_or(0, |t| t.1);
        if let Some(sent) = self.first_sent(from, until) {
            let times = self.seen_least(from, until);
            let lag = s.at - sent.last;
            return Earlier {
                evidence: (lag, sent.stamp, sent.identification, times),
                since: lag,
                same_echo: sent.echo == echo,
                sending: sent.sending(s),
            };
        }
        // How its sender came to it goes by what passed since: its timer began anew.
        let lag = s.at - self.data_at;
        let Some(gone) = self.acknowledged_with(from) else {
            return Earlier {
                evidence: (lag, 0, 0, 1),
                since: NEVER,
                same_echo: false,
                sending: Sending::Later,
            };
        };
        Earlier {
            evidence: (lag, gone.stamp, gone.identification, 1),
            since: s.at - gone.last,
            same_echo: gone.echo == echo,
            sending: gone.sending(s),
        }
    }

    /// Whether new data with a later TSval than this one's has passed: its sender's clock had gone on.
    pub(super) fn was_overtaken(&self, s: &Segment) -> bool {
        let past = self.past.as_deref();
        let newest = self
            .sent
            .back()
            .or_else(|| past.and_then(|past| past.sent.back()));
        match (newest, s.stamps) {
            (Some(newest), Some((stamp, _))) => (newest.stamp.wrapping_sub(stamp) as i32) > 0,
            _ => false,
        }
    }

    /// An acknowledged segment has come again.
    pub(super) fn seen_again(&mut self, s: &Segment, byte: u64) {
        let Some(past) = self.past.as_deref_mut() else {
            return;
        };
        if let Some(place) = place_of(&past.sent, byte) {
            past.sent[place].passed_again(s);
        } else if let Some(place) = place_of(&past.filled, byte) {
            past.filled[place].passed_again(s);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(seq: u64, last: i64) -> Sent {
        Sent {
            seq,
            end: seq + 10,
            first: last,
            last,
            began: (0, 0),
            stamp: 0,
            echo: 0,
            identification: 0,
            times: 1,
        }
    }

    #[test]
    fn what_was_acknowledged_is_forgotten_after_a_second_and_where_room_ends() {
        let mut stream = Stream::default();
        let mut room = Room {
            past: 3,
            ..Room::default()
        };
        let kept = |stream: &Stream| {
            let is_kept = |n: &u64| stream.acknowledged_with(*n * 10 + 5).is_some();
            (0..6).filter(is_kept).collect::<Vec<u64>>()
        };
        for n in 0..5 {
            stream.keep(sent(10 * n, 0), 0, &mut room);
        }
        assert_eq!((kept(&stream), room.past), (vec![2, 3, 4], 0));
        stream.keep(sent(50, KEPT_NS + 1), KEPT_NS + 1, &mut room);
        assert_eq!((kept(&stream), room.past), (vec![5], 2));
        stream.forget_past(&mut room);
        assert_eq!((kept(&stream), room.past), (vec![], 3));
    }
}
