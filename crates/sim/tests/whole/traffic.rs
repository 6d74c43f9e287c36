//! Tests as programs: UDP, TCP in all its options, transfers, what the headers cost.

use std::collections::BTreeMap;

use farpath_scenario::plan::Plan;
use farpath_sim::Program;
use farpath_wire::Kind;

use crate::world::{World, assert_near, assert_within, run_in, run_scenario, run_text, scenario};

/// a - b, 100 Mbit/s Ethernet, 10 ms one way.
fn pair(tests: &str) -> World {
    run_text(&text(tests))
}

fn text(tests: &str) -> String {
    format!(
        r#"
[scenario]
name = "pair"
[[host]]
name = "a"
txqueuelen = 10000
[[host]]
name = "b"
txqueuelen = 10000
[[link]]
name = "wire"
ends = ["a", "b"]
framing = "fe"
delay = "10 ms"
{tests}
"#
    )
}

fn test(kind: &str, more: &str) -> String {
    format!("[[test]]\nname = \"t\"\nkind = \"{kind}\"\nfrom = \"a\"\nto = \"b\"\n{more}\n")
}

#[test]
fn a_constant_stream_keeps_its_rate_exactly_and_has_no_jitter() {
    let world = pair(&test(
        "udp",
        "rate = \"10 Mbit/s\"\nsize = 1250\nduration = \"2 s\"",
    ));
    assert_eq!(world.metric("t", "sent"), 2000.0);
    assert_eq!(world.metric("t", "sent_bps"), 10e6);
    assert_eq!(world.metric("t", "loss_ratio"), 0.0);
    assert_eq!(world.metric("t", "jitter_ns"), 0.0);
    // 10.1 ms of the stream are under way when the measurement ends: eleven datagrams.
    assert_within("goodput", world.metric("t", "goodput_bps"), 9.94e6, 9.95e6);
}

#[test]
fn a_poisson_stream_has_its_mean_rate_and_exponential_gaps() {
    let poisson = test(
        "udp",
        "rate = \"10 Mbit/s\"\nsize = 125\narrivals = \"poisson\"\nduration = \"4 s\"",
    );
    let world = pair(&poisson);
    // 40 000 datagrams are expected, with a standard deviation of 200.
    assert_within("sent", world.metric("t", "sent"), 39_200.0, 40_800.0);
    assert!(world.metric("t", "jitter_ns") > 1000.0);
    assert_eq!(pair(&poisson).json(), world.json(), "same seed");
    let other = run_in(
        scenario(&text(&poisson)),
        farpath_element::Mode::Windowed(farpath_sim::WINDOW),
        2,
    );
    assert_ne!(
        other.metric("t", "sent"),
        world.metric("t", "sent"),
        "another seed"
    );
}

#[test]
fn a_stream_above_the_rate_loses_what_does_not_fit() {
    // 1472 of 1538 bytes: 95.7 Mbit/s fit. The queue of 10 000 packets fills in 2.6 s.
    let world = pair(&test(
        "udp",
        "rate = \"150 Mbit/s\"\nomit = \"4 s\"\nduration = \"2 s\"",
    ));
    let fits = 100e6 * 1472.0 / 1538.0;
    assert_near("goodput", world.metric("t", "goodput_bps"), fits, 0.001);
    assert_near(
        "loss",
        world.metric("t", "loss_ratio"),
        1.0 - fits / 150e6,
        0.005,
    );
    assert_eq!(world.limited_by("t"), "nic");
}

/// A queue of 1000 packets in front of 1 Mbit/s holds 12.3 s: what waits in it when the test ends arrives, and is not lost.
#[test]
fn what_waits_in_a_long_queue_at_the_end_is_not_lost() {
    let world = run_text(
        r#"
[scenario]
name = "slow"
[[host]]
name = "a"
[[router]]
name = "r"
[[host]]
name = "b"
[[link]]
name = "near"
ends = ["a", "r"]
rate = "100 Mbit/s"
[[link]]
name = "far"
ends = ["r", "b"]
rate = "1 Mbit/s"
queue = "1000 packets"
[[test]]
name = "t"
kind = "udp"
from = "a"
to = "b"
rate = "10 Mbit/s"
omit = "5 s"
duration = "5 s"
"#,
    );
    let fits = 1e6 * 1472.0 / 1538.0;
    let loss = 1.0 - fits / 10e6;
    assert_near("loss", world.metric("t", "loss_ratio"), loss, 0.005);
    assert_near("goodput", world.metric("t", "goodput_bps"), fits, 0.01);
    assert_eq!(world.limited_by("t"), "link");
    let notes = &world.record("t").notes;
    let untrue = notes.iter().find(|n| n.contains("still under way"));
    assert_eq!(untrue, None);
}

