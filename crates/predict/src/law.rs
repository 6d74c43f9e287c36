//! Response functions: what loss leaves of a window, for every algorithm that has a law.

use farpath_units::Duration;

use crate::aimd::{Aimd, cubic_converging_utilisation};
use crate::cc::Cc;
use crate::climb::hybla_rho;
use crate::recovery::{self, Losses, mathis_constant};
use crate::{bic, highspeed, htcp};

/// What a response function asks besides the loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Round-trip time in seconds; above 0.
    pub rtt_s: f64,
    /// Segments for each ACK where Reno counts ACKs; 1 where it counts bytes. Of BIC [`bic::ack_ratio`], and 1 where a segment counts
    /// as one.
    pub segments_per_ack: f64,
    /// How losses fall. Reno's law has a form for each, and so has HighSpeed's where it is Reno's; the others have one for both.
    pub losses: Losses,
    /// How H-TCP grows and what it keeps.
    pub htcp: htcp::Growth,
}

impl Conditions {
    /// Periodic losses, growth by bytes.
    pub fn of_rtt(rtt_s: f64) -> Conditions {
        Conditions {
            rtt_s,
            segments_per_ack: 1.0,
            losses: Losses::Periodic,
            htcp: htcp::Growth::PAPER,
        }
    }

    /// The same of a Linux sender whose receiver acknowledges every second segment: its BIC alone grows by ACKs.
    pub fn of_linux(cc: Cc, rtt_s: f64) -> Conditions {
        let plain = Conditions::of_rtt(rtt_s);
        match cc {
            Cc::Bic => Conditions {
                segments_per_ack: bic::ack_ratio(2),
                ..plain
            },
            _ => plain,
        }
    }

    fn reno(self) -> f64 {
        mathis_constant(self.losses, self.segments_per_ack)
    }

    /// Reno's, where HighSpeed is Reno: it gains a segment in each round trip.
    fn stepwise(self) -> f64 {
        mathis_constant(self.losses, 1.0)
    }
}

/// A law in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grounds {
    /// Mean window in segments, or why there is none.
    pub window: &'static str,
    /// Loss ratio of a window.
    pub loss: &'static str,
    /// The document.
    pub source: &'static str,
    /// Where it holds.
    pub range: &'static str,
}

/// Reno's least window by AIMD(1, ½), which the fast algorithms do not fall below.
pub(crate) const FRIENDLY: Aimd = Aimd {
    increase: 1.0,
    decrease: 0.5,
};

/// Scalable TCP's a/b: 0.01 for each ACK against an eighth for each loss (Kelly, 2003).
pub(crate) const SCALABLE: f64 = 0.08;

/// Loss ratio above which timeouts, which the response functions leave out, govern (Padhye et al., SIGCOMM 1998).
pub const LOSS_MAX: f64 = 0.02;

/// The loss ratio that BBR bears, versions 1 and 3: [`borne`].
const BBR_BEARS: f64 = 0.14;
const BBR3_BEARS: f64 = 0.02;

/// Mean window in segments under a loss ratio of `loss`, above 0; `None` for algorithms without a
/// response function: see [`grounds`].
///
/// HighSpeed, Scalable and BIC are Reno in small windows; the larger of both is taken, which meets
/// their switches within 15 % and can be inverted.
pub fn window(cc: Cc, loss: f64, on: Conditions) -> Option<f64> {
    let own = match cc {
        Cc::Reno => return Some(on.reno() / libm::sqrt(loss)),
        Cc::Cubic => return Some(recovery::cubic_window(loss, on.rtt_s)),
        Cc::Hybla => return Some(hybla_rho(on.rtt_s) * FRIENDLY.window(loss)),
        Cc::Htcp => return Some(on.htcp.window(loss, on.rtt_s)),
        Cc::HighSpeed => {
            let reno = on.stepwise() / libm::sqrt(loss);
            return Some(libm::fmax(highspeed::own_window(loss), reno));
        }
        Cc::Scalable => SCALABLE / loss,
        // Its own growth is faster, as if losses were as much rarer; where it is Reno it is not.
        Cc::Bic => bic::LINUX.own_window(loss / on.segments_per_ack),
        Cc::Westwood | Cc::Vegas | Cc::Fast | Cc::Bbr | Cc::Bbr3 => return None,
    };
    Some(libm::fmax(own, FRIENDLY.window(loss)))
}

