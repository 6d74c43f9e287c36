//! Tags, units and members of bundles: what Junos refuses to commit, and what it does not; members of IOS channels.

use farpath_config::{Dialect, Severity};

use crate::found;

/// Junos, "Configuring 802.1Q VLANs": `vlan-id` and `vlan-tagging` go together, and an untagged port has unit 0.
#[test]
fn jun005_tags_and_units_go_together() {
    let with = |port: &str, units: &str| {
        let text = format!("interfaces {{ ge-0/0/0 {{ {port} {units} }} }}");
        let found = found(&text, Dialect::Junos, "JUN005");
        assert!(found.iter().all(|f| f.0 == Severity::Error), "{found:?}");
        found.into_iter().map(|f| f.1).collect::<Vec<_>>()
    };
    let unit = |number: u32, more: &str| {
        format!("unit {number} {{ {more} family inet {{ address 192.0.2.{number}/32; }} }}")
    };
    for (port, units) in [
        ("", unit(0, "")),
        ("vlan-tagging;", unit(5, "vlan-id 7;")),
        (
            "flexible-vlan-tagging;",
            unit(5, "vlan-tags outer 7 inner 8;"),
        ),
        (
            "stacked-vlan-tagging;",
            unit(5, "vlan-tags outer 7 inner 8;"),
        ),
        ("vlan-tagging;", unit(5, "vlan-id-range 7-9;")),
        ("", "unit 5 { disable; vlan-id 7; family inet; }".to_owned()),
        ("", "unit 5 { description later; }".to_owned()),
        (
            "vlan-tagging;",
            format!("{}{}", unit(5, "vlan-id 7;"), unit(6, "vlan-id 8;")),
        ),
    ] {
        assert_eq!(with(port, &units), Vec::<String>::new(), "{port}{units}");
    }
    for (port, units, said) in [
        (
            "",
            unit(0, "vlan-id 7;"),
            "`ge-0/0/0.0` has a VLAN, and `ge-0/0/0` no `vlan-tagging`",
        ),
        (
            "",
            unit(5, ""),
            "`ge-0/0/0.5` has no tag: without `vlan-tagging` a port has unit 0 alone",
        ),
        (
            "vlan-tagging;",
            unit(5, ""),
            "`ge-0/0/0.5` has no `vlan-id`, and `ge-0/0/0` tags its frames",
        ),
        (
            "vlan-tagging;",
            format!("{}{}", unit(5, "vlan-id 7;"), unit(6, "vlan-id 7;")),
            "`ge-0/0/0.6` has VLAN 7, and so has unit 5",
        ),
    ] {
        assert_eq!(with(port, &units), [said], "{port}{units}");
    }
}

#[test]
fn jun006_members_of_a_bundle() {
    let with = |first: &str, second: &str, bundle: &str| {
        let text = format!(
            "interfaces {{ {first} {second} ae0 {{ {bundle} unit 0 {{ family inet {{ address 192.0.2.1/30; }} }} }} }}"
        );
        found(&text, Dialect::Junos, "JUN006")
    };
    let member =
        |name: &str, more: &str| format!("{name} {{ gigether-options {{ 802.3ad ae0; }} {more} }}");
    let plain = member("ge-0/0/1", "");
    assert_eq!(with(&member("ge-0/0/0", ""), &plain, ""), []);
    assert_eq!(
        with(&member("ge-0/0/0", "mtu 9014;"), &plain, "mtu 9014;"),
        []
    );
    let unit = "unit 0 { family inet { address 192.0.2.5/30; } }";
    assert_eq!(
        with(&member("ge-0/0/0", unit), &plain, ""),
        [(
            Severity::Error,
            "`ge-0/0/0` is a member of `ae0` and has unit 0".to_owned()
        )]
    );
    assert_eq!(
        with(&member("xe-0/0/0", ""), &plain, ""),
        [(
            Severity::Warning,
            "members of `ae0` differ: `xe-0/0/0` has 10 Gbit/s and `ge-0/0/1` 1 Gbit/s".to_owned()
        )]
    );
    assert_eq!(
        with(&member("ge-0/0/0", "mtu 9014;"), &plain, "")[0].1,
        "`ge-0/0/0` states an MTU of 9014 bytes, and its bundle `ae0` has 1514"
    );
}

