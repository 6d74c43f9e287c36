//! A rate that stands below what its line leaves for payload, without a loss and without a queue: a full line leaves all of it.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::interfaces::bundle;
use crate::interfaces::own_port;
use crate::items::{Item, spread, step};

/// From this part of what the line leaves down a rate is surely not all of it, and from the second on it may be: framings, tunnels and
/// interrupted seconds cost a few in a hundred. A choice, as those below.
const BELOW: [f64; 2] = [0.90, 0.96];

/// A rate below this part is not near the line at all.
const NEAR: f64 = 0.8;

/// A rate stands where its intervals differ by less than this part of their mean.
const LEVEL: f64 = 0.03;

/// A line is full whose queue adds more than this part of the least round trip.
const QUEUED: f64 = 0.1;

/// A line whose bounds lie further apart than this, as a factor, leaves no rate that is known.
const EXACT: f64 = 1.02;

/// What it says against a full line, decibans.
const AGAINST: f64 = -20.0;

/// What is said of the line at most where it surely stands below: it is not a verdict, unless a full queue may have dropped something.
const UNSHOWN: f64 = 0.39;
const LOSSY: f64 = 0.6;

impl Evidence {
    /// Whether something shows that a queue stands, or where the time went.
    fn shows_queue(&self) -> bool {
        let added = self.queueing().zip(self.rtt_floor.as_ref());
        let queued = added.is_some_and(|(added, floor)| added > QUEUED * floor.value);
        let by_window = self.outgrown().is_some() || self.saw().is_some();
        queued || by_window || self.waits().is_some() || self.account.is_some()
    }

    /// Whether nothing was sent again, but by what slow start overshot.
    fn loses_nothing_later(&self) -> bool {
        let again = self.retransmits.as_ref();
        again.is_some_and(|again| again.value <= 1.0) || self.start_only() > 0.5
    }

    /// The part of what the line leaves at which the rate stands, and how surely a full line would leave more, 0 to 1; none where it is not
    /// near the line, or something shows that this is full.
    fn level_below(&self) -> Option<(f64, f64)> {
        let (line, what) = self.line.as_ref()?;
        let several = self.around.group.is_some() || self.around.others > 0.0;
        let by_rate = [own_port::CALLED, bundle::LEFT].contains(what);
        let known = line.high <= EXACT * line.low && !by_rate;
        let slower = self.lower_port().is_some();
        if self.udp || self.is_bbr() || several || !known || slower || self.climbs() {
            return None;
        }
        let late = self.late().filter(|late| *late > 0.0)?;
        let level = spread(&self.steady).is_some_and(|s| s < LEVEL);
        let open = level && !self.shows_queue();
        let part = late / (line.value * self.payload_share());
        let surely = 1.0 - step(part, BELOW[0], BELOW[1]);
        (open && part > NEAR && surely > 0.0).then_some((part, surely))
    }

    /// The same where nothing was lost meanwhile: a full queue drops some.
    fn stands_below(&self) -> Option<(f64, f64)> {
        self.level_below().filter(|_| self.loses_nothing_later())
    }

    /// The most that is said of a line above such a rate.
    pub(crate) fn at_most_of_line_above(&self) -> f64 {
        let surely = self.level_below().map_or(0.0, |(_, surely)| surely);
        let least = match self.loses_nothing_later() {
            true => UNSHOWN,
            false => LOSSY,
        };
        1.0 - (1.0 - least) * surely
    }
}

/// Weighs such a rate.
pub(crate) fn by_line_above(e: &Evidence, items: &mut Vec<Item>) {
    let Some((part, surely)) = e.stands_below() else {
        return;
    };
    items.push(Item {
        holds: surely,
        weights: vec![(Cause::Link, AGAINST)],
        sentence: format!(
            "the rate stood at {}, {:.0} % of what the line leaves for payload, and neither losses nor a queue show: a full line leaves all of it; a window, a processor, pacing, a shaper or others on the line leave less",
            bps(e.late().unwrap_or(0.0)),
            100.0 * part
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    fn figure(value: f64) -> Figure {
        Figure::exact(value, Place::You)
    }

    /// Seconds at so many Mbit/s on a line of 1 Gbit/s, which leaves 941.5; nothing was sent again.
    fn evidence(mbit: f64) -> Evidence {
        Evidence {
            rate: Some(figure(mbit * 1e6)),
            line: Some((figure(1e9), "the line")),
            retransmits: Some(figure(0.0)),
            steady: vec![mbit * 1e6; 8],
            peak: mbit * 1e6,
            interval_s: 1.0,
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    #[test]
    fn the_further_below_its_line_the_less_is_said_of_it() {
        let most = |mbit: f64| evidence(mbit).at_most_of_line_above();
        assert!(most(941.0) > 0.99 && most(910.0) > 0.99);
        let falls = [900.0, 880.0, 860.0, 840.0].map(most);
        assert!(falls.windows(2).all(|w| w[0] > w[1]), "{falls:?}");
        assert!(falls[2] < 0.6 && falls[3] < 0.4, "{falls:?}");
        // 700 Mbit/s do not fill a line of 1 Gbit/s, whatever is said here.
        assert_eq!(evidence(700.0).stands_below(), None);
    }

    #[test]
    fn losses_queues_and_what_varies_may_be_of_a_full_line() {
        let lossy = Evidence {
            retransmits: Some(figure(767.0)),
            ..evidence(850.0)
        };
        let most = lossy.at_most_of_line_above();
        assert!((0.6..0.7).contains(&most), "{most}");
        let queued = Evidence {
            rtt_floor: Some(figure(0.02)),
            rtt_loaded: Some(figure(0.05)),
            ..evidence(850.0)
        };
        let varies = Evidence {
            steady: [800.0, 850.0, 900.0, 840.0].map(|m| m * 1e6).to_vec(),
            ..evidence(850.0)
        };
        let bbr = Evidence {
            cc: Some("bbr".to_owned()),
            ..evidence(850.0)
        };
        for e in [lossy, queued, varies, bbr] {
            assert_eq!(e.stands_below(), None, "{e:?}");
        }
    }
}
