//! When each byte was sent: a run-length log looked up by sequence, one run per instant of sending.

use std::collections::VecDeque;

use farpath_units::Time;

/// Send times of consecutive bytes. Appended on sending, consumed as acknowledgements arrive; both
/// amortised O(1).
#[derive(Clone, Debug, Default)]
pub(crate) struct SendLog {
    /// When the run that holds the first unacknowledged byte was sent.
    time: Time,
    /// Everything below is acknowledged.
    acked: u64,
    /// The time of the newest run.
    newest: Time,
    /// Later runs: first byte and time.
    later: VecDeque<(u64, Time)>,
    started: bool,
    /// Runs dropped from the front since the start: what cursors count from.
    dropped: u64,
}

/// A place in a [`SendLog`]: moved forward along it, so that a walk costs O(1) a run once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor(u64);

/// What one acknowledgement says about send times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Acknowledged {
    /// When the first of the acknowledged bytes was sent.
    pub(crate) oldest: Time,
    /// When the last of them was sent.
    pub(crate) newest: Time,
}

impl SendLog {
    /// The bytes from `seq` up to whatever is appended next are sent at `now`. `seq` never falls.
    /// Whether this is the first at this instant.
    #[inline]
    pub(crate) fn append(&mut self, seq: u64, now: Time) -> bool {
        let fresh = now != self.newest || !self.started;
        if fresh {
            self.append_run(seq, now);
        }
        fresh
    }

    #[inline]
    fn append_run(&mut self, seq: u64, now: Time) {
        self.newest = now;
        if !self.started || (self.later.is_empty() && seq == self.acked) {
            self.started = true;
            self.time = now;
        } else {
            self.later.push_back((seq, now));
        }
    }

    /// Bytes below `ack` are acknowledged and forgotten.
    #[inline]
    pub(crate) fn acknowledge(&mut self, ack: u64) -> Acknowledged {
        let oldest = self.time;
        let mut newest = self.time;
        while let Some(&(start, time)) = self.later.front() {
            if start > ack {
                break;
            }
            if start < ack {
                newest = time;
            }
            self.time = time;
            self.dropped += 1;
            self.later.pop_front();
        }
        self.acked = ack;
        Acknowledged { oldest, newest }
    }

    /// When anything was sent last.
    pub(crate) fn newest(&self) -> Time {
        self.newest
    }

    /// When the first byte that is not acknowledged was sent.
    pub(crate) fn oldest(&self) -> Time {
        self.time
    }

    /// Forgets everything; bytes below `una` are acknowledged.
    pub(crate) fn restart(&mut self, una: u64) {
        self.dropped += self.later.len() as u64 + 1;
        self.later.clear();
        self.started = false;
        self.acked = una;
    }

    /// Whether nothing was sent since the start or the last `restart`.
    pub(crate) fn is_empty(&self) -> bool {
        !self.started
    }

    /// When `seq` was sent; `cursor` is at a run at or below it, and is left at its run.
    pub(crate) fn time_of(&self, seq: u64, cursor: &mut Cursor) -> Time {
        let mut run = self.run(cursor);
        while self.later.get(run).is_some_and(|next| next.0 <= seq) {
            run += 1;
        }
        cursor.0 = self.dropped + run as u64;
        self.time_of_run(run)
    }

    /// When `seq`, which is not acknowledged, was sent.
    pub(crate) fn sent_at(&self, seq: u64) -> Time {
        let runs = self.later.partition_point(|run| run.0 <= seq);
        self.time_of_run(runs)
    }

    /// The first byte that was sent at `time` or later; `None` if there is none.
    pub(crate) fn first_since(&self, time: Time) -> Option<u64> {
        if !self.started {
            return None;
        }
        if self.time >= time {
            return Some(self.acked);
        }
        let run = self.later.partition_point(|run| run.1 < time);
        self.later.get(run).map(|run| run.0)
    }

    /// The first byte from `cursor` on that was sent after `limit`; `None` if there is none. Leaves
    /// `cursor` at its run.
    pub(crate) fn first_after(&self, limit: Time, cursor: &mut Cursor) -> Option<u64> {
        if !self.started {
            return None;
        }
        let mut run = self.run(cursor);
        while run <= self.later.len() && self.time_of_run(run) <= limit {
            run += 1;
        }
        cursor.0 = self.dropped + run.min(self.later.len()) as u64;
        match run {
            0 => Some(self.acked),
            _ => self.later.get(run - 1).map(|next| next.0),
        }
    }

    /// The run a cursor stands at: 0 is the one that holds the first unacknowledged byte.
    fn run(&self, cursor: &Cursor) -> usize {
        let run = cursor.0.saturating_sub(self.dropped) as usize;
        run.min(self.later.len())
    }

    fn time_of_run(&self, run: usize) -> Time {
        match run {
            0 => self.time,
            _ => self.later[run - 1].1,
        }
    }

    /// Number of runs held.
    #[cfg(test)]
    pub(crate) fn runs(&self) -> usize {
        self.later.len() + usize::from(self.started)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    #[test]
    fn one_run_per_instant_and_lookup_by_sequence() {
        let mut log = SendLog::default();
        for seq in 0..10 {
            log.append(seq * 10, at(5));
        }
        log.append(100, at(7));
        log.append(110, at(9));
        assert_eq!(log.runs(), 3);
        let since = |ps| log.first_since(at(ps));
        assert_eq!([since(5), since(6)], [Some(0), Some(100)]);
        assert_eq!([since(7), since(8)], [Some(100), Some(110)]);
        assert_eq!(since(10), None);
        assert_eq!(
            log.acknowledge(20),
            Acknowledged {
                oldest: at(5),
                newest: at(5)
            }
        );
        assert_eq!(
            log.acknowledge(105),
            Acknowledged {
                oldest: at(5),
                newest: at(7)
            }
        );
        assert_eq!(
            log.acknowledge(110),
            Acknowledged {
                oldest: at(7),
                newest: at(7)
            }
        );
        assert_eq!(
            log.acknowledge(120),
            Acknowledged {
                oldest: at(9),
                newest: at(9)
            }
        );
    }

    #[test]
    fn after_everything_is_acknowledged_the_next_run_starts_fresh() {
        let mut log = SendLog::default();
        log.append(0, at(1));
        log.acknowledge(10);
        log.append(10, at(50));
        assert_eq!(
            log.acknowledge(20),
            Acknowledged {
                oldest: at(50),
                newest: at(50)
            }
        );
        assert_eq!(log.runs(), 1);
    }
}
