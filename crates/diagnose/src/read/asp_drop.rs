//! `show asp drop` of a Cisco ASA: how many segments of TCP its accelerated path dropped, by reason.

use super::{Facts, Line, Tool};
use crate::fact::{Of, Place};
use crate::reach::firewall::{COUNTER, DROPPER, DROPS, DROPS_ONCE};
use crate::words::{behind_show, shortens, whole};

/// Reasons for which segments of a connection that is open are lost: its queue of segments out of order, and checks of their numbers.
const REASONS: [&str; 5] = [
    "tcp-buffer-full",
    "tcp-buffer-timeout",
    "tcp-seq-past-win",
    "tcp-invalid-ack",
    "tcp-paws-fail",
];

/// The state of reading: the firewall, and what each reason counted.
#[derive(Default)]
pub(super) struct AspDrop {
    firewall: String,
    counts: [Option<Count>; REASONS.len()],
}

/// What a reason counted first and last.
#[derive(Clone, Copy)]
struct Count {
    first: u64,
    last: u64,
    /// It was read more than once.
    again: bool,
    at: Place,
}

impl Tool for AspDrop {
    fn name(&self) -> &'static str {
        "show asp drop"
    }

    /// `TCP Out-of-Order packet buffer full (tcp-buffer-full)        41220`, behind `asa# show asp drop`.
    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(firewall) = asks(text) {
            if firewall != self.firewall {
                self.settle(facts);
                self.firewall = firewall;
            }
            return true;
        }
        if ["Frame drop:", "Flow drop:"].contains(&text) {
            return true;
        }
        let Some((reason, count)) = reason(text) else {
            return going
                && (text.starts_with("Last clearing:") || text.ends_with("drop count is 0"));
        };
        let known = REASONS.iter().position(|known| *known == reason);
        if let Some(n) = known.filter(|_| going) {
            let own = &mut self.counts[n];
            *own = Some(match *own {
                // Counters that were cleared begin anew.
                Some(before) if before.last <= count => Count {
                    last: count,
                    again: true,
                    at: line.at,
                    ..before
                },
                Some(_) => Count {
                    first: 0,
                    last: count,
                    again: true,
                    at: line.at,
                },
                None => Count {
                    first: count,
                    last: count,
                    again: false,
                    at: line.at,
                },
            });
        }
        going
    }

    fn held(&self) -> usize {
        self.counts.iter().flatten().count()
    }

    fn finish(&mut self, facts: &mut Facts) {
        self.settle(facts);
    }
}

impl AspDrop {
    /// What one firewall counted is over: what grew from one reading to the next, or what stood in the only one.
    fn settle(&mut self, facts: &mut Facts) {
        let counts = core::mem::take(&mut self.counts);
        let twice = counts.iter().flatten().any(|count| count.again);
        // A reason that the first reading does not have counted nothing then.
        let grew = |count: &Count| match (twice, count.again) {
            (true, true) => count.last - count.first,
            _ => count.last,
        };
        let all = REASONS.iter().zip(&counts);
        let all = all.filter_map(|(reason, count)| Some((*reason, (*count)?)));
        let all: Vec<(&str, Count)> = all.filter(|(_, count)| grew(count) > 0).collect();
        let Some((reason, most)) = all.iter().max_by_key(|(_, count)| grew(count)) else {
            return;
        };
        let sum: f64 = all.iter().map(|(_, count)| grew(count) as f64).sum();
        let name = match self.firewall.as_str() {
            "" => "a firewall",
            name => name,
        };
        let fact = if twice { DROPS } else { DROPS_ONCE };
        facts.exact(Of::Path, fact, sum, most.at);
        facts.word(Of::Path, COUNTER, reason, most.at);
        facts.word(Of::Path, DROPPER, name, most.at);
    }
}

/// The firewall at whose prompt its drops were asked for.
fn asks(text: &str) -> Option<String> {
    let (prompt, mut words) = behind_show(text)?;
    let asked = words.next() == Some("asp") && shortens(words.next()?, "drop", 2);
    // `fw1/pri/act# `: which of two it is stands behind its name.
    let name = prompt.split('/').next().unwrap_or(prompt).trim();
    let named = !name.contains(char::is_whitespace);
    (asked && named).then(|| crate::redact(name))
}

/// The reason of a row, and how many it counted.
fn reason(text: &str) -> Option<(&str, u64)> {
    let (words, count) = text.rsplit_once(char::is_whitespace)?;
    let (_, reason) = words.trim_end().strip_suffix(')')?.rsplit_once('(')?;
    Some((reason, whole(count)?))
}

#[cfg(test)]
mod tests {
    use crate::fact::Of;
    use crate::flows::flow::{number, word};
    use crate::reach::firewall::{COUNTER, DROPPER, DROPS, DROPS_ONCE};
    use crate::read::taken::whole;

    fn reading(full: u64, timeout: u64) -> String {
        format!(
            "fw1/pri/act# show asp drop\n\nFrame drop:\n  Flow is denied by configured rule (acl-drop)                         8123\n  TCP Out-of-Order packet buffer full (tcp-buffer-full)               {full}\n  TCP Out-of-Order packet buffer timeout (tcp-buffer-timeout)         {timeout}\n\nLast clearing: Never\n\nFlow drop:\n\nLast clearing: Never\n\n"
        )
    }

    #[test]
    fn what_grew_between_two_readings_counts() {
        let text = format!("{}{}", reading(41_220, 312), reading(41_980, 320));
        let (facts, all) = whole(&text);
        assert!(all, "{:?}", facts.ignored);
        let value = |name| number(&facts, Of::Path, name).map(|n| n.value);
        assert_eq!((value(DROPS), value(DROPS_ONCE)), (Some(768.0), None));
        let said = |name| word(&facts, Of::Path, name).map(|(word, _)| word);
        assert_eq!(said(COUNTER), Some("tcp-buffer-full"));
        assert_eq!(said(DROPPER), Some("fw1"));
        // Nothing grew: what was dropped is of another time.
        let still = format!("{}{}", reading(41_220, 312), reading(41_220, 312));
        let (facts, _) = whole(&still);
        assert_eq!(number(&facts, Of::Path, DROPS).map(|n| n.value), None);
    }

    #[test]
    fn one_reading_is_of_any_time() {
        let (facts, _) = whole(&reading(41_220, 312));
        let value = |name| number(&facts, Of::Path, name).map(|n| n.value);
        assert_eq!((value(DROPS), value(DROPS_ONCE)), (None, Some(41_532.0)));
    }
}