/// `speed 10m` is a hundredth of what a `ge` carries; a tenth may be meant.
#[test]
fn qos013_of_lines_of_junos() {
    let with = |port: &str| {
        let text = format!(
            "system {{ host-name r; }}\ninterfaces {{ ge-0/0/1 {{ {port} unit 0 {{ family inet {{ address 192.0.2.1/30; }} }} }} }}\n"
        );
        found(&text, Dialect::Junos, "QOS013")
    };
    for fine in [
        "",
        "speed 1g; link-mode full-duplex;",
        "speed 100m; link-mode full-duplex;",
    ] {
        assert_eq!(with(fine), [], "{fine}");
    }
    let half = with("link-mode half-duplex;");
    assert!(
        half.len() == 1 && half[0].0 == Severity::Error && half[0].1.contains("half duplex"),
        "{half:?}"
    );
    let of_ex = "ether-options { no-auto-negotiation; link-mode half-duplex; speed { 100m; } }";
    assert_eq!(with(of_ex), half);
    let slow = with("speed 10m;");
    let says = "fixed to 10 Mbit/s, and ports of its name carry 1 Gbit/s";
    assert!(
        slow.len() == 1 && slow[0].0 == Severity::Warning && slow[0].1.contains(says),
        "{slow:?}"
    );
}

/// A class that may not exceed its rate waits for that rate, and not for the port's.
#[test]
fn jun010_a_class_that_is_held_to_its_rate() {
    let with = |scheduler: &str| {
        let text = format!(
            "system {{ host-name r; }}\ninterfaces {{ ge-0/0/1 {{ unit 0 {{ family inet {{ address 192.0.2.1/30; }} }} }} }}\nclass-of-service {{ schedulers {{ s {{ {scheduler} }} }} scheduler-maps {{ m {{ forwarding-class best-effort scheduler s; }} }} interfaces {{ ge-0/0/1 {{ scheduler-map m; shaping-rate 500m; }} }} }}\n"
        );
        found(&text, Dialect::Junos, "JUN010")
    };
    for (scheduler, says) in [
        ("transmit-rate percent 5;", "at 500 Mbit/s: "),
        (
            "transmit-rate { percent 5; exact; }",
            "at 25 Mbit/s, to which `exact` holds it: ",
        ),
        (
            "transmit-rate 25m rate-limit;",
            "at 25 Mbit/s, to which `rate-limit` holds it: ",
        ),
        (
            "transmit-rate percent 5; shaping-rate 50m;",
            "at 50 Mbit/s, to which `shaping-rate` holds it: ",
        ),
    ] {
        let found = with(&format!("{scheduler} buffer-size temporal 500;"));
        assert!(
            found.len() == 1 && found[0].1.contains(says),
            "{scheduler} {found:?}"
        );
    }
    // A hundredth of 100 ms of the port's rate are 20 ms of a twentieth of it.
    assert_eq!(
        with("transmit-rate { percent 5; exact; } buffer-size percent 1;"),
        []
    );
}

/// 200 µs are 0.2 % of a round trip of 100 ms, and 1 % of a buffer of 100 ms is 1 ms.
#[test]
fn jun010_queues_far_below_what_is_in_flight() {
    let with = |scheduler: &str| {
        let text = format!(
            "system {{ host-name r; }}\ninterfaces {{ ge-0/0/1 {{ unit 0 {{ family inet {{ address 192.0.2.1/30; }} }} }} }}\nclass-of-service {{ schedulers {{ s {{ transmit-rate percent 50; {scheduler} }} }} scheduler-maps {{ m {{ forwarding-class best-effort scheduler s; }} }} interfaces {{ ge-0/0/1 {{ scheduler-map m; }} }} }}\n"
        );
        found(&text, Dialect::Junos, "JUN010")
    };
    for fine in [
        "",
        "buffer-size percent 20;",
        "buffer-size temporal 50000;",
        "buffer-size temporal 200; priority strict-high;",
    ] {
        assert_eq!(with(fine), [], "{fine}");
    }
    let time = with("buffer-size temporal 200;");
    assert!(
        time.len() == 1 && time[0].0 == Severity::Warning && time[0].1.contains(": 0.2 % of"),
        "{time:?}"
    );
    // The longer the queue, the more a connection gets; a port of 1 Gbit/s carries less of payload.
    let gets = |found: &[(Severity, String)]| -> f64 {
        let (_, rest) = found[0]
            .1
            .split_once("; one TCP connection gets at most about ")
            .expect("it is said");
        let (number, rest) = rest.split_once(" Mbit/s of payload").expect("a rate");
        assert!(rest.contains("slow start overflows the queue"), "{rest}");
        number.parse().expect("a number")
    };
    let short = gets(&time);
    assert!(short > 300.0 && short < 950.0, "{time:?}");
    let with_prefix = with("buffer-size temporal 1k;");
    assert!(
        with_prefix.len() == 1 && with_prefix[0].1.contains(": 1.0 % of"),
        "{with_prefix:?}"
    );
    assert!(gets(&with_prefix) >= short, "{with_prefix:?}");
    let part = with("buffer-size percent 1;");
    assert!(
        part.len() == 1 && part[0].0 == Severity::Info && part[0].1.contains("1 ms at 1 Gbit/s"),
        "{part:?}"
    );
    assert!(part[0].1.contains(": 1.0 % of"), "{part:?}");
}