/// The loss ratio at which the mean window is `window` segments: the inverse of [`window`]; above 1
/// where a segment or two are the window.
pub fn loss_for(cc: Cc, window: f64, on: Conditions) -> Option<f64> {
    let own = match cc {
        Cc::Reno => {
            let root = on.reno() / window;
            return Some(root * root);
        }
        Cc::Cubic => return Some(recovery::cubic_loss_for(window, on.rtt_s)),
        Cc::Hybla => return Some(FRIENDLY.loss_for(window / hybla_rho(on.rtt_s))),
        Cc::Htcp => return Some(on.htcp.loss_for(window, on.rtt_s)),
        Cc::HighSpeed => {
            let root = on.stepwise() / window;
            return Some(libm::fmax(highspeed::own_loss_for(window), root * root));
        }
        Cc::Scalable => SCALABLE / window,
        Cc::Bic => bic::LINUX.own_loss_for(window) * on.segments_per_ack,
        Cc::Westwood | Cc::Vegas | Cc::Fast | Cc::Bbr | Cc::Bbr3 => return None,
    };
    Some(libm::fmax(own, FRIENDLY.loss_for(window)))
}

/// Reno's constant where HighSpeed is Reno at a loss ratio of `loss`, above 0 (RFC 3649 §5: windows up to 38 segments); `None` where its
/// own law governs.
pub fn highspeed_as_reno(loss: f64, losses: Losses) -> Option<f64> {
    let constant = mathis_constant(losses, 1.0);
    (constant / libm::sqrt(loss) >= highspeed::own_window(loss)).then_some(constant)
}

/// What is said of random losses whose mean window is `over` times what fills the line, from 1 on: at times it does not. None from 2 on,
/// where it hardly matters, and below 1, where losses are the limit.
pub fn near_the_line(over: f64) -> Option<String> {
    (1.0..2.0).contains(&over).then(|| {
        format!(
            "the losses leave a mean window of {over:.2} times what fills the line, and at times one that does not: simulated, \
             a flow has 10 to 24 % less than the line at 1.00, 5 to 17 % at 1.25, 1 to 12 % at 1.5 and up to 7 % at 2, \
             most where nothing waits in the network, as before the sender's own link"
        )
    })
}

/// What is said of a line that fills by the law of `cc`, whose mean window under losses of ratio `loss`, above 0, is `over` times what
/// fills it: of random losses it does not at times, and above [`LOSS_MAX`] the law leaves out what governs. None where losses are the
/// limit, and of BBR, whose limit they are not.
pub fn beside_the_line(cc: Cc, loss: f64, over: f64) -> Option<String> {
    if cc.is_bbr() || over < 1.0 {
        return None;
    }
    if loss <= LOSS_MAX {
        return near_the_line(over);
    }
    Some(format!(
        "{:.3} % of the segments are lost, and above 2 % timeouts govern, which no law here has: the true rate is lower",
        loss * 100.0
    ))
}

/// Share of the line that `streams` connections of BBR deliver under random losses of ratio `loss`, 0 included, beside what their
/// probes cost ([`probing`]). `None` above the loss it bears, and for all others.
///
/// One connection of version 1 sends at what arrived, 1 − p of the line, and 1 − p of that arrives. Several keep the line full.
/// Version 1 takes a path that loses a fifth of what it delivers, p = 0.163, for policed (Linux, `bbr_lt_loss_thresh`), by
/// chance a path of few segments from 0.14 on. Version 3 bears 2 %.
pub fn borne(cc: Cc, loss: f64, streams: u32) -> Option<f64> {
    let (bears, share) = match (cc, streams) {
        (Cc::Bbr, 0..=1) => (BBR_BEARS, (1.0 - loss) * (1.0 - loss)),
        (Cc::Bbr, _) => (BBR_BEARS, 1.0 - loss),
        (Cc::Bbr3, _) => (BBR3_BEARS, 1.0 - loss),
        _ => return None,
    };
    (loss <= bears).then_some(share)
}

