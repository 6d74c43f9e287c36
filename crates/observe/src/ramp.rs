//! How long a start-up takes.

use farpath_units::{Duration, Time};

use crate::percentile::percentile;

/// What counts as having reached a rate.
const REACHED: f64 = 0.95;

/// From `start` until a test runs at its rate: to the beginning of the first round trip, or interval if that is longer, at
/// 95 % of the rate, from which on it was kept. `goodputs` are by end of interval, each `every` long.
///
/// The rate is what one in ten of longer stretches exceeds (p90), each of a round trip or a hundredth of the test, whichever
/// is longer: shorter ones show a window's bursts, and not the best one counts, for a machine that was held up for a moment
/// then catches up. The first of them at the rate says where to look: what comes up to it before, and falls again, was a
/// burst. How long the test lasts afterwards makes no difference.
pub(crate) fn ramp(
    goodputs: &[(Time, f64)],
    start: Time,
    every: Duration,
    (rtt, hundredth): (Duration, Duration),
) -> Option<Duration> {
    let many = |least: Duration| {
        let many = least.as_ps().div_ceil(every.as_ps().max(1));
        many.max(1) as usize
    };
    let (short, long) = (many(rtt), many(rtt.max(hundredth)));
    let mean = |of: &[(Time, f64)]| of.iter().map(|(_, g)| g).sum::<f64>() / of.len() as f64;
    let stretches: Vec<f64> = goodputs.chunks_exact(long).map(mean).collect();
    let mut rates = stretches.clone();
    rates.sort_by(f64::total_cmp);
    let kept = percentile(rates.get(..).filter(|r| !r.is_empty())?, 0.90);
    let reached = |mean: f64| mean >= REACHED * kept && mean > 0.0;
    let first = stretches.iter().position(|mean| reached(*mean))?;
    let until = (first + 1) * long;
    let kept_from = |n: &usize| {
        let next = (n + short).min(until);
        reached(mean(&goodputs[*n..next])) && reached(mean(&goodputs[*n..until]))
    };
    let n = (first.saturating_sub(1) * long..until).find(kept_from)?;
    let (end, _) = goodputs[n];
    Some(Time::from_ps(end.as_ps().saturating_sub(every.as_ps())).since(start.min(end)))
}

/// A start during which nothing is delivered for less than this is one that a lost SYN explains.
const LONG: Duration = Duration::from_secs(2);

/// From `start` to the end of the first interval in which anything was delivered, where that is long.
pub(crate) fn silence(goodputs: &[(Time, f64)], start: Time) -> Option<Duration> {
    let (t, _) = goodputs.iter().find(|(_, goodput)| *goodput > 0.0)?;
    Some(t.since(start)).filter(|silent| *silent >= LONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::ZERO + Duration::from_ns(ns)
    }

    #[test]
    fn a_start_is_silent_until_something_is_delivered() {
        let s = |n: u64| Time::ZERO + Duration::from_secs(n);
        let seen = [(s(2), 0.0), (s(3), 0.0), (s(4), 5.0), (s(5), 0.0)];
        assert_eq!(silence(&seen, s(1)), Some(Duration::from_secs(3)));
        assert_eq!(silence(&seen[2..], s(3)), None, "not long");
        assert_eq!(silence(&seen[..2], s(1)), None, "nothing to end it");
    }

    /// Goodputs by the end of intervals of 10 ns after 1000 ns.
    fn intervals(rates: &[f64]) -> Vec<(Time, f64)> {
        let ends = (1..).map(|n: u64| at(1000 + n * 10));
        ends.zip(rates.iter().copied()).collect()
    }

    fn ramp_ns(rates: &[f64], rtt: u64, hundredth: u64) -> Option<u64> {
        let [rtt, hundredth] = [rtt, hundredth].map(Duration::from_ns);
        let every = Duration::from_ns(10);
        ramp(&intervals(rates), at(1000), every, (rtt, hundredth)).map(Duration::as_ns)
    }

    #[test]
    fn a_ramp_is_over_when_the_rate_is_kept() {
        // 10 in each of 5 intervals, then 100, but for one that caught up.
        let rate = |n: u64| match n {
            1..=5 => 10.0,
            20 => 0.0,
            21 => 200.0,
            _ => 100.0,
        };
        let rates: Vec<f64> = (1..=40).map(rate).collect();
        assert_eq!(ramp_ns(&rates, 10, 10), Some(50));
        assert_eq!(ramp_ns(&rates[..3], 40, 40), None, "too short to say");
        assert_eq!(ramp_ns(&[], 40, 40), None);
    }

    #[test]
    fn a_ramp_does_not_depend_on_how_long_the_test_lasts() {
        for ramp in [1, 7, 39, 40, 41, 55] {
            let rates = |n: usize| [vec![10.0; ramp], vec![100.0; n]].concat();
            for hundredth in [10, 60, 400] {
                let found = ramp_ns(&rates(1000), 30, hundredth);
                assert_eq!(found, Some(10 * ramp as u64), "{ramp} {hundredth}");
            }
        }
    }

    #[test]
    fn a_burst_at_the_rate_is_not_the_end_of_a_ramp() {
        // A round trip of three intervals: a window in one burst, twice as large each time; then full.
        let mut rates = vec![100.0, 0.0, 0.0, 100.0, 100.0, 0.0];
        rates.extend([100.0; 94]);
        assert_eq!(ramp_ns(&rates, 30, 10), Some(60));
        // Full, lost, and back at the rate for good.
        let mut rates = vec![100.0; 3];
        rates.extend([20.0; 9]);
        rates.extend([100.0; 88]);
        assert_eq!(ramp_ns(&rates, 30, 60), Some(120));
    }
}
