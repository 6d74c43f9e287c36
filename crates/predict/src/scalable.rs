//! Scalable TCP as senders have it, under losses at even distances and by chance (Kelly, CCR 33(2), 2003).
//!
//! A window up to a threshold gains one segment in a round trip, and a hundredth of it above; a loss takes an eighth. The paper's
//! threshold is 16 segments, and up to it a loss takes a half. Linux's is 100 (`tcp_scalable.c`: a segment for each min(w, 100)
//! acknowledged), and it takes an eighth always. [`crate::law::window`] has Kelly's 0.08/p, or Reno's if that is more.

use crate::aimd::Aimd;
use crate::cc::Rules;
use crate::law::{FRIENDLY, SCALABLE};
use crate::recovery::Losses;
use crate::solve::solve;

/// What a loss leaves of a window, and the part of it that a round trip adds.
const KEEPS: f64 = 0.875;
const STEP: f64 = 0.01;
/// Segments of a window up to which it gains one in a round trip: Linux's, and the paper's.
const LINUX: f64 = 100.0;
const PAPER: f64 = 16.0;
/// Linux's windows up to its threshold.
const LINEAR: Aimd = Aimd {
    increase: 1.0,
    decrease: 1.0 - KEEPS,
};
/// Windows that there may be, in powers of ten of segments.
const WINDOWS: [f64; 2] = [-15.0, 40.0];

/// Mean window in segments of Linux's Scalable TCP under a loss ratio of `loss`, above 0.
///
/// At even distances it is that of the cycle, counted continuously. By chance it is the larger of two laws: up to 7 % too small where
/// they meet, at 103 segments and a loss ratio of 7.2e-4.
pub fn linux_window(loss: f64, losses: Losses) -> f64 {
    match losses {
        Losses::Random => libm::fmax(LINEAR.random_window(loss), random_window(loss)),
        Losses::Periodic => Cycle::of(loss, LINUX).mean(),
    }
}

/// The same of the paper's. Where a cut leaves 16 segments or fewer it is [`crate::law::window`].
pub fn paper_window(loss: f64, losses: Losses) -> f64 {
    let friendly = FRIENDLY.window(loss);
    match losses {
        Losses::Random => libm::fmax(random_window(loss), friendly),
        Losses::Periodic => {
            let cycle = Cycle::of(loss, PAPER);
            match KEEPS * cycle.top > PAPER {
                true => cycle.mean(),
                false => libm::fmax(SCALABLE / loss, friendly),
            }
        }
    }
}

/// Whether Linux climbs otherwise than the paper after a loss at `window` segments.
pub(crate) fn differs(window: f64) -> bool {
    window * KEEPS < LINUX
}

/// The window that a loss leaves of one of `window` segments, in segments: seven eighths, of the paper's half up to its threshold.
pub(crate) fn left(window: f64, rules: Rules) -> f64 {
    match rules {
        Rules::Document if window <= PAPER => window / 2.0,
        Rules::Document | Rules::Linux => window * KEEPS,
    }
}

/// The window a round trip after it was one of `window` segments: a segment more up to the threshold, and a hundredth above it.
pub(crate) fn grown(window: f64, rules: Rules) -> f64 {
    let threshold = match rules {
        Rules::Document => PAPER,
        Rules::Linux => LINUX,
    };
    match window > threshold {
        true => window * (1.0 + STEP),
        false => window + 1.0,
    }
}

/// Mean window above the threshold where each segment is lost with probability `loss`: 0.01/(p ln(8/7)) = 0.0749/p. With each segment the
/// logarithm of a window w gains 0.01/w, and with each loss it gives up ln(8/7), in the mean as much. Kelly's 0.08/p takes 1/8 for ln(8/7).
fn random_window(loss: f64) -> f64 {
    STEP / (loss * libm::log(1.0 / KEEPS))
}

/// From one loss to the next, a round trip of the repair included, in which nothing grows.
struct Cycle {
    /// The window before a loss, in segments.
    top: f64,
    /// Round trips.
    rounds: f64,
    /// Segments sent.
    segments: f64,
}

impl Cycle {
    /// The one that sends 1/`loss` segments.
    fn of(loss: f64, threshold: f64) -> Cycle {
        let sends = |top| Cycle::to(top, threshold).segments;
        Cycle::to(solve(1.0 / loss, WINDOWS, sends), threshold)
    }

    fn to(top: f64, threshold: f64) -> Cycle {
        let low = KEEPS * top;
        let turns = libm::fmin(libm::fmax(threshold, low), top);
        let rounds = turns - low + libm::log(top / turns) / libm::log(1.0 + STEP);
        let segments = 0.5 * (turns * turns - low * low) + (top - turns) / STEP;
        Cycle {
            top,
            rounds: rounds + 1.0,
            segments: segments + low,
        }
    }

    fn mean(&self) -> f64 {
        self.segments / self.rounds
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From 22.5 to 25.7 segments in 3.2 round trips, and 22.5 in that of the repair. In whole segments windows end at 27 or 28: 100 in
    /// four round trips.
    #[test]
    fn linux_is_additive_below_a_hundred_segments() {
        let cycle = Cycle::of(1e-2, LINUX);
        assert!((cycle.top - 25.716).abs() < 1e-3, "{}", cycle.top);
        assert!((cycle.segments - 100.0).abs() < 1e-9);
        assert!((cycle.rounds - (cycle.top / 8.0 + 1.0)).abs() < 1e-12);
        assert!((linux_window(1e-2, Losses::Periodic) - 23.728).abs() < 1e-2);
        assert!((linux_window(1e-3, Losses::Periodic) - 82.7).abs() < 0.1);
    }

    /// From 91.875 to 100 by segments, and by hundredths to 105: half of 100² − 91.875², 500, and 91.875 segments.
    #[test]
    fn a_cycle_over_the_threshold_grows_in_both_ways() {
        let cycle = Cycle::to(105.0, LINUX);
        assert!((cycle.segments - 1_371.367_187_5).abs() < 1e-9);
        let rounds = 8.125 + libm::log(1.05) / libm::log(1.01) + 1.0;
        assert!((cycle.rounds - rounds).abs() < 1e-12);
    }

    /// Both are one where no cut comes near their thresholds.
    #[test]
    fn large_windows_are_the_same_in_both() {
        for losses in [Losses::Periodic, Losses::Random] {
            let [linux, paper] = [linux_window, paper_window].map(|law| law(1e-4, losses));
            assert!((linux / paper - 1.0).abs() < 1e-9, "{linux} {paper}");
        }
    }
}
