//! Lines of `/proc/net/bonding/bond0`: `Transmit Hash Policy: layer3+4 (1)`, and `Speed: 10000 Mbps` of each member.

use super::{Facts, decimal};
use crate::fact::{Of, Place};

/// What Linux calls the mode in which one member carries everything (Documentation/networking/bonding.rst).
const BACKUP: &str = "active-backup";

/// What was read of a bond so far.
#[derive(Default)]
pub(super) struct Bond {
    /// Whether one member carries everything.
    backup: bool,
    /// The member that carries it now.
    active: String,
    /// The member whose lines follow; empty before the first.
    member: String,
    /// Whether that member is down.
    down: bool,
}

impl Bond {
    /// Reads one.
    pub(super) fn line(&mut self, host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
        let Some((key, value)) = text.split_once(':') else {
            return text == "802.3ad info";
        };
        match (key.trim(), value.trim()) {
            ("Bonding Mode", mode) => {
                *self = Bond {
                    backup: mode.contains(BACKUP),
                    ..Bond::default()
                };
                facts.word(host, "bond_mode", mode, at);
            }
            // Only modes that hash have a policy; whoever sends packets round and round has none.
            ("Transmit Hash Policy", policy) => {
                let policy = policy.split(' ').next().unwrap_or("");
                facts.word(host, "bond_hash", policy, at);
            }
            ("Currently Active Slave", name) => name.clone_into(&mut self.active),
            ("Slave Interface", name) => {
                name.clone_into(&mut self.member);
                self.down = false;
            }
            ("MII Status", status) => self.down = status == "down",
            ("Speed", speed) => {
                let mbit = speed.strip_suffix(" Mbps").and_then(decimal);
                let name = self.carries();
                if let Some((mbit, name)) = mbit.filter(|m| *m > 0.0).zip(name) {
                    facts.exact(host, name, mbit * 1e6, at);
                }
            }
            _ => {}
        }
        true
    }

    /// What the speed of the member that is read is of; none where it carries nothing.
    fn carries(&self) -> Option<&'static str> {
        match (self.down, self.backup) {
            (true, _) => None,
            (false, false) => Some("bond_member_bps"),
            (false, true) => (self.member == self.active).then_some("bond_active_bps"),
        }
    }
}
