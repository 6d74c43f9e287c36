//! What is to be said of a slow start that overflows the queue in front of the line.

use farpath_predict::Cc;
use farpath_predict::overflow::{Overflow, about};
use farpath_tcp::{Flavour, SlowStart};

use crate::forecast::Path;
use crate::forecast::flow::Flow;
use crate::forecast::policer::Met;
use crate::model::Test;

/// Segments lost at the end of slow start, of which one cut was all in simulations. Reno behind `1bdp` of 100 and 200 Mbit/s x 100 ms loses
/// 1640 and 3280 of them. Of 1 Gbit/s it loses 16 400, and was cut to a quarter.
const REPAIRED_AT_ONCE: f64 = 3300.0;

impl Path<'_> {
    /// The same flow, of which is known whether slow start empties a policer's bucket before it overflows the queue: what goes beyond the rate
    /// in each round is the bucket's.
    pub(in crate::forecast) fn meeting_buckets(&self, test: &Test, flow: &Flow) -> Flow {
        let empties = |met: &Met, window: f64| {
            let in_round = |bps: f64| bps * flow.rtt_s() / 8.0;
            let (passed, comes) = (met.policer.rate_bps, met.policer.arrival_bps);
            let beyond = |window: f64| {
                let bytes = (window * flow.mss() / met.payload).min(in_round(comes));
                (bytes - in_round(passed)).max(0.0)
            };
            let before = flow.slow_start(flow.pipe()).windows();
            let before = before.take_while(|w| *w < window).map(beyond).sum::<f64>();
            before + beyond(window) > met.policer.burst_bytes
        };
        let policers = self.meets_policers(test, flow);
        let bucket_first = flow
            .overflow()
            .is_some_and(|(_, overflow)| policers.iter().any(|met| empties(met, overflow.window)));
        Flow {
            bucket_first,
            ..flow.clone()
        }
    }
}

impl Flow {
    /// How slow start ends where nothing but the queue ends it: the window that the round began with, and what follows. `None` where the
    /// window is full or a policer's bucket empty before, of several streams, with losses, where the sender paces, and where no link or no
    /// queue is known.
    pub(super) fn overflow(&self) -> Option<(f64, Overflow)> {
        let alone = self.streams <= 1.0 && self.loss <= 0.0 && self.narrowest.place == "link";
        let paces = self.cc.is_none_or(Cc::is_bbr) || self.config.pacing.is_some();
        if !alone || paces || self.bucket_first || !self.room.is_finite() {
            return None;
        }
        let slow_start = self.slow_start(self.pipe());
        let (began, window) = slow_start.overflowing(self.room);
        let like = self.climb(window)?;
        let overflow = Overflow::of(slow_start, window, self.ceiling(), like);
        (window < self.cap()).then_some((began, overflow))
    }

    /// Whether a connection that carries `amount` bytes behind one another has more when slow start overflows the queue.
    fn goes_beyond(&self, overflow: Overflow, amount: Option<u64>) -> bool {
        let sent = amount.map_or(f64::INFINITY, |b| b as f64 / self.mss());
        sent > self.slow_start(overflow.window).cost().sent
    }

    /// Where slow start overflows the queue before the window fills the path, and what it leaves is measured: no forecast has that.
    /// One connection carries `amount` bytes behind one another, where they are limited.
    pub(in crate::forecast) fn doubt_of_overflow(
        &self,
        test: &Test,
        amount: Option<u64>,
    ) -> Option<String> {
        let (climb, is_measured) = self.climb_after_overflow(test, amount)?;
        is_measured.then(|| format!("slow start {climb}, which the forecast leaves out"))
    }

    /// The same where `omit` covers what slow start leaves: the time in which the path was first full is later all the same.
    pub(in crate::forecast) fn note_of_late_ramp(
        &self,
        test: &Test,
        amount: Option<u64>,
    ) -> Option<String> {
        let (climb, is_measured) = self.climb_after_overflow(test, amount)?;
        (!is_measured).then(|| {
            format!(
                "ramp_s is of a slow start that reaches the path, and it {climb}: add that time"
            )
        })
    }

    /// How slow start overflows the queue before the window fills the path, and what it leaves, for people; and whether any of that is measured.
    fn climb_after_overflow(&self, test: &Test, amount: Option<u64>) -> Option<(String, bool)> {
        let (began, overflow) = self.overflow()?;
        let full = self.pipe().min(self.cap());
        // What the cut leaves may fill the path at once.
        let left_s = overflow.climb_s(full).unwrap_or(f64::INFINITY);
        let cycle_s = self.cycle_s(0.0).unwrap_or(f64::INFINITY);
        let is_measured = test.omit.as_secs_f64() <= cycle_s.max(left_s);
        let climbs = began < self.pipe() && left_s > 0.0 && self.goes_beyond(overflow, amount);
        let halves = match (self.cc, self.config.flavour) {
            (Some(Cc::HighSpeed), Flavour::Linux) => {
                "; that is a cut by its table, where Linux's HighSpeed halves behind slow start"
            }
            _ => "",
        };
        climbs.then(|| {
            let climb = format!(
                "overflows the queue at a window of some {:.3} MB, if nothing ends it before; {}{halves}",
                overflow.window * self.mss() / 1e6,
                overflow.words(full, self.mss())
            );
            (climb, is_measured)
        })
    }

    /// Where slow start doubles until path and queue are full, and loses more than one repair is known to end: the cut leaves a window that
    /// keeps the queue full, and may be the first of several. No forecast has the climb after them. One connection carries `amount` bytes
    /// behind one another, where they are limited.
    pub(in crate::forecast) fn doubt_of_second_cut(
        &self,
        test: &Test,
        amount: Option<u64>,
    ) -> Option<String> {
        let doubles = self.config.slow_start == SlowStart::Standard;
        let (began, overflow) = self.overflow().filter(|_| doubles)?;
        let window = overflow.window;
        let stays_full = began >= self.pipe() && overflow.left()? >= window;
        let many = overflow.lost() > REPAIRED_AT_ONCE && window < self.config.first_ssthresh();
        let once = self.climb(window)?.start()?;
        let twice = self.climb(once)?;
        let climb_s = twice.reach_s(self.pipe().min(self.cap()));
        let left_s = climb_s.unwrap_or(f64::INFINITY);
        let measured = left_s > 0.0 && test.omit.as_secs_f64() <= left_s;
        if !(stays_full && many && measured && self.goes_beyond(overflow, amount)) {
            return None;
        }
        let mb = |segments: f64| segments * self.mss() / 1e6;
        let takes = climb_s.map_or_else(String::new, |s| {
            format!(
                "; from there the climb to what fills the path takes some {}",
                about(s)
            )
        });
        Some(format!(
            "slow start, if nothing ends it before, fills path and queue at a window of some {:.3} MB, and loses some {:.0} segments before the \
             first loss is heard. Where retransmissions meet a full queue, too, more are lost and the window is cut again, once or twice, to \
             {:.3} or {:.3} MB{takes}. Whether it is, no law here decides, and the forecast leaves it out: simulate",
            mb(window),
            overflow.lost(),
            mb(once),
            mb(twice.start()?)
        ))
    }
}
