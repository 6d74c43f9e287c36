//! Shared scenarios with real kernels, cut short: what must hold on any machine, however busy. `make lab-scenarios` runs
//! them all, and longer, and judges what a busy machine may miss: expectations on emulated figures are of time.
//! What is missed here, and why a certificate is invalid, is said on stderr. Privileges are as in `lab.rs`.

use std::io::Write as _;

use serde_json::Value;

use crate::place::{Place, Ran};

/// A lossy link under datagrams, then under a connection. With the seed of 1 the connection loses 8 frames, whether
/// it sends 5000 or 8500 in all: what it sends again, and how a kernel cuts its segments, makes no difference.
const LOSSY: &str = r#"[scenario]
name = "lossy"

[[host]]
name = "left"

[[host]]
name = "right"

[[router]]
name = "middle"

[[link]]
name = "near"
ends = ["left", "middle"]
rate = "100 Mbit/s"
delay = "1 ms"

[[link]]
name = "far"
ends = ["middle", "right"]
rate = "100 Mbit/s"
delay = "9 ms"
forward = { loss = 1e-3 }

[[test]]
name = "datagrams"
kind = "udp"
from = "left"
to = "right"
rate = "16 Mbit/s"
size = 400
duration = "4 s"

[[test]]
name = "bulk"
kind = "tcp"
from = "left"
to = "right"
start = "6 s"
bytes = "9.5 MB"
"#;

/// What a run printed, and whether its certificate is valid.
struct Run {
    document: Value,
    valid: bool,
}

/// Runs a scenario with real hosts. Every expectation on the models holds.
#[track_caller]
fn emulate(scenario: &str, flags: &[&str]) -> Run {
    emulate_in(&Place::alone(), scenario, flags)
}

#[track_caller]
fn emulate_in(place: &Place, scenario: &str, flags: &[&str]) -> Run {
    let run = ["run", scenario, "--emulate", "--json"];
    let Ran { code, out, err } = place.farpath(&[&run, flags].concat());
    assert!(matches!(code, Some(0 | 1 | 4)), "{code:?}\n{err}");
    let document: Value = serde_json::from_str(&out).expect("it is JSON");
    let run = Run {
        valid: code != Some(4),
        document,
    };
    for record in run.records("emulated") {
        let certificate = &record["certificate"];
        assert_eq!(certificate["valid"], record["valid"]);
        assert!(certificate["frames"].as_u64() > Some(0), "{certificate}");
    }
    let (missed, wrong): (Vec<&Value>, Vec<&Value>) =
        run.failed().partition(|e| e["origin"] == "emulated");
    assert!(wrong.is_empty(), "{wrong:?}\n{err}");
    for expectation in missed {
        say(&format!("MISSED {scenario}: {expectation}"));
    }
    if !run.valid {
        say(&format!("NOT VALID {scenario}: {}", run.fault()));
    }
    run
}

impl Run {
    fn list(&self, key: &str) -> &[Value] {
        self.document[key].as_array().map_or(&[], Vec::as_slice)
    }

    fn records(&self, origin: &str) -> Vec<&Value> {
        let of = |r: &&Value| r["origin"] == origin;
        self.list("records").iter().filter(of).collect()
    }

    fn record(&self, origin: &str, test: &str) -> &Value {
        let found = self.records(origin).into_iter().find(|r| r["test"] == test);
        found.unwrap_or_else(|| panic!("no {origin} {test} in {}", self.document))
    }

    #[track_caller]
    fn metric(&self, origin: &str, test: &str, name: &str) -> f64 {
        let value = self.record(origin, test)["metrics"][name].as_f64();
        value.unwrap_or_else(|| panic!("{origin} {test} has no {name}"))
    }

    /// A number of one direction of a link.
    #[track_caller]
    fn link(&self, origin: &str, (link, direction): (&str, &str), name: &str) -> u64 {
        let found = self
            .list("links")
            .iter()
            .find(|l| l["origin"] == origin && l["link"] == link && l["direction"] == direction);
        let found = found.unwrap_or_else(|| panic!("no {origin} {link}"));
        found
            .pointer(&format!("/{}", name.replace('.', "/")))
            .and_then(Value::as_u64)
            .unwrap_or(0)
    }

