//! The time in which all tests of a group are measured, and what each delivered in it.

use farpath_record::{Record, Series};
use farpath_units::{Duration, Time};

use crate::convergence::Cursor;
use crate::span::Span;

/// Measurements whose starts or ends lie apart by more than this share of the shortest one are of different times.
const APART: f64 = 0.01;

/// From when to when a test is measured.
pub(crate) type Window = (Time, Time);

/// Goodputs of tests over one time.
#[derive(Debug, PartialEq)]
pub(crate) enum Goodputs {
    /// All are measured at one time: each test's own.
    Own,
    /// In the part that they share, by their series.
    Shared {
        /// Of each test, in their order, bit/s.
        bps: Vec<f64>,
        /// How long that part is.
        seconds: f64,
        /// How far starts or ends lie apart, seconds.
        apart_s: f64,
    },
    /// Not known, for this reason.
    Unknown(String),
}

impl Goodputs {
    /// Of tests, each with when it is measured.
    pub(crate) fn of(tests: &[(Span, &Record)]) -> Goodputs {
        let windows: Option<Vec<Window>> = tests.iter().map(|(s, r)| window(s, r)).collect();
        let Some(windows) = windows else {
            return Goodputs::Unknown("of one of its tests the end is not known".to_owned());
        };
        let Some(apart_s) = apart(&windows) else {
            return Goodputs::Own;
        };
        match shared(tests, &windows) {
            Ok((bps, seconds)) => Goodputs::Shared {
                bps,
                seconds,
                apart_s,
            },
            Err(why) => Goodputs::Unknown(why),
        }
    }
}

/// When a test is measured; one that no clock ends until its last byte, or its last sample, where that did not come.
fn window(span: &Span, record: &Record) -> Option<Window> {
    let sampled = || {
        let last = record.series.get("goodput_bps")?.t_ns.last()?;
        Some(Time::ZERO + Duration::from_ns(*last))
    };
    let end = match (span.duration, record.metrics.get("completion_ns")) {
        (Some(duration), _) => span.from() + duration,
        (None, Some(ns)) => span.start + Duration::from_ns(*ns as u64),
        (None, None) => sampled()?,
    };
    Some((span.from(), end))
}

/// How far measurements lie apart, in seconds, at their starts or their ends, where it is more than a little.
pub(crate) fn apart(windows: &[Window]) -> Option<f64> {
    let apart = |times: Vec<Time>| -> Option<Duration> {
        Some(times.iter().max()?.since(*times.iter().min()?))
    };
    let starts = apart(windows.iter().map(|(from, _)| *from).collect())?;
    let ends = apart(windows.iter().map(|(_, end)| *end).collect())?;
    let shortest = windows.iter().map(|(from, end)| end.since(*from)).min()?;
    let seconds = starts.max(ends).as_secs_f64();
    (seconds > APART * shortest.as_secs_f64()).then_some(seconds)
}

/// The goodputs in the time that all share, bit/s, and its length in seconds; or why they are not known.
fn shared(tests: &[(Span, &Record)], windows: &[Window]) -> Result<(Vec<f64>, f64), String> {
    let last_start = windows.iter().map(|(from, _)| *from).max();
    let first_end = windows.iter().map(|(_, end)| *end).min();
    let (from, until) = (
        last_start.unwrap_or(Time::ZERO),
        first_end.unwrap_or(Time::ZERO),
    );
    if until <= from {
        let gap = from.since(until).as_secs_f64();
        return Err(format!(
            "its tests are at no time all measured, one ends {gap:.1} s before another begins"
        ));
    }
    let series = tests.iter().map(|(_, r)| r.series.get("goodput_bps"));
    let Some(series) = series.collect::<Option<Vec<&Series>>>() else {
        return Err(
            "its tests are measured at different times, and one has no series of its goodput"
                .to_owned(),
        );
    };
    let last = series.iter().map(|s| s.t_ns.last().copied().unwrap_or(0));
    let (from, until) = (from.as_ns(), until.as_ns().min(last.min().unwrap_or(0)));
    let every = series.iter().map(|s| interval_ns(s)).max().unwrap_or(0);
    if until <= from || until - from < every {
        return Err(
            "its tests are all measured for less than an interval of their series".to_owned(),
        );
    }
    let seconds = (until - from) as f64 / 1e9;
    let each = series.iter();
    let bps = each.map(|s| Cursor::new(s).between(from, until) / seconds);
    Ok((bps.collect(), seconds))
}

