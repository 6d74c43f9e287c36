//! What other tests and transfers between the same ends carried, the same way: a line that is slower is not on their path.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::fact::{Figure, Of};
use crate::flows::flow::Flow;
use crate::interfaces::bypassed::ABOVE;
use crate::items::{Item, step};
use crate::paths::around::PORT;
use crate::programs::follow::TESTERS;
use crate::read::{COPIES, Facts};
use crate::seen::{Side, Test};

/// From so many times a flow's rate on another shows that the path has room, and surely. A choice, as that below.
const FASTER: [f64; 2] = [1.2, 2.0];

/// What that says against a line of which nobody said how fast it is, decibans.
const AGAINST: f64 = -10.0;

/// What a program copies may have been made so many times smaller on its way, at most. A choice.
const SMALLER: f64 = 4.0;

/// How many times smaller a program may have made what it carries on its way, at most; none of one that neither tests nor copies.
pub(crate) fn may_shrink(tool: &str) -> Option<f64> {
    match (TESTERS.contains(&tool), COPIES.contains(&tool)) {
        (true, _) => Some(1.0),
        (false, true) => Some(SMALLER),
        _ => None,
    }
}

/// The highest rate of another test or copy between the same ends that had more connections than this; of any where it is 0.
pub(crate) fn fastest(flow: &Flow, more_than: f64) -> Option<&Figure> {
    let carries = |test: &&Test| {
        may_shrink(test.tool).is_some() && !test.udp && f64::from(test.streams) > more_than
    };
    let others = flow.beside.iter().filter(carries);
    let rates = others.filter_map(|test| Some(test.goodput()?.0));
    rates.max_by(|a, b| a.low.total_cmp(&b.low))
}

/// Of a flow, and of others between its ends that had more connections, the fastest by what arrived: its rate, and the least speed of a port
/// that carried all of it, bit/s. A copy may have been made smaller on its way.
pub(crate) fn arrived(flow: &Flow) -> Option<[f64; 2]> {
    let own = flow.test.as_ref()?;
    let wider = flow.beside.iter().filter(|test| test.streams > own.streams);
    let each = wider.chain([own]).filter_map(|test| {
        let (rate, side) = test.goodput()?;
        let least = rate.low / (ABOVE * may_shrink(test.tool)?);
        (side == Side::Receiver).then_some([rate.value, least])
    });
    each.max_by(|a, b| a[1].total_cmp(&b[1]))
}

impl Evidence {
    /// Whether another test carried more than a line of this rate, bit/s. Of links side by side one may be slower than all.
    pub(crate) fn carried_beyond(&self, line: f64) -> bool {
        let most = self.counted_else.most.as_ref();
        self.around.group.is_none() && most.is_some_and(|most| most.low > ABOVE * line)
    }

    /// Whether a test with more connections carried more than this line, an interface of a host that is not known to be an end.
    pub(crate) fn is_outdone(
        &self,
        (line, what): (&Figure, &str),
        (facts, flow): (&Facts, &Flow),
    ) -> bool {
        let beyond = |rate: &Figure| rate.low > ABOVE * line.high;
        let alone = self.around.group.is_none() && what == PORT;
        if !alone || !fastest(flow, self.streams).is_some_and(beyond) {
            return false;
        }
        let has = |of: Of| {
            flow.speed_of(facts, of)
                .is_some_and(|s| s.value == line.value)
        };
        let is_end = |host: &&u32| flow.end_of(**host).is_some() && !flow.assumed.contains(host);
        let ends = flow.senders.iter().chain(&flow.receivers).filter(is_end);
        let ends = ends.map(|host| Of::Host(*host));
        !ends.chain([Of::Sender, Of::Receiver]).any(has)
    }

    /// Leaves out that interfaces of this speed, bit/s, are at half duplex: they did not carry the flow.
    pub(crate) fn leave_halves(&mut self, speed: f64, (facts, flow): (&Facts, &Flow)) {
        let halves = crate::interfaces::duplex::halves(facts, flow);
        let is_slow = |host: &u32| {
            let own = flow.speed_of(facts, Of::Host(*host));
            own.is_some_and(|own| own.value == speed)
        };
        let slow = halves.iter().filter(|(host, _)| is_slow(host));
        let slow: Vec<_> = slow.map(|(_, at)| *at).collect();
        self.half_duplex = self.half_duplex.filter(|at| !slow.contains(at));
    }
}

/// Weighs what another transfer carried where no line is known, and where the number of connections says nothing.
pub(crate) fn by_carried_beside(e: &Evidence, items: &mut Vec<Item>) {
    let counted = &e.counted_else;
    let said = counted.wider.is_some() || counted.faster.is_some() || counted.once.is_some();
    let open = e.line.is_none() && e.around.group.is_none() && !e.udp && !said;
    let (Some(most), Some(rate)) = (counted.most.as_ref().filter(|_| open), &e.rate) else {
        return;
    };
    items.push(Item {
        holds: step(most.low / rate.value.max(1.0), FASTER[0], FASTER[1]),
        weights: vec![(Cause::Link, AGAINST)],
        sentence: match e.around.fetched_beside {
            Some(_) => String::new(),
            None => format!(
                "another transfer between the same ends had {}: a line as slow as this one was not on their path, unless it was changed between the two",
                bps(most.value)
            ),
        },
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;
    use crate::infer::usual_line;

    /// 92.3 Mbit/s, which a line of 100 Mbit/s leaves, beside another transfer of so many Mbit/s.
    fn beside(mbit: f64) -> Evidence {
        let mut e = Evidence {
            rate: Some(Figure::exact(92.3e6, Place::You)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        e.counted_else.most = Some(Figure::exact(mbit * 1e6, Place::You));
        e
    }

    #[test]
    fn no_line_is_guessed_below_what_another_transfer_carried() {
        assert_eq!(usual_line(&beside(93.0)), Some(100e6));
        assert_eq!(usual_line(&beside(906.0)), None);
        let mut items = Vec::new();
        by_carried_beside(&beside(906.0), &mut items);
        assert_eq!(items[0].holds, 1.0);
        by_carried_beside(&beside(93.0), &mut items);
        assert_eq!(items[1].holds, 0.0);
        // A line that is known stands in the texts, and may have been changed between the two.
        let known = Evidence {
            line: Some((Figure::exact(100e6, Place::You), "the line")),
            ..beside(906.0)
        };
        let mut none = Vec::new();
        by_carried_beside(&known, &mut none);
        assert!(none.is_empty());
    }
}
