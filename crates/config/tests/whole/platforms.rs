//! IOS texts of several machines: judged as what they are.

use farpath_config::qos::{Options, Share};
use farpath_config::{Dialect, Platform, Report, Source, Status, check_with, json, render};

use crate::source;

fn checked(text: &str, platform: Option<Platform>) -> (Vec<Source>, Report) {
    let sources = vec![source("r.cfg", text)];
    let options = Options {
        platform,
        ..Options::default()
    };
    let report = check_with(&sources, &[Some(Dialect::Ios)], &options);
    (sources, report)
}

fn rules(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|f| &*f.rule).collect()
}

/// The edge of an ASR 1000: nothing in it is wrong there.
const ASR: &str = "version 16.9
hostname edge
platform qfp utilization monitor load 80
class-map match-any voice
 match dscp ef
policy-map out
 class voice
  police 1000000000 12500000 conform-action transmit exceed-action drop
interface TenGigabitEthernet0/0/0
 mtu 9000
 service-policy input out
 service-policy output out
end
";

#[test]
fn a_router_is_not_judged_as_a_switch() {
    let (sources, report) = checked(ASR, None);
    assert_eq!(report.files[0].platform, Some(Platform::IosXe));
    assert_eq!(rules(&report), Vec::<&str>::new(), "{:?}", report.findings);
    let text = render::text(&report, &sources, false);
    assert!(
        text.contains("r.cfg: ios (IOS-XE router), read whole"),
        "{text}"
    );
    assert!(json::document(&report, &sources).contains("\"platform\": \"ios-xe\""));
    // On a Catalyst 6500 the same text lacks `mls qos`, and its cards act on what arrives.
    let (_, report) = checked(ASR, Some(Platform::Catalyst6500));
    let found = rules(&report);
    assert!(
        found.contains(&"QOS001") && found.contains(&"QOS012"),
        "{found:?}"
    );
    let (_, report) = checked(ASR, Some(Platform::Catalyst));
    let found = rules(&report);
    assert!(
        found.contains(&"QOS001") && !found.contains(&"QOS012"),
        "{found:?}"
    );
}

/// An edge of IOS XR, as `show running-config` has it.
const XR: &str = "RP/0/RSP0/CPU0:edge#show running-config
Mon Nov 23 10:00:00.123 UTC
Building configuration...
!! IOS XR Configuration 7.5.2
!! Last configuration change at Mon Nov 23 09:00:00 2026 by noc
!
hostname edge
logging buffered 10000000
class-map match-any VOICE
 match dscp ef
 end-class-map
!
class-map match-any GROUP
 match qos-group 3
 end-class-map
!
policy-map CHILD
 class VOICE
  priority level 1
  police rate 100 mbps burst 1250 kbytes
   conform-action transmit
   exceed-action drop
  !
 !
 class GROUP
  bandwidth remaining percent 40
  random-detect default
 !
 class class-default
 !
 end-policy-map
!
policy-map PARENT
 class class-default
  service-policy CHILD
  shape average 2 gbps
 !
 end-policy-map
!
interface Bundle-Ether10
 description core
 mtu 9192
 service-policy output PARENT
 ipv4 address 192.0.2.1 255.255.255.252
 ipv6 address 2001:db8::1/64
 bundle minimum-active links 1
!
interface TenGigE0/0/0/0
 bundle id 10 mode active
 carrier-delay up 100 down 0
!
interface TenGigE0/0/0/1
 bundle id 10 mode active
!
interface HundredGigE0/0/1/0
 mtu 9014
 ipv4 address 198.51.100.1/24
!
interface HundredGigE0/0/1/0.100
 encapsulation dot1q 100
 ipv4 address 203.0.113.1 255.255.255.0
!
route-policy PASS
  pass
end-policy
!
router static
 address-family ipv4 unicast
  0.0.0.0/0 192.0.2.2
 !
!
end
";