    fn failed(&self) -> impl Iterator<Item = &Value> {
        let all = self.list("expectations").iter();
        all.filter(|e| e["pass"] == false)
    }

    /// Why the certificate is invalid.
    fn fault(&self) -> String {
        let records = self.records("emulated");
        let mut faults = records
            .iter()
            .filter_map(|r| r["certificate"]["faults"].as_array()?.first());
        faults.next().map_or_else(String::new, ToString::to_string)
    }
}

/// Straight to stderr: what a test that passes prints is not shown.
fn say(line: &str) {
    writeln!(std::io::stderr(), "{line}").expect("stderr can be written to");
}

#[test]
fn the_folded_tunnel_is_never_shorter_than_light_and_loses_nothing() {
    let run = emulate(
        "cern-snaky/five-passes",
        &[
            "--only",
            "ping-direct",
            "--only",
            "ping-folded",
            "--set",
            "test.ping-folded.count=3",
        ],
    );
    let rtt = |test| run.metric("emulated", test, "rtt_min_ns");
    assert!(rtt("ping-direct") >= 116e6, "{}", rtt("ping-direct"));
    assert!(rtt("ping-folded") >= 580e6, "{}", rtt("ping-folded"));
}

#[test]
fn an_odd_number_of_passes_loads_the_trunk_unevenly() {
    let run = emulate(
        "cern-snaky/three-passes",
        &[
            "--only",
            "bulk",
            "--set",
            "test.bulk.start=0s",
            "--set",
            "test.bulk.omit=8s",
            "--set",
            "test.bulk.duration=2s",
        ],
    );
    // Every segment crosses twice one way and once the other, whatever came of it.
    let carried = |way| run.link("emulated", ("stm64", way), "payload_bytes") as f64;
    let (west, east) = (carried("cernh5>ar5-chicago"), carried("ar5-chicago>cernh5"));
    assert!(east > 0.0 && west >= 2.0 * east, "{west} {east}");
}

#[test]
fn a_small_window_makes_a_path_slow() {
    let run = emulate(
        "slac-binp/window-16k",
        &[
            "--set",
            "test.single.omit=3s",
            "--set",
            "test.single.duration=3s",
            "--set",
            "test.ping.count=5",
        ],
    );
    for record in run.records("emulated") {
        let path = if record["point"]["link.gloriad.delay"] == "75 ms" {
            250e6
        } else {
            300e6
        };
        let least = record["metrics"]["rtt_min_ns"].as_f64();
        assert!(least >= Some(path), "{record}");
    }
}

#[test]
fn one_block_at_a_time_is_one_block_a_round_trip() {
    let run = emulate(
        "wan-2003/disk-to-disk",
        &[
            "--only",
            "remote-copy",
            "--set",
            "test.remote-copy.start=0s",
            "--set",
            "test.remote-copy.omit=2s",
            "--set",
            "test.remote-copy.duration=3s",
        ],
    );
    // 64 KiB each 120 ms, and no machine is faster; what was asked for before the end may come after it.
    let asked = run.metric("emulated", "remote-copy", "requests");
    assert!(asked <= 25.0, "{asked}");
}

#[test]
fn a_port_of_two_classes_keeps_account_of_every_datagram() {
    let run = emulate(
        "infn-lbe/tenth",
        &[
            "--only",
            "share-be-1",
            "--only",
            "share-be-2",
            "--only",
            "share-lbe",
            "--set",
            "test.share-be-1.start=0s",
            "--set",
            "test.share-be-2.start=0s",
            "--set",
            "test.share-lbe.start=0s",
            "--set",
            "test.share-be-1.duration=2s",
            "--set",
            "test.share-be-2.duration=2s",
            "--set",
            "test.share-lbe.duration=2s",
        ],
    );
    let port = ("gi3-1", "catalyst>bo12kgp");
    for class in 0..2 {
        let of = |name: &str| run.link("emulated", port, &format!("queues.{class}.{name}"));
        let lost = of("drops.tail") + of("drops.red");
        assert!(of("offered") > 0);
        assert_eq!(of("offered"), of("frames") + lost + of("waiting"));
    }
}

