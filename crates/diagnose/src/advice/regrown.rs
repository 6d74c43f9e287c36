//! Against a window that takes long to grow back: another algorithm, or several windows of which a loss cuts one.

use super::systems::{self, Remedy, Sending};
use crate::known::System;
use crate::recovering::{Cut, lasting};

const SIDE_BY_SIDE: &str = "or several connections side by side (iperf3 -P 8): a loss cuts one of their windows, which is smaller and grows back sooner";

/// What brings a sender back sooner after few losses.
pub(super) fn remedy(cut: &Cut, now: &Sending) -> Remedy {
    let linux = now.systems[0].is_none_or(|s| s == System::Linux);
    let mut remedy = match linux {
        true => systems::bearing(now),
        false => Remedy::without_risk([
            "a sender whose algorithm is CUBIC or BBR: neither grows by a segment a round trip",
        ]),
    };
    let reno = now.used.as_ref().is_some_and(|cc| cc.contains("reno"));
    if linux && reno {
        remedy.commands.push(format!(
            "or sysctl -w net.ipv4.tcp_congestion_control=cubic: its window is back within {}",
            lasting(cut.by_cubic_s())
        ));
    }
    remedy.commands.push(SIDE_BY_SIDE.to_owned());
    remedy
}
