//! All stops of a log. Those in which its path was down are one outage, however many they are: their times count together.

use farpath_record::median;

use crate::seen::Row;
use crate::series::stops::{NEAR, Stop, least};

/// So many intervals with data before a stop show that full segments passed until then.
const PASSED_LEAST: usize = 2;

/// In a stop of this many seconds and more one segment was sent again so often where the path was down: chance rarely takes three in a
/// row. Two suffice where nothing else was sent again, but for what lies beside stops.
const DARK_S: f64 = 1.0;
const AGAIN: [f64; 2] = [3.0, 2.0];

/// So they do in two stops, where of what lies apart from stops this part at most was sent again: chance makes no two such stops. A choice.
const RARE: f64 = 0.01;

/// A stretch of intervals in which nothing passed, if it is worth naming.
fn stretch(still: &[&Row], least: f64) -> Option<Stop> {
    let (begin, end) = (still.first()?, still.last()?);
    let lasted = end.until - begin.from;
    (begin.bps <= 0.0 && lasted >= least).then(|| Stop {
        by_log: true,
        ..Stop::one(Some(begin.from), lasted)
    })
}

/// The stretches of intervals in which nothing passed, where others did, in order of time; and the one at the log's end.
fn stretches(rows: &[&Row]) -> (Vec<Stop>, Option<Stop>) {
    let first = rows.iter().position(|r| r.bps > 0.0);
    let last = rows.iter().rposition(|r| r.bps > 0.0);
    let (Some(first), Some(last)) = (first, last) else {
        return (Vec::new(), None);
    };
    let whole = rows.last().map_or(0.0, |r| r.until);
    let least = 0.999 * least(whole);
    let moved = rows[first..=last].chunk_by(|a, b| (a.bps > 0.0) == (b.bps > 0.0));
    let within = moved.filter_map(|still| stretch(still, least));
    // One interval at the end may be empty because the test was over.
    let end = Some(&rows[last + 1..]).filter(|end| end.len() > 1);
    (within.collect(), end.and_then(|end| stretch(end, least)))
}

/// Segments sent again in intervals of which this holds.
fn sent_again(rows: &[Row], holds: impl Fn(&&Row) -> bool) -> f64 {
    let those = rows.iter().filter(holds);
    those.filter_map(|r| r.retransmits).sum()
}

impl Stop {
    /// Whether it is so long that a timer ran out in it.
    fn is_long(&self) -> bool {
        self.lasted >= DARK_S * 0.999
    }

    /// Segments sent again within it.
    fn again(&self, rows: &[Row]) -> f64 {
        let Some(from) = self.from else { return 0.0 };
        let within = |r: &&Row| {
            let middle = f64::midpoint(r.from, r.until);
            middle > from && middle < from + self.lasted
        };
        sent_again(rows, within)
    }

    /// Segments sent again in the interval in which it began.
    fn again_before(&self, rows: &[Row]) -> f64 {
        let Some(from) = self.from else { return 0.0 };
        let begins = |r: &&Row| libm::fabs(r.until - from) <= NEAR;
        sent_again(rows, begins)
    }

    /// Whether full segments passed before it.
    fn passed_before(&self, rows: &[Row]) -> bool {
        let counts = |r: &&Row| r.bps > 0.0 && r.retransmits.is_some();
        let before = |r: &&Row| self.from.is_some_and(|from| r.until <= from);
        rows.iter().filter(counts).filter(before).count() >= PASSED_LEAST
    }
}

/// How often a segment was sent again in vain in stops that show that the path was down; `again` is how often that was in each.
fn enough(all: &[Stop], again: &[f64], rows: &[Row], segment: f64) -> f64 {
    let counted = rows.iter().filter(|r| r.retransmits.is_some());
    let apart = counted.filter(|r| all.iter().all(|s| s.is_apart(r)));
    let apart: Vec<&Row> = apart.collect();
    let lost: f64 = apart.iter().filter_map(|r| r.retransmits).sum();
    let bits: f64 = apart.iter().map(|r| r.bps * (r.until - r.from)).sum();
    let twice = all.iter().zip(again);
    let twice = twice.filter(|(stop, n)| stop.is_long() && **n >= AGAIN[1]);
    let quiet = lost <= 0.0 && apart.len() >= all.len();
    let rare = lost <= RARE * bits / 8.0 / segment && twice.count() >= 2;
    AGAIN[usize::from(quiet || rare)]
}

