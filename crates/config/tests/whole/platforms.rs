//! IOS texts of several machines: judged as what they are, or refused by name.

use farpath_config::qos::{Options, Share};
use farpath_config::{Dialect, Platform, Report, Source, Status, check_with, json, render};

fn checked(text: &str, platform: Option<Platform>) -> (Vec<Source>, Report) {
    let sources = vec![Source {
        name: "r.cfg".to_owned(),
        text: text.to_owned(),
    }];
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

#[test]
fn platforms_that_are_not_read_are_refused_by_name() {
    for (text, name) in [
        (
            "!! IOS XR Configuration 7.5.2\nhostname a\npolicy-map p\n class c\n  police rate 1 gbps\n",
            "IOS XR",
        ),
        (
            "!Command: show running-config\nfeature bgp\ninterface Ethernet1/1\n mtu 9216\n",
            "NX-OS",
        ),
    ] {
        let (sources, report) = checked(text, None);
        assert_eq!(report.files[0].status(), Status::Failed);
        assert_eq!(rules(&report), Vec::<&str>::new());
        let said = render::text(&report, &sources, false);
        assert!(
            said.contains(&format!("configuration of {name}")) && said.contains("what is read"),
            "{said}"
        );
        // Whoever knows better says so.
        let (_, report) = checked(text, Some(Platform::IosRouter));
        assert_ne!(report.files[0].status(), Status::Failed);
    }
}

#[test]
fn a_file_without_a_statement_has_not_passed() {
    for text in ["", "\n\n", "! nothing but a note\n"] {
        for dialect in Dialect::ALL {
            let source = Source {
                name: "r.cfg".to_owned(),
                text: text.to_owned(),
            };
            let report = check_with(&[source], &[Some(dialect)], &Options::default());
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
  shape average percent 50
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
    for line in ["police cir percent 10", "shape average percent 50"] {
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
    let source = Source {
        name: "r.cfg".to_owned(),
        text: text.to_owned(),
    };
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
