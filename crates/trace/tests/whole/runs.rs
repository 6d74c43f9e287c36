//! Captures of simulated runs, and what is in them by another reader.

#![allow(
    clippy::disallowed_methods,
    reason = "a scenario is given to a run as a file"
)]

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::{Arc, Mutex};

use farpath_experiment::tap::{Sink, Taps, tapped};
use farpath_experiment::{Experiment, Progress, Request};
use farpath_record::{Origin, RunDocument};
use farpath_scenario::Set;
use farpath_trace::{Analysis, Source, analyse};
use farpath_wire::packet::{LinkType, Network, Packet, Transport};

/// The links of the path of `arranged`, and of the scenarios here: at the sender, between, at the receiver.
pub(crate) const TAPS: [&str; 3] = ["access", "wan", "far"];

/// A run and its captures, by link.
pub(crate) struct Run {
    pub(crate) document: RunDocument,
    pub(crate) captures: BTreeMap<String, Vec<u8>>,
}

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0
            .lock()
            .expect("nobody panics with it")
            .extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Quiet;

impl Progress for Quiet {
    fn expect(&mut self, _: u64) {}
    fn say(&mut self, _: &str) {}
    fn advance(&mut self, _: u64) {}
    fn note(&mut self, _: &str) {}
    fn interrupted(&self) -> bool {
        false
    }
}

/// Two hosts and two routers, with the keys of all, of the link between the routers and of the test `bulk`; 1 Gbit/s elsewhere.
pub(crate) fn two_routers(all: &str, wan: &str, bulk: &str) -> String {
    format!(
        r#"[scenario]
name = "two-routers"
{all}
[[host]]
name = "s"
[[host]]
name = "d"
[[router]]
name = "r1"
[[router]]
name = "r2"
[[link]]
name = "access"
ends = ["s", "r1"]
rate = "1 Gbit/s"
delay = "100 ns"
[[link]]
name = "wan"
ends = ["r1", "r2"]
{wan}
[[link]]
name = "far"
ends = ["r2", "d"]
rate = "1 Gbit/s"
delay = "100 ns"
[[test]]
name = "bulk"
kind = "tcp"
from = "s"
to = "d"
{bulk}
"#
    )
}

/// Two hosts and three routers, with half of the round trip on each side of the middle tap: the delay of each of the two links
/// between the routers, their keys, and those of the test `bulk`; 100 Mbit/s behind the tap, 1 Gbit/s elsewhere.
pub(crate) fn three_routers(delay: &str, near: &str, wan: &str, bulk: &str) -> String {
    format!(
        r#"[scenario]
name = "three-routers"
[[host]]
name = "s"
[[host]]
name = "d"
[[router]]
name = "r0"
[[router]]
name = "r1"
[[router]]
name = "r2"
[[link]]
name = "access"
ends = ["s", "r0"]
rate = "1 Gbit/s"
delay = "100 ns"
[[link]]
name = "near"
ends = ["r0", "r1"]
rate = "1 Gbit/s"
delay = "{delay}"
{near}
[[link]]
name = "wan"
ends = ["r1", "r2"]
rate = "100 Mbit/s"
delay = "{delay}"
queue = "1bdp"
{wan}
[[link]]
name = "far"
ends = ["r2", "d"]
rate = "1 Gbit/s"
delay = "100 ns"
[[test]]
name = "bulk"
kind = "tcp"
from = "s"
to = "d"
cc = "cubic"
{bulk}
"#
    )
}

/// The scenario with hosts that send segment by segment, and receive windows that are open from the start.
pub(crate) fn with_fixed_windows(text: &str) -> String {
    let hosts = "[[host]]\ntcp_rmem = \"4096 33554432 33554432\"\ntso = false\n";
    text.replace("[[host]]\n", hosts)
}

/// Simulates a scenario with a capture of each link of [`TAPS`].
pub(crate) fn run(text: &str) -> Run {
    run_with(text, &TAPS)
}

/// Simulates a scenario with a capture of each of these links.
pub(crate) fn run_with(text: &str, taps: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("scenario.toml");
    std::fs::write(&file, text).expect("a file");
    let set = |link: &str| -> Set {
        let text = format!("link.{link}.tap=true");
        text.parse().expect("a key and a value")
    };
    captured(Request {
        sets: taps.iter().map(|link| set(link)).collect(),
        ..Request::new(file.to_str().expect("plain letters"))
    })
}

/// Simulates what is asked for, with the captures of its own.
pub(crate) fn captured(request: Request) -> Run {
    let request = Request {
        origins: [Origin::Simulated].into(),
        ..request
    };
    let experiment = Experiment::new(request).expect("a scenario");
    let scenario = &experiment.loaded.scenario;
    let mut captures = Vec::new();
    let mut sinks: Vec<(_, Sink)> = Vec::new();
    for link in tapped(scenario) {
        let shared = Shared::default();
        captures.push((scenario.links[link.0].name.clone(), shared.clone()));
        sinks.push((link, Box::new(shared)));
    }
    let taps = Taps::new(scenario, sinks).expect("captures");
    let outcome = experiment.run(Some(&taps), &mut Quiet).expect("a run");
    taps.finish().expect("captures");
    let taken = captures.into_iter().map(|(name, shared)| {
        let bytes = std::mem::take(&mut *shared.0.lock().expect("nobody panics with it"));
        (name, bytes)
    });
    Run {
        document: outcome.document,
        captures: taken.collect(),
    }
}

/// Reads one capture.
pub(crate) fn read(bytes: &[u8]) -> Analysis {
    let source = Source {
        name: "capture".to_owned(),
        bytes: Box::new(bytes),
    };
    analyse([source], &mut ()).expect("a capture")
}

/// One data segment in a capture, read by `wire`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) at_ns: i64,
    /// Offset in the stream, below 2³².
    pub(crate) offset: u64,
    pub(crate) length: u32,
    pub(crate) stamp: u32,
}

/// The data segments of a simulated capture, forward, by a reader that shares nothing with the one under test.
pub(crate) fn data(bytes: &[u8]) -> Vec<Frame> {
    let mut all = Vec::new();
    let mut isn = None;
    for (at_ns, frame, original) in frames(bytes) {
        let packet = Packet::parse(LinkType::Ethernet, frame).expect("a frame of ours");
        let Some((network, Transport::Tcp(tcp))) = packet.ip else {
            continue;
        };
        if tcp.destination != 5001 {
            continue;
        }
        let isn = *isn.get_or_insert(tcp.sequence);
        let total = match network {
            Network::V4(ip) => u32::from(ip.total_length) - 20,
            Network::V6(ip) => u32::from(ip.payload_length),
        };
        let length = total - tcp.header_bytes() as u32;
        if length > 0 {
            assert!(original >= length);
            all.push(Frame {
                at_ns,
                offset: u64::from(tcp.sequence.wrapping_sub(isn).wrapping_sub(1)),
                length,
                stamp: tcp.options.timestamps.map_or(0, |t| t.0),
            });
        }
    }
    all
}

/// Time, bytes and original length of each packet of a capture that `wire` wrote.
pub(crate) fn frames(bytes: &[u8]) -> Vec<(i64, &[u8], u32)> {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let (mut at, mut all) = (0, Vec::new());
    while at < bytes.len() {
        let length = word(at + 4) as usize;
        if word(at) == 6 {
            let ns = i64::from(word(at + 12)) << 32 | i64::from(word(at + 16));
            let captured = word(at + 20) as usize;
            all.push((ns, &bytes[at + 28..at + 28 + captured], word(at + 24)));
        }
        at += length;
    }
    all
}
