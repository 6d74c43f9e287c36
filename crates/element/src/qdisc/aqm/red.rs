//! Random early detection (Floyd and Jacobson, IEEE/ACM ToN 1(4), 1993), and weighted: several
//! curves over one average.

use farpath_units::{Duration, Time};
use farpath_wire::Frame;

use super::{Aqm, Draws, Found, QueueSite, Verdict};

/// From no drops to all of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// Mean bytes waiting below which nothing is dropped.
    pub min: f64,
    /// Mean bytes waiting from which everything is dropped, or the steep part begins if `gentle`.
    pub max: f64,
    /// Probability of a drop just below `max`.
    pub max_p: f64,
}

/// How the average is taken and what is done by it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedConfig {
    /// Weight of each sample in the average.
    pub weight: f64,
    /// From `max` to twice `max`, the probability rises from `max_p` to 1 (Floyd, 2000).
    pub gentle: bool,
    /// Datagrams of ECN-capable transports are marked instead of dropped (RFC 3168 §5).
    pub ecn: bool,
}

/// The average of one queue.
#[derive(Debug)]
pub(crate) struct Red {
    config: RedConfig,
    /// Time of a frame on the link: the average decays by one sample for each while idle.
    frame_time: Duration,
    average: f64,
    /// Frames since the last drop, while the average is between the thresholds.
    since_drop: f64,
    /// Since when the queue has been empty.
    idle: Option<Time>,
    draws: Draws,
}

impl Red {
    pub(super) fn new(config: RedConfig, site: &QueueSite) -> Red {
        Red {
            config,
            frame_time: site.frame_time,
            draws: Draws::new(site),
            average: 0.0,
            since_drop: -1.0,
            idle: Some(Time::ZERO),
        }
    }

    /// `frame` meets `bytes` waiting at `frame.at`.
    fn judge(&mut self, frame: &Frame, bytes: u64, curve: &Curve) -> Verdict {
        let now = frame.at;
        let weight = self.config.weight;
        if let Some(since) = self.idle.take() {
            let idle = now.since(since).as_ps() as f64;
            let frames = idle / self.frame_time.as_ps().max(1) as f64;
            self.average *= libm::pow(1.0 - weight, frames);
        }
        self.average += weight * (bytes as f64 - self.average);
        if bytes == 0 {
            self.idle = Some(now);
        }
        let Some(probability) = probability(self.average, curve, self.config.gentle) else {
            self.since_drop = 0.0;
            return Verdict::Drop;
        };
        if probability == 0.0 {
            self.since_drop = -1.0;
            return Verdict::Pass;
        }
        self.since_drop += 1.0;
        // Drops become evenly spaced: between one and 1/p frames apart.
        let left = 1.0 - self.since_drop * probability;
        let due = left <= 0.0 || self.draws.uniform(frame) < probability / left;
        if due {
            self.since_drop = 0.0;
            return match self.config.ecn {
                true => Verdict::Mark,
                false => Verdict::Drop,
            };
        }
        Verdict::Pass
    }
}

impl Aqm for Red {
    fn arrive(&mut self, frame: &Frame, found: &Found<'_>) -> Verdict {
        let judge = |curve| self.judge(frame, found.bytes, curve);
        found.curve.map_or(Verdict::Pass, judge)
    }

    fn emptied(&mut self, now: Time) {
        self.idle = Some(now);
    }
}

/// The drop probability at an average, before spacing; `None`: everything.
fn probability(average: f64, curve: &Curve, gentle: bool) -> Option<f64> {
    if average < curve.min {
        return Some(0.0);
    }
    if average < curve.max {
        return Some(curve.max_p * (average - curve.min) / (curve.max - curve.min));
    }
    if gentle && average < 2.0 * curve.max {
        let over = (average - curve.max) / curve.max;
        return Some(curve.max_p + (1.0 - curve.max_p) * over);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_units::Key;
    use farpath_wire::{FlowDir, Kind};

    const CURVE: Curve = Curve {
        min: 10_000.0,
        max: 30_000.0,
        max_p: 0.1,
    };

    fn frame(at: Duration) -> Frame {
        Frame::new(Kind::Udp, FlowDir(0), 0, 1500).arriving(Time::ZERO + at)
    }

    fn red(weight: f64, gentle: bool) -> Red {
        let config = RedConfig {
            weight,
            gentle,
            ecn: false,
        };
        let site = QueueSite {
            frame: 1514,
            frame_time: Duration::from_us(10),
            key: Key::new(7),
            names: Default::default(),
        };
        Red::new(config, &site)
    }

    /// At a steady average, drops are uniform on 1 .. 1/p − 1 frames apart: one in 1/(2p) is lost.
    #[test]
    fn the_share_of_drops_is_that_of_the_paper() {
        for (bytes, p) in [(20_000, 0.05), (12_000, 0.01), (29_000, 0.095)] {
            let mut red = red(1.0, true);
            let judged = (0..400_000).map(|_| red.judge(&frame(Duration::ZERO), bytes, &CURVE));
            let lost = judged.filter(|v| *v == Verdict::Drop).count() as f64 / 400_000.0;
            let expected = 2.0 * p;
            assert!(
                (lost / expected - 1.0).abs() < 0.02,
                "{bytes}: {lost} for {expected}"
            );
        }
    }

    #[test]
    fn the_curve_has_four_parts() {
        let p = |average, gentle| probability(average, &CURVE, gentle);
        assert_eq!(p(9_999.0, true), Some(0.0));
        assert_eq!(p(20_000.0, true), Some(0.05));
        assert!((p(45_000.0, true).expect("gentle") - 0.55).abs() < 1e-12);
        assert_eq!((p(60_000.0, true), p(30_000.0, false)), (None, None));
    }

    /// After n samples of q the average is q·(1 − (1 − w)ⁿ); an idle time of n frames takes it back.
    #[test]
    fn the_average_follows_its_closed_form_and_decays_while_idle() {
        let mut red = red(0.002, true);
        red.judge(&frame(Duration::ZERO), 50_000, &CURVE);
        for _ in 1..500 {
            red.judge(&frame(Duration::ZERO), 50_000, &CURVE);
        }
        let up = 50_000.0 * (1.0 - libm::pow(0.998, 500.0));
        assert!(
            (red.average / up - 1.0).abs() < 1e-9,
            "{} {up}",
            red.average
        );
        red.emptied(Time::ZERO);
        red.judge(&frame(Duration::from_us(1000)), 0, &CURVE);
        let down = up * libm::pow(0.998, 101.0);
        assert!(
            (red.average / down - 1.0).abs() < 1e-9,
            "{} {down}",
            red.average
        );
    }
}
