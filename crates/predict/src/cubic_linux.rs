//! CUBIC as Linux computes it, on short paths under losses: its window stands, and then catches up.
//!
//! The kernel works out CUBIC's growth anew when the window has changed, or after 1/32 s (`net/ipv4/tcp_cubic.c`). A window that has
//! caught up with the Reno-friendly estimate (RFC 9438 §4.3) has no other aim, and gains a segment in 100 round trips. So it stands for
//! D = min(31.25 ms, 100 RTT), and gains within some round trips what the estimate gained meanwhile: α D/RTT segments. A loss
//! cuts it and begins a new epoch, with another D. Where losses are as frequent, the window hardly grows.
//!
//! The mean window has no closed form. Several connections are followed from loss to loss by quantiles of the distance, with steps
//! of D and with steps of a round trip; the share of the first in the second is what the law of RFC 9438 is multiplied by.

use farpath_units::Key;

use crate::cc::Rules;
use crate::quantiles::{CONNECTIONS, quantiles};
use crate::recovery::{
    CUBIC_ALPHA, CUBIC_BETA, CUBIC_C, Losses, cubic_friendly_window, cubic_own_loss_for,
    cubic_own_window, cubic_random_friendly, reno_loss_for,
};

/// After so many seconds growth is worked out anew (`HZ / 32` in `bictcp_update`).
pub const STANDS_S: f64 = 0.03125;
/// A window without an aim gains a segment in so many round trips, and growth is worked out anew with it (`100 * cwnd` there).
const STANDS_ROUNDS: f64 = 100.0;
/// Losses of each connection that count, and those before, until the first window is forgotten.
const EVENTS: u64 = 48;
const SETTLING: u64 = 8;
/// How often a loss ratio is corrected by the share at it. The share changes by far less than its argument: a third of the way is left.
const STEPS: u32 = 12;
/// Least window of a sender that repairs without a timeout, segments.
const WINDOW_LEAST: f64 = 2.0;

/// Mean window in segments of Linux's CUBIC under a loss ratio of `loss`, above 0, on a path of `rtt_s` seconds: its own or the
/// Reno-friendly one, whichever is larger (RFC 9438 §5.1), of the latter the [`friendly_share`].
pub fn window(loss: f64, rtt_s: f64, losses: Losses) -> f64 {
    let own = cubic_own_window(loss, rtt_s, CUBIC_C);
    let friendly = cubic_friendly_window(loss);
    if own >= friendly {
        // No share makes that the larger one, and it takes long to work out.
        return own;
    }
    libm::fmax(own, friendly * friendly_share(loss, rtt_s, losses))
}

/// The same where losses are random and the Reno-friendly region's constant is theirs, too.
pub fn random_window(loss: f64, rtt_s: f64) -> f64 {
    let own = cubic_own_window(loss, rtt_s, CUBIC_C);
    let friendly = cubic_random_friendly(loss, Rules::Linux);
    if own >= friendly {
        return own;
    }
    libm::fmax(own, friendly * friendly_share(loss, rtt_s, Losses::Random))
}

/// The loss ratio at which the mean window is `window` segments: the inverse of [`window`].
pub fn loss_for(window: f64, rtt_s: f64, losses: Losses) -> f64 {
    let friendly = reno_loss_for(window, 1.0);
    let mut loss = friendly;
    for _ in 0..STEPS {
        let share = friendly_share(libm::fmin(loss, 1.0), rtt_s, losses);
        loss = friendly * share * share;
    }
    libm::fmax(cubic_own_loss_for(window, rtt_s), loss)
}

/// What Linux leaves of the mean window of the Reno-friendly region, 0 to 1, under a loss ratio of `loss`, above 0: 1 from a round trip
/// of 31.25 ms on.
pub fn friendly_share(loss: f64, rtt_s: f64, losses: Losses) -> f64 {
    let rounds = libm::fmin(STANDS_S / rtt_s, STANDS_ROUNDS);
    if rounds <= 1.0 {
        return 1.0;
    }
    let luck = Key::new(0).with("stairs").stream();
    let begun = |rounds| Stairs::of(rounds, cubic_friendly_window(loss));
    let mut both = [begun(rounds), begun(1.0)];
    for event in 0..SETTLING + EVENTS {
        for (connection, u) in quantiles(luck, event).enumerate() {
            let apart = match losses {
                Losses::Random => -libm::log(u) / loss,
                Losses::Periodic => 1.0 / loss,
            };
            for stairs in &mut both {
                stairs.follow(connection, apart, event >= SETTLING);
            }
        }
    }
    let [stands, grows] = both.map(|stairs| stairs.sent / stairs.took);
    libm::fmin(stands / grows, 1.0)
}

/// Connections whose windows grow in steps.
struct Stairs {
    /// Round trips for which a window stands.
    rounds: f64,
    windows: [f64; CONNECTIONS],
    /// Segments of all, and the round trips that they took.
    sent: f64,
    took: f64,
}

impl Stairs {
    fn of(rounds: f64, window: f64) -> Stairs {
        Stairs {
            rounds,
            windows: [window; CONNECTIONS],
            sent: 0.0,
            took: 0.0,
        }
    }

