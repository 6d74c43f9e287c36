//! Packets that a queue of the sender's own host dropped: it is too short for the bursts that the host itself sends.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::Flow;
use crate::hosts::machine::{alike, is_worth_saying};
use crate::hosts::tally::{Tally, tally};
use crate::infer::usual_line;
use crate::items::{Item, LOSSES, step};
use crate::read::{Facts, Queue};
use crate::words::decimal;

/// What such a queue of the sender dropped.
#[derive(Clone, Debug)]
pub(crate) struct OwnDrops {
    /// The count.
    pub(crate) tally: Tally,
    /// The queue, where a text names it.
    pub(crate) queue: Option<Queue>,
    /// Speed of the sender's slowest interface that may have carried the flow, bit/s.
    speed: Option<f64>,
}

/// Queue disciplines that hold packets to a rate: what they drop is weighed with that, unless they lose packets on purpose. A netem does where
/// it has a rate.
const OTHERS: [&str; 4] = ["tbf", "htb", "hfsc", "cake"];

/// Queue disciplines that drop what has waited for long: what they send over is full then.
const BY_DELAY: [&str; 4] = ["fq_codel", "codel", "fq_pie", "red"];

/// How much a count says that was read once, and may be of another time, where it is as many as segments were sent again.
const ONCE: f64 = 0.7;

/// The most that is said by such a count.
const ONCE_MOST: f64 = 0.8;

/// Fewer packets than the first number say nothing by themselves, and as many as the second do.
const FEW: [f64; 2] = [2.0, 20.0];

/// From this part of what the line leaves on it is full.
const FULL: [f64; 2] = [0.85, 0.93];

/// What holds more than this is a reason that is named.
const SAID: f64 = 0.3;

/// An interface with a rate below this part of its speed has room: a queue before it holds bursts, and not what a slower line behind it does
/// not carry. A choice.
const ROOMY: f64 = 0.5;

impl Queue {
    /// Whether it holds packets to a rate.
    fn shapes(&self) -> bool {
        let rated = || self.options.split_whitespace().any(|word| word == "rate");
        OTHERS.contains(&self.kind) || self.kind == "netem" && rated()
    }

    /// Whether it loses packets on purpose.
    pub(crate) fn loses(&self) -> bool {
        self.options.split_whitespace().any(|word| word == "loss")
    }

    /// The share of packets that it loses on purpose, 0 to 1: `loss 1%`, `loss random 1% 25%`. None of a model with states (`loss gemodel`).
    fn lost_share(&self) -> Option<f64> {
        let mut words = self.options.split_whitespace();
        words.find(|word| *word == "loss")?;
        let share = words.find(|word| *word != "random")?;
        Some(share.strip_suffix('%').and_then(decimal)? / 100.0)
    }

    /// `pfifo, 20 packets`.
    fn in_words(&self) -> String {
        if self.loses() {
            return format!("{} {}, on purpose", self.kind, self.options);
        }
        // That of a netem is printed without its unit.
        let bare = Some(self.limit.as_str()).filter(|_| self.kind == "netem");
        let packets = self.limit.strip_suffix('p').or(bare);
        match (packets, self.limit.as_str()) {
            (Some(n), _) => format!("{}, {n} packets", self.kind),
            (None, "") => self.kind.to_owned(),
            (None, limit) => format!("{}, {limit}", self.kind),
        }
    }
}

