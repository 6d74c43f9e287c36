//! BIC under periodic losses: linear growth far below the old window, a binary search near it
//! (Xu, Harfoush and Rhee, INFOCOM 2004).
//!
//! Below W_max the window gains S_max each round trip while the distance D to it is above 4·S_max,
//! D/4 down to a distance of 4 segments, and 0.2 from there (Linux: B = 4, smooth part 20). Counted
//! continuously: the window is taken to follow its growth within a round trip.
//!
//! That is where a segment counts as one. Linux's grows faster by [`ack_ratio`], but for windows of 14 segments and fewer, where it is
//! Reno.

use crate::solve::solve;

/// Windows that there may be, in powers of ten of segments.
const WINDOWS: [f64; 2] = [-15.0, 40.0];

/// BIC's parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bic {
    /// Most segments gained in a round trip.
    pub most: f64,
    /// What remains of the window after a loss.
    pub beta: f64,
}

/// Linux: 16 segments, 819/1024.
pub const LINUX: Bic = Bic {
    most: 16.0,
    beta: 819.0 / 1024.0,
};

/// The paper: 32 segments, 0.875.
pub const PAPER: Bic = Bic {
    most: 32.0,
    beta: 0.875,
};

/// Linux's `BICTCP_B`: the search covers a quarter of the distance each round trip.
const SEARCH: f64 = 4.0;
/// Distance below which growth is slowest, in segments.
const NEAR: f64 = 4.0;
/// Segments a round trip there.
const SLOWEST: f64 = 0.2;
/// The same distance in whole segments: a quarter of 8 are 2, and of 7 one.
const LAST: f64 = 7.0;

/// Window in segments at and below which it is Reno (Linux).
pub(crate) const LOW: f64 = 14.0;
/// Linux adds one for so many segments at least where it knows of no loss: 5 % a round trip.
const BLIND_EACH: f64 = 20.0;

/// Sixteenths of a segment, in which Linux measures them for each ACK, and what it begins with.
const SIXTEENTHS: u64 = 16;
const RATIO_FIRST: u64 = 2 * SIXTEENTHS;

/// The segments for each ACK as they are measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AckRatio {
    sixteenths: u64,
}

impl AckRatio {
    /// That of a connection that begins.
    pub(crate) const FIRST: AckRatio = AckRatio {
        sixteenths: RATIO_FIRST,
    };

    /// An ACK of so many segments.
    pub(crate) fn measure(&mut self, segments: u64) {
        self.sixteenths = self.sixteenths - self.sixteenths / SIXTEENTHS + segments;
    }

    /// What of `each`, segments for each one added, is left; at least 1.
    pub(crate) fn divide(self, each: u64) -> u64 {
        (each.saturating_mul(SIXTEENTHS) / self.sixteenths).max(1)
    }
}

/// Segments gained in a round trip from a window of `window` on where Linux's knows of no loss, or has forgotten all after a timeout, with
/// so many segments for each ACK: at most as many as the window has.
pub(crate) fn blind(window: f64, segments_per_ack: f64) -> f64 {
    if window <= LOW {
        return 1.0;
    }
    // A third of what is above the old window, of which it has none.
    let third = SEARCH - 1.0;
    let each = match window < LINUX.most * third {
        true => third,
        false => libm::floor(window / LINUX.most),
    };
    let each = libm::floor(libm::fmin(each, BLIND_EACH) / segments_per_ack);
    window / libm::fmax(each, 1.0)
}

/// Segments for each ACK as Linux's BIC measures them where every ACK is for `segments` of them, at least 1. By as much it grows faster:
/// it divides by them as if it counted ACKs, and counts segments (`bictcp_update` since Linux 5.7).
///
/// The mean is of whole sixteenths, moves by the whole segments that it is off, and begins with two: of one segment each 31/16 remain.
pub fn ack_ratio(segments: u32) -> f64 {
    let least = SIXTEENTHS * u64::from(segments);
    let left = RATIO_FIRST.clamp(least, least + SIXTEENTHS - 1);
    left as f64 / SIXTEENTHS as f64
}

/// One epoch: from the cut to the old window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Round trips.
    pub rounds: f64,
    /// Segments sent.
    pub segments: f64,
}

