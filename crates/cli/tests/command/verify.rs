//! `farpath diagnose --scenario` and `--verify`: what was measured as a scenario, and what runs of it say.

use std::path::Path;

use serde_json::Value;

use crate::farpath::{Ran, farpath_in};

/// Both ends' text, pings and settings of SLAC's run of 2005.
const MYSTERY: [&str; 4] = [
    "ping.txt",
    "receiver.txt",
    "receiver-sysctl.txt",
    "sender.txt",
];

const RUN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../scenarios/slac-binp/mystery"
);

/// iperf3's client: 31.2 MBytes in 10 s.
const LOG: &str = "Connecting to host 192.0.2.2, port 5201
[  5] local 192.0.2.1 port 40000 connected to 192.0.2.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  31.2 MBytes  26.2 Mbits/sec    0             sender
[  5]   0.00-10.02  sec  31.2 MBytes  26.1 Mbits/sec                  receiver
10 packets transmitted, 10 received, 0% packet loss, time 9012ms
rtt min/avg/max/mdev = 19.980/20.010/20.110/0.040 ms
";

fn diagnosed(folder: &Path, args: &[&str]) -> Ran {
    farpath_in(folder, &[&["diagnose"], args].concat())
}

/// The first flow of the document, and the exit code.
fn flow(args: &[&str]) -> (Value, Option<i32>) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("log.txt"), LOG).expect("it is writable");
    let ran = diagnosed(folder.path(), &[args, &["--verify", "--json"]].concat());
    let d: Value = serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}\n{}", ran.err));
    (d["flows"][0].clone(), ran.code)
}

/// Each cause by figures alone, and the limit that its twin has. The rates are those of the closed forms: 64 KiB · 8 / 20 ms
/// is 26.2 Mbit/s, of 1 Gbit/s 941 are payload, and CUBIC at a loss of 1e-4 and 50 ms leaves 28 Mbit/s.
#[test]
fn a_twin_has_the_measured_rate_and_its_limit() {
    let line = ["--line", "1Gbit/s"];
    let cases: [(&[&str], &str, &str); 4] = [
        (
            &["log.txt", "--window", "64KiB"],
            "receive_window",
            "receive_window",
        ),
        (
            &["log.txt", "--send-buffer", "64KiB"],
            "send_buffer",
            "send_buffer",
        ),
        (
            &["--measured", "941Mbit/s", "--rtt", "10ms"],
            "link",
            "link",
        ),
        (
            &[
                "--measured",
                "28Mbit/s",
                "--rtt",
                "50ms",
                "--loss",
                "1e-4",
                "--cc",
                "cubic",
            ],
            "random_loss",
            "cwnd_recovery",
        ),
    ];
    for (args, cause, limit) in cases {
        let (flow, code) = flow(&[args, &line].concat());
        assert_eq!(flow["verdict"]["cause"], cause, "{flow}");
        let verify = &flow["verify"];
        assert_eq!(verify["agrees"], true, "{cause}: {verify}");
        assert_eq!(verify["before_limited_by"], limit, "{verify}");
        assert_eq!(code, Some(0));
        if cause == "link" {
            assert!(verify["after_bps"].is_null(), "{verify}");
            continue;
        }
        // After the change the line is full, as predicted: 941 Mbit/s.
        let after = verify["after_bps"].as_f64().expect("a rate");
        let predicted = verify["predicted_bps"].as_f64().expect("a rate");
        assert!((after / predicted - 1.0).abs() < 0.05, "{verify}");
        assert_eq!(verify["after_limited_by"], "link", "{verify}");
        let runs = if cause == "random_loss" { 5 } else { 1 };
        assert_eq!(verify["runs"], runs, "{verify}");
    }
}

/// Ten times what the losses leave: the twin does not reach it, and says so.
#[test]
fn a_twin_that_does_not_agree_puts_the_verdict_in_doubt() {
    let args = [
        "--measured",
        "50Mbit/s",
        "--rtt",
        "50ms",
        "--line",
        "1Gbit/s",
    ];
    let loss = ["--loss", "1e-4", "--cc", "cubic"];
    let (of_doubt, code) = flow(&[&args[..], &loss[..]].concat());
    assert_eq!(of_doubt["verify"]["agrees"], false, "{of_doubt}");
    assert!(
        of_doubt["verify"]["notes"][0]
            .as_str()
            .is_some_and(|n| n.contains("in doubt"))
    );
    assert_eq!(code, Some(1));
}

