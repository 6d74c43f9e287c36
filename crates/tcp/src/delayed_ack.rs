//! The delayed-ACK timer as Linux adapts it to the time between segments: from the configured one up to the round
//! trip of the handshake.

use farpath_units::Duration;

/// What a kernel's clock tells apart: 250 ticks a second.
const TICK: Duration = Duration::from_ms(4);
/// The timer is never set for longer.
const LONGEST: Duration = Duration::from_ms(200);
/// The retransmission timeout before the first round trip, and what its variation term is at least.
const FIRST_RTO: Duration = Duration::from_secs(1);
const LEAST_VARIATION: Duration = Duration::from_ms(200);

/// The adapted timer of one receiver.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adapting {
    /// What the gaps between segments ask for.
    wanted: Duration,
    least: Duration,
    most: Duration,
    rto: Duration,
}

impl Adapting {
    pub(crate) fn new(least: Duration) -> Adapting {
        Adapting {
            wanted: least,
            least,
            most: least,
            rto: FIRST_RTO,
        }
    }

    /// The handshake took so long.
    pub(crate) fn on_round_trip(&mut self, rtt: Duration) {
        self.most = self.least.max(rtt.min(LONGEST));
        self.rto = rtt + LEAST_VARIATION.max(rtt.times(2));
    }

    /// A segment came so long after the one before. Returns whether the sender was silent for an RTO.
    pub(crate) fn on_gap(&mut self, gap: Duration) -> bool {
        let half = self.steady();
        let kept = Duration::from_ps(self.wanted.as_ps() / 2);
        if gap <= half {
            self.wanted = kept + half;
        } else if gap < self.wanted {
            self.wanted = self.rto.min(kept + gap);
        }
        if self.wanted < self.least + TICK {
            self.wanted = self.least;
        }
        gap > self.rto
    }

    /// The timer ran out before a second segment came.
    pub(crate) fn on_missed(&mut self) {
        self.wanted = self.rto.min(self.wanted.times(2));
    }

    /// The timer.
    pub(crate) fn timeout(&self) -> Duration {
        self.wanted.min(self.most)
    }

    /// Gaps up to this leave the timer as it is, once it is at its least.
    pub(crate) fn steady(&self) -> Duration {
        Duration::from_ps(self.least.as_ps() / 2)
    }

    pub(crate) fn is_least(&self) -> bool {
        self.wanted == self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(n: u64) -> Duration {
        Duration::from_ms(n)
    }

    #[test]
    fn the_timer_doubles_when_it_runs_out_up_to_the_round_trip() {
        for (rtt, timers) in [
            (10, [40, 40, 40, 40]),
            (100, [40, 80, 100, 100]),
            (500, [40, 80, 160, 200]),
        ] {
            let mut ato = Adapting::new(ms(40));
            ato.on_round_trip(ms(rtt));
            for timer in timers {
                assert_eq!(ato.timeout(), ms(timer), "{rtt} ms");
                ato.on_missed();
                assert!(!ato.on_gap(ms(205)));
            }
        }
    }

    #[test]
    fn segments_close_together_bring_it_back() {
        let mut ato = Adapting::new(ms(40));
        ato.on_round_trip(ms(100));
        ato.on_missed();
        let mut timers = Vec::new();
        while !ato.is_least() {
            ato.on_gap(ms(5));
            timers.push(ato.timeout());
        }
        assert_eq!(timers, [ms(60), ms(50), ms(45), ms(40)]);
        // In between they set it: half of what it was and the gap.
        ato.on_gap(ms(30));
        assert_eq!(ato.timeout(), ms(50));
        assert!(ato.on_gap(ms(301)));
        assert_eq!(ato.timeout(), ms(50));
    }
}
