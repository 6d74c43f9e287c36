//! Losses in bursts: what a chain of two states leaves of a window.
//!
//! A window is cut once for all that is lost within a round trip, so that what counts is events, not segments. The chain
//! (Gilbert 1960, Elliott 1963) takes a step a segment: p from good to bad, r from bad to good, each state with its loss.
//! Behind the first loss of an event the W segments of its round trip cut nothing more. After them the state is bad
//! with the chance π + (1 − π)λ^W, where π = p/(p + r) and λ = 1 − p − r. From a state i the next loss is E_i segments
//! away: E_g = 1 + (1 − h_g)((1 − p)E_g + pE_b), E_b = 1 + (1 − h_b)((1 − r)E_b + rE_g). So events are
//! W + E segments apart.
//!
//! How the window climbs from one event to the next is [`Climb`]'s, and CUBIC's with fast convergence. As the distances
//! vary, the mean window is not that of equal ones: several connections are followed, and at each event they have the
//! quantiles of the distance, in an order that changes. Losses of equal chance are the chain with p = 0.

use crate::cc::{Cc, Rules};
use crate::climb::Climb;
use crate::law::{self, Conditions};
use crate::quantiles::{CONNECTIONS, quantiles};
use crate::recovery::{CUBIC_ALPHA, CUBIC_BETA, CUBIC_C};
use farpath_units::Key;

/// Events of each that count.
const EVENTS: u64 = 48;
/// Events before, until the first window is forgotten.
const SETTLING: u64 = 8;
/// Round trips followed of all together. Where that is too few for [`SETTLING`], there is no mean here.
const ROUNDS_MOST: u64 = 3_000_000;
/// Least window of a sender that repairs without a timeout, segments.
const WINDOW_LEAST: f64 = 2.0;

/// A chain of two states, a step a segment; ratios from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chain {
    /// From good to bad.
    pub p: f64,
    /// From bad to good.
    pub r: f64,
    /// Loss in the good state.
    pub loss_good: f64,
    /// Loss in the bad state.
    pub loss_bad: f64,
}

impl Chain {
    /// Losses of equal chance, each for itself.
    pub const fn independent(loss: f64) -> Chain {
        Chain {
            p: 0.0,
            r: 1.0,
            loss_good: loss,
            loss_bad: loss,
        }
    }

    /// The same with losses of equal chance besides.
    #[must_use]
    pub fn with(self, loss: f64) -> Chain {
        let both = |own: f64| 1.0 - (1.0 - own) * (1.0 - loss);
        Chain {
            loss_good: both(self.loss_good),
            loss_bad: both(self.loss_bad),
            ..self
        }
    }

    /// Long-run share of segments lost.
    pub fn loss(&self) -> f64 {
        let bad = self.bad();
        bad * self.loss_bad + (1.0 - bad) * self.loss_good
    }

    /// Long-run share of the bad state.
    fn bad(&self) -> f64 {
        self.p / libm::fmax(self.p + self.r, f64::MIN_POSITIVE)
    }

    /// Mean length of a bad spell, in segments.
    pub fn spell(&self) -> f64 {
        1.0 / self.r
    }

    /// Chance of the bad state so many segments after a lost one.
    fn bad_after(&self, segments: f64) -> f64 {
        let bad = self.bad();
        // Which state the lost one was in.
        let of_bad = bad * self.loss_bad / libm::fmax(self.loss(), f64::MIN_POSITIVE);
        let memory = 1.0 - self.p - self.r;
        let left = if memory > 0.0 {
            libm::pow(memory, segments)
        } else {
            0.0
        };
        bad + (of_bad - bad) * left
    }

    /// Mean number of segments up to and with the next loss, where the state is bad with the chance `bad`; infinite where
    /// there is none.
    pub fn until_loss(&self, bad: f64) -> f64 {
        let (good_goes, bad_goes) = (1.0 - self.loss_good, 1.0 - self.loss_bad);
        // E_g (1 − g(1 − p)) − g p E_b = 1, −b r E_g + E_b (1 − b(1 − r)) = 1.
        let (a, b) = (1.0 - good_goes * (1.0 - self.p), good_goes * self.p);
        let (c, d) = (bad_goes * self.r, 1.0 - bad_goes * (1.0 - self.r));
        let determinant = a * d - b * c;
        if determinant <= 0.0 {
            return f64::INFINITY;
        }
        let good = (d + b) / determinant;
        let of_bad = (a + c) / determinant;
        good + (of_bad - good) * bad
    }

