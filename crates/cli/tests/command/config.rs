//! `farpath config`: its documents, its files and its exit codes.

use std::fs;

use crate::farpath::{command, farpath, farpath_in, ran};

/// A JSON document.
fn document(text: &str) -> serde_json::Value {
    serde_json::from_str(text).expect("JSON")
}

const SNAKY: [&str; 8] = [
    "config",
    "snaky",
    "--passes",
    "3",
    "--routers",
    "ams,nyc",
    "--out",
    "t",
];

#[test]
fn a_tunnel_is_written_and_passes() {
    let folder = tempfile::tempdir().expect("a folder");
    let wrote = farpath_in(folder.path(), &SNAKY).exits(0);
    assert!(wrote.out.contains("3 times the link's"), "{}", wrote.out);
    let check = [
        "config",
        "check",
        "t/ams.conf",
        "t/nyc.conf",
        "--fail-on",
        "warning",
    ];
    let ran = farpath_in(folder.path(), &check).exits(0);
    assert!(ran.out.contains("0 errors, 0 warnings"), "{}", ran.out);
    assert!(
        ran.out.lines().all(|l| l.chars().count() <= 80),
        "{}",
        ran.out
    );
    let brace = ["config", "snaky", "--passes", "3", "--style", "brace"];
    assert!(
        farpath_in(folder.path(), &brace)
            .exits(0)
            .out
            .contains("lsp-switch S1-S2 {")
    );
}

/// The files say which interfaces share a subnet and where the circuit ends; the round trip and the line's rate are stated.
#[test]
fn files_of_one_path_are_joined_and_what_limits_it_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    farpath_in(folder.path(), &SNAKY).exits(0);
    let (a, b) = ("t/ams.conf", "t/nyc.conf");
    let with = |more: &[&str]| {
        let all: Vec<&str> = ["config", "check"].iter().chain(more).copied().collect();
        farpath_in(folder.path(), &all)
    };
    let joined = with(&[a, b, "--rtt", "300ms", "--rate", "9Gbit/s"]).exits(0);
    assert!(
        joined
            .out
            .contains("the path that the files make, with a round trip of 300 ms"),
        "{}",
        joined.out
    );
    // Three passes over one link, between the access links.
    let there = joined.out.lines().find(|l| l.starts_with("  there"));
    let there = there.expect("the way there");
    assert_eq!(there.matches("link-0").count(), 3, "{there}");
    // Two of three passes go one way: 4.5 Gbit/s each. An access of 1 Gbit/s is narrower, and a minute has its slow start.
    let gets =
        "one TCP connection gets 885.8 Mbit/s, limited by the interface in front of the client";
    assert!(joined.out.contains(gets), "{}", joined.out);
    // At a rate of 2 Gbit/s the link is.
    let narrow = with(&[a, b, "--rtt", "300ms", "--rate", "2Gbit/s"]).exits(0);
    assert!(narrow.out.contains("limited by a link"), "{}", narrow.out);
    // The name of a SONET interface does not say its rate.
    let unknown = with(&[a, b, "--rtt", "300ms"]).exits(0);
    assert!(
        unknown
            .out
            .contains("the files make no path: the files do not say how fast so-"),
        "{}",
        unknown.out
    );
    let alone = with(&[a, "--rtt", "300ms"]);
    assert!(!alone.out.contains("path that the files"), "{}", alone.out);
    let text = "interfaces {\n    ge-0/0/0 {\n        unit 0 {\n            family inet {\n                address 192.0.2.1/30;\n            }\n        }\n    }\n}\n";
    for (n, name) in ["x", "y", "z"].into_iter().enumerate() {
        let own = text.replace("192.0.2.1", &format!("198.51.100.{}", 4 * n + 1));
        fs::write(folder.path().join(format!("{name}.conf")), own).expect("a file");
    }
    let apart = with(&["x.conf", "y.conf", "z.conf", "--rtt", "100ms"]);
    assert!(
        apart.out.contains(
            "the files make no path: interfaces that no other file's subnet joins are ge-0/0/0 of"
        ),
        "{}",
        apart.out
    );
}

