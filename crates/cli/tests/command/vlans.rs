//! Paths from router files whose links carry VLANs, and switches between the routers.

use std::fs;

use serde_json::Value;

use crate::farpath::farpath_in;

/// `path` of the files' document, with a round trip of 100 ms.
fn path(files: &[(&str, &str)]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let mut all = vec!["config", "check"];
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
        all.push(name);
    }
    all.extend(["--json", "--rtt", "100ms", "--memory", "512kB"]);
    let document = farpath_in(folder.path(), &all).out;
    let document: Value = serde_json::from_str(&document).expect("JSON");
    document["path"].clone()
}

fn why(files: &[(&str, &str)]) -> String {
    let path = path(files);
    assert_eq!(path["joined"], false, "{path}");
    path["why_not"].as_str().expect("a reason").to_owned()
}

/// The nodes of the way there.
fn nodes(path: &Value) -> Vec<&str> {
    let there = path["there"].as_array().unwrap_or_else(|| panic!("{path}"));
    let to = there.iter().map(|hop| hop["to"].as_str().expect("a node"));
    to.collect()
}

/// An IOS router with `part` of its port, and a port for a host.
fn ios(name: &str, part: &str, tag: &str, address: &str) -> String {
    let net = address.rsplit('.').next().expect("an address");
    format!(
        "hostname {name}\ninterface GigabitEthernet0/1\n no shutdown\ninterface GigabitEthernet0/1{part}\n{tag} ip address {address} 255.255.255.252\ninterface GigabitEthernet0/2\n ip address 198.51.10{net}.1 255.255.255.0\n"
    )
}

const TAG: &str = " encapsulation dot1Q 100\n";

/// The tag is in the frames of its link, and in the MTU of Junos as a part of the header.
#[test]
fn tagged_ends_join_where_the_tags_agree() {
    let ams = ios("ams", ".100", TAG, "192.0.2.1");
    let junos = |vlan: u16| {
        format!(
            "system {{ host-name chi; }}\ninterfaces {{\n ge-0/0/0 {{ vlan-tagging; mtu 9018; unit 7 {{ vlan-id {vlan}; family inet {{ address 192.0.2.2/30; }} }} }}\n ge-0/0/1 {{ unit 0 {{ family inet {{ address 198.51.109.1/24; }} }} }}\n}}\n"
        )
    };
    let joined = path(&[("ams.ios", &ams), ("chi.conf", &junos(100))]);
    assert_eq!(nodes(&joined), ["ams", "chi", "server"]);
    let scenario = joined["scenario"].as_str().expect("a scenario");
    assert_eq!(scenario.matches("vlan = 100").count(), 1, "{scenario}");
    assert!(scenario.contains("\"ge-0/0/0.7\""), "{scenario}");
    // 9018 bytes of frame with tag, 18 of header.
    assert_eq!(joined["back"][1]["mtu_bytes"], 9000);
    let apart = why(&[("ams.ios", &ams), ("chi.conf", &junos(101))]);
    assert!(
        apart.contains("GigabitEthernet0/1.100 of ams has tag 100 and ge-0/0/0.7 of chi tag 101"),
        "{apart}"
    );
}

const LISTING: &str = "sw#show cdp neighbors detail
-------------------------
Device ID: ams.example.net
Interface: GigabitEthernet1/1,  Port ID (outgoing port): GigabitEthernet0/1
-------------------------
Device ID: nyc
Interface: GigabitEthernet1/2,  Port ID (outgoing port): GigabitEthernet0/1
";

/// A Catalyst with a trunk to one router and an access port to the other.
fn catalyst(trunk: &str, access: u16) -> String {
    format!(
        "mls qos\nhostname sw\ninterface GigabitEthernet1/1\n switchport\n switchport mode trunk\n{trunk} mls qos trust dscp\ninterface GigabitEthernet1/2\n switchport\n switchport mode access\n switchport access vlan {access}\n wrr-queue bandwidth 99 1\n mls qos trust dscp\n"
    )
}

#[test]
fn a_catalyst_between_routers_carries_the_vlans_of_both_ports() {
    let (ams, nyc) = (
        ios("ams", ".100", TAG, "192.0.2.1"),
        ios("nyc", "", "", "192.0.2.2"),
    );
    let files = |switch: &str| {
        path(&[
            ("ams.ios", &ams),
            ("nyc.ios", &nyc),
            ("sw.ios", switch),
            ("cdp.txt", LISTING),
        ])
    };
    let joined = files(&catalyst("", 100));
    assert_eq!(nodes(&joined), ["ams", "sw", "nyc", "server"], "{joined}");
    let scenario = joined["scenario"].as_str().expect("a scenario");
    // One link is tagged; the port to nyc has queues of its own.
    assert_eq!(scenario.matches("vlan = 100").count(), 1, "{scenario}");
    assert_eq!(
        scenario.matches("memory = \"512000 B\"").count(),
        1,
        "{scenario}"
    );
    for (switch, part) in [
        (
            catalyst(" switchport trunk allowed vlan 1-99\n", 100),
            "GigabitEthernet1/1 of sw takes no frames with tag 100",
        ),
        (
            catalyst("", 7),
            "GigabitEthernet1/2 of sw does not carry VLAN 100",
        ),
    ] {
        let refused = files(&switch);
        let why = refused["why_not"]
            .as_str()
            .unwrap_or_else(|| panic!("{refused}"));
        assert!(why.contains(part), "{why}");
    }
    let switch = catalyst("", 100);
    let unknown = why(&[("ams.ios", &ams), ("nyc.ios", &nyc), ("sw.ios", &switch)]);
    assert!(unknown.contains("show lldp neighbors detail"), "{unknown}");
}

/// Without a listing, the names of the ports say where they lead.
#[test]
fn a_catos_switch_is_joined_by_the_names_of_its_ports() {
    let (ams, nyc) = (
        ios("ams", ".100", TAG, "192.0.2.1"),
        ios("nyc", "", "", "192.0.2.2"),
    );
    let switch = |trunk: &str, name: &str| {
        format!(
            "set system name sw\nset qos enable\nset qos wrr 2q2t 5 255\nset vlan 100 3/2\nset port speed 3/1-2 1000\nset port name 3/1 to ams Gi0/1\nset port name 3/2 {name}\n{trunk}"
        )
    };
    let files = |switch: &str| path(&[("ams.ios", &ams), ("nyc.ios", &nyc), ("sw.txt", switch)]);
    let joined = files(&switch("set trunk 3/1 on dot1q 1-1005\n", "to nyc Gi0/1"));
    assert_eq!(nodes(&joined), ["ams", "sw", "nyc", "server"], "{joined}");
    let scenario = joined["scenario"].as_str().expect("a scenario");
    assert_eq!(scenario.matches("vlan = 100").count(), 1, "{scenario}");
    assert_eq!(scenario.matches("memory").count(), 2, "{scenario}");
    let cleared = "clear trunk 3/1 2-1005\nset trunk 3/1 on dot1q 1\n";
    for (switch, part) in [
        (
            switch(cleared, "to nyc Gi0/1"),
            "3/1 of sw takes no frames with tag 100",
        ),
        // nyc has two ports, and neither says that it leads to the switch.
        (
            switch("set trunk 3/1 on dot1q 1-1005\n", "to nyc"),
            "what is said of 3/2 of sw names nyc, and not which port of it",
        ),
    ] {
        let refused = files(&switch);
        let why = refused["why_not"]
            .as_str()
            .unwrap_or_else(|| panic!("{refused}"));
        assert!(why.contains(part), "{why}");
    }
}