/// The largest loss ratio at which `streams` connections of BBR deliver the share `of_line`, beside their probes: the inverse of
/// [`borne`]. `None` above a share of 1, and for all others.
pub fn bears(cc: Cc, of_line: f64, streams: u32) -> Option<f64> {
    let (bears, loss) = match (cc, streams) {
        (Cc::Bbr, 0..=1) => (BBR_BEARS, 1.0 - libm::sqrt(of_line)),
        (Cc::Bbr, _) => (BBR_BEARS, 1.0 - of_line),
        (Cc::Bbr3, _) => (BBR3_BEARS, 1.0 - of_line),
        _ => return None,
    };
    (loss >= 0.0).then_some(libm::fmin(loss, bears))
}

/// Round trips until each of `segments` has arrived that are sent together and again where they are lost, each time with
/// probability `loss`: Σ 1 − (1 − pᵏ)ⁿ from k = 0 on. A window that does not shrink stands still for so long.
pub fn rounds_to_arrive(segments: f64, loss: f64) -> f64 {
    let missing = |k: i32| -libm::expm1(segments * libm::log1p(-libm::pow(loss, f64::from(k))));
    1.0 + (1..100)
        .map(missing)
        .take_while(|share| *share > 1e-9)
        .sum::<f64>()
}

/// The probes for the shortest RTT of BBR (ProbeRTT).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probes {
    /// From the end of one to the next, in seconds, while no shorter RTT is seen.
    pub every_s: f64,
    /// How long one lasts: until the flight has come down to what it keeps, and a hold of 200 ms or a round trip.
    pub lasts_s: f64,
    /// Share of what could be sent meanwhile that is not.
    pub spared: f64,
}

impl Probes {
    /// Seconds of sending that one costs.
    pub fn costs_s(&self) -> f64 {
        self.lasts_s * self.spared
    }

    /// Seconds of sending that they have cost by then, the first beginning `every_s` after the start.
    pub fn cost_by_s(&self, at_s: f64) -> f64 {
        let cycle = self.every_s + self.lasts_s;
        let whole = libm::floor(at_s / cycle);
        let within = libm::fmax(at_s - whole * cycle - self.every_s, 0.0);
        (whole * self.lasts_s + within) * self.spared
    }
}

/// What an algorithm does to find the shortest RTT; `None` for all but BBR.
///
/// 10 s after the end of a probe, version 1 sends nothing until its flight is down to 4 segments, for a round trip, and
/// holds it there for the longer of 200 ms and another one (draft-cardwell-iccrg-bbr-congestion-control-00 §4.3.5).
/// Version 3 comes down to half a bandwidth-delay product, 5 s after the one before (draft-ietf-ccwg-bbr).
pub fn probes(cc: Cc, rtt_s: f64) -> Option<Probes> {
    let (every_s, spared) = match cc {
        Cc::Bbr => (10.0, 1.0),
        Cc::Bbr3 => (5.0, 0.5),
        _ => return None,
    };
    Some(Probes {
        every_s,
        lasts_s: spared * rtt_s + libm::fmax(0.2, rtt_s),
        spared,
    })
}

/// Share of what it could send that an algorithm gives up for its [`probes`]; 0 without.
pub fn probing(cc: Cc, rtt_s: f64) -> f64 {
    probes(cc, rtt_s).map_or(0.0, |p| p.costs_s() / (p.every_s + p.lasts_s))
}

/// What [`probing`] costs, in words; none where it costs nothing.
pub fn probing_words(cc: Cc, rtt_s: f64) -> Option<String> {
    probed_words(cc, rtt_s, probing(cc, rtt_s))
}