impl Bic {
    /// The epoch that climbs back to `top` segments.
    pub fn epoch(self, top: f64) -> Epoch {
        let mut epoch = Epoch {
            rounds: 0.0,
            segments: 0.0,
        };
        let mut distance = (1.0 - self.beta) * top;
        let mut add = |rounds: f64, missing: f64| {
            epoch.rounds += rounds;
            epoch.segments += top * rounds - missing;
        };
        let search_from = SEARCH * self.most;
        if distance > search_from {
            let rounds = (distance - search_from) / self.most;
            add(rounds, rounds * (distance + search_from) / 2.0);
            distance = search_from;
        }
        if distance > NEAR {
            add(
                SEARCH * libm::log(distance / NEAR),
                SEARCH * (distance - NEAR),
            );
            distance = NEAR;
        }
        let rounds = distance / SLOWEST;
        add(rounds, rounds * distance / 2.0);
        epoch
    }

    /// Segments gained in a round trip that begins at a window of `window`, below the old one of `top`, as Linux counts: in whole
    /// segments (`bictcp_update`). So it is slowest from 7 segments below the old window on, and a round trip that gets there in
    /// its middle is slow from there.
    pub fn increase(self, window: f64, top: f64) -> f64 {
        let missing = libm::floor(top) - libm::floor(window);
        let distance = libm::floor(missing / SEARCH);
        if distance > self.most {
            return self.most;
        }
        if distance <= 1.0 {
            return SLOWEST;
        }
        let search = libm::fmin(missing - LAST, distance);
        search + (1.0 - search / distance) * SLOWEST
    }

    /// Mean window in segments under periodic losses of ratio `loss`, in BIC's own region.
    pub fn own_window(self, loss: f64) -> f64 {
        let epoch = self.epoch(solve(1.0 / loss, WINDOWS, |top| self.epoch(top).segments));
        epoch.segments / epoch.rounds
    }

    /// The loss ratio at which [`Bic::own_window`] is `window`.
    pub fn own_loss_for(self, window: f64) -> f64 {
        let mean = |top| {
            let epoch = self.epoch(top);
            epoch.segments / epoch.rounds
        };
        1.0 / self.epoch(solve(window, WINDOWS, mean)).segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 32 + 1 - 2 = 31 sixteenths stay; two segments, four and 44 are what they are.
    #[test]
    fn linux_measures_whole_sixteenths_for_each_ack() {
        let found = [1, 2, 4, 44].map(ack_ratio);
        assert_eq!(found, [31.0 / 16.0, 2.0, 4.0, 44.0]);
        for segments in [1, 2, 4, 44] {
            let mut ratio = AckRatio::FIRST;
            (0..1000).for_each(|_| ratio.measure(segments.into()));
            let stays = ratio.sixteenths as f64 / 16.0;
            assert_eq!(stays, ack_ratio(segments));
            assert_eq!(ratio.divide(5000), (5000.0 / stays) as u64);
            assert_eq!(ratio.divide(1), 1);
        }
    }

    /// One for 3, 6 and 20 segments, by two segments an ACK for 1, 3 and 10; up to 14 one a round trip.
    #[test]
    fn without_a_loss_linux_grows_by_a_third_and_less() {
        let found = [14.0, 30.0, 96.0, 960.0].map(|w| [1.0, 2.0].map(|b| blind(w, b)));
        let wanted = [[1.0, 1.0], [10.0, 30.0], [16.0, 32.0], [48.0, 96.0]];
        assert_eq!(found, wanted);
    }

    /// `bictcp_update` by hand: 69, 65, 40, 9, 8 and 7 segments below a window of 1000.
    #[test]
    fn linux_counts_whole_segments() {
        for (window, gained) in [
            (931.0, 16.0),
            (935.0, 16.0),
            (960.0, 10.0),
            (991.0, 2.0),
            (992.0, 1.1),
            (993.0, 0.2),
            (999.9, 0.2),
        ] {
            let found = LINUX.increase(window, 1000.0);
            assert!((found - gained).abs() < 1e-12, "{window}: {found}");
        }
    }

    /// The last seven segments take five round trips each.
    #[test]
    fn the_last_segments_take_thirty_five_round_trips() {
        let (mut window, mut rounds) = (993.0, 0);
        while window < 1000.0 - 1e-6 {
            window += LINUX.increase(window, 1000.0);
            rounds += 1;
        }
        assert_eq!(rounds, 35);
    }
}
