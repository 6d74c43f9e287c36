//! What to change about a processor's own queue, in which packets wait between interface and kernel (`netdev_max_backlog`).

use super::systems::{Remedy, kept};

/// The setting of its length.
const KEY: &str = "net.core.netdev_max_backlog";

/// Linux's default, packets.
const DEFAULT: u64 = 1000;

/// What its counter is called.
pub(crate) const SOFTNET: &str = "softnet";

/// Against drops of that queue, of `now` packets if that is known; `counted` says where the count was read.
pub(super) fn remedy(counted: &str, now: Option<u64>) -> Remedy {
    let more = (10 * now.unwrap_or(DEFAULT)).min(300_000);
    let before = match now {
        Some(now) => now.to_string(),
        None => format!("VALUE, with the value that `sysctl {KEY}` printed before"),
    };
    Remedy {
        commands: vec![
            format!("cat /proc/net/softnet_stat before and after a test: that the second column still grows{counted}"),
            format!("sysctl -w {KEY}={more}"),
            "mpstat -P ALL 5: where one processor takes all of them (%soft), receive packet steering or queues of the interface on several (ethtool -L INTERFACE combined N) drop fewer, and a longer queue only delays it".to_owned(),
            "where the third column grows as well: sysctl -w net.core.netdev_budget=600 gives each round twice as many packets".to_owned(),
        ],
        undo: vec![format!("sysctl -w {KEY}={before}"), "sysctl -w net.core.netdev_budget=300, which is the default".to_owned()],
        persist: kept(&[(KEY, &more.to_string())]),
        risk: "packets may wait longer in that queue".to_owned(),
        room: None,
    }
}
