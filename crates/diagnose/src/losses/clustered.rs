//! Losses that lie together in time: whole intervals of many segments lose nothing, and others lose all. Chance that takes the same share at
//! any time does not leave that.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::items::{Item, step};
use crate::seen::{Row, Side, after_start, shortest};

/// So many segments sent again are taken for one loss by chance, as what is lost beside it, or once more as it is repaired. A choice, as
/// those below.
const TOGETHER: f64 = 10.0;

/// Losses that intervals without any would have had by chance: from so many on that is unlikely, and ruled out from so many. The odds are
/// e to the minus 4 and to the minus 10.
const MISSED: [f64; 2] = [4.0, 10.0];

/// Fewer intervals without a loss show nothing.
const CLEAN_LEAST: usize = 2;

/// What it says against chance, decibans.
const AGAINST: f64 = -60.0;

/// In an interval of so many round trips a queue or a policer that a flow fills by itself overflows again and again.
const ROUNDS: f64 = 100.0;

/// Most that is said of any kind of loss then, and where its window began anew besides: that is not a verdict.
const SHORT: f64 = 0.6;
const ANEW: f64 = 0.39;

/// A window of so many segments at most has just begun anew, after a timeout, and is seen in as many intervals as this.
const BEGINS: f64 = 2.0;
const BEGINS_LEAST: usize = 2;

/// Losses that lie together.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Clustered {
    /// Intervals after the start without a loss, and all of them.
    clean: [usize; 2],
    /// Segments that the former carried.
    segments: f64,
    /// Segments sent again in the others.
    again: f64,
    /// Losses that chance at their mean share would have left in the former, where each is of ten segments.
    missed: f64,
    /// Whether intervals are long beside the round trip.
    long: bool,
    /// Whether the window began anew in several intervals.
    anew: bool,
}

impl Evidence {
    /// Whether more is known of its losses than when they came.
    fn knows_losses(&self) -> bool {
        let lost = self.idle_loss.as_ref().is_some_and(|l| l.low > 0.0);
        let around = &self.around;
        let air = around.air.is_some() || around.weak_radio.is_some() || around.struck.is_some();
        let counted = around.is_damaged() || around.own_drops.is_some();
        let ports = around.ports.dropped.is_some() || around.ports.surely_police(self);
        let policed = self.policer.is_some() || self.found_policer.is_some();
        let captured = self.account.is_some() || self.loss_pattern.is_some();
        let datagrams = !self.counted_else.lacks_datagrams();
        let sockets = self.counted_else.overflows();
        lost || air || counted || ports || policed || captured || datagrams || sockets
    }

    /// Whether what is sent again need not have been lost: a sender without SACK repeats what arrived.
    fn repeats_what_arrived(&self) -> bool {
        let sack = self.no_sack.is_some() || !self.sack_off.is_empty();
        let stripped = self.stripped.iter().any(|s| s.is_sack_between());
        sack || stripped || self.resends_for_nothing()
    }

    /// Losses that lie together after the start, where nothing says who dropped them.
    fn clustered(&self) -> Option<Clustered> {
        if self.udp || self.knows_losses() || self.repeats_what_arrived() {
            return None;
        }
        let of_sender = self.counted.iter().filter(|r| r.side == Side::Sender);
        let rows: Vec<&Row> = of_sender.collect();
        let (_, later) = after_start(&rows);
        let again = |r: &Row| r.retransmits.unwrap_or(0.0);
        let segments = |r: &Row| r.bps * (r.until - r.from) / 8.0 / self.mss;
        let (clean, lossy): (Vec<&Row>, Vec<&Row>) =
            later.iter().copied().partition(|r| again(r) <= 0.0);
        let lost: f64 = lossy.iter().map(|r| again(r)).sum();
        let carried: f64 = clean.iter().map(|r| segments(r)).sum();
        let all: f64 = later.iter().map(|r| segments(r)).sum();
        let each_s = shortest(later.iter().copied());
        let begins = |r: &&&Row| r.cwnd.is_some_and(|w| w <= BEGINS * self.mss);
        let found = Clustered {
            clean: [clean.len(), later.len()],
            segments: carried,
            again: lost,
            missed: lost * carried / all.max(1.0) / TOGETHER,
            long: self
                .rtt
                .as_ref()
                .is_some_and(|rtt| each_s > ROUNDS * rtt.value),
            anew: lossy.iter().filter(begins).count() >= BEGINS_LEAST,
        };
        (found.missed > MISSED[0] && clean.len() >= CLEAN_LEAST).then_some(found)
    }