    /// From one loss of a connection to the next, `apart` segments away.
    fn follow(&mut self, connection: usize, apart: f64, counts: bool) {
        let left = libm::fmax(CUBIC_BETA * self.windows[connection], WINDOW_LEAST);
        let (top, took) = self.climb(left, apart);
        self.windows[connection] = top;
        if counts {
            // The round trip of the repair, too.
            self.sent += apart + left;
            self.took += took + 1.0;
        }
    }

    /// The window after `apart` segments, from `left` on, and the round trips that they take.
    fn climb(&self, left: f64, apart: f64) -> (f64, f64) {
        let step = CUBIC_ALPHA * self.rounds;
        // n steps send rounds × (n left + step n(n − 1)/2) segments.
        let before = left - step / 2.0;
        let root = libm::sqrt(before * before + 2.0 * step * apart / self.rounds);
        let steps = libm::fmax(libm::floor((root - before) / step), 0.0);
        let by_then = self.rounds * steps * (left + step * (steps - 1.0) / 2.0);
        let top = left + steps * step;
        let rest = libm::fmax(apart - by_then, 0.0);
        (top, steps * self.rounds + rest / top)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recovery;

    const LOSSES: [f64; 6] = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5];

    /// Mean windows of simulated connections, segments: goodput times the idle round trip. Simulated at commit dc737a1c: CUBIC, Linux's,
    /// 10 Gbit/s, hosts as `linux-6` without `tso` and `gro`, 40 s after 5 s, at 8 ms 300 s after 30 s, medians of seeds 1 to 3. Random
    /// losses of [`LOSSES`]; 0 where the window is below 10 segments.
    const SIMULATED: [(f64, [f64; 6]); 5] = [
        (0.5, [0.0, 11.2, 23.8, 53.4, 102.9, 205.7]),
        (1.0, [0.0, 14.6, 29.8, 60.9, 114.2, 217.7]),
        (2.0, [0.0, 17.1, 33.0, 65.4, 119.5, 227.5]),
        (4.0, [0.0, 18.7, 35.5, 69.2, 125.7, 221.7]),
        (8.0, [0.0, 19.5, 36.4, 69.1, 124.1, 228.6]),
    ];

    #[test]
    fn a_window_that_stands_is_that_of_simulated_connections() {
        for (rtt_ms, windows) in SIMULATED {
            for (loss, simulated) in LOSSES.into_iter().zip(windows) {
                let by_law = window(loss, rtt_ms / 1e3, Losses::Random);
                let over = simulated / by_law;
                let near = (0.9..1.1).contains(&over) || simulated == 0.0;
                assert!(near, "{rtt_ms} ms, {loss}: {simulated} for {by_law}");
            }
        }
    }

    /// From 31.25 ms on it is the law of RFC 9438, to the bit; below, the two meet.
    #[test]
    fn a_window_on_a_long_path_is_the_rfcs() {
        for loss in LOSSES {
            for rtt_s in [STANDS_S, 0.04, 0.1, 1.0] {
                let rfc = recovery::cubic_window(loss, rtt_s);
                assert_eq!(window(loss, rtt_s, Losses::Random), rfc);
            }
            assert!(friendly_share(loss, 0.99 * STANDS_S, Losses::Random) > 0.99);
        }
    }

    #[test]
    fn a_shorter_path_and_more_losses_leave_less_of_a_window() {
        for [less, more] in [[1e-5, 1e-4], [1e-4, 1e-3], [1e-3, 1e-2]] {
            for [short, long] in [[1e-4, 1e-3], [1e-3, 3e-3], [3e-3, 1e-2]] {
                let at = |loss, rtt_s| friendly_share(loss, rtt_s, Losses::Random);
                assert!(at(more, short) < at(less, short));
                assert!(at(more, short) < at(more, long));
            }
        }
        // Below 0.3 ms it stands for 100 round trips, however short they are.
        let hundred = |rtt_s| friendly_share(1e-3, rtt_s, Losses::Random);
        assert_eq!(hundred(1e-4), hundred(2e-4));
    }

    /// A little more loss changes a mean window by little: steps that come or go are those of one connection of many.
    #[test]
    fn the_share_hardly_jumps() {
        for rtt_s in [2e-4, 1e-3, 5e-3, 2e-2] {
            for n in 0..200 {
                let loss = 1e-5 * libm::exp10(f64::from(n) / 60.0);
                let here = window(loss, rtt_s, Losses::Random);
                let next = window(loss * 1.002, rtt_s, Losses::Random);
                assert!((next / here - 0.999).abs() < 0.02, "{rtt_s} {loss}");
            }
        }
    }

    #[test]
    fn the_loss_for_a_window_gives_it_back() {
        for rtt_s in [2e-4, 1e-3, 1e-2, 1e-1] {
            for loss in &LOSSES[1..] {
                let there = window(*loss, rtt_s, Losses::Random);
                let back = window(
                    loss_for(there, rtt_s, Losses::Random),
                    rtt_s,
                    Losses::Random,
                );
                assert!(
                    (back / there - 1.0).abs() < 0.02,
                    "{rtt_s} {loss}: {back} for {there}"
                );
            }
        }
    }
}
