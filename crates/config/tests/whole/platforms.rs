//! IOS texts of several machines: judged as what they are, or refused by name.

use farpath_config::qos::Options;
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
