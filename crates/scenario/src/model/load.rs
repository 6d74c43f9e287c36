//! Traffic: streams of datagrams, flows that come and go, day and night.

use std::sync::Arc;

use farpath_units::{Duration, Rate, Ratio, Size, Stream};

use super::Tcp;
use crate::atm::CellContract;

/// `kind = "udp"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Udp {
    /// Rate of UDP payload: the highest with an envelope, that of bursts with `on_off`, the mean of
    /// a replay.
    pub rate: Rate,
    /// UDP payload bytes of a datagram.
    pub size: u32,
    /// Spacing of the datagrams.
    pub arrivals: Arrivals,
    /// Bursts and pauses.
    pub on_off: Option<OnOff>,
    /// How the rate changes with time.
    pub envelope: Option<Envelope>,
    /// What is sent, if it was written down.
    pub replay: Option<Arc<Replay>>,
    /// Cells instead of datagrams: `rate` is of whole cells, one in each datagram.
    pub cells: Option<CellSource>,
}

/// `kind = "cells"`: a tester's source and its meter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellSource {
    /// Cells that come together, and the rate at which they do.
    pub burst: Option<(u64, Rate)>,
    /// What the receiver holds the cells against.
    pub contract: Option<CellContract>,
}

/// The program that runs a test between real hosts; models know none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tool {
    /// farpath itself.
    #[default]
    Farpath,
    /// iperf3, of which the JSON is read.
    Iperf3,
}

/// Spacing of datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arrivals {
    /// Equal gaps.
    #[default]
    Constant,
    /// Exponential gaps.
    Poisson,
}

/// Bursts and pauses whose lengths are Pareto variates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnOff {
    /// Mean length of a burst.
    pub on: Duration,
    /// Mean length of a pause.
    pub off: Duration,
    /// The Pareto exponent, above 1.
    pub alpha: f64,
}

impl OnOff {
    /// Length of burst (`mean` = `on`) or pause number `ordinal`: Pareto with that mean.
    pub fn length(&self, mean: Duration, luck: Stream, ordinal: u64) -> Duration {
        let least = mean.as_secs_f64() * (self.alpha - 1.0) / self.alpha;
        let seconds = least * libm::pow(luck.uniform(ordinal), -1.0 / self.alpha);
        // Longer than any run is for ever; and never nothing, so that time goes on.
        Duration::from_secs_f64(seconds.min(LONGEST_S)).max(Duration::from_ps(1))
    }

    /// Share of the time in which it sends, on average.
    pub fn duty(&self) -> f64 {
        self.on.as_secs_f64() / (self.on.as_secs_f64() + self.off.as_secs_f64())
    }
}

/// Longest burst or pause, in seconds: longer than runs.
const LONGEST_S: f64 = 9e6;

/// Day and night.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Envelope {
    /// One day.
    pub period: Duration,
    /// The least share of the rate.
    pub low: Ratio,
    /// Steps instead of a sinusoid.
    pub steps: Steps,
}

/// The shape of an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// low + (1 − low) · (1 − cos 2πt/period) / 2.
    Sinusoid,
    /// The first half of a period low, the second at the full rate.
    Halves,
}

impl Envelope {
    /// The share of the rate at `since` after the start.
    pub fn share(&self, since: Duration) -> f64 {
        let low = self.low.get();
        let period = self.period.as_ps().max(1);
        let phase = (since.as_ps() % period) as f64 / period as f64;
        match self.steps {
            Steps::Sinusoid => {
                let turn = libm::cos(2.0 * core::f64::consts::PI * phase);
                low + (1.0 - low) * (1.0 - turn) / 2.0
            }
            Steps::Halves if phase < 0.5 => low,
            Steps::Halves => 1.0,
        }
    }

    /// How long after the start a source that is at work at the share of each instant has done
    /// `worked` of its time: the inverse of the share's integral.
    pub fn when(&self, worked: Duration) -> Duration {
        let (low, period) = (self.low.get(), self.period.as_secs_f64());
        let day = period * self.mean();
        let days = libm::floor(worked.as_secs_f64() / day);
        let rest = worked.as_secs_f64() - days * day;
        let within = match self.steps {
            Steps::Halves if rest < low * period / 2.0 => rest / low,
            Steps::Halves => period / 2.0 + (rest - low * period / 2.0),
            Steps::Sinusoid => {
                let turn = 2.0 * core::f64::consts::PI / period;
                let done = |t: f64| low * t + (1.0 - low) / 2.0 * (t - libm::sin(turn * t) / turn);
                let (mut from, mut to) = (0.0, period);
                // Until both are neighbours on the clock: 2⁻⁶⁰ of a period.
                for _ in 0..60 {
                    let middle = f64::midpoint(from, to);
                    if done(middle) < rest {
                        from = middle;
                    } else {
                        to = middle;
                    }
                }
                to
            }
        };
        Duration::from_secs_f64(days * period + within.min(period))
    }

