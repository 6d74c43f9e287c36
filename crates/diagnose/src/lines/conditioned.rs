//! Policers and shapers that texts state, of those that a flow may come through.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::figures::{bps, bytes, ms};
use crate::flows::flow::Flow;
use crate::items::Item;
use crate::read::{CLASS_POLICER, CLASS_SHAPER, Facts};

/// A bucket's credit lets a test have so many times the rate that it has for long.
const SLACK: f64 = 1.03;

/// A flow fills the class of marked traffic from this part of its rate on: headers take some of it, and what is repaired.
const FILLS: f64 = 0.85;

/// A bucket that holds less than this part of what its rate fills in a round trip is short. A choice: TCP sends what a round trip
/// brings in bursts, and each that the bucket does not hold is dropped.
const SHORT: f64 = 0.5;

/// The least that a bucket is to hold: ten packets of 1500 bytes.
const BUCKET_LEAST: f64 = 15_000.0;

/// A bucket that its rate fills in less than this, seconds, is short on any path between sites. A choice.
const TINY_S: f64 = 0.005;

/// What such a bucket is worth beside losses, where no round trip says how far below the policer's rate it leaves TCP, decibans. A choice.
const TINY: f64 = 12.0;

/// Round trips for which it is said what a bucket is to hold, seconds.
const ROUNDS: [f64; 3] = [0.01, 0.04, 0.1];

impl Evidence {
    pub(crate) fn of_conditioners(&mut self, facts: &Facts, flow: &Flow) {
        // What lasts faster than a rate does not come through there: another way, or another direction.
        let own = self.lasting().unwrap_or(0.0);
        let passed = |f: &&Figure| f.high >= own / SLACK;
        // A class beside one that all traffic meets counts where the flow fills it.
        let filled = |f: &&Figure| own >= FILLS * f.value && own <= SLACK * f.value;
        let least = |name: &'static str, of_class: &'static str| {
            let along = facts.along(flow, name).filter(passed);
            let all = along.chain(facts.along(flow, of_class).filter(filled));
            all.min_by(|a, b| a.value.total_cmp(&b.value)).cloned()
        };
        self.policer = least("policer_bps", CLASS_POLICER);
        let of_policer = |f: &&Figure| self.policer.as_ref().is_some_and(|p| p.from == f.from);
        let burst = facts.along(flow, "policer_burst_bytes").find(of_policer);
        self.policer_burst = burst.cloned();
        let queues = crate::lines::simple_queue::limits(facts, flow).into_iter();
        let stated = least("shaper_bps", CLASS_SHAPER).into_iter().chain(queues);
        let stated = stated.filter(|f| passed(&f));
        let stated = stated.min_by(|a, b| a.value.total_cmp(&b.value));
        self.shaper = stated.or(self.shaper.take());
    }

    /// The bytes that the bucket of a stated policer holds, and those that its rate fills in a round trip, where it is short.
    pub(crate) fn short_bucket(&self) -> Option<[f64; 2]> {
        let (rate, burst) = (self.policer.as_ref()?, self.policer_burst.as_ref()?);
        let round = rate.value * self.rtt.as_ref()?.value / 8.0;
        let wanted = libm::fmax(round, BUCKET_LEAST);
        (burst.value < SHORT * wanted).then_some([burst.value, wanted])
    }

    /// The bucket of a stated policer, bytes, where it is short for any path between sites, and no text says the round trip.
    fn tiny_bucket(&self) -> Option<f64> {
        let (rate, burst) = (self.policer.as_ref()?, self.policer_burst.as_ref()?);
        let unknown = self.rtt.is_none() && !self.udp && !self.is_bbr();
        let tiny = burst.value < rate.value / 8.0 * TINY_S;
        (unknown && tiny).then_some(burst.value)
    }

    /// What a policer lets through, bit/s: as its texts say, as datagrams show, or a capture's losses where the flow kept it busy.
    pub(crate) fn policed(&self) -> Option<Figure> {
        let own = self.lasting().unwrap_or(0.0);
        let stated = self.policer.clone().or_else(|| {
            self.counted_else
                .passed(own)
                .filter(|p| p.high >= own / SLACK)
        });
        stated.or_else(|| self.fitted_rate().cloned())
    }
}

/// Weighs a tiny bucket where so large a part of the segments was sent again as a policer takes.
pub(crate) fn by_tiny_bucket(e: &Evidence, policed: f64, items: &mut Vec<Item>) {
    let (Some(burst), Some(rate)) = (e.tiny_bucket(), &e.policer) else {
        return;
    };
    let wanted = ROUNDS.map(|rtt| bytes(libm::fmax(rate.value / 8.0 * rtt, BUCKET_LEAST)));
    let [near, middle, far] = wanted;
    items.push(Item {
        holds: policed,
        weights: vec![(Cause::Policer, TINY)],
        sentence: format!(
            "the policer's bucket holds {}, {} of its rate of {}: TCP, whose bursts are larger, gets less than that rate, the less the longer the round trip, which no text says. Over 10, 40 and 100 ms it is to hold {near}, {middle} and {far}",
            bytes(burst),
            ms(8.0 * burst / rate.value),
            bps(rate.value)
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Place;
    use crate::infer::weigh;

    /// 14 Mbit/s with 1.6 % sent again beside a policer of 100 Mbit/s with such a bucket; the round trip where it is known.
    fn beside(bucket: f64, rtt: Option<f64>) -> Evidence {
        let figure = |value: f64| Some(Figure::exact(value, Place::You));
        Evidence {
            rate: figure(14.1e6),
            bytes: figure(17.6e6),
            retransmits: figure(193.0),
            again: figure(0.0156),
            policer: figure(100e6),
            policer_burst: figure(bucket),
            rtt: rtt.and_then(figure),
            streams: 1.0,
            mss: 1448.0,
            ..Evidence::default()
        }
    }

    #[test]
    fn a_tiny_bucket_speaks_for_its_policer_without_a_round_trip() {
        let share = |e: &Evidence| {
            let all = weigh(e, &[]).ranking;
            let own = all.iter().find(|r| r.cause == Cause::Policer);
            own.map_or(0.0, |r| r.confidence)
        };
        let [tiny, roomy] = [31_250.0, 1e6].map(|bucket| beside(bucket, None));
        assert!(tiny.tiny_bucket().is_some() && roomy.tiny_bucket().is_none());
        let [tiny_share, roomy_share] = [&tiny, &roomy].map(share);
        assert!(tiny_share > roomy_share, "{tiny_share} and {roomy_share}");
        // Where the round trip is known the bucket is measured by that.
        let known = beside(31_250.0, Some(0.04));
        assert!(known.tiny_bucket().is_none() && known.short_bucket().is_some());
        let mut items = Vec::new();
        by_tiny_bucket(&tiny, 1.0, &mut items);
        let said = &items[0].sentence;
        assert!(
            said.contains("31.2 kB, 2.5 ms") && said.contains("500.0 kB"),
            "{said}"
        );
    }
}
