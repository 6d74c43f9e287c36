//! Expectations that failed, as sentences below the table.

use farpath_record::quantity::{decimal, exact, is_decimal, quantity};
use farpath_record::{Expectation, Keys, Origin, RunDocument};

use crate::table::points;

/// Failures of one expectation that are listed one by one; the table marks the others.
const LISTED: usize = 4;

/// What failed, line by line: each expectation's failures together, in the order of the table's points.
pub(crate) fn failures(run: &RunDocument) -> Vec<String> {
    let (points, keys) = (points(run), Keys::of(run));
    let mut groups: Vec<Vec<&Expectation>> = Vec::new();
    for failed in run.expectations.iter().filter(|e| !e.pass) {
        let same = |g: &&mut Vec<&Expectation>| {
            g[0].metric == failed.metric && (g[0].min, g[0].max) == (failed.min, failed.max)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(failed),
            None => groups.push(vec![failed]),
        }
    }
    let mut lines = Vec::new();
    for group in &mut groups {
        group.sort_by_key(|e| (points.iter().position(|p| **p == e.point), e.origin));
        // One that is left over is no longer than to say so.
        let listed = if group.len() > LISTED + 1 {
            LISTED
        } else {
            group.len()
        };
        // What lines of one expectation have alike is said once.
        let mut above: (Option<&str>, Option<String>) = (None, None);
        for e in &group[..listed] {
            let doubt = out_of_range(run, e);
            let mut line = failure(e, &keys);
            let stated = e.stated.as_deref();
            line += &stated.map_or(String::new(), |words| match above.0 {
                Some(same) if same == words && words.len() > AS_ABOVE.len() => {
                    format!(" (stated: {AS_ABOVE})")
                }
                _ => format!(" (stated: {words})"),
            });
            line += &match &doubt {
                Some(_) if doubt == above.1 => {
                    format!("; the forecast is out of range, {AS_ABOVE}")
                }
                Some(doubt) => format!("; the forecast is {doubt}"),
                None => String::new(),
            };
            lines.push(line);
            above = (stated.or(above.0), doubt.or(above.1));
        }
        if listed < group.len() {
            let more = group.len() - listed;
            lines.push(format!(
                "{}: {more} more, marked in the table",
                group[0].metric
            ));
        }
    }
    lines
}

/// What stands in place of words that a line above has.
const AS_ABOVE: &str = "as above";

/// How notes of forecasts begin whose formula does not hold for the test.
const OUT_OF_RANGE: &str = "outside the formula";

/// What is to be said of a failure where the closed form that failed is noted as outside its range.
pub(crate) fn out_of_range(run: &RunDocument, e: &Expectation) -> Option<String> {
    let (test, _) = e.metric.split_once('.')?;
    let mut records = run.records.iter();
    let record = records.find(|r| {
        let same = r.test == test && r.point == e.point;
        same && r.origin == e.origin && r.origin == Origin::Predicted
    })?;
    let note = record.notes.iter().find(|n| n.contains(OUT_OF_RANGE))?;
    Some(format!(
        "{note}; `origins = [\"simulated\", \"emulated\"]` judges what packets did alone"
    ))
}

/// The values that an expectation allows, in words.
pub(crate) fn band(e: &Expectation, print: impl Fn(f64) -> String) -> String {
    match (e.min, e.max) {
        (Some(min), Some(max)) if print(min) == print(max) => {
            let half = (max - min) / 2.0;
            let around = format!("{} ± {}", print(min + half), quantity(&e.metric, half));
            if half > 0.0 { around } else { print(min) }
        }
        (Some(min), Some(max)) => format!("{} to {}", print(min), print(max)),
        (Some(min), None) => format!("at least {}", print(min)),
        (None, Some(max)) => format!("at most {}", print(max)),
        (None, None) => "any value".to_owned(),
    }
}

