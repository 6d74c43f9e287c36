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
    let there = "there       client → ams → nyc (S1-ams-nyc) → ams";
    assert!(joined.out.contains(there), "{}", joined.out);
    // Two of three passes go one way: 4.5 Gbit/s each. An access of 1 Gbit/s is narrower, and a minute has its slow start.
    let gets = "one TCP connection of 60 s gets 883.6 Mbit/s, its start included, limited by the interface in front of the client";
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(&joined.out).contains(gets), "{}", joined.out);
    // At a rate of 2 Gbit/s the link is.
    let narrow = with(&[a, b, "--rtt", "300ms", "--rate", "2Gbit/s"]).exits(0);
    assert!(
        words(&narrow.out).contains("limited by a link"),
        "{}",
        narrow.out
    );
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

/// What a filter discards is found, no rate is promised behind it, and a run of the path that the files make agrees.
#[test]
fn a_filter_that_discards_leaves_nothing_of_the_path() {
    let folder = tempfile::tempdir().expect("a folder");
    let port = |name: &str, address: &str, filter: &str| {
        format!(
            "interfaces {{ {name} {{ mtu 9192; unit 0 {{ family inet {{ {filter} address {address}; }} }} }} }}\n"
        )
    };
    let near = port("xe-0/0/1", "203.0.113.10/30", "") + &port("xe-0/0/0", "192.0.2.1/24", "");
    let far = |filter: &str| {
        let last = port("et-2/0/0", "203.0.113.33/31", filter);
        port("xe-1/0/3", "203.0.113.9/30", "") + &last
    };
    let scavenger = "firewall { family inet { filter SCAV {
    term scav { from { dscp 8; } then accept; }
} } }
";
    let at = |name: &str| folder.path().join(name);
    fs::write(at("ham.conf"), near).expect("a file");
    fs::write(at("ams.conf"), far("filter { output SCAV; }") + scavenger).expect("a file");
    let check = [
        "config", "check", "ham.conf", "ams.conf", "--rtt", "170ms", "--rate", "4Gbit/s",
    ];
    let found = farpath_in(folder.path(), &check).exits(1);
    let words = found.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "error[JUN004]: filter `SCAV` has no term that takes the rest, which is discarded",
        "one TCP connection of 60 s gets nothing, limited by a policer",
        "`SCAV-discard` on server ams>server drops all that it sends",
    ] {
        assert!(words.contains(said), "{said}: {}", found.out);
    }
    let json: Vec<&str> = check.iter().copied().chain(["--json"]).collect();
    let path = document(&farpath_in(folder.path(), &json).exits(1).out)["path"].clone();
    assert_eq!(path["goodput_bps"], 0.0);
    let scenario = path["scenario"].as_str().expect("a text");
    fs::write(at("path.toml"), scenario).expect("a file");
    let run = farpath_in(folder.path(), &["run", "path.toml", "--json"]).exits(0);
    let records = document(&run.out)["records"].clone();
    let goodputs = records.as_array().expect("records").iter();
    let goodputs: Vec<_> = goodputs
        .map(|r| r["metrics"]["goodput_bps"].clone())
        .collect();
    assert_eq!(goodputs.len(), 2);
    assert!(
        goodputs.iter().all(|g| g.as_f64() == Some(0.0)),
        "{goodputs:?}"
    );
}

/// A class that may not exceed its rate gets no more, and no forecast has it: a rate is not promised.
#[test]
fn a_class_that_is_held_to_its_rate_leaves_the_path_without_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let router = |name: &str, own: &str, between: &str| {
        format!(
            "system {{ host-name {name}; }}\ninterfaces {{ ge-0/0/1 {{ unit 0 {{ family inet {{ address {own}; }} }} }} ge-0/0/0 {{ unit 0 {{ family inet {{ address {between}; }} }} }} }}\n"
        )
    };
    let cos = "class-of-service { schedulers { BE { transmit-rate 5m exact; } NC { transmit-rate percent 95; } }
