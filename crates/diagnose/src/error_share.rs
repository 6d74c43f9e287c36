//! Frames that arrived damaged, as a share of all that their interface received: what one reading of a counter says.
//!
//! Plugs and cables damage their share of whatever passes, so that the share since the start is about that of now. Drops are not such
//! a share: they come while a host is busy.

use crate::evidence::Evidence;
use crate::items::step;
use crate::tally::Tally;

/// A smaller share is noise. One bit in 10^12 (IEEE 802.3) damages one frame of 1500 bytes in 80 million; this is eight times as much. A choice.
const NOISE: f64 = 1e-7;

/// A share may hold the rate from so many times what Reno's law needs for it on, and surely from the second: CUBIC's needs more.
const ENOUGH: [f64; 2] = [1.0, 3.0];

impl Tally {
    /// What it stands at over all frames of its interface, 0 to 1; none where these are not known.
    pub(crate) fn share_of_all(&self) -> Option<f64> {
        let all = self.received? + self.stood;
        (all > 0.0).then(|| self.stood / all)
    }

    /// Whether what was read once is so small a share that every line has it.
    pub(crate) fn is_noise(&self) -> bool {
        let small = self.share_of_all().is_some_and(|share| share < NOISE);
        small && !self.grew && self.count.value > 0.0
    }

    /// How surely it counts, 0 to 1, as [`Tally::holds`] has it: what was read once counts as what grew where its share of all frames
    /// would leave no more than the rate.
    pub(crate) fn holds_by_share(&self, e: &Evidence, [least, enough]: [f64; 2]) -> f64 {
        let half = self.holds(least, enough);
        let whole = step(self.count.value, least, enough);
        let shares = self.share_of_all().zip(e.needed_share());
        let sure = shares.map_or(0.0, |(own, needed)| {
            step(own / needed, ENOUGH[0], ENOUGH[1])
        });
        half + sure * (whole - half)
    }
}

impl Evidence {
    /// The share of losses by chance that leaves the rate, by Reno's root (RFC 5348 §3.1): 1.5 over the square of the segments in flight. None
    /// of datagrams, of a sender of BBR, and without a round trip.
    fn needed_share(&self) -> Option<f64> {
        let rate = self.rate.as_ref().filter(|_| !self.udp && !self.is_bbr())?;
        let rtt = self.rtt_by_itself()?;
        let segments = rate.value * rtt.value / 8.0 / self.mss / self.streams;
        (segments > 0.0).then(|| 1.5 / (segments * segments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// 100 Mbit/s over 100 ms are 863 segments in flight: losses of 2.0e-6 leave no more.
    fn evidence() -> Evidence {
        Evidence {
            rate: Some(Figure::exact(100e6, Place::You)),
            rtt: Some(Figure::exact(0.1, Place::You)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    /// 4000 damaged frames beside so many that arrived whole.
    fn damaged(received: Option<f64>) -> Tally {
        Tally {
            received,
            ..Tally::once(&Figure::exact(4000.0, Place::You))
        }
    }

    #[test]
    fn one_reading_counts_by_its_share_of_all_frames() {
        let holds =
            |received: Option<f64>| damaged(received).holds_by_share(&evidence(), [1.0, 50.0]);
        // Of how many nobody knows, and of far more than the law needs.
        assert_eq!(holds(None), 0.5);
        assert_eq!(holds(Some(1e10)), 0.5);
        assert_eq!(holds(Some(1e8)), 1.0);
        let grew = Tally {
            grew: true,
            ..damaged(Some(1e10))
        };
        assert_eq!(grew.holds_by_share(&evidence(), [1.0, 50.0]), 1.0);
        // BBR has no such law.
        let bbr = Evidence {
            cc: Some("bbr".to_owned()),
            ..evidence()
        };
        assert_eq!(damaged(Some(1e8)).holds_by_share(&bbr, [1.0, 50.0]), 0.5);
    }

    #[test]
    fn a_share_that_every_line_has_is_noise() {
        assert!(damaged(Some(1e12)).is_noise());
        assert!(!damaged(Some(1e10)).is_noise());
        assert!(!damaged(None).is_noise());
        let grew = Tally {
            grew: true,
            ..damaged(Some(1e12))
        };
        assert!(!grew.is_noise());
    }
}
