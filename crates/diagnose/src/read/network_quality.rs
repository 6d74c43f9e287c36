//! `networkQuality` of macOS: the capacity of both ways to a server of Apple's, and round trips at rest and under load.

use super::copies::shown;
use super::{Facts, Line, NOTES_MAX, Tool};
use crate::fact::{Figure, Place};
use crate::flows::both_loaded::{LOADED_BOTH, OTHER_WAY};
use crate::seen::{Report, Side, Test};
use crate::words::{decimal, rate, whole};

/// The state of reading.
#[derive(Default)]
pub(super) struct NetworkQuality {
    /// A summary is read.
    on: bool,
    /// Ways that it reported.
    reported: usize,
    /// The note on how many connections it has.
    noted: Option<usize>,
}

/// What it is called in results.
const TOOL: &str = "networkQuality";

/// Connections side by side, where it does not print them: with `-v` it does, and has 8 to 20.
const STREAMS: u32 = 8;

/// What stands for its server in commands.
pub(super) const SERVER: &str = "NETWORKQUALITY-SERVER";

/// A test takes about so long, seconds.
const LASTS_S: f64 = 15.0;

/// Lines of a summary that say nothing of rates.
const OTHERS: [&str; 9] = [
    "Interface",
    "Uplink bytes transferred",
    "Downlink bytes transferred",
    "Start",
    "End",
    "OS Version",
    "Test Endpoint",
    "Protocols Negotiated",
    "Proxy state",
];

impl Tool for NetworkQuality {
    fn name(&self) -> &'static str {
        TOOL
    }

    /// `==== SUMMARY ====`, and below it `Uplink capacity: 4.140 Mbps (Accuracy: High)`.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let (text, at) = (shown(line.bare), line.at);
        if text.starts_with("===") && text.trim_matches('=').trim() == "SUMMARY" {
            *self = NetworkQuality {
                on: true,
                ..NetworkQuality::default()
            };
            return true;
        }
        // Rates while it runs.
        if text.starts_with("Downlink: ") && text.contains(" RPM - Uplink: ") {
            return true;
        }
        let Some((key, value)) = text.split_once(": ").filter(|_| going && self.on) else {
            return false;
        };
        let way = match key.split(' ').next() {
            Some("Uplink" | "Upload") => Some(false),
            Some("Downlink" | "Download") => Some(true),
            _ => None,
        };
        match (way, key.split_once(' ').map_or(key, |(_, what)| what)) {
            (Some(down), "capacity") => self.reports(down, value, at, facts),
            (Some(down), "Flow count" | "flows") => self.has_flows(down, value, at, facts),
            (Some(down), "Responsiveness") => {
                if let Some(ns) = round_trip(value) {
                    self.sets(Some(down), ("rtt_loaded_ns", ns), at, facts);
                }
                true
            }
            (None, _) if key == "Responsiveness" => self.loads_both(value, at, facts),
            (None, _) if key == "Idle Latency" || key == "Base RTT" => {
                if let Some(ms) = value.split(' ').next().and_then(decimal) {
                    self.sets(None, ("handshake_rtt_ns", ms * 1e6), at, facts);
                }
                true
            }
            _ => OTHERS.contains(&key),
        }
    }
}

impl NetworkQuality {
    /// The capacity of one way: `4.140 Mbps (Accuracy: High)`.
    fn reports(&mut self, down: bool, value: &str, at: Place, facts: &mut Facts) -> bool {
        let mut words = value.split(' ');
        let (Some(number), Some(unit)) = (words.next(), words.next()) else {
            return false;
        };
        let Some(bps) = rate(&format!("{number}{unit}")).filter(|bps| *bps > 0.0) else {
            return false;
        };
        let mut test = Test::new(TOOL, at);
        SERVER.clone_into(&mut test.to.host);
        if down {
            test.turn();
        }
        test.streams = STREAMS;
        test.received = Some(Report {
            goodput: Figure::exact(bps, at),
            bytes: None,
            seconds: LASTS_S,
        });
        facts.tests.push(test);
        self.reported += 1;
        if self.reported == 1 && facts.notes.len() < NOTES_MAX {
            self.noted = Some(facts.notes.len());
            let note = noted(
                facts,
                at,
                &format!(": {STREAMS} are assumed, as it prints how many with -v alone"),
            );
            facts.notes.push(note);
        }
        true
    }

