//! Whose queue disciplines stand at the roots of interfaces: a command replaces what stands on its own host alone.

use super::systems::is_kept;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, word};
use crate::read::Facts;

/// Of the texts that may be a sender's those that are not of a host which counts what arrived damaged: data arrives at the receiver.
pub(super) fn of_sender(e: &Evidence, (facts, flow): (&Facts, &Flow), hosts: &[Of]) -> Vec<Of> {
    let name = |host: u32| facts.hosts.get(host as usize).and_then(|n| n.first());
    let damaged = e.around.damaged.as_ref().filter(|d| d.count.value > 0.0);
    let receiver = damaged.and_then(|d| name(d.host));
    let receives = |of: &&Of| match of {
        Of::Host(n) => receiver.is_some() && name(*n) == receiver && flow.receivers.contains(n),
        _ => false,
    };
    hosts.iter().filter(|of| !receives(of)).copied().collect()
}

/// What shapes or sorts at a root, and was put there for that, of a host that may be the sender though nothing says so:
/// `tbf of dtn (ticket.txt:17)`. `own` are the sender's texts.
pub(super) fn beside((facts, flow): (&Facts, &Flow), own: &[Of]) -> Option<String> {
    let all = flow.senders.iter().chain(&flow.between);
    let mut others = all.filter(|n| !own.contains(&Of::Host(**n)));
    others.find_map(|n| {
        let (kind, at) = word(facts, Of::Host(*n), "root_qdisc")?;
        let of = match facts.hosts.get(*n as usize)?.first() {
            Some(name) => format!(" of {name}"),
            None => String::new(),
        };
        is_kept(kind).then(|| format!("{kind}{of} ({})", facts.place(at)))
    })
}
