//! The shipped transfer with three glitches: each is found, and costs what the transfer took longer.

#![allow(
    clippy::disallowed_methods,
    reason = "a scenario is given to a run as a file"
)]

use farpath_experiment::Request;
use farpath_scenario::load;

use crate::runs::{Frame, TAPS, captured, data, read, run, three_routers};

const NAME: &str = "lbnl-oc12/glitches";
/// Payload of the OC-12 with segments of 9128 bytes in datagrams of 9180, in bytes a second.
const LINE: f64 = 540.408e6 / 8.0 * 9128.0 / 9180.0;

/// The scenario from `begin` to before `end` left out.
fn without(text: &str, begin: &str, end: &str) -> String {
    let at = text.find(begin).expect("it begins");
    let until = at + text[at..].find(end).expect("it ends");
    format!("{}{}", &text[..at], &text[until..])
}

#[test]
fn three_glitches_in_ten_gigabytes_are_found_and_priced() {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = load(NAME).expect("it is shipped").text;
    let clean = without(
        &without(&whole, "lose = [", "[[link]]"),
        "[[event]]",
        "[[test]]",
    );
    let file = folder.path().join("clean.toml");
    std::fs::write(&file, clean).expect("a file");
    let seconds = |run: &crate::runs::Run| run.document.records[0].metrics["completion_ns"] / 1e9;
    let hit = captured(Request::new(NAME));
    let missed = captured(Request::new(file.to_str().expect("plain letters")));
    let found = read(&hit.captures["host-lbnl"]).document;
    let glitches = &found.connections[0].a2b.glitches;
    let starts: Vec<f64> = glitches.iter().map(|g| g.start_ns as f64 / 1e9).collect();
    assert!(starts.len() == 3, "{glitches:?}");
    for (start, wanted) in starts.iter().zip([28.0, 77.5, 110.0]) {
        assert!((start - wanted).abs() < 0.1, "{starts:?}");
    }
    let cost: u64 = glitches.iter().map(|g| g.cost_bytes).sum();
    let longer = (seconds(&hit) - seconds(&missed)) * LINE;
    println!("{cost} of {longer}: {glitches:?}");
    assert!(
        (cost as f64 / longer - 1.0).abs() < 0.1,
        "{cost} of {longer}"
    );
    let clean = read(&missed.captures["host-lbnl"]).document;
    assert!(clean.connections[0].a2b.glitches.is_empty());
}

/// A window that stays as it is gives the same rate throughout: elsewhere than at its sender bursts, and pauses of part of a
/// round trip between them.
#[test]
fn a_window_that_stays_as_it_is_has_no_glitch_at_any_tap() {
    for (window, jitter) in [("24276 B", 2), ("24276 B", 10), ("96 kB", 10)] {
        let bulk = format!("window = \"{window}\"\nbytes = \"2 MB\"");
        let wan = format!("jitter = {{ distribution = \"uniform\", max = \"{jitter} ms\" }}");
        let run = run(&three_routers("50 ms", "", &wan, &bulk));
        for tap in TAPS {
            let found = read(&run.captures[tap]).document;
            let (name, data) = (format!("{window} at {tap}"), &found.connections[0].a2b);
            assert_eq!(data.unique_bytes, 2_000_000, "{name}");
            assert!(data.glitches.is_empty(), "{name}: {:?}", data.glitches);
        }
    }
}

/// Bytes that came in a span of seconds.
fn came(frames: &[Frame], from: f64, until: f64) -> f64 {
    let within = |f: &&Frame| (from..until).contains(&(f.at_ns as f64 / 1e9));
    frames
        .iter()
        .filter(within)
        .map(|f| f64::from(f.length))
        .sum()
}

/// A window-bound transfer through a link that is slow from 8 s to 10 s, and farther or nearer from then on: the dip is one glitch,
/// over when the rate is what it stays, and costs what is missing beside the lower of the two rates.
#[test]
fn a_dip_ends_where_the_rate_is_what_it_then_stays() {
    const WINDOW: f64 = 96_000.0;
    for percent in [80, 86, 92, 97, 100, 103, 110, 120] {
        // 80 ms of round trip, of which 40 ms are the link's.
        let delay = 4000.0 / f64::from(percent) - 20.0;
        let event =
            |at: u32, text: &str| format!("[[event]]\nat = \"{at} s\"\nlink = \"wan\"\n{text}\n");
        let bulk = format!(
            "window = \"{WINDOW} B\"\nduration = \"24 s\"\n{}{}",
            event(8, "rate = \"3 Mbit/s\""),
            event(
                10,
                &format!("rate = \"100 Mbit/s\"\ndelay = \"{delay:.3} ms\"")
            )
        );
        let run = run(&three_routers("20 ms", "", "", &bulk));
        let frames = data(&run.captures["far"]);
        let lower = (came(&frames, 4.0, 8.0) / 4.0).min(came(&frames, 12.0, 22.0) / 10.0);
        // What waits leaves at once when the link is fast again.
        let cost = lower * 2.1 - came(&frames, 8.0, 10.1);
        for tap in TAPS {
            let found = read(&run.captures[tap]).document;
            let glitches = &found.connections[0].a2b.glitches;
            let name = format!("{percent} % at {tap}: {cost:.0}: {glitches:?}");
            println!("{name}");
            assert!(
                glitches.len() == 1 && glitches[0].kind == "rate_collapse",
                "{name}"
            );
            let glitch = &glitches[0];
            let end = (glitch.start_ns + glitch.duration_ns) as f64 / 1e9;
            // A round of the dip is 256 ms, and the first acknowledgements come 100 ms later at most.
            assert!((9.9..10.6).contains(&end), "{name}");
            assert!(
                (glitch.cost_bytes as f64 - cost).abs() < 0.05 * cost + WINDOW,
                "{name}"
            );
        }
    }
}

/// A loss just after slow start has filled the window costs what the transfer takes longer: the rate before it was that of the
/// last round trip, not of those in which the connection had hardly begun.
#[test]
fn a_loss_at_the_end_of_slow_start_is_priced_by_the_rate_that_was_reached() {
    let all = |lose: &str| {
        run(&three_routers(
            "40 ms",
            "",
            lose,
            "window = \"400 kB\"\nbytes = \"40 MB\"",
        ))
    };
    let metric = |run: &crate::runs::Run, name: &str| run.document.records[0].metrics[name];
    let whole = all("");
    let clean = metric(&whole, "completion_ns");
    let rate = 400e3 / metric(&whole, "rtt_min_ns");
    for segment in [400, 500, 900, 20_000] {
        let run = all(&format!(
            "lose = [ {{ flow = \"bulk\", segment = {segment} }} ]"
        ));
        let longer = (metric(&run, "completion_ns") - clean) * rate;
        for tap in TAPS {
            let glitches = &read(&run.captures[tap]).document.connections[0]
                .a2b
                .glitches;
            let name = format!("{segment} at {tap}, {longer:.0} B: {glitches:?}");
            println!("{name}");
            assert_eq!(glitches.len(), 1, "{name}");
            let cost = glitches[0].cost_bytes as f64;
            // CUBIC's last twentieth lasts long, and counts as back.
            let share = cost / longer;
            assert!((0.7..1.05).contains(&share), "{share}: {name}");
        }
    }
}
