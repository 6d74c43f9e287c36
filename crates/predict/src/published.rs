//! Published laws of TCP as a lecture names them, to be drawn beside what a run gives.

use core::fmt;

use crate::cc::Cc;
use crate::law::{self, LOSS_MAX};
use crate::pftk::Pftk;
use crate::recovery::{Losses, mathis_constant};

/// A law of the goodput of long connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    /// Mathis et al., an ACK for each segment.
    Mathis,
    /// The same where the window grows by half a segment in a round trip: an ACK for two.
    MathisDelack,
    /// Padhye et al.: Reno with timeouts, an ACK for each segment.
    Pftk,
    /// The same with an ACK for two.
    PftkDelack,
    /// The form of it that TFRC uses.
    Tfrc,
    /// CUBIC's response function.
    Cubic,
    /// That of HighSpeed TCP.
    HighSpeed,
    /// That of Scalable TCP.
    Scalable,
    /// A window each round trip.
    Window,
}

/// A path and the connections on it, as the laws see them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// Round-trip time of the idle path in seconds; above 0.
    pub rtt_s: f64,
    /// Payload of a segment in bytes; above 0.
    pub mss: f64,
    /// Share of segments that are lost, 0 to 1.
    pub loss: f64,
    /// Payload in flight at most of each connection, in bytes.
    pub window: f64,
    /// Connections side by side, each as if alone.
    pub streams: f64,
    /// Losses come in bursts, which none of the laws of loss knows.
    pub bursts: bool,
}

/// A law in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// As short as a legend wants it.
    pub title: &'static str,
    /// Goodput of one connection in bit/s.
    pub formula: &'static str,
    /// The document.
    pub source: &'static str,
    /// Where it holds.
    pub range: &'static str,
}

/// Loss ratio above which the models that have timeouts do not hold either: hardly a window is without one.
const TIMEOUTS_MAX: f64 = 0.3;
/// The least loss ratio that HighSpeed TCP's constants are chosen for (RFC 3649 §5).
const HIGH_LOSS: f64 = 1e-7;

/// Equation 32 of the paper.
const PFTK: &str = "8 × MSS × ((1−p)/p + W + Q/(1−p)) / (RTT (bW/2 + 1) + Q T0 f(p)/(1−p))";

impl Published {
    /// All of them, in the order of a legend.
    pub const ALL: [Published; 9] = [
        Published::Mathis,
        Published::MathisDelack,
        Published::Pftk,
        Published::PftkDelack,
        Published::Tfrc,
        Published::Cubic,
        Published::HighSpeed,
        Published::Scalable,
        Published::Window,
    ];

    /// What it is called on a command line.
    pub const fn name(self) -> &'static str {
        match self {
            Published::Mathis => "mathis",
            Published::MathisDelack => "mathis-delack",
            Published::Pftk => "pftk",
            Published::PftkDelack => "pftk-delack",
            Published::Tfrc => "tfrc",
            Published::Cubic => "cubic",
            Published::HighSpeed => "highspeed",
            Published::Scalable => "scalable",
            Published::Window => "window",
        }
    }

    /// Whether it is the law of this congestion control; the window limit is of every one.
    pub const fn is_of(self, cc: Cc) -> bool {
        match self {
            Published::Mathis
            | Published::MathisDelack
            | Published::Pftk
            | Published::PftkDelack
            | Published::Tfrc => matches!(cc, Cc::Reno),
            Published::Cubic => matches!(cc, Cc::Cubic),
            Published::HighSpeed => matches!(cc, Cc::HighSpeed),
            Published::Scalable => matches!(cc, Cc::Scalable),
            Published::Window => true,
        }
    }

    /// Goodput in bit/s of all connections together, whatever the line carries. `None` of a law of losses where nothing is lost,
    /// or all is.
    pub fn goodput_bps(self, on: Place) -> Option<f64> {
        let lossy = on.loss > 0.0 && on.loss < 1.0;
        if !lossy && self != Published::Window {
            return None;
        }
        let response = |cc| law::window(cc, on.loss, law::Conditions::of_rtt(on.rtt_s));
        let mathis = |acked| mathis_constant(Losses::Periodic, acked) / libm::sqrt(on.loss);
        let pftk = |segments_per_ack| {
            let model = Pftk {
                segments_per_ack,
                ..Pftk::of_rtt(on.rtt_s)
            };
            model.full(on.loss) * on.rtt_s
        };
        let segments = match self {
            Published::Mathis => mathis(1.0),
            Published::MathisDelack => mathis(2.0),
            Published::Pftk => pftk(1.0),
            Published::PftkDelack => pftk(2.0),
            Published::Tfrc => Pftk::of_rtt(on.rtt_s).tfrc(on.loss) * on.rtt_s,
            Published::Cubic => response(Cc::Cubic)?,
            Published::HighSpeed => response(Cc::HighSpeed)?,
            Published::Scalable => response(Cc::Scalable)?,
            Published::Window => on.window / on.mss,
        };
        Some(segments * on.mss * 8.0 / on.rtt_s * on.streams)
    }

    /// Whether the law holds there by its own range, [`Words::range`]. What the line or the window cuts off is not asked.
    pub fn holds(self, on: Place) -> bool {
        let least = match self {
            Published::Window => return true,
            Published::HighSpeed => HIGH_LOSS,
            _ => 0.0,
        };
        let most = match self {
            Published::Pftk | Published::PftkDelack | Published::Tfrc => TIMEOUTS_MAX,
            _ => LOSS_MAX,
        };
        !on.bursts && on.loss >= least && on.loss <= most
    }

    /// The law in words.
    pub const fn words(self) -> Words {
        let (title, formula, source, range) = match self {
            Published::Mathis => (
                "Mathis et al. 1997, C = 1.22",
                "8 × MSS / RTT × √(3/2) / √p",
                "Mathis et al., CCR 27(3), 1997",
                "Reno that grows by a segment in each RTT, periodic single losses, p up to 0.02, no timeouts",
            ),
            Published::MathisDelack => (
                "Mathis with delayed ACKs, C = 0.87",
                "8 × MSS / RTT × √(3/4) / √p",
                "Mathis et al., CCR 27(3), 1997",
                "Reno that counts ACKs, one for two segments; periodic single losses, p up to 0.02, no timeouts",
            ),
            Published::Pftk => (
                "PFTK 1998",
                PFTK,
                "Padhye et al., SIGCOMM 1998, equation 32, b = 1, T0 = 4 RTT",
                "Reno that grows by a segment in each RTT; losses of a round taken together, p up to 0.3, no window limit",
            ),
            Published::PftkDelack => (
                "PFTK with delayed ACKs",
                PFTK,
                "Padhye et al., SIGCOMM 1998, equation 32, b = 2, T0 = 4 RTT",
                "Reno that counts ACKs, one for two segments; losses of a round taken together, p up to 0.3, no window limit",
            ),
            Published::Tfrc => (
                "PFTK as in RFC 5348",
                "8 × MSS / (RTT √(2p/3) + 4 RTT × 3 √(3p/8) × p (1 + 32 p²))",
                "RFC 5348 §3.1, b = 1, t_RTO = 4 RTT",
                "Reno with timeouts; p of loss events, up to 0.3",
            ),
            Published::Cubic => (
                "CUBIC, RFC 9438",
                "8 × MSS / RTT × max((C(3+β)/(4(1−β)))^¼ (RTT/p)^¾, √(3/2)/√p), C = 0.4, β = 0.7",
                "RFC 9438 §5.1",
                "periodic single losses, p up to 0.02, no timeouts",
            ),
            Published::HighSpeed => (
                "HighSpeed, RFC 3649",
                "8 × MSS / RTT × max(0.12/p^0.835, √(3/2)/√p)",
                "RFC 3649 §5",
                "single losses, p from 1e-7 to 0.02; Reno's above 1e-3",
            ),
            Published::Scalable => (
                "Scalable, Kelly 2003",
                "8 × MSS / RTT × max(0.08/p, √(3/2)/√p)",
                "Kelly, CCR 33(2), 2003",
                "single losses, p up to 0.02; Reno's at 16 segments and below",
            ),
            Published::Window => (
                "Window limit, W / RTT",
                "8 × W / RTT",
                "RFC 7323 §1.1",
                "no loss, no queue; a ceiling wherever losses or the line allow less",
            ),
        };
        Words {
            title,
            formula,
            source,
            range,
        }
    }
}

