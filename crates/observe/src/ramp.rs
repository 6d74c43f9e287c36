//! How long a start-up takes.

use farpath_units::{Duration, Time};

use crate::percentile::percentile;

/// What counts as having reached a rate.
const REACHED: f64 = 0.95;

/// From `start` until a test runs at its rate: to the end of the first interval at 95 % of what one interval in ten
/// exceeds (p90). `goodputs` are by end of interval, each `every` long. They are taken together to `least`,
/// for shorter ones show a window's bursts; and not the best one counts, for a machine that was held up for a moment
/// then catches up.
pub(crate) fn ramp(
    goodputs: &[(Time, f64)],
    start: Time,
    (every, least): (Duration, Duration),
) -> Option<Duration> {
    let together = least.as_ps().div_ceil(every.as_ps().max(1)).max(1) as usize;
    let chunks = goodputs.chunks_exact(together);
    let longer: Vec<(Time, f64)> = chunks
        .filter_map(|chunk| {
            let sum: f64 = chunk.iter().map(|(_, g)| g).sum();
            chunk.last().map(|(t, _)| (*t, sum / together as f64))
        })
        .collect();
    let mut rates: Vec<f64> = longer.iter().map(|(_, g)| *g).collect();
    rates.sort_by(f64::total_cmp);
    let kept = percentile(rates.get(..).filter(|r| !r.is_empty())?, 0.90);
    let reached = |(_, g): &&(Time, f64)| *g >= REACHED * kept && *g > 0.0;
    let (t, _) = longer.iter().find(reached)?;
    Some(t.since(start))
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

    #[test]
    fn a_ramp_is_over_when_the_rate_is_kept() {
        // 10 a interval for 5 intervals of 10, then 100, but for one that caught up.
        let rate = |n: u64| match n {
            1..=5 => 10.0,
            20 => 0.0,
            21 => 200.0,
            _ => 100.0,
        };
        let goodputs: Vec<(Time, f64)> = (1..=40).map(|n| (at(1000 + n * 10), rate(n))).collect();
        let ramp = |g: &[(Time, f64)], least| {
            ramp(
                g,
                at(1000),
                (Duration::from_ns(10), Duration::from_ns(least)),
            )
            .map(Duration::as_ns)
        };
        assert_eq!(ramp(&goodputs, 10), Some(60));
        // Of four taken together, those from 5 to 8 are not there yet.
        assert_eq!(ramp(&goodputs, 40), Some(120));
        assert_eq!(ramp(&goodputs[..3], 40), None, "too short to say");
        assert_eq!(ramp(&[], 40), None);
    }
}
