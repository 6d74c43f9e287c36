//! What repairs and timeouts leave of a response function under random losses.
//!
//! Response functions count the round trips in which a window grows. Each loss event takes one more, in which the sender repairs and
//! nothing grows, and some end in a timeout. Padhye, Firoiu, Towsley and Kurose (SIGCOMM 1998) count both, of a sender without
//! SACK, whose every third event in a small window waits for its timer: [`crate::pftk`]. One with SACK seldom does, so that on a path of
//! 10 ms, where a timeout lasts 21 round trips, it has up to three times as much. Here the terms are theirs, with the timeouts of a sender
//! that has SACK: 1/rate = RTT/W + e p RTT + e p Q T0 f(p)/(1 − p).

/// Loss events for each lost segment: several of one round trip are one event. Simulated connections have 0.70 to 0.88.
const EVENTS: f64 = 0.75;
/// Loss ratio up to which simulated connections are as the terms say.
pub const LOSS_HELD: f64 = 0.3;
/// Loss ratio from which on they are as there: hardly a window is without a timeout.
const LOSS_MOST: f64 = 0.6;

/// A sender and its path, as repairs see them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repairs {
    /// Round-trip time in seconds; above 0.
    pub rtt_s: f64,
    /// The first retransmission timeout in seconds; above 0.
    pub timeout_s: f64,
    /// Whether a repair that is lost as well is found without a timeout, and the last segment of a flight by a probe
    /// (RFC 8985).
    pub finds_lost_repairs: bool,
}

impl Repairs {
    /// Of a mean window of `window` segments what the round trip of each repair leaves, where every 1/`loss`-th segment is lost and a law
    /// of its own, which counts none, would leave `own`. No repair is lost, so that nothing waits for a timer.
    pub fn window_of_even(window: f64, own: f64, loss: f64) -> f64 {
        libm::fmax(window / (1.0 + window * loss), libm::fmin(own, window))
    }

    /// The share, 0 to 1, that repairs and timeouts leave of what a mean window of `window` segments carries, each of which is lost with
    /// probability `loss`, 0 to 1. Simulated connections of Reno have 0.95 to 1.13 of it up to a loss of 0.2.
    pub fn share(self, window: f64, loss: f64) -> f64 {
        1.0 / (1.0 + window * (EVENTS * loss + self.waits(loss)))
    }

    /// The same of timeouts alone.
    pub fn share_of_timeouts(self, window: f64, loss: f64) -> f64 {
        1.0 / (1.0 + window * self.waits(loss))
    }

    /// Of a mean window of `window` segments what repairs and timeouts leave, where a law of its own would leave `own` without Reno's:
    /// that one counts no round trip of repair.
    pub fn window(self, window: f64, own: f64, loss: f64) -> f64 {
        let repaired = window * self.share(window, loss);
        let own = libm::fmin(own, window);
        libm::fmax(repaired, own * self.share_of_timeouts(own, loss))
    }

    /// Round trips for which a sender waits for its timer, for each segment.
    fn waits(self, loss: f64) -> f64 {
        let loss = libm::fmin(loss, LOSS_MOST);
        let backoff = (1..=6).fold(1.0, |sum, n| {
            sum + libm::ldexp(libm::pow(loss, n.into()), n - 1)
        });
        let each = self.timeout_s / self.rtt_s * backoff / (1.0 - loss);
        EVENTS * loss * self.timeouts(loss) * each
    }

