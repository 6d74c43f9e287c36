//! Accounts: what held a sender back, by shares of its time, and how far they are to be believed.

use std::collections::BTreeMap;

use crate::cause::Cause;
use crate::fact::Place;
use crate::items::step;

/// What held a sender back, by shares of its time in the words of `limited_by`.
#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    /// Shares, 0 to 1 each; they add up to 1.
    pub shares: BTreeMap<String, f64>,
    /// How far they are to be believed, above 0 and at most 1: 1 for what the sender's side shows.
    pub trust: f64,
    /// Whether a full send buffer would be named: a capture does not see one.
    pub sees_buffers: bool,
    /// Whose account it is, for people: `the capture at the sender`.
    pub by: &'static str,
    /// Where it was read.
    pub at: Place,
}

/// Words of `limited_by` and the cause that each is; losses have none, as they do not say which kind they are.
const CAUSES: [(&str, Cause); 13] = [
    ("application", Cause::Application),
    ("send_buffer", Cause::SendBuffer),
    ("receive_window", Cause::ReceiveWindow),
    ("cwnd_slow_start", Cause::Ramp),
    ("nic", Cause::Nic),
    ("host_cpu", Cause::HostCpu),
    ("disk", Cause::Disk),
    ("link", Cause::Link),
    ("policer", Cause::Policer),
    ("mtu", Cause::MtuBlackHole),
    ("pacing", Cause::Pacing),
    ("small_writes", Cause::SmallWrites),
    (OUTAGE, Cause::Outage),
];

/// The word for time in which a link was down: no record has it, as the shares there are of the rest.
pub(crate) const OUTAGE: &str = "outage";

/// The shares of a capture: what it names a send buffer is what neither window, loss nor queue explains, and what else that may be is
/// weighed.
pub(crate) fn unexplained(mut shares: BTreeMap<String, f64>) -> BTreeMap<String, f64> {
    if let Some(buffer) = shares.remove("send_buffer") {
        *shares.entry("unknown".to_owned()).or_default() += buffer;
    }
    shares
}

impl Account {
    /// The share of a word of `limited_by`, 0 to 1; 0 of one that it does not have.
    pub fn share(&self, word: &str) -> f64 {
        self.shares.get(word).copied().unwrap_or(0.0)
    }

    /// The share of the time that was spent on losses: their repair, and growth after it.
    pub(crate) fn losses(&self) -> f64 {
        self.share("loss") + self.share("cwnd_recovery") + self.share("policer")
    }

    /// The share of a cause, where its word is one of the account's.
    pub(crate) fn of(&self, cause: Cause) -> Option<f64> {
        let named = CAUSES.iter().find(|(_, c)| *c == cause);
        match (cause, named) {
            (Cause::NoWindowScaling | Cause::Client, _) => Some(self.share("receive_window")),
            (Cause::SendBuffer, _) if !self.sees_buffers => Some(self.share("unknown")),
            (Cause::Policer, _) if self.share("policer") == 0.0 => Some(self.losses()),
            (Cause::Marks, _) => Some(self.losses()),
            (c, _) if c.is_loss() => Some(self.losses()),
            (_, named) => named.map(|(word, _)| self.share(word)),
        }
    }

    /// The same, of a connection that lasted so many round trips and needed `rounds` of them for slow start. Its last round
    /// trip waits for acknowledgements alone, and counts for nobody; of a transfer that slow start takes up all such waiting is
    /// its end. What a capture takes for more slow start than three times its rounds is nobody's: it sees no buffer that
    /// fills again and again.
    pub(crate) fn plausible(mut self, lasted: f64, rounds: f64) -> Account {
        let lasted = lasted.max(1.0);
        if let Some(idle) = self.shares.get_mut("application") {
            let short = 1.0 - step(lasted / rounds, 1.8, 3.0);
            *idle = (*idle - 1.0 / lasted).max(0.0) * (1.0 - short);
        }
        let excess = self.share("cwnd_slow_start") - 3.0 * rounds / lasted;
        if !self.sees_buffers && excess > 0.0 {
            *self.shares.entry("cwnd_slow_start".to_owned()).or_default() -= excess;
            *self.shares.entry("unknown".to_owned()).or_default() += excess;
        }
        let whole: f64 = self.shares.values().sum();
        if whole > 0.0 {
            self.shares.values_mut().for_each(|share| *share /= whole);
        }
        self
    }

    /// The same of all the time, in this part of which nothing arrived because a link was down.
    pub(crate) fn with_outage(mut self, part: f64) -> Account {
        self.shares.values_mut().for_each(|s| *s *= 1.0 - part);
        self.shares.insert(OUTAGE.to_owned(), part);
        self
    }

    /// The means of several, each by its weight; the trust and words are those of the first. None of none.
    pub(crate) fn mean(all: &[(&Account, f64)]) -> Option<Account> {
        let (first, _) = all.first()?;
        let whole: f64 = all.iter().map(|(_, weight)| weight).sum();
        let mut mean = Account {
            shares: BTreeMap::new(),
            ..(*first).clone()
        };
        for (account, weight) in all {
            for (word, share) in &account.shares {
                let part = share * weight / whole.max(f64::MIN_POSITIVE);
                *mean.shares.entry(word.clone()).or_default() += part;
            }
        }
        Some(mean)
    }
}

#[cfg(test)]
impl Account {
    /// A capture's: these shares of the time, and how far they are to be believed.
    pub(crate) fn captured<const N: usize>(shares: [(&str, f64); N], trust: f64) -> Account {
        Account {
            shares: shares.map(|(word, share)| (word.to_owned(), share)).into(),
            trust,
            sees_buffers: false,
            by: "the capture",
            at: Place::You,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_that_a_capture_names_is_open_to_others() {
        let of = |shares: &[(&str, f64)]| {
            let shares = shares
                .iter()
                .map(|(word, share)| ((*word).to_owned(), *share));
            shares.collect::<BTreeMap<String, f64>>()
        };
        let named = of(&[("send_buffer", 0.8), ("unknown", 0.1), ("link", 0.1)]);
        assert_eq!(unexplained(named), of(&[("unknown", 0.9), ("link", 0.1)]));
        let none = of(&[("link", 1.0)]);
        assert_eq!(unexplained(none.clone()), none);
    }

    #[test]
    fn a_mean_goes_by_weight() {
        let of = |word: &str| Account {
            shares: [(word.to_owned(), 1.0)].into(),
            trust: 1.0,
            sees_buffers: true,
            by: "a record",
            at: Place::You,
        };
        let (a, b) = (of("link"), of("application"));
        let mean = Account::mean(&[(&a, 3.0), (&b, 1.0)]).expect("two");
        assert_eq!(mean.share("link"), 0.75);
        assert_eq!(mean.of(Cause::Application), Some(0.25));
        assert_eq!(mean.of(Cause::RandomLoss), Some(0.0));
        assert_eq!(Account::mean(&[]), None);
    }
}