    /// Mean number of segments from one event to the next, of a window of so many; above 0.
    pub fn apart(&self, window: f64) -> f64 {
        window + self.until_loss(self.bad_after(window))
    }

    /// The number of segments up to the next loss that is exceeded with the chance `u`, 0 to 1: the inverse of
    /// S(n) = Aμ₁ⁿ + (1 − A)μ₂ⁿ, with the eigenvalues of the chain in which nothing is lost.
    fn quantile(&self, bad: f64, u: f64) -> f64 {
        let (good_goes, bad_goes) = (1.0 - self.loss_good, 1.0 - self.loss_bad);
        let m = [
            [good_goes * (1.0 - self.p), good_goes * self.p],
            [bad_goes * self.r, bad_goes * (1.0 - self.r)],
        ];
        let half = (m[0][0] + m[1][1]) / 2.0;
        let off = (m[0][0] - m[1][1]) / 2.0;
        let root = libm::sqrt(libm::fmax(off * off + m[0][1] * m[1][0], 0.0));
        let (slow, fast) = (half + root, libm::fmax(half - root, 0.0));
        // S(1) fixes how much of S is the slow part.
        let first = (1.0 - bad) * good_goes + bad * bad_goes;
        let share = if root > 0.0 {
            ((first - fast) / (2.0 * root)).clamp(0.0, 1.0)
        } else {
            1.0
        };
        let left = |n: f64| share * libm::pow(slow, n) + (1.0 - share) * libm::pow(fast, n);
        if slow <= 0.0 {
            return 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        while left(high) > u && high < 1e15 {
            (low, high) = (high, high * 2.0);
        }
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            if left(middle) > u {
                low = middle;
            } else {
                high = middle;
            }
        }
        libm::fmax(libm::ceil(low), 1.0)
    }
}

/// A connection that only such losses cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Struck {
    /// How its segments are lost.
    pub chain: Chain,
    /// The algorithm.
    pub cc: Cc,
    /// Round-trip time in seconds, nothing waiting; above 0.
    pub rtt_s: f64,
    /// Segments the line takes in one RTT; above 0.
    pub pipe: f64,
    /// Most segments in flight; at least 1.
    pub cap: f64,
    /// Segments that wait in front of the line before one is lost; infinite where that is not known.
    pub room: f64,
    /// Segments for each ACK as [`Climb`] has them.
    pub segments_per_ack: f64,
    /// What H-TCP keeps of its window.
    pub htcp: crate::htcp::Growth,
}

/// One of the connections.
struct State {
    window: f64,
    climb: Climb,
    /// Round trips since the cut.
    round: u32,
    /// Round trips until it grows: those of the repair.
    repairs: u32,
    /// CUBIC's: where it levels off, and what it left there.
    origin: f64,
    left: f64,
}

