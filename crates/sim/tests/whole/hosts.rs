//! Hosts with limits of their own, and what their stacks do about full queues.

use farpath_element::Drop;

use crate::world::{self, World, assert_near, assert_within, test};

/// Two hosts on a wire of 1 Gbit/s, 10 ms there and back; `a` and `b` are more keys of each.
fn pair(a: &str, b: &str, tests: &str) -> World {
    world::pair("5 ms", a, b, tests)
}

/// What TCP with timestamps leaves of 1 Gbit/s.
const CEILING: f64 = 1e9 * 1448.0 / 1538.0;

#[test]
fn a_current_stack_never_overflows_its_own_queue() {
    // Slow start runs into the interface with a window without limit; the queue of 1000 packets
    // holds 131 kB at most, which is 1.05 ms.
    let world = pair(
        "",
        "",
        &test(
            "tcp",
            "window = \"64 MiB\"\nduration = \"3 s\"\nomit = \"1 s\"",
        ),
    );
    assert_eq!(world.drops("wire", "a>b", Drop::Tail), 0);
    assert_eq!(world.metric("t", "retransmits"), 0.0);
    assert_near("goodput", world.metric("t", "goodput_bps"), CEILING, 1e-3);
    assert_eq!(world.limited_by("t"), "nic");
    let queue_max = world.outcome.built.port(0).counters().queue_max_bytes;
    assert_within("queue", queue_max as f64, 120_000.0, 134_000.0);
    // cwnd grows to twice what is in flight in slow start, and no further.
    assert_within("cwnd", world.metric("t", "cwnd_max_bytes"), 1.3e6, 2.9e6);
}

/// 45 segments of 1448 bytes are what 65 535 have room for; one end without scaling is enough.
#[test]
fn without_window_scaling_64_kib_are_in_flight() {
    let off = "window_scaling = false";
    let goodput = |a: &str, b: &str| {
        let long = test("tcp", "duration = \"3 s\"\nomit = \"1 s\"");
        let world = pair(a, b, &long);
        assert_eq!(world.limited_by("t"), "receive_window", "{a}, {b}");
        world.metric("t", "goodput_bps")
    };
    // 10 ms of wire, and 45 frames at its rate wait for each other once.
    let least = 45.0 * 1448.0 * 8.0 / 0.0102;
    for (a, b) in [(off, ""), ("", off), (off, off)] {
        assert_within("goodput", goodput(a, b), least, 65_535.0 * 8.0 / 0.01);
    }
    let world = pair("", "", &test("tcp", "duration = \"3 s\"\nomit = \"1 s\""));
    assert!(world.metric("t", "goodput_bps") > 0.9e9);
}

/// Source: over 20 ms Linux 6.18 had 567.6 kbit/s with a window of one segment (docs/models/predict.md). By the RFCs' rules the
/// receiver's timer of 40 ms is waited for as well: 11584 bits in 60 ms.
#[test]
fn a_window_of_one_segment_waits_for_no_timer_in_linux() {
    let goodput = |flavour: &str| {
        let keys = format!("window = \"1448 B\"\nduration = \"10 s\"\nflavour = \"{flavour}\"");
        let world = world::pair("10 ms", "", "", &test("tcp", &keys));
        world.metric("t", "goodput_bps") / 1e3
    };
    assert_within("Linux", goodput("linux"), 560.0, 580.0);
    assert_within("RFC", goodput("rfc"), 185.0, 197.0);
}

#[test]
fn connections_that_wait_for_an_interface_go_on_in_turn() {
    let world = pair(
        "",
        "",
        &test(
            "tcp",
            "parallel = 7\nwindow = \"64 MiB\"\nduration = \"4 s\"\nomit = \"2 s\"",
        ),
    );
    assert_eq!(world.drops("wire", "a>b", Drop::Tail), 0);
    assert_near("goodput", world.metric("t", "goodput_bps"), CEILING, 1e-3);
    assert_within("fairness", world.metric("t", "jain_index"), 0.99, 1.0);
}

#[test]
fn an_old_stack_takes_its_full_queue_for_congestion() {
    let run = |packets: u32| {
        let old = format!("profile = \"linux-2004\"\ntxqueuelen = {packets}");
        let long = test(
            "tcp",
            "window = \"8 MiB\"\nduration = \"10 s\"\nomit = \"1 s\"",
        );
        let world = pair(&old, &old, &long);
        // Nothing is lost, but the window is cut again and again.
        assert_eq!(world.drops("wire", "a>b", Drop::Tail), 0);
        assert_eq!(world.metric("t", "retransmits"), 0.0);
        assert_eq!(world.metric("t", "rtos"), 0.0);
        let queue_max = world.outcome.built.port(0).counters().queue_max_bytes;
        assert_eq!(queue_max, u64::from(packets) * 1514, "queue");
        world
    };
    // 813 frames are a round trip: half of 1813 fills the wire.
    let world = run(1000);
    assert_near("goodput", world.metric("t", "goodput_bps"), CEILING, 2e-3);
    assert_near(
        "cwnd",
        world.metric("t", "cwnd_max_bytes"),
        1813.0 * 1448.0,
        2e-3,
    );
    // 100 packets are full when slow start has hardly begun, and Reno climbs by half a segment a
    // round trip: this is why tuning guides of the time raise txqueuelen.
    let world = run(100);
    assert_within(
        "goodput",
        world.metric("t", "goodput_bps"),
        0.3 * CEILING,
        0.7 * CEILING,
    );
}

