//! What a run captures, in tshark's eyes. `tshark` must be installed: a missing one is a failure.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// The circuit of cern-snaky, with a loss early enough for a short run.
const LOST_SEGMENT: u64 = 900;
const MSS: u64 = 8948;
const WINDOW: u64 = 4_000_000;

fn farpath() -> Command {
    Command::new(env!("CARGO_BIN_EXE_farpath"))
}

fn ran(command: &mut Command) -> Output {
    let output = command.output().expect("the program can be run");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?}: {:?}\n{said}",
        output.status
    );
    output
}

fn text(output: Output) -> String {
    String::from_utf8(output.stdout).expect("text on standard output")
}

/// Runs `scenario` with `--out` and gives the folder.
fn run(scenario: &str) -> TempDir {
    let folder = TempDir::new().expect("a folder for the test");
    let file = folder.path().join("scenario.toml");
    std::fs::write(&file, scenario).expect("the scenario can be written");
    let mut command = farpath();
    ran(command
        .arg("run")
        .arg(&file)
        .arg("--simulate")
        .arg("--out")
        .arg(folder.path()));
    folder
}

/// Five passes, one segment lost on the access link, taps on it and on the circuit.
fn five_passes() -> TempDir {
    let shipped = text(ran(
        farpath().args(["scenarios", "cern-snaky/five-passes-one-loss"])
    ));
    let (setting, _) = shipped
        .split_once("[[expect]]")
        .expect("it expects something");
    let mut scenario = setting.to_owned();
    for (from, to) in [
        ("segment = 120000", format!("segment = {LOST_SEGMENT}")),
        (
            "name = \"stm64\"",
            "name = \"stm64\"\ntap = true".to_owned(),
        ),
        (
            "name = \"ge-gva\"",
            "name = \"ge-gva\"\ntap = true".to_owned(),
        ),
        ("duration = \"60 s\"", "duration = \"9 s\"".to_owned()),
        ("window = \"72 MB\"", format!("window = \"{WINDOW} B\"")),
    ] {
        assert_eq!(scenario.matches(from).count(), 1, "{from}");
        scenario = scenario.replace(from, &to);
    }
    run(&scenario)
}

/// One row per packet, one column per field; several values of a field are joined by a comma.
fn fields(capture: &Path, filter: &str, fields: &[&str]) -> Vec<Vec<String>> {
    let mut command = Command::new("tshark");
    command
        .arg("-n")
        .arg("-r")
        .arg(capture)
        .args(["-Y", filter, "-T", "fields"]);
    command.args([
        "-o",
        "ip.check_checksum:TRUE",
        "-o",
        "tcp.relative_sequence_numbers:TRUE",
    ]);
    for field in fields {
        command.args(["-e", field]);
    }
    let rows = text(ran(&mut command));
    rows.lines()
        .map(|row| row.split('\t').map(str::to_owned).collect())
        .collect()
}

fn numbers(capture: &Path, filter: &str, names: &[&str]) -> Vec<Vec<u64>> {
    let number = |text: &String| text.parse().unwrap_or_else(|_| panic!("{names:?}: {text}"));
    fields(capture, filter, names)
        .iter()
        .map(|row| row.iter().map(number).collect())
        .collect()
}

fn count(capture: &Path, filter: &str) -> usize {
    fields(capture, filter, &["frame.number"]).len()
}

/// Nothing that tshark cannot read, and right checksums of IP.
fn assert_sound(capture: &Path) {
    let faults = "_ws.malformed || _ws.expert.severity == error || ip.checksum.status == \"Bad\"";
    assert_eq!(
        fields(capture, faults, &["frame.number", "_ws.expert.message"]),
        [[""; 0]; 0]
    );
}

/// Bytes and frames of both directions of a link, as the run counted them.
fn counted(folder: &Path, link: &str) -> BTreeMap<String, (u64, u64)> {
    let json = std::fs::read(folder.join("records.json")).expect("records.json was written");
    let document: serde_json::Value = serde_json::from_slice(&json).expect("it is JSON");
    let links = document["links"].as_array().expect("it has links");
    let number = |l: &serde_json::Value, key: &str| l[key].as_u64().expect("a counter");
    let of_link = links.iter().filter(|l| l["link"] == link);
    of_link
        .map(|l| {
            let way = l["direction"].as_str().expect("a name").to_owned();
            (way, (number(l, "frames"), number(l, "bytes")))
        })
        .collect()
}

