//! Congestion control: what an algorithm must say. `algorithm.rs` has the list of algorithms.
//!
//! The sender owns cwnd, ssthresh, slow start and recovery; an algorithm answers two questions: how
//! much to add in congestion avoidance, and how far to fall at a loss. One that must see every
//! acknowledgement says so ([`Control::watches`]) and may then steer cwnd, ssthresh and the pacing
//! rate. A new one is a file beside this one and its line in the list.

mod algorithm;
mod bbr;
mod bic;
mod cubic;
mod cubic_linux;
mod dctcp;
mod highspeed;
mod htcp;
mod hybla;
mod policer;
mod reno;
mod scalable;
mod vegas;
mod westwood;
mod whole;

use core::fmt::Debug;

use farpath_units::{Duration, Time};

use crate::delivery::Delivery;
use crate::flavour::Flavour;

pub use algorithm::Algorithm;
pub(crate) use algorithm::Chosen;

/// One acknowledgement of new data in congestion avoidance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ack {
    /// When.
    pub(crate) now: Time,
    /// Bytes to give credit for.
    pub(crate) acked: f64,
    /// The congestion window in bytes.
    pub(crate) cwnd: f64,
    /// Payload bytes of a full segment.
    pub(crate) segment: f64,
    /// Segments a byte: the inverse of `segment`, because division is slow.
    pub(crate) per_byte: f64,
    /// The smoothed round-trip time in seconds.
    pub(crate) srtt_s: f64,
    /// The smallest round-trip time measured; [`Duration::MAX`] before the first.
    pub(crate) rtt_min: Duration,
}

/// A congestion event: once per window of data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss {
    /// When.
    pub(crate) now: Time,
    /// The window before it, in bytes: by the document what was in flight (RFC 5681's FlightSize), at
    /// most cwnd, so that neither limited transmit nor a cwnd that was never used counts; by the
    /// kernel's rules cwnd.
    pub(crate) window: f64,
    /// Payload bytes of a full segment.
    pub(crate) segment: f64,
    /// Whether a retransmission timeout showed it.
    pub(crate) timeout: bool,
    /// Nothing was lost: the receiver says that marks came (RFC 3168 §6.1.2).
    pub(crate) marked: bool,
}

/// What an algorithm must be shown besides growth and losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Watch {
    /// Nothing: no cost per acknowledgement.
    Nothing,
    /// Every acknowledgement that delivers something.
    Acks,
    /// That, with samples of the delivery rate; the sender is paced at the rate it sets, and cwnd is
    /// the one it sets.
    Deliveries,
}

/// An acknowledgement that delivered something, in any state; shown after cwnd has followed it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    /// When.
    pub(crate) now: Time,
    /// Bytes newly delivered, cumulatively or selectively.
    pub(crate) delivered: u64,
    /// The round-trip time it measured, if it did.
    pub(crate) rtt: Option<Duration>,
    /// The first unacknowledged byte.
    pub(crate) una: u64,
    /// The first byte not sent yet.
    pub(crate) nxt: u64,
    /// The congestion window in bytes.
    pub(crate) cwnd: f64,
    /// The slow-start threshold in bytes.
    pub(crate) ssthresh: f64,
    /// Payload bytes of a full segment.
    pub(crate) segment: f64,
    /// Whether nothing is being repaired.
    pub(crate) open: bool,
    /// Whether nothing was lost or out of order before it.
    pub(crate) orderly: bool,
    /// Whether it says that marks came (RFC 3168 §6.1.2).
    pub(crate) marked: bool,
    /// Whether cwnd was the limit in the last window of data.
    pub(crate) cwnd_limited: bool,
    /// Bytes in the network now.
    pub(crate) in_flight: u64,
    /// Bytes in the network before it.
    pub(crate) before: u64,
    /// Bytes that it showed to be lost.
    pub(crate) lost: u64,
    /// Bytes lost in all.
    pub(crate) lost_total: u64,
    /// A sample of the delivery rate, for [`Watch::Deliveries`].
    pub(crate) delivery: Option<Delivery>,
    /// Bytes delivered in all, for [`Watch::Deliveries`].
    pub(crate) delivered_total: u64,
}

impl Seen {
    /// Whether the receiver may have kept the ACK back: it is for less than a segment, and nothing else was
    /// delivered since that was sent.
    pub(crate) fn may_be_delayed(&self) -> bool {
        let alone = |d: Delivery| d.prior + self.delivered == self.delivered_total;
        (self.delivered as f64) < self.segment && self.delivery.is_some_and(alone)
    }
}

