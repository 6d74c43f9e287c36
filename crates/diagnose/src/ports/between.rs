//! Between which readings a port's counter is compared that a text has in two forms: as a row of a table of ports, and in the port's own
//! printout. What one form shows by itself, the other does not undo.

use super::{Kind, PortReading, RATES};
use crate::read::Facts;

/// The first and the last of the readings of a port's counter, between which it is compared; none where no reading is given. Of a rate the
/// last is the largest.
///
/// Two forms need not count the very same, so that readings of one form go first: those between which it grew, then those between which a
/// test stands. Readings of either form are compared where a test stands between them.
pub(super) fn ends<'r>(
    facts: &Facts,
    kind: Kind,
    each: &[&'r PortReading],
) -> Option<[&'r PortReading; 2]> {
    let (first, rest) = each.split_first()?;
    if RATES.contains(&kind) {
        let larger = |last: &'r PortReading, r: &&'r PortReading| match r.value > last.value {
            true => *r,
            false => last,
        };
        return Some([*first, rest.iter().fold(*first, larger)]);
    }
    let (rows, own): (Vec<&PortReading>, Vec<&PortReading>) = each
        .iter()
        .copied()
        .partition(|r| facts.rows.contains(&r.at));
    if rows.is_empty() || own.is_empty() {
        return Some([*first, each[each.len() - 1]]);
    }
    let own_form = [around(&own), around(&rows)];
    let mixed = around(each).filter(|[a, b]| a.value <= b.value && facts.tests_between(a.at, b.at));
    let mut best: Option<([bool; 4], [&'r PortReading; 2])> = None;
    let forms = own_form.into_iter().flatten().map(|two| (two, true));
    for ([a, b], alike) in forms.chain(mixed.map(|two| (two, false))) {
        let up = a.value <= b.value;
        let tested = up && facts.tests_between(a.at, b.at);
        let twice = up && facts.are_two_times(a, b);
        let shows = [alike && a.value < b.value, tested, alike, twice];
        if best.as_ref().is_none_or(|(before, _)| shows > *before) {
            best = Some((shows, [a, b]));
        }
    }
    best.map(|(_, two)| two)
}

/// The first and the last of some readings by where they stand.
fn around<'r>(each: &[&'r PortReading]) -> Option<[&'r PortReading; 2]> {
    let first = each.iter().min_by_key(|r| r.at)?;
    let last = each.iter().max_by_key(|r| r.at)?;
    Some([*first, *last])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;
    use crate::interfaces::port::Port;

    /// What is compared of these readings: the line, the count and whether it is a row of a table, of each.
    fn compared(each: &[(u32, f64, bool)]) -> Option<[f64; 2]> {
        let mut facts = Facts::default();
        let mut all = Vec::new();
        for (line, value, row) in each {
            let at = Place::Line(0, *line);
            if *row {
                facts.rows.insert(at);
            }
            all.push(PortReading {
                port: Port::default(),
                kind: Kind::Damaged,
                value: *value,
                packets: (!row).then_some(1e6),
                sent: None,
                at,
            });
        }
        let all: Vec<&PortReading> = all.iter().collect();
        ends(&facts, Kind::Damaged, &all).map(|two| two.map(|r| r.value))
    }

    #[test]
    fn what_one_form_shows_the_other_does_not_undo() {
        let (row, own) = (true, false);
        for (each, two) in [
            // The port's own printout stands below, above or between two tables, and is read first.
            (
                vec![(9, 99.0, own), (1, 21.0, row), (5, 99.0, row)],
                [21.0, 99.0],
            ),
            (
                vec![(1, 21.0, own), (3, 21.0, row), (5, 99.0, row)],
                [21.0, 99.0],
            ),
            (
                vec![(3, 50.0, own), (1, 21.0, row), (5, 99.0, row)],
                [21.0, 99.0],
            ),
            // The port's own printouts grew, and the table stands once.
            (
                vec![(1, 21.0, own), (9, 99.0, own), (5, 60.0, row)],
                [21.0, 99.0],
            ),
            // Two forms that were read once need not count the same.
            (vec![(1, 21.0, row), (9, 99.0, own)], [99.0, 99.0]),
        ] {
            assert_eq!(compared(&each), Some(two), "{each:?}");
        }
        assert_eq!(compared(&[]), None);
    }
}
