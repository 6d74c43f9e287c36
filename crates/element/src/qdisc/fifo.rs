//! First in, first out, with a limit in bytes or frames: the drop-tail queue.
//!
//! The service time of a FIFO is known on arrival, so the queue needs no event of its own: it holds
//! the instants at which waiting frames enter service, and forgets a frame when that instant has
//! come. Frames whose service starts at the very instant of an arrival no longer wait.
//!
//! Frames of one footprint that wait behind one another enter service at equal steps, so they are
//! kept as one run: a queue of ten thousand like frames is one entry.

use std::collections::VecDeque;

use farpath_units::{Duration, Time};

use super::Footprint;

/// How much may wait; the frame in service does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Bytes as the framing's queue counts them: no preamble, FCS, gap.
    Bytes(u64),
    /// Frames.
    Packets(u64),
}

/// A footprint, by the number its queue has given it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TallyId(u32);

/// Frames of one footprint.
#[derive(Clone, Copy, Debug)]
struct Tally {
    footprint: Footprint,
    /// How long one is in service.
    time: Duration,
    /// Whose service has started, and that were not yet counted elsewhere.
    started: u64,
}

/// Like frames that wait behind one another.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    /// The instant the first one's service starts.
    start: Time,
    /// The instant service starts of a frame that joins the run.
    next: Time,
    count: u32,
    tally: TallyId,
}

impl Run {
    /// Takes off the frames whose service starts by `now`; returns how many.
    #[inline]
    fn begin(&mut self, now: Time, time: Duration) -> u32 {
        if self.start > now {
            return 0;
        }
        let (span, step) = (now.since(self.start).as_ps(), time.as_ps());
        let count = if self.next <= now {
            self.count
        } else if span < step {
            1
        } else {
            // Another starts later than now, so the step is not zero.
            self.count.min((span / step) as u32 + 1)
        };
        self.start += time.times(count.into());
        self.count -= count;
        count
    }
}

/// Room for frames of one size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    bytes: u64,
    frames: u64,
    each: u64,
}

impl Room {
    /// Whether there is room for one more, which takes it.
    #[inline]
    pub(crate) fn take(&mut self) -> bool {
        if self.each > self.bytes || self.frames == 0 {
            return false;
        }
        self.bytes -= self.each;
        self.frames -= 1;
        true
    }
}

/// Bytes a waiting frame costs that is like no other around it.
pub const WAITING_BYTES: usize = size_of::<Run>();

/// The waiting frames of a transmitter whose service order is the order of arrival.
///
/// Which of them have entered service is worked out when it matters: when a frame might not fit, when
/// the queue might be longer than ever before, and when somebody asks ([`Fifo::settle`]). Until then
/// [`Fifo::bytes`] and [`Fifo::frames`] are too high.
#[derive(Debug)]
pub struct Fifo {
    byte_limit: u64,
    frame_limit: u64,
    /// Every run but the newest.
    runs: VecDeque<Run>,
    /// The newest run; empty when nothing waits.
    last: Run,
    bytes: u64,
    frames: u64,
    most_bytes: u64,
    /// The lesser of `most_bytes` and `byte_limit`: no more than that needs no second look.
    sure_bytes: u64,
    tallies: Vec<Tally>,
}

impl Fifo {
    /// An empty queue.
    pub fn new(limit: Limit) -> Fifo {
        let mut fifo = Fifo {
            byte_limit: 0,
            frame_limit: 0,
            runs: VecDeque::new(),
            last: Run::default(),
            bytes: 0,
            frames: 0,
            most_bytes: 0,
            sure_bytes: 0,
            tallies: Vec::new(),
        };
        fifo.set_limit(limit);
        fifo
    }

    /// Replaces the limit; frames already waiting stay.
    pub fn set_limit(&mut self, limit: Limit) {
        (self.byte_limit, self.frame_limit) = match limit {
            Limit::Bytes(bytes) => (bytes, u64::MAX),
            Limit::Packets(frames) => (u64::MAX, frames),
        };
        self.sure_bytes = self.most_bytes.min(self.byte_limit);
    }

    /// The number of a footprint whose frames are in service for `time`.
    pub fn tally(&mut self, footprint: Footprint, time: Duration) -> TallyId {
        let mut known = self.tallies.iter();
        let place = known.position(|t| t.footprint == footprint && t.time == time);
        let place = place.unwrap_or_else(|| {
            self.tallies.push(Tally {
                footprint,
                time,
                started: 0,
            });
            self.tallies.len() - 1
        });
        TallyId(place as u32)
    }