/// The stops of a log that lasted longer than `least` seconds, and whether these intervals show that the path was down in each. Full segments
/// passed before it and passed again after it, and meanwhile all was sent again in vain. Where one stop shows that, the path was down in other
/// long ones as well, in which something was sent again, or as they began. So it was in one that lasts to the log's end. `rows` are of one side
/// and `counted` of both, of so many connections together, with segments of so many bytes.
pub(crate) fn of_log(
    rows: &[&Row],
    counted: &[Row],
    least: f64,
    (streams, segment): (f64, f64),
) -> Vec<Stop> {
    let (mut all, end) = stretches(rows);
    all.retain(|stop| stop.lasted > least);
    let streams = streams.max(1.0);
    let each = all.iter().map(|stop| stop.again(counted) / streams);
    let each: Vec<f64> = each.collect();
    let enough = enough(&all, &each, counted, segment);
    let is_sure = |(stop, again): (&Stop, &f64)| {
        stop.is_long() && *again >= enough && stop.passed_before(counted)
    };
    let sure: Vec<bool> = all.iter().zip(&each).map(is_sure).collect();
    if !sure.contains(&true) {
        return all;
    }
    all.extend(end.filter(|stop| stop.lasted > least));
    for (n, stop) in all.iter_mut().enumerate() {
        let again = stop.again(counted);
        let joins = stop.is_long() && again + stop.again_before(counted) >= streams;
        if joins || sure.get(n) == Some(&true) {
            stop.dark = Some(again as usize);
        }
    }
    all
}

/// All stops of a log as one: those in which the path was down, or all where none is known to be such. The longest stands for them.
pub(crate) fn together(all: &[Stop], rows: &[&Row]) -> Option<Stop> {
    let dark = all.iter().any(|stop| stop.dark.is_some());
    let like = all.iter().filter(|stop| stop.dark.is_some() == dark);
    let like: Vec<Stop> = like.copied().collect();
    let each = like.iter().rev();
    let longest = each.max_by(|a, b| a.lasted.total_cmp(&b.lasted))?;
    let all = longest.for_all(like.iter());
    Some(Stop {
        cost_s: libm::fmax(all.in_all, lacking_s(&like, rows)),
        ..all
    })
}

/// For how long the usual rate would have needed for what intervals in stops and at their ends lack, seconds.
fn lacking_s(stops: &[Stop], rows: &[&Row]) -> f64 {
    let is_apart = |row: &Row| stops.iter().all(|stop| stop.is_apart(row));
    let apart = rows.iter().filter(|row| is_apart(row));
    let rates: Vec<f64> = apart.map(|row| row.bps).filter(|bps| *bps > 0.0).collect();
    let Some(usual) = median(rates) else {
        return 0.0;
    };
    let beside = rows.iter().filter(|row| !is_apart(row));
    let lacks = |row: &&Row| libm::fmax(1.0 - row.bps / usual, 0.0) * (row.until - row.from);
    beside.map(lacks).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All stops of these seconds as one.
    fn stop(all: &[(f64, f64)]) -> Option<Stop> {
        let rows = Row::seconds(all);
        let each: Vec<&Row> = rows.iter().collect();
        together(&of_log(&each, &rows, 0.0, (1.0, 1448.0)), &each)
    }

    const FULL: (f64, f64) = (18.0, 0.0);
    const STILL: (f64, f64) = (0.0, 0.0);

    #[test]
    fn stops_of_a_path_that_was_down_count_together() {
        let mut all = [FULL; 20];
        for at in [5, 13] {
            all[at..at + 4].copy_from_slice(&[(0.0, 3.0), (0.0, 1.0), STILL, (9.0, 30.0)]);
        }
        let two = stop(&all).expect("two stops");
        assert_eq!((two.from, two.lasted, two.in_all), (Some(5.0), 3.0, 6.0));
        assert_eq!(two.dark, Some(8));
        // The seconds in which they ended lack half of the usual rate each.
        assert!((two.cost_s - 7.0).abs() < 1e-9, "{two:?}");
        let mut one = [FULL; 20];
        one[5..9].copy_from_slice(&all[5..9]);
        let one = stop(&one).expect("one stop");
        assert_eq!((one.lasted, one.in_all, one.dark), (3.0, 3.0, Some(4)));
    }

    /// Two stops with two repeats each, and one with one: slow start lost some as well.
    #[test]
    fn few_losses_elsewhere_leave_stops_what_they_are() {
        let mut all = [FULL; 20];
        all[0] = (19.0, 18.0);
        for at in [4, 9] {
            all[at..at + 3].copy_from_slice(&[(0.0, 1.0), (0.0, 1.0), STILL]);
        }
        all[14] = (0.0, 1.0);
        let three = stop(&all).expect("three stops");
        assert_eq!((three.in_all, three.dark), (7.0, Some(5)));
        // Where many are lost anyway two repeats are chance.
        for second in [1, 2, 7, 17, 18] {
            all[second].1 = 60.0;
        }
        let chance = stop(&all).expect("three stops");
        assert_eq!(chance.dark, None);
    }

    /// What a stop at the end is, the others say: by itself it is the end of the data.
    #[test]
    fn a_stop_at_the_end_joins_others() {
        let mut all = [FULL; 16];
        all[3..6].copy_from_slice(&[(0.0, 2.0), (0.0, 1.0), STILL]);
        all[11] = (10.0, 1.0);
        all[12..].fill(STILL);
        let both = stop(&all).expect("two stops");
        assert_eq!(
            (both.from, both.lasted, both.in_all),
            (Some(12.0), 4.0, 7.0)
        );
        all[3..6].fill(FULL);
        assert_eq!(stop(&all), None);
    }
}
