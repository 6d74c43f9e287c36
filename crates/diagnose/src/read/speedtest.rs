//! `speedtest` of Ookla and `speedtest-cli`: the rates of both ways to the server that was nearest.

use serde_json::Value as Json;

use super::copies::shown;
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::{Figure, Place};
use crate::losses::lost_beside::LOST_BESIDE;
use crate::seen::{Report, Test};
use crate::words::{after, between, decimal, rate};

/// The state of reading.
#[derive(Default)]
pub(super) struct Speedtest {
    server: String,
    /// The round trip at rest, ms.
    latency: Option<f64>,
    /// Tests that it reported, where the last one may be followed by its round trip under load.
    reported: u32,
}

/// What it is called in results.
const TOOL: &str = "speedtest";

/// Connections side by side: neither program prints how many it has, and both begin with so many (`threadsperurl` of speedtest.net).
const STREAMS: u32 = 4;

/// What stands for its server in commands: what it prints is whose that is, and not its name.
pub(super) const SERVER: &str = "SPEEDTEST-SERVER";

/// A test of one way takes so long, seconds.
const LASTS_S: f64 = 10.0;

/// What its first lines begin with.
const BEGINS: [&str; 3] = ["Speedtest by Ookla", "Retrieving speedtest.net ", FROM];
const FROM: &str = "Testing from ";

/// What others begin with.
const OTHERS: [&str; 9] = [
    "ISP:",
    "Connection ID:",
    "Testing download speed",
    "Testing upload speed",
    "Selecting ",
    "Packet Loss:",
    "Result URL:",
    "Share results:",
    "Data Used:",
];

impl Tool for Speedtest {
    fn name(&self) -> &'static str {
        TOOL
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (shown(line.bare), line.at);
        let begins = BEGINS
            .iter()
            .any(|head| text.starts_with(head) && (*head != FROM || text.ends_with("...")));
        let pinged = latency(text);
        let simple = text.starts_with("Ping: ") && pinged.is_some();
        if !going {
            if !begins && !simple {
                return false;
            }
            *self = Speedtest::default();
        }
        if let Some(server) = server(text) {
            self.server = crate::redact(server);
        }
        if pinged.is_some() {
            self.latency = pinged;
            return true;
        }
        if let Some((down, bps)) = reported(text) {
            self.reports(down, bps, at, facts);
            return true;
        }
        // The round trip under load stands below its rate.
        if let Some(ms) = loaded(text) {
            let last = facts.tests.last_mut().filter(|t| t.tool == TOOL);
            if let Some(test) = last.filter(|_| self.reported > 0) {
                test.set("rtt_loaded_ns", Figure::exact(ms * 1e6, at));
            }
            return true;
        }
        if let Some(share) = lost(text) {
            self.loses(share, at, facts);
        }
        let is_other = OTHERS.iter().any(|head| text.starts_with(head));
        begins || is_other || server(text).is_some()
    }
}

impl Speedtest {
    /// What it lost of packets of its own, 0 to 1, beside the transfers of both ways.
    fn loses(&self, share: f64, at: Place, facts: &mut Facts) {
        let own = facts.tests.iter_mut().rev().take(self.reported as usize);
        for test in own.filter(|test| test.tool == TOOL) {
            test.set(LOST_BESIDE, Figure::exact(share, at));
        }
    }

    /// A rate of one way.
    fn reports(&mut self, down: bool, bps: f64, at: Place, facts: &mut Facts) {
        let mut test = Test::new(TOOL, at);
        SERVER.clone_into(&mut test.to.host);
        if down {
            test.turn();
        }
        test.streams = STREAMS;
        test.received = Some(Report {
            goodput: Figure::exact(bps, at),
            bytes: None,
            seconds: LASTS_S,
        });
        if let Some(ms) = self.latency {
            test.set("handshake_rtt_ns", Figure::exact(ms * 1e6, at));
        }
        facts.tests.push(test);
        self.reported += 1;
        if self.reported == 1 && facts.notes.len() < NOTES_MAX {
            let server = match self.server.as_str() {
                "" => String::new(),
                server => format!(", here that of {server}"),
            };
            let note = format!(
                "{}: speedtest has several connections side by side, and does not print how many: {STREAMS} are assumed; it says nothing of a path to another server than its own{server}",
                facts.place(at)
            );
            facts.notes.push(note);
        }
    }
}

