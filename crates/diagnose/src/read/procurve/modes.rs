//! Tables of the ports of ProCurve: how fast each runs and at which duplex (`show interfaces brief`), or is set to (`show interfaces config`).
//! Of a table of several ports nothing says which of them is on the path.

use crate::fact::{Of, Place};
use crate::interfaces::port::{FullDuplexPort, Kind, Port, PortReading};
use crate::read::{Facts, NOTES_MAX};
use crate::words::whole;

/// A row whose port has a link, or is set.
#[derive(Debug, PartialEq)]
struct Row {
    port: Port,
    half: bool,
    /// Its speed, bit/s.
    bps: f64,
    at: Place,
}

/// The tables that are read: what ports run at, and what they are set to.
#[derive(Default)]
pub(super) struct Tables {
    router: String,
    /// Whether rows follow, and whether they are of settings.
    of_settings: Option<bool>,
    runs: Vec<Row>,
    set: Vec<Row>,
}

/// How the tables begin.
const TITLES: [&str; 2] = ["Status and Counters - Port Status", "Port Settings"];

/// Whether a port is enabled, as each row says.
const USED: [&str; 2] = ["Yes", "No"];

/// Most rows that are kept, and most ports that a note names.
const ROWS_MAX: usize = 1000;
const NAMED: usize = 12;

impl Tables {
    /// Whether a line is the title of such a table.
    pub(super) fn begins(text: &str) -> bool {
        TITLES.contains(&text)
    }

    /// The tables that follow are of this router.
    pub(super) fn of_router(&mut self, router: String) {
        self.router = router;
        self.of_settings = None;
    }

    /// Takes a line of a table.
    pub(super) fn line(&mut self, text: &str, at: Place) -> bool {
        let Some((left, right)) = text.split_once('|') else {
            // Of two lines that name the columns the first begins with a bar, which is taken for a sign of quotation.
            return self.of_settings.is_none() && text.starts_with("Intrusion ");
        };
        if text.starts_with("Port ") && left.contains(" Type") && right.contains(" Mode") {
            self.of_settings = Some(!right.contains(" Status"));
            return true;
        }
        let Some(of_settings) = self.of_settings else {
            return false;
        };
        let words: Vec<&str> = right.split_whitespace().collect();
        let name = left.split_whitespace().next().unwrap_or("");
        let is_port = name.bytes().any(|b| b.is_ascii_digit()) && !name.contains(['#', '>', '$']);
        if !is_port || !words.iter().any(|w| USED.contains(w)) {
            // A command with a pipe is not a row.
            self.of_settings = None;
            return false;
        }
        let used = of_settings || words.contains(&"Up");
        let mode = words.iter().find_map(|word| mode(word));
        if let Some((half, bps)) = mode.filter(|_| used) {
            let to = match of_settings {
                true => &mut self.set,
                false => &mut self.runs,
            };
            if to.len() < ROWS_MAX {
                let port = Port {
                    router: self.router.clone(),
                    name: format!("port {}", crate::redact(name)),
                };
                to.push(Row {
                    port,
                    half,
                    bps,
                    at,
                });
            }
        }
        true
    }

    /// Nothing follows: the only port of a table is taken, and such as the texts name by itself. Of several those at half duplex are noted.
    pub(super) fn ends(&mut self, facts: &mut Facts) {
        for (rows, set) in [
            (core::mem::take(&mut self.runs), false),
            (core::mem::take(&mut self.set), true),
        ] {
            let alone = rows.iter().all(|row| row.port == rows[0].port);
            let mut halves: Vec<&Row> = Vec::new();
            for row in &rows {
                let named = facts.ports.iter().any(|r| r.port == row.port);
                match alone || named {
                    true => row.taken(set, facts),
                    false if row.half => halves.push(row),
                    false => {}
                }
            }
            note(&halves, rows.len(), facts);
        }
    }
}

