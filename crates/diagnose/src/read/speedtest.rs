//! `speedtest` of Ookla and `speedtest-cli`: the rates of both ways to the server that was nearest.

use super::copies::shown;
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::{Figure, Place};
use crate::seen::{Report, Side, Test};
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
const SERVER: &str = "SPEEDTEST-SERVER";

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
        let is_other = OTHERS.iter().any(|head| text.starts_with(head));
        begins || is_other || server(text).is_some()
    }
}

impl Speedtest {
    /// A rate of one way.
    fn reports(&mut self, down: bool, bps: f64, at: Place, facts: &mut Facts) {
        let mut test = Test::new(TOOL, at);
        let slot = if down { &mut test.from } else { &mut test.to };
        SERVER.clone_into(&mut slot.host);
        if down {
            test.client = Side::Receiver;
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
