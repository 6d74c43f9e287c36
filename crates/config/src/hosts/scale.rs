//! `tcp_adv_win_scale`: the part of a receive buffer that is window, before Linux measured it.

use farpath_predict::window::MEASURES;

use super::Host;
use super::setting::settings_backwards;
use crate::finding::quoted;
use crate::rules::{HOST004, HOST024};
use crate::source::Place;

/// The setting.
pub(super) const KEY: &str = "net.ipv4.tcp_adv_win_scale";

/// The kernel takes -31 to 31 (ip-sysctl).
const MOST: i32 = 31;

/// The kernel's own value, and the release since which it is that one (b49960a05e32 of Linux; it was 2 before).
const OWN: i32 = 1;
const OWN_SINCE: (u32, u32) = (3, 4);

/// The value that holds: the one of the file, or else the kernel's own, where its release is known and does not measure.
pub(super) fn holds(stated: Option<i32>, kernel: Option<(u32, u32)>) -> Option<i32> {
    let follows = kernel.filter(|release| (OWN_SINCE..MEASURES).contains(release));
    stated.or(follows.map(|_| OWN))
}

/// Its value, as the last line of a file that sets it says; `None` of one that the kernel refuses.
pub(super) fn stated(text: &str) -> Option<i32> {
    let (_, value) = settings_backwards(text).find(|(key, _)| key == KEY)?;
    taken(value)
}

/// A value that the kernel takes.
fn taken(value: &str) -> Option<i32> {
    let value = value.parse().ok()?;
    (-MOST..=MOST).contains(&value).then_some(value)
}

/// Of how many parts of a receive buffer one is window, where the host's file makes it a power of two by a setting below 0 and its
/// kernel may be one that follows it.
pub(super) fn parts(host: &Host) -> Option<u64> {
    let measures = host.kernel.is_some_and(|release| release >= MEASURES);
    let scale = host.scale.filter(|scale| *scale < 0 && !measures)?;
    Some(1 << scale.unsigned_abs())
}

/// HOST004 and HOST024, of the setting's `value`.
pub(super) fn read(value: &str, place: &Place, host: &mut Host) {
    if taken(value).is_none() {
        let message = format!(
            "{KEY} = {}: the kernel takes whole numbers from -{MOST} to {MOST}",
            quoted(value)
        );
        host.find(&HOST004, place, message, "write 1, the kernel's own");
        return;
    }
    // -1 leaves a half, as 1 does.
    let Some(parts) = parts(host).filter(|parts| *parts > 2) else {
        return;
    };
    let before = match host.kernel {
        Some(_) => "",
        None => " before Linux 6.6, which measures it",
    };
    let message =
        format!("{KEY} = {value}: one part in {parts} of a receive buffer is window{before}");
    let remedy = "write 1, the kernel's own, which leaves a half, or leave it out";
    host.find(&HOST024, place, message, remedy);
}