/// Until it is full the queue takes up what the line does not carry, in a forecast as in a simulation: 117.8 Mbit of the 217 that come
/// in four seconds beside 95.7 Mbit/s.
#[test]
fn a_forecast_of_a_stream_fills_the_queue_first() {
    let world = pair(&test("udp", "rate = \"150 Mbit/s\"\nduration = \"4 s\""));
    let plan = Plan::new(&world.scenario).expect("a plan");
    let forecast = farpath_scenario::forecast(&world.scenario, &plan, &BTreeMap::new());
    for metric in ["loss_ratio", "goodput_bps"] {
        let foreseen = forecast[0].metrics[metric];
        assert_near(metric, foreseen, world.metric("t", metric), 0.01);
    }
}

/// What is lost in front of a full link leaves it full, and what is lost behind it has taken its time there; 11 Mbit/s of which a fifth
/// is lost in front do not fill 10.
#[test]
fn a_forecast_has_losses_in_front_of_a_full_link_and_behind_it() {
    for (mbps, near, far, fits) in [
        (20, "loss = 0.2", "", 1.0),
        (20, "", "loss = 0.2", 0.8),
        (11, "loss = 0.2", "", 0.8 * 1.1 * 1538.0 / 1472.0),
    ] {
        let world = run_text(&format!(
            "[scenario]\nname = \"lossy\"\n[[host]]\nname = \"a\"\n[[router]]\nname = \"r\"\n[[host]]\nname = \"b\"\n\
             [[link]]\nname = \"near\"\nends = [\"a\", \"r\"]\nrate = \"1 Gbit/s\"\n[link.forward]\n{near}\n\
             [[link]]\nname = \"far\"\nends = [\"r\", \"b\"]\nrate = \"10 Mbit/s\"\nqueue = \"100 packets\"\n[link.forward]\n{far}\n{}",
            test(
                "udp",
                &format!("rate = \"{mbps} Mbit/s\"\nomit = \"1 s\"\nduration = \"10 s\"")
            )
        ));
        let plan = Plan::new(&world.scenario).expect("a plan");
        let forecast = farpath_scenario::forecast(&world.scenario, &plan, &BTreeMap::new());
        let foreseen = forecast[0].metrics["goodput_bps"];
        let case = format!("{mbps} Mbit/s, {near}, {far}");
        assert_near(&case, foreseen, fits * 10e6 * 1472.0 / 1538.0, 1e-6);
        // Some 8000 datagrams are drawn.
        assert_near(&case, world.metric("t", "goodput_bps"), foreseen, 0.02);
    }
}

#[test]
fn tcp_fills_the_wire_but_for_its_headers_and_frames() {
    for (ip, timestamps, headers) in [(4, true, 52), (4, false, 40), (6, true, 72), (6, false, 60)]
    {
        let options = format!(
            "ip = {ip}\ntimestamps = {timestamps}\nwindow = \"1 MB\"\nomit = \"2 s\"\nduration = \"2 s\""
        );
        let world = pair(&test("tcp", &options));
        let ceiling = 100e6 * f64::from(1500 - headers) / 1538.0;
        assert_near(&options, world.metric("t", "goodput_bps"), ceiling, 1e-3);
        assert_eq!(world.metric("t", "retransmits"), 0.0);
    }
}

#[test]
fn data_flows_back_in_a_reversed_test() {
    let world = pair(&test(
        "tcp",
        "reverse = true\nwindow = \"100 kB\"\nomit = \"1 s\"\nduration = \"2 s\"",
    ));
    assert_eq!(world.link("wire", "a>b").payload_bytes, 0);
    let bytes = world.metric("t", "bytes");
    assert_eq!(world.link("wire", "b>a").payload_bytes as f64, bytes);
    // 100 kB each 20.1 ms.
    assert_near("goodput", world.metric("t", "goodput_bps"), 39.7e6, 0.03);
    let record = world.record("t");
    assert_eq!((record.from.as_str(), record.to.as_str()), ("a", "b"));
}

/// An event's link loses what is offered in a direction from `down` until `up`.
fn outage(direction: &str, down: &str, up: &str) -> String {
    let event = |at: &str, up: bool| {
        format!(
            "[[event]]\nat = \"{at}\"\nlink = \"wire\"\ndirection = \"{direction}\"\nup = {up}\n"
        )
    };
    event(down, false) + &event(up, true)
}

