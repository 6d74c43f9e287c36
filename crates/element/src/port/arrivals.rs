//! How a port takes what its inputs have: in runs where nothing depends on single frames.

use farpath_units::Time;

use super::service::Service;
use super::{Passage, Port};
use crate::impair::Loss;
use crate::network::Io;
use crate::treatment::Treatments;

/// How frames get through a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// In runs, settled on arrival.
    OnArrival,
    /// In runs between departures.
    Classed,
    /// One by one.
    Singly,
}

impl Port {
    /// Runs are possible where nothing depends on single frames.
    pub(super) fn pace(&self) -> Pace {
        let alike = self.conditioning.is_empty()
            && self.ingress.is_empty()
            && self.losses.iter().all(Loss::looks_ahead)
            && self.tapped.is_none()
            && self.passage == Passage::Straight
            && self.circuits.is_none();
        match &self.service {
            Service::OnArrival if alike => Pace::OnArrival,
            Service::Queues(queues) if alike && self.losses.is_empty() && queues.is_plain() => {
                Pace::Classed
            }
            _ => Pace::Singly,
        }
    }

    /// Takes what input `n` has before `until`; returns the arrival of what it has left.
    #[inline]
    pub(super) fn drain(
        &mut self,
        n: usize,
        until: Time,
        pace: Pace,
        known: &mut Treatments,
        io: &mut Io<'_>,
    ) -> Time {
        match pace {
            Pace::OnArrival => {}
            Pace::Classed => return self.drain_classed(n, until, known, io),
            Pace::Singly => return self.drain_singly(n, until, known, io),
        }
        loop {
            let Some(head) = io.input(n).head() else {
                return Time::MAX;
            };
            let now = head.at;
            if now >= until {
                return now;
            }
            self.note_intervals(now);
            let treatment = self.treatment(head, known);
            let (passed, next) = if self.losses.is_empty() {
                self.pass::<false>(n, until, treatment, io)
            } else {
                self.pass::<true>(n, until, treatment, io)
            };
            if next >= until {
                return next;
            }
            if passed == 0 {
                self.take(n, until, known, io);
            }
        }
    }

    /// The same frame by frame.
    #[inline(never)]
    fn drain_singly(
        &mut self,
        n: usize,
        until: Time,
        known: &mut Treatments,
        io: &mut Io<'_>,
    ) -> Time {
        loop {
            let Some(head) = io.input(n).head() else {
                return Time::MAX;
            };
            let now = head.at;
            if now >= until {
                return now;
            }
            // Ends of transmission come before arrivals of the same instant.
            self.pull_until(now.next(), known, io);
            if let Some(frame) = io.input(n).pop_before(until) {
                self.arrive(&frame, known, io);
            }
        }
    }

    /// The head of input `n` by itself.
    #[inline(never)]
    fn take(&mut self, n: usize, until: Time, known: &mut Treatments, io: &mut Io<'_>) {
        if let Some(frame) = io.input(n).pop_before(until) {
            self.arrive(&frame, known, io);
        }
    }

    #[inline]
    pub(super) fn pull_until(&mut self, until: Time, known: &mut Treatments, io: &mut Io<'_>) {
        while let due = self.service.due(self.transmitter.free())
            && due < until
        {
            self.pull(due, known, io);
        }
    }
}
