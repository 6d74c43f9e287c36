//! What each segment was that is not simply the next one, and how its sender came to send it.

pub(crate) mod probes;
mod sendings;
mod uncounted;

use crate::event::{EARLIER_IDS, Event, NEVER, Place, Sending};
use crate::opening::SynAgain;
use crate::work;
use probes::Wait;
use uncounted::Uncounted;

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
    /// IPv4 identifications tell packets apart: not all have one.
    pub(crate) ids_differ: bool,
    /// SACK was not agreed, and without it no sender probes for the loss of its last segment.
    pub(crate) is_sackless: bool,
    /// Within this time the sender's clock of timestamps may show the same; 0 where it is unknown.
    pub(crate) tick: i64,
}

/// Shortest retransmission timeout of the systems in use, and what Linux adds to the smoothed round trip at least.
pub(crate) const RTO_LEAST: i64 = 200_000_000;
/// A timeout is taken for one from this share of its estimate on: the estimate was made elsewhere.
const RTO_SHARE: f64 = 0.8;
/// Before this share of a round trip no sender can have heard of a loss.
const TOO_SOON: f64 = 0.7;
/// A copy that comes within this share of a round trip was made by the network.
const COPY_SOON: f64 = 0.5;

/// Judges the events of one direction, in their order.
pub(crate) fn classify(events: &[Event], times: Times) -> Vec<Class> {
    work::count(events.len());
    let mut judge = Judge::new(times);
    let late = sendings::late_originals(events, &judge);
    let each = events.iter().enumerate();
    let mut classes: Vec<Class> = each
        .map(|(n, e)| judge.take(e, late.contains(&n)))
        .collect();
    sendings::join(events, &mut classes);
    sendings::spare(events, &mut classes);
    probes::name(events, &mut classes, times);
    classes
}

/// Segments of class `unneeded` that may as well be copies which the network made, where nothing tells what they are.
pub(crate) fn undecided(events: &[Event], classes: &[Class], times: Times) -> u64 {
    work::count(events.len());
    let judge = Judge::new(times);
    let both = events.iter().zip(classes);
    let open =
        both.filter(|(e, class)| matches!(class, Class::Unneeded(_)) && judge.is_undecided(e));
    open.map(|(e, _)| u64::from(e.pieces)).sum()
}

/// The SYNs among the events of one direction.
pub(crate) fn syns_again(events: &[Event], times: Times) -> Vec<SynAgain> {
    work::count(events.len());
    let judge = Judge::new(times);
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
    /// What was seen before and does not count as a repetition.
    uncounted: Uncounted,
}

impl Judge {
    fn new(times: Times) -> Judge {
        Judge {
            times,
            rto_until: 0,
            recovery_until: 0,
            uncounted: Uncounted::default(),
        }
    }

    /// The class of the next event, and what it says of those behind it; `is_late`: what came behind it shows that it is an original.
    fn take(&mut self, e: &Event, is_late: bool) -> Class {
        let class = match is_late {
            true => Class::Reordered,
            false => self.class(e),
        };
        let is_original = class == Class::Reordered && e.place == Place::Hole;
        if is_original || class == Class::NetworkDuplicate {
            self.uncounted.add(e);
        }
        class
    }

    fn class(&mut self, e: &Event) -> Class {
        match e.place {
            Place::Hole if self.is_reordered(e) => Class::Reordered,
            Place::Hole => Class::Upstream(self.why(e)),
            Place::Seen if e.sending == Sending::First || self.is_copy(e) => {
                Class::NetworkDuplicate
            }
            Place::Seen if self.is_late(e) => Class::Reordered,
            Place::Seen if e.is_unneeded() => Class::Unneeded(self.why(e)),
            Place::Seen => Class::Again(self.why(e)),
        }
    }

    fn share_of_round_trip(&self, share: f64) -> i64 {
        (self.times.round_trip as f64 * share) as i64
    }

    /// The sender's clock says that it was sent before what left the hole, and never that it was sent later. By one tick both were sent
    /// at once: a repetition would leave a round trip later, and not before what had passed. Or it came too soon for a second copy.
    fn is_reordered(&self, e: &Event) -> bool {
        match e.stamp {
            Some(later) if later < 0 => true,
            Some(later) if later > 0 => false,
            Some(_) if e.overtaken || self.is_clock_fine() => true,
            _ => {
                e.lag < self.share_of_round_trip(TOO_SOON)
                    || e.identification.is_some_and(|id| EARLIER_IDS.contains(&id))
            }
        }
    }

    /// Neither the sender's clock nor its count says that it was sent after what left the hole.
    fn may_be_original(&self, e: &Event) -> bool {
        let is_later = self.identification(e).is_some_and(|id| id > 0);
        e.stamp.is_none_or(|later| later <= 0) && !is_later
    }

    /// Whether a repetition always has a later TSval than what shows its loss, even if the tick was measured at half of what it is.
    fn is_clock_fine(&self) -> bool {
        let tick = self.times.tick;
        tick > 0 && tick.saturating_mul(2) < self.share_of_round_trip(TOO_SOON)
    }

    /// A sending before that which was seen first. Identifications alone may be lower by chance: then it must have come too soon behind the
    /// other for one that its sender made afterwards.
    fn is_late(&self, e: &Event) -> bool {
        let by_clock = e.stamp.is_some();
        let by_count = self.times.ids_differ && e.since < self.share_of_round_trip(TOO_SOON);
        e.sending == Sending::Before && (by_clock || by_count)
    }

    /// How much higher its identification is than the other one's, where that tells anything.
    fn identification(&self, e: &Event) -> Option<i16> {
        // Of a SYN that is all there is: no data was seen to know its sender's ways by.
        e.identification
            .filter(|_| self.times.ids_differ || e.length == 0)
    }

    /// It came when the network's copies do, and neither clock nor count says whether it is one.
    fn is_undecided(&self, e: &Event) -> bool {
        let unmarked = e.stamp.is_none() && self.identification(e).is_none();
        unmarked
            && e.length > 0
            && e.place == Place::Seen
            && !self.times.at_sender
            && self.is_soon(e)
    }

    /// Whether copies that the network makes come so soon.
    fn is_soon(&self, e: &Event) -> bool {
        e.since < RTO_LEAST.max(self.times.round_trip)
    }

    fn is_copy(&self, e: &Event) -> bool {
        let same_stamp = e.stamp.is_none_or(|s| s == 0);
        let soon = self.is_soon(e);
        // The round trip of a handshake may have the timers of its SYNs in it.
        if e.is_syn && e.since >= RTO_LEAST {
            return false;
        }
        match self.identification(e) {
            // No stack that counts sends a second one under the same identification.
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
        let again = e.times.saturating_sub(self.uncounted.of(e)) >= 2;
        let wait = Wait::of(e, self.times);
        let smoothed = wait.smoothed;
        let quiet = since(e.una_at).min(e.lag);
        let silent = since(e.ack_at);
        let spread = (4 * e.variation).max(RTO_LEAST);
        let evidence = heard(e.sack_at) || heard(e.dup_at);
        let in_rto = e.seq < self.rto_until && e.una < self.rto_until;
        let probes = !self.times.is_sackless;
        let probing = probes && e.tail && !again && !evidence && !in_rto;
        // Without acknowledgements nothing tells which segment is the first.
        let alone = e.head || e.known || e.ack_at == 0;
        if probing && wait.is_probe(alone) {
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

#[cfg(test)]
mod tests;
