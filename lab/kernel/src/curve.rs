//! Congestion windows over time, and how far two of them lie apart.

use serde::Serialize;

/// A congestion window over time: seconds since the SYN, segments.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Curve {
    pub(crate) t: Vec<f64>,
    pub(crate) v: Vec<f64>,
}

/// Steps at which two curves are compared.
const STEP: f64 = 0.01;
/// A fall by this share between two neighbouring samples is a cut.
const CUT: f64 = 0.02;

impl Curve {
    pub(crate) fn push(&mut self, t: f64, v: f64) {
        self.t.push(t);
        self.v.push(v);
    }

    /// The value at `t`: linear between samples, the nearest outside.
    pub(crate) fn at(&self, t: f64) -> f64 {
        let next = self.t.partition_point(|x| *x <= t);
        if next == 0 || next == self.t.len() {
            let nearest = if next == 0 {
                self.v.first()
            } else {
                self.v.last()
            };
            return nearest.copied().unwrap_or_default();
        }
        let (t0, t1) = (self.t[next - 1], self.t[next]);
        let (v0, v1) = (self.v[next - 1], self.v[next]);
        v0 + (v1 - v0) * (t - t0) / (t1 - t0)
    }

    pub(crate) fn end(&self) -> f64 {
        self.t.last().copied().unwrap_or_default()
    }

    /// When the window is cut: the samples before a fall; falls within `gap` seconds of a cut belong to it.
    pub(crate) fn cuts(&self, gap: f64) -> Vec<f64> {
        let mut cuts: Vec<f64> = Vec::new();
        for (t, v) in self.t.windows(2).zip(self.v.windows(2)) {
            let fall = v[1] < v[0] * (1.0 - CUT);
            if fall && cuts.last().is_none_or(|last| t[0] > last + gap) {
                cuts.push(t[0]);
            }
        }
        cuts
    }

    /// The largest value in the last `span` seconds before `t`.
    pub(crate) fn peak_before(&self, t: f64, span: f64) -> f64 {
        let near = self
            .t
            .iter()
            .zip(&self.v)
            .filter(|(x, _)| (t - span..=t).contains(*x));
        near.map(|(_, v)| *v).fold(self.at(t), f64::max)
    }

    /// Seconds from `cut` until the window is `level` again, having been below it.
    pub(crate) fn regained(&self, cut: f64, level: f64) -> Option<f64> {
        let after = self.t.partition_point(|x| *x <= cut);
        let below = after + self.v.get(after..)?.iter().position(|v| *v < level)?;
        let back = below + self.v[below..].iter().position(|v| *v >= level)?;
        let (t0, t1) = (self.t[back - 1], self.t[back]);
        let (v0, v1) = (self.v[back - 1], self.v[back]);
        Some(t0 + (t1 - t0) * (level - v0) / (v1 - v0) - cut)
    }
}

/// The distance between two curves, gathered over one span or several.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Distance {
    squares: f64,
    sum: f64,
    count: f64,
}

impl Distance {
    /// Adds `from..to` of the reference's time; `shift` is added to that to get the other's.
    pub(crate) fn add(&mut self, reference: &Curve, other: &Curve, from: f64, to: f64, shift: f64) {
        let mut t = from;
        while t <= to {
            let v = reference.at(t);
            let apart = v - other.at(t + shift);
            self.squares += apart * apart;
            self.sum += v;
            self.count += 1.0;
            t += STEP;
        }
    }

    /// The root of the mean squared difference over the reference's mean; `None` if nothing was added.
    pub(crate) fn nrmse(&self) -> Option<f64> {
        (self.sum > 0.0).then(|| (self.squares / self.count).sqrt() / (self.sum / self.count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten a second from 100, cut to 50 at `cut`, then ten a second again; a sample every 10 ms.
    fn sawtooth(cut: f64) -> Curve {
        let mut curve = Curve::default();
        for n in 0..=1000 {
            let t = f64::from(n) * 0.01;
            let v = if t <= cut {
                100.0 + 10.0 * t
            } else {
                (100.0 + 10.0 * cut) / 2.0 + 10.0 * (t - cut)
            };
            curve.push(t, v);
        }
        curve
    }

    #[test]
    fn values_between_samples_are_linear_and_outside_the_nearest() {
        let curve = Curve {
            t: vec![1.0, 2.0],
            v: vec![10.0, 20.0],
        };
        assert_eq!(
            [0.0, 1.0, 1.5, 2.0, 9.0].map(|t| curve.at(t)),
            [10.0, 10.0, 15.0, 20.0, 20.0]
        );
        assert_eq!(Curve::default().at(1.0), 0.0);
    }

    #[test]
    fn the_cut_its_level_and_the_way_back() {
        let curve = sawtooth(4.0);
        let cuts = curve.cuts(1.0);
        assert_eq!(cuts.len(), 1);
        let cut = cuts[0];
        assert!((cut - 4.0).abs() < 0.011, "{cut}");
        let peak = curve.peak_before(cut, 0.3);
        assert!((peak - 140.0).abs() < 0.2, "{peak}");
        // From 70 to 130 at ten a second.
        let back = curve.regained(cut, 130.0).expect("it comes back");
        assert!((back - 6.0).abs() < 0.02, "{back}");
        assert_eq!(curve.regained(cut, 200.0), None);
        assert!(sawtooth(20.0).cuts(1.0).is_empty());
    }

    #[test]
    fn falls_soon_after_a_cut_belong_to_it() {
        let curve = Curve {
            t: vec![0.0, 1.0, 1.1, 1.2, 5.0, 5.1],
            v: vec![100.0, 100.0, 80.0, 50.0, 90.0, 45.0],
        };
        assert_eq!(curve.cuts(0.5), [1.0, 5.0]);
        assert_eq!(curve.cuts(0.05), [1.0, 1.1, 5.0]);
    }

    fn nrmse(one: &Curve, two: &Curve, from: f64, to: f64, shift: f64) -> Option<f64> {
        let mut distance = Distance::default();
        distance.add(one, two, from, to, shift);
        distance.nrmse()
    }

    #[test]
    fn equal_curves_differ_by_nothing_and_shifted_ones_once_aligned() {
        let (one, two) = (sawtooth(3.0), sawtooth(4.0));
        assert_eq!(nrmse(&one, &one, 0.0, 10.0, 0.0), Some(0.0));
        let apart = nrmse(&one, &two, 0.0, 10.0, 0.0).expect("there is time");
        assert!(apart > 0.1, "{apart}");
        // Aligned at the cut they differ by the 5 segments that the later one had more after it.
        let aligned = nrmse(&one, &two, 3.1, 8.0, 1.0).expect("there is time");
        assert!((aligned - 5.0 / 90.5).abs() < 0.002, "{aligned}");
    }

    #[test]
    fn a_constant_error_of_a_tenth_is_a_tenth() {
        let flat = |v| Curve {
            t: vec![0.0, 10.0],
            v: vec![v, v],
        };
        let found = nrmse(&flat(100.0), &flat(110.0), 1.0, 9.0, 0.0).expect("there is time");
        assert!((found - 0.1).abs() < 1e-12);
        assert_eq!(nrmse(&flat(100.0), &flat(1.0), 5.0, 4.0, 0.0), None);
        assert_eq!(nrmse(&flat(0.0), &flat(1.0), 0.0, 5.0, 0.0), None);
    }
}
