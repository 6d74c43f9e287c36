//! Against a window that takes long to grow back: another algorithm, or several windows of which a loss cuts one.

use super::systems::{self, Remedy, Sending};
use crate::evidence::Evidence;
use crate::known::System;
use crate::windows::recovering::lasting;

const SIDE_BY_SIDE: &str = "or several connections side by side (iperf3 -P 8): a loss cuts one of their windows, which is smaller and grows back sooner";

/// What brings a sender back sooner after few losses; none where no log shows a window that grows back.
pub(super) fn remedy(e: &Evidence, now: &Sending) -> Option<Remedy> {
    let cut = e.cut_once();
    if cut.is_none() && e.growing().is_none() {
        return None;
    }
    let linux = now.systems[0].is_none_or(|s| s == System::Linux);
    let mut remedy = match linux {
        true => systems::bearing(now),
        false => Remedy::without_risk([
            "a sender whose algorithm is CUBIC or BBR: neither grows by a segment a round trip",
        ]),
    };
    let reno = now.used.as_ref().is_some_and(|cc| cc.contains("reno"));
    if linux && reno {
        let back = cut.map_or_else(String::new, |cut| {
            format!(": its window is back within {}", lasting(cut.by_cubic_s()))
        });
        remedy.commands.push(format!(
            "or sysctl -w net.ipv4.tcp_congestion_control=cubic{back}"
        ));
    }
    remedy.commands.push(SIDE_BY_SIDE.to_owned());
    Some(remedy)
}
