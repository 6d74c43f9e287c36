//! `show interfaces transceiver` of IOS and NX-OS: how much light a port receives, and whether that is too little.

use crate::words::decimal;

/// The state of reading: which of its values a table is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Table {
    /// Temperature, voltage, current, light sent and received, one row for a port.
    #[default]
    Summary,
    /// Light received, with its thresholds.
    Received,
    /// Another value with its thresholds.
    Other,
}

/// What a line says of the light that a port receives.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Received<'a> {
    /// The port; empty where a line before named it.
    pub(super) port: &'a str,
    /// How much, dBm.
    pub(super) dbm: f64,
    /// 1 where it is below the threshold of the alarm, a half below that of the warning, else 0.
    pub(super) weak: f64,
}

/// What the router marks a value with that is too low or too high.
const MARKS: [(&str, f64); 4] = [("--", 1.0), ("-", 0.5), ("+", 0.0), ("++", 0.0)];

/// Lines that explain the tables or head them.
const AROUND: [&str; 12] = [
    "ITU Channel ",
    "Transceiver is ",
    "If device is externally calibrated",
    "++ : high alarm",
    "NA or N/A",
    "mA: milliamperes",
    "A2D readouts",
    "The threshold values are ",
    "High Alarm ",
    "Optical ",
    "Temperature ",
    "Port ",
];

impl Table {
    /// Takes a line that heads or explains a table.
    pub(super) fn heads(&mut self, text: &str) -> bool {
        let values = [
            "Receive Power",
            "Transmit Power",
            "Temperature",
            "Voltage",
            "Current",
        ];
        // A column heads itself in the summary; alone it names the table.
        let head = text.contains("Threshold") || text.contains("(dBm)") || text.contains("(Volts)");
        let named = values.iter().position(|v| text.starts_with(v));
        if text.contains("Rx Power") {
            *self = Table::Summary;
        } else if let Some(n) = named.filter(|_| head) {
            *self = if n == 0 {
                Table::Received
            } else {
                Table::Other
            };
            return true;
        }
        let ruler = text.starts_with("-----") && text.bytes().all(|b| b == b'-' || b == b' ');
        ruler || AROUND.iter().any(|begin| text.starts_with(begin))
    }

    /// A row of a table; none of another line. A port whose light is not known has a row that says nothing.
    pub(super) fn row<'a>(&self, text: &'a str) -> Option<Option<Received<'a>>> {
        let mut words = text.split_whitespace().peekable();
        let port = words.next().filter(|w| is_port(w))?;
        let mut values: Vec<(Option<f64>, Option<f64>)> = Vec::new();
        while let Some(word) = words.next() {
            let value = match word {
                "N/A" | "NA" => None,
                word => Some(
                    decimal(word.trim_start_matches('-'))
                        .map(|v| if word.starts_with('-') { -v } else { v })?,
                ),
            };
            let mark = words
                .peek()
                .and_then(|w| MARKS.iter().find(|(m, _)| m == w));
            if mark.is_some() {
                words.next();
            }
            values.push((value, mark.map(|(_, weak)| *weak)));
        }
        let found = match (self, &values[..]) {
            (Table::Summary, [_, _, _, _, received]) => *received,
            (Table::Received, [received, _, _, (warning, _), (alarm, _)]) => (
                received.0,
                received.1.or(below(received.0, *warning, *alarm)),
            ),
            (Table::Other, [_, _, _, _, _]) => return Some(None),
            _ => return None,
        };
        Some(found.0.map(|dbm| Received {
            port,
            dbm,
            weak: found.1.unwrap_or(0.0),
        }))
    }
}

/// `Rx Power  -15.80 dBm --  2.00 dBm  -13.90 dBm …` of NX-OS.
pub(super) fn of_nexus(text: &str) -> Option<Received<'_>> {
    let mut words = text.strip_prefix("Rx Power ")?.split_whitespace();
    let word = words.next()?;
    let value = decimal(word.trim_start_matches('-'))?;
    let dbm = if word.starts_with('-') { -value } else { value };
    (words.next() == Some("dBm")).then_some(())?;
    let mark = words
        .next()
        .and_then(|w| MARKS.iter().find(|(m, _)| *m == w));
    Some(Received {
        port: "",
        dbm,
        weak: mark.map_or(0.0, |(_, weak)| *weak),
    })
}

/// How weak a light is beside its thresholds, where nothing marks it.
fn below(received: Option<f64>, warning: Option<f64>, alarm: Option<f64>) -> Option<f64> {
    let (received, warning, alarm) = (received?, warning?, alarm?);
    Some(match received {
        r if r < alarm => 1.0,
        r if r < warning => 0.5,
        _ => 0.0,
    })
}

/// `Te1/1/2`, `Gi0/1`, `Eth1/49`.
fn is_port(word: &str) -> bool {
    let digits = word.find(|c: char| c.is_ascii_digit());
    digits.is_some_and(|n| {
        n >= 2
            && word[..n].bytes().all(|b| b.is_ascii_alphabetic())
            && word[n..].bytes().all(|b| b.is_ascii_digit() || b == b'/')
            && word.contains('/')
    })
}

/// Whether two names are of one port: `Te1/1/2` and `TenGigabitEthernet1/1/2`.
pub(super) fn is_same(a: &str, b: &str) -> bool {
    let split = |name: &str| {
        let at = name
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(name.len());
        let (kind, place) = name.split_at(at);
        (kind.to_ascii_lowercase(), place.to_owned())
    };
    let ((a, at), (b, place)) = (split(a), split(b));
    at == place && a.len().min(b.len()) >= 2 && (a.starts_with(&b) || b.starts_with(&a))
}
