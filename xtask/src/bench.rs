//! `cargo xtask bench`: what the simulator does per second, as ratios where a peer ran beside it.
//!
//! Results go to `target/bench.json`: an array of `{name, value, unit, against, ratio}`. Time is
//! processor time of the one thread that works: on a machine with other work, wall time measures
//! the other work.

use std::fmt::Write as _;

use farpath_element::Mode;
use farpath_scenario::{Scenario, Source, parse};
use farpath_sim::{Keep, Options, WINDOW, run};

use crate::figure::{Figure, processor_ns};
use crate::{bench_config, bench_parts, bench_trace};

/// One benchmarked network.
struct Case {
    name: &'static str,
    text: String,
    seconds: u64,
    /// Virtual seconds in event-by-event mode, which is slower.
    oracle_seconds: u64,
}

/// Each case is run this often; the fastest counts, because everything else on a shared machine
/// only makes a run slower.
const RUNS: usize = 3;

/// How often a part is done in one run.
const PARTS: u64 = 20_000_000;

/// Every second segment is acknowledged, whatever its host would gather.
const NO_GRO: &str = "gro = \"0 s\"\n";

/// Congestion control as its document has it, and no bursts of one segment.
const RFC: &str = "\nflavour = \"rfc\"";

/// The case with hosts as they are by default: Linux's rules, TSO and GRO.
fn as_hosts_are(text: &str) -> String {
    text.replace(NO_GRO, "").replace(RFC, "")
}

/// What arrives within the time of a lab's data plane is acknowledged together.
const GRO: &str = "gro = \"50 us\"\n";

/// A dumbbell of `flows` connections: three links each way, a bottleneck with one BDP of queue.
fn dumbbell(flows: usize, bottleneck: &str, access: &str, mtu: u32) -> String {
    let mut text = String::from(
        "[scenario]\nname = \"dumbbell\"\n[[router]]\nname = \"left\"\n[[router]]\nname = \"right\"\n",
    );
    let mut add =
        |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").expect("a string takes all");
    add(format_args!(
        "[[link]]\nname = \"bottleneck\"\nends = [\"left\", \"right\"]\nrate = \"{bottleneck}\"\ndelay = \"40 ms\"\nqueue = \"1bdp\"\nmtu = {mtu}"
    ));
    for n in 0..flows {
        // Base RTTs differ by 53 µs, so that the flows do not march in step.
        let delay_us = 5000 + 53 * n;
        add(format_args!(
            "[[host]]\nname = \"s{n}\"\nmtu = {mtu}\ntxqueuelen = 100000\n[[host]]\nname = \"r{n}\"\nmtu = {mtu}\ntxqueuelen = 100000\n{NO_GRO}"
        ));
        add(format_args!(
            "[[link]]\nname = \"in{n}\"\nends = [\"s{n}\", \"left\"]\nrate = \"{access}\"\ndelay = \"{delay_us} us\"\nmtu = {mtu}"
        ));
        add(format_args!(
            "[[link]]\nname = \"out{n}\"\nends = [\"right\", \"r{n}\"]\nrate = \"{access}\"\ndelay = \"5 ms\"\nmtu = {mtu}\n[link.forward]\nqueue = \"1bdp\""
        ));
        add(format_args!(
            "[[test]]\nname = \"flow{n}\"\nkind = \"tcp\"\nfrom = \"s{n}\"\nto = \"r{n}\"\nduration = \"1 s\"\nwindow = \"256 MiB\"\ncc = \"cubic\"\nflavour = \"rfc\""
        ));
    }
    text
}

/// The dumbbell and a flood of less-than-best-effort datagrams from a host of its own; `classes` are
/// keys of the bottleneck.
fn flooded(classes: &str) -> String {
    let text = dumbbell(10, "1 Gbit/s", "10 Gbit/s", 1500);
    let mut text = text.replace("queue = \"1bdp\"\nmtu", &format!("{classes}\nmtu"));
    // Only the bottleneck comes before the first host.
    text = text.replacen(classes, &format!("queue = \"1bdp\"\n{classes}"), 1);
    let (first, rest) = text.split_once("[[host]]").expect("there are hosts");
    let rest = rest.replace(classes, "queue = \"1bdp\"");
    format!(
        "{first}[[host]]{rest}[[host]]\nname = \"flooder\"\n[[link]]\nname = \"flood\"\nends = [\"flooder\", \"left\"]\nframing = \"gbe\"\n\
         [[test]]\nname = \"flood\"\nkind = \"udp\"\nfrom = \"flooder\"\nto = \"r0\"\nrate = \"900 Mbit/s\"\nclass = \"cs1\"\nduration = \"1 s\"\n"
    )
}

/// WRR 99:1, as the flood is meant to be met.
const WRR: &str = "scheduler = \"wrr\"\nclass = [{ name = \"be\", weight = 99 }, { name = \"lbe\", dscp = \"cs1\" }]";