/// What an algorithm that watches wants changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Steer {
    /// The new congestion window in bytes.
    pub(crate) cwnd: Option<f64>,
    /// The new slow-start threshold in bytes.
    pub(crate) ssthresh: Option<f64>,
    /// The new pacing rate in bytes a second, for [`Watch::Deliveries`].
    pub(crate) pacing: Option<f64>,
    /// What is in flight is little on purpose: its samples say nothing of the path.
    pub(crate) starved: bool,
}

/// What an algorithm is made with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    /// The document's rules or the kernel's.
    pub(crate) flavour: Flavour,
}

/// A congestion control algorithm.
pub(crate) trait Control: Debug + Send {
    /// In its initial state.
    fn new(setup: &Setup) -> Self
    where
        Self: Sized;

    /// Bytes to add to cwnd for this ACK, in congestion avoidance and limited by cwnd.
    fn increase(&mut self, ack: &Ack) -> f64;

    /// The new ssthresh in bytes; the sender keeps it at two segments or more, and where it was with
    /// [`Watch::Deliveries`].
    fn reduce(&mut self, loss: &Loss) -> f64;

    /// An ACK in congestion avoidance that must not grow cwnd, because cwnd was not the limit.
    fn hold(&mut self, _now: Time) {}

    /// New data leaves with nothing in flight before it; data was last sent at `sent`. Returns the new
    /// pacing rate in bytes a second, for [`Watch::Deliveries`].
    fn resume(&mut self, _now: Time, _sent: Time) -> Option<f64> {
        None
    }

    /// A reduction without a timeout is complete, and cwnd is about to be ssthresh; `segment` is the payload bytes of a full
    /// segment. Returns a new ssthresh in bytes, if it has one; the sender keeps it at two segments or more.
    fn complete(&mut self, _segment: f64) -> Option<f64> {
        None
    }

    /// A retransmission timeout: cwnd starts again from one segment. Called after `reduce`.
    fn restart(&mut self) {}

    /// The last `reduce` was a mistake, and so was a `restart` after it: cwnd is what it was.
    fn undo(&mut self) {}

    /// What it must be shown.
    fn watches(&self) -> Watch {
        Watch::Nothing
    }

    /// An acknowledgement it asked to see, after cwnd has followed it.
    fn watch(&mut self, _seen: &Seen) -> Steer {
        Steer::default()
    }

    /// Whether slow start may grow cwnd now.
    fn may_double(&self) -> bool {
        true
    }

    /// Bytes that slow start adds for each one acknowledged, before its own bounds, on a path of this smallest round trip; [`Duration::MAX`]
    /// before there is one.
    fn start_gain(&self, _rtt_min: Duration) -> f64 {
        1.0
    }

    /// With [`Watch::Deliveries`]: whether it has not found the path yet. Afterwards a small window is one that it wants.
    fn is_starting(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) fn setup(flavour: Flavour) -> Setup {
        Setup { flavour }
    }

    /// An ACK of `acked` segments at a window of `cwnd`, in units of segments, on 100 ms.
    pub(crate) fn ack(cwnd: f64, acked: f64) -> Ack {
        ack_at(Time::ZERO, cwnd, acked)
    }

    pub(crate) fn ack_at(now: Time, cwnd: f64, acked: f64) -> Ack {
        Ack {
            now,
            acked,
            cwnd,
            segment: 1.0,
            per_byte: 1.0,
            srtt_s: 0.1,
            rtt_min: Duration::from_ms(100),
        }
    }

    pub(crate) fn loss(window: f64) -> Loss {
        loss_at(Time::ZERO, window)
    }

    pub(crate) fn loss_at(now: Time, window: f64) -> Loss {
        Loss {
            now,
            window,
            segment: 1.0,
            timeout: false,
            marked: false,
        }
    }

    /// An ACK of one round trip's `delivered` segments in the open state, in units of segments.
    pub(crate) fn seen(now: Time, rtt: Duration, una: u64, cwnd: f64, ssthresh: f64) -> Seen {
        Seen {
            now,
            delivered: 1,
            rtt: Some(rtt),
            una,
            nxt: una + cwnd as u64,
            cwnd,
            ssthresh,
            segment: 1.0,
            open: true,
            orderly: true,
            marked: false,
            cwnd_limited: true,
            in_flight: cwnd as u64,
            before: cwnd as u64,
            lost: 0,
            lost_total: 0,
            delivery: None,
            delivered_total: 0,
        }
    }
}