scheduler-maps { SM { forwarding-class best-effort scheduler BE; forwarding-class network-control scheduler NC; } }
interfaces { ge-0/0/0 { scheduler-map SM; } } }
";
    let at = |name: &str| folder.path().join(name);
    let near = router("pa", "10.1.1.1/24", "192.0.2.5/30") + cos;
    fs::write(at("pa.conf"), near).expect("a file");
    fs::write(at("pb.conf"), router("pb", "10.2.2.1/24", "192.0.2.6/30")).expect("a file");
    let check = [
        "config", "check", "pa.conf", "pb.conf", "--rtt", "40ms", "--rate", "1Gbit/s", "--memory",
        "5MB",
    ];
    let found = farpath_in(folder.path(), &check).exits(0);
    let words = found.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let held =
        "`ge-0/0/0` of `pa` holds class `best-effort` to 5 Mbit/s (`exact` of scheduler `BE`)";
    for said in [
        "gets an unknown rate: a class is held to a rate of its own",
        held,
    ] {
        assert!(words.contains(said), "{said}: {}", found.out);
    }
    let json: Vec<&str> = check.iter().copied().chain(["--json"]).collect();
    let path = document(&farpath_in(folder.path(), &json).exits(0).out)["path"].clone();
    assert!(
        path["goodput_bps"].is_null() && path["limited_by"].is_null(),
        "{path}"
    );
    assert_eq!(path["notes"][0], held);
}

/// The path as a document: rate, what limits, round trip and each crossing, with units in the names.
#[test]
fn a_joined_path_is_in_the_document() {
    let folder = tempfile::tempdir().expect("a folder");
    farpath_in(folder.path(), &SNAKY).exits(0);
    let with = |more: &[&str]| {
        let files = ["t/ams.conf", "t/nyc.conf", "--json"];
        let all: Vec<&str> = ["config", "check"]
            .iter()
            .chain(&files)
            .chain(more)
            .copied()
            .collect();
        document(&farpath_in(folder.path(), &all).exits(0).out)["path"].clone()
    };
    let path = with(&["--rtt", "300ms", "--rate", "2Gbit/s"]);
    assert_eq!(path["joined"], true);
    assert_eq!(path["rtt_ns"], 300_000_000);
    assert_eq!(path["limited_by"], "link");
    let goodput = path["goodput_bps"].as_f64().expect("a rate");
    assert!((750e6..1e9).contains(&goodput), "{goodput}");
    let there = path["there"].as_array().expect("crossings");
    let names: Vec<&str> = there.iter().filter_map(|c| c["link"].as_str()).collect();
    assert_eq!(names, ["client", "link-0", "link-0", "link-0", "server"]);
    assert_eq!(there[1]["rate_bps"], 2_000_000_000_u64);
    assert_eq!(there[1]["from"], "ams");
    assert_eq!(there[1]["lsp"], "S1-ams-nyc");
    // Five crossings each way of 300 ms.
    assert_eq!(there[1]["delay_ns"], 30_000_000);
    // What it is made of runs beside the files.
    let scenario = path["scenario"].as_str().expect("a text");
    fs::write(folder.path().join("t/path.toml"), scenario).expect("a file");
    let checked = farpath_in(folder.path(), &["check", "t/path.toml"]).exits(0);
    assert!(
        checked.out.contains("2 hosts, 2 routers"),
        "{}",
        checked.out
    );
    // Without a rate there is none, and the document says why; without a round trip nobody asked.
    let unknown = with(&["--rtt", "300ms"]);
    assert_eq!(unknown["joined"], false);
    let why = unknown["why_not"].as_str().expect("a reason");
    assert!(why.contains("do not say how fast so-"), "{why}");
    assert!(with(&[]).is_null());
}

const IOS_AMS: &str = "hostname ams
policy-map cap
 class class-default
  police 100000000 1250000 conform-action transmit exceed-action drop
interface Loopback0
 ip address 203.0.113.1 255.255.255.255
interface GigabitEthernet0/0
 ip address 192.0.2.1 255.255.255.252
 service-policy output cap
interface GigabitEthernet0/1
 ip address 198.51.100.1 255.255.255.0
";
const IOS_NYC: &str = "hostname nyc
interface TenGigabitEthernet1/1
 mtu 9000
interface TenGigabitEthernet1/1.7
 encapsulation dot1Q 7 native
 ip address 192.0.2.2 255.255.255.252
interface GigabitEthernet1/2
 ip address 198.51.101.1 255.255.255.0
";

