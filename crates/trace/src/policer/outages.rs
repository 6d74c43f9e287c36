//! Losses of a path that was down. Through a policer something passes as soon as its bucket has the tokens of a packet again. So losses one
//! behind the other, between which nothing passes, are over after so long: what goes on for longer, as lone repetitions of a timer, is not
//! a policer's.

use std::ops::Range;

use super::{Lost, Step};
use crate::work;

/// Tokens for so many packets come before it is an outage: a sender's times are not those at the policer.
const TOKENS: f64 = 10.0;

/// From what was lost first in each to what passed next, nanoseconds, in order of time.
#[derive(Clone, Debug)]
pub(super) struct Outages(Vec<Range<i64>>);

impl Outages {
    /// Those among steps in order of time; `packet` is a full packet with its headers, bytes.
    pub(super) fn of(steps: &[Step], packet: f64) -> Outages {
        work::count(steps.len());
        let lasted = match steps {
            [first, .., last] => last.at - first.at,
            _ => 0,
        };
        let passed: f64 = steps.iter().map(|s| s.passed).sum();
        // No policer's rate is below what it lets pass.
        let rate = passed / lasted.max(1) as f64;
        let is_lost = |s: &Step| s.losses > 0 && s.passed < packet / 2.0;
        let (mut all, mut next) = (Vec::new(), 0);
        for run in steps.chunk_by(|a, b| is_lost(a) == is_lost(b)) {
            next += run.len();
            let (from, until) = (run[0].at, run[run.len() - 1].at);
            let tokens = rate * (until - from) as f64;
            if is_lost(&run[0]) && tokens >= TOKENS * packet {
                all.push(from..steps.get(next).map_or(i64::MAX, |s| s.at));
            }
        }
        Outages(all)
    }

    /// Whether this time is in one.
    pub(super) fn has(&self, at: i64) -> bool {
        let next = self.0.partition_point(|o| o.end <= at);
        self.0.get(next).is_some_and(|o| o.contains(&at))
    }

    /// Takes out what was lost in them.
    pub(super) fn leave(&self, steps: &mut Vec<Step>, losses: &mut Vec<Lost>) {
        steps.retain(|s| !self.has(s.at));
        losses.retain(|l| !self.has(l.at));
    }
}
