//! Ports of one switch that carry one VLAN: their MTUs.

use farpath_config::{Dialect, Severity};

use crate::{at_lines, checked, found};

/// A Nexus with two ports.
fn nexus(first: &str, second: &str) -> String {
    format!(
        "!Command: show running-config\nversion 9.3(8)\nhostname nx\nfeature lacp\nvlan 1,10,20\ninterface Ethernet1/1\n{first}interface Ethernet1/2\n{second}"
    )
}

/// An access port of VLAN 10.
fn access(more: &str) -> String {
    format!("  switchport\n  switchport access vlan 10\n{more}")
}

/// A trunk.
fn trunk(vlans: &str, mtu: u32) -> String {
    format!("  switchport mode trunk\n  switchport trunk allowed vlan {vlans}\n  mtu {mtu}\n")
}

fn unlike(text: &str) -> Vec<(usize, Severity, String)> {
    at_lines(&checked(text, Dialect::Ios), text, "QOS034")
}

#[test]
fn two_ports_of_a_vlan_with_unlike_mtus_are_found() {
    let jumbo = access("  mtu 9216\n");
    let text = nexus(&jumbo, &access("  mtu 1500\n"));
    let said = "Ethernet1/1 takes packets of 9216 bytes, and Ethernet1/2 of 1500; both carry VLAN 10: the switch drops what is larger than 1500 bytes between them, and nothing answers with ICMP";
    assert_eq!(unlike(&text), [(13, Severity::Warning, said.to_owned())]);
    let report = checked(&text, Dialect::Ios);
    let finding = report.findings.iter().find(|f| f.rule == "QOS034");
    let remedies = &finding.expect("it was found").remedies;
    assert!(
        remedies[0].starts_with("`mtu 9216` on Ethernet1/2"),
        "{remedies:?}"
    );
    for (first, second, severity, says) in [
        (
            jumbo.clone(),
            access(""),
            Severity::Warning,
            "Ethernet1/2 of 1500 by default; both carry VLAN 10:",
        ),
        (
            jumbo.clone(),
            trunk("10-20", 1500),
            Severity::Warning,
            "Ethernet1/2 of 1500; both carry VLAN 10:",
        ),
        (
            trunk("10,11,20", 9216),
            trunk("10-12,20", 1500),
            Severity::Warning,
            "both carry VLANs 10-11, 20:",
        ),
        // What a trunk is wide for, nobody says.
        (
            trunk("1-4094", 9216),
            access("  mtu 1500\n"),
            Severity::Info,
            "the trunk may have its MTU for other VLANs: in VLAN 10 the switch",
        ),
    ] {
        let all = unlike(&nexus(&first, &second));
        assert_eq!(all.len(), 1, "{first}{second}{all:?}");
        assert_eq!(all[0].1, severity, "{all:?}");
        assert!(all[0].2.contains(says), "{all:?}");
    }
}

#[test]
fn ports_that_share_no_vlan_or_take_alike_are_not() {
    let jumbo = access("  mtu 9216\n");
    for second in [
        jumbo.clone(),
        access("  mtu 9000\n"),
        access("  mtu 1500\n  shutdown\n"),
        access("  mtu 1500\n").replace("vlan 10", "vlan 20"),
        trunk("20-30", 1500),
        "  no switchport\n  ip address 192.0.2.1/30\n  mtu 1500\n".to_owned(),
    ] {
        assert_eq!(unlike(&nexus(&jumbo, &second)), [], "{second}");
    }
    // What a port has by default the policies of the switch may say.
    let policy = "policy-map type network-qos J\n  class type network-qos class-default\n    mtu 9216\nvlan 1,10,20\n";
    let text = nexus(&jumbo, &access("")).replace("vlan 1,10,20\n", policy);
    assert_eq!(unlike(&text), []);
}

