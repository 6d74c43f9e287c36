//! What to change about a processor's own queue, in which packets wait between interface and kernel (`netdev_max_backlog`).

use super::systems::{Remedy, kept};

/// The setting of its length.
const KEY: &str = "net.core.netdev_max_backlog";

/// Linux's default, packets.
const DEFAULT: u64 = 1000;

/// What its counter is called.
pub(crate) const SOFTNET: &str = "softnet";

/// How many packets all processors' rounds take, and Linux's default of it.
const BUDGET: (&str, u64) = ("net.core.netdev_budget", 300);

/// Against drops of that queue: `now` packets long, and of rounds of `budget` packets, where these are known. `counted` says where the
/// count was read.
pub(super) fn remedy(counted: &str, now: Option<u64>, budget: Option<u64>) -> Remedy {
    let (round, usual) = BUDGET;
    let twice = 2 * budget.unwrap_or(usual);
    let undo = match budget {
        Some(budget) => format!("sysctl -w {round}={budget}"),
        None => format!("sysctl -w {round}={usual}, which is the default"),
    };
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
            format!("where the third column grows as well: sysctl -w {round}={twice} gives each round twice as many packets"),
        ],
        undo: vec![format!("sysctl -w {KEY}={before}"), undo],
        persist: kept(&[(KEY, &more.to_string())]),
        risk: "packets may wait longer in that queue".to_owned(),
        room: None,
    }
}
