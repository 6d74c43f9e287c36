//! Addresses of several interfaces and devices, held against each other, and the masks of routes.

use farpath_config::{Dialect, Severity, check};

use crate::{at_lines, checked, source};

/// A router with two interfaces.
fn ios(first: &str, second: &str, more: &str) -> String {
    format!(
        "version 17.3\nhostname r\ninterface GigabitEthernet0/0/0\n ip address {first}\ninterface GigabitEthernet0/0/1\n{more} ip address {second}\nend\n"
    )
}

/// What is found of a rule: its line, severity and words.
fn found(text: &str, rule: &str) -> Vec<(usize, Severity, String)> {
    at_lines(&checked(text, Dialect::Ios), text, rule)
}

#[test]
fn an_address_of_two_interfaces_and_subnets_that_overlap_are_found() {
    let small = "255.255.255.252";
    let large = "255.255.255.0";
    let text = ios(
        &format!("192.0.2.1 {small}"),
        &format!("192.0.2.1 {large}"),
        "",
    );
    let twice = "192.0.2.1 of GigabitEthernet0/0/1 is the address of GigabitEthernet0/0/0, too";
    assert_eq!(
        found(&text, "NET004"),
        [(6, Severity::Error, twice.to_owned())]
    );
    assert_eq!(found(&text, "NET005"), []);
    for (first, second, words) in [
        (
            small,
            large,
            "192.0.2.0/24 of GigabitEthernet0/0/1 overlaps with 192.0.2.0/30 of GigabitEthernet0/0/0",
        ),
        (
            large,
            large,
            "GigabitEthernet0/0/1 and GigabitEthernet0/0/0 are both in 192.0.2.0/24",
        ),
    ] {
        let (first, second) = (format!("192.0.2.1 {first}"), format!("192.0.2.9 {second}"));
        let text = ios(&first, &second, "");
        let wanted = [(6, Severity::Warning, words.to_owned())];
        assert_eq!(found(&text, "NET005"), wanted);
        // Another routing table has subnets of its own, and one that is down has none.
        for more in [" vrf forwarding lab\n", " shutdown\n"] {
            assert_eq!(found(&ios(&first, &second, more), "NET005"), [], "{more}");
        }
    }
    // A loopback's address may be one of the subnet, and subnets may be neighbours.
    for second in ["192.0.2.2 255.255.255.255", "192.0.2.5 255.255.255.252"] {
        let text = ios(&format!("192.0.2.1 {small}"), second, "");
        assert_eq!(found(&text, "NET005"), [], "{second}");
        assert_eq!(found(&text, "NET004"), [], "{second}");
    }
}

#[test]
fn junos_units_are_held_against_each_other() {
    let junos = |second: &str, more: &str| {
        format!(
            "interfaces {{\nge-0/0/0 {{ unit 0 {{ family inet {{ address 192.0.2.1/30; }} }} }}\nge-0/0/1 {{ unit 0 {{ family inet {{ address {second}; }} }} }}\n}}\n{more}"
        )
    };
    let found = |text: &str, rule| at_lines(&checked(text, Dialect::Junos), text, rule).len();
    assert_eq!(found(&junos("192.0.2.1/30", ""), "NET004"), 1);
    assert_eq!(found(&junos("192.0.2.9/28", ""), "NET005"), 1);
    assert_eq!(found(&junos("192.0.2.5/30", ""), "NET005"), 0);
    // Which of them are in which instance is not read.
    let instances = "routing-instances { lab { interface ge-0/0/1.0; } }\n";
    assert_eq!(found(&junos("192.0.2.1/30", instances), "NET004"), 0);
}

/// Two routers with one address are a fault of at least one of them; gateways and loopbacks may be anycast.
#[test]
fn an_address_of_two_devices_is_found() {
    let router = |name: &str, port: &str| {
        format!("hostname {name}\ninterface {port}\n ip address 192.0.2.1 255.255.255.252\nend\n")
    };
    for (name, port, count) in [
        ("b", "GigabitEthernet0/1", 1),
        ("b", "Vlan100", 0),
        ("b", "Loopback1", 0),
        // Another version of the same router.
        ("a", "GigabitEthernet0/1", 0),
    ] {
        let texts = [router("a", "GigabitEthernet0/0"), router(name, port)];
        let report = check(&[source("1", &texts[0]), source("2", &texts[1])], &[]);
        let of = report.findings.iter().filter(|f| f.rule == "NET004");
        let of: Vec<_> = of.map(|f| (f.severity, f.text.as_str())).collect();
        assert_eq!(of.len(), count, "{name} {port}: {of:?}");
        for (severity, text) in of {
            assert_eq!(severity, Severity::Warning);
            assert!(text.contains("GigabitEthernet0/0 of `a`"), "{text}");
        }
    }
}

/// `ip route` with a mask that is none, and with an address that has ones behind it (IOS: "Inconsistent address and mask").
#[test]
fn masks_of_routes_are_read() {
    for (route, words) in [
        ("198.51.100.0 255.255.255.0", ""),
        ("198.51.100.0/24", ""),
        ("vrf lab 198.51.100.1 255.255.255.0", ""),
        (
            "198.51.100.0 255.255.255.5",
            "`255.255.255.5` is not a mask",
        ),
        (
            "198.51.100.7 255.255.255.0",
            "198.51.100.7 has ones where its mask 255.255.255.0 has zeros",
        ),
        ("198.51.100.0/33", "at most 32 bits"),
    ] {
        let text = format!(
            "version 15.2\ninterface GigabitEthernet0/0\n ip address 192.0.2.1 255.255.255.252\nip route {route} 192.0.2.2\n"
        );
        let found = found(&text, "NET003");
        assert_eq!(found.len(), usize::from(!words.is_empty()), "{route}");
        assert!(found.iter().all(|f| f.2.contains(words)), "{found:?}");
    }
    let junos = "interfaces { ge-0/0/0 { unit 0 { family inet { address 192.0.2.1/30; } } } }\nrouting-options { static { route 198.51.100.0/33 next-hop 192.0.2.2; } }\n";
    let found = at_lines(&checked(junos, Dialect::Junos), junos, "NET003");
    assert_eq!(found.len(), 1, "{found:?}");
}
