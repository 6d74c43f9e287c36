//! Whether a program may hold a sender back: not a tool that only tests, and not where the rate follows the congestion window. Then it is
//! the window that does, and what cuts it.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::items::{Item, LOSSES, of, spread, step};
use crate::seen::{Row, Side, after_start};

/// Tools that send from memory as fast as they can, unless they were asked not to.
pub(crate) const TESTERS: [&str; 10] = [
    "iperf3",
    "iperf2",
    "nuttcp",
    "netperf",
    "thrulay",
    "ndt7",
    "speedtest",
    "networkQuality",
    "flent",
    "pscheduler",
];

impl Evidence {
    /// Whether the sender's congestion control is one of BBR, which few losses do not slow down.
    pub(crate) fn is_bbr(&self) -> bool {
        self.cc.as_deref().is_some_and(|cc| cc.starts_with("bbr"))
    }

    /// Whether a test had no reason to send less than it could: nobody asked it to, it read no file, and neither a kernel nor a capture was there to see it.
    pub(crate) fn never_pauses(&self) -> bool {
        let unseen = self.busy_share.is_none() && self.account.is_none();
        let unsaid = self.app_limited.is_none() && self.application.is_none();
        self.tester && !self.udp && self.file.is_none() && unseen && unsaid
    }
}

/// What holds a sender back while its congestion window is not used.
const BESIDE_WINDOW: [Cause; 9] = [
    Cause::Application,
    Cause::ReceiveWindow,
    Cause::NoWindowScaling,
    Cause::SendBuffer,
    Cause::Pacing,
    Cause::HostCpu,
    Cause::Disk,
    Cause::Nic,
    Cause::Client,
];

/// A sender that its window holds back sends one window a round trip, whatever the round trip is: rate and window go up and down
/// together. No rate is computed of that. BBR makes its window of the rate.
pub(crate) fn by_window(e: &Evidence, items: &mut Vec<Item>) {
    let again = e.retransmits.as_ref().map_or(0.0, |r| r.value);
    let Some((windows, ratio)) = together(&e.counted).filter(|_| !e.is_bbr() && again > 0.0) else {
        return;
    };
    items.push(Item {
        holds: step(windows, 0.04, 0.1) * (1.0 - step(ratio / windows, 0.35, 0.7)),
        weights: of(&BESIDE_WINDOW, -12.0)
            .into_iter()
            .chain(of(&LOSSES, 3.0))
            .collect(),
        sentence: "the rate goes up and down with the congestion window, which losses cut"
            .to_owned(),
    });
}

/// By how much of their mean the sender's windows differ after the start, and by how much rates over windows do.
///
/// A window that is printed is that at the end of its interval: the mean of two ends is that of the time between.
fn together(counted: &[Row]) -> Option<(f64, f64)> {
    let rows: Vec<&Row> = counted.iter().filter(|r| r.side == Side::Sender).collect();
    let (_, later) = after_start(&rows);
    let pairs = later.windows(2).filter_map(|two| {
        let window = f64::midpoint(two[0].cwnd?, two[1].cwnd?);
        (window > 0.0).then(|| (window, two[1].bps / window))
    });
    let (windows, ratios): (Vec<f64>, Vec<f64>) = pairs.unzip();
    Some((spread(&windows)?, spread(&ratios)?))
}
