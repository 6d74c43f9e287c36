//! Acknowledgements that the way back cannot carry, and what the queue there makes of them.

use farpath_element::qdisc::Limit;
use farpath_predict::Cc;
use farpath_record::quantity::quantity;

use super::Path;
use super::ceiling::Ceiling;
use super::flow::Flow;
use super::queues::only_queue;
use crate::model::{Scenario, Test};
use crate::plan::Hop;

/// Of a rate: what it may be off by and still be the same.
const EQUAL: f64 = 1e-6;

/// Of a test's time: what the queue of a way back may take to fill for the rest to be its rate.
const SOON: f64 = 0.1;

/// A way back that carries fewer acknowledgements than come.
struct FullBack {
    /// How many come a second, were all carried, and how many are.
    acks: f64,
    carried: f64,
    /// What its queue makes of the rest.
    words: String,
    /// Payload of all connections behind it, bit/s, and after how many seconds that is so; none where it is not foreseen.
    leaves: Option<(f64, f64)>,
}

impl Path<'_> {
    /// A test's ceiling, lowered where acknowledgements wait so long in a full queue of the way back that the window does not last.
    pub(super) fn behind_full_way_back(
        &self,
        test: &Test,
        flow: &Flow,
        ceiling: Ceiling,
    ) -> Ceiling {
        match self.left_by_way_back(test, flow, ceiling.bps) {
            Some(bps) => Ceiling {
                bps,
                by: flow.limit(bps, ceiling.loss_bps),
                ..ceiling
            },
            None => ceiling,
        }
    }

    /// Payload bit/s that a full way back leaves connections of a test with a clock, which would have `steady`; `None` where it leaves
    /// all, where it is full for too little of the time, and where something else than the window decides how much is in flight.
    fn left_by_way_back(&self, test: &Test, flow: &Flow, steady: f64) -> Option<f64> {
        let by_model = matches!(
            flow.cc,
            None | Some(Cc::Bbr | Cc::Bbr3 | Cc::Fast | Cc::Vegas | Cc::Westwood)
        );
        let carries = test.kind.bulk().is_some() && flow.config.amount.is_none();
        let duration = test
            .duration
            .filter(|_| carries && !by_model && flow.loses_nothing())?;
        // A bucket lets more pass at first, of which another form has the rate.
        let has_bucket = self
            .ahead(flow.narrowest, flow.config.mss + self.header())
            .is_some();
        let (bps, full_s) = self.full_back(flow, steady)?.leaves?;
        let by_then = test.omit.as_secs_f64() + SOON * duration.as_secs_f64();
        let counts = full_s <= by_then && bps < steady * (1.0 - EQUAL);
        (counts && !has_bucket && self.policed(test, flow, steady).is_none()).then_some(bps)
    }

    /// Says what a link of the way back that carries fewer acknowledgements than come makes of connections that would have `steady`
    /// payload bit/s together: its queue fills, drops some of them, and delays the others.
    pub(super) fn note_of_full_way_back(
        &self,
        test: &Test,
        flow: &Flow,
        steady: f64,
    ) -> Option<String> {
        let FullBack {
            acks,
            carried,
            words,
            ..
        } = self.full_back(flow, steady)?;
        let begins = match self.left_by_way_back(test, flow, steady) {
            Some(_) => {
                format!("the way back carries {carried:.0} of {acks:.0} acknowledgements a second")
            }
            None => format!(
                "as if the way back carried every acknowledgement: it carries {carried:.0} of {acks:.0} a second"
            ),
        };
        Some(format!("{begins}{words}"))
    }

    fn full_back(&self, flow: &Flow, steady: f64) -> Option<FullBack> {
        let every = f64::from(flow.config.delayed_ack.every.max(1));
        let each_bits = f64::from(flow.config.mss) * every * 8.0;
        let acks = steady / each_bits;
        let hops = self.back.iter().map(|hop| (hop, self.acks_carried(hop)));
        let (hop, carried) = hops.min_by(|one, other| one.1.total_cmp(&other.1))?;
        if acks <= carried {
            return None;
        }
        let back = |words: String, leaves| {
            Some(FullBack {
                acks,
                carried,
                words,
                leaves,
            })
        };
        let Some(frames) = self.acks_waiting(hop) else {
            let words = ", and what its queue makes of the rest is not foreseen: simulate";
            return back(words.to_owned(), None);
        };
        let frames = frames as f64;
        let wait_s = frames / carried;
        let window = flow.window as f64 * flow.streams;
        let at_once = window * 8.0 / each_bits;
        if at_once < frames {
            let rate = (carried * each_bits).min(steady);
            let words = format!(
                ". Where hosts do not thin them out, the {at_once:.0} that a window has at most do not fill its queue of {frames} packets, and pace the sender: {:.3} Mbit/s",
                rate / 1e6
            );
            return back(words, Some((rate, at_once / carried)));
        }
        let rate = window * 8.0 / (flow.base.as_secs_f64() + wait_s);
        let rate = rate.max(carried * each_bits).min(steady);
        let window = quantity("bytes", window);
        let leaves = match rate >= steady * (1.0 - EQUAL) {
            true => format!("for which a window of {window} is large enough"),
            false => format!(
                "which leaves a window of {window} no more than {:.3} Mbit/s",
                rate / 1e6
            ),
        };
        let words = format!(
            ". Where hosts do not thin them out, its queue of {frames} packets does, once it is full; those that come wait {} there, {leaves}",
            quantity("waits_s", wait_s)
        );
        back(words, Some((rate, frames / (acks - carried) + wait_s)))
    }

    /// Acknowledgements a second that a port of the way back carries.
    fn acks_carried(&self, hop: &Hop) -> f64 {
        let framing = self.scenario.links[self.plan.ports[hop.port].link.0].framing;
        let each = f64::from(framing.wire_bytes(self.header() + hop.extra)) * 8.0;
        self.lasting_rate(hop.port).as_bps() as f64 / each
    }

    /// Acknowledgements that may wait in front of a port of the way back; `None` where that is not one queue that drops at its end.
    fn acks_waiting(&self, hop: &Hop) -> Option<u64> {
        let port = &self.plan.ports[hop.port];
        let direction = self.direction(hop.port);
        let cells = direction.cells.as_ref().is_some_and(|c| c.queue.is_some());
        let queue = only_queue(direction).filter(|_| !cells)?;
        let longest = self.plan.longest_rtt(hop.port);
        let framing = self.scenario.links[port.link.0].framing;
        let each = u64::from(framing.queue_bytes(self.header() + hop.extra));
        Some(match Scenario::queue_limit(queue, port.rate, longest) {
            Limit::Bytes(bytes) => bytes / each.max(1),
            Limit::Packets(packets) => packets,
        })
    }
}
