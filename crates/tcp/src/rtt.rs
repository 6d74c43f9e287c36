//! Round-trip time estimation and the retransmission timeout (RFC 6298), in integer picoseconds.

use farpath_units::{Duration, Time};

use crate::Flavour;
use crate::config::{RtoFloor, RtoRule};

/// The timeout for data when the SYN was retransmitted (RFC 6298 §5.7).
const AFTER_LOST_SYN: Duration = Duration::from_secs(3);
/// Least time over two round trips before a tail loss probe (Linux: two ticks of its clock).
const PROBE_MARGIN: Duration = Duration::from_ms(2);
/// The time before a tail loss probe where no round trip was measured (RFC 8985 §7.2).
const UNMEASURED: Duration = Duration::from_secs(1);
/// What a receiver may hold back the acknowledgement of a single segment (RFC 8985 §7.2).
const HELD_BACK: Duration = Duration::from_ms(200);

/// SRTT, RTTVAR and RTO.
///
/// RTO = max(SRTT + max(4·RTTVAR, floor), floor of the whole); one of the floors is in use. The mean deviation is RFC 6298's; the RTTVAR used is its peak
/// over a round trip and falls by a quarter per round trip at most, because with a sample per ACK
/// the plain gain forgets a large window's delay variation within a fraction of a round trip
/// (RFC 7323 §4.2 and appendix G state the problem).
///
/// Linux's (`tcp_rtt_estimator`) is the same with three differences: of what a round trip that became *shorter* adds to the deviation it takes an eighth,
/// the first sample is the peak of the first round trip too, and the peak falls towards the floor, not towards the deviation below it.
#[derive(Clone, Debug)]
pub(crate) struct Rtt {
    /// 8·SRTT in picoseconds; 0 before the first sample.
    srtt8: u64,
    /// 4 × the mean deviation.
    deviation4: u64,
    /// Its largest value in this round trip.
    peak4: u64,
    /// 4·RTTVAR.
    variation4: u64,
    /// The round trip ends when this byte is acknowledged.
    round_end: u64,
    is_linux: bool,
    floor: u64,
    whole_floor: u64,
    granularity: u64,
    largest: Duration,
    rto: Duration,
    backoff: u32,
    min: Duration,
    latest: Duration,
}

impl Rtt {
    pub(crate) fn new(rule: RtoRule, min: Duration, flavour: Flavour) -> Rtt {
        let (floor, whole_floor) = match rule.floor {
            RtoFloor::Variation => (min.as_ps(), 0),
            RtoFloor::Timeout => (0, min.as_ps()),
        };
        Rtt {
            srtt8: 0,
            deviation4: 0,
            peak4: 0,
            variation4: 0,
            round_end: 0,
            is_linux: flavour == Flavour::Linux,
            floor: floor.max(rule.granularity.as_ps()),
            whole_floor,
            granularity: rule.granularity.as_ps(),
            largest: rule.largest,
            rto: rule.initial.min(rule.largest),
            backoff: 0,
            min: Duration::MAX,
            latest: Duration::ZERO,
        }
    }

    /// A measured round trip; `una` and `nxt` tell round trips apart.
    #[inline]
    pub(crate) fn sample(&mut self, rtt: Duration, una: u64, nxt: u64) {
        let r = rtt.as_ps();
        self.latest = rtt;
        self.min = self.min.min(rtt);
        self.backoff = 0;
        if self.srtt8 == 0 {
            // RFC 6298 §2.2. A zero round trip would read as "no sample yet".
            self.srtt8 = (8 * r).max(1);
            self.deviation4 = 2 * r;
            self.variation4 = 2 * r;
            if self.is_linux {
                self.variation4 = self.variation4.max(self.floor);
                self.peak4 = self.variation4;
            }
            self.round_end = nxt;
        } else {
            let srtt = self.srtt8 >> 3;
            self.deviate(srtt, r);
            self.srtt8 = (self.srtt8 - srtt + r).max(1);
            self.peak4 = self.peak4.max(self.deviation4);
            self.variation4 = self.variation4.max(self.peak4);
            if una > self.round_end || (una == self.round_end && !self.is_linux) {
                self.variation4 -= (self.variation4 - self.peak4) / 4;
                self.peak4 = if self.is_linux { self.floor } else { 0 };
                self.round_end = nxt;
            }
        }
        let rto = (self.srtt8 >> 3) + self.variation4.max(self.floor);
        self.rto = Duration::from_ps(rto.max(self.whole_floor)).min(self.largest);
    }

