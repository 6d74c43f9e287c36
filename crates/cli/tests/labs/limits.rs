//! What `lab run` says that limited a program: iperf3 over paths whose limit is known. A run whose certificate is invalid is said
//! on stderr and not judged. `FARPATH_ARRANGED=all` runs every round-trip time, each twice.

use farpath_arranged::{Arranged, Case, ROUND_TRIPS_MS, cases};

use crate::place::Place;

/// The words of the closing line, and how iperf3 is to send; Reno, which every kernel allows.
fn asked(arranged: Arranged) -> (&'static [&'static str], &'static str) {
    let window: &[&str] = &["the congestion window limited it"];
    match arranged {
        Arranged::Application => (&["the program limited it"], "-t 3 -b 300K"),
        Arranged::SendBuffer => (&["its send buffer limited it"], "-t 3"),
        Arranged::ReceiveWindow => (&["the receiver's window limited it"], "-t 3"),
        Arranged::SlowStart => (window, "-t 1"),
        Arranged::Loss => (window, "-t 3"),
        Arranged::Link => (&["a link of the path was full"], "-t 8"),
        Arranged::Policer => (&["a policer limited it"], "-t 5"),
        Arranged::Nic => (&["its host's own link was full"], "-t 3"),
        Arranged::Mtu => (&["the MTU limited it"], "-t 3"),
    }
}

#[test]
fn the_closing_line_names_the_arranged_limit_on_every_repeat() {
    let all = std::env::var_os("FARPATH_ARRANGED").is_some_and(|v| v == "all");
    // A second is five round trips of the longest path, and a window that still grows.
    let wanted = |case: &Case| match case.arranged {
        Arranged::SlowStart => case.rtt_ms == ROUND_TRIPS_MS[2],
        _ => all || case.rtt_ms == ROUND_TRIPS_MS[1],
    };
    let place = Place::alone();
    let mut wrong = Vec::new();
    for case in cases().filter(wanted) {
        // Reno's slow start overflows a queue of one BDP and is short of window for seconds: half of this one still fills the link.
        let text = case.text.replace("queue = \"1bdp\"", "queue = \"8bdp\"");
        place.write("arranged.toml", &text);
        let (words, how) = asked(case.arranged);
        let client = format!("iperf3 -C reno -c d {how} >/dev/null 2>&1");
        for repeat in 1..=if all { 2 } else { 1 } {
            let ran = place.farpath(&[
                "lab",
                "run",
                "arranged.toml",
                "--timeout",
                "20s",
                "--server",
                "iperf3 -s -1",
                "--wait-port",
                "5201",
                "--",
                "sh",
                "-c",
                &client,
            ]);
            let line = ran.err.lines().find(|l| l.contains("certificate"));
            let line = line.unwrap_or(&ran.err);
            let what = format!("{}, run {repeat}: {line}", case.name);
            match words.iter().any(|w| line.contains(w)) {
                true => eprintln!("right: {what}"),
                false if line.contains("INVALID") => eprintln!("not judged: {what}"),
                false => wrong.push(what),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The closing line of a run with this server, in perl, and this client.
fn closing(options: &[&str], server: &str, client: &str) -> String {
    let place = Place::alone();
    let server = format!(
        "exec perl -MIO::Socket::INET -e 'my $l = IO::Socket::INET->new(LocalPort => 7000, Listen => 1); {server}'"
    );
    let run = ["lab", "run", "--rate", "20Mbit/s", "--server", &server];
    let rest = ["--wait-port", "7000", "--", "bash", "-c", client];
    let ran = place.farpath(&[&run[..], options, &rest].concat()).exits(0);
    let line = ran.err.lines().find(|l| l.contains("certificate"));
    line.unwrap_or(&ran.err).to_owned()
}

#[test]
fn what_a_run_came_to_is_written_as_json() {
    let place = Place::new();
    let server = "exec perl -MIO::Socket::INET -e 'my $c = IO::Socket::INET->new(LocalPort => 7000, Listen => 1)->accept; sleep'";
    let options = [
        "--rtt", "300ms", "--rate", "20Mbit/s", "--json", "o.json", "--server", server,
    ];
    // 70 segments, and ten of them in the first of four round trips (RFC 6928).
    let client = "head -c 100000 /dev/zero >/dev/tcp/server/7000; sleep 3; exit 3";
    let rest = ["--wait-port", "7000", "--", "bash", "-c", client];
    place
        .farpath(&[&["lab", "run"], &options[..], &rest].concat())
        .exits(3);
    let text = std::fs::read_to_string(place.path().join("o.json")).expect("it was written");
    let found: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(found["schema"], "farpath.lab-run/1");
    assert_eq!(found["exit_code"], 3);
    assert!(found["took_ns"].as_u64() >= Some(3_000_000_000), "{text}");
    assert!(found["rtt_p99_ns"].as_f64() >= Some(299e6), "{text}");
    assert!(found["certificate"]["frames"].as_u64() > Some(20), "{text}");
    let connection = &found["connection"];
    assert_eq!(connection["sender"], "your command");
    assert_eq!(connection["path_holds_bytes"], 750_000);
    let shares = connection["limited_by"].as_object().expect("shares");
    let sum: f64 = shares.values().filter_map(serde_json::Value::as_f64).sum();
    assert!((sum - 1.0).abs() < 1e-6, "{text}");
}

/// As a server of HTTP/1.0 does it: all is in its send buffer when it closes, and on the way for a second and more.
#[test]
fn a_connection_is_followed_after_the_server_has_closed_it() {
    let server = "my $c = $l->accept; $c->sockopt(SO_SNDBUF, 400_000); print $c \"x\" x 250_000; close $c; sleep";
    let line = closing(
        &["--rtt", "300ms"],
        server,
        "cat </dev/tcp/server/7000 >/dev/null",
    );
    assert!(line.contains("; what the server sends ("), "{line}");
    assert!(
        line.contains(" kB in flight on a path that holds 750 kB"),
        "{line}"
    );
}

#[test]
fn a_command_that_waits_for_a_slow_server_is_told_from_one_that_waits_for_the_path() {
    let slow = "my $c = $l->accept; while (<$c>) { select(undef, undef, undef, 0.7); print $c \"\\n\" } sleep";
    let quick = "my $c = $l->accept; while (<$c>) { print $c \"\\n\" } sleep";
    let asks = |times: u32| {
        format!(
            "exec 3<>/dev/tcp/server/7000; for i in {{1..{times}}}; do echo >&3; read -u 3; done"
        )
    };
    let line = closing(&["--rtt", "20ms"], slow, &asks(4));
    assert!(line.contains("; it waited for the server "), "{line}");
    assert!(line.contains("at most one segment in flight"), "{line}");
    let line = closing(&["--rtt", "500ms"], quick, &asks(5));
    assert!(line.contains("; it waited for the path "), "{line}");
}
