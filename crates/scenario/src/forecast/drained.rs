//! A policer's bucket that another test empties: which single packets it then drops hangs on when they come, and no closed form says.

use super::{Path, mean_share};
use crate::model::{PoliceRule, Test, TestKind};

/// Part of what comes by which less must pass for a bucket to be empty.
const LESS: f64 = 1e-9;

/// A bucket: the port at which it is, and its rule; without one it is of the cells of that port.
type Bucket<'a> = (usize, Option<&'a PoliceRule>);

impl Path<'_> {
    /// Whether a bucket is empty at times that `own`, the test of this path, needs as well as one of these others.
    pub(super) fn meets_drained(&self, own: &Test, others: &[(usize, Path<'_>)]) -> bool {
        own.kind.periodic().is_some()
            && others.iter().any(|(number, path)| {
                let drained = path.drains(&self.scenario.tests[*number]);
                drained.into_iter().any(|bucket| self.needs(own, bucket))
            })
    }

    /// Whether packets of `own` take tokens from a bucket, there or back.
    fn needs(&self, own: &Test, (port, rule): Bucket<'_>) -> bool {
        let both = !matches!(own.kind, TestKind::OneWay(_));
        let back = self.back.iter().filter(|_| both);
        let mut here = self.there.iter().chain(back).filter(|h| h.port == port);
        here.any(|hop| {
            let mut rules = self.policed_by(hop, own).into_iter().flatten();
            rule.is_none_or(|shared| rules.any(|own| std::ptr::eq(own, shared)))
        })
    }

    /// The buckets that a test empties: those that drop of a stream of datagrams, and those of connections that a policer holds.
    fn drains(&self, test: &Test) -> Vec<Bucket<'_>> {
        if self.discarded(test).is_some() {
            return Vec::new();
        }
        let of = |at: usize, arriving: bool| {
            let hop = &self.there[at];
            (hop.port, self.policed_by(hop, test)[usize::from(arriving)])
        };
        if let Some(tcp) = test.kind.bulk() {
            let flow = self.flow_of(tcp);
            let clean = flow.steady(flow.loss_bps().unwrap_or(f64::INFINITY));
            if self.policed(test, &flow, clean).is_none() {
                return Vec::new();
            }
            let met = self.meets_policers(test, &flow).into_iter();
            return met.map(|m| of(m.at, m.arriving)).collect();
        }
        let Some(udp) = test.kind.udp().filter(|udp| udp.cells.is_none()) else {
            return Vec::new();
        };
        let len = udp.size + self.header();
        let seconds = (test.omit + test.duration.unwrap_or_default()).as_secs_f64();
        let sent_bps = udp.rate.as_bps() as f64 * mean_share(udp);
        let met = self.policers(test, len, udp.size).into_iter();
        let empty = met.filter(|m| {
            let comes_bps = sent_bps * (1.0 - self.loss_ratio(len, &self.there[..m.at]));
            m.passed_bits(comes_bps, seconds) < comes_bps * seconds * (1.0 - LESS)
        });
        empty.map(|m| of(m.at, m.arriving)).collect()
    }
}
