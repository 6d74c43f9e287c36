//! What radio links say of themselves: `iw dev … link` and `iw dev … station dump`, `iwconfig`, and `netsh wlan show interfaces`.

use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::{Of, Place};
use crate::words::{between, decimal, whole};

mod wlan;

pub(super) use wlan::{Iwconfig, Wireless, Wlan};

/// What a host counts of a radio link: packets that it sent, how often it repeated one, and those that it gave up.
pub(crate) const PACKETS: &str = "radio_packets";
pub(crate) const RETRIES: &str = "radio_retries";
pub(crate) const FAILED: &str = "radio_failed";

/// The name of a radio link's interface, as facts have it.
pub(crate) const INTERFACE: &str = "radio_interface";

/// Bit rates, bit/s, and how far the signal is below a milliwatt, decibels.
const SENDS: &str = "radio_sends_bps";
const RECEIVES: &str = "radio_receives_bps";
pub(crate) const SIGNAL: &str = "radio_below_milliwatt_db";

/// What one link says.
#[derive(Default)]
struct Link {
    /// Its interface, where that is named, and where it stands.
    interface: Option<(String, Place)>,
    /// The name of a fact, its value, and where it stands.
    said: Vec<(&'static str, f64, Place)>,
}

/// Links of a host that are kept until all of them are read: of several nothing says which is the flow's.
#[derive(Default)]
struct Links {
    host: Option<Of>,
    all: Vec<Link>,
}

/// Most links of a host that are kept.
const LINKS_MAX: usize = 1000;

impl Links {
    /// The links of a host begin.
    fn begin(&mut self, facts: &mut Facts) {
        self.settle(facts);
        self.host = Some(facts.host());
        self.all.push(Link::default());
    }

    /// Another link of the same host begins.
    fn another(&mut self) {
        if self.all.len() < LINKS_MAX {
            self.all.push(Link::default());
        }
    }

    /// The link that was begun last is of this interface.
    fn named(&mut self, interface: &str, at: Place) {
        if let Some(link) = self.all.last_mut().filter(|_| !interface.is_empty()) {
            link.interface = Some((interface.to_owned(), at));
        }
    }

    fn say(&mut self, name: &'static str, value: f64, at: Place) {
        if let Some(link) = self.all.last_mut() {
            link.said.push((name, value, at));
        }
    }

    /// How many facts are held.
    fn held(&self) -> usize {
        self.all.iter().map(|link| link.said.len()).sum()
    }

    /// Hands over what the only link says that says something.
    fn settle(&mut self, facts: &mut Facts) {
        let all = core::mem::take(&mut self.all);
        let mut each = all.into_iter().filter(|link| !link.said.is_empty());
        let (first, second) = (each.next(), each.next());
        let Some((host, first)) = self.host.take().zip(first) else {
            return;
        };
        match second.as_ref().and_then(|link| link.said.first()) {
            None => {
                if let Some((name, at)) = &first.interface {
                    facts.word(host, INTERFACE, name, *at);
                }
                for (name, value, at) in first.said {
                    facts.exact(host, name, value, at);
                }
            }
            Some((_, _, at)) if facts.notes.len() < NOTES_MAX => {
                let note = format!(
                    "{}: several radio links, and nothing says which is the flow's: what they say is left out",
                    facts.place(*at)
                );
                facts.notes.push(note);
            }
            Some(_) => {}
        }
    }
}

/// The state of reading.
#[derive(Default)]
pub(super) struct Radio {
    links: Links,
}

/// What else stands in it, and says nothing of rates.
const OTHER: [&str; 36] = [
    "SSID",
    "freq",
    "RX",
    "TX",
    "bss flags",
    "dtim period",
    "beacon int",
    "inactive time",
    "rx bytes",
    "rx packets",
    "tx bytes",
    "rx drop misc",
    "signal avg",
    "beacon loss",
    "beacon rx",
    "beacon signal avg",
    "expected throughput",
    "tx duration",
    "rx duration",
    "last ack signal",
    "avg ack signal",
    "airtime weight",
    "authorized",
    "authenticated",
    "associated",
    "preamble",
    "WMM/WME",
    "MFP",
    "TDLS peer",
    "DTIM period",
    "beacon interval",
    "short preamble",
    "short slot time",
    "connected time",
    "associated at",
    "current time",
];

impl Tool for Radio {
    fn name(&self) -> &'static str {
        "iw"
    }

