//! How long a window takes to come back after a loss, by samples of it.

use farpath_units::{Duration, Time};

use crate::connection::Sample;
use crate::curve::BEFORE;
use crate::timers::CUT;

/// From the last cut of the window until it is as large as it was; none when there was no cut, or the
/// window never came back. Times are as exact as the samples are close.
///
/// A cut during the repair of another, or in slow start up to the threshold that the other left, belongs to the other: an outage
/// that comes back before the window is there is one.
///
/// The window before is the one of the sample before the cut, or the most that was in flight in the ten samples up to it, and in
/// the round trip, if that was less: what one sample finds in flight may be some bursts of acknowledgements short of it, or drain
/// behind the last byte. Those in which something was missing already, as while a timer runs, come on top of the ten.
pub fn recovery(samples: &[Sample]) -> Option<Duration> {
    last_cut(samples).1
}

/// The last cut, where the window has not been as large again since, by the same rules; none without a cut.
pub fn unregained(samples: &[Sample]) -> Option<Time> {
    match last_cut(samples) {
        (Some((at, _)), None) => Some(at),
        _ => None,
    }
}

/// The last cut and the bytes of the window before it, and how long it took until it was as large again.
fn last_cut(samples: &[Sample]) -> (Option<(Time, u64)>, Option<Duration>) {
    let (mut cut, mut regained) = (None, None);
    let state = |s: &Sample| s.timers.map_or(0, |t| t.state);
    for n in 1..samples.len() {
        let (before, now) = (&samples[n - 1], &samples[n]);
        let (Some(window), Some(cwnd)) = (before.cwnd, now.cwnd) else {
            continue;
        };
        let entered = state(now) >= CUT && state(before) < CUT;
        let lowered = now.ssthresh.unwrap_or(u64::MAX) < before.ssthresh.unwrap_or(u64::MAX);
        let goes_on = cut.is_some()
            && regained.is_none()
            && (state(before) >= CUT || window < before.ssthresh.unwrap_or(0));
        if (entered || lowered && cwnd < window) && !goes_on {
            let round = before.srtt.unwrap_or(Duration::ZERO);
            // What waits for a timer, with something missing, has drained.
            let orderly = samples[..n].iter().rposition(|s| state(s) == 0);
            let until = orderly.map_or(n, |last| last + 1);
            let of_round = samples[..n].partition_point(|s| s.t + round < samples[until].t);
            let lately = &samples[until.saturating_sub(BEFORE).min(of_round)..n];
            let flight = lately.iter().filter_map(|s| s.in_flight).max();
            cut = Some((now.t, window.min(flight.unwrap_or(window))));
            regained = None;
        } else if let (Some((at, window)), None) = (cut, regained)
            && state(now) < CUT
            && cwnd >= window
        {
            regained = Some(now.t.since(at));
        }
    }
    (cut, regained)
}

