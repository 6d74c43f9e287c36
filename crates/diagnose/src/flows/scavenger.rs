//! A test whose packets are marked for a class that gets what others leave (scavenger): its rate is that class's, and not the path's.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::flows::typed::{number_of, option};
use crate::items::{Item, LOSSES, of};
use crate::read::Facts;
use crate::seen::Test;

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

/// A test without the mark that is so many times as fast shows that the class holds the rate. A choice.
const FASTER: f64 = 2.0;

/// What that is worth for those who go first, and against kinds of loss, which a class that is full makes, decibans. Choices.
const KNOWN: f64 = 40.0;
const NO_LOSS: f64 = -24.0;

/// The most that is said then of others, whose class no counter need show, and of a kind of loss: it is not a verdict. Choices.
const SURE: f64 = 0.9;
const MADE: f64 = 0.39;

/// The class whose mark a code point is; none of one that goes with all others.
fn lower(dscp: f64) -> Option<(f64, &'static str)> {
    LOWER.into_iter().find(|(n, _)| *n == dscp)
}

/// What the fastest test beside a flow got that has no such mark and no more connections, bit/s.
fn unmarked(facts: &Facts, flow: &Flow) -> Option<Figure> {
    let own = flow.test.as_ref()?;
    let is_marked = |test: &&Test| {
        let dscp = test.numbers.get(DSCP);
        let dscp = dscp.or_else(|| number_of(facts, test, DSCP));
        dscp.is_some_and(|dscp| lower(dscp.value).is_some())
    };
    let alike =
        |test: &&Test| test.udp == own.udp && test.tool == own.tool && test.streams <= own.streams;
    let others = flow.beside.iter().filter(alike);
    let others = others.filter(|test| !is_marked(test));
    let rates = others.filter_map(|test| Some(test.goodput()?.0.clone()));
    rates.max_by(|a, b| a.value.total_cmp(&b.value))
}

impl Evidence {
    /// Takes the mark of a test's packets, where it is of such a class.
    pub(crate) fn of_mark(&mut self, facts: &Facts, flow: &Flow) {
        let own = flow.test.as_ref().and_then(|t| t.numbers.get(DSCP));
        let dscp = own.or_else(|| option(facts, flow, DSCP));
        self.lower_class = dscp.and_then(|d| lower(d.value));
        self.unmarked = self.lower_class.and_then(|_| unmarked(facts, flow));
    }

    /// What the same hosts got without the mark, bit/s, where that is far more than with it: the class holds the rate.
    fn held_by_class(&self) -> Option<&Figure> {
        self.waits_behind()?;
        let rate = self.settled()?.value;
        let unmarked = self.unmarked.as_ref();
        unmarked.filter(|other| other.value >= FASTER * rate)
    }

    /// What gives the traffic of such a class more, where it is known to hold the rate.
    pub(crate) fn change_class(&self) -> Option<Change> {
        let other = self.held_by_class()?;
        let (dscp, name) = self.lower_class?;
        Some(Change {
            host: format!("the class of DSCP {dscp:.0} ({name}), at the port that is full"),
            commands: vec![
                "where this traffic is to give way to all other, as such a class is for, nothing is to be mended: it gets what they leave".to_owned(),
                format!(
                    "where it may take its share, send it without the mark (-S, --tos, --dscp), as the test that got {}, or with that of another class",
                    bps(other.value)
                ),
                "where it is to have a share of its own: transmit-rate of its scheduler (Junos; first show class-of-service interface), bandwidth remaining percent of its class (IOS; first show policy-map interface)".to_owned(),
            ],
            undo: vec!["the mark, or the share of the class, that it had before".to_owned()],
            risk: "what this traffic gets more the other classes of a full port get less".to_owned(),
            ..Change::default()
        })
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
            true if self.held_by_class().is_none() => OPEN,
            true if cause == Cause::CrossTraffic => SURE,
            true => MADE,
            false => 1.0,
        }
    }

    /// What the mark means, for people.
    pub(crate) fn scavenger_in_words(&self) -> Option<String> {
        let (dscp, name) = self.waits_behind()?;
        if let Some(other) = self.held_by_class() {
            return Some(format!(
                "the test marks its packets DSCP {dscp:.0} ({name}), for a class that gets what others leave (scavenger), and without that mark the same hosts got {}: the class holds the rate, where a port of the path is full of others. What it loses is dropped there",
                bps(other.value)
            ));
        }
        Some(format!(
            "the test marks its packets DSCP {dscp:.0} ({name}), for a class that gets what others leave (scavenger): beside a busy queue a low rate is that class's, and not what the path carries; the same test without its mark (-S, --tos, --dscp) shows that"
        ))
    }

    /// The same test without its mark.
    pub(crate) fn asks_unmarked(&self, asking: &Asking) -> Option<MissingFact> {
        let (dscp, name) = self.waits_behind()?;
        // Such a test is among the texts.
        if self.unmarked.is_some() {
            return None;
        }
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
    let known = e.held_by_class().is_some();
    items.extend(e.waits_behind().map(|_| Item {
        holds: 1.0,
        weights: match known {
            true => [of(&LOSSES, NO_LOSS), vec![(Cause::CrossTraffic, KNOWN)]].concat(),
            false => vec![(Cause::CrossTraffic, OTHERS)],
        },
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
        // A test without the mark that is far faster shows what the class leaves, and is not to be made again.
        let both = Evidence {
            unmarked: Some(Figure::exact(80e6, Place::You)),
            ..low.clone()
        };
        let said = both.scavenger_in_words().expect("it waits behind others");
        assert!(said.contains("got 80.0 Mbit/s"), "{said}");
        assert_eq!(both.at_most_of_scavenger(Cause::ShallowBuffer), MADE);
        assert_eq!(both.at_most_of_scavenger(Cause::CrossTraffic), SURE);
        assert!(both.change_class().is_some());
        // One that is hardly faster shows nothing.
        let near = Evidence {
            unmarked: Some(Figure::exact(7e6, Place::You)),
            ..low
        };
        assert_eq!(near.at_most_of_scavenger(Cause::Policer), OPEN);
        assert!(near.change_class().is_none());
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
