//! What a reader must know of ranks: where they say what means hide, where so few runs could not differ by them, and where none
//! were tested.

use super::notes::{FAR, far};
use super::row::{are_few, hidden};
use super::{Row, Side};
use crate::Origin;

/// What a note says of runs that are too few.
const FEW: &str = "too few for ranks to differ at 95 %, however far they lie apart";

/// What a note says of a forecast beside runs of two kinds.
const KINDS: &str = "a forecast is one value, so that no ranks were tested";

/// What differences from a forecast mean.
pub(super) const FORECAST: &str = "a forecast is one value without a spread, taken as exact, and no ranks were tested with it: \
    where it differs, the mean of the other side's runs is off by more than their own chance; beside a single run nothing was tested";

/// Whether a row's difference is one from a forecast, of runs that have a spread or of one.
pub(super) fn by_forecast(row: &Row) -> bool {
    is_beside(row) && !row.verdict.is_chance()
}

/// Whether a row has a forecast beside another origin.
fn is_beside(row: &Row) -> bool {
    row.origin_a == Origin::Predicted && row.origin_b != Origin::Predicted
}

/// The note on differences from forecasts, where a row has one.
pub(super) fn of_forecasts(rows: &[Row]) -> Option<String> {
    rows.iter().any(by_forecast).then(|| FORECAST.to_owned())
}

/// What ranks say of a row, or do not; `name` is the row's.
pub(super) fn of_row(
    row: Option<&Row>,
    x: &Side,
    y: &Side,
    name: impl Fn() -> String,
) -> Vec<String> {
    let Some(row) = row else {
        return Vec::new();
    };
    let mut notes = Vec::new();
    notes.extend(hidden(row, x, y).map(|p| far(&name(), p)));
    if are_few(row, x, y) {
        let runs = match row.paired {
            true => "the pairs of runs whose values are not equal".to_owned(),
            false => format!("{} runs of A and {} of B", row.a.n, row.b.n),
        };
        notes.push(format!(
            "{}: {runs} are {FEW}: nothing was decided, and more repeats would",
            name()
        ));
    }
    if is_beside(row) && row.a.n == 1 && row.b.two_kinds.is_some() {
        notes.push(format!(
            "{}: runs of B are of two kinds and {KINDS}: the difference is that of their mean, which is like neither",
            name()
        ));
    }
    notes
}

