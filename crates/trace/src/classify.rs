//! What each segment was that is not simply the next one, and how its sender came to send it.

use std::collections::BTreeMap;

use crate::event::{Event, NEVER, Place};
use crate::opening::SynAgain;
use crate::work;

/// How a sender came to send a segment again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Why {
    Fast,
    Rto,
    Tlp,
    LostRetransmission,
    Unknown,
}

/// What a segment was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Others overtook it before the capture.
    Reordered,
    /// The network doubled it.
    NetworkDuplicate,
    /// Sent again; the capture has the first copy.
    Again(Why),
    /// Sent again although the receiver had it.
    Unneeded(Why),
    /// Sent again; the first copy never came here.
    Upstream(Why),
}

/// What is known of a connection's path when all of it was seen, nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Times {
    /// From the capture to the sender and back; 0 where it is unknown.
    pub(crate) to_sender: i64,
    /// The whole round trip, the shortest; 0 where it is unknown.
    pub(crate) round_trip: i64,
    /// It was captured at the sender: no network is before it.
    pub(crate) at_sender: bool,
}

/// Shortest retransmission timeout of the systems in use, and what Linux adds to the smoothed round trip at least.
const RTO_LEAST: i64 = 200_000_000;
/// A timeout is taken for one from this share of its estimate on: the estimate was made elsewhere.
const RTO_SHARE: f64 = 0.8;
/// Before this share of a round trip no sender can have heard of a loss.
const TOO_SOON: f64 = 0.7;
/// A copy that comes within this share of a round trip was made by the network.
const COPY_SOON: f64 = 0.5;

/// Judges the events of one direction, in their order.
pub(crate) fn classify(events: &[Event], times: Times) -> Vec<Class> {
    work::count(events.len());
    let mut judge = Judge {
        times,
        rto_until: 0,
        recovery_until: 0,
    };
    let mut classes: Vec<Class> = events.iter().map(|e| judge.class(e)).collect();
    excuse_overtakers(events, &mut classes);
    classes
}

/// A repetition that filled a hole was not needed where the original came behind it.
fn excuse_overtakers(events: &[Event], classes: &mut [Class]) {
    let mut filled = BTreeMap::new();
    for (n, event) in events.iter().enumerate() {
        match classes[n] {
            Class::Upstream(why) => {
                filled.insert(event.seq, (n, why));
            }
            Class::Reordered if event.place == Place::Seen => {
                if let Some((first, why)) = filled.remove(&event.seq) {
                    classes[first] = Class::Unneeded(why);
                }
            }
            _ => {}
        }
    }
}

/// The SYNs among the events of one direction.
pub(crate) fn syns_again(events: &[Event], times: Times) -> Vec<SynAgain> {
    work::count(events.len());
    let judge = Judge {
        times,
        rto_until: 0,
        recovery_until: 0,
    };
    let syns = events.iter().filter(|e| e.is_syn);
    syns.map(|e| SynAgain {
        at: e.at,
        is_copy: judge.is_copy(e),
    })
    .collect()
}

struct Judge {
    times: Times,
    /// What was sent before the last timeout ends here.
    rto_until: u64,
    /// The same of the last fast retransmission.
    recovery_until: u64,
}

impl Judge {
    fn class(&mut self, e: &Event) -> Class {
        match e.place {
            Place::Hole if self.is_reordered(e) => Class::Reordered,
            Place::Hole => Class::Upstream(self.why(e)),
            Place::Seen if is_overtaken(e) => Class::Reordered,
            Place::Seen if self.is_copy(e) => Class::NetworkDuplicate,
            Place::Seen if e.is_unneeded() => Class::Unneeded(self.why(e)),
            Place::Seen => Class::Again(self.why(e)),
        }
    }

    fn share_of_round_trip(&self, share: f64) -> i64 {
        (self.times.round_trip as f64 * share) as i64
    }

