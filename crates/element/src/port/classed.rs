//! A port whose queues drop what does not fit and do nothing else takes frames in runs: all that come
//! between two departures and are treated alike meet the queue once.

use farpath_units::Time;
use farpath_wire::Frame;

use super::service::Service;
use super::{Port, frame_hash};
use crate::drops::Drop;
use crate::forwarding::Exit;
use crate::network::Io;
use crate::treatment::{Treatment, Treatments};

impl Port {
    /// Takes what input `n` has before `until`; returns the arrival of what it has left.
    pub(super) fn drain_classed(
        &mut self,
        n: usize,
        until: Time,
        known: &mut Treatments,
        io: &mut Io<'_>,
    ) -> Time {
        loop {
            let now = io.input(n).head_at();
            if now >= until {
                return now;
            }
            // Ends of transmission come before arrivals of the same instant.
            self.serve_run(now.next(), known, io);
            self.note_intervals(now);
            let Some(head) = io.input(n).head() else {
                return Time::MAX;
            };
            let treatment = self.treatment(head, known);
            let until = until.min(self.clock.end.next());
            let passed = if !self.up || treatment.enclosed > self.mtu {
                0
            } else if self.transmitter.free() > now {
                self.offer_run(n, until, treatment, io)
            } else {
                self.pass_by(n, until, treatment, io)
            };
            if passed == 0
                && let Some(frame) = io.input(n).pop_before(until)
            {
                self.arrive(&frame, known, io);
            }
        }
    }

    /// Offers the head of input `n`, and the frames behind it that are like it and come before `until`
    /// and the next departure; returns how many they were.
    fn offer_run(
        &mut self,
        n: usize,
        until: Time,
        treatment: &Treatment,
        io: &mut Io<'_>,
    ) -> usize {
        let Service::Queues(queues) = &mut self.service else {
            return 0;
        };
        let until = until.min(self.transmitter.free());
        let frames = io.input(n).frames();
        let in_run = |frame: &&Frame| frame.at < until && treatment.is_for(frame);
        let count = frames.iter().take_while(in_run).count();
        let run = &frames[..count];
        let admitted = queues.offer_run(run, &treatment.footprint, treatment.place);
        self.counters.offered += count as u64;
        for frame in &run[admitted..] {
            self.refuse(frame, Drop::Tail);
        }
        io.input(n).drop_heads(count);
        count
    }

    /// Passes on the head of input `n`, which finds the transmitter idle and nothing waiting, and the
    /// frames behind it that are like it and find the same; returns how many they were.
    fn pass_by(&mut self, n: usize, until: Time, treatment: &Treatment, io: &mut Io<'_>) -> usize {
        let (Service::Queues(queues), Exit::Output(output)) = (&mut self.service, treatment.exit)
        else {
            return 0;
        };
        let (input, channel) = io.through(n, usize::from(output));
        let slots = channel.spare();
        let mut sent = 0;
        let (mut free, mut last) = (self.transmitter.free(), self.last_arrival);
        let (gap, delay) = (self.transmitter.gap(), self.delay);
        for (frame, slot) in input.frames().iter().zip(slots.iter_mut()) {
            let now = frame.at;
            if now >= until || now < free || !treatment.is_for(frame) {
                break;
            }
            free = now + treatment.time;
            let at = free - gap + delay;
            last = last.max(at);
            *slot = treatment.sent;
            slot.at = last;
            slot.seq = frame.seq;
            slot.side = frame.side;
            if let Some(sum) = &mut self.digest {
                *sum = sum.wrapping_add(frame_hash(at, slot, 0));
            }
            queues.pass_by(&treatment.footprint, treatment.place);
            sent += 1;
        }
        channel.commit(sent);
        input.drop_heads(sent);
        self.transmitter.set_free(free);
        self.last_arrival = last;
        self.counters.offered += sent as u64;
        self.fifo.start(treatment.tally, sent as u64);
        sent
    }

    /// Sends what waits as long as the transmitter falls idle before `until`.
    #[inline]
    pub(super) fn serve_run(&mut self, until: Time, known: &mut Treatments, io: &mut Io<'_>) {
        loop {
            let due = self.transmitter.free();
            if due >= until || self.service.queues().is_none_or(|q| q.frames() == 0) {
                return;
            }
            self.note_intervals(due);
            if !self.serve_known(due, known, io) {
                self.serve(due, known, io);
            }
        }
    }

    /// Sends the frame whose turn it is at `due`, if the latest of its flow was treated alike and is to
    /// go on.
    #[inline]
    fn serve_known(&mut self, due: Time, known: &Treatments, io: &mut Io<'_>) -> bool {
        let Service::Queues(queues) = &mut self.service else {
            return false;
        };
        let Some((queue, frame)) = queues.next() else {
            return false;
        };
        if !known.knows(frame) {
            return false;
        }
        let treatment = known.of(frame);
        let Exit::Output(output) = treatment.exit else {
            return false;
        };
        let free = due + treatment.time;
        let at = free - self.transmitter.gap() + self.delay;
        if let Some(sum) = &mut self.digest {
            let sent = treatment.apply(frame, at);
            *sum = sum.wrapping_add(frame_hash(at, &sent, 0));
        }
        self.last_arrival = self.last_arrival.max(at);
        let channel = io.output(usize::from(output));
        channel.push_like(&treatment.sent, self.last_arrival, frame.seq, frame.side);
        self.transmitter.set_free(free);
        self.fifo.start(treatment.tally, 1);
        queues.remove(queue, due);
        true
    }
}
