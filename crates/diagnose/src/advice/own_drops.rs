//! What to change about a queue of the sender's own that drops what the host itself sends.

use super::interface::UNNAMED;
use super::systems::Remedy;
use crate::own_drops::OwnDrops;

/// The length that Linux gives the queue of an interface by default, packets.
const DEFAULT: u64 = 1000;

/// Room for a burst of a thousand full frames, bytes.
const BYTES: u64 = 1_500_000;

/// A longer queue, and how the one that was there is had again.
struct Longer {
    command: String,
    undo: Option<String>,
    /// It stands at the root: what was there before comes back in place of whatever stands there.
    at_root: bool,
}

/// Pacing first, where the sender does not pace yet: bursts that never come need no room. Else a longer queue.
pub(super) fn remedy(paced: Remedy, own: &OwnDrops) -> Remedy {
    let mut remedy = paced;
    let or = match remedy.commands.is_empty() {
        true => "",
        false => "or, for room for the bursts: ",
    };
    let longer = longer(own);
    remedy.commands.push(format!("{or}{}", longer.command));
    remedy.commands.push(format!(
        "tc -s qdisc show dev {UNNAMED} before and after a test: that `dropped` no longer grows"
    ));
    if longer.at_root {
        remedy.undo.clear();
    }
    remedy.undo.extend(longer.undo);
    remedy.risk = "in a longer queue packets of others wait longer, too".to_owned();
    if !own.tally.interface.is_empty() {
        let lines = remedy.commands.iter_mut().chain(&mut remedy.undo);
        lines.for_each(|line| *line = line.replace(UNNAMED, &own.tally.interface));
    }
    remedy
}

/// What makes the queue longer that drops.
fn longer(own: &OwnDrops) -> Longer {
    let (kind, limit, single) = match &own.queue {
        Some(queue) => (queue.kind, queue.limit.as_str(), queue.single),
        None => ("", "", false),
    };
    let packets = limit.strip_suffix('p').and_then(|n| n.parse::<u64>().ok());
    let more = packets.map_or(DEFAULT, |n| n.saturating_mul(10).max(DEFAULT));
    let length = format!("ip link set dev {UNNAMED} txqueuelen");
    let root = format!("tc qdisc replace dev {UNNAMED} root {kind}");
    match (kind, packets) {
        ("pfifo_fast", _) => Longer {
            command: format!("{length} {more}"),
            undo: packets.map(|n| format!("{length} {n}")),
            at_root: false,
        },
        ("fq", Some(n)) if single => Longer {
            command: format!("{root} flow_limit {more}"),
            undo: Some(format!("{root} flow_limit {n}")),
            at_root: true,
        },
        ("pfifo" | "sfq", Some(n)) if single => Longer {
            command: format!("{root} limit {more}"),
            undo: Some(format!("{root} limit {n}")),
            at_root: true,
        },
        ("bfifo", _) if single && !limit.is_empty() => Longer {
            command: format!("{root} limit {BYTES}"),
            undo: Some(format!("{root} limit {limit}")),
            at_root: true,
        },
        _ => Longer {
            command: format!(
                "a higher limit of the queue that tc -s qdisc show dev {UNNAMED} names; of pfifo_fast {length} {more}"
            ),
            undo: None,
            at_root: false,
        },
    }
}
