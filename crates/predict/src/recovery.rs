//! After one loss: how long a sender takes to regain its window, and what losses allow.

use farpath_units::{Duration, Rate, Ratio, Size};

use crate::cc::Rules;
use crate::window::seconds;

/// CUBIC's scale C in segments per second cubed (RFC 9438 §5.1).
pub const CUBIC_C: f64 = 0.4;

/// CUBIC's multiplicative decrease (RFC 9438 §4.6).
pub const CUBIC_BETA: f64 = 0.7;

/// CUBIC's growth in its Reno-friendly region, segments per RTT: 3(1 − β)/(1 + β) (RFC 9438 §4.3).
pub const CUBIC_ALPHA: f64 = 3.0 * (1.0 - CUBIC_BETA) / (1.0 + CUBIC_BETA);

/// CUBIC in its Reno-friendly region (RFC 9438 §4.3).
pub const CUBIC_FRIENDLY: crate::aimd::Aimd = crate::aimd::Aimd {
    increase: CUBIC_ALPHA,
    decrease: 1.0 - CUBIC_BETA,
};

/// Segments in flight that fill a pipe of `rate` when each takes `segment` bytes of it.
///
/// With the MSS for `segment`, the pipe as documents count it; with the bytes a frame takes on the
/// wire, the pipe as packets fill it.
pub fn pipe_segments(rate: Rate, rtt: Duration, segment: Size) -> f64 {
    crate::window::bdp_bytes(rate, rtt) / segment.as_bytes() as f64
}

/// Seconds Reno needs to regain a window of C·RTT/(8·MSS) segments after one loss:
/// C·RTT²/(16·MSS), MSS in bytes, times the segments for each ACK.
///
/// W/2 round trips of one segment each (RFC 5681 §3.1), with an empty queue.
pub fn reno_s(rate: Rate, rtt: Duration, mss: Size, segments_per_ack: f64) -> f64 {
    pipe_segments(rate, rtt, mss) / 2.0 * seconds(rtt) * segments_per_ack
}

/// Reno's mean window between two losses over its greatest, with an empty queue: (1 + ½)/2.
pub const RENO_MEAN: f64 = 0.75;

/// CUBIC's K in seconds: the time from the cut to the old window of `w_max` segments,
/// ∛(W_max(1 − β)/C) (RFC 9438 §4.2, with cwnd_epoch = β·W_max).
pub fn cubic_k_s(w_max: f64) -> f64 {
    libm::cbrt(w_max * (1.0 - CUBIC_BETA) / CUBIC_C)
}

/// Seconds CUBIC takes to 95 % of the old window: K·(1 − ∛(0.05/(1 − β))).
pub fn cubic_to_95pct_s(w_max: f64) -> f64 {
    cubic_k_s(w_max) * (1.0 - libm::cbrt(0.05 / (1.0 - CUBIC_BETA)))
}

/// CUBIC's mean window over one concave cycle, as a share of `W_max`: 1 − (1 − β)/4.
pub const CUBIC_MEAN: f64 = 1.0 - (1.0 - CUBIC_BETA) / 4.0;

/// Seconds CUBIC takes to the old window: K, or less where the Reno-friendly estimate, which gains
/// 3(1 − β)/(1 + β) segments each RTT, is faster (RFC 9438 §4.3).
pub fn cubic_s(w_max: f64, rtt: Duration) -> f64 {
    let friendly = w_max * (1.0 - CUBIC_BETA) / CUBIC_ALPHA * seconds(rtt);
    libm::fmin(cubic_k_s(w_max), friendly)
}

/// How losses fall, for the constant of Mathis's formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Losses {
    /// Exactly every 1/p-th segment.
    Periodic,
    /// Each segment with probability p.
    Random,
}

/// Mathis's constant C in W = C/√p (Mathis, Semke, Mahdavi, Ott, CCR 27(3), 1997).
///
/// Periodic: √(3/(2b)) with b segments for each ACK. Random: 1.31 for one and 0.93 for two, the
/// paper's values; scaled by 1/√b elsewhere.
pub fn mathis_constant(losses: Losses, segments_per_ack: f64) -> f64 {
    match losses {
        Losses::Periodic => libm::sqrt(1.5 / segments_per_ack),
        Losses::Random if segments_per_ack == 2.0 => 0.93,
        Losses::Random => 1.31 / libm::sqrt(segments_per_ack),
    }
}

/// The rate in bit/s that W = C/√p gives: 8·MSS·C/(RTT·√p). Infinite for a loss ratio of 0.
pub fn mathis_bps(mss: Size, rtt: Duration, loss: Ratio, constant: f64) -> f64 {
    segments_bps(constant / libm::sqrt(loss.get()), mss, rtt)
}

/// The rate in bit/s of `window` segments each RTT.
pub fn segments_bps(window: f64, mss: Size, rtt: Duration) -> f64 {
    window * mss.as_bytes() as f64 * 8.0 / seconds(rtt)
}

/// Reno's response function as RFC 3649 §5 and RFC 9438 §5.1 print it: 1.2/√p segments.
pub fn reno_window(loss: f64) -> f64 {
    1.2 / libm::sqrt(loss)
}

/// HighSpeed TCP's response function (RFC 3649 §5): 0.12/p^0.835 segments, and Reno's above
/// p = 10⁻³.
pub fn highspeed_window(loss: f64) -> f64 {
    if loss > 1e-3 {
        reno_window(loss)
    } else {
        0.12 / libm::pow(loss, 0.835)
    }
}

