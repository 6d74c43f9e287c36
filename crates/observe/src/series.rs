//! Series of a test over time, its connections summed up.

use std::collections::BTreeMap;

use farpath_record::Series;
use farpath_units::{Duration, Time};

use crate::connection::Connection;
use crate::span::Span;

/// The longest of the connections' intervals.
pub(crate) fn longest(all: &[Connection]) -> Duration {
    let each = all.iter().map(|connection| connection.every);
    each.max().unwrap_or(Duration::ZERO)
}

/// Goodput by end of interval, all connections together, bit/s. The intervals of all are as long as the longest ones.
pub(crate) fn goodputs(all: &[Connection]) -> Vec<(Time, f64)> {
    let longest = longest(all).as_ps();
    if longest == 0 {
        return Vec::new();
    }
    let mut sums: Vec<(Time, u64)> = Vec::new();
    for connection in all {
        let together = longest
            .checked_div(connection.every.as_ps())
            .unwrap_or(1)
            .max(1);
        let chunks = connection.intervals.chunks(together as usize);
        for (n, chunk) in chunks.enumerate() {
            let bytes: u64 = chunk.iter().map(|(_, bytes)| bytes).sum();
            match sums.get_mut(n) {
                Some((_, sum)) => *sum += bytes,
                None => sums.extend(chunk.last().map(|(t, _)| (*t, bytes))),
            }
        }
    }
    let seconds = longest as f64 / 1e12;
    let rate = |(t, bytes): (Time, u64)| (t, bytes as f64 * 8.0 / seconds);
    sums.into_iter().map(rate).collect()
}

/// When a test that no clock ends was over: everything of all its connections had come.
fn over(all: &[Connection], span: &Span) -> Option<Time> {
    let ended = span.duration.is_none() && all.iter().all(Connection::is_complete);
    let ends = all.iter().map(Connection::end);
    ends.max().filter(|_| ended)
}

/// Every series of a test. That of a transfer ends with the interval in which its last byte came.
pub(crate) fn of(all: &[Connection], span: &Span) -> BTreeMap<String, Series> {
    let mut series: BTreeMap<String, Series> = BTreeMap::new();
    let (over, every) = (over(all, span), longest(all));
    let is_over = |t: Time| over.is_some_and(|end| t > end && t >= end + every);
    let mut note = |name: &str, t: Time, value: Option<f64>| {
        if let Some(value) = value.filter(|_| !is_over(t)) {
            let series = series.entry(name.to_owned()).or_default();
            series.t_ns.push(t.as_ns());
            series.v.push(value);
        }
    };
    for (t, goodput) in goodputs(all) {
        note("goodput_bps", t, Some(goodput.round()));
    }
    let Some(first) = all.first() else {
        return series;
    };
    // At the instants at which the first was sampled; of the others, the last sample before.
    let mut next = vec![0_usize; all.len()];
    for sample in &first.samples {
        let (mut cwnd, mut in_flight, mut ssthresh, mut srtt) = (Some(0), Some(0), Some(0), None);
        for (connection, next) in all.iter().zip(&mut next) {
            let samples = &connection.samples;
            while samples.get(*next).is_some_and(|s| s.t <= sample.t) {
                *next += 1;
            }
            let Some(last) = next.checked_sub(1).and_then(|n| samples.get(n)) else {
                continue;
            };
            let add = |sum: Option<u64>, value: Option<u64>| sum.zip(value).map(|(a, b)| a + b);
            cwnd = add(cwnd, last.cwnd);
            in_flight = add(in_flight, last.in_flight);
            // Nothing draws a threshold where the sender accounts for itself, and it is as long as all the rest.
            let threshold = last.ssthresh.filter(|_| connection.account.is_empty());
            ssthresh = add(ssthresh, threshold);
            srtt = srtt.or(last.srtt);
        }
        let number = |value: Option<u64>| value.map(|v| v as f64);
        note("cwnd_bytes", sample.t, number(cwnd));
        note("in_flight_bytes", sample.t, number(in_flight));
        note("ssthresh_bytes", sample.t, number(ssthresh));
        note("srtt_ns", sample.t, srtt.map(|rtt| rtt.as_ns() as f64));
    }
    series
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    #[test]
    fn intervals_are_taken_together_to_the_longest() {
        let of = |every: u64, bytes: &[u64]| Connection {
            every: Duration::from_ms(every),
            intervals: bytes
                .iter()
                .enumerate()
                .map(|(n, b)| (at(every * (n as u64 + 1)), *b))
                .collect(),
            ..Connection::default()
        };
        let all = [of(10, &[1, 2, 3, 4]), of(20, &[10, 20])];
        let rates = goodputs(&all);
        assert_eq!(rates, [(at(20), 5200.0), (at(40), 10800.0)]);
        assert!(goodputs(&[]).is_empty());
        assert_eq!(
            goodputs(&[of(10, &[5])]),
            [(at(10), 4000.0)],
            "a single one"
        );
    }

    /// They went on at 0 to the end of the run, beside a longer test.
    #[test]
    fn a_transfer_has_no_series_behind_its_end() {
        let seen = Connection {
            every: Duration::from_ms(10),
            intervals: [40, 40, 20, 0, 0]
                .iter()
                .enumerate()
                .map(|(n, b)| (at(10 * (n as u64 + 1)), *b))
                .collect(),
            finished: at(25),
            whole: Some(100),
            delivered: 100,
            ..Connection::default()
        };
        let ends = |seen: &Connection, duration: Option<Duration>| {
            let span = Span {
                start: Time::ZERO,
                omit: Duration::ZERO,
                duration,
            };
            let all = of(std::slice::from_ref(seen), &span);
            all["goodput_bps"].t_ns.last().copied()
        };
        assert_eq!(ends(&seen, None), Some(30_000_000));
        // A clock ends it, or it never came to its end.
        let clocked = Some(Duration::from_ms(50));
        assert_eq!(ends(&seen, clocked), Some(50_000_000));
        let cut = Connection {
            delivered: 90,
            ..seen
        };
        assert_eq!(ends(&cut, None), Some(50_000_000));
    }
}
