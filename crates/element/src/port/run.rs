//! A plain port takes frames in runs: what is the same for all frames that are alike is looked up once,
//! and a queue that has room and a loss that is not due read none of them.

use farpath_units::{Duration, Time};
use farpath_wire::Frame;

use super::Port;
use crate::drops::Drop;
use crate::forwarding::Exit;
use crate::impair::Safe;
use crate::network::Io;
use crate::treatment::Treatment;

/// What the frames of a run have in common.
#[derive(Clone, Copy)]
struct Alike<'a, const LOSSY: bool> {
    treatment: &'a Treatment,
    delay: Duration,
    /// By so much they are through before their time on the link ends.
    gap: Duration,
    /// They arrive before.
    until: Time,
    /// No loss strikes them.
    safe: Safe,
}

impl<const LOSSY: bool> Alike<'_, LOSSY> {
    #[inline]
    fn admits(&self, frame: &Frame) -> bool {
        frame.at < self.until
            && self.treatment.is_for(frame)
            && (!LOSSY || self.safe.spares(frame.seq))
    }

    /// Writes `frame`, whose transmission ends at `end`, where it is to lie.
    #[inline]
    fn put(&self, slot: &mut Frame, frame: &Frame, end: Time) {
        *slot = self.treatment.sent;
        slot.at = end - self.gap + self.delay;
        slot.seq = frame.seq;
        slot.side = frame.side;
    }
}

impl Port {
    /// Does for the head of input `n` and the frames behind it that are like it what [`Port::arrive`]
    /// does for each, as long as they arrive before `until` and no loss is due. Returns how many they
    /// were and the arrival of the frame that was one too many; zero if there was none at hand.
    #[inline]
    pub(super) fn pass<const LOSSY: bool>(
        &mut self,
        n: usize,
        until: Time,
        treatment: &Treatment,
        io: &mut Io<'_>,
    ) -> (usize, Time) {
        let Exit::Output(output) = treatment.exit else {
            return (0, Time::ZERO);
        };
        if !self.up || treatment.enclosed > self.mtu {
            return (0, Time::ZERO);
        }
        let wire_bytes = treatment.footprint.wire_bytes;
        let (input, channel) = io.through(n, usize::from(output));
        let (frames, mut slots) = (input.frames(), channel.spare());
        let mut safe = Safe::ALL;
        if LOSSY && let Some(head) = frames.first() {
            safe = self.safe(head, wire_bytes);
            let most = safe.frames.min(slots.len() as u64) as usize;
            slots = &mut slots[..most];
        }
        let alike = Alike::<LOSSY> {
            treatment,
            delay: self.delay,
            gap: self.transmitter.gap(),
            until: until.min(self.clock.end.next()),
            safe,
        };
        let (sent, refused) = self.send_run(alike, frames, slots);
        let taken = sent + refused;
        let next = frames.get(taken).map_or(Time::ZERO, |frame| frame.at);
        if LOSSY && sent > 0 {
            self.passed(&frames[0], wire_bytes, sent as u64);
        }
        if self.digest.is_some() {
            for frame in &channel.spare()[..sent] {
                self.hash(frame.at, frame, 0);
            }
        }
        channel.commit(sent);
        input.drop_heads(taken);
        self.counters.offered += taken as u64;
        (taken, next)
    }

    /// Sends the first of `frames` that are alike as far as there are `slots` for them; returns how many
    /// were sent and how many refused. Once one has found the transmitter idle, or has waited, those behind
    /// it that do the same cost little.
    #[inline]
    fn send_run<const LOSSY: bool>(
        &mut self,
        alike: Alike<'_, LOSSY>,
        frames: &[Frame],
        slots: &mut [Frame],
    ) -> (usize, usize) {
        let Treatment { time, tally, .. } = *alike.treatment;
        let bytes = alike.treatment.footprint.queue_bytes;
        let mut free = self.transmitter.free();
        let (mut sent, mut refused, mut at_once) = (0, 0, 0);
        while let Some(frame) = frames.get(sent + refused)
            && alike.admits(frame)
            && let Some(slot) = slots.get_mut(sent)
        {
            let idle = free <= frame.at;
            if idle {
                self.fifo.settle_all();
                (free, at_once) = (frame.at, at_once + 1);
            } else if self.fifo.admits(frame.at, bytes) {
                self.fifo.wait(free, time, bytes, tally);
            } else {
                self.refuse(frame, Drop::Tail);
                refused += 1;
                continue;
            }
            free += time;
            alike.put(slot, frame, free);
            sent += 1;
            let rest = &frames[sent + refused..];
            if rest.first().is_none_or(|frame| frame.at >= alike.until) {
                break;
            }
            let first = sent;
            let rest = slots[first..].iter_mut().zip(rest);
            if idle {
                for (slot, frame) in rest {
                    if free > frame.at || !alike.admits(frame) {
                        break;
                    }
                    free = frame.at + time;
                    alike.put(slot, frame, free);
                    sent += 1;
                }
                at_once += (sent - first) as u64;
            } else {
                let mut room = self.fifo.room(bytes);
                for (slot, frame) in rest {
                    if free <= frame.at || !alike.admits(frame) || !room.take() {
                        break;
                    }
                    free += time;
                    alike.put(slot, frame, free);
                    sent += 1;
                }
                self.fifo.wait_behind(time, bytes, (sent - first) as u32);
            }
        }
        self.transmitter.set_free(free);
        self.fifo.start(tally, at_once);
        (sent, refused)
    }

    /// Which frames like `head`, it included, no loss strikes.
    #[inline(never)]
    fn safe(&mut self, head: &Frame, wire_bytes: u32) -> Safe {
        let mut safe = Safe::ALL;
        let bytes = self.transmitter.framing().exposed_bytes(wire_bytes);
        for loss in &mut self.losses {
            loss.narrow(&mut safe, head, bytes);
        }
        safe
    }

    /// `count` frames like `head` have been transmitted that no loss strikes.
    #[inline(never)]
    fn passed(&mut self, head: &Frame, wire_bytes: u32, count: u64) {
        let bytes = self.transmitter.framing().exposed_bytes(wire_bytes);
        for loss in &mut self.losses {
            loss.passed(head, bytes, count);
        }
    }
}