/// The capture has every frame that the link's counters have; `framing` bytes a frame are not captured.
fn assert_counted(folder: &Path, link: &str, framing: u64) {
    let mut captured: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let capture = folder.join(format!("{link}.pcapng"));
    for row in fields(&capture, "frame", &["frame.interface_name", "frame.len"]) {
        let sum = captured.entry(row[0].clone()).or_default();
        sum.0 += 1;
        sum.1 += row[1].parse::<u64>().expect("a length") + framing;
    }
    assert_eq!(captured, counted(folder, link));
    assert_eq!(captured.len(), 2);
}

#[test]
fn the_access_link_shows_one_loss_and_its_repair() {
    let folder = five_passes();
    let capture = folder.path().join("ge-gva.pcapng");
    assert_sound(&capture);
    // Preamble 8, FCS 4, gap 12.
    assert_counted(folder.path(), "ge-gva", 24);
    assert_eq!(count(&capture, "mpls || vlan || !tcp"), 0);

    let lost = (LOST_SEGMENT - 1) * MSS + 1;
    let repairs = numbers(
        &capture,
        "tcp.analysis.retransmission || tcp.analysis.fast_retransmission",
        &["tcp.seq"],
    );
    assert_eq!(repairs, [[lost]]);
    let other = "tcp.analysis.out_of_order || tcp.analysis.lost_segment || tcp.analysis.ack_lost_segment \
                 || tcp.analysis.spurious_retransmission || tcp.analysis.keep_alive || tcp.analysis.zero_window";
    assert_eq!(count(&capture, other), 0);

    // SACK reports the hole until it is filled: ACKs of the same number, a growing block.
    let holes = numbers(
        &capture,
        "tcp.options.sack.count == 1",
        &["tcp.ack", "tcp.options.sack_le", "tcp.options.sack_re"],
    );
    assert!(holes.len() > 100, "{} ACKs with a block", holes.len());
    assert!(
        holes.iter().all(|h| h[..2] == [lost, lost + MSS]),
        "{holes:?}"
    );
    assert!(holes.windows(2).all(|w| w[0][2] < w[1][2]));
    let sack = fields(
        &capture,
        "tcp.options.sack.count",
        &["tcp.options.sack.count"],
    );
    assert_eq!(sack.len(), holes.len());
    options_come_from_the_connection(&capture);
}

fn options_come_from_the_connection(capture: &Path) {
    let opening = [
        "ip.src",
        "tcp.options.mss_val",
        "tcp.options.wscale.shift",
        "tcp.options.sack_perm",
        "ip.len",
    ];
    let seen = fields(capture, "tcp.flags.syn == 1", &opening);
    // SACK-permitted has no value: its field is its two bytes. 65535 << 6 is 4 194 240.
    let expected = [
        ["198.18.0.1", "8960", "0", "0402", "60"],
        ["198.18.0.2", "8960", "6", "0402", "60"],
    ];
    assert_eq!(seen, expected);

    // Nothing waits at the receiver but what came after the hole.
    let windows = numbers(
        capture,
        "ip.src == 198.18.0.2 && tcp.flags.syn == 0",
        &["tcp.window_size"],
    );
    let largest = windows.iter().map(|w| w[0]).max();
    assert_eq!(largest, Some(WINDOW));

    // Timestamps: a clock that never goes back, and ACKs that tell the round trip of 580 ms.
    for source in ["198.18.0.1", "198.18.0.2"] {
        let filter = format!("ip.src == {source}");
        let values = numbers(capture, &filter, &["tcp.options.timestamp.tsval"]);
        assert!(values.windows(2).all(|w| w[0] <= w[1]), "{source}");
    }
    let acks = "ip.src == 198.18.0.2 && tcp.flags.syn == 0 && !tcp.options.sack.count";
    let stamps = fields(
        capture,
        acks,
        &["frame.time_epoch", "tcp.options.timestamp.tsecr"],
    );
    let rtt = |row: &Vec<String>| {
        let (at, echo): (f64, f64) = (
            row[0].parse().expect("a time"),
            row[1].parse().expect("a TSecr"),
        );
        at * 1000.0 + 1.0 - echo
    };
    assert!(stamps.len() > 500);
    // A delayed ACK may be 40 ms late, and one of the repair is a round trip older.
    let odd = stamps
        .iter()
        .filter(|s| !(580.0..625.0).contains(&rtt(s)))
        .count();
    assert_eq!(odd, 0, "{:?}", stamps.iter().map(rtt).fold(0.0, f64::max));
}

