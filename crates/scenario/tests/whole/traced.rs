//! Forecasts of tests over links that follow a trace: the mean of the time in which they are measured.

#![allow(
    clippy::disallowed_methods,
    reason = "a scenario reads the trace beside it, which the test has to write"
)]

use std::collections::BTreeMap;
use std::path::Path;

use farpath_record::Record;
use farpath_scenario::plan::Plan;
use farpath_scenario::{Source, forecast, parse};

/// What is predicted of a test over a neck that follows `rows`, 50 ms long, with these keys.
fn over(name: &str, rows: &str, trace: &str, test: &str) -> Record {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = format!("{name}.csv");
    std::fs::write(folder.join(&file), format!("time_s,rate\n{rows}")).expect("a file");
    let text = format!(
        "[scenario]\nname = \"x\"\n[[host]]\nname = \"s\"\n[[host]]\nname = \"d\"\n[[router]]\nname = \"r1\"\n[[router]]\nname = \"r2\"\n\
         [[link]]\nname = \"acc\"\nends = [\"s\", \"r1\"]\nrate = \"1 Gbit/s\"\n\
         [[link]]\nname = \"neck\"\nends = [\"r1\", \"r2\"]\ndelay = \"50 ms\"\nqueue = \"1bdp\"\n\
         forward = {{ rate_trace = {{ file = \"{file}\"{trace} }} }}\nreverse = {{ rate = \"100 Mbit/s\" }}\n\
         [[link]]\nname = \"out\"\nends = [\"r2\", \"d\"]\nrate = \"1 Gbit/s\"\n\
         [[test]]\nname = \"t\"\nfrom = \"s\"\nto = \"d\"\n{test}\n"
    );
    let name = folder.join(format!("{name}.toml"));
    let source = Source {
        name: name.to_string_lossy().into_owned(),
        text,
    };
    let scenario = parse(&source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let plan = Plan::new(&scenario).expect("a plan");
    let mut records = forecast(&scenario, &plan, &BTreeMap::new());
    records.pop().expect("a record")
}

const DAY: &str = "0,100 Mbit/s\n10,20 Mbit/s\n20,50 Mbit/s\n30,100 Mbit/s\n";
const BULK: &str = "kind = \"tcp\"\nduration = \"30 s\"\n";

/// Frames carry 1448 bytes of 1538.
fn share(record: &Record, bps: f64) -> f64 {
    record.metrics["goodput_bps"] / (bps * 1448.0 / 1538.0)
}

fn says(record: &Record, phrase: &str) -> bool {
    record.notes.iter().any(|n| n.contains(phrase))
}

/// Simulated: 51.2 Mbit/s of CUBIC and Reno, 50.1 of BBR, where the last rate, held for ever, was predicted.
#[test]
fn what_is_predicted_over_a_trace_is_of_the_measured_time() {
    let all = over("all", DAY, "", BULK);
    // Without the second that the start takes.
    assert!((0.95..1.0).contains(&share(&all, 170e6 / 3.0)), "{all:?}");
    let words = "reckoned with 56.667 Mbit/s on link `neck`, the mean rate of its trace in the 30.000 s of the test: the trace goes from 20.000 Mbit/s to 100.000 Mbit/s, and a flow";
    assert!(says(&all, words), "{:?}", all.notes);
    assert!(
        says(
            &all,
            "the queue in front of it is as long as at 100.000 Mbit/s, the rate that the trace ends with"
        ),
        "{:?}",
        all.notes
    );
    let later = over(
        "later",
        DAY,
        "",
        "kind = \"tcp\"\nomit = \"10 s\"\nduration = \"20 s\"",
    );
    assert!((0.98..1.0).contains(&share(&later, 35e6)), "{later:?}");
    let held = over(
        "held",
        DAY,
        "",
        "kind = \"tcp\"\nstart = \"40 s\"\nomit = \"5 s\"\nduration = \"20 s\"",
    );
    assert!((0.99..1.000_001).contains(&share(&held, 100e6)), "{held:?}");
    assert!(!says(&held, "goes from"), "{:?}", held.notes);
    let again = over(
        "again",
        DAY,
        ", repeat = true",
        "kind = \"tcp\"\nomit = \"10 s\"\nduration = \"30 s\"",
    );
    assert!(
        (0.98..1.000_001).contains(&share(&again, 170e6 / 3.0)),
        "{again:?}"
    );
    // Nothing says how long one takes but the trace.
    let file = over("file", DAY, "", "kind = \"tcp\"\nbytes = \"100 MB\"");
    let took = file.metrics["completion_ns"] / 1e9;
    assert!((8.5..10.0).contains(&took), "{took}");
}

/// What a stream does not use of the highs does not make up for the lows.
#[test]
fn a_stream_over_a_trace_loses_what_the_lows_do_not_carry() {
    let udp =
        "kind = \"udp\"\nsize = 1472\nrate = \"40 Mbit/s\"\nomit = \"1 s\"\nduration = \"29 s\"";
    let record = over("udp", DAY, "", udp);
    let carried = (9.0 * 40e6 + 10.0 * 20e6 * 1472.0 / 1538.0 + 10.0 * 40e6) / 29.0;
    let ratio = record.metrics["goodput_bps"] / carried;
    assert!((0.999..1.001).contains(&ratio), "{record:?}");
    let fits = over("fits", DAY, "", &udp.replace("40 M", "10 M"));
    assert_eq!(fits.metrics["loss_ratio"], 0.0);
    assert_eq!(fits.limited_by.as_deref(), Some("application"));
    // A window that the lows alone hold back.
    let window = over(
        "window",
        DAY,
        "",
        &format!("{BULK}omit = \"0 s\"\nwindow = \"500 kB\""),
    );
    let bps = window.metrics["goodput_bps"];
    assert!((29e6..33e6).contains(&bps), "{bps}");
}
