//! What to change about a processor's own queue, in which packets wait between interface and kernel (`netdev_max_backlog`).

use super::systems::{Remedy, before, kept};

/// The setting of its length.
const KEY: &str = "net.core.netdev_max_backlog";

/// Linux's default, packets.
const DEFAULT: u64 = 1000;

/// No queue is made longer than this, packets.
const MOST: u64 = 300_000;

/// What its counter is called.
pub(crate) const SOFTNET: &str = "softnet";

/// How many packets all processors' rounds take.
const BUDGET: &str = "net.core.netdev_budget";

/// Against drops of that queue: `now` packets long, and of rounds of `budget` packets, where these are known. `counted` says where the
/// count was read.
pub(super) fn remedy(counted: &str, now: Option<u64>, budget: Option<u64>) -> Remedy {
    let more = (10 * now.unwrap_or(DEFAULT)).min(MOST);
    // None is made shorter than it is.
    let more = more.max(now.unwrap_or(0));
    let longer = match now {
        Some(_) => String::new(),
        None => format!(", unless sysctl {KEY} prints as many or more"),
    };
    let rounds = match budget {
        Some(budget) => format!("sysctl -w {BUDGET}={} gives", 2 * budget),
        None => format!(
            "sysctl {BUDGET}; sysctl -w {BUDGET}=N, with twice what the first prints, gives"
        ),
    };
    Remedy {
        commands: vec![
            format!("cat /proc/net/softnet_stat before and after a test: that the second column still grows{counted}"),
            format!("sysctl -w {KEY}={more}{longer}"),
            "mpstat -P ALL 5: where one processor takes all of them (%soft), a longer queue only delays it, and more queues of the interface drop fewer: ethtool -l INTERFACE, and keep what it prints; ethtool -L INTERFACE combined N, up to its maximum".to_owned(),
            format!("where the third column grows as well: {rounds} each round twice as many packets"),
        ],
        undo: vec![
            before(KEY, now, "sysctl -w "),
            before(BUDGET, budget, "sysctl -w "),
            "ethtool -L INTERFACE combined N, with the N that `ethtool -l INTERFACE` printed before"
                .to_owned(),
        ],
        persist: kept(&[(KEY, &more.to_string())]),
        risk: "packets may wait longer in that queue; ethtool -L resets the interface of many drivers for a second".to_owned(),
        room: None,
    }
}
