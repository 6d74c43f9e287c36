//! How large segments are, and what share of them was sent again.

use crate::evidence::{Evidence, SEGMENT};
use crate::fact::{Figure, Of, Place};
use crate::flow::{Flow, number};
use crate::read::Facts;

/// Headers of IPv4 and TCP without options, bytes.
const HEADERS: f64 = 40.0;

/// Bytes of a segment that timestamps take.
const STAMPS: f64 = 12.0;

impl Evidence {
    /// How large segments are, where no connection says it, and what share of them was sent again.
    pub(crate) fn of_segments(&mut self, facts: &Facts, flow: &Flow) {
        let hosts = flow.senders.iter().chain(&flow.receivers);
        let mut said = hosts.filter_map(|h| number(facts, Of::Host(*h), "timestamps"));
        // They are sent where both ends offer them.
        let stamps = if said.any(|on| on.value == 0.0) {
            0.0
        } else {
            STAMPS
        };
        let mtu = facts
            .along(flow, "mtu_bytes")
            .cloned()
            .reduce(|a, b| a.with(&b));
        if let Some(mtu) = mtu.filter(|m| m.value > 100.0 && !self.mss_said) {
            (self.mss, self.mss_said) = (mtu.value - HEADERS - stamps, true);
        } else if !self.mss_said {
            self.mss = SEGMENT + STAMPS - stamps;
        }
        if self.again.is_none() {
            self.again = self.retransmits.clone().and_then(|r| self.share_of(&r));
        }
    }

    /// Segments sent again as a share of all segments.
    pub(crate) fn share_of(&self, again: &Figure) -> Option<Figure> {
        let bytes = self.bytes.as_ref()?;
        let segments = bytes.value / self.mss;
        (segments >= 1.0).then(|| {
            let share = again.value / (segments + again.value);
            // Counts of few are uncertain by their root.
            let spread = 2.0 * (again.value + 1.0).sqrt() / segments;
            let mut figure =
                Figure::between(share, (share - spread).max(0.0), share + spread, Place::You);
            figure.from = again.from.clone();
            figure
        })
    }
}
