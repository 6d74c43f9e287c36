//! Congestion control from outside the kernel, as a user meets it. Needs root, clang and bpftool, or fails.

use std::process::{Command, Stdio};

use crate::place::{ALLOWED, Place, compile, is_available, object, own_name, setting};

/// What a host says its default is.
const DEFAULT: [&str; 3] = ["--", "cat", "/proc/sys/net/ipv4/tcp_congestion_control"];

#[test]
fn an_object_of_ones_own_carries_a_transfer() {
    let place = Place::new();
    let name = own_name('a');
    object(place.path(), &name);
    let text =
        crate::place::SMALL.replace("bytes = \"1 MB\"", "bytes = \"1 MB\"\ncc = \"bpf:mine.o\"");
    place.write("mine.toml", &text);
    let ran = place.farpath(&["run", "mine.toml", "--emulate", "--json"]);
    assert!(matches!(ran.code, Some(0 | 4)), "{ran:?}");
    let registered = format!("is the BPF program `{name}`");
    assert!(ran.err.contains(&registered), "{}", ran.err);
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let records = document["records"].as_array().expect("a list");
    let origins = |test: &str| -> Vec<&str> {
        let of_test = records.iter().filter(|r| r["test"] == test);
        of_test.filter_map(|r| r["origin"].as_str()).collect()
    };
    assert_eq!(origins("rtt"), ["predicted", "simulated", "emulated"]);
    assert_eq!(origins("bulk"), ["emulated"]);
    let bulk = records
        .iter()
        .find(|r| r["test"] == "bulk")
        .expect("it ran");
    assert_eq!(bulk["metrics"]["bytes"], 1_000_000.0);
    assert!(
        bulk["notes"].to_string().contains("not modelled: `bpf:"),
        "{bulk}"
    );
    let beside = records
        .iter()
        .find(|r| r["origin"] == "simulated")
        .expect("it ran");
    assert!(
        beside["notes"].to_string().contains("cubic stood in"),
        "{beside}"
    );
    assert!(!is_available(&name));
    // The same from the command line, and where nobody could run it.
    let alone = place
        .farpath(&["run", "small.toml", "--cc", "bpf:mine.o"])
        .exits(2);
    assert!(alone.err.contains("add --emulate"), "{}", alone.err);
    let none = place
        .farpath(&["run", "small.toml", "--cc", "bpf:"])
        .exits(2);
    assert!(none.err.contains("no file is named"), "{}", none.err);
    let other = place
        .farpath(&["run", "small.toml", "--cc", "cubik"])
        .exits(2);
    assert!(other.err.contains("did you mean `cubic`?"), "{}", other.err);
}

#[test]
fn a_lab_has_the_congestion_control_it_is_told() {
    let place = Place::new();
    let name = own_name('b');
    object(place.path(), &name);
    let said = |cc: &[&str]| place.lab_run(&[cc, &DEFAULT].concat()).exits(0).out;
    assert_eq!(said(&["--cc", "bpf:mine.o"]).trim(), name);
    assert_eq!(said(&["--cc", "htcp"]).trim(), "fp_htcp");
    assert!(!is_available(&name));
    // What not everybody may use is allowed for the run, and then is not.
    let cubic = || setting(ALLOWED).split_whitespace().any(|n| n == "cubic");
    let before = cubic();
    assert_eq!(said(&["--cc", "cubic", "--tune-host"]).trim(), "cubic");
    assert_eq!(cubic(), before);
    // Without that the routes choose it, where it cannot be the default.
    let show = "cat /proc/sys/net/ipv4/tcp_congestion_control; ip route";
    let chosen = place.lab_run(&["--cc", "cubic", "--", "sh", "-c", show]);
    let chosen = chosen.exits(0);
    assert!(
        chosen.out.starts_with("cubic\n") || chosen.out.contains("congctl cubic"),
        "{}",
        chosen.out
    );
    assert_eq!(cubic(), before);
    let unknown = place
        .lab_run(&[&["--cc", "nonsense"][..], &DEFAULT].concat())
        .exits(125);
    assert!(
        unknown.err.contains("bpf:FILE.o is one of your own"),
        "{}",
        unknown.err
    );
}

/// An object whose program writes where it may not.
const REFUSED: &str = r#"
#include "kernel.bpf.h"
SEC("struct_ops/ssthresh") u32 refused_ssthresh(u64 *args) { *(volatile u64 *)args[0] = 1; return 2; }
SEC("struct_ops/undo_cwnd") u32 refused_undo_cwnd(u64 *args) { return 2; }
SEC("struct_ops/cong_avoid") void refused_cong_avoid(u64 *args) {}
SEC(".struct_ops") struct tcp_congestion_ops FP_NAME = {
	.ssthresh = refused_ssthresh,
	.undo_cwnd = refused_undo_cwnd,
	.cong_avoid = refused_cong_avoid,
	.name = TEXT(FP_NAME),
};
"#;

