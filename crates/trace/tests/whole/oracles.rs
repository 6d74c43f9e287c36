//! The same captures by tcptrace and tshark, which share no code with us.
//!
//! Their figures are ours but for these rules. tcptrace takes the handshake for a round-trip sample, so it has one
//! more, and its shortest one may be the handshake's. It rounds times to a tenth of a millisecond. Its largest flight
//! may count one number more. The flight is not compared with tshark, whose bytes in flight leave out what SACK blocks hold.

#![allow(clippy::disallowed_methods, reason = "tcptrace reads files only")]

use std::process::Command;

use farpath_arranged::Arranged;

use crate::runs::{frames, read, run};
use crate::shapes::pcap;

/// The lines of tcptrace's long output: a name and the figure of a to b, its unit left out.
fn tcptrace(file: &[u8]) -> impl Fn(&str) -> f64 + use<> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.pcap");
    std::fs::write(&path, file).expect("a file");
    let mut command = Command::new("tcptrace");
    let output = command.args(["-l", "-r", "-W", "-n"]).arg(&path).output();
    let output = output.expect("tcptrace is installed: `make oracles`");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    move |name: &str| {
        let line = text.lines().find(|l| l.trim_start().starts_with(name));
        let line = line.unwrap_or_else(|| panic!("no `{name}` in {text}"));
        let figure = line.split_once(':').expect("a name and figures").1;
        let word = figure.split_whitespace().next().expect("a figure");
        word.parse().unwrap_or_else(|e| panic!("{line}: {e}"))
    }
}

/// A column of tshark, of the packets that a display filter takes.
pub(crate) fn tshark(file: &[u8], filter: &str, field: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("x.pcap");
    std::fs::write(&path, file).expect("a file");
    let mut command = Command::new("tshark");
    command.args(["-n", "-r"]).arg(&path);
    command.args(["-Y", filter, "-T", "fields", "-e", field]);
    let output = command
        .output()
        .expect("tshark is installed: `make oracles`");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn tcptrace_and_tshark_say_the_same_of_runs_at_the_sender() {
    for arranged in [
        Arranged::Loss,
        Arranged::ReceiveWindow,
        Arranged::Policer,
        Arranged::SlowStart,
    ] {
        for rtt_ms in [10, 50] {
            let case = arranged.at(rtt_ms);
            let run = run(&case.text);
            let all = frames(&run.captures["access"]);
            let all: Vec<_> = all
                .iter()
                .map(|(at, b, n)| (*at as u64, b.to_vec(), *n))
                .collect();
            let file = pcap(1, &all, false, false);
            let found = read(&file).document.connections[0].a2b.clone();
            let theirs = tcptrace(&file);
            let name = &case.name;
            assert_eq!(
                found.unique_bytes as f64,
                theirs("unique bytes sent"),
                "{name}"
            );
            assert_eq!(found.bytes as f64, theirs("actual data bytes"), "{name}");
            assert_eq!(
                found.retransmitted_bytes as f64,
                theirs("rexmt data bytes"),
                "{name}"
            );
            assert_eq!(
                found.retransmitted_segments as f64,
                theirs("rexmt data pkts"),
                "{name}"
            );
            assert_eq!(
                found.rtt_samples as f64 + 1.0,
                theirs("RTT samples"),
                "{name}"
            );
            let ms = |ns: Option<u64>| ns.expect("samples") as f64 / 1e6;
            let near = |a: f64, b: f64| (a - b).abs() <= 0.15;
            assert!(near(ms(found.rtt_max_ns), theirs("RTT max")), "{name}");
            assert!(theirs("RTT min") <= ms(found.rtt_min_ns) + 0.1, "{name}");
            let mean = ms(found.rtt_avg_ns);
            let handshake = (mean - theirs("RTT min")).abs() / found.rtt_samples as f64;
            assert!(
                (mean - theirs("RTT avg")).abs() <= 0.15 + handshake,
                "{name}"
            );
            let again = "tcp.dstport == 5001 && (tcp.analysis.retransmission || tcp.analysis.fast_retransmission || tcp.analysis.out_of_order)";
            let again = tshark(&file, again, "frame.number").len() as u64;
            assert_eq!(again, found.retransmitted_segments, "{name}");
            let more = theirs("max owin") - found.flight_max_bytes as f64;
            assert!([0.0, 1.0].contains(&more), "{name}: {more}");
        }
    }
}
