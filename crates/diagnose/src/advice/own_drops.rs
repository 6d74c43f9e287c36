//! What to change about a queue of the sender's own that drops what the host itself sends, by its length or on purpose.

use super::interface::UNNAMED;
use super::systems::Remedy;
use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::interfaces::own_drops::OwnDrops;
use crate::read::Queue;

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

/// Against a cause of losses: its own remedy where a queue of the sender's own is behind it, else that of the path.
pub(super) fn against(cause: Cause, e: &Evidence, paced: Remedy) -> Remedy {
    let Some(own) = e.dropped_by_itself(cause) else {
        return paced;
    };
    match (cause, own.queue.as_ref().filter(|q| q.loses())) {
        (_, Some(queue)) => without(own, queue),
        (Cause::ShallowBuffer, None) => remedy(paced, own),
        _ => paced,
    }
}

/// Whether the options of a queue are words and numbers, which a command takes as they were printed.
fn is_plain(options: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '.' | '%');
    options.chars().all(known)
}

/// Takes a netem away that loses packets on purpose, and says how it comes back.
fn without(own: &OwnDrops, queue: &Queue) -> Remedy {
    let port = match own.tally.interface.as_str() {
        "" => UNNAMED,
        name => name,
    };
    let values = match is_plain(&queue.options) {
        true => queue.options.clone(),
        false => format!("with the values that `tc qdisc show dev {port}` printed before"),
    };
    let (away, back) = match queue.single {
        true => (
            format!("tc qdisc del dev {port} root"),
            format!("tc qdisc add dev {port} root netem {values}"),
        ),
        // An mq holds it: without any queue there everything would be dropped.
        false => (
            format!(
                "tc qdisc replace dev {port} parent PARENT pfifo, with each PARENT of a netem that tc qdisc show dev {port} prints"
            ),
            format!("tc qdisc replace dev {port} parent PARENT netem {values}"),
        ),
    };
    let check = "before and after a test: that `dropped` no longer grows";
    Remedy {
        commands: vec![away, format!("tc -s qdisc show dev {port} {check}")],
        undo: vec![back],
        risk: "somebody put the netem there on purpose, as for a test: the delay that it adds goes with it, and what waits in it is dropped once".to_owned(),
        ..Remedy::default()
    }
}

/// Pacing first, where the sender does not pace yet: bursts that never come need no room. Else a longer queue. What a netem delays waits in
/// it, and what paces stands below it: it needs the room.
fn remedy(paced: Remedy, own: &OwnDrops) -> Remedy {
    let delays = own.queue.as_ref().is_some_and(|q| q.kind == "netem");
    let mut remedy = match delays {
        true => Remedy::default(),
        false => paced,
    };
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

/// A netem that keeps more packets, with all else that it does.
fn roomier(queue: &Queue) -> Option<Longer> {
    let whole = queue.single && is_plain(&queue.options);
    let rest = queue.options.strip_prefix("limit ").filter(|_| whole)?;
    let (limit, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let more = limit.parse::<u64>().ok()?.saturating_mul(10).max(DEFAULT);
    let root = format!("tc qdisc replace dev {UNNAMED} root netem limit");
    let of = |limit: u64| format!("{root} {limit} {rest}").trim_end().to_owned();
    Some(Longer {
        command: of(more),
        undo: limit.parse().ok().map(of),
        at_root: true,
    })
}

/// What makes the queue longer that drops.
fn longer(own: &OwnDrops) -> Longer {
    let netem = own.queue.as_ref().filter(|q| q.kind == "netem");
    if let Some(longer) = netem.and_then(roomier) {
        return longer;
    }
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
