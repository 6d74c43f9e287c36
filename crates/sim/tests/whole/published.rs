//! Figures of the documents farpath grew from, and of the arithmetic behind them, simulated.
//!
//! The bands are those of the validation plan: a deterministic ceiling or window limit ±0.5 %, a
//! ping never below and at most 0.2 ms (five passes: 0.3 ms) above its propagation, "no loss"
//! exactly none. A figure that a model cannot meet is explained where it stands.

use farpath_scenario::plan::Plan;
use farpath_wire::FlowDir;

use crate::world::{World, assert_near, assert_within, only, run_scenario, run_text, shipped};

/// Source: "Snaky CCC tunnel" (CERN, 2004), RTT of 116 ms per pass; own arithmetic, C/n and
/// C/ceil(n/2) with C = 9.58464 Gbit/s, the payload of STM-64.
/// scenario, RTT in ms, crossings west and east, slack above in ms
const SCALING: [(&str, f64, [usize; 2], f64); 3] = [
    ("cern-snaky/one-pass", 116.0, [1, 0], 0.2),
    ("cern-snaky/three-passes", 348.0, [2, 1], 0.2),
    ("cern-snaky/five-passes", 580.0, [3, 2], 0.3),
];

fn ping_of(world: &World) -> &str {
    let folded = world
        .records
        .iter()
        .find(|r| r.kind == "ping" && r.test.contains("folded"));
    let any = world.records.iter().find(|r| r.kind == "ping");
    &folded.or(any).expect("a ping").test
}

fn pings_of(name: &str) -> World {
    let mut scenario = shipped(name, &[]);
    scenario
        .tests
        .retain(|t| matches!(t.kind, farpath_scenario::TestKind::Ping(_)));
    run_scenario(scenario)
}

#[test]
fn a_path_of_n_passes_has_n_times_the_round_trip_time() {
    for (name, rtt_ms, crossings, slack) in SCALING {
        let world = pings_of(name);
        let ping = ping_of(&world).to_owned();
        for metric in ["rtt_min_ns", "rtt_avg_ns", "rtt_max_ns"] {
            let ms = world.metric(&ping, metric) / 1e6;
            assert_within(&format!("{name} {metric}"), ms, rtt_ms, rtt_ms + slack);
        }
        assert_eq!(world.metric(&ping, "received"), 5.0);

        // The trunk is crossed n times each way, ceil(n/2) of them in the test's own direction.
        let plan = Plan::new(&world.scenario).expect("it was run");
        let number = world
            .scenario
            .tests
            .iter()
            .position(|t| t.name == ping)
            .expect("found before");
        let flow = plan
            .flows
            .iter()
            .position(|f| f.test == number)
            .expect("a ping has a flow");
        let trunk = world
            .scenario
            .links
            .iter()
            .position(|l| l.name == "stm64")
            .expect("the trunk");
        let hops = plan.walk(&world.scenario, FlowDir::forward(flow as u16));
        let on = |port: usize| hops.iter().filter(|h| h.port == port).count();
        assert_eq!([on(2 * trunk), on(2 * trunk + 1)], crossings, "{name}");
    }
}

/// Source: the two router listings of "Snaky CCC tunnel", in the order of their lsp-switch stanzas.
const TO_CHICAGO: [&str; 5] = [
    "ch5_ar5_t1_v591",
    "ar5_ch5_t2_v591",
    "ch5_ar5_t3_v591",
    "ar5_ch5_t4_v591",
    "ch5_ar5_t5_v591",
];
const TO_GENEVA: [&str; 5] = [
    "ar5_ch5_r1_v591",
    "ch5_ar5_r2_v591",
    "ar5_ch5_r3_v591",
    "ch5_ar5_r4_v591",
    "ar5_ch5_r5_v591",
];

#[test]
fn the_tunnel_takes_its_lsps_in_the_order_of_the_listings() {
    let scenario = only(shipped("cern-snaky/five-passes", &[]), &["ping-folded"]);
    let plan = Plan::new(&scenario).expect("it is shipped");
    for (dir, wanted) in [
        (FlowDir::forward(0), TO_CHICAGO),
        (FlowDir::forward(0).turned(), TO_GENEVA),
    ] {
        let walk = plan.walk(&scenario, dir);
        let lsps: Vec<&str> = walk
            .iter()
            .filter_map(|h| h.lsp)
            .map(|l| scenario.lsps[l].name.as_str())
            .collect();
        assert_eq!(lsps, wanted);
        let names: Vec<&str> = walk
            .iter()
            .map(|h| scenario.links[plan.ports[h.port].link.0].name.as_str())
            .collect();
        let own = |i: usize| {
            if dir.is_reverse() == (i == 0) {
                "ge-chi"
            } else {
                "ge-gva"
            }
        };
        assert_eq!((names[0], names[6]), (own(0), own(6)), "{names:?}");
    }
}

