//! What a program says of its requests, in its log or in a ticket: `report done: 2031 queries in 45.2 s`.

use super::{Facts, Line, Tool};
use crate::fact::Of;
use crate::words::{decimal, whole};

/// How many requests a text counts, and in which time, nanoseconds.
pub(crate) const COUNT: &str = "requests_counted";
pub(crate) const TOOK: &str = "requests_took_ns";

/// Those that are counted fetch rows of a database, as many at a time as the program asks for, and which program says it.
pub(crate) const FETCHES: &str = "requests_fetch";

/// The state of reading: none.
pub(super) struct Queries;

/// What is counted.
const NOUNS: [&str; 5] = ["queries", "requests", "statements", "transactions", "calls"];

/// Units of a time, and how many seconds each has.
const UNITS: [(&str, f64); 10] = [
    ("ms", 1e-3),
    ("msec", 1e-3),
    ("s", 1.0),
    ("sec", 1.0),
    ("secs", 1.0),
    ("second", 1.0),
    ("seconds", 1.0),
    ("min", 60.0),
    ("minute", 60.0),
    ("minutes", 60.0),
];

impl Tool for Queries {
    fn name(&self) -> &'static str {
        "requests"
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let Some((count, seconds)) = counted(line.bare) else {
            return false;
        };
        facts.exact(Of::Path, COUNT, count, line.at);
        facts.exact(Of::Path, TOOK, seconds * 1e9, line.at);
        true
    }
}

/// How many requests a line counts, and in how many seconds.
fn counted(text: &str) -> Option<(f64, f64)> {
    let around = |c: char| ",.;:()\"'".contains(c);
    let words: Vec<&str> = text
        .split_whitespace()
        .map(|w| w.trim_matches(around))
        .collect();
    let said = |n: usize| {
        let [count, noun, within, time] = words.get(n..n + 4)? else {
            return None;
        };
        let is_it = NOUNS.contains(noun) && *within == "in";
        let count = whole(&count.replace(',', "")).filter(|n| is_it && *n > 0)?;
        let seconds = lasted(time, words.get(n + 4).copied().unwrap_or(""))?;
        Some((count as f64, seconds))
    };
    (0..words.len()).find_map(said)
}

/// Seconds of `45.2s`, or of `45.2` and the unit behind it.
fn lasted(time: &str, behind: &str) -> Option<f64> {
    let end = time.find(|c: char| c.is_ascii_alphabetic());
    let (digits, unit) = time.split_at(end.unwrap_or(time.len()));
    let unit = if unit.is_empty() { behind } else { unit };
    let (_, worth) = UNITS.iter().find(|(name, _)| *name == unit)?;
    let seconds = decimal(digits)? * worth;
    (seconds > 0.0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_and_its_time_are_read() {
        for (text, said) in [
            ("report done: 2031 queries in 45.2 s", (2031.0, 45.2)),
            ("(2,031 requests in 45.2s).", (2031.0, 45.2)),
            ("120 statements in 2 minutes", (120.0, 120.0)),
            ("17 calls in 340 ms, all well", (17.0, 0.34)),
        ] {
            let (count, seconds) = counted(text).expect(text);
            assert_eq!(count, said.0, "{text}");
            assert!((seconds - said.1).abs() < 1e-9, "{text}");
        }
        for text in [
            "2031 queries in 45.2",
            "2031 queries in a row",
            "some queries in 45.2 s",
            "2031 rows in 45.2 s",
            "0 queries in 45.2 s",
        ] {
            assert_eq!(counted(text), None, "{text}");
        }
    }
}
