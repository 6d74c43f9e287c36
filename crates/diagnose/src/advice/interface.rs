//! Interfaces by their own names: what the texts call them, and how long their rings are.

use super::backlog::{self, SOFTNET};
use super::core::with_offloads;
use super::{End, Remedy, at_end, host_of, places, systems};
use crate::cause::Cause;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::{Of, Value};
use crate::flows::flow::{Flow, number, word};
use crate::hosts::tally::Tally;
use crate::known::System;
use crate::read::{Facts, PORT, TABLE_OF};

/// What commands say where no text names the interface.
pub(super) const UNNAMED: &str = "INTERFACE";

/// The only interface that texts of these hosts name, but for such as did not carry the flow.
fn only<'f>((facts, flow): (&'f Facts, &Flow), hosts: &[Of]) -> Option<&'f str> {
    let said = facts.facts.iter();
    let said = said.filter(|f| f.name == PORT && hosts.contains(&f.of));
    let mut names = said.filter_map(|f| match (&f.value, f.of) {
        (Value::Word(name), Of::Host(host)) if flow.bypassed.leaves(host, name) => None,
        (Value::Word(name), _) => Some(name.as_str()),
        (Value::Number(_), _) => None,
    });
    let first = names.next()?;
    names.all(|name| name == first).then_some(first)
}

/// The change with the interface's own name, where the texts of its end have one and no other; what may be of either end names none.
pub(super) fn with_name(
    mut change: Change,
    (facts, flow): (&Facts, &Flow),
    hosts: &[Of],
) -> Change {
    let both = |of: &Of| match of {
        Of::Host(n) => flow.senders.contains(n) && flow.receivers.contains(n),
        _ => false,
    };
    let own: Vec<Of> = hosts.iter().copied().filter(|of| !both(of)).collect();
    if let Some(name) = only((facts, flow), &own) {
        let lines = change.commands.iter_mut().chain(&mut change.undo);
        lines.for_each(|line| *line = line.replace(UNNAMED, name));
    }
    change
}

/// What to change about an interface that drops: by its name and its ring, where the texts have them.
fn dropping(e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Change {
    let drops = e.nic_drops.as_ref().filter(|d| d.count.value > 0.0);
    let name = drops.map_or("", |d| d.interface.as_str());
    let side = drops.map(|d| {
        (
            flow.senders.contains(&d.host),
            flow.receivers.contains(&d.host),
        )
    });
    let end = if side == Some((true, false)) {
        End::Sender
    } else {
        End::Receiver
    };
    let (hosts, of_end) = at_end(e, (facts, flow), end);
    // What may be of either end says nothing by its system.
    let of_end = of_end.filter(|_| side.is_some_and(|(sends, receives)| sends != receives));
    let own = drops.and_then(|d| system_of(facts, d.host));
    let other = own.or(of_end).filter(|s| *s != System::Linux);
    let host = drops.map_or_else(
        || super::named(flow, End::Receiver),
        |d| host_of(facts, flow, d.host),
    );
    let ring = ring((facts, flow), &hosts, name, drops);
    let port = if name.is_empty() { UNNAMED } else { name };
    let remedy = match drops {
        Some(d) if d.counter == SOFTNET => {
            let set = |name| {
                let own = number(facts, Of::Host(d.host), name);
                let known = own.or_else(|| hosts.iter().find_map(|h| number(facts, *h, name)));
                known.map(|n| n.value as u64)
            };
            let (now, budget) = (set("netdev_max_backlog"), set("netdev_budget"));
            backlog::remedy(&places(facts, drops), now, budget)
        }
        _ => match other {
            Some(system) => systems::interface_of(system, &places(facts, drops), port),
            None => {
                let short = ring.is_some_and(|[now, most]| now < most);
                let remedy = systems::interface(&places(facts, drops), port, ring);
                match drops.is_some() && end == End::Receiver {
                    true => with_gro(remedy, (facts, &hosts[..]), port, short),
                    false => remedy,
                }
            }
        },
    };
    with_name(remedy.change(&host, other, None), (facts, flow), &hosts)
}

/// The same with GRO, where the texts of these hosts show that it is off: behind a ring that they show to be short, and else first.
fn with_gro(remedy: Remedy, (facts, hosts): (&Facts, &[Of]), port: &str, short: bool) -> Remedy {
    let before = remedy.commands.len();
    let mut remedy = with_offloads(remedy, facts, hosts, End::Receiver);
    if remedy.commands.len() > before && short {
        // Behind the count that is to grow, and the ring.
        remedy.commands[..3].rotate_left(1);
    }
    let lines = remedy.commands.iter_mut().chain(&mut remedy.undo);
    lines.for_each(|line| *line = line.replace(UNNAMED, port));
    remedy
}

/// The system of a host, by its own text or by the form of a table that it printed.
fn system_of(facts: &Facts, host: u32) -> Option<System> {
    let named = |name: &'static str| System::named(word(facts, Of::Host(host), name)?.0);
    named("system").or_else(|| named(TABLE_OF))
}

/// What to change about an interface: its card's slot, or what it drops.
pub(super) fn of_card(e: &Evidence, among: (&Facts, &Flow)) -> Change {
    let (facts, flow) = among;
    let usb = e.change_usb(|host| flow.host_called(facts, host, "the host with that adapter"));
    let mended = usb.or_else(|| slot(e, among));
    mended.unwrap_or_else(|| dropping(e, among))
}

/// What to change about the slot of a card, where the rate is what it leaves.
fn slot(e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Option<Change> {
    let slot = e.full_slot()?;
    let remedy = Remedy {
        commands: vec![
            "lspci -vv -s ADDRESS | grep -e LnkCap -e LnkSta, with the address of the card: what it could use, and what it got".to_owned(),
            "put the card into a slot with as many lanes and as fast ones as it could use, or seat it again; a riser, or a setting of the firmware that splits a slot, may have fewer".to_owned(),
        ],
        risk: "the host is down meanwhile".to_owned(),
        ..Remedy::default()
    };
    Some(remedy.change(&host_of(facts, flow, slot.host), None, None))
}

/// How many frames the ring of an interface has room for, and how many it may have at most.
fn ring(
    (facts, flow): (&Facts, &Flow),
    hosts: &[Of],
    port: &str,
    drops: Option<&Tally>,
) -> Option<[u64; 2]> {
    let among = (facts, flow);
    let own = drops.map(|d| Of::Host(d.host)).into_iter();
    let of_port = |of: &Of| only(among, &[*of]).is_some_and(|name| port.is_empty() || name == port);
    let mut all = own.chain(hosts.iter().copied()).filter(of_port);
    all.find_map(|of| {
        let frames = |name| number(facts, of, name).map(|n| n.value as u64);
        Some([frames("ring_frames")?, frames("ring_most_frames")?])
    })
}

/// A rate from which on one thread may be what holds a test, bit/s: a rule of thumb, held against no measurement.
const OF_THREAD: f64 = 2e10;

/// What one thread may leave of a promised rate, where the release of iperf3 says that it has one for all connections.
pub(super) fn one_thread(change: &mut Change, cause: Cause, e: &Evidence, threads: Option<String>) {
    let fast = change.predicted_bps.is_some_and(|bps| bps > OF_THREAD);
    if let Some(threads) = threads.filter(|_| fast && e.streams > 1.0 && cause != Cause::HostCpu) {
        change
            .risk
            .push_str("; a test may show less than is promised, as ");
        change.risk.push_str(&threads);
    }
}
