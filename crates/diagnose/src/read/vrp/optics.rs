//! `display transceiver verbose` of Huawei's VRP: how much light a port receives, and the limits below which that is too little.

use super::{is, typed};
use crate::fact::Place;
use crate::interfaces::port::Port;
use crate::read::optics::{below, signed};
use crate::read::ports::Several;
use crate::read::{Facts, Line, Tool};

/// The state of reading.
#[derive(Default)]
pub(in crate::read) struct Transceivers {
    router: String,
    /// The port whose lines are read.
    port: Option<Light>,
    all: Several,
}

/// What is said of a port's light, dBm.
struct Light {
    name: String,
    received: Option<(f64, Place)>,
    warning: Option<f64>,
    alarm: Option<f64>,
}

/// What other lines begin with.
const HEADS: [&str; 23] = [
    "Common information",
    "Manufacture information",
    "Diagnostic information",
    "Realtime information",
    "Alarm information",
    "Transceiver ",
    "Connector Type",
    "Wavelength",
    "Transfer Distance",
    "Digital Diagnostic",
    "Vendor ",
    "Ordering Name",
    "Manu. ",
    "Manufacturing ",
    "Temp",
    "Volt",
    "Bias ",
    "RX Power",
    "TX Power",
    "Current ",
    "Default ",
    "User Set ",
    "RX power",
];

impl Tool for Transceivers {
    fn name(&self) -> &'static str {
        "display transceiver"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (line.bare, line.at);
        if let Some(router) = asks(text) {
            self.close();
            self.router = crate::redact(router);
            return true;
        }
        if let Some(name) = text.strip_suffix(" transceiver information:") {
            if name.contains(' ') {
                return false;
            }
            self.close();
            if !going {
                self.router.clone_from(&facts.label.name);
            }
            self.port = Some(Light {
                name: crate::redact(name),
                received: None,
                warning: None,
                alarm: None,
            });
            return true;
        }
        let Some(light) = self.port.as_mut().filter(|_| going) else {
            return false;
        };
        if let Some((key, value)) = text.split_once(':') {
            light.says(key, value.trim(), at);
        }
        // Distances and lanes go on in lines of their own.
        let begins = |c: char| c.is_ascii_digit() || c == '-';
        let goes_on = text.ends_with(')') && text.starts_with(begins);
        goes_on || HEADS.iter().any(|head| text.starts_with(head))
    }

    fn held(&self) -> usize {
        let read = self.port.as_ref().is_some_and(|p| p.received.is_some());
        self.all.held() + usize::from(read)
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.close();
        self.all.ends(facts);
    }
}

impl Transceivers {
    /// The lines of a port are over.
    fn close(&mut self) {
        let Some(light) = self.port.take() else {
            return;
        };
        let Some((dbm, at)) = light.received else {
            return;
        };
        let port = Port {
            router: self.router.clone(),
            name: light.name.clone(),
        };
        self.all.receives(port, dbm, light.weak(dbm), at);
    }
}

impl Light {
    /// What a key says: `RX Power(dBM)`, `Current Rx Power(dBM)`, `RX Power Low  Warning(dBM)`, `User Set Rx Power Low Threshold(dBM)`. Of
    /// several lanes nothing says which of them are in use: none is taken.
    fn says(&mut self, key: &str, value: &str, at: Place) {
        let Some(dbm) = signed(value) else {
            return;
        };
        let (name, unit) = key.split_once('(').unwrap_or((key, ""));
        if !unit.trim_end().eq_ignore_ascii_case("dbm)") {
            return;
        }
        let lower = name.to_ascii_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        match words[..] {
            ["rx", "power"] | ["current", "rx", "power"] => self.received = Some((dbm, at)),
            ["rx", "power", "low", "warning"] => self.warning = Some(dbm),
            ["rx", "power", "low", "threshold"] => self.alarm = Some(dbm),
            ["default", "rx", "power", "low", "threshold"] => {
                self.alarm = self.alarm.or(Some(dbm));
            }
            ["user", "set", "rx", "power", "low", "threshold"] => self.alarm = Some(dbm),
            _ => {}
        }
    }

    /// 1 where it is below the limit of the alarm, a half below that of the warning, else 0; none where no limit makes sense.
    fn weak(&self, dbm: f64) -> Option<f64> {
        let alarm = self.alarm?;
        let warning = self.warning.unwrap_or(alarm);
        below(Some(dbm), Some(warning), Some(alarm)).filter(|_| alarm <= warning)
    }
}

/// The router whose command a line is: `<core1>display transceiver interface 10GE1/0/1 verbose`.
fn asks(text: &str) -> Option<&str> {
    let (router, command) = typed(text)?;
    let mut words = command.split_whitespace();
    let shows = is(words.next(), "display");
    let light = words.any(|word| is(Some(word), "transceiver"));
    (shows && light).then_some(router)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interfaces::port::Kind;
    use crate::read::taken::taken;

    /// What is read of one port: every line is taken.
    fn of(lines: &str) -> Vec<(String, Kind, f64)> {
        let text = format!("<core1>display transceiver interface 10GE1/0/1 verbose\n{lines}");
        let facts = taken(Transceivers::default(), &text);
        let each = facts.ports.iter();
        each.map(|r| (r.port.named(""), r.kind, r.value)).collect()
    }

    #[test]
    fn light_is_held_against_its_limits() {
        let head = "10GE1/0/1 transceiver information:
Common information:
  Transceiver Type               :10GBASE_SR
  Transfer Distance (m)          :300(62.5um/125um OM1)
                                  400(50um/125um OM4)
Diagnostic information:
  Bias Current(mA)               :6.53
";
        let current = |dbm: &str| {
            format!(
                "{head}  RX Power(dBM)                 :{dbm}\n  RX Power High Warning(dBM)    :-1.00\n  RX Power Low  Warning(dBM)    :-9.20\n  RX Power High Threshold(dBM)  :2.00\n  RX Power Low  Threshold(dBM)  :-13.97\n"
            )
        };
        let port = "10GE1/0/1 of core1".to_owned();
        for (dbm, value, weak) in [
            ("-2.35", -2.35, 0.0),
            ("-10.1", -10.1, 0.5),
            ("-14.2", -14.2, 1.0),
        ] {
            let said = [
                (port.clone(), Kind::Received, value),
                (port.clone(), Kind::Dark, weak),
            ];
            assert_eq!(of(&current(dbm)), said, "{dbm}");
        }
        let lanes = "-8.64|-40.00(Lane0|Lane1)\n                 -40.00|-40.00(Lane2|Lane3)";
        assert!(of(&current(lanes)).is_empty());
        let older = format!(
            "{head}  Current Rx Power(dBM)                 :-24.1\n  Default Rx Power Low  Threshold(dBM)  :-23.98\n  User Set Rx Power Low Threshold(dBM)  :-25.00\n"
        );
        assert_eq!(of(&older)[1], (port, Kind::Dark, 0.0));
    }
}
