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
