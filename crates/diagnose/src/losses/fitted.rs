//! A policer that a capture's losses fit, and whether its rate is known by that: a flow far below it meets its bucket alone, with bursts.

use farpath_record::trace::PolicerFound;

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::items::Item;

/// A flow keeps a policer busy that has this part of its rate, at least: a window that climbs between cuts has three quarters on average.
const BUSY: f64 = 0.7;

/// Rates that fit as well as each other differ by this factor at most.
const NARROW: f64 = 1.25;

/// What a fit is worth, decibans, and the part of it that a queue as short as the bucket has, where only bursts were refused.
const FITS: f64 = 12.0;
const AS_SHORT: f64 = 5.0;

/// The rate of a fit, between the rates that fit as well.
pub(crate) fn rate(fit: &PolicerFound, at: Place) -> Figure {
    let [rate, low, high] = [fit.rate_bps, fit.rate_least_bps, fit.rate_most_bps];
    Figure::between(rate as f64, low as f64, high as f64, at)
}

impl Evidence {
    /// The rate of the policer that a capture's losses fit, where the flow kept it busy.
    pub(crate) fn fitted_rate(&self) -> Option<&Figure> {
        let lasting = self.lasting().unwrap_or(0.0);
        let tight = |fit: &&Figure| lasting > BUSY * fit.value && fit.high < NARROW * fit.low;
        self.found_policer.as_ref().filter(tight)
    }
}

/// Weighs a fit.
pub(crate) fn by_fit(e: &Evidence, by: &str, items: &mut Vec<Item>) {
    let Some(fit) = &e.found_policer else { return };
    let (as_short, says) = match (e.fitted_rate(), e.lasting()) {
        (None, Some(passed)) => (
            AS_SHORT,
            format!(
                ". The flow did not keep it busy: its rate is {} at least, which is what passed, and not known to be the {} that fit best",
                bps(passed),
                bps(fit.value)
            ),
        ),
        _ => (0.0, format!(" of {}", bps(fit.value))),
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::Policer, FITS), (Cause::ShallowBuffer, as_short)],
        sentence: format!("{by}: what was lost fits a policer{says}"),
    });
}
