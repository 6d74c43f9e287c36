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
    const D: f64 = 1.0 - crate::recovery::CUBIC_BETA;
    let top = 1.0 + buffer;
    if top * (1.0 - D) >= 1.0 {
        return 1.0;
    }
    // What is left of the epoch, as a share of K, when the window meets the pipe.
    let left = libm::cbrt(buffer / (top * D));
    let climb = 1.0 - left;
    top * (climb - D * (1.0 - left * left * left * left) / 4.0) + left
}
