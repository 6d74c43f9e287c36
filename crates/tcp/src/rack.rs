//! RACK (RFC 8985 §6): the newest delivery, and how much reordering is tolerated before what was
//! sent earlier counts as lost.

use farpath_units::{Duration, Time};

/// Recoveries without a D-SACK after which the window is back at its smallest (RFC 8985 §6.2).
const PERSISTENCE: u8 = 16;

/// A transmission: when, and whether it was a retransmission.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent {
    pub(crate) at: Time,
    pub(crate) again: bool,
}

/// RACK's state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rack {
    /// When the most recently sent of all segments delivered was sent (RACK.xmit_ts).
    sent: Time,
    /// Its end (RACK.end_seq).
    end: u64,
    /// Its round-trip time; `None` before the first.
    rtt: Option<Duration>,
    /// The end of the highest segment delivered (RACK.fack).
    fack: u64,
    reordering_seen: bool,
    /// Times an original came below what was delivered before, and how far below at most, in bytes.
    overtakings: u32,
    farthest: u64,
    /// Quarters of the smallest round-trip time (RACK.reo_wnd_mult).
    multiplier: u32,
    persist: u8,
    /// The next D-SACK that counts is one for an ACK of this byte or later.
    dsack_round: u64,
}

impl Default for Rack {
    fn default() -> Rack {
        Rack {
            sent: Time::ZERO,
            end: 0,
            rtt: None,
            fack: 0,
            reordering_seen: false,
            overtakings: 0,
            farthest: 0,
            multiplier: 1,
            persist: PERSISTENCE,
            dsack_round: 0,
        }
    }
}

impl Rack {
    /// RFC 8985 §6.2 steps 1 and 2: bytes up to `end`, sent at `sent`, were delivered. An answer to
    /// a retransmission that comes sooner than any round trip is the original's.
    pub(crate) fn delivered(
        &mut self,
        now: Time,
        sent: Time,
        end: u64,
        again: bool,
        rtt_min: Option<Duration>,
    ) {
        let rtt = now.since(sent);
        if again && rtt_min.is_some_and(|min| rtt < min) {
            return;
        }
        if self.rtt.is_none() || (sent, end) > (self.sent, self.end) {
            (self.sent, self.end, self.rtt) = (sent, end, Some(rtt));
        }
    }

    /// The kernel's rule: what is expected of others is the round trip of the last segment, in
    /// sequence, that an ACK newly delivers, though another was sent later.
    ///
    /// Deviation from RFC 8985 §6.2 step 2: as in Linux 6.18; the RFC keeps that of the newest.
    pub(crate) fn answered(&mut self, now: Time, last: Sent, rtt_min: Option<Duration>) {
        let rtt = now.since(last.at);
        if !(last.again && rtt_min.is_some_and(|min| rtt < min)) {
            self.rtt = Some(rtt);
        }
    }

    /// The end of the highest segment delivered.
    pub(crate) fn fack(&self) -> u64 {
        self.fack
    }

    /// RFC 8985 §6.2 step 3: never retransmitted bytes `first ..= last` were delivered; below what
    /// was delivered before, that is reordering.
    pub(crate) fn originals(&mut self, first: u64, last: u64) {
        if first < self.fack {
            self.reordering_seen = true;
            self.overtakings = self.overtakings.saturating_add(1);
            self.farthest = self.farthest.max(self.fack - first);
        }
        self.fack = self.fack.max(last + 1);
    }

    /// A recovery was a mistake, so that what seemed lost had been overtaken: reordering too, as Linux
    /// counts it; RFC 8985 §6.2 step 3 leaves out what was retransmitted.
    pub(crate) fn overtaken(&mut self) {
        self.reordering_seen = true;
    }

    /// RFC 8985 §6.2 step 4, RACK_update_reo_wnd: a D-SACK came, at most one a round trip counts.
    pub(crate) fn note_dsack(&mut self, una: u64, nxt: u64) {
        if una >= self.dsack_round {
            self.dsack_round = nxt;
            self.multiplier = self.multiplier.saturating_add(1);
            self.persist = PERSISTENCE;
        }
    }

