//! `limited_by` in the clear-cut cases: each has one answer and no other.

use crate::world::{World, assert_within, run_scenario, run_text};

/// a - r - b at these rates, 20 ms one way, with these keys on the hosts and on the second link.
fn path(first: &str, second: &str, host: &str, link: &str, test: &str) -> World {
    run_text(&format!(
        r#"
[scenario]
name = "limits"
[[host]]
name = "a"
txqueuelen = 20000
{host}
[[host]]
name = "b"
txqueuelen = 20000
{host}
[[router]]
name = "r"
[[link]]
name = "a"
ends = ["a", "r"]
rate = "{first}"
[[link]]
name = "b"
ends = ["r", "b"]
rate = "{second}"
delay = "20 ms"
queue = "20000 packets"
{link}
[[test]]
name = "t"
from = "a"
to = "b"
{test}
"#
    ))
}

const BIG: &str = "rmem_max = 100000000\nwmem_max = 100000000";

#[track_caller]
fn assert_limit(world: &World, wanted: &str, least: f64) {
    let record = world.record("t");
    assert_eq!(
        record.limited_by.as_deref(),
        Some(wanted),
        "{:?}",
        record.streams
    );
    for stream in &record.streams {
        let share = stream.limited_by[wanted];
        assert!(share >= least, "{wanted} {share}: {:?}", stream.limited_by);
        let sum: f64 = stream.limited_by.values().sum();
        assert_within("shares", sum, 1.0 - 1e-9, 1.0 + 1e-9);
    }
}

#[test]
fn a_small_window_is_the_receivers() {
    let test = "kind = \"tcp\"\nwindow = \"100 kB\"\nduration = \"5 s\"";
    assert_limit(
        &path("1 Gbit/s", "1 Gbit/s", "", "", test),
        "receive_window",
        0.9,
    );
}

#[test]
fn a_small_send_buffer_is_the_senders() {
    let host = "rmem_max = 100000000\nwmem_max = 50000";
    let test = "kind = \"tcp\"\nsocket_buffer = \"10 MB\"\nduration = \"5 s\"";
    assert_limit(
        &path("1 Gbit/s", "1 Gbit/s", host, "", test),
        "send_buffer",
        0.9,
    );
}

#[test]
fn a_full_interface_is_the_nic() {
    let test = "kind = \"tcp\"\nwindow = \"2 MB\"\nduration = \"5 s\"";
    assert_limit(&path("100 Mbit/s", "1 Gbit/s", BIG, "", test), "nic", 0.9);
}

#[test]
fn a_full_link_on_the_way_is_the_link() {
    let test = "kind = \"tcp\"\nwindow = \"2 MB\"\nduration = \"5 s\"";
    assert_limit(&path("1 Gbit/s", "100 Mbit/s", BIG, "", test), "link", 0.9);
}

/// Three fifths of the pipe (500 kB), in one burst each round trip of 40 ms: it fills the link for 24 ms of them, and
/// intervals of 2.5 ms show it full. What limits is the same as in intervals of 100 ms.
#[test]
fn what_limits_does_not_depend_on_how_fine_the_series_are() {
    let test = "kind = \"tcp\"\nwindow = \"300 kB\"\nduration = \"5 s\"";
    for intervals in [50, 500, 2000] {
        let mut scenario = path("1 Gbit/s", "100 Mbit/s", BIG, "", test).scenario;
        scenario.intervals = intervals;
        assert_limit(&run_scenario(scenario), "receive_window", 0.9);
    }
}

/// What the application asks for bounds each connection: exactly, with room everywhere else, and nothing waits.
#[test]
fn a_pace_that_is_asked_for_is_the_limit() {
    for cc in ["reno", "cubic", "cubic\"\nflavour = \"rfc"] {
        let keys = format!(
            "kind = \"tcp\"\nwindow = \"10 MB\"\ncc = \"{cc}\"\nparallel = 2\ndelayed_ack = 1\nomit = \"2 s\"\nduration = \"5 s\""
        );
        let test = format!("{keys}\npacing_rate = \"60 Mbit/s\"");
        let world = path("1 Gbit/s", "200 Mbit/s", BIG, "", &test);
        assert_limit(&world, "pacing", 0.8);
        let goodput = world.metric("t", "goodput_bps");
        assert_within("goodput", goodput, 0.999 * 120e6, 1.001 * 120e6);
        // Two bursts of 1/1024 s meet at the second link; no acknowledgement waits for a second segment.
        let longest = world.metric("t", "rtt_max_ns") - world.metric("t", "rtt_min_ns");
        assert_within("waiting, ns", longest, 0.0, 1.5e6);
    }
}

