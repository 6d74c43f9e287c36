//! Tests that ask and are answered: what an application's own window makes of a path.

use farpath_predict::Cc;
use farpath_predict::idle::{Answers, Restart};
use farpath_record::Record;
use farpath_tcp::{Flavour, RtoFloor};

use super::tcp::Flow;
use super::{Path, put};
use crate::model::{Exchange, Flows, Tcp, Test};
use crate::plan::{max_ssthresh, segments_per_growth};

impl Path<'_> {
    /// Each connection has `outstanding` answers under way, one of which takes a round trip, the thinking and its own time on
    /// the way: outstanding · answer / (RTT + think + its time), as long as nothing else gives less. All connections together
    /// have what the path carries; then an answer takes what that leaves (the asymptotic bounds of Denning and Buzen 1978).
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
        let bits = exchange.answer as f64 * 8.0;
        let alone_s = self.response_s(test, tcp, &exchange);
        let (under_way, think_s) = (
            streams * exchange.outstanding as f64,
            exchange.think.as_secs_f64(),
        );
        let asking_bps = under_way * bits / (alone_s + think_s);
        let bps = asking_bps.min(path_bps);
        let response_s = under_way * bits / bps - think_s;
        let by = if asking_bps < path_bps {
            "application"
        } else {
            path_limit
        };
        record.limited_by = Some(by.to_owned());
        let doubts = doubts(&flow, under_way, exchange.answer);
        record.notes.extend(doubts.into_iter().flatten());
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
        // The handshake, and half a round trip more where who asks is called; what slow start costs where answers follow one another.
        let base_s = flow.base.as_secs_f64();
        let opened_s = base_s * if test.kind.is_reverse() { 1.0 } else { 1.5 };
        let start_s = match asking_bps < path_bps {
            true => opened_s - think_s,
            false => opened_s.max(flow.ramp(bps / streams).wasted_s),
        };
        let seconds = bytes * 8.0 / bps + start_s;
        put(m, "completion_ns", (seconds * 1e9).round());
        put(m, "goodput_bps", bytes * 8.0 / seconds);
    }

    /// From a request to the end of its answer, on one connection alone, on average: a round trip, and the answer's time on the way.
    /// The first answers go through slow start.
    fn response_s(&self, test: &Test, tcp: &Tcp, exchange: &Exchange) -> f64 {
        let flow = self.flow_of(&Tcp {
            parallel: 1,
            ..tcp.clone()
        });
        let (bps, _) = self.bulk(&flow, 1.0, exchange.disks);
        let config = &flow.config;
        let mss = config.mss;
        let header = u32::from(self.plan.flows[self.flow].header_bytes);
        // The request's own length, and the first segment of the answer, are in the round trip.
        let segment = |bytes: u64| u32::try_from(bytes).unwrap_or(u32::MAX).min(mss) + header;
        let turn = self.rtt(segment(exchange.answer), segment(exchange.request));
        let turn_s = turn.as_secs_f64();
        let segment_s = f64::from(mss) * 8.0 / bps;
        let timeout = match config.rto.floor {
            RtoFloor::Variation => flow.base + config.rto_min,
            RtoFloor::Timeout => flow.base.max(config.rto_min),
        };
        let answers = Answers {
            segments: exchange.answer as f64 / f64::from(mss),
            initial: f64::from(config.initial_window.max(1)),
            segments_per_ack: segments_per_growth(config),
            max_ssthresh: max_ssthresh(config),
            full: flow.base.as_secs_f64() / segment_s,
            rtt_s: flow.base.as_secs_f64(),
            segment_s,
            // Several answers of a connection come to lie evenly apart: one that waits for a round comes later ever after.
            pause_s: (turn_s + exchange.think.as_secs_f64()) / exchange.outstanding as f64,
            timeout_s: timeout.min(config.rto.largest).as_secs_f64(),
            restart: restart(&flow),
        };
        let begins = flow.base.as_secs_f64() + turn_s;
        let from_s = test.omit.as_secs_f64() - begins;
        let until_s = test
            .duration
            .map_or(f64::INFINITY, |d| from_s + d.as_secs_f64());
        let most = exchange.requests.unwrap_or(u64::MAX);
        turn_s + answers.mean_between((from_s, until_s), answers.pause_s, most)
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

/// What a forecast of so many answers of `bytes` under way leaves out.
fn doubts(flow: &Flow, under_way: f64, bytes: u64) -> [Option<String>; 2] {
    let pipe = flow.narrowest.bps * flow.base.as_secs_f64() / 8.0;
    let held = pipe + flow.room * f64::from(flow.config.mss);
    let all = under_way * bytes as f64;
    let of_losses = (all > held).then(|| {
        format!(
            "as if nothing were lost: {under_way:.0} answers under way are {:.1} times what path and queue hold, and where they meet losses take time",
            all / held
        )
    });
    let measures = flow.cc.is_some_and(Cc::is_bbr) && (bytes as f64) < pipe;
    let of_pace = measures.then(|| {
        "as if answers left at the path's rate: BBR paces them by what it has measured of short ones, up to a round trip longer".to_owned()
    });
    [of_losses, of_pace]
}

/// What an idle time does to the windows of a flow's sender. BBR keeps its pace.
fn restart(flow: &Flow) -> Restart {
    let keeps = !flow.config.idle_restart || flow.cc.is_some_and(Cc::is_bbr);
    match flow.config.flavour {
        _ if keeps => Restart::Never,
        Flavour::Linux => Restart::Halved,
        Flavour::Rfc => Restart::Initial,
    }
}
