//! The arrival side of a port with queues of its own: classes, schedulers, active queue management.

use std::collections::VecDeque;

use farpath_units::Time;
use farpath_wire::Frame;

use super::Port;
use crate::network::Io;
use crate::qdisc::{Classes, Footprint, Place, QueueCounter};
use crate::treatment::Treatments;

/// How frames get to the transmitter.
#[derive(Debug)]
pub(super) enum Service {
    /// In order, settled on arrival: nothing is kept.
    OnArrival,
    /// In order, by pull: these wait.
    Fifo(VecDeque<Frame>),
    /// As the queues decide, by pull.
    Queues(Box<Classes>),
}

impl Service {
    /// The queues, if there are any.
    #[inline]
    pub(super) fn queues(&self) -> Option<&Classes> {
        match self {
            Service::Queues(queues) => Some(queues),
            _ => None,
        }
    }

    /// Whether the transmitter has something to take.
    #[inline]
    pub(super) fn has_frames(&self) -> bool {
        match self {
            Service::OnArrival => false,
            Service::Fifo(waiting) => !waiting.is_empty(),
            Service::Queues(queues) => queues.frames() > 0,
        }
    }
}

impl Port {
    /// The counters of every queue and the frames waiting in it, for a port that has queues.
    pub fn queues(&self) -> impl Iterator<Item = (&QueueCounter, u64)> {
        self.service
            .queues()
            .into_iter()
            .flat_map(Classes::counters)
    }

    /// A frame that may be carried meets the queues.
    pub(super) fn enqueue(
        &mut self,
        frame: &Frame,
        (cost, place): (Footprint, Place),
        known: &mut Treatments,
        io: &mut Io<'_>,
    ) {
        let Service::Queues(queues) = &mut self.service else {
            return;
        };
        let idle = self.transmitter.free() <= frame.at;
        let waits = !idle || queues.frames() > 0;
        if let Err(reason) = queues.offer(frame, &cost, place, waits) {
            self.refuse(frame, reason);
        } else if idle {
            self.serve(frame.at, known, io);
        }
    }

    /// The transmitter, idle at `now`, takes what the queues give it.
    pub(super) fn serve(&mut self, now: Time, known: &mut Treatments, io: &mut Io<'_>) {
        let Service::Queues(queues) = &mut self.service else {
            return;
        };
        if let Some(frame) = queues.take(now) {
            let treatment = self.treatment(&frame, known);
            let (_, tally) = self.transmit(now, &frame, treatment, io);
            self.fifo.start(tally, 1);
        }
    }
}