    /// `count` frames enter service without waiting.
    #[inline]
    pub fn start(&mut self, tally: TallyId, count: u64) {
        self.tallies[tally.0 as usize].started += count;
    }

    /// Hands each footprint and how many frames of it have started since the last call to `count`.
    pub fn count_started(&mut self, mut count: impl FnMut(&Footprint, u64)) {
        for tally in self.tallies.iter_mut().filter(|t| t.started > 0) {
            count(&tally.footprint, std::mem::take(&mut tally.started));
        }
    }

    /// Frames whose service starts by `now` no longer wait.
    pub fn settle(&mut self, now: Time) {
        while self.begin(|run, time| run.begin(now, time)) {}
    }

    /// The transmitter has fallen idle: nothing waits any more.
    #[inline]
    pub fn settle_all(&mut self) {
        if self.frames > 0 {
            while self.begin(|run, _| {
                run.start = run.next;
                std::mem::take(&mut run.count)
            }) {}
        }
    }

    /// Takes the frame at the head, whenever its service was expected to start. It does not count as
    /// started.
    pub fn take(&mut self) -> Option<TallyId> {
        let run = self.runs.front().unwrap_or(&self.last);
        let tally = (run.count > 0).then_some(run.tally)?;
        self.begin(|run, time| {
            run.start += time;
            run.count -= 1;
            1
        });
        self.tallies[tally.0 as usize].started -= 1;
        Some(tally)
    }

    /// Lets `some` take off frames of the first run; returns whether it took the run's last, so that
    /// there may be another.
    #[inline]
    fn begin(&mut self, some: impl Fn(&mut Run, Duration) -> u32) -> bool {
        let run = self.runs.front_mut().unwrap_or(&mut self.last);
        if run.count == 0 {
            return false;
        }
        let tally = &mut self.tallies[run.tally.0 as usize];
        let count = u64::from(some(run, tally.time));
        tally.started += count;
        self.bytes -= u64::from(tally.footprint.queue_bytes) * count;
        self.frames -= count;
        run.count == 0 && self.runs.pop_front().is_some()
    }

    /// Whether a frame of `bytes` that arrives at `now` and has to wait still fits. If it does, it
    /// must be given to [`Fifo::wait`] next.
    #[inline]
    pub fn admits(&mut self, now: Time, bytes: u32) -> bool {
        // No more than ever before, even if nothing has left since it was last settled.
        let surely = self.bytes + u64::from(bytes) <= self.sure_bytes;
        (surely && self.frames < self.frame_limit) || self.admits_settled(now, bytes)
    }

    #[inline(never)]
    fn admits_settled(&mut self, now: Time, bytes: u32) -> bool {
        self.settle(now);
        let after = self.bytes + u64::from(bytes);
        let fits = after <= self.byte_limit && self.frames < self.frame_limit;
        if fits {
            self.most_bytes = self.most_bytes.max(after);
            self.sure_bytes = self.most_bytes.min(self.byte_limit);
        }
        fits
    }

    /// A frame of `bytes` waits until `start`, which comes after that of every frame before it, and
    /// is then in service for `time`; `tally` is its footprint.
    #[inline]
    pub fn wait(&mut self, start: Time, time: Duration, bytes: u32, tally: TallyId) {
        self.bytes += u64::from(bytes);
        self.frames += 1;
        let last = &mut self.last;
        // A run that has become empty begins where it ends, so it can be continued, too.
        if last.next == start && last.tally == tally {
            last.next = start + time;
            last.count += 1;
        } else {
            self.begin_run(start, time, tally);
        }
    }

    /// Room for frames of `bytes` that surely fit, whatever has left since it was last settled.
    #[inline]
    pub(crate) fn room(&self, bytes: u32) -> Room {
        Room {
            bytes: self.sure_bytes.saturating_sub(self.bytes),
            frames: self.frame_limit.saturating_sub(self.frames),
            each: bytes.into(),
        }
    }

    /// `count` frames that [`Fifo::room`] had room for wait right behind the latest one, and are like it:
    /// `time` in service, `bytes` long.
    #[inline]
    pub(crate) fn wait_behind(&mut self, time: Duration, bytes: u32, count: u32) {
        self.bytes += u64::from(bytes) * u64::from(count);
        self.frames += u64::from(count);
        self.last.next += time.times(count.into());
        self.last.count += count;
    }

    #[inline(never)]
    fn begin_run(&mut self, start: Time, time: Duration, tally: TallyId) {
        if self.last.count > 0 {
            self.runs.push_back(self.last);
        }
        self.last = Run {
            start,
            next: start + time,
            count: 1,
            tally,
        };
    }

