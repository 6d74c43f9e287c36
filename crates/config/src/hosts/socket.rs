//! Lines of programs that set a socket's buffers.

use super::Host;
use super::buffer::near_power;
use super::path::window;
use crate::source::Place;

/// `setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &(int){65536}, 4)` and the like; `false` if no size is found.
pub(super) fn option(content: &str, place: &Place, host: &mut Host) -> bool {
    let names = ["SO_RCVBUF", "SO_SNDBUF"];
    let Some(name) = names.iter().find(|n| content.contains(**n)) else {
        // Options that have nothing to do with windows.
        return true;
    };
    let after = content.split(name).nth(1).unwrap_or_default();
    let digits = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let parts = after.split(|c: char| !c.is_ascii_alphanumeric());
    let mut numbers = parts.filter(digits).filter_map(|w| w.parse::<u64>().ok());
    let Some(bytes) = numbers.next() else {
        return true;
    };
    let what = format!("{name} = {bytes}, which ends the kernel's own tuning,");
    window(
        host,
        place,
        (&what, bytes, 1),
        "leave the option out, or ask for rate times round-trip time",
    );
    near_power(name, bytes, place, host);
    true
}
