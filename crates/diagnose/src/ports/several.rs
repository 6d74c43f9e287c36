//! Counters of several ports that grew and make up together what a flow sent again: each has its part of the loss.

use super::queue::of_queue;
use super::{Counted, of_damage, of_policer};
use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::hosts::machine::DROPS_LEAST;
use crate::infer::Ranking;
use crate::items::Item;
use crate::losses::accounted::share_out;

/// A count is a part of the loss that is worth naming from this part of what was sent again on, and all of it from the second. Choices.
const PART: [f64; 2] = [0.25, 0.9];

/// The counts are the whole loss where they add up to between these parts of what was sent again. Choices.
const WHOLE: [f64; 2] = [0.8, 1.25];

/// What they say for each kind that they are of, decibans: as what a queue says by itself.
const SPEAKS: f64 = 22.0;

/// Two readings of what leaves by a port, which are means of half a minute or more, differ by this part of it at most. A choice.
const SAME: f64 = 0.05;

/// The kinds that a queue before a port makes.
const QUEUES: [Cause; 2] = [Cause::ShallowBuffer, Cause::CongestionLoss];

impl Counted {
    /// Whether it is what a count grew by from one reading to the next.
    pub(crate) fn has_grown(&self) -> bool {
        self.grew
    }

    /// Packets that arrived at its port meanwhile; none where no text counts them.
    pub(crate) fn came(&self) -> Option<f64> {
        self.packets
    }
}

/// A part of the loss: its kind, what a port counted of it, and that in words.
type Part = (Cause, f64, String);

impl Evidence {
    /// The parts of the loss, the largest first; none where one counter alone grew, or they do not add up to it.
    fn parts_of_loss(&self) -> Vec<Part> {
        let again = self.sent_again().filter(|n| !self.udp && *n >= DROPS_LEAST);
        let (Some(again), ports) = (again, &self.around.ports) else {
            return Vec::new();
        };
        if self.full_class().is_some() {
            return Vec::new();
        }
        let dropped = ports.dropped.as_ref().filter(|_| !ports.drop_back(self));
        let part =
            |cause: Cause, of: Option<&Counted>, said: &dyn Fn(&Evidence, &Counted) -> String| {
                let of = of.filter(|c| c.grew)?;
                let part = of.count.value / again;
                let some = (PART[0]..PART[1]).contains(&part);
                some.then(|| (cause, of.count.value, said(self, of)))
            };
        let all = [
            part(Cause::RandomLoss, ports.damaged.as_ref(), &of_damage),
            part(Cause::ShallowBuffer, dropped, &of_queue),
            part(Cause::Policer, ports.policed.as_ref(), &of_policer),
        ];
        let mut all: Vec<Part> = all.into_iter().flatten().collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1));
        let whole = all.iter().map(|part| part.1).sum::<f64>() / again;
        match all.len() > 1 && (WHOLE[0]..=WHOLE[1]).contains(&whole) {
            true => all,
            false => Vec::new(),
        }
    }

    /// Whether damaged frames at a port are a part of what was lost, beside what others dropped.
    pub(crate) fn shares_loss(&self) -> bool {
        !self.parts_of_loss().is_empty()
    }

    /// The kinds of loss that have a part of it beside this one.
    pub(crate) fn other_parts_of_loss(&self, cause: Cause) -> Vec<Cause> {
        let parts = self.parts_of_loss();
        let is = |kind: Cause| kind == cause || QUEUES.contains(&kind) && QUEUES.contains(&cause);
        match parts.iter().any(|part| is(part.0)) {
            true => parts.iter().map(|p| p.0).filter(|c| !is(*c)).collect(),
            false => Vec::new(),
        }
    }
}

impl Evidence {
    /// Whether a flow that lost nothing is not what leaves by a port, so many bit/s: the queue before it dropped packets from one reading to
    /// the next, and a flow that has most of it would have lost some.
    pub(crate) fn is_missed_by(&self, leaves: f64) -> bool {
        let ports = &self.around.ports;
        let dropped = ports.dropped.as_ref();
        let drops = dropped.is_some_and(|d| d.grew && d.count.value >= DROPS_LEAST);
        let lossless = self.retransmits.as_ref().is_some_and(|r| r.value == 0.0);
        let own = ports.dropping_leaves.unwrap_or(0.0);
        let is_it = libm::fabs(own - leaves) <= SAME * own;
        drops && lossless && !self.udp && own > 0.0 && is_it
    }
}

