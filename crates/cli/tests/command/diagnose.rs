//! `farpath diagnose`: files and pipes in, a page, a document or a ticket out.

use std::io::Write;
use std::process::Stdio;

use crate::farpath::{command, farpath, farpath_in, ran};

/// Two fifths of a line, held down by a window: the figures are 64 KiB · 8 / 20 ms = 26.2 Mbit/s.
const LOG: &str = "Connecting to host 192.0.2.2, port 5201
[  5] local 192.0.2.1 port 40000 connected to 192.0.2.2 port 5201
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-10.00  sec  31.2 MBytes  26.2 Mbits/sec    0             sender
[  5]   0.00-10.02  sec  31.2 MBytes  26.1 Mbits/sec                  receiver
";

const PING: &str = "10 packets transmitted, 10 received, 0% packet loss, time 9012ms
rtt min/avg/max/mdev = 19.980/20.010/20.110/0.040 ms
";

const SETTINGS: &str = "net.inet.tcp.recvspace = 65536\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("it is writable")
    };
    write("ticket.txt", &format!("Dear all,\n{LOG}{PING}"));
    write("receiver.txt", SETTINGS);
    write("noise.txt", "Dear all, the network is slow.\n");
    write("empty.txt", "");
    std::fs::write(
        folder.path().join("a.pcap"),
        [0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0],
    )
    .expect("it is writable");
    folder
}

#[test]
fn a_ticket_is_explained() {
    let folder = folder();
    let ran = farpath_in(
        folder.path(),
        &[
            "diagnose",
            "ticket.txt",
            "receiver.txt",
            "--line",
            "1Gbit/s",
            "--receiver",
            "openbsd",
        ],
    )
    .exits(0);
    for word in [
        "receive_window",
        "26.1 Mbit/s",
        "receiver.txt:1",
        "192.0.2.1 > 192.0.2.2",
        "sysctl net.inet.tcp.recvspace=",
    ] {
        assert!(ran.out.contains(word), "{word} is not in\n{}", ran.out);
    }
    for line in ran.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    // What is the matter stands above what it was read from.
    let place = |word: &str| ran.out.find(word).unwrap_or_else(|| panic!("{word}"));
    let order = [
        "flow  ",
        "\nlimited by",
        "\nto change",
        "\nceiling",
        "\nread  ",
        "\nleft out",
    ];
    let order = order.map(place);
    assert!(order.is_sorted(), "{order:?}\n{}", ran.out);
    assert!(!ran.out.contains("\n\n\n"), "{}", ran.out);
    let ticket = farpath_in(
        folder.path(),
        &["diagnose", "ticket.txt", "receiver.txt", "--ticket"],
    )
    .exits(0)
    .out;
    assert!(ticket.contains("limited by the receive window"), "{ticket}");
}

/// A request that waited 8.85 s for the first byte of its answer.
const CURL: &str = "$ curl -s -o /dev/null -w 'namelookup: %{time_namelookup}\\nconnect: %{time_connect}\\nstarttransfer: %{time_starttransfer}\\ntotal: %{time_total}\\n' http://192.0.2.2/q3
namelookup: 0.004211
connect: 0.024211
starttransfer: 8.911402
total: 8.998120
";

/// It has no rate, and the rate of a test does not hide it.
#[test]
fn what_is_slow_without_a_transfer_has_a_block_of_its_own() {
    let folder = folder();
    let text = format!("{LOG}{PING}{CURL}");
    std::fs::write(folder.path().join("slow.txt"), text).expect("it is writable");
    let of = |more: &[&str]| {
        let files = ["diagnose", "slow.txt", "receiver.txt", "--line", "1Gbit/s"];
        farpath_in(folder.path(), &[&files[..], more].concat())
            .exits(0)
            .out
    };
    let page = of(&[]);
    assert!(page.starts_with("flow  "), "{page}");
    assert!(page.contains("\nslow        requests\n"), "{page}");
    assert!(page.contains("no rate, as it is not a transfer"), "{page}");
    let ticket = of(&["--ticket"]);
    assert!(ticket.contains("requests: slow beside"), "{ticket}");
    let d: serde_json::Value = serde_json::from_str(&of(&["--json"])).expect("JSON");
    assert_eq!(d["flows"][0]["unrated"], serde_json::Value::Null);
    assert_eq!(d["flows"][1]["unrated"], true);
    assert_eq!(d["flows"][1]["verdict"]["cause"], "application");
}

#[test]
fn the_document_is_the_contract() {
    let folder = folder();
    let ran = farpath_in(
        folder.path(),
        &[
            "diagnose",
            "ticket.txt",
            "receiver.txt",
            "--json",
            "--line",
            "1Gbit/s",
        ],
    )
    .exits(0);
    let d: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(d["schema"], "farpath.diagnosis/1");
    assert_eq!(d["read"][0]["source"], "ticket.txt:2-6");
    assert_eq!(d["read"][0]["as"], "iperf3");
    let flow = &d["flows"][0];
    assert_eq!(flow["observed"]["source"], "ticket.txt:6");
    assert_eq!(flow["verdict"]["cause"], "receive_window");
    assert!(flow["verdict"]["confidence"].as_f64() > Some(0.8), "{flow}");
    let change = &flow["changes"][0];
    assert!(change["predicted_bps"].as_f64() > Some(9e8), "{change}");
    for key in ["contradictions", "ticket", "version"] {
        assert!(!d[key].is_null(), "{key}");
    }
}

