//! Links between files of any two languages: their MTUs.

use farpath_config::{Report, Severity, check};

use crate::source;

fn checked(near: &str, far: &str) -> Report {
    let files = [source("near.conf", near), source("far.conf", far)];
    check(&files, &[])
}

/// A Junos router with `port` and `family` beside the address on one port.
fn junos(address: &str, port: &str, family: &str) -> String {
    format!(
        "system {{ host-name j{address}; }}\ninterfaces {{ xe-0/0/0 {{ {port} unit 0 {{ family inet {{ {family} address 203.0.113.{address}/30; }} }} }} }}\n"
    )
}

/// An IOS router with `lines` on one port.
fn ios(address: &str, lines: &str) -> String {
    format!(
        "hostname i{address}\ninterface TenGigabitEthernet0/0/0\n{lines} ip address 203.0.113.{address} 255.255.255.252\nend\n"
    )
}

/// Junos counts the Ethernet header of 14 bytes in `mtu` and IOS does not (Juniper, "Configuring the Media MTU"; Cisco,
/// command reference, `mtu`).
#[test]
fn the_mtus_of_a_links_ends_are_compared_whoever_wrote_the_files() {
    let jumbo = || junos("1", "mtu 9192;", "");
    for (near, far, differ) in [
        (jumbo(), junos("2", "mtu 1514;", ""), true),
        (jumbo(), junos("2", "", ""), true),
        (jumbo(), junos("2", "mtu 9192;", ""), false),
        (jumbo(), junos("2", "mtu 9192;", "mtu 1400;"), true),
        (jumbo(), ios("2", " mtu 1500\n"), true),
        (jumbo(), ios("2", ""), true),
        (jumbo(), ios("2", " mtu 9178\n"), false),
        (jumbo(), ios("2", " mtu 9216\n ip mtu 9178\n"), false),
        (junos("1", "", ""), ios("2", ""), false),
        (ios("1", " mtu 9000\n"), ios("2", ""), true),
        (ios("1", " mtu 9000\n"), ios("2", " mtu 9000\n"), false),
        // What `system mtu` makes of a routed port's default depends on the release.
        (jumbo(), format!("system mtu 9178\n{}", ios("2", "")), false),
        // Another subnet is another link.
        (jumbo(), ios("6", " mtu 1500\n"), false),
        (jumbo(), ios("2", " shutdown\n"), false),
    ] {
        let report = checked(&near, &far);
        let found: Vec<_> = report
            .findings
            .iter()
            .filter(|f| f.rule == "CCC014")
            .collect();
        assert_eq!(found.len(), usize::from(differ), "{near}{far}{found:?}");
        for finding in found {
            assert!(!finding.is_uncertain(), "{near}{far}{finding:?}");
            assert_eq!(finding.severity, Severity::Warning);
            assert_eq!(finding.evidence.len(), 2, "both ends are shown");
        }
    }
    let report = checked(&jumbo(), &ios("2", " mtu 1500\n"));
    let text = &report.findings[0].text;
    assert!(
        text.contains("9178 bytes") && text.contains("1500 bytes"),
        "{text}"
    );
}