#[test]
fn an_even_tunnel_is_refused_with_the_reason() {
    let ran = farpath(&["config", "snaky", "--passes", "4"]).exits(2);
    assert!(
        ran.err.contains("ends on the router it starts on"),
        "{}",
        ran.err
    );
}

#[test]
fn exit_codes_tell_findings_text_and_files_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    farpath_in(folder.path(), &SNAKY).exits(0);
    let file = folder.path().join("t/ams.conf");
    let text = fs::read_to_string(&file).expect("it was written");
    let check = ["config", "check", "t/ams.conf", "t/nyc.conf"];
    fs::write(
        &file,
        text.replace("set protocols rsvp interface so-1/0/0.0\n", ""),
    )
    .expect("a file");
    let ran = farpath_in(folder.path(), &check).exits(1);
    assert!(ran.out.contains("error[CCC012]"), "{}", ran.out);
    fs::write(&file, text.replace("mtu 9018", "mtu 9000")).expect("a file");
    farpath_in(folder.path(), &check).exits(0);
    farpath_in(
        folder.path(),
        &[&check[..], &["--fail-on", "warning"]].concat(),
    )
    .exits(1);
    fs::write(&file, text.replace("mtu 9018", "mtu 9018 }")).expect("a file");
    let ran = farpath_in(folder.path(), &check).exits(2);
    assert!(ran.out.contains("t/ams.conf:6:"), "{}", ran.out);
    farpath_in(folder.path(), &["config", "check", "missing.conf"])
        .exits(2)
        .says(&["missing.conf", "standard input"]);
}

#[test]
fn documents_hold_findings_circuits_and_coverage() {
    let folder = tempfile::tempdir().expect("a folder");
    farpath_in(folder.path(), &SNAKY).exits(0);
    let check = ["config", "check", "t/ams.conf", "t/nyc.conf"];
    let json = document(
        &farpath_in(folder.path(), &[&check[..], &["--json"]].concat())
            .exits(0)
            .out,
    );
    assert_eq!(json["schema"], "farpath.config/1");
    assert_eq!(json["files"][0]["status"], "PASSED");
    assert_eq!(json["coverage"]["unrecognised"], 0);
    let circuit = &json["circuits"][0];
    assert_eq!(circuit["complete"], true);
    assert_eq!(circuit["both_ways_divisor"], 3);
    assert_eq!(circuit["forward"]["crossings"][1]["lsp"], "S2-nyc-ams");
    let sarif = document(
        &farpath_in(folder.path(), &[&check[..], &["--sarif"]].concat())
            .exits(0)
            .out,
    );
    assert_eq!(sarif["version"], "2.1.0");
    let run = &sarif["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "farpath");
    let result = &run["results"][0];
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert!(
        region["startLine"].as_u64().is_some_and(|l| l > 1),
        "{result}"
    );
}

#[test]
fn a_configuration_can_be_piped_in() {
    use std::io::Write;
    use std::process::Stdio;
    let mut command = command();
    command.args(["config", "check", "-"]);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary was built");
    let mut pipe = child.stdin.take().expect("a pipe");
    pipe.write_all(b"net.ipv4.tcp_sack = 0\n")
        .expect("it reads");
    drop(pipe);
    let ran = ran(child.wait_with_output().expect("it ends"));
    assert!(
        ran.out.contains("standard input:1"),
        "{}{}",
        ran.out,
        ran.err
    );
}

/// What `sysctl` of FreeBSD prints, and `sysctl -e` of some Linux: a colon. A program's limit is not the kernel's tuning.
#[test]
fn settings_with_colons_are_those_of_a_host() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "net.core.rmem_max: 212992\nnet.ipv4.tcp_rmem: 4096 131072 67108864\n";
    fs::write(folder.path().join("host.txt"), text).expect("it is writable");
    let check = [
        "config", "check", "host.txt", "--rate", "1Gbit/s", "--rtt", "100ms",
    ];
    let ran = farpath_in(folder.path(), &check).exits(0);
    assert!(
        ran.out.contains("host.txt: hosts, read whole"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("0 errors, 1 warning"), "{}", ran.out);
}
