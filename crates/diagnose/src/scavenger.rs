//! A test whose packets are marked for a class that gets what others leave (scavenger): its rate is that class's, and not the path's.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flow::Flow;
use crate::items::Item;
use crate::read::Facts;
use crate::typed::option;

/// The code point that a test marks its packets with, as facts and tests have it.
pub(crate) const DSCP: &str = "test_dscp";

/// Code points of classes that get what others leave: LE of RFC 8622, and CS1, which was theirs before.
const LOWER: [(f64, &str); 2] = [(8.0, "CS1"), (1.0, "LE")];

/// A flow that has so much of a line is held by it, whatever its class.
const FULL: f64 = 0.85;

/// A sender that waits for a window or a buffer for so much of its time is held by that.
const WAITS: f64 = 0.5;

/// The most that is said of a cause on the path beside such a mark. A choice.
const OPEN: f64 = 0.6;

/// What others that go first are worth, decibans. A choice.
const OTHERS: f64 = 6.0;

impl Evidence {
    /// Takes the mark of a test's packets, where it is of such a class.
    pub(crate) fn of_mark(&mut self, facts: &Facts, flow: &Flow) {
        let own = flow.test.as_ref().and_then(|t| t.numbers.get(DSCP));
        let dscp = own.or_else(|| option(facts, flow, DSCP));
        let dscp = dscp.map(|d| d.value);
        self.lower_class = LOWER.into_iter().find(|(n, _)| dscp == Some(*n));
    }

    /// The class that may hold a test: neither its ends nor a full line do.
    fn waits_behind(&self) -> Option<(f64, &'static str)> {
        let class = self.lower_class?;
        let share = |of: &Option<Figure>| of.as_ref().is_some_and(|f| f.value > WAITS);
        let waits = share(&self.rwnd_share) || share(&self.sndbuf_share);
        let rate = self.settled()?.value;
        let line = self.line.as_ref();
        let line = line.map(|(line, _)| line.value * self.payload_share());
        let full = line.is_some_and(|line| rate > FULL * line);
        (!waits && !full && !self.is_as_asked()).then_some(class)
    }

    /// The most that is said of a cause on the path of such a test.
    pub(crate) fn at_most_of_scavenger(&self, cause: Cause) -> f64 {
        let path = matches!(cause, Cause::Link | Cause::Shaper | Cause::CrossTraffic);
        match (path || cause.is_loss()) && self.waits_behind().is_some() {
            true => OPEN,
            false => 1.0,
        }
    }

    /// What the mark means, for people.
    pub(crate) fn scavenger_in_words(&self) -> Option<String> {
        let (dscp, name) = self.waits_behind()?;
        Some(format!(
            "the test marks its packets DSCP {dscp:.0} ({name}), for a class that gets what others leave (scavenger): beside a busy queue a low rate is that class's, and not what the path carries; the same test without its mark (-S, --tos, --dscp) shows that"
        ))
    }

    /// The same test without its mark.
    pub(crate) fn asks_unmarked(&self, asking: &Asking) -> Option<MissingFact> {
        let (dscp, name) = self.waits_behind()?;
        Some(MissingFact {
            fact: "unmarked_rate",
            would_decide: format!(
                "whether the class of DSCP {dscp:.0} ({name}) holds the rate, or the path does"
            ),
            command: format!(
                "right after a test with the mark, one without -S, --tos and --dscp: iperf3 -c {}",
                asking.host
            ),
        })
    }
}

/// What goes before such a class is the traffic of others.
pub(crate) fn by_mark(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.waits_behind().map(|_| Item {
        holds: 1.0,
        weights: vec![(Cause::CrossTraffic, OTHERS)],
        sentence: String::new(),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;

    #[test]
    fn a_mark_of_a_lower_class_leaves_open_what_the_path_carries() {
        let marked = |class: Option<(f64, &'static str)>, line: f64, waits: f64| Evidence {
            rate: Some(Figure::exact(6e6, Place::You)),
            line: Some((Figure::exact(line, Place::You), "the line")),
            rwnd_share: Some(Figure::exact(waits, Place::You)),
            lower_class: class,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        let low = marked(Some(LOWER[0]), 100e6, 0.0);
        let said = low.scavenger_in_words().expect("it waits behind others");
        assert!(said.contains("DSCP 8 (CS1)"), "{said}");
        assert_eq!(low.at_most_of_scavenger(Cause::Policer), OPEN);
        assert_eq!(low.at_most_of_scavenger(Cause::ReceiveWindow), 1.0);
        // A line that is full, a window that is waited for, and a test without such a mark.
        for other in [
            marked(Some(LOWER[1]), 6.4e6, 0.0),
            marked(Some(LOWER[1]), 100e6, 0.9),
            marked(None, 100e6, 0.0),
        ] {
            assert_eq!(other.scavenger_in_words(), None);
            assert_eq!(other.at_most_of_scavenger(Cause::Policer), 1.0);
        }
    }
}