/// 90 Mbit/s of payload take 95.6 of 100 Mbit/s, and bursts wait for it: the pace is the limit as long as all of it comes through. 100
/// Mbit/s do not.
#[test]
fn a_pace_just_below_the_line_is_the_limit() {
    let keys = "kind = \"tcp\"\nwindow = \"10 MB\"\nomit = \"2 s\"\nduration = \"5 s\"";
    for (pace, limit) in [("90 Mbit/s", "pacing"), ("100 Mbit/s", "link")] {
        let test = format!("{keys}\npacing_rate = \"{pace}\"");
        let world = path("1 Gbit/s", "100 Mbit/s", BIG, "", &test);
        assert_limit(&world, limit, 0.8);
    }
}

#[test]
fn random_loss_leaves_the_window_cut() {
    let test = "kind = \"tcp\"\nwindow = \"10 MB\"\ncc = \"reno\"\nduration = \"20 s\"";
    let world = path("1 Gbit/s", "1 Gbit/s", BIG, "loss = 0.002", test);
    assert!(world.metric("t", "retransmits") > 10.0);
    assert_limit(&world, "cwnd_recovery", 0.8);
}

/// CUBIC from `a` and BBR from `n` into one link of 100 Mbit/s, 20 ms one way; what stands on the access link of `a`.
fn beside_bbr(access: &str) -> World {
    run_text(&format!(
        r#"
[scenario]
name = "beside"
[[host]]
name = "a"
{BIG}
[[host]]
name = "n"
{BIG}
[[host]]
name = "b"
{BIG}
[[router]]
name = "r"
[[link]]
name = "own"
ends = ["a", "r"]
rate = "1 Gbit/s"
{access}
[[link]]
name = "other"
ends = ["n", "r"]
rate = "1 Gbit/s"
[[link]]
name = "shared"
ends = ["r", "b"]
rate = "100 Mbit/s"
delay = "20 ms"
queue = "330 packets"
[[test]]
name = "t"
kind = "tcp"
from = "a"
to = "b"
cc = "cubic"
window = "10 MB"
duration = "30 s"
[[test]]
name = "neighbour"
kind = "tcp"
from = "n"
to = "b"
cc = "bbr"
window = "10 MB"
duration = "30 s"
"#
    ))
}

/// What the shared queue dropped is the neighbour's: the account of the one that loses on its own link is of that.
#[test]
fn losses_on_an_own_link_limit_beside_a_neighbour_that_fills_the_shared_one() {
    let drops = |world: &World, name: &str| -> u64 {
        let of = world.links.iter().filter(|l| l.link == name);
        of.map(|l| l.drops.values().sum::<u64>()).sum()
    };
    let lossy = beside_bbr("loss = 0.003");
    assert!(drops(&lossy, "shared") > drops(&lossy, "own"));
    assert_ne!(lossy.limited_by("t"), "link");
    let clean = beside_bbr("");
    assert_eq!(clean.limited_by("t"), "link");
}

/// A link that flaps: the time in which it is down, and the sender waits to try again, is of no limit.
#[test]
fn a_flapping_link_leaves_what_limits_in_between() {
    let test = "kind = \"tcp\"\nwindow = \"100 kB\"\nduration = \"30 s\"";
    let flaps = |flap: &str| path("1 Gbit/s", "1 Gbit/s", "", &format!("flap = {flap}"), test);
    let outage = |world: &World| -> Option<f64> {
        let mut notes = world.record("t").notes.iter();
        let said = notes.find(|n| n.starts_with("the path was down for "))?;
        let (before, _) = said.split_once(" % of the time")?;
        before.rsplit_once('(')?.1.parse().ok()
    };
    // Down for 2 of 6 s. Timeouts of 0.24 s that double find it up with the fourth, after 3.6 s.
    let world = flaps("{ up = \"4 s\", down = \"2 s\" }");
    assert_limit(&world, "receive_window", 0.75);
    let share = outage(&world).expect("it is said");
    assert_within("outage, %", share, 55.0, 60.0);
    let exact = world.metric("t", "outage_ratio");
    assert_within("outage, exact", 100.0 * exact, share - 0.5, share + 0.5);
    // A frame lost now and then in 1 ms of 100 hardly counts, and no silence is made of it.
    let short = flaps("{ up = \"99 ms\", down = \"1 ms\", while_down = \"hold\" }");
    let share = outage(&short).unwrap_or(0.0);
    assert_within("short outages, %", share, 0.0, 3.0);
}

