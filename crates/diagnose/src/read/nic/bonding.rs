//! Lines of `/proc/net/bonding/bond0`: `Transmit Hash Policy: layer3+4 (1)`, and `Speed: 10000 Mbps` of each member.

use super::{Facts, decimal};
use crate::fact::{Of, Place};

/// Reads one.
pub(super) fn line(host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
    let Some((key, value)) = text.split_once(':') else {
        return text == "802.3ad info";
    };
    match (key.trim(), value.trim()) {
        ("Bonding Mode", mode) => facts.word(host, "bond_mode", mode, at),
        // Only modes that hash have a policy; whoever sends packets round and round has none.
        ("Transmit Hash Policy", policy) => {
            let policy = policy.split(' ').next().unwrap_or("");
            facts.word(host, "bond_hash", policy, at);
        }
        ("Speed", speed) => {
            let mbit = speed.strip_suffix(" Mbps").and_then(decimal);
            if let Some(mbit) = mbit.filter(|m| *m > 0.0) {
                facts.exact(host, "bond_member_bps", mbit * 1e6, at);
            }
        }
        _ => {}
    }
    true
}
