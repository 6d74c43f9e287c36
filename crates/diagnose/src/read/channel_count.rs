//! `ethtool -l`: how many queues an interface has, and may have at most.

use super::{Facts, Line, PORT, Tool};
use crate::fact::Of;
use crate::words::whole;

/// Queues for both ways, those an interface has and the most that it may have, as facts have them.
pub(crate) const QUEUES: &str = "port_queues";
pub(crate) const QUEUES_MOST: &str = "port_most_queues";

/// How its first line begins.
const HEAD: &str = "Channel parameters for ";

/// The parts of it, and which of the facts their queues are.
const PARTS: [(&str, &str); 2] = [
    ("Pre-set maximums:", QUEUES_MOST),
    ("Current hardware settings:", QUEUES),
];

/// The other kinds of queues.
const KINDS: [&str; 3] = ["RX:", "TX:", "Other:"];

/// The state of reading.
#[derive(Default)]
pub(super) struct ChannelCount {
    host: Option<Of>,
    /// The fact that a line `Combined:` is of.
    part: Option<&'static str>,
}

impl Tool for ChannelCount {
    fn name(&self) -> &'static str {
        "ethtool"
    }

    fn line(&mut self, line: Line<'_>, going: bool, facts: &mut Facts) -> bool {
        let text = line.bare;
        if let Some(name) = text.strip_prefix(HEAD).and_then(|n| n.strip_suffix(':')) {
            let host = facts.host();
            facts.word(host, PORT, name, line.at);
            (self.host, self.part) = (Some(host), None);
            return true;
        }
        let Some(host) = self.host.filter(|_| going) else {
            return false;
        };
        if let Some((_, fact)) = PARTS.iter().find(|(head, _)| *head == text) {
            self.part = Some(*fact);
            return true;
        }
        if let Some((fact, count)) = self.part.zip(text.strip_prefix("Combined:")) {
            if let Some(count) = whole(count.trim()) {
                facts.exact(host, fact, count as f64, line.at);
            }
            return true;
        }
        KINDS.iter().any(|kind| text.starts_with(kind))
    }
}

#[cfg(test)]
mod tests {
    use super::{ChannelCount, QUEUES, QUEUES_MOST};
    use crate::fact::Of;
    use crate::flows::flow::{number, word};
    use crate::read::PORT;
    use crate::read::taken::taken;

    #[test]
    fn queues_are_counted() {
        let text = "Channel parameters for eno1:\nPre-set maximums:\nRX:\t\tn/a\nTX:\t\tn/a\nOther:\t\t1\nCombined:\t63\nCurrent hardware settings:\nRX:\t\tn/a\nTX:\t\tn/a\nOther:\t\t1\nCombined:\t1\n";
        let facts = taken(ChannelCount::default(), text);
        let host = Of::Host(0);
        let value = |name| number(&facts, host, name).map(|n| n.value);
        assert_eq!((value(QUEUES), value(QUEUES_MOST)), (Some(1.0), Some(63.0)));
        assert_eq!(word(&facts, host, PORT).map(|(name, _)| name), Some("eno1"));
    }
}
