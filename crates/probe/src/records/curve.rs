//! What the looks at a connection show over time: series, and the time after a loss.

use std::collections::BTreeMap;

use farpath_record::Series;
use farpath_scenario::Test;

use super::Ends;
use crate::report::Sample;

/// `tcpi_ca_state`: what comes from here on is a cut window (`TCP_CA_CWR`).
const CUT: u8 = 2;

/// From the last cut of the window until it is as large as it was; none when there was no cut, or the
/// window never came back. Times are as exact as the looks are close.
///
/// The window before is the one of the look before the cut, or what was in flight then if that was less.
pub(super) fn recovery_ns(samples: &[Sample]) -> Option<u64> {
    let (mut cut, mut regained) = (None, None);
    for pair in samples.windows(2) {
        let (before, now) = (&pair[0], &pair[1]);
        let entered = now.state >= CUT && before.state < CUT;
        let lowered = now.ssthresh.unwrap_or(u64::MAX) < before.ssthresh.unwrap_or(u64::MAX);
        if entered || lowered && now.cwnd < before.cwnd {
            cut = Some((now.t_ns, before.cwnd.min(before.in_flight)));
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
}