    /// Mean share over whole periods.
    pub fn mean(&self) -> f64 {
        f64::midpoint(1.0, self.low.get())
    }

    /// Mean share from `from` to `until` after the start; over whole periods where `until` is not later.
    pub fn mean_between(&self, from: Duration, until: Duration) -> f64 {
        let (from_s, until_s) = (from.as_secs_f64(), until.as_secs_f64());
        match until_s > from_s {
            true => (self.worked_s(until_s) - self.worked_s(from_s)) / (until_s - from_s),
            false => self.mean(),
        }
    }

    /// The integral of the share over the first `since_s` seconds.
    fn worked_s(&self, since_s: f64) -> f64 {
        let (low, period) = (self.low.get(), self.period.as_secs_f64());
        let days = libm::floor(since_s / period);
        let rest = since_s - days * period;
        let within = match self.steps {
            Steps::Halves => {
                let half = period / 2.0;
                low * rest.min(half) + (rest - half).max(0.0)
            }
            Steps::Sinusoid => {
                let turn = 2.0 * core::f64::consts::PI / period;
                low * rest + (1.0 - low) / 2.0 * (rest - libm::sin(turn * rest) / turn)
            }
        };
        days * period * self.mean() + within
    }
}

/// What was sent when: one of two columns beside the time.
#[derive(Clone, Debug, PartialEq)]
pub enum Replay {
    /// At these instants after the start, so many bytes.
    Bytes(Vec<(Duration, u64)>),
    /// From these instants on, at so many bits a second; the last row ends the one before it.
    Rates(Vec<(Duration, u64)>),
}

impl Replay {
    /// How long it is, and the bits in it.
    pub fn total(&self) -> (Duration, f64) {
        match self {
            Replay::Bytes(rows) => {
                let end = rows.last().map_or(Duration::ZERO, |r| r.0);
                (end, rows.iter().map(|r| r.1 as f64 * 8.0).sum())
            }
            Replay::Rates(rows) => {
                let end = rows.last().map_or(Duration::ZERO, |r| r.0);
                let bits = rows
                    .windows(2)
                    .map(|w| w[1].0.saturating_sub(w[0].0).as_secs_f64() * w[0].1 as f64);
                (end, bits.sum())
            }
        }
    }

    /// Mean rate in bit/s of what is sent from `from` to `until` after the start; 0 where `until` is not later.
    pub fn mean_bps(&self, from: Duration, until: Duration) -> f64 {
        let bits: f64 = match self {
            Replay::Bytes(rows) => {
                let sent = rows.iter().filter(|row| (from..until).contains(&row.0));
                sent.map(|row| row.1 as f64 * 8.0).sum()
            }
            Replay::Rates(rows) => {
                let sent = rows.windows(2).map(|w| {
                    let lasts = w[1].0.min(until).saturating_sub(w[0].0.max(from));
                    lasts.as_secs_f64() * w[0].1 as f64
                });
                sent.sum()
            }
        };
        let span = until.saturating_sub(from).as_secs_f64();
        if span > 0.0 { bits / span } else { 0.0 }
    }
}

/// `kind = "flows"`.
#[derive(Clone, Debug, PartialEq)]
pub struct Flows {
    /// The connections; as many as there are flows.
    pub tcp: Tcp,
    /// Mean time from one start to the next.
    pub spacing: Duration,
    /// How much each transfers.
    pub sizes: Sizes,
    /// How the arrivals change with time.
    pub envelope: Option<Envelope>,
}

/// How large transfers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sizes {
    /// All alike.
    Fixed(Size),
    /// Bounded Pareto.
    Pareto {
        /// The smallest.
        least: Size,
        /// The largest.
        most: Size,
        /// The exponent.
        alpha: f64,
    },
    /// Lognormal.
    Lognormal {
        /// Half of the sizes are smaller.
        median: Size,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
}

impl Sizes {
    /// Bytes of transfer number `ordinal`; at least 1.
    pub fn draw(&self, luck: Stream, ordinal: u64) -> u64 {
        let bytes = match *self {
            Sizes::Fixed(size) => return size.as_bytes(),
            Sizes::Pareto { least, most, alpha } => {
                let (l, h) = (least.as_bytes() as f64, most.as_bytes() as f64);
                let tail = 1.0 - libm::pow(l / h, alpha);
                let x = l * libm::pow(1.0 - luck.uniform(ordinal) * tail, -1.0 / alpha);
                x.clamp(l, h)
            }
            Sizes::Lognormal { median, sigma } => {
                // Box and Muller's transform (1958); two draws for one variate.
                let (u, v) = (luck.uniform(2 * ordinal), luck.uniform(2 * ordinal + 1));
                let normal =
                    libm::sqrt(-2.0 * libm::log(u)) * libm::cos(2.0 * core::f64::consts::PI * v);
                median.as_bytes() as f64 * libm::exp(sigma * normal)
            }
        };
        (bytes.round() as u64).max(1)
    }

