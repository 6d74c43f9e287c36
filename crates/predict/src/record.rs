//! Land-speed records: distance times rate, and what an announcement says about itself.

use core::fmt;

use farpath_units::{Distance, Duration, Rate, Size};

use crate::answer::{Answer, answer};
use crate::rtt::fibre_floor_s;
use crate::window::seconds;

/// The land-speed product in terabit-metres per second: distance × rate (Internet2 Land Speed
/// Record rules). Numerically km × Gbit/s.
pub fn product_tbm_per_s(route: Distance, rate: Rate) -> f64 {
    route.as_m() as f64 * rate.as_bps() as f64 / 1e12
}

/// The route in metres that a mark in Tb·m/s and a rate imply.
pub fn implied_m(mark_tbm_per_s: f64, rate: Rate) -> f64 {
    mark_tbm_per_s * 1e12 / rate.as_bps() as f64
}

/// The rate in bit/s that a mark in Tb·m/s and a route imply.
pub fn implied_bps(mark_tbm_per_s: f64, route: Distance) -> f64 {
    mark_tbm_per_s * 1e12 / route.as_m() as f64
}

/// What a record announcement states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Announcement {
    /// Length of the route.
    pub route: Distance,
    /// Rate claimed.
    pub rate: Rate,
    /// The mark claimed, in Tb·m/s.
    pub mark_tbm_per_s: Option<f64>,
    /// Data moved.
    pub volume: Option<Size>,
    /// Time it took.
    pub time: Option<Duration>,
}

/// A figure of an announcement that its other figures contradict.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Contradiction {
    /// The mark is not route × rate.
    Mark {
        /// Route × rate in Tb·m/s.
        product: f64,
        /// The route in metres the mark implies.
        implied_m: f64,
        /// The rate in bit/s the mark implies.
        implied_bps: f64,
    },
    /// The volume over the time is not the rate.
    Volume {
        /// 8 × volume / time in bit/s.
        implied_bps: f64,
    },
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contradiction::Mark {
                product,
                implied_m,
                implied_bps,
            } => write!(
                f,
                "The mark is not distance × rate ({product:.1} Tb m/s): it implies {:.1} km, or {:.4} Gbit/s.",
                implied_m / 1e3,
                implied_bps / 1e9
            ),
            Contradiction::Volume { implied_bps } => {
                write!(
                    f,
                    "The volume over the time is {:.3} Gbit/s, not the rate.",
                    implied_bps / 1e9
                )
            }
        }
    }
}

impl Announcement {
    /// The record's figures: product, implied length, window at the least RTT.
    pub fn answers(&self) -> Vec<Answer> {
        const RULES: &str = "Internet2 Land Speed Record rules";
        let product = product_tbm_per_s(self.route, self.rate);
        let floor = fibre_floor_s(self.route);
        let contradictions: Vec<String> = self
            .contradictions()
            .iter()
            .map(Contradiction::to_string)
            .collect();
        let implied = self
            .mark_tbm_per_s
            .map(|mark| implied_m(mark, self.rate) / 1e3);
        vec![
            answer("product_tbm_per_s", product, "Tb m/s")
                .by("distance × rate", RULES)
                .note(contradictions.join(" "))
                .holds("distance as the announcement counts it: routed, or between cities"),
            answer("implied_km", implied, "km")
                .by("mark / rate", RULES)
                .holds("a mark computed from the rate announced"),
            answer(
                "window_at_floor_bytes",
                floor * self.rate.as_bps() as f64 / 8.0,
                "B",
            )
            .by("rate × RTT / 8", "RFC 7323 §1.1")
            .holds("the least RTT; more in proportion to the real one"),
        ]
    }

    /// What does not fit: a mark further than 0.05 % from the product, or a mean rate further than
    /// 2 % from the rate (minutes and volumes are announced to two or three digits).
    pub fn contradictions(&self) -> Vec<Contradiction> {
        const MARK_SLACK: f64 = 5e-4;
        const VOLUME_SLACK: f64 = 0.02;
        let mut found = Vec::new();
        let product = product_tbm_per_s(self.route, self.rate);
        if let Some(mark) = self.mark_tbm_per_s
            && (mark - product).abs() > MARK_SLACK * product
        {
            found.push(Contradiction::Mark {
                product,
                implied_m: implied_m(mark, self.rate),
                implied_bps: implied_bps(mark, self.route),
            });
        }
        if let (Some(volume), Some(time)) = (self.volume, self.time) {
            let implied_bps = volume.as_bytes() as f64 * 8.0 / seconds(time);
            let rate = self.rate.as_bps() as f64;
            if (implied_bps - rate).abs() > VOLUME_SLACK * rate {
                found.push(Contradiction::Volume { implied_bps });
            }
        }
        found
    }
}
