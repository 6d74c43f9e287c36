//! The summary that flent prints: means and medians of its series.

use super::{Facts, Line, Tool};
use crate::fact::Figure;
use crate::seen::{Report, Test};
use crate::words::{decimal, number};

/// The state of reading: whether a summary has begun, and the round trip under its load.
#[derive(Default)]
pub(super) struct Flent {
    begun: bool,
    rtt: Option<Figure>,
}

/// Rates of a summary that are of one connection, or of all the same way.
const RATES: [&str; 5] = [
    "TCP download",
    "TCP upload",
    "TCP download sum",
    "TCP upload sum",
    "TCP totals",
];

impl Tool for Flent {
    fn name(&self) -> &'static str {
        "flent"
    }

    /// ` TCP download     :        18.20        18.42 Mbits/s         301`.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if text.starts_with("Summary of ") && text.contains(" test run ") {
            (self.begun, self.rtt) = (true, None);
            return true;
        }
        if !self.begun || !going {
            return false;
        }
        let Some((name, values)) = text.split_once(" : ") else {
            return text.starts_with("Title: ")
                || text.contains("# data pts")
                || text.starts_with("Test run from ");
        };
        let words: Vec<&str> = values.split_whitespace().collect();
        let [mean, middle, unit, ..] = words[..] else {
            return false;
        };
        let (Some(mean), Some(middle)) = (number(mean, line.at), decimal(middle)) else {
            return false;
        };
        let name = name.trim();
        match unit {
            "ms" if name.starts_with("Ping (ms) ICMP") => {
                // The middle one: load is there most of the time.
                self.rtt = Some(Figure::exact(middle * 1e6, line.at));
            }
            "Mbits/s" if RATES.contains(&name) => {
                let mut test = Test::new("flent", line.at);
                name.clone_into(&mut test.name);
                test.received = Some(Report {
                    goodput: mean.times(1e6),
                    bytes: None,
                    seconds: 0.0,
                });
                if let Some(rtt) = &self.rtt {
                    test.set("rtt_loaded_ns", rtt.clone());
                }
                facts.tests.push(test);
            }
            _ => {}
        }
        true
    }
}
