//! A plain port takes frames in runs: what is the same for all frames that are alike is looked up once,
//! and none of them is looked at by a queue that has room or by a loss that is not due.

use farpath_units::{Duration, Time};
use farpath_wire::Frame;

use super::Port;
use crate::counters::Drop;
use crate::forwarding::Exit;
use crate::impair::Safe;
use crate::network::Io;
use crate::qdisc::Room;
use crate::treatment::Treatment;

/// What the frames of a run have in common.
#[derive(Clone, Copy)]
struct Alike<'a, const LOSSY: bool> {
    treatment: &'a Treatment,
    delay: Duration,
    /// They arrive before.
    until: Time,
    /// No loss strikes them.
    safe: Safe,
}

impl<const LOSSY: bool> Alike<'_, LOSSY> {
    #[inline]
    fn admit(&self, frame: &Frame) -> bool {
        frame.at < self.until
            && self.treatment.is_for(frame)
            && (!LOSSY || self.safe.spares(frame.seq))
    }
}

/// Frames on their way from an input to a channel.
struct Run<'a, const LOSSY: bool> {
    /// What the input has, from its head on.
    frames: &'a [Frame],
    /// Room on the channel, as far as no loss is due.
    slots: &'a mut [Frame],
    alike: Alike<'a, LOSSY>,
    /// When the transmitter falls idle.
    free: Time,
    /// The first so many of `slots` are written.
    sent: usize,
    /// So many of `frames` are dealt with.
    taken: usize,
}

impl<const LOSSY: bool> Run<'_, LOSSY> {
    /// The next frame, if it belongs to the run.
    #[inline]
    fn next(&self) -> Option<&Frame> {
        let frame = self.frames.get(self.taken)?;
        (self.sent < self.slots.len() && self.alike.admit(frame)).then_some(frame)
    }

    /// Sends the frames that find the transmitter idle; returns how many.
    #[inline]
    fn send_idle(&mut self) -> usize {
        self.send(|frame, free| (free <= frame.at).then_some(frame.at))
    }

    /// Sends the frames that find it busy and that there is room for; returns how many.
    #[inline]
    fn send_waiting(&mut self, mut room: Room) -> usize {
        self.send(|frame, free| (free > frame.at && room.take()).then_some(free))
    }

    /// Sends the next frame, which finds the transmitter busy.
    #[inline]
    fn send_one(&mut self) {
        let mut start = Some(self.free);
        self.send(|_, _| start.take());
    }

    /// Sends frames as long as `start` says when the service of the next one starts; returns how many.
    #[inline]
    fn send(&mut self, mut start: impl FnMut(&Frame, Time) -> Option<Time>) -> usize {
        let (alike, mut free, mut sent) = (self.alike, self.free, 0);
        let slots = self.slots[self.sent..].iter_mut();
        for (slot, frame) in slots.zip(&self.frames[self.taken..]) {
            if !alike.admit(frame) {
                break;
            }
            let Some(start) = start(frame, free) else {
                break;
            };
            free = start + alike.treatment.time;
            *slot = alike.treatment.sent;
            slot.at = free + alike.delay;
            slot.seq = frame.seq;
            slot.side = frame.side;
            sent += 1;
        }
        self.free = free;
        self.sent += sent;
        self.taken += sent;
        sent
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
        let mut run = Run::<LOSSY> {
            frames,
            slots,
            alike: Alike {
                treatment,
                delay: self.delay,
                until: until.min(self.clock.end.next()),
                safe,
            },
            free: self.transmitter.free(),
            sent: 0,
            taken: 0,
        };
        let at_once = self.serve_all(&mut run);
        let (sent, taken, free) = (run.sent, run.taken, run.free);
        let next = frames.get(taken).map_or(Time::ZERO, |frame| frame.at);
        self.transmitter.set_free(free);
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
        self.fifo.start(treatment.tally, at_once);
        (taken, next)
    }

    /// Takes the frames of a run by turns of idle and waiting ones; returns how many did not wait.
    #[inline]
    fn serve_all<const LOSSY: bool>(&mut self, run: &mut Run<'_, LOSSY>) -> u64 {
        let Treatment { time, tally, .. } = *run.alike.treatment;
        let bytes = run.alike.treatment.footprint.queue_bytes;
        let mut at_once = 0;
        while let Some(frame) = run.next() {
            if run.free <= frame.at {
                self.fifo.settle_all();
                at_once += run.send_idle() as u64;
                continue;
            }
            let start = run.free;
            let waiting = run.send_waiting(self.fifo.room(bytes));
            if waiting > 0 {
                self.fifo
                    .wait_run(start, time, bytes, tally, waiting as u32);
                continue;
            }
            // Whether it fits takes a closer look.
            let frame = &run.frames[run.taken];
            if self.fifo.admits(frame.at, bytes) {
                self.fifo.wait(start, time, bytes, tally);
                run.send_one();
            } else {
                self.refuse(frame, Drop::Tail);
                run.taken += 1;
            }
        }
        at_once
    }

    /// Which frames like `head`, it included, no loss strikes.
    #[inline(never)]
    fn safe(&mut self, head: &Frame, wire_bytes: u32) -> Safe {
        let mut safe = Safe::ALL;
        for loss in &mut self.losses {
            loss.narrow(&mut safe, head, wire_bytes);
        }
        safe
    }

    /// `count` frames like `head` have been transmitted that no loss strikes.
    #[inline(never)]
    fn passed(&mut self, head: &Frame, wire_bytes: u32, count: u64) {
        for loss in &mut self.losses {
            loss.passed(head, wire_bytes, count);
        }
    }
}
