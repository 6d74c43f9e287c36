//! What `lab run` says of the whole run, whichever connections there were.

use serde_json::Value;

use crate::place::Place;

fn report(place: &Place) -> Value {
    let text = std::fs::read_to_string(place.path().join("o.json")).expect("it is written");
    serde_json::from_str(&text).expect("it is JSON")
}

/// A command that tries a port of its own host, on a path that is slow and goes down: it passes, and says why that means little.
#[test]
fn a_command_that_never_used_the_path_passes_and_that_is_said() {
    let place = Place::alone();
    let path = [
        "lab",
        "run",
        "--rtt",
        "80ms",
        "--rate",
        "300kbit/s",
        "--down",
        "200ms-500ms",
    ];
    let reports = ["--json", "o.json", "--junit", "o.xml", "--"];
    let own = "(</dev/tcp/127.0.0.1/9) 2>/dev/null; sleep 0.6";
    let ran = place.farpath(&[&path[..], &reports, &["bash", "-c", own]].concat());
    let ran = ran.exits(0);
    let found = report(&place);
    assert_eq!(found["program_frames"], 0);
    assert_eq!(found["path_down_s"], 0.3);
    let xml = std::fs::read_to_string(place.path().join("o.xml")).expect("it is written");
    for words in [
        "the path was down for 300.0 ms of the ",
        "nothing that your command sent crossed the path: 2 packets went over the loopback interface",
        "has room for 3000 B, 2.0 full packets",
    ] {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
        assert!(xml.contains(words), "{words}: {xml}");
    }
}

#[test]
fn a_ping_crosses_the_path() {
    let place = Place::alone();
    let ping = ["--json", "o.json", "--", "ping", "-c", "1", "server"];
    let ran = place.lab_run(&ping).exits(0);
    assert!(!ran.err.contains("crossed the path"), "{}", ran.err);
    let found = report(&place);
    assert_eq!(found["program_frames"], 2, "a request and its answer");
    assert_eq!(found["path_down_s"], 0.0);
}
