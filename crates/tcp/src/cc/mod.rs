//! Congestion control: what an algorithm must say, and the list of algorithms.
//!
//! The sender owns cwnd, ssthresh, slow start and recovery; an algorithm answers two questions: how
//! much to add in congestion avoidance, and how far to fall at a loss. A new one is a file beside
//! this one and a line in [`control`].

mod cubic;
mod reno;

use core::fmt::Debug;

use farpath_units::Time;

use crate::Algorithm;

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
}

/// A congestion event: once per window of data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Loss {
    /// The window in use before it, in bytes: what was in flight (RFC 5681's FlightSize), at most
    /// cwnd, so that neither limited transmit nor a cwnd that was never used counts.
    pub(crate) window: f64,
    /// Payload bytes of a full segment.
    pub(crate) segment: f64,
}

/// A congestion control algorithm.
pub(crate) trait Control: Debug + Send {
    /// Bytes to add to cwnd for this ACK, in congestion avoidance and limited by cwnd.
    fn increase(&mut self, ack: &Ack) -> f64;

    /// The new ssthresh in bytes; the sender keeps it at two segments or more.
    fn reduce(&mut self, loss: &Loss) -> f64;

    /// An ACK in congestion avoidance that must not grow cwnd, because cwnd was not the limit.
    fn hold(&mut self, _now: Time) {}

    /// A retransmission timeout: cwnd starts again from one segment. Called after `reduce`.
    fn restart(&mut self) {}

    /// The last `reduce` was a mistake, and so was a `restart` after it: cwnd is what it was.
    fn undo(&mut self) {}
}

/// The algorithm of that name, in its initial state.
pub(crate) fn control(algorithm: Algorithm) -> Box<dyn Control> {
    match algorithm {
        Algorithm::Reno => Box::new(reno::Reno::default()),
        Algorithm::Cubic => Box::new(cubic::Cubic::new()),
    }
}
