//! H-TCP under periodic losses: its growth depends on the time since the last loss, so its law is
//! solved, not written down (Leith and Shorten, PFLDnet 2004).
//!
//! f(Δ) = 1 for Δ ≤ 1 s, then 1 + 10(Δ − 1) + ((Δ − 1)/2)²; α = 2(1 − β)·f segments each round
//! trip. β is what remains of the window after a loss: RTT_min/RTT_max, from ½ to 4/5, and ½ where the
//! rate has just changed by a fifth. The scaling by RTT that Linux adds is left out.

/// The least β, which the laws have where none is named.
pub const BETA: f64 = 0.5;
/// The greatest β: where the queue stays empty.
pub const BETA_MOST: f64 = 0.8;

/// Seconds after a loss for which growth is Reno's.
const LOW: f64 = 1.0;

/// Segments gained each round trip, `since` seconds after the last loss.
pub fn alpha(since: f64, beta: f64) -> f64 {
    let late = libm::fmax(since - LOW, 0.0);
    2.0 * (1.0 - beta) * (1.0 + 10.0 * late + 0.25 * late * late)
}

/// ∫f from 0 to `t`.
fn grown(t: f64) -> f64 {
    let y = libm::fmax(t - LOW, 0.0);
    t + 5.0 * y * y + y * y * y / 12.0
}

/// ∬f from 0 to `t`.
fn area(t: f64) -> f64 {
    let y = libm::fmax(t - LOW, 0.0);
    t * t / 2.0 + 5.0 * y * y * y / 3.0 + y * y * y * y / 48.0
}

/// Window at the end of an epoch of `t` seconds: what was cut has been regained.
fn top(t: f64, rtt_s: f64) -> f64 {
    2.0 * grown(t) / rtt_s
}

/// Mean window of an epoch of `t` seconds.
fn mean(t: f64, rtt_s: f64, beta: f64) -> f64 {
    beta * top(t, rtt_s) + 2.0 * (1.0 - beta) * area(t) / (rtt_s * t)
}

/// Seconds of the epoch at which `quantity`, which grows with it, is `wanted`.
fn solve(wanted: f64, quantity: impl Fn(f64) -> f64) -> f64 {
    // Epochs of 10^-15 s to 10^15 s: halved 200 times, to the last bit of a double.
    let (mut low, mut high) = (-15.0_f64, 15.0_f64);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if quantity(libm::exp10(middle)) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    libm::exp10(0.5 * (low + high))
}

/// Mean window in segments under periodic losses of ratio `loss`.
pub fn window(loss: f64, rtt_s: f64, beta: f64) -> f64 {
    let t = solve(1.0 / loss, |t| mean(t, rtt_s, beta) * t / rtt_s);
    mean(t, rtt_s, beta)
}

/// The loss ratio at which the mean window is `window` segments.
pub fn loss_for(window: f64, rtt_s: f64, beta: f64) -> f64 {
    let t = solve(window, |t| mean(t, rtt_s, beta));
    rtt_s / (mean(t, rtt_s, beta) * t)
}

/// Seconds from the cut back to a window of `window` segments, whatever β: growth is the faster the more was cut.
pub fn recovery_s(window: f64, rtt_s: f64) -> f64 {
    solve(window, |t| top(t, rtt_s))
}