#[test]
fn ios_xr_is_read_whole() {
    let (sources, report) = checked(XR, None);
    let file = &report.files[0];
    let text = render::text(&report, &sources, false);
    assert_eq!(file.platform, Some(Platform::IosXr));
    assert_eq!(file.status(), Status::Passed, "{text}");
    assert_eq!(rules(&report), Vec::<&str>::new(), "{text}");
    let device = &report.devices[0];
    let child = &device.policy_maps[0].classes[0];
    let police = child.police.as_ref().expect("a policer").value;
    assert_eq!(
        (police.rate.as_bps(), police.burst.as_bytes()),
        (100_000_000, 1_250_000)
    );
    let shape = device.policy_maps[1].classes[0]
        .shape
        .as_ref()
        .expect("a shaper");
    assert_eq!(shape.value.0.as_bps(), 2_000_000_000);
    // What `mtu` counts of the frame is not the packet's.
    let mtu = |name: &str| {
        let interface = device.interface(name).expect("an interface");
        (
            interface.mtu.expect("stated").value,
            interface.addresses[0].value.1,
        )
    };
    assert_eq!(mtu("Bundle-Ether10"), (9178, 30));
    assert_eq!(mtu("HundredGigE0/0/1/0"), (9000, 24));
    assert_eq!(mtu("HundredGigE0/0/1/0.100"), (9000, 24));
}

#[test]
fn ios_xr_is_judged_by_its_own_rules() {
    let with = |old: &str, new: &str| {
        assert!(XR.contains(old), "{old}");
        let (_, report) = checked(&XR.replacen(old, new, 1), None);
        let found = report.findings.into_iter();
        found
            .map(|f| format!("{} {}", f.rule, f.text))
            .collect::<Vec<_>>()
    };
    for (old, new, says) in [
        (
            "mtu 9014",
            "mtu 9000",
            "QOS022 `mtu 9000` of HundredGigE0/0/1/0 counts 14 bytes",
        ),
        (
            "burst 1250 kbytes",
            "burst 2 kbytes",
            "QOS011 class VOICE: a burst of 2000 B",
        ),
        (
            "shape average 2 gbps",
            "shape average 50 mbps",
            "QOS012 class VOICE: `police` at 100 Mbit/s",
        ),
        (
            "service-policy CHILD",
            "service-policy CHLID",
            "QOS012 policy map CHLID",
        ),
        (
            "id 10 mode active\n!\ninterface Hun",
            "id 10\n!\ninterface Hun",
            "QOS025 TenGigE0/0/0/0",
        ),
        ("dscp ef", "dscp ef\n match dscp cs9", "IOS003"),
    ] {
        let found = with(old, new);
        assert!(
            found.iter().any(|f| f.starts_with(says)),
            "{new}: {found:?}"
        );
    }
}

/// A Nexus, as `show running-config` has it.
const NXOS: &str = "!Command: show running-config
!Running configuration last done at: Mon Nov 23 10:00:00 2026
version 9.3(8) Bios:version 07.69
hostname leaf
vdc leaf id 1
  limit-resource vlan minimum 16 maximum 4094
feature lacp
feature vpc
system jumbomtu 9216
ip access-list BACKUP
  10 permit tcp any any eq 10000
class-map type qos match-any VOICE
  match dscp 46
class-map type qos match-all BACKUP
  match access-group name BACKUP
class-map type queuing match-any c-out-8q-q1
  match qos-group 1
policy-map type qos MARK
  class VOICE
    set qos-group 1
  class BACKUP
    police cir 2 gbps bc 32 mbytes conform transmit violate drop
policy-map type queuing OUT
  class type queuing c-out-8q-q1
    priority level 1
  class type queuing c-out-8q-q-default
    bandwidth remaining percent 100
    shape min 0 gbps max 5 gbps
policy-map type network-qos JUMBO
  class type network-qos class-default
    mtu 9216
system qos
  service-policy type network-qos JUMBO
vlan 1,10,20
vrf context management
  ip route 0.0.0.0/0 10.0.0.254
vpc domain 1
  peer-keepalive destination 10.0.0.2
interface port-channel10
  switchport mode trunk
  switchport trunk allowed vlan 10,20
  mtu 9216
  vpc 10
interface Ethernet1/1
  switchport mode trunk
  switchport trunk allowed vlan 10,20
  mtu 9216
  channel-group 10 mode active
interface Ethernet1/2
  no switchport
  mtu 9216
  speed 10000
  ip address 192.0.2.2/30
  service-policy type qos input MARK
  service-policy type queuing output OUT
  no shutdown
interface mgmt0
  vrf member management
  ip address 10.0.0.1/24
