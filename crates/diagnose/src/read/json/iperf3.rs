//! iperf3's JSON: one document, or a line for each event (`--json-stream`).

use serde_json::{Map, Value as Json, json};

use super::{ROWS_MAX, list, n, s};
use crate::fact::{Figure, Of, Place};
use crate::flows::scavenger::DSCP;
use crate::read::Facts;
use crate::read::iperf3::release;
use crate::read::uname::is_of_amazon;
use crate::seen::{ASKED, End, Report, Row, STARTED, Side, StreamCount, Test};
use crate::windows::memory::GIVEN;
use crate::{address, redact};

/// Events of `--json-stream` that make one document.
#[derive(Default)]
pub(in crate::read) struct Stream {
    start: Option<(Json, Place)>,
    intervals: Vec<Json>,
}

impl Stream {
    /// Takes an event; `false` if it is none. The document is there when the test ended.
    pub(in crate::read) fn take(&mut self, value: &Json, at: Place, facts: &mut Facts) -> bool {
        let (Some(event), Some(data)) = (s(value, &["event"]), value.get("data")) else {
            return false;
        };
        match event {
            "start" => {
                self.intervals.clear();
                self.start = Some((data.clone(), at));
            }
            "interval" if self.intervals.len() < ROWS_MAX => self.intervals.push(data.clone()),
            "end" => {
                if let Some((start, _)) = &mut self.start {
                    start["end"] = data.clone();
                }
            }
            "interval" => {}
            "error" => {
                let said = data.as_str().or(s(data, &["error"]));
                let said = said.unwrap_or("an error");
                facts.fails("iperf3", said, at);
                facts.says("iperf3", said, at);
            }
            _ => return false,
        }
        true
    }

    /// The document of what was taken.
    pub(in crate::read) fn finish(&mut self, facts: &mut Facts) {
        let Some((mut start, at)) = self.start.take() else {
            return;
        };
        let end = start
            .as_object_mut()
            .and_then(|o| o.remove("end"))
            .unwrap_or(Json::Object(Map::new()));
        let intervals = core::mem::take(&mut self.intervals);
        document(
            &json!({"start": start, "intervals": intervals, "end": end}),
            at,
            facts,
        );
    }
}

/// The release of iperf3, and the kernel of its host where it is one of a cloud's: `"system_info": "Linux host 5.15.0-1031-aws #35 …"`.
fn of_program(start: &Json, at: Place, facts: &mut Facts) {
    release(s(start, &["version"]).unwrap_or(""), at, facts);
    let info = s(start, &["system_info"]).unwrap_or("");
    if let Some(kernel) = info.split_whitespace().nth(2).filter(|k| is_of_amazon(k)) {
        facts.word(Of::Path, "kernel", kernel, at);
    }
}

/// What the test was asked for: the segment size, the rate of its program or its pacing, and a socket buffer (`-w`), which both
/// ends then ask their kernels for.
fn asked(start: &Json, at: Place, test: &mut Test) {
    let first = |paths: [&[&str]; 2]| {
        let mut found = paths.into_iter().filter_map(|path| n(start, path));
        found.next().filter(|n| *n > 0.0)
    };
    if let Some(seconds) = n(start, &["timestamp", "timesecs"]).filter(|s| *s > 0.0) {
        test.set(STARTED, Figure::exact(seconds, at));
    }
    if let Some(mss) = first([&["tcp_mss_default"], &["tcp_mss"]]) {
        test.set("mss_bytes", Figure::exact(mss, at));
    }
    let target = first([&["target_bitrate"], &["test_start", "target_bitrate"]]);
    if let Some(bps) = target.filter(|_| !test.udp) {
        test.set("application_rate_bps", Figure::exact(bps, at));
    }
    if let Some(bps) = first([&["test_start", "fqrate"], &["fq_rate"]]) {
        test.set("pacing_rate_bps", Figure::exact(bps, at));
    }
    // The upper six bits of the byte are the code point (RFC 2474 §3).
    if let Some(tos) = n(start, &["test_start", "tos"]).filter(|tos| *tos > 0.0) {
        test.set(DSCP, Figure::exact(libm::floor(tos / 4.0), at));
    }
    let buffer = first([&["sock_bufsize"], &["test_start", "sock_bufsize"]]);
    if let Some(bytes) = buffer.filter(|_| !test.udp) {
        for name in ASKED {
            test.set(name, Figure::exact(bytes, at));
        }
    }
}

