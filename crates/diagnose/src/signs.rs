//! Causes that complete evidence shows no sign of: they are not candidates, however little else is known.

use farpath_observe::Connection as Seen;
use farpath_record::trace::TraceDirection;

use crate::captured::Vantage;
use crate::cause::Cause;
use crate::ceiling::Limit;
use crate::evidence::Evidence;
use crate::items::Item;
use crate::series::blackout::TIMEOUT_S;
use crate::series::stops;

/// What a path does to data that passes it: it shows in losses, in delay, in order, or in a stated rate.
const OF_PATH: [Cause; 8] = [
    Cause::RandomLoss,
    Cause::CongestionLoss,
    Cause::ShallowBuffer,
    Cause::Policer,
    Cause::Shaper,
    Cause::CrossTraffic,
    Cause::Reordering,
    Cause::Duplex,
];

/// For this part of the time a sender has nothing to send where the path is not to be suspected without a sign.
const IDLE: f64 = 0.5;

/// An item that holds less than this is not said, and is not a sign.
const SAID: f64 = 0.3;

impl Evidence {
    /// Whether a capture, which saw all of a connection, speaks against a cause by what it does not show: losses where nothing was lost, and
    /// the path where the sender had mostly nothing to send and nothing speaks for it.
    pub(crate) fn shows_no_sign(&self, cause: Cause, items: &[Item], ceilings: &[Limit]) -> bool {
        let none_again = self.retransmits.as_ref().is_none_or(|r| r.value == 0.0);
        if !self.lossless || !none_again || !OF_PATH.contains(&cause) {
            return false;
        }
        let stated = ceilings.iter().any(|c| c.cause == cause);
        if cause.is_loss() && !stated {
            return true;
        }
        let idle = self
            .account
            .as_ref()
            .map_or(0.0, |a| a.share("application"));
        let speaks = |i: &Item| i.weights.iter().any(|(c, w)| *c == cause && *w > 0.0);
        let sign = items.iter().any(|i| i.holds > SAID && speaks(i));
        idle >= IDLE && !stated && !sign
    }
}

/// Whether nothing of a direction was sent again. Far from the sender what is lost alone comes late and is not seen to be repeated: then
/// no silence is as long as a timeout, either.
pub(crate) fn is_lossless(direction: &TraceDirection, seen: &Seen, vantage: Vantage) -> bool {
    let timeout = TIMEOUT_S + seen.rtt.as_ref().map_or(0.0, |r| r.min_ns / 1e9);
    let (_, silent) = stops::silence(&seen.flights, 0.0, f64::INFINITY);
    let hides = vantage != Vantage::Sender && silent >= timeout;
    direction.retransmitted_segments == 0 && !hides
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Account;
    use crate::fact::{Figure, Place};
    use crate::infer::weigh;

    /// A capture at the receiver of small answers, of which none was lost: random loss had 29 %, and a shaper 4 %.
    #[test]
    fn what_a_complete_capture_shows_no_sign_of_is_not_a_candidate() {
        let ranked = |lossless: bool| {
            let e = Evidence {
                account: Some(Account::captured([("application", 1.0)], 0.25)),
                retransmits: Some(Figure::exact(0.0, Place::You)),
                rate: Some(Figure::exact(12_097.0, Place::You)),
                bytes: Some(Figure::exact(5440.0, Place::You)),
                streams: 1.0,
                mss: 1428.0,
                lossless,
                ..Evidence::default()
            };
            weigh(&e, &[]).ranking
        };
        let of = |ranking: &[crate::infer::Ranking], cause: Cause| {
            let found = ranking.iter().find(|r| r.cause == cause);
            found.map_or(0.0, |r| r.confidence)
        };
        assert!(of(&ranked(false), Cause::RandomLoss) > 0.01);
        for cause in OF_PATH {
            assert!(of(&ranked(true), cause) < 1e-6, "{cause:?}");
        }
    }
}
