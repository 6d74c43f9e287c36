//! `show interfaces transceiver` of IOS, NX-OS and EOS: how much light a port receives, and whether that is too little.

pub(super) mod nexus;

use crate::words::decimal;

/// Which of its values a table is of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Values {
    /// Temperature, voltage, current, light sent and received, one row for a port.
    #[default]
    Summary,
    /// Light received, with its thresholds.
    Received,
    /// Another value with its thresholds.
    Other,
}

/// The state of reading: the table whose rows follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Table {
    of: Values,
    /// Whether the low alarm stands before the low warning, as EOS has them.
    alarm_first: bool,
    /// The summary has no column of the laser's current.
    no_current: bool,
}

/// What a line says of the light that a port receives.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Received<'a> {
    /// The port; empty where a line before named it.
    pub(super) port: &'a str,
    /// How much, dBm.
    pub(super) dbm: f64,
    /// 1 where it is below the threshold of the alarm, a half below that of the warning, else 0; none where nothing says it.
    pub(super) weak: Option<f64>,
}

/// What the router marks a value with that is too low or too high.
const MARKS: [(&str, f64); 4] = [("--", 1.0), ("-", 0.5), ("+", 0.0), ("++", 0.0)];

/// Lines that explain the tables or head them.
const AROUND: [&str; 14] = [
    "ITU Channel ",
    "Transceiver is ",
    "If device is externally calibrated",
    "++ : high alarm",
    "NA or N/A",
    "N/A: not applicable",
    "mA: milliamperes",
    "A2D readouts",
    "The threshold values are ",
    "Optical ",
    "Bias ",
    "Temp ",
    "Temperature ",
    "Port ",
];

/// What tables with thresholds are called by: the first two are of light received.
const NAMES: [&str; 7] = [
    "Receive Power",
    "Rx Power",
    "Transmit Power",
    "Tx Power",
    "Temperature",
    "Voltage",
    "Current",
];

