//! Predictions that lie far from what the same run simulated or measured: a mark in the table.

use farpath_record::{Origin, Point, Results, RunDocument, quantity::quantity};

/// Before a predicted value that is far from the other one beside it.
pub(crate) const MARK: &str = "? ";

/// What the mark means, below the table.
pub(crate) const KEY: &str = "? predicted, and more than 20 % from what was simulated, or else emulated or measured; of a loss 3 points or a \
    factor of two, beyond chance: the closed form leaves out what happened there, unless a note says that the model does";

/// Of the other value, how far a prediction may be from it without a mark.
const FAR: f64 = 0.2;

/// Losses this near to each other are equal.
const LOSS_EQUAL: f64 = 1e-4;

/// How far a predicted loss may be from the other one without a mark, both where neither is twice the other.
const LOSS_FAR: f64 = 0.03;

/// Of the square root of the things lost, how many more or fewer chance may take: many, as losses come in bursts.
const LOSS_CHANCE: f64 = 8.0;

/// Whether the prediction of a metric in full at a point is far from what happened: each origin's value, and whether it is invalid.
pub(crate) fn is_marked(
    run: &RunDocument,
    (path, point): (&str, &Point),
    values: impl Iterator<Item = (Option<f64>, bool)>,
) -> bool {
    let all = run.origins().into_iter().zip(values);
    let all: Vec<_> = all
        .map(|(origin, (value, invalid))| (origin, value, !invalid))
        .collect();
    let results = Results {
        records: &run.records,
        links: &run.links,
    };
    let counted = |origin| {
        let (test, _) = path.rsplit_once('.')?;
        let of = |metric| results.value(&format!("{test}.{metric}"), origin, point);
        of("sent").or_else(|| of("cells_sent"))
    };
    is_far(path, &all, counted)
}

/// Whether the prediction among these values of a metric is far from the first other one that is trusted. Rates, of bits and of
/// requests, times and losses alone, these by how many things were `counted`: other counts scatter, and a recovery ends at another moment.
fn is_far(
    path: &str,
    values: &[(Origin, Option<f64>, bool)],
    counted: impl Fn(Origin) -> Option<f64>,
) -> bool {
    let is_loss = path.ends_with(".loss_ratio");
    let compared = ["_bps", "_rate", "_ns"];
    let comparable = is_loss || compared.iter().any(|unit| path.ends_with(unit));
    if !comparable || path.contains(' ') {
        return false;
    }
    let predicted = values.iter().find(|(o, ..)| *o == Origin::Predicted);
    let mut others = values
        .iter()
        .filter(|(o, v, trusted)| *o != Origin::Predicted && v.is_some() && *trusted);
    match (predicted, others.next()) {
        (Some((_, Some(predicted), _)), Some((origin, Some(other), _))) => match is_loss {
            true => is_loss_far(*predicted, *other, counted(*origin)),
            false => (predicted - other).abs() > FAR * other.abs(),
        },
        _ => false,
    }
}

/// Of losses fewer than this say nothing, however many are predicted: one more or less.
const LOSSES_FEW: f64 = 1.5;

/// Whether a predicted loss is far from another one of so many things. Where none is predicted, chance takes one at most.
fn is_loss_far(predicted: f64, other: f64, counted: Option<f64>) -> bool {
    let (apart, more) = ((predicted - other).abs(), predicted.max(other));
    let few = counted.is_some_and(|n| apart * n < LOSSES_FEW);
    if apart <= LOSS_EQUAL || few || predicted == 0.0 {
        return apart > LOSS_EQUAL && !few;
    }
    let by_chance = counted.map_or(0.0, |n| LOSS_CHANCE * (more / n.max(1.0)).sqrt());
    apart > by_chance
        && (apart > LOSS_FAR || (counted.is_some() && more > 2.0 * predicted.min(other)))
}