/// 100 kbit/s carry 139 acknowledgements a second, each for two segments: 3.2 of 100 Mbit/s.
#[test]
fn a_way_back_that_is_full_is_said() {
    let said = |back: &str| -> Option<f64> {
        let world = run_text(&format!(
            r#"
[scenario]
name = "asymmetric"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "path"
ends = ["a", "b"]
rate = "100 Mbit/s"
delay = "20 ms"
[link.reverse]
rate = "{back}"
[[test]]
name = "t"
kind = "tcp"
from = "a"
to = "b"
window = "64 KiB"
omit = "2 s"
duration = "5 s"
"#
        ));
        let notes = world.record("t").notes.join("; ");
        let (_, rest) = notes.split_once("the way back was full ")?;
        let (share, rest) = rest.split_once(" % of the time")?;
        assert!(
            rest.starts_with(": acknowledgements waited for it"),
            "{notes}"
        );
        share.parse().ok()
    };
    let share = said("100 kbit/s").expect("it is said");
    assert!(share > 90.0, "{share} %");
    assert_eq!(said("10 Mbit/s"), None);
}

/// Linux takes timeouts back where a part of the window arrives all the same, and waits in congestion avoidance for the next.
#[test]
fn timeouts_are_loss() {
    let test = "kind = \"tcp\"\nflavour = \"rfc\"\nwindow = \"100 kB\"\nduration = \"20 s\"";
    let world = path("1 Gbit/s", "1 Gbit/s", BIG, "loss = 0.35", test);
    assert!(world.metric("t", "rtos") >= 3.0);
    assert_limit(&world, "loss", 0.5);
}

