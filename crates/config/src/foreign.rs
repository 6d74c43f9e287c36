//! Configurations that resemble one of a language that is read, and are of a machine that is not: they are named, not judged.

/// How many lines are read: such signs stand at the top.
const LINES: usize = 60;

/// What a line begins with, what it has besides, and the system.
const SIGNS: [(&str, &str, &str); 9] = [
    ("! device:", "eos", "Arista EOS"),
    ("! command: show running-config", "", "Arista EOS"),
    ("! boot system", "eos", "Arista EOS"),
    ("service routing protocols model", "", "Arista EOS"),
    ("daemon terminattr", "", "Arista EOS"),
    ("sysname ", "", "Huawei VRP or HPE Comware"),
    ("# timos", "", "Nokia SR OS"),
    ("#config-version=", "", "FortiOS"),
    ("# ", " by routeros ", "MikroTik RouterOS"),
];

/// The system that a text is of, if it is one that is not read.
pub(crate) fn system(text: &str) -> Option<&'static str> {
    let lines = text.lines().take(LINES);
    lines
        .map(|line| line.trim().to_ascii_lowercase())
        .find_map(|line| {
            let fits = |(begin, has, _): &&(&str, &str, &str)| {
                line.starts_with(begin) && line[begin.len()..].contains(has)
            };
            SIGNS.iter().find(fits).map(|(_, _, system)| *system)
        })
}

#[cfg(test)]
mod tests {
    use crate::{Source, Status, check};

    #[test]
    fn what_is_of_another_system_is_named_and_not_judged() {
        for (text, system) in [
            (
                "! Command: show running-config\n! device: leaf1 (DCS-7280SR-48C6, EOS-4.28.1F)\nhostname leaf1\ninterface Ethernet1\n mtu 9214\n",
                "Arista EOS",
            ),
            (
                "! device: leaf1 (DCS-7280SR-48C6, EOS-4.30.2F)\nmls qos\n",
                "Arista EOS",
            ),
            (
                "#\nsysname core\n#\ninterface GigabitEthernet0/0/1\n mtu 9000\n",
                "Huawei VRP",
            ),
            (
                "# 2026-01-01 10:00:00 by RouterOS 7.11\n/interface bridge\n",
                "MikroTik",
            ),
        ] {
            let source = Source {
                name: "r".to_owned(),
                text: text.to_owned(),
            };
            let report = check(&[source], &[]);
            let file = &report.files[0];
            assert_eq!(file.status(), Status::Failed, "{text}");
            assert!(file.faults[0].message.contains(system), "{:?}", file.faults);
            assert_eq!((report.findings.len(), file.platform), (0, None), "{text}");
        }
        // What configures nothing is not taken for Junos.
        let source = Source {
            name: "passwd".to_owned(),
            text:
                "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
                    .to_owned(),
        };
        let report = check(&[source], &[]);
        let file = &report.files[0];
        assert_eq!(
            (file.language(), file.status()),
            ("unknown", Status::Failed)
        );
        assert_eq!(file.faults.len(), 1, "{:?}", file.faults);
        assert_eq!(
            super::system("!Command: show running-config\nhostname nx\n"),
            None
        );
    }
}
