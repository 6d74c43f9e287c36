//! A port whose queue is of cells.

use farpath_predict::atm::CELL;
use farpath_units::{Duration, Time};
use farpath_wire::Frame;

use super::Port;
use crate::atm::Hurt;
use crate::drops::Drop;
use crate::network::Io;
use crate::qdisc::{Footprint, TallyId};
use crate::treatment::{Treatment, Treatments};

impl Port {
    /// The cells of a frame sent from `start` to `end` go their way: what was done to them when it goes
    /// on, or else what it counts for.
    #[inline]
    pub(super) fn through_cells(
        &mut self,
        way: (Time, Time),
        frame: &Frame,
        treatment: &Treatment,
    ) -> Result<Hurt, TallyId> {
        if self.circuits.is_none() {
            return Ok(Hurt::default());
        }
        self.through_circuits(way, frame, treatment)
    }

    #[inline(never)]
    fn through_circuits(
        &mut self,
        (start, end): (Time, Time),
        frame: &Frame,
        treatment: &Treatment,
    ) -> Result<Hurt, TallyId> {
        let Some(circuits) = &mut self.circuits else {
            return Ok(Hurt::default());
        };
        let hurt = circuits.pass(start, treatment.footprint.wire_bytes, frame);
        let Some(reason) = hurt.fate else {
            return Ok(hurt);
        };
        self.hash(end, frame, 1 + reason as u64);
        Err(self.hurt(treatment, hurt))
    }

    /// What a frame counts for that lost cells or had some tagged.
    #[inline]
    pub(super) fn hurt(&mut self, treatment: &Treatment, hurt: Hurt) -> TallyId {
        if hurt == Hurt::default() {
            return treatment.tally;
        }
        self.tally_hurt(treatment, hurt)
    }

    #[inline(never)]
    fn tally_hurt(&mut self, treatment: &Treatment, hurt: Hurt) -> TallyId {
        let footprint = Footprint {
            fate: hurt.fate,
            cells_lost: hurt.lost,
            cells_tagged: hurt.tagged,
            ..treatment.footprint
        };
        self.fifo.tally(footprint, treatment.time)
    }

    /// Bytes of cells that wait at `end`, the end of an interval.
    pub(super) fn settle_cells(&mut self, end: Time) -> u64 {
        let Some(cells) = &mut self.cells else {
            return 0;
        };
        if cells.deadline() > end {
            // No frame is finished by then, so this only takes cells in.
            let finished = cells.advance(end);
            debug_assert!(finished.is_none(), "a frame was finished before its time");
        }
        cells.waiting(end) * u64::from(CELL)
    }

    /// Frames finished and arriving, in order; what is finished at the instant of an arrival is first.
    pub(super) fn advance_cells(&mut self, until: Time, io: &mut Io<'_>) {
        let mut known = std::mem::take(&mut self.treatments);
        loop {
            let due = self.cells.as_ref().map_or(Time::MAX, |c| c.deadline());
            let first = io.first_input(until).map(|(n, _)| n);
            let arrival = first.map_or(Time::MAX, |n| io.input(n).head_at());
            if due < until && due <= arrival {
                self.note_intervals(due);
                self.finish_frame(due, &mut known, io);
            } else if let Some(frame) = first.and_then(|n| io.input(n).pop_before(until)) {
                self.note_intervals(frame.at);
                self.offer_cells(&frame, &mut known);
            } else {
                break;
            }
        }
        self.treatments = known;
    }

    fn offer_cells(&mut self, frame: &Frame, known: &mut Treatments) {
        self.counters.offered += 1;
        if !self.up {
            return self.refuse(frame, Drop::Down);
        }
        let (enclosed, wire_bytes) = {
            let treatment = self.treatment(frame, known);
            (treatment.enclosed, treatment.footprint.wire_bytes)
        };
        if enclosed > self.mtu {
            return self.refuse(frame, Drop::Mtu);
        }
        if let Some(cells) = &mut self.cells {
            cells.offer(frame, wire_bytes / CELL);
        }
    }

    /// The last cell of a frame has arrived at `due`: what went on is counted, and the frame if whole.
    fn finish_frame(&mut self, due: Time, known: &mut Treatments, io: &mut Io<'_>) {
        let finished = self.cells.as_mut().and_then(|c| c.advance(due));
        let Some(finished) = finished else {
            return;
        };
        let frame = finished.frame;
        let treatment = self.treatment(&frame, known);
        if finished.whole {
            let time = treatment.time;
            // So long before it began, if its cells were not mixed with others.
            let start = finished.end - time.min(finished.end.since(Time::ZERO));
            let tally = self.leave(start, finished.end, &frame, treatment, io);
            return self.fifo.start(tally, 1);
        }
        if finished.sent == 0 {
            self.counters.cells_lost += u64::from(finished.lost);
            return self.refuse(&frame, Drop::Tail);
        }
        let reason = Drop::Cell;
        let footprint = Footprint {
            wire_bytes: finished.sent * CELL,
            payload_bytes: 0,
            fate: Some(reason),
            cells_lost: finished.lost,
            ..treatment.footprint
        };
        let tally = self.fifo.tally(footprint, Duration::ZERO);
        self.fifo.start(tally, 1);
        self.hash(due, &frame, 1 + reason as u64);
    }
}
