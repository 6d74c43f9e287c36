//! From the end of a frame's transmission to the far node where that is more than a delay: frames
//! that overtake, and impairments.

use std::collections::VecDeque;

use farpath_units::{Duration, Time};
use farpath_wire::Frame;

use super::service::Service;
use super::{Port, frame_hash};
use crate::atm::Hurt;
use crate::drops::Drop;
use crate::forwarding::Exit;
use crate::impair::{Damage, Fate, Line, Realised, Sorted, Sorter};
use crate::network::Io;
use crate::qdisc::TallyId;
use crate::transmitter::SMALLEST_DATAGRAM;
use crate::treatment::Treatment;

/// How frames get from the transmitter to the far node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passage {
    /// After the same delay, in order.
    Straight,
    /// Each after the delay of its time; a later one may overtake.
    Overtaking,
    /// By a line with impairments.
    Impaired,
}

/// A line with impairments at work.
pub(super) struct Impaired {
    line: Line,
    /// Jitter and changes of delay let frames overtake.
    overtaking: bool,
    sorter: Sorter,
    /// No frame put in later arrives earlier than this after the instant the port has reached.
    promised: Duration,
}

/// What a damaged frame's hash counts besides, so that runs which damage others differ.
const DAMAGED: u64 = 64;

impl Port {
    /// Puts `line` behind the transmitter: what it does to frames, it does from now on. Called before
    /// the run. Such a port is served by pull.
    pub fn impair(&mut self, line: Line) {
        if matches!(self.service, Service::OnArrival) {
            self.service = Service::Fifo(VecDeque::new());
        }
        self.impaired = Some(Box::new(Impaired {
            line,
            overtaking: self.passage == Passage::Overtaking,
            sorter: Sorter::default(),
            promised: Duration::ZERO,
        }));
        self.passage = Passage::Impaired;
        self.renew_promise();
    }

    /// What the line does to frames, it does from now on; those on it arrive as they would have.
    pub(super) fn exchange_line(&mut self, line: Line, overtaking: bool) {
        assert!(
            self.ingress.is_empty(),
            "a meter at the far end takes frames in the order of their arrival"
        );
        match &mut self.impaired {
            Some(impaired) => impaired.line.exchange(line),
            None => self.impair(line),
        }
        if let Some(impaired) = &mut self.impaired {
            impaired.overtaking = overtaking;
        }
    }

    /// Frames under way that are not on a channel yet, because others may still arrive before them.
    pub fn held(&self) -> u64 {
        self.impaired.as_ref().map_or(0, |i| i.sorter.len())
    }

    /// When a frame arrives whose time on the link ends at `end`.
    #[inline]
    pub(super) fn arrival(&self, end: Time) -> Time {
        self.through(end) + self.delay
    }

    /// When a frame is through whose time on the link ends at `end`: its last bit leaves a gap before (IEEE 802.3). Where the rate follows
    /// a trace a gap has no time of its own, and counts.
    #[inline]
    pub(super) fn through(&self, end: Time) -> Time {
        let traced = |i: &Impaired| i.line.follows_a_trace();
        let gap = match self.impaired.as_deref().is_some_and(traced) {
            true => Duration::ZERO,
            false => self.transmitter.gap(),
        };
        end - gap
    }

    /// The shortest frame's time on the link and the propagation.
    pub(super) fn shortest_way(&self) -> Duration {
        let bytes = self.transmitter.framing().wire_bytes(SMALLEST_DATAGRAM);
        let traced = self
            .impaired
            .as_ref()
            .and_then(|i| i.line.shortest(bytes.into()));
        let of_cells = self.cells.as_ref().map(|c| c.shortest());
        let shortest = traced.or(of_cells);
        shortest.unwrap_or_else(|| self.transmitter.shortest()) + self.delay
    }

