//! Round-trip time estimation and the retransmission timeout (RFC 6298), in integer picoseconds.

use farpath_units::Duration;

/// The timeout before the first measurement (RFC 6298 §2.1).
const INITIAL: Duration = Duration::from_secs(1);
/// The timeout for data when the SYN was retransmitted (RFC 6298 §5.7).
const AFTER_LOST_SYN: Duration = Duration::from_secs(3);
/// The largest timeout (RFC 6298 §2.5 asks for at least 60 s; Linux has 120 s).
const LARGEST: Duration = Duration::from_secs(120);

/// SRTT, RTTVAR and RTO.
///
/// RTO = SRTT + max(4·RTTVAR, floor). The mean deviation is RFC 6298's; the RTTVAR used is its peak
/// over a round trip and falls by a quarter per round trip at most, because with a sample per ACK
/// the plain gain forgets a large window's delay variation within a fraction of a round trip
/// (RFC 7323 §4.2 and appendix G state the problem).
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
    floor: u64,
    rto: Duration,
    backoff: u32,
    min: Duration,
    latest: Duration,
}

impl Rtt {
    pub(crate) fn new(floor: Duration) -> Rtt {
        Rtt {
            srtt8: 0,
            deviation4: 0,
            peak4: 0,
            variation4: 0,
            round_end: 0,
            floor: floor.as_ps(),
            rto: INITIAL,
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
            self.round_end = nxt;
        } else {
            let srtt = self.srtt8 >> 3;
            self.deviation4 = self.deviation4 - (self.deviation4 >> 2) + srtt.abs_diff(r);
            self.srtt8 = (self.srtt8 - srtt + r).max(1);
            self.peak4 = self.peak4.max(self.deviation4);
            self.variation4 = self.variation4.max(self.peak4);
            if una >= self.round_end {
                self.variation4 -= (self.variation4 - self.peak4) / 4;
                self.peak4 = 0;
                self.round_end = nxt;
            }
        }
        self.rto =
            Duration::from_ps((self.srtt8 >> 3) + self.variation4.max(self.floor)).min(LARGEST);
    }

    /// The SYN was retransmitted: nothing is known, and the first timeout for data is longer.
    pub(crate) fn syn_was_lost(&mut self) {
        self.backoff = 0;
        self.rto = AFTER_LOST_SYN;
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
            self.rto.times(1 << self.backoff).min(LARGEST)
        }
    }

    /// An acknowledgement that takes longer is overdue: SRTT + 4·RTTVAR.
    pub(crate) fn expected(&self) -> Duration {
        Duration::from_ps((self.srtt8 >> 3) + self.variation4)
    }

    pub(crate) fn srtt(&self) -> Option<Duration> {
        (self.srtt8 != 0).then_some(Duration::from_ps(self.srtt8 >> 3))
    }

    /// SRTT in seconds; 0 before the first sample.
    #[inline]
    pub(crate) fn srtt_secs(&self) -> f64 {
        self.srtt8 as f64 * (1e-12 / 8.0)
    }

    pub(crate) fn variation(&self) -> Duration {
        Duration::from_ps(self.variation4 >> 2)
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
        let mut rtt = Rtt::new(Duration::ZERO);
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
        let mut rtt = Rtt::new(Duration::from_ms(200));
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
    fn variation_outlives_a_quiet_part_of_one_round_trip() {
        let mut rtt = Rtt::new(Duration::ZERO);
        rtt.sample(Duration::from_ms(100), 0, 1000);
        rtt.sample(Duration::from_ms(200), 1, 1000);
        let disturbed = rtt.variation();
        for una in 2..999 {
            rtt.sample(Duration::from_ms(100), una, 1000);
        }
        assert_eq!(rtt.variation(), disturbed);
    }
}
