//! When the shares of a group's tests have become equal, and stay so.

use farpath_record::Series;

use crate::fairness::jain_index;
use crate::span::Span;

/// Shares are of so many nanoseconds: many round trips of any path.
const WINDOW_NS: u64 = 1_000_000_000;

/// Shares are equal from this index of Jain's on.
const EQUAL: f64 = 0.95;

/// A share is judged over so many windows: a sawtooth, which halves one window while another grows, is over in less on most paths.
const HELD: usize = 10;

/// Shares stay equal where at least this part of all that is left has them: flows that cross each other have them for a while.
const STAYS: f64 = 0.9;

/// What is left has to be this part of the time that all tests share: by its end a few lucky seconds would do.
const LEFT: f64 = 0.2;

/// Seconds from the start of the last test until the goodputs are equal and stay so: to the first second in which, and in the ten from
/// there on together, Jain's index of the tests' goodputs is 0.95 or more, as it is over nine of ten stretches of ten seconds that
/// begin from there on. None where there is no such second before the last fifth of the time, or nothing was delivered.
pub(crate) fn convergence_s(tests: &[(Span, &Series)]) -> Option<f64> {
    let from = tests.iter().map(|(span, _)| span.start.as_ns()).max()?;
    let ends = tests.iter().map(|(span, series)| {
        let measured = span.duration.map(|d| (span.from() + d).as_ns());
        let last = series.t_ns.last().copied().unwrap_or(0);
        measured.map_or(last, |end| end.min(last))
    });
    let until = ends.min()?;
    let mut cursors: Vec<Cursor<'_>> = tests.iter().map(|(_, s)| Cursor::new(s)).collect();
    let shares = (0..until.saturating_sub(from) / WINDOW_NS).map(|window| {
        let start = from + window * WINDOW_NS;
        let each = cursors.iter_mut();
        each.map(|c| c.between(start, start + WINDOW_NS)).collect()
    });
    let shares: Vec<Vec<f64>> = shares.collect();
    let held: Vec<bool> = shares.windows(HELD).map(are_equal).collect();
    let stays = |first: &usize| {
        let rest = &held[*first..];
        let kept = rest.iter().filter(|equal| **equal).count();
        let begins = rest[0] && are_equal(&shares[*first..=*first]);
        begins && kept as f64 >= STAYS * rest.len() as f64
    };
    let left = |first: &usize| (shares.len() - first) as f64 >= LEFT * shares.len() as f64;
    let first = (0..held.len()).take_while(left).find(stays)?;
    Some((first as u64 * WINDOW_NS) as f64 / 1e9)
}

/// Whether the tests have equal shares over some windows together.
fn are_equal(windows: &[Vec<f64>]) -> bool {
    let tests = windows.first().map_or(0, Vec::len);
    let total = |test: usize| windows.iter().map(|shares| shares[test]).sum();
    let totals: Vec<f64> = (0..tests).map(total).collect();
    jain_index(&totals).is_some_and(|index| index >= EQUAL)
}

/// A series of rates, read forwards; each value is of the time since the one before.
pub(crate) struct Cursor<'s> {
    series: &'s Series,
    next: usize,
}

impl<'s> Cursor<'s> {
    /// At its first value.
    pub(crate) fn new(series: &'s Series) -> Self {
        Self { series, next: 0 }
    }