/// The buffer that the end which printed this has, where the test asked for one: tuning changes any other.
fn given(start: &Json, receiving: bool, at: Place, test: &mut Test) {
    let (key, name) = match receiving {
        false => ("sndbuf_actual", GIVEN[0]),
        true => ("rcvbuf_actual", GIVEN[1]),
    };
    let asked = test.numbers.contains_key(ASKED[0]);
    if let Some(bytes) = n(start, &[key]).filter(|b| asked && *b > 0.0) {
        test.set(name, Figure::exact(bytes, at));
    }
}

/// The name in `uname -a` of whoever printed a report; empty where that is not one of Linux.
fn printer(start: &Json) -> &str {
    let system = s(start, &["system_info"]).unwrap_or("");
    let name = system.split_whitespace().nth(1);
    name.filter(|_| system.starts_with("Linux ")).unwrap_or("")
}

/// A whole document; `false` if it says nothing of a test.
pub(super) fn document(value: &Json, at: Place, facts: &mut Facts) -> bool {
    let start = &value["start"];
    let reverse = n(start, &["test_start", "reverse"]) == Some(1.0);
    let server = start.get("accepted_connection").is_some();
    let mut test = Test::new("iperf3", at);
    if reverse {
        test.client = Side::Receiver;
    }
    test.udp = s(start, &["test_start", "protocol"]) == Some("UDP");
    of_program(start, at, facts);
    let connected = list(start, "connected");
    // Of `--bidir` there are as many each way, also where no end says so.
    let both =
        value["end"].get(BACK[1]).is_some() || n(start, &["test_start", "bidir"]) == Some(1.0);
    test.streams = (connected.len() / if both { 2 } else { 1 }).max(1) as u32;
    if let Some(first) = connected.first() {
        let end = |host: &str, port: &str| End {
            host: address(
                s(first, &[host])
                    .unwrap_or("")
                    .trim_start_matches("::ffff:"),
            ),
            port: n(first, &[port])
                .filter(|p| *p <= 65_535.0)
                .map(|p| p as u16),
        };
        let (near, far) = (
            end("local_host", "local_port"),
            end("remote_host", "remote_port"),
        );
        (test.from, test.to) = if reverse == server {
            (near, far)
        } else {
            (far, near)
        };
    }
    let near = if reverse == server {
        &test.from
    } else {
        &test.to
    };
    facts.printed_by(printer(start), &near.host);
    if let Some(host) = s(start, &["connecting_to", "host"]) {
        test.aliases[usize::from(!reverse)].push(redact(host));
    }
    asked(start, at, &mut test);
    given(start, reverse != server, at, &mut test);
    if both {
        backwards(value, &test, (reverse == server, at), facts);
    }
    rows(value, "sum", at, &mut test, reverse != server);
    if !both && !test.udp {
        counts(value, &mut test);
    }
    ends(&value["end"], at, &mut test, reverse != server);
    let error = s(value, &["error"]);
    if let Some(said) = error {
        facts.fails("iperf3", said, at);
        facts.says("iperf3", said, at);
    }
    let any = test.is_measured();
    if any {
        facts.tests.push(test);
    }
    any || error.is_some()
}

/// The sums of the other direction of `--bidir`: of an interval, and of both ends.
const BACK: [&str; 3] = [
    "sum_bidir_reverse",
    "sum_sent_bidir_reverse",
    "sum_received_bidir_reverse",
];

