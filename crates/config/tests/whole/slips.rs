//! Slips of the keyboard and of the mind in configurations of IOS and NX-OS: each was accepted without a word.

use farpath_config::{Dialect, Severity};

use crate::{at_lines, checked};

/// A router of IOS-XE whose text is as it should be.
const ROUTER: &str = "version 17.3
hostname edge
class-map match-any VOICE
 match dscp ef
 match access-group name CUST
policy-map WAN
 class VOICE
  priority percent 10
 class class-default
  fair-queue
policy-map SHAPE
 class class-default
  shape average 500000000
  service-policy WAN
interface GigabitEthernet0/0/0
 ip address 62.40.124.10 255.255.255.252
 ipv6 address 2001:db8::2/126
 service-policy output SHAPE
interface GigabitEthernet0/0/1
 ip address 193.2.20.1 255.255.255.0
 ip access-group CUST in
 ip policy route-map OUT
 duplex full
 speed 1000
ip access-list extended CUST
 remark permit 10.0.0.0 255.255.255.0
 permit ip 193.2.20.0 0.0.0.255 any
 permit ip host 193.2.21.1 224.0.0.0 15.255.255.255
 permit icmp any any
ip prefix-list ALL seq 5 permit 0.0.0.0/0 le 32
route-map OUT permit 10
 match ip address CUST
 match ip address prefix-list ALL
router bgp 65000
 neighbor 62.40.124.9 description the route-map of old
 neighbor 62.40.124.9 route-map OUT out
 neighbor 62.40.124.9 prefix-list ALL in
line vty 0 4
 access-class 10 in
access-list 10 permit 192.0.2.0 0.0.0.255
end
";

/// A Nexus whose text is as it should be.
const NEXUS: &str = "!Command: show running-config
version 9.3(7)
hostname leaf
feature bgp
feature lacp
policy-map type network-qos jumbo
  class type network-qos class-default
    mtu 9216
system qos
  service-policy type network-qos jumbo
  service-policy type queuing output default-out-policy
vlan 1,100
interface Ethernet1/1
  switchport access vlan 100
interface Ethernet1/2
  switchport mode trunk
  switchport trunk allowed vlan 100
interface Ethernet1/49
  no switchport
  ip address 62.40.125.2/30
  ipv6 address 2001:db8::2/127
route-map ALL permit 10
router bgp 65000
  neighbor 62.40.125.1
    address-family ipv4 unicast
      route-map ALL in
";

/// What is found once `old` of a text is `new`: rule, severity and words, of the line that has `new`.
fn slipped(text: &str, old: &str, new: &str, wanted: (&str, Severity, &str)) {
    assert!(text.contains(old), "{old}");
    let sound = checked(text, Dialect::Ios);
    assert_eq!(sound.findings, [], "{text}");
    let text = text.replacen(old, new, 1);
    let report = checked(&text, Dialect::Ios);
    let (rule, severity, words) = wanted;
    let found = at_lines(&report, &text, rule);
    let fits = |f: &(usize, Severity, String)| f.1 == severity && f.2.contains(words);
    assert!(found.iter().any(fits), "{new}: {:#?}", report.findings);
    let first = new.lines().next().unwrap_or_default();
    let line = text.lines().position(|l| l.contains(first)).map(|l| l + 1);
    assert_eq!(found.first().map(|f| f.0), line, "{new}");
}

