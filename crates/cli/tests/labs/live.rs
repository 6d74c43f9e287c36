//! `farpath diagnose --live` and `farpath host`, on a host of a lab.

use serde_json::Value;

use crate::place::Place;

/// The binary, as a command of a host.
const FARPATH: &str = env!("CARGO_BIN_EXE_farpath");

/// iperf3's `-w 64K` holds the receiver's window at what 128 KiB of memory leave: below 100 kB of 500 kB that the path holds.
#[test]
fn a_connection_that_waits_for_its_receivers_window_is_named() {
    let place = Place::new();
    let watch = format!(
        "iperf3 -c server -w 64K -t 8 > iperf3.txt & \
         {FARPATH} diagnose --live 'dst server and dport 5201' --for 6s --json; echo exit $?; wait"
    );
    let options = [
        "--rtt",
        "40ms",
        "--rate",
        "100Mbit/s",
        "--cc",
        "reno",
        "--server",
        "iperf3 -s",
        "--wait-port",
        "5201",
    ];
    let ran = place.farpath(&[&["lab", "run"], &options[..], &["--", "sh", "-c", &watch]].concat());
    let ran = ran.exits(0);
    let (json, rest) = ran.out.rsplit_once("exit ").expect("it ended");
    assert_eq!(rest.trim(), "0", "{}", ran.err);
    let document: Value = serde_json::from_str(json).expect("JSON");
    assert_eq!(document["schema"], "farpath.diagnosis/1");
    let flow = &document["flows"][0];
    assert_eq!(flow["verdict"]["cause"], "receive_window", "{flow}");
    let rate = flow["observed"]["goodput_bps"].as_f64().expect("a number");
    // 100 kB · 8 / 40 ms.
    assert!(rate > 2e6 && rate < 20e6, "{rate}");
    let from = flow["ceilings"].to_string();
    assert!(from.contains("the window the receiver announced"), "{from}");
    assert!(ran.err.contains("limited by"), "the table: {}", ran.err);
}

#[test]
fn a_host_of_a_lab_is_judged_by_its_own_settings() {
    let place = Place::new();
    let judge = format!("{FARPATH} host --path 100Mbit/s,40ms --json");
    let ran = place.farpath(&[
        "lab",
        "run",
        "--rtt",
        "40ms",
        "--rate",
        "100Mbit/s",
        "--",
        "sh",
        "-c",
        &judge,
    ]);
    let document: Value = serde_json::from_str(&ran.out).expect(&ran.err);
    let survey = &document["survey"];
    assert_eq!(survey["interfaces"][0]["name"], "eth0", "{survey}");
    assert!(survey["interfaces"][0]["qdisc"].is_string(), "{survey}");
    // 500 kB fill the path; a Linux has room for that.
    assert_eq!(
        document["verdict"]["enough"], true,
        "{}",
        document["verdict"]
    );
}