/// The longest interval of a series, nanoseconds.
fn interval_ns(series: &Series) -> u64 {
    let between = series.t_ns.windows(2).map(|t| t[1].saturating_sub(t[0]));
    between.max().or(series.t_ns.first().copied()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::Origin;

    /// A test that starts at a second and has these rates, one a second; measured behind `omit` seconds.
    fn test(start: u64, omit: u64, rates: &[f64]) -> (Span, Record) {
        let span = Span {
            start: Time::ZERO + Duration::from_secs(start),
            omit: Duration::from_secs(omit),
            duration: Some(Duration::from_secs(rates.len() as u64 - omit)),
        };
        let mut record = Record::new(Origin::Simulated, "t", "tcp", "a", "b");
        let at = |n: usize| (start + n as u64 + 1) * 1_000_000_000;
        let series = Series {
            t_ns: (0..rates.len()).map(at).collect(),
            v: rates.to_vec(),
        };
        record.series.insert("goodput_bps".to_owned(), series);
        (span, record)
    }

    fn of(tests: &[(Span, Record)]) -> Goodputs {
        let all: Vec<(Span, &Record)> = tests.iter().map(|(span, r)| (*span, r)).collect();
        Goodputs::of(&all)
    }

    /// Alone for 10 s at 8 Mbit/s, then equal: the index of their own times was below 1.
    #[test]
    fn tests_are_compared_while_all_are_measured() {
        let mut early = vec![8e6; 10];
        early.extend([4e6; 10]);
        let found = of(&[test(0, 0, &early), test(10, 0, &[4e6; 20])]);
        let wanted = Goodputs::Shared {
            bps: vec![4e6; 2],
            seconds: 10.0,
            apart_s: 10.0,
        };
        assert_eq!(found, wanted);
        let one_time = [test(0, 10, &early), test(10, 0, &[4e6; 10])];
        assert_eq!(
            of(&one_time),
            Goodputs::Own,
            "behind what `omit` leaves out"
        );
    }

    /// The second is done after 4 s: what the first had in the 16 s behind that counted.
    #[test]
    fn a_transfer_shares_the_time_until_its_last_byte() {
        let mut long = vec![2e6; 4];
        long.extend([8e6; 16]);
        let (mut span, mut file) = test(0, 0, &[6e6; 4]);
        span.duration = None;
        file.set("completion_ns", 4e9);
        let found = of(&[test(0, 0, &long), (span, file.clone())]);
        let wanted = Goodputs::Shared {
            bps: vec![2e6, 6e6],
            seconds: 4.0,
            apart_s: 16.0,
        };
        assert_eq!(found, wanted);
        // Without its end it lasts as long as its series; without both it is not known.
        file.metrics.clear();
        assert_eq!(of(&[test(0, 0, &long), (span, file.clone())]), wanted);
        file.series.clear();
        let found = of(&[test(0, 0, &long), (span, file)]);
        assert!(matches!(found, Goodputs::Unknown(_)), "{found:?}");
    }

    #[test]
    fn what_shares_no_time_or_has_no_series_is_not_known() {
        let why = |tests: &[(Span, Record)]| match of(tests) {
            Goodputs::Unknown(why) => why,
            found => panic!("{found:?}"),
        };
        let behind = why(&[test(0, 0, &[4e6; 5]), test(7, 0, &[4e6; 5])]);
        assert!(behind.contains("ends 2.0 s before"), "{behind}");
        let mut bare = test(2, 0, &[4e6; 5]);
        bare.1.series.clear();
        let bare = why(&[test(0, 0, &[4e6; 5]), bare]);
        assert!(bare.contains("no series"), "{bare}");
        let mut brief = test(4, 0, &[4e6; 5]);
        brief.0.start += Duration::from_ms(500);
        let brief = why(&[test(0, 0, &[4e6; 5]), brief]);
        assert!(brief.contains("less than an interval"), "{brief}");
    }
}
