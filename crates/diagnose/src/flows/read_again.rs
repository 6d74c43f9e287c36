//! Counters that were read once: they may be of any time, and a second reading says by how much they grow while a flow is under way.

use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;

/// A counter that was read once.
pub(crate) struct Once {
    /// What it speaks for.
    pub(crate) cause: Cause,
    /// What is asked for.
    pub(crate) fact: &'static str,
    /// What it counts, for people: `the 402 damaged frames at eth1`.
    pub(crate) counted: String,
    /// What prints it, and where.
    pub(crate) command: String,
}

impl Evidence {
    /// Damaged frames that an interface of a host counts, where that was read once.
    fn damage_read_once(&self) -> Option<Once> {
        let damaged = self.around.damaged.as_ref();
        let damaged = damaged.filter(|d| !d.grew && d.count.value > 0.0)?;
        let (at, port) = match damaged.interface.as_str() {
            "" => (String::new(), "INTERFACE"),
            name => (format!(" at {name}"), name),
        };
        Some(Once {
            cause: Cause::RandomLoss,
            fact: "nic_damaged",
            counted: format!("{:.0} damaged frames{at}", damaged.count.value),
            command: format!(
                "on the host that counts them, before and after a test: ethtool -S {port} | grep -E 'crc|fcs|err'; ip -s -s link show {port}"
            ),
        })
    }

    /// A second reading of what speaks for a likely cause and was read once; else the times of a log that has none.
    pub(crate) fn asks_again(&self, likely: &[Cause]) -> Option<MissingFact> {
        self.asks_second(likely).or_else(|| self.asks_when())
    }

    /// A second reading of what speaks for a likely cause and was read once.
    fn asks_second(&self, likely: &[Cause]) -> Option<MissingFact> {
        let all = [self.damage_read_once()].into_iter();
        let mut all = all.chain(self.around.ports.read_once(self)).flatten();
        let once = all.find(|once| likely.contains(&once.cause))?;
        Some(MissingFact {
            fact: once.fact,
            would_decide: format!(
                "whether the {} are of this flow: one reading may be of any time, a second one after a test says by how much they grow",
                once.counted
            ),
            command: once.command,
        })
    }
}
