//! Packets that a queue of the sender's own host dropped: it is too short for the bursts that the host itself sends.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::flow::Flow;
use crate::infer::usual_line;
use crate::items::{Item, LOSSES, step};
use crate::machine::{alike, is_worth_saying};
use crate::read::{Facts, Queue};
use crate::tally::{Tally, tally};
use crate::words::decimal;

/// What such a queue of the sender dropped.
#[derive(Clone, Debug)]
pub(crate) struct OwnDrops {
    /// The count.
    pub(crate) tally: Tally,
    /// The queue, where a text names it.
    pub(crate) queue: Option<Queue>,
}

/// Queue disciplines that hold packets to a rate, or add a delay: what they drop is weighed with that, unless they lose packets on purpose.
const OTHERS: [&str; 5] = ["tbf", "htb", "hfsc", "cake", "netem"];

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

impl Queue {
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
        let packets = self.limit.strip_suffix('p');
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
        let shapes = |q: &Queue| OTHERS.contains(&q.kind) && !q.loses();
        let shapes = queue.as_ref().is_some_and(shapes);
        (!shapes).then_some(OwnDrops { tally, queue })
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
    fn fills_line(&self) -> f64 {
        let rate = self.settled().map_or(0.0, |r| r.value);
        match &self.line {
            Some(_) if self.lower_port().is_some() => 1.0,
            Some((line, _)) => step(rate / (line.value * self.payload_share()), FULL[0], FULL[1]),
            None => f64::from(u8::from(usual_line(self).is_some())),
        }
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
