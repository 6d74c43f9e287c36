//! A send buffer as large as hosts come with, which nobody measured: a receiver's window of that size leaves the same rate. So do both of any
//! size, where no text says how large either is.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::infer::{OVER, Ranking, UNDER};
use crate::items::Item;
use crate::known::{DEFAULT_BUFFERS, System};
use crate::losses::lookalike::{even_part, give_each, most_of_others};

/// The two, the one that a size of its own names first.
pub(crate) const BOTH: [Cause; 2] = [Cause::SendBuffer, Cause::ReceiveWindow];

/// Items that speak by so many decibans more for one of them than for the other tell them apart.
const TELLS: f64 = 4.0;

/// The most that is said of either: it is not a verdict.
const EITHER: f64 = 0.39;

/// Shares within so much of each other are a tie.
const APART: f64 = 0.1;

/// From this share on it is said what they have together. A choice.
const TOGETHER: f64 = 0.55;

impl Evidence {
    /// Whether no text says how large the room at either end is, nor what the sender waited for.
    fn knows_neither_end(&self) -> bool {
        let rooms = self.windows.is_empty() && self.buffers.is_empty();
        let kernel = self.rwnd_share.is_some() || self.sndbuf_share.is_some();
        let socket = self.unsent.is_some() || self.queued.is_some() || self.full_window.is_some();
        let seen = kernel || socket || self.account.is_some();
        // Systems other than Linux have such a buffer by default: theirs is known by that.
        let linux = self.systems[0].is_none_or(|s| s == System::Linux);
        rooms && linux && !seen && !self.udp
    }

    /// Bytes in flight, and the buffer that hosts come with which leaves as many.
    fn fits_a_buffer(&self) -> Option<(f64, f64)> {
        let flight = self.settled_flight()?;
        let fits = |b: &f64| flight.high >= UNDER * b && flight.low <= OVER * b;
        let bytes = DEFAULT_BUFFERS.into_iter().find(fits)?;
        Some((flight.value, bytes))
    }
}

/// Whether something but the size tells the ends apart.
fn tell_apart(items: &[Item]) -> bool {
    let of = |item: &Item, cause: Cause| -> f64 {
        let own = item.weights.iter().filter(|(c, _)| *c == cause);
        item.holds * own.map(|(_, weight)| weight).sum::<f64>()
    };
    let apart = |item: &Item| of(item, BOTH[0]) - of(item, BOTH[1]);
    items.iter().map(apart).sum::<f64>().abs() >= TELLS
}

/// Says of both less than a verdict needs, where they lead, one as likely as the other, and nothing is known of either. More connections that
/// carry more show that it is one of the two.
fn hold_tie(e: &Evidence, items: &[Item], ranking: &mut [Ranking]) {
    let [first, second, ..] = ranking else { return };
    let both = BOTH.contains(&first.cause) && BOTH.contains(&second.cause);
    let tie = both && first.confidence - second.confidence < APART;
    let shown = e.counted_else.wider.is_some() || tell_apart(items);
    if !tie || !e.knows_neither_end() || shown {
        return;
    }
    for r in [first, second] {
        r.confidence = r.confidence.min(EITHER);
    }
}

/// What both have together, where they lead alike and nothing tells them apart; none below a share that is worth a word.
fn together(e: &Evidence, items: &[Item], ranking: &[Ranking]) -> Option<f64> {
    let [first, second, ..] = ranking else {
        return None;
    };
    let both = BOTH.contains(&first.cause) && BOTH.contains(&second.cause);
    let tie = both && first.confidence - second.confidence < APART;
    let sum = first.confidence + second.confidence;
    let open = e.knows_neither_end() && !tell_apart(items);
    (tie && open && sum >= TOGETHER).then_some(sum)
}

/// Levels the two where nothing tells them apart, and says what they have together.
pub(crate) fn even_out(e: &Evidence, items: &[Item], ranking: &mut [Ranking]) -> Option<String> {
    let sum = together(e, items, ranking);
    hold_tie(e, items, ranking);
    let said = |sum: f64| {
        format!(
            "the receive window and the send buffer have {:.0} % together, and nothing here tells them apart: ss -tinm on the sender during a test does (rwnd_limited is the window, sndbuf_limited the buffer)",
            100.0 * sum
        )
    };
    by_size(e, items, ranking).or_else(|| sum.map(said))
}