line console
boot nxos bootflash:/nxos.9.3.8.bin
";

#[test]
fn nx_os_is_read_whole_and_judged() {
    let (sources, report) = checked(NXOS, None);
    let text = render::text(&report, &sources, false);
    assert_eq!(report.files[0].platform, Some(Platform::NxOs));
    assert_eq!(report.files[0].status(), Status::Passed, "{text}");
    assert_eq!(rules(&report), Vec::<&str>::new(), "{text}");
    let device = &report.devices[0];
    let police = device.policy_maps[0].classes[1]
        .police
        .as_ref()
        .expect("a policer")
        .value;
    assert_eq!(
        (police.rate.as_bps(), police.burst.as_bytes()),
        (2_000_000_000, 32_000_000)
    );
    let port = device.interface("Ethernet1/2").expect("a port");
    assert_eq!(port.mtu.expect("stated").value, 9216);
    assert_eq!(port.addresses[0].value.1, 30);
    assert_eq!(port.services.len(), 2);
    for (old, new, says) in [
        ("bc 32 mbytes", "bc 200 kbytes", "QOS011 class BACKUP"),
        (
            "percent 100\n",
            "percent 100\n  class type queuing c-out-8q-q2\n    bandwidth remaining percent 20\n",
            "QOS024",
        ),
        (
            "allowed vlan 10,20\n  mtu 9216\n  vpc",
            "allowed vlan 10\n  mtu 9216\n  vpc",
            "QOS030 Ethernet1/1",
        ),
        (
            "max 5 gbps",
            "max 50 gbps",
            "QOS012 class c-out-8q-q-default",
        ),
        ("qos input MARK", "qos input MRAK", "QOS012 policy map MRAK"),
        // Without a mode it is `on`.
        (
            "interface Ethernet1/2\n  no switchport\n  mtu 9216\n",
            "interface Ethernet1/3\n  switchport mode trunk\n  switchport trunk allowed vlan 10,20\n  mtu 9216\n  channel-group 10\ninterface Ethernet1/2\n  no switchport\n  mtu 9216\n",
            "QOS025 Ethernet1/1",
        ),
    ] {
        assert!(NXOS.contains(old), "{old}");
        let (_, report) = checked(&NXOS.replacen(old, new, 1), None);
        let found = report
            .findings
            .iter()
            .map(|f| format!("{} {}", f.rule, f.text));
        let found: Vec<String> = found.collect();
        assert!(
            found.iter().any(|f| f.starts_with(says)),
            "{new}: {found:?}"
        );
    }
}

#[test]
fn lists_maps_and_classes_of_nx_os_are_no_faults() {
    let text = "!Command: show running-config\nswitchname n5k\nfeature lacp\nclass-map type qos class-fcoe\nclass-map type qos match-any BULK\n  match dscp 8,10\n  match cos 1-2\npolicy-map type qos IN\n  class BULK\n    police cir 1 gbps bc 10 mbytes pir 2 gbps be 20 mbytes conform transmit exceed set dscp dscp table cir-markdown-map violate drop\ninterface Ethernet1/1\n  service-policy type qos input IN\n";
    let (sources, report) = checked(text, None);
    let shown = render::text(&report, &sources, false);
    assert_eq!(report.files[0].status(), Status::Passed, "{shown}");
    assert_eq!(rules(&report), Vec::<&str>::new(), "{shown}");
    assert_eq!(report.devices[0].name.as_deref(), Some("n5k"));
    let matches = &report.devices[0].class_maps[1].matches;
    let matches: Vec<String> = matches.iter().map(|m| m.value.to_string()).collect();
    assert_eq!(matches, ["dscp 8 10", "cos 1 2"]);
}

/// Members of a channel that differ: in what is said.
#[test]
fn qos018_says_in_what_members_differ() {
    let member = |n: u8, more: &str| {
        format!("interface TenGigabitEthernet0/0/{n}\n{more} channel-group 10 mode active\n")
    };
    let with = |more: &str| {
        let text = format!(
            "version 17.3\nplatform qfp x\n{}{}",
            member(0, " mtu 9000\n"),
            member(1, more)
        );
        let (_, report) = checked(&text, None);
        let found = report.findings.into_iter().filter(|f| f.rule == "QOS018");
        found.map(|f| f.text).collect::<Vec<_>>()
    };
    assert_eq!(with(" mtu 9000\n"), Vec::<String>::new());
    let said = with("");
    assert!(
        said[0].ends_with("differ in MTU, 9000 and 1500"),
        "{said:?}"
    );
    let said = with(" speed 1000\n");
    assert!(said[0].ends_with("differ in speed and MTU"), "{said:?}");
}

