//! Losses of which a counter accounts for all: it is known who dropped them, and how they lie in time names nobody else.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::infer::Ranking;
use crate::items::{Item, LOSSES};

/// What is counted between two readings is all that was sent again from the first of these parts of it up to the second: counts of both were
/// read at different instants. A choice.
const AS_MANY: [f64; 2] = [0.9, 1.2];

/// Fewer segments than this are as many by chance.
const LEAST: f64 = 20.0;

impl Evidence {
    /// Whether so many packets or frames are all that was sent again.
    pub(crate) fn is_all_again(&self, count: f64) -> bool {
        let again = self.sent_again().filter(|n| *n >= LEAST && !self.udp);
        again.is_some_and(|again| (AS_MANY[0]..=AS_MANY[1]).contains(&(count / again)))
    }

    /// Whether all that was sent again arrived damaged. What a port at half duplex breaks off is not lost by chance.
    fn is_all_damaged(&self) -> bool {
        let around = &self.around;
        let half = self.half_duplex.is_some() || around.collisions.iter().any(Option::is_some);
        let of_host = around.damaged.as_ref().filter(|d| d.grew);
        let of_host = of_host.map(|d| d.count.value);
        let mut all = of_host.into_iter().chain(around.ports.damaged_between());
        !half && all.any(|count| self.is_all_again(count))
    }

    /// Whether the queue of one port dropped all that was sent again, the line has room, and nobody speaks of a policer.
    fn is_all_queued(&self) -> bool {
        let ports = &self.around.ports;
        let policed = self.policer.is_some() || ports.police();
        let dropped = ports.dropped_between(self).filter(|_| !policed);
        dropped.is_some_and(|count| self.is_all_again(count)) && self.fills_line() < 0.5
    }

    /// The kinds of loss that all that was sent again may be of, by who counted it; none where nobody did.
    pub(crate) fn accounted_kinds(&self) -> Vec<Cause> {
        match self.all_by_own_drops() {
            Some(cause) => vec![cause],
            None if self.is_all_damaged() => vec![Cause::RandomLoss],
            None if self.is_all_queued() => vec![Cause::ShallowBuffer, Cause::CongestionLoss],
            None => Vec::new(),
        }
    }
}

/// Whether an item speaks for a kind of loss that is none of these.
pub(crate) fn speaks_for_others(item: &Item, kinds: &[Cause]) -> bool {
    let another = |cause: &Cause| LOSSES.contains(cause) && !kinds.contains(cause);
    item.weights
        .iter()
        .any(|(c, weight)| *weight > 0.0 && another(c))
}

/// Gives the kinds of loss by which all that was sent again was dropped what the pattern of losses gives the others, each as much as it has
/// of these kinds.
pub(crate) fn bind(e: &Evidence, ranking: &mut [Ranking]) {
    let kinds = e.accounted_kinds();
    let Some(first) = kinds.first() else { return };
    let own = ranking.iter().filter(|r| kinds.contains(&r.cause));
    let mut parts: Vec<(Cause, f64)> = own.map(|r| (r.cause, r.confidence)).collect();
    if parts.iter().all(|part| part.1 <= 0.0) {
        parts = vec![(*first, 1.0)];
    }
    share_out(ranking, &parts);
}

/// Gives these kinds of loss what all kinds of loss have, each by its part of the sum of these parts.
pub(crate) fn share_out(ranking: &mut [Ranking], parts: &[(Cause, f64)]) {
    let all: f64 = parts.iter().map(|part| part.1).sum();
    if all <= 0.0 {
        return;
    }
    let mut sum = 0.0;
    for kind in ranking.iter_mut().filter(|r| LOSSES.contains(&r.cause)) {
        sum += core::mem::take(&mut kind.confidence);
    }
    for (cause, part) in parts {
        if let Some(own) = ranking.iter_mut().find(|r| r.cause == *cause) {
            own.confidence += sum * part / all;
        }
    }
    ranking.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::hosts::tally::Tally;

    /// Frames that arrived damaged between two readings, and segments that were sent again.
    fn damaged(frames: f64, again: f64) -> Evidence {
        let exact = |n: f64| Figure::exact(n, Place::You);
        let mut e = Evidence {
            rate: Some(exact(92.7e6)),
            retransmits: Some(exact(again)),
            ..Evidence::default()
        };
        e.around.damaged = Some(Tally {
            grew: true,
            ..Tally::once(&exact(frames))
        });
        e
    }

    fn first(e: &Evidence) -> (Cause, f64) {
        let mut all = [(Cause::Policer, 0.5), (Cause::ShallowBuffer, 0.4)]
            .into_iter()
            .chain([(Cause::Application, 0.1), (Cause::RandomLoss, 0.0)])
            .map(|(cause, confidence)| Ranking { cause, confidence })
            .collect::<Vec<_>>();
        bind(e, &mut all);
        let sum: f64 = all.iter().map(|r| r.confidence).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{all:?}");
        (all[0].cause, all[0].confidence)
    }

    /// A policer had 50 % beside 726 damaged frames and 726 segments that were sent again, most of them at the start.
    #[test]
    fn frames_that_arrived_damaged_are_what_was_lost() {
        let (cause, confidence) = first(&damaged(726.0, 726.0));
        assert_eq!(cause, Cause::RandomLoss);
        assert!((confidence - 0.9).abs() < 1e-9, "{confidence}");
        // A part of them, many more, and few of either do not tell.
        for (frames, again) in [(70.0, 726.0), (9000.0, 726.0), (7.0, 7.0)] {
            assert_eq!(first(&damaged(frames, again)).0, Cause::Policer, "{frames}");
        }
        // What speaks for a queue says nothing against them then.
        let queue = Item {
            holds: 1.0,
            weights: vec![(Cause::ShallowBuffer, 9.0), (Cause::RandomLoss, -6.0)],
            sentence: String::new(),
        };
        assert!(speaks_for_others(&queue, &[Cause::RandomLoss]));
        assert!(!speaks_for_others(&queue, &[Cause::ShallowBuffer]));
        // What the half end of a cable breaks off is not lost by chance.
        let mut half = damaged(726.0, 726.0);
        half.half_duplex = Some(Place::You);
        assert_eq!(first(&half).0, Cause::Policer);
    }
}