/// Shares the lead of a send buffer with the receiver's window, where a size that hosts come with is all that speaks for the buffer.
/// Says so where it does.
fn by_size(e: &Evidence, items: &[Item], ranking: &mut [Ranking]) -> Option<String> {
    let leads = ranking.first().is_some_and(|r| r.cause == BOTH[0]);
    if !leads || !e.knows_neither_end() || tell_apart(items) {
        return None;
    }
    let (flight, bytes) = e.fits_a_buffer()?;
    let each = libm::fmin(even_part(ranking, &BOTH), EITHER);
    if most_of_others(ranking, &BOTH) > each {
        return None;
    }
    give_each(ranking, &BOTH, each);
    Some(format!(
        "{flight:.0} bytes are in flight in a round trip, as a send buffer of {bytes:.0} bytes leaves, which hosts come with; a receiver's window of that size leaves the same: how large both are tells them apart"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};
    use crate::windows::room::Room;

    /// 10.1 Mbit/s over 100.1 ms, 126 376 bytes in flight, and nothing besides.
    fn evidence() -> Evidence {
        Evidence {
            rate: Some(Figure::exact(10.1e6, Place::You)),
            rtt: Some(Figure::exact(0.1001, Place::You)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    fn ranking() -> Vec<Ranking> {
        let all = [
            (Cause::SendBuffer, 0.9),
            (Cause::Application, 0.06),
            (Cause::ReceiveWindow, 0.04),
        ];
        let each = all.into_iter();
        each.map(|(cause, confidence)| Ranking { cause, confidence })
            .collect()
    }

    #[test]
    fn a_size_alone_does_not_say_which_end_it_is() {
        let mut open = ranking();
        let text = even_out(&evidence(), &[], &mut open).expect("they are shared");
        assert!(text.contains("131072 bytes"), "{text}");
        assert_eq!([open[0].cause, open[1].cause], BOTH);
        assert!(open[..2].iter().all(|r| r.confidence == EITHER), "{open:?}");
    }

    /// 8.1 MB in flight are near no buffer that hosts come with: 41 % each was a verdict.
    #[test]
    fn a_tie_of_both_ends_is_no_verdict() {
        let open = Evidence {
            rate: Some(Figure::exact(905e6, Place::You)),
            rtt: Some(Figure::exact(0.072, Place::You)),
            ..evidence()
        };
        let ranking = |window: f64, buffer: f64| {
            let all = [(Cause::ReceiveWindow, window), (Cause::SendBuffer, buffer)];
            let each = all.into_iter();
            each.map(|(cause, confidence)| Ranking { cause, confidence })
                .collect::<Vec<_>>()
        };
        let mut tie = ranking(0.41, 0.41);
        let said = even_out(&open, &[], &mut tie).expect("both have most of it");
        assert!(said.contains("82 % together"), "{said}");
        assert!(tie.iter().all(|r| r.confidence == EITHER), "{tie:?}");
        // What leads by more stays, and so does what a kernel says.
        let mut lead = ranking(0.6, 0.3);
        assert!(even_out(&open, &[], &mut lead).is_none());
        assert_eq!(lead[0].confidence, 0.6);
        let waited = Evidence {
            rwnd_share: Some(Figure::exact(0.5, Place::You)),
            ..open
        };
        let mut said = ranking(0.41, 0.41);
        assert!(even_out(&waited, &[], &mut said).is_none());
        assert_eq!(said[0].confidence, 0.41);
    }

    #[test]
    fn what_an_end_says_tells_them_apart() {
        let buffer = Evidence {
            buffers: vec![Room {
                bytes: Figure::exact(131_072.0, Place::You),
                memory: None,
                what: "net.ipv4.tcp_wmem".to_owned(),
                asked: false,
            }],
            ..evidence()
        };
        let waited = Evidence {
            sndbuf_share: Some(Figure::exact(0.9, Place::You)),
            ..evidence()
        };
        for e in [buffer, waited] {
            assert!(even_out(&e, &[], &mut ranking()).is_none());
        }
        let item = Item {
            holds: 1.0,
            weights: vec![(Cause::SendBuffer, 6.0)],
            sentence: String::new(),
        };
        assert!(even_out(&evidence(), &[item], &mut ranking()).is_none());
    }
}
