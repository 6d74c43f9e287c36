//! A rate that was expected: whether it is reached, whether the line allows it, and whether the changes give it.

use crate::cause::Cause;
use crate::ceiling::{Limit, bps};
use crate::document::Change;
use crate::evidence::Evidence;

/// From this part of it on a rate is what was expected.
const REACHED: f64 = 0.97;

/// What is to be said of the rate that was expected; none where nobody expected one.
pub(crate) fn target(e: &Evidence, limits: &[Limit], changes: &[Change]) -> Option<String> {
    let target = e.target.as_ref()?.value;
    let rate = e.rate.as_ref().map(|r| r.value);
    if rate.is_some_and(|rate| rate >= REACHED * target) {
        return Some(format!("{} is reached", bps(target)));
    }
    let port = e.left_by_port();
    let line = limits.iter().filter(|l| l.cause == Cause::Link);
    let line = line.chain(&port);
    let line = line.min_by(|a, b| a.rate.value.total_cmp(&b.rate.value));
    if let Some(line) = line.filter(|l| l.rate.high < REACHED * target) {
        return Some(format!(
            "{} is not possible on this line, which leaves {} for payload",
            bps(target),
            bps(line.rate.value)
        ));
    }
    let given = changes.iter().filter_map(|c| c.predicted_bps);
    Some(match given.reduce(libm::fmax) {
        Some(most) if most >= REACHED * target => {
            format!(
                "{} is not reached now, and may be after the change: up to {}",
                bps(target),
                bps(most)
            )
        }
        Some(most) => format!(
            "{} is not reached after the change either: up to {}",
            bps(target),
            bps(most)
        ),
        None => format!(
            "{} is not reached, and no fact says what a change would give",
            bps(target)
        ),
    })
}
