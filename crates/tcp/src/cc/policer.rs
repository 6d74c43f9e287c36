//! BBR's detector of token-bucket policers, which a kernel has beside the model of the path: a path that loses a
//! fifth of all segments, at the same rate twice over, is taken for policed, and then used at that rate.
//!
//! The draft does not have it. Lengths and thresholds are those of FreeBSD's BBR, which follows Linux.

use farpath_units::{Duration, Time};

use super::Seen;

/// Round trips an interval lasts at least, and after which it is given up.
const LEAST_ROUNDS: u32 = 4;
const MOST_ROUNDS: u32 = 16;
/// The shortest time a rate is made of.
const LEAST_TIME: Duration = Duration::from_ms(1);
/// Bytes lost for each one delivered from which on an interval counts.
const LOSSY: f64 = 50.0 / 256.0;
/// Two rates agree when they differ by no more than this part of the first, or by 4 kbit/s.
const AGREE: f64 = 1.0 / 8.0;
const AGREE_BYTES: f64 = 500.0;
/// Round trips for which the rate found is used.
const USED_ROUNDS: u32 = 48;

/// What changed with an ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Nothing,
    /// The path is believed to be policed no longer: it is searched again.
    Search,
}

/// The detector.
#[derive(Clone, Debug, Default)]
pub(super) struct Policer {
    /// An interval is under way; the next four are as of its begin.
    samples: bool,
    since: Time,
    delivered: u64,
    lost: u64,
    rounds: u32,
    /// Bytes a second of the last lossy interval, or of the policer; 0 before the first.
    rate: f64,
    used: bool,
}

impl Policer {
    /// Bytes a second that the policer lets pass, when one is believed in.
    pub(super) fn rate(&self) -> Option<f64> {
        self.used.then_some(self.rate)
    }

    /// Everything is forgotten.
    pub(super) fn forget(&mut self) {
        *self = Policer::default();
    }

    fn begin(&mut self, seen: &Seen) {
        self.samples = true;
        self.since = seen.now;
        self.delivered = seen.delivered_total;
        self.lost = seen.lost_total;
        self.rounds = 0;
    }

    /// An ACK; `round` begins with it, and BBR is `probing` for bandwidth.
    pub(super) fn on_ack(&mut self, seen: &Seen, round: bool, probing: bool) -> Change {
        if self.used {
            self.rounds += u32::from(round && probing);
            if self.rounds < USED_ROUNDS {
                return Change::Nothing;
            }
            self.forget();
            return Change::Search;
        }
        // The first loss shows that the bucket is empty: the burst that emptied it tells nothing.
        if !self.samples {
            if seen.lost == 0 {
                return Change::Nothing;
            }
            self.begin(seen);
        }
        if seen.delivery.is_some_and(|d| d.app_limited) {
            self.forget();
            return Change::Nothing;
        }
        self.rounds += u32::from(round);
        if self.rounds > MOST_ROUNDS {
            self.forget();
        } else if self.rounds >= LEAST_ROUNDS && seen.lost > 0 {
            self.finish(seen);
        }
        Change::Nothing
    }

    /// An interval ends with a loss, as it began: with an empty bucket.
    fn finish(&mut self, seen: &Seen) {
        let delivered = (seen.delivered_total - self.delivered) as f64;
        let lost = (seen.lost_total - self.lost) as f64;
        let span = seen.now.since(self.since);
        if delivered == 0.0 || lost < LOSSY * delivered || span < LEAST_TIME {
            return;
        }
        let rate = delivered / span.as_secs_f64();
        let apart = (rate - self.rate).abs();
        if self.rate > 0.0 && (apart <= AGREE * self.rate || apart <= AGREE_BYTES) {
            self.rate = 0.5 * (self.rate + rate);
            self.used = true;
            self.rounds = 0;
        } else {
            self.rate = rate;
            self.begin(seen);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cc::tests::seen;

    /// Rounds of 100 ms that deliver 100 segments and lose `lost`; the rate believed in after each.
    fn rounds(policer: &mut Policer, from: u64, lost: &[u64]) -> Vec<Option<f64>> {
        let mut total = 1000 * from;
        let rate = |(n, lost): (usize, &u64)| {
            let now = Time::ZERO + Duration::from_ms(100 * (from + n as u64));
            let mut s = seen(now, Duration::from_ms(100), 0, 100.0, 100.0);
            total += lost;
            (s.lost, s.lost_total) = (*lost, total);
            s.delivered_total = 100 * (from + n as u64);
            policer.on_ack(&s, true, true);
            policer.rate()
        };
        lost.iter().enumerate().map(rate).collect()
    }

    #[test]
    fn two_lossy_intervals_of_the_same_rate_make_a_policer_for_48_rounds() {
        let mut policer = Policer::default();
        // The first loss begins the first interval, and the round that begins with it counts. An interval that
        // ends begins the next, whose first round is the one after.
        let found = rounds(&mut policer, 0, &[0, 25, 25, 25, 25, 25, 25, 25, 25]);
        let first = found.iter().position(Option::is_some);
        assert_eq!(first, Some(8));
        assert!((found[8].expect("a rate") - 1000.0).abs() < 1e-9);
        let used = rounds(&mut policer, 9, &[25; 50]);
        assert_eq!(used.iter().filter(|r| r.is_some()).count(), 47);
    }

    #[test]
    fn fewer_losses_than_a_fifth_or_a_pause_make_none() {
        let mut policer = Policer::default();
        assert!(
            rounds(&mut policer, 0, &[19; 40])
                .iter()
                .all(Option::is_none)
        );
        // A loss after more than 16 rounds begins anew.
        let mut late = vec![25];
        late.extend([0; 17]);
        late.extend([25; 7]);
        let mut policer = Policer::default();
        let found = rounds(&mut policer, 0, &late);
        assert!(found.iter().all(Option::is_none), "{found:?}");
        assert!(rounds(&mut policer, 30, &[25]).iter().all(Option::is_some));
    }
}
