//! Folded paths: what a link gives to a tunnel that crosses it many times.
//!
//! Label-switched paths over one link, stitched end to end, make a path that crosses the link
//! again and again, in alternating directions. All crossings of one direction share its
//! transmitter, so a direction crossed k times gives each byte of the tunnel 1/k of its rate.

use farpath_units::{Duration, Rate};

use crate::answer::{Answer, Value, answer};
use crate::window::seconds;

/// The direction in which one LSP crosses a link whose ends are a and b.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// From a to b.
    AToB,
    /// From b to a.
    BToA,
}

/// How often a path crosses a link in each direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crossings {
    /// Times from a to b.
    pub a_to_b: u32,
    /// Times from b to a.
    pub b_to_a: u32,
}

impl Crossings {
    /// Counts a list of LSPs.
    pub fn count(lsps: &[Crossing]) -> Crossings {
        let a_to_b = lsps.iter().filter(|c| **c == Crossing::AToB).count() as u32;
        Crossings {
            a_to_b,
            b_to_a: lsps.len() as u32 - a_to_b,
        }
    }

    /// Both directions together: the passes of a path over the link.
    pub fn passes(self) -> u32 {
        self.a_to_b.saturating_add(self.b_to_a)
    }

    /// The greater of the two.
    pub fn most(self) -> u32 {
        self.a_to_b.max(self.b_to_a)
    }

    /// The crossings of two paths together.
    #[must_use]
    pub fn and(self, other: Crossings) -> Crossings {
        Crossings {
            a_to_b: self.a_to_b.saturating_add(other.a_to_b),
            b_to_a: self.b_to_a.saturating_add(other.b_to_a),
        }
    }

    /// The same path the other way round.
    #[must_use]
    pub fn reversed(self) -> Crossings {
        Crossings {
            a_to_b: self.b_to_a,
            b_to_a: self.a_to_b,
        }
    }
}

/// One full-duplex link as a tunnel uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkUse {
    /// Rate of each direction.
    pub rate: Rate,
    /// Crossings by the path out.
    pub out: Crossings,
    /// Crossings by the path back.
    pub back: Crossings,
}

/// What the links of a folded path leave to its ends, in bit/s on the wire of the tightest link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// Only the path out carries data ("half duplex" in the CERN note).
    pub out_bps: f64,
    /// Only the path back does.
    pub back_bps: f64,
    /// Each carries as much as the other at the same time ("full duplex").
    pub each_way_bps: f64,
}

/// The capacity of a folded path: for each link its rate over the greatest number of crossings of
/// one direction; the least over all links. `None` when no link is crossed.
pub fn capacity(links: &[LinkUse]) -> Option<Capacity> {
    let least = |crossings: &dyn Fn(&LinkUse) -> u32| {
        links
            .iter()
            .filter(|l| crossings(l) > 0)
            .map(|l| l.rate.as_bps() as f64 / f64::from(crossings(l)))
            .reduce(f64::min)
    };
    Some(Capacity {
        out_bps: least(&|l| l.out.most())?,
        back_bps: least(&|l| l.back.most())?,
        each_way_bps: least(&|l| l.out.and(l.back).most())?,
    })
}

/// Why a list of LSPs does not make a tunnel.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StitchError {
    /// One direction has no LSP.
    #[error("the tunnel {tunnel} has no label-switched path")]
    Empty {
        /// `out` or `back`.
        tunnel: &'static str,
    },
    /// Two LSPs in a row cross the link in the same direction.
    #[error(
        "the tunnel {tunnel} breaks between hop {before} and hop {after}: both cross the link in the same direction"
    )]
    Gap {
        /// `out` or `back`.
        tunnel: &'static str,
        /// The first of the two, counted from 1.
        before: usize,
        /// The second.
        after: usize,
    },
    /// The way back begins where the way out begins its last crossing.
    #[error("the tunnel back does not begin at the router where the tunnel out ends")]
    OneWay,
}

/// A tunnel of stitched LSPs over one link, there and back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folded {
    /// The link under it.
    pub link: LinkUse,
    /// The link's own round-trip time: both directions once.
    pub link_rtt: Duration,
}

impl Folded {
    /// A tunnel of `passes` alternating LSPs from a, and its mirror image from where that ends.
    pub fn of_passes(rate: Rate, link_rtt: Duration, passes: u32) -> Folded {
        let out = Crossings {
            a_to_b: passes.div_ceil(2),
            b_to_a: passes / 2,
        };
        // An odd number ends at b and the way back is the mirror image; an even number ends at a,
        // from where the way back is the same walk again.
        let back = if passes.is_multiple_of(2) {
            out
        } else {
            out.reversed()
        };
        Folded {
            link: LinkUse { rate, out, back },
            link_rtt,
        }
    }