impl OwnDrops {
    /// What the sender's interfaces count, but for queues that shape.
    fn of(facts: &Facts, flow: &Flow) -> Option<OwnDrops> {
        let tally = tally((facts, flow), &flow.senders, "queue_drops");
        let tally = tally.filter(|t| t.count.value > 0.0)?;
        let name = |host: u32| {
            facts
                .hosts
                .get(host as usize)
                .and_then(|names| names.first())
        };
        let is_it = |q: &&Queue| {
            let unnamed = q.interface.is_empty() || tally.interface.is_empty();
            flow.senders.contains(&q.host) && (unnamed || q.interface == tally.interface)
        };
        let of_host = |q: &&Queue| (name(q.host) == name(tally.host), !q.limit.is_empty());
        let queue = facts
            .queues
            .iter()
            .filter(is_it)
            .max_by_key(of_host)
            .cloned();
        let shapes = queue.as_ref().is_some_and(|q| q.shapes() && !q.loses());
        let speeds = flow.senders.iter().map(|host| Of::Host(*host));
        let speeds = speeds.filter_map(|of| flow.speed_of(facts, of));
        let speed = speeds.map(|speed| speed.value).reduce(f64::min);
        (!shapes).then_some(OwnDrops {
            tally,
            queue,
            speed,
        })
    }

    /// What drops like that: a queue that is too short, one that is full for long, or one that loses packets by chance.
    fn cause(&self) -> Cause {
        match &self.queue {
            Some(queue) if queue.loses() => Cause::RandomLoss,
            Some(queue) if BY_DELAY.contains(&queue.kind) => Cause::CongestionLoss,
            _ => Cause::ShallowBuffer,
        }
    }

    /// How surely these packets are what was sent again, 0 to 1.
    fn explains(&self, e: &Evidence) -> f64 {
        match self.tally.grew {
            true => self.tally.surely_accounts(e) * step(self.tally.count.value, FEW[0], FEW[1]),
            false => f64::max(ONCE * alike(e, &self.tally.count), self.loses_as_much(e)),
        }
    }

    /// How surely the share that it loses on purpose is that of the segments that were sent again, 0 to 1: whenever its count was read.
    fn loses_as_much(&self, e: &Evidence) -> f64 {
        let share = self.queue.as_ref().and_then(Queue::lost_share);
        let share = share.filter(|share| *share > 0.0);
        let again = e.again.as_ref().filter(|a| a.value > 0.0 && !e.udp);
        let many = step(e.sent_again().unwrap_or(0.0), FEW[0], FEW[1]);
        share.zip(again).map_or(0.0, |(share, again)| {
            let off = libm::fabs(libm::log(again.value / share));
            many * (1.0 - step(off, 0.5, 1.0))
        })
    }

    /// What it dropped, beside what was sent again, for people.
    fn sentence(&self, e: &Evidence) -> String {
        let again = e.sent_again().filter(|n| *n > 0.0 && !e.udp);
        let part = self.tally.part_of(e).unwrap_or(0.0);
        let beside = match (again, self.tally.grew) {
            (None, _) => String::new(),
            (Some(again), true) if part < 0.7 => format!(
                ", {:.1} % of the {again:.0} segments that were sent again: the rest was lost elsewhere",
                100.0 * part
            ),
            (Some(again), true) => format!(", and {again:.0} segments were sent again"),
            (Some(again), false) if self.loses_as_much(e) > SAID => format!(
                ", and {again:.0} segments were sent again: about the share that it loses on purpose"
            ),
            (Some(again), false) if alike(e, &self.tally.count) > SAID => format!(
                ", about as many as segments were sent again, {again:.0}: one reading does not say whether it was in this test"
            ),
            (Some(again), false) => format!(
                ", and {again:.0} segments were sent again: one reading does not say how many of them in this test"
            ),
        };
        let port = match self.tally.interface.as_str() {
            "" => "an interface",
            name => name,
        };
        let queue = self.queue.as_ref().map(Queue::in_words);
        format!(
            "the queue before {port} of the sender{} dropped {:.0} packets {}{beside}",
            queue.map_or_else(String::new, |queue| format!(" ({queue})")),
            self.tally.count.value,
            self.tally.since()
        )
    }
}

impl Evidence {
    /// What queues of the sender's own dropped.
    pub(crate) fn of_own_drops(&mut self, facts: &Facts, flow: &Flow) {
        self.around.own_drops = OwnDrops::of(facts, flow);
    }

