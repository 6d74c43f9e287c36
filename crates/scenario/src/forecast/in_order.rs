//! What jitter adds to packets at equal intervals where it keeps their order.

use farpath_element::impair::Distribution;
use farpath_predict::in_order;
use farpath_units::Duration;

use super::Path;
use crate::model::Periodic;
use crate::plan::Hop;

/// No delay is longer than this share of all of them.
const SURELY: f64 = 1.0 - 1e-12;

/// Parts of the delays of equal shares, and how often the last is halved.
const PARTS: u32 = 256;
const HALVINGS: u32 = 32;

/// Packets in front of one that it may have to wait for, beyond which no mean is taken.
const BEFORE_MOST: f64 = 1000.0;

impl Path<'_> {
    /// What jitter adds on average to packets that cross `ways` one after the other, of which a share is `lost`; and whether that is all. Where it
    /// is not, packets that wait for their order have more.
    pub(crate) fn jitter_mean(
        &self,
        all: &Periodic,
        ways: &[&[Hop]],
        lost: f64,
    ) -> (Duration, bool) {
        let mean = self.jitter(ways, Distribution::mean);
        let hops = ways.iter().copied().flatten();
        let mut lines = Vec::new();
        for hop in hops {
            let direction = self.direction(hop.port);
            if let Some((distribution, correlation)) = &direction.impairments.jitter {
                lines.push((hop.port, distribution, *correlation, direction.reorder));
            }
        }
        let held = self.held(ways, (all.count, all.size));
        let spread = |d: &Distribution| d.quantile(SURELY, SURELY).saturating_sub(d.least());
        let jitters = lines.iter().map(|line| spread(line.1));
        let apart = jitters.chain(held.iter().map(|(_, by)| *by));
        let apart = apart.fold(Duration::ZERO, |sum, more| sum + more);
        let twice = (1..lines.len()).any(|n| lines[..n].iter().any(|l| l.0 == lines[n].0));
        let free = lines.iter().all(|(.., reorder)| *reorder);
        if free || (!twice && apart <= all.interval) {
            return (mean, true);
        }
        if let [(_, distribution, correlation, _)] = lines[..]
            && correlation <= 0.0
            && lost <= 0.0
            && held.is_empty()
            && let Some(kept) = kept_in_order(distribution, all)
        {
            return (kept, true);
        }
        (mean, false)
    }
}

/// The mean delay of packets that meet one such line; `None` where that has no form, or too many are in front of one another.
fn kept_in_order(distribution: &Distribution, all: &Periodic) -> Option<Duration> {
    distribution.share_within(Duration::ZERO)?;
    let quantile = |u: f64| distribution.quantile(u, u).as_ps() as f64;
    let (longest, apart) = (quantile(SURELY), all.interval.as_ps() as f64);
    if (longest / apart).min(f64::from(all.count)) > BEFORE_MOST {
        return None;
    }
    let equal = (1..PARTS).map(|n| f64::from(n) / f64::from(PARTS));
    let last = (1..=HALVINGS).map(|n| 1.0 - libm::exp2(-f64::from(n)) / f64::from(PARTS));
    let mut panels = vec![0.0];
    for bound in equal.chain(last).map(quantile).chain([longest]) {
        if panels.last().is_some_and(|before| bound > *before) {
            panels.push(bound);
        }
    }
    let within = |ps: f64| distribution.share_within(Duration::from_ps(ps as u64));
    let share = |ps: f64| within(ps).unwrap_or(1.0);
    let ps = in_order::mean_delay(all.count.max(1), apart, &panels, share);
    Some(Duration::from_ps(ps.round() as u64))
}
