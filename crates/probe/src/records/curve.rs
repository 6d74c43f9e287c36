//! What the looks at a connection show over time: series, and the time after a loss.

use std::collections::BTreeMap;

use farpath_record::Series;
use farpath_record::curve::BEFORE;
use farpath_record::streams::percentile;
use farpath_scenario::Test;

use super::Ends;
use crate::report::Sample;

/// `tcpi_ca_state`: what comes from here on is a cut window (`TCP_CA_CWR`).
const CUT: u8 = 2;

/// From the last cut of the window until it is as large as it was; none when there was no cut, or the
/// window never came back. Times are as exact as the looks are close.
///
/// The window before is the one of the look before the cut, or the most that was in flight in the ten looks up to it
/// if that was less: what one look finds in flight may be some bursts of acknowledgements short of it.
pub(super) fn recovery_ns(samples: &[Sample]) -> Option<u64> {
    let (mut cut, mut regained) = (None, None);
    for n in 1..samples.len() {
        let (before, now) = (&samples[n - 1], &samples[n]);
        let entered = now.state >= CUT && before.state < CUT;
        let lowered = now.ssthresh.unwrap_or(u64::MAX) < before.ssthresh.unwrap_or(u64::MAX);
        if entered || lowered && now.cwnd < before.cwnd {
            let lately = &samples[n.saturating_sub(BEFORE)..n];
            let flight = lately.iter().map(|s| s.in_flight).max();
            cut = Some((now.t_ns, before.cwnd.min(flight.unwrap_or(0))));
            regained = None;
        } else if let (Some((at, window)), None) = (cut, regained)
            && now.state < CUT
            && now.cwnd >= window
        {
            regained = Some(now.t_ns - at);
        }
    }
    regained
}

/// How long it takes from `start` until a test runs at its rate: to the end of the first interval at
/// 95 % of what one interval in ten exceeds. `goodputs` are by end of interval, all of them equally
/// long. They are taken together to `least_ns`, for shorter ones show a window's bursts; and not the
/// best one counts, for a machine that was held up for a moment then catches up.
pub(super) fn ramp_ns(goodputs: &[(u64, f64)], start: u64, least_ns: u64) -> Option<u64> {
    let every = goodputs.first()?.0.saturating_sub(start).max(1);
    let together = least_ns.div_ceil(every).max(1) as usize;
    let chunks = goodputs.chunks_exact(together);
    let longer: Vec<(u64, f64)> = chunks
        .filter_map(|chunk| {
            let sum: f64 = chunk.iter().map(|(_, g)| g).sum();
            chunk.last().map(|(t, _)| (*t, sum / together as f64))
        })
        .collect();
    let mut rates: Vec<f64> = longer.iter().map(|(_, g)| *g).collect();
    rates.sort_by(f64::total_cmp);
    let kept = percentile(rates.get(..).filter(|r| !r.is_empty())?, 0.90);
    let reached = |(_, g): &&(u64, f64)| *g >= 0.95 * kept && *g > 0.0;
    let (t, _) = longer.iter().find(reached)?;
    Some(t.saturating_sub(start))
}

type NamedSeries = BTreeMap<String, Series>;