/// INFN and GARR, 2002: of 956 Mbit/s of UDP sent, the receiving host took 540.
#[test]
fn a_receiver_that_cannot_keep_up_drops() {
    // 1472 bytes each 21.807 µs are 540 Mbit/s.
    let world = pair(
        "",
        "receive_per_packet = \"21807 ns\"\nreceive_ring = 300",
        &test(
            "udp",
            "rate = \"956 Mbit/s\"\nomit = \"1 s\"\nduration = \"2 s\"",
        ),
    );
    assert_near("goodput", world.metric("t", "goodput_bps"), 540e6, 1e-3);
    assert_near(
        "loss",
        world.metric("t", "loss_ratio"),
        1.0 - 540.0 / 956.0,
        0.005,
    );
    assert_eq!(world.limited_by("t"), "host_cpu");
    let sent = world.link("wire", "a>b").frames;
    let dropped = world.drops("wire", "a>b", Drop::Host);
    assert_near(
        "dropped",
        dropped as f64,
        sent as f64 * (1.0 - 540.0 / 956.0),
        0.005,
    );
}

#[test]
fn a_sender_whose_processor_is_slow_sends_as_fast_as_that_and_loses_nothing() {
    // 10 µs and 2 ns a byte: 1500 bytes take 13 µs, and the acknowledgement of two another 1 µs.
    let slow =
        "send_per_packet = \"10 us\"\nsend_per_byte = \"2 ns\"\nreceive_per_packet = \"1 us\"";
    let world = pair(
        slow,
        "gro = \"0 s\"",
        &test(
            "tcp",
            "window = \"64 MiB\"\nomit = \"1 s\"\nduration = \"2 s\"",
        ),
    );
    let expected = 1448.0 * 8.0 / 13.5e-6;
    assert_near("tcp", world.metric("t", "goodput_bps"), expected, 5e-3);
    assert_eq!(world.metric("t", "retransmits"), 0.0);
    assert_eq!(world.limited_by("t"), "host_cpu");
    let world = pair(
        slow,
        "",
        &test("udp", "rate = \"990 Mbit/s\"\nduration = \"1 s\""),
    );
    assert_near(
        "udp",
        world.metric("t", "sent_bps"),
        1472.0 * 8.0 / 13e-6,
        1e-3,
    );
    assert_eq!(world.metric("t", "loss_ratio"), 0.0);
    assert_eq!(world.limited_by("t"), "host_cpu");
}

#[test]
fn a_bus_is_shared_by_both_ways() {
    let bus = "memory_bus = \"600 Mbit/s\"";
    let world = pair(
        bus,
        "",
        &test("udp", "rate = \"950 Mbit/s\"\nduration = \"1 s\""),
    );
    assert_near(
        "one way",
        world.metric("t", "sent_bps"),
        600e6 * 1472.0 / 1500.0,
        2e-3,
    );
    // What arrives at 400 Mbit/s leaves 200 to send.
    let both = format!(
        "{}[[test]]\nname = \"back\"\nkind = \"udp\"\nfrom = \"b\"\nto = \"a\"\nrate = \"{} kbit/s\"\nduration = \"1 s\"\n",
        test(
            "udp",
            "rate = \"950 Mbit/s\"\nomit = \"100 ms\"\nduration = \"900 ms\""
        ),
        400_000 * 1472 / 1500
    );
    let world = pair(bus, "", &both);
    assert_near(
        "what is left",
        world.metric("t", "sent_bps"),
        200e6 * 1472.0 / 1500.0,
        0.02,
    );
}

#[test]
fn processing_takes_its_time_and_answers_too() {
    let ping = test("ping", "count = 3\ninterval = \"20 ms\"");
    let bare = pair("", "", &ping).metric("t", "rtt_avg_ns");
    let slow =
        "send_per_packet = \"7 us\"\nreceive_per_packet = \"5 us\"\nreceive_per_byte = \"10 ns\"";
    let both = pair(slow, slow, &ping).metric("t", "rtt_avg_ns");
    // Each end sends once and receives 84 bytes once.
    assert_eq!(both - bare, 2.0 * (7000.0 + 5000.0 + 840.0));
}
