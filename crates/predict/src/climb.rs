//! The window after a cut, round trip by round trip: how every algorithm climbs back.
//!
//! A rounds model: a round trip lasts one RTT, the queue is empty, nothing else is lost. The gain of
//! a round follows from the window and the time at its start.

use crate::cc::{Cc, Rules};
use crate::{bic, highspeed, htcp, recovery, scalable};

/// RTT in seconds to which Hybla equals Reno (Caini and Firrincieli, 2004).
pub const HYBLA_RTT_S: f64 = 0.025;
/// Rounds after which a climb is given up.
const ROUNDS_MAX: u32 = 1_000_000;

/// Hybla's ρ: the RTT over 25 ms, at least 1.
pub fn hybla_rho(rtt_s: f64) -> f64 {
    libm::fmax(rtt_s / HYBLA_RTT_S, 1.0)
}

/// A window cut once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Climb {
    /// The algorithm.
    pub cc: Cc,
    /// The window at the loss, in segments.
    pub top: f64,
    /// Round-trip time in seconds; above 0.
    pub rtt_s: f64,
    /// Segments for each ACK where the algorithm is Reno and counts ACKs, [`bic::ack_ratio`] where it is BIC. Of HighSpeed it counts by
    /// Linux's rules alone.
    pub segments_per_ack: f64,
    /// How H-TCP grows and what it keeps.
    pub htcp: htcp::Growth,
    /// Whose rules Scalable TCP follows in small windows, HighSpeed, which in Linux takes a step for each ACK, and CUBIC at the end of its
    /// curve.
    pub rules: Rules,
}

impl Climb {
    /// The window after the cut; `None` for algorithms that one loss does not cut by a rule: FAST,
    /// whose growth depends on a parameter set for each rate, and BBR.
    ///
    /// Westwood+ falls to the rate it measured times the least RTT: with an empty queue, to where
    /// it was.
    pub fn start(&self) -> Option<f64> {
        Some(match self.cc {
            Cc::Reno | Cc::Hybla | Cc::Vegas => self.top / 2.0,
            Cc::Htcp => self.top * self.htcp.beta,
            Cc::Cubic => self.top * recovery::CUBIC_BETA,
            Cc::HighSpeed => self.top * (1.0 - highspeed::b(self.top)),
            Cc::Scalable => scalable::left(self.top, self.rules),
            Cc::Bic if self.top <= bic::LOW => self.top / 2.0,
            Cc::Bic => self.top * bic::LINUX.beta,
            Cc::Westwood => self.top,
            Cc::Fast | Cc::Bbr | Cc::Bbr3 => return None,
        })
    }

    /// The window a round trip after it was `window`, `round` round trips after the cut.
    pub fn next(&self, window: f64, round: u32) -> f64 {
        self.after(window, f64::from(round) * self.rtt_s)
    }

    /// The window a round trip after it was `window`, `since` seconds after the cut.
    fn after(&self, window: f64, since: f64) -> f64 {
        match self.cc {
            Cc::Cubic => libm::fmax(window, self.cubic(since + self.rtt_s)),
            Cc::HighSpeed => window + highspeed::a(window) / self.segments_per_step(),
            Cc::Scalable => scalable::grown(window, self.rules),
            Cc::Htcp => window + self.htcp.alpha(since),
            Cc::Bic => self.bic(window),
            Cc::Hybla => window + hybla_rho(self.rtt_s) * hybla_rho(self.rtt_s),
            Cc::Vegas | Cc::Westwood => window + 1.0,
            Cc::Reno | Cc::Fast | Cc::Bbr | Cc::Bbr3 => window + 1.0 / self.segments_per_ack,
        }
    }

    /// Segments for which HighSpeed takes a step: one, and in Linux those of an ACK (`hstcp_cong_avoid`).
    fn segments_per_step(&self) -> f64 {
        match self.rules {
            Rules::Document => 1.0,
            Rules::Linux => self.segments_per_ack,
        }
    }

