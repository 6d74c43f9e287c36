//! What is known of a connection's surroundings.

use farpath_units::Time;

use crate::path::Path;
use crate::stretch::Limit;

/// What of a connection's hosts had hardly a pause between two instants.
pub type Hosts<'a> = Box<dyn Fn(Time, Time) -> Option<Limit> + 'a>;

/// What is known of a connection's surroundings; nothing by default.
#[derive(Default)]
pub struct Surroundings<'a> {
    /// The links its data cross.
    pub path: Option<Path<'a>>,
    /// Its hosts.
    pub hosts: Option<Hosts<'a>>,
}
