//! What samples of a connection are evidence of.

use farpath_observe::{Limit, Path, Sample};
use farpath_units::Duration;

use super::Watched;
use crate::lab::{back, buffer};

impl Watched {
    /// The samples, with no send buffer taken for full that nobody waited for.
    pub(super) fn judged(&self) -> Vec<Sample> {
        let mut samples = self.samples.clone();
        if buffer::has_none_waited(&samples, &self.ends) {
            let timers = samples.iter_mut().filter_map(|s| s.timers.as_mut());
            timers.for_each(|timers| timers.full = false);
        }
        samples
    }

    /// What a full way back may account for.
    pub(super) fn waiting(&self, path: Option<&Path<'_>>) -> Vec<Limit> {
        let delivered = self.last.end.acked;
        let by_chance =
            |path: &Path<'_>| path.loses_by_chance(delivered) || path.taker(delivered).is_some();
        let mut all = match self.last.retransmits > 0 && path.is_some_and(by_chance) {
            true => back::GROWTH.to_vec(),
            false => back::WINDOW.to_vec(),
        };
        if !self.is_asked_to_pace() {
            all.push(Limit::Pacing);
        }
        all
    }

    /// The shortest round trip that its kernel has seen.
    pub(super) fn min_rtt(&self) -> Option<Duration> {
        let last = self.samples.last()?;
        last.timers?.min_rtt.filter(|rtt| *rtt > Duration::ZERO)
    }
}