/// Data that is fetched leaves when the ACK of its sender's SYN-ACK arrives: two round trips of 20 ms to the last byte, where
/// one and a half are enough for what is sent. What is lost of the handshake costs the second after which it is repeated.
#[test]
fn who_fetches_opens_the_connection() {
    let fetched = test("tcp", "reverse = true\nbytes = \"1 B\"");
    let sent = test("tcp", "bytes = \"1 B\"");
    let took_ms = |world: &World| world.metric("t", "completion_ns") / 1e6;
    for (case, text, ms) in [
        ("sent", sent, 30.0),
        ("fetched", fetched.clone(), 40.0),
        (
            "no SYN",
            fetched.clone() + &outage("forward", "0 s", "5 ms"),
            1040.0,
        ),
        (
            "no SYN-ACK",
            fetched.clone() + &outage("reverse", "9 ms", "15 ms"),
            1040.0,
        ),
        (
            "no ACK",
            fetched.clone() + &outage("forward", "19 ms", "25 ms"),
            1040.0,
        ),
    ] {
        let world = pair(&text);
        assert_within(case, took_ms(&world), ms, ms + 0.1);
        assert_eq!(world.metric("t", "bytes"), 1.0, "{case}");
    }
    let world =
        run_text(&text(&fetched).replace("framing = \"fe\"", "framing = \"fe\"\ntap = true"));
    let opening: Vec<_> = world
        .tapped
        .iter()
        .take(3)
        .map(|(_, f)| (f.kind, f.flow.is_reverse()))
        .collect();
    let wanted = [(Kind::Syn, true), (Kind::SynAck, false), (Kind::Ack, true)];
    assert_eq!(opening, wanted);
}

/// The SYN of who fetches is given up as any other, and the run ends.
#[test]
fn a_call_that_nobody_answers_is_given_up() {
    let world =
        pair(&(test("tcp", "reverse = true\nbytes = \"1 B\"") + &outage("both", "0 s", "400 s")));
    assert!(!world.record("t").metrics.contains_key("completion_ns"));
    let notes = &world.record("t").notes;
    let said = |note: &String| note.contains("the receiver gave up") && note.contains("its SYN");
    assert!(notes.iter().any(said), "{notes:?}");
}

/// A forecast of what is fetched has the half round trip more.
#[test]
fn what_is_fetched_is_forecast_to_come_later() {
    let took = |more: &str| {
        let world = pair(&test(
            "tcp",
            &format!("bytes = \"1 MB\"\nwindow = \"10 MB\"\n{more}"),
        ));
        let plan = Plan::new(&world.scenario).expect("a plan");
        let forecast = farpath_scenario::forecast(&world.scenario, &plan, &BTreeMap::new());
        let foreseen = forecast[0].metrics["completion_ns"];
        assert_near(more, foreseen, world.metric("t", "completion_ns"), 0.02);
        [foreseen, world.metric("t", "completion_ns")]
    };
    let (sent, fetched) = (took(""), took("reverse = true"));
    for (later, sooner) in fetched.into_iter().zip(sent) {
        assert_within("half a round trip", later - sooner, 9.9e6, 10.2e6);
    }
}

#[test]
fn parallel_streams_share_and_add_up() {
    let world = pair(&test(
        "tcp",
        "parallel = 4\nwindow = \"50 kB\"\nomit = \"1 s\"\nduration = \"3 s\"",
    ));
    let record = world.record("t");
    assert_eq!(record.streams.len(), 4);
    let sum: f64 = record
        .streams
        .iter()
        .map(|s| s.metrics["goodput_bps"])
        .sum();
    assert_eq!(world.metric("t", "goodput_bps"), sum);
    // Four windows of 50 kB in 20 ms and a little.
    assert_near("goodput", sum, 78e6, 0.03);
    assert_within("fairness", world.metric("t", "jain_index"), 0.999, 1.0);
    for stream in &record.streams {
        let shares: f64 = stream.limited_by.values().sum();
        assert_near("shares", shares, 1.0, 1e-9);
    }
}

