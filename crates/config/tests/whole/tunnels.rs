//! Packets of tunnels that fit what carries them, and others, in either language.

use farpath_config::{Dialect, Severity, check};

use crate::{found, source};

/// A router whose outer port has `outer`, and a tunnel with `lines`.
fn ios(outer: &str, lines: &str) -> Vec<(Severity, String)> {
    let text = format!(
        "version 17.6\nhostname r\ninterface GigabitEthernet0/0/0\n{outer} ip address 203.0.113.1 255.255.255.252\ninterface Tunnel0\n ip address 192.0.2.1 255.255.255.252\n tunnel destination 203.0.113.2\n{lines}"
    );
    found(&text, Dialect::Ios, "QOS028")
}

const SOURCE: &str = " tunnel source GigabitEthernet0/0/0\n ip tcp adjust-mss 1300\n";

/// GRE adds 20 bytes of IPv4 and 4 of its own (RFC 2784), a key 4 more (RFC 2890); IPv6 has 40.
#[test]
fn qos028_of_ios_by_what_the_mode_adds() {
    for (outer, lines, fits) in [
        ("", " ip mtu 1476\n", true),
        ("", " ip mtu 1477\n", false),
        ("", "", true),
        (" mtu 9000\n", " ip mtu 8976\n", true),
        (" mtu 9000\n", " ip mtu 9000\n", false),
        (" mtu 9000\n ip mtu 1500\n", " ip mtu 8976\n", false),
        ("", " tunnel key 7\n ip mtu 1472\n", true),
        ("", " tunnel key 7\n ip mtu 1476\n", false),
        ("", " tunnel mode ipip\n ip mtu 1480\n", true),
        ("", " tunnel mode gre ipv6\n ip mtu 1476\n", false),
        ("", " tunnel mode ipv6ip\n ipv6 mtu 1480\n", true),
        ("", " tunnel mode ipv6ip\n ipv6 mtu 1500\n", false),
        ("", " tunnel mode ipsec ipv4\n ip mtu 1400\n", true),
        ("", " tunnel mode ipsec ipv4\n ip mtu 1476\n", false),
        (
            "",
            " tunnel protection ipsec profile X\n ip mtu 1398\n",
            true,
        ),
        (
            "",
            " tunnel protection ipsec profile X\n ip mtu 1476\n",
            false,
        ),
        ("", " tunnel mode mpls traffic-eng\n ip mtu 9000\n", true),
    ] {
        let said = ios(outer, &format!("{SOURCE}{lines}"));
        let expected = usize::from(!fits);
        assert_eq!(said.len(), expected, "{outer}{lines}{said:?}");
        assert!(said.iter().all(|f| f.0 == Severity::Warning), "{said:?}");
    }
    let said = ios("", &format!("{SOURCE} ip mtu 1500\n"));
    assert_eq!(
        said[0].1,
        "`ip mtu 1500` of Tunnel0: GRE over IPv4 adds 24 B, and GigabitEthernet0/0/0 takes 1500 B"
    );
}

/// A source may be an address; behind a loopback any interface may carry it, and the largest counts.
#[test]
fn qos028_finds_what_carries_a_tunnel() {
    let mss = " ip tcp adjust-mss 1300\n ip mtu 1500\n";
    let by_address = ios("", &format!(" tunnel source 203.0.113.1\n{mss}"));
    assert!(
        by_address[0]
            .1
            .contains("GigabitEthernet0/0/0 takes 1500 B")
    );
    let behind = ios(
        "",
        &format!(
            " tunnel source Loopback0\n{mss}interface Loopback0\n ip address 198.51.100.1 255.255.255.255\n"
        ),
    );
    assert!(
        behind[0].1.contains("no interface takes more than 1500 B"),
        "{behind:?}"
    );
    let jumbo = " mtu 9000\n";
    assert_eq!(ios(jumbo, &format!(" tunnel source Loopback0\n{mss}")), []);
    // Without a source nothing is known.
    assert_eq!(ios("", mss), []);
}

/// 20 of IPv4, 8 of ESP, the vector, whole blocks of packet and trailer, the check value (RFC 4303 §2); in tunnel mode the
/// 24 of GRE over IPv4 are in the blocks, in transport mode 4.
#[test]
fn qos028_of_ios_by_cipher_hash_and_mode() {
    for (set, mode, lines, fits) in [
        ("esp-aes 256 esp-sha256-hmac", "tunnel", "", 1414),
        ("esp-aes 256 esp-sha256-hmac", "transport", "", 1434),
        ("esp-3des esp-sha-hmac", "transport", "", 1442),
        ("esp-gcm 256", "tunnel", "", 1422),
        (
            "esp-aes esp-sha-hmac",
            "tunnel",
            " tunnel mode ipsec ipv4\n",
            1438,
        ),
    ] {
        let with = |mtu: u64| {
            ios(
                "",
                &format!(
                    "{SOURCE}{lines} tunnel protection ipsec profile P\n ip mtu {mtu}\ncrypto ipsec transform-set TS {set}\n mode {mode}\ncrypto ipsec profile P\n set transform-set TS\n"
                ),
            )
        };
        assert_eq!(with(fits), [], "{set} {mode}");
        let said = with(fits + 1);
        assert!(
            said.len() == 1 && said[0].0 == Severity::Warning,
            "{said:?}"
        );
    }
}