    /// The link goes down and up as far as it is due by `now`: whoever waits is lost, or waits on.
    #[inline(never)]
    pub(super) fn weather(&mut self, now: Time) {
        while let Some(flap) = self.impaired.as_mut().and_then(|i| i.line.flap())
            && let Some(due) = flap.change(now)
        {
            let (up, holds, next) = (flap.is_up(), flap.holds(), flap.next());
            if holds {
                let free = self.transmitter.free();
                self.transmitter.set_free(match up {
                    true => free,
                    // The frame in service is let through.
                    false => free.max(next),
                });
                continue;
            }
            self.up = up;
            while !up
                && let Service::Fifo(waiting) = &mut self.service
                && let Some(frame) = waiting.pop_front()
            {
                self.fifo.take();
                self.counters.drop(Drop::Down);
                self.hash(due, &frame, 1 + Drop::Down as u64);
            }
            if !up && let Service::Queues(queues) = &mut self.service {
                queues.empty(due);
                self.bury(due);
            }
        }
    }

    /// What the port promises beyond the instant it has been advanced to.
    pub(super) fn promised(&self) -> Duration {
        match &self.impaired {
            Some(impaired) => impaired.promised,
            None => self.shortest_way(),
        }
    }

    /// Rate or delay have changed. A frame that is held back was put in under the old promise, and no
    /// greater one may pass it.
    pub(super) fn renew_promise(&mut self) {
        let shortest = self.shortest_way();
        if let Some(impaired) = &mut self.impaired {
            impaired.promised = match impaired.sorter.len() {
                0 => shortest,
                _ => impaired.promised.min(shortest),
            };
        }
    }

    /// When the earliest frame on the line has to be put on its channel.
    #[inline]
    pub(super) fn release_due(&self) -> Time {
        match &self.impaired {
            None => Time::MAX,
            Some(impaired) if impaired.sorter.len() == 0 => Time::MAX,
            Some(impaired) => impaired.sorter.first_at() - impaired.promised,
        }
    }

    /// Puts on their channels the frames that nothing can overtake any more, the port having been
    /// advanced to `until`.
    pub(super) fn release(&mut self, until: Time, io: &mut Io<'_>) {
        let Some(impaired) = &mut self.impaired else {
            return;
        };
        let before = until + impaired.promised;
        while let Some(sorted) = impaired.sorter.take_before(before) {
            let order = &mut self.counters.realised.order;
            match sorted.is_copy {
                true => order.copies += 1,
                false => order.arrive(sorted.number),
            }
            // A delay that has become shorter may have put others behind it already.
            io.output(sorted.output.into()).push_sorted(sorted.frame);
        }
    }

    /// [`Port::leave`] where the way is not straight.
    #[inline(never)]
    pub(super) fn leave_aside(
        &mut self,
        start: Time,
        end: Time,
        frame: &Frame,
        treatment: &Treatment,
        io: &mut Io<'_>,
    ) -> TallyId {
        let wire_bytes = treatment.footprint.wire_bytes;
        if self.is_cut(self.arrival(end)) {
            self.counters.realised.cut += 1;
            self.hash(end, frame, 1 + Drop::Down as u64);
            return self.ended(treatment, Drop::Down);
        }
        if let Some(reason) = self.suffer(end, wire_bytes, frame, io) {
            return self.ended(treatment, reason);
        }
        let hurt = match self.through_cells((start, end), frame, treatment) {
            Ok(hurt) => hurt,
            Err(tally) => return tally,
        };
        let Some(impaired) = &mut self.impaired else {
            return self.overtake(end, frame, (treatment, hurt), io);
        };
        let bytes = self.transmitter.framing().exposed_bytes(wire_bytes);
        let fate = impaired.line.befall(frame, bytes);
        if fate.damage == Some(Damage::Crc) {
            self.counters.realised.crc_errors += 1;
            self.hash(end, frame, 1 + Drop::Error as u64);
            return self.ended_hurt(treatment, hurt, Drop::Error);
        }
        if let Exit::Drop(reason) = treatment.exit {
            self.hash(self.arrival(end), frame, 1 + reason as u64);
            return self.ended_hurt(treatment, hurt, reason);
        }
        self.hand_over(end, treatment.exit, treatment.apply(frame, end), fate);
        self.hurt(treatment, hurt)
    }

    /// Start and end of a frame's transmission.
    #[inline]
    pub(super) fn occupy(&mut self, now: Time, treatment: &Treatment) -> (Time, Time) {
        if self.circuits.is_none() && self.impaired.is_none() {
            return self.transmitter.occupy(now, treatment.time);
        }
        self.occupy_aside(now, treatment)
    }

