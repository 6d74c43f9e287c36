//! What a congestion control that watches every acknowledgement is shown, and what it changes.

use farpath_units::{Duration, Time};

use super::{LEAST_SSTHRESH, Sender, State};
use crate::cc::Seen;

/// An acknowledgement that delivered something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delivered {
    /// Bytes, cumulatively or selectively.
    pub(super) bytes: u64,
    /// Offsets among them, the one sent last included.
    pub(super) some: [Option<u64>; 2],
    /// The round-trip time it measured, if it did.
    pub(super) rtt: Option<Duration>,
    /// Bytes in flight before it.
    pub(super) before: u64,
    /// Bytes lost in all before it.
    pub(super) lost: u64,
    /// Whether nothing was lost or out of order before it.
    pub(super) orderly: bool,
    /// Whether it says that marks came.
    pub(super) marked: bool,
}

impl Delivered {
    /// Bytes delivered, some offsets among them, the round trip; bytes in flight and lost before, and whether all was in order; whether it
    /// says that marks came.
    pub(super) fn new(
        bytes: u64,
        some: [Option<u64>; 2],
        rtt: Option<Duration>,
        (before, lost, orderly): (u64, u64, bool),
        marked: bool,
    ) -> Delivered {
        Delivered {
            bytes,
            some,
            rtt,
            before,
            lost,
            orderly,
            marked,
        }
    }
}

impl Sender {
    /// Shows the algorithm an ACK, and follows it.
    #[inline(never)]
    pub(super) fn watch(&mut self, now: Time, what: Delivered) {
        let (una, rtt_min) = (self.una, self.rtt.least());
        let in_flight = self.in_flight();
        let (mut delivery, mut delivered_total) = (None, 0);
        if let Some(d) = self.deliveries() {
            delivery = d.on_ack(now, what.bytes, what.some, una, rtt_min);
            delivered_total = d.delivered();
        }
        let steer = self.control.watch(&Seen {
            now,
            delivered: what.bytes,
            rtt: what.rtt,
            una,
            nxt: self.nxt,
            cwnd: self.cwnd,
            ssthresh: self.ssthresh,
            segment: self.segment as f64,
            open: self.state == State::Open,
            orderly: what.orderly,
            marked: what.marked,
            cwnd_limited: self.cwnd_limited,
            in_flight,
            before: what.before,
            lost: self.board.lost() - what.lost,
            lost_total: self.board.lost(),
            delivery,
            delivered_total,
        });
        if let Some(ssthresh) = steer.ssthresh {
            self.ssthresh = ssthresh.max(LEAST_SSTHRESH * self.segment as f64);
        }
        if let (Some(rate), Some(paced)) = (steer.pacing, &mut self.paced) {
            paced.pacer.order(rate);
        }
        if steer.starved
            && let Some(d) = self.deliveries()
        {
            d.starve(in_flight);
        }
        if let Some(cwnd) = steer.cwnd {
            self.cwnd = cwnd;
            if self.cwnd >= self.mark {
                self.reach(now);
            }
        }
    }
}