    /// A tunnel from the LSPs of its two directions, in the order they are stitched.
    ///
    /// # Errors
    /// A direction without LSPs, an LSP that does not begin where the one before it ends, a way
    /// back that does not begin where the way out ends.
    pub fn of_lsps(
        rate: Rate,
        link_rtt: Duration,
        out: &[Crossing],
        back: &[Crossing],
    ) -> Result<Folded, StitchError> {
        for (lsps, tunnel) in [(out, "out"), (back, "back")] {
            if lsps.is_empty() {
                return Err(StitchError::Empty { tunnel });
            }
            if let Some(before) = lsps.windows(2).position(|pair| pair[0] == pair[1]) {
                return Err(StitchError::Gap {
                    tunnel,
                    before: before + 1,
                    after: before + 2,
                });
            }
        }
        if out.last() == back.first() {
            return Err(StitchError::OneWay);
        }
        let link = LinkUse {
            rate,
            out: Crossings::count(out),
            back: Crossings::count(back),
        };
        Ok(Folded { link, link_rtt })
    }

    /// Whether the path out ends at the router it left: as many crossings one way as the other.
    pub fn returns_to_start(&self) -> bool {
        self.link.out.a_to_b == self.link.out.b_to_a
    }

    /// The tunnel's RTT in seconds by propagation alone: half the link's RTT for each crossing.
    pub fn rtt_s(&self) -> f64 {
        let crossings = self
            .link
            .out
            .passes()
            .saturating_add(self.link.back.passes());
        f64::from(crossings) * seconds(self.link_rtt) / 2.0
    }

    /// Load of direction a to b over that of b to a when only the path out carries data. `None`
    /// when b to a carries none.
    pub fn load_ratio(&self) -> Option<f64> {
        let out = self.link.out;
        (out.b_to_a > 0).then(|| f64::from(out.a_to_b) / f64::from(out.b_to_a))
    }

    /// The tunnel's figures, each with formula, source and range.
    pub fn answers(&self) -> Vec<Answer> {
        const NOTE: &str = "CERN, Snaky CCC tunnel, 24 August 2004, Bandwidth considerations";
        const RANGE: &str = "full-duplex link, no other traffic, one transmitter for all crossings \
                             of a direction; rate of frames as the link carries them, labels included";
        let LinkUse { out, back, .. } = self.link;
        let limits = capacity(&[self.link]);
        let of = |f: fn(&Capacity) -> f64| limits.as_ref().map(f);
        let rule = "C is the rate left for frames: of an STM-64 9.58464 Gbit/s, not its 9.95328 Gbit/s \
                    line rate or \"10 Gbit/s\".";
        let overload = "Above it the tunnel overtakes itself in the queue, and what is delivered falls \
                        as the load rises.";
        vec![
            answer("passes", f64::from(out.passes()), "")
                .by("n = LSPs stitched in one direction", NOTE)
                .note(self.pass_note())
                .holds("any number; odd between two sites"),
            answer("rtt_s", self.rtt_s(), "s")
                .by("(n_out + n_back) × RTT_link / 2", "arithmetic")
                .note("Serialisation and forwarding come on top.")
                .holds("propagation only"),
            answer("each_way_bps", of(|c| c.each_way_bps), "bit/s")
                .by(
                    "C / most crossings of a direction by both paths; C/n for n passes",
                    NOTE,
                )
                .note(rule)
                .note(overload)
                .holds(RANGE),
            answer("one_way_bps", of(|c| c.out_bps), "bit/s")
                .by(
                    "C / most crossings of a direction by the path out; C/⌈n/2⌉ for n passes",
                    NOTE,
                )
                .note(rule)
                .note(overload)
                .holds(RANGE),
            answer("back_bps", of(|c| c.back_bps), "bit/s")
                .by("C / most crossings of a direction by the path back", NOTE)
                .holds(RANGE),
            answer(
                "load_ratio",
                Value::Text(format!("{}:{}", out.a_to_b, out.b_to_a)),
                "",
            )
            .by("crossings a to b : crossings b to a", "arithmetic")
            .note(format!(
                "By payload of data on the path out; acknowledgements load the same link {}:{} and \
                     pull the ratio of bytes towards 1.",
                back.a_to_b, back.b_to_a
            ))
            .holds("one flow along the path out"),
        ]
    }

    fn pass_note(&self) -> String {
        if self.returns_to_start() {
            return "An even number of alternating passes ends at the router it left: it joins two \
                    interfaces of one site, never two sites."
                .to_owned();
        }
        String::new()
    }
}
