//! Predictions that lie far from what the same run simulated or measured: a mark in the table.

use farpath_record::Origin;

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
