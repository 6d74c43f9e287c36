//! Land-speed records: distance times rate, and what an announcement says about itself.

use farpath_units::{Distance, Duration, Rate, Size};

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

impl Announcement {
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