/// The ends of a wire join where their tags agree; a switch between may change the tag (IEEE 802.1Q).
#[test]
fn the_tags_of_a_links_ends_are_compared_whoever_wrote_the_files() {
    let ios = |address: &str, tag: &str| {
        format!(
            "hostname i{address}\ninterface GigabitEthernet0/1.100\n{tag} ip address 203.0.113.{address} 255.255.255.252\n"
        )
    };
    let junos = |address: &str, port: &str, tag: &str| {
        format!(
            "system {{ host-name j{address}; }}\ninterfaces {{ ge-0/0/0 {{ {port} unit 100 {{ {tag} family inet {{ address 203.0.113.{address}/30; }} }} }} }}\n"
        )
    };
    let dot1q = " encapsulation dot1Q 100\n";
    let tagged = "flexible-vlan-tagging;";
    for (near, far, differ) in [
        (ios("1", dot1q), ios("2", dot1q), false),
        (ios("1", dot1q), ios("2", ""), true),
        (
            ios("1", dot1q),
            ios("2", " encapsulation dot1Q 101\n"),
            true,
        ),
        (
            ios("1", " encapsulation dot1Q 100 native\n"),
            ios("2", ""),
            false,
        ),
        (
            ios("1", " encapsulation dot1Q 100 second-dot1q 7\n"),
            ios("2", dot1q),
            true,
        ),
        (ios("1", dot1q), junos("2", tagged, "vlan-id 100;"), false),
        (ios("1", dot1q), junos("2", tagged, "vlan-id 99;"), true),
        (
            ios("1", ""),
            junos(
                "2",
                "native-vlan-id 100; flexible-vlan-tagging;",
                "vlan-id 100;",
            ),
            false,
        ),
        (junos("1", "", ""), junos("2", tagged, "vlan-id 100;"), true),
        (
            junos("1", tagged, "vlan-tags outer 5 inner 100;"),
            junos("2", tagged, "vlan-id 100;"),
            true,
        ),
    ] {
        let report = checked(&near, &far);
        let found = report.findings.iter().filter(|f| f.rule == "CCC023");
        let found: Vec<_> = found.collect();
        assert_eq!(found.len(), usize::from(differ), "{near}{far}{found:?}");
        for finding in found {
            assert_eq!(finding.severity, Severity::Warning);
            assert!(!finding.is_uncertain(), "{finding:?}");
            assert_eq!(finding.evidence.len(), 2, "both ends are shown");
        }
    }
}

/// A switch in either dialect that has an access port in the VLAN and a trunk that carries it.
#[test]
fn a_switch_among_the_files_may_change_the_tag() {
    let near = "hostname a\ninterface GigabitEthernet0/1.100\n encapsulation dot1Q 100\n ip address 203.0.113.1 255.255.255.252\n";
    let far = "hostname b\ninterface GigabitEthernet0/1\n ip address 203.0.113.2 255.255.255.252\n";
    let ios = |trunk: &str| {
        format!(
            "hostname s\ninterface GigabitEthernet1/1\n switchport mode trunk\n{trunk}interface GigabitEthernet1/2\n switchport mode access\n switchport access vlan 100\n"
        )
    };
    let catos = |trunk: &str| {
        format!(
            "set system name s\nset vlan 100 name lan\nset vlan 100 3/2\nset port enable 3/1-2\n{trunk}"
        )
    };
    let without =
        " switchport trunk allowed vlan 1-200\n switchport trunk allowed vlan remove 100\n";
    for (switch, changes) in [
        (ios(""), true),
        (ios(" switchport trunk allowed vlan 7,90-110\n"), true),
        (
            ios(" switchport trunk allowed vlan 7\n switchport trunk allowed vlan add 100\n"),
            true,
        ),
        (ios(without), false),
        (ios(" switchport trunk allowed vlan except 100\n"), false),
        (ios(" switchport trunk native vlan 100\n"), false),
        (ios(" switchport trunk encapsulation isl\n"), false),
        (catos("set trunk 3/1 on dot1q 1-1005,1025-4094\n"), true),
        (
            catos("clear trunk 3/1 2-1005\nset trunk 3/1 on dot1q 1,100\n"),
            true,
        ),
        (
            catos("clear trunk 3/1 2-1005\nset trunk 3/1 on dot1q 1,10\n"),
            false,
        ),
        (catos("set trunk 3/1 on isl 1-1005\n"), false),
        (catos("set trunk 3/1 off\n"), false),
    ] {
        let files = [near, far, &switch].map(|text| source("x", text));
        let report = check(&files, &[]);
        let found = report.findings.iter().filter(|f| f.rule == "CCC023");
        assert_eq!(found.count() == 0, changes, "{switch}");
        let last = &report.files[2];
        assert_eq!(last.unrecognised, [], "{switch}");
        assert_eq!(last.faults, [], "{switch}");
    }
}

