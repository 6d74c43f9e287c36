//! Tests that ask and are answered: what an application's own window makes of a path.

use farpath_record::Record;
use farpath_tcp::Config;

use super::{Path, loss_limit, place, put, whole_segments};
use crate::model::Test;

impl Path<'_> {
    /// Each connection has `outstanding` answers under way, one of which takes a round trip, the
    /// thinking and its own time on the way: outstanding · answer / (RTT + think + answer / rate),
    /// as long as nothing else gives less.
    pub(super) fn exchange(&self, test: &Test, record: &mut Record) {
        let (Some(tcp), Some(exchange)) = (test.kind.tcp(), test.kind.exchange(0)) else {
            return;
        };
        let streams = f64::from(tcp.parallel);
        let config = self.plan.tcp_config(self.scenario, self.flow, tcp);
        let header = u32::from(self.plan.flows[self.flow].header_bytes);
        let base = self.rtt(config.mss + header, header);
        let (path_bps, path_limit) = self.bulk(&config, streams, exchange.disks);
        // The request's own length, and the first segment of the answer, are in the round trip.
        let bits = exchange.answer as f64 * 8.0;
        let rest = (exchange.answer.saturating_sub(config.mss.into())) as f64 * 8.0;
        let asked = u32::try_from(exchange.request)
            .unwrap_or(u32::MAX)
            .min(config.mss);
        let first = u32::try_from(exchange.answer)
            .unwrap_or(u32::MAX)
            .min(config.mss);
        let turn_s = self.rtt(first + header, asked + header).as_secs_f64();
        let each_s = turn_s + exchange.think.as_secs_f64() + rest * streams / path_bps;
        let asking_bps = streams * exchange.outstanding as f64 * bits / each_s;
        let bps = asking_bps.min(path_bps);
        let by = if asking_bps < path_bps {
            "application"
        } else {
            path_limit
        };
        record.limited_by = Some(by.to_owned());
        let m = &mut record.metrics;
        put(m, "rtt_min_ns", base.as_ns() as f64);
        put(m, "request_rate", bps / bits);
        if exchange.outstanding == 1 {
            put(
                m,
                "response_avg_ns",
                ((each_s - exchange.think.as_secs_f64()) * 1e9).round(),
            );
        }
        let all = (0..tcp.parallel).filter_map(|s| test.kind.exchange(s)?.requests);
        match test.duration {
            None => {
                let bytes = all.fold(0, u64::saturating_add) as f64 * exchange.answer as f64;
                // The handshake, and what slow start costs once.
                let ramp = self.ramp(&config, bps / streams, base);
                let seconds = bytes * 8.0 / bps + ramp.wasted_s.max(base.as_secs_f64());
                put(m, "completion_ns", (seconds * 1e9).round());
                put(m, "goodput_bps", bytes * 8.0 / seconds);
            }
            Some(_) => put(m, "goodput_bps", bps),
        }
    }

    /// The rate at which `streams` connections carry bulk data, and what limits it.
    fn bulk(&self, config: &Config, streams: f64, disks: bool) -> (f64, &'static str) {
        let header = u32::from(self.plan.flows[self.flow].header_bytes);
        let len = config.mss + header;
        let acks = 1.0 / f64::from(config.delayed_ack.every.max(1));
        let narrowest = self.narrowest(len, config.mss, acks, header);
        let base = self.rtt(len, header);
        let window_bps = streams * whole_segments(config) as f64 * 8.0 / base.as_secs_f64();
        let loss = self.loss_ratio(len, &self.there);
        let disk_bps = if disks {
            self.disks_bps()
        } else {
            f64::INFINITY
        };
        let window_limit = if config.send_buffer < config.receive_window {
            "send_buffer"
        } else {
            "receive_window"
        };
        let limits = [
            (window_bps, window_limit),
            (streams * loss_limit(config, base, loss), "loss"),
            (disk_bps, "disk"),
            (self.hosts_bps(len, config.mss, acks, header), "host_cpu"),
        ];
        let first = (narrowest.bps, place(&narrowest));
        limits
            .into_iter()
            .fold(first, |a, b| if b.0 < a.0 { b } else { a })
    }
}
