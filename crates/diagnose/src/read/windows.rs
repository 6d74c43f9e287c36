//! `netsh interface tcp show global` of Windows, and PowerShell's `Get-NetTCPSetting`.

use super::{Facts, Line, Tool};
use crate::fact::{Figure, Of};

/// The state of reading.
#[derive(Default)]
pub(super) struct Netsh {
    host: Option<Of>,
}

impl Tool for Netsh {
    fn name(&self) -> &'static str {
        "netsh"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        if line.bare == "TCP Global Parameters" {
            let host = facts.host();
            facts.word(host, "system", "windows", line.at);
            self.host = Some(host);
            return true;
        }
        if line.bare.starts_with("SettingName ") && line.bare.contains(" : ") {
            // The first of several templates: which is in force depends on the round trip.
            if self.host.is_none() || !going {
                let host = facts.host();
                facts.word(host, "system", "windows", line.at);
                self.host = Some(host);
            }
            return true;
        }
        let Some(host) = self.host.filter(|_| going) else {
            return false;
        };
        let Some((key, value)) = line.bare.split_once(" : ") else {
            return line.bare.bytes().all(|b| b == b'-') || line.bare.starts_with("Querying");
        };
        let (key, value) = (key.trim(), value.trim().to_ascii_lowercase());
        match (key, value.as_str()) {
            // With tuning off, Windows offers 64 KiB and does not scale it.
            ("Receive Window Auto-Tuning Level" | "AutoTuningLevelLocal", "disabled") => {
                facts.number(host, "recvspace_bytes", Figure::exact(65_535.0, line.at));
            }
            ("Receive Window Auto-Tuning Level" | "AutoTuningLevelLocal", "normal") => {
                facts.number(
                    host,
                    "recvspace_bytes",
                    Figure::exact(16_777_216.0, line.at),
                );
            }
            (
                "Add-On Congestion Control Provider"
                | "Congestion Control Provider"
                | "CongestionProvider",
                name,
            ) => {
                if let Some(cc) = crate::known::control(name) {
                    facts.word(host, "cc", cc, line.at);
                }
            }
            _ => {}
        }
        true
    }
}