#[test]
fn without_a_round_trip_there_is_no_twin_and_the_diagnosis_stands() {
    let folder = tempfile::tempdir().expect("a folder");
    let ran = diagnosed(folder.path(), &["--measured", "5Mbit/s", "--verify"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.out.contains("give --rtt"), "{}", ran.out);
    diagnosed(
        folder.path(),
        &["--measured", "5Mbit/s", "--scenario", "t.toml"],
    )
    .exits(2)
    .says(&["the round trip of the path is not known", "--rtt"]);
    let far = ["--measured", "5Mbit/s", "--rtt", "20ms", "--flow", "2"];
    diagnosed(folder.path(), &far)
        .exits(2)
        .says(&["one flow only", "--flow takes 1 to 1"]);
}

#[test]
fn the_mystery_of_slac_is_solved_and_its_twin_agrees() {
    let line = ["--line", "80Mbit/s", "--verify", "--json"];
    let ran = diagnosed(Path::new(RUN), &[&MYSTERY[..], &line].concat()).exits(0);
    let d: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(d["flows"].as_array().map(Vec::len), Some(1), "{d}");
    let flow = &d["flows"][0];
    assert_eq!(flow["observed"]["goodput_bps"], 472e3);
    assert_eq!(flow["verdict"]["cause"], "receive_window");
    assert_eq!(flow["changes"][0]["os"], "openbsd");
    let verify = &flow["verify"];
    assert_eq!(verify["agrees"], true, "{verify}");
    assert_eq!(verify["before_limited_by"], "receive_window");
    // What the change gives: the line, 80 Mbit/s of which 94.1 % are payload.
    assert_eq!(verify["after_limited_by"], "link", "{verify}");
    assert!(verify["after_bps"].as_f64() > Some(74e6), "{verify}");
    assert!(verify["emulated"].is_null(), "{verify}");
}

#[test]
fn the_scenario_is_one_and_names_the_source_of_every_value() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in MYSTERY {
        std::fs::copy(Path::new(RUN).join(name), folder.path().join(name)).expect("a copy");
    }
    let twin = ["--scenario", "twin.toml"];
    let ran = diagnosed(folder.path(), &[&MYSTERY[..], &twin].concat()).exits(0);
    assert!(ran.out.contains("farpath run twin.toml"), "{}", ran.out);
    let text = std::fs::read_to_string(folder.path().join("twin.toml")).expect("it was written");
    for line in text.lines().filter(|l| l.contains(" = ")) {
        let plain = ["name", "summary", "ends", "kind", "from", "to"];
        let key = line.split(" = ").next().unwrap_or_default();
        assert!(plain.contains(&key) || line.contains("# "), "{line}");
    }
    assert!(text.contains("\"4096 16384 16384\""), "{text}");
    assert!(text.contains("# receiver.txt:8"), "{text}");
    assert!(
        text.contains("assumed: the least usual rate above 4 times"),
        "{text}"
    );
    farpath_in(folder.path(), &["check", "twin.toml"]).exits(0);
    let run = farpath_in(folder.path(), &["run", "twin.toml"]).exits(0);
    assert!(run.out.contains("receive window"), "{}", run.out);
    // What is there stays.
    diagnosed(folder.path(), &[&MYSTERY[..], &twin].concat())
        .exits(3)
        .says(&["twin.toml", "nothing is overwritten"]);
}

/// A connection that was opened and carries nothing, and pings that say how large packets may be.
const HOLE: &str = "Connecting to host 192.0.2.9, port 5201
[  5] local 192.0.2.8 port 41122 connected to 192.0.2.9 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  84.8 KBytes   695 Kbits/sec    2   1.41 KBytes
[  5]   1.00-2.00   sec  0.00 Bytes  0.00 bits/sec    1   1.41 KBytes
[  5]   2.00-3.00   sec  0.00 Bytes  0.00 bits/sec    0   1.41 KBytes
[  5]   3.00-4.00   sec  0.00 Bytes  0.00 bits/sec    1   1.41 KBytes
- - - - -
[  5]   0.00-4.00   sec  84.8 KBytes   174 Kbits/sec    4             sender
[  5]   0.00-4.03   sec  0.00 Bytes  0.00 bits/sec                  receiver
PING 192.0.2.9 (192.0.2.9) 1372(1400) bytes of data.
1380 bytes from 192.0.2.9: icmp_seq=1 ttl=60 time=21.4 ms

--- 192.0.2.9 ping statistics ---
3 packets transmitted, 3 received, 0% packet loss, time 2003ms
rtt min/avg/max/mdev = 21.310/21.400/21.500/0.080 ms
PING 192.0.2.9 (192.0.2.9) 1472(1500) bytes of data.

--- 192.0.2.9 ping statistics ---
3 packets transmitted, 0 received, 100% packet loss, time 2041ms
";

#[test]
fn a_hole_for_large_packets_has_a_twin_and_nothing_is_made_of_a_rate_of_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("hole.txt"), HOLE).expect("it is writable");
    let ran = diagnosed(folder.path(), &["hole.txt", "--verify", "--json"]);
    let d: Value = serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}\n{}", ran.err));
    let flow = &d["flows"][0];
    assert_eq!(flow["verdict"]["cause"], "mtu_black_hole", "{flow}");
    let verify = &flow["verify"];
    assert_eq!(verify["agrees"], true, "{verify}");
    assert_eq!(verify["before_limited_by"], "mtu", "{verify}");
    assert!(verify["after_bps"].as_f64() > Some(1e5), "{verify}");
    let scenario = verify["scenario"].as_str().expect("a scenario");
    for words in ["answers = false", "mtu = 1400", "rate = \"1 Gbit/s\""] {
        assert!(scenario.contains(words), "{words}: {scenario}");
    }
    assert!(!scenario.contains("omit"), "{scenario}");
}