impl Struck {
    /// Segments a second that the path carries, lost ones and repeated ones too, in the long run. `None` for algorithms
    /// that a loss does not cut by a rule ([`Climb::start`]), and where events are too far apart to be followed.
    pub fn segments_per_s(&self) -> Option<f64> {
        let most = libm::fmin(self.cap, self.pipe + self.room);
        self.climb(most).start()?;
        let luck = Key::new(0).with("bursts").stream();
        let from = libm::fmin(most, self.window_by_law());
        let mut all: Vec<State> = (0..CONNECTIONS).map(|_| self.begun(from)).collect();
        let (mut sent, mut seconds, mut rounds) = (0.0, 0.0, 0);
        for event in 0..SETTLING + EVENTS {
            for (state, u) in all.iter_mut().zip(quantiles(luck, event)) {
                // What follows the loss until it is known.
                let behind = libm::fmin(state.window, self.cap);
                let mut carried = (behind, self.round_s(behind));
                let held = state.window >= self.cap;
                self.grow(state);
                self.cut(state);
                if held {
                    // Room at one of the ends was the limit, and the hole keeps it occupied.
                    carried.1 += self.rtt_s;
                    state.repairs = 2;
                }
                let bad = self.chain.bad_after(behind);
                let mut apart = self.chain.quantile(bad, u);
                while apart > 0.0 {
                    rounds += 1;
                    if rounds > ROUNDS_MOST {
                        return (seconds > 0.0).then(|| sent / seconds);
                    }
                    let flight = libm::fmin(state.window, self.cap);
                    // A window that does not grow is the same until the loss.
                    let still = state.window >= self.cap && state.repairs == 0;
                    let part = apart / flight;
                    let part = if still { part } else { libm::fmin(part, 1.0) };
                    carried.0 += flight * part;
                    carried.1 += self.round_s(flight) * part;
                    apart -= flight * libm::fmax(part, 1.0);
                    if apart > 0.0 && !self.grow(state) {
                        // The queue has overflowed, which is an event as well.
                        break;
                    }
                }
                if event >= SETTLING {
                    sent += carried.0;
                    seconds += carried.1;
                }
            }
        }
        Some(sent / seconds)
    }

    /// The mean window if events were equally far apart, to begin with.
    fn window_by_law(&self) -> f64 {
        let on = Conditions {
            segments_per_ack: self.segments_per_ack,
            htcp: self.htcp,
            ..Conditions::of_rtt(self.rtt_s)
        };
        let mut window = 100.0;
        for _ in 0..4 {
            let events = libm::fmin(1.0 / self.chain.apart(window), 1.0);
            window = law::window(self.cc, events, on).unwrap_or(window);
        }
        libm::fmax(window, WINDOW_LEAST)
    }

    /// How long a flight takes.
    fn round_s(&self, flight: f64) -> f64 {
        self.rtt_s * libm::fmax(flight / self.pipe, 1.0)
    }

    fn climb(&self, top: f64) -> Climb {
        Climb {
            cc: self.cc,
            top,
            rtt_s: self.rtt_s,
            segments_per_ack: self.segments_per_ack,
            htcp: self.htcp,
            rules: Rules::Document,
        }
    }

    fn begun(&self, window: f64) -> State {
        State {
            window,
            climb: self.climb(window),
            round: 0,
            repairs: 0,
            origin: window,
            left: window,
        }
    }

    fn cut(&self, state: &mut State) {
        let before = state.window;
        let climb = self.climb(before);
        let left = libm::fmax(climb.start().unwrap_or(before), WINDOW_LEAST);
        // Fast convergence (RFC 9438 §4.7).
        state.origin = match before < state.origin {
            true => before * (1.0 + CUBIC_BETA) / 2.0,
            false => before,
        };
        *state = State {
            window: left,
            climb,
            // H-TCP's clock runs from the congestion, the others' from when there is growth again.
            round: u32::from(self.cc == Cc::Htcp),
            repairs: 1,
            origin: libm::fmax(state.origin, left),
            left,
        };
    }

