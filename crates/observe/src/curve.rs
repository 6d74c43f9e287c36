//! How far the congestion windows of two origins lie apart after a loss.
//!
//! A *curve* is a record's series `cwnd_bytes` from its one cut to the end of the recovery:
//!
//! - The *cut* is at the last sample within 0.1 % of the largest window so far, before the first one
//!   that is more than 5 % below it. Falls within two round trips of it belong to it; a record with a later fall of more
//!   than 5 % has no curve. The round trip is the one at the cut (`srtt_ns`, where there is such a series), or the shortest
//!   (`rtt_min_ns`) if that is longer: what waits in a queue falls later.
//! - The *old window* is cwnd at the cut, or the most that was in flight (`in_flight_bytes`, where there is
//!   one) in the ten samples up to it if that is less. The curve is cut off there: a window beyond
//!   what is used says nothing about the path.
//! - The recovery *ends* at the first sample, two round trips or more after the cut, at which the curve is at 99.9 % of
//!   the old window.
//!
//! A record sampled less than twice per RTT has no curve: a whole cut could fall between two samples.
//! A prediction knows every round trip, and says one value of each.
//!
//! Two curves are laid over each other with their cuts at one instant, and compared from there until both
//! recoveries have ended, or the shorter record does. Between samples they are straight. The
//! *NRMSE* is the root of the mean squared difference over that time (4096 equal steps, each at its
//! middle) over the old window of the first: the origin that stands first in [`Origin::ALL`].

use farpath_record::{Origin, Record, Series};

const WINDOW: &str = "cwnd_bytes";
const FLIGHT: &str = "in_flight_bytes";
const ROUND_TRIP: &str = "srtt_ns";
/// A window this far below the largest so far has been cut.
const CUT: f64 = 0.95;
/// Down to here it is not a fall yet, and from here on it counts as back.
const WHOLE: f64 = 0.999;
/// Samples up to the cut of which the most in flight counts.
pub const BEFORE: usize = 10;
/// Samples of a window per RTT, at least.
const SAMPLES: f64 = 2.0;
/// Round trips in which falls belong to one cut.
const ROUND_TRIPS: f64 = 2.0;
/// Instants at which two curves are compared.
const STEPS: u32 = 4096;

/// The metric of a record that holds the NRMSE of its congestion window against that of `origin`.
pub fn nrmse_metric(origin: Origin) -> String {
    format!("cwnd_nrmse_{}_ratio", origin.name())
}

/// Gives each record that has a curve its cut (`cut_s`) and old window (`cwnd_before_bytes`), and the NRMSE of its
/// congestion window against those of the origins before it, of the same test, point and repeat; a
/// prediction stands for every repeat.
pub fn compare_windows(records: &mut [Record]) {
    let mut found: Vec<(usize, String, f64)> = Vec::new();
    let curves: Vec<Option<Curve>> = records.iter().map(Curve::of).collect();
    for (at, record) in records.iter().enumerate() {
        if let Some(curve) = &curves[at] {
            found.push((at, "cut_s".to_owned(), curve.cut_ns as f64 / 1e9));
            found.push((at, "cwnd_before_bytes".to_owned(), curve.old));
        }
        for (first, other) in records.iter().enumerate() {
            let same = other.test == record.test
                && other.point == record.point
                && (other.repeat == record.repeat || other.origin == Origin::Predicted);
            if other.origin >= record.origin || !same {
                continue;
            }
            if let (Some(reference), Some(curve)) = (&curves[first], &curves[at])
                && let Some(nrmse) = reference.nrmse(curve)
            {
                found.push((at, nrmse_metric(other.origin), nrmse));
            }
        }
    }
    for (at, metric, nrmse) in found {
        records[at].set(&metric, nrmse);
    }
}

/// A congestion window from its one cut on: seconds since then, and bytes of the old window at most.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    t: Vec<f64>,
    v: Vec<f64>,
    /// The old window, bytes.
    pub old: f64,
    /// When the window was cut, nanoseconds since the start of the run.
    pub cut_ns: u64,
    /// When it was the old one again, seconds after the cut.
    pub regained: Option<f64>,
}