/// Ends of a channel with an address (IEEE 802.1AX: one end at least is active; Cisco's PAgP: one is desirable).
#[test]
fn qos025_a_channel_forms_between_modes_that_speak() {
    let end = |address: u32, mode: &str, other: &str| {
        format!(
            "hostname i{address}\ninterface Port-channel1\n ip address 203.0.113.{address} 255.255.255.252\ninterface TenGigabitEthernet0/0/0\n channel-group 1 mode {mode}\ninterface TenGigabitEthernet0/0/1\n channel-group 1 mode {other}\nend\n"
        )
    };
    let found = |near: &str, far: &str| {
        let report = checked(near, far);
        let found = report.findings.iter().filter(|f| f.rule == "QOS025");
        found.map(|f| f.text.clone()).collect::<Vec<_>>()
    };
    for (a, b, forms) in [
        ("active", "active", true),
        ("active", "passive", true),
        ("on", "on", true),
        ("desirable", "auto", true),
        ("desirable non-silent", "desirable", true),
        ("active", "on", false),
        ("passive", "passive", false),
        ("auto", "auto", false),
        ("desirable", "passive", false),
    ] {
        let said = found(&end(1, a, a), &end(2, b, b));
        assert_eq!(said.len(), usize::from(!forms), "{a} {b}: {said:?}");
    }
    assert_eq!(
        found(&end(1, "active", "active"), &end(2, "active", "on")),
        [
            "TenGigabitEthernet0/0/0 is in channel 1 with `mode active` and TenGigabitEthernet0/0/1 with `mode on`: one protocol a channel"
        ]
    );
}

/// A bundle of Junos without `lacp` speaks no protocol, and with it waits unless `active` is written.
#[test]
fn qos025_a_channel_forms_between_ios_and_junos() {
    let ios = |mode: &str| {
        format!(
            "hostname i\ninterface Port-channel1\n ip address 203.0.113.1 255.255.255.252\ninterface TenGigabitEthernet0/0/0\n channel-group 1 mode {mode}\nend\n"
        )
    };
    let junos = |lacp: &str| {
        format!(
            "system {{ host-name j; }}\ninterfaces {{ xe-0/0/0 {{ gigether-options {{ 802.3ad ae0; }} }} ae0 {{ {lacp} unit 0 {{ family inet {{ address 203.0.113.2/30; }} }} }} }}\n"
        )
    };
    let lacp = |word: &str| format!("aggregated-ether-options {{ lacp {{ {word} }} }}");
    for (mode, lacp, forms) in [
        ("active", lacp("active;"), true),
        ("passive", lacp("active;"), true),
        ("active", lacp("passive;"), true),
        ("active", lacp("periodic fast;"), true),
        ("on", String::new(), true),
        ("passive", lacp("periodic fast;"), false),
        ("active", String::new(), false),
        ("on", lacp("active;"), false),
    ] {
        let report = checked(&ios(mode), &junos(&lacp));
        let said = report.findings.iter().filter(|f| f.rule == "QOS025");
        assert_eq!(said.count(), usize::from(!forms), "{mode} {lacp}");
    }
    let report = checked(&ios("active"), &junos(""));
    let said = report.findings.iter().find(|f| f.rule == "QOS025");
    assert!(
        said.is_some_and(|f| f.text.contains("`mode active`") && f.text.contains("no LACP")),
        "{said:?}"
    );
}