/// The other direction of `--bidir`, a test of its own.
fn backwards(value: &Json, forward: &Test, (receiving, at): (bool, Place), facts: &mut Facts) {
    let mut back = Test::new("iperf3", at);
    (back.from, back.to) = (forward.to.clone(), forward.from.clone());
    back.aliases = forward.aliases.clone();
    back.aliases.swap(0, 1);
    (back.client, back.streams) = (forward.client.other(), forward.streams);
    back.udp = forward.udp;
    rows(value, BACK[0], at, &mut back, receiving);
    // Windows and round trips of the streams are those of the end that printed them: it sends the other way.
    back.numbers.clear();
    asked(&value["start"], at, &mut back);
    given(&value["start"], receiving, at, &mut back);
    for row in &mut back.rows {
        row.cwnd = None;
    }
    let end = &value["end"];
    for (slot, key) in [(&mut back.sent, BACK[1]), (&mut back.received, BACK[2])] {
        *slot = report(end, key, at);
    }
    if let Some(again) = n(end, &[BACK[1], "retransmits"]) {
        back.set("retransmits", Figure::exact(again, at));
    }
    if back.udp {
        back.received = back.received.take().or_else(|| report(end, BACK[0], at));
        lost(end, BACK[0], at, &mut back);
    }
    if back.is_measured() {
        facts.tests.push(back);
    }
}

/// A closing sum; none of nothing.
fn report(end: &Json, key: &str, at: Place) -> Option<Report> {
    let sum = end.get(key)?;
    let bps = n(sum, &["bits_per_second"]).filter(|b| *b > 0.0)?;
    Some(Report {
        goodput: Figure::exact(bps, at),
        bytes: n(sum, &["bytes"]).map(|b| Figure::exact(b, at)),
        seconds: n(sum, &["seconds"]).unwrap_or(0.0),
    })
}

fn rows(value: &Json, key: &str, at: Place, test: &mut Test, receiving: bool) {
    let mut rtts = Vec::new();
    for interval in list(value, "intervals").iter().take(ROWS_MAX) {
        let sum = &interval[key];
        let (Some(from), Some(until), Some(bps)) = (
            n(sum, &["start"]),
            n(sum, &["end"]),
            n(sum, &["bits_per_second"]),
        ) else {
            continue;
        };
        if sum["omitted"] == Json::Bool(true) {
            continue;
        }
        let side = if receiving {
            Side::Receiver
        } else {
            Side::Sender
        };
        test.rows.push(Row {
            from,
            until,
            bps,
            retransmits: n(sum, &["retransmits"]),
            cwnd: windows(interval),
            side,
            at,
        });
        for stream in list(interval, "streams") {
            rtts.extend(n(stream, &["rtt"]).filter(|r| *r > 0.0));
            if let Some(cwnd) = n(stream, &["snd_cwnd"]) {
                test.numbers.insert("cwnd_bytes", Figure::exact(cwnd, at));
            }
            if let Some(window) = n(stream, &["snd_wnd"]).filter(|w| *w > 0.0) {
                test.numbers
                    .insert("window_announced_bytes", Figure::exact(window, at));
            }
        }
    }
    if !rtts.is_empty() {
        let mean = rtts.iter().sum::<f64>() / rtts.len() as f64;
        test.set("rtt_loaded_ns", Figure::exact(mean * 1e3, at));
        let least = rtts.iter().copied().fold(f64::INFINITY, f64::min);
        test.set("handshake_rtt_ns", Figure::exact(least * 1e3, at));
    }
}