#[test]
fn a_folded_trunk_carries_what_its_crossings_leave() {
    let run = emulate(
        "cern-snaky/capacity-hundredth",
        &[
            "--only",
            "one-way",
            "--only",
            "both-west",
            "--only",
            "both-east",
            "--set",
            "test.one-way.duration=2s",
            "--set",
            "test.both-west.start=3s",
            "--set",
            "test.both-east.start=3s",
            "--set",
            "test.both-west.duration=2s",
            "--set",
            "test.both-east.duration=2s",
        ],
    );
    for test in ["one-way", "both-west", "both-east"] {
        let of = |name| run.metric("emulated", test, name);
        assert!(
            of("received") > 0.0 && of("received") <= of("sent"),
            "{test}"
        );
    }
}

/// Datagrams over a path that is longer one way, the third of which is lost on purpose.
const LOPSIDED: &str = r#"[scenario]
name = "lopsided"

[[host]]
name = "a"

[[host]]
name = "b"

[[link]]
name = "l"
ends = ["a", "b"]
rate = "100 Mbit/s"
forward = { delay = "20 ms", lose = [{ flow = "there", segment = 3 }] }
reverse = { delay = "5 ms" }

[[test]]
name = "there"
kind = "oneway"
from = "a"
to = "b"
count = 20
interval = "20 ms"
timeout = "2 s"

[[test]]
name = "back"
kind = "oneway"
from = "b"
to = "a"
count = 20
interval = "20 ms"
timeout = "2 s"
"#;

#[test]
fn each_way_of_a_path_has_a_delay_of_its_own() {
    let place = Place::alone();
    place.write("lopsided.toml", LOPSIDED);
    let run = emulate_in(&place, "lopsided.toml", &["--predict", "--simulate"]);
    for (test, received, light) in [("there", 19.0, 20e6), ("back", 20.0, 5e6)] {
        let of = |origin, name| run.metric(origin, test, name);
        // What closed forms say of an idle path is what the simulation gives, to the nanosecond.
        let least = of("predicted", "delay_min_ns");
        for name in ["delay_min_ns", "delay_p50_ns", "delay_p99_ns"] {
            assert_eq!(of("simulated", name), least, "{test} {name}");
        }
        for origin in ["simulated", "emulated"] {
            assert_eq!(of(origin, "sent"), 20.0, "{test} {origin}");
        }
        assert_eq!(of("simulated", "received"), received, "{test}");
        assert!(of("emulated", "received") <= received, "{test}");
        let names = [
            "delay_min_ns",
            "delay_p50_ns",
            "delay_p99_ns",
            "delay_max_ns",
        ];
        let times = names.map(|name| of("emulated", name));
        // What is read goes by the clock as it was a moment before: microseconds, or more where the machine paused.
        assert!(
            light / 2.0 < times[0] && times.is_sorted(),
            "{test} {times:?}"
        );
        let series = run.record("emulated", test).pointer("/series/delay_ns/v");
        let arrived = series.and_then(Value::as_array).map(Vec::len);
        assert_eq!(arrived.map(|n| n as f64), Some(of("emulated", "received")));
    }
    let way = |test| run.metric("predicted", test, "delay_min_ns");
    // Beside the propagation: 110 bytes of a frame and what stands before it, at 100 Mbit/s.
    assert_eq!([way("there"), way("back")], [20_008_800.0, 5_008_800.0]);
}

