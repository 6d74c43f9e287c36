//! A burst of tokens: fast at the start, and a policer's rate from then on.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::items::{Item, of, spread};
use crate::seen::{Row, Test};
use crate::series::middle::middle;

/// Intervals of the start that were faster than all after them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Burst {
    /// When it was over, seconds.
    until: f64,
    /// The fastest of them, bit/s.
    fast: f64,
    /// The middle one after them, bit/s.
    then: f64,
    /// What they carried beyond that, bytes.
    beyond: f64,
}

/// A burst is so many times as fast as what comes after it.
const FASTER: f64 = 1.25;

/// One that lasts longer than the start, for half of the intervals at most, is so many times as fast: others that come and stay make less.
const LONG: f64 = 3.0;

/// What a policer leaves of many losses differs by less than this part of its mean, and no interval is so many times the middle one.
const FLAT: f64 = 0.08;
const ABOVE: f64 = 1.15;

/// So large a part of the intervals after a burst has losses, at least.
const LOSSY: f64 = 0.8;

/// Fewer intervals have no start.
const INTERVALS_LEAST: usize = 8;

/// What passes beyond a policer's rate is no more than its bucket holds; so many of them allow for how intervals are rounded.
const BUCKETS: f64 = 2.0;

/// Losses in so many intervals are not of one time.
const SEVERAL: usize = 3;

/// The middle rate of some intervals, bit/s.
fn middle_rate(rows: &[Row]) -> Option<f64> {
    middle(rows.iter().map(|r| r.bps))
}

/// Whether segments are lost in nearly all of some intervals.
fn lose(rows: &[Row]) -> bool {
    let lossy = |r: &&Row| r.retransmits.is_some_and(|n| n > 0.0);
    let lossy = rows.iter().filter(lossy).count() as f64;
    rows.len() >= 4 && lossy >= LOSSY * rows.len() as f64
}

/// Whether intervals are flat, and segments are lost all through.
fn is_held(rows: &[Row], then: f64) -> bool {
    let rates: Vec<f64> = rows.iter().map(|r| r.bps).collect();
    spread(&rates).is_some_and(|s| s < FLAT)
        && rates.iter().all(|r| *r < ABOVE * then)
        && lose(rows)
}

/// The burst of some intervals, in order.
fn burst_of(rows: &[Row]) -> Option<Burst> {
    let start = rows.len().div_ceil(5);
    if rows.len() < INTERVALS_LEAST {
        return None;
    }
    let then = middle_rate(&rows[start..]).filter(|then| *then > 0.0)?;
    let fast = |r: &&Row| r.bps > FASTER * then;
    // The window may take an interval to open.
    let slow = rows.iter().take(2).position(|r| fast(&r))?;
    let run = rows[slow..].iter().take_while(fast).count();
    let (first, after) = rows.split_at(slow + run);
    let beyond = |r: &Row| (r.bps - then) * (r.until - r.from) / 8.0;
    let burst = Burst {
        beyond: first.iter().map(beyond).sum(),
        until: first.last()?.until,
        fast: first.iter().map(|r| r.bps).fold(0.0, f64::max),
        then,
    };
    let long = first.len() <= rows.len() / 2 && burst.fast > LONG * then;
    let brief = first.len() <= start;
    ((brief || long) && is_held(after, then)).then_some(burst)
}

/// The number of a test without its intervals that says what lasted after its burst, bit/s.
pub(crate) const AFTER_BURST: &str = "after_burst_bps";

/// The rate that lasted after a burst at the start of a test, bit/s; none without one.
pub(crate) fn after_burst(test: &Test) -> Option<f64> {
    let counts = test.rows.iter().filter(|r| r.retransmits.is_some());
    let rows: Vec<Row> = counts.cloned().collect();
    Some(burst_of(&rows)?.then)
}

impl Evidence {
    /// The burst that a bucket of tokens lets through: fast intervals at the start alone, in one run, and flat and lossy ones after them.
    pub(crate) fn burst(&self) -> Option<Burst> {
        burst_of(&self.counted).filter(|b| !self.udp && !self.bbr_may_hold(b.beyond))
    }

    /// The rate that lasted, bit/s: after a burst what came then, else the mean.
    pub(crate) fn lasting(&self) -> Option<f64> {
        let mean = self.rate.as_ref()?.value;
        Some(self.burst().map_or(mean, |burst| burst.then))
    }

    /// The flat rate that is left under losses all through, after the start, bit/s: what a policer that takes them lets through.
    pub(crate) fn held(&self) -> Option<f64> {
        if let Some(burst) = self.burst() {
            return Some(burst.then);
        }
        let after = self.after_start();
        middle_rate(after).filter(|then| *then > 0.0 && is_held(after, *then))
    }

    /// Whether losses came in several of the intervals after the start.
    pub(crate) fn loses_again(&self) -> bool {
        let lossy = |r: &&Row| r.retransmits.is_some_and(|n| n > 0.0);
        self.after_start().iter().filter(lossy).count() >= SEVERAL
    }

    fn after_start(&self) -> &[Row] {
        self.counted
            .get(self.counted.len().div_ceil(5)..)
            .unwrap_or(&[])
    }
}

/// Weighs a burst: a line or a queue that others fill is as fast again later on, and a bucket of tokens is not. A short queue that slow
/// start fills has the same shape now and then, so that this weighs little.
pub(crate) fn by_burst(e: &Evidence, items: &mut Vec<Item>) {
    let Some(burst) = e.burst() else { return };
    // A stated bucket that holds far less let none of that through.
    let bucket = e.policer_burst.as_ref();
    if bucket.is_some_and(|held| burst.beyond > BUCKETS * held.value) {
        return;
    }
    let others = [
        Cause::ShallowBuffer,
        Cause::CongestionLoss,
        Cause::ReceiveWindow,
        Cause::SendBuffer,
        Cause::Pacing,
    ];
    items.push(Item {
        holds: 1.0,
        weights: [of(&others, -2.0), vec![(Cause::Policer, 3.0), (Cause::CrossTraffic, -2.0)]].concat(),
        sentence: format!(
            "the first {:.0} s were as fast as {}, and all after them {}, with losses all through: a bucket of tokens that was full, and its rate then",
            burst.until,
            bps(burst.fast),
            bps(burst.then)
        ),
    });
}