    /// The same where cells are shaped or the rate follows a trace.
    #[inline(never)]
    fn occupy_aside(&mut self, now: Time, treatment: &Treatment) -> (Time, Time) {
        let free = self.transmitter.free();
        let bytes = treatment.footprint.wire_bytes;
        let circuits = self.circuits.as_mut();
        if let Some((start, end)) = circuits.and_then(|c| c.shape(free.max(now), bytes)) {
            self.transmitter.set_free(end);
            return (start, end);
        }
        let traced = self.impaired.as_mut();
        let traced = traced.and_then(|i| i.line.end(now, bytes));
        let Some(end) = traced else {
            return self.transmitter.occupy(now, treatment.time);
        };
        self.transmitter.set_free(end);
        (now, end)
    }

    fn is_cut(&self, arrival: Time) -> bool {
        let impaired = self.impaired.as_ref();
        impaired.is_some_and(|i| i.line.cuts(arrival))
    }

    /// A later frame may overtake this one.
    fn overtake(
        &mut self,
        end: Time,
        frame: &Frame,
        (treatment, hurt): (&Treatment, Hurt),
        io: &mut Io<'_>,
    ) -> TallyId {
        let sent = treatment.apply(frame, self.arrival(end));
        self.arrive_at(sent, frame, (treatment, hurt), io)
    }

    /// Puts `sent`, which is what became of `frame`, where the far node decides, at its place in time.
    pub(super) fn arrive_at(
        &mut self,
        sent: Frame,
        frame: &Frame,
        (treatment, hurt): (&Treatment, Hurt),
        io: &mut Io<'_>,
    ) -> TallyId {
        let output = match treatment.exit {
            Exit::Output(output) => output,
            Exit::Spread(spread) => self.member(spread, frame, sent.at),
            Exit::Drop(reason) => {
                self.hash(sent.at, &sent, 1 + reason as u64);
                return self.ended_hurt(treatment, hurt, reason);
            }
        };
        self.hash(sent.at, &sent, 0);
        io.output(output.into()).push_sorted(sent);
        self.hurt(treatment, hurt)
    }

    /// Puts a frame, and maybe its copy, on the line.
    fn hand_over(&mut self, end: Time, exit: Exit, mut frame: Frame, fate: Fate) {
        let straight = self.arrival(end);
        let Some(impaired) = &mut self.impaired else {
            return;
        };
        let mut at = straight + fate.delay;
        if let Some(more) = fate.held_back {
            at += more;
        } else if !impaired.overtaking {
            self.last_arrival = self.last_arrival.max(at);
            at = self.last_arrival;
        }
        frame.at = at;
        let output = match exit {
            Exit::Output(output) => output,
            Exit::Spread(n) => self.forwarding.spreads[usize::from(n)].output(&frame, at),
            Exit::Drop(_) => return,
        };
        let Realised {
            added,
            duplicated,
            damaged,
            undetected,
            ..
        } = &mut self.counters.realised;
        added.note(at.since(straight));
        let mut outcome = 0;
        match fate.damage {
            Some(Damage::Undetected) => *undetected += 1,
            Some(Damage::Checksum) => {
                *damaged += 1;
                frame.damage();
                outcome = DAMAGED;
            }
            Some(Damage::Crc) | None => {}
        }
        let number = impaired.sorter.number();
        let sorted = |frame: Frame, is_copy| Sorted {
            frame,
            number,
            output,
            is_copy,
        };
        impaired.sorter.put(sorted(frame, false));
        let copy = fate.copy.map(|after| frame.arriving(at + after));
        if let Some(copy) = copy {
            *duplicated += 1;
            impaired.sorter.put(sorted(copy, true));
            if let Some(fates) = &mut self.fates {
                fates.copied.push(copy);
            }
        }
        if let Some(sum) = &mut self.digest {
            for frame in [Some(frame), copy].into_iter().flatten() {
                *sum = sum.wrapping_add(frame_hash(frame.at, &frame, outcome));
            }
        }
    }
}