/// Who negotiates beside a fixed end hears its speed and not its duplex (IEEE 802.3 clause 28, "Parallel Detection").
#[test]
fn qos013_the_ends_of_a_cable_come_to_one_speed_and_duplex() {
    let ios = |address: u32, mask: u32, lines: &str| {
        format!(
            "hostname i{address}\ninterface FastEthernet0/1\n{lines} ip address 203.0.113.{address} 255.255.255.{mask}\nend\n"
        )
    };
    let found = |near: &str, far: &str| {
        let report = checked(near, far);
        let found = report.findings.iter().filter(|f| f.rule == "QOS013");
        found
            .map(|f| (f.evidence.len(), f.text.clone()))
            .collect::<Vec<_>>()
    };
    let fixed = |speed: u32, duplex: &str| format!(" speed {speed}\n duplex {duplex}\n");
    let near = ios(1, 252, &fixed(100, "full"));
    let falls = "`FastEthernet0/1` of `i1` is fixed to 100 Mbit/s full duplex and `FastEthernet0/1` of `i2` negotiates: it hears the speed, falls to half duplex, and frames are lost under load";
    assert_eq!(found(&near, &ios(2, 252, "")), [(2, falls.to_owned())]);
    let far = ios(2, 252, " speed auto\n duplex auto\n");
    assert_eq!(found(&near, &far), [(2, falls.to_owned())]);
    // A card of older IOS cannot negotiate: the other choice stands beside it.
    let report = checked(&near, &far);
    let one = report.findings.iter().find(|f| f.rule == "QOS013");
    let remedies = one.map(|f| f.remedies.join(" ")).unwrap_or_default();
    for words in ["`duplex auto`", "`duplex full` at both", "`full-duplex`"] {
        assert!(remedies.contains(words), "{remedies}");
    }
    let slow = found(&near, &ios(2, 252, &fixed(10, "full")));
    assert!(
        slow.len() == 1 && slow[0].1.ends_with("to 10: the link stays down"),
        "{slow:?}"
    );
    // The half of it says so itself, too.
    let half = found(&near, &ios(2, 252, &fixed(100, "half")));
    assert!(
        half.len() == 2 && half.iter().any(|f| f.1.contains("is full duplex and")),
        "{half:?}"
    );
    for far in [
        ios(2, 252, &fixed(100, "full")),
        // In a larger subnet a switch is in between.
        ios(2, 0, ""),
        ios(6, 252, ""),
        ios(2, 252, " shutdown\n"),
    ] {
        let near = match far.contains("255.0\n") {
            true => ios(1, 0, &fixed(100, "full")),
            false => near.clone(),
        };
        assert_eq!(found(&near, &far), [], "{far}");
    }
    let junos = |port: &str| {
        format!(
            "system {{ host-name j; }}\ninterfaces {{ fe-0/0/0 {{ {port} unit 0 {{ family inet {{ address 203.0.113.2/30; }} }} }} }}\n"
        )
    };
    assert_eq!(found(&near, &junos("")).len(), 1);
    assert_eq!(
        found(&near, &junos("speed 100m; link-mode full-duplex;")),
        []
    );
    let negotiates = ios(1, 252, "");
    for (options, end) in [
        (
            "speed { 100m; } link-mode full-duplex;",
            "falls to half duplex, and frames are lost under load",
        ),
        (
            "speed { 10m; } link-mode full-duplex;",
            "falls to half duplex, and frames are lost under load",
        ),
        (
            "speed { 1g; } link-mode full-duplex;",
            "copper needs both to negotiate (clause 40)",
        ),
    ] {
        let far = junos(&format!(
            "ether-options {{ no-auto-negotiation; {options} }}"
        ));
        let said = found(&negotiates, &far);
        assert!(
            said.len() == 1 && said[0].0 == 2 && said[0].1.ends_with(end),
            "{options} {said:?}"
        );
    }
    let fixed_there =
        "ether-options { no-auto-negotiation; speed { 100m; } link-mode full-duplex; }";
    assert_eq!(found(&near, &junos(fixed_there)), []);
    let auto = "ether-options { auto-negotiation; speed { auto-10m-100m; } link-mode automatic; }";
    assert_eq!(found(&negotiates, &junos(auto)), []);
    assert_eq!(found(&near, &junos(auto)).len(), 1);
}

/// `no negotiation auto` at one end alone: over fibre the other one stays down (IEEE 802.3 clause 37).
#[test]
fn qos013_a_port_of_a_gigabit_negotiates_at_both_ends_or_at_none() {
    let ios = |address: u32, lines: &str| {
        format!(
            "hostname i{address}\ninterface GigabitEthernet0/0\n ip address 203.0.113.{address} 255.255.255.252\n{lines}end\n"
        )
    };
    let found = |near: &str, far: &str| {
        let report = checked(&ios(1, near), &ios(2, far));
        let found = report.findings.iter().filter(|f| f.rule == "QOS013");
        found
            .map(|f| (f.evidence.len(), f.text.clone()))
            .collect::<Vec<_>>()
    };
    let off = " no negotiation auto\n";
    let fixed = " speed 1000\n duplex full\n no negotiation auto\n";
    let begins = "`GigabitEthernet0/0` of `i1` has `no negotiation auto` at 1 Gbit/s and `GigabitEthernet0/0` of `i2` negotiates";
    for near in [off, fixed] {
        for far in [" negotiation auto\n", "", " default negotiation auto\n"] {
            let said = found(near, far);
            assert!(
                said.len() == 1 && said[0].0 == 2 && said[0].1.starts_with(begins),
                "{near} {far} {said:?}"
            );
        }
        assert_eq!(found(near, off), []);
        assert_eq!(found(near, fixed), []);
    }
    assert_eq!(found(" negotiation auto\n", ""), []);
}

