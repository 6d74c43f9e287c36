//! Times that people name above what they paste: `Monday:`, `Today:`, `before the maintenance:`.

/// A time that a heading names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Period {
    /// One that is over, by its word.
    Past(String),
    /// That of the text.
    Present,
}

/// Words of times that are over, and of the time of the text.
const PAST: [&str; 11] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "yesterday",
    "previously",
    "formerly",
    "earlier",
];
const PRESENT: [&str; 3] = ["today", "now", "currently"];

/// What was the last one is over.
const SPANS: [&str; 5] = ["night", "week", "month", "year", "time"];

/// What lies before a test, or in it, or behind it, is of the same time.
const TESTS: [&str; 19] = [
    "test",
    "tests",
    "testing",
    "iperf",
    "iperf3",
    "run",
    "runs",
    "running",
    "transfer",
    "transfers",
    "copy",
    "download",
    "upload",
    "load",
    "loaded",
    "start",
    "starting",
    "while",
    "during",
];

impl Period {
    /// The time that the words of a heading name, in small letters; none where they name several.
    pub(crate) fn of(words: &[String]) -> Option<Period> {
        let find = |list: &[&str]| words.iter().find(|w| list.contains(&w.as_str()));
        let has = |word: &str| words.iter().any(|w| w == word);
        let last = words
            .windows(2)
            .any(|two| two[0] == "last" && SPANS.contains(&two[1].as_str()));
        let of_event = find(&TESTS).is_none();
        let past = find(&PAST)
            .cloned()
            .or_else(|| last.then(|| "last".to_owned()))
            .or_else(|| (of_event && has("before")).then(|| "before".to_owned()));
        let present = find(&PRESENT).is_some() || of_event && has("after");
        match (past, present) {
            (Some(word), false) => Some(Period::Past(word)),
            (None, true) => Some(Period::Present),
            _ => None,
        }
    }

    /// Whether what stands under two headings, or under none, is of different times.
    pub(crate) fn differ(one: Option<&Period>, other: Option<&Period>) -> bool {
        match (one, other) {
            (Some(Period::Past(a)), Some(Period::Past(b))) => a != b,
            (Some(Period::Past(_)), _) | (_, Some(Period::Past(_))) => true,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Option<Period> {
        let words = text.split(' ').map(str::to_owned);
        Period::of(&words.collect::<Vec<String>>())
    }

    #[test]
    fn headings_name_times() {
        let past = |word: &str| Some(Period::Past(word.to_owned()));
        assert_eq!(of("monday"), past("monday"));
        assert_eq!(of("before the maintenance idle"), past("before"));
        assert_eq!(of("last week"), past("last"));
        for present in ["today nothing else running", "after the maintenance", "now"] {
            assert_eq!(of(present), Some(Period::Present), "{present}");
        }
        // A ping before a test is of its time.
        for none in [
            "ping before the test",
            "before and after",
            "monday and today",
            "a b",
        ] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn a_time_that_is_over_is_another() {
        let [monday, friday] = ["monday", "friday"].map(|day| Period::Past(day.to_owned()));
        let now = Period::Present;
        assert!(Period::differ(Some(&monday), Some(&now)));
        assert!(Period::differ(Some(&monday), Some(&friday)));
        assert!(Period::differ(None, Some(&monday)));
        assert!(!Period::differ(None, Some(&now)));
        assert!(!Period::differ(Some(&monday), Some(&monday)));
        assert!(!Period::differ(None, None));
    }
}
