//! What a port's speed may be the line of.

use super::{Kind, counts, speeds};
use crate::read::Facts;

/// What is said of a port's speed where nobody said the line's: the slowest port's, which is the line of what crosses it. Nothing where that port,
/// or a flow, has a known shaper below it, of so many bit/s: that bounds the flow, whatever the line.
pub(crate) fn line_offered(facts: &Facts, shaper: Option<f64>) -> Option<String> {
    let all = speeds(facts);
    let slowest = all
        .iter()
        .filter(|c| c.count.value >= 1e6)
        .min_by(|a, b| a.order(b))?;
    let of_port = counts(facts, Kind::Shaped).into_iter();
    let of_port = of_port.filter(|c| c.port == slowest.port);
    let mut shapers = of_port.map(|c| c.count.value).chain(shaper);
    if shapers.any(|bps| bps < slowest.count.value) {
        return None;
    }
    let line = match slowest.count.value {
        bps if bps % 1e9 == 0.0 => format!("{:.0}Gbit/s", bps / 1e9),
        bps => format!("{:.0}Mbit/s", bps / 1e6),
    };
    let port = slowest.port.named("a router's port");
    Some(format!(
        "{port} runs at {}: add --line {line} where the flow crosses it, and nothing slower",
        crate::ceiling::bps(slowest.count.value)
    ))
}