    /// Bytes waiting.
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Frames waiting.
    #[inline]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Most bytes that ever waited, as seen by arriving frames.
    pub fn most_bytes(&self) -> u64 {
        self.most_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_ps(10);

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    fn tally(fifo: &mut Fifo, queue_bytes: u32, time: Duration) -> TallyId {
        let footprint = Footprint {
            queue_bytes,
            ..Footprint::default()
        };
        fifo.tally(footprint, time)
    }

    /// Bytes and number of the frames that have started since the last call, by footprint.
    fn started(fifo: &mut Fifo) -> Vec<(u32, u64)> {
        let mut seen = Vec::new();
        fifo.count_started(|footprint, count| seen.push((footprint.queue_bytes, count)));
        seen
    }

    #[test]
    fn like_frames_are_one_run_and_leave_one_by_one() {
        let mut fifo = Fifo::new(Limit::Packets(4));
        let large = tally(&mut fifo, 1500, TIME);
        let small = tally(&mut fifo, 64, Duration::from_ps(2));
        assert_eq!(tally(&mut fifo, 1500, TIME), large);
        for n in 0..3 {
            assert!(fifo.admits(at(95), 1500));
            fifo.wait(at(100 + 10 * n), TIME, 1500, large);
        }
        assert!(fifo.admits(at(95), 64));
        fifo.wait(at(130), Duration::from_ps(2), 64, small);
        assert_eq!((fifo.runs.len(), fifo.frames(), fifo.bytes()), (1, 4, 4564));
        assert_eq!(fifo.most_bytes(), 4564);
        assert!(!fifo.admits(at(99), 1));
        fifo.settle(at(99));
        assert_eq!(started(&mut fifo), []);
        fifo.settle(at(110));
        assert_eq!(started(&mut fifo), [(1500, 2)]);
        fifo.settle(at(119));
        assert_eq!(started(&mut fifo), []);
        assert_eq!(fifo.take(), Some(large));
        assert_eq!(started(&mut fifo), []);
        fifo.settle(at(130));
        assert_eq!(started(&mut fifo), [(64, 1)]);
        assert_eq!((fifo.frames(), fifo.bytes(), fifo.take()), (0, 0, None));
        assert_eq!(started(&mut fifo), []);
    }

    #[test]
    fn a_gap_in_service_begins_a_new_run() {
        let mut fifo = Fifo::new(Limit::Bytes(10_000));
        let one = tally(&mut fifo, 1, TIME);
        fifo.wait(at(100), TIME, 1, one);
        fifo.wait(at(111), TIME, 1, one);
        fifo.settle(at(110));
        assert_eq!(started(&mut fifo), [(1, 1)]);
        assert_eq!(fifo.frames(), 1);
    }

    /// What has started is worked out only when a frame might not fit or the queue might be longer
    /// than ever; the answers and the maximum are those of a queue that settles at every instant.
    #[test]
    fn a_queue_that_settles_late_answers_as_one_that_settles_always() {
        for limit in [Limit::Packets(3), Limit::Bytes(40), Limit::Bytes(7)] {
            let mut lazy = Fifo::new(limit);
            let mut eager = Fifo::new(limit);
            let (mut free, mut most) = (at(0), 0);
            for n in 0..2000_u64 {
                let now = at(n * 7 + (n * n) % 5);
                let bytes = [7, 13, 1][(n * n % 7 % 3) as usize];
                let time = Duration::from_ps([9, 20, 2][(n % 11 % 3) as usize]);
                let (a, b) = (
                    tally(&mut lazy, bytes, time),
                    tally(&mut eager, bytes, time),
                );
                eager.settle(now);
                if free <= now {
                    lazy.settle_all();
                    assert_eq!((lazy.frames(), eager.frames()), (0, 0));
                    free = now + time;
                    continue;
                }
                let fits = eager.admits(now, bytes);
                assert_eq!(lazy.admits(now, bytes), fits, "{limit:?} at {now:?}");
                if fits {
                    lazy.wait(free, time, bytes, a);
                    eager.wait(free, time, bytes, b);
                    free += time;
                    most = most.max(eager.bytes());
                }
                assert_eq!((lazy.most_bytes(), eager.most_bytes()), (most, most));
            }
            lazy.settle(at(20_000));
            eager.settle(at(20_000));
            assert_eq!(started(&mut lazy), started(&mut eager));
        }
    }
}
