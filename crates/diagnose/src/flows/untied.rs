//! Hosts that nothing ties to an end of a flow: what they say never overrules what the other texts show of its cause.
//!
//! A host is tied to an end by its name, by an address, or by what was typed there. One that merely may be an end can be any host whose
//! text was pasted beside the flow's: its full processor says nothing against a cause that a capture, a socket or a counter shows.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::bystander::{differs, places_of, typed_for};
use crate::flows::flow::{Flow, alike, word};
use crate::hosts::core::may_lie_between;
use crate::hosts::tally::HOSTS_MAX;
use crate::read::{COPIES, Facts, WINDOWS};
use crate::verdict::Judged;

/// A cause is shown from this confidence on: more than is ever said of a host that is merely assumed to be an end. A choice.
const SHOWN: f64 = 0.75;

/// By so much less certain than without such a host a cause is made less certain by it. A choice.
const WEAKER: f64 = 0.05;

/// A kernel or a capture that saw a sender wait for this share of its time shows it, whosever settings were printed. A choice.
const WAITED: f64 = 0.3;

/// What the text of any host may look like, whether the flow goes by it or not: no count in it is held against one of the flow.
const OF_ANY: [Cause; 5] = [
    Cause::HostCpu,
    Cause::Disk,
    Cause::Duplex,
    Cause::Link,
    Cause::Shaper,
];

/// Leaves what hosts say that nothing ties to an end out of each flow whose cause the other texts show. Whether there was such a flow.
pub(crate) fn leave_out(facts: &Facts, flows: &mut [Flow]) -> bool {
    let mut any = false;
    for flow in flows {
        let hosts = untied(facts, flow);
        if hosts.is_empty() {
            continue;
        }
        let rest = without(flow, hosts);
        let (all, tied) = (Judged::of(facts, flow), Judged::of(facts, &rest));
        let elsewhere = damages_elsewhere((facts, &*flow), &all, &tied, &rest.untied);
        if elsewhere || is_overruled(&all, &tied) {
            *flow = rest;
            any = true;
        }
    }
    any
}

/// The hosts whose texts a flow has though nothing ties them to an end.
fn untied(facts: &Facts, flow: &Flow) -> Vec<u32> {
    if flow.assumed.len() > HOSTS_MAX {
        return Vec::new();
    }
    let assumed = flow.assumed.iter().copied();
    let assumed = assumed.filter(|host| speaks(facts, *host));
    assumed.chain(apart(facts, flow)).collect()
}

/// Those that may be either end, and are likely another host. Of too many texts nobody knows whose they are.
pub(crate) fn apart(facts: &Facts, flow: &Flow) -> Vec<u32> {
    if flow.senders.len() > HOSTS_MAX {
        return Vec::new();
    }
    let both = flow.senders.iter().copied();
    let both = both.filter(|host| flow.receivers.contains(host));
    let apart = both.filter(|host| is_apart(facts, flow, *host));
    apart.filter(|host| speaks(facts, *host)).collect()
}

/// Whether a host says something of itself, or counts something. One that carries what others send may lie between the ends.
fn speaks(facts: &Facts, host: u32) -> bool {
    let program = word(facts, Of::Host(host), "cpu_program");
    let carries = program.is_some_and(|(program, _)| may_lie_between(program));
    !carries && places_of(facts, host).next().is_some()
}

/// Whether a host that may be either end is likely another: by its name, where others pinged or tested, or by its addresses. So is one with a name
/// beside a capture, which has none, and beside a copy that was typed at a prompt without one.
fn is_apart(facts: &Facts, flow: &Flow, host: u32) -> bool {
    let names = &facts.hosts[host as usize];
    if names.is_empty() || crate::flows::copy_host::ran_on(facts, flow, host) {
        return false;
    }
    let own = |name: &String| names.iter().any(|n| alike(n, name));
    let reached = &facts.prompts.reached;
    // Where another's prompt ran the test, what this host asked of a third one does not tie it to an end.
    let client = flow.test.as_ref().and_then(|test| typed_for(facts, test));
    let elsewhere = client.is_some_and(|c| is_named(&c.name) && !own(&c.name));
    let is_end = |whom: &String| {
        let called = [0, 1].map(|n| flow.end_names(n));
        called.iter().flatten().any(|name| alike(name, whom))
    };
    let ties =
        |(who, whom): &(String, String)| own(whom) || own(who) && (!elsewhere || is_end(whom));
    let by_name = !reached.is_empty() && !reached.iter().any(ties);
    let unnamed = flow.test.as_ref().is_some_and(|test| {
        let copies = COPIES.contains(&test.tool) && facts.moments.is_typed_unnamed(test.at);
        copies || test.tool == "capture"
    });
    by_name || unnamed || has_other_addresses(facts, flow, own)
}

