//! Segments that were sent again though they had arrived: their receiver says so by duplicate SACKs (RFC 2883), or a capture shows it.

use farpath_record::trace::TraceDirection;

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of, Place};
use crate::flows::flow::{Flow, number};
use crate::hosts::counted::growth;
use crate::items::{Item, LOSSES, of, step};
use crate::read::Facts;
use crate::seen::Test;

/// Fewer segments sent again say nothing.
const AGAIN_LEAST: f64 = 20.0;

/// Of what was sent again, the share that had arrived, 0 to 1.
pub(crate) fn share(arrived: &Figure, again: &Figure) -> Option<Figure> {
    let mut share = (again.value >= AGAIN_LEAST).then(|| arrived.over(again))?;
    share.value = share.value.min(1.0);
    Some(share)
}

/// The same by how much the sender's counters grew, or what they stand at where they are of the test alone.
pub(crate) fn by_counters(facts: &Facts, flow: &Flow) -> Option<Figure> {
    let grew = |name| growth(facts, &flow.senders, name);
    let stands = |name| of_test(facts, flow, name);
    let grown = grew("host_duplicates").zip(grew("host_retransmits"));
    let counted = grown.or_else(|| stands("host_duplicates").zip(stands("host_retransmits")));
    let (arrived, again) = counted?;
    share(&arrived, &again)
}

/// A host counts as many segments sent again as a test from this part of the test's own count on, up to so many times it: other connections
/// add a few.
const AS_MANY: [f64; 2] = [0.98, 1.05];

/// What a counter of the sender stands at, where its host counts as many segments sent again as the test does: then it counts since the
/// test began.
pub(crate) fn of_test(facts: &Facts, flow: &Flow, name: &'static str) -> Option<Figure> {
    let again = flow.test.as_ref()?.numbers.get("retransmits")?.value;
    let is_of_test = |host: &&u32| {
        let count = number(facts, Of::Host(**host), "host_retransmits");
        let as_many = |n: f64| n >= AS_MANY[0] * again && n <= AS_MANY[1] * again;
        again >= AGAIN_LEAST && count.is_some_and(|n| as_many(n.value))
    };
    let host = flow.senders.iter().find(is_of_test)?;
    number(facts, Of::Host(*host), name).cloned()
}

/// Fewer segments that were overtaken are a chance.
const OVERTAKEN_LEAST: u64 = 5;

/// What a capture calls the segments that were sent again for nothing, and all of them.
const OF_CAPTURE: [&str; 2] = ["retransmits_unneeded", "retransmits_seen"];

/// Segments that a capture shows to be sent again though they had arrived: they are not among those that its test counts as sent again.
const NEEDLESS: &str = "retransmits_needless";

/// Of a capture: how many segments were sent again though they had arrived; and where segments overtake each other, of how many.
pub(crate) fn of_capture(test: &mut Test, direction: &TraceDirection, at: Place) {
    let needless = direction.retransmissions.unneeded;
    if needless > 0 {
        test.set(NEEDLESS, Figure::exact(needless as f64, at));
    }
    if direction.reordered_segments < OVERTAKEN_LEAST {
        return;
    }
    let all = direction.retransmitted_segments;
    let counts = [direction.retransmissions.unneeded, all];
    for (name, count) in OF_CAPTURE.into_iter().zip(counts) {
        test.set(name, Figure::exact(count as f64, at));
    }
}

impl Evidence {
    /// What a capture shows of segments that overtake each other.
    pub(crate) fn of_overtaken(&mut self, test: &Test) {
        let get = |name: &str| test.numbers.get(name).cloned();
        self.needless = get(NEEDLESS);
        self.reordered = self.reordered.take().or_else(|| get("reordered"));
        let [unneeded, all] = OF_CAPTURE.map(get);
        let seen = unneeded.zip(all).and_then(|(some, all)| share(&some, &all));
        self.duplicates = self.duplicates.take().or(seen);
    }

    /// That nothing was sent again, for people, and how many segments a capture shows beside, which had arrived already.
    pub(crate) fn none_again_in_words(&self) -> String {
        let begin = match self.down() > 0.0 {
            true => "but for the outage no segment was sent again",
            false => "no segment was sent again",
        };
        match &self.needless {
            Some(count) => format!(
                "{begin}, other than {:.0} that had arrived already",
                count.value
            ),
            None => begin.to_owned(),
        }
    }

    /// Whether most of what was sent again had arrived already.
    pub(crate) fn resends_for_nothing(&self) -> bool {
        self.duplicates.as_ref().is_some_and(|s| s.value > MOST)
    }
}

/// More than this part of what was sent again is most of it.
const MOST: f64 = 0.5;

/// What had arrived was not lost: it came late, behind what had left after it.
pub(crate) fn by_duplicates(e: &Evidence, items: &mut Vec<Item>) {
    let Some(share) = &e.duplicates else { return };
    let captured = |at: &Place| matches!(at, Place::Connection(..));
    let by = match share.from.iter().any(captured) {
        true => "as a capture shows",
        false => "as duplicate SACKs say",
    };
    items.push(Item {
        holds: step(share.value, 0.4, 0.9),
        weights: [of(&LOSSES, -18.0), vec![(Cause::Reordering, 18.0)]].concat(),
        sentence: format!(
            "{:.0} % of what was sent again had arrived already, {by}: it was late, and not lost",
            100.0 * share.value
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::infer::weigh;
    use farpath_record::trace::Retransmissions;

    /// 294 of 300 segments that were sent again had arrived, beside so many that were overtaken.
    fn evidence(overtaken: u64) -> Evidence {
        let direction = TraceDirection {
            reordered_segments: overtaken,
            retransmitted_segments: 300,
            retransmissions: Retransmissions {
                unneeded: 294,
                ..Retransmissions::default()
            },
            ..TraceDirection::default()
        };
        let at = Place::Connection(0, 1);
        let mut test = Test::new("capture", at);
        of_capture(&mut test, &direction, at);
        test.set("reordered", Figure::exact(overtaken as f64, at));
        let mut e = Evidence {
            rate: Some(Figure::exact(100e6, at)),
            bytes: Some(Figure::exact(1e8, at)),
            retransmits: Some(Figure::exact(6.0, at)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        e.of_overtaken(&test);
        e
    }

    #[test]
    fn segments_that_overtake_each_other_in_a_capture_are_the_cause_of_what_is_sent_for_nothing() {
        let e = evidence(400);
        assert!(e.resends_for_nothing());
        let weighed = weigh(&e, &[]);
        let first = weighed.ranking[0];
        assert_eq!(first.cause, Cause::Reordering);
        assert!(first.confidence > 0.85, "{first:?}");
        let said = "98 % of what was sent again had arrived already, as a capture shows";
        assert!(weighed.because.iter().any(|(_, text)| text.contains(said)));
        // Of those that had been lost there was none: what was sent again besides is said.
        let mut none = evidence(0);
        none.retransmits = Some(Figure::exact(0.0, Place::Connection(0, 1)));
        let said = "no segment was sent again, other than 294 that had arrived already";
        let because = weigh(&none, &[]).because;
        assert!(because.iter().any(|(_, text)| text == said), "{because:?}");
        // Without any that was overtaken another reason is as good: a timer that ran out too early.
        let none = evidence(0);
        assert!(!none.resends_for_nothing());
        assert_ne!(weigh(&none, &[]).ranking[0].cause, Cause::Reordering);
    }
}