/// What the switch routes into a VLAN is dropped at a port that takes less.
#[test]
fn an_interface_of_a_vlan_that_routes_more_than_a_port_takes_is_found() {
    let with = |port: &str, more: &str| {
        let routes = format!(
            "  shutdown\ninterface Vlan10\n  no shutdown\n  mtu 9216\n  ip address 192.0.2.1/24\n{more}"
        );
        let text = nexus(port, &routes).replace("feature lacp", "feature interface-vlan");
        unlike(&text)
    };
    let small = access("  mtu 1500\n");
    let said = "Vlan10 routes packets of 9216 bytes into VLAN 10, and Ethernet1/1 takes 1500: the switch drops what is larger there, and nothing answers with ICMP";
    assert_eq!(with(&small, ""), [(9, Severity::Warning, said.to_owned())]);
    let other = small.replace("vlan 10", "vlan 20");
    let jumbo = access("  mtu 9216\n");
    for (port, more) in [(&other, ""), (&jumbo, ""), (&small, "  shutdown\n")] {
        assert_eq!(with(port, more), [], "{port}{more}");
    }
}

/// Members of a channel have its VLANs and its MTU.
#[test]
fn a_channel_stands_for_its_members() {
    let member = "  switchport mode trunk\n  mtu 1500\n  channel-group 1 mode active\ninterface port-channel1\n  switchport mode trunk\n  mtu 1500\n";
    let all = unlike(&nexus(&access("  mtu 9216\n"), member));
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(
        all[0].2.contains("and Port-channel1 of 1500; both"),
        "{all:?}"
    );
    // Beside an access port that takes as little it is named with it.
    let third = format!("{member}interface Ethernet1/3\n{}", access("  mtu 1500\n"));
    let report = checked(&nexus(&access("  mtu 9216\n"), &third), Dialect::Ios);
    let mut found = report.findings.iter().filter(|f| f.rule == "QOS034");
    let remedies = &found.next().expect("it was found").remedies;
    assert!(
        remedies[0].starts_with("`mtu 9216` on Ethernet1/3, on Port-channel1, and on every port"),
        "{remedies:?}"
    );
    assert_eq!(found.next(), None);
}

/// What a channel has by default is not what its member states.
#[test]
fn a_channel_without_an_mtu_has_that_of_the_platform() {
    let with = |whole: &str| {
        let member = "  switchport mode trunk\n  mtu 9216\n  channel-group 1 mode active\n";
        let channel = format!("interface port-channel1\n  switchport mode trunk\n{whole}");
        let text = nexus(member, "  shutdown\n") + &channel;
        at_lines(&checked(&text, Dialect::Ios), &text, "QOS030")
    };
    let said = "Ethernet1/1 is a member of Port-channel1, and its MTU of 9216 bytes is not the 1500 that the channel has by default: the switch suspends it";
    assert_eq!(with(""), [(8, Severity::Warning, said.to_owned())]);
    assert_eq!(with("  mtu 9216\n"), []);
    let policy =
        "policy-map type network-qos J\n  class type network-qos class-default\n    mtu 9216\n";
    assert_eq!(with(policy), []);
}

/// A Catalyst states `mtu` at the port, too.
#[test]
fn a_catalyst_is_checked_alike_unless_system_mtu_sets_the_default() {
    let text = "version 17.9\nlicense boot level network-advantage\nhostname sw\ninterface GigabitEthernet1/0/1\n switchport access vlan 10\n switchport mode access\n mtu 9198\ninterface GigabitEthernet1/0/2\n switchport access vlan 10\n switchport mode access\nend\n";
    let all = unlike(text);
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(all[0].2.contains("GigabitEthernet1/0/2 of 1500 by default"));
    let set = text.replace("hostname sw\n", "hostname sw\nsystem mtu 9198\n");
    assert_eq!(unlike(&set), []);
}

