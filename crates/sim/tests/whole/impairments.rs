//! What the ends see of a link that delays, reorders, doubles, damages, and goes down.

use farpath_element::Mode;

use crate::law::{WINDOWS, assert_conserved, assert_same};
use crate::world::{World, run_in, run_text, scenario};

/// Two hosts behind routers; `wan` is what the link from west to east does.
fn path(wan: &str, tests: &str) -> String {
    format!(
        r#"[scenario]
name = "impaired"

[[host]]
name = "a"

[[host]]
name = "b"

[[router]]
name = "west"

[[router]]
name = "east"

[[link]]
name = "in"
ends = ["a", "west"]
framing = "gbe"

[[link]]
name = "wan"
ends = ["west", "east"]
rate = "100 Mbit/s"
delay = "10 ms"
{wan}

[[link]]
name = "out"
ends = ["east", "b"]
framing = "gbe"
{tests}"#
    )
}

const BULK: &str = r#"
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
bytes = "2 MB"
"#;

const PINGS: &str = r#"
[[test]]
name = "pings"
kind = "ping"
from = "a"
to = "b"
count = 1000
interval = "2 ms"
"#;

fn realised(world: &World, name: &str) -> f64 {
    world.link("wan", "west>east").realised[name]
}

/// Everything at once, both ways, is the same in every mode, and every frame is accounted for.
#[test]
fn modes_agree_on_every_impairment() {
    let both = r#"
reorder = true
jitter = { distribution = "pareto-normal", mean = "1 ms", std = "300 us", correlation = 0.3 }
reordering = { share = "1 %", by = "3 ms" }
duplication = { share = "1 %", after = "100 us" }
corruption = { share = "0.2 %", found_by = "checksum", undetected = "10 %" }
flap = { up = "300 ms", down = "10 ms", random = true }
"#;
    let held = r#"
jitter = { max = "2 ms" }
corruption = { bit_error_rate = 1e-7 }
forward.flap = { up = "100 ms", down = "20 ms", while_down = "hold" }
"#;
    for wan in [both, held] {
        let text = path(wan, &format!("{BULK}{PINGS}"));
        let truth = run_in(scenario(&text), Mode::EventByEvent, 1);
        assert_conserved(wan, &truth);
        for window in WINDOWS {
            let found = run_in(scenario(&text), Mode::Windowed(window), 1);
            assert_same(wan, &truth, &found);
        }
    }
}

/// D-SACK tells the sender that a copy came, and nothing else happens (RFC 2883).
#[test]
fn copies_of_segments_change_nothing_for_tcp() {
    let world = run_text(&path("forward.duplication = { every = 5 }", BULK));
    assert_eq!(world.metric("bulk", "bytes"), 2e6);
    assert_eq!(world.metric("bulk", "retransmits"), 0.0);
    assert_eq!(world.metric("bulk", "rtos"), 0.0);
    assert!(realised(&world, "duplicated") >= 276.0);
}

/// Each hundredth segment is held back until what left after it has come, and none is lost.
#[test]
fn what_comes_late_is_said_not_to_be_lost() {
    let late = run_text(&path(
        r#"forward.reordering = { every = 100, by = "15 ms" }"#,
        BULK,
    ));
    let notes = late.record("bulk").notes.join("; ");
    let again = late.metric("bulk", "retransmits");
    let said = format!("of {again} segments sent again had arrived, late and not lost");
    assert!(again > 0.0 && notes.contains(&said), "{notes}");
    // So late that each repair comes first: what it overtook is discarded as outdated (RFC 7323 §5.3).
    let later = run_text(&path(
        r#"forward.reordering = { every = 100, by = "60 ms" }"#,
        BULK,
    ));
    let notes = later.record("bulk").notes.join("; ");
    assert!(later.metric("bulk", "retransmits") > 0.0);
    assert!(notes.contains("late and not lost"), "{notes}");
    let damaged = run_text(&path(
        r#"forward.corruption = { share = "1 %", found_by = "checksum" }"#,
        BULK,
    ));
    let notes = damaged.record("bulk").notes.join("; ");
    assert!(!notes.contains("late and not lost"), "{notes}");
}

/// A damaged segment crosses the whole path and is sent again like a lost one.
#[test]
fn a_segment_found_damaged_by_the_host_is_sent_again() {
    let corruption = r#"forward.corruption = { share = "1 %", found_by = "checksum" }"#;
    let world = run_text(&path(corruption, BULK));
    let found = world.link("out", "east>b").drops["checksum"] as f64;
    assert!(found > 3.0);
    assert_eq!(found, realised(&world, "damaged"));
    assert_eq!(world.metric("bulk", "bytes"), 2e6);
    assert!(world.metric("bulk", "retransmits") >= found);
    // Nothing was lost on the way: what the wan carried, the last link carried, too.
    let frames = |link, way| world.link(link, way).frames;
    assert_eq!(frames("wan", "west>east"), frames("out", "east>b"));
}

/// A hundredth of the pings is held back by more than their interval: 1 behind 2 others, exactly.
#[test]
fn frames_held_back_are_overtaken_by_those_sent_meanwhile() {
    let world = run_text(&path(
        r#"forward.reordering = { every = 100, by = "5 ms" }"#,
        PINGS,
    ));
    assert_eq!(realised(&world, "reordered"), 9.0);
    assert_eq!(realised(&world, "reordered_ratio"), 0.009);
    assert_eq!(realised(&world, "reorder_extent_max"), 2.0);
    assert_eq!(realised(&world, "reorder_extent_mean"), 2.0);
    assert_eq!(realised(&world, "jitter_max_ns"), 5e6);
    assert_eq!(world.metric("pings", "received"), 1000.0);
}

#[test]
fn copies_of_replies_are_counted_and_are_no_replies() {
    let world = run_text(&path(
        r#"reverse.duplication = { every = 10, after = "1 ms" }"#,
        PINGS,
    ));
    assert_eq!(world.metric("pings", "received"), 1000.0);
    assert_eq!(world.metric("pings", "duplicates"), 100.0);
}

/// What waits while a link holds is sent when it is up again; nothing is lost.
#[test]
fn a_link_that_holds_delays_and_loses_nothing() {
    let flap = r#"forward.flap = { up = "100 ms", down = "50 ms", while_down = "hold" }"#;
    let world = run_text(&path(flap, PINGS));
    assert_eq!(world.metric("pings", "received"), 1000.0);
    let base = world.metric("pings", "rtt_min_ns");
    let longest = world.metric("pings", "rtt_max_ns") - base;
    // A ping that comes just as it goes down; its next is 2 ms later.
    assert!((48e6..=50e6).contains(&longest), "{longest}");
}
