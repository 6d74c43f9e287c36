//! Flows that come and go: when each starts and how much it transfers.

use farpath_units::{Duration, Key, Time};

use crate::model::{Flows, Test};

/// Start and bytes of every flow, in order.
pub fn arrivals(test: &Test, flows: &Flows, seed: u64) -> Vec<(Time, u64)> {
    let key = Key::new(seed).with(&test.name);
    let (gaps, sizes) = (key.with("arrivals").stream(), key.with("sizes").stream());
    let mean = flows.spacing.as_ps() as f64;
    let mut worked = Duration::ZERO;
    let flow = |n: u32| {
        if n > 0 {
            let gap = gaps.exponential(u64::from(n) - 1) * mean;
            worked += Duration::from_ps(gap as u64);
        }
        let since = flows.envelope.map_or(worked, |e| e.when(worked));
        (test.start + since, flows.sizes.draw(sizes, n.into()))
    };
    (0..flows.tcp.parallel).map(flow).collect()
}