/// IOS files are joined by their subnets as those of Junos, and with them.
#[test]
fn ios_files_of_one_path_are_joined() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("a file");
    };
    let with = |files: &[&str]| {
        let more = ["--json", "--rtt", "100ms"];
        let all: Vec<&str> = ["config", "check"]
            .iter()
            .chain(files)
            .chain(&more)
            .copied()
            .collect();
        document(&farpath_in(folder.path(), &all).out)["path"].clone()
    };
    write("ams.ios", IOS_AMS);
    write("nyc.ios", IOS_NYC);
    let path = with(&["ams.ios", "nyc.ios"]);
    assert_eq!(path["joined"], true, "{path}");
    assert_eq!(path["limited_by"], "policer", "{path}");
    let there = path["there"].as_array().expect("crossings");
    assert_eq!(there.len(), 3);
    // The slower of both ends; a subinterface's size is its interface's.
    assert_eq!(there[1]["rate_bps"], 1_000_000_000);
    assert_eq!(path["back"][1]["mtu_bytes"], 9000);
    // A Junos router at the other end.
    let interface = |name: &str, address: &str| {
        format!("{name} {{ unit 0 {{ family inet {{ address {address}; }} }} }}\n")
    };
    let junos = format!(
        "system {{ host-name chi; }}\ninterfaces {{\n{}{}}}\n",
        interface("ge-0/0/0", "192.0.2.2/30"),
        interface("ge-0/0/1", "198.51.102.1/24")
    );
    write("chi.conf", &junos);
    let mixed = with(&["ams.ios", "chi.conf"]);
    assert_eq!(mixed["joined"], true, "{mixed}");
    assert_eq!(mixed["limited_by"], "policer");
}

/// Where addresses do not show where cables are, it is said of which interfaces of which file.
#[test]
fn ios_files_that_make_no_path_say_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let why = |a: &str, b: &str, more: &[&str]| {
        fs::write(folder.path().join("ams.ios"), a).expect("a file");
        fs::write(folder.path().join("b.ios"), b).expect("a file");
        let files = [
            "config", "check", "ams.ios", "b.ios", "--json", "--rtt", "100ms",
        ];
        let all = [&files[..], more].concat();
        let path = document(&farpath_in(folder.path(), &all).out)["path"].clone();
        path["why_not"].as_str().unwrap_or_default().to_owned()
    };
    let switch = "hostname sw
mls qos
interface GigabitEthernet1/1
 switchport
 switchport mode trunk
interface Vlan10
 ip address 192.0.2.2 255.255.255.252
";
    let got = why(IOS_AMS, switch, &[]);
    for part in [
        "no file says which ports of sw lead to the routers",
        "show cdp neighbors detail",
    ] {
        assert!(got.contains(part), "{part}: {got}");
    }
    // Three ends, one of them an address that nobody shares.
    let apart = IOS_NYC.replace("192.0.2.2", "192.0.2.6");
    let got = why(IOS_AMS, &apart, &[]);
    for part in [
        "GigabitEthernet0/0 of ams (ams.ios, 192.0.2.1/30)",
        "TenGigabitEthernet1/1.7 of nyc (b.ios, 192.0.2.6/30)",
        "of ams.ios Loopback0 is not a place for a cable",
    ] {
        assert!(got.contains(part), "{part}: {got}");
    }
    // A port that divides its buffer, of a switch: how much it is has to be said.
    let queues = "mls qos
hostname nyc
interface GigabitEthernet1/1
 ip address 192.0.2.2 255.255.255.252
 wrr-queue bandwidth 99 1
 mls qos trust dscp
interface GigabitEthernet1/2
 ip address 198.51.101.1 255.255.255.0
";
    let got = why(IOS_AMS, queues, &[]);
    assert!(
        got.contains("GigabitEthernet1/1 of nyc divides its transmit buffer")
            && got.contains("--memory"),
        "{got}"
    );
    assert_eq!(why(IOS_AMS, queues, &["--memory", "512kB"]), "");
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

/// A fetch that failed, and a file of another system, do not pass; the help names all machines.
#[test]
fn a_file_that_nobody_understands_does_not_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |text: &str| std::fs::write(folder.path().join("h.txt"), text).expect("writable");
    let check = [
        "config", "check", "h.txt", "--rtt", "120ms", "--rate", "10Gbit/s",
    ];
    write("sysctl: cannot stat /proc/sys/net/ipv4/tcp_wmem: No such file or directory\n");
    let ran = farpath_in(folder.path(), &check).exits(2);
    assert!(
        ran.out.contains("nothing in this file is understood"),
        "{}",
        ran.out
    );
    write("! device: leaf1 (DCS-7280SR-48C6, EOS-4.28.1F)\nhostname leaf1\n");
    let ran = farpath_in(folder.path(), &check).exits(2);
    assert!(ran.out.contains("Arista EOS"), "{}", ran.out);
    write("/proc/sys/net/ipv4/tcp_wmem:4096\t65536\t600000\n");
    let ran = farpath_in(folder.path(), &check).exits(1);
    assert!(ran.out.contains("HOST003"), "{}", ran.out);
    let help = farpath(&["config", "check", "--help"]).exits(0).out;
    for platform in farpath_config::Platform::ALL {
        assert!(help.contains(platform.name()), "{platform}");
    }
}
