//! What the two hosts of a flow can do.

use farpath_units::{Duration, Rate};

use super::Path;
use super::flow::Flow;
use super::queues::BURST;
use crate::model::HostLimits;

impl Path<'_> {
    /// Payload rate at which a host's processor or bus is fully at work, when each datagram of
    /// `len` bytes carries `payload` of them and `acks` datagrams of `ack_len` bytes come back.
    pub(super) fn hosts_bps(&self, len: u32, payload: u32, acks: f64, ack_len: u32) -> f64 {
        let [sends, takes] = self.ends_bps(len, payload, acks, ack_len);
        sends.min(takes)
    }

    /// The same of the sender, and of the receiver.
    pub(super) fn ends_bps(&self, len: u32, payload: u32, acks: f64, ack_len: u32) -> [f64; 2] {
        let flow = &self.plan.flows[self.flow];
        let of = |node: usize, sends: bool| -> f64 {
            let Some(host) = self.scenario.hosts.get(node) else {
                return f64::INFINITY;
            };
            let limits = &host.limits;
            let (out, home) = if sends {
                (sending_s(limits, len), receiving_s(limits, ack_len))
            } else {
                (receiving_s(limits, len), sending_s(limits, ack_len))
            };
            let bus_s = crossing_s(limits, len) + acks * crossing_s(limits, ack_len);
            let seconds = (out + acks * home).max(bus_s);
            f64::from(payload) * 8.0 / seconds
        };
        [of(flow.source.0, true), of(flow.sink.0, false)]
    }

    /// Time that processors and buses of the two hosts take for a packet of `size` bytes out, and for one back where the far one `answers`.
    pub(super) fn hosts_take(&self, size: u32, answers: bool) -> Duration {
        let flow = &self.plan.flows[self.flow];
        let limits = |node: usize| self.scenario.hosts.get(node).map(|host| &host.limits);
        let (near, far) = (limits(flow.source.0), limits(flow.sink.0));
        let takes = |limits: Option<&HostLimits>, cpu_s: fn(&HostLimits, u32) -> f64| {
            limits.map_or(0.0, |l| cpu_s(l, size).max(crossing_s(l, size)))
        };
        let way_s = |from, to| takes(from, sending_s) + takes(to, receiving_s);
        let back_s = if answers { way_s(far, near) } else { 0.0 };
        Duration::from_secs_f64(way_s(near, far) + back_s)
    }

    /// The same of the sending host alone, for a packet of `there` bytes out and one of `back` bytes that comes back.
    pub(super) fn sender_takes(&self, there: u32, back: u32) -> Duration {
        let node = self.plan.flows[self.flow].source.0;
        let Some(host) = self.scenario.hosts.get(node) else {
            return Duration::ZERO;
        };
        let limits = &host.limits;
        let sends = sending_s(limits, there).max(crossing_s(limits, there));
        let receives = receiving_s(limits, back).max(crossing_s(limits, back));
        Duration::from_secs_f64(sends + receives)
    }

    /// Where the receiver's processor is slower than what brings it frames, and its ring holds less than a path that is full, or
    /// than a burst: what it then drops is not foreseen.
    pub(super) fn doubt_of_ring(&self, flow: &Flow) -> Option<String> {
        let node = self.plan.flows[self.flow].sink.0;
        let host = self.scenario.hosts.get(node)?;
        let header = self.header();
        let mss = flow.config.mss;
        let takes_bps = f64::from(mss) * 8.0 / receiving_s(&host.limits, mss + header);
        let last = self.there.last()?.port;
        let wire = self.wire_on(last, mss + header, 0.0, 0);
        let comes_bps = self.plan.ports[last].rate.as_bps() as f64 * f64::from(mss) / wire;
        let ring = host.limits.receive_ring as f64;
        let (pipe, window) = (flow.pipe() * flow.streams, flow.cap() * flow.streams);
        // Its acknowledgements take the same processor.
        let fills = takes_bps < flow.narrowest.bps * 1.5 && flow.narrowest.place == "host_cpu";
        let short = ring < pipe && window > pipe + ring && fills;
        let bursts = ring * f64::from(mss) < BURST && window > ring;
        (takes_bps < comes_bps && (short || bursts)).then(|| {
            format!(
                "as if the receive ring of {} were long: it holds {ring:.0} frames, {:.3} of what the path holds, frames come faster than its \
                 processor takes them, and what is lost there is not foreseen: simulate",
                host.name,
                ring / pipe
            )
        })
    }

    /// The rate of the slower of the two disks.
    pub(super) fn disks_bps(&self) -> f64 {
        let flow = &self.plan.flows[self.flow];
        let host = |node: usize| self.scenario.hosts.get(node).map(|h| &h.limits);
        let bps = |rate: Option<Rate>| rate.map_or(f64::INFINITY, |r| r.as_bps() as f64);
        let read = bps(host(flow.source.0).and_then(|l| l.disk_read));
        let write = bps(host(flow.sink.0).and_then(|l| l.disk_write));
        read.min(write)
    }
}

fn seconds(per_packet: Duration, per_byte: Duration, len: u32) -> f64 {
    (per_packet + per_byte.times(len.into())).as_secs_f64()
}

fn sending_s(limits: &HostLimits, len: u32) -> f64 {
    seconds(limits.send_per_packet, limits.send_per_byte, len)
}

fn receiving_s(limits: &HostLimits, len: u32) -> f64 {
    seconds(limits.receive_per_packet, limits.receive_per_byte, len)
}

/// Time of `len` bytes on a host's memory bus.
fn crossing_s(limits: &HostLimits, len: u32) -> f64 {
    let bus = limits.memory_bus;
    bus.map_or(0.0, |bus| f64::from(len) * 8.0 / bus.as_bps() as f64)
}