/// A switch with `lines` on the port whose description names the router's.
fn switch(lines: &str) -> String {
    format!(
        "hostname sw\ninterface GigabitEthernet1/2\n description to mx ge-0/0/1\n switchport\n switchport mode trunk\n{lines}end\n"
    )
}

fn mx(port: &str, unit: &str) -> String {
    format!(
        "system {{ host-name mx; }}\ninterfaces {{ ge-0/0/1 {{ {port} unit 100 {{ {unit} }} }} }}\n"
    )
}

/// A switch drops what is larger than its port's MTU and says nothing; each platform counts another header in `mtu`.
#[test]
fn the_mtus_of_a_cables_ends_are_compared_whatever_they_carry() {
    let inet = "vlan-id 100; family inet { address 192.0.2.1/24; }";
    let capped = "vlan-id 100; family inet { mtu 1500; address 192.0.2.1/24; }";
    let ccc = "encapsulation vlan-ccc; vlan-id 100; family ccc;";
    let tagged = |mtu: &str| format!("vlan-tagging; {mtu}");
    let of_vlans = |mtu: &str| format!("vlan-tagging; encapsulation vlan-ccc; {mtu}");
    let xr = |mtu: u32| {
        format!(
            "!! IOS XR Configuration 7.5.2\nhostname pe\ninterface TenGigE0/0/0/1\n description sw Gi1/2\n mtu {mtu}\n ipv4 address 192.0.2.1/24\n!\nend\n"
        )
    };
    let nexus = |mtu: &str| {
        format!(
            "!Command: show running-config\nversion 9.3(5) Bios:version 05.42\nhostname leaf\nfeature lacp\ninterface Ethernet1/1\n  description to mx ge-0/0/1\n  switchport\n  switchport mode trunk\n{mtu}"
        )
    };
    let larger = "ge-0/0/1` of `mx` at the other end of its cable";
    for (near, far, said) in [
        (
            switch(" mtu 1500\n"),
            mx(&tagged("mtu 9192;"), inet),
            larger,
        ),
        (switch(""), mx(&tagged("mtu 9192;"), inet), larger),
        (
            switch(" mtu 1500\n"),
            mx(&of_vlans("mtu 9192;"), ccc),
            larger,
        ),
        (
            nexus("  mtu 1500\n"),
            mx(&tagged("mtu 9192;"), inet),
            larger,
        ),
        (
            switch(" mtu 9216\n"),
            mx(&of_vlans("mtu 1518;"), ccc),
            "`GigabitEthernet1/2` of `sw` at the other end",
        ),
        (switch(" mtu 1500\n"), xr(9014), "`TenGigE0/0/0/1` of `pe`"),
        // The same packets, by the headers that each counts.
        (switch(" mtu 1500\n"), mx(&tagged("mtu 1518;"), inet), ""),
        (switch(" mtu 1500\n"), mx(&tagged(""), inet), ""),
        (switch(""), mx(&of_vlans("mtu 1522;"), ccc), ""),
        (switch(" mtu 9000\n"), xr(9014), ""),
        (nexus("  mtu 9216\n"), mx(&tagged("mtu 9192;"), inet), ""),
        (switch(" mtu 1500\n"), mx(&tagged("mtu 9192;"), capped), ""),
        // Room to spare on the switch, and in both directions for 9000 bytes.
        (switch(" mtu 9216\n"), mx(&tagged("mtu 1518;"), inet), ""),
        (switch(" mtu 9216\n"), mx(&of_vlans("mtu 9192;"), ccc), ""),
        // What the default is then, the machine alone knows; and no cable is known to one that is not there.
        (
            format!("system mtu jumbo 9198\n{}", switch("")),
            mx(&tagged("mtu 9192;"), inet),
            "",
        ),
        (
            switch(" mtu 1500\n").replace("mx ge-0/0/1", "mx7 ge-0/0/1"),
            mx(&tagged("mtu 9192;"), inet),
            "",
        ),
        (switch(" shutdown\n"), mx(&tagged("mtu 9192;"), inet), ""),
    ] {
        let report = checked(&near, &far);
        let found = report.findings.iter().filter(|f| f.rule == "CCC014");
        let texts: Vec<&str> = found.map(|f| f.text.as_str()).collect();
        assert_eq!(
            texts.len(),
            usize::from(!said.is_empty()),
            "{near}{far}{texts:?}"
        );
        assert!(
            texts.iter().all(|t| t.contains(said)),
            "{near}{far}{texts:?}"
        );
    }
}

