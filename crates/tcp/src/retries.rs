//! How often a sender tries before it gives its connection up (RFC 9293 §3.8.3).

use farpath_units::Duration;

/// The smallest timeout that Linux counts retransmissions by (`TCP_RTO_MIN`).
const LEAST_TIMEOUT: Duration = Duration::from_ms(200);

/// How often a sender tries before it gives up. The defaults are Linux 6.18's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retries {
    /// SYNs sent again with a timeout that doubles (`tcp_syn_retries`): 6.
    pub syn: u32,
    /// SYNs sent again before those, each after the first timeout (`tcp_syn_linear_timeouts`): 4.
    pub syn_linear: u32,
    /// Retransmissions of data that nobody answers, and probes of a closed window (`tcp_retries2`): 15. Linux counts
    /// retransmissions by the time that they would take at its smallest timeout: 924.6 s.
    pub data: u32,
}

impl Default for Retries {
    fn default() -> Retries {
        Retries {
            syn: 6,
            syn_linear: 4,
            data: 15,
        }
    }
}

impl Retries {
    /// How long nothing is heard after the first retransmission until a timeout ends the connection; `largest` is the largest
    /// timeout (`tcp_model_timeout` in tcp_timer.c).
    pub fn silence(self, largest: Duration) -> Duration {
        let doublings = (largest.as_ps() / LEAST_TIMEOUT.as_ps()).max(1).ilog2();
        let doubled = self.data.min(doublings);
        let rest = self.data - doubled;
        let doubling = LEAST_TIMEOUT.times((2 << doubled) - 1).as_ps();
        let level = largest.as_ps().saturating_mul(u64::from(rest));
        Duration::from_ps(doubling.saturating_add(level))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ip-sysctl of Linux 6.18: "the default value of 15 yields a hypothetical timeout of 924.6 seconds".
    #[test]
    fn fifteen_retransmissions_are_924_6_seconds() {
        let largest = Duration::from_secs(120);
        let silence = |data| {
            Retries {
                data,
                ..Retries::default()
            }
            .silence(largest)
        };
        assert_eq!(silence(15), Duration::from_ms(924_600));
        assert_eq!(silence(3), Duration::from_secs(3));
        assert_eq!(silence(0), Duration::from_ms(200));
    }
}
