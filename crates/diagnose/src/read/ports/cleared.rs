//! When the counters of a port were last set to 0.

use super::flapped::clock;

/// What is said of counters that were cleared a day ago or more, or never: a day, seconds. They are that old at least.
const A_DAY_S: f64 = 86_400.0;

/// Units of more than a day, as a word or a letter begins: years, weeks, days, months.
const UNITS: [&str; 4] = ["y", "w", "d", "month"];

/// What is printed of that time. IOS, IOS XR and NX-OS have `Last clearing of "show interface" counters 00:10:03`, which EOS ends with `ago`,
/// and Junos `Statistics last cleared: 2026-11-26 02:50:01 UTC (00:15:11 ago)`, or `Never`.
fn since(text: &str) -> Option<&str> {
    if let Some(ago) = text.strip_prefix("Last clearing of \"show interface\" counters ") {
        return Some(ago.strip_suffix(" ago").unwrap_or(ago));
    }
    let rest = text.strip_prefix("Statistics last cleared: ")?;
    match rest.rsplit_once('(') {
        Some((_, ago)) => ago.strip_suffix(" ago)"),
        None => Some(rest),
    }
}

/// How long ago that was, seconds, where it was within a day.
pub(super) fn ago(text: &str) -> Option<f64> {
    clock(since(text)?)
}

/// A day, seconds, where it was a day ago or more, or never.
pub(super) fn long_ago(text: &str) -> Option<f64> {
    let since = since(text)?.trim().to_ascii_lowercase();
    let digits = since.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = since.split_at(digits);
    let some = number.parse::<u32>().is_ok_and(|n| n > 0);
    let long = UNITS.iter().any(|u| unit.trim_start().starts_with(u));
    (since == "never" || some && long).then_some(A_DAY_S)
}

#[cfg(test)]
mod tests {
    use super::{A_DAY_S, ago, long_ago};

    #[test]
    fn counters_that_were_cleared_within_a_day_say_when() {
        for (text, seconds) in [
            (
                "Last clearing of \"show interface\" counters 00:10:03",
                Some(603.0),
            ),
            (
                "Last clearing of \"show interface\" counters 0:30:00 ago",
                Some(1800.0),
            ),
            (
                "Statistics last cleared: 2026-11-26 02:50:01 UTC (00:15:11 ago)",
                Some(911.0),
            ),
            ("Statistics last cleared: Never", None),
            ("Last clearing of \"show interface\" counters never", None),
            ("Last clearing of \"show interface\" counters 1d02h", None),
            (
                "Last clearing of \"show interface\" counters 3 days, 2:11:05 ago",
                None,
            ),
        ] {
            assert_eq!(ago(text), seconds, "{text}");
            let long = seconds.is_none().then_some(A_DAY_S);
            assert_eq!(long_ago(text), long, "{text}");
        }
    }

    /// What is not understood may be of any time.
    #[test]
    fn other_words_are_not_long_ago() {
        for text in [
            "Last clearing of \"show interface\" counters 0 days ago",
            "Last clearing of \"show interface\" counters lately",
            "Statistics last cleared: ",
            "Last input never",
        ] {
            assert_eq!(long_ago(text), None, "{text}");
        }
        let weeks = "Last clearing of \"show interface\" counters 41 weeks, 2 days ago";
        assert_eq!(long_ago(weeks), Some(A_DAY_S));
        let junos = "Statistics last cleared: 2026-11-20 02:50:01 UTC (1w1d 00:15 ago)";
        assert_eq!(long_ago(junos), Some(A_DAY_S));
    }
}
