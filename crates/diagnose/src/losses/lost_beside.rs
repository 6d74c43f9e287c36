//! What a test of an access lost of packets of its own, which it counts beside its transfers.

use crate::evidence::Evidence;
use crate::items::Item;
use crate::part::part;

/// The share of such packets that was lost, 0 to 1: a number of a test.
pub(crate) const LOST_BESIDE: &str = "lost_beside_ratio";

/// Says what was lost. It decides nothing: a full queue, a policer and a lossy link lose packets alike.
pub(crate) fn by_lost_beside(e: &Evidence, items: &mut Vec<Item>) {
    let lost = e.lost_beside.as_ref().map_or(0.0, |lost| lost.value);
    if lost <= 0.0 {
        return;
    }
    items.push(Item {
        holds: 1.0,
        weights: Vec::new(),
        sentence: format!(
            "speedtest lost {} of packets of its own. It does not say which way, nor whether its transfers filled a queue there: pings at rest show what the path loses by itself",
            part(lost)
        ),
    });
}