/// An MX: `family bridge`, with the switch's VLANs in `bridge-domains`.
#[test]
fn bridge_ports_of_junos_are_compared_by_their_vlans() {
    let text = |domains: &str, first: &str, second: &str| {
        format!(
            "system {{ host-name mx; }}\n{domains}\ninterfaces {{\n xe-0/0/1 {{ mtu 9216; unit 0 {{ family bridge {{ {first} }} }} }}\n xe-0/0/2 {{ unit 0 {{ family bridge {{ {second} }} }} }}\n}}\n"
        )
    };
    let domains = "bridge-domains { b10 { vlan-id 10; } more { vlan-id-list [ 20 30-31 ]; } }";
    let elsewhere = "routing-instances { vs { interface xe-0/0/2.0; } }";
    let ten = "interface-mode access; vlan-id 10;";
    let trunk = |list: &str| format!("interface-mode trunk; vlan-id-list [ {list} ];");
    for (domains, first, second, count) in [
        (domains.to_owned(), ten.to_owned(), ten.to_owned(), 1),
        (domains.to_owned(), ten.to_owned(), trunk("10 20"), 1),
        (domains.to_owned(), trunk("30 40"), trunk("31 40 10"), 0),
        (domains.to_owned(), trunk("20-31"), trunk("30"), 1),
        // Of another switch, of none, and by ways that are not read.
        (
            format!("{domains}\n{elsewhere}"),
            ten.to_owned(),
            ten.to_owned(),
            0,
        ),
        (String::new(), ten.to_owned(), ten.to_owned(), 0),
        (domains.to_owned(), ten.to_owned(), String::new(), 0),
    ] {
        let text = text(&domains, &first, &second);
        let all = at_lines(&checked(&text, Dialect::Junos), &text, "QOS034");
        assert_eq!(all.len(), count, "{text}: {all:?}");
        if let Some(one) = all.first() {
            let pair = "xe-0/0/1 takes packets of 9202 bytes, and xe-0/0/2 of 1500";
            assert!(one.2.contains(pair), "{all:?}");
        }
    }
}

#[test]
fn switch_ports_of_junos_are_compared_by_their_vlans() {
    let text = |first: &str, second: &str| {
        format!(
            "system {{ host-name ex; }}\nvlans {{ v10 {{ vlan-id 10; }} v20 {{ vlan-id 20; interface xe-0/0/3.0; }} }}\ninterfaces {{\n xe-0/0/1 {{ mtu 9216; unit 0 {{ family ethernet-switching {{ {first} }} }} }}\n {second}\n}}\n"
        )
    };
    let ten = "vlan { members v10; }";
    let other = |mtu: &str, family: &str| {
        format!("xe-0/0/2 {{ {mtu} unit 0 {{ family ethernet-switching {{ {family} }} }} }}")
    };
    let pair = "xe-0/0/1 takes packets of 9202 bytes, and xe-0/0/2 of 1500";
    for (first, second, says) in [
        (ten, other("", "vlan { members 10; }"), Some(pair)),
        (ten, other("mtu 1514;", ten), Some(pair)),
        (
            ten,
            other("", "interface-mode trunk; vlan { members [ v20 v10 ]; }"),
            Some(pair),
        ),
        (
            ten,
            other("", "port-mode trunk; vlan { members all; }"),
            Some(pair),
        ),
        (
            "vlan { members v20; }",
            "xe-0/0/3 { unit 0 { family ethernet-switching; } }".to_owned(),
            Some("and xe-0/0/3 of 1500 by default; both carry VLAN 20:"),
        ),
        (ten, other("", "vlan { members v20; }"), None),
        (ten, other("mtu 9216;", ten), None),
        (ten, other("disable;", ten), None),
        // Which VLAN a name is that nothing defines, nobody says.
        (ten, other("", "vlan { members v11; }"), None),
    ] {
        let all = found(&text(first, &second), Dialect::Junos, "QOS034");
        assert_eq!(all.len(), usize::from(says.is_some()), "{second}{all:?}");
        if let Some(says) = says {
            assert_eq!(all[0].0, Severity::Warning);
            assert!(all[0].1.contains(says), "{second}{all:?}");
        }
    }
}
