//! What limited a test, for people.

use std::collections::{BTreeMap, BTreeSet};

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
/// all are said with their names, what is closest to reality first. Of several repeats the word is of the one in the middle.
pub(crate) fn limits_of(run: &RunDocument, test: &str, point: &Point) -> String {
    let of_test = run.records.iter().filter(|r| r.test == test);
    let is_here = |r: &&Record| r.point == *point;
    let ran = of_test
        .clone()
        .filter(is_here)
        .any(|r| r.origin != Origin::Predicted);
    let heard = of_test.filter(|r| !(ran && r.origin == Origin::Predicted));
    // A stream of datagrams goes as fast as its application says: no news, but where it does not at another point.
    let is_news = |r: &Record| r.kind != "udp" || r.limited_by.as_deref() != Some("application");
    let mut known = heard.clone().filter(|r| r.limited_by.is_some());
    if !known.any(is_news) {
        return String::new();
    }
    let mut repeats: BTreeMap<Origin, Vec<&Record>> = BTreeMap::new();
    for record in heard.filter(is_here) {
        repeats.entry(record.origin).or_default().push(record);
    }
    let said = repeats.into_iter().rev().filter_map(|(origin, all)| {
        let record = in_the_middle(all)?;
        Some((origin, record, limit_of(record)?))
    });
    let all: Vec<(Origin, &Record, String)> = said.collect();
    match all.split_first() {
        Some(((_, record, first), rest)) if rest.iter().all(|(.., w)| w == first) => {
            let places = all.iter().filter_map(|(_, r, _)| r.limited_at.as_deref());
            let places: BTreeSet<&str> = places.collect();
            match places.len() {
                1 => placed_limit_of(record).unwrap_or_default(),
                _ => first.clone(),
            }
        }
        _ => {
            let named = all.iter().map(|(o, _, w)| format!("{w} ({})", o.name()));
            named.collect::<Vec<_>>().join(", ")
        }
    }
}

/// What limited the test of a record in words, and where.
pub(crate) fn placed_limit_of(record: &Record) -> Option<String> {
    let words = limit_of(record)?;
    let place = record.limited_at.as_deref();
    Some(match place.filter(|_| words != OUTAGE) {
        Some(place) => format!("{words} ({place})"),
        None => words,
    })
}

/// What says of repeats which is in the middle: the first of these that all of them have.
const BY: [&str; 3] = ["goodput_bps", "completion_ns", "loss_ratio"];

/// Of the repeats that say what limited them the one in the middle, the lower of two; the last where nothing orders them.
fn in_the_middle(repeats: Vec<&Record>) -> Option<&Record> {
    let known = repeats.into_iter().filter(|r| limit_of(r).is_some());
    let mut known: Vec<&Record> = known.collect();
    let has = |name: &&str| known.iter().all(|r| r.metrics.contains_key(*name));
    let Some(by) = BY.iter().copied().find(has) else {
        return known.pop();
    };
    let value = |r: &Record| r.metrics.get(by).copied().unwrap_or(f64::NAN);
    known.sort_by(|a, b| value(a).total_cmp(&value(b)));
    let middle = known.len().checked_sub(1)? / 2;
    known.get(middle).copied()
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

    /// A stream that loses nothing at one rate, and most of it at another: both are said, for one is not the other.
    #[test]
    fn a_stream_that_its_application_limits_at_one_point_is_said_beside_others() {
        let said = |other: &str| {
            let mut run = RunDocument::new("s", 1, String::new());
            for (rate, limit) in [("1 Mbit/s", "application"), ("12 Mbit/s", other)] {
                let mut one = Record::new(Origin::Simulated, "u", "udp", "a", "b");
                one.point = [("test.u.rate".to_owned(), rate.to_owned())].into();
                one.limited_by = Some(limit.to_owned());
                one.limited_at = Some("n r>b".to_owned()).filter(|_| limit == "link");
                run.records.push(one);
            }
            [0, 1].map(|n| limits_of(&run, "u", &run.records[n].point))
        };
        assert_eq!(said("link"), ["the application", "a link (n r>b)"]);
        assert_eq!(said("application"), ["", ""]);
    }

    /// Two repeats lost by chance, and the last, which lost most, at a queue that others filled: the median is the first's.
    #[test]
    fn of_several_repeats_the_one_in_the_middle_says_what_limited() {
        let said = |repeats: &[(f64, &str)]| {
            let mut run = RunDocument::new("s", 1, String::new());
            for (goodput, limit) in repeats {
                let mut one = Record::new(Origin::Simulated, "u", "udp", "a", "b");
                one.set("goodput_bps", *goodput);
                one.limited_by = Some((*limit).to_owned());
                run.records.push(one);
            }
            limits_of(&run, "u", &Point::new())
        };
        let lossy = [(4.94e6, "loss"), (4.95e6, "loss"), (4.91e6, "link")];
        assert_eq!(said(&lossy), "loss");
        let full = [(4.94e6, "link"), (4.95e6, "loss"), (4.91e6, "loss")];
        assert_eq!(said(&full), "a link");
        assert_eq!(said(&[(4.94e6, "link")]), "a link");
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
