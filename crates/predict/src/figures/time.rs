//! How long a path takes: to be filled, to recover, and until sequence numbers come again.

use crate::answer::{Answer, answer};
use crate::cc::Cc;
use crate::climb::{Climb, hybla_rho};
use crate::handshake::LINEAR;
use crate::{handshake, window};

use super::{Figures, segments_per_growth};

impl Figures<'_> {
    pub(crate) fn about_time(&self) -> Vec<Answer> {
        const ROUNDS: &str = "no loss, no early exit (HyStart++), no handshake, no ACK timer: \
                              a packet-level run differs by up to an RTT";
        let cost = self.slow_start;
        let (iw, b) = (self.input.initial_window, segments_per_growth(self.input));
        let wrap = window::sequence_wrap_s(self.input.rate);
        // Multiplied before it becomes a float: 17 × 581 ms is 9.877 s, not 9.876999….
        let rounds_s = (u128::from(self.input.rtt.as_ps()) * u128::from(cost.rounds)) as f64 / 1e12;
        // RFC 9293 §3.4.2: a segment lives for at most the MSL of 2 minutes.
        let paws = if wrap < 120.0 {
            "Old segments can live that long (MSL 120 s) and pass for new ones: \
             timestamps (PAWS) are needed."
        } else {
            ""
        };
        let already = match cost.rounds {
            0 => "The initial window fills the path at once.",
            _ => "",
        };
        let counting = match b {
            2 => "A sender that counts bytes (RFC 3465, Linux) grows as with b = 1.",
            _ => "",
        };
        let kernel = match self.input.cc {
            Cc::Cubic => {
                "A Linux host's CUBIC may leave slow start earlier (HyStart); until a loss it grows \
                 by 5 % a round trip then."
            }
            Cc::Vegas => {
                "Vegas grows every other round trip by its paper, which is counted; Linux's grows in each, and takes half as long."
            }
            cc if cc.doubles() => "Startup doubles each round trip, whatever an ACK is for.",
            _ => "",
        };
        vec![
            self.overflow(),
            answer("slow_start_s", rounds_s, "s")
                .by(
                    "RTT × least n with IW (1 + 1/b)^n ≥ W",
                    "RFC 5681 §3.1; RFC 6928, of which Linux takes the 10 segments whatever their size",
                )
                .note(already)
                .note(format!(
                    "{} rounds to {:.1} segments, IW {iw}, b = {b}.",
                    cost.rounds, self.full
                ))
                .note(counting)
                .note(kernel)
                .note(match self.policed.as_ref().is_some_and(|p| p.all_bps < self.line_bps) {
                    true => "To the line's window: the policer takes segments before, as soon as a burst is larger than its bucket.",
                    false => "",
                })
                .note(self.start_of_hybla(f64::from(b)))
                .holds(ROUNDS),
            answer("slow_start_waste_s", cost.wasted_rtts * self.rtt_s, "s")
                .by(
                    "RTT × Σ (1 − w_k / W) over the rounds",
                    crate::slow_start::METHOD,
                )
                .note("What a transfer takes longer than at full rate from the start.")
                .holds(ROUNDS),
            self.recovery(),
            answer("sequence_wrap_s", wrap, "s")
                .by("2^31 / B, B = C/8", "RFC 7323 §5")
                .note(format!("The full cycle of 2^32 takes {:.6} s.", 2.0 * wrap))
                .note(paws)
                .holds("payload at the rate of the line"),
            self.handshake(),
        ]
    }

    /// How long Hybla's slow start takes, with `b` segments for each ACK, where that is not Reno's; empty for all others.
    fn start_of_hybla(&self, b: f64) -> String {
        let rho = hybla_rho(self.rtt_s);
        let grows = self.full / f64::from(self.input.initial_window);
        if self.input.cc != Cc::Hybla || rho <= 1.0 || grows <= 1.0 {
            return String::new();
        }
        let each = 1.0 + (libm::exp2(rho) - 1.0) / b;
        let rounds = libm::fmax(libm::ceil(libm::log(grows) / libm::log(each)), 1.0);
        format!(
            "Reno's: Hybla adds 2^ρ − 1 segments for each ACK, ρ = RTT/25 ms = {rho:.1} (Caini and Firrincieli 2004), and is there after \
             {rounds:.0} rounds, {:.3} s. slow_start_waste_s is of Reno's, too.",
            rounds * self.rtt_s
        )
    }

    /// How long Westwood+ takes where it estimates less than the line's bandwidth, after a loss at `top` segments; empty for all others.
    pub(super) fn of_westwood(&self, top: f64) -> String {
        if self.input.cc != Cc::Westwood {
            return String::new();
        }
        let halved = Climb {
            cc: Cc::Reno,
            segments_per_ack: 1.0,
            ..self.climb(top)
        };
        halved
            .recovery_over(self.share_of_pipe())
            .map_or_else(String::new, |s| {
                format!(
                    "That is where its estimate of the bandwidth is the line's: where it is half of that, it takes as long as Reno, {s:.4} s."
                )
            })
    }

    /// The time from the first SYN to its answer.
    fn handshake(&self) -> Answer {
        let loss = self.input.loss.map(|p| p.get());
        let seconds = loss.map(|p| handshake::seconds(self.rtt_s, p, LINEAR));
        let note = match loss.filter(|p| *p > 0.0) {
            Some(p) => format!(
                "{:.3e} of the first tries have no answer; those take at least 1 s more. {:.1e} of the connections are given up. Linux \
                 before 6.5 takes {:.4} s, and gives up {:.1e}.",
                handshake::unanswered(p),
                handshake::given_up(p, LINEAR),
                handshake::seconds(self.rtt_s, p, 0),
                handshake::given_up(p, 0)
            ),
            None if loss.is_none() => "No loss was named.".to_owned(),
            None => String::new(),
        };
        answer("handshake_s", seconds, "s")
            .by(
                "RTT + Σ q^k t_k / Σ q^k, k = 0 to 10, t_k = k s up to 4 and then 4 s + (2^(k − 4) − 1) s, q = 1 − (1 − p)²",
                "RFC 6298 §2.1, §5.5; tcp_syn_linear_timeouts and tcp_syn_retries of Linux 6.5 and later",
            )
            .note(note)
            .holds(
                "the mean of connections that come about; SYN and SYN-ACK are each lost with p, by chance. Linux from 6.5 on sends \
                 four again a second apart before the timeout doubles; a kernel before it doubles from the first on",
            )
    }
}