#[test]
fn a_transfer_ends_with_its_last_byte() {
    let world = pair(&test("tcp", "bytes = \"1 MB\"\nwindow = \"10 MB\""));
    assert_eq!(world.metric("t", "bytes"), 1e6);
    // The handshake's round trip, then slow start from 10 segments: 10 20 40 80 160 320 ... of
    // which the wire's pipe of 164 frames is full in the fifth round. 691 segments in all.
    let seconds = world.metric("t", "completion_ns") / 1e9;
    assert_within("completion", seconds, 0.15, 0.20);
    assert_near(
        "goodput",
        world.metric("t", "goodput_bps"),
        8e6 / seconds,
        1e-9,
    );
    // One byte takes the handshake, which is one round trip, and half of another.
    let world = pair(&test("tcp", "bytes = \"1 B\""));
    assert_within("one byte", world.metric("t", "completion_ns"), 30e6, 30.1e6);
    assert_eq!(world.link("wire", "a>b").payload_bytes, 1);
}

#[test]
fn a_window_is_exact_and_a_socket_buffer_follows_the_kernels_rules() {
    let in_flight = |world: &World| {
        let series = &world.record("t").series["in_flight_bytes"].v;
        series.iter().fold(0.0_f64, |a, b| a.max(*b))
    };
    // Whole segments of 1448 bytes.
    let whole = |bytes: f64| (bytes / 1448.0).floor() * 1448.0;
    let world = pair(&test("tcp", "window = \"100 kB\"\nduration = \"2 s\""));
    assert_eq!(in_flight(&world), whole(100_000.0));
    // A current Linux doubles the request and offers the payload's share of it: as much of that as the window's scale can
    // say, which was chosen for what was asked for. A sender with super-frames fills that.
    let world = pair(&test(
        "tcp",
        "socket_buffer = \"100 kB\"\nduration = \"2 s\"",
    ));
    assert_eq!(in_flight(&world), 2.0 * 65_535.0);
    // More than rmem_max is clamped.
    let world = pair(&test(
        "tcp",
        "socket_buffer = \"10 MB\"\nduration = \"2 s\"",
    ));
    // The last 52 bytes of that leave only in the super-frame of a whole segment before them.
    assert_within(
        "in flight",
        in_flight(&world),
        whole(4.0 * 65_535.0),
        4.0 * 65_535.0,
    );
}

#[test]
fn the_interface_may_be_slower_than_the_link() {
    let slow = text(&test(
        "udp",
        "rate = \"20 Mbit/s\"\nsize = 1212\nduration = \"1 s\"",
    ))
    .replacen("name = \"a\"\n", "name = \"a\"\nnic = \"10 Mbit/s\"\n", 1);
    let world = run_text(&slow);
    // 1212 of payload are 1278 on the wire.
    assert_near(
        "goodput",
        world.metric("t", "goodput_bps"),
        10e6 * 1212.0 / 1278.0,
        0.02,
    );
    // Twice the rate for one second: the last datagram comes after two.
    let built = &world.outcome.built;
    let Some(Program::UdpSink(sink)) = built.station(1).program(farpath_wire::FlowDir::forward(0))
    else {
        panic!("the sink");
    };
    assert_near("last", sink.last.as_ns() as f64, 2.12e9, 0.01);
}

#[test]
fn the_longest_datagrams_are_carried() {
    let jumbo = |size: u32| {
        format!(
            "[scenario]\nname = \"jumbo\"\n[[host]]\nname = \"a\"\nmtu = 65535\n[[host]]\nname = \"b\"\nmtu = 65535\n[[link]]\nname = \"wire\"\nends = [\"a\", \"b\"]\nframing = \"none\"\nrate = \"10 Gbit/s\"\nmtu = 65535\n{}",
            test(
                "udp",
                &format!("rate = \"1 Gbit/s\"\nsize = {size}\nduration = \"10 ms\"")
            )
        )
    };
    let world = run_text(&jumbo(65_507));
    assert_eq!(world.metric("t", "loss_ratio"), 0.0);
    assert_eq!(
        world.link("wire", "a>b").bytes,
        world.link("wire", "a>b").frames * 65_535
    );
}

