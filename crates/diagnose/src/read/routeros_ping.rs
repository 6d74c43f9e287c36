//! `/ping` of MikroTik's RouterOS: its table of answers, and the closing line below each part of it.

use super::{Facts, Line, Tool, routeros};
use crate::fact::{Figure, Of};
use crate::words::whole;

/// The state of reading: the run of the last command, and the closing line that was read last.
#[derive(Default)]
pub(super) struct RouterOsPing {
    of: Option<Of>,
    closing: Option<Closing>,
}

/// How many pings were sent and answered, and least, mean and most of their round trips.
struct Closing {
    counts: [Figure; 2],
    times: Option<[Figure; 3]>,
}

/// Units of round trips, nanoseconds.
const UNITS: [(&str, f64); 3] = [("s", 1e9), ("ms", 1e6), ("us", 1e3)];

impl Tool for RouterOsPing {
    fn name(&self) -> &'static str {
        "ping of RouterOS"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(host) = routeros::typed(text).and_then(|(_, command)| target(command)) {
            self.finish(facts);
            self.of = Some(facts.ping(vec![crate::redact(host)]));
            return true;
        }
        if self.of.is_none() || !going {
            return false;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let value = |key: &'static str| words.iter().find_map(|word| word.strip_prefix(key));
        let count = |key: &'static str| Some(Figure::exact(whole(value(key)?)? as f64, line.at));
        let time = |key: &'static str| Some(Figure::exact(nanoseconds(value(key)?)?, line.at));
        if let (Some(sent), Some(received)) = (count("sent="), count("received=")) {
            // A long run prints its sums again and again: the last ones are of all of it.
            self.closing = Some(Closing {
                counts: [sent, received],
                times: time("min-rtt=")
                    .zip(time("avg-rtt="))
                    .zip(time("max-rtt="))
                    .map(|((least, mean), most)| [least, mean, most]),
            });
            return true;
        }
        words.starts_with(&["SEQ", "HOST"]) || words.first().is_some_and(|n| whole(n).is_some())
    }

    fn held(&self) -> usize {
        let times = |c: &Closing| if c.times.is_some() { 3 } else { 0 };
        self.closing.as_ref().map_or(0, |c| 2 + times(c))
    }

    fn finish(&mut self, facts: &mut Facts) {
        let Some((of, closing)) = self.of.take().zip(self.closing.take()) else {
            return;
        };
        for (name, count) in ["ping_sent", "ping_received"]
            .into_iter()
            .zip(closing.counts)
        {
            facts.number(of, name, count);
        }
        let names = ["rtt_min_ns", "rtt_avg_ns", "rtt_max_ns"];
        for (name, time) in names.into_iter().zip(closing.times.into_iter().flatten()) {
            facts.number(of, name, time);
        }
    }
}

/// The host that a command pings: `> /ping 192.0.2.1 count=4`, `> ping address=192.0.2.1`.
fn target(command: &str) -> Option<&str> {
    let (_, command) = command.split_once('>')?;
    let mut words = command.split_whitespace();
    let ping = words.next()?.trim_start_matches('/') == "ping";
    let host = words.next().filter(|_| ping)?;
    let host = host.strip_prefix("address=").unwrap_or(host);
    (!host.contains('=')).then_some(host)
}

/// `14ms341us`, `1s20ms`, `14ms`: nanoseconds.
fn nanoseconds(text: &str) -> Option<f64> {
    let (mut rest, mut all) = (text, 0.0);
    while !rest.is_empty() {
        let unit = rest.find(|c: char| !c.is_ascii_digit())?;
        let (digits, after) = rest.split_at(unit);
        let end = after.find(|c: char| c.is_ascii_digit());
        let (unit, next) = after.split_at(end.unwrap_or(after.len()));
        let (_, worth) = UNITS.iter().find(|(name, _)| *name == unit)?;
        all += whole(digits)? as f64 * worth;
        rest = next;
    }
    (!text.is_empty()).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::taken::taken;

    #[test]
    fn the_closing_line_says_how_long_round_trips_are() {
        let text = "[admin@MikroTik] > /ping 192.0.2.1 count=2\n  SEQ HOST                                     SIZE TTL TIME       STATUS\n    0 192.0.2.1                                    56 117 14ms341us\n    1 192.0.2.1                                                    timeout\n    sent=2 received=1 packet-loss=50% min-rtt=14ms341us avg-rtt=14ms341us max-rtt=1s14ms\n";
        let facts = taken(RouterOsPing::default(), text);
        assert_eq!(facts.pings, [["192.0.2.1"]]);
        let said: Vec<f64> = facts
            .facts
            .iter()
            .filter_map(|f| Some(f.number()?.value))
            .collect();
        assert_eq!(
            said,
            [2.0, 1.0, 14_341_000.0, 14_341_000.0, 1_014_000_000.0]
        );
    }

    #[test]
    fn times_have_units_of_their_own() {
        assert_eq!(nanoseconds("341us"), Some(341_000.0));
        assert_eq!(nanoseconds("14"), None);
        assert_eq!(nanoseconds(""), None);
        assert_eq!(target("> /ping count=4"), None);
        assert_eq!(target("> /interface print"), None);
    }
}
