//! Links that change while traffic is under way.

use farpath_element::Drop;
use farpath_wire::{FlowDir, Kind};

use crate::world::{World, assert_near, assert_within, run_text};

/// a - r - b, the second link changing.
fn changing(delay: &str, reorder: bool, tests: &str, events: &str) -> World {
    run_text(&format!(
        r#"
[scenario]
name = "changing"
[[host]]
name = "a"
[[host]]
name = "b"
[[router]]
name = "r"
[[link]]
name = "a"
ends = ["a", "r"]
framing = "none"
rate = "1 Gbit/s"
[[link]]
name = "wan"
ends = ["r", "b"]
framing = "none"
rate = "10 Mbit/s"
delay = "{delay}"
reorder = {reorder}
queue = "2000 packets"
tap = true
{tests}
{events}
"#
    ))
}

fn event(at: &str, what: &str) -> String {
    format!("[[event]]\nat = \"{at}\"\nlink = \"wan\"\n{what}\n")
}

const PING: &str = "[[test]]\nname = \"ping\"\nkind = \"ping\"\nfrom = \"a\"\nto = \"b\"\ncount = 30\ninterval = \"100 ms\"\nsize = 84\n";
const STREAM: &str = "[[test]]\nname = \"stream\"\nkind = \"udp\"\nfrom = \"a\"\nto = \"b\"\nrate = \"2 Mbit/s\"\nsize = 972\nduration = \"3 s\"\n";
const BULK: &str = "[[test]]\nname = \"bulk\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nwindow = \"64 kB\"\nduration = \"20 s\"\n";

/// The values of a ping's RTTs in milliseconds, by time in milliseconds.
fn rtts(world: &World) -> Vec<(u64, f64)> {
    let series = &world.record("ping").series["rtt_ns"];
    let times = series.t_ns.iter().map(|t| t / 1_000_000);
    times.zip(series.v.iter().map(|v| v / 1e6)).collect()
}

#[test]
fn a_delay_changes_for_frames_that_leave_from_then_on() {
    let up = event("1 s", "delay = \"50 ms\"");
    let down = event("2 s", "delay = \"10 ms\"");
    let world = changing("20 ms", false, PING, &(up + &down));
    assert_eq!(world.metric("ping", "received"), 30.0);
    for (t, rtt) in rtts(&world) {
        // A request that leaves before an event may come back after it.
        let expected = match t {
            0..=900 => 40.0,
            1000..=1900 => 100.0,
            _ => 20.0,
        };
        assert_within(&format!("RTT at {t} ms"), rtt, expected, expected + 0.3);
    }
}

#[test]
fn a_shorter_delay_keeps_the_order_unless_overtaking_is_allowed() {
    let shorter = event("1.5 s", "delay = \"1 ms\"\ndirection = \"forward\"");
    let fifo = changing("100 ms", false, STREAM, &shorter);
    assert_eq!(fifo.metric("stream", "reordered"), 0.0);
    let free = changing("100 ms", true, STREAM, &shorter);
    // What was on the wire, 99 ms at 257.2 datagrams a second, arrives after younger ones.
    assert_within("reordered", free.metric("stream", "reordered"), 25.0, 26.0);
    for world in [fifo, free] {
        assert_eq!(world.metric("stream", "loss_ratio"), 0.0);
    }
}

#[test]
fn a_change_of_rate_takes_effect_with_the_next_frame_of_a_standing_queue() {
    // 20 Mbit/s offered for 1 s to 10: half a second's worth of the wire waits, then the rate is
    // doubled at 1 s and the rest leaves in 0.5 s.
    let stream = "[[test]]\nname = \"stream\"\nkind = \"udp\"\nfrom = \"a\"\nto = \"b\"\nrate = \"19440 kbit/s\"\nsize = 972\nduration = \"1 s\"\n";
    let world = changing(
        "20 ms",
        false,
        stream,
        &event("1 s", "rate = \"20 Mbit/s\""),
    );
    let dir = FlowDir::forward(0);
    let times: Vec<f64> = world
        .tapped
        .iter()
        .filter(|(_, f)| f.flow == dir)
        .map(|(_, f)| f.at.as_ps() as f64 / 1e12)
        .collect();
    assert_eq!(times.len(), 2500);
    assert_eq!(world.metric("stream", "loss_ratio"), 0.0);
    let before = times.iter().filter(|t| **t <= 1.0).count();
    // 0.8 ms a frame of 1000 bytes at 10 Mbit/s.
    assert_within("sent by 1 s", before as f64, 1249.0, 1250.0);
    assert_within(
        "the last one",
        *times.last().expect("frames"),
        1.4995,
        1.501,
    );
    let gap = times[2000] - times[1999];
    assert_near("gap", gap, 0.4e-3, 1e-9);
}

