//! How long a connection lasted, and how much of that its samples tell of.

use farpath_observe::Connection;
use farpath_observe::limit::{Limit, Stretch};
use farpath_units::{Duration, Time};

use super::Watched;
use crate::lab::samples::{SAMPLES, SHARED_LEAST, pace};

/// Nobody knows what a connection did between two samples that are so many times as far apart as they should be. Where
/// that is more than this share of its time, nothing is said that samples say.
const APART: u64 = 3;
/// Samples nearer to each other than this, or than this part of a connection's age, are near enough, however near they should be.
const NEAR: Duration = Duration::from_ms(50);
const NEAR_SHARE: u64 = 8;
const UNSEEN_MOST: f64 = 0.2;

impl Watched {
    /// Whether the command's host asked for it, and it ended before an answer had come: the SYN would count as acknowledged.
    pub(super) fn is_unopened(&self) -> bool {
        self.host == 0 && self.is_closed && self.last.end.acked == 0
    }

    /// When it began: what was counted before the first sample is taken to lie right before it.
    pub(super) fn begun(&self) -> Time {
        let first = self.samples.first().unwrap_or(&self.last.sample);
        let busy = first.timers.map_or(Duration::ZERO, |t| t.busy);
        Time::from_ps(first.t.as_ps().saturating_sub(busy.as_ps()))
    }

    /// From there to its end, or to the last sample.
    pub(super) fn time(&self) -> Duration {
        self.last.sample.t.since(self.begun())
    }

    /// Whether samples are many enough, and near enough to each other, for what they say to be true of all its time.
    pub(super) fn is_seen_throughout(&self) -> bool {
        let sampled = self.samples.iter().chain([&self.last.sample]).map(|s| s.t);
        let mut before = self.begun();
        let mut unseen = Duration::ZERO;
        let most = UNSEEN_MOST * self.time().as_secs_f64();
        let begun = before;
        for t in sampled {
            let gap = t.since(before);
            let age = before.since(begun);
            let near = Duration::from_ps(age.as_ps() / NEAR_SHARE).clamp(NEAR, SAMPLES[1]);
            let meant = pace(age, before.since(Time::ZERO)).max(near);
            if gap > meant.times(APART) || gap.as_secs_f64() > most {
                unseen += gap;
            }
            before = t;
        }
        self.samples.len() >= SHARED_LEAST && unseen.as_secs_f64() <= most
    }

    /// How many samples at equal distances would say as much of its time: those at its start stand for little of it.
    pub(super) fn worth(&self) -> f64 {
        let mut before = self.begun();
        let (mut all, mut squares) = (0.0, 0.0);
        for sample in &self.samples {
            let gap = sample.t.since(before.min(sample.t)).as_secs_f64();
            all += gap;
            squares += gap * gap;
            before = sample.t;
        }
        match squares > 0.0 {
            true => all * all / squares,
            false => self.samples.len() as f64,
        }
    }

    /// The connection as one stretch of all its time, which frames saw to be `span` at least: outages are a share of that, and samples
    /// may cover less.
    pub(super) fn whole(&self, connection: &Connection, span: Duration) -> Connection {
        let end = self.last.sample.t;
        let earliest = Time::from_ps(end.as_ps().saturating_sub(span.as_ps()));
        let begun = connection.opened.min(earliest);
        Connection {
            account: vec![Stretch::whole(begun, end, Limit::Unknown)],
            opened: begun,
            ..connection.clone()
        }
    }
}