/// Counts loss events where a kernel's samples show a repair that the one before did not.
pub fn count_loss_events(samples: &mut [Sample]) {
    let (mut count, mut before) = (0, false);
    for sample in samples {
        let Some(timers) = sample.timers else {
            continue;
        };
        let repairs = timers.state >= CUT;
        count += u64::from(repairs && !before);
        before = repairs;
        sample.loss_events = Some(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timers::Timers;
    use proptest::prelude::*;

    fn curve(looks: &[(u64, u8, Option<u64>)]) -> Vec<Sample> {
        let look = |(n, (cwnd, state, ssthresh)): (usize, &(u64, u8, Option<u64>))| Sample {
            t: Time::ZERO + Duration::from_ns(n as u64 * 10),
            cwnd: Some(*cwnd),
            in_flight: Some(*cwnd),
            ssthresh: *ssthresh,
            timers: Some(Timers {
                state: *state,
                ..Timers::default()
            }),
            ..Sample::default()
        };
        looks.iter().enumerate().map(look).collect()
    }

    fn recovery_ns(samples: &[Sample]) -> Option<u64> {
        recovery(samples).map(Duration::as_ns)
    }

    #[test]
    fn recovery_lasts_from_the_cut_to_the_old_window() {
        let half = Some(50);
        let looks = [
            (90, 0, None),
            (100, 0, None),
            (99, 3, half),
            (50, 0, half),
            (80, 0, half),
            (100, 0, half),
            (110, 0, half),
        ];
        assert_eq!(recovery_ns(&curve(&looks)), Some(30));
        assert_eq!(recovery_ns(&curve(&looks[..5])), None, "not back yet");
        let since = |n: usize| unregained(&curve(&looks[..n])).map(Time::as_ns);
        assert_eq!([since(5), since(7), since(2)], [Some(20), None, None]);
        assert_eq!(recovery_ns(&curve(&looks[..2])), None, "nothing lost");
        // Less in flight at the one sample before the cut is no smaller window; always less is.
        let mut short = curve(&looks);
        short[1].in_flight = Some(80);
        short[0].in_flight = Some(100);
        assert_eq!(recovery_ns(&short), Some(30));
        short[0].in_flight = Some(80);
        assert_eq!(recovery_ns(&short), Some(20));
    }

    #[test]
    fn the_last_cut_counts_and_one_between_two_samples_too() {
        let looks = [
            (100, 0, None),
            (50, 3, Some(50)),
            (70, 0, Some(50)),
            // Cut and repaired since the last sample.
            (36, 0, Some(35)),
            (60, 0, Some(35)),
            (70, 0, Some(35)),
        ];
        assert_eq!(recovery_ns(&curve(&looks)), Some(20));
    }

    /// The second outage comes in the slow start that follows the first, the third timeout while the second is repaired.
    #[test]
    fn an_outage_that_comes_back_in_slow_start_is_the_same() {
        let looks = [
            (100, 0, Some(90)),
            (1, 4, Some(50)),
            (2, 0, Some(50)),
            (30, 0, Some(50)),
            (1, 4, Some(15)),
            (5, 4, Some(15)),
            (1, 4, Some(3)),
            (30, 0, Some(3)),
            (60, 0, Some(3)),
            (100, 0, Some(3)),
        ];
        assert_eq!(recovery_ns(&curve(&looks)), Some(80));
        assert_eq!(recovery_ns(&curve(&looks[..9])), None, "not back yet");
        // Above the threshold it is another.
        let mut later = looks;
        later[3].0 = 60;
        assert_eq!(recovery_ns(&curve(&later)), Some(40));
    }

    /// Sampled thirty times a round trip of 300 ns, the second half of the last flight is all that ten samples before the cut show.
    #[test]
    fn a_loss_seen_while_the_last_flight_drains_is_not_made_good() {
        let flight = |n: u64| 100 - (n.max(10) - 10) * 3;
        let mut looks: Vec<(u64, u8, Option<u64>)> = vec![(100, 0, None); 35];
        looks.extend([(50, 3, Some(50)), (50, 0, Some(50)), (51, 0, Some(50))]);
        let mut samples = curve(&looks);
        for (sample, n) in samples.iter_mut().zip(0..) {
            sample.in_flight = Some(flight(n));
            sample.srtt = Some(Duration::from_ns(300));
        }
        assert_eq!(recovery_ns(&samples), None);
        samples.iter_mut().for_each(|s| s.in_flight = None);
        assert_eq!(recovery_ns(&samples), None, "the window alone");
    }

    /// One of the last two segments is missing for 300 ns, until the timer runs out: half of the window is in flight meanwhile.
    #[test]
    fn the_window_before_a_wait_for_the_timer_is_the_one_in_use() {
        let mut looks = vec![(100, 0, None); 5];
        looks.extend([(100, 1, None); 30]);
        looks.extend([
            (1, 4, Some(50)),
            (50, 4, Some(50)),
            (60, 0, Some(50)),
            (100, 0, Some(50)),
        ]);
        let mut samples = curve(&looks);
        samples[5..35]
            .iter_mut()
            .for_each(|s| s.in_flight = Some(50));
        assert_eq!(recovery_ns(&samples), Some(30));
    }

    proptest! {
        #[test]
        fn a_recovery_lies_within_what_was_seen(
            looks in proptest::collection::vec((0..100_u64, 0..5_u8, proptest::option::of(0..100_u64)), 0..40),
        ) {
            let samples = curve(&looks);
            let whole = samples.last().map_or(0, |s| s.t.as_ns());
            if let Some(ns) = recovery_ns(&samples) {
                prop_assert!(ns > 0 && ns <= whole);
            }
        }
    }
}