/// Whether a prompt has a name: one of Windows has none.
fn is_named(prompt: &str) -> bool {
    !prompt.is_empty() && prompt != WINDOWS
}

/// Whether a host printed addresses of its own, and none of an end whose address is known.
fn has_other_addresses(facts: &Facts, flow: &Flow, own: impl Fn(&String) -> bool) -> bool {
    let owns = facts.prompts.owns.iter().filter(|(name, _)| own(name));
    let owns: Vec<&String> = owns.map(|(_, address)| address).collect();
    let is_other = |end: &&String| owns.iter().any(|address| differs(address, end));
    let ends = [&flow.from.host, &flow.to.host];
    let known = ends.into_iter().filter(|end| !end.is_empty());
    let known: Vec<&String> = known.collect();
    !known.is_empty() && known.iter().all(is_other)
}

/// A flow without the texts of these hosts.
fn without(flow: &Flow, hosts: Vec<u32>) -> Flow {
    let mut rest = flow.clone();
    for texts in [&mut rest.senders, &mut rest.receivers, &mut rest.assumed] {
        texts.retain(|host| !hosts.contains(host));
    }
    rest.untied = hosts;
    rest
}

/// Whether the texts of hosts that nothing ties to an end hide or weaken what the others show.
fn is_overruled(all: &Judged<'_>, tied: &Judged<'_>) -> bool {
    let (cause, shown) = (all.cause(), tied.cause());
    let certain = tied.verdict.confidence;
    if cause == shown {
        return all.verdict.confidence + WEAKER < certain && certain >= SHOWN;
    }
    let hint = cause == Cause::Unknown || OF_ANY.contains(&cause);
    let hint = hint || all.e.assumed_for(cause).is_some();
    hint && certain >= SHOWN && is_direct(&tied.e, shown)
}

/// Whether damaged frames of hosts that nothing ties to an end are named beside a loss that the other texts show. These have the damage that lost
/// it, or the host that counts has addresses of its own and none of an end.
fn damages_elsewhere(
    (facts, flow): (&Facts, &Flow),
    all: &Judged<'_>,
    tied: &Judged<'_>,
    hosts: &[u32],
) -> bool {
    let damaged = all.e.around.damaged.as_ref();
    let damaged = damaged.filter(|d| d.count.value > 0.0 && hosts.contains(&d.host));
    let Some(damaged) = damaged else { return false };
    let cause = Cause::RandomLoss;
    if all.cause() != cause || tied.cause() != cause {
        return false;
    }
    let names = &facts.hosts[damaged.host as usize];
    let own = |name: &String| names.iter().any(|n| alike(n, name));
    let other = !all.e.settled_by_damage() && has_other_addresses(facts, flow, own);
    other || is_direct(&tied.e, cause)
}

/// Whether a verdict goes by what was seen of the flow itself. A window that settings are read of, a kind of loss that its pattern suggests, and
/// others' traffic, which is what remains, are not.
fn is_direct(e: &Evidence, cause: Cause) -> bool {
    match cause {
        Cause::Unknown | Cause::CrossTraffic => false,
        Cause::ReceiveWindow | Cause::SendBuffer | Cause::NoWindowScaling => {
            e.share(cause).is_some_and(|share| share >= WAITED)
        }
        _ => {
            let damaged = cause == Cause::RandomLoss && e.settled_by_damage();
            !cause.is_loss() || damaged || e.settled_by_own_drops(cause)
        }
    }
}