/// Whether a note begins with the metric that it is about.
pub(super) fn names_metric(note: &str) -> bool {
    [FAR, FEW, KINDS].iter().any(|what| note.contains(what))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::{Named, Verdict, origins, sets};
    use crate::{Record, RunDocument};

    /// One test, `goodput_bps` of each origin by repeat.
    fn run(seed: u64, all: &[(Origin, &[f64])]) -> Named {
        let mut document = RunDocument::new("s", seed, "00".to_owned());
        for (origin, goodputs) in all {
            for (repeat, goodput) in goodputs.iter().enumerate() {
                let mut record = Record::new(*origin, "bulk", "tcp", "a", "b");
                record.repeat = repeat as u32;
                record.set("goodput_bps", *goodput);
                record.set("rtt_avg_ns", 1.0);
                document.records.push(record);
            }
        }
        Named {
            name: "run".to_owned(),
            keys: std::collections::BTreeMap::new(),
            document,
        }
    }

    const MIXED: [f64; 8] = [90.0, 91.0, 5.0, 89.0, 92.0, 90.5, 4.0, 91.5];

    /// The note on a run far from the others was one of two files alone.
    #[test]
    fn what_an_outlier_hides_between_origins_is_said_by_ranks() {
        let plain: Vec<f64> = (0..10).map(|n| 100.0 + 0.1 * f64::from(n)).collect();
        let mut higher: Vec<f64> = plain.iter().map(|v| v + 10.0).collect();
        higher[4] = 20.0;
        let one = run(
            1,
            &[
                (Origin::Simulated, &plain[..]),
                (Origin::Emulated, &higher[..]),
            ],
        );
        let mut found = origins(&[one], None).expect("comparable");
        let said = |notes: &[String]| {
            let begins = "bulk.goodput_bps, simulated and emulated: a run lies far";
            notes.iter().any(|n| n.starts_with(begins))
        };
        assert!(said(&found.notes), "{:?}", found.notes);
        found.keep(|metric| metric == "rtt_avg_ns").expect("a row");
        assert!(!said(&found.notes), "{:?}", found.notes);
    }

    /// Eight and two that have nothing in common are one of 45 orders, on either side: p is 0.044.
    #[test]
    fn eight_runs_and_two_differ_by_ranks() {
        let few = |b: &[f64]| {
            let a = run(1, &[(Origin::Simulated, &MIXED[..])]);
            let b = run(2, &[(Origin::Simulated, b)]);
            let found = sets(&[a], &[b], None).expect("comparable");
            let row = found.rows.iter().find(|r| r.metric == "goodput_bps");
            let verdict = row.expect("a row").verdict;
            (verdict, found.notes.iter().any(|n| n.contains(FEW)))
        };
        assert_eq!(few(&[1.0, 2.0]), (Verdict::Differs, false));
        assert_eq!(few(&[1.0, 2.0, 3.0]), (Verdict::Differs, false));
        // Enough runs whose ranks are by chance.
        assert_eq!(few(&[90.2, 4.5, 91.2]), (Verdict::Inconclusive, false));
    }

    /// Five pairs that differ, all one way, are so by chance in one case of 16; of six in one of 32.
    #[test]
    fn so_few_pairs_that_ranks_cannot_differ_are_named() {
        let few = |differing: usize| {
            let of_seeds = |goodputs: &[f64]| {
                let mut of = run(1, &[(Origin::Simulated, goodputs)]);
                of.document.repeats = Some(crate::Repeats {
                    count: 8,
                    seeds: (1..9).collect(),
                    ..Default::default()
                });
                of
            };
            let mut higher = MIXED;
            for (n, value) in higher[..differing].iter_mut().enumerate() {
                *value += 0.5 + n as f64;
            }
            let found = sets(&[of_seeds(&MIXED)], &[of_seeds(&higher)], None).expect("comparable");
            let row = found.rows.iter().find(|r| r.metric == "goodput_bps");
            let row = row.expect("a row");
            assert!(row.paired);
            let said = "the pairs of runs whose values are not equal are too few for ranks";
            (row.verdict, found.notes.iter().any(|n| n.contains(said)))
        };
        assert_eq!(few(5), (Verdict::Inconclusive, true));
        assert_eq!(few(6), (Verdict::Differs, false));
    }

    #[test]
    fn a_forecast_is_one_value_and_no_sample() {
        let notes = |predicted: f64, simulated: &[f64]| {
            let one = run(
                1,
                &[
                    (Origin::Predicted, &[predicted][..]),
                    (Origin::Simulated, simulated),
                ],
            );
            origins(&[one], None).expect("comparable")
        };
        let plain = [100.0, 102.0, 98.0, 101.0, 99.0];
        let said = |of: &crate::compare::Comparison| of.notes.iter().any(|n| n == FORECAST);
        let mut differs = notes(105.0, &plain);
        assert!(said(&differs));
        differs
            .keep(|metric| metric == "rtt_avg_ns")
            .expect("it is there");
        assert!(!said(&differs));
        assert!(said(&notes(105.0, &[100.0])), "a single run");
        assert!(!said(&notes(100.5, &plain)), "within the interval");
        let kinds = notes(50.0, &MIXED).notes;
        let named = "bulk.goodput_bps, predicted and simulated: runs of B are of two kinds";
        assert!(kinds.iter().any(|n| n.starts_with(named)), "{kinds:?}");
    }
}