/// One flow alone on a long fat path; `extra` are keys of its long link.
fn lone(extra: &str) -> String {
    let mut text = String::from(
        "[scenario]\nname = \"lone\"\n[[router]]\nname = \"left\"\n[[router]]\nname = \"right\"\n",
    );
    for (name, a, b, delay) in [
        ("in", "s", "left", "5 ms"),
        ("wan", "left", "right", "50 ms"),
        ("out", "right", "r", "5 ms"),
    ] {
        let extra = if name == "wan" { extra } else { "" };
        // The host's `txqueuelen` is the queue of the first.
        let queue = if name == "in" {
            ""
        } else {
            "queue = \"1bdp\"\n"
        };
        writeln!(
            text,
            "[[link]]\nname = \"{name}\"\nends = [\"{a}\", \"{b}\"]\nrate = \"10 Gbit/s\"\ndelay = \"{delay}\"\n{queue}mtu = 9000\n{extra}"
        )
        .expect("a string takes all");
    }
    text.push_str("[[host]]\nname = \"s\"\nmtu = 9000\ntxqueuelen = 100000\n[[host]]\nname = \"r\"\nmtu = 9000\n");
    text.push_str(NO_GRO);
    text.push_str("[[test]]\nname = \"flow\"\nkind = \"tcp\"\nfrom = \"s\"\nto = \"r\"\nduration = \"1 s\"\nwindow = \"200 MB\"\ncc = \"cubic\"\nflavour = \"rfc\"\n");
    text
}

fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "ten_flows_1g",
            text: dumbbell(10, "1 Gbit/s", "10 Gbit/s", 1500),
            seconds: 60,
            oracle_seconds: 3,
        },
        Case {
            name: "lone_10g_9000",
            text: lone(""),
            seconds: 20,
            oracle_seconds: 2,
        },
        Case {
            name: "lone_lossy_10g_9000",
            text: lone("loss = 1e-6"),
            seconds: 20,
            oracle_seconds: 2,
        },
        Case {
            name: "hundred_flows_10g",
            text: dumbbell(100, "10 Gbit/s", "10 Gbit/s", 1500),
            seconds: 15,
            oracle_seconds: 1,
        },
        Case {
            name: "ten_flows_1g_gro",
            text: dumbbell(10, "1 Gbit/s", "10 Gbit/s", 1500).replace(NO_GRO, GRO),
            seconds: 60,
            oracle_seconds: 3,
        },
        Case {
            name: "lone_10g_9000_gro",
            text: lone("").replace(NO_GRO, GRO),
            seconds: 20,
            oracle_seconds: 2,
        },
        Case {
            name: "ten_flows_1g_linux",
            text: as_hosts_are(&dumbbell(10, "1 Gbit/s", "10 Gbit/s", 1500)),
            seconds: 60,
            oracle_seconds: 3,
        },
        Case {
            name: "lone_10g_9000_linux",
            text: as_hosts_are(&lone("")),
            seconds: 20,
            oracle_seconds: 2,
        },
        Case {
            name: "flood_fifo",
            text: flooded("reorder = false"),
            seconds: 20,
            oracle_seconds: 1,
        },
        Case {
            name: "flood_wrr",
            text: flooded(WRR),
            seconds: 20,
            oracle_seconds: 1,
        },
    ]
}

fn scenario(text: &str, seconds: u64) -> Scenario {
    let source = Source {
        name: "benchmark".to_owned(),
        text: text.replace("duration = \"1 s\"", &format!("duration = \"{seconds} s\"")),
    };
    match parse(&source, &[]) {
        Ok(scenario) => scenario,
        Err(faults) => panic!("{}", faults.render(false)),
    }
}

/// Frames that crossed a link, per second of processor time.
fn hops_per_s(scenario: &Scenario, mode: Mode) -> f64 {
    let begun = processor_ns();
    let options = Options {
        mode,
        seed: 1,
        intervals: 100,
        keep: Keep::default(),
        progress: &mut |_| true,
        tap: &mut |_, _, _| {},
    };
    let outcome = run(scenario, options).expect("benchmarks can be built");
    let seconds = (processor_ns() - begun) as f64 * 1e-9;
    let ports = 0..outcome.built.port_count();
    let hops: u64 = ports.map(|p| outcome.built.port(p).counters().frames).sum();
    hops as f64 / seconds
}

fn best(scenario: &Scenario, mode: Mode, runs: usize) -> f64 {
    (0..runs)
        .map(|_| hops_per_s(scenario, mode))
        .fold(0.0, f64::max)
}