    /// The sender's clock says that it was sent before what left the hole, and never that it was sent later; or it came too soon for
    /// a second copy.
    fn is_reordered(&self, e: &Event) -> bool {
        match e.stamp {
            Some(later) if later < 0 => true,
            Some(later) if later > 0 => false,
            _ => {
                e.lag < self.share_of_round_trip(TOO_SOON)
                    || e.identification.is_some_and(|id| (-1000..0).contains(&id))
            }
        }
    }

    fn is_copy(&self, e: &Event) -> bool {
        let same_stamp = e.stamp.is_none_or(|s| s == 0);
        let soon = e.since < RTO_LEAST.max(self.times.round_trip);
        // The round trip of a handshake may have the timers of its SYNs in it.
        if e.is_syn && e.since >= RTO_LEAST {
            return false;
        }
        match e.identification {
            // No stack sends a second one under the same identification; some have one for all.
            Some(0) => same_stamp && soon,
            Some(_) => false,
            None if self.times.at_sender => false,
            None if e.since < self.share_of_round_trip(COPY_SOON) => same_stamp,
            // Data with a later TSval came before it: its sender's clock had gone on, and a repetition would show that.
            None => e.stamp == Some(0) && e.same_echo && e.overtaken && soon,
        }
    }

    fn why(&mut self, e: &Event) -> Why {
        let why = self.reason(e);
        match why {
            Why::Rto => self.rto_until = self.rto_until.max(e.max),
            Why::Fast => self.recovery_until = self.recovery_until.max(e.max),
            _ => {}
        }
        why
    }

    fn reason(&self, e: &Event) -> Why {
        let d = self.times.to_sender;
        // What the sender knew when it sent what passes now, had passed that much earlier.
        let heard = |at: i64| at != NEVER && at.saturating_add(d / 5 * 4) <= e.at;
        let since = |at: i64| (e.at - at - d).max(0);
        let again = e.times >= 2;
        let smoothed = match e.smoothed {
            0 => self.times.round_trip,
            some => some + d,
        };
        let quiet = since(e.una_at).min(e.lag);
        let silent = since(e.ack_at);
        let spread = (4 * e.variation).max(RTO_LEAST);
        let evidence = heard(e.sack_at) || heard(e.dup_at);
        let in_rto = e.seq < self.rto_until && e.una < self.rto_until;
        let probing = e.tail && !again && !evidence && !in_rto;
        let soon = e.lag < (smoothed + RTO_LEAST).saturating_mul(19) / 20;
        if probing
            && soon
            && e.lag.saturating_mul(2) >= smoothed * 3
            && e.lag <= smoothed * 4 + 10_000_000
        {
            return Why::Tlp;
        }
        let short = RTO_LEAST.max(smoothed + 4 * e.variation) as f64 * RTO_SHARE;
        let long = (smoothed + spread) as f64 * 0.95;
        let quiet_ns = quiet as f64;
        let waited = quiet_ns >= short && silent.saturating_mul(2) >= quiet || quiet_ns >= long;
        // What was acknowledged here was not yet where its sender is: what came since says nothing of its timer.
        let waited = waited || e.known && e.lag as f64 >= short;
        // No acknowledgement for so long: nothing but a timer is left to send it.
        let unheard = silent as f64 >= RTO_LEAST as f64 * RTO_SHARE && silent >= 2 * smoothed;
        // Sent at once when the acknowledgement came that shows the loss.
        let answers = evidence && silent.saturating_mul(10) < quiet;
        let head = e.head || e.known;
        let bare =
            e.length == 0 && (again || e.known || e.lag as f64 >= RTO_LEAST as f64 * RTO_SHARE);
        if in_rto || bare || head && !answers && (waited || unheard) {
            return Why::Rto;
        }
        if again {
            return Why::LostRetransmission;
        }
        if evidence || e.seq < self.recovery_until && e.una < self.recovery_until {
            return Why::Fast;
        }
        Why::Unknown
    }
}

/// Its bytes had passed once before, with a later TSval: its own repetition was faster.
fn is_overtaken(e: &Event) -> bool {
    // What filled a hole begins with two.
    let is_first = e.times <= 2 && e.since != NEVER;
    e.length > 0 && is_first && e.stamp.is_some_and(|later| later < 0)
}
