//! Secrets of a configuration stay in it: text, JSON and SARIF are pasted into tickets.

use farpath_config::{Dialect, check, json, render, sarif};

use crate::source;

#[test]
fn no_form_of_a_report_has_a_secret() {
    for (text, dialect, secret) in [
        (
            "hostname r9\nenable secret 5 $1$abcd$XYZ1234\ninterface GigabitEthernet0/0\n ip address 10.0.0.1 255.255.255.252\n",
            Dialect::Ios,
            "XYZ1234",
        ),
        (
            "hostname r9\nusername admin privilege 15 password 0 Passw0rd\n",
            Dialect::Ios,
            "Passw0rd",
        ),
        (
            "hostname r9\n1 enable secret zqone zqtwo\n",
            Dialect::Ios,
            "zq",
        ),
        (
            "interface GigabitEthernet0/0\n ip ospf message-digest-key 1 md5 7 0822455D0A16\n",
            Dialect::Ios,
            "0822455D0A16",
        ),
        (
            "system { host-name j1; login { user bob { authentication { plain-text-password-value \"bobpw\"; } } } }\nsnmp { community topsecret { authorization read-only; } }\n",
            Dialect::Junos,
            "bobpw",
        ),
        (
            "system { host-name j1; root-authentication { plain-text-password-value bobpw } }\n",
            Dialect::Junos,
            "bobpw",
        ),
        (
            "system { host-name j1; }\nsnmp { community topsecret { authorization read-only;\n",
            Dialect::Junos,
            "topsecret",
        ),
    ] {
        let sources = [source("r.conf", text)];
        let report = check(&sources, &[Some(dialect)]);
        for shown in [
            render::text(&report, &sources, false),
            json::document(&report, &sources),
            sarif::log(&report, &sources, "0").to_string(),
        ] {
            assert!(!shown.contains(secret), "{text}: {shown}");
        }
    }
}