/// The series of a test, its streams summed up, and the goodput by end of interval.
pub(super) fn tcp_series(all: &[Ends<'_>], test: &Test) -> (NamedSeries, Vec<(u64, f64)>) {
    let start = test.start.as_ns();
    let until = test.duration.map(|d| (test.start + test.omit + d).as_ns());
    let every = all
        .iter()
        .map(|e| e.sink.every_ns)
        .max()
        .unwrap_or(1)
        .max(1);
    let count = all.iter().map(|e| {
        let longer = every / e.sink.every_ns.max(1);
        e.sink.delivered.len().div_ceil(longer.max(1) as usize)
    });
    let count = count.max().unwrap_or(0);
    let mut delivered = vec![0_u64; count];
    for ends in all {
        let longer = (every / ends.sink.every_ns.max(1)).max(1) as usize;
        let intervals = ends.sink.delivered.chunks(longer);
        for (slot, interval) in delivered.iter_mut().zip(intervals) {
            *slot += interval.iter().sum::<u64>();
        }
    }
    let end = |n: usize| start + every * (n as u64 + 1);
    let rates = delivered.iter().enumerate();
    let goodputs: Vec<(u64, f64)> = rates
        .map(|(n, bytes)| (end(n), *bytes as f64 * 8e9 / every as f64))
        .take_while(|(t, _)| until.is_none_or(|until| *t <= until))
        .collect();
    let mut series = NamedSeries::new();
    let of_goodput = Series {
        t_ns: goodputs.iter().map(|(t, _)| *t).collect(),
        v: goodputs.iter().map(|(_, g)| g.round()).collect(),
    };
    series.insert("goodput_bps".to_owned(), of_goodput);
    series.extend(windows(all));
    (series, goodputs)
}

/// Windows and round-trip times at the instants at which the first stream was looked at; of the
/// others, the last look before.
fn windows(all: &[Ends<'_>]) -> NamedSeries {
    let mut series = NamedSeries::new();
    let Some(first) = all.first() else {
        return series;
    };
    let mut next = vec![0_usize; all.len()];
    for look in &first.source.samples {
        let (mut cwnd, mut in_flight, mut ssthresh) = (0, 0, Some(0_u64));
        for (ends, next) in all.iter().zip(&mut next) {
            let samples = &ends.source.samples;
            while samples.get(*next).is_some_and(|s| s.t_ns <= look.t_ns) {
                *next += 1;
            }
            let Some(sample) = next.checked_sub(1).and_then(|n| samples.get(n)) else {
                continue;
            };
            cwnd += sample.cwnd;
            in_flight += sample.in_flight;
            ssthresh = ssthresh.zip(sample.ssthresh).map(|(a, b)| a + b);
        }
        let mut note = |name: &str, value: Option<u64>| {
            let Some(value) = value else { return };
            let series = series.entry(name.to_owned()).or_default();
            series.t_ns.push(look.t_ns);
            series.v.push(value as f64);
        };
        note("cwnd_bytes", Some(cwnd));
        note("in_flight_bytes", Some(in_flight));
        note("ssthresh_bytes", ssthresh);
        note("srtt_ns", Some(look.srtt_ns).filter(|rtt| *rtt > 0));
    }
    series
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn curve(looks: &[(u64, u8, Option<u64>)]) -> Vec<Sample> {
        let look = |(n, (cwnd, state, ssthresh)): (usize, &(u64, u8, Option<u64>))| Sample {
            t_ns: n as u64 * 10,
            cwnd: *cwnd,
            in_flight: *cwnd,
            state: *state,
            ssthresh: *ssthresh,
            ..Sample::default()
        };
        looks.iter().enumerate().map(look).collect()
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
        assert_eq!(recovery_ns(&curve(&looks[..2])), None, "nothing lost");
        // Less in flight at the one look before the cut is no smaller window; always less is.
        let mut short = curve(&looks);
        short[1].in_flight = 80;
        short[0].in_flight = 100;
        assert_eq!(recovery_ns(&short), Some(30));
        short[0].in_flight = 80;
        assert_eq!(recovery_ns(&short), Some(20));
    }

    #[test]
    fn the_last_cut_counts_and_one_between_two_looks_too() {
        let looks = [
            (100, 0, None),
            (50, 3, Some(50)),
            (70, 0, Some(50)),
            // Cut and repaired since the last look.
            (36, 0, Some(35)),
            (60, 0, Some(35)),
            (70, 0, Some(35)),
        ];
        assert_eq!(recovery_ns(&curve(&looks)), Some(20));
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
        let goodputs: Vec<(u64, f64)> = (1..=40).map(|n| (1000 + n * 10, rate(n))).collect();
        assert_eq!(ramp_ns(&goodputs, 1000, 10), Some(60));
        // Of four taken together, those from 5 to 8 are not there yet.
        assert_eq!(ramp_ns(&goodputs, 1000, 40), Some(120));
        assert_eq!(ramp_ns(&goodputs[..3], 1000, 40), None, "too short to say");
        assert_eq!(ramp_ns(&[], 1000, 40), None);
    }

    proptest! {
        #[test]
        fn a_recovery_lies_within_what_was_seen(
            looks in proptest::collection::vec((0..100_u64, 0..5_u8, proptest::option::of(0..100_u64)), 0..40),
        ) {
            let samples = curve(&looks);
            let whole = samples.last().map_or(0, |s| s.t_ns);
            if let Some(ns) = recovery_ns(&samples) {
                prop_assert!(ns > 0 && ns <= whole);
            }
        }
    }
}
