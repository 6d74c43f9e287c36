//! A way back that loses: pings are not answered, at rest either, while hardly a segment of data is sent again. Acknowledgements spare each
//! other, so that their loss makes windows grow slowly and sends come in lumps, and nothing is sent again for it.

use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::infer::usual_line;
use crate::items::{Item, LOSSES, of};
use crate::losses::way_back::UNSEEN;
use crate::read::Facts;

/// Each run of pings lost this part at least, and not nearly all, which nobody answers who refuses them.
const LOST: [f64; 2] = [0.15, 0.9];

/// Fewer of them in all may be chance.
const PINGS_LEAST: f64 = 10.0;

/// What it is worth, decibans: a window, a buffer or a program that is seen to hold the sender is ahead of it.
const WORTH: f64 = 18.0;

/// A flow that has this part of what a known line leaves has all of it.
const FULL: f64 = 0.95;

/// The shares that runs of pings lost, the least and the most; none where one lost little.
pub(crate) fn runs(facts: &Facts, flow: &Flow) -> Option<[f64; 2]> {
    // A host that holds its own answers to a rate loses them alone: the hops before it show none of that.
    if facts.traced.iter().any(|trace| trace.alone) {
        return None;
    }
    let of = |name: &'static str| facts.along(flow, name).map(|f| f.value);
    let (mut lost, mut span) = (0.0, [1.0, 0.0]);
    for (sent, received) in of("ping_sent").zip(of("ping_received")) {
        let missed = (sent - received).max(0.0);
        let share = missed / sent.max(1.0);
        lost += missed;
        span = [libm::fmin(span[0], share), libm::fmax(span[1], share)];
    }
    (lost >= PINGS_LEAST && span[0] > LOST[0] && span[1] < LOST[1]).then_some(span)
}

impl Evidence {
    /// What pings lost on the way back, where the flow lost hardly anything on the way there. None where the flow fills its line: a way
    /// back that loses would leave less.
    pub(crate) fn loses_back(&self) -> Option<[f64; 2]> {
        let runs = self.unmissed.and_then(|unmissed| unmissed.runs)?;
        (!self.has_whole_line()).then_some(runs)
    }

    /// Whether the flow has all that its line leaves: one that is known, a usual one, or a port of a lower speed.
    fn has_whole_line(&self) -> bool {
        let rate = self.settled().map_or(0.0, |rate| rate.value);
        let known = self.line.as_ref().map(|(line, _)| line.value);
        let full = known.is_some_and(|line| rate > FULL * line * self.payload_share());
        full || usual_line(self).is_some() || self.lower_port().is_some()
    }

    /// What to do about it.
    pub(crate) fn find_way_back(&self, from: &str, to: &str) -> Change {
        Change {
            host: format!("the way back, from {from} to {to}"),
            commands: vec![
                format!("mtr -rn -c 100 {to}, on {from}: from which hop on packets are lost that way"),
                format!("iperf3 -c {from} -u -R -b 2M -t 10, on {to}: datagrams that way lose the same share, and answers to pings that somebody limits do not show there"),
                "drops and errors of each port that way: show interfaces of routers, ip -s link and ethtool -S INTERFACE on both hosts".to_owned(),
            ],
            risk: "no pace, window or buffer at the ends helps: the data arrives".to_owned(),
            ..Change::default()
        }
    }
}

/// What a way back that loses says.
pub(crate) fn by_lossy_back(e: &Evidence, items: &mut Vec<Item>) {
    let Some(([least, most], unmissed)) = e.loses_back().zip(e.unmissed) else {
        return;
    };
    let share = match most - least < 0.05 {
        true => format!("{:.0} %", 50.0 * (least + most)),
        false => format!("{:.0} to {:.0} %", 100.0 * least, 100.0 * most),
    };
    items.push(Item {
        holds: 1.0,
        weights: [of(&LOSSES, -12.0), vec![(Cause::WayBack, WORTH - UNSEEN)]].concat(),
        sentence: format!(
            "{share} of the pings were not answered, and {} were sent again: the way there does not lose them, the way back does, and acknowledgements with them, unless somebody limits answers to pings",
            unmissed.sent_again()
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::losses::unmissed::Unmissed;

    /// A flow of so many Mbit/s, beside which 40 % of the pings were not answered.
    fn evidence(mbit: f64) -> Evidence {
        Evidence {
            rate: Some(Figure::exact(mbit * 1e6, Place::You)),
            unmissed: Some(Unmissed::of_runs([0.4, 0.4])),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// A target that limits its answers to pings leaves a flow all of 1 Gbit/s.
    #[test]
    fn a_flow_that_fills_its_line_loses_nothing_that_holds_it_on_the_way_back() {
        assert_eq!(evidence(940.0).loses_back(), None);
        assert_eq!(evidence(60.0).loses_back(), Some([0.4, 0.4]));
        let on = |line: f64| Evidence {
            line: Some((Figure::exact(line, Place::You), "the line")),
            ..evidence(290.0)
        };
        assert_eq!(on(300e6).loses_back(), None);
        assert_eq!(on(1e9).loses_back(), Some([0.4, 0.4]));
    }
}