/// A value of an expectation's metric in the kind of unit that its bounds were written in.
pub(crate) fn print(e: &Expectation, value: f64) -> String {
    // `256 kB` with its tolerance has ends that may be whole numbers of KiB.
    let middle = e.min.zip(e.max).map(|(min, max)| (min + max) / 2.0);
    let decimally = [e.min, e.max, middle].into_iter().flatten().any(is_decimal);
    match decimally {
        true => decimal(&e.metric, value),
        false => quantity(&e.metric, value),
    }
}

/// What failed, in one sentence without what the source states.
fn failure(e: &Expectation, keys: &Keys) -> String {
    let point = if e.point.is_empty() {
        String::new()
    } else {
        format!(" at {}", keys.words(&e.point))
    };
    let print = |v: f64| print(e, v);
    // Where rounding hides the difference, all digits are shown.
    let hidden = e.actual.is_some_and(|v| {
        [e.min, e.max]
            .iter()
            .flatten()
            .any(|b| print(*b) == print(v) && *b != v)
    });
    let print = |v: f64| {
        if hidden {
            exact(&e.metric, v)
        } else {
            print(v)
        }
    };
    let band = band(e, print);
    let none = || match &e.absent {
        Some(why) => format!("no such result ({why})"),
        None => "no such result".to_owned(),
    };
    let actual = e.actual.map_or_else(none, print);
    let file = e
        .file
        .as_ref()
        .map_or(String::new(), |f| format!(", by {f}"));
    let expected = match (&e.unstated, e.is_inside()) {
        (Some(why), true) => {
            let by = file.trim_start_matches(',');
            format!("as expected{by}; the answer fails: {why}")
        }
        (Some(why), false) => {
            format!("not as expected{file}; and the answer fails: {why}")
        }
        (None, _) => format!("expected {band}{file}"),
    };
    format!(
        "{}, {}{point}: {actual}, {expected}",
        e.metric,
        e.origin.name()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::Record;

    /// A law that does not hold failed runs whose packets did well, without a word.
    #[test]
    fn a_forecast_that_fails_outside_its_range_is_said_to_be() {
        let mut run = RunDocument::new("ocean", 1, String::new());
        let of = |origin, actual, pass| Expectation {
            metric: "bulk.goodput_bps".to_owned(),
            origin,
            point: Default::default(),
            min: Some(50e6),
            max: None,
            actual: Some(actual),
            absent: None,
            unstated: None,
            stated: None,
            source: None,
            note: None,
            file: None,
            pass,
        };
        run.expectations = vec![of(Origin::Predicted, 20e6, false)];
        run.records = vec![Record::new(Origin::Predicted, "bulk", "tcp", "a", "b")];
        let plain = failures(&run);
        assert!(!plain[0].contains("forecast"), "{plain:?}");
        let law = "outside the formula's range: it is the mean of many losses";
        run.records[0].notes.push(law.to_owned());
        let said = failures(&run);
        let end =
            format!("; the forecast is {law}; `origins = [\"simulated\", \"emulated\"]` judges");
        assert!(said[0].contains(&end), "{said:?}");
        // A sweep had the source's words and the forecast's doubt at each of its points.
        let quoted = "at the 400 ms that the satellite has, TCP was given 20 Mbit/s";
        run.expectations = ["a", "b"]
            .map(|file| Expectation {
                stated: Some(quoted.to_owned()),
                file: Some(file.to_owned()),
                ..of(Origin::Predicted, 20e6, false)
            })
            .into();
        let said = failures(&run);
        assert!(
            said[0].contains(quoted) && said[0].contains(law),
            "{said:?}"
        );
        let again = " (stated: as above); the forecast is out of range, as above";
        assert!(said[1].ends_with(again), "{said:?}");
        // What packets did is what they did.
        run.expectations = vec![of(Origin::Simulated, 20e6, false)];
        assert!(!failures(&run)[0].contains("forecast"));
    }
}
