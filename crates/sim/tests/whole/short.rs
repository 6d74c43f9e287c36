//! Transfers of a few round trips: what is forecast of them is what a simulation has.

use std::collections::BTreeMap;

use farpath_record::Record;
use farpath_scenario::forecast;
use farpath_scenario::plan::Plan;

use crate::world::{World, run_text};

/// A test from `a` behind a router to `b`.
fn transfer(line: &str, test: &str) -> (World, Record) {
    transfer_over(("1500 B", line), test)
}

/// The same with an MTU.
fn transfer_over((mtu, line): (&str, &str), test: &str) -> (World, Record) {
    let world = run_text(&format!(
        "[scenario]\nname = \"short\"\n[[host]]\nname = \"a\"\n[[router]]\nname = \"r\"\n[[host]]\nname = \"b\"\n\
         [[link]]\nname = \"access\"\nends = [\"a\", \"r\"]\nframing = \"10gbe\"\ndelay = \"1 us\"\nmtu = \"{mtu}\"\n\
         [[link]]\nname = \"wan\"\nends = [\"r\", \"b\"]\nframing = \"ethernet\"\nmtu = \"{mtu}\"\n{line}\n\
         [[test]]\nname = \"t\"\nkind = \"tcp\"\nfrom = \"a\"\nto = \"b\"\n{test}\n"
    ));
    let plan = Plan::new(&world.scenario).expect("a plan");
    let foreseen = forecast(&world.scenario, &plan, &BTreeMap::new()).remove(0);
    (world, foreseen)
}

fn says(record: &Record, words: &str) -> bool {
    record.notes.iter().any(|note| note.contains(words))
}

/// Ten segments to 5 MB, windows from 64 KiB to beyond the path: flights a round trip apart, and the line's time for the last.
#[test]
fn a_short_transfer_takes_as_long_as_is_forecast() {
    let windows = ["64 KiB", "256 KiB", "2 MiB"];
    for (rate, delay) in [
        ("10 Mbit/s", "5 ms"),
        ("10 Mbit/s", "40 ms"),
        ("100 Mbit/s", "5 ms"),
        ("100 Mbit/s", "40 ms"),
        ("1 Gbit/s", "5 ms"),
        ("1 Gbit/s", "100 ms"),
    ] {
        for (bytes, window) in [1, 7, 21, 69, 345]
            .iter()
            .flat_map(|n| windows.map(|window| (n * 14_480, window)))
        {
            let line = format!("rate = \"{rate}\"\ndelay = \"{delay}\"\nqueue = \"10000 packets\"");
            let test = format!("cc = \"reno\"\nbytes = \"{bytes} B\"\nwindow = \"{window}\"");
            let (world, foreseen) = transfer(&line, &test);
            let of = format!("{rate}, {delay}, {bytes} B, {window}");
            let simulated = world.metric("t", "completion_ns");
            let foreseen = foreseen.metrics["completion_ns"];
            assert!(
                (foreseen / simulated - 1.0).abs() < 0.055,
                "{of}: {foreseen} {simulated}"
            );
        }
    }
}

/// 100 kB are four flights, whatever line and window allow after them; the simulation says the same.
#[test]
fn a_transfer_of_a_few_flights_is_limited_by_slow_start() {
    for delay in ["25 ms", "100 ms"] {
        let line = format!("rate = \"1 Gbit/s\"\ndelay = \"{delay}\"\nqueue = \"10000 packets\"");
        let test = |bytes| format!("cc = \"reno\"\nwindow = \"16 MiB\"\nbytes = \"{bytes}\"");
        let (world, foreseen) = transfer(&line, &test("100 kB"));
        assert_eq!(foreseen.limited_by.as_deref(), Some("cwnd_slow_start"));
        assert_eq!(world.limited_by("t"), "cwnd_slow_start");
    }
    let line = "rate = \"10 Mbit/s\"\ndelay = \"5 ms\"\nqueue = \"10000 packets\"";
    let (_, foreseen) = transfer(line, "bytes = \"100 kB\"");
    assert_eq!(foreseen.limited_by.as_deref(), Some("link"));
}