    /// Mean bytes.
    pub fn mean(&self) -> f64 {
        match *self {
            Sizes::Fixed(size) => size.as_bytes() as f64,
            Sizes::Pareto { least, most, alpha } => {
                let (l, h) = (least.as_bytes() as f64, most.as_bytes() as f64);
                if h <= l {
                    return l;
                }
                let tail = 1.0 - libm::pow(l / h, alpha);
                if (alpha - 1.0).abs() < 1e-9 {
                    return l * libm::log(h / l) / tail;
                }
                let k = alpha / (alpha - 1.0);
                k * l * (1.0 - libm::pow(l / h, alpha - 1.0)) / tail
            }
            Sizes::Lognormal { median, sigma } => {
                median.as_bytes() as f64 * libm::exp(sigma * sigma / 2.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use farpath_units::Key;

    #[test]
    fn the_mean_of_an_envelope_is_that_of_its_share() {
        const PARTS: u64 = 100_000;
        let (from, until) = (Duration::from_secs(3), Duration::from_secs(47));
        for steps in [Steps::Halves, Steps::Sinusoid] {
            let envelope = Envelope {
                period: Duration::from_secs(20),
                low: Ratio::new(0.2).expect("a ratio"),
                steps,
            };
            let at = |n: u64| from + Duration::from_us(440 * n + 220);
            let sum: f64 = (0..PARTS).map(|n| envelope.share(at(n))).sum();
            let found = envelope.mean_between(from, until);
            assert!((found - sum / PARTS as f64).abs() < 1e-4, "{found}");
            let day = envelope.mean_between(from, Duration::from_secs(23));
            assert!((day - envelope.mean()).abs() < 1e-9, "{day}");
        }
    }

    #[test]
    fn the_mean_of_a_replay_is_that_of_the_time_asked_for() {
        let secs = Duration::from_secs;
        let rates = Replay::Rates(vec![(secs(0), 1000), (secs(2), 3000), (secs(3), 0)]);
        assert_eq!(rates.mean_bps(secs(1), secs(3)), 2000.0);
        assert_eq!(rates.mean_bps(secs(1), secs(5)), 1000.0);
        let bytes = Replay::Bytes(vec![(secs(0), 100), (secs(1), 50)]);
        assert_eq!(bytes.mean_bps(secs(0), secs(1)), 800.0);
        assert_eq!(bytes.mean_bps(secs(1), secs(2)), 400.0);
        assert_eq!(bytes.mean_bps(secs(2), secs(2)), 0.0);
    }

    #[test]
    fn drawn_sizes_and_lengths_have_their_means() {
        let luck = Key::new(1).with("sizes").stream();
        const N: u64 = 2_000_000;
        for sizes in [
            Sizes::Pareto {
                least: Size::from_bytes(1000),
                most: Size::from_bytes(1_000_000),
                alpha: 1.2,
            },
            Sizes::Lognormal {
                median: Size::from_bytes(20_000),
                sigma: 1.0,
            },
        ] {
            let mean = (0..N).map(|n| sizes.draw(luck, n) as f64).sum::<f64>() / N as f64;
            // Standard errors are 0.9 % and 0.3 %.
            assert!(
                (mean / sizes.mean() - 1.0).abs() < 0.03,
                "{sizes:?}: {mean}"
            );
        }
        let on_off = OnOff {
            on: Duration::from_ms(100),
            off: Duration::from_ms(300),
            alpha: 3.0,
        };
        let length = |n| on_off.length(on_off.on, luck, n).as_secs_f64();
        let mean = (0..N).map(length).sum::<f64>() / N as f64;
        assert!((mean - 0.1).abs() < 0.0005, "{mean}");
        assert!((on_off.duty() - 0.25).abs() < 1e-12);
    }

    #[test]
    fn an_envelope_begins_low_and_has_its_mean() {
        let envelope = |steps| Envelope {
            period: Duration::from_secs(10),
            low: Ratio::new(0.2).expect("a ratio"),
            steps,
        };
        for steps in [Steps::Sinusoid, Steps::Halves] {
            let e = envelope(steps);
            assert!((e.share(Duration::ZERO) - 0.2).abs() < 1e-12);
            let mean: f64 = (0..1000)
                .map(|n| e.share(Duration::from_ms(n * 10)))
                .sum::<f64>()
                / 1000.0;
            assert!((mean - e.mean()).abs() < 1e-3, "{steps:?}: {mean}");
            // After 23 s: two days, and what a quarter or so of a third brings.
            let worked: f64 = (0..23_000)
                .map(|n| e.share(Duration::from_ms(n)) / 1000.0)
                .sum();
            let when = e.when(Duration::from_secs_f64(worked)).as_secs_f64();
            assert!((when - 23.0).abs() < 0.01, "{steps:?}: {when}");
        }
        let day = envelope(Steps::Sinusoid).share(Duration::from_secs(5));
        assert!((day - 1.0).abs() < 1e-12);
    }
}
