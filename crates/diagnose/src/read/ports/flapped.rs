//! When the link of a port last went down or came up.

use crate::words::whole;

/// A link that changed longer ago than this is of another time than what is asked about, seconds. A choice.
const RECENT_S: f64 = 3600.0;

/// How long ago a link changed, as it was printed, where that is not long: `Last link flapped 00:03:12` of IOS XR and NX-OS,
/// `Last flapped   : 2026-11-30 03:09:11 UTC (00:03:12 ago)` of Junos, `Up 3 minutes, 12 seconds` of EOS.
pub(super) fn recently(text: &str) -> Option<&str> {
    let (ago, seconds) = if let Some(rest) = text.strip_prefix("Last link flapped ") {
        let ago = rest.trim_end_matches(" ago");
        (ago, clock(ago)?)
    } else if text.starts_with("Last flapped") {
        let (_, rest) = text.rsplit_once('(')?;
        let ago = rest.strip_suffix(" ago)")?;
        (ago, clock(ago)?)
    } else {
        let ago = text.strip_prefix("Up ")?;
        (ago, in_words(ago)?)
    };
    (seconds < RECENT_S).then_some(ago)
}

/// Seconds of `00:03:12`.
pub(super) fn clock(text: &str) -> Option<f64> {
    let mut parts = text.split(':').map(whole);
    let all = [parts.next()??, parts.next()??, parts.next()??];
    let seconds = all.iter().fold(0.0, |sum, part| sum * 60.0 + *part as f64);
    parts.next().is_none().then_some(seconds)
}

/// Seconds of `3 minutes, 12 seconds`; none of what has longer units than hours.
fn in_words(text: &str) -> Option<f64> {
    let of = |part: &str| {
        let (count, unit) = part.split_once(' ')?;
        let worth = match unit.trim_end_matches('s') {
            "second" => 1.0,
            "minute" => 60.0,
            "hour" => 3600.0,
            _ => return None,
        };
        Some(whole(count)? as f64 * worth)
    };
    text.split(", ").map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_that_changed_within_the_hour_is_seen() {
        for (text, ago) in [
            ("Last link flapped 00:03:12", Some("00:03:12")),
            ("Last link flapped 3w0d", None),
            ("Last link flapped 8week(s) 2day(s)", None),
            ("Last link flapped 05:03:12", None),
            (
                "Last flapped   : 2026-11-30 03:09:11 UTC (00:03:12 ago)",
                Some("00:03:12"),
            ),
            (
                "Last flapped   : 2026-11-02 03:09:11 UTC (4w0d 00:03 ago)",
                None,
            ),
            ("Up 3 minutes, 12 seconds", Some("3 minutes, 12 seconds")),
            ("Up 27 days, 19 hours, 38 minutes, 9 seconds", None),
            ("Up to the lab", None),
        ] {
            assert_eq!(recently(text), ago, "{text}");
        }
    }
}
