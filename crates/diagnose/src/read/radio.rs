//! What `iw dev … link` says of a radio link.

use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::words::decimal;

/// The state of reading.
#[derive(Default)]
pub(super) struct Radio {
    host: Option<Of>,
}

/// What else stands in it, and says nothing of rates.
const OTHER: [&str; 9] = [
    "SSID:",
    "freq:",
    "RX:",
    "TX:",
    "signal:",
    "bss flags:",
    "dtim period:",
    "beacon int:",
    "MLD ",
];

impl Tool for Radio {
    fn name(&self) -> &'static str {
        "iw"
    }

    /// `Connected to 02:00:00:00:00:01 (on wlan0)`, and below it `tx bitrate: 400.0 MBit/s VHT-MCS 9`.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if text.starts_with("Connected to ") && text.contains(" (on ") && text.ends_with(')') {
            self.host = Some(facts.host());
            return true;
        }
        let Some(host) = self.host.filter(|_| going) else {
            return false;
        };
        let rates = [
            ("tx bitrate: ", "radio_sends_bps"),
            ("rx bitrate: ", "radio_receives_bps"),
        ];
        for (words, name) in rates {
            let Some(rest) = text.strip_prefix(words) else {
                continue;
            };
            let mbit = rest.split_once(" MBit/s").and_then(|(n, _)| decimal(n));
            if let Some(mbit) = mbit.filter(|m| *m > 0.0) {
                facts.exact(host, name, mbit * 1e6, line.at);
            }
            return true;
        }
        if let Some(dbm) = text
            .strip_prefix("signal: -")
            .and_then(|s| s.strip_suffix(" dBm"))
        {
            if let Some(below) = decimal(dbm.split(' ').next().unwrap_or(dbm)) {
                facts.exact(host, "radio_below_milliwatt_db", below, line.at);
            }
            return true;
        }
        OTHER.iter().any(|o| text.starts_with(o))
    }
}