    /// The tests of this summary, of one way or of both.
    fn tests<'f>(
        &self,
        down: Option<bool>,
        facts: &'f mut Facts,
    ) -> impl Iterator<Item = &'f mut Test> + use<'f> {
        let own = facts.tests.iter_mut().rev().take(self.reported);
        own.filter(move |test| {
            let is_down = test.client == Side::Receiver;
            test.tool == TOOL && down.is_none_or(|down| down == is_down)
        })
    }

    /// How many connections one way had.
    fn has_flows(&mut self, down: bool, value: &str, at: Place, facts: &mut Facts) -> bool {
        let flows = whole(value).and_then(|n| u32::try_from(n).ok());
        let Some(flows) = flows.filter(|n| *n > 0) else {
            return false;
        };
        self.tests(Some(down), facts)
            .for_each(|test| test.streams = flows);
        // Nothing is assumed then.
        let note = noted(facts, at, "");
        let first = self.noted.take().and_then(|n| facts.notes.get_mut(n));
        if let Some(first) = first {
            *first = note;
        }
        true
    }

    /// Sets a figure of the tests.
    fn sets(
        &self,
        down: Option<bool>,
        (name, value): (&'static str, f64),
        at: Place,
        facts: &mut Facts,
    ) {
        if value > 0.0 {
            self.tests(down, facts)
                .for_each(|test| test.set(name, Figure::exact(value, at)));
        }
    }

    /// The rate of one way, bit/s.
    fn rate(&self, down: bool, facts: &mut Facts) -> Option<f64> {
        let test = self.tests(Some(down), facts).next()?;
        Some(test.goodput()?.0.value).filter(|bps| *bps > 0.0)
    }

    /// Both ways were loaded at the same time: nothing says in which of them a round trip waited.
    fn loads_both(&self, value: &str, at: Place, facts: &mut Facts) -> bool {
        let Some(ns) = round_trip(value) else {
            return true;
        };
        self.sets(None, (LOADED_BOTH, ns), at, facts);
        let rates = [false, true].map(|down| self.rate(down, facts));
        if let [Some(up), Some(down)] = rates {
            self.sets(Some(false), (OTHER_WAY, down / up), at, facts);
            self.sets(Some(true), (OTHER_WAY, up / down), at, facts);
        }
        if facts.notes.len() < NOTES_MAX {
            let note = format!(
                "{}: a round trip takes {:.0} ms while both ways are loaded at the same time; which of them makes it wait networkQuality -s says, which loads one after the other",
                facts.place(at),
                ns / 1e6
            );
            facts.notes.push(note);
        }
        true
    }
}

/// What its connections and its server are; `assumed` follows that there are several.
fn noted(facts: &Facts, at: Place, assumed: &str) -> String {
    format!(
        "{}: networkQuality has several connections side by side{assumed}; it says nothing of a path to another server than its own",
        facts.place(at)
    )
}

/// The round trip of so many a minute, nanoseconds: `Low (90 RPM) (Accuracy: High)`, `High (46.815 milliseconds | 1281 RPM)`.
fn round_trip(value: &str) -> Option<f64> {
    let (before, _) = value.split_once(" RPM")?;
    let rpm = before.rsplit([' ', '(']).next().and_then(decimal)?;
    (rpm > 0.0).then(|| 60e9 / rpm)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    fn of(text: &str) -> Facts {
        let source = Source {
            name: "m.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        read(&[source])
    }

    /// What a test of a way says: its rate, its connections, and a figure.
    fn said(facts: &Facts, down: bool, name: &str) -> (f64, u32, Option<f64>) {
        let is_it = |t: &&Test| (t.client == Side::Receiver) == down;
        let test = facts.tests.iter().find(is_it).expect("it is reported");
        let report = test.received.as_ref().expect("its rate");
        let figure = test.numbers.get(name).map(|f| f.value);
        (report.goodput.value, test.streams, figure)
    }

    #[test]
    fn a_summary_is_a_test_of_each_way() {
        let facts = of(
            "$ networkQuality -v\n==== SUMMARY ====\nUplink capacity: 4.140 Mbps (Accuracy: High)\nDownlink capacity: 736.244 Mbps (Accuracy: High)\nResponsiveness: Low (90 RPM) (Accuracy: High)\nIdle Latency: 125.000 milliseconds (Accuracy: High)\nInterface: en0\nUplink bytes transferred: 21.890 MB\nDownlink bytes transferred: 1.127 GB\nUplink Flow count: 12\nDownlink Flow count: 16\nStart: 5/16/23, 16:44:44\nEnd: 5/16/23, 16:45:00\nOS Version: Version 13.3.1 (a) (Build 22E772610a)\n",
        );
        assert_eq!(facts.ignored_count, [0]);
        assert_eq!(facts.tests.len(), 2);
        let (up, streams, rest) = said(&facts, false, "handshake_rtt_ns");
        assert_eq!((up.round(), streams, rest), (4_140_000.0, 12, Some(125e6)));
        let (down, streams, loaded) = said(&facts, true, "rtt_loaded_ns");
        assert_eq!((down.round(), streams, loaded), (736_244_000.0, 16, None));
        let notes = facts.notes.join("\n");
        assert!(notes.contains("takes 667 ms while both ways"), "{notes}");
        // It printed how many connections it had.
        assert!(!notes.contains("assumed"), "{notes}");
        let both = said(&facts, true, LOADED_BOTH).2.map(f64::round);
        assert_eq!(both, Some(666_666_667.0));
        let other = [false, true].map(|down| said(&facts, down, OTHER_WAY).2);
        assert_eq!(other.map(|n| n.map(f64::round)), [Some(178.0), Some(0.0)]);
    }

    #[test]
    fn ways_that_are_loaded_one_after_the_other_have_round_trips_of_their_own() {
        let facts = of(
            "==== SUMMARY ====\nUpload capacity: 36.633 Mbps\nDownload capacity: 865.296 Mbps\nUpload flows: 16\nDownload flows: 12\nUpload Responsiveness: Medium (40.000 milliseconds | 1500 RPM)\nDownload Responsiveness: High (2000 RPM)\n",
        );
        assert_eq!(facts.ignored_count, [0]);
        assert_eq!(said(&facts, true, LOADED_BOTH).2, None);
        let of = |down: bool| said(&facts, down, "rtt_loaded_ns").2.map(f64::round);
        assert_eq!([of(false), of(true)], [Some(40e6), Some(30e6)]);
        // Prose of capacities is none of it.
        let facts = self::of("Uplink capacity: 50 Mbps\nDownlink capacity: 100 Mbps\n");
        assert!(facts.tests.is_empty());
    }
}
