//! Measured figures, and the clock that they are measured with.

use serde::Serialize;

/// One measured figure.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Figure {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) unit: String,
    /// The figure it is compared with, measured in the same run; empty when none.
    pub(crate) against: String,
    /// `value` divided by the other's value.
    pub(crate) ratio: Option<f64>,
}

impl Figure {
    /// A figure that stands alone.
    pub(crate) fn of(name: &str, value: f64, unit: &str) -> Figure {
        Figure {
            name: name.to_owned(),
            value,
            unit: unit.to_owned(),
            against: String::new(),
            ratio: None,
        }
    }

    /// The same beside another's.
    pub(crate) fn against(mut self, other: String, ratio: f64) -> Figure {
        (self.against, self.ratio) = (other, Some(ratio));
        self
    }
}

/// Nanoseconds this thread has run (`/proc/thread-self/schedstat`, first field).
pub(crate) fn processor_ns() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux tells it");
    let first = text.split_whitespace().next().expect("it has three fields");
    first.parse().expect("it is a number")
}
