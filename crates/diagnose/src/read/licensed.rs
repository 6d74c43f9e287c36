//! What a licence lets a router forward in all, as IOS XE prints and logs it: a shaper of all that crosses the router.

use super::conditioned::SHAPER;
use super::{Facts, Line, Tool};
use crate::ceiling::bps;
use crate::fact::Of;
use crate::words::{between, decimal};

/// The state of reading: the rate that was noted last, bit/s.
#[derive(Default)]
pub(super) struct Licensed {
    noted: Option<f64>,
}

impl Tool for Licensed {
    fn name(&self) -> &'static str {
        "throughput licence"
    }

    fn line(&mut self, line: Line<'_>, _going: bool, facts: &mut Facts) -> bool {
        let Some(rate) = licensed(line.bare) else {
            return false;
        };
        if self.noted != Some(rate) {
            self.noted = Some(rate);
            facts.exact(Of::Path, SHAPER, rate, line.at);
            let place = facts.place(line.at);
            facts.notes.push(format!(
                "{place}: its licence lets this router forward {} in all, both ways together, whatever its ports can do: more takes a larger licence, platform hardware throughput level with its rate, and a reload",
                bps(rate)
            ));
        }
        true
    }
}

/// The rate of `The current throughput level is 100000 kb/s`, and of a log's `exceeded the total licensed bandwidth 100000000 bps`, bit/s.
fn licensed(text: &str) -> Option<f64> {
    if text.len() > 400 {
        return None;
    }
    let shown = || Some(1e3 * decimal(between(text, "current throughput level is ", " kb/s")?)?);
    let logged = || decimal(between(text, "licensed bandwidth ", " bps")?);
    shown().or_else(logged).filter(|rate| *rate > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flows::flow;
    use crate::read::taken::taken;

    /// The line was guessed, and nobody had said how fast it was.
    #[test]
    fn the_rate_of_a_licence_is_read_once() {
        let text = "The current throughput level is 100000 kb/s\nNov 30 03:05:11.101: %BW_LICENSE-4-THROUGHPUT_MAX_LEVEL: SIP0: cpp_ha_top_level_server: Average throughput rate exceeded the total licensed bandwidth 100000000 bps 2 times, sample period 300 seconds, in last 24 hours\n";
        let facts = taken(Licensed::default(), text);
        let rate = flow::number(&facts, Of::Path, SHAPER);
        assert_eq!(rate.map(|rate| rate.value), Some(1e8));
        assert_eq!(facts.notes.len(), 1);
        let configured = "MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,";
        assert_eq!(licensed(configured), None);
    }
}
