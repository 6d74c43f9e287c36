//! What impairments came to on one direction of a link.

use std::collections::BTreeMap;

use farpath_element::impair::{Finder, Flap, Realised};
use farpath_scenario::{LinkId, Scenario, Way};

use farpath_units::Time;

use crate::wan::Wan;

type Metrics = BTreeMap<String, f64>;

/// Realised figures of every impairment that is set; none without any.
pub(crate) fn metrics(
    scenario: &Scenario,
    link: LinkId,
    way: Way,
    realised: &Realised,
    run: (&Wan, Time),
) -> BTreeMap<String, f64> {
    let direction = scenario.links[link.0].direction(way);
    let set = &direction.impairments;
    let mut m = Metrics::new();
    if set.is_none() {
        return m;
    }
    let (added, order) = (&realised.added, &realised.order);
    // Of nothing there is no mean and no ratio.
    if (set.jitter.is_some() || set.reordering.is_some()) && added.count() > 0 {
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
    let (wan, end) = run;
    if let Some(spec) = set.flap {
        let flap = Flap::new(
            spec,
            wan.flap_key(scenario, farpath_scenario::plan::port_of(link, way)),
        );
        let (outages, down) = flap.outages(end);
        put(&mut m, "cut", realised.cut as f64);
        put(&mut m, "outages", outages as f64);
        put(
            &mut m,
            "down_ratio",
            down.as_secs_f64() / end.as_secs_f64().max(1e-12),
        );
    }
    if let Some(trace) = &set.trace {
        put(&mut m, "trace_mean_bps", trace.mean_bps(end));
    }
    m
}

fn put(metrics: &mut Metrics, name: &str, value: f64) {
    metrics.insert(name.to_owned(), value);
}