#[test]
fn the_circuit_shows_five_labelled_passes_each_way() {
    let folder = five_passes();
    let capture = folder.path().join("stm64.pcapng");
    assert_sound(&capture);
    // Flag 1 and FCS 4.
    assert_counted(folder.path(), "stm64", 5);
    assert_eq!(
        count(
            &capture,
            "!(ppp && mpls && eth && vlan.id == 591 && ip && tcp)"
        ),
        0
    );

    // Pass n of either host's frames: its interface, its label, and a TTL of 255 - n.
    let columns = [
        "ip.src",
        "mpls.ttl",
        "mpls.label",
        "frame.interface_name",
        "ip.ttl",
    ];
    let passes: BTreeSet<Vec<String>> = fields(&capture, "mpls", &columns).into_iter().collect();
    for (source, odd, even) in [
        ("198.18.0.1", "cernh5>ar5-chicago", "ar5-chicago>cernh5"),
        ("198.18.0.2", "ar5-chicago>cernh5", "cernh5>ar5-chicago"),
    ] {
        let own: Vec<&Vec<String>> = passes.iter().filter(|p| p[0] == source).collect();
        let ttls: Vec<&str> = own.iter().rev().map(|p| p[1].as_str()).collect();
        assert_eq!(ttls, ["255", "254", "253", "252", "251"]);
        let ways: Vec<&str> = own.iter().rev().map(|p| p[3].as_str()).collect();
        assert_eq!(ways, [odd, even, odd, even, odd]);
        // The customer's own TTL is nobody's business.
        assert!(own.iter().all(|p| p[4] == "64"));
    }
    let labels: BTreeSet<(&str, &str)> = passes
        .iter()
        .map(|p| (p[3].as_str(), p[2].as_str()))
        .collect();
    assert_eq!(labels.len(), 10, "{labels:?}");

    // Each pass by itself is a connection with one hole and one repair; the lost one never came here.
    let mut analysed = 0;
    for pass in passes.iter().filter(|p| p[0] == "198.18.0.1") {
        let one = folder.path().join(format!("pass-{}.pcapng", pass[1]));
        let mut split = Command::new("tshark");
        split.arg("-n").arg("-r").arg(&capture).arg("-w").arg(&one);
        ran(split.args([
            "-Y",
            &format!("ip.src == 198.18.0.1 && mpls.ttl == {}", pass[1]),
        ]));
        let lost = (LOST_SEGMENT - 1) * MSS + 1;
        assert_eq!(
            numbers(&one, "tcp.analysis.lost_segment", &["tcp.seq"]),
            [[lost + MSS]]
        );
        let repaired = "tcp.analysis.retransmission || tcp.analysis.out_of_order";
        assert_eq!(numbers(&one, repaired, &["tcp.seq"]), [[lost]]);
        analysed += 1;
    }
    assert_eq!(analysed, 5);

    // One segment has one TSval, whichever pass.
    let second = numbers(
        &capture,
        &format!(
            "tcp.seq == {} && ip.src == 198.18.0.1 && tcp.len > 0",
            MSS + 1
        ),
        &["tcp.options.timestamp.tsval"],
    );
    assert_eq!(second.len(), 5);
    assert!(second.iter().all(|s| s == &second[0]), "{second:?}");
}

const ROUTED: &str = r#"
[scenario]
name = "routed"

[[host]]
name = "near"

[[host]]
name = "far"

[[router]]
name = "edge"

[[router]]
name = "core"

