//! Additive increase, multiplicative decrease: `a` segments each round trip, a share `d` of the
//! window given up at a loss.

/// The two numbers of AIMD. Reno is (1, ½).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aimd {
    /// Segments gained each round trip; above 0.
    pub increase: f64,
    /// Share of the window given up at a loss; between 0 and 1, both excluded.
    pub decrease: f64,
}

impl Aimd {
    /// Reno when the receiver acknowledges every `segments_per_ack`-th segment and growth counts
    /// ACKs (RFC 5681 §3.1); 1 for a sender that counts bytes (RFC 3465 §2.1).
    pub fn reno(segments_per_ack: f64) -> Aimd {
        Aimd {
            increase: 1.0 / segments_per_ack,
            decrease: 0.5,
        }
    }

    /// Mean window in segments under periodic losses of ratio `loss`: √(a(2 − d)/(2dp))
    /// (RFC 3649 §5 gives it inverted; Floyd, Handley and Padhye, 2000).
    pub fn window(self, loss: f64) -> f64 {
        libm::sqrt(self.increase * (2.0 - self.decrease) / (2.0 * self.decrease * loss))
    }

    /// Mean window in segments where each segment is lost with probability `loss`, above 0: √(2a/(πp)) times the product over k from 1 of
    /// (1 − δ²ᵏ)/(1 − δ²ᵏ⁻¹), δ = 1 − d (Dumas, Guillemin and Robert, Adv. Appl. Prob. 34(1), 2002). For Reno that is 1.31/√p.
    pub fn random_window(self, loss: f64) -> f64 {
        let keeps = 1.0 - self.decrease;
        let (mut odd, mut product) = (keeps, 1.0);
        while odd > f64::EPSILON {
            product *= (1.0 - odd * keeps) / (1.0 - odd);
            odd *= keeps * keeps;
        }
        product * libm::sqrt(2.0 * self.increase / (std::f64::consts::PI * loss))
    }

    /// The loss ratio at which the mean window is `window` segments: the inverse of
    /// [`Aimd::window`].
    pub fn loss_for(self, window: f64) -> f64 {
        self.increase * (2.0 - self.decrease) / (2.0 * self.decrease * window * window)
    }

    /// Round trips from the cut back to the old window of `window` segments: dW/a.
    pub fn recovery_rounds(self, window: f64) -> f64 {
        self.decrease * window / self.increase
    }

    /// Share of a link kept busy by one connection that loses one segment each time its buffer of
    /// `buffer` bandwidth-delay products is full; `buffer` at least 0.
    ///
    /// In units of the pipe the window climbs from w₀ = (1 − d)(1 + x) to 1 + x, linearly in round
    /// trips, whose length grows with the queue: U = ((1 − w₀²) + Q)/(2(1 − w₀) + Q) with
    /// Q = (1 + x)² − 1, and 1 once w₀ ≥ 1. (1 − d/2) without a buffer: ¾ for Reno.
    pub fn utilisation(self, buffer: f64) -> f64 {
        let low = (1.0 - self.decrease) * (1.0 + buffer);
        if low >= 1.0 {
            return 1.0;
        }
        let queued = (1.0 + buffer) * (1.0 + buffer) - 1.0;
        (1.0 - low * low + queued) / (2.0 * (1.0 - low) + queued)
    }

    /// Bandwidth-delay products of buffer that keep the link busy always: d/(1 − d), 1 for Reno.
    pub fn full_buffer(self) -> f64 {
        self.decrease / (1.0 - self.decrease)
    }
}

/// Share of a link one CUBIC connection keeps busy with `buffer` bandwidth-delay products of
/// buffer, one loss each time it is full: the mean over an epoch of the smaller of
/// W(t) = C(t − K)³ + W_max (RFC 9438 §4.2) and the pipe.
///
/// Holds where CUBIC's own region governs, on long fast paths; 1 − (1 − β)/4 = 92.5 % without a
/// buffer, 1 from (1 − β)/β = 3/7 of one on.
pub fn cubic_utilisation(buffer: f64) -> f64 {
    let (filled, lasts) = cubic_epoch(buffer, 1.0);
    filled / lasts
}

/// The same with fast convergence (RFC 9438 §4.7), as a connection alone on its path has it: in turns.
///
/// An epoch that ends where its cubic is flat, at the old maximum, meets the loss just below it, so that the next one aims at
/// (1 + β)/2 of it; that one runs away beyond what it aimed at, meets the loss above the maximum that it remembers, and is
/// followed by an epoch of the first kind. It is ∛4 times as long, and flat at 85 % of the window: 87.9 % without a buffer.
pub fn cubic_converging_utilisation(buffer: f64) -> f64 {
    const CONVERGED: f64 = 0.5 * (1.0 + crate::recovery::CUBIC_BETA);
    let (high, low) = (cubic_epoch(buffer, 1.0), cubic_epoch(buffer, CONVERGED));
    (high.0 + low.0) / (high.1 + low.1)
}

/// An epoch of a cubic that is flat at the share `plateau` of the window at which a buffer of `buffer` pipes is full: the time
/// that the link is busy, and all of it, in units of ∛(W/C).
fn cubic_epoch(buffer: f64, plateau: f64) -> (f64, f64) {
    const BETA: f64 = crate::recovery::CUBIC_BETA;
    let top = 1.0 + buffer;
    let k = libm::cbrt(plateau - BETA);
    let lasts = k + libm::cbrt(1.0 - plateau);
    if top * BETA >= 1.0 {
        return (lasts, lasts);
    }
    // When the window meets the pipe; then the link is busy.
    let meets = k + libm::cbrt(1.0 / top - plateau);
    let left = meets - k;
    let climb = (left * left * left * left - k * k * k * k) / 4.0 + plateau * meets;
    (top * climb + lasts - meets, lasts)
}
