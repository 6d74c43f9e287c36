//! Segment sizes that routers lower: too large for what carries them, or far smaller.

use farpath_config::{Dialect, Severity};

use crate::{checked, found};

#[test]
fn ios007_both_versions_of_ip_and_small_segments() {
    let with = |more: &str| {
        let text = format!(
            "hostname a\ninterface GigabitEthernet0/1\n ip address 192.0.2.1 255.255.255.252\n{more}"
        );
        found(&text, Dialect::Ios, "IOS007")
    };
    for fine in [
        " ip tcp adjust-mss 1360\n",
        " ipv6 tcp adjust-mss 1340\n",
        " mtu 1400\n ip tcp adjust-mss 1360\n ipv6 tcp adjust-mss 1340\n",
    ] {
        assert_eq!(with(fine), [], "{fine}");
    }
    let six = with(" mtu 1400\n ipv6 tcp adjust-mss 1360\n");
    assert!(six[0].1.contains("1340 B and 60 B"), "{six:?}");
    let small = with(" ip tcp adjust-mss 536\n");
    assert!(
        small[0].0 == Severity::Warning && small[0].1.contains("2.7 times"),
        "{small:?}"
    );
    let jumbo = with(" mtu 9000\n ip tcp adjust-mss 1360\n");
    assert!(
        jumbo[0].0 == Severity::Info && jumbo[0].1.contains("6.6 times"),
        "{jumbo:?}"
    );
}

/// A tunnel that states no size: 1500 B less IPv4 and GRE are 1476; a key takes 4 more, IPv6 outside 20 more, and AES with SHA-256 in
/// tunnel mode leaves 1414. What an interface states that carries it counts.
#[test]
fn ios007_of_a_tunnel_by_what_is_put_around_its_packets() {
    let sealed = "crypto ipsec transform-set T esp-aes 256 esp-sha256-hmac\ncrypto ipsec profile P\n set transform-set T\n";
    let protected = " tunnel protection ipsec profile P\n";
    for (above, below, outer, packet) in [
        ("", "", "", 1476),
        ("", " tunnel key 7\n", "", 1472),
        ("", " tunnel mode gre ipv6\n", "", 1456),
        ("", " tunnel mode ipip\n", "", 1480),
        (sealed, protected, "", 1414),
        ("", "", " ip mtu 1400\n", 1376),
    ] {
        let with = |mss: u32| {
            let text = format!(
                "hostname a\n{above}interface GigabitEthernet0/1\n ip address 192.0.2.1 255.255.255.252\n{outer}interface Tunnel0\n ip address 198.51.100.1 255.255.255.252\n tunnel source GigabitEthernet0/1\n{below} ip tcp adjust-mss {mss}\n"
            );
            found(&text, Dialect::Ios, "IOS007")
        };
        assert_eq!(with(packet - 40), [], "{below}{outer}");
        let more = with(packet - 39);
        let says = format!("its packets have at most {packet} B, which ");
        assert!(
            more.len() == 1 && more[0].1.contains(&says),
            "{packet} {more:?}"
        );
    }
}

/// The command takes 1460 at most (Cisco, command reference), over IPv6 1940.
#[test]
fn ios007_advises_what_the_command_takes_and_is_not_there() {
    for (line, advice) in [
        (
            "ip tcp adjust-mss 1460",
            "take it out, as it takes 1460 at most",
        ),
        ("ip tcp adjust-mss 1360", "`ip tcp adjust-mss 1460`"),
        ("ipv6 tcp adjust-mss 1440", "`ipv6 tcp adjust-mss 1940`"),
    ] {
        let text = format!(
            "hostname a\ninterface GigabitEthernet0/1\n mtu 9000\n ip address 192.0.2.1 255.255.255.252\n {line}\n"
        );
        let report = checked(&text, Dialect::Ios);
        let said = report.findings.iter().find(|f| f.rule == "IOS007");
        let said = said.expect("segments are small beside the MTU");
        assert!(said.remedies[0].starts_with(advice), "{line}: {said:?}");
    }
}