    /// The mean deviation behind a sample of `r`, where SRTT was `srtt`, picoseconds.
    #[inline]
    fn deviate(&mut self, srtt: u64, r: u64) {
        let (old, err) = (self.deviation4 >> 2, srtt.abs_diff(r));
        let eased = self.is_linux && r < srtt && err > old;
        self.deviation4 = match eased {
            true => self.deviation4 + ((err - old) >> 3),
            false => self.deviation4 - old + err,
        };
    }

    /// The SYN was retransmitted: nothing is known, and the first timeout for data is longer.
    pub(crate) fn syn_was_lost(&mut self) {
        self.backoff = 0;
        self.rto = self.rto.max(AFTER_LOST_SYN).min(self.largest);
    }

    /// A window opened again: the persist timer's back-off is over.
    pub(crate) fn forget_back_off(&mut self) {
        self.backoff = 0;
    }

    /// When a timer that starts now runs out: at a tick, if the clock has ticks.
    #[inline]
    pub(crate) fn due(&self, now: Time) -> Time {
        let exact = now + self.timeout();
        if self.granularity == 0 {
            exact
        } else {
            Time::from_ps(exact.as_ps().next_multiple_of(self.granularity))
        }
    }

    /// How long an acknowledgement is waited for before a tail loss probe (RFC 8985 §7.2, PTO);
    /// `alone`: a single segment is in flight.
    #[inline]
    pub(crate) fn probe_after(&self, alone: bool) -> Duration {
        if self.srtt8 == 0 {
            return UNMEASURED;
        }
        let held = if alone { HELD_BACK } else { PROBE_MARGIN };
        Duration::from_ps(self.srtt8 >> 2) + held
    }

    /// RFC 6298 §5.5: the timer expired.
    pub(crate) fn back_off(&mut self) {
        self.backoff = (self.backoff + 1).min(16);
    }

    /// The timeout now in force, backed off if it has expired since the last sample.
    #[inline]
    pub(crate) fn timeout(&self) -> Duration {
        if self.backoff == 0 {
            self.rto
        } else {
            self.rto.times(1 << self.backoff).min(self.largest)
        }
    }

    /// How often the timeout has doubled since the last sample.
    pub(crate) fn doubled(&self) -> u32 {
        self.backoff
    }

    /// The largest timeout.
    pub(crate) fn largest(&self) -> Duration {
        self.largest
    }

    /// An acknowledgement that takes longer is overdue: SRTT + 4·RTTVAR.
    pub(crate) fn expected(&self) -> Duration {
        let variation4 = match self.is_linux {
            // Without the floor, which is in Linux's.
            true => self.deviation4,
            false => self.variation4,
        };
        Duration::from_ps((self.srtt8 >> 3) + variation4)
    }

    pub(crate) fn srtt(&self) -> Option<Duration> {
        (self.srtt8 != 0).then_some(Duration::from_ps(self.srtt8 >> 3))
    }

    /// SRTT in seconds; 0 before the first sample.
    #[inline]
    pub(crate) fn srtt_secs(&self) -> f64 {
        self.srtt8 as f64 * (1e-12 / 8.0)
    }

    /// RFC 6298's RTTVAR, without its peak: what Linux calls `tcpi_rttvar`.
    pub(crate) fn variation(&self) -> Duration {
        Duration::from_ps(self.deviation4 >> 2)
    }

    /// The smallest sample; [`Duration::MAX`] before the first.
    #[inline]
    pub(crate) fn least(&self) -> Duration {
        self.min
    }

    pub(crate) fn min(&self) -> Option<Duration> {
        (self.srtt8 != 0).then_some(self.min)
    }

