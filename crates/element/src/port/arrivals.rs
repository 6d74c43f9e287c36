//! How a port takes what its inputs have: in runs where it is plain, else frame by frame.

use farpath_units::Time;

use super::Port;
use crate::network::Io;
use crate::treatment::Treatments;

impl Port {
    /// Takes what input `n` has before `until`; returns the arrival of what it has left.
    #[inline]
    pub(super) fn drain(
        &mut self,
        n: usize,
        until: Time,
        plain: bool,
        known: &mut Treatments,
        io: &mut Io<'_>,
    ) -> Time {
        if !plain {
            return self.drain_singly(n, until, known, io);
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
            let (passed, next) = self.pass(n, until, treatment, io);
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
