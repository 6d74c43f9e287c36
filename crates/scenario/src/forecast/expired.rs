//! Echo requests whose TTL runs out on their way, as a traceroute sends them: the node there answers, and the far end nothing.

use farpath_element::impair::Distribution;
use farpath_element::{ICMP_ERROR_BYTES, ROUTER_ANSWER};
use farpath_record::Record;
use farpath_units::Duration;
use farpath_wire::FlowDir;

use super::{Path, either, put};
use crate::model::Periodic;
use crate::plan::{Expiry, Hop};

impl Path<'_> {
    /// Whether the TTL of a ping's requests runs out on the way; then its record has the time until the node there answers, as far as
    /// that is foreseen.
    pub(crate) fn expires(&self, all: &Periodic, record: &mut Record) -> bool {
        let dir = FlowDir::forward(self.flow as u16);
        let Some(end) = self.plan.expiry(self.scenario, dir, (all.ttl, all.size)) else {
            return false;
        };
        put(&mut record.metrics, "sent", all.count.into());
        put(&mut record.metrics, "loss_ratio", 1.0);
        let (ttl, node) = (all.ttl, self.scenario.node_name(end.node));
        let says = match self.expired_answers(all, &end, record) {
            true => "answers each request (ICMP time exceeded): hop_rtt is the time until then",
            false => "gives no answer that comes in time",
        };
        record
            .notes
            .push(format!("a TTL of {ttl} ends at {node}, which {says}"));
        true
    }

    /// The times of the answers; whether any comes in time.
    fn expired_answers(&self, all: &Periodic, end: &Expiry, record: &mut Record) -> bool {
        let error = u32::from(ICMP_ERROR_BYTES);
        let Some(back) = &end.back else {
            return false;
        };
        let ways: [&[Hop]; 2] = [&end.there, back];
        let lost = either(
            self.loss_ratio(all.size, &end.there),
            self.loss_ratio(error, back),
        );
        let asks = u64::from(self.scenario.is_router(self.plan.flows[self.flow].source));
        let ends = ROUTER_ANSWER.times(1 + asks) + self.sender_takes(all.size, error);
        let timed = ways.into_iter().zip([all.size, error]);
        let base = timed.fold(ends, |sum, (way, len)| {
            let links = self.hops(way).into_iter().map(|hop| hop.time_for(len));
            links.fold(sum + self.shaped_cells(way, len), |sum, time| sum + time)
        });
        let least = base + self.jitter(&ways, Distribution::least);
        if lost >= 1.0 || least > all.timeout {
            return false;
        }
        let ns = |time: Duration| (time.as_ps() as f64 / 1e3).round();
        let m = &mut record.metrics;
        put(m, "hop_rtt_min_ns", ns(least));
        // What varies is not foreseen.
        let steady = self.jitter(&ways, Distribution::mean) == Duration::ZERO
            && self.held(&ways, (all.count, all.size)).is_empty();
        let number = self.plan.flows[self.flow].test;
        if steady && self.companions(number).next().is_none() {
            put(m, "hop_rtt_avg_ns", ns(least));
            put(m, "hop_rtt_max_ns", ns(least));
        }
        true
    }
}
