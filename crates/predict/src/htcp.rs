//! H-TCP under periodic losses: its growth depends on the time since the last loss, so its law is
//! solved, not written down (Leith and Shorten, PFLDnet 2004).
//!
//! f(Δ) = 1 for Δ ≤ 1 s, then 1 + 10(Δ − 1) + ((Δ − 1)/2)²; α = 2(1 − β)·f segments each round
//! trip. β is what remains of the window after a loss: RTT_min/RTT_max, from ½ to 4/5, and ½ where the
//! rate has just changed by a fifth. Linux multiplies f by RTT/100 ms, 0.1 to 2, but never below 1 (`net/ipv4/tcp_htcp.c`).

use crate::solve::solve;

/// Times between losses that there may be, in powers of ten of seconds.
const EPOCHS: [f64; 2] = [-15.0, 15.0];

/// The least β, which the laws have where none is named.
pub const BETA: f64 = 0.5;
/// The greatest β: where the queue stays empty.
pub const BETA_MOST: f64 = 0.8;

/// Seconds after a loss for which growth is Reno's.
const LOW: f64 = 1.0;

/// Linux multiplies f by the round trip over this, in seconds, within the bounds after it; it is 1 at least.
const SCALE_RTT_S: f64 = 0.1;
const SCALES: (f64, f64) = (0.1, 2.0);

/// What one H-TCP differs in from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// What it keeps of its window after a loss: [`BETA`] to [`BETA_MOST`].
    pub beta: f64,
    /// What f is multiplied by.
    pub scale: f64,
}

impl Growth {
    /// The paper's, with the least β.
    pub const PAPER: Growth = Growth {
        beta: BETA,
        scale: 1.0,
    };

    /// The paper's with this β.
    pub const fn keeping(beta: f64) -> Growth {
        Growth { beta, scale: 1.0 }
    }

    /// Linux's over a path of `rtt_s`, with the least β.
    pub fn linux(rtt_s: f64) -> Growth {
        Growth {
            beta: BETA,
            scale: (rtt_s / SCALE_RTT_S).clamp(SCALES.0, SCALES.1),
        }
    }

    /// Segments gained each round trip, `since` seconds after the last loss.
    pub fn alpha(&self, since: f64) -> f64 {
        2.0 * (1.0 - self.beta) * libm::fmax(self.scale * pace(since), 1.0)
    }

    /// When a small scale no longer holds f at 1.
    fn held_s(&self) -> f64 {
        // 1 + 10 y + y²/4 = 1/scale.
        let wanted = 1.0 / self.scale - 1.0;
        match wanted > 0.0 {
            true => LOW + 2.0 * (libm::sqrt(100.0 + wanted) - 10.0),
            false => 0.0,
        }
    }

    /// ∫f from 0 to `t`.
    fn grown(&self, t: f64) -> f64 {
        let held = libm::fmin(self.held_s(), t);
        held + self.scale * (grown(t) - grown(held))
    }

    /// ∬f from 0 to `t`.
    fn area(&self, t: f64) -> f64 {
        let held = libm::fmin(self.held_s(), t);
        let after = area(t) - area(held) - grown(held) * (t - held);
        held * held / 2.0 + held * (t - held) + self.scale * after
    }

    /// Window at the end of an epoch of `t` seconds: what was cut has been regained.
    fn top(&self, t: f64, rtt_s: f64) -> f64 {
        2.0 * self.grown(t) / rtt_s
    }

    /// Mean window of an epoch of `t` seconds.
    fn mean(&self, t: f64, rtt_s: f64) -> f64 {
        self.beta * self.top(t, rtt_s) + 2.0 * (1.0 - self.beta) * self.area(t) / (rtt_s * t)
    }

    /// Mean window in segments under periodic losses of ratio `loss`.
    pub fn window(&self, loss: f64, rtt_s: f64) -> f64 {
        let t = solve(1.0 / loss, EPOCHS, |t| self.mean(t, rtt_s) * t / rtt_s);
        self.mean(t, rtt_s)
    }

    /// The loss ratio at which the mean window is `window` segments.
    pub fn loss_for(&self, window: f64, rtt_s: f64) -> f64 {
        let t = solve(window, EPOCHS, |t| self.mean(t, rtt_s));
        rtt_s / (self.mean(t, rtt_s) * t)
    }

    /// Seconds from the cut back to a window of `window` segments, whatever β: growth is the faster the more was cut.
    pub fn recovery_s(&self, window: f64, rtt_s: f64) -> f64 {
        solve(window, EPOCHS, |t| self.top(t, rtt_s))
    }
}

/// f.
fn pace(since: f64) -> f64 {
    let late = libm::fmax(since - LOW, 0.0);
    1.0 + 10.0 * late + 0.25 * late * late
}

/// ∫f from 0 to `t`, not scaled.
fn grown(t: f64) -> f64 {
    let y = libm::fmax(t - LOW, 0.0);
    t + 5.0 * y * y + y * y * y / 12.0
}

/// ∬f from 0 to `t`, not scaled.
fn area(t: f64) -> f64 {
    let y = libm::fmax(t - LOW, 0.0);
    t * t / 2.0 + 5.0 * y * y * y / 3.0 + y * y * y * y / 48.0
}