    /// What was delivered between two times, in bits.
    pub(crate) fn between(&mut self, from: u64, until: u64) -> f64 {
        let mut bits = 0.0;
        while let (Some(end), Some(bps)) = (
            self.series.t_ns.get(self.next),
            self.series.v.get(self.next),
        ) {
            let before = self.next.checked_sub(1);
            let begin = before.map_or(0, |n| self.series.t_ns[n]);
            let span = (*end).min(until).saturating_sub(begin.max(from));
            bits += bps * span as f64 / 1e9;
            if *end > until {
                break;
            }
            self.next += 1;
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_units::{Duration, Time};

    /// A test that starts at a second and has these rates, one each half second from there.
    fn test(start: u64, rates: &[f64]) -> (Span, Series) {
        let span = Span {
            start: Time::ZERO + Duration::from_secs(start),
            omit: Duration::ZERO,
            duration: Some(Duration::from_ms(500 * rates.len() as u64)),
        };
        let at = |n: usize| (start * 1000 + 500 * (n as u64 + 1)) * 1_000_000;
        let series = Series {
            t_ns: (0..rates.len()).map(at).collect(),
            v: rates.to_vec(),
        };
        (span, series)
    }

    fn of(tests: &[(Span, Series)]) -> Option<f64> {
        let all: Vec<(Span, &Series)> = tests.iter().map(|(span, s)| (*span, s)).collect();
        convergence_s(&all)
    }

    #[test]
    fn shares_count_from_the_last_start_and_have_to_stay_equal() {
        // Alone for 4 s; then 9 : 1 for 3 s, equal for 2 s, 9 : 1 for 4 s, and equal.
        let late: Vec<f64> = [(6, 1e6), (4, 5e6), (8, 1e6), (40, 5e6)]
            .iter()
            .flat_map(|(n, bps)| vec![*bps; *n])
            .collect();
        let mut early = vec![10e6; 8];
        early.extend(late.iter().map(|bps| 10e6 - bps));
        let both = |late: &[f64]| of(&[test(0, &early), test(4, late)]);
        assert_eq!(both(&late), Some(9.0));
        // Nine equal seconds are not enough.
        assert_eq!(both(&late[..36]), None);
        assert_eq!(of(&[test(0, &[5e6; 20]), test(0, &[5e6; 20])]), Some(0.0));
        assert_eq!(of(&[test(0, &[0.0; 20]), test(0, &[0.0; 20])]), None);
    }

    /// Two windows that halve by turns are equal on the mean, and never for three seconds.
    #[test]
    fn a_sawtooth_that_goes_on_is_not_the_shares_of_its_flows() {
        let tooth = |n: usize, phase: usize| 5e6 + 1e6 * ((n + phase) % 8) as f64;
        let flow = |phase: usize, n: usize| (0..n).map(|n| tooth(n, phase)).collect::<Vec<f64>>();
        for n in [60, 120, 480] {
            let found = of(&[test(0, &flow(0, n)), test(0, &flow(4, n))]);
            assert!(found.is_some_and(|s| s <= 2.0), "{n} intervals: {found:?}");
        }
    }

    /// Of 100 seconds the last 15 are equal: what would come of it is not known.
    #[test]
    fn the_last_seconds_alone_say_nothing() {
        let mut late = vec![1e6; 170];
        late.resize(200, 5e6);
        let early: Vec<f64> = late.iter().map(|bps| 10e6 - bps).collect();
        assert_eq!(of(&[test(0, &early), test(0, &late)]), None);
        late.resize(240, 5e6);
        let early: Vec<f64> = late.iter().map(|bps| 10e6 - bps).collect();
        assert_eq!(of(&[test(0, &early), test(0, &late)]), Some(85.0));
    }

    /// Samples need not end where windows do, nor at the same times.
    #[test]
    fn windows_cut_intervals() {
        let (span, mut series) = test(0, &[4e6; 24]);
        for (n, t) in series.t_ns.iter_mut().enumerate() {
            *t += 130_000_000 * (n as u64 % 2);
        }
        assert_eq!(of(&[(span, series), test(0, &[4e6; 24])]), Some(0.0));
    }

    /// One takes what the other had: they are equal for twelve seconds, and never again.
    #[test]
    fn flows_that_cross_each_other_have_not_converged() {
        let share = |n: usize| match n {
            0..10 => 1e6,
            10..34 => 5e6,
            _ => 9e6,
        };
        let one: Vec<f64> = (0..60).map(share).collect();
        let other: Vec<f64> = one.iter().map(|bps| 10e6 - bps).collect();
        assert_eq!(of(&[test(0, &one), test(0, &other)]), None);
        assert_eq!(of(&[test(0, &one[..34]), test(0, &other[..34])]), Some(5.0));
    }
}
