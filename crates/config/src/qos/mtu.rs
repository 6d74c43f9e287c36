//! What interfaces carry where nothing is stated.

use super::Interface;

/// What an interface of IOS carries unless stated: 4470 on ATM and POS, 1500 where there is Ethernet (Cisco, command
/// reference, `mtu`); of others only the machine knows it.
pub(crate) fn default_mtu(interface: &Interface) -> Option<u32> {
    let name = &interface.name;
    let is = |kinds: &[&str]| kinds.iter().any(|k| name.starts_with(k));
    match () {
        () if is(&["ATM", "POS"]) => Some(4470),
        () if ["Ethernet", "GigE"].iter().any(|k| name.contains(k))
            || is(&["Bundle-Ether", "Port-channel", "Vlan", "BVI"]) =>
        {
            Some(1500)
        }
        () => None,
    }
}