#[test]
fn jun007_of_a_flow_a_tunnel_and_a_unit() {
    let with = |more: &str| {
        let text = format!(
            "set system host-name fw\nset interfaces ge-0/0/0 unit 0 family inet address 192.0.2.1/30\nset interfaces ge-0/0/1 mtu 9014\nset interfaces ge-0/0/1 unit 0 family inet address 198.51.100.1/24\n{more}\n"
        );
        found(&text, Dialect::JunosSet, "JUN007")
    };
    for fine in [
        "set security flow tcp-mss all-tcp mss 1460",
        "set security flow tcp-mss ipsec-vpn mss 1350",
        "set interfaces ge-0/0/0 unit 0 family inet tcp-mss 1400",
    ] {
        assert_eq!(with(fine), [], "{fine}");
    }
    let vpn = with("set security flow tcp-mss ipsec-vpn mss 1460");
    assert!(
        vpn[0]
            .1
            .contains("1418 B behind 40 B of headers and at least 42 B"),
        "{vpn:?}"
    );
    // Segments have to fit the tunnel, too, by what is of its kind alone before what is of all.
    let tunnel = "set interfaces st0 unit 0 family inet mtu 1400\nset interfaces st0 unit 0 family inet address 192.0.2.9/30\n";
    let inside = with(&format!(
        "{tunnel}set security flow tcp-mss all-tcp mss 1460"
    ));
    assert!(
        inside.len() == 1
            && inside[0].0 == Severity::Warning
            && inside[0].1.contains("st0.0 have 1400 B, 1360 B behind"),
        "{inside:?}"
    );
    for fine in [
        "set security flow tcp-mss all-tcp mss 1360",
        "set security flow tcp-mss all-tcp mss 1460\nset security flow tcp-mss ipsec-vpn mss 1350",
    ] {
        assert_eq!(with(&format!("{tunnel}{fine}")), [], "{fine}");
    }
    let all = with("set security flow tcp-mss all-tcp mss 8960");
    assert!(all[0].1.contains("ge-0/0/0.0 have 1500 B"), "{all:?}");
    let small = with("set security flow tcp-mss all-tcp mss 536");
    assert!(
        small[0].0 == Severity::Warning && small[0].1.contains("2.7 times"),
        "{small:?}"
    );
    let jumbo = with("set interfaces ge-0/0/1 unit 0 family inet tcp-mss 1400");
    assert_eq!(jumbo[0].0, Severity::Info, "{jumbo:?}");
}

/// Over IPv6 the headers of a segment have 60 bytes (RFC 8200 §3).
#[test]
fn jun007_of_a_unit_over_ipv6() {
    let with = |more: &str| {
        let text = format!(
            "set system host-name fw\nset interfaces ge-0/0/0 unit 0 family inet6 address 2001:db8::1/64\nset interfaces ge-0/0/0 unit 0 family inet6 {more}\n"
        );
        found(&text, Dialect::JunosSet, "JUN007")
    };
    for fine in ["tcp-mss 1440", "tcp-mss 1340"] {
        assert_eq!(with(fine), [], "{fine}");
    }
    let large = with("tcp-mss 1460");
    assert!(
        large.len() == 1
            && large[0].0 == Severity::Warning
            && large[0]
                .1
                .contains("`family inet6 tcp-mss 1460` of ge-0/0/0.0")
            && large[0].1.contains("1440 B behind 60 B of headers"),
        "{large:?}"
    );
    let own = "mtu 1400\nset interfaces ge-0/0/0 unit 0 family inet6 tcp-mss";
    assert_eq!(with(&format!("{own} 1340")), []);
    let stated = with(&format!("{own} 1360"));
    assert!(
        stated[0].1.contains("have 1400 B, 1340 B behind 60 B"),
        "{stated:?}"
    );
    let small = with("tcp-mss 536");
    assert!(
        small[0].0 == Severity::Warning && small[0].1.contains("2.7 times"),
        "{small:?}"
    );
}
