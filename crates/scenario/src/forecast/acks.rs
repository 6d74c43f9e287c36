//! Acknowledgements that the way back cannot carry, and what the queue there makes of them.

use farpath_element::qdisc::Limit;
use farpath_record::quantity::quantity;

use super::Path;
use super::flow::Flow;
use super::queues::only_queue;
use crate::model::Scenario;
use crate::plan::Hop;

/// Of a rate: what it may be off by and still be the same.
const EQUAL: f64 = 1e-6;

impl Path<'_> {
    /// Says what a link of the way back that carries fewer acknowledgements than come makes of connections with `steady` payload bit/s
    /// together: its queue fills, drops some of them, and delays the others.
    pub(super) fn note_of_full_way_back(&self, flow: &Flow, steady: f64) -> Option<String> {
        let every = f64::from(flow.config.delayed_ack.every.max(1));
        let each_bits = f64::from(flow.config.mss) * every * 8.0;
        let acks = steady / each_bits;
        let hops = self.back.iter().map(|hop| (hop, self.acks_carried(hop)));
        let (hop, carried) = hops.min_by(|one, other| one.1.total_cmp(&other.1))?;
        if acks <= carried {
            return None;
        }
        let full = format!(
            "as if the way back carried every acknowledgement: it carries {carried:.0} of {acks:.0} a second"
        );
        let Some(frames) = self.acks_waiting(hop) else {
            return Some(format!(
                "{full}, and what its queue makes of the rest is not foreseen: simulate"
            ));
        };
        let wait_s = frames as f64 / carried;
        let window = flow.window as f64 * flow.streams;
        let at_once = window * 8.0 / each_bits;
        if at_once < frames as f64 {
            return Some(format!(
                "{full}. Where hosts do not thin them out, the {at_once:.0} that a window has at most do not fill its queue of {frames} packets,                  and pace the sender: {:.3} Mbit/s",
                (carried * each_bits).min(steady) / 1e6
            ));
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
        Some(format!(
            "{full}. Where hosts do not thin them out, its queue of {frames} packets does, once it is full; those that come wait {} there, {leaves}",
            quantity("waits_s", wait_s)
        ))
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
        let longest = self.plan.longest_rtts(self.scenario)[hop.port];
        let framing = self.scenario.links[port.link.0].framing;
        let each = u64::from(framing.queue_bytes(self.header() + hop.extra));
        Some(match Scenario::queue_limit(queue, port.rate, longest) {
            Limit::Bytes(bytes) => bytes / each.max(1),
            Limit::Packets(packets) => packets,
        })
    }
}