/// What they say together; `false` where each speaks for itself.
pub(super) fn by_parts(e: &Evidence, items: &mut Vec<Item>) -> bool {
    let parts = e.parts_of_loss();
    let again = e.sent_again().unwrap_or(0.0);
    let counts: Vec<String> = parts.iter().map(|p| format!("{:.0}", p.1)).collect();
    let said: Vec<&str> = parts.iter().map(|p| p.2.as_str()).collect();
    if !parts.is_empty() {
        items.push(Item {
            holds: 1.0,
            weights: parts.iter().map(|part| (part.0, SPEAKS)).collect(),
            sentence: format!(
                "several counters grew, and make up what was sent again together, {} of {again:.0}: {}. Each has its part, and whoever mends one leaves the other",
                counts.join(" and "),
                said.join("; and ")
            ),
        });
    }
    !parts.is_empty()
}

/// Gives each kind of loss its part of the odds of all kinds: what a port counted of what was sent again.
pub(crate) fn bind(e: &Evidence, ranking: &mut [Ranking]) {
    // The likelier of a queue that is short and one that others fill has the part of both.
    let queue = ranking.iter().find(|r| QUEUES.contains(&r.cause));
    let queue = queue.map_or(Cause::ShallowBuffer, |r| r.cause);
    let kind = |cause: Cause| match QUEUES.contains(&cause) {
        true => queue,
        false => cause,
    };
    let parts = e.parts_of_loss();
    let parts = parts.iter().map(|(cause, count, _)| (kind(*cause), *count));
    share_out(ranking, &parts.collect::<Vec<_>>());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::infer::weigh;
    use crate::interfaces::port::Port;

    fn grew(count: f64, router: &str) -> Option<Counted> {
        Some(Counted {
            port: Port {
                name: "Te0/1/0".to_owned(),
                router: router.to_owned(),
            },
            count: Figure::exact(count, Place::You),
            packets: None,
            sent: None,
            stood: 2000.0 + count,
            grew: true,
        })
    }

    /// 54 segments sent again at 452 Mbit/s; so many frames arrived damaged at one port, and another's queue dropped so many.
    fn of(damaged: f64, dropped: f64) -> Evidence {
        let figure = |value: f64| Some(Figure::exact(value, Place::You));
        let mut e = Evidence {
            rate: figure(452e6),
            rtt: figure(0.019),
            bytes: figure(566e6),
            retransmits: figure(54.0),
            again: figure(1.4e-4),
            seconds: Some(10.0),
            streams: 1.0,
            mss: 1448.0,
            tester: true,
            ..Evidence::default()
        };
        e.around.ports.damaged = grew(damaged, "cr1");
        e.around.ports.dropped = grew(dropped, "cr2");
        e
    }

    /// It was a short queue, 80 %, with random loss at 8 %.
    #[test]
    fn two_counters_that_make_up_the_loss_share_it() {
        let weighed = weigh(&of(30.0, 24.0), &[]);
        let [first, next, ..] = &weighed.ranking[..] else {
            panic!("each cause has its odds");
        };
        assert_eq!(first.cause, Cause::RandomLoss);
        assert!((0.4..0.6).contains(&first.confidence), "{first:?}");
        assert!(QUEUES.contains(&next.cause), "{next:?}");
        assert!((next.confidence / first.confidence - 0.8).abs() < 0.01);
        assert!(
            weighed
                .because
                .iter()
                .any(|(_, s)| s.contains("30 and 24 of 54"))
        );
        assert_eq!(
            of(30.0, 24.0).other_parts_of_loss(Cause::RandomLoss),
            [Cause::ShallowBuffer]
        );
    }

    /// The flow of the other way had "all of that": 938 Mbit/s of 978 that leave by a port whose queue dropped 9144 packets.
    #[test]
    fn a_flow_that_lost_nothing_is_not_what_a_port_drops() {
        let mut e = of(0.0, 9144.0);
        e.around.ports.dropping_leaves = Some(978e6);
        e.retransmits = Some(Figure::exact(0.0, Place::You));
        assert!(e.is_missed_by(978e6) && e.is_missed_by(977e6));
        assert!(!e.is_missed_by(79e6));
        // One that lost some may be, and one of which nobody counted it.
        for again in [Some(Figure::exact(3.0, Place::You)), None] {
            e.retransmits = again;
            assert!(!e.is_missed_by(978e6));
        }
    }

    #[test]
    fn a_counter_that_has_all_of_it_and_counters_that_lack_most_share_nothing() {
        // All of it beside a few, a few of each, and far more than was sent again.
        for (damaged, dropped) in [(52.0, 3.0), (12.0, 9.0), (44.0, 48.0)] {
            assert!(!of(damaged, dropped).shares_loss(), "{damaged} {dropped}");
        }
        let mut once = of(30.0, 24.0);
        if let Some(dropped) = &mut once.around.ports.dropped {
            dropped.grew = false;
        }
        assert!(!once.shares_loss());
    }
}
