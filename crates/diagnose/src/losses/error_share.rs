//! Frames that arrived damaged, as a share of all that their interface received: what one reading of a counter says.
//!
//! Plugs and cables damage their share of whatever passes, so that the share since the start is about that of now. Drops are not such
//! a share: they come while a host is busy.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::hosts::tally::Tally;
use crate::items::{Item, step};
use crate::part::part;

/// A smaller share is noise. One bit in 10^12 (IEEE 802.3) damages one frame of 1500 bytes in 80 million; this is eight times as much. A choice.
pub(crate) const NOISE: f64 = 1e-7;

/// A share may hold the rate from so many times what Reno's law needs for it on, and surely from the second: CUBIC's needs more.
const ENOUGH: [f64; 2] = [1.0, 3.0];

/// Damaged frames account for lost pings where their share of all is this part of the share of pings at least. A choice: a count since the start is
/// a mean of all that time, and of the pings' two ways one interface counts one.
const ACCOUNTS: f64 = 0.1;

/// What that is worth beside the loss and the damage themselves, decibans. A choice.
const BOTH: f64 = 4.0;

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
    /// The shares of pings that were lost, and of frames that arrived damaged, where no rate was measured and the latter account for the former.
    fn damages_pings(&self) -> Option<[f64; 2]> {
        let untested = self.rate.is_none() && !self.udp;
        let (lost, damaged) = (self.idle_loss.as_ref()?, self.around.damaged.as_ref()?);
        let share = damaged.share_of_all()?;
        // Where nothing comes back the host may be away.
        let some = lost.low > 0.0 && lost.value < 1.0 && damaged.count.value > 0.0;
        let accounts = share >= ACCOUNTS * lost.value;
        (untested && some && accounts).then_some([lost.value, share])
    }

    /// Whether a line that damages frames shows in lost pings, without any rate.
    pub(crate) fn damage_loses_pings(&self) -> bool {
        self.damages_pings().is_some()
    }

    /// Takes damaged frames for those of what is lost at whichever end they arrive, where pings alone were lost: these go both ways.
    pub(crate) fn of_either_way(&mut self) {
        let loses = self.idle_loss.as_ref().is_some_and(|l| l.low > 0.0);
        let around = &mut self.around;
        if self.rate.is_none() && loses && around.damaged.is_none() {
            let back = around.damaged_back.take();
            around.damaged = back.filter(|damaged| !damaged.is_noise());
        }
    }

    /// The share of losses by chance that leaves the rate, by Reno's root (RFC 5348 §3.1): 1.5 over the square of the segments in flight. None
    /// of datagrams, of a sender of BBR, and without a round trip.
    fn needed_share(&self) -> Option<f64> {
        let rate = self.rate.as_ref().filter(|_| !self.udp && !self.is_bbr())?;
        let rtt = self.rtt_by_itself()?;
        let segments = rate.value * rtt.value / 8.0 / self.mss / self.streams;
        (segments > 0.0).then(|| 1.5 / (segments * segments))
    }
}

/// Weighs pings that are lost beside frames that arrive damaged.
pub(crate) fn by_lost_pings(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.damages_pings().map(|[lost, damaged]| Item {
        holds: 1.0,
        weights: vec![(Cause::RandomLoss, BOTH)],
        sentence: format!(
            "{} of the frames of that interface arrived damaged, and {} of pings were lost: a cable, a plug, a transceiver or the port at either end of it damages what passes",
            part(damaged),
            part(lost)
        ),
    }));
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
