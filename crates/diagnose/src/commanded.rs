//! A test that was asked for a rate, and sent as fast: nothing else held it.

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::evidence::Evidence;
use crate::items::{Item, step};

/// From this part of what was asked for on, the whole rate is that; what is more than this is another.
const MET: [f64; 2] = [0.95, 0.985];
const OTHER: [f64; 2] = [1.02, 1.06];

/// Weighs a rate that was asked for and met.
pub(crate) fn by_command(e: &Evidence, items: &mut Vec<Item>) {
    let (Some(asked), Some(rate), false) = (&e.application, e.settled(), e.udp) else {
        return;
    };
    let share = rate.value / asked.value;
    items.push(Item {
        holds: step(share, MET[0], MET[1]) * (1.0 - step(share, OTHER[0], OTHER[1])),
        weights: vec![(Cause::Application, 18.0)],
        sentence: format!(
            "the test was asked for {} and sent that: it does not show what the path carries",
            bps(asked.value)
        ),
    });
}