/// What `speedtest --format=json` of Ookla prints at its end; `false` of another document. Rates are in bytes a second, times in ms.
pub(super) fn json(value: &Json, at: Place, facts: &mut Facts) -> bool {
    let number = |key: &str| value.pointer(key).and_then(Json::as_f64);
    let word = |key: &str| value.pointer(key).and_then(Json::as_str);
    let ways = [("download", true), ("upload", false)];
    let ways = ways.map(|(key, down)| {
        let bytes = number(&format!("/{key}/bandwidth")).filter(|bytes| *bytes > 0.0);
        (bytes, number(&format!("/{key}/latency/iqm")), down)
    });
    let is_result = word("/type") == Some("result");
    if !is_result || ways.iter().all(|(bytes, ..)| bytes.is_none()) {
        return false;
    }
    let server = [word("/server/name"), word("/server/location")];
    let server: Vec<&str> = server.into_iter().flatten().collect();
    let mut own = Speedtest {
        server: crate::redact(&server.join(" - ")),
        latency: number("/ping/latency").filter(|ms| *ms > 0.0),
        reported: 0,
    };
    for (bytes, loaded, down) in ways {
        let Some(bytes) = bytes else { continue };
        own.reports(down, bytes * 8.0, at, facts);
        let loaded = loaded.filter(|ms| *ms > 0.0);
        if let (Some(test), Some(ms)) = (facts.tests.last_mut(), loaded) {
            test.set("rtt_loaded_ns", Figure::exact(ms * 1e6, at));
        }
    }
    let share = number("/packetLoss").map(|percent| percent / 100.0);
    if let Some(share) = share.filter(|share| (0.0..=1.0).contains(share)) {
        own.loses(share, at, facts);
    }
    true
}

/// What was lost, 0 to 1: `Packet Loss:     1.5%`; none of `Packet Loss: Not available.`
fn lost(text: &str) -> Option<f64> {
    let percent = text.strip_prefix("Packet Loss:")?.trim();
    let percent = decimal(percent.strip_suffix('%')?.trim_end())?;
    (percent <= 100.0).then_some(percent / 100.0)
}

/// The server in `Hosted by Example (Berlin) [3.21 km]: 12.345 ms`, `Server: Example - Berlin (id: 1234)`.
fn server(text: &str) -> Option<&str> {
    let hosted = text.strip_prefix("Hosted by ").map(|rest| (rest, " ["));
    let (rest, end) = hosted.or_else(|| Some((text.strip_prefix("Server: ")?, " (id")))?;
    rest.split(end).next().map(str::trim)
}

/// The round trip at rest, ms: behind `Hosted by`, in `Idle Latency:     5.10 ms   (jitter: …`, `Latency:`, `Ping: 12.345 ms`.
fn latency(text: &str) -> Option<f64> {
    if text.starts_with("Hosted by ") {
        let (_, ms) = text.rsplit_once("]: ")?;
        return decimal(ms.strip_suffix(" ms")?).filter(|ms| *ms > 0.0);
    }
    let heads = ["Idle Latency:", "Latency:", "Ping:"];
    let rest = heads.iter().find_map(|head| text.strip_prefix(head))?;
    let ms = after(rest, "").and_then(decimal)?;
    (rest.contains(" ms") && ms > 0.0).then_some(ms)
}

/// Whether data came, and how fast, bit/s: `Download: 93.11 Mbit/s`, `Upload:   513.20 Mbps (data used: 300.0 MB)`.
fn reported(text: &str) -> Option<(bool, f64)> {
    let (key, rest) = text.split_once(':')?;
    let down = match key.trim() {
        "Download" => true,
        "Upload" => false,
        _ => return None,
    };
    let mut words = rest.split_whitespace();
    let (value, unit) = (words.next()?, words.next()?);
    let bps = rate(&format!("{value}{unit}")).filter(|bps| *bps > 0.0)?;
    Some((down, bps))
}

/// The round trip under load, ms: `12.30 ms   (jitter: 1.20ms, low: 5.10ms, high: 40.00ms)`.
fn loaded(text: &str) -> Option<f64> {
    between(text, " ms", "jitter:")?;
    decimal(text.split(' ').next()?)
}
