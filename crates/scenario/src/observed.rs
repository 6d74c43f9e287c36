//! What a test brings to its record and to what is observed of it.

use std::collections::BTreeMap;

use farpath_observe::Span;
use farpath_record::{Origin, Record};

use crate::model::{Scenario, Test};

impl Scenario {
    /// The empty record of a test at a point.
    pub fn record(&self, test: &Test, origin: Origin, point: &BTreeMap<String, String>) -> Record {
        let (from, to) = (self.node_name(test.from), self.node_name(test.to));
        let mut record = Record::new(origin, &test.name, test.kind.subject().name(), from, to);
        record.point.clone_from(point);
        record.started_ns = test.start.as_ns();
        record.duration_ns = test.duration.unwrap_or_default().as_ns();
        record
    }
}

impl Test {
    /// When it is measured.
    pub fn span(&self) -> Span {
        Span {
            start: self.start,
            omit: self.omit,
            duration: self.duration,
        }
    }
}
