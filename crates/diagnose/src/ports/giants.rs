//! Frames that were too large for a port of a router or switch: what arrives larger than its MTU is dropped without a word.

use super::{Counted, Kind, Ports, counts, largest};
use crate::flows::flow::Flow;
use crate::read::Facts;

/// A port that counts such frames.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Giants {
    counted: Counted,
    /// Its MTU, bytes.
    mtu: f64,
}

/// The port with the most of them, where its MTU is known.
pub(super) fn of(facts: &Facts, flow: &Flow) -> Option<Giants> {
    let counted = largest((facts, flow), Kind::Giants)?;
    let mtu = counted.same_port(&counts(facts, Kind::Mtu))?.value;
    Some(Giants { counted, mtu })
}

impl Ports {
    /// That a port counts frames as too large, for people, where packets of so many bytes are.
    pub(crate) fn too_large(&self, bytes: f64) -> Option<String> {
        let giants = self.giants.as_ref().filter(|of| of.mtu < bytes)?;
        let counted = &giants.counted;
        Some(format!(
            "{} counts {:.0} frames that were too large for it{} (giants)",
            counted.port.named("a port"),
            counted.count.value,
            counted.since()
        ))
    }
}
