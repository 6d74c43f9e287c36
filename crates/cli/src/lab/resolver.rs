//! What names of hosts resolve to.

use farpath_experiment::lab::Ground;

use crate::args::LabControl;

/// Has names resolve as the options say: without one to IPv6 and IPv4.
pub(super) fn resolve(ground: &mut Ground, control: &LabControl) {
    let wanted = |address: &std::net::IpAddr| match (control.ipv4, control.ipv6) {
        (true, _) => address.is_ipv4(),
        (_, true) => address.is_ipv6(),
        _ => true,
    };
    for layout in &mut ground.layouts {
        layout.spec.names.retain(|(address, _)| wanted(address));
    }
}