/// What [`probes`] cost in some time, in words: `share` (0 to 1) of what could be sent there. None of an algorithm without.
pub fn probed_words(cc: Cc, rtt_s: f64, share: f64) -> Option<String> {
    let probes = probes(cc, rtt_s)?;
    let what = match cc {
        Cc::Bbr => "four segments",
        _ => "half of the pipe",
    };
    Some(format!(
        "{:.1} % less for ProbeRTT: {:.0} s after each, {:.1} s to come down to {what} and to hold it there.",
        share * 100.0,
        probes.every_s,
        probes.lasts_s
    ))
}

/// Share of the line that one flow fills, losing a segment each time a queue of `queue` pipes is full; `pipe` segments
/// fill the line in an idle round trip of `rtt`. `None` for algorithms without a closed form.
///
/// CUBIC has one for each of its regions: [`cubic_converging_utilisation`], and AIMD's where it is Reno-friendly (RFC 9438 §4.3).
/// HighSpeed has Reno's where pipe and queue hold 38 segments or fewer (RFC 3649 §5).
pub fn utilisation(cc: Cc, pipe: f64, rtt: Duration, queue: f64) -> Option<f64> {
    match cc {
        Cc::Reno => Some(Aimd::reno(1.0).utilisation(queue)),
        Cc::HighSpeed if pipe * (1.0 + queue) <= highspeed::LOW_WINDOW => {
            Some(Aimd::reno(1.0).utilisation(queue))
        }
        Cc::Cubic if is_own_cubic(pipe, rtt) => Some(cubic_converging_utilisation(queue)),
        Cc::Cubic => Some(recovery::CUBIC_FRIENDLY.utilisation(queue)),
        _ => None,
    }
}

/// Whether CUBIC's own region governs a cycle whose greatest window is `pipe` segments.
pub(crate) fn is_own_cubic(pipe: f64, rtt: Duration) -> bool {
    recovery::cubic_s(pipe, rtt) >= recovery::cubic_k_s(pipe)
}

/// Mean window in segments of Westwood+ under random losses of ratio `loss` when the share `queued`
/// of its RTT is queueing: √((1 − p)/(p·queued)) (Grieco and Mascolo, CCR 34(2), 2004). Infinite
/// with an empty queue: a random loss then takes nothing from it, if the estimate is its rate. It lags behind a window that grows.
pub fn westwood_window(loss: f64, queued: f64) -> f64 {
    libm::sqrt((1.0 - loss) / (loss * queued))
}

/// Why an algorithm has no response function, or what it bears; empty for those that have one.
pub const fn no_law(cc: Cc) -> &'static str {
    match cc {
        Cc::Westwood => {
            "Of an estimate that is always its rate, a random loss would take nothing while the queue is empty, and with one it \
             would be √((1−p) RTT / (p (RTT − RTTmin))) segments. The estimate lags behind a window that grows: over 100 Mbit/s and 80 ms \
             simulated flows have 18 Mbit/s at 1e-3 and 69 at 1e-4 by Linux's filters, 44 and 91 by the paper's. Between Reno's rate and \
             the line's."
        }
        Cc::Vegas | Cc::Fast => {
            "Its window follows the delay; losses are answered as Reno does, and no law of p is \
             known for both together."
        }
        Cc::Bbr => {
            "BBR bears up to 14 % of random loss. A path that loses a fifth of what it delivers (16.3 %) Linux takes for \
             policed, by chance a little less: simulate it."
        }
        Cc::Bbr3 => "A ceiling: it bears up to 2 % of loss; beyond, no law is known.",
        _ => "",
    }
}

const PERIODIC: &str =
    "mean of many periodic losses, p below 0.02, no timeouts, window and line not limiting";