#[test]
fn a_file_without_a_statement_has_not_passed() {
    for text in ["", "\n\n", "! nothing but a note\n"] {
        for dialect in Dialect::ALL {
            let report = crate::checked(text, dialect);
            assert_ne!(
                report.files[0].status(),
                Status::Passed,
                "{dialect} {text:?}"
            );
        }
    }
}

/// What `show running-config` of an IOS-XE router holds of the modular command line of QoS.
const XE: &str = "edge#show running-config
Building configuration...

Current configuration : 5312 bytes
!
version 17.6
platform qfp utilization monitor load 80
hostname edge
class-map match-any voice
 match dscp ef
class-map match-any bulk
 match dscp af11 af12
class-map match-any scav
 match dscp cs1
policy-map child
 class voice
  priority level 1
  police cir percent 10
  set mpls experimental imposition 5
 class bulk
  bandwidth remaining ratio 1
  queue-limit 64 packets
  random-detect dscp-based
  random-detect dscp 10 24 40 10
  fair-queue
 class scav
  bandwidth remaining percent 1
  police rate percent 10 burst 100 ms
   conform-action transmit
   exceed-action drop
  set qos-group 4
 class class-default
  fair-queue
  queue-limit 100 ms
policy-map parent
 class class-default
  shape average 500000000 account user-defined 4
  service-policy child
policy-map flat
 class voice
  priority percent 30
 class bulk
  bandwidth percent 60
  shape average percent 70
 class scav
  bandwidth 100000
  police cir 100m bc 200 ms conform-action set-mpls-exp-imposition-transmit 1 exceed-action drop violate-action drop
  queue-buffers ratio 10
 class class-default
  shape average 10.5m
  police rate 1000 pps
interface TenGigabitEthernet0/0/0
 mtu 9216
 service-policy output parent
interface TenGigabitEthernet0/0/1
 service-policy output flat
end
";

#[test]
fn classes_of_ios_xe_are_read_whole() {
    let (sources, report) = checked(XE, None);
    assert_eq!(rules(&report), Vec::<&str>::new(), "{:?}", report.findings);
    let text = render::text(&report, &sources, false);
    assert!(
        text.contains("r.cfg: ios (IOS-XE router), read whole"),
        "{text}"
    );
    assert_eq!(report.files[0].unused, []);
    let policy = |name: &str| {
        let mut all = report.devices[0].policy_maps.iter();
        &all.find(|p| p.name == name).expect("a policy").classes
    };
    let flat = policy("flat");
    let police = flat[2].police.as_ref().expect("a policer").value;
    assert_eq!(
        (police.rate.as_bps(), police.burst.as_bytes()),
        (100_000_000, 2_500_000)
    );
    let shape = flat[3].shape.as_ref().expect("a shaper").value;
    assert_eq!(shape.0.as_bps(), 10_500_000);
    let kept = |class: &farpath_config::qos::Class| class.bandwidth.as_ref().map(|b| b.value);
    assert_eq!(kept(&policy("child")[1]), Some(Share::RemainingRatio(1)));
    assert_eq!(kept(&policy("child")[2]), Some(Share::RemainingPercent(1)));
    assert_eq!(kept(&flat[1]), Some(Share::Percent(60)));
    // What the checks read of a percentage, a run does not.
    let idle: Vec<&str> = report.files[0]
        .without_effect
        .iter()
        .map(|p| &XE[p.span.clone()])
        .collect();
    for line in ["police cir percent 10", "shape average percent 70"] {
        assert!(idle.contains(&line), "{idle:?}");
    }
}