impl Curve {
    /// The curve of a record's `cwnd_bytes`; `None` without the series or the metric `rtt_min_ns`,
    /// where the window is cut never or more than once, and where it was not sampled often enough.
    pub fn of(record: &Record) -> Option<Curve> {
        let windows = record.series.get(WINDOW)?;
        let rtt = *record.metrics.get("rtt_min_ns")?;
        if windows.t_ns.len() != windows.v.len() {
            return None;
        }
        let (cut, largest) = first_cut(&windows.v)?;
        let flight = record.series.get(FLIGHT);
        let old = largest.min(flight.map_or(f64::INFINITY, |f| most_before(f, windows.t_ns[cut])));
        let cut_ns = windows.t_ns[cut];
        let smoothed = record.series.get(ROUND_TRIP);
        let together = ROUND_TRIPS * smoothed.map_or(0.0, |s| last_before(s, cut_ns)).max(rtt);
        let since = |t: u64| t.saturating_sub(cut_ns) as f64;
        let samples = windows.t_ns.len() - cut;
        let apart = since(*windows.t_ns.last()?) / samples as f64;
        if record.origin != Origin::Predicted && apart > rtt / SAMPLES {
            return None;
        }
        let later = windows.t_ns.partition_point(|t| since(*t) < together);
        let rest = windows.v.get(later..)?;
        if old <= 0.0 || first_cut(rest).is_some() {
            return None;
        }
        let t: Vec<f64> = windows.t_ns[cut..]
            .iter()
            .map(|t| since(*t) / 1e9)
            .collect();
        let v: Vec<f64> = windows.v[cut..].iter().map(|v| v.min(old)).collect();
        let back = rest.iter().position(|v| *v >= old * WHOLE);
        Some(Curve {
            regained: back.map(|n| t[later - cut + n]),
            t,
            v,
            old,
            cut_ns,
        })
    }

    /// The window `t` seconds after the cut; the last one after the end.
    fn at(&self, t: f64) -> f64 {
        let next = self.t.partition_point(|x| *x <= t);
        let Some(before) = next.checked_sub(1) else {
            return self.old;
        };
        match self.t.get(next) {
            Some(end) => {
                let share = (t - self.t[before]) / (end - self.t[before]);
                self.v[before] + (self.v[next] - self.v[before]) * share
            }
            None => self.v[before],
        }
    }

    /// Seconds after the cuts for which this curve and another are compared.
    fn span(&self, other: &Curve) -> f64 {
        let ends = [self, other].map(|c| c.t.last().copied().unwrap_or(0.0));
        let until = match (self.regained, other.regained) {
            (Some(a), Some(b)) => a.max(b),
            _ => f64::INFINITY,
        };
        ends.into_iter().fold(until, f64::min)
    }

    /// The NRMSE of `other` against this curve, as a share of this one's old window; `None` if
    /// there is no time to compare.
    pub fn nrmse(&self, other: &Curve) -> Option<f64> {
        let span = self.span(other);
        let squares = |n: u32| {
            let t = span * (f64::from(n) + 0.5) / f64::from(STEPS);
            let apart = self.at(t) - other.at(t);
            apart * apart
        };
        let mean = (0..STEPS).map(squares).sum::<f64>() / f64::from(STEPS);
        (span > 0.0).then(|| libm::sqrt(mean) / self.old)
    }
}

/// The last sample at the largest value before the first that is cut, and that value.
fn first_cut(v: &[f64]) -> Option<(usize, f64)> {
    let mut largest = 0.0;
    let mut top = 0;
    for (n, value) in v.iter().enumerate() {
        if *value >= largest * WHOLE {
            top = n;
        } else if *value < largest * CUT {
            return Some((top, largest));
        }
        largest = f64::max(largest, *value);
    }
    None
}

/// The values of the samples up to `t_ns`.
fn before(series: &Series, t_ns: u64) -> &[f64] {
    let end = series.t_ns.partition_point(|t| *t <= t_ns);
    &series.v[..end.min(series.v.len())]
}

/// The largest of the last samples up to `t_ns`.
fn most_before(series: &Series, t_ns: u64) -> f64 {
    let last = before(series, t_ns).iter().rev().take(BEFORE);
    last.copied().fold(0.0, f64::max)
}

/// The last sample up to `t_ns`; 0 where there is none.
fn last_before(series: &Series, t_ns: u64) -> f64 {
    before(series, t_ns).last().copied().unwrap_or(0.0)
}

#[cfg(test)]
#[path = "curve_tests.rs"]
mod tests;
