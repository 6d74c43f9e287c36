//! Where window scaling is to be turned on: at the end that leaves it out, or between the two.

use super::{Buffers, End, at_end, named, systems};
use crate::captured::LeftOut;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, number, word};
use crate::known::System;
use crate::read::Facts;
use crate::seen::Side;

/// Who has to be changed, as far as texts and captures say it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Who {
    /// These ends of the flow.
    Ends(Vec<End>),
    /// The host of a text that may be of either end.
    Host(u32),
    /// What lies between the hosts, and why.
    Between(&'static str),
}

/// What to change: one host, what lies between, or each end where nothing says which of them leaves it out.
pub(super) fn changes(e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Vec<Change> {
    match who(e, facts, flow) {
        Who::Between(why) => {
            let between = "the firewall or router between";
            vec![systems::option_between("window scale", why).change(between, None, None)]
        }
        Who::Host(n) => vec![of_text(facts, n)],
        Who::Ends(ends) => {
            let each = ends.into_iter();
            each.map(|end| of_end(e, (facts, flow), end)).collect()
        }
    }
}

/// The changes beside the last one: where nobody says which end leaves it out, that of either gives what the last one promises.
pub(super) fn others(e: &Evidence, of: (&Facts, &Flow), last: &Change) -> Vec<Change> {
    let mut all = changes(e, of);
    all.pop();
    let as_last = |own: Change| Change {
        predicted_bps: last.predicted_bps,
        low_bps: last.low_bps,
        high_bps: last.high_bps,
        then: last.then.clone(),
        start_ns: last.start_ns,
        ..own
    };
    all.into_iter().map(as_last).collect()
}

/// Whether a host's text says that it scales windows. Windows does not where its tuning is disabled.
pub(crate) fn scales(facts: &Facts, host: u32) -> Option<bool> {
    let of = Of::Host(host);
    let said = number(facts, of, "window_scaling").map(|on| on.value != 0.0);
    let level = word(facts, of, "tuning_level").map(|(level, _)| level);
    said.or(level.filter(|l| *l == "disabled").map(|_| false))
}

fn who(e: &Evidence, facts: &Facts, flow: &Flow) -> Who {
    let both = flow.senders.iter().filter(|n| flow.receivers.contains(n));
    let mut either = both.filter(|n| scales(facts, **n) == Some(false));
    if let Some(n) = either.next() {
        return match e.left_out {
            // A capture says whose text it is.
            Some(LeftOut::End(side) | LeftOut::Beyond(side)) => Who::Ends(vec![End::from(side)]),
            Some(LeftOut::Between) | None => Who::Host(*n),
        };
    }
    let on = [Side::Sender, Side::Receiver].map(|side| flow.said(side, |n| scales(facts, n)));
    let off = [End::Sender, End::Receiver].into_iter();
    let off: Vec<End> = off.filter(|end| on[*end as usize] == Some(false)).collect();
    if !off.is_empty() {
        return Who::Ends(off);
    }
    match (on, e.left_out) {
        ([Some(true), Some(true)], _) => Who::Between("both hosts offer it already"),
        (_, Some(LeftOut::Between)) => {
            Who::Between("a SYN had it at one capture, and not at the other")
        }
        (_, Some(LeftOut::End(side) | LeftOut::Beyond(side))) => {
            let end = End::from(side);
            match on[end as usize] {
                Some(true) => Who::Between("the host whose SYN is without it has it on"),
                _ => Who::Ends(vec![end]),
            }
        }
        ([Some(true), None], None) => Who::Ends(vec![End::Receiver]),
        ([None, Some(true)], None) => Who::Ends(vec![End::Sender]),
        _ => Who::Ends(vec![End::Receiver, End::Sender]),
    }
}

fn of_end(e: &Evidence, (facts, flow): (&Facts, &Flow), end: End) -> Change {
    let (hosts, system) = at_end(e, (facts, flow), end);
    let mut change = on_host(facts, (&hosts, system), end, &named(flow, end));
    let beside = |l: LeftOut| matches!(l, LeftOut::End(side) if End::from(side) == end);
    if e.left_out.is_some_and(beside) {
        // Nothing lies between a host and a capture beside it.
        systems::OFFERED_TO_ALL.clone_into(&mut change.risk);
    }
    change
}

/// The same of a text of which nobody says whose it is.
fn of_text(facts: &Facts, n: u32) -> Change {
    let of = Of::Host(n);
    let system = word(facts, of, "system").and_then(|(name, _)| System::named(name));
    let at = ["window_scaling", "tuning_level"].iter();
    let mut at = at.filter_map(|name| Some(facts.latest(of, name)?.at));
    let names = facts.hosts.get(n as usize).and_then(|all| all.first());
    let host = names.cloned().unwrap_or_else(|| match at.next() {
        Some(at) => format!("the host of {}", facts.place(at)),
        None => "the host that has it off".to_owned(),
    });
    on_host(facts, (&[of], system), End::Receiver, &host)
}

fn on_host(
    facts: &Facts,
    (hosts, system): (&[Of], Option<System>),
    end: End,
    name: &str,
) -> Change {
    let now = Buffers::of(facts, hosts, end);
    let mut remedy = systems::scaling(system, &now);
    if system.is_none() {
        for command in remedy.commands.iter_mut().chain(&mut remedy.undo) {
            command.insert_str(0, "on Linux: ");
        }
        remedy.commands.push(
            "elsewhere: what its system calls window scaling (RFC 7323); say which it is with --receiver or --sender"
                .to_owned(),
        );
    }
    remedy.change(name, system, None)
}
