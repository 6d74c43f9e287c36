//! Loss recovery and hosts of their time, through the whole simulator.

use crate::world::{World, assert_near, assert_within, run_text};

fn path(link: &str, test: &str) -> World {
    run_text(&format!(
        r#"
[scenario]
name = "recovery"
[[host]]
name = "a"
txqueuelen = 50000
[[host]]
name = "b"
[[link]]
name = "pipe"
ends = ["a", "b"]
{link}
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
{test}
"#
    ))
}

/// Twelve segments of one window are lost. With SACK they are repaired in one round trip; without,
/// NewReno repairs one a round trip (RFC 6582 §3.2) and is eleven round trips behind.
#[test]
fn without_sack_several_losses_cost_a_round_trip_each() {
    let lost: Vec<String> = (0..12)
        .map(|n| format!("{{ flow = \"bulk\", segment = {} }}", 1000 + 7 * n))
        .collect();
    let link = format!(
        "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"\n[link.forward]\nlose = [{}]\n",
        lost.join(", ")
    );
    let run = |keys: &str| {
        let test = format!("cc = \"reno\"\nwindow = \"400 kB\"\nbytes = \"4 MB\"\n{keys}");
        let world = path(&link, &test);
        assert_eq!(world.metric("bulk", "retransmits"), 12.0, "{keys}");
        assert_eq!(world.metric("bulk", "rtos"), 0.0, "{keys}");
        world.metric("bulk", "completion_ns") / 1e9
    };
    let with = run("");
    let counted = run("rack = false\nreduction = \"at-once\"");
    let without = run("sack = false");
    assert!((with - counted).abs() < 0.2, "{with} s, {counted} s");
    // Between the holes it sends a window's worth a round trip, so that not all eleven are lost time.
    assert!(
        without - with > 0.5 && without - with < 1.2,
        "{with} s with SACK, {without} s without"
    );
}

