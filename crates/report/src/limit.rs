//! What limited a test, for people.

use std::collections::BTreeMap;

use farpath_observe::limit::WORDS;
use farpath_record::{Origin, Point, Record, RunDocument};

/// What is said of a test whose path was down.
const OUTAGE: &str = "an outage";

/// What limited the test of a record in words; that its path was down, where that took more of all its time than anything else. Nothing
/// where the record does not say.
pub(crate) fn limit_of(record: &Record) -> Option<String> {
    let limit = record.limited_by.as_deref()?;
    let name = "outage_ratio";
    let down = record.metrics.get(name).copied().unwrap_or(0.0);
    // Shares are of the time in which the path was up.
    let of = |stream: &farpath_record::StreamRecord| {
        let up = 1.0 - stream.metrics.get(name).copied().unwrap_or(0.0);
        up * stream.limited_by.get(limit).copied().unwrap_or(0.0)
    };
    let count = record.streams.len().max(1) as f64;
    let share = record.streams.iter().map(of).sum::<f64>() / count;
    let words = match share > 0.0 && down > share {
        true => OUTAGE.to_owned(),
        false => limit_words(limit),
    };
    Some(words)
}

/// What limited a test at a point, by the origins that ran it; a forecast speaks where nothing else was run. Where they contradict each other
/// all are said with their names, what is closest to reality first.
pub(crate) fn limits_of(run: &RunDocument, test: &str, point: &Point) -> String {
    let of_test = run.records.iter();
    let of_test = of_test.filter(|r| r.test == test && r.point == *point);
    let ran = of_test.clone().any(|r| r.origin != Origin::Predicted);
    let mut said: BTreeMap<Origin, (&Record, String)> = BTreeMap::new();
    for record in of_test.filter(|r| !(ran && r.origin == Origin::Predicted)) {
        let words = limit_of(record);
        said.extend(words.map(|words| (record.origin, (record, words))));
    }
    // A stream of datagrams goes as fast as its application says: no news.
    let is_news = |r: &Record| r.kind != "udp" || r.limited_by.as_deref() != Some("application");
    if !said.values().any(|(record, _)| is_news(record)) {
        return String::new();
    }
    let all: Vec<(Origin, String)> = said.into_iter().rev().map(|(o, (_, w))| (o, w)).collect();
    match all.split_first() {
        Some(((_, first), rest)) if rest.iter().all(|(_, w)| w == first) => first.clone(),
        _ => {
            let named = all.iter().map(|(o, w)| format!("{w} ({})", o.name()));
            named.collect::<Vec<_>>().join(", ")
        }
    }
}

/// A word of `limited_by` as pages write it: `the receive window` for `receive_window`. A word that is unknown here, of a
/// later version, has blanks for its underscores.
pub fn limit_words(limit: &str) -> String {
    let known = WORDS.iter().find(|(_, name, _)| *name == limit);
    known.map_or_else(
        || limit.replace('_', " "),
        |(.., words)| (*words).to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_record::StreamRecord;

    #[test]
    fn origins_that_contradict_each_other_are_both_said() {
        let said = |limits: &[(Origin, &str)]| {
            let mut run = RunDocument::new("s", 1, String::new());
            for (origin, limit) in limits {
                let mut one = Record::new(*origin, "bulk", "tcp", "a", "b");
                one.limited_by = Some((*limit).to_owned());
                run.records.push(one);
            }
            limits_of(&run, "bulk", &Point::new())
        };
        let (predicted, simulated) = (Origin::Predicted, Origin::Simulated);
        let window = (simulated, "receive_window");
        assert_eq!(
            said(&[(predicted, "link"), window, (Origin::Emulated, "policer")]),
            format!(
                "{} (emulated), the receive window (simulated)",
                limit_words("policer")
            )
        );
        let both = said(&[(predicted, "link"), window, (Origin::Emulated, window.1)]);
        assert_eq!(both, "the receive window");
        assert_eq!(said(&[(predicted, "link")]), limit_words("link"));
        assert_eq!(said(&[]), "");
    }

    /// 66 % of a test waited for the timer behind an outage, and the receive window, 61 % of the rest, was named.
    #[test]
    fn an_outage_that_takes_most_of_all_the_time_is_named() {
        let of = |down: f64| {
            let mut one = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
            one.limited_by = Some("receive_window".to_owned());
            one.set("outage_ratio", down);
            let mut stream = StreamRecord::default();
            stream.metrics.insert("outage_ratio".to_owned(), down);
            let share = ("receive_window".to_owned(), 0.6);
            stream.limited_by.extend([share]);
            one.streams.push(stream);
            limit_of(&one)
        };
        // Of all the time the window has 0.6 times 0.34, or 0.65.
        assert_eq!(of(0.66).as_deref(), Some("an outage"));
        assert_eq!(of(0.35).as_deref(), Some("the receive window"));
        let unknown = Record::new(Origin::Simulated, "bulk", "tcp", "a", "b");
        assert_eq!(limit_of(&unknown), None);
    }
}
