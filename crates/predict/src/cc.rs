//! The congestion controls the closed forms know.

use core::fmt;
use core::str::FromStr;

/// A congestion control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Cc {
    /// AIMD(1, ½) (RFC 5681).
    Reno,
    /// CUBIC (RFC 9438).
    #[default]
    Cubic,
    /// HighSpeed TCP (RFC 3649).
    HighSpeed,
    /// Scalable TCP (Kelly, CCR 33(2), 2003).
    Scalable,
    /// H-TCP (Leith and Shorten, PFLDnet 2004).
    Htcp,
    /// BIC (Xu, Harfoush and Rhee, INFOCOM 2004), with Linux's parameters.
    Bic,
    /// Hybla (Caini and Firrincieli, IJSCN 22(5), 2004).
    Hybla,
    /// Westwood+ (Grieco and Mascolo, CCR 34(2), 2004).
    Westwood,
    /// Vegas (Brakmo and Peterson, JSAC 13(8), 1995).
    Vegas,
    /// FAST (Wei, Jin, Low and Hegde, ToN 14(6), 2006).
    Fast,
    /// BBR, version 1 (Cardwell et al., ACM Queue 14(5), 2016).
    Bbr,
    /// BBR, version 3 (draft-ietf-ccwg-bbr).
    Bbr3,
}

impl Cc {
    /// All of them.
    pub const ALL: [Cc; 12] = [
        Cc::Reno,
        Cc::Cubic,
        Cc::HighSpeed,
        Cc::Scalable,
        Cc::Htcp,
        Cc::Bic,
        Cc::Hybla,
        Cc::Westwood,
        Cc::Vegas,
        Cc::Fast,
        Cc::Bbr,
        Cc::Bbr3,
    ];

    /// Whether it is a version of BBR: paced by a model of the path, and without a law of its losses.
    pub const fn is_bbr(self) -> bool {
        matches!(self, Cc::Bbr | Cc::Bbr3)
    }

    /// Whether it doubles each round trip at its start whatever the ACKs are for: BBR's Startup has the gain 2/ln 2, that of
    /// version 3 twice its window (Cardwell et al., ACM Queue 14(5), 2016; draft-ietf-ccwg-bbr).
    pub const fn doubles(self) -> bool {
        self.is_bbr()
    }

    /// Whether `farpath run` has a model of it to simulate; of the others there are closed forms alone.
    pub const fn is_simulated(self) -> bool {
        !matches!(self, Cc::Fast | Cc::Bbr3)
    }

    /// What to do where no closed form of it says, in words: simulate it, where there is a model.
    pub const fn without_form(self) -> &'static str {
        match self.is_simulated() {
            true => "simulate it",
            false => "there is nothing to simulate it with",
        }
    }

    /// What is forecast of it and what is not, in words, where nothing but closed forms knows it.
    pub const fn forms_alone(self) -> Option<&'static str> {
        match self {
            Cc::Fast => Some(
                "what the line, a window or a host leaves FAST; what losses and queues make of it is not, and no run simulates it",
            ),
            Cc::Bbr3 => Some(
                "what the line, losses and probes leave BBR version 3; no run simulates it, and `--cc bbr` is version 1, which has a model",
            ),
            _ => None,
        }
    }

    /// The name Linux gives it, where it has it.
    pub const fn name(self) -> &'static str {
        match self {
            Cc::Reno => "reno",
            Cc::Cubic => "cubic",
            Cc::HighSpeed => "highspeed",
            Cc::Scalable => "scalable",
            Cc::Htcp => "htcp",
            Cc::Bic => "bic",
            Cc::Hybla => "hybla",
            Cc::Westwood => "westwood",
            Cc::Vegas => "vegas",
            Cc::Fast => "fast",
            Cc::Bbr => "bbr",
            Cc::Bbr3 => "bbr3",
        }
    }
}

/// Whose rules an algorithm follows where they differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Rules {
    /// Those of the document that describes it.
    #[default]
    Document,
    /// Those of the Linux kernel.
    Linux,
}

/// The name is none of a congestion control the predictor knows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown congestion control `{0}`: use reno, cubic, highspeed, scalable, htcp, bic, \
        hybla, westwood, vegas, fast, bbr or bbr3"
)]
pub struct UnknownCc(String);

impl FromStr for Cc {
    type Err = UnknownCc;

    /// Reads a name, or a usual other one: `newreno`, `new-reno`, `hstcp`, `stcp`, `h-tcp`, `westwood+`, `bbr1`.
    fn from_str(text: &str) -> Result<Cc, UnknownCc> {
        let name = match text {
            "newreno" | "new-reno" => "reno",
            "hstcp" => "highspeed",
            "stcp" => "scalable",
            "h-tcp" => "htcp",
            "westwood+" => "westwood",
            "bbr1" => "bbr",
            other => other,
        };
        let found = Cc::ALL.into_iter().find(|cc| cc.name() == name);
        found.ok_or_else(|| UnknownCc(text.chars().take(40).collect()))
    }
}

impl fmt::Display for Cc {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
