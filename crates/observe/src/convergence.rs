//! When the shares of a group's tests have become equal, and stay so.

use farpath_record::Series;

use crate::Span;
use crate::merge::jain_index;

/// Shares are of so many nanoseconds: many round trips of any path.
const WINDOW_NS: u64 = 1_000_000_000;

/// Shares are equal from this index of Jain's on.
const EQUAL: f64 = 0.95;

/// They begin to be so with so many windows, one after another, that have it.
const BEGINS: usize = 5;

/// They stay so where at least this share of all the windows from there on has it: flows that cross each other have it for a while.
const STAYS: f64 = 0.9;

/// Seconds from the start of the last test until the goodputs are equal and stay so: to the first of five windows of a second, one after
/// another, in each of which Jain's index of the tests' goodputs is 0.95 or more, as it is in nine of ten from there to the end. None where
/// there is no such window, or nothing was delivered.
pub(crate) fn convergence_s(tests: &[(Span, &Series)]) -> Option<f64> {
    let from = tests.iter().map(|(span, _)| span.start.as_ns()).max()?;
    let ends = tests.iter().map(|(span, series)| {
        let measured = span.duration.map(|d| (span.from() + d).as_ns());
        let last = series.t_ns.last().copied().unwrap_or(0);
        measured.map_or(last, |end| end.min(last))
    });
    let until = ends.min()?;
    let mut cursors: Vec<Cursor<'_>> = tests.iter().map(|(_, s)| Cursor::new(s)).collect();
    let equal = (0..until.saturating_sub(from) / WINDOW_NS).map(|window| {
        let start = from + window * WINDOW_NS;
        let each = cursors.iter_mut();
        let shares: Vec<f64> = each.map(|c| c.between(start, start + WINDOW_NS)).collect();
        jain_index(&shares).is_some_and(|index| index >= EQUAL)
    });
    let equal: Vec<bool> = equal.collect();
    let stays = |first: &usize| {
        let rest = &equal[*first..];
        let kept = rest.iter().filter(|equal| **equal).count();
        rest[..BEGINS].iter().all(|equal| *equal) && kept as f64 >= STAYS * rest.len() as f64
    };
    let first = (0..=equal.len().checked_sub(BEGINS)?).find(stays)?;
    Some((first as u64 * WINDOW_NS) as f64 / 1e9)
}

/// A series of rates, read forwards; each value is of the time since the one before.
struct Cursor<'s> {
    series: &'s Series,
    next: usize,
}

impl<'s> Cursor<'s> {
    fn new(series: &'s Series) -> Self {
        Self { series, next: 0 }
    }

    /// What was delivered between two times, in bits.
    fn between(&mut self, from: u64, until: u64) -> f64 {
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
        // Alone for 4 s; then 9 : 1 for 3 s, equal for 2 s, 9 : 1 for 1 s, and equal.
        let late: Vec<f64> = [(6, 1e6), (4, 5e6), (2, 1e6), (20, 5e6)]
            .iter()
            .flat_map(|(n, bps)| vec![*bps; *n])
            .collect();
        let mut early = vec![10e6; 8];
        early.extend(late.iter().map(|bps| 10e6 - bps));
        let both = |late: &[f64]| of(&[test(0, &early), test(4, late)]);
        assert_eq!(both(&late), Some(6.0));
        // Four equal seconds are not enough.
        assert_eq!(both(&late[..20]), None);
        assert_eq!(of(&[test(0, &[5e6; 12]), test(0, &[5e6; 12])]), Some(0.0));
        assert_eq!(of(&[test(0, &[0.0; 12]), test(0, &[0.0; 12])]), None);
    }

    /// Samples need not end where windows do, nor at the same times.
    #[test]
    fn windows_cut_intervals() {
        let (span, mut series) = test(0, &[4e6; 14]);
        for (n, t) in series.t_ns.iter_mut().enumerate() {
            *t += 130_000_000 * (n as u64 % 2);
        }
        assert_eq!(of(&[(span, series), test(0, &[4e6; 14])]), Some(0.0));
    }

    /// One takes what the other had: they are equal for six seconds, and never again.
    #[test]
    fn flows_that_cross_each_other_have_not_converged() {
        let share = |n: usize| match n {
            0..10 => 1e6,
            10..22 => 5e6,
            _ => 9e6,
        };
        let one: Vec<f64> = (0..60).map(share).collect();
        let other: Vec<f64> = one.iter().map(|bps| 10e6 - bps).collect();
        assert_eq!(of(&[test(0, &one), test(0, &other)]), None);
        assert_eq!(of(&[test(0, &one[..22]), test(0, &other[..22])]), Some(5.0));
    }
}
