//! One neighbour, as a device lists it.

use crate::source::Place;

/// One neighbour at one port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Neighbor {
    /// Where the listing says so.
    pub place: Place,
    /// The device that was asked, by the prompt before the command; `None` where the file has none.
    pub asked: Option<String>,
    /// Its port.
    pub port: String,
    /// The device at the other end, as it names itself.
    pub device: String,
    /// Its port.
    pub far_port: String,
}