[[link]]
name = "lan"
ends = ["near", "edge"]
framing = "gbe"
vlan = 42
delay = "1 ms"
tap = true

[[link]]
name = "middle"
ends = ["edge", "core"]
framing = "gbe"
mtu = 1400
delay = "5 ms"

[[link]]
name = "last"
ends = ["core", "far"]
framing = "gbe"
delay = "1 ms"

[[test]]
name = "dies"
kind = "ping"
from = "near"
to = "far"
count = 2
size = 100
ttl = 2

[[test]]
name = "lives"
kind = "ping"
from = "near"
to = "far"
count = 2
size = 100
ip = 6

[[test]]
name = "large"
kind = "tcp"
from = "near"
to = "far"
start = "3 s"
duration = "1 s"
window = "1 MB"

[[test]]
name = "udp"
kind = "udp"
from = "near"
to = "far"
start = "3 s"
duration = "1 s"
rate = "1 Mbit/s"
size = 1000
"#;

#[test]
fn routers_answer_under_their_own_address_and_quote_what_died() {
    let folder = run(ROUTED);
    let capture = folder.path().join("lan.pcapng");
    assert_sound(&capture);
    assert_counted(folder.path(), "lan", 24);
    assert_eq!(count(&capture, "vlan.id != 42 || !vlan"), 0);
    let columns = ["ip.src", "ip.dst", "icmp.type", "icmp.mtu", "ip.len"];
    let errors = fields(&capture, "icmp.type == 11 || icmp.type == 3", &columns);
    let errors: BTreeSet<Vec<String>> = errors.into_iter().collect();
    // The second of two values is the quotation's. `core` sees the TTL end, `edge` what is too large.
    let expected = [
        [
            "198.18.0.3,198.18.0.1",
            "198.18.0.1,198.18.0.2",
            "3",
            "1400",
            "56,1500",
        ],
        [
            "198.18.0.4,198.18.0.1",
            "198.18.0.1,198.18.0.2",
            "11,8",
            "",
            "56,100",
        ],
    ];
    assert_eq!(errors.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(
        count(&capture, "icmpv6.type == 129 && ipv6.src == 2001:db8::2"),
        2
    );

    // Names of nodes are in the capture.
    let mut named = Command::new("tshark");
    let named = text(ran(named.args(["-N", "n", "-r"]).arg(&capture).args([
        "-c",
        "1",
        "-T",
        "fields",
        "-e",
        "ip.src_host",
    ])));
    assert_eq!(named.trim(), "near");
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    let folder = TempDir::new().expect("a folder for the test");
    let out = folder.path().join("out");
    let mut child = farpath()
        .args([
            "run",
            "cern-snaky/five-passes",
            "--simulate",
            "--set",
            "link.stm64.tap=true",
            "--out",
        ])
        .arg(&out)
        .spawn()
        .expect("farpath can be started");
    let begun = || {
        std::fs::read_dir(&out).is_ok_and(|mut files| {
            files.any(|f| f.is_ok_and(|f| f.metadata().is_ok_and(|m| m.len() > 0)))
        })
    };
    while !begun() {
        assert_eq!(
            child.try_wait().expect("a child"),
            None,
            "ended before its capture began"
        );
        std::thread::yield_now();
    }
    ran(Command::new("kill").args(["-INT", &child.id().to_string()]));
    assert_eq!(child.wait().expect("a child").code(), Some(130));
    assert!(!out.exists(), "the folder was made for nothing");
}

#[test]
fn a_full_disk_is_told_with_the_path() {
    let folder = TempDir::new().expect("a folder for the test");
    let out = folder.path().join("out");
    let mut limited = Command::new("sh");
    limited.args([
        "-c",
        "trap '' XFSZ; ulimit -f 2000; exec \"$0\" \"$@\"",
        env!("CARGO_BIN_EXE_farpath"),
    ]);
    limited
        .args([
            "run",
            "cern-snaky/five-passes",
            "--set",
            "link.stm64.tap=true",
            "--out",
        ])
        .arg(&out);
    let output = limited.output().expect("a shell");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains(&out.join("stm64.pcapng").display().to_string()),
        "{said}"
    );
    assert!(!out.exists(), "the folder was made for nothing");
}