/// 64 senders at once into a queue of 64 packets: some are through in 20 ms, and the others wait for timers of 200 ms. Four of them fit, and
/// nobody waits for a timer.
#[test]
fn an_incast_is_limited_by_its_timeouts() {
    let world = |senders: u32| {
        run_text(&format!(
            r#"
[scenario]
name = "incast"
[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "r"
[[link]]
name = "in"
ends = ["a", "r"]
rate = "10 Gbit/s"
delay = "10 us"
[[link]]
name = "port"
ends = ["r", "b"]
rate = "1 Gbit/s"
delay = "10 us"
queue = "64 packets"
[[test]]
name = "t"
kind = "tcp"
from = "a"
to = "b"
cc = "reno"
parallel = {senders}
bytes = "64 kB"
"#
        ))
    };
    let many = world(64);
    assert!(many.metric("t", "rtos") > 10.0);
    assert!(many.metric("t", "completion_ns") > 200e6);
    assert_eq!(many.limited_by("t"), "loss");
    let few = world(4);
    assert_eq!(few.metric("t", "rtos"), 0.0);
    assert_eq!(few.limited_by("t"), "link");
}

#[test]
fn a_stream_that_gets_through_is_its_applications() {
    let test = "kind = \"udp\"\nrate = \"10 Mbit/s\"\nduration = \"1 s\"";
    let world = path("100 Mbit/s", "100 Mbit/s", "", "", test);
    assert_eq!(world.limited_by("t"), "application");
}

#[test]
fn a_stream_that_overflows_a_link_is_that_links() {
    let test = "kind = \"udp\"\nrate = \"50 Mbit/s\"\nduration = \"10 s\"";
    let world = path("100 Mbit/s", "10 Mbit/s", "", "", test);
    // Of some 42 500 datagrams the link carries 8100 in 10 s, and 20 000 wait in its queue until they have passed, too.
    assert_within("loss", world.metric("t", "loss_ratio"), 0.3, 0.4);
    assert_eq!(world.limited_by("t"), "link");
    let world = path("10 Mbit/s", "100 Mbit/s", "", "", test);
    assert_eq!(world.limited_by("t"), "nic");
    // The host's own link drops more, and the next one lets less through.
    let more = test.replace("50 Mbit/s", "400 Mbit/s");
    let world = path("100 Mbit/s", "10 Mbit/s", "", "", &more);
    assert_eq!(world.limited_by("t"), "link");
}

#[test]
fn a_stream_that_loses_by_chance_is_limited_by_loss() {
    let test = "kind = \"udp\"\nrate = \"10 Mbit/s\"\nduration = \"1 s\"";
    let world = path("100 Mbit/s", "100 Mbit/s", "", "loss = 0.1", test);
    assert_eq!(world.limited_by("t"), "loss");
}

#[test]
fn a_short_transfer_is_slow_start() {
    let test = "kind = \"tcp\"\nwindow = \"10 MB\"\nbytes = \"500 kB\"";
    assert_limit(
        &path("1 Gbit/s", "1 Gbit/s", BIG, "", test),
        "cwnd_slow_start",
        0.6,
    );
}

/// A ramp of 2 s, then a full interface; what happens after the last byte is nobody's limit.
#[test]
fn five_seconds_of_a_long_fat_path_are_slow_start_and_then_the_nic() {
    let world = run_text(
        r#"
[scenario]
name = "long-fat"
[[host]]
name = "a"
mtu = 9000
txqueuelen = 50000
[[host]]
name = "b"
mtu = 9000
txqueuelen = 50000
[[link]]
name = "wire"
ends = ["a", "b"]
framing = "10gbe"
delay = "60 ms"
mtu = 9000
[[test]]
name = "t"
kind = "tcp"
cc = "cubic"
from = "a"
to = "b"
window = "200 MB"
duration = "5 s"
"#,
    );
    let shares = &world.record("t").streams[0].limited_by;
    assert!(!shares.contains_key("application"), "{shares:?}");
    assert_limit(&world, "nic", 0.6);
    assert_within("slow start", shares["cwnd_slow_start"], 0.2, 0.4);
}

/// Slow start overflows a queue, and without SACK a hole is filled each round trip for 20 s and more. What came behind the holes fills
/// the receiver's window, and yet the repair is what limits.
#[test]
fn a_repair_without_sack_is_not_the_receivers_window() {
    let world = run_text(
        r#"
[scenario]
name = "repair"
[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "r"
[[link]]
name = "lan"
ends = ["a", "r"]
framing = "gbe"
delay = "1 ms"
[[link]]
name = "wan"
ends = ["r", "b"]
rate = "100 Mbit/s"
delay = "19 ms"
queue = "1bdp"
[[test]]
name = "t"
kind = "tcp"
from = "a"
to = "b"
omit = "10 s"
duration = "12 s"
cc = "reno"
sack = false
"#,
    );
    assert_limit(&world, "cwnd_recovery", 0.9);
    let said = |n: &String| {
        n.contains("the sender was in recovery, in repairs of more than 4 round trips")
    };
    assert!(world.record("t").notes.iter().any(said));
}

/// The measurement begins after `omit`, and so does the account.
#[test]
fn what_is_omitted_is_not_accounted() {
    let test = "kind = \"tcp\"\nwindow = \"100 kB\"\nomit = \"2 s\"\nduration = \"5 s\"";
    let world = path("1 Gbit/s", "1 Gbit/s", "", "", test);
    assert_limit(&world, "receive_window", 1.0);
}

/// A page of 60 kB every 300 ms and more, beside a bulk flow that keeps the link full: while nobody reads, nothing waits for the
/// link but the other's packets. What is under way meanwhile waits with them.
#[test]
fn time_with_nothing_to_send_is_the_applications_whatever_others_queue() {
    for aqm in ["fifo", "codel", "fq-codel"] {
        let link = format!("aqm = \"{aqm}\"");
        let test = "kind = \"request\"\nblock = \"60 kB\"\nthink_time = \"300 ms\"\nomit = \"15 s\"\nduration = \"60 s\"\n\
                    [[test]]\nname = \"bulk\"\nkind = \"tcp\"\nfrom = \"b\"\nto = \"a\"\nduration = \"75 s\"";
        let world = path("1 Gbit/s", "20 Mbit/s", BIG, &link, test);
        let page = world.metric("t", "response_avg_ns") / 1e9;
        let shares = &world.record("t").streams[0].limited_by;
        let idle = 0.3 / (0.3 + page);
        let share = shares.get("application").copied().unwrap_or(0.0);
        assert!(share >= idle - 0.02, "{aqm}: {share} of {idle}: {shares:?}");
    }
    // All of a short file waits in the link's queue at once: that is the link's, though nothing more is written.
    let test = "kind = \"tcp\"\nbytes = \"4 MB\"";
    let world = path("1 Gbit/s", "5 Mbit/s", BIG, "", test);
    assert_limit(&world, "link", 0.8);
}
