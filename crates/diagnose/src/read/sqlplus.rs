//! What SQL*Plus of Oracle prints of a statement: how long it took, and how many round trips its statistics count (`set timing on`,
//! `set autotrace on statistics`).

use super::queries::{COUNT, FETCHES, TOOK};
use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::words::{decimal, whole};

/// The statistics stand no farther below the time than so many lines.
const BELOW: u32 = 40;

/// How the row of the round trips ends, behind their count.
const TRIPS: &str = "SQL*Net roundtrips to/from client";

/// The state of reading: how long the last statement took, seconds.
#[derive(Default)]
pub(super) struct SqlPlus {
    elapsed: Option<(f64, Place)>,
}

impl Tool for SqlPlus {
    fn name(&self) -> &'static str {
        "sqlplus"
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        if let Some(seconds) = elapsed(line.bare) {
            self.elapsed = Some((seconds, line.at));
            return true;
        }
        let count = line.bare.strip_suffix(TRIPS);
        let Some(count) = count.and_then(|count| whole(count.trim())) else {
            return false;
        };
        let near = |above: Place| line.at.lines_below(above).is_some_and(|n| n <= BELOW);
        if let Some((seconds, _)) = self.elapsed.take().filter(|(_, at)| near(*at)) {
            facts.exact(Of::Path, COUNT, count as f64, line.at);
            facts.exact(Of::Path, TOOK, seconds * 1e9, line.at);
            facts.word(Of::Path, FETCHES, "sqlplus", line.at);
        }
        true
    }
}

/// Seconds of `Elapsed: 00:47:21.33`.
fn elapsed(text: &str) -> Option<f64> {
    let mut parts = text.strip_prefix("Elapsed: ")?.trim().split(':');
    let (hours, minutes, seconds) = (parts.next()?, parts.next()?, parts.next()?);
    let minutes = 60.0 * whole(hours)? as f64 + whole(minutes)? as f64;
    let seconds = 60.0 * minutes + decimal(seconds)?;
    (parts.next().is_none() && seconds > 0.0).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::super::queries::{COUNT, TOOK};
    use super::{SqlPlus, elapsed};
    use crate::fact::Of;
    use crate::flows::flow::number;
    use crate::read::taken::taken;

    #[test]
    fn round_trips_and_their_time_are_read() {
        let text = "Elapsed: 00:47:21.33\n      66668  SQL*Net roundtrips to/from client\n";
        let facts = taken(SqlPlus::default(), text);
        let value = |name| number(&facts, Of::Path, name).map(|n| n.value);
        assert_eq!(value(COUNT), Some(66_668.0));
        assert!(value(TOOK).is_some_and(|ns| (ns / 1e9 - 2841.33).abs() < 1e-6));
        for other in ["Elapsed: 5 s", "Elapsed: 00:00", "elapsed 00:47:21.33"] {
            assert_eq!(elapsed(other), None, "{other}");
        }
    }
}