/// What never came about has no metric, and says why: a transfer, requests and flows through a link that fails, a queue
/// that nothing entered.
#[test]
fn what_did_not_complete_has_no_completion() {
    let fails = "[[event]]\nat = \"50 ms\"\nlink = \"l\"\nup = false\n";
    for (kind, more, absent) in [
        (
            "tcp",
            "bytes = \"10 MB\"",
            &["completion_ns", "goodput_bps"][..],
        ),
        (
            "tcp",
            "bytes = \"10 MB\"\nduration = \"2 s\"",
            &["completion_ns"],
        ),
        (
            "tcp",
            "bytes = \"10 MB\"\nparallel = 2\nduration = \"2 s\"",
            &["completion_ns"],
        ),
        ("tcp", "duration = \"2 s\"", &["completion_ns"]),
        (
            "request",
            "block = \"200 kB\"\nduration = \"2 s\"",
            &["completion_ns"],
        ),
        (
            "transfer",
            "files = 3\nfile_size = \"4 MB\"\nduration = \"2 s\"",
            &["completion_ns"],
        ),
        (
            "request",
            "requests = 1000\nblock = \"20 kB\"\nduration = \"2 s\"",
            &["completion_ns"],
        ),
        (
            "flows",
            "flows = 20\nspacing = \"10 ms\"\nduration = \"2 s\"\nsizes = { kind = \"fixed\", size = \"100 kB\" }",
            &["completion_ns"],
        ),
    ] {
        let text = format!(
            "[scenario]\nname = \"t\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n\
             [[link]]\nname = \"l\"\nends = [\"a\", \"b\"]\nrate = \"100 Mbit/s\"\ndelay = \"5 ms\"\n\
             [[test]]\nname = \"t\"\nkind = \"{kind}\"\nfrom = \"a\"\nto = \"b\"\n{more}\n{fails}"
        );
        let world = run_text(&text);
        let record = world.record("t");
        for metric in absent {
            assert!(!record.metrics.contains_key(*metric), "{kind} {metric}");
            assert!(record.absent.contains_key(*metric), "{kind} {metric}");
        }
        assert!(record.metrics["bytes"] > 0.0, "{kind}");
    }
}

/// A window holds each to 8 Mbit/s, and nothing else does: what it carries is its own time's.
#[test]
fn connections_of_one_test_that_start_apart_carry_for_their_own_time() {
    for (kind, more) in [
        ("tcp", ""),
        ("request", "block = \"20 kB\"\noutstanding = 4\n"),
    ] {
        let keys = format!(
            "{more}parallel = 4\nwindow = \"20 kB\"\nstart_spread = \"5 s\"\nduration = \"10 s\""
        );
        let mut scenario = scenario(&text(&test(kind, &keys)));
        scenario.draw_starts(7);
        let world = run_scenario(scenario);
        let test = &world.scenario.tests[0];
        let own = |n| 10.0 - test.start_of(n).since(test.start).as_secs_f64();
        assert!(own(3) < 9.0, "the seed spreads them");
        let streams = &world.record("t").streams;
        assert_eq!(streams.len(), 4);
        for stream in streams {
            let carried = stream.metrics["bytes"] / streams[0].metrics["bytes"];
            let what = format!("{kind}, stream {}", stream.stream);
            assert_near(&what, carried, own(stream.stream) / own(0), 0.01);
        }
    }
}

/// Where nothing ever arrives, the limit is what took it all, of connections too that were never open; and an order to lose
/// every n-th frame says when fewer came.
#[test]
fn what_took_everything_is_the_limit() {
    let run = |link: &str, kind: &str, more: &str| {
        run_text(&format!(
            "[scenario]\nname = \"t\"\n[[host]]\nname = \"a\"\n[[host]]\nname = \"b\"\n\
             [[link]]\nname = \"l\"\nends = [\"a\", \"b\"]\nrate = \"100 Mbit/s\"\ndelay = \"5 ms\"\n{link}\n\
             [[test]]\nname = \"t\"\nkind = \"{kind}\"\nfrom = \"a\"\nto = \"b\"\nduration = \"3 s\"\n{more}\n"
        ))
    };
    let flows = "flows = 5\nspacing = \"100 ms\"\nsizes = { kind = \"fixed\", size = \"100 kB\" }";
    for (kind, more) in [
        ("request", "block = \"20 kB\""),
        ("flows", flows),
        ("tcp", ""),
    ] {
        for link in ["loss = 1.0", "forward.loss = 1.0", "reverse.loss = 1.0"] {
            let world = run(link, kind, more);
            let limit = world.record("t").limited_by.clone();
            assert_eq!(limit.as_deref(), Some("loss"), "{kind}, {link}");
        }
    }
    let noted = |n: u64| {
        let world = run(&format!("forward.lose_every = {n}"), "tcp", "");
        let notes = world.record("t").notes.join("\n");
        notes.contains(&format!(
            "every {n}th frame was to be lost on link l, a>b, and "
        ))
    };
    assert!(noted(1_000_000));
    assert!(!noted(10_000));
}
