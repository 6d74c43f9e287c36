//! Predictions that lie far from what the same run simulated or measured: a mark in the table.

use farpath_record::{Origin, Point, RunDocument, quantity::quantity};

/// Before a predicted value that is far from the other one beside it.
pub(crate) const MARK: &str = "? ";

/// What the mark means, below the table.
pub(crate) const KEY: &str = "? predicted, and more than 20 % from what was simulated, or else emulated or measured: \
    the closed form leaves out what happened there";

/// Of the other value, how far a prediction may be from it without a mark.
const FAR: f64 = 0.2;

/// Whether the prediction among these values of a metric is far from the first other one that is trusted. Rates and times alone:
/// counts and shares of what is lost by chance scatter, and a recovery ends at another moment.
pub(crate) fn is_far(path: &str, values: &[(Origin, Option<f64>, bool)]) -> bool {
    let comparable = path.ends_with("_bps") || path.ends_with("_ns");
    if !comparable || path.contains(' ') {
        return false;
    }
    let predicted = values.iter().find(|(o, ..)| *o == Origin::Predicted);
    let mut others = values
        .iter()
        .filter(|(o, v, trusted)| *o != Origin::Predicted && v.is_some() && *trusted);
    match (predicted, others.next()) {
        (Some((_, Some(predicted), _)), Some((_, Some(other), _))) => {
            (predicted - other).abs() > FAR * other.abs()
        }
        _ => false,
    }
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

    #[test]
    fn a_prediction_is_marked_where_it_is_a_fifth_off() {
        let far = |path: &str, predicted: f64, simulated: Option<f64>, trusted: bool| {
            let values = [
                (Origin::Predicted, Some(predicted), true),
                (Origin::Simulated, simulated, trusted),
            ];
            is_far(path, &values)
        };
        assert!(far("bulk.goodput_bps", 121e6, Some(100e6), true));
        assert!(far("bulk.goodput_bps", 79e6, Some(100e6), true));
        assert!(!far("bulk.goodput_bps", 119e6, Some(100e6), true));
        assert!(!far("bulk.goodput_bps", 200e6, None, true));
        assert!(!far("bulk.goodput_bps", 200e6, Some(100e6), false));
        assert!(!far("bulk.loss_ratio", 2e-4, Some(1e-4), true));
        assert!(!far("bulk.recovery_s", 20.0, Some(10.0), true));
        assert!(!far("a.x_bps over b.x_bps", 2.0, Some(1.0), true));
        assert!(far("ping.rtt_avg_ns", 2e6, Some(1e6), true));
    }
}
