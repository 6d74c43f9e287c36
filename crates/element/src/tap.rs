//! A capture tap: copies of what a port puts on its link.

use farpath_units::Time;
use farpath_wire::{Frame, Kind};

use crate::network::Io;
use crate::side::AckExtras;

/// One frame as it was on the link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tapped {
    /// The frame; `at` is when its last bit was sent.
    pub frame: Frame,
    /// What an ACK carries beside its number. Copied at once: they are forgotten when the ACK has
    /// arrived. Boxed, because hardly any frame has them.
    pub extras: Option<Box<AckExtras>>,
}

impl Tapped {
    /// `frame`, whose last bit is sent at `end`.
    pub(crate) fn new(frame: &Frame, end: Time, io: &mut Io<'_>) -> Tapped {
        let mut frame = *frame;
        frame.at = end;
        // Other kinds mean something else by `side`.
        let extras = match frame.kind {
            Kind::Ack => io.side(frame.flow).peek(frame.side).copied(),
            _ => None,
        };
        Tapped {
            frame,
            extras: extras.map(Box::new),
        }
    }
}
