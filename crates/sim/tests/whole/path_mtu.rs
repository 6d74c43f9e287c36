//! Hosts of MTU 9000 with a trunk of 4470 between them: reported, not reported, and found out by probing.

use std::collections::BTreeMap;

use farpath_element::{Drop, Mode};
use farpath_record::Record;
use farpath_scenario::forecast;
use farpath_scenario::plan::Plan;

use crate::law::{WINDOWS, assert_same};
use crate::world::{World, assert_within, run_in, run_text, scenario};

/// a - r - s - b, 50 Mbit/s and 100 ms between the routers.
fn text(router: &str, host: &str, seconds: u32, more: &str) -> String {
    format!(
        r#"
[scenario]
name = "step"
[[host]]
name = "a"
txqueuelen = 20000
tcp_wmem = "4096 131072 67108864"
{host}
[[host]]
name = "b"
tcp_rmem = "4096 131072 67108864"
[[router]]
name = "r"
{router}
[[router]]
name = "s"
[[link]]
name = "left"
ends = ["a", "r"]
framing = "none"
rate = "1 Gbit/s"
delay = "10 us"
mtu = 9000
[[link]]
name = "trunk"
ends = ["r", "s"]
framing = "none"
rate = "50 Mbit/s"
delay = "50 ms"
mtu = 4470
queue = "6 MB"
[[link]]
name = "right"
ends = ["s", "b"]
framing = "none"
rate = "1 Gbit/s"
delay = "10 us"
mtu = 9000
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
duration = "{seconds} s"
window = "1 MiB"
flavour = "linux"
{more}
"#
    )
}

fn predicted(text: &str) -> Record {
    let scenario = scenario(text);
    let plan = Plan::new(&scenario).expect("a path");
    forecast(&scenario, &plan, &BTreeMap::new()).remove(0)
}

fn mtu_drops(world: &World) -> u64 {
    let all = [("left", "a>r"), ("trunk", "r>s"), ("right", "s>b")];
    all.iter().map(|(l, d)| world.drops(l, d, Drop::Mtu)).sum()
}

/// A share of the prediction.
fn agrees(world: &World, predicted: &Record, metric: &str, within: f64) {
    let wanted = predicted.metrics[metric];
    let seen = world.metric("bulk", metric);
    assert_within(
        metric,
        seen,
        wanted * (1.0 - within),
        wanted * (1.0 + within),
    );
}

#[test]
fn rfc1191_a_sender_that_is_told_goes_on_with_smaller_segments() {
    let text = text("", "", 20, "");
    let world = run_text(&text);
    let record = world.record("bulk");
    agrees(&world, &predicted(&text), "goodput_bps", 0.01);
    assert_eq!(record.limited_by.as_deref(), Some("link"));
    assert!(record.notes.is_empty(), "{:?}", record.notes);
    // What a SYN-ACK's window allows: seven segments, and each is answered for.
    assert_eq!(world.drops("left", "a>r", Drop::Mtu), 7);
    assert_eq!(world.link("left", "a>r").too_large_for, ["trunk r>s"]);
    assert!(world.link("trunk", "r>s").too_large_for.is_empty());
    assert_eq!(mtu_drops(&world), 7);
    assert_eq!(world.metric("bulk", "rtos"), 0.0);
    // 62 636 bytes in segments of 4418.
    assert_eq!(world.metric("bulk", "retransmits"), 15.0);
}

#[test]
fn a_host_remembers_the_path_for_its_next_connection() {
    let again = "[[test]]\nname = \"again\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nstart = \"10 s\"\nduration = \"5 s\"\nwindow = \"1 MiB\"";
    let world = run_text(&text("", "", 5, again));
    assert_eq!(mtu_drops(&world), 7);
    assert_eq!(world.metric("again", "retransmits"), 0.0);
}