    /// BIC's window a round trip after it was `window`: it grows as in so many round trips as it takes segments for one ACK, and as
    /// Reno in small windows.
    fn bic(&self, window: f64) -> f64 {
        let (mut grown, mut left) = (window, self.segments_per_ack);
        while left > 0.0 {
            let gain = match grown > bic::LOW {
                true => bic::LINUX.increase(grown, self.top),
                false => 1.0 / self.segments_per_ack,
            };
            grown += gain * libm::fmin(left, 1.0);
            left -= 1.0;
        }
        grown
    }

    /// CUBIC's window `since` seconds after the cut, its own or the Reno-friendly one. Linux's counts whole segments, and is at the old
    /// window when its curve is less than one below.
    fn cubic(&self, since: f64) -> f64 {
        let off = since - recovery::cubic_k_s(self.top);
        let gap = recovery::CUBIC_C * off * off * off;
        let own = match self.rules == Rules::Linux && gap > -1.0 {
            true => self.top + libm::fmax(gap, 0.0),
            false => self.top + gap,
        };
        let friendly = recovery::CUBIC_ALPHA * since / self.rtt_s;
        libm::fmax(own, self.top * recovery::CUBIC_BETA + friendly)
    }

    /// Whole round trips back to the old window; `None` where [`Climb::start`] is, or beyond a
    /// million.
    ///
    /// CUBIC's follow from its time: near the old window (t − K)³ is lost in the rounding of a large
    /// window, which would be there before K.
    pub fn rounds(&self) -> Option<u32> {
        let mut window = self.start()?;
        if self.cc == Cc::Cubic {
            let rounds = libm::ceil(self.recovery_s()? / self.rtt_s);
            return (rounds < f64::from(ROUNDS_MAX)).then_some(rounds as u32);
        }
        (0..ROUNDS_MAX).find(|round| {
            let there = window >= self.top;
            window = self.next(window, *round);
            there
        })
    }

    /// Mean window of the rounds back to the old window, as a share of it; `None` as for
    /// [`Climb::rounds`], 1 where nothing was cut.
    pub fn mean_share(&self) -> Option<f64> {
        let rounds = self.rounds()?;
        if rounds == 0 {
            return Some(1.0);
        }
        let mut window = self.start()?;
        let mut sum = 0.0;
        for round in 0..rounds {
            let next = libm::fmin(self.next(window, round), self.top);
            sum += (window + next) / 2.0;
            window = next;
        }
        Some(sum / f64::from(rounds) / self.top)
    }

    /// Seconds back to the old window: in whole round trips, but for Reno and CUBIC, whose times
    /// are written down.
    pub fn recovery_s(&self) -> Option<f64> {
        match self.cc {
            Cc::Reno => Some(self.top / 2.0 * self.segments_per_ack * self.rtt_s),
            Cc::Cubic => {
                let friendly = (1.0 - recovery::CUBIC_BETA) / recovery::CUBIC_ALPHA;
                let friendly = friendly * self.top * self.rtt_s;
                Some(libm::fmin(recovery::cubic_k_s(self.top), friendly))
            }
            Cc::Vegas => Some(self.top / 2.0 * self.rtt_s),
            Cc::Hybla => {
                let gain = hybla_rho(self.rtt_s) * hybla_rho(self.rtt_s);
                Some(self.top / 2.0 / gain * self.rtt_s)
            }
            _ => self.rounds().map(|n| f64::from(n) * self.rtt_s),
        }
    }

    /// The same where the path holds `pipe` segments and what is beyond them waits in its queue: a round trip lasts as long
    /// as the line needs for its window.
    pub fn recovery_over(&self, pipe: f64) -> Option<f64> {
        let stretched = libm::fmax(self.top / pipe, 1.0);
        if stretched <= 1.0 {
            return self.recovery_s();
        }
        match self.cc {
            Cc::Reno => Some(self.linear_s(pipe, 1.0 / self.segments_per_ack)),
            Cc::Vegas => Some(self.linear_s(pipe, 1.0)),
            // Its ρ is of the smallest round trip.
            Cc::Hybla => {
                let rho = hybla_rho(self.rtt_s);
                Some(self.linear_s(pipe, rho * rho))
            }
            Cc::Cubic => {
                let friendly = self.linear_s(pipe, recovery::CUBIC_ALPHA);
                Some(libm::fmin(recovery::cubic_k_s(self.top), friendly))
            }
            _ => {
                let (mut window, mut since) = (self.start()?, 0.0);
                for _ in 0..ROUNDS_MAX {
                    if window >= self.top {
                        return Some(since);
                    }
                    let next = self.after(window, since);
                    since += self.rtt_s * libm::fmax(window / pipe, 1.0);
                    window = next;
                }
                None
            }
        }
    }

