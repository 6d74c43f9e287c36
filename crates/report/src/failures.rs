//! Expectations that failed, as sentences below the table.

use farpath_record::quantity::exact;
use farpath_record::{Expectation, Keys, Origin, Results, RunDocument};

use crate::band::{band, is_withheld, print, source_words};
use crate::few;
use crate::paths::points;
use crate::rows::far;

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
            let stated = source_words(e);
            line += &stated.map_or(String::new(), |words| match above.0 {
                Some(same) if same == words && words.len() > AS_ABOVE.len() => {
                    format!(" (stated: {AS_ABOVE})")
                }
                _ => format!(" (stated: {words})"),
            });
            line += &match &doubt {
                Some(one) if doubt == above.1 && one.starts_with(FAR) => {
                    format!("; the forecast is as far from it, {AS_ABOVE}")
                }
                Some(_) if doubt == above.1 => {
                    format!("; the forecast is out of range, {AS_ABOVE}")
                }
                Some(doubt) => format!("; the forecast is {doubt}"),
                None => String::new(),
            };
            line += few::doubt(run, e);
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

/// What is to be said of a failure where the closed form that failed is noted as outside its range.
pub(crate) fn out_of_range(run: &RunDocument, e: &Expectation) -> Option<String> {
    let (test, _) = e.metric.split_once('.')?;
    let mut records = run.records.iter();
    let record = records.find(|r| {
        let same = r.test == test && r.point == e.point;
        same && r.origin == e.origin && r.origin == Origin::Predicted
    })?;
    let said = match record.out_of_range() {
        Some(note) => note,
        None if is_far(run, e) => FAR,
        None => return None,
    };
    Some(format!(
        "{said}; `origins = [\"simulated\", \"emulated\"]` judges what packets did alone"
    ))
}

/// What is to be said of a forecast that is marked, without a note of its formula.
const FAR: &str = "far from what was simulated, which is as expected: the closed form leaves out what happened there";

/// Whether a forecast that fails is marked in the table, and what was simulated lies inside the band.
fn is_far(run: &RunDocument, e: &Expectation) -> bool {
    let results = Results {
        records: &run.records,
        links: &run.links,
    };
    let simulated = results.value(&e.metric, Origin::Simulated, &e.point);
    let packets = Expectation {
        actual: simulated,
        ..e.clone()
    };
    packets.is_inside() && far(run, &e.metric, &e.point)
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
    let mut actual = e.actual.map_or_else(none, print);
    if let Some(partly) = e.repeats {
        actual += &format!(", {}", partly.words());
    }
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
        (None, _) if e.asks && e.actual.is_some() => format!("not as expected{file}"),
        (None, _) if is_withheld(e) => file.trim_start_matches([',', ' ']).to_owned(),
        (None, _) => format!("{}expected {band}{file}", by_how_much(e)),
    };
    format!(
        "{}, {}{point}: {actual}, {expected}",
        e.metric,
        e.origin.name()
    )
}

