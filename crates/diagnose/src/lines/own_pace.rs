//! Packets that leave a sender evenly, always at one rate: its interface has that rate, or a queue or socket of its own paces them.

use crate::account::Account;
use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::infer::usual_line;
use crate::items::{Item, step};

impl Evidence {
    /// Whether a capture's even pace would be that of an interface which no usual line has, and nobody named.
    pub(crate) fn has_odd_pace(&self) -> bool {
        let captured = self.account.as_ref().is_some_and(|a| !a.sees_buffers);
        captured && self.line.is_none() && usual_line(self).is_none()
    }
}

/// Weighs an even pace, which speaks from the first of these shares of the time on, and fully from the second.
pub(crate) fn by_pace(e: &Evidence, account: &Account, span: [f64; 2]) -> Item {
    let share = account.share("nic");
    let (weights, what) = match e.has_odd_pace() {
        true => (
            vec![
                (Cause::Shaper, 22.0),
                (Cause::Pacing, 14.0),
                (Cause::Nic, 8.0),
            ],
            "packets left evenly at one rate, which no usual interface has: a queue of the sender's own shapes them (tc -s qdisc), or a socket paces",
        ),
        false => (
            vec![(Cause::Nic, 20.0), (Cause::Pacing, 10.0)],
            "the sender's interface was the limit",
        ),
    };
    Item {
        holds: step(share, span[0], span[1]),
        weights,
        sentence: format!(
            "{}: for {:.0} % of the time {what}",
            account.by,
            share * 100.0
        ),
    }
}