/// The law of an algorithm in words.
pub const fn grounds(cc: Cc) -> Grounds {
    let (window, loss, source, range) = match cc {
        Cc::Reno => (
            "8 × MSS / RTT × √(3/(2b)) / √p",
            "3 / (2b W²)",
            "Mathis et al., CCR 27(3), 1997; RFC 3649 §3",
            PERIODIC,
        ),
        Cc::Cubic => (
            "8 × MSS / RTT × max((C(3+β)/(4(1−β)))^¼ (RTT/p)^¾, √(3/2)/√p)",
            "max(RTT ((C(3+β)/(4(1−β)))^¼ / W)^(4/3), 3/(2W²))",
            "RFC 9438 §5, §5.1, C = 0.4, β = 0.7",
            PERIODIC,
        ),
        Cc::HighSpeed => (
            "8 × MSS / RTT × max(0.12/p^0.835, √(3/2)/√p)",
            "max((0.12/W)^(1/0.835), 3/(2W²))",
            "RFC 3649 §5",
            "mean of many losses, p from 1e-7 to 1e-3 (W 38 to 83000); Reno's above",
        ),
        Cc::Scalable => (
            "8 × MSS / RTT × max(0.08/p, √(3/2)/√p)",
            "max(0.08/W, 3/(2W²))",
            "Kelly, CCR 33(2), 2003",
            "mean of many random losses; Reno's at 16 segments and below, where Linux's has 2.78/√p up to 100",
        ),
        Cc::Htcp => (
            "8 × MSS / RTT × W(T) with T solved from segments(T) = 1/p",
            "1 / segments(T) with T solved from mean window(T) = W",
            "Leith and Shorten, PFLDnet 2004, β = ½ where none is named",
            "periodic losses, empty queue, no RTT scaling; p below 0.02",
        ),
        Cc::Bic => (
            "8 × MSS / RTT × max(W(Wmax) with segments(Wmax) = b/p, √(3/2)/√p)",
            "max(b / segments(Wmax), 3/(2W²))",
            "Xu, Harfoush, Rhee, INFOCOM 2004, Smax 16, β 0.8; Linux 5.7: b segments for each ACK, 31/16 where each is acknowledged",
            "counted continuously and without fast convergence, W above some 40 segments: random losses give 0.9 to 1.4 of it, even ones 0.6 to 0.8; Reno's at 14 and below",
        ),
        Cc::Hybla => (
            "8 × MSS / RTT × ρ √(3/2)/√p, ρ = max(RTT / 25 ms, 1)",
            "3 ρ² / (2W²)",
            "Caini and Firrincieli, IJSCN 22(5), 2004",
            PERIODIC,
        ),
        _ => return without_law(cc),
    };
    Grounds {
        window,
        loss,
        source,
        range,
    }
}

/// Why an algorithm has no response function, or which ceiling.
const fn without_law(cc: Cc) -> Grounds {
    let (window, loss, source, range) = match cc {
        Cc::Westwood => (
            "none with an empty queue; 8 × MSS / √(RTT (RTT − RTTmin)) × √((1−p)/p) with one",
            "none",
            "Grieco and Mascolo, CCR 34(2), 2004",
            "random losses; the queueing delay is not known here",
        ),
        Cc::Vegas => (
            "none: 2 to 4 segments wait in the queue",
            "none",
            "Brakmo and Peterson, JSAC 13(8), 1995",
            "no loss",
        ),
        Cc::Fast => (
            "none: α segments wait in the queue",
            "none",
            "Wei et al., ToN 14(6), 2006",
            "no loss",
        ),
        Cc::Bbr => (
            "line × (1 − p)² × (1 − D / (10 s + D)), D = RTT + max(0.2 s, RTT)",
            "p ≤ 0.14",
            "Cardwell et al., ACM Queue 14(5), 2016",
            "alone on the path, where several connections get 1 − p; p up to 0.14",
        ),
        _ => (
            "line × (1 − p) × (1 − ½ D / (5 s + D)), D = ½ RTT + max(0.2 s, RTT), at most",
            "p ≤ 0.02",
            "draft-ietf-ccwg-bbr",
            "a ceiling, alone on the path; p up to 0.02",
        ),
    };
    Grounds {
        window,
        loss,
        source,
        range,
    }
}
