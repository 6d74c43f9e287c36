//! What an interface does for the processor: `ethtool -k`.

use super::Facts;
use crate::fact::{Of, Place};

/// Offloads that let a processor handle many segments at once: ethtool's name, the fact, and what `ethtool -K` takes.
pub(crate) const OFFLOADS: [(&str, &str, &str); 3] = [
    ("tcp-segmentation-offload", "offload_tso", "tso"),
    ("generic-segmentation-offload", "offload_gso", "gso"),
    ("generic-receive-offload", "offload_gro", "gro"),
];

/// Reads one; whether it is one. What is fixed cannot be changed, and is left.
pub(super) fn offload(host: Of, (key, value): (&str, &str), at: Place, facts: &mut Facts) -> bool {
    let Some((_, fact, _)) = OFFLOADS.iter().find(|(name, ..)| *name == key) else {
        return false;
    };
    match value {
        "on" => facts.exact(host, fact, 1.0, at),
        "off" => facts.exact(host, fact, 0.0, at),
        _ => {}
    }
    true
}