impl Row {
    /// Hands it over.
    fn taken(&self, set: bool, facts: &mut Facts) {
        let reading = |kind: Kind, value: f64| PortReading {
            port: self.port.clone(),
            kind,
            value,
            packets: None,
            sent: None,
            at: self.at,
        };
        facts.ports.push(reading(Kind::Speed, self.bps));
        if self.half {
            facts.ports.push(reading(Kind::HalfOfProCurve, 1.0));
            facts.word(Of::Path, "half_duplex", "half", self.at);
        } else {
            facts.full_ports.push(FullDuplexPort {
                port: self.port.clone(),
                bps: self.bps,
                fixed: set,
            });
        }
    }
}

/// Ports at half duplex, of so many in their table.
fn note(halves: &[&Row], all: usize, facts: &mut Facts) {
    let Some(first) = halves.first().filter(|_| facts.notes.len() < NOTES_MAX) else {
        return;
    };
    let names: Vec<&str> = halves
        .iter()
        .take(NAMED)
        .map(|row| row.port.name.as_str())
        .collect();
    let of = match first.port.router.as_str() {
        "" => String::new(),
        router => format!(" of {router}"),
    };
    let note = format!(
        "{}: of {all} ports{of} these are at half duplex: {}; a flow that crosses one of them may be held by that: add what `show interfaces` prints of the flow's port",
        facts.place(first.at),
        names.join(", ")
    );
    facts.notes.push(note);
}

/// `100HDx`, `100FDx`, `1000FDx`: whether a port is at half duplex, and its speed, bit/s. `Auto` says neither.
fn mode(word: &str) -> Option<(bool, f64)> {
    let half = word.strip_suffix("HDx");
    let mbit = half.or_else(|| word.strip_suffix("FDx")).and_then(whole)?;
    (mbit > 0).then_some((half.is_some(), mbit as f64 * 1e6))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "Port  Type      | Alert     Enabled Status Mode       Mode Ctrl Limit";
    const HALF: &str = "11    10/100TX  | No        Yes     Up     100HDx     MDI  off  0";
    const FULL: &str = "12    10/100TX  | No        Yes     Up     1000FDx    MDI  off  0";
    const DOWN: &str = "13    10/100TX  | No        Yes     Down   10HDx      MDI  off  0";

    fn of(lines: &[&str]) -> Facts {
        let mut facts = Facts::default();
        facts.sources.push("a.txt".to_owned());
        let mut tables = Tables::default();
        tables.of_router("sw1".to_owned());
        for (n, line) in (1..).zip(lines) {
            assert!(tables.line(line, Place::Line(0, n)), "{line}");
        }
        tables.ends(&mut facts);
        facts
    }

    #[test]
    fn the_only_port_with_a_link_is_taken_by_its_mode() {
        let facts = of(&["Intrusion              MDI  Flow Bcast", HEAD, HALF, DOWN]);
        let all = facts.ports.iter();
        let all: Vec<(&str, Kind, f64)> = all
            .map(|r| (r.port.name.as_str(), r.kind, r.value))
            .collect();
        let expected = [
            ("port 11", Kind::Speed, 1e8),
            ("port 11", Kind::HalfOfProCurve, 1.0),
        ];
        assert_eq!(all, expected);
        let mut tables = Tables {
            of_settings: Some(false),
            ..Tables::default()
        };
        assert!(!tables.line("$ ethtool -S eth0 | grep -i crc", Place::You));
        let both = of(&[HEAD, HALF, FULL]);
        assert!(both.ports.is_empty());
        let said = "of 2 ports of sw1 these are at half duplex: port 11;";
        assert!(both.notes[0].contains(said), "{:?}", both.notes);
    }

    #[test]
    fn a_port_that_is_set_to_full_duplex_is_fixed() {
        let settings = "Port  Type      | Enabled Mode         Flow Ctrl MDI";
        let row = |mode: &str| format!("11    10/100TX  | Yes     {mode}       Disable   Auto");
        let fixed = of(&[settings, &row("100FDx")]);
        let all = fixed.full_ports.iter().map(|p| (p.bps, p.fixed));
        assert_eq!(all.collect::<Vec<_>>(), [(1e8, true)]);
        let auto = of(&[settings, &row("Auto")]);
        assert!(auto.full_ports.is_empty() && auto.ports.is_empty());
    }
}