/// One that is not known adds something between the least and the most: in one file it may fit, in another not.
#[test]
fn qos028_of_ios_says_where_the_cipher_decides() {
    let with = |profile: &str| {
        ios(
            "",
            &format!(
                "{SOURCE} tunnel protection ipsec profile {profile}\n ip mtu 1454\ncrypto ipsec transform-set TS esp-aes 256 esp-sha256-hmac\ncrypto ipsec profile P\n set transform-set TS\n"
            ),
        )
    };
    assert_eq!(
        with("P"),
        [(
            Severity::Warning,
            "`ip mtu 1454` of Tunnel0: GRE in ESP with `TS` makes 1548 B of such a packet, and GigabitEthernet0/0/0 takes 1500 B".to_owned()
        )]
    );
    assert_eq!(
        with("elsewhere"),
        [(
            Severity::Info,
            "`ip mtu 1454` of Tunnel0: GRE in ESP adds 46 B to 102 B, by cipher, hash and mode, which the file does not say, and GigabitEthernet0/0/0 takes 1500 B".to_owned()
        )]
    );
}

/// What a cipher adds is not known to every release, and hosts know nothing of either.
#[test]
fn qos028_says_what_nobody_states() {
    let source = " tunnel source GigabitEthernet0/0/0\n";
    let said = ios("", &format!("{SOURCE} tunnel protection ipsec profile X\n"));
    assert_eq!(said.len(), 1, "{said:?}");
    assert_eq!(said[0].0, Severity::Info);
    assert!(
        said[0].1.starts_with("Tunnel0 states no `ip mtu`"),
        "{said:?}"
    );
    let said = ios("", source);
    assert_eq!(
        said,
        [(
            Severity::Info,
            "nothing lowers the segments that TCP offers through Tunnel0: its packets have at most 1476 B, and hosts begin with segments of 1460 B".to_owned()
        )]
    );
    assert_eq!(ios(" mtu 9000\n", source), []);
}

#[test]
fn qos028_of_junos() {
    let with = |unit: &str, name: &str, port: &str| {
        let text = format!(
            "interfaces {{ ge-0/0/0 {{ {port} unit 0 {{ family inet {{ address 203.0.113.1/30; }} }} }} {name} {{ unit 0 {{ {unit} }} }} }}"
        );
        found(&text, Dialect::Junos, "QOS028")
    };
    let gre = |mtu: &str| {
        format!(
            "tunnel {{ source 203.0.113.1; destination 203.0.113.2; }} family inet {{ {mtu} address 192.0.2.1/30; }}"
        )
    };
    assert_eq!(with(&gre("mtu 1476;"), "gr-0/0/0", ""), []);
    assert_eq!(with(&gre("mtu 8976;"), "gr-0/0/0", "mtu 9014;"), []);
    assert_eq!(
        with(&gre("mtu 1500;"), "gr-0/0/0", ""),
        [(
            Severity::Warning,
            "`family inet mtu 1500` of `gr-0/0/0.0`: GRE over IPv4 adds 24 B, and `ge-0/0/0.0` takes 1500 B".to_owned()
        )]
    );
    let said = with(&gre(""), "gr-0/0/0", "");
    assert!(said.len() == 1 && said[0].0 == Severity::Info, "{said:?}");
    let st = |mtu: &str| format!("family inet {{ {mtu} address 192.0.2.1/30; }}");
    assert_eq!(with(&st("mtu 1400;"), "st0", ""), []);
    let said = with(&st("mtu 1500;"), "st0", "");
    assert!(
        said.len() == 1 && said[0].1.contains("ESP adds at least 42 B"),
        "{said:?}"
    );
    assert_eq!(with(&st("mtu 1500;"), "lo0", ""), []);
}

/// The ends of a tunnel in one subnet: what is stated at one is held against what the other takes by default.
#[test]
fn the_ends_of_a_tunnel_are_compared_by_their_defaults() {
    let end = |n: u32, tunnel: &str| {
        format!(
            "hostname r{n}\ninterface GigabitEthernet0/0/0\n ip address 203.0.113.{n} 255.255.255.0\ninterface Tunnel0\n ip address 192.0.2.{n} 255.255.255.252\n tunnel source GigabitEthernet0/0/0\n tunnel destination 203.0.113.9\n{tunnel}end\n"
        )
    };
    let junos = "system { host-name j; }\ninterfaces { gr-0/0/0 { unit 0 { tunnel { source 203.0.113.2; destination 203.0.113.1; } family inet { address 192.0.2.2/30; } } } }\n";
    for (far, differ) in [
        (end(2, ""), false),
        (end(2, " ip mtu 1476\n"), false),
        (end(2, " ip mtu 1400\n"), true),
        (end(2, " tunnel key 7\n"), true),
        (junos.to_owned(), false),
    ] {
        let files = [source("a.cfg", &end(1, "")), source("b.cfg", &far)];
        let report = check(&files, &[]);
        let said = report.findings.iter().filter(|f| f.rule == "CCC014");
        assert_eq!(said.count(), usize::from(differ), "{far}");
    }
}