    pub(crate) fn latest(&self) -> Option<Duration> {
        (self.srtt8 != 0).then_some(self.latest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rfc6298_2_first_and_second_sample() {
        let mut rtt = Rtt::new(RtoRule::default(), Duration::ZERO, Flavour::Rfc);
        assert_eq!(rtt.timeout(), Duration::from_secs(1));
        rtt.sample(Duration::from_ms(100), 0, 1000);
        assert_eq!(rtt.timeout(), Duration::from_ms(300)); // SRTT + 4·R/2
        rtt.sample(Duration::from_ms(180), 10, 1000);
        // RTTVAR = 3/4·50 + 1/4·80 = 57.5; SRTT = 7/8·100 + 1/8·180 = 110.
        assert_eq!(rtt.srtt(), Some(Duration::from_ms(110)));
        assert_eq!(rtt.variation(), Duration::from_us(57_500));
        assert_eq!(rtt.timeout(), Duration::from_ms(340));
    }

    #[test]
    fn the_floor_is_over_srtt_and_backoff_doubles_up_to_two_minutes() {
        let mut rtt = Rtt::new(RtoRule::default(), Duration::from_ms(200), Flavour::Rfc);
        for i in 0..100 {
            rtt.sample(Duration::from_ms(580), i, i + 1);
        }
        assert_eq!(rtt.timeout(), Duration::from_ms(780));
        rtt.back_off();
        assert_eq!(rtt.timeout(), Duration::from_ms(1560));
        for _ in 0..40 {
            rtt.back_off();
        }
        assert_eq!(rtt.timeout(), Duration::from_secs(120));
        rtt.sample(Duration::from_ms(580), 200, 201);
        assert_eq!(rtt.timeout(), Duration::from_ms(780));
    }

    #[test]
    fn rfc8985_7_2_without_a_sample_a_probe_waits_for_a_second() {
        let mut rtt = Rtt::new(RtoRule::default(), Duration::from_ms(200), Flavour::Rfc);
        rtt.syn_was_lost();
        for alone in [false, true] {
            assert_eq!(rtt.probe_after(alone), Duration::from_secs(1));
        }
        rtt.sample(Duration::from_ms(100), 0, 1000);
        assert_eq!(rtt.probe_after(false), Duration::from_ms(202));
        assert_eq!(rtt.probe_after(true), Duration::from_ms(400));
    }

    #[test]
    fn variation_outlives_a_quiet_part_of_one_round_trip() {
        let mut rtt = Rtt::new(RtoRule::default(), Duration::ZERO, Flavour::Rfc);
        rtt.sample(Duration::from_ms(100), 0, 1000);
        rtt.sample(Duration::from_ms(200), 1, 1000);
        let disturbed = rtt.variation4;
        for una in 2..999 {
            rtt.sample(Duration::from_ms(100), una, 1000);
        }
        assert_eq!(rtt.variation4, disturbed);
    }

    /// Requests one at a time, as a kernel's TCP_INFO has them (Linux 6.18.44, clock of 4 ms): the round trip falls from 600 to 200 ms, and the
    /// timeout falls from 868 ms by 64, 56, 48, 40, 24 and 8. RFC 6298 lets it rise.
    #[test]
    fn a_shorter_round_trip_hardly_moves_linuxs_deviation() {
        let timeouts = |flavour: Flavour| {
            let mut rtt = Rtt::new(RtoRule::default(), Duration::from_ms(200), flavour);
            rtt.sample(Duration::from_ms(600), 0, 0);
            let mut at = 0;
            let mut all = Vec::new();
            for ms in [600; 12].into_iter().chain([200; 6]) {
                at += 1000;
                rtt.sample(Duration::from_ms(ms), at, at);
                all.push(rtt.timeout().as_ps() / 1_000_000_000);
            }
            all
        };
        let linux = timeouts(Flavour::Linux);
        assert_eq!(linux[..3], [1800, 1668, 1528]);
        for (ours, kernels) in linux[11..].iter().zip([868, 804, 748, 700, 660, 636, 628]) {
            assert!(ours.abs_diff(kernels) <= 16, "{linux:?}");
        }
        let rfc = timeouts(Flavour::Rfc);
        assert!(rfc[17] > rfc[11], "{rfc:?}");
    }
}