impl Table {
    /// Takes a line that heads or explains a table.
    pub(super) fn heads(&mut self, text: &str) -> bool {
        if text.starts_with("High Alarm ") {
            let lows = text.find("Low Alarm").zip(text.find("Low Warn"));
            self.alarm_first = lows.is_some_and(|(alarm, warning)| alarm < warning);
            return true;
        }
        if text.contains("(Celsius)") {
            self.no_current = text.contains("(dBm)") && !text.contains("(mA)");
        }
        // A column heads itself in the summary; alone it names the table.
        let thresholds = text.contains("Threshold");
        let head = thresholds || text.contains("(dBm)") || text.contains("(Volts)");
        let named = NAMES.iter().position(|v| text.starts_with(v));
        if text.contains("Rx Power") && !thresholds {
            self.of = Values::Summary;
        } else if let Some(n) = named.filter(|_| head) {
            self.of = if n < 2 {
                Values::Received
            } else {
                Values::Other
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
        // EOS says when it read the values, and marks none.
        let mut dated = false;
        while let Some(word) = words.next() {
            if self.of == Values::Summary && values.len() == 5 {
                dated = word == "N/A" || text.ends_with(" ago");
            }
            if dated {
                break;
            }
            let value = match word {
                "N/A" | "NA" => None,
                word => Some(signed(word)?),
            };
            let mark = words
                .peek()
                .and_then(|w| MARKS.iter().find(|(m, _)| m == w));
            if mark.is_some() {
                words.next();
            }
            values.push((value, mark.map(|(_, weak)| *weak)));
        }
        let found = match (self.of, &values[..]) {
            (Values::Summary, [_, _, _, _, (dbm, mark)]) => {
                (*dbm, mark.or((!dated).then_some(0.0)))
            }
            (Values::Summary, [_, _, _, (dbm, mark)]) if self.no_current => {
                (*dbm, mark.or(Some(0.0)))
            }
            (Values::Received, [(dbm, mark), _, _, (third, _), (fourth, _)]) => {
                let [warning, alarm] = match self.alarm_first {
                    true => [*fourth, *third],
                    false => [*third, *fourth],
                };
                (*dbm, mark.or(below(*dbm, warning, alarm)))
            }
            (Values::Other, [_, _, _, _, _]) => return Some(None),
            _ => return None,
        };
        Some(found.0.map(|dbm| Received {
            port,
            dbm,
            weak: found.1,
        }))
    }
}

/// A number that may be below zero.
pub(super) fn signed(word: &str) -> Option<f64> {
    match word.strip_prefix('-') {
        Some(digits) => decimal(digits).map(|value| -value),
        None => decimal(word),
    }
}

/// `Rx Power  -15.80 dBm --  2.00 dBm  -13.90 dBm …` of NX-OS.
pub(super) fn of_nexus(text: &str) -> Option<Received<'_>> {
    let mut words = text.strip_prefix("Rx Power ")?.split_whitespace();
    let dbm = signed(words.next()?)?;
    (words.next() == Some("dBm")).then_some(())?;
    let mark = words
        .next()
        .and_then(|w| MARKS.iter().find(|(m, _)| *m == w));
    Some(Received {
        port: "",
        dbm,
        weak: Some(mark.map_or(0.0, |(_, weak)| *weak)),
    })
}

/// How weak a light is beside its thresholds, where nothing marks it.
pub(super) fn below(
    received: Option<f64>,
    warning: Option<f64>,
    alarm: Option<f64>,
) -> Option<f64> {
    let (received, warning, alarm) = (received?, warning?, alarm?);
    Some(match received {
        r if r < alarm => 1.0,
        r if r < warning => 0.5,
        _ => 0.0,
    })
}

/// `Te1/1/2`, `Gi0/1`, `Eth1/49`, and `Et21` of EOS.
fn is_port(word: &str) -> bool {
    let digits = word.find(|c: char| c.is_ascii_digit());
    digits.is_some_and(|n| {
        n >= 2
            && word[..n].bytes().all(|b| b.is_ascii_alphabetic())
            && word[n..].bytes().all(|b| b.is_ascii_digit() || b == b'/')
            && (word.contains('/') || &word[..n] == "Et")
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a row says behind these lines.
    fn of(lines: &[&'static str]) -> Option<Received<'static>> {
        let mut table = Table::default();
        let (&row, heads) = lines.split_last().expect("there are some");
        for head in heads {
            assert!(table.heads(head), "{head}");
        }
        table.row(row).expect("it is a row")
    }

    /// IOS leaves the current out where the machine does not read it.
    #[test]
    fn a_summary_without_the_lasers_current_has_four_values() {
        let heads = [
            "Optical   Optical",
            "Temperature  Voltage  Tx Power  Rx Power",
            "Port       (Celsius)    (Volts)  (dBm)     (dBm)",
            "---------  -----------  -------  --------  --------",
        ];
        let row = "Te1/1/4      38.4       3.30       1.9     -26.8";
        let said = Received {
            port: "Te1/1/4",
            dbm: -26.8,
            weak: Some(0.0),
        };
        assert_eq!(of(&[&heads[..], &[row][..]].concat()), Some(said));
        // Without its head nobody knows what four values are.
        assert_eq!(Table::default().row(row), None);
    }

    #[test]
    fn eos_dates_its_rows_and_has_the_low_alarm_first() {
        let summary = [
            "Bias      Optical   Optical",
            "Temp       Voltage   Current   Tx Power  Rx Power",
            "Port      (Celsius)  (Volts)   (mA)      (dBm)     (dBm)     Last Update",
            "-----     ---------  --------  --------  --------  --------  -------------------",
        ];
        let row = |row: &'static str| of(&[&summary[..], &[row][..]].concat());
        let read = row("Et21   31.11      3.31      0.00     -30.00    -10.28    0:00:01 ago");
        let said = Received {
            port: "Et21",
            dbm: -10.28,
            weak: None,
        };
        assert_eq!(read, Some(said));
        let none = row("Et5/29/1   N/A        N/A       N/A       N/A       N/A      N/A");
        assert_eq!(none, None);
        let detail = [
            "High Alarm  High Warn   Low Alarm   Low Warn",
            "Rx Power      Threshold   Threshold   Threshold   Threshold",
            "Port       (dBm)         (dBm)       (dBm)       (dBm)       (dBm)",
            "-------    ------------  ----------  ----------  ----------  ----------",
        ];
        let weak = |row: &'static str| of(&[&detail[..], &[row][..]].concat()).map(|r| r.weak);
        for (row, said) in [
            ("Et6/1      -0.90    4.40   3.40   -11.50    -10.50", 0.0),
            ("Et6/1      -11.0    4.40   3.40   -11.50    -10.50", 0.5),
            ("Et6/1      -12.0    4.40   3.40   -11.50    -10.50", 1.0),
        ] {
            assert_eq!(weak(row), Some(Some(said)), "{row}");
        }
    }
}
