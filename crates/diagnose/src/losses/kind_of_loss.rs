//! Which kind of loss a sender's time went to: an account of that time knows losses alone, and not what took the packets.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::infer::Weighed;

/// The kind that is named has this part of the odds of all kinds, at least.
const MOST: f64 = 0.5;

/// Whether a kind of loss has at least half of the odds of all kinds.
pub(crate) fn has_most(kind: Cause, weighed: &Weighed) -> bool {
    let of = |is: &dyn Fn(Cause) -> bool| -> f64 {
        let each = weighed.ranking.iter().filter(|r| is(r.cause));
        each.map(|r| r.confidence).sum()
    };
    of(&|c| c == kind) >= MOST * of(&Cause::is_loss)
}

/// Whether it is known well enough to be named besides another cause, that losses are of this kind; true of all other causes. A policer is
/// named only where something shows it: losses that a rate outlives, as BBR's does, are of any kind.
pub(crate) fn is_decided(kind: Cause, e: &Evidence, weighed: &Weighed) -> bool {
    match kind {
        Cause::Policer => has_most(kind, weighed) && shows_policer(e),
        _ => !kind.is_loss() || has_most(kind, weighed),
    }
}

/// Whether a policer shows: in its own statement or count, in the losses of a capture, or in a rate that fell to its own after a burst.
fn shows_policer(e: &Evidence) -> bool {
    let counted = |a: &crate::account::Account| a.sees_buffers && a.share("policer") > 0.0;
    e.found_policer.is_some()
        || e.policer.is_some()
        || e.account.as_ref().is_some_and(counted)
        || e.around.ports.surely_police(e)
        || e.around.cloud.surely(e).is_some()
        || e.burst().is_some()
}

/// What is said of losses that took this share of the time, 0 to 1, where their kind is not decided.
pub(crate) fn left_open(share: f64) -> String {
    format!(
        "for {:.0} % of the time losses were repaired, or the window grew after them: whether chance, a queue or a policer took them is not known; datagrams below this rate (iperf3 -u -b RATE) tell, as chance alone takes some of those",
        100.0 * share
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Account;
    use crate::besides::{besides, in_words, tests::ranking};
    use crate::fact::{Figure, Place};

    /// A capture at the sender of a line of 50 Mbit/s that BBR fills, with losses of chance: 69 % of the time is theirs.
    fn paced() -> Evidence {
        let shares = [("cwnd_recovery", 0.69), ("link", 0.31)];
        Evidence {
            account: Some(Account::captured(shares, 1.0)),
            retransmits: Some(Figure::exact(482.0, Place::You)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// The line first, and these kinds of loss after it.
    fn line_and(kinds: &[(Cause, f64)]) -> Weighed {
        ranking(&[&[(Cause::Link, 0.9)], kinds].concat())
    }

    /// "This is the line; besides a policer, 69 % of the time": nothing showed a policer.
    #[test]
    fn losses_beneath_a_full_line_name_a_policer_only_where_something_shows_it() {
        let weighed = line_and(&[(Cause::Policer, 0.05), (Cause::RandomLoss, 0.01)]);
        assert_eq!(besides(&paced(), &weighed), None);
        let said = in_words(&paced(), &weighed).expect("the losses are said");
        assert!(said.contains("for 69 % of the time"), "{said}");
        assert!(said.contains("not known"), "{said}");
        // Losses that fit a bucket show one.
        let shown = Evidence {
            found_policer: Some(Figure::exact(20e6, Place::You)),
            ..paced()
        };
        let named = besides(&shown, &weighed).map(|r| r.cause);
        assert_eq!(named, Some(Cause::Policer));
        assert_eq!(in_words(&shown, &weighed), None);
    }

    #[test]
    fn a_kind_of_loss_is_named_besides_with_half_of_the_odds_of_all() {
        let chance = line_and(&[(Cause::RandomLoss, 0.06), (Cause::ShallowBuffer, 0.03)]);
        let named = besides(&paced(), &chance).map(|r| r.cause);
        assert_eq!(named, Some(Cause::RandomLoss));
        let even = [
            (Cause::RandomLoss, 0.03),
            (Cause::ShallowBuffer, 0.025),
            (Cause::CongestionLoss, 0.02),
        ];
        let even = line_and(&even);
        assert_eq!(besides(&paced(), &even), None);
        assert!(in_words(&paced(), &even).is_some());
        // Where nothing was lost for long, nothing is said.
        let rare = Evidence {
            account: Some(Account::captured(
                [("link", 0.95), ("cwnd_recovery", 0.05)],
                1.0,
            )),
            ..paced()
        };
        assert_eq!(in_words(&rare, &even), None);
    }
}