    /// The same of CUBIC after a loss below its last window, for which it makes room. Its curve is flat at (1 + β)/2 of the window
    /// and lasts ∛4 times as long (RFC 9438 §4.7). `None` for all others.
    pub fn converging_over(&self, pipe: f64) -> Option<f64> {
        let own = libm::cbrt(4.0) * recovery::cubic_k_s(self.top);
        let friendly = self.linear_s(pipe, recovery::CUBIC_ALPHA);
        (self.cc == Cc::Cubic).then_some(libm::fmin(own, friendly))
    }

    /// The same of CUBIC as Linux has it, which aims at whole segments: at the old window once its curve is less than one below, ∛(1/C)
    /// before it ends (`bictcp_update` in `tcp_cubic.c`). `None` for all others, and where the Reno-friendly region governs.
    pub fn whole_over(&self, pipe: f64) -> Option<f64> {
        let own = recovery::cubic_k_s(self.top) - libm::cbrt(1.0 / recovery::CUBIC_C);
        let sooner = own > 0.0 && own < self.recovery_over(pipe)?;
        (self.cc == Cc::Cubic && sooner).then_some(own)
    }

    /// The same of HighSpeed as Linux has it, whose table ends at 89 053 segments: from its last row but one on, 84 035, a round trip
    /// gains 72, with an ACK for each segment, and a loss takes 24/256 (`tcp_highspeed.c`). `None` for all others, and where the cut window is in the table.
    pub fn tabled_over(&self, pipe: f64) -> Option<f64> {
        let start = self.top * (1.0 - highspeed::LINUX_DECREASE);
        let beyond = self.cc == Cc::HighSpeed && start > highspeed::LINUX_LAST;
        let gain = highspeed::LINUX_INCREASE / self.segments_per_step();
        beyond.then(|| self.between_s(start, pipe, gain))
    }

    /// Seconds from the cut to a window of `wanted` segments, below the old one or above, round trips of an empty queue; 0 where the cut
    /// leaves as much. `None` where [`Climb::start`] is, for BIC above the old window, where its search begins anew, and beyond a million
    /// round trips.
    pub fn reach_s(&self, wanted: f64) -> Option<f64> {
        let start = self.start()?;
        if start >= wanted {
            return Some(0.0);
        }
        match self.cc {
            Cc::Cubic => {
                let own = libm::cbrt((wanted - self.top) / recovery::CUBIC_C);
                let friendly = (wanted - start) / recovery::CUBIC_ALPHA * self.rtt_s;
                Some(libm::fmin(recovery::cubic_k_s(self.top) + own, friendly))
            }
            Cc::Bic if wanted > self.top => None,
            _ => {
                let mut window = start;
                let rounds = (0..ROUNDS_MAX).find(|round| {
                    let there = window >= wanted;
                    window = self.next(window, *round);
                    there
                });
                rounds.map(|rounds| f64::from(rounds) * self.rtt_s)
            }
        }
    }

    /// Seconds from the cut to the old window by `gain` segments a round trip, of which those above `pipe` last longer:
    /// the mean of w/pipe over them, (pipe + top)/2 pipe.
    fn linear_s(&self, pipe: f64, gain: f64) -> f64 {
        self.between_s(self.start().unwrap_or(self.top), pipe, gain)
    }

    /// The same from a window of `start` segments.
    fn between_s(&self, start: f64, pipe: f64, gain: f64) -> f64 {
        let turn = libm::fmax(libm::fmin(pipe, self.top), start);
        let queued = (self.top - turn) * (self.top + turn) / (2.0 * pipe);
        let empty = turn - start;
        (empty + queued) / gain * self.rtt_s
    }
}