/// A bound of a metric in full at a point: which of the two it is, and its value in the column of predictions.
pub(crate) type Bound = (String, &'static str, Point, Vec<Option<f64>>);

/// Between which values forecasts of a metric lie, where that is open: at all points the lower bounds, and then the upper ones.
pub(crate) fn bounds(run: &RunDocument, path: &str, points: &[&Point]) -> Vec<Bound> {
    let Some((test, metric)) = path.split_once('.') else {
        return Vec::new();
    };
    let of = |point: &Point| {
        let mut mine = run.records.iter().filter(|r| r.origin == Origin::Predicted);
        let record = mine.find(|r| r.test == test && r.point == *point)?;
        let open = record.uncertainty.get(metric)?;
        open.low
            .zip(open.high)
            .filter(|(low, high)| quantity(path, *low) != quantity(path, *high))
    };
    let columns = |value: f64| {
        run.origins()
            .into_iter()
            .map(move |o| (o == Origin::Predicted).then_some(value))
    };
    let mut all = Vec::new();
    for (bound, is_low) in [("lower bound", true), ("upper bound", false)] {
        for point in points {
            if let Some((low, high)) = of(point) {
                let values = columns(if is_low { low } else { high }).collect();
                all.push((path.to_owned(), bound, (*point).clone(), values));
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn far(path: &str, predicted: f64, simulated: Option<f64>, trusted: bool) -> bool {
        let values = [
            (Origin::Predicted, Some(predicted), true),
            (Origin::Simulated, simulated, trusted),
        ];
        is_far(path, &values, |_| None)
    }

    #[test]
    fn a_prediction_is_marked_where_it_is_a_fifth_off() {
        assert!(far("bulk.goodput_bps", 121e6, Some(100e6), true));
        assert!(far("bulk.goodput_bps", 79e6, Some(100e6), true));
        assert!(!far("bulk.goodput_bps", 119e6, Some(100e6), true));
        assert!(!far("bulk.goodput_bps", 200e6, None, true));
        assert!(!far("bulk.goodput_bps", 200e6, Some(100e6), false));
        assert!(!far("bulk.recovery_s", 20.0, Some(10.0), true));
        assert!(!far("a.x_bps over b.x_bps", 2.0, Some(1.0), true));
        assert!(far("ping.rtt_avg_ns", 2e6, Some(1e6), true));
        assert!(far("web.request_rate", 0.38, Some(1.43), true));
        assert!(!far("web.request_rate", 1.42, Some(1.43), true));
    }

    /// A flood in the lower of two classes: none is predicted, and 98.085 % lost. Payload at a link's whole rate: 4.502 % of 8929
    /// datagrams are predicted to be lost, and none is, as its queue holds what is too much.
    #[test]
    fn a_predicted_loss_is_marked_beyond_chance() {
        let loss = |predicted: f64, simulated: f64, sent: f64| {
            let values = [
                (Origin::Predicted, Some(predicted), true),
                (Origin::Simulated, Some(simulated), true),
            ];
            is_far("flood.loss_ratio", &values, |_| Some(sent))
        };
        assert!(loss(0.0, 0.98085, 42_000.0));
        assert!(loss(0.04502, 0.0, 8929.0));
        assert!(!loss(0.0, 0.0, 42_000.0));
        assert!(!loss(0.0, 0.9e-4, 42_000.0), "equal");
        // One of 100 is chance, whichever of the two has it; two are not where none is predicted.
        assert!(!loss(0.0, 0.01, 100.0));
        assert!(!loss(0.01, 0.0, 100.0));
        assert!(loss(0.0, 0.02, 100.0));
        // One of 50, twelve of 50, and a burst more or less in ten thousand are chance.
        assert!(!loss(0.01, 0.02, 50.0));
        assert!(!loss(0.1, 0.24, 50.0));
        assert!(!loss(0.01, 0.004, 10_000.0));
        // Near enough, and known well.
        assert!(!loss(0.50, 0.52, 1e6));
        assert!(loss(0.50, 0.54, 1e6));
        assert!(loss(0.001, 0.0021, 1e6));
        assert!(!loss(0.001, 0.0019, 1e6));
        // Of how many is not known.
        assert!(far("flood.loss_ratio", 0.5, Some(0.54), true));
        assert!(!far("flood.loss_ratio", 2e-3, Some(1e-3), true));
        assert!(far("flood.loss_ratio", 0.0, Some(1e-3), true));
        assert!(!far("flood.conforming_ratio", 0.5, Some(0.54), true));
    }
}