/// Sums that a router refuses: 60 and 41; of the rest 60 and 50.
#[test]
fn qos024_shares_above_the_whole() {
    let with = |a: &str, b: &str| {
        let text = format!(
            "version 17.6\nplatform qfp x\nclass-map match-any a\n match dscp ef\nclass-map match-any b\n match dscp 8\npolicy-map P\n class a\n  {a}\n class b\n  {b}\n"
        );
        let (_, report) = checked(&text, None);
        let found = report.findings.into_iter();
        found
            .map(|f| format!("{} {}", f.rule, f.text))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        with("priority percent 60", "bandwidth percent 41"),
        ["QOS024 policy map P: with the 41 % of class b its classes keep 101 %"]
    );
    assert_eq!(
        with(
            "bandwidth remaining percent 60",
            "bandwidth remaining percent 50"
        ),
        [
            "QOS024 policy map P: with the 50 % of class b its classes keep 110 % of what the others leave"
        ]
    );
    for (a, b) in [
        ("priority percent 60", "bandwidth percent 40"),
        ("priority percent 60", "bandwidth remaining percent 60"),
        (
            "bandwidth remaining ratio 60",
            "bandwidth remaining ratio 60",
        ),
    ] {
        assert_eq!(with(a, b), Vec::<String>::new());
    }
    assert_eq!(
        with("service-policy Q", "priority"),
        ["QOS012 policy map Q of class a is not defined"]
    );
}

/// 1 % of 10 Gbit/s in a bucket of 1 ms is a twentieth of what 20 ms bring.
#[test]
fn a_policer_in_percent_is_judged_where_the_port_is_known() {
    let text = "version 17.6\nplatform qfp x\npolicy-map P\n class class-default\n  police cir percent 1 bc 1 ms\ninterface TenGigabitEthernet0/0/0\n service-policy input P\n";
    let source = source("r.cfg", text);
    let options = Options {
        rtt: Some(farpath_units::Duration::from_ms(20)),
        rate: farpath_units::Rate::from_bps(1_000_000_000),
        ..Options::default()
    };
    let report = check_with(&[source], &[Some(Dialect::Ios)], &options);
    assert_eq!(
        rules(&report),
        ["QOS011", "QOS023"],
        "{:?}",
        report.findings
    );
    let said = &report.findings[1].text;
    assert_eq!(
        said,
        "class class-default, 1 % of 10 Gbit/s: a policer of 100.0 Mbit/s, of the 1.0 Gbit/s that are planned"
    );
}

/// Catalysts with IOS XE trust marks by default, and have no `mls qos`: nothing in this is wrong.
#[test]
fn switches_with_ios_xe_trust_marks() {
    for first in [
        "version 17.6\nlicense boot level network-advantage addon dna-advantage\nswitch 1 provision c9300-48u",
        "version 16.12\nswitch 1 provision ws-c3850-48t",
        "switch 2 provision c9200l-24p-4x",
    ] {
        let text = format!(
            "{first}
class-map match-any VOICE
 match dscp ef
policy-map OUT
 class VOICE
  priority level 1
 class class-default
  bandwidth remaining percent 50
interface GigabitEthernet1/0/1
 switchport access vlan 100
 switchport mode access
 service-policy output OUT
interface TenGigabitEthernet1/1/1
 no switchport
 ip address 192.0.2.1 255.255.255.252
 service-policy output OUT
end
"
        );
        let (_, report) = checked(&text, None);
        assert_eq!(report.files[0].platform, Some(Platform::CatalystXe));
        assert_eq!(rules(&report), Vec::<&str>::new(), "{:?}", report.findings);
    }
}