/// Source: Cisco, NX-OS configuration guides: each protocol and kind of interface asks for its feature first.
#[test]
fn features_of_nx_os_that_are_not_on_are_found() {
    let said = |text: &str| at_lines(&checked(text, Dialect::Ios), text, "IOS012");
    assert_eq!(said(NEXUS), []);
    for (more, feature) in [
        ("interface Vlan100\n  no shutdown\n", "interface-vlan"),
        ("router ospf 1\n", "ospf"),
        ("vpc domain 1\n", "vpc"),
    ] {
        let text = format!("{NEXUS}{more}");
        let found = said(&text);
        let needs = format!("needs `feature {feature}`");
        assert!(
            found.len() == 1 && found[0].1 == Severity::Error && found[0].2.contains(&needs),
            "{more}: {found:?}"
        );
        let on = format!("feature bgp\nfeature {feature}\n");
        assert_eq!(said(&text.replacen("feature bgp\n", &on, 1)), [], "{more}");
    }
    let channel = format!("{NEXUS}interface Ethernet1/3\n  channel-group 10 mode active\n");
    assert_eq!(said(&channel), []);
    let found = said(&channel.replacen("feature lacp\n", "", 1));
    assert!(
        found[0].2.contains("`channel-group 10 mode active`"),
        "{found:?}"
    );
    // A text without any may be a part of one.
    let found = said("!Command: show running-config\ninterface Vlan10\n  no shutdown\n");
    assert!(
        found.len() == 1 && found[0].1 == Severity::Warning,
        "{found:?}"
    );
}

#[test]
fn names_that_nothing_defines_are_found() {
    let warned = |words| ("IOS009", Severity::Warning, words);
    for (old, new, words) in [
        (
            " ip access-group CUST in",
            " ip access-group CUSTOMER in",
            "access list `CUSTOMER` is not defined: every packet passes",
        ),
        (
            "access-group name CUST",
            "access-group name CUTS",
            "access list `CUTS` is not defined",
        ),
        (
            " access-class 10 in",
            " access-class 11 in",
            "access list `11` is not defined: every address passes",
        ),
        (
            " match ip address CUST",
            " match ip address CSUT",
            "access list `CSUT`",
        ),
        (
            "policy route-map OUT",
            "policy route-map OTU",
            "route map `OTU`",
        ),
        ("route-map OUT out", "route-map TUO out", "route map `TUO`"),
        (
            "prefix-list ALL in",
            "prefix-list AL in",
            "prefix list `AL` is not defined: every prefix passes",
        ),
        (
            "address prefix-list ALL",
            "address prefix-list LL",
            "prefix list `LL`",
        ),
    ] {
        slipped(ROUTER, old, new, warned(words));
    }
    let map = "route map `AL` is not defined";
    slipped(NEXUS, "route-map ALL in", "route-map AL in", warned(map));
    let vlan = "VLAN 101 of Ethernet1/1 is not defined";
    slipped(NEXUS, "access vlan 100", "access vlan 101", warned(vlan));
    let policy = (
        "QOS012",
        Severity::Warning,
        "policy map jumbbo of `system qos` is not defined",
    );
    let (old, new) = (
        "network-qos jumbo\n  service",
        "network-qos jumbbo\n  service",
    );
    slipped(NEXUS, old, new, policy);
}

/// A class map within another one is used by it.
#[test]
fn class_maps_of_class_maps_are_followed() {
    let text = "class-map match-any INNER
 match dscp ef
class-map match-any OUTER
 match class-map INNER
policy-map P
 class OUTER
  priority percent 10
";
    let report = checked(text, Dialect::Ios);
    assert_eq!(at_lines(&report, text, "QOS012"), []);
    let text = text.replace("match class-map INNER", "match class-map INNRE");
    let found = at_lines(&checked(&text, Dialect::Ios), &text, "QOS012");
    let words: Vec<&str> = found.iter().map(|f| f.2.as_str()).collect();
    assert_eq!(
        words,
        [
            "class map INNER is used by no policy",
            "class map INNRE, which class map OUTER matches, is not defined",
        ]
    );
}

