//! Interfaces as links and configurations name them.

use farpath_config::junos::model::{Interface, Router as Junos};

use crate::decode::{At, Fields};

/// The names of a link's two interfaces, if it has them.
pub(super) fn interfaces(f: &Fields) -> Option<Vec<At<String>>> {
    f.get::<Vec<At<String>>>("interfaces")
        .filter(|i| i.len() == 2)
}

/// Whether a router has the port of an interface.
pub(super) fn has(router: &Junos, interface: &str) -> bool {
    port_in(router, interface).is_some()
}

/// The port of a router that an interface is, or is a unit of.
pub(super) fn port_in<'r>(router: &'r Junos, interface: &str) -> Option<&'r Interface> {
    let port = plain(interface);
    router.interfaces.iter().find(|i| i.name == port)
}

/// An interface without its unit.
pub(super) fn plain(interface: &str) -> &str {
    let (port, _) = interface.split_once('.').unwrap_or((interface, ""));
    port
}

/// Whether `written` names the port that `full`, with its unit, is a part of.
pub(super) fn is_of(written: &str, full: &str) -> bool {
    written == full || written == plain(full)
}
