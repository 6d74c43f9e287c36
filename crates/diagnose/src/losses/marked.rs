//! Marks of ECN: a queue of the path marks packets instead of dropping them, the receiver echoes that, and the sender makes its window
//! smaller (RFC 3168). Nothing need be lost, and the window is what holds the rate all the same.

use farpath_record::trace::TraceDirection;

use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::items::{Item, step};
use crate::part::part;
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

/// Fewer marked segments than the first of these do not hold a window that sockets say nothing else of, and from the second on they do.
/// A choice.
const MARKED: [f64; 2] = [2.0, 10.0];

/// A flow that has so much of a line fills it: its marks keep the queue short, and the line holds the rate.
const FULL: f64 = 0.85;

/// A sender waits for a window or a buffer, and not for marks, for so much of its time, and has something to send for so much of it.
const WAITS: [f64; 2] = [0.2, 0.5];
const BUSY: [f64; 2] = [0.5, 0.8];

/// Segments that arrived, and how many of them a queue had marked, as the kernel of their sender counts them (`delivered`, `delivered_ce`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Delivered {
    all: f64,
    marked: f64,
}

impl Delivered {
    /// What sockets count together; none where no segment was marked.
    pub(crate) fn of(all: Option<Figure>, marked: Option<Figure>) -> Option<Delivered> {
        let (all, marked) = (all?.value, marked?.value);
        (marked > 0.0 && marked <= all).then_some(Delivered { all, marked })
    }
}

impl Evidence {
    /// How surely so many marked segments hold the window, 0 to 1: no more were lost, nothing else held the sender, and the line is not full.
    fn held_by_marks(&self, marked: f64) -> f64 {
        let share = |of: &Option<Figure>| of.as_ref().map(|f| f.value);
        let waits = [&self.rwnd_share, &self.sndbuf_share].into_iter();
        let waits = waits.filter_map(share).fold(0.0, f64::max);
        let busy = share(&self.busy_share).unwrap_or(1.0);
        let line = self.line.as_ref();
        let line = line.map(|(line, _)| line.value * self.payload_share());
        let rate = self.settled().map_or(0.0, |r| r.value);
        let full = line.is_some_and(|line| rate > FULL * line);
        let lost = self.sent_again().unwrap_or(0.0);
        if full || lost > marked || self.full_window.is_some() || self.is_bbr() {
            return 0.0;
        }
        let own = 1.0 - step(waits, WAITS[0], WAITS[1]);
        step(marked, MARKED[0], MARKED[1]) * own * step(busy, BUSY[0], BUSY[1])
    }

    /// How often the window was made smaller for marks, where no more segments than that were lost.
    pub(crate) fn cut_by_marks(&self) -> Option<f64> {
        let cuts = self.marks.as_ref()?.value;
        let lost = self.retransmits.as_ref().map_or(0.0, |r| r.value);
        (lost <= cuts).then_some(cuts)
    }

    /// Which queue marks, where marks hold the window: only its own counters say it.
    pub(crate) fn asks_marking(&self, likely: &[Cause]) -> Option<MissingFact> {
        let marks = likely.first() == Some(&Cause::Marks);
        let grows = self.delivered.map_or_else(String::new, |of| {
            format!(
                ": its count grows by about as many as the sender's socket counts, {:.0} here",
                of.marked
            )
        });
        marks.then(|| MissingFact {
            fact: "marking_queue",
            would_decide: format!("which queue of the path marks, and from how much on{grows}"),
            command: MARKING.to_owned(),
        })
    }
}

/// What prints how many packets a queue marked.
const MARKING: &str = "on each hop of the path, before and after a test: tc -s qdisc show of Linux (ecn_mark of fq_codel, codel, pie and dualpi2, marked of red, marks of cake); show policy-map interface of IOS and show queuing interface of NX-OS, the class with WRED and ECN; show interfaces queue of Junos; and show interfaces: whether that port is full";

/// What sockets count of marks: the cause where nothing else holds the sender, and said in any case.
fn by_delivered(e: &Evidence, items: &mut Vec<Item>) {
    let Some(of) = e.delivered.filter(|_| e.marks.is_none()) else {
        return;
    };
    let again = match e.sent_again() {
        Some(n) => format!(", and {n:.0} were sent again"),
        None => String::new(),
    };
    let (holds, weights) = match e.held_by_marks(of.marked) {
        holds if holds > 0.5 => (holds, vec![(Cause::Marks, SEEN)]),
        _ => (1.0, Vec::new()),
    };
    items.push(Item {
        holds,
        weights,
        sentence: format!(
            "a queue of the path marks packets instead of dropping them (ECN): {:.0} of {:.0} segments that arrived were marked, {}{again}",
            of.marked,
            of.all,
            part(of.marked / of.all)
        ),
    });
}

/// A window that marks keep small is what holds the rate, where that is most of the time.
pub(crate) fn by_marks(e: &Evidence, items: &mut Vec<Item>) {
    by_delivered(e, items);
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

    /// A socket that counts so many of 14 000 segments as marked, and so many as sent again.
    fn counted(marked: f64, again: f64) -> Evidence {
        let figure = |value: f64| Some(Figure::exact(value, Place::You));
        Evidence {
            delivered: Delivered::of(figure(14_000.0), figure(marked)),
            retransmits: figure(again),
            rate: figure(14e6),
            bytes: figure(20e6),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// `delivered_ce` was not read: the receive window and the send buffer shared the verdict.
    #[test]
    fn segments_that_a_socket_counts_as_marked_are_the_cause() {
        let marked = weigh(&counted(84.0, 0.0), &[]);
        assert_eq!(marked.ranking[0].cause, Cause::Marks);
        assert!(marked.ranking[0].confidence > 0.9, "{:?}", marked.ranking);
        let said = "84 of 14000 segments that arrived were marked, 0.60 %, and 0 were sent again";
        assert!(says(&marked, said), "{:?}", marked.because);
    }

    #[test]
    fn few_marks_and_marks_beside_more_losses_a_wait_or_a_full_line_are_said_alone() {
        let waits = Evidence {
            rwnd_share: Some(Figure::exact(0.9, Place::You)),
            ..counted(84.0, 0.0)
        };
        let full = Evidence {
            line: Some((Figure::exact(15e6, Place::You), "the line")),
            ..counted(84.0, 0.0)
        };
        for e in [counted(2.0, 0.0), counted(84.0, 300.0), waits, full] {
            let weighed = weigh(&e, &[]);
            let mut all = weighed.ranking.iter();
            let marks = all.find(|r| r.cause == Cause::Marks).expect("each has one");
            assert!(marks.confidence < 0.01, "{:?}", weighed.ranking);
            assert!(says(&weighed, "segments that arrived were marked"));
        }
        assert_eq!(Delivered::of(None, None), None);
    }
}