    /// How surely the line is full, 0 to 1: what a queue drops then is what the line does not carry.
    pub(crate) fn fills_line(&self) -> f64 {
        let rate = self.settled().map_or(0.0, |r| r.value);
        let own = self.around.own_drops.as_ref().and_then(|own| own.speed);
        // A rate that a slower line would leave too says nothing of a queue before an interface that has room.
        let roomy = own.is_some_and(|speed| rate < ROOMY * speed);
        match &self.line {
            Some(_) if !roomy && self.lower_port().is_some() => 1.0,
            Some((line, _)) => step(rate / (line.value * self.payload_share()), FULL[0], FULL[1]),
            None => f64::from(u8::from(!roomy && usual_line(self).is_some())),
        }
    }

    /// The kind of loss of all that was sent again, where a queue of the sender's own dropped as many between two readings, and the line
    /// behind it has room: nothing else on the path has to have lost any.
    pub(crate) fn all_by_own_drops(&self) -> Option<Cause> {
        let own = self
            .around
            .own_drops
            .as_ref()
            .filter(|own| own.tally.grew)?;
        let all = self.is_all_again(own.tally.count.value) && self.fills_line() < 0.5;
        all.then(|| own.cause())
    }

    /// What a queue of the sender's own dropped, where it makes this cause.
    pub(crate) fn dropped_by_itself(&self, cause: Cause) -> Option<&OwnDrops> {
        let own = self.around.own_drops.as_ref();
        own.filter(|own| own.cause() == cause && own.explains(self) > SAID)
    }

    /// Whether it is known that a queue of the sender's own dropped what was sent again: its count grew by as many, or it
    /// loses as large a share on purpose.
    pub(crate) fn settled_by_own_drops(&self, cause: Cause) -> bool {
        let own = self.dropped_by_itself(cause);
        let shown = |own: &OwnDrops| own.tally.grew || own.loses_as_much(self) >= 1.0;
        own.is_some_and(|own| shown(own) && own.explains(self) >= 1.0)
    }

    /// The most that is said of a cause where such a count was read once.
    pub(crate) fn at_most_of_own_drops(&self, cause: Cause) -> f64 {
        match self.dropped_by_itself(cause) {
            Some(own) if !own.tally.grew => ONCE_MOST,
            _ => 1.0,
        }
    }

    /// What a queue of the sender's own dropped, where that may be of this flow, for people.
    pub(crate) fn own_drops_in_words(&self) -> Option<String> {
        let own = self.around.own_drops.as_ref()?;
        is_worth_saying(self, &own.tally).then(|| own.sentence(self))
    }

    /// A second reading of a count that may be of another time.
    pub(crate) fn asks_own_drops(&self, asking: &Asking, likely: &[Cause]) -> Option<MissingFact> {
        let own = self
            .around
            .own_drops
            .as_ref()
            .filter(|own| !own.tally.grew)?;
        let port = match own.tally.interface.as_str() {
            "" => "INTERFACE",
            name => name,
        };
        likely.contains(&own.cause()).then(|| MissingFact {
            fact: "queue_drops",
            would_decide: format!(
                "whether the {:.0} packets that a queue of the sender's own dropped are of this flow: by how much they grow",
                own.tally.count.value
            ),
            command: format!(
                "on the sender, before and after a test to {}: tc -s qdisc show dev {port}",
                asking.host
            ),
        })
    }
}

