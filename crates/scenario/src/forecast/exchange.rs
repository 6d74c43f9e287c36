//! Tests that ask and are answered: what an application's own window makes of a path.

use farpath_record::Record;

use super::tcp::Flow;
use super::{Path, put};
use crate::model::{Flows, Test};

impl Path<'_> {
    /// Each connection has `outstanding` answers under way, one of which takes a round trip, the
    /// thinking and its own time on the way: outstanding · answer / (RTT + think + answer / rate),
    /// as long as nothing else gives less.
    pub(crate) fn exchange(&self, test: &Test, record: &mut Record) {
        let (Some(tcp), Some(exchange)) = (test.kind.tcp(), test.kind.exchange(0)) else {
            return;
        };
        let streams = f64::from(tcp.parallel);
        let agreed = self.plan.tcp_config(self.scenario, self.flow, tcp);
        if exchange.answer >= agreed.mss.into() && self.swallowed(&agreed, record) {
            return;
        }
        let flow = self.flow_of(tcp);
        let (path_bps, path_limit) = self.bulk(&flow, streams, exchange.disks);
        let mss = flow.config.mss;
        let header = u32::from(self.plan.flows[self.flow].header_bytes);
        // The request's own length, and the first segment of the answer, are in the round trip.
        let bits = exchange.answer as f64 * 8.0;
        let rest = (exchange.answer.saturating_sub(mss.into())) as f64 * 8.0;
        let segment = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX).min(mss) + header;
        let turn = self.rtt(segment(exchange.answer), segment(exchange.request));
        let response_s = turn.as_secs_f64() + rest * streams / path_bps;
        let each_s = response_s + exchange.think.as_secs_f64();
        let asking_bps = streams * exchange.outstanding as f64 * bits / each_s;
        let bps = asking_bps.min(path_bps);
        let by = if asking_bps < path_bps {
            "application"
        } else {
            path_limit
        };
        record.limited_by = Some(by.to_owned());
        let m = &mut record.metrics;
        put(m, "rtt_min_ns", flow.base.as_ns() as f64);
        put(m, "request_rate", bps / bits);
        if exchange.outstanding == 1 {
            put(m, "response_avg_ns", (response_s * 1e9).round());
        }
        if test.duration.is_some() {
            put(m, "goodput_bps", bps);
            return;
        }
        let all = (0..tcp.parallel).filter_map(|s| test.kind.exchange(s)?.requests);
        let bytes = all.fold(0, u64::saturating_add) as f64 * exchange.answer as f64;
        // The handshake, and what slow start costs once.
        let start_s = flow.ramp(bps / streams).wasted_s;
        let seconds = bytes * 8.0 / bps + start_s.max(flow.base.as_secs_f64());
        put(m, "completion_ns", (seconds * 1e9).round());
        put(m, "goodput_bps", bytes * 8.0 / seconds);
    }

    /// What flows that come and go offer on average, and how long one of mean size takes alone.
    pub(crate) fn flows(&self, flows: &Flows, record: &mut Record) {
        // The pace of each bounds a connection, not the load.
        let mut tcp = flows.tcp.clone();
        tcp.cc.pacing = None;
        let flow = self.flow_of(&tcp);
        let share = flows.envelope.map_or(1.0, |e| e.mean());
        let size = flows.sizes.mean();
        let offered = size * 8.0 * share / flows.spacing.as_secs_f64();
        let (path_bps, path_limit) = (flow.narrowest.bps, flow.narrowest.place);
        let m = &mut record.metrics;
        put(m, "offered_bps", offered);
        put(m, "size_mean_bytes", size.round());
        put(m, "goodput_bps", offered.min(path_bps));
        let by = if offered < path_bps {
            "application"
        } else {
            path_limit
        };
        record.limited_by = Some(by.to_owned());
        record
            .notes
            .push("mean load; queues and losses among the flows are not foreseen".to_owned());
    }

    /// The rate at which the connections carry bulk data, and what limits it.
    fn bulk(&self, flow: &Flow, streams: f64, disks: bool) -> (f64, &'static str) {
        let disk_bps = if disks {
            self.disks_bps()
        } else {
            f64::INFINITY
        };
        let window_limit = if flow.config.send_buffer < flow.config.receive_window {
            "send_buffer"
        } else {
            "receive_window"
        };
        let loss_bps = flow.loss_bps().unwrap_or(f64::INFINITY);
        let limits = [
            (flow.window_bps() * streams, window_limit),
            (loss_bps * streams, "loss"),
            (disk_bps, "disk"),
        ];
        let first = (flow.narrowest.bps, flow.narrowest.place);
        limits
            .into_iter()
            .fold(first, |a, b| if b.0 < a.0 { b } else { a })
    }
}