#[test]
fn what_is_offered_to_a_link_that_is_down_is_dropped_and_tcp_survives() {
    let down = event("5 s", "up = false") + &event("8 s", "up = true");
    let world = changing("20 ms", false, BULK, &down);
    assert!(world.metric("bulk", "rtos") >= 2.0);
    assert!(world.drops("wan", "r>b", Drop::Down) > 0);
    let series = &world.record("bulk").series["goodput_bps"];
    let between = |from: u64, to: u64| {
        let inside = series.t_ns.iter().zip(&series.v);
        let inside = inside.filter(|(t, _)| (from..to).contains(&(**t / 1_000_000)));
        inside.map(|(_, v)| *v).fold(0.0, f64::max)
    };
    assert_eq!(between(5600, 8000), 0.0, "nothing arrives while it is down");
    assert!(between(3000, 5000) > 9e6, "full before");
    assert!(between(14_000, 20_000) > 9e6, "full again after");
}

/// 131 s is what Linux 6.18 waits for an answer to a SYN; a transfer without an end of its own ends with it.
#[test]
fn a_transfer_over_a_link_that_is_down_is_given_up() {
    let bulk =
        "[[test]]\nname = \"bulk\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\nbytes = \"100 MB\"\n";
    let never = changing("20 ms", false, bulk, &event("0 s", "up = false"));
    let note = |world: &World| world.record("bulk").notes.join("; ");
    assert!(
        note(&never).contains("gave up after 131.0 s: nobody answered its SYN"),
        "{}",
        note(&never)
    );
    let later = changing("20 ms", false, bulk, &event("10 s", "up = false"));
    assert!(note(&later).contains("tcp_retries2"), "{}", note(&later));
    let record = later.record("bulk");
    assert!(!record.metrics.contains_key("completion_ns"));
    assert!(
        (934e9..1060e9).contains(&(record.duration_ns as f64)),
        "{}",
        record.duration_ns
    );
}

/// Bit by bit: the records of tests and links, and every frame.
#[test]
fn an_event_that_ends_is_a_pair_of_events() {
    let tests = format!("{BULK}{PING}");
    for (change, back) in [
        ("up = false", "up = true"),
        ("rate = \"2 Mbit/s\"", "rate = \"10 Mbit/s\""),
        ("delay = \"50 ms\"", "delay = \"20 ms\""),
        ("queue = \"5 packets\"", "queue = \"2000 packets\""),
        ("loss = 0.02", "loss = 0"),
    ] {
        let ended = event("1.5 s", &format!("for = \"700 ms\"\n{change}"));
        let ended = changing("20 ms", false, &tests, &ended);
        let pair = event("1.5 s", change) + &event("2.2 s", back);
        let pair = changing("20 ms", false, &tests, &pair);
        let never = changing("20 ms", false, &tests, "");
        assert_eq!(ended.records, pair.records, "{change}");
        assert_eq!(ended.links, pair.links, "{change}");
        assert!(ended.tapped == pair.tapped, "{change}");
        assert!(ended.tapped != never.tapped, "{change}");
    }
}

#[test]
fn losses_change_with_an_event_and_end_with_it() {
    let on = event("1 s", "lose_every = 10\ndirection = \"forward\"");
    let off = event("2 s", "loss = 0\ndirection = \"forward\"");
    let world = changing("20 ms", false, STREAM, &(on + &off));
    // 2 Mbit/s of 972-byte payloads: 257.2 a second, a tenth of them in the middle one.
    let lost = world.drops("wan", "r>b", Drop::EveryNth);
    assert_eq!(world.drops("wan", "r>b", Drop::Error), 0);
    assert!((25..=26).contains(&lost), "{lost}");
    assert_eq!(
        world.metric("stream", "sent") - world.metric("stream", "received"),
        lost as f64
    );
}

#[test]
fn a_smaller_queue_drops_from_then_on_and_keeps_what_waits() {
    let stream = "[[test]]\nname = \"stream\"\nkind = \"udp\"\nfrom = \"a\"\nto = \"b\"\nrate = \"19440 kbit/s\"\nsize = 972\nduration = \"1 s\"\n";
    let world = changing(
        "20 ms",
        false,
        stream,
        &event("0.5 s", "queue = \"10 packets\""),
    );
    // 625 wait at 0.5 s; from then on nothing enters until they have gone, at 1 s.
    let lost = world.metric("stream", "sent") - world.metric("stream", "received");
    assert_within("lost", lost, 1220.0, 1250.0);
    assert_eq!(world.drops("wan", "r>b", Drop::Tail), lost as u64);
    assert!(world.tapped.iter().all(|(_, f)| f.kind == Kind::Udp));
}

/// The host's own link: its stack holds a connection back by the old rate, and lets it go on when the rate is raised.
#[test]
fn a_rate_of_a_hosts_own_link_is_raised_and_lowered_under_way() {
    let own = |at: &str, rate: &str| {
        format!("[[event]]\nat = \"{at}\"\nlink = \"a\"\nrate = \"{rate}\"\n")
    };
    for (rates, least) in [
        (["5 Mbit/s", "9 Mbit/s"], 7e6),
        (["2 Mbit/s", "1 Gbit/s"], 5e6),
        (["1 Mbit/s", "2 Mbit/s"], 1.4e6),
    ] {
        let [slow, fast] = rates;
        let events = own("1 s", slow) + &own("6 s", fast);
        let world = changing("20 ms", false, BULK, &events);
        let goodput = world.metric("bulk", "goodput_bps");
        assert_within(&format!("{rates:?}"), goodput, least, 10e6);
    }
}
