//! The arrival side of a port with more than a plain queue: conditioners, classes, schedulers,
//! active queue management, shapers.

use farpath_units::Time;
use farpath_wire::{Frame, LabelEntry};

use super::Port;
use super::passage::Passage;
use super::service::Service;
use crate::atm::Hurt;
use crate::conditioner::{Policer, Stage};
use crate::drops::Drop;
use crate::network::Io;
use crate::qdisc::{Discipline, QueueCounter, TallyId};
use crate::treatment::{Treatment, Treatments};

/// The bits of a label entry that say its traffic class (RFC 5462).
const TRAFFIC_CLASS: u32 = 7 << 9;

impl Port {
    /// The counters of every queue and the frames waiting in it, for a port that has queues.
    pub fn queues(&self) -> Vec<(&QueueCounter, u64)> {
        self.service
            .queues()
            .map_or(Vec::new(), Discipline::counters)
    }

    /// The policers, in order; those of the far node come last.
    pub fn policers(&self) -> impl Iterator<Item = &Policer> {
        let stages = self.conditioning.iter().chain(&self.ingress);
        stages.flat_map(Stage::policers)
    }

    /// Puts `stages` where frames enter the far node, before it decides on them: a meter there sees
    /// them as far apart as the line brings them. Called before the run, of a port whose frames keep
    /// their order and their distance on the line.
    pub fn condition_arrivals(&mut self, stages: Vec<Stage>) {
        assert!(
            self.passage == Passage::Straight,
            "a meter takes frames in the order of their arrival"
        );
        self.ingress = stages;
    }

    /// [`Port::leave`] from the arrival at `at` on, where the far node conditions what arrives.
    #[inline(never)]
    pub(super) fn enter(
        &mut self,
        at: Time,
        frame: &Frame,
        (treatment, hurt): (&Treatment, Hurt),
        io: &mut Io<'_>,
    ) -> TallyId {
        self.last_arrival = self.last_arrival.max(at);
        let mut arrived = frame.arriving(self.last_arrival);
        let bytes = self.transmitter.cost_of(frame.link_payload()).queue_bytes;
        for stage in &mut self.ingress {
            if !stage.condition(&mut arrived, bytes) {
                self.hash(arrived.at, &arrived, 1 + Drop::Policed as u64);
                return self.ended_hurt(treatment, hurt, Drop::Policed);
            }
        }
        let mut sent = treatment.apply(frame, arrived.at);
        if arrived.class != frame.class {
            sent.class = arrived.class;
        }
        // What is behind the label that is left keeps its mark.
        if arrived.label != frame.label && sent.label.is_some() {
            let (LabelEntry(old), LabelEntry(new)) = (sent.label, arrived.label);
            sent.label = LabelEntry(old & !TRAFFIC_CLASS | new & TRAFFIC_CLASS);
        }
        self.arrive_at(sent, frame, (treatment, hurt), io)
    }

    /// A frame meets the conditioners, and then what any frame meets.
    #[inline(never)]
    pub(super) fn condition(&mut self, frame: &Frame, known: &mut Treatments, io: &mut Io<'_>) {
        let mut frame = *frame;
        let bytes = self.transmitter.cost_of(frame.link_payload()).queue_bytes;
        for stage in &mut self.conditioning {
            if !stage.condition(&mut frame, bytes) {
                return self.refuse(&frame, Drop::Policed);
            }
        }
        self.admit(&frame, known, io);
    }

    /// A frame that may be carried meets the queues; whether the transmitter is idle and may take it.
    #[inline]
    pub(super) fn enqueue(&mut self, frame: &Frame, treatment: &Treatment) -> bool {
        let Service::Queues(queues) = &mut self.service else {
            return false;
        };
        let idle = self.transmitter.free() <= frame.at;
        let waits = !idle || queues.frames() > 0;
        let offered = queues.offer(frame, &treatment.footprint, treatment.place, waits);
        let gone = queues.has_gone();
        if gone {
            self.bury(frame.at);
        }
        match offered {
            Err(reason) => {
                self.refuse(frame, reason);
                false
            }
            Ok(()) => idle,
        }
    }

    /// The transmitter, idle at `now`, takes what the discipline gives it.
    pub(super) fn serve(&mut self, now: Time, known: &mut Treatments, io: &mut Io<'_>) {
        let Service::Queues(queues) = &mut self.service else {
            return;
        };
        let framing = self.transmitter.framing();
        let taken = queues.take(now, |frame| framing.queue_bytes(frame.link_payload()));
        if queues.has_gone() {
            self.bury(now);
        }
        if let Some(frame) = taken {
            let treatment = self.treatment(&frame, known);
            let (_, tally) = self.transmit(now, &frame, treatment, io);
            self.fifo.start(tally, 1);
        }
    }

    /// Counts what was dropped out of its turn at `now`.
    #[inline(never)]
    pub(super) fn bury(&mut self, now: Time) {
        while let Service::Queues(queues) = &mut self.service
            && let Some((frame, reason)) = queues.gone()
        {
            self.counters.drop(reason);
            self.hash(now, &frame, 1 + reason as u64);
        }
    }
}