/// How far a value is from the nearest bound, of that: `8.6 % below `; nothing of a bound of 0, or without a value.
fn by_how_much(e: &Expectation) -> String {
    let of = |value: f64, bound: f64| (value - bound).abs() / bound.abs();
    let below = e.min.zip(e.actual).filter(|(min, v)| v < min);
    let above = e.max.zip(e.actual).filter(|(max, v)| v > max);
    let (word, bound, value) = match (below, above) {
        (Some((bound, value)), _) => ("below", bound, value),
        (None, Some((bound, value))) => ("above", bound, value),
        (None, None) => return String::new(),
    };
    if bound == 0.0 {
        return String::new();
    }
    let percent = of(value, bound) * 100.0;
    // Two digits; what is more than the bound itself has no fraction.
    let text = match percent {
        p if p >= 9.95 => format!("{p:.0}"),
        p if p >= 0.995 => format!("{p:.1}"),
        p if p >= 0.0095 => format!("{p:.2}"),
        p => format!("{p:.0e}"),
    };
    format!("{text} % {word} ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::Record;

    fn of(
        origin: Origin,
        actual: Option<f64>,
        (min, max): (Option<f64>, Option<f64>),
    ) -> Expectation {
        Expectation {
            min,
            max,
            actual,
            ..Expectation::new(origin, "bulk.goodput_bps")
        }
    }

    fn said(e: Expectation) -> String {
        let mut run = RunDocument::new("s", 1, String::new());
        run.expectations.push(e);
        failures(&run).concat()
    }

    #[test]
    fn a_failure_says_by_how_much() {
        let band = (Some(47e6), Some(48e6));
        let low = said(of(Origin::Simulated, Some(42.9e6), band));
        assert!(
            low.ends_with(": 42.900 Mbit/s, 8.7 % below expected 47 Mbit/s to 48 Mbit/s"),
            "{low}"
        );
        let high = said(of(Origin::Simulated, Some(72e6), band));
        assert!(high.contains("50 % above expected"), "{high}");
        let zero = said(of(Origin::Simulated, Some(1e6), (None, Some(0.0))));
        assert!(
            zero.ends_with("1 Mbit/s, expected at most 0 bit/s"),
            "{zero}"
        );
    }

    /// What marks want was printed where a result is missing.
    #[test]
    fn marks_that_keep_their_band_say_what_is_missing_alone() {
        let mut missing = of(Origin::Simulated, None, (None, None));
        missing.file = Some("marks.toml".to_owned());
        missing.absent = Some("nothing was delivered".to_owned());
        assert_eq!(
            said(missing),
            "bulk.goodput_bps, simulated: no such result (nothing was delivered), by marks.toml"
        );
    }

    /// The median of the one of eight that recovered stood without a word on the seven.
    #[test]
    fn a_failure_says_of_how_many_repeats_it_is() {
        let mut one = of(Origin::Simulated, Some(72e6), (None, Some(48e6)));
        one.repeats = Some(farpath_record::Partly { have: 5, of: 8 });
        let text = said(one.clone());
        let words = "simulated: 72 Mbit/s, 5 of 8 repeats have it, 50 % above expected";
        assert!(text.contains(words), "{text}");
        one.actual = None;
        one.repeats = Some(farpath_record::Partly { have: 1, of: 8 });
        one.absent = Some("repeat 1: nothing was delivered".to_owned());
        let text = said(one);
        let words = "(repeat 1: nothing was delivered), 1 of 8 repeats has it, expected at most";
        assert!(text.contains(words), "{text}");
    }

    /// Who had stated the right figure, and built something else, was given the band.
    #[test]
    fn marks_that_ask_keep_their_band_from_a_right_answer_too() {
        let mut asks = of(Origin::Simulated, Some(42.9e6), (Some(47e6), Some(48e6)));
        asks.file = Some("marks.toml".to_owned());
        asks.stated = Some("half of the line".to_owned());
        asks.asks = true;
        assert_eq!(
            said(asks),
            "bulk.goodput_bps, simulated: 42.900 Mbit/s, not as expected, by marks.toml"
        );
    }

    /// A forecast far from what packets did failed without a word.
    #[test]
    fn a_marked_forecast_that_fails_is_said_to_be_far() {
        let run = |simulated: f64| {
            let mut run = RunDocument::new("s", 1, String::new());
            for (origin, goodput) in [(Origin::Predicted, 1.9e6), (Origin::Simulated, simulated)] {
                let mut record = Record::new(origin, "bulk", "tcp", "a", "b");
                record.set("goodput_bps", goodput);
                run.records.push(record);
            }
            run.expectations = vec![of(Origin::Predicted, Some(1.9e6), (Some(4e6), Some(6e6)))];
            failures(&run).concat()
        };
        let far = run(5e6);
        let words = "the closed form leaves out what happened there; `origins = [\"simulated\", \"emulated\"]` judges";
        assert!(far.contains(words), "{far}");
        // What packets did fails as well.
        assert!(!run(7e6).contains(words));
    }

    /// A law that does not hold failed runs whose packets did well, without a word.
    #[test]
    fn a_forecast_that_fails_outside_its_range_is_said_to_be() {
        let mut run = RunDocument::new("ocean", 1, String::new());
        let of = |origin, actual, pass| Expectation {
            pass,
            ..of(origin, Some(actual), (Some(50e6), None))
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