/// What the channel's interface states it hands on to members that state nothing; members among themselves are alike.
#[test]
fn qos030_members_fit_their_channel() {
    let with = |whole: &str, first: &str, second: &str| {
        let member = |number: u32, lines: &str| {
            format!("interface GigabitEthernet1/{number}\n{lines} channel-group 1 mode active\n")
        };
        let text = format!(
            "version 12.2\nmls qos\ninterface Port-channel1\n switchport\n{whole}{}{}",
            member(1, first),
            member(2, second)
        );
        found(&text, Dialect::Ios, "QOS030")
            .into_iter()
            .map(|f| f.1)
            .collect::<Vec<_>>()
    };
    let trunk = " switchport mode trunk\n";
    let some = " switchport mode trunk\n switchport trunk allowed vlan 10,20\n";
    for (whole, first, second) in [
        (trunk, trunk, trunk),
        (some, some, some),
        (some, "", ""),
        ("", "", ""),
        (" mtu 9000\n", " mtu 9000\n", " mtu 9000\n"),
    ] {
        assert_eq!(
            with(whole, first, second),
            Vec::<String>::new(),
            "{whole}{first}{second}"
        );
    }
    let native = " switchport mode trunk\n switchport trunk native vlan 7\n";
    for (whole, first, second, says) in [
        (
            trunk,
            trunk,
            " switchport mode access\n",
            "its mode is not that of Port-channel1",
        ),
        (
            some,
            some,
            trunk,
            "its set of VLANs is not that of GigabitEthernet1/1",
        ),
        (
            trunk,
            trunk,
            native,
            "its native VLAN is not that of GigabitEthernet1/1",
        ),
        (
            " mtu 9000\n",
            " mtu 9000\n",
            " mtu 1500\n",
            "its MTU is not that of Port-channel1",
        ),
        (
            "",
            "",
            " ip address 192.0.2.1 255.255.255.0\n",
            "has an address of its own, which no frame reaches",
        ),
    ] {
        let said = with(whole, first, second);
        assert!(
            said.len() == 1
                && said[0].contains("GigabitEthernet1/2 is a member")
                && said[0].contains(says),
            "{whole}{first}{second}{said:?}"
        );
        // The order of members says nothing: the other one is named, and it alone.
        let turned = with(whole, second, first);
        assert!(
            turned.len() == 1
                && turned[0].contains("GigabitEthernet1/1 is a member")
                && turned[0].contains(&says.replace("1/1", "1/2")),
            "{whole}{second}{first}{turned:?}"
        );
    }
}

/// Two routers have one pair of addresses, and hosts in a VLAN one each.
#[test]
fn qos035_a_hash_of_macs_alone() {
    let routed = " no switchport\n ip address 192.0.2.1 255.255.255.252\n";
    let trunk = " switchport mode trunk\n";
    let with = |hash: &str, channel: &str, members: u32| {
        let member =
            |n: u32| format!("interface GigabitEthernet1/0/{n}\n channel-group 1 mode active\n");
        let members: String = (1..=members).map(member).collect();
        let text = format!(
            "version 16.12\nhostname r\nport-channel load-balance {hash}\ninterface Port-channel1\n{channel}{members}"
        );
        found(&text, Dialect::Ios, "QOS035")
    };
    for (channel, severity) in [(routed, Severity::Warning), (trunk, Severity::Info)] {
        let said = with("src-dst-mac", channel, 2);
        assert!(
            said.len() == 1
                && said[0].0 == severity
                && said[0]
                    .1
                    .contains("one member of channel 1 carries the whole of a routed path"),
            "{said:?}"
        );
    }
    assert_eq!(with("src-dst-ip", routed, 2), []);
    assert_eq!(with("src-mac", routed, 1), []);
    let nexus = "!Command: show running-config\nversion 7.0(3)I7(8)\nhostname n\nfeature lacp\nport-channel load-balance src-dst mac\ninterface port-channel10\n  switchport mode trunk\ninterface Ethernet1/1\n  switchport mode trunk\n  channel-group 10 mode active\ninterface Ethernet1/2\n  switchport mode trunk\n  channel-group 10 mode active\n";
    assert_eq!(found(nexus, Dialect::Ios, "QOS035").len(), 1);
}