/// A `vpn` that is bound to `st0` says by its policy's proposals what its packets are sealed with.
#[test]
fn qos028_of_junos_by_proposal() {
    let with = |mtu: u64| {
        let text = format!(
            "interfaces {{ ge-0/0/0 {{ unit 0 {{ family inet {{ address 203.0.113.1/30; }} }} }} st0 {{ unit 0 {{ family inet {{ mtu {mtu}; address 192.0.2.1/30; }} }} }} }}
security {{ ipsec {{
    proposal ONE {{ protocol esp; authentication-algorithm hmac-sha-256-128; encryption-algorithm aes-256-cbc; }}
    policy P {{ proposals ONE; }}
    vpn V {{ bind-interface st0.0; ike {{ gateway G; ipsec-policy P; }} }}
}} }}"
        );
        found(&text, Dialect::Junos, "QOS028")
    };
    assert_eq!(with(1438), []);
    assert_eq!(
        with(1439),
        [(
            Severity::Warning,
            "`family inet mtu 1439` of `st0.0`: ESP with `ONE` makes 1516 B of such a packet, and no interface takes more than 1500 B".to_owned()
        )]
    );
}

/// A router behind a DSL line; `dialer` and `port` stand in its interfaces.
fn dsl(dialer: &str, port: &str) -> Vec<(Severity, String)> {
    let text = format!(
        "version 15.7\nhostname r\ninterface GigabitEthernet0/0\n no ip address\n pppoe enable group global\n pppoe-client dial-pool-number 1\n{port}interface GigabitEthernet0/1\n ip address 192.0.2.1 255.255.255.0\ninterface Dialer1\n ip address negotiated\n encapsulation ppp\n dialer pool 1\n{dialer}"
    );
    found(&text, Dialect::Ios, "QOS028")
}

/// PPPoE takes 8 of the 1500 bytes of an Ethernet frame (RFC 2516 §7).
#[test]
fn qos028_of_pppoe() {
    let said = dsl("", "");
    let texts: Vec<&str> = said.iter().map(|f| f.1.as_str()).collect();
    assert_eq!(
        texts,
        [
            "Dialer1 states no `ip mtu`, and its default may be too large: PPPoE adds 8 B, and GigabitEthernet0/0 takes 1500 B",
            "nothing lowers the segments that TCP offers through Dialer1: its packets have at most 1492 B, and hosts begin with segments of 1460 B",
        ]
    );
    assert!(said.iter().all(|f| f.0 == Severity::Info), "{said:?}");
    for fine in [
        " ip mtu 1492\n ip tcp adjust-mss 1452\n",
        " mtu 1492\n ip tcp adjust-mss 1452\n",
        " ip tcp adjust-mss 1452\n",
    ] {
        assert_eq!(dsl(fine, ""), [], "{fine}");
    }
    assert_eq!(dsl("", " pppoe-client ppp-max-payload 1500\n"), []);
    let large = dsl(" ip mtu 1500\n ip tcp adjust-mss 1452\n", "");
    assert!(
        large.len() == 1 && large[0].0 == Severity::Warning,
        "{large:?}"
    );
    // Another pool, or a line that is not PPPoE.
    let text = "version 15.7\nhostname r\ninterface Dialer1\n ip address negotiated\n encapsulation ppp\n dialer pool 2\n";
    assert_eq!(found(text, Dialect::Ios, "QOS028"), []);
}

/// Over ATM as over Ethernet, and on the side that answers.
#[test]
fn qos028_of_pppoe_over_atm_and_of_templates() {
    for text in [
        "version 15.7\nhostname r\ninterface ATM0\n no ip address\n pvc 8/35\n  pppoe-client dial-pool-number 1\ninterface Dialer1\n ip address negotiated\n encapsulation ppp\n dialer pool 1\n ip tcp adjust-mss 1460\n",
        "version 15.7\nhostname r\ninterface GigabitEthernet0/0\n no ip address\n pppoe enable group global\ninterface Virtual-Template1\n ip unnumbered Loopback0\n ip tcp adjust-mss 1460\n",
    ] {
        let said = found(text, Dialect::Ios, "QOS028");
        assert!(
            said.len() == 1 && said[0].1.contains("PPPoE adds 8 B"),
            "{text}: {said:?}"
        );
    }
}
