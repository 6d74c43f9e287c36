//! How long a connection takes to come about where packets are lost.

/// Seconds until a SYN is sent again for the first time (RFC 6298 §2.1).
const FIRST_TIMEOUT_S: f64 = 1.0;

/// SYNs sent again with a timeout that doubles before the opener gives up (`tcp_syn_retries` of Linux).
pub const RETRIES: i32 = 6;

/// SYNs sent again before those, each after the first timeout (`tcp_syn_linear_timeouts` of Linux from 6.5 on). Older kernels, and
/// RFC 6298 §5.5, have none.
pub const LINEAR: i32 = 4;

/// The chance that a SYN has no answer, where it and the SYN-ACK are each lost with probability `loss`, 0 to 1.
pub fn unanswered(loss: f64) -> f64 {
    loss * (2.0 - loss)
}

/// The chance that none of the SYNs has an answer, with the same `loss`: the opener gives up. `linear` are sent again before the
/// timeout doubles: [`LINEAR`], or 0.
pub fn given_up(loss: f64, linear: i32) -> f64 {
    libm::pow(unanswered(loss), f64::from(linear + RETRIES + 1))
}

/// Mean seconds from the first SYN to an answer, of connections that come about. The k-th SYN sent again leaves k seconds after the
/// first for k up to `linear`, and behind it `linear` + 2^(k − `linear`) − 1. `rtt_s` is the round trip in seconds, `loss` that of
/// SYN and SYN-ACK each, 0 to 1.
pub fn seconds(rtt_s: f64, loss: f64, linear: i32) -> f64 {
    let (mut waited, mut all, mut chance) = (0.0, 1.0, 1.0);
    for k in 1..=linear + RETRIES {
        chance *= unanswered(loss);
        all += chance;
        let doubled = libm::ldexp(1.0, (k - linear).max(0)) - 1.0;
        waited += chance * (f64::from(k.min(linear)) + doubled);
    }
    rtt_s + FIRST_TIMEOUT_S * waited / all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 % each way: q = 1 − 0.99² = 0.0199. q + 3q² + 7q³ + 15q⁴ + … = 0.0211457, over 1 + q + q² + … = 1.0203041.
    #[test]
    fn one_per_cent_each_way_costs_21_ms_where_each_timeout_doubles() {
        assert!((unanswered(0.01) - 0.0199).abs() < 1e-15);
        assert!((seconds(0.1, 0.01, 0) - 0.120_724_849).abs() < 1e-9);
        // 0.0199⁷.
        assert!((given_up(0.01, 0) / 1.235_866e-12 - 1.0).abs() < 1e-6);
    }

    /// At q = 0.51 the SYNs sent again leave after 1, 2, 3, 4, 5, 7, 11, 19, 35 and 67 s: q + 2q² + 3q³ + … = 2.3415761, over
    /// 2.0395773. None of eleven is answered: 0.51¹¹.
    #[test]
    fn four_syns_a_second_apart_come_before_the_timeout_doubles() {
        assert!((seconds(0.0, 0.3, LINEAR) - 1.148_069_33).abs() < 1e-8);
        assert!((given_up(0.3, LINEAR) / 6.071_163_6e-4 - 1.0).abs() < 1e-6);
        assert!((seconds(0.0, 0.01, LINEAR) - 0.020_304_05).abs() < 1e-8);
    }

    /// Without an end of retries it is T (1 − q)/(1 − 2q) − T more than a round trip: q/(1 − 2q) = 0.30645 s at 10 %.
    #[test]
    fn six_retries_are_nearly_endless_ones() {
        let (q, more) = (unanswered(0.1), seconds(0.0, 0.1, 0));
        let endless = q / (1.0 - 2.0 * q);
        assert!(more < endless && endless - more < 0.005 * endless, "{more}");
        assert_eq!(seconds(0.25, 0.0, LINEAR), 0.25);
    }
}
