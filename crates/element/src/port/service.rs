//! How frames get to a port's transmitter.

use std::collections::VecDeque;

use farpath_units::Time;
use farpath_wire::Frame;

use crate::qdisc::Discipline;

/// How frames get to the transmitter.
#[derive(Debug)]
pub(super) enum Service {
    /// In order, settled on arrival: nothing is kept.
    OnArrival,
    /// In order, by pull: these wait.
    Fifo(VecDeque<Frame>),
    /// As the discipline decides, by pull.
    Queues(Box<Discipline>),
}

impl Service {
    /// The discipline, if there is one.
    #[inline]
    pub(super) fn queues(&self) -> Option<&Discipline> {
        match self {
            Service::Queues(queues) => Some(queues),
            _ => None,
        }
    }

    /// When the transmitter, `free` then, takes the next frame.
    #[inline]
    pub(super) fn due(&self, free: Time) -> Time {
        match self {
            Service::OnArrival => Time::MAX,
            Service::Fifo(waiting) if waiting.is_empty() => Time::MAX,
            Service::Fifo(_) => free,
            Service::Queues(queues) => queues.ready().map_or(Time::MAX, |ready| ready.max(free)),
        }
    }
}
