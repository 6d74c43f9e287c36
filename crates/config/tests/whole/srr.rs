//! Ports with shaped round robin (Catalyst 2960, 3560, 3750): what holds a queue or the port below its line.

use farpath_config::{Dialect, Platform, Severity, Status};

use crate::{at_lines, checked};

/// Findings of a rule: their line, severity and text.
fn found(port: &str, rule: &str) -> Vec<(usize, Severity, String)> {
    let text = whole(port);
    let report = checked(&text, Dialect::Ios);
    let file = &report.files[0];
    assert_eq!(file.platform, Some(Platform::Catalyst));
    assert_eq!(file.status(), Status::Passed, "{file:?}");
    at_lines(&report, &text, rule)
}

/// A switch with one port; its statements begin at line 9.
fn whole(port: &str) -> String {
    format!(
        "version 12.2\nhostname sw\nswitch 1 provision ws-c3750g-24ts\nmls qos\nmls qos srr-queue output cos-map queue 1 threshold 3 5\nmls qos srr-queue output dscp-map queue 1 threshold 3 46\nmls qos srr-queue input bandwidth 90 10\ninterface GigabitEthernet1/0/1\n{port} mls qos trust dscp\n"
    )
}

#[test]
fn a_port_that_is_limited_says_to_what() {
    let said = found(" srr-queue bandwidth limit 40\n", "QOS031");
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!((said[0].0, said[0].1), (9, Severity::Warning));
    assert!(
        said[0].2.contains("at most 40 %") && said[0].2.contains("400 Mbit/s of 1 Gbit/s"),
        "{said:?}"
    );
}

/// What auto-QoS writes: queue 1 goes first, the others share. Nothing in it is wrong.
#[test]
fn shares_behind_a_first_queue_are_no_fault() {
    let auto = " srr-queue bandwidth share 1 30 35 5\n priority-queue out\n queue-set 2\n";
    assert_eq!(found(auto, "QOS031"), []);
    let shares = found(auto, "QOS020");
    assert!(
        shares[0].2.contains("first, 42.9 %, 50.0 %, 7.1 %"),
        "{shares:?}"
    );
    let old = " srr-queue bandwidth share 10 10 60 20\n srr-queue bandwidth shape 10 0 0 0\n priority-queue out\n";
    let said = found(old, "QOS031");
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].1 == Severity::Info && said[0].2.contains("ignored"),
        "{said:?}"
    );
}

/// The first queue is shaped to a twenty-fifth until that is taken back, and its share does nothing.
#[test]
fn what_is_shaped_by_default_is_said() {
    let said = found(" srr-queue bandwidth share 40 20 20 20\n", "QOS031");
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!((said[0].0, said[0].1), (9, Severity::Warning));
    for part in ["by default", "1/25", "40 Mbit/s", "DSCP 40 to 47"] {
        assert!(said[0].2.contains(part), "{part}: {said:?}");
    }
    let free = " srr-queue bandwidth share 40 20 20 20\n srr-queue bandwidth shape 0 0 0 0\n";
    assert_eq!(found(free, "QOS031"), []);
    // Best effort in a shaped queue.
    let said = found(" srr-queue bandwidth shape 0 10 0 0\n", "QOS031");
    assert!(
        said[0].1 == Severity::Warning && said[0].2.contains("100 Mbit/s"),
        "{said:?}"
    );
    // Two halves and a tenth.
    let said = found(" srr-queue bandwidth shape 2 2 10 0\n", "QOS031");
    assert!(said.iter().any(|s| s.2.contains("110 %")), "{said:?}");
}

#[test]
fn four_numbers_are_wanted_and_a_limit_in_its_range() {
    for (port, rule) in [
        (" srr-queue bandwidth share 10 20 70\n", "IOS004"),
        (" srr-queue bandwidth share 0 20 70 10\n", "IOS003"),
        (" srr-queue bandwidth limit 95\n", "IOS003"),
    ] {
        let report = checked(&whole(port), Dialect::Ios);
        assert!(
            report.findings.iter().any(|f| f.rule == rule),
            "{port} {:?}",
            report.findings
        );
    }
    let text = "switch 1 provision ws-c3750g-24ts\nmls qos\nmls qos queue-set output 1 buffers 50 30 30 10\n";
    let report = checked(text, Dialect::Ios);
    assert!(
        report
            .findings
            .iter()
            .any(|f| f.rule == "QOS021" && f.text.contains("120 %"))
    );
}

/// A telephone's frames are tagged on an access port.
#[test]
fn an_access_port_with_a_voice_vlan_may_trust_cos() {
    let port = |voice: &str| {
        let text = format!(
            "{}interface GigabitEthernet1/0/2\n switchport mode access\n{voice} mls qos trust cos\n",
            whole("")
        );
        let report = checked(&text, Dialect::Ios);
        report
            .findings
            .iter()
            .filter(|f| f.rule == "QOS008")
            .count()
    };
    assert_eq!([port(""), port(" switchport voice vlan 110\n")], [1, 0]);
}