    /// The most that is said of a kind of loss where losses lie together, and intervals are so long that a queue or a policer would have lost
    /// something in each.
    pub(crate) fn at_most_of_clusters(&self, cause: Cause) -> f64 {
        match self
            .clustered()
            .filter(|found| found.long && cause.is_loss())
        {
            Some(found) if found.anew => ANEW,
            Some(_) => SHORT,
            None => 1.0,
        }
    }
}

impl Clustered {
    fn sentence(self) -> String {
        let [clean, all] = self.clean;
        let expected = self.missed * TOGETHER;
        let odds = (self.missed / core::f64::consts::LN_10).floor();
        format!(
            "{:.0} segments were sent again in {} of {all} intervals after the start, and none of {:.0} in the other {clean}. Chance would take {expected:.0} there: the odds of none are below 1 in 10^{odds:.0}, even if losses come in tens. They come in bursts: of others on the path, of a device or a route that fails at times, or of a queue that overflows at times",
            self.again,
            all - clean,
            self.segments
        )
    }
}

/// Weighs losses that lie together.
pub(crate) fn by_clusters(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.clustered().map(|found| Item {
        holds: step(found.missed, MISSED[0], MISSED[1]),
        weights: vec![(Cause::RandomLoss, AGAINST)],
        sentence: found.sentence(),
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Figure, Place};

    /// Seconds over this round trip: Mbit/s, what was sent again, and the window, KiB.
    fn of(rtt: f64, rows: &[(f64, f64, f64)]) -> Evidence {
        let row = |(mbit, again, kib): &(f64, f64, f64)| (mbit * 1e6, *again, Some(kib * 1024.0));
        Evidence {
            rtt: Some(Figure::exact(rtt, Place::You)),
            counted: Row::intervals(1.0, rows.iter().map(row)),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    const BURSTS: [(f64, f64, f64); 10] = [
        (610.0, 0.0, 900.0),
        (310.0, 402.0, 1.41),
        (120.0, 180.0, 30.0),
        (720.0, 0.0, 700.0),
        (210.0, 511.0, 1.41),
        (590.0, 0.0, 600.0),
        (80.0, 340.0, 1.41),
        (660.0, 0.0, 800.0),
        (270.0, 402.0, 8.0),
        (600.0, 0.0, 700.0),
    ];

    /// 222 000 segments in four seconds without a loss would have had 1130 of the 1433.
    #[test]
    fn losses_in_every_other_second_are_not_of_chance() {
        let e = of(0.43e-3, &BURSTS);
        let found = e.clustered().expect("they lie together");
        assert_eq!(found.clean, [4, 8]);
        assert!((found.missed - 113.0).abs() < 2.0, "{found:?}");
        let said = found.sentence();
        assert!(said.contains("below 1 in 10^49"), "{said}");
        assert_eq!(e.at_most_of_clusters(Cause::ShallowBuffer), ANEW);
        assert_eq!(e.at_most_of_clusters(Cause::Link), 1.0);
        let mut items = Vec::new();
        by_clusters(&e, &mut items);
        assert_eq!(items[0].holds, 1.0);
        // Over a long path a queue overflows once in many seconds.
        assert_eq!(
            of(0.1, &BURSTS).at_most_of_clusters(Cause::ShallowBuffer),
            1.0
        );
    }

    #[test]
    fn losses_here_and_there_may_be_of_chance() {
        let few = BURSTS.map(|(mbit, again, kib)| (mbit, (again / 200.0_f64).ceil(), kib));
        assert_eq!(of(0.43e-3, &few).clustered(), None);
        let each = BURSTS.map(|(mbit, again, kib)| (mbit, again.max(90.0), kib));
        assert_eq!(of(0.43e-3, &each).clustered(), None);
    }

    #[test]
    fn where_more_is_known_of_losses_time_does_not_count() {
        let pings = Evidence {
            idle_loss: Some(Figure::exact(0.01, Place::You)),
            ..of(0.43e-3, &BURSTS)
        };
        let policed = Evidence {
            policer: Some(Figure::exact(500e6, Place::You)),
            ..of(0.43e-3, &BURSTS)
        };
        let repeats = Evidence {
            sack_off: vec![Side::Sender],
            ..of(0.43e-3, &BURSTS)
        };
        for e in [pings, policed, repeats] {
            assert_eq!(e.clustered(), None, "{e:?}");
        }
    }
}