/// Source: E02 of the same reconstruction; ERRATA: 3:2 is by TCP payload, with 90-byte ACK frames
/// 1.494:1.
#[test]
fn the_trunk_carries_three_parts_west_and_two_east() {
    let scenario = shipped(
        "cern-snaky/five-passes",
        &[
            ("test.bulk.start", "0s"),
            ("test.bulk.omit", "16s"),
            ("test.bulk.duration", "8s"),
        ],
    );
    let world = run_scenario(only(scenario, &["bulk"]));
    let west = world.link("stm64", "cernh5>ar5-chicago");
    let east = world.link("stm64", "ar5-chicago>cernh5");
    let payload = west.payload_bytes as f64 / east.payload_bytes as f64;
    assert_within("payload west over east", payload, 1.498, 1.502);
    let wire = west.bytes as f64 / east.bytes as f64;
    assert_within("wire bytes west over east", wire, 1.490, 1.498);
    assert_near(
        "goodput",
        world.metric("bulk", "goodput_bps"),
        990.04e6,
        0.005,
    );
    // 2.97 and 1.98 Gbit/s of payload once the line is full.
    let steady = |link: &farpath_record::LinkRecord, crossings: f64| {
        let from = link
            .t_ns
            .iter()
            .position(|t| *t > 18_000_000_000)
            .expect("a run of 24 s");
        let until = link
            .t_ns
            .iter()
            .position(|t| *t > 22_000_000_000)
            .expect("a run of 24 s");
        let rates = &link.rate_bps[from..until];
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        // Of 9058 bytes on the trunk (POS 9, label 4, Ethernet with tag 18, datagram 9000, less
        // what the queue's samples blur) 8948 are payload.
        (mean, crossings * 990.04e6)
    };
    let (west_bps, west_payload) = steady(west, 3.0);
    let (east_bps, east_payload) = steady(east, 2.0);
    assert_within("rate west", west_bps, west_payload, west_payload * 1.03);
    assert_within("rate east", east_bps, east_payload, east_payload * 1.03);
    assert_eq!(world.metric("bulk", "retransmits"), 0.0);
}

/// Source: E03a; C/3 one way and C/5 both ways with C = 9.58464 Gbit/s, hosts on 10GbE, compared as
/// trunk bytes: 1531 for a payload of 1472 (ERRATA). One step below the limit nothing may be lost,
/// and one step (0.5 %) above something must be.
#[test]
fn the_folded_trunk_carries_a_third_one_way_and_a_fifth_both_ways() {
    const TRUNK: f64 = 9.58464e9;
    let limit = |crossings: f64| TRUNK / crossings * 1472.0 / 1531.0;
    for (tests, crossings) in [
        (&["one-way"][..], 3.0),
        (&["both-west", "both-east"][..], 5.0),
    ] {
        for (step, loses) in [(-0.005, false), (0.005, true)] {
            let rate = format!("{} bit/s", (limit(crossings) * (1.0 + step)) as u64);
            let mut sets: Vec<(String, String)> = Vec::new();
            for test in tests {
                sets.push((format!("test.{test}.rate"), rate.clone()));
                sets.push((format!("test.{test}.start"), "0 s".to_owned()));
                // 10 s a step: 10 ms of queue hide the excess of half a percent for seconds.
            }
            let sets: Vec<(&str, &str)> =
                sets.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
            let mut scenario = only(shipped("cern-snaky/capacity", &sets), tests);
            scenario.searches.clear();
            let world = run_scenario(scenario);
            for test in tests {
                let lost = world.metric(test, "loss_ratio");
                assert_eq!(lost > 0.0, loses, "{test} at {rate}: {lost} lost");
            }
        }
    }
}

/// Source: E04a: W·8/RTT, capped at 8948/9038 of 1 Gbit/s; queue of 50 000 packets at the host
/// (ERRATA). ±0.5 %.
/// window in MiB, Mbit/s, what limits
const WINDOWS: [(&str, f64, &str); 7] = [
    ("8 MiB", 115.5, "receive_window"),
    ("16 MiB", 231.0, "receive_window"),
    ("32 MiB", 462.0, "receive_window"),
    ("64 MiB", 924.0, "receive_window"),
    ("72 MiB", 990.0, "nic"),
    ("96 MiB", 990.0, "nic"),
    ("128 MiB", 990.0, "nic"),
];

#[test]
fn a_window_gives_eight_bits_a_byte_over_the_round_trip_until_the_line_is_full() {
    for (window, mbps, limited_by) in WINDOWS {
        let set = [("test.bulk.window", window)];
        let world = run_scenario(shipped("cern-snaky/window-sweep", &set));
        assert_near(
            window,
            world.metric("bulk", "goodput_bps"),
            mbps * 1e6,
            0.005,
        );
        assert_eq!(world.metric("bulk", "retransmits"), 0.0, "{window}");
        assert_eq!(world.limited_by("bulk"), limited_by, "{window}");
        if limited_by == "receive_window" {
            // Bursts wait a little in front of the interface.
            let ms = world.metric("bulk", "rtt_avg_ns") / 1e6;
            assert_within(window, ms, 581.0, 585.0);
        }
    }
}

