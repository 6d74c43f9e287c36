//! Quantiles that several connections have of a distance, each once an event, in an order that changes.

use farpath_units::Stream;

/// Connections followed side by side: quantiles of a distance.
pub(crate) const CONNECTIONS: usize = 32;

/// A quantile for each connection, each once, in an order of this event's own.
pub(crate) fn quantiles(luck: Stream, event: u64) -> impl Iterator<Item = f64> {
    let number = |i: usize| event * CONNECTIONS as u64 + i as u64;
    let mut order: Vec<usize> = (0..CONNECTIONS).collect();
    order.sort_by_cached_key(|i| luck.bits(number(*i)));
    let each = 1.0 / CONNECTIONS as f64;
    order.into_iter().map(move |i| (i as f64 + 0.5) * each)
}