impl fmt::Display for Published {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place = Place {
        rtt_s: 0.1,
        mss: 1448.0,
        loss: 1e-4,
        window: 65536.0,
        streams: 1.0,
        bursts: false,
    };

    fn at(law: Published, loss: f64) -> f64 {
        law.goodput_bps(Place { loss, ..PLACE }).expect("a value")
    }

    #[test]
    fn laws_are_their_formulas() {
        let unit = 1448.0 * 8.0 / 0.1;
        let near = |found: f64, wanted: f64| {
            assert!((found / wanted - 1.0).abs() < 1e-9, "{found} {wanted}")
        };
        for p in [1e-4, 1e-2] {
            near(at(Published::Mathis, p), unit * (1.5 / p).sqrt());
            near(at(Published::MathisDelack, p), unit * (0.75 / p).sqrt());
            let waits = 4.0 * 3.0 * (3.0 * p / 8.0).sqrt() * p * (1.0 + 32.0 * p * p);
            near(
                at(Published::Tfrc, p),
                unit / ((2.0 * p / 3.0).sqrt() + waits),
            );
            let reno = (1.5 / p).sqrt();
            let own = libm::pow(0.4 * 3.7 / 1.2, 0.25) * libm::pow(0.1 / p, 0.75);
            near(at(Published::Cubic, p), unit * own.max(reno));
            near(
                at(Published::HighSpeed, p),
                unit * (0.12 / libm::pow(p, 0.835)).max(reno),
            );
            near(at(Published::Scalable, p), unit * (0.08 / p).max(reno));
            near(at(Published::Window, p), 65536.0 * 80.0);
            let timeouts = at(Published::Pftk, p) / at(Published::Mathis, p);
            assert!((0.6..1.0).contains(&timeouts), "{timeouts}");
        }
        // With few losses there are no timeouts, and PFTK is Mathis's law.
        for (pftk, mathis) in [
            (Published::Pftk, Published::Mathis),
            (Published::PftkDelack, Published::MathisDelack),
        ] {
            let share = at(pftk, 1e-8) / at(mathis, 1e-8);
            assert!((share - 1.0).abs() < 2e-3, "{share}");
        }
    }

    #[test]
    fn laws_have_a_range() {
        let holds = |law: Published, loss| law.holds(Place { loss, ..PLACE });
        assert!(holds(Published::Mathis, 0.02) && !holds(Published::Mathis, 0.03));
        assert!(holds(Published::Pftk, 0.3) && !holds(Published::Tfrc, 0.31));
        assert!(!holds(Published::HighSpeed, 1e-8) && holds(Published::Window, 0.5));
        let bursts = Place {
            bursts: true,
            ..PLACE
        };
        assert!(!Published::Cubic.holds(bursts));
        let none = Place { loss: 0.0, ..PLACE };
        assert_eq!(Published::Mathis.goodput_bps(none), None);
        assert!(Published::Window.goodput_bps(none).is_some());
    }
}