/// What each of the streams sent again.
fn counts(value: &Json, test: &mut Test) {
    let id = |of: &Json| n(of, &["socket"]).map(|id| format!("{id:.0}"));
    let kept = |of: &&Json| of["omitted"] != Json::Bool(true);
    let said = |stream: &Json| {
        let counts = n(stream, &["bytes"]).zip(n(stream, &["retransmits"]));
        Some((id(stream)?, counts?))
    };
    let streams = |interval| list(interval, "streams").iter();
    let intervals = list(value, "intervals").iter().take(ROWS_MAX);
    for stream in intervals.flat_map(streams).filter(kept) {
        if let Some((id, (bytes, again))) = said(stream)
            && let Some(count) = test.count(&id)
        {
            count.interval(bytes, again);
        }
    }
    for stream in list(&value["end"], "streams").iter().map(|s| &s["sender"]) {
        if let Some((id, (bytes, again))) = said(stream)
            && let Some(count) = test.count(&id)
        {
            count.whole(bytes, again);
        }
    }
    // The client's: its server has one for all.
    let port = match value["start"].get("accepted_connection") {
        Some(_) => "remote_port",
        None => "local_port",
    };
    for connected in list(&value["start"], "connected") {
        let port = n(connected, &[port]).filter(|p| *p <= 65_535.0);
        let own = |c: &&mut StreamCount| id(connected).is_some_and(|id| id == c.id);
        if let Some(count) = test.counts.iter_mut().find(own) {
            count.port = port.map(|p| p as u16);
        }
    }
}

/// The congestion windows of an interval's streams, together.
fn windows(interval: &Json) -> Option<f64> {
    let sends = |s: &&Json| s["sender"] != Json::Bool(false);
    let all = list(interval, "streams").iter().filter(sends);
    let each: Option<Vec<f64>> = all.map(|s| n(s, &["snd_cwnd"])).collect();
    each.filter(|w| !w.is_empty()).map(|w| w.iter().sum())
}

/// Datagrams that were sent, and those that were lost, by a closing sum.
fn lost(end: &Json, sum: &str, at: Place, test: &mut Test) {
    let count = |key: &str| n(end, &[sum, key]);
    if let Some((lost, sent)) = count("lost_packets").zip(count("packets")) {
        test.set("datagrams_lost", Figure::exact(lost, at));
        test.set("datagrams", Figure::exact(sent, at));
    }
}

/// The closing sums.
fn ends(end: &Json, at: Place, test: &mut Test, receiving: bool) {
    let report = |key: &str| report(end, key, at);
    test.sent = report("sum_sent");
    test.received = report("sum_received").or_else(|| report("sum").filter(|_| test.udp));
    if let Some(again) = n(end, &["sum_sent", "retransmits"]) {
        test.set("retransmits", Figure::exact(again, at));
    }
    // Of both ways at once there are as many again.
    let each = list(end, "streams")
        .iter()
        .filter(|_| list(end, "streams").len() == test.streams as usize);
    for stream in each {
        for (slot, key) in test.each.iter_mut().zip(["sender", "receiver"]) {
            let bps = n(stream, &[key, "bits_per_second"]);
            slot.extend(bps.map(|b| Figure::exact(b, at)));
        }
    }
    for stream in list(end, "streams") {
        for (key, name) in [
            ("min_rtt", "handshake_rtt_ns"),
            ("mean_rtt", "rtt_loaded_ns"),
        ] {
            if let Some(us) = n(stream, &["sender", key]).filter(|v| *v > 0.0) {
                test.numbers.insert(name, Figure::exact(us * 1e3, at));
            }
        }
        // The largest of its life: iperf 3.12 and later.
        if let Some(most) = n(stream, &["sender", "max_snd_wnd"]).filter(|w| *w > 0.0) {
            test.numbers
                .insert("window_announced_bytes", Figure::exact(most, at));
        }
    }
    if test.udp {
        lost(end, "sum", at, test);
    }
    let cpu = &end["cpu_utilization_percent"];
    // `host` is the one that reports.
    let of_client = ["host_total", "remote_total"];
    let [own, other] = match receiving {
        false => ["cpu_sender_ratio", "cpu_receiver_ratio"],
        true => ["cpu_receiver_ratio", "cpu_sender_ratio"],
    };
    for (key, name) in of_client.into_iter().zip([own, other]) {
        if let Some(percent) = n(cpu, &[key]) {
            test.set(name, Figure::exact(percent / 100.0, at));
        }
    }
    if let Some(cc) = s(end, &["sender_tcp_congestion"]).and_then(crate::known::control) {
        test.words.insert("cc", cc.to_owned());
    }
}
