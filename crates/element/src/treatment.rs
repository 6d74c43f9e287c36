//! What a port does with every frame that looks like one it has seen.
//!
//! Length, cost, the far node's decision and the rewritten header depend on a frame's flow, length,
//! class, kind, label and TTL, and on fixed tables; not on when it comes nor on its `seq` or `side`.
//! Consecutive frames of a flow are alike, so a port works a treatment out once and then only
//! compares. It also writes the outgoing frame from the treatment, whole, and sets three fields: to
//! read a frame back whole just after narrow writes to it stalls the processor.

use farpath_units::{Duration, Time};
use farpath_wire::{Frame, Kind};

use crate::forwarding::{Exit, Forwarding};
use crate::qdisc::{Fifo, Footprint, Place, TallyId};
use crate::transmitter::Transmitter;

/// The treatment of frames that are alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Treatment {
    /// The likeness of the frames it is for.
    likeness: (u32, u64),
    /// The same frame as the far node hands it on.
    pub(crate) sent: Frame,
    /// Where the far node hands it.
    pub(crate) exit: Exit,
    /// How long it occupies the link.
    pub(crate) time: Duration,
    /// What it counts for.
    pub(crate) footprint: Footprint,
    /// The same by number, when it arrives.
    pub(crate) tally: TallyId,
    /// What the framing encloses, in bytes.
    pub(crate) enclosed: u32,
    /// Where it waits, if the port has queues.
    pub(crate) place: Place,
}

impl Treatment {
    /// Whether `frame` is treated so.
    #[inline]
    pub(crate) fn is_for(&self, frame: &Frame) -> bool {
        self.likeness == frame.likeness()
    }

    /// `frame`, as it arrives at `at` where the far node hands it.
    #[inline]
    pub(crate) fn apply(&self, frame: &Frame, at: Time) -> Frame {
        let mut sent = self.sent;
        sent.at = at;
        sent.seq = frame.seq;
        sent.side = frame.side;
        sent
    }
}

/// The latest treatment of each flow and direction, by `FlowDir::index`.
#[derive(Debug, Default)]
pub(crate) struct Treatments(Vec<Treatment>);

impl Treatments {
    /// Forgets all, after a change of what frames cost.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether the latest frame of this flow and direction was like `frame`.
    #[inline]
    pub(crate) fn knows(&self, frame: &Frame) -> bool {
        let latest = self.0.get(frame.flow.index());
        latest.is_some_and(|t| t.is_for(frame))
    }

    /// How the latest frame like `frame` was treated. One must have been worked out.
    #[inline]
    pub(crate) fn of(&self, frame: &Frame) -> &Treatment {
        &self.0[frame.flow.index()]
    }

    /// Works out how `frame`, that waits at `place`, is treated.
    pub(crate) fn work_out(
        &mut self,
        frame: &Frame,
        transmitter: &mut Transmitter,
        fifo: &mut Fifo,
        forwarding: &Forwarding,
        headers: &[u16],
        place: Place,
    ) {
        let mut sent = *frame;
        let exit = forwarding.decide(&mut sent);
        let enclosed = frame.link_payload();
        let index = frame.flow.index();
        let header = headers.get(index).copied().unwrap_or(0);
        let cost = transmitter.cost_of(enclosed);
        let footprint = Footprint {
            queue_bytes: cost.queue_bytes,
            wire_bytes: cost.wire_bytes,
            payload_bytes: match frame.kind {
                Kind::Data | Kind::Udp => frame.len.saturating_sub(header).into(),
                _ => 0,
            },
            class: frame.class,
            fate: None,
            cells_lost: 0,
            cells_tagged: 0,
        };
        let treatment = Treatment {
            likeness: frame.likeness(),
            sent,
            exit,
            time: cost.time,
            footprint,
            tally: fifo.tally(footprint, cost.time),
            enclosed,
            place,
        };
        if index >= self.0.len() {
            self.0.resize(index + 1, treatment);
        }
        self.0[index] = treatment;
    }
}