/// A host's own link of which a tenth of the rate is left: its queue is as long as before, in the host as in the model.
#[test]
fn the_queue_of_a_hosts_link_holds_when_its_rate_changes() {
    let place = Place::alone();
    let text = "[scenario]\nname = \"full\"\n[[host]]\nname = \"client\"\n[[host]]\nname = \"server\"\n\
         [[link]]\nname = \"path\"\nends = [\"client\", \"server\"]\nrate = \"20 Mbit/s\"\ndelay = \"20 ms\"\nqueue = \"20 packets\"\n\
         [[event]]\nat = \"1 s\"\nlink = \"path\"\nrate = \"2 Mbit/s\"\n\
         [[test]]\nname = \"u\"\nkind = \"udp\"\nfrom = \"client\"\nto = \"server\"\nstart = \"1.2 s\"\nrate = \"6 Mbit/s\"\nsize = 1000\nduration = \"2 s\"\n\
         [[test]]\nname = \"p\"\nkind = \"ping\"\nfrom = \"client\"\nto = \"server\"\ncount = 8\ninterval = \"400 ms\"\nstart = \"1.2 s\"\n";
    place.write("full.toml", text);
    let run = emulate_in(&place, "full.toml", &["--simulate"]);
    let lost = |origin| run.metric(origin, "u", "loss_ratio");
    assert!(
        (lost("simulated") - 0.65).abs() < 0.05,
        "{}",
        lost("simulated")
    );
    assert!(
        (lost("emulated") - lost("simulated")).abs() < 0.1,
        "{}",
        lost("emulated")
    );
    // Twenty frames at 2 Mbit/s wait for 85 ms, and for half as long again what a burst of the bucket brings.
    let longest = run.metric("emulated", "p", "rtt_max_ns");
    assert!(longest < 400e6, "{longest}");
}

/// What no host ran stood on stderr alone, above a certificate of 0 frames.
#[test]
fn a_test_that_no_host_runs_is_among_the_notes() {
    let place = Place::new();
    let (hosts, _) = LOSSY.split_once("[[test]]").expect("it has tests");
    let test = "[[test]]\nname = \"ow\"\nkind = \"oneway\"\nfrom = \"left\"\nto = \"right\"\nsize = 28\ncount = 5\n\
                interval = \"10 ms\"\n";
    place.write("small-ow.toml", &format!("{hosts}{test}"));
    let ran = place.farpath(&["run", "small-ow.toml", "--emulate"]);
    let Ran { out, err, .. } = ran.exits(0);
    let said = out.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = "- ow, emulated: not run: an IP datagram";
    assert!(said.contains(words), "{out}");
    assert!(!out.contains("certificate valid"), "{out}");
    assert!(!err.contains("certificate"), "{err}");
}

#[test]
fn the_same_seed_loses_the_same_frames() {
    let place = Place::alone();
    place.write("lossy.toml", LOSSY);
    let run = emulate_in(&place, "lossy.toml", &[]);
    let missing = |origin| -> Vec<u64> {
        let numbers = run.record(origin, "datagrams")["series"]["missing"]["v"].clone();
        serde_json::from_value(numbers).expect("numbers")
    };
    let simulated = missing("simulated");
    assert!(simulated.len() > 10, "{simulated:?}");
    // A machine too busy to send them all in time sends fewer; one that drops what it should not has lost more.
    let sent = run.metric("emulated", "datagrams", "sent") as u64;
    let mut emulated = missing("emulated");
    if !run.valid {
        emulated.retain(|n| simulated.contains(n));
    }
    let until = |n: &&u64| **n < sent;
    assert_eq!(
        emulated,
        simulated.iter().filter(until).copied().collect::<Vec<_>>()
    );
    let far = ("far", "middle>right");
    let of_stream = |origin: &str, datagrams: &[u64]| {
        run.link(origin, far, "drops.error") - datagrams.len() as u64
    };
    let lost = of_stream("simulated", &simulated);
    assert_eq!(lost, 8);
    assert_eq!(of_stream("emulated", &emulated), lost);
    assert_eq!(run.metric("emulated", "bulk", "bytes"), 9_500_000.0);
    assert!(run.metric("emulated", "bulk", "retransmits") >= lost as f64);
}
