//! When a test was measured.

use farpath_record::Record;
use farpath_units::{Duration, Time};

/// When a test was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Span {
    /// Its start.
    pub start: Time,
    /// From its start to the start of the measurement.
    pub omit: Duration,
    /// Length of the measurement; none until all is delivered.
    pub duration: Option<Duration>,
}

impl Span {
    /// Start of the measurement.
    pub fn from(&self) -> Time {
        self.start + self.omit
    }

    /// What a test has only at its end is absent from its record, for this reason.
    pub(crate) fn not_ended(&self, record: &mut Record, why: String) {
        if self.duration.is_none() {
            record.unset("goodput_bps", why.clone());
        }
        record.unset("completion_ns", why);
    }
}
