//! Offset and drift of two clocks, from the shortest delays of both directions between them.
//!
//! Queues only add to a delay, so what is true of the clocks stands in the lower edge of the delays: the line below all
//! of them that is nearest to them (Moon, Skelly and Towsley, INFOCOM 1999). It is an edge of their convex hull.

/// A drift is said of captures at least this long: ten seconds, nanoseconds.
const DRIFT_LEAST_NS: i64 = 10_000_000_000;
/// Both directions must agree on it within as much as it is, or one part in a million.
const AGREE: f64 = 1.0;
const AGREE_LEAST: f64 = 1e-6;
/// No clock of a computer drifts more: one part in a thousand.
const DRIFT_MAX: f64 = 1e-3;

/// Two clocks.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Clocks {
    /// The second less the first at `since`, nanoseconds.
    pub(crate) offset_ns: f64,
    /// How much faster the second runs.
    pub(crate) drift: Option<f64>,
    pub(crate) round_trip_ns: u64,
    since: i64,
}

impl Clocks {
    /// From the delays forth and back, each with its time; `is_one` of a single clock.
    pub(crate) fn of(forth: &[(i64, i64)], back: &[(i64, i64)], is_one: bool) -> Clocks {
        let (Some(first), Some(other)) = (forth.first(), back.first()) else {
            return Clocks::default();
        };
        let since = first.0.min(other.0);
        let drift = if is_one { None } else { drift(forth, back) };
        let rate = drift.unwrap_or(0.0);
        let least = |all: &[(i64, i64)], sign: f64| {
            let each = all
                .iter()
                .map(|(at, ns)| *ns as f64 - sign * rate * (at - since) as f64);
            each.fold(f64::INFINITY, f64::min)
        };
        let (there, home) = (least(forth, 1.0), least(back, -1.0));
        Clocks {
            offset_ns: if is_one { 0.0 } else { (there - home) / 2.0 },
            drift,
            round_trip_ns: (there + home).max(0.0).round() as u64,
            since,
        }
    }

    /// The second clock less the first at an instant, nanoseconds.
    pub(crate) fn at(&self, instant: i64) -> f64 {
        self.offset_ns + self.drift.unwrap_or(0.0) * (instant - self.since) as f64
    }
}

/// What both directions say of the drift, if they agree.
fn drift(forth: &[(i64, i64)], back: &[(i64, i64)]) -> Option<f64> {
    let ((there, waits), (home, home_waits)) = (edge(forth)?, edge(back)?);
    // Queues that stand bend the edge: the direction with less of them has the better slope.
    let drift = if waits < home_waits { there } else { -home };
    let apart = (there + home).abs();
    let agrees = apart <= (AGREE * drift.abs()).max(AGREE_LEAST);
    (agrees && drift.abs() < DRIFT_MAX).then_some(drift)
}

/// The slope of the lower edge of delays over time, below their mean time, and how far they are above it in the mean.
fn edge(all: &[(i64, i64)]) -> Option<(f64, f64)> {
    let mut points: Vec<(i64, i64)> = all.to_vec();
    points.sort_unstable();
    let (first, last) = (points.first()?.0, points.last()?.0);
    if last - first < DRIFT_LEAST_NS {
        return None;
    }
    let mut hull: Vec<(i64, i64)> = Vec::new();
    for p in points {
        while hull.len() >= 2 && !turns_left(hull[hull.len() - 2], hull[hull.len() - 1], p) {
            hull.pop();
        }
        hull.push(p);
    }
    let sum: i128 = all.iter().map(|p| i128::from(p.0 - first)).sum();
    let mean = first + (sum / all.len() as i128) as i64;
    let place = hull
        .partition_point(|p| p.0 <= mean)
        .clamp(1, hull.len() - 1);
    let (a, b) = (hull[place - 1], hull[place]);
    if b.0 <= a.0 {
        return None;
    }
    let slope = (b.1 - a.1) as f64 / (b.0 - a.0) as f64;
    let above = |p: &(i64, i64)| (p.1 - a.1) as f64 - slope * (p.0 - a.0) as f64;
    Some((slope, all.iter().map(above).sum::<f64>() / all.len() as f64))
}

/// Whether the way from `a` over `b` to `c` turns left: `b` is a corner of the lower hull.
fn turns_left(a: (i64, i64), b: (i64, i64), c: (i64, i64)) -> bool {
    let (x, y) = (i128::from(b.0 - a.0), i128::from(b.1 - a.1));
    let (u, v) = (i128::from(c.0 - a.0), i128::from(c.1 - a.1));
    x * v - y * u > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Delays of 20 ms with queues of up to `queue`, by clocks that are apart and drift.
    fn delays(sign: f64, offset: f64, drift: f64, queue: i64) -> Vec<(i64, i64)> {
        (0..2000i64)
            .map(|n| {
                let at = n * 10_000_000;
                // A congruential sequence, of which every fifth waits for nothing.
                let waits = if n % 5 == 0 {
                    0
                } else {
                    n * 7919 % 1000 * queue / 1000
                };
                let clock = offset + drift * at as f64;
                (at, 20_000_000 + waits + (sign * clock) as i64)
            })
            .collect()
    }

    #[test]
    fn offset_and_drift_are_found_through_queues() {
        for drift in [0.0, 50e-6, -12e-6] {
            let forth = delays(1.0, 7e9, drift, 9_000_000);
            let back = delays(-1.0, 7e9, drift, 100_000);
            let clocks = Clocks::of(&forth, &back, false);
            let found = clocks.drift.expect("both agree");
            assert!((found - drift).abs() < 0.1e-6, "{found} {drift}");
            assert!((clocks.offset_ns - 7e9).abs() < 2000.0, "{clocks:?}");
            assert!(
                clocks.round_trip_ns.abs_diff(40_000_000) < 4000,
                "{clocks:?}"
            );
        }
    }

    #[test]
    fn one_clock_has_no_offset() {
        let forth = delays(1.0, 0.0, 0.0, 0);
        let back: Vec<_> = forth.iter().map(|d| (d.0, d.1 * 2)).collect();
        let clocks = Clocks::of(&forth, &back, true);
        assert_eq!((clocks.offset_ns, clocks.drift), (0.0, None));
        assert_eq!(clocks.round_trip_ns, 60_000_000);
    }
}