    /// `Connected to 02:00:00:00:00:01 (on wlan0)`, and below it `tx bitrate: 400.0 MBit/s VHT-MCS 9`; of a station `Station
    /// 02:00:00:00:00:01 (on wlan0)`, which counts packets, too.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if text.contains(" (on ") && text.ends_with(')') {
            let station = text.starts_with("Station ");
            if !station && !text.starts_with("Connected to ") {
                return false;
            }
            match station && going {
                true => self.links.another(),
                false => self.links.begin(facts),
            }
            let interface = between(text, " (on ", ")").unwrap_or("");
            self.links.named(interface, line.at);
            return true;
        }
        if !going {
            return false;
        }
        let Some((key, value)) = text.split_once(':') else {
            return false;
        };
        let (key, value) = (key.trim(), value.trim());
        let said = match key {
            "tx bitrate" => mbit(value).map(|bps| (SENDS, bps)),
            "rx bitrate" => mbit(value).map(|bps| (RECEIVES, bps)),
            "signal" => below(value).map(|db| (SIGNAL, db)),
            "tx packets" => whole(value).map(|n| (PACKETS, n as f64)),
            "tx retries" => whole(value).map(|n| (RETRIES, n as f64)),
            "tx failed" => whole(value).map(|n| (FAILED, n as f64)),
            _ => return OTHER.contains(&key) || text.starts_with("MLD "),
        };
        if let Some((name, value)) = said {
            self.links.say(name, value, line.at);
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

/// `400.0 MBit/s VHT-MCS 9`: bit/s.
fn mbit(value: &str) -> Option<f64> {
    let (mbit, _) = value.split_once(" MBit/s")?;
    Some(decimal(mbit)? * 1e6).filter(|bps| *bps > 0.0)
}

/// `-64 dBm`, `-64 [-66, -68] dBm`: decibels below a milliwatt.
fn below(value: &str) -> Option<f64> {
    let rest = value.strip_prefix('-')?.strip_suffix(" dBm")?;
    decimal(rest.split(' ').next()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Value;
    use crate::read::{Source, read};

    /// The facts of a text by name, whether all of it was read, and its notes.
    fn of(text: &str) -> (Vec<(&'static str, f64)>, bool, Vec<String>) {
        let facts = read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }]);
        let numbers = facts.facts.iter().filter_map(|f| match &f.value {
            Value::Number(figure) => Some((f.name, figure.value)),
            Value::Word(_) => None,
        });
        (numbers.collect(), facts.ignored_count == [0], facts.notes)
    }

    const STATION: &str = "Station 02:00:00:00:00:01 (on wlan0)\n\tinactive time:\t12 ms\n\trx bytes:\t123456\n\ttx packets:\t20000\n\ttx retries:\t9000\n\ttx failed:\t120\n\tsignal:  \t-71 [-74, -73] dBm\n\tsignal avg:\t-70 [-73, -72] dBm\n\ttx bitrate:\t65.0 MBit/s MCS 7\n\trx bitrate:\t52.0 MBit/s MCS 5\n\tauthorized:\tyes\n";

    #[test]
    fn a_station_says_its_rates_and_what_it_sent_again() {
        let (numbers, whole, _) = of(&format!("$ iw dev wlan0 station dump\n{STATION}"));
        let says = [
            (PACKETS, 20_000.0),
            (RETRIES, 9000.0),
            (FAILED, 120.0),
            (SIGNAL, 71.0),
            (SENDS, 65e6),
            (RECEIVES, 52e6),
        ];
        assert_eq!(numbers, says);
        assert!(whole);
        // An access point has several: none is the flow's for certain.
        let two = STATION.to_owned() + &STATION.replace("00:01", "00:02");
        let (numbers, whole, notes) = of(&two);
        assert_eq!((numbers.len(), whole), (0, true), "{numbers:?}");
        assert!(notes[0].contains("several radio links"), "{notes:?}");
    }

    #[test]
    fn windows_and_iwconfig_say_rates_and_signal() {
        let windows = "C:\\> netsh wlan show interfaces\n\nThere is 1 interface on the system:\n\n    Name                   : Wi-Fi\n    Description            : Intel(R) Wi-Fi 6 AX201 160MHz\n    State                  : connected\n    SSID                   : office\n    Radio type             : 802.11ac\n    Channel                : 149\n    Receive rate (Mbps)    : 400\n    Transmit rate (Mbps)   : 325.5\n    Signal                 : 60% \n    Profile                : office\n";
        let (numbers, whole, _) = of(windows);
        assert_eq!(
            numbers,
            [(RECEIVES, 400e6), (SENDS, 325.5e6), (SIGNAL, 70.0)]
        );
        assert!(whole);
        let iwconfig = "wlan0     IEEE 802.11  ESSID:\"office\"  \n          Mode:Managed  Frequency:5.18 GHz  Access Point: 02:00:00:00:00:01   \n          Bit Rate=130 Mb/s   Tx-Power=22 dBm   \n          Retry short limit:7   RTS thr:off   Fragment thr:off\n          Power Management:on\n          Link Quality=40/70  Signal level=-70 dBm  \n          Rx invalid nwid:0  Rx invalid crypt:0  Rx invalid frag:0\n          Tx excessive retries:3  Invalid misc:12   Missed beacon:0\n";
        let (numbers, whole, _) = of(iwconfig);
        assert_eq!(numbers, [(SENDS, 130e6), (SIGNAL, 70.0)]);
        assert!(whole);
    }

    #[test]
    fn the_kernels_table_says_signals_in_dbm() {
        let head = "$ cat /proc/net/wireless\nInter-| sta-|   Quality        |   Discarded packets               | Missed | WE\n face | tus | link level noise |  nwid  crypt   frag  retry   misc | beacon | 22\n";
        let row = " wlp3s0: 0000   31.  -79.  -256        0      0      0      0     31        0\n";
        let (numbers, whole, _) = of(&format!("{head}{row}"));
        assert_eq!((numbers, whole), (vec![(SIGNAL, 79.0)], true));
        // A level without a sign is of a driver's own unit, and one of -256 was never set.
        for level in ["  54   ", "  -256 "] {
            let (numbers, whole, _) = of(&format!("{head}{}", row.replace("  -79.  ", level)));
            assert_eq!((numbers.len(), whole), (0, true), "{numbers:?}");
        }
    }

    #[test]
    fn a_link_has_the_name_of_its_interface() {
        for (text, name) in [
            (format!("$ iw dev wlan0 station dump\n{STATION}"), "wlan0"),
            (
                "wlx1     IEEE 802.11  ESSID:\"office\"\n          Bit Rate=130 Mb/s   Tx-Power=22 dBm\n"
                    .to_owned(),
                "wlx1",
            ),
        ] {
            let facts = read(&[Source {
                name: "t.txt".to_owned(),
                bytes: text.into_bytes(),
            }]);
            let word = facts.latest(Of::Host(0), INTERFACE).map(|f| &f.value);
            assert_eq!(word, Some(&Value::Word(name.to_owned())));
        }
    }
}
