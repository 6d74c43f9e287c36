//! Jitter: each frame takes a little longer, by luck.

use std::sync::Arc;

use farpath_units::{Duration, Key};
use farpath_wire::Frame;

use super::distribution::{Distribution, normal_cdf, normal_quantile};
use crate::flows::Flows;

/// Delays added to frames one by one; never less than nothing, so that a link's propagation stays
/// the least any frame needs.
#[derive(Debug)]
pub struct Jitter {
    distribution: Distribution,
    correlation: f64,
    flows: Flows<State>,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// Frames seen.
    seen: u64,
    /// Of the frame before: the scores of its two draws.
    scores: [f64; 2],
}

/// Marks the second draw of a frame.
const SECOND: u64 = 1 << 63;

impl Jitter {
    /// Jitter that draws from `key`, which names the link, its direction and the purpose. The delays
    /// of a flow's successive frames have, as normal scores, this `correlation` (0 ≤ ρ < 1).
    ///
    /// Correlation leaves the distribution as it is: scores follow g′ = ρ·g + √(1 − ρ²)·z with z
    /// standard normal, which stays standard normal, and the delay is the quantile at Φ(g).
    pub fn new(distribution: Distribution, correlation: f64, key: Key) -> Jitter {
        Jitter {
            distribution,
            correlation,
            flows: Flows::new(key),
        }
    }

    /// Keys the luck of each flow by its name, as [`Loss::with_flow_names`](super::Loss::with_flow_names).
    #[must_use]
    pub fn with_flow_names(mut self, names: Arc<[String]>) -> Jitter {
        self.flows.name(names);
        self
    }

    /// What `frame` is delayed by.
    #[inline]
    pub fn delays(&mut self, frame: &Frame) -> Duration {
        let (luck, state) = self.flows.of(frame);
        let ordinal = state.seen;
        state.seen += 1;
        let mixed = matches!(self.distribution, Distribution::ParetoNormal { .. });
        let mut draws = [luck.uniform(ordinal), 0.5];
        if mixed {
            draws[1] = luck.uniform(SECOND | ordinal);
        }
        if self.correlation > 0.0 {
            let fresh = libm::sqrt(1.0 - self.correlation * self.correlation);
            for (draw, score) in draws.iter_mut().zip(&mut state.scores) {
                let z = normal_quantile(*draw);
                *score = match ordinal {
                    0 => z,
                    _ => self.correlation * *score + fresh * z,
                };
                *draw = normal_cdf(*score).clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
            }
        }
        self.distribution.quantile(draws[0], draws[1])
    }
}

#[cfg(test)]
mod tests {
    use farpath_wire::{FlowDir, Kind};

    use super::*;

    fn delays(jitter: &mut Jitter, flow: u16, count: u64) -> Vec<f64> {
        let frame = |seq| Frame::new(Kind::Udp, FlowDir::forward(flow), seq, 1500);
        (0..count)
            .map(|seq| jitter.delays(&frame(seq)).as_secs_f64())
            .collect()
    }

    fn moments(all: &[f64]) -> (f64, f64) {
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let squares = all.iter().map(|x| (x - mean) * (x - mean));
        (mean, (squares.sum::<f64>() / all.len() as f64).sqrt())
    }

    /// What is set is what is realised, with and without correlation: 10⁶ frames, so the mean of a
    /// uniform delay of standard deviation 0.2887 strays by 0.0003 (ρ = 0) or 0.0013 (ρ = 0.9).
    #[test]
    fn correlation_changes_neither_mean_nor_spread() {
        let uniform = Distribution::Uniform {
            max: Duration::from_secs(1),
        };
        for (rho, stray) in [(0.0, 0.0015), (0.5, 0.0025), (0.9, 0.0065)] {
            let mut jitter = Jitter::new(uniform.clone(), rho, Key::new(5).with("jitter"));
            let all = delays(&mut jitter, 0, 1_000_000);
            let (mean, std) = moments(&all);
            assert!((mean - 0.5).abs() < stray, "{rho}: mean {mean}");
            assert!((std - 0.288_675).abs() < stray, "{rho}: std {std}");
            let lagged = all.windows(2).map(|w| (w[0] - mean) * (w[1] - mean));
            let found = lagged.sum::<f64>() / (all.len() - 1) as f64 / (std * std);
            // Pearson's correlation of uniform marginals of a Gaussian copula: 6/π·asin(ρ/2).
            let expected = 6.0 / core::f64::consts::PI * libm::asin(rho / 2.0);
            assert!((found - expected).abs() < 0.006, "{found} {expected}");
        }
    }

    #[test]
    fn normal_and_pareto_jitter_have_their_moments() {
        let ms = Duration::from_ms;
        let normal = Distribution::Normal {
            mean: ms(10),
            std: ms(2),
        };
        let mut jitter = Jitter::new(normal, 0.0, Key::new(1));
        let (mean, std) = moments(&delays(&mut jitter, 0, 400_000));
        // 5 σ above nothing: the truncation takes 3·10⁻⁷ of it.
        assert!((mean - 0.010).abs() < 2e-5 && (std - 0.002).abs() < 2e-5);
        let pareto = Distribution::Pareto {
            mean: ms(1),
            shape: 5.0,
            max: ms(1000),
        };
        let mut jitter = Jitter::new(pareto, 0.0, Key::new(2));
        let (mean, std) = moments(&delays(&mut jitter, 0, 400_000));
        // Lomax: std = mean·√(α/(α − 2)).
        assert!((mean / 1e-3 - 1.0).abs() < 0.01, "{mean}");
        let expected = 1e-3 * libm::sqrt(5.0 / 3.0);
        assert!((std / expected - 1.0).abs() < 0.03, "{std} {expected}");
    }

    #[test]
    fn another_flow_changes_nobody_elses_jitter() {
        let pareto = Distribution::ParetoNormal {
            mean: Duration::from_ms(1),
            std: Duration::from_us(100),
            shape: 3.0,
            max: Duration::from_secs(1),
        };
        for rho in [0.0, 0.7] {
            let make = || Jitter::new(pareto.clone(), rho, Key::new(3));
            let alone = delays(&mut make(), 0, 1000);
            let mut shared = make();
            let beside: Vec<f64> = (0..1000)
                .flat_map(|_| {
                    delays(&mut shared, 7, 2);
                    delays(&mut shared, 0, 1)
                })
                .collect();
            assert_eq!(alone, beside);
        }
    }
}