/// Two segments of one window: Reno of 1990 cuts once for each (RFC 6582 §1), and has to come back from a quarter. Both cuts are one loss event:
/// three quarters of 843 segments at one a round trip of 100 ms are 63 s; one cut is made good in 42 s.
#[test]
fn losses_of_one_window_are_one_event_however_often_it_is_cut() {
    let link = "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"\nforward.lose = [{ flow = \"bulk\", segment = 20000 }, { flow = \"bulk\", segment = 20003 }]\n";
    let recovery = |keys: &str| {
        let test = format!(
            "cc = \"reno\"\ndelayed_ack = 1\nwindow = \"1221 kB\"\nduration = \"120 s\"\nsack = false\n{keys}"
        );
        path(link, &test).metric("bulk", "recovery_s")
    };
    assert_within("two repairs, one cut", recovery(""), 40.0, 44.0);
    assert_within("two cuts", recovery("newreno = false"), 60.0, 66.0);
}

/// Reno at 843 segments, cut in half: back after 42 s. A loss that is seen after the last byte was sent is not back at all, though
/// what was in flight by then was less than the window it left; nor is one that BBR saw, which cuts nothing.
#[test]
fn a_loss_in_the_last_flight_is_not_made_good() {
    let recovery = |segment: u64, cc: &str, seconds: u64| {
        let link = format!(
            "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"\nlose = {{ flow = \"bulk\", segment = {segment} }}"
        );
        let test = format!("cc = \"{cc}\"\nwindow = \"1220 kB\"\nduration = \"{seconds} s\"");
        let world = path(&link, &test);
        assert!(world.metric("bulk", "retransmits") > 0.0, "{segment}");
        world.record("bulk").metrics.get("recovery_s").copied()
    };
    for segment in [74_500, 75_600, 75_700, 76_000] {
        assert_eq!(recovery(segment, "reno", 10), None, "{segment}");
    }
    assert_near(
        "in time",
        recovery(75_700, "reno", 60).unwrap_or(0.0),
        41.634,
        0.01,
    );
    assert_eq!(recovery(20_000, "bbr", 10), None, "BBR");
}

/// While a link is down both ways acknowledgements are lost with the data, so that the next one covers most of the window: little is
/// in flight when the loss is seen. Recovery ends at the window that was in use before, as it does after the loss of one segment.
#[test]
fn after_an_outage_the_window_has_to_come_back() {
    let link = "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"";
    let down = "[[event]]\nat = \"5 s\"\nlink = \"pipe\"\nup = false\n[[event]]\nat = \"5060 ms\"\nlink = \"pipe\"\nup = true\n";
    let test = "cc = \"reno\"\nwindow = \"1220 kB\"\nduration = \"60 s\"\n";
    let world = path(link, &format!("{test}{down}"));
    assert_eq!(world.metric("bulk", "rtos"), 0.0);
    assert!(world.metric("bulk", "retransmits") > 10.0);
    let recovery = world.metric("bulk", "recovery_s");
    assert_near("back at the window", recovery, 42.0, 0.05);
}

/// The last acknowledgement comes 50 ms after the link went down, then a tail loss probe after two round trips, the timer after 0.3 s
/// more, and its answer after a round trip. Intervals of 0.1 s do not blur it.
#[test]
fn how_long_nothing_arrived_in_an_outage_is_known_to_the_frame() {
    let link = "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"";
    let down = "[[event]]\nat = \"5 s\"\nfor = \"500 ms\"\nlink = \"pipe\"\nup = false\n";
    let test = "window = \"1150 kB\"\nduration = \"20 s\"\n";
    let world = path(link, &format!("{test}{down}"));
    let notes = world.record("bulk").notes.join("; ");
    let said = "the path was down for 500.0 ms, and nothing new was delivered for ";
    assert!(notes.contains(said), "{notes}");
    let silent = 20_000.0 * world.metric("bulk", "outage_ratio");
    assert_within("silent, ms", silent, 598.0, 610.0);
}

/// A link of 580 ms goes down for 0.3 s, and what is under way arrives meanwhile: nothing new is delivered behind that, until a tail loss
/// probe has gone there and back and what was lost has followed. The note says what the series shows.
#[test]
fn an_outage_that_is_shorter_than_the_round_trip_is_a_stall_too() {
    let link = "rate = \"1 Mbit/s\"\ndelay = \"290 ms\"";
    let down = "[[event]]\nat = \"10 s\"\nfor = \"300 ms\"\nlink = \"pipe\"\nup = false\n";
    let test = "window = \"50 kB\"\nomit = \"5 s\"\nduration = \"8 s\"\n";
    let world = path(link, &format!("{test}{down}"));
    let stall = world.metric("bulk", "stall_s");
    assert_within("stall, s", stall, 0.7, 1.6);
    let notes = world.record("bulk").notes.join("; ");
    let said = "the path was down for 300.0 ms, and nothing new was delivered for ";
    assert!(notes.contains(said), "{notes}");
}

/// A link that goes down three times within four seconds is one outage: the window is back when it is what it was before the first.
/// A second outage after the window was back is another.
#[test]
fn an_outage_that_comes_back_is_one() {
    let link = "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"";
    let recovery = |outages: &[(u64, u64)]| {
        let down = outages.iter().map(|(from, to)| {
            format!("[[event]]\nat = \"{from} ms\"\nlink = \"pipe\"\nup = false\n[[event]]\nat = \"{to} ms\"\nlink = \"pipe\"\nup = true\n")
        });
        let test = "cc = \"cubic\"\nwindow = \"1220 kB\"\nduration = \"60 s\"\n";
        let world = path(link, &format!("{test}{}", down.collect::<String>()));
        world.metric("bulk", "recovery_s")
    };
    let once = recovery(&[(5000, 6000)]);
    let thrice = recovery(&[(5000, 6000), (6300, 7300), (7600, 8600)]);
    assert!(thrice > once + 2.0, "{thrice} s, {once} s of the first");
    let later = recovery(&[(5000, 6000), (30_000, 31_000)]);
    assert_near("another", later, once, 0.05);
    // Timeouts of a longer outage are taken back too, and the window is back later.
    let longer = [500, 2000, 4000].map(|ms| recovery(&[(5000, 5000 + ms)]));
    assert!(longer[1] > longer[0] + 1.0, "{longer:?} s");
    assert!(longer[2] > longer[1] + 1.0, "{longer:?} s");
}

/// E21: a path of 80 Mbit/s whose round trip goes from 370 to 300 to 250 ms at 60 and 120 s, a window
/// of 1 MB. A route that becomes shorter must not look like a loss. Own calculation: W·8/RTT.
#[test]
fn a_route_that_becomes_shorter_causes_no_timeout() {
    let changes = "[[event]]\nat = \"60 s\"\nlink = \"pipe\"\ndelay = \"150 ms\"\n\
        [[event]]\nat = \"120 s\"\nlink = \"pipe\"\ndelay = \"125 ms\"";
    for host in [
        "cc = \"reno\"",
        "cc = \"cubic\"",
        "rack = false",
        "sack = false",
    ] {
        let link = "rate = \"80 Mbit/s\"\ndelay = \"185 ms\"\n";
        let world = path(
            link,
            &format!("window = \"1 MB\"\nomit = \"130 s\"\nduration = \"50 s\"\n{host}\n{changes}"),
        );
        assert_eq!(world.metric("bulk", "rtos"), 0.0, "{host}");
        assert_eq!(world.metric("bulk", "retransmits"), 0.0, "{host}");
        assert_near(host, world.metric("bulk", "goodput_bps"), 32e6, 0.02);
    }
}

/// A lost tail: a host of 1999 waits for its coarse timer, one of today sends a probe.
#[test]
fn a_lost_tail_costs_a_second_in_1999_and_two_round_trips_now() {
    let run = |profile: &str| {
        let world = run_text(&format!(
            r#"
[scenario]
name = "tail"
[[host]]
name = "a"
profile = "{profile}"
[[host]]
name = "b"
profile = "{profile}"
[[link]]
name = "pipe"
ends = ["a", "b"]
rate = "100 Mbit/s"
delay = "20 ms"
[link.forward]
lose = [{{ flow = "bulk", segment = 18 }}, {{ flow = "bulk", segment = 19 }}]
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
bytes = "28960 B"
window = "64 kB"
"#
        ));
        assert_eq!(world.metric("bulk", "bytes"), 28_960.0);
        (
            world.metric("bulk", "completion_ns") / 1e6,
            world.metric("bulk", "rtos"),
        )
    };
    let (old, old_timeouts) = run("bsd-1999");
    let (new, new_timeouts) = run("linux-6");
    assert_eq!((old_timeouts, new_timeouts), (1.0, 0.0));
    assert!(old > 1000.0, "{old} ms");
    // Handshake, two rounds, a probe after two round trips and 2 ms, its repair: 7 round trips.
    assert!(new < 320.0, "{new} ms");
}

/// Most ACKs are lost in a thin way back, and the first that passes a retransmission is of a segment that left after it. Losses were taken
/// back for it: 0.885 s to repair what a kernel repairs in 11.8 s.
#[test]
fn a_real_loss_is_not_taken_back_where_acks_are_lost() {
    let recovery = |back: &str| {
        let link = format!(
            r#"
delay = "280 ms"
[link.forward]
rate = "20 Mbit/s"
lose = [{{ flow = "bulk", segment = 7000 }}, {{ flow = "bulk", segment = 10000 }}]
[link.reverse]
rate = "{back}"
queue = "50 packets""#
        );
        let world = path(&link, "window = \"600 kB\"\nduration = \"60 s\"");
        world.metric("bulk", "recovery_s")
    };
    let (wide, thin) = (recovery("1 Mbit/s"), recovery("128 kbit/s"));
    assert!(wide > 8.0, "{wide} s");
    // The answer to the repair may be lost, too: then a timeout ends the recovery.
    assert!(
        thin > 0.5 * wide,
        "{thin} s with a thin way back, {wide} s with a wide one"
    );
}

/// What is gathered behind a gap is answered, though what was gathered before the gap is acknowledged first: by duplicate ACKs and
/// SACKs, and not after a timeout.
#[test]
fn a_loss_anywhere_in_a_row_is_repaired_without_a_timer() {
    for segment in 290..312 {
        let text = format!(
            r#"
[scenario]
name = "row"
[[host]]
name = "a"
[[host]]
name = "b"
[[link]]
name = "l"
ends = ["a", "b"]
framing = "10gbe"
delay = "10 ms"
[link.forward]
lose = {{ flow = "t", segment = {segment} }}
[[test]]
name = "t"
kind = "tcp"
cc = "reno"
from = "a"
to = "b"
window = "20 kB"
duration = "2 s"
"#
        );
        let world = run_text(&text);
        let metric = |name| world.metric("t", name);
        let counts = ["retransmits", "loss_events", "rtos"].map(metric);
        assert_eq!(counts, [1.0, 1.0, 0.0], "segment {segment}");
    }
}