/// What comes in by a port that sends no unreachables, and does not fit a tunnel, vanishes. It does not where segments are lowered, and
/// nothing for the tunnel comes in by what carries it.
#[test]
fn no_unreachables_before_a_tunnel_are_found() {
    let found = |port: &str, carrier: &str, tunnel: &str| {
        let text = format!(
            "version 15.2\ninterface GigabitEthernet0/0\n ip address 192.0.2.1 255.255.255.0\n{port}\ninterface GigabitEthernet0/1\n ip address 198.51.100.1 255.255.255.0\n{carrier}\ninterface Tunnel0\n ip address 203.0.113.1 255.255.255.252\n{tunnel} tunnel source GigabitEthernet0/1\n tunnel destination 198.51.100.9\nend\n"
        );
        let (_, report) = checked(&text, None);
        let of_answers = report.findings.iter().filter(|f| f.rule == "IOS008");
        let said: Vec<String> = of_answers.map(|f| f.text.clone()).collect();
        // What a finding is about is not listed without effect beside it.
        let mut idle = report.files[0].without_effect.iter();
        let listed = idle.any(|p| text[p.span.clone()].contains("ip unreachables"));
        assert_eq!(listed, text.contains("ip unreachables") && said.is_empty());
        said
    };
    let (off, on) = (" no ip unreachables", "!");
    let said = found(off, on, " ip mtu 1400\n");
    assert!(
        said.len() == 1 && said[0].starts_with("GigabitEthernet0/0 sends no answer"),
        "{said:?}"
    );
    assert!(said[0].contains("Tunnel0 takes 1400 B"), "{said:?}");
    for (port, carrier, tunnel) in [
        (on, on, " ip mtu 1400\n"),
        (on, off, " ip mtu 1400\n"),
        (off, on, " tunnel mode mpls traffic-eng\n"),
        (off, on, " ip mtu 1400\n ip tcp adjust-mss 1360\n"),
    ] {
        let said = found(port, carrier, tunnel);
        assert_eq!(said.len(), 0, "{port}{carrier}{tunnel}: {said:?}");
    }
    // By default GRE leaves 24 B less than its outer interface takes (RFC 2784), and 28 with a key.
    for (tunnel, takes) in [("", "1476 B"), (" tunnel key 7\n", "1472 B")] {
        let said = found(off, on, tunnel);
        assert!(said.len() == 1 && said[0].contains(takes), "{said:?}");
    }
    // Larger segments than fit help nobody.
    let said = found(off, on, " ip mtu 1400\n ip tcp adjust-mss 1400\n");
    assert_eq!(said.len(), 1, "{said:?}");
}

/// An access list of an interface that takes the routers' answers away, by an entry or because nothing in it is of them. One that is used
/// nowhere, or lets these answers through, is as it should be.
#[test]
fn access_lists_that_deny_icmp_are_found() {
    let found = |lists: &str, used: &str| {
        let text = format!("version 15.2\ninterface GigabitEthernet0/0\n{used}\n{lists}\nend\n");
        let (_, report) = checked(&text, None);
        let of_lists = report.findings.iter().filter(|f| f.rule == "IOS008");
        of_lists.map(|f| f.text.clone()).collect::<Vec<_>>()
    };
    let named = "ip access-list extended EDGE\n";
    for (lists, used, count) in [
        (
            " deny icmp any any\n permit ip any any",
            " ip access-group EDGE in",
            1,
        ),
        (
            " 10 deny icmp any any log\n 20 permit ip any any",
            " ip access-group EDGE in",
            1,
        ),
        (
            " deny icmp any host 192.0.2.7\n permit ip any any",
            " ip access-group EDGE in",
            1,
        ),
        (
            " deny icmp any any unreachable\n permit ip any any",
            " ip access-group EDGE out",
            1,
        ),
        (
            " permit tcp any any\n permit udp any any",
            " ip access-group EDGE in",
            1,
        ),
        (" deny icmp any any", "", 0),
        (" deny icmp any any", " ip access-group OTHER in", 0),
        (
            " deny icmp any any echo\n permit ip any any",
            " ip access-group EDGE in",
            0,
        ),
        (
            " permit icmp any any packet-too-big\n deny icmp any any\n permit ip any any",
            " ip access-group EDGE in",
            0,
        ),
        (
            " permit icmp 192.0.2.0 0.0.0.255 any\n deny icmp any any",
            " ip access-group EDGE in",
            0,
        ),
        (
            " deny icmp host 192.0.2.9 any\n permit ip any any",
            " ip access-group EDGE in",
            0,
        ),
        (
            " permit ip 192.0.2.0 0.0.0.255 any\n deny ip any any log",
            " ip access-group EDGE in",
            0,
        ),
        (
            " permit tcp any host 192.0.2.7 eq 22",
            " ip access-group EDGE in",
            0,
        ),
    ] {
        let said = found(&format!("{named}{lists}"), used);
        assert_eq!(said.len(), count, "{lists}: {said:?}");
    }
    let numbered = "access-list 101 deny icmp any any\naccess-list 101 permit ip any any";
    let said = found(
        numbered,
        " ip access-group 101 in\n ip access-group 101 out",
    );
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].starts_with("access list `101` denies ICMP"),
        "{said:?}"
    );
}