    /// A recovery ended.
    pub(crate) fn note_recovery(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.multiplier = 1;
        }
    }

    /// How often an original came below what was delivered before, and how far at most, in bytes.
    pub(crate) fn overtakings(&self) -> (u32, u64) {
        (self.overtakings, self.farthest)
    }

    /// Whether reordering has been seen on this connection.
    #[cfg(test)]
    pub(crate) fn reordering_seen(&self) -> bool {
        self.reordering_seen
    }

    /// RFC 8985 §6.2 step 4: how much later than expected an answer may come. `eager`: in recovery,
    /// or three segments SACKed.
    pub(crate) fn window(&self, eager: bool, rtt_min: Duration, srtt: Duration) -> Duration {
        if !self.reordering_seen && eager {
            return Duration::ZERO;
        }
        let quarters = rtt_min.times(u64::from(self.multiplier));
        Duration::from_ps(quarters.as_ps() / 4).min(srtt)
    }

    /// The newest delivery and its round-trip time.
    pub(crate) fn newest(&self) -> Option<(Time, u64, Duration)> {
        self.rtt.map(|rtt| (self.sent, self.end, rtt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIN: Duration = Duration::from_ms(100);

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn rfc8985_6_2_the_newest_delivery_is_the_one_sent_last() {
        let mut rack = Rack::default();
        rack.delivered(at(100), at(0), 1000, false, None);
        rack.delivered(at(101), at(1), 5000, false, Some(MIN));
        rack.delivered(at(102), at(1), 4000, false, Some(MIN));
        assert_eq!(rack.newest(), Some((at(1), 5000, MIN)));
        // A retransmission answered after 50 ms was not needed, and says nothing.
        rack.delivered(at(160), at(110), 2000, true, Some(MIN));
        assert_eq!(rack.newest(), Some((at(1), 5000, MIN)));
        rack.delivered(at(220), at(110), 2000, true, Some(MIN));
        assert_eq!(rack.newest(), Some((at(110), 2000, Duration::from_ms(110))));
    }

    #[test]
    fn the_kernel_expects_the_round_trip_of_the_last_segment_in_sequence() {
        let mut rack = Rack::default();
        rack.delivered(at(220), at(110), 2000, true, Some(MIN));
        let last = |ms, again| Sent { at: at(ms), again };
        rack.answered(at(220), last(0, false), Some(MIN));
        assert_eq!(rack.newest(), Some((at(110), 2000, Duration::from_ms(220))));
        // Too soon to be the answer to a retransmission.
        rack.answered(at(220), last(200, true), Some(MIN));
        assert_eq!(rack.newest(), Some((at(110), 2000, Duration::from_ms(220))));
    }

    #[test]
    fn rfc8985_6_2_the_window_opens_with_reordering_and_with_every_dsack_round() {
        let mut rack = Rack::default();
        let srtt = Duration::from_ms(120);
        assert_eq!(rack.window(true, MIN, srtt), Duration::ZERO);
        assert_eq!(rack.window(false, MIN, srtt), Duration::from_ms(25));
        rack.originals(5000, 5999);
        rack.originals(3000, 3999);
        assert!(rack.reordering_seen());
        assert_eq!(rack.window(true, MIN, srtt), Duration::from_ms(25));
        rack.note_dsack(10, 100);
        rack.note_dsack(50, 150);
        assert_eq!(rack.window(true, MIN, srtt), Duration::from_ms(50));
        for round in 1..10 {
            rack.note_dsack(round * 100, round * 100 + 100);
        }
        assert_eq!(rack.window(true, MIN, srtt), srtt);
        for _ in 0..16 {
            rack.note_recovery();
        }
        assert_eq!(rack.window(true, MIN, srtt), Duration::from_ms(25));
    }
}