/// A listing says which cables there are, of the members of channels too, and outdoes descriptions.
#[test]
fn the_mtus_of_listed_neighbours_are_compared() {
    let channel = "hostname sw\ninterface Port-channel1\n switchport\n switchport mode trunk\n mtu 1500\ninterface GigabitEthernet1/2\n description to mx ge-0/0/7\n switchport\n switchport mode trunk\n channel-group 1 mode active\n";
    let bundle = "system { host-name mx; }\ninterfaces { ge-0/0/1 { gigether-options { 802.3ad ae0; } } ae0 { mtu 9192; unit 0 { family inet { address 192.0.2.1/24; } } } }\n";
    let listing = "sw#show lldp neighbors detail\n------------------------------------------------\nLocal Intf: Gi1/2\nChassis id: 0011.2233.4455\nPort id: ge-0/0/1\nSystem Name: mx\n";
    let with = |listing: &str| {
        let files = [
            source("sw.ios", channel),
            source("mx.conf", bundle),
            source("sw-lldp.txt", listing),
        ];
        let report = check(&files, &[]);
        let found = report.findings.into_iter().filter(|f| f.rule == "CCC014");
        found.map(|f| f.text).collect::<Vec<_>>()
    };
    let found = with(listing);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("`Port-channel1` of `sw` takes IP packets of 1500 bytes")
            && found[0].contains("`ae0` of `mx`"),
        "{found:?}"
    );
    let other = with(&listing.replace("ge-0/0/1", "ge-0/0/8"));
    assert!(other.is_empty(), "{other:?}");
}

/// A tunnel of GRE over a link whose own end takes 9000 bytes, and the other 1500: its packets of 1500 bytes are 1524 on that link.
#[test]
fn qos028_of_a_tunnel_over_a_link_that_is_narrower_at_the_other_end() {
    let tunnel = |mtu: u32| {
        let port = "version 15.4\nhostname i1\ninterface TenGigabitEthernet0/0/0\n mtu 9216\n ip address 203.0.113.1 255.255.255.252\n ip mtu 9000\n";
        format!(
            "{port}interface Tunnel10\n ip address 10.255.0.1 255.255.255.252\n ip mtu {mtu}\n ip tcp adjust-mss 1360\n tunnel source 203.0.113.1\n tunnel destination 203.0.113.2\nend\n"
        )
    };
    let said = |near: &str, far: &str| -> Vec<String> {
        let found = checked(near, far).findings.into_iter();
        let found = found.filter(|f| f.rule == "QOS028");
        found.map(|f| f.text).collect()
    };
    let all = said(&tunnel(1500), &ios("2", " mtu 1500\n"));
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(all[0].contains("GRE over IPv4 adds 24 B"), "{all:?}");
    assert!(all[0].contains("takes 1500 B"), "{all:?}");
    for (near, far) in [
        (tunnel(1476), ios("2", " mtu 1500\n")),
        (tunnel(1500), ios("2", " mtu 9216\n")),
        (tunnel(1500), junos("2", "mtu 9192;", "")),
        // Another subnet is another link.
        (tunnel(1500), ios("6", " mtu 1500\n")),
    ] {
        assert_eq!(said(&near, &far), Vec::<String>::new(), "{near}{far}");
    }
}
