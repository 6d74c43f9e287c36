//! Sizes of sockets' buffers.

use super::Host;
use crate::rules::HOST002;
use crate::source::Place;

/// The largest number that a kernel keeps in an int.
pub(super) const MOST: u64 = 2_147_483_647;

/// HOST002: a size that is next to a power of two, and not on it.
pub(super) fn near_power(what: &str, bytes: u64, place: &Place, host: &mut Host) {
    let power = bytes.checked_next_power_of_two().unwrap_or(0);
    for near in [power, power / 2] {
        if bytes != near && u128::from(bytes.abs_diff(near)) * 1000 < u128::from(near) {
            let message = format!("{what} {bytes} is not {near}");
            let remedy = format!("write {near}, if that is meant");
            host.find(&HOST002, place, message, remedy);
        }
    }
}