/// The same, with the document's request of 64 MB: doubled by the kernel of 2004, which keeps a
/// quarter, it is a window of 96 MiB and fills the line.
#[test]
fn a_socket_buffer_of_64_mib_is_a_window_of_96_mib() {
    let text = r#"
[scenario]
name = "buffer"
[[host]]
name = "a"
profile = "linux-2004"
txqueuelen = 50000
rmem_max = 128388607
wmem_max = 128388607
[[host]]
name = "b"
profile = "linux-2004"
txqueuelen = 50000
rmem_max = 128388607
wmem_max = 128388607
[[link]]
name = "wire"
ends = ["a", "b"]
framing = "gbe"
delay = "290.5 ms"
mtu = 9000
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
omit = "24 s"
duration = "8 s"
socket_buffer = "64 MiB"
"#;
    let world = run_text(text);
    assert_near(
        "goodput",
        world.metric("bulk", "goodput_bps"),
        990.0e6,
        0.005,
    );
    let in_flight = &world.record("bulk").series["in_flight_bytes"].v;
    let most = in_flight.iter().fold(0.0_f64, |a, b| a.max(*b));
    let window = 96.0 * 1048576.0;
    assert_within("in flight", most, window - 8948.0, window);
}

/// Source: E30a and the rounds model of `slow_start_waste` (450 Mbit/s of payload, 45 ms, MTU 9180):
/// waste 0.535 s with delayed ACKs, 0.322 s with one ACK per segment, from one segment on, growth by
/// ACKs counted. ERRATA: a simulated transfer differs by the delayed-ACK timer, the handshake and
/// the last ACK: ±0.25 s at 45 ms.
/// decimal file size, segments per ACK, seconds
const TRANSFERS: [(&str, u32, f64); 4] = [
    ("1 GB", 2, 18.31),
    ("1 GB", 1, 18.10),
    ("100 MB", 2, 2.313),
    ("100 MB", 1, 2.100),
];

fn transfer(bytes: &str, every: u32) -> World {
    // Without framing 450 Mbit/s of payload are 450 · 9180/9140 of datagrams.
    run_text(&format!(
        r#"
[scenario]
name = "transfer"
[[host]]
name = "lbnl"
profile = "linux-2004"
txqueuelen = 50000
[[host]]
name = "anl"
profile = "linux-2004"
[[link]]
name = "path"
ends = ["lbnl", "anl"]
framing = "none"
rate = "451969365 bit/s"
delay = "22.5 ms"
mtu = 9180
[[test]]
name = "file"
kind = "tcp"
from = "lbnl"
to = "anl"
bytes = "{bytes}"
window = "8 MB"
initial_window = 1
delayed_ack = {every}
timestamps = false
"#
    ))
}

#[test]
fn slow_start_costs_a_file_what_the_rounds_model_says() {
    for (bytes, every, seconds) in TRANSFERS {
        let world = transfer(bytes, every);
        let took = world.metric("file", "completion_ns") / 1e9;
        assert_within(
            &format!("{bytes}, an ACK for {every}"),
            took,
            seconds - 0.25,
            seconds + 0.25,
        );
        assert_eq!(world.metric("file", "retransmits"), 0.0);
    }
}

/// Source: E07a at a tenth of its rate, 100 Mbit/s over 120 ms, MTU 1500, one loss on a full pipe,
/// one ACK per segment: Reno regains its window in W/2 round trips. The pipe counted in frames of
/// 1538 bytes holds 975.3 of them: 58.5 s (585 s at 1 Gbit/s), ±2 %.
#[test]
fn reno_regains_its_window_after_one_loss_in_half_a_window_of_round_trips() {
    let world = run_text(
        r#"
[scenario]
name = "one-loss"
[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "r"
[[link]]
name = "in"
ends = ["a", "r"]
rate = "1 Gbit/s"
delay = "100 us"
[[link]]
name = "pipe"
ends = ["r", "b"]
rate = "100 Mbit/s"
delay = "59.9 ms"
queue = "600 packets"
[link.forward]
lose = { flow = "bulk", segment = 9000 }
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
cc = "reno"
delayed_ack = 1
timestamps = false
window = "1423500 B"
duration = "70 s"
"#,
    );
    assert_eq!(world.metric("bulk", "retransmits"), 1.0);
    assert_eq!(world.metric("bulk", "rtos"), 0.0);
    let recovery = world.metric("bulk", "recovery_s");
    assert_near("recovery", recovery, 58.52, 0.02);
}
