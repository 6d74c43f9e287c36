//! Lines of `/proc/net/bonding/bond0`: `Transmit Hash Policy: layer3+4 (1)`, and `Speed: 10000 Mbps` of each member.

use super::{Facts, decimal};
use crate::fact::{Of, Place};
use crate::read::{Member, State};
use crate::words::after;

/// What Linux calls the mode in which one member carries everything (Documentation/networking/bonding.rst).
const BACKUP: &str = "active-backup";

/// Where the file of a bond lies.
const FOLDER: &str = "/proc/net/bonding/";

/// What was read of a bond so far.
#[derive(Default)]
pub(super) struct Bond {
    /// The bond whose file a command prints, which is to come; empty where none was named.
    asked: String,
    /// What the bond that is read is called; empty where nothing names it.
    name: String,
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
    /// Takes the name of the bond whose file a command prints: `$ cat /proc/net/bonding/bond0`.
    pub(super) fn awaits(&mut self, text: &str) {
        let is_of = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
        let named = after(text, FOLDER).filter(|name| name.bytes().all(is_of));
        if let Some(name) = named {
            name.clone_into(&mut self.asked);
        }
    }

    /// Reads one.
    pub(super) fn line(&mut self, host: Of, text: &str, at: Place, facts: &mut Facts) -> bool {
        let Some((key, value)) = text.split_once(':') else {
            return text == "802.3ad info";
        };
        match (key.trim(), value.trim()) {
            ("Bonding Mode", mode) => {
                let name = core::mem::take(&mut self.asked);
                *self = Bond {
                    name,
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
            ("MII Status", status) => {
                self.down = status == "down";
                self.reads(host, status, at, facts);
            }
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

    /// Whether the member that is read has a link.
    fn reads(&self, host: Of, status: &str, at: Place, facts: &mut Facts) {
        let state = match status {
            "up" => State::Up,
            "down" => State::Down,
            _ => return,
        };
        let Of::Host(host) = host else { return };
        if !self.member.is_empty() {
            facts.bundles(Member {
                host: Some(host),
                device: String::new(),
                group: self.name.clone(),
                name: crate::redact(&self.member),
                state,
                at,
            });
        }
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