#[test]
fn what_is_no_congestion_control_is_refused_by_name() {
    let place = Place::new();
    let name = own_name('c');
    let said = |file: &str| {
        let cc = format!("bpf:{file}");
        place.lab_run(&["--cc", &cc, "--", "true"]).exits(125).err
    };
    let check = |file: &str, words: &str| {
        let err = said(file);
        assert!(err.contains(words), "{file}: {err}");
    };
    place.write("text.o", "no object");
    check(
        "text.o",
        "it is not an ELF file): make one with `clang -target bpf",
    );
    std::fs::copy("/proc/self/exe", place.path().join("program.o")).expect("it can be copied");
    check("program.o", "it is compiled for a processor");
    check("missing.o", "No such file");
    place.write("plain.c", "int plain(void) { return 1; }\n");
    compile(place.path(), "plain.o", &place.path().join("plain.c"), "x");
    check("plain.o", "has 0 congestion controls: one is needed");
    place.write("refused.c", REFUSED);
    compile(
        place.path(),
        "refused.o",
        &place.path().join("refused.c"),
        &name,
    );
    let err = said("refused.o");
    assert!(err.contains("the kernel refuses "), "{err}");
    // The end of the verifier's log: what it made of the program, and how far it got.
    assert!(
        err.contains("processed ") && err.contains(" insns"),
        "{err}"
    );
    // A name that somebody else has.
    let taken = object(place.path(), &name);
    let register = |words: &[&str]| {
        let status = Command::new("bpftool")
            .arg("struct_ops")
            .args(words)
            .stdout(Stdio::null())
            .status();
        assert!(status.expect("bpftool runs").success());
    };
    register(&["register", taken.to_str().expect("the path is text")]);
    let err = said("mine.o");
    register(&["unregister", "name", &name]);
    assert!(
        err.contains(&format!("`{name}` is registered already")),
        "{err}"
    );
}

/// A full path of 40 Mbit/s and 100 ms behind a long queue. The first loss ends slow start, the second ends the
/// first epoch at the path's whole rate, the third comes when epochs are alike.
const FULL: &str = r#"[scenario]
name = "full"
[[host]]
name = "a"
wmem_max = 16000000
rmem_max = 16000000
[[host]]
name = "b"
wmem_max = 16000000
rmem_max = 16000000
[[router]]
name = "r"
[[link]]
name = "near"
ends = ["a", "r"]
rate = "400 Mbit/s"
[[link]]
name = "far"
ends = ["r", "b"]
rate = "40 Mbit/s"
delay = "50 ms"
queue = "4 MB"
forward = { lose = [
  { flow = "bulk", segment = 200 },
  { flow = "bulk", segment = 9000 },
  { flow = "bulk", segment = 18000 },
] }
[[test]]
name = "bulk"
kind = "tcp"
from = "a"
to = "b"
bytes = "32 MB"
socket_buffer = "8 MB"
cc = "htcp"
flavour = "rfc"
"#;

/// draft-leith-tcp-htcp-06: β is the shortest round trip over the longest, between a half and 0.8, where
/// two epochs had the same throughput. What it leaves then is what the path holds without its queue.
#[test]
fn h_tcp_cuts_to_what_the_path_holds() {
    let place = Place::new();
    place.write("full.toml", FULL);
    let ran = place.farpath(&["run", "full.toml", "--emulate", "--simulate", "--json"]);
    assert!(matches!(ran.code, Some(0 | 4)), "{ran:?}");
    let document: serde_json::Value = serde_json::from_str(&ran.out).expect("it is JSON");
    let records = document["records"].as_array().expect("a list");
    let bulk = records
        .iter()
        .find(|r| r["origin"] == "emulated")
        .expect("it ran");
    let series = |name: &str| -> Vec<(f64, f64)> {
        let numbers = |key: &str| {
            let list = bulk["series"][name][key].as_array().expect(name).iter();
            list.map(|v| v.as_f64().unwrap_or(0.0)).collect::<Vec<_>>()
        };
        numbers("t_ns").into_iter().zip(numbers("v")).collect()
    };
    let mut cuts: Vec<(f64, f64)> = Vec::new();
    for (at, threshold) in series("ssthresh_bytes") {
        if cuts.last().is_none_or(|(_, last)| *last != threshold) {
            cuts.push((at, threshold));
        }
    }
    let [_, second, third] = cuts[..] else {
        panic!("{cuts:?} are not three cuts");
    };
    let windows = series("cwnd_bytes").into_iter();
    let between = windows.filter(|(at, _)| (second.0..third.0).contains(at));
    let window = between.map(|(_, w)| w).fold(0.0, f64::max);
    let beta = third.1 / window;
    // A machine that took time away made the epochs differ, or the longest round trip longer: β may be a half.
    if bulk["valid"] == false {
        assert!((0.5..0.8).contains(&beta), "{beta}: {cuts:?} of {window}");
        return;
    }
    assert!(beta > 0.55 && beta < 0.79, "{beta}: {cuts:?} of {window}");
    // 1448 of the 1538 bytes of a frame are payload. What the machine adds to the longest round trip
    // makes the cut deeper, by what it is of the round trip.
    let rtt = bulk["metrics"]["rtt_min_ns"].as_f64().expect("a number");
    let held = 40e6 / 8.0 * (1448.0 / 1538.0) * rtt / 1e9;
    assert!(
        (third.1 / held - 1.0).abs() < 0.1,
        "{} is left of {held}",
        third.1
    );
}