/// What the sender's own queue dropped speaks for that queue, where the line behind it is not full.
pub(crate) fn by_own_drops(e: &Evidence, items: &mut Vec<Item>) {
    let Some(own) = &e.around.own_drops else {
        return;
    };
    let cause = own.cause();
    let holds = own.explains(e) * (1.0 - e.fills_line());
    let others = LOSSES.into_iter().filter(|other| *other != cause);
    let against = others.map(|other| (other, -14.0));
    let said = e.own_drops_in_words().unwrap_or_default();
    let (speaks, beside) = match holds > SAID {
        true => (said, String::new()),
        false => (String::new(), said),
    };
    items.push(Item {
        holds,
        weights: against.chain([(cause, 18.0)]).collect(),
        sentence: speaks,
    });
    items.push(Item {
        holds: if beside.is_empty() { 0.0 } else { 1.0 },
        weights: Vec::new(),
        sentence: beside,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::infer::Ranking;
    use crate::losses::accounted::bind;

    /// Drops of a queue of the sender's own before an interface of 10 Gbit/s, and segments sent again, at 92.7 Mbit/s.
    fn seen(dropped: f64, grew: bool, again: f64) -> Evidence {
        let exact = |n: f64| Figure::exact(n, Place::You);
        let mut e = Evidence {
            rate: Some(exact(92.7e6)),
            retransmits: Some(exact(again)),
            line: Some((exact(10e9), "the line")),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        e.around.own_drops = Some(OwnDrops {
            tally: Tally {
                grew,
                ..Tally::once(&exact(dropped))
            },
            queue: None,
            speed: Some(10e9),
        });
        e
    }

    fn bound(e: &Evidence) -> Vec<(Cause, f64)> {
        let of = |(cause, confidence)| Ranking { cause, confidence };
        let all = [
            (Cause::Policer, 0.5),
            (Cause::Application, 0.3),
            (Cause::ShallowBuffer, 0.2),
        ];
        let mut ranking: Vec<Ranking> = all.map(of).to_vec();
        bind(e, &mut ranking);
        ranking.iter().map(|r| (r.cause, r.confidence)).collect()
    }

    /// A policer had 51 % beside a queue that dropped each of the 726 segments that were sent again.
    #[test]
    fn drops_of_all_that_was_sent_again_leave_nothing_for_a_policer() {
        let all = bound(&seen(726.0, true, 726.0));
        assert_eq!(all[0].0, Cause::ShallowBuffer, "{all:?}");
        assert!((all[0].1 - 0.7).abs() < 1e-9, "{all:?}");
        assert_eq!(all[1], (Cause::Application, 0.3));
        assert_eq!(all[2], (Cause::Policer, 0.0));
        // A part of them, far more than them, and a count that was read once leave it as it is.
        for e in [
            seen(300.0, true, 726.0),
            seen(5000.0, true, 726.0),
            seen(726.0, false, 726.0),
            seen(5.0, true, 5.0),
        ] {
            assert_eq!(bound(&e)[0], (Cause::Policer, 0.5), "{e:?}");
        }
        // What a full line does not carry is the line's.
        let mut full = seen(726.0, true, 726.0);
        full.line = Some((Figure::exact(100e6, Place::You), "the line"));
        assert_eq!(bound(&full)[0], (Cause::Policer, 0.5));
    }

    /// 92.7 Mbit/s are what 100 Mbit/s leave for payload, and the interface with the queue has 10 Gbit/s.
    #[test]
    fn a_usual_line_behind_a_fast_interface_fills_no_queue_before_it() {
        let mut e = seen(726.0, true, 726.0);
        e.line = None;
        assert_eq!(e.fills_line(), 0.0);
        if let Some(own) = e.around.own_drops.as_mut() {
            own.speed = None;
        }
        assert_eq!(e.fills_line(), 1.0);
    }

    #[test]
    fn a_netem_shapes_where_it_has_a_rate() {
        let queue = |kind, options: &str| Queue {
            host: 0,
            interface: String::new(),
            kind,
            limit: String::new(),
            single: true,
            options: options.to_owned(),
        };
        assert!(!queue("netem", "limit 1000 delay 100ms").shapes());
        assert!(queue("netem", "limit 1000 delay 100ms rate 1Gbit").shapes());
        assert!(queue("tbf", "").shapes());
        assert!(!queue("pfifo", "").shapes());
    }
}
