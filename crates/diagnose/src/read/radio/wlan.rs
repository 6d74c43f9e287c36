//! `netsh wlan show interfaces` of Windows, and `iwconfig` and `/proc/net/wireless` of Linux.

use super::{Links, RECEIVES, SENDS, SIGNAL, below};
use crate::read::{Facts, Line, Tool};
use crate::words::{after, decimal};

/// The state of reading what Windows prints.
#[derive(Default)]
pub(in crate::read) struct Wlan {
    links: Links,
}

/// What else stands in it, and says nothing of rates.
const OTHER: [&str; 21] = [
    "Description",
    "GUID",
    "Physical address",
    "Interface type",
    "State",
    "SSID",
    "BSSID",
    "AP BSSID",
    "Band",
    "Channel",
    "Network type",
    "Radio type",
    "Authentication",
    "Cipher",
    "Connected Akm-cipher",
    "Connection mode",
    "Profile",
    "Hosted network status",
    "QoS MSCS Configured",
    "QoS Map Configured",
    "QoS Map Allowed by Policy",
];

impl Tool for Wlan {
    fn name(&self) -> &'static str {
        "netsh wlan"
    }

    /// `There is 1 interface on the system:`, and below it `Receive rate (Mbps) : 400`, `Signal : 96%`.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if text.starts_with("There ") && text.ends_with(" on the system:") {
            self.links.begin(facts);
            self.of_windows(line, facts);
            return true;
        }
        let Some((key, value)) = text.split_once(" : ").map(|(k, v)| (k.trim(), v.trim())) else {
            return false;
        };
        let rate = match key {
            "Receive rate (Mbps)" => Some(RECEIVES),
            "Transmit rate (Mbps)" => Some(SENDS),
            _ => None,
        };
        if let Some(name) = rate {
            if !going {
                self.links.begin(facts);
                self.of_windows(line, facts);
            }
            if let Some(mbit) = decimal(value).filter(|mbit| *mbit > 0.0) {
                self.links.say(name, mbit * 1e6, line.at);
            }
            return true;
        }
        match key {
            _ if !going => return false,
            "Name" => {
                self.links.another();
                self.links.named(value, line.at);
            }
            // 0 % are -100 dBm, and 100 % are -50 dBm (WLAN_REALTIME_CONNECTION_QUALITY).
            "Signal" => {
                let share = value.strip_suffix('%').and_then(decimal);
                if let Some(share) = share.filter(|share| *share <= 100.0) {
                    self.links.say(SIGNAL, 100.0 - share / 2.0, line.at);
                }
            }
            _ => return OTHER.contains(&key),
        }
        true
    }

    fn held(&self) -> usize {
        self.links.held()
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.links.settle(facts);
    }
}

impl Wlan {
    /// The host is one of Windows.
    fn of_windows(&self, line: Line<'_>, facts: &mut Facts) {
        if let Some(host) = self.links.host {
            facts.word(host, "system", "windows", line.at);
        }
    }
}

/// The state of reading what `iwconfig` prints.
#[derive(Default)]
pub(in crate::read) struct Iwconfig {
    links: Links,
}

impl Tool for Iwconfig {
    fn name(&self) -> &'static str {
        "iwconfig"
    }

    /// `wlan0  IEEE 802.11  ESSID:"a"`, and below it `Bit Rate=400 Mb/s   Tx-Power=22 dBm`, `Link Quality=58/70  Signal level=-52 dBm`.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if text.contains(" IEEE 802.11") && text.contains("ESSID:") {
            match going {
                true => self.links.another(),
                false => self.links.begin(facts),
            }
            let interface = text.split_whitespace().next().unwrap_or("");
            self.links.named(interface, line.at);
            return true;
        }
        if text.ends_with(" no wireless extensions.") {
            return true;
        }
        if !going {
            return false;
        }
        let rate = after(text, "Bit Rate=").or(after(text, "Bit Rate:"));
        if let Some(mbit) = rate.filter(|_| text.contains(" Mb/s")) {
            if let Some(mbit) = decimal(mbit).filter(|mbit| *mbit > 0.0) {
                self.links.say(SENDS, mbit * 1e6, line.at);
            }
            return true;
        }
        if let Some(level) = after(text, "Signal level=") {
            if let Some(db) = below(&format!("{level} dBm")).filter(|_| text.contains(" dBm")) {
                self.links.say(SIGNAL, db, line.at);
            }
            return true;
        }
        let begins = [
            "Mode:",
            "Retry ",
            "Power Management:",
            "Encryption key:",
            "Rx ",
            "Tx ",
        ];
        begins.iter().any(|begin| text.starts_with(begin))
    }

    fn held(&self) -> usize {
        self.links.held()
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.links.settle(facts);
    }
}

/// The state of reading `/proc/net/wireless`.
#[derive(Default)]
pub(in crate::read) struct Wireless {
    links: Links,
}

/// What a row has behind its interface: status, quality, level, noise, five counts of discarded packets, and missed beacons.
const COLUMNS: usize = 10;

/// A level further below a milliwatt was never set, decibels.
const LEVEL_MAX: f64 = 120.0;

impl Tool for Wireless {
    fn name(&self) -> &'static str {
        "/proc/net/wireless"
    }

    /// `wlan0: 0000   54.  -56.  -256        0      0      0      0     31        0`, below two lines of heads.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if text.starts_with("Inter-| sta-|") {
            self.links.begin(facts);
            return true;
        }
        if !going {
            return false;
        }
        if text.starts_with("face | tus | link level noise") {
            return true;
        }
        let Some((name, rest)) = text.split_once(':') else {
            return false;
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        if words.len() != COLUMNS || name.contains(char::is_whitespace) {
            return false;
        }
        self.links.another();
        self.links.named(name, line.at);
        let level = words[2].strip_prefix('-');
        let level = level.and_then(|level| decimal(level.trim_end_matches('.')));
        if let Some(db) = level.filter(|db| *db < LEVEL_MAX) {
            self.links.say(SIGNAL, db, line.at);
        }
        true
    }

    fn held(&self) -> usize {
        self.links.held()
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.links.settle(facts);
    }
}
