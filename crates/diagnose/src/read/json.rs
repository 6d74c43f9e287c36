//! Results in JSON: iperf3, mtr, speedtest, ndt7 and M-Lab's tcp-info, pScheduler, flent, farpath's own.

use serde_json::Value as Json;

use super::Facts;
use super::route::hubs;
use crate::fact::{Figure, Of, Place};
use crate::known::SEGMENT;
use crate::redact;
use crate::seen::{End, Report, Row, Side, Test};

mod iperf3;
mod links;
mod record;

pub(super) use iperf3::Stream;

/// Most intervals of a test that are kept.
const ROWS_MAX: usize = 20_000;

/// Whom a value is of, if a known tool printed it.
pub(super) fn read(
    value: &Json,
    at: Place,
    stream: &mut Stream,
    facts: &mut Facts,
) -> Option<&'static str> {
    if stream.take(value, at, facts) {
        return Some("iperf3");
    }
    if value.get("start").is_some() && value.get("end").is_some() {
        return iperf3::document(value, at, facts).then_some("iperf3");
    }
    if let Some(report) = value.get("report").filter(|r| r.get("hubs").is_some()) {
        return hubs::take(report, at, facts).then_some("mtr");
    }
    if value.get("schema").and_then(Json::as_str) == Some("farpath.run/1") {
        return record::run(value, at, facts).then_some("farpath");
    }
    if value.get("Snapshots").is_some()
        || value.get("TCPInfo").is_some()
        || value.get("Download").is_some()
        || value.get("Upload").is_some()
    {
        return mlab(value, at, facts).then_some("ndt7");
    }
    if super::speedtest::json(value, at, facts) {
        return Some("speedtest");
    }
    if super::curl::json(value, at, facts) {
        return Some("curl");
    }
    if value.get("results").is_some() && value.get("x_values").is_some() {
        return flent(value, at, facts).then_some("flent");
    }
    pscheduler(value, at, facts).then_some("pscheduler")
}

/// A number under a path of keys.
fn n(value: &Json, path: &[&str]) -> Option<f64> {
    let mut value = value;
    for key in path {
        value = value.get(key)?;
    }
    value.as_f64().filter(|v| v.is_finite() && *v >= 0.0)
}

fn s<'a>(value: &'a Json, path: &[&str]) -> Option<&'a str> {
    let mut value = value;
    for key in path {
        value = value.get(key)?;
    }
    value.as_str()
}

fn list<'a>(value: &'a Json, key: &str) -> &'a [Json] {
    value
        .get(key)
        .and_then(Json::as_array)
        .map_or(&[], Vec::as_slice)
}

/// ndt7's summary and measurements, and the snapshots of M-Lab's sidecar.
fn mlab(value: &Json, at: Place, facts: &mut Facts) -> bool {
    let mut any = false;
    for (key, down) in [("Download", true), ("Upload", false)] {
        let Some(part) = value.get(key) else { continue };
        let rate = n(part, &["Throughput", "Value"]).or(n(part, &["Value"]));
        let Some(mbit) = rate else { continue };
        let mut test = Test::new("ndt7", at);
        test.to.host = redact(s(value, &["ServerFQDN"]).unwrap_or(""));
        if down {
            test.turn();
        }
        test.received = Some(Report {
            goodput: Figure::exact(mbit * 1e6, at),
            bytes: None,
            seconds: 10.0,
        });
        if let Some(ms) = n(part, &["Latency", "Value"]) {
            test.set("handshake_rtt_ns", Figure::exact(ms * 1e6, at));
        }
        facts.tests.push(test);
        any = true;
    }
    let snapshots = list(value, "Snapshots");
    let last = snapshots
        .iter()
        .rev()
        .find_map(|s| s.get("TCPInfo"))
        .or(value.get("TCPInfo"));
    if let Some(info) = last {
        any |= tcp_info(info, at, facts);
    }
    any
}

