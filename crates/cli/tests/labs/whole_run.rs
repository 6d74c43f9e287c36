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

/// What `--strict` and both reports say of a command; its exit code, too.
fn strictly(command: &str, code: i32) -> (Place, Value, [String; 2]) {
    let place = Place::new();
    let reports = ["--strict", "--json", "o.json", "--junit", "o.xml"];
    let ran = place.lab_run(&[&reports[..], &["--", command]].concat());
    let ran = ran.exits(code);
    let xml = std::fs::read_to_string(place.path().join("o.xml")).expect("it is written");
    let found = report(&place);
    (place, found, [ran.err, xml])
}

/// Whether a ping of the lab's own had crossed by then, or the machine was busy, is chance.
#[test]
fn a_command_that_is_not_there_ran_nothing() {
    let (_place, found, said) = strictly("there-is-no-such-program", 127);
    assert!(found["failure"].is_null(), "{found}");
    assert_eq!(found["exit_code"], 127, "{found}");
    for said in said {
        let words = "the command did not run, and the certificate is one of nothing";
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_strict_run_of_nothing_fails_in_every_report() {
    let (_place, found, [_, xml]) = strictly("true", 4);
    assert_eq!(found["exit_code"], 0, "{found}");
    assert!(found["failure"].is_string(), "{found}");
    let failed = r#"tests="2" skipped="0" errors="0" failures="1""#;
    assert!(xml.contains(failed), "{xml}");
}

/// The command takes away the folder that its packets go to: it ran all the same.
#[test]
fn a_capture_that_cannot_be_kept_does_not_undo_the_run() {
    let place = Place::new();
    let options = [
        "--capture",
        "packets",
        "--json",
        "o.json",
        "--junit",
        "o.xml",
    ];
    let command = ["--", "rm", "-r", "packets"];
    let ran = place.lab_run(&[&options[..], &command].concat());
    let ran = ran.exits(125);
    for words in [
        "packets/client.pcapng",
        "the command ended with exit code 0",
    ] {
        assert!(ran.err.contains(words), "{words}: {}", ran.err);
    }
    let found = report(&place);
    assert_eq!(found["exit_code"], 0, "{found}");
    assert!(found["fault"].is_null() && found["certificate"].is_object());
    let xml = std::fs::read_to_string(place.path().join("o.xml")).expect("it is written");
    assert!(!xml.contains("not run: "), "{xml}");
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