#[test]
fn unknown_is_exit_1_and_says_what_is_missing() {
    let folder = folder();
    std::fs::write(folder.path().join("log.txt"), LOG).expect("it is writable");
    let ran = farpath_in(folder.path(), &["diagnose", "log.txt"]);
    assert_eq!(ran.code, Some(1), "{}", ran.out);
    assert!(ran.out.contains("ping -c 20 192.0.2.2"), "{}", ran.out);
}

#[test]
fn standard_input_is_read() {
    let mut child = command()
        .args(["diagnose", "-", "--rtt", "20ms", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built");
    let mut input = child.stdin.take().expect("a pipe");
    input
        .write_all(format!("{LOG}{SETTINGS}").as_bytes())
        .expect("it reads");
    drop(input);
    let out = ran(child.wait_with_output().expect("it ends")).out;
    assert!(out.contains("standard input:"), "{out}");
}

#[test]
fn what_cannot_be_read_is_exit_2_and_named() {
    let folder = folder();
    for (args, words) in [
        (
            &["diagnose"][..],
            &["nothing to diagnose", "iperf3 -c HOST"][..],
        ),
        (&["diagnose", "noise.txt"], &["nothing in it could be read"]),
        (&["diagnose", "empty.txt"], &["nothing in it could be read"]),
        (&["diagnose", "a.pcap"], &["a.pcap"]),
        (&["diagnose", "none.txt"], &["read none.txt"]),
        (&["diagnose", "ticket.txt", "--line", "1"], &["--line 1"]),
        (
            &["diagnose", "ticket.txt", "--sender", "beos"],
            &["no such system", "openbsd"],
        ),
    ] {
        farpath_in(folder.path(), args).exits(2).says(words);
    }
}

#[test]
fn what_the_user_measured_is_enough() {
    let ran = farpath(&[
        "diagnose",
        "--measured",
        "7Mbit/s",
        "--rtt",
        "250ms",
        "--window",
        "222kB",
    ])
    .exits(0);
    assert!(
        ran.out.contains("receive_window") && ran.out.contains("you"),
        "{}",
        ran.out
    );
}

#[test]
fn a_filter_of_live_connections_is_refused_with_what_to_write() {
    for (filter, says) in [
        ("", "dst HOST"),
        ("192.0.2.1", "write `dst` before its address"),
        ("dst 192.0.2.1 or port 1", "no other words join them"),
        ("dport 99999", "from 1 to 65535"),
    ] {
        let ran = farpath(&["diagnose", "--live", filter]).exits(2);
        ran.says(&["--live", says, "dst 192.0.2.1 and port 5201"]);
    }
    for wrong in [
        &["--live", "port 1", "--every", "0ms"][..],
        &["--live", "port 1", "--for", "30"],
        &["--for", "30s"],
        &["--live", "port 1", "ticket.txt"],
    ] {
        farpath(&[&["diagnose"], wrong].concat()).exits(2);
    }
}

/// 192.0.2.0/24 is for documents only (RFC 5737): nothing is connected to it.
#[test]
fn where_nothing_is_seen_it_says_so_and_exits_2() {
    let live = [
        "diagnose",
        "--live",
        "dst 192.0.2.77",
        "--every",
        "5ms",
        "--for",
        "20ms",
    ];
    let ran = farpath(&live).exits(2);
    ran.says(&[
        "waiting",
        "nothing seen",
        "dst 192.0.2.77",
        "network namespace",
    ]);
}

/// More than the line leaves for payload does not pass it; a window of no usual size is not called usual; and what is at half
/// duplex has something to change.
#[test]
fn what_cannot_be_and_what_to_change_is_said() {
    let above = farpath(&[
        "diagnose",
        "--measured",
        "990Mbit/s",
        "--rtt",
        "10ms",
        "--line",
        "1Gbit/s",
    ]);
    let words = above.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains(
            "but sender > receiver: measured 990 Mbit/s, above what the line would allow"
        ),
        "{}",
        above.out
    );
    let unusual = farpath(&["diagnose", "--measured", "10Mbit/s", "--rtt", "120ms"]);
    assert!(!unusual.out.contains("by default"), "{}", unusual.out);
    let folder = folder();
    let ethtool = "Settings for eth0:\n\tSpeed: 100Mb/s\n\tDuplex: Half\n\tAuto-negotiation: off\n";
    std::fs::write(folder.path().join("sender.txt"), ethtool).expect("it is writable");
    let measured = ["--measured", "40Mbit/s", "--rtt", "20ms"];
    let half = farpath_in(
        folder.path(),
        &[&["diagnose", "sender.txt"], &measured[..]].concat(),
    );
    assert!(half.out.contains("(duplex)"), "{}", half.out);
    assert!(half.out.contains("autoneg on"), "{}", half.out);
}

/// Prose between every line of a log leaves as many ranges; each of them is named, and of more lines than are kept, how many.
#[test]
fn every_line_that_was_left_out_is_named() {
    let folder = folder();
    let mixed = LOG.replace('\n', "\nas we saw.\n").repeat(5) + PING;
    let long = LOG.to_owned() + PING + &"as we saw.\n".repeat(230);
    for (name, text) in [("mixed.txt", mixed), ("long.txt", long)] {
        std::fs::write(folder.path().join(name), text).expect("it is writable");
    }
    let left = |name: &str| {
        let ran = farpath_in(folder.path(), &["diagnose", name]);
        let words: Vec<&str> = ran.out.split_whitespace().collect();
        words.join(" ")
    };
    let mixed = left("mixed.txt");
    assert!(mixed.contains("no known tool prints: 2, 4, 6"), "{mixed}");
    assert!(mixed.contains("46, 48, 50"), "{mixed}");
    let long = left("long.txt");
    assert!(long.contains("8-207, and 30 more"), "{long}");
}
