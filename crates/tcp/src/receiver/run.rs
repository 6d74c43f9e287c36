//! Segments in order at a receiver of which nothing is to be said but acknowledgements.

use farpath_units::{Duration, Time};

use super::Receiver;

/// A run of segments in order at an undisturbed receiver: [`Receiver::begin_run`].
#[derive(Clone, Copy, Debug)]
pub struct InOrder {
    next: u64,
    acked: u64,
    last: Time,
    patience: Duration,
    deadline: Time,
    threshold: u64,
    timeout: Duration,
    segments: u64,
    acks: u64,
    /// Of a window that follows what arrives: nothing happens to it before then, before this byte, and before an answer to a
    /// later acknowledgement.
    quiet: (Time, u64, u64),
}

impl InOrder {
    /// Whether a segment of `len` bytes that answers `una`, its low 32 bits, leaves the window as it is.
    #[inline]
    pub fn stays_quiet(&self, now: Time, una: u32, len: u64) -> bool {
        let (until, window, answer) = self.quiet;
        let news = una.wrapping_sub(answer as u32) as i32 >= 0;
        now < until && self.next + len < window && !news
    }

    /// Whether a first transmission at `seq`, unmarked, that arrives at `now` goes on with the run.
    #[inline]
    pub fn expects(&self, now: Time, seq: u64) -> bool {
        seq == self.next && now < self.deadline && now.since(self.last) < self.patience
    }

    /// The segment expected arrived, with `len` bytes; the acknowledgement to send now, if one is due.
    #[inline]
    pub fn take(&mut self, now: Time, len: u64) -> Option<u64> {
        self.segments += 1;
        self.last = now;
        self.next += len;
        if self.next - self.acked < self.threshold {
            if self.deadline == Time::MAX {
                self.deadline = now + self.timeout;
            }
            return None;
        }
        self.acked = self.next;
        self.deadline = Time::MAX;
        self.acks += 1;
        Some(self.next)
    }
}

impl Receiver {
    /// Whether an acknowledgement has nothing to say but a number.
    #[inline]
    pub(super) fn is_usual(&self, window: u64) -> bool {
        let unusual = self.echo_retransmit
            || self.syn_ack_due
            || self.recent_count > 0
            || self.quick > 0
            || self.slow.is_some()
            || self.twice.is_some()
            || !self.is_window_known()
            || self.echo.echoing;
        !unusual && self.window == window
    }

    /// Begins a run of segments in order at `now`, if nothing is due and an acknowledgement has nothing to say but
    /// a number and offers `window` bytes. What the run takes is as by [`Receiver::on_data`] and
    /// [`Receiver::poll_usual`] for each segment; [`Receiver::end_run`] must be called with it.
    #[inline]
    pub fn begin_run(&self, now: Time, window: u64) -> Option<InOrder> {
        let ready = self.in_order && !self.due && self.is_usual(window);
        let quiet = match &self.tuned {
            None => (Time::MAX, u64::MAX, 0),
            Some(tuned) => tuned.quiet(now, window)?,
        };
        ready.then_some(InOrder {
            next: self.next,
            acked: self.acked,
            last: self.last,
            patience: self.patience,
            deadline: self.deadline,
            threshold: self.threshold,
            timeout: self.timeout,
            segments: 0,
            acks: 0,
            quiet,
        })
    }

    /// Takes over where a run has got to; nothing else may have happened since it began.
    #[inline]
    pub fn end_run(&mut self, run: &InOrder) {
        self.next = run.next;
        self.acked = run.acked;
        self.last = run.last;
        self.deadline = run.deadline;
        self.stats.segments += run.segments;
        self.stats.acks += run.acks;
        if run.acks > 0
            && let Some(tuned) = &mut self.tuned
        {
            tuned.note_run(self.last, self.acked);
        }
    }
}
