//! A shaper that a text states and that a flow fills evenly. What it dropped since it was set up need not be as many as were sent again, and
//! a window that hosts come with is a guess beside it.

use crate::cause::Cause;
use crate::ceiling::{Limit, bps};
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::infer::{OVER, UNDER};
use crate::items::{Item, spread};
use crate::verdict::NARROW;

/// How many packets a shaper held back (`overlimits` of a tbf), and how many it sent, as facts of its host.
pub(crate) const SHAPER_HELD: [&str; 2] = ["shaper_overlimits", "shaper_packets"];

/// One that held back this part of all packets works. A choice: one that a flow does not fill holds back bursts alone.
const HELD: f64 = 0.1;

/// Payload fills a shaper that has this part of its rate: headers take 4 to 6 % of it in full frames.
const FULL: [f64; 2] = [0.93, 1.0];

/// What it says that a shaper counts packets which it held back, decibans. A choice: the count may be of another time.
const COUNTED: f64 = 6.0;

/// Intervals after the start that differ by less than this part of their mean stand at one rate. A choice.
const FLAT: f64 = 0.03;

/// A policer below so many times the shaper's rate may hold the flow as well.
const BESIDE: f64 = 1.15;

/// Causes whose ceilings hold a flow as evenly, where they are stated and leave as much.
const AS_EVEN: [Cause; 7] = [
    Cause::ReceiveWindow,
    Cause::SendBuffer,
    Cause::NoWindowScaling,
    Cause::Link,
    Cause::Application,
    Cause::Pacing,
    Cause::Disk,
];

impl Evidence {
    /// The rate of a stated shaper that the flow fills evenly, bit/s; none where a policer or another ceiling of its texts leaves as much.
    pub(crate) fn filled_shaper(&self, ceilings: &[Limit]) -> Option<&Figure> {
        let stated = self.shaper.as_ref().filter(|_| !self.udp)?;
        let rate = self.usual_rate()?.value;
        let part = rate / stated.value;
        let flat = spread(&self.steady).is_some_and(|s| s < FLAT);
        let policer = self.policer.as_ref();
        let policed = policer.is_some_and(|p| p.value < BESIDE * stated.value);
        let leaves = |l: &Limit| {
            let narrow = l.rate.high < NARROW * l.rate.low;
            let near = rate > UNDER * l.rate.low && rate < OVER * l.rate.high;
            narrow && near && AS_EVEN.contains(&l.cause)
        };
        let other = policed || ceilings.iter().any(leaves);
        let flat = flat || self.holds_back().is_some();
        let full = flat && (FULL[0]..=FULL[1]).contains(&part);
        (full && !other).then_some(stated)
    }

    /// Packets that the shaper held back, and all that it sent, where that is a large part.
    fn holds_back(&self) -> Option<[f64; 2]> {
        let held = self.around.shaper_held;
        held.filter(|[held, all]| *held >= HELD * all && *all > 0.0)
    }
}

/// Weighs it.
pub(crate) fn by_filled_shaper(e: &Evidence, ceilings: &[Limit], items: &mut Vec<Item>) {
    let Some((stated, rate)) = e.filled_shaper(ceilings).zip(e.usual_rate()) else {
        return;
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![
            (Cause::Shaper, 12.0),
            (Cause::Policer, -4.0),
            (Cause::ShallowBuffer, -4.0),
            (Cause::RandomLoss, -6.0),
        ],
        sentence: format!(
            "the rate stands at {:.0} % of the {} to which a shaper is set, as headers leave it",
            100.0 * rate.value / stated.value,
            bps(stated.value)
        ),
    });
    items.extend(e.holds_back().map(|[held, all]| Item {
        holds: 1.0,
        weights: vec![(Cause::Shaper, COUNTED)],
        sentence: format!(
            "its queue held {held:.0} packets back (overlimits) while {all:.0} left by it"
        ),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ceiling::ceilings;
    use crate::fact::Place;
    use crate::windows::room::Room;

    /// Even intervals of so many Mbit/s over 6.9 ms, behind a shaper of 20 Mbit/s.
    fn evidence(mbit: f64) -> Evidence {
        Evidence {
            rate: Some(Figure::exact(mbit * 1e6, Place::You)),
            rtt: Some(Figure::exact(6.9e-3, Place::You)),
            shaper: Some(Figure::exact(20e6, Place::You)),
            steady: vec![mbit * 1e6; 8],
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    fn is_filled(e: &Evidence) -> bool {
        e.filled_shaper(&ceilings(e)).is_some()
    }

    #[test]
    fn a_shaper_is_filled_where_the_rate_stands_right_below_it() {
        assert!(is_filled(&evidence(19.0)));
        assert!(is_filled(&evidence(18.8)));
        assert!(!is_filled(&evidence(17.0)));
        assert!(!is_filled(&evidence(20.6)));
        let uneven = Evidence {
            steady: [17e6, 21e6, 17e6, 21e6].to_vec(),
            ..evidence(19.0)
        };
        assert!(!is_filled(&uneven));
    }

    /// What else is stated and leaves as much may hold the flow as well.
    #[test]
    fn another_stated_ceiling_leaves_it_open() {
        let policed = Evidence {
            policer: Some(Figure::exact(20e6, Place::You)),
            ..evidence(19.0)
        };
        assert!(!is_filled(&policed));
        let asked = Evidence {
            application: Some(Figure::exact(19e6, Place::You)),
            ..evidence(19.0)
        };
        assert!(!is_filled(&asked));
        // 16384 bytes over 6.9 ms are 19.0 Mbit/s.
        let announced = Evidence {
            windows: vec![Room::announced(Figure::exact(16_384.0, Place::You))],
            ..evidence(19.0)
        };
        assert!(!is_filled(&announced));
    }
}
