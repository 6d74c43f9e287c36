//! Links between files of any two languages: their MTUs.

use farpath_config::{Report, Severity, Source, check};

fn checked(near: &str, far: &str) -> Report {
    let source = |(name, text): (&str, &str)| Source {
        name: name.to_owned(),
        text: text.to_owned(),
    };
    let files = [("near.conf", near), ("far.conf", far)];
    check(&files.map(source), &[])
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
