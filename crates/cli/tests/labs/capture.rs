//! `farpath lab run --capture` and tapped links: what real kernels sent, as `farpath trace` reads it.

use farpath_arranged::{Arranged, Case, cases};
use farpath_observe::Surroundings;
use farpath_observe::limit::shares;
use farpath_trace::{Source, analyse};
use farpath_units::{Duration, Time};
use serde_json::Value;

use crate::place::Place;

/// 2 MB to port 7000 of the server, which says when it has them.
const SERVER: &str = "perl -MIO::Socket::INET -e 'my $s = IO::Socket::INET->new(LocalPort => 7000, Listen => 1); \
                      my $c = $s->accept; my $n = 0; while ($n < 2000000) { $n += read($c, my $b, 50000) }; print $c \"got $n\\n\"'";
const CLIENT: &str = "exec 3<>/dev/tcp/198.18.0.2/7000; head -c 2000000 /dev/zero >&3; cat <&3";

fn traced(place: &Place, file: &str) -> Value {
    let ran = place
        .farpath(&["trace", "--json", "--filter", "port 7000", file])
        .exits(0);
    serde_json::from_str(&ran.out).expect("one document")
}

/// The direction that carries the data, whichever end began.
fn data(document: &Value) -> &Value {
    let all = document["connections"].as_array().expect("a list");
    let directions = all.iter().flat_map(|c| [&c["a2b"], &c["b2a"]]);
    let most = directions.max_by_key(|d| d["unique_bytes"].as_u64());
    most.expect("a connection")
}

#[test]
fn both_hosts_are_captured_and_every_byte_is_there() {
    let place = Place::new();
    let options = [
        "--loss",
        "1%",
        "--server",
        SERVER,
        "--wait-port",
        "7000",
        "--capture",
        "packets",
        "--",
        "bash",
        "-c",
        CLIENT,
    ];
    let ran = place.lab_run(&options).exits(0);
    assert_eq!(ran.out, "got 2000000\n");
    assert!(ran.err.contains("farpath trace"), "{}", ran.err);
    let (client, server) = (
        traced(&place, "packets/client.pcapng"),
        traced(&place, "packets/server.pcapng"),
    );
    for end in [&client, &server] {
        assert_eq!(data(end)["unique_bytes"], 2_000_000, "{end}");
    }
    let again = |end: &Value| data(end)["retransmitted_bytes"].as_u64().expect("a count");
    // Two thousand segments and one in a hundred lost: the sender's capture has each that was sent again.
    assert!(again(&client) > 0, "{client}");
    assert!(again(&server) <= again(&client), "{server}");
}

#[test]
fn a_tapped_link_of_an_emulation_leaves_what_real_kernels_sent_and_a_page_of_it() {
    let place = Place::new();
    let tap = ["--set", "link.near.tap=true", "--out", "out"];
    let run = [
        "run",
        "small.toml",
        "--simulate",
        "--emulate",
        "--only",
        "bulk",
    ];
    let ran = place.farpath(&[&run[..], &tap].concat());
    assert!(matches!(ran.code, Some(0 | 4)), "{ran:?}");
    for file in ["near.pcapng", "near.emulated.pcapng"] {
        let ran = place.farpath(&["trace", "--json", &format!("out/{file}")]);
        let document: Value = serde_json::from_str(&ran.exits(0).out).expect("one document");
        assert_eq!(data(&document)["unique_bytes"], 1_000_000, "{file}");
        assert_eq!(document["connections"][0]["offload"], false, "{file}");
    }
    let read = |name: &str| std::fs::read_to_string(place.path().join("out").join(name));
    let report: Value = serde_json::from_str(&read("report.json").expect("a file")).expect("JSON");
    let captures = report["captures"].as_array().expect("a list");
    assert_eq!(captures.len(), 2);
    for capture in captures {
        let page = read(capture["page"].as_str().expect("it has a connection"));
        assert!(page.expect("a page").contains("farpath.trace-page/1"));
    }
}

