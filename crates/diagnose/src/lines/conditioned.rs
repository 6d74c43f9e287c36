//! Policers and shapers that texts state, of those that a flow may come through.

use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flows::flow::Flow;
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