    /// Grows a window by a round trip; whether there is room for it.
    fn grow(&self, state: &mut State) -> bool {
        if state.repairs > 0 {
            state.repairs -= 1;
            return true;
        }
        if state.window >= self.cap {
            // What is not used does not grow.
            return true;
        }
        let next = match self.cc {
            Cc::Cubic => {
                let since = f64::from(state.round + 1) * self.rtt_s;
                let k = libm::cbrt((state.origin - state.left) / CUBIC_C);
                let off = since - k;
                let own = state.origin + CUBIC_C * off * off * off;
                let friendly = state.left + CUBIC_ALPHA * f64::from(state.round + 1);
                // No more than half of the window a round trip (RFC 9438 §4.4).
                let own = libm::fmin(own, state.window * 1.5);
                libm::fmax(state.window, libm::fmax(own, friendly))
            }
            _ => state.climb.next(state.window, state.round),
        };
        state.round += 1;
        state.window = libm::fmin(next, self.cap);
        state.window <= self.pipe + self.room
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recovery::{Losses, mathis_constant};

    #[test]
    fn a_chain_of_one_state_loses_each_for_itself() {
        let chain = Chain::independent(0.01);
        assert!((chain.loss() - 0.01).abs() < 1e-12);
        assert!((chain.until_loss(0.3) - 100.0).abs() < 1e-9);
        // Half of the distances are above ln 2 / p.
        assert_eq!(chain.quantile(0.0, 0.5), 69.0);
    }

    /// Bursts of mean length 1/r, 1/p apart: what is lost is their share, and after a loss the next is near.
    #[test]
    fn losses_of_a_burst_are_near_one_another() {
        let chain = Chain {
            p: 1e-4,
            r: 0.25,
            loss_good: 0.0,
            loss_bad: 1.0,
        };
        assert!((chain.loss() - 1e-4 / 0.2501).abs() < 1e-12);
        assert_eq!(chain.bad_after(0.0), 1.0);
        assert!((chain.bad_after(1.0) - 0.75).abs() < 1e-4);
        // A round trip later it is as if nothing had been.
        assert!((chain.bad_after(100.0) - chain.loss()).abs() < 1e-9);
        assert!((chain.until_loss(1.0) - 1.0).abs() < 1e-9);
        assert!((chain.until_loss(0.0) - 10_001.0).abs() < 1e-6);
        // The mean of the quantiles is the mean.
        let n = 20_000;
        let of = |i: u32| chain.quantile(0.4, (f64::from(i) + 0.5) / f64::from(n));
        let mean = (0..n).map(of).sum::<f64>() / f64::from(n);
        assert!((mean / chain.until_loss(0.4) - 1.0).abs() < 1e-3, "{mean}");
    }

    fn struck(chain: Chain, cc: Cc) -> Struck {
        Struck {
            chain,
            cc,
            rtt_s: 0.1,
            pipe: 1e9,
            cap: 1e9,
            room: f64::INFINITY,
            segments_per_ack: 1.0,
            htcp: crate::htcp::Growth::PAPER,
        }
    }

    /// Mathis, Semke, Mahdavi and Ott's constant for random losses (CCR 27(3), 1997).
    #[test]
    fn reno_under_independent_losses_has_the_papers_window() {
        for loss in [1e-3, 1e-4, 1e-5] {
            let of = struck(Chain::independent(loss), Cc::Reno);
            let window = of.segments_per_s().expect("a mean") * of.rtt_s;
            let paper = mathis_constant(Losses::Random, 1.0) / libm::sqrt(loss);
            assert!(
                (window / paper - 1.0).abs() < 0.06,
                "{loss}: {window}, {paper}"
            );
        }
    }

    #[test]
    fn a_burst_cuts_once() {
        let alone = Chain {
            p: 1e-4,
            r: 1.0,
            loss_good: 0.0,
            loss_bad: 1.0,
        };
        let five = Chain { r: 0.2, ..alone };
        for cc in [Cc::Reno, Cc::Cubic, Cc::HighSpeed, Cc::Bic, Cc::Htcp] {
            let of = |chain| struck(chain, cc).segments_per_s().expect("a mean");
            let share = of(five) / of(alone);
            assert!((share - 1.0).abs() < 0.05, "{cc}: {share}");
        }
    }

    #[test]
    fn line_room_and_window_bound_it() {
        let chain = Chain::independent(1e-6);
        let of = struck(chain, Cc::Cubic);
        let narrow = Struck { pipe: 50.0, ..of };
        let got = narrow.segments_per_s().expect("a mean");
        assert!((480.0..500.001).contains(&got), "{got}");
        let short = Struck {
            room: 0.0,
            ..narrow
        };
        let got = short.segments_per_s().expect("a mean");
        assert!((350.0..480.0).contains(&got), "{got}");
        let capped = Struck { cap: 20.0, ..of };
        let got = capped.segments_per_s().expect("a mean");
        assert!((195.0..200.001).contains(&got), "{got}");
        assert_eq!(struck(chain, Cc::Bbr).segments_per_s(), None);
    }
}
