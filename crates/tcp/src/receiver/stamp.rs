//! Timestamps that went back: what left before a retransmission and arrives behind it (RFC 7323 §5, PAWS).

use farpath_units::Time;

use super::Receiver;
use crate::Flavour;

/// What the timestamp of a retransmission says (RFC 7323 §3). Data sent for the first time carries none here: where it stands in
/// the stream says how old it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// TSval: the sender's clock in milliseconds, as Linux's.
    pub ms: u64,
    /// Stream offset: what was sent for the first time below it has a TSval that is lower by 2 or more.
    pub older_below: u64,
}

impl Receiver {
    /// A retransmission arrived whose timestamp says `stamp`: [`Receiver::on_data`], but that its timestamp counts. Returns whether
    /// `poll` has something to send now.
    pub fn on_stamped(&mut self, now: Time, seq: u64, len: u32, stamp: Stamp) -> bool {
        // As in Linux a TSval may be one tick lower.
        if len > 0 && stamp.ms + 1 < self.stamp.ms {
            self.stats.segments += 1;
            return self.discard(seq, seq.saturating_add(len.into()));
        }
        let end = seq.saturating_add(len.into());
        if self.is_open() && self.sets_echo(seq, end) && stamp.ms > self.stamp.ms {
            self.stamp = stamp;
            self.in_order &= self.next >= stamp.older_below;
        }
        self.on_data(now, seq, len, true)
    }

    /// RFC 7323 §4.3 (2), §5.3 R3: a segment that the window accepts, at or before the last ACK sent, sets TS.Recent, which is echoed.
    ///
    /// Deviation from RFC 7323 §5.3: as in Linux (`tcp_sequence`) a segment that is here already is accepted, too, unless all of it
    /// lies before the last ACK sent.
    pub(super) fn sets_echo(&self, seq: u64, end: u64) -> bool {
        let is_news = match self.flavour {
            Flavour::Linux => end >= self.acked,
            Flavour::Rfc => end > self.next,
        };
        seq <= self.acked && is_news && !self.is_beyond_window(end)
    }

    /// Whether a segment that ends there reaches beyond the window that was offered.
    pub(super) fn is_beyond_window(&self, end: u64) -> bool {
        match self.slow {
            Some(slow) => end > slow.edge,
            None => end > self.offered_edge(),
        }
    }

    /// Whether data that is sent for the first time has a timestamp from before TS.Recent.
    pub(super) fn is_outdated(&self, seq: u64) -> bool {
        seq < self.stamp.older_below
    }

    /// RFC 7323 §5.3 R1: a segment whose timestamp went back is answered at once, and not taken. As in Linux the answer reports
    /// what of it is here already (RFC 2883).
    #[cold]
    pub(super) fn discard(&mut self, seq: u64, end: u64) -> bool {
        self.stats.outdated += 1;
        let is_here = end <= self.next || self.above.first_within(seq, end) == Some((seq, end));
        self.stats.duplicates += u64::from(is_here);
        if self.dsack && seq < self.next {
            self.note_twice(seq, end);
        }
        self.due = true;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, SackBlock};
    use farpath_units::Duration;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A receiver that has the first and the third of its segments, each of 1000 bytes.
    fn with_a_hole() -> Receiver {
        let mut r = Receiver::new(&Config {
            mss: 1000,
            ..Config::default()
        });
        r.open(at(0));
        r.on_data(at(1), 0, 1000, false);
        assert!(r.poll(at(1)).is_some_and(|a| a.ack == 1000));
        r.on_data(at(2), 2000, 1000, false);
        assert!(r.poll(at(2)).is_some_and(|a| a.ack == 1000));
        r
    }

    #[test]
    fn rfc7323_5_3_what_left_before_a_repair_and_comes_behind_it_is_discarded() {
        let mut r = with_a_hole();
        let stamp = Stamp {
            ms: 50,
            older_below: 5000,
        };
        assert!(r.on_stamped(at(60), 1000, 1000, stamp));
        assert!(r.poll(at(60)).is_some_and(|a| a.ack == 3000));
        // In order, but older: answered at once, and not taken.
        assert!(r.on_data(at(61), 3000, 1000, false));
        let answer = r.poll(at(61)).map(|a| (a.ack, a.sack.len()));
        assert_eq!(answer, Some((3000, 0)));
        // What is here already is reported.
        assert!(r.on_data(at(62), 1000, 1000, false));
        let twice = SackBlock {
            start: 1000,
            end: 2000,
        };
        assert!(r.poll(at(62)).is_some_and(|a| a.sack == [twice]));
        assert_eq!((r.delivered(), r.stats().outdated), (3000, 2));
        // It alone brought nothing new.
        assert_eq!(r.stats().duplicates, 1);
        // A repair that left within a millisecond before is taken, and so is new data that left later.
        r.on_stamped(at(63), 3000, 2000, Stamp { ms: 49, ..stamp });
        r.on_data(at(64), 5000, 1000, false);
        assert_eq!((r.delivered(), r.stats().outdated), (6000, 2));
    }

    #[test]
    fn a_repair_older_than_the_last_by_two_milliseconds_is_discarded_too() {
        let mut r = with_a_hole();
        let stamp = Stamp {
            ms: 50,
            older_below: 3000,
        };
        r.on_stamped(at(60), 1000, 1000, stamp);
        r.on_stamped(at(61), 3000, 1000, Stamp { ms: 48, ..stamp });
        assert_eq!((r.delivered(), r.stats().outdated), (3000, 1));
        r.on_stamped(at(62), 3000, 1000, Stamp { ms: 49, ..stamp });
        assert_eq!((r.delivered(), r.stats().outdated), (4000, 1));
    }

    /// 1000 bytes at `seq`, of which all is here, arrive again with a later timestamp; then what left before that and was overtaken.
    /// Whether the repair is echoed, and what has arrived in order.
    fn repeated(flavour: Flavour, seq: u64) -> (Option<bool>, u64) {
        let mut r = Receiver::new(&Config {
            mss: 1000,
            quick_acks: 0,
            flavour,
            ..Config::default()
        });
        r.open(at(0));
        for n in 0..4 {
            r.on_data(at(1), n * 1000, 1000, false);
            while r.poll(at(1)).is_some() {}
        }
        let stamp = Stamp {
            ms: 50,
            older_below: 9000,
        };
        r.on_stamped(at(60), seq, 1000, stamp);
        let echo = r.poll(at(60)).map(|ack| ack.echo_retransmit);
        r.on_data(at(61), 4000, 1000, false);
        (echo, r.delivered())
    }

    #[test]
    fn rfc7323_5_3_a_repair_of_what_was_acknowledged_sets_no_timestamp() {
        for flavour in [Flavour::Linux, Flavour::Rfc] {
            assert_eq!(repeated(flavour, 1000), (Some(false), 5000), "{flavour:?}");
        }
        // By Linux's rules one that ends at the last ACK still does.
        assert_eq!(repeated(Flavour::Rfc, 3000), (Some(false), 5000));
        assert_eq!(repeated(Flavour::Linux, 3000), (Some(true), 4000));
    }

    #[test]
    fn a_repair_above_what_was_acknowledged_makes_nothing_older() {
        let mut r = with_a_hole();
        let stamp = Stamp {
            ms: 50,
            older_below: 9000,
        };
        r.on_stamped(at(60), 4000, 1000, stamp);
        r.on_data(at(61), 3000, 1000, false);
        r.on_data(at(62), 1000, 1000, false);
        assert_eq!((r.delivered(), r.stats().outdated), (5000, 0));
    }
}
