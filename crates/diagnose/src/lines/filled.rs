//! A port that this flow and others of the same texts fill together: none of them is foreign traffic to another.

use crate::advice::{NO_RISK, Remedy};
use crate::cause::Cause;
use crate::ceiling::payload_share;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::flows::flow::Flow;
use crate::read::Facts;
use crate::seen::Test;

/// What flows have together, counted with all headers, over what a port carries, where they are all of it.
const ALL: [f64; 2] = [0.93, 1.04];

/// Whether two tests may have been under way at one time, the same way: of two hosts each, and not one behind the other at one prompt.
fn may_be_at_once(facts: &Facts, one: &Test, other: &Test) -> bool {
    let (from, of) = (&one.from.host, &other.from.host);
    let apart = !from.is_empty() && !of.is_empty() && from != of;
    let against = *from == other.to.host || *of == one.to.host;
    let moments = &facts.moments;
    let later = moments.is_of_another_time(one, other.at);
    let behind = moments.is_over_before(one, other.at) || moments.is_over_before(other, one.at);
    apart && !against && !later && !behind
}

/// What others of the texts carry that may have been under way at the time of each flow, counted with all headers, bit/s; `rates` are those
/// of the flows, counted so, 0 where they are not known.
pub(crate) fn beside(facts: &Facts, flows: &[Flow], rates: &[f64]) -> Vec<f64> {
    let tests: Vec<Option<&Test>> = flows.iter().map(|f| f.test.as_ref()).collect();
    let of = |own: &Option<&Test>| {
        let Some(own) = own else { return 0.0 };
        let at_once = |other: &Test| may_be_at_once(facts, own, other);
        let others = tests.iter().zip(rates);
        let others = others.filter(|(other, _)| other.is_some_and(at_once));
        others.map(|(_, rate)| *rate).sum::<f64>()
    };
    tests.iter().map(of).collect()
}

impl Evidence {
    /// The rate of the flow counted with all headers, bit/s; 0 where it is not known, or of datagrams.
    pub(crate) fn with_headers(&self) -> f64 {
        let rate = self.settled().filter(|_| !self.udp);
        rate.map_or(0.0, |rate| rate.value / payload_share(self.mss))
    }

    /// Whether this flow and others of the texts are all that a port carries which carries so much, bit/s.
    pub(crate) fn fills_with_others(&self, carried: f64) -> bool {
        let all = (self.with_headers() + self.around.others) / carried.max(1.0);
        self.around.others > 0.0 && all > ALL[0] && all < ALL[1]
    }

    /// What to change where flows of the texts share a port that they fill, and no group of links has room; none where that is not the cause.
    pub(crate) fn widen_port(&self, cause: Cause) -> Option<Change> {
        let fills = cause == Cause::Link && self.is_full_together();
        fills.then(|| {
            let remedy = Remedy {
                commands: vec![
                    "more room than that port has: a faster one, or a second link beside it in a port channel, whose hash has addresses and ports".to_owned(),
                    "or one flow after the other: at one time each has its part of the port, and alone all of it".to_owned(),
                ],
                risk: NO_RISK.to_owned(),
                ..Remedy::default()
            };
            remedy.change("the router or switch with the full port", None, None)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    fn evidence(own: f64, others: f64) -> Evidence {
        let mut e = Evidence {
            rate: Some(Figure::exact(own, Place::You)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        e.around.others = others;
        e
    }

    /// 470 Mbit/s of payload are 499 Mbit/s with headers: two of them fill a port of 1 Gbit/s.
    #[test]
    fn flows_fill_a_port_where_they_are_all_that_it_carries() {
        assert!(evidence(470e6, 499e6).fills_with_others(997e6));
        assert!(!evidence(470e6, 0.0).fills_with_others(997e6));
        assert!(!evidence(130e6, 100e6).fills_with_others(997e6));
        // Tests of other times add up to more than it carries.
        assert!(!evidence(470e6, 998e6).fills_with_others(997e6));
    }
}
