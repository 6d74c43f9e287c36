//! `farpath host`: a host's files in, what it allows out.

use serde_json::Value;

use crate::farpath::farpath;

/// A folder that stands for a host's root: Linux 6.18 as it comes, with a card of 10 Gbit/s.
fn root(changes: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    let files = [
        ("proc/sys/kernel/hostname", "dtn1"),
        ("proc/sys/kernel/osrelease", "6.18.44"),
        ("proc/sys/net/core/netdev_max_backlog", "1000"),
        ("proc/sys/net/core/rmem_max", "4194304"),
        ("proc/sys/net/core/wmem_max", "4194304"),
        ("proc/sys/net/ipv4/tcp_congestion_control", "cubic"),
        ("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t33554432"),
        ("proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t4194304"),
        ("proc/net/dev", "head\n  eth0: 1 2\n"),
        ("sys/class/net/eth0/flags", "0x1003"),
        ("sys/class/net/eth0/operstate", "up"),
        ("sys/class/net/eth0/speed", "10000"),
        ("sys/class/net/eth0/duplex", "full"),
        ("sys/class/net/eth0/mtu", "9000"),
    ];
    for (path, text) in files.iter().chain(changes) {
        let file = root.path().join(path);
        std::fs::create_dir_all(file.parent().expect("below the root")).expect("writable");
        std::fs::write(file, text).expect("writable");
    }
    root
}

fn on(root: &tempfile::TempDir, more: &[&str]) -> crate::farpath::Ran {
    let folder = root.path().to_str().expect("a plain path");
    farpath(&[&["host", "--root", folder], more].concat())
}

#[test]
fn the_first_line_says_what_the_host_allows() {
    let root = root(&[]);
    let ran = on(&root, &["--path", "10Gbit/s,150ms"]).exits(1);
    assert!(
        ran.out
            .starts_with("This host allows 224 Mbit/s on 10 Gbit/s, 150 ms: tcp_wmem limits\n"),
        "{}",
        ran.out
    );
    for word in [
        "dtn1",
        "sysctl -w net.ipv4.tcp_wmem=\"4096 16384 536870912\"",
        "sysctl -w net.ipv4.tcp_wmem=\"4096 16384 4194304\"",
        "/etc/sysctl.d/",
        "risk",
    ] {
        assert!(ran.out.contains(word), "{word}: {}", ran.out);
    }
    let free = on(&root, &[]).exits(0);
    assert!(free.out.contains("200 ms   167.77 Mbit/s"), "{}", free.out);
    for line in ran.out.lines().chain(free.out.lines()) {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

/// A copy made with `tar` has files of 0 bytes: what is not known is not enough.
#[test]
fn an_empty_file_is_unknown_and_exits_1() {
    let empty = root(&[
        ("proc/sys/net/ipv4/tcp_wmem", ""),
        ("proc/sys/net/ipv4/tcp_mem", ""),
        ("proc/sys/net/ipv4/tcp_congestion_control", ""),
    ]);
    let ran = on(&empty, &["--path", "10Mbit/s,1ms"]).exits(1);
    let first = "This host allows 9.90 Mbit/s receiving on 10 Mbit/s, 1 ms: the path itself limits; sending is unknown: tcp_wmem could not be read\n";
    assert!(ran.out.starts_with(first), "{}", ran.out);
    let words: Vec<&str> = ran.out.split_whitespace().collect();
    let said = words.join(" ");
    assert!(
        said.contains("empty, as tar copies the files of /proc"),
        "{said}"
    );
    assert!(
        !ran.out.contains("HOST004") && !ran.out.contains("to change"),
        "{}",
        ran.out
    );
    let none = root(&[
        ("proc/sys/net/ipv4/tcp_wmem", ""),
        ("proc/sys/net/ipv4/tcp_rmem", ""),
    ]);
    let ran = on(&none, &["--path", "10Mbit/s,1ms"]).exits(1);
    let first = "This host allows an unknown rate on 10 Mbit/s, 1 ms: neither tcp_rmem nor tcp_wmem could be read\n";
    assert!(ran.out.starts_with(first), "{}", ran.out);
    for named in ["tcp_rmem", "tcp_wmem", "empty"] {
        assert!(ran.out.contains(named), "{named}: {}", ran.out);
    }
}

#[test]
fn a_table_without_window_scaling_keeps_its_columns() {
    let root = root(&[("proc/sys/net/ipv4/tcp_window_scaling", "0")]);
    let ran = on(&root, &["--path", "1Gbit/s,20ms"]).exits(1);
    assert!(
        ran.out.contains("\nwindow_scaling     sending"),
        "{}",
        ran.out
    );
    for line in ran.out.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn a_host_with_room_exits_0() {
    let most = "4096 131072 2147483647";
    let root = root(&[
        ("proc/sys/net/ipv4/tcp_rmem", most),
        ("proc/sys/net/ipv4/tcp_wmem", most),
    ]);
    let ran = on(&root, &["--path", "10Gbit/s,150ms"]).exits(0);
    assert!(
        ran.out.contains("9.9004 Gbit/s of 9.9004 Gbit/s"),
        "{}",
        ran.out
    );
}

#[test]
fn the_document_has_what_was_read_and_what_it_comes_to() {
    let root = root(&[]);
    let ran = on(
        &root,
        &["--path", "1Gbit/s,100ms", "--mtu", "1500", "--json"],
    )
    .exits(1);
    let document: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(document["schema"], "farpath.host/1");
    assert_eq!(document["path"]["mtu_bytes"], 1500);
    assert_eq!(document["verdict"]["by"], "net.ipv4.tcp_wmem");
    assert_eq!(document["verdict"]["allows_bps"], 335_544_320.0);
    let setting = &document["survey"]["settings"]["net.core.wmem_max"];
    assert_eq!(setting["value"], "4194304");
    assert_eq!(
        document["survey"]["interfaces"][0]["speed_bps"],
        10_000_000_000_u64
    );
    assert_eq!(document["ceilings"][0]["cause"], "send_buffer");
    let markdown = on(&root, &["--path", "1Gbit/s,100ms", "--markdown"]).exits(1);
    assert!(
        markdown
            .out
            .contains("| net.ipv4.tcp\\_wmem | sending | 335.54 Mbit/s |")
    );
}

#[test]
fn what_cannot_be_judged_is_said_with_a_way_out() {
    let empty = tempfile::tempdir().expect("a folder");
    on(&empty, &[]).exits(3).says(&["tcp_rmem", "No such file"]);
    let root = root(&[]);
    let wrong = [
        (&["--path", "10Gbit/s"][..], "--path 10Gbit/s,150ms"),
        (&["--path", "10,150ms"], "--path 10Gbit/s,150ms"),
        (&["--path", "10Gbit/s,0s"], "round trip is zero"),
        (&["--interface", "eth9"], "there are eth0"),
        (&["--mtu", "x"], "--mtu x"),
    ];
    for (more, said) in wrong {
        let ran = on(&root, more).exits(2);
        assert!(ran.err.contains(said), "{more:?}: {}", ran.err);
    }
}

#[test]
fn this_host_is_judged_without_a_privilege() {
    // Which findings it has depends on the machine.
    let ran = farpath(&["host", "--interface", "lo", "--json"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{}", ran.err);
    let document: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert!(document["verdict"]["allows_bps"].is_number(), "{document}");
}
