//! Marks of ECN: a queue of the path marks packets instead of dropping them, the receiver echoes that, and the sender makes its window
//! smaller (RFC 3168). Nothing need be lost, and the window is what holds the rate all the same.

use farpath_record::trace::TraceDirection;

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::items::{Item, step};
use crate::seen::Test;

/// The number of a test that says how often its window was made smaller for marks.
pub(crate) const REDUCTIONS: &str = "ecn_reductions";

/// What it is worth where no capture shows it, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth where one does, and the window grew back, or had just been made smaller, for this share of the time.
const SEEN: f64 = 160.0;
const SHARE: [f64; 2] = [0.25, 0.6];

/// Takes from a captured direction how often its window was made smaller for marks.
pub(crate) fn of_capture(test: &mut Test, direction: &TraceDirection, at: Place) {
    if direction.ecn_reductions > 0 {
        let often = Figure::exact(direction.ecn_reductions as f64, at);
        test.set(REDUCTIONS, often);
    }
}

impl Evidence {
    /// How often the window was made smaller for marks, where no more segments than that were lost.
    pub(crate) fn cut_by_marks(&self) -> Option<f64> {
        let cuts = self.marks.as_ref()?.value;
        let lost = self.retransmits.as_ref().map_or(0.0, |r| r.value);
        (lost <= cuts).then_some(cuts)
    }
}

/// A window that marks keep small is what holds the rate, where that is most of the time.
pub(crate) fn by_marks(e: &Evidence, items: &mut Vec<Item>) {
    let (Some(cuts), Some(account)) = (e.cut_by_marks(), &e.account) else {
        return;
    };
    let times = match cuts > 1.0 {
        true => format!("{cuts:.0} times"),
        false => "once".to_owned(),
    };
    items.push(Item {
        holds: step(account.losses(), SHARE[0], SHARE[1]),
        weights: vec![(Cause::Marks, SEEN)],
        sentence: format!(
            "a queue of the path marks packets instead of dropping them (ECN): {times} the sender made its window smaller for that"
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Account;
    use crate::infer::{Weighed, weigh};

    /// A capture at the sender: for 72 % of the time the window grew after marks, and nothing was sent again.
    fn of(reductions: u64, again: f64) -> Evidence {
        let direction = TraceDirection {
            ecn_reductions: reductions,
            ..TraceDirection::default()
        };
        let at = Place::Connection(0, 1);
        let mut test = Test::new("capture", at);
        of_capture(&mut test, &direction, at);
        let shares = [("cwnd_recovery", 0.72), ("link", 0.28)];
        Evidence {
            account: Some(Account::captured(shares, 1.0)),
            marks: test.numbers.get(REDUCTIONS).cloned(),
            retransmits: Some(Figure::exact(again, at)),
            rate: Some(Figure::exact(14e6, at)),
            bytes: Some(Figure::exact(20e6, at)),
            streams: 1.0,
            mss: 1448.0,
            lossless: again == 0.0,
            ..Evidence::default()
        }
    }

    fn says(weighed: &Weighed, words: &str) -> bool {
        weighed.because.iter().any(|(_, text)| text.contains(words))
    }

    /// It was the send buffer, with 47 %.
    #[test]
    fn a_window_that_marks_keep_small_is_the_cause() {
        let marked = weigh(&of(12, 0.0), &[]);
        assert_eq!(marked.ranking[0].cause, Cause::Marks);
        assert!(marked.ranking[0].confidence > 0.9);
        assert!(says(&marked, "12 times the sender made its window smaller"));
        assert!(!says(&marked, "losses were repaired"));
    }

    #[test]
    fn without_marks_or_beside_more_losses_it_is_not() {
        for evidence in [of(0, 0.0), of(12, 300.0)] {
            let weighed = weigh(&evidence, &[]);
            let mut all = weighed.ranking.iter();
            let marks = all.find(|r| r.cause == Cause::Marks).expect("each has one");
            assert!(marks.confidence < 0.01, "{:?}", weighed.ranking);
        }
        // Which of the two the window was smaller for is open.
        let both = weigh(&of(12, 300.0), &[]);
        assert!(says(&both, "losses were repaired, or marks answered"));
    }
}
