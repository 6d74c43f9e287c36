//! SYNs that a capture shows to be sent again before the answer: what they cost stands before the transfer, whose rate leaves it out, and
//! its sender begins with a smaller window.

use farpath_record::trace::TraceConnection;

use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::seen::Test;

/// Names of what is kept of a captured connection: SYNs that were sent again and what they cost, and SYNs or SYN-ACKs that the sender of the
/// data sent again.
const AGAIN: &str = "syns_sent_again";
const WAITED: &str = "syn_waited_ns";
const BY_SENDER: &str = "syns_sent_again_by_sender";

/// Segments that a connection begins with (RFC 6928 §2).
const INITIAL: f64 = 10.0;

/// From so many on a sender begins with one segment (RFC 5681 §3.1): Linux takes a single one for a timer that was too short.
const SMALLER: f64 = 2.0;

/// What costs less than this part of the transfer is not worth a word.
const WORTH: f64 = 0.1;

/// What SYNs cost that were sent again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LostSyns {
    /// How many.
    again: f64,
    /// From the first to the one that was answered, seconds.
    waited_s: f64,
    /// Whether the sender of the data begins with one segment.
    one: bool,
}

/// Notes what SYNs cost that were sent again before the answer, of a direction of a captured connection.
pub(crate) fn note(test: &mut Test, connection: &TraceConnection, reverse: bool, at: Place) {
    let Some(opening) = connection.opening.as_ref().filter(|o| o.answered) else {
        return;
    };
    let again = opening.syn_retransmissions;
    let before = again.saturating_sub(opening.syns_after_answer);
    let by_sender = match reverse {
        true => opening.syn_ack_retransmissions,
        false => before,
    };
    let all = [
        (AGAIN, before),
        (WAITED, opening.waited_ns),
        (BY_SENDER, by_sender),
    ];
    for (name, count) in all.into_iter().filter(|_| before > 0) {
        test.set(name, Figure::exact(count as f64, at));
    }
}

/// The round trip of a handshake, nanoseconds, without what SYNs cost that were sent again; none where its answer was sent again.
pub(crate) fn handshake_ns(connection: &TraceConnection) -> Option<u64> {
    let whole = connection.handshake_rtt_ns?;
    match &connection.opening {
        Some(opening) if opening.syn_ack_retransmissions > 0 => None,
        Some(opening) => Some(whole.saturating_sub(opening.waited_ns)),
        None => Some(whole),
    }
}

impl LostSyns {
    /// Of a captured direction.
    pub(crate) fn of(test: &Test) -> Option<LostSyns> {
        let get = |name: &str| test.numbers.get(name).map(|f| f.value);
        Some(LostSyns {
            again: get(AGAIN)?,
            waited_s: get(WAITED)? / 1e9,
            one: get(BY_SENDER)? >= SMALLER,
        })
    }
}

impl Evidence {
    /// Segments that slow start begins with.
    pub(crate) fn first_segments(&self) -> f64 {
        match self.lost_syns {
            Some(lost) if lost.one => 1.0,
            _ => INITIAL,
        }
    }

    /// What SYNs that were sent again cost beside the transfer, for people.
    pub(crate) fn lost_syns_in_words(&self) -> Option<String> {
        let lost = self.lost_syns?;
        let took = self.seconds.filter(|took| lost.waited_s > WORTH * took)?;
        let syns = match lost.again {
            n if n < 1.5 => "a SYN was".to_owned(),
            n => format!("{n:.0} SYNs were"),
        };
        let then = match lost.one {
            true => ". Its sender then began with one segment, and not with ten (RFC 5681 §3.1)",
            false => "",
        };
        Some(format!(
            "besides, {syns} sent again before the answer, which cost {:.2} s before the {took:.2} s of the transfer, and is not in its rate: a link that was down, a full queue or table, or a rule lost them{then}",
            lost.waited_s
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ceiling::rounds;
    use farpath_record::trace::Opening;

    fn captured(again: u64, reverse: bool) -> Test {
        let connection = TraceConnection {
            opening: Some(Opening {
                syns: again + 1,
                syn_retransmissions: again,
                answered: true,
                waited_ns: 1_000_000_000 * again,
                ..Opening::default()
            }),
            ..TraceConnection::default()
        };
        let mut test = Test::new("capture", Place::You);
        note(&mut test, &connection, reverse, Place::You);
        test
    }

    /// Two lost SYNs cost 2 s of 2.7, and what follows begins with one segment: 1 MB take 9.4 round trips, and not 6.1.
    #[test]
    fn lost_syns_are_named_and_make_slow_start_longer() {
        let with = |again: u64, reverse: bool| Evidence {
            lost_syns: LostSyns::of(&captured(again, reverse)),
            seconds: Some(0.68),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        };
        let two = with(2, false);
        assert_eq!(two.first_segments(), 1.0);
        assert!((rounds(&two, 1e6) - 9.43).abs() < 0.01);
        let words = two.lost_syns_in_words().expect("it cost most of the time");
        assert!(words.contains("2 SYNs were sent again"), "{words}");
        assert!(words.contains("cost 2.00 s before the 0.68 s"), "{words}");
        // One alone, and SYNs of the other end, leave ten.
        assert_eq!(with(1, false).first_segments(), 10.0);
        assert_eq!(with(2, true).first_segments(), 10.0);
        assert!((rounds(&with(0, false), 1e6) - 6.13).abs() < 0.01);
        assert_eq!(with(0, false).lost_syns_in_words(), None);
    }

    #[test]
    fn a_handshake_takes_no_longer_for_syns_that_were_lost() {
        let of = |answers: u64| {
            handshake_ns(&TraceConnection {
                handshake_rtt_ns: Some(2_040_000_000),
                opening: Some(Opening {
                    waited_ns: 2_000_000_000,
                    syn_ack_retransmissions: answers,
                    ..Opening::default()
                }),
                ..TraceConnection::default()
            })
        };
        assert_eq!(of(0), Some(40_000_000));
        assert_eq!(of(1), None);
    }
}
