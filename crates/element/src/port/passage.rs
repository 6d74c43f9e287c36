//! From the end of a frame's transmission to the far node where that is more than a delay: frames
//! that overtake, and impairments.

use farpath_units::{Duration, Time};
use farpath_wire::Frame;

use super::{Port, frame_hash};
use crate::counters::Drop;
use crate::forwarding::Exit;
use crate::impair::{Damage, Fate, Line, Realised, Sorted, Sorter};
use crate::network::Io;
use crate::qdisc::TallyId;
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
        self.pulled.get_or_insert_default();
        self.impaired = Some(Box::new(Impaired {
            line,
            overtaking: self.passage == Passage::Overtaking,
            sorter: Sorter::default(),
            promised: self.shortest_way(),
        }));
        self.passage = Passage::Impaired;
    }

    /// Frames under way that are not on a channel yet, because others may still arrive before them.
    pub fn held(&self) -> u64 {
        self.impaired.as_ref().map_or(0, |i| i.sorter.len())
    }

    /// The shortest frame's time on the link and the propagation.
    pub(super) fn shortest_way(&self) -> Duration {
        self.transmitter.shortest() + self.delay
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

    /// [`Port::transmit`] where the way is not straight.
    #[inline(never)]
    pub(super) fn transmit_aside(
        &mut self,
        now: Time,
        frame: &Frame,
        treatment: &Treatment,
        io: &mut Io<'_>,
    ) -> (Time, TallyId) {
        let (start, end) = self.transmitter.occupy(now, treatment.time);
        let wire_bytes = treatment.footprint.wire_bytes;
        if let Some(reason) = self.suffer(end, wire_bytes, frame, io) {
            return (start, self.ended(treatment, reason));
        }
        let Some(impaired) = &mut self.impaired else {
            return (start, self.overtake(end, frame, treatment, io));
        };
        let fate = impaired.line.befall(frame, wire_bytes);
        if fate.damage == Some(Damage::Crc) {
            self.counters.realised.crc_errors += 1;
            self.hash(end, frame, 1 + Drop::Error as u64);
            return (start, self.ended(treatment, Drop::Error));
        }
        let output = match treatment.exit {
            Exit::Output(output) => output,
            Exit::Drop(reason) => {
                self.hash(end + self.delay, frame, 1 + reason as u64);
                return (start, self.ended(treatment, reason));
            }
        };
        self.hand_over(end, output, treatment.apply(frame, end), fate);
        (start, treatment.tally)
    }

    /// A later frame may overtake this one.
    fn overtake(
        &mut self,
        end: Time,
        frame: &Frame,
        treatment: &Treatment,
        io: &mut Io<'_>,
    ) -> TallyId {
        let sent = treatment.apply(frame, end + self.delay);
        match treatment.exit {
            Exit::Output(output) => {
                self.hash(sent.at, &sent, 0);
                io.output(output.into()).push_sorted(sent);
                treatment.tally
            }
            Exit::Drop(reason) => {
                self.hash(sent.at, &sent, 1 + reason as u64);
                self.ended(treatment, reason)
            }
        }
    }

    /// Puts a frame, and maybe its copy, on the line.
    fn hand_over(&mut self, end: Time, output: u16, mut frame: Frame, fate: Fate) {
        let Some(impaired) = &mut self.impaired else {
            return;
        };
        let straight = end + self.delay;
        let mut at = straight + fate.delay;
        if let Some(more) = fate.held_back {
            at += more;
        } else if !impaired.overtaking {
            self.last_arrival = self.last_arrival.max(at);
            at = self.last_arrival;
        }
        frame.at = at;
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
        }
        if let Some(sum) = &mut self.digest {
            for frame in [Some(frame), copy].into_iter().flatten() {
                *sum = sum.wrapping_add(frame_hash(frame.at, &frame, outcome));
            }
        }
    }
}
