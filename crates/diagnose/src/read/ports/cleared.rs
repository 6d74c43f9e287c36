//! When the counters of a port were last set to 0.

use super::flapped::clock;

/// How long ago that was, seconds, where it was within a day. IOS, IOS XR and NX-OS have `Last clearing of "show interface" counters 00:10:03`,
/// which EOS ends with `ago`, and Junos `Statistics last cleared: 2026-11-26 02:50:01 UTC (00:15:11 ago)`.
pub(super) fn ago(text: &str) -> Option<f64> {
    let ago = match text.strip_prefix("Last clearing of \"show interface\" counters ") {
        Some(ago) => ago.strip_suffix(" ago").unwrap_or(ago),
        None => {
            let rest = text.strip_prefix("Statistics last cleared: ")?;
            rest.rsplit_once('(')?.1.strip_suffix(" ago)")?
        }
    };
    clock(ago)
}

#[cfg(test)]
mod tests {
    use super::ago;

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
        }
    }
}
