//! What impairments came to on one direction of a link.

use std::collections::BTreeMap;

use farpath_element::impair::{Finder, Realised};
use farpath_scenario::{LinkId, Scenario, Way};

use super::{Metrics, put};

/// Realised figures of every impairment that is set; none without any.
pub(super) fn metrics(
    scenario: &Scenario,
    link: LinkId,
    way: Way,
    realised: &Realised,
) -> BTreeMap<String, f64> {
    let direction = &scenario.links[link.0].directions[usize::from(way == Way::Reverse)];
    let set = &direction.impairments;
    let mut m = Metrics::new();
    if set.is_none() {
        return m;
    }
    let (added, order) = (&realised.added, &realised.order);
    if set.jitter.is_some() || set.reordering.is_some() {
        put(&mut m, "jitter_mean_ns", added.mean_s() * 1e9);
        put(&mut m, "jitter_std_ns", added.std_s() * 1e9);
        put(&mut m, "jitter_min_ns", added.min().as_ps() as f64 / 1e3);
        put(&mut m, "jitter_max_ns", added.max().as_ps() as f64 / 1e3);
        let mean = order.extent_sum as f64 / order.reordered.max(1) as f64;
        put(&mut m, "reordered", order.reordered as f64);
        put(&mut m, "reordered_ratio", order.ratio());
        put(&mut m, "reorder_extent_max", order.extent_max as f64);
        put(&mut m, "reorder_extent_mean", mean);
    }
    if set.duplication.is_some() {
        put(&mut m, "duplicated", realised.duplicated as f64);
    }
    match set.corruption {
        Some((_, Finder::Crc)) => put(&mut m, "crc_errors", realised.crc_errors as f64),
        Some((_, Finder::Checksum { .. })) => {
            put(&mut m, "damaged", realised.damaged as f64);
            put(&mut m, "undetected", realised.undetected as f64);
        }
        None => {}
    }
    m
}