/// What a capture at each end says of a run beside the kernel's own timers, as the emulated record has them.
#[test]
fn limits_in_captures_are_those_of_the_kernels_timers() {
    let all = std::env::var_os("FARPATH_ARRANGED").is_some_and(|v| v == "all");
    let chosen = [
        Arranged::Application,
        Arranged::ReceiveWindow,
        Arranged::Link,
    ];
    let wanted = |case: &Case| match all {
        true => case.arranged != Arranged::Mtu,
        false => case.rtt_ms == 50 && chosen.contains(&case.arranged),
    };
    let place = Place::alone();
    let mut wrong = Vec::new();
    for case in cases().filter(wanted) {
        place.write("case.toml", &case.text);
        let taps = [
            "--set",
            "link.access.tap=true",
            "--set",
            "link.far.tap=true",
        ];
        let run = [
            "run",
            "case.toml",
            "--predict",
            "--emulate",
            "--out",
            "out",
            "--json",
        ];
        let ran = place.farpath(&[&run[..], &taps].concat());
        let document: Value = serde_json::from_str(&ran.out).expect("one document");
        let records = document["records"].as_array().expect("a list");
        let record = records.iter().find(|r| r["origin"] == "emulated");
        let record = record.expect("a record");
        let timers = &record["streams"][0]["limited_by"];
        let omitted = match case.arranged {
            Arranged::Application | Arranged::SlowStart => 0,
            _ => 20 * case.rtt_ms,
        };
        for end in ["access", "far"] {
            let file = place.path().join(format!("out/{end}.emulated.pcapng"));
            let source = Source {
                name: end.to_owned(),
                bytes: Box::new(std::fs::File::open(file).expect("a capture")),
            };
            let found = analyse([source], &mut ()).expect("a capture").found;
            let observed = found.iter().flatten().filter_map(|d| d.observed.as_deref());
            let most = observed.max_by_key(|o| o.delivered);
            let from = Time::ZERO + Duration::from_ms(omitted);
            let seen = shares(most.expect("data"), from, &Surroundings::default());
            // What a capture cannot tell of a buffer and of an interface is unknown, or a link.
            let others: &[&str] = match (case.arranged, end) {
                (Arranged::SendBuffer, _) => &["unknown", "link"],
                (Arranged::Nic, "far") => &["unknown", "link"],
                _ => &[],
            };
            let limits = case.arranged.limits().iter().map(|l| l.name());
            let names: Vec<&str> = limits.chain(others.iter().copied()).collect();
            let by_timers: f64 = names.iter().filter_map(|n| timers[n].as_f64()).sum();
            let by_capture: f64 = names.iter().filter_map(|n| seen.get(*n)).sum();
            let valid = record["valid"] == true;
            let text = format!(
                "{} at {end}, valid {valid}: {by_capture:.3} of {by_timers:.3}, {seen:?}, {timers}",
                case.name
            );
            eprintln!("{text}");
            // Windows are full from afar as often as the line spaces what comes.
            let allowed = match (case.arranged, end) {
                (Arranged::ReceiveWindow, "far") => 0.10,
                _ => 0.05,
            };
            if valid && !all && (by_timers - by_capture).abs() > allowed {
                wrong.push(text);
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_run_that_cannot_begin_leaves_no_capture() {
    let place = Place::new();
    let none = [
        "lab",
        "run",
        "--rtt",
        "20ms",
        "--rate",
        "fast",
        "--capture",
        "packets",
        "--",
        "true",
    ];
    place.farpath(&none).exits(125);
    let ran = place
        .lab_run(&["--capture", "/proc/x", "--", "true"])
        .exits(125);
    assert!(ran.err.contains("--capture /proc/x"), "{}", ran.err);
    let unknown = ["--cc", "nonsense", "--capture", "packets", "--", "true"];
    place.lab_run(&unknown).exits(125);
    let left = std::fs::read_dir(place.path().join("packets"));
    assert_eq!(left.map_or(0, Iterator::count), 0);
}
