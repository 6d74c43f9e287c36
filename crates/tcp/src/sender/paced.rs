//! What a paced sender does besides: waiting for its next burst, and measuring delivery rates.

use farpath_units::Time;

use super::{Sender, State};
use crate::Config;
use crate::cc::Watch;
use crate::delivery::Deliveries;
use crate::limit::Limit;
use crate::pacing::Pacer;

/// The state only paced senders have.
#[derive(Debug)]
pub(super) struct Paced {
    pub(super) pacer: Pacer,
    /// For an algorithm that asks for it.
    pub(super) deliveries: Option<Deliveries>,
}

impl Paced {
    /// As configured, and always for an algorithm that sets its rate.
    pub(super) fn of(config: &Config, watch: Watch, segment: u64) -> Option<Box<Paced>> {
        let measures = watch == Watch::Deliveries;
        let pacing = config.pacing.or_else(|| measures.then(Default::default))?;
        let mut pacer = Pacer::new(pacing, segment, config.flavour);
        pacer.makes_super_frames(config.tso);
        Some(Box::new(Paced {
            pacer,
            deliveries: measures.then(Deliveries::default),
        }))
    }
}

impl Sender {
    /// Whether pacing lets `len` bytes leave now; if it does not, the deadline says when.
    #[inline]
    pub(super) fn may_release(&mut self, now: Time, len: u64) -> bool {
        self.paced.is_none() || self.draw_burst(now, len)
    }

    #[inline(never)]
    fn draw_burst(&mut self, now: Time, len: u64) -> bool {
        let Some(paced) = &mut self.paced else {
            return true;
        };
        let pacer = &mut paced.pacer;
        let rate = pacer.rate(self.cwnd, self.ssthresh, self.rtt.srtt_secs());
        pacer.note_round_trip(self.rtt.min());
        match pacer.allow(now, self.nxt, len, rate) {
            Ok(()) => {
                self.release = Time::MAX;
                self.pace_edge = pacer.edge(self.nxt);
                self.refresh_limit();
                true
            }
            Err(at) => {
                self.release = at;
                let bounded = pacer.is_most(rate);
                if self.log.newest() == now {
                    // What left at this instant was not shown to be too little by cwnd.
                    self.note_limit(now, Limit::Pacing);
                }
                // The pace follows from the window or its model, so that is the limit, unless the application asks for no
                // more.
                let limit = match bounded {
                    true => Limit::Pacing,
                    false => self.cwnd_limit(),
                };
                self.account.note(now, limit, self.nxt - self.una);
                false
            }
        }
    }

    /// Whether the window grows as in slow start.
    ///
    /// Of an algorithm with a model of the path this is its start alone: afterwards a window below the threshold, if there is
    /// one at all, is one that it wants, and not one that grows to it.
    pub(super) fn slow_starts(&self) -> bool {
        match self.sampled {
            true => self.control.is_starting(),
            false => self.cwnd < self.ssthresh,
        }
    }

    /// New data from `seq` on leaves at an instant of its own.
    #[cold]
    pub(super) fn note_sent(&mut self, seq: u64, now: Time) {
        let in_flight = seq - self.una;
        if let Some(d) = self.deliveries() {
            d.on_send(seq, now, in_flight);
        }
    }

    /// The bytes from `start` to `end` leave again.
    pub(super) fn note_resent(&mut self, start: u64, end: u64, now: Time) {
        let in_flight = self.nxt - self.una;
        if let Some(paced) = &mut self.paced {
            paced.pacer.draw(end - start);
            self.pace_edge = paced.pacer.edge(self.nxt);
            if let Some(d) = &mut paced.deliveries {
                d.on_resend(start, end, now, in_flight);
            }
        }
    }

    /// Nothing more can be sent because of `limit`: when that is the application, samples say so.
    #[cold]
    pub(super) fn note_starved(&mut self, limit: Limit) {
        if limit == Limit::Application && self.state != State::Loss {
            let in_flight = self.in_flight();
            if let Some(d) = self.deliveries() {
                d.starve(in_flight);
            }
        }
    }

    pub(super) fn deliveries(&mut self) -> Option<&mut Deliveries> {
        self.paced.as_mut().and_then(|p| p.deliveries.as_mut())
    }
}