    /// The share of loss events that end in a timeout, as simulated connections have it (RTTs of 2 to 150 ms, losses from 0.01 to 0.3):
    /// with RFC 8985 0.007, 0.05, 0.22 and 0.43 of them at a loss of 0.05, 0.1, 0.2 and 0.3; without it 0.013, 0.09, 0.24, 0.55 and 0.76
    /// at 0.01, 0.05, 0.1, 0.2 and 0.3.
    fn timeouts(self, loss: f64) -> f64 {
        let strikes = match self.finds_lost_repairs {
            true => 6.0 * loss * loss,
            false => 1.5 * loss + 11.0 * loss * loss,
        };
        -libm::expm1(-strikes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOSSES: [f64; 6] = [3e-3, 1e-2, 2e-2, 5e-2, 0.1, 0.2];

    fn modern(rtt_s: f64) -> Repairs {
        Repairs {
            rtt_s,
            timeout_s: rtt_s + 0.2,
            finds_lost_repairs: true,
        }
    }

    /// Rates of simulated connections over 1.31/√p segments in a round trip: Reno, hosts as `linux-6`, 10 Gbit/s, 1448 bytes, an ACK for
    /// each, from 20 s on (60 s up to 10 ms, 600 s above), four seeds, 30 November 2026. Losses of [`LOSSES`].
    const SIMULATED: [(f64, [f64; 6]); 5] = [
        (0.004, [0.93, 0.88, 0.83, 0.74, 0.45, 0.12]),
        (0.010, [0.97, 0.89, 0.85, 0.76, 0.56, 0.23]),
        (0.030, [0.94, 0.89, 0.85, 0.78, 0.68, 0.42]),
        (0.050, [0.95, 0.89, 0.85, 0.78, 0.70, 0.48]),
        (0.150, [0.97, 0.92, 0.87, 0.80, 0.72, 0.57]),
    ];

    #[test]
    fn what_is_left_of_renos_law_is_that_of_simulated_connections() {
        for (rtt_s, shares) in SIMULATED {
            for (loss, simulated) in LOSSES.into_iter().zip(shares) {
                let over = simulated / modern(rtt_s).share(1.31 / libm::sqrt(loss), loss);
                assert!((0.93..1.14).contains(&over), "{rtt_s} {loss}: {over}");
            }
        }
    }

    /// Without RFC 8985 at 100 ms and a timeout of 300, 600 s, four seeds: 0.483, 0.291 and 0.152 Mbit/s.
    #[test]
    fn what_is_left_without_rack_is_that_of_simulated_connections() {
        let old = Repairs {
            finds_lost_repairs: false,
            timeout_s: 0.3,
            ..modern(0.1)
        };
        for (loss, simulated) in [(0.05, 0.483e6), (0.1, 0.291e6), (0.2, 0.152e6)] {
            let window = 1.31 / libm::sqrt(loss);
            let bps = window * old.share(window, loss) * 1448.0 * 8.0 / 0.1;
            let over = simulated / bps;
            assert!((0.85..1.18).contains(&over), "{loss}: {over}");
        }
    }

    #[test]
    fn rare_losses_leave_the_law_and_more_leave_less() {
        for rtt_s in [1e-3, 1e-2, 0.1, 0.6] {
            let all = |loss: f64| {
                let window = 1.31 / libm::sqrt(loss);
                window * modern(rtt_s).share(window, loss)
            };
            let rare = modern(rtt_s).share(1.31e3, 1e-6);
            assert!((0.998..1.0).contains(&rare), "{rare}");
            for n in 1..300 {
                let loss = 1e-6 * libm::exp10(f64::from(n) / 60.0);
                let step = all(loss * 1.01) / all(loss);
                assert!((0.9..1.0).contains(&step), "{rtt_s} {loss}: {step}");
            }
        }
    }

    /// Reno at exact distances over √(3/2)/√p segments: 1 Gbit/s × 100 ms, an ACK for each segment, 300 s after 30 s, 1 December 2026.
    #[test]
    fn what_repairs_of_even_losses_leave_is_that_of_simulated_connections() {
        for (every, simulated) in [(400.0, 0.918), (1e3, 0.955), (2.5e3, 0.971), (1e4, 0.991)] {
            let window = libm::sqrt(1.5 * every);
            let share = Repairs::window_of_even(window, 0.0, 1.0 / every) / window;
            assert!(
                (0.97..1.01).contains(&(simulated / share)),
                "{every}: {share}"
            );
        }
        // A law of its own keeps what it says.
        let own = Repairs::window_of_even(100.0, 99.9, 1e-3);
        assert!((own - 99.9).abs() < 1e-9, "{own}");
    }

    /// A law of its own has no jump where Reno's begins to govern.
    #[test]
    fn a_law_of_its_own_meets_renos() {
        let (repairs, loss) = (modern(0.1), 1e-3);
        let reno = 40.0;
        let below = repairs.window(reno, 0.999 * reno, loss);
        let above = repairs.window(1.001 * reno, 1.001 * reno, loss);
        assert!((above / below - 1.0).abs() < 3e-3, "{above} {below}");
        assert!(repairs.window(reno, 0.0, loss) < 0.98 * reno);
    }
}
