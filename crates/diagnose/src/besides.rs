//! What held a flow besides its likeliest cause, for a part of the time.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::infer::{Ranking, Weighed};
use crate::interfaces::on_the_wire;
use crate::losses::kind_of_loss;
use crate::verdict::rounded;

/// A cause that held for this share of the time is named besides.
const BESIDES: f64 = 0.2;

/// What held besides the likeliest cause for a part of the time that is worth naming; of losses the likeliest kind, where that is decided.
pub(crate) fn besides(e: &Evidence, weighed: &Weighed) -> Option<Ranking> {
    held(e, weighed).filter(|held| kind_of_loss::is_decided(held.cause, e, weighed))
}

/// That losses held besides for a part of the time that is worth naming, of which nothing decides the kind.
pub(crate) fn in_words(e: &Evidence, weighed: &Weighed) -> Option<String> {
    let held = held(e, weighed).filter(|held| !kind_of_loss::is_decided(held.cause, e, weighed))?;
    Some(kind_of_loss::left_open(e.share(held.cause)?))
}

/// What held for the longest part of the time besides; of losses the likeliest kind.
fn held(e: &Evidence, weighed: &Weighed) -> Option<Ranking> {
    let (top, others) = weighed.ranking.split_first()?;
    if on_the_wire::are_even(&weighed.ranking) {
        return None;
    }
    if top.cause == Cause::WayBack {
        // What stands in buffers and windows waits for acknowledgements.
        return None;
    }
    let window = |c: Cause| {
        matches!(
            c,
            Cause::ReceiveWindow | Cause::NoWindowScaling | Cause::Client
        )
    };
    // A disk that keeps the receiving program from reading is what the window waits for.
    let reads = |c: Cause| {
        c == Cause::Disk && e.disk_receives() || c == Cause::HostCpu && e.reads_slowly() > 0.5
    };
    let waits = window(top.cause) || reads(top.cause);
    let lossy = top.cause.is_loss() || matches!(top.cause, Cause::Outage | Cause::Marks);
    let same = |c: Cause| {
        c.is_loss() && lossy || c == Cause::Marks && top.cause.is_loss() || window(c) && waits
    };
    let mut best: Option<(Ranking, f64)> = None;
    for other in others.iter().filter(|o| !same(o.cause)) {
        // Slow start is how every connection begins, and a full line is what the others leave.
        if matches!(other.cause, Cause::Ramp | Cause::Link) || e.excludes(other.cause) {
            continue;
        }
        // Time that is measured of another cause counts only for one that something speaks for.
        if rounded(other.confidence) == 0.0 && e.borrows_share(other.cause) {
            continue;
        }
        let share = e.share(other.cause).unwrap_or(0.0);
        if share >= BESIDES && best.is_none_or(|(_, s)| share > s) {
            best = Some((*other, share));
        }
    }
    best.map(|(other, _)| other)
}

/// Whether something is to be changed against what held besides: the time in which losses are repaired does not say which kind they are of.
pub(crate) fn is_of_its_kind(other: Cause, weighed: &Weighed, undecided: bool) -> bool {
    if !other.is_loss() {
        return true;
    }
    !undecided && kind_of_loss::has_most(other, weighed)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::account::Account;
    use crate::fact::{Figure, Place};

    /// A capture at the sender: for 90 % of the time the window grew after losses, or marks.
    fn lossy(marks: Option<f64>, again: f64) -> Evidence {
        let shares = [("cwnd_recovery", 0.9), ("unknown", 0.1)];
        Evidence {
            account: Some(Account::captured(shares, 1.0)),
            marks: marks.map(|n| Figure::exact(n, Place::You)),
            retransmits: Some(Figure::exact(again, Place::You)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// These causes in this order.
    pub(crate) fn ranking(of: &[(Cause, f64)]) -> Weighed {
        let each = of.iter();
        let ranking = each.map(|(cause, confidence)| Ranking {
            cause: *cause,
            confidence: *confidence,
        });
        Weighed {
            ranking: ranking.collect(),
            because: Vec::new(),
            unseen: Vec::new(),
        }
    }

    /// No packet was marked: it was "besides ECN marks of a queue, 90 % of the time".
    #[test]
    fn marks_that_no_capture_shows_have_no_share() {
        let lost = ranking(&[(Cause::RandomLoss, 1.0), (Cause::Marks, 1e-11)]);
        let e = lossy(None, 300.0);
        assert_eq!(e.share(Cause::Marks), None);
        assert_eq!(besides(&e, &lost), None);
        // Marks beside more losses do not say which of the two the window was smaller for, and fewer losses are the same time.
        assert_eq!(besides(&lossy(Some(12.0), 300.0), &lost), None);
        let marked = lossy(Some(12.0), 3.0);
        assert_eq!(marked.share(Cause::Marks), Some(0.9));
        assert_eq!(besides(&marked, &lost), None);
    }

    /// A share that was measured of another cause counts only where something speaks for this one; the next that has its own is named.
    #[test]
    fn a_share_without_confidence_is_its_own_causes_alone() {
        let e = Evidence {
            rwnd_share: Some(Figure::exact(0.3, Place::You)),
            ..lossy(None, 300.0)
        };
        let both = [
            (Cause::RandomLoss, 0.999),
            (Cause::Client, 1e-6),
            (Cause::ReceiveWindow, 1e-7),
        ];
        let second = besides(&e, &ranking(&both)).map(|r| r.cause);
        assert_eq!(second, Some(Cause::ReceiveWindow));
        let unsure = [(Cause::RandomLoss, 0.9), (Cause::Client, 0.1)];
        let second = besides(&e, &ranking(&unsure)).map(|r| r.cause);
        assert_eq!(second, Some(Cause::Client));
    }
}