/// Runs every case and returns the figures.
pub(crate) fn figures(only: Option<&str>) -> Vec<Figure> {
    let mut figures = Vec::new();
    for case in cases()
        .into_iter()
        .filter(|c| only.is_none_or(|o| c.name == o))
    {
        let oracle = best(
            &scenario(&case.text, case.oracle_seconds),
            Mode::EventByEvent,
            2,
        );
        let windowed = best(
            &scenario(&case.text, case.seconds),
            Mode::Windowed(WINDOW),
            RUNS,
        );
        let plain = format!("sim.hops_per_s.{}.event_by_event", case.name);
        figures.push(Figure {
            name: plain.clone(),
            value: oracle,
            unit: "1/s".to_owned(),
            against: String::new(),
            ratio: None,
        });
        figures.push(Figure {
            name: format!("sim.hops_per_s.{}", case.name),
            value: windowed,
            unit: "1/s".to_owned(),
            against: plain,
            ratio: Some(windowed / oracle),
        });
    }
    let value = |name: &str| figures.iter().find(|f| f.name == name).map(|f| f.value);
    let fifo = "sim.hops_per_s.flood_fifo";
    if let (Some(plain), Some(wrr)) = (value(fifo), value("sim.hops_per_s.flood_wrr")) {
        figures.push(Figure {
            name: "sim.hops_per_s.flood_wrr_over_fifo".to_owned(),
            value: wrr,
            unit: "1/s".to_owned(),
            against: fifo.to_owned(),
            ratio: Some(wrr / plain),
        });
    }
    figures
}

/// How often a part is done in a second by itself.
fn part(name: &str, part: fn(u64)) -> Figure {
    let rates = (0..RUNS).map(|_| {
        let begun = processor_ns();
        part(PARTS);
        PARTS as f64 / ((processor_ns() - begun) as f64 * 1e-9)
    });
    Figure {
        name: name.to_owned(),
        value: rates.fold(0.0, f64::max),
        unit: "1/s".to_owned(),
        against: String::new(),
        ratio: None,
    }
}

/// Bytes of configuration read and checked per second.
fn configuration() -> Figure {
    let sources = bench_config::sources();
    let bytes: usize = sources.iter().map(|s| s.text.len()).sum();
    let rates = (0..RUNS).map(|_| {
        let begun = processor_ns();
        bench_config::check_all(&sources);
        bytes as f64 / ((processor_ns() - begun) as f64 * 1e-9)
    });
    Figure {
        name: "config.checked_bytes_per_s".to_owned(),
        value: rates.fold(0.0, f64::max),
        unit: "B/s".to_owned(),
        against: String::new(),
        ratio: None,
    }
}

/// Where `make bench-ns3` leaves its figure, one JSON object.
const NS3: &str = "target/ns3/bench.json";

#[derive(serde::Deserialize)]
struct Peer {
    name: String,
    value: f64,
    unit: String,
}

/// The same dumbbell on ns-3, if `make bench-ns3` has run on this machine.
fn against_ns3(figures: &mut Vec<Figure>) -> Result<(), String> {
    let Ok(text) = std::fs::read_to_string(NS3) else {
        return Ok(());
    };
    let peer: Peer = serde_json::from_str(&text).map_err(|e| format!("{NS3}: {e}"))?;
    if let Some(own) = figures
        .iter_mut()
        .find(|f| f.name == "sim.hops_per_s.ten_flows_1g")
    {
        own.ratio = Some(own.value / peer.value);
        own.against.clone_from(&peer.name);
    }
    figures.push(Figure {
        name: peer.name,
        value: peer.value,
        unit: peer.unit,
        against: String::new(),
        ratio: None,
    });
    Ok(())
}

/// Prints the figures and writes `target/bench.json`.
pub(crate) fn bench(only: Option<&str>) -> Result<bool, String> {
    let mut figures = figures(only);
    against_ns3(&mut figures)?;
    figures.push(part("element.ring_frames_per_s", bench_parts::ring));
    figures.push(configuration());
    figures.push(part("tcp.acks_per_s", bench_parts::acknowledgements));
    figures.extend(bench_trace::figures()?);
    show(&figures)
}

/// The figures of captures alone.
pub(crate) fn bench_captures() -> Result<bool, String> {
    show(&bench_trace::figures()?)
}

fn show(figures: &[Figure]) -> Result<bool, String> {
    for f in figures {
        let ratio = f
            .ratio
            .map_or_else(String::new, |r| format!("  {r:.2} × {}", f.against));
        println!("{:<52} {:>10.3} M {}{ratio}", f.name, f.value / 1e6, f.unit);
    }
    let json = serde_json::to_string_pretty(figures).map_err(|e| e.to_string())?;
    std::fs::create_dir_all("target").map_err(|e| format!("create folder target: {e}"))?;
    std::fs::write("target/bench.json", format!("{json}\n"))
        .map_err(|e| format!("write target/bench.json: {e}"))?;
    Ok(true)
}