/// Eight frames are what the queue holds: of nine segments at once the last is lost, and with twelve frames of queue none. Ten segments
/// fill the path: with thirty frames of queue a window of forty overflows it.
#[test]
fn a_burst_that_the_queue_does_not_hold_is_said() {
    for (cc, queue, bytes, overflows) in [
        ("cubic", "1bdp", 11_000, false),
        ("cubic", "1bdp", 13_000, true),
        ("cubic", "1bdp", 14_480, true),
        ("cubic", "12 packets", 14_480, false),
        ("cubic", "100 packets", 100_000, false),
        ("reno", "12 packets", 100_000, true),
        ("reno", "30 packets", 100_000, true),
        ("reno", "50 packets", 100_000, false),
    ] {
        let line = format!("rate = \"10 Mbit/s\"\ndelay = \"5 ms\"\nqueue = \"{queue}\"");
        let (world, foreseen) = transfer(&line, &format!("cc = \"{cc}\"\nbytes = \"{bytes} B\""));
        let said =
            says(&foreseen, "more than the queue holds") || says(&foreseen, "overflows the queue");
        let of = format!("{cc} {queue} {bytes}: {:?}", foreseen.notes);
        assert_eq!(said, overflows, "{of}");
        assert_eq!(world.metric("t", "retransmits") > 0.0, overflows, "{of}");
    }
}

/// A sender that waits until bursts are whole leaves a part of its window unused: a flight of 262 kB is near a path of 2 ms.
#[test]
fn a_window_of_bursts_is_forecast_as_simulated() {
    for (rate, delay, window) in [
        ("100 Mbit/s", "5 ms", "60 KiB"),
        ("300 Mbit/s", "1 ms", "64 KiB"),
        ("300 Mbit/s", "5 ms", "256 KiB"),
        ("1 Gbit/s", "1 ms", "256 KiB"),
        ("1 Gbit/s", "5 ms", "1 MiB"),
        ("1 Gbit/s", "40 ms", "4 MiB"),
    ] {
        for cc in ["reno", "cubic"] {
            let line = format!("rate = \"{rate}\"\ndelay = \"{delay}\"\nqueue = \"10000 packets\"");
            let test =
                format!("cc = \"{cc}\"\nomit = \"2 s\"\nduration = \"2 s\"\nwindow = \"{window}\"");
            let (world, foreseen) = transfer(&line, &test);
            let (simulated, foreseen_bps) = (
                world.metric("t", "goodput_bps"),
                foreseen.metrics["goodput_bps"],
            );
            let of = format!("{cc}, {rate}, {delay}, {window}: {foreseen_bps} {simulated}");
            assert!((foreseen_bps / simulated - 1.0).abs() < 0.025, "{of}");
            assert_eq!(
                foreseen.limited_by.as_deref(),
                Some("receive_window"),
                "{of}"
            );
            assert_eq!(world.limited_by("t"), "receive_window", "{of}");
        }
    }
}

/// A SYN-ACK offers 65 535 bytes at most, seven segments of 8948: the first flight is short of three, and a transfer of one flight is not.
#[test]
fn a_first_offer_of_less_than_the_first_flight_is_said() {
    let line = "rate = \"100 Mbit/s\"\ndelay = \"50 ms\"\nqueue = \"10000 packets\"";
    for (mtu, bytes, few) in [
        ("9000 B", 1_000_000, true),
        ("9000 B", 60_000, false),
        ("1500 B", 1_000_000, false),
    ] {
        let test = format!("cc = \"reno\"\nwindow = \"256 KiB\"\nbytes = \"{bytes} B\"");
        let (world, foreseen) = transfer_over((mtu, line), &test);
        assert_eq!(
            says(&foreseen, "of these segments at first"),
            few,
            "{mtu} {bytes}: {:?}",
            foreseen.notes
        );
        let late_s = (world.metric("t", "completion_ns") - foreseen.metrics["completion_ns"]) / 1e9;
        assert!(
            late_s < if few { 0.101 } else { 0.005 },
            "{mtu} {bytes}: {late_s}"
        );
    }
}

/// Seven segments a round trip are six, as the last one's acknowledgement waits; of eight each second one has its own. The forecast counts that.
#[test]
fn a_window_of_an_odd_number_of_segments_is_said() {
    let line = "rate = \"100 Mbit/s\"\ndelay = \"10 ms\"\nqueue = \"10000 packets\"";
    for (segments, odd) in [(7, true), (8, false)] {
        let test = format!(
            "cc = \"reno\"\nwindow = \"{} B\"\nomit = \"2 s\"\nduration = \"5 s\"",
            segments * 8948
        );
        let (world, foreseen) = transfer_over(("9000 B", line), &test);
        assert_eq!(
            says(&foreseen, "segments, and the last one"),
            odd,
            "{:?}",
            foreseen.notes
        );
        let share = world.metric("t", "goodput_bps") / foreseen.metrics["goodput_bps"];
        // The second segment of a flight comes 0.7 ms after the first, of 20.9, and has the first acknowledgement.
        assert!((share - 1.0).abs() < 0.04, "{segments}: {share}");
    }
}