/// CUBIC's mean window in its own region (RFC 9438 §5):
/// (C(3 + β)/(4(1 − β)))^¼ · (RTT/p)^¾ segments, for the scale `c`.
pub fn cubic_own_window(loss: f64, rtt_s: f64, c: f64) -> f64 {
    cubic_scale(c) * libm::pow(rtt_s / loss, 0.75)
}

/// CUBIC's mean window: its own or the Reno-friendly one, whichever is larger (RFC 9438 §5.1).
/// The friendly region is AIMD's √(3/2)/√p, which documents round to 1.2/√p.
pub fn cubic_window(loss: f64, rtt_s: f64) -> f64 {
    libm::fmax(
        cubic_own_window(loss, rtt_s, CUBIC_C),
        cubic_friendly_window(loss),
    )
}

/// CUBIC's mean window in its Reno-friendly region (RFC 9438 §4.3, §5.1).
pub(crate) fn cubic_friendly_window(loss: f64) -> f64 {
    mathis_constant(Losses::Periodic, 1.0) / libm::sqrt(loss)
}

/// Mean window of CUBIC's Reno-friendly region under random losses, times √p, where growth is raised to a segment each round trip
/// once the window of the last cut is reached (RFC 9438 §4.3): followed from loss to loss. Without that it is 1.27.
const CUBIC_RAISED: f64 = 1.412;

/// CUBIC's mean window under random losses of ratio `loss`, above 0, on a path of `rtt_s` seconds: its own, which is one of periodic
/// losses, or the Reno-friendly one, whichever is larger. Linux does not raise the growth.
pub fn cubic_random_window(loss: f64, rtt_s: f64, rules: Rules) -> f64 {
    let own = cubic_own_window(loss, rtt_s, CUBIC_C);
    libm::fmax(own, cubic_random_friendly(loss, rules))
}

/// The same of its Reno-friendly region alone.
pub(crate) fn cubic_random_friendly(loss: f64, rules: Rules) -> f64 {
    match rules {
        Rules::Document => CUBIC_RAISED / libm::sqrt(loss),
        Rules::Linux => CUBIC_FRIENDLY.random_window(loss),
    }
}

/// The loss ratio at which Reno's mean window is `window` segments: 1.5/(b·W²)
/// (RFC 3649 §3, table 1, for b = 1).
pub fn reno_loss_for(window: f64, segments_per_ack: f64) -> f64 {
    1.5 / (segments_per_ack * window * window)
}

/// The loss ratio at which CUBIC's mean window is `window` segments: the inverse of
/// [`cubic_window`].
pub fn cubic_loss_for(window: f64, rtt_s: f64) -> f64 {
    libm::fmax(
        cubic_own_loss_for(window, rtt_s),
        reno_loss_for(window, 1.0),
    )
}

/// The same of its own region alone: the inverse of [`cubic_own_window`].
pub(crate) fn cubic_own_loss_for(window: f64, rtt_s: f64) -> f64 {
    rtt_s * libm::pow(cubic_scale(CUBIC_C) / window, 4.0 / 3.0)
}

fn cubic_scale(c: f64) -> f64 {
    libm::pow(c * (3.0 + CUBIC_BETA) / (4.0 * (1.0 - CUBIC_BETA)), 0.25)
}

#[cfg(test)]
mod tests {
    use farpath_units::Key;

    use super::*;
    use crate::quantiles::{CONNECTIONS, quantiles};

    /// Mean window times √p of connections that are followed from loss to loss, growth raised to `beyond` at the old window.
    fn followed(beyond: f64) -> f64 {
        const LOSS: f64 = 1e-4;
        let luck = Key::new(0).with("friendly").stream();
        let mut windows = [100.0; CONNECTIONS];
        let (mut sent, mut took) = (0.0, 0.0);
        for event in 0..400 {
            for (connection, u) in quantiles(luck, event).enumerate() {
                let (old, apart) = (windows[connection], -libm::log(u) / LOSS);
                let left = CUBIC_BETA * old;
                let to_old = (old * old - left * left) / (2.0 * CUBIC_ALPHA);
                let grown = |from: f64, by: f64, segments: f64| {
                    let top = libm::sqrt(from * from + 2.0 * by * segments);
                    (top, (top - from) / by)
                };
                let (top, rounds) = if apart <= to_old {
                    grown(left, CUBIC_ALPHA, apart)
                } else {
                    let (top, more) = grown(old, beyond, apart - to_old);
                    (top, (old - left) / CUBIC_ALPHA + more)
                };
                windows[connection] = top;
                if event >= 50 {
                    sent += apart;
                    took += rounds;
                }
            }
        }
        sent / took * libm::sqrt(LOSS)
    }

    /// Both are Reno's or more of periodic losses; of random ones the raise is worth a tenth, and Reno's 1.31 lies between.
    #[test]
    fn cubics_friendly_region_under_random_losses_is_that_of_connections_followed() {
        for (rules, beyond) in [(Rules::Document, 1.0), (Rules::Linux, CUBIC_ALPHA)] {
            let followed = followed(beyond);
            let by_law = cubic_random_friendly(1e-4, rules) * 1e-2;
            assert!(
                (followed / by_law - 1.0).abs() < 0.02,
                "{followed} {by_law}"
            );
        }
        let [raised, linux] =
            [Rules::Document, Rules::Linux].map(|r| cubic_random_friendly(1e-3, r));
        let reno = mathis_constant(Losses::Random, 1.0) / libm::sqrt(1e-3);
        assert!(linux < reno && reno < raised, "{linux} {reno} {raised}");
        assert!(cubic_friendly_window(1e-3) < linux);
    }
}