#[test]
fn misspelt_words_are_found() {
    for (text, old, new, word) in [
        (ROUTER, " duplex full", " duplex fulll", "fulll"),
        (ROUTER, " speed 1000", " speed autoo", "autoo"),
        (ROUTER, "CUST in", "CUST inn", "inn"),
        (ROUTER, "shape average", "shape averge", "averge"),
        (ROUTER, "match dscp ef", "match dcsp ef", "dcsp"),
        (
            ROUTER,
            "service-policy output",
            "service-policy ouptut",
            "ouptut",
        ),
        (NEXUS, "switchport access", "switchport acces", "acces"),
        (NEXUS, "mode trunk", "mode trnuk", "trnuk"),
    ] {
        let words = format!("`{word}` is not a word of this command");
        // The beginning of a word is the word.
        if word == "acces" {
            let text = text.replacen(old, new, 1);
            assert_eq!(at_lines(&checked(&text, Dialect::Ios), &text, "IOS010"), []);
            continue;
        }
        slipped(text, old, new, ("IOS010", Severity::Error, words.as_str()));
    }
    let text =
        "mls qos\ninterface GigabitEthernet1/1\n mls qos trust dcsp\n switchport mode acess\n";
    let report = checked(text, Dialect::Ios);
    let remedies = report.findings.iter().filter(|f| f.rule == "IOS010");
    let remedies: Vec<_> = remedies.flat_map(|f| f.remedies.clone()).collect();
    assert_eq!(remedies, ["write `dscp`", "write `access`"]);
}

#[test]
fn rates_and_vlans_out_of_range_are_found() {
    let refused = |words| ("IOS003", Severity::Error, words);
    let slow = "a rate of 500 bit/s is out of range: 8000 is the least";
    slipped(ROUTER, "average 500000000", "average 500", refused(slow));
    let vlans = "`5000` is not a list of VLANs";
    slipped(
        NEXUS,
        "allowed vlan 100",
        "allowed vlan 5000",
        refused(vlans),
    );
    // A policer of packets counts no bits, and units count others.
    for (first, police, count) in [
        ("version 17.3", "police 500 8000", 1),
        ("version 17.3", "police rate 500 pps burst 50 packets", 0),
        ("version 17.3", "police cir 8000 bc 8000", 0),
        ("!! IOS XR Configuration 7.5.2", "police rate 500 mbps", 0),
    ] {
        let text = format!("{first}\npolicy-map P\n class class-default\n  {police}\n");
        let found = at_lines(&checked(&text, Dialect::Ios), &text, "IOS003");
        assert_eq!(found.len(), count, "{text}: {found:?}");
    }
}

/// A Nexus takes 9216 bytes at most; what other machines take differs, up to what a datagram may have.
#[test]
fn the_mtu_of_a_nexus_has_its_limit() {
    for (first, mtu, count) in [
        ("feature lacp\ninterface Ethernet1/1", 9216, 0),
        ("feature lacp\ninterface Ethernet1/1", 9999, 1),
        ("version 17.3\ninterface GigabitEthernet0/0/1", 9999, 0),
    ] {
        let text = format!("{first}\n mtu {mtu}\n");
        let found = at_lines(&checked(&text, Dialect::Ios), &text, "IOS003");
        assert_eq!(found.len(), count, "{text}: {found:?}");
    }
}

/// A wildcard has ones where any bit will do: of 193.2.20.0 with the mask of its subnet nothing is left but the last byte.
#[test]
fn masks_and_wildcards_are_told_apart() {
    let wildcard = (
        "IOS011",
        Severity::Warning,
        "`CUST` has `193.2.20.0 255.255.255.0`",
    );
    let (old, new) = ("193.2.20.0 0.0.0.255", "193.2.20.0 255.255.255.0");
    slipped(ROUTER, old, new, wildcard);
    let refused = |words| ("NET003", Severity::Error, words);
    for (text, old, new, words) in [
        (
            ROUTER,
            "10 255.255.255.252",
            "10 255.255.255.253",
            "`255.255.255.253` is not a mask",
        ),
        (
            ROUTER,
            "10 255.255.255.252",
            "10 0.0.0.3",
            "`0.0.0.3` is not a mask",
        ),
        (ROUTER, "::2/126", "::2/129", "at most 128 bits"),
        (NEXUS, "125.2/30", "125.2/33", "at most 32 bits"),
        (NEXUS, "::2/127", "::2/130", "at most 128 bits"),
    ] {
        slipped(text, old, new, refused(words));
    }
}