#[test]
fn every_step_of_a_path_tells() {
    let more = "[[router]]\nname = \"t\"\n[[link]]\nname = \"last\"\nends = [\"t\", \"b\"]\nframing = \"none\"\nrate = \"1 Gbit/s\"\ndelay = \"10 us\"\nmtu = 9000";
    let text = text("", "", 10, more)
        .replace("ends = [\"s\", \"b\"]", "ends = [\"s\", \"t\"]")
        .replace(
            "delay = \"10 us\"\nmtu = 9000\n[[test]]",
            "delay = \"10 us\"\nmtu = 1500\n[[test]]",
        );
    let world = run_text(&text);
    agrees(&world, &predicted(&text), "goodput_bps", 0.02);
    assert_eq!(world.drops("left", "a>r", Drop::Mtu), 7);
    // What was left of the first window, 2899 bytes, fits, and its acknowledgement makes cwnd one more than ten: eleven segments of
    // 4418, at once.
    assert_eq!(world.drops("trunk", "r>s", Drop::Mtu), 11);
    assert_eq!(world.metric("bulk", "rtos"), 0.0);
}

#[test]
fn a_black_hole_delivers_nothing_and_is_named() {
    let text = text("answers = false", "", 20, "");
    let world = run_text(&text);
    let predicted = predicted(&text);
    for record in [world.record("bulk"), &predicted] {
        assert_eq!(record.metrics["goodput_bps"], 0.0);
        assert_eq!(record.limited_by.as_deref(), Some("mtu"));
        let says = |n: &String| n.starts_with("link `trunk` lets through 4470 of 9000 bytes");
        assert!(record.notes.iter().any(says), "{:?}", record.notes);
    }
    assert!(mtu_drops(&world) > 7);
}

/// Held against Linux 6.18 by `mtu-step/probing`.
#[test]
fn rfc4821_a_sender_that_probes_finds_its_way_across() {
    let text = text("answers = false", "mtu_probing = 1", 60, "");
    let world = run_text(&text);
    let predicted = predicted(&text);
    agrees(&world, &predicted, "silent_s", 0.05);
    agrees(&world, &predicted, "goodput_bps", 0.05);
    // The first flight, four timeouts, a probe of the tail, and probes of the path that were too large.
    assert!(
        (10..20).contains(&mtu_drops(&world)),
        "{}",
        mtu_drops(&world)
    );
}

/// A router that lowers what SYNs offer keeps full segments out of the hole: the run is that of hosts which know the trunk's MTU.
#[test]
fn a_lowered_offer_keeps_segments_out_of_the_hole() {
    let hole = text("answers = false", "", 20, "");
    let lowered = hole.replace("mtu = 4470\n", "mtu = 4470\nadjust_mss = 4430\n");
    let world = run_text(&lowered);
    assert_eq!(mtu_drops(&world), 0);
    agrees(&world, &predicted(&lowered), "goodput_bps", 0.05);
    let known = hole.replace("mtu = 9000\n", "mtu = 4470\n");
    let goodput = run_text(&known).metric("bulk", "goodput_bps");
    assert_eq!(world.metric("bulk", "goodput_bps"), goodput);
    // IPv6 has offers of its own.
    let six = lowered.replace("kind = \"tcp\"\n", "kind = \"tcp\"\nip = 6\n");
    let world = run_text(&six);
    assert_eq!(world.metric("bulk", "goodput_bps"), 0.0);
    let notes = &world.record("bulk").notes;
    let remedy = "adjust_mss_ipv6 = 4410";
    assert!(notes.iter().any(|n| n.contains(remedy)), "{notes:?}");
    let six = six.replace("adjust_mss = 4430", "adjust_mss_ipv6 = 4410");
    let world = run_text(&six);
    assert_eq!(mtu_drops(&world), 0);
    agrees(&world, &predicted(&six), "goodput_bps", 0.05);
}

#[test]
fn who_always_probes_loses_no_time() {
    let text = text("answers = false", "mtu_probing = 2", 20, "");
    let world = run_text(&text);
    agrees(&world, &predicted(&text), "goodput_bps", 0.05);
    assert_eq!(world.metric("bulk", "rtos"), 0.0);
}

#[test]
fn all_of_it_is_the_same_in_every_mode() {
    for (router, host) in [
        ("", ""),
        ("answers = false", "mtu_probing = 1"),
        ("answers = false", "mtu_probing = 2"),
    ] {
        let text = text(router, host, 10, "parallel = 2");
        let oracle = run_in(scenario(&text), Mode::EventByEvent, 1);
        for window in WINDOWS {
            let windowed = run_in(scenario(&text), Mode::Windowed(window), 1);
            assert_same(&format!("{window}\n{text}"), &oracle, &windowed);
        }
    }
}
