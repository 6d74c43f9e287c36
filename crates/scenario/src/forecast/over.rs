//! When a transfer that no clock ends is over, for certain.

use std::collections::BTreeMap;

use farpath_record::Origin;
use farpath_units::Time;

use super::Path;
use super::beside::{CERTAIN, seconds, span};
use crate::model::Test;

impl Path<'_> {
    /// Whether a transfer that no clock ends is over by then for certain: alone in its time, in twice what is forecast of it.
    pub(super) fn is_over(&self, test: &Test, by: Time) -> bool {
        let (from, until) = span(test);
        if until < Time::MAX || from >= by {
            return false;
        }
        let Some(end) = self.certain_end(test) else {
            return false;
        };
        let meets = |other: &Test| {
            let (starts, ends) = span(other);
            starts < end && from < ends
        };
        let others = self.scenario.tests.iter();
        let mut others = others.filter(|t| t.name != test.name && t.kind.periodic().is_none());
        end <= by && !others.any(meets)
    }

    /// When a transfer that no clock ends is over for certain, alone on this path: in twice what is forecast of it.
    pub(super) fn certain_end(&self, test: &Test) -> Option<Time> {
        let mut record = self
            .scenario
            .record(test, Origin::Predicted, &BTreeMap::new());
        test.kind.predict(test, self, &mut record);
        let ns = record.metrics.get("completion_ns")?;
        Some(test.start + test.start_spread + seconds(CERTAIN * ns / 1e9))
    }
}
