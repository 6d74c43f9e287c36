//! `farpath diagnose` of captures and records: by their first bytes, from files and pipes, alone and beside texts.

use std::process::Stdio;
use std::sync::OnceLock;

use serde_json::Value;

use crate::farpath::{command, farpath_in, ran};

/// A receive window of 131 072 bytes of memory, 86 528 of which are window (169/256, Linux 6.18): over 50 ms that is
/// 13.8 Mbit/s of a line of 100.
const SCENARIO: &str = r#"
[scenario]
name = "windowed"
[[host]]
name = "s"
[[host]]
name = "d"
rmem_max = 131072
tcp_rmem = "4096 131072 131072"
[[router]]
name = "r0"
[[router]]
name = "r1"
[[link]]
name = "access"
ends = ["s", "r0"]
rate = "1 Gbit/s"
delay = "100 ns"
tap = true
[[link]]
name = "wan"
ends = ["r0", "r1"]
rate = "100 Mbit/s"
delay = "25 ms"
[[link]]
name = "far"
ends = ["r1", "d"]
rate = "1 Gbit/s"
delay = "100 ns"
tap = true
[[test]]
name = "bulk"
kind = "tcp"
from = "s"
to = "d"
duration = "4 s"
[[test]]
name = "small"
kind = "tcp"
from = "s"
to = "d"
start = "5 s"
bytes = "20 kB"
"#;

/// A run's folder, made once.
fn folder() -> &'static tempfile::TempDir {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("windowed.toml"), SCENARIO).expect("it is writable");
        farpath_in(
            folder.path(),
            &["run", "windowed.toml", "--simulate", "--out", "."],
        )
        .exits(0);
        let bytes = std::fs::read(folder.path().join("access.pcapng")).expect("a capture");
        let packed = zstd::stream::encode_all(&bytes[..], 1).expect("it packs");
        std::fs::write(folder.path().join("packed"), packed).expect("it is writable");
        folder
    })
}

fn diagnosed(args: &[&str]) -> Value {
    let all: Vec<&str> = ["diagnose", "--json", "--line", "100Mbit/s"]
        .iter()
        .chain(args)
        .copied()
        .collect();
    let ran = farpath_in(folder().path(), &all).exits(0);
    serde_json::from_str(&ran.out).expect("JSON")
}

#[test]
fn a_capture_alone_is_enough() {
    for file in ["access.pcapng", "packed"] {
        let d = diagnosed(&[file]);
        let flow = &d["flows"][0];
        assert_eq!(flow["verdict"]["cause"], "receive_window", "{flow}");
        assert!(flow["verdict"]["confidence"].as_f64() > Some(0.9), "{flow}");
        assert_eq!(flow["observed"]["source"], format!("{file}#1"));
        assert_eq!(flow["observed"]["side"], "sender");
        assert!(flow["observed"]["at_utc_ns"].is_i64(), "{flow}");
        assert_eq!(d["read"][0]["as"], "capture at the sender");
        let change = &flow["changes"][0];
        assert!(change["predicted_bps"].as_f64() > Some(9e7), "{change}");
    }
}

#[test]
fn small_connections_of_a_capture_are_named_and_left() {
    let d = diagnosed(&["access.pcapng"]);
    assert_eq!(d["flows"].as_array().map(Vec::len), Some(1), "{d}");
    let notes = d["notes"].to_string();
    assert!(notes.contains("left out: #2"), "{notes}");
}

#[test]
fn captures_at_both_ends_are_one_flow() {
    let d = diagnosed(&["far.pcapng", "access.pcapng"]);
    assert_eq!(d["flows"].as_array().map(Vec::len), Some(1), "{d}");
    let because = d["flows"][0]["verdict"]["because"].to_string();
    assert!(because.contains("the capture at the sender"), "{because}");
    assert_eq!(d["read"].as_array().map(Vec::len), Some(2), "{d}");
}

#[test]
fn a_capture_from_a_pipe_is_read() {
    let mut child = command()
        .args(["diagnose", "-", "--json"])
        .stdin(std::fs::File::open(folder().path().join("packed")).expect("a capture"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built");
    drop(child.stdin.take());
    let out = ran(child.wait_with_output().expect("it ends")).out;
    assert!(out.contains("standard input#1"), "{out}");
}

#[test]
fn a_log_of_the_same_ports_and_a_capture_are_one_flow() {
    let log = "[  5] local 198.18.0.1 port 49152 connected to 198.18.0.2 port 5001
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-4.00  sec  6.31 MBytes  13.2 Mbits/sec    0             sender
[  5]   0.00-4.05  sec  6.31 MBytes  13.1 Mbits/sec                  receiver
";
    let access = std::fs::read(folder().path().join("access.pcapng")).expect("a capture");
    let other = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(other.path().join(name), bytes).expect("it is writable");
    };
    write("log.txt", log.as_bytes());
    write("access.pcapng", &access);
    let ran = farpath_in(
        other.path(),
        &["diagnose", "log.txt", "access.pcapng", "--json"],
    )
    .exits(0);
    let d: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(d["flows"].as_array().map(Vec::len), Some(1), "{d}");
    let flow = &d["flows"][0];
    assert_eq!(flow["observed"]["source"], "log.txt:4");
    assert_eq!(flow["verdict"]["cause"], "receive_window", "{flow}");
}

#[test]
fn the_record_of_a_run_is_evidence() {
    let d = diagnosed(&["records.json"]);
    let flow = &d["flows"][0];
    assert_eq!(flow["name"], "s > d (bulk, simulated)");
    assert_eq!(flow["verdict"]["cause"], "receive_window", "{flow}");
    let because = flow["verdict"]["because"].to_string();
    assert!(because.contains("the simulated record"), "{because}");
}

#[test]
fn a_damaged_capture_is_exit_2_and_named() {
    let other = tempfile::tempdir().expect("a folder");
    std::fs::write(other.path().join("a.gz"), [0x1f, 0x8b, 8, 0, 1, 2, 3]).expect("writable");
    farpath_in(other.path(), &["diagnose", "a.gz"])
        .exits(2)
        .says(&["a.gz"]);
}
