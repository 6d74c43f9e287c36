//! Light that is hardly enough for any optics, where no threshold says so.

use super::{Counted, Kind, Ports, counts};
use crate::cause::Cause;
use crate::items::Item;
use crate::read::Facts;

/// Below the first hardly any optics of 1 or 10 Gbit/s receive without errors; from the second on down a port has no light, and carries no
/// flow, dBm. Rules of thumb.
const DIM: [f64; 2] = [-25.0, -35.0];

/// The port that receives least of those that have hardly enough light.
pub(super) fn dimmest(facts: &Facts) -> Option<Counted> {
    let all = counts(facts, Kind::Received).into_iter();
    let dim = all.filter(|c| c.count.value < DIM[0] && c.count.value > DIM[1]);
    dim.min_by(Counted::order)
}

/// Says it where the router marks or alarms nothing; as much as a warning would.
pub(super) fn by_light(ports: &Ports, items: &mut Vec<Item>) {
    let Some(dim) = ports.dim.as_ref().filter(|_| ports.dark.is_none()) else {
        return;
    };
    items.push(Item {
        holds: 1.0,
        weights: vec![(Cause::RandomLoss, 6.0)],
        sentence: format!(
            "{} receives {:.1} dBm: hardly any optics of 1 or 10 Gbit/s work without errors below {:.0} dBm",
            dim.port.named("a router's port"),
            dim.count.value,
            DIM[0]
        ),
    });
}