/// The fields of `TCP_INFO`, by their names in Go's and M-Lab's programs; times in microseconds.
fn tcp_info(info: &Json, at: Place, facts: &mut Facts) -> bool {
    let Some(rtt) = n(info, &["RTT"]) else {
        return false;
    };
    facts.sockets.push([End::default(), End::default()]);
    let of = Of::Socket(facts.sockets.len() as u32 - 1);
    let field = |name: &str| n(info, &[name]);
    let mss = field("SndMSS").unwrap_or(SEGMENT);
    let mut put = |name, value: Option<f64>| {
        if let Some(value) = value {
            facts.exact(of, name, value, at);
        }
    };
    put("rtt_loaded_ns", Some(rtt * 1e3));
    put("rtt_min_ns", field("MinRTT").map(|v| v * 1e3));
    put("mss_bytes", field("SndMSS"));
    put("bytes_acked", field("BytesAcked"));
    put("bytes_sent", field("BytesSent").or(field("BytesAcked")));
    put("bytes_received", field("BytesReceived"));
    put(
        "bytes_retransmitted",
        field("BytesRetrans").or(field("TotalRetrans").map(|r| r * mss)),
    );
    put("cwnd_bytes", field("SndCwnd").map(|c| c * mss));
    put("delivery_bps", field("DeliveryRate").map(|b| b * 8.0));
    put("reordered", field("ReordSeen"));
    let busy = field("BusyTime").filter(|b| *b > 0.0);
    put("busy_ns", busy.map(|b| b * 1e3));
    put(
        "rwnd_limited_ratio",
        busy.zip(field("RWndLimited"))
            .map(|(b, r)| (r / b).min(1.0)),
    );
    put(
        "sndbuf_limited_ratio",
        busy.zip(field("SndBufLimited"))
            .map(|(b, r)| (r / b).min(1.0)),
    );
    put(
        "busy_ratio",
        busy.zip(field("ElapsedTime").filter(|e| *e > 0.0))
            .map(|(b, e)| (b / e).min(1.0)),
    );
    true
}

/// flent: means of its series.
fn flent(value: &Json, at: Place, facts: &mut Facts) -> bool {
    let Some(results) = value.get("results").and_then(Json::as_object) else {
        return false;
    };
    let step = n(value, &["metadata", "STEP_SIZE"]).unwrap_or(0.2);
    let mut any = false;
    for (name, series) in results.iter().take(100) {
        let values: Vec<f64> = series
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Json::as_f64)
            .take(ROWS_MAX)
            .collect();
        if values.is_empty() {
            continue;
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        if name.starts_with("Ping (ms)") {
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            facts.exact(Of::Path, "rtt_min_ns", least * 1e6, at);
            any = true;
        } else if matches!(name.as_str(), "TCP download" | "TCP upload" | "TCP totals") {
            let mut test = Test::new("flent", at);
            test.rows = (0..)
                .zip(&values)
                .map(|(i, mbit)| Row {
                    from: f64::from(i) * step,
                    until: f64::from(i + 1) * step,
                    bps: mbit * 1e6,
                    retransmits: None,
                    cwnd: None,
                    side: Side::Receiver,
                    at,
                })
                .collect();
            test.received = Some(Report {
                goodput: Figure::exact(mean * 1e6, at),
                bytes: None,
                seconds: values.len() as f64 * step,
            });
            facts.tests.push(test);
            any = true;
        }
    }
    any
}

/// Results of perfSONAR's pScheduler: throughput and rtt.
fn pscheduler(value: &Json, at: Place, facts: &mut Facts) -> bool {
    let value = value.get("result").unwrap_or(value);
    if value.get("succeeded").is_none() {
        return false;
    }
    if let Some(whole) = value.get("summary").and_then(|s| s.get("summary")) {
        let Some(bps) = n(whole, &["throughput-bits"]) else {
            return false;
        };
        let mut test = Test::new("pscheduler", at);
        let seconds = n(whole, &["end"]).unwrap_or(0.0) - n(whole, &["start"]).unwrap_or(0.0);
        test.streams = value
            .get("summary")
            .map_or(1, |s| list(s, "streams").len().max(1)) as u32;
        test.received = Some(Report {
            goodput: Figure::exact(bps, at),
            bytes: n(whole, &["throughput-bytes"]).map(|b| Figure::exact(b, at)),
            seconds,
        });
        if let Some(again) = n(whole, &["retransmits"]) {
            test.set("retransmits", Figure::exact(again, at));
        }
        for interval in list(value, "intervals").iter().take(ROWS_MAX) {
            let get = |key: &str| n(interval, &["summary", key]);
            if let (Some(from), Some(until), Some(bps)) =
                (get("start"), get("end"), get("throughput-bits"))
            {
                test.rows.push(Row {
                    from,
                    until,
                    bps,
                    retransmits: get("retransmits"),
                    cwnd: None,
                    side: Side::Receiver,
                    at,
                });
            }
        }
        facts.tests.push(test);
        return true;
    }
    if value.get("roundtrips").is_none() {
        return false;
    }
    for (key, name) in [
        ("min", "rtt_min_ns"),
        ("mean", "rtt_avg_ns"),
        ("max", "rtt_max_ns"),
    ] {
        // ISO 8601: PT0.250123S.
        let seconds = s(value, &[key])
            .and_then(|t| t.strip_prefix("PT")?.strip_suffix('S'))
            .and_then(crate::words::decimal);
        if let Some(seconds) = seconds {
            facts.exact(Of::Path, name, seconds * 1e9, at);
        }
    }
    let (sent, received) = (n(value, &["sent"]), n(value, &["received"]));
    if let Some((sent, received)) = sent.zip(received).filter(|(s, r)| *s > 0.0 && r <= s) {
        facts.exact(Of::Path, "ping_sent", sent, at);
        facts.exact(Of::Path, "ping_received", received, at);
    }
    true
}
