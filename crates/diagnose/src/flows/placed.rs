//! Which host's text is of which end of a flow, and which systems the ends have.

use std::collections::{BTreeMap, BTreeSet};

use crate::fact::{Of, Place};
use crate::flows::bystander;
use crate::flows::flow::{Flow, alike, number, word};
use crate::known::System;
use crate::programs::fetches;
use crate::read::classes::LEAVES;
use crate::read::{COPIER, Facts, HEADED, SHARES, WINDOWS};
use crate::seen::{End, Side, Test};
use crate::verdict::Judged;

/// What other flows say of their hosts, by address.
#[derive(Default)]
struct Others {
    /// The address of each host whose end is known.
    hosts: BTreeMap<u32, String>,
    /// The system at each address.
    systems: BTreeMap<String, System>,
    /// The addresses of ends that each host bears the name of.
    named: BTreeMap<u32, BTreeSet<String>>,
}

/// Gives each flow the hosts' texts of its ends, and their systems. A host that is at one end of a flow has that address in all others.
pub(crate) fn hosts(facts: &Facts, flows: &mut [Flow]) {
    let Some(first) = flows.first() else { return };
    let turned: Vec<bool> = flows
        .iter()
        .map(|f| f.is_turned(first) == Some(true))
        .collect();
    let mut others = Others {
        named: bystander::named(facts, flows),
        ..Others::default()
    };
    for (flow, turned) in flows.iter_mut().zip(&turned) {
        place(facts, flow, *turned, &others);
    }
    if flows.len() < 2 {
        return;
    }
    flows.iter().for_each(|flow| others.learn(flow));
    for (flow, turned) in flows.iter_mut().zip(&turned) {
        place(facts, flow, *turned, &others);
    }
}

impl Others {
    /// What a flow says of the hosts at its ends, where no flow before it does.
    fn learn(&mut self, flow: &Flow) {
        let ends = [
            (&flow.from, &flow.senders, &flow.receivers),
            (&flow.to, &flow.receivers, &flow.senders),
        ];
        for ((end, own, other), system) in ends.into_iter().zip(flow.systems) {
            if end.host.is_empty() {
                continue;
            }
            // What is merely assumed of a host in one flow says nothing of it in another.
            let sure = |n: &&u32| !other.contains(n) && !flow.assumed.contains(n);
            for n in own.iter().filter(sure) {
                self.hosts.entry(*n).or_insert_with(|| end.host.clone());
            }
            if let Some(system) = system {
                self.systems.entry(end.host.clone()).or_insert(system);
            }
        }
    }

    /// The end of a flow that has a host's address.
    fn end_of(&self, flow: &Flow, host: u32) -> Option<Side> {
        one_end(flow, self.hosts.get(&host).into_iter().map(String::as_str))
    }
}

/// The system that a text says of someone.
fn said(facts: &Facts, of: Of) -> Option<(System, Place)> {
    let (name, at) = word(facts, of, "system")?;
    Some((System::named(name)?, at))
}

/// Systems of sender and receiver, as somebody says or a report shows. What you say is of the hosts of the first flow, and stays with them
/// in one that is `turned`.
fn systems(facts: &Facts, flow: &Flow, turned: bool) -> [Option<System>; 2] {
    let words = flow.test.as_ref().map(|t| &t.words);
    let of_test = |key| System::named(words?.get(key)?);
    let of_test = [of_test("sender_system"), of_test("receiver_system")];
    let typed = at_prompts_of_windows(facts, flow, |_| true);
    let each = [Of::Sender, Of::Receiver].map(|of| said(facts, of));
    let mut systems = [0, 1].map(|end| {
        let you = each[if turned { 1 - end } else { end }];
        let you = you.filter(|(_, at)| *at == Place::You);
        // Commands at prompts say it of their own test; where these printed addresses, it is of those.
        let line = each[end].filter(|(_, at)| *at != Place::You);
        let typed = match typed {
            Some(side) => (side as usize == end).then_some(System::Windows),
            None => line.map(|(system, _)| system),
        };
        let typed = typed.filter(|s| end == 1 || !(*s == System::Windows && resends(flow)));
        you.map(|(system, _)| system).or(typed).or(of_test[end])
    });
    if systems[0].is_none() && flow.test.as_ref().is_some_and(doubles) {
        systems[0] = Some(System::Linux);
    }
    // What is printed of a socket's kernel is Linux's `TCP_INFO`.
    let own = [&flow.sockets, &flow.far_sockets].map(|all| !all.is_empty());
    for (system, own) in systems.iter_mut().zip(own) {
        *system = system.or(own.then_some(System::Linux));
    }
    // Where nothing but pings of Windows was printed, it is the host that sends.
    let runs = facts.prompts.windows.len();
    let alone = flow.test.is_none() && own == [false; 2] && facts.hosts.is_empty();
    if alone && runs > 0 && runs >= facts.pings.len() {
        systems[0] = systems[0].or(Some(System::Windows));
    }
    systems
}

/// Whether iperf3 counted what its sender sent again: Windows does not say that to it.
fn resends(flow: &Flow) -> bool {
    let counts = |t: &Test| t.tool == "iperf3" && !t.udp && t.numbers.contains_key("retransmits");
    flow.test.as_ref().is_some_and(counts)
}

/// Which hosts' texts are of which end: by name, by system, and otherwise of both.
fn place(facts: &Facts, flow: &mut Flow, turned: bool, others: &Others) {
    flow.senders.clear();
    flow.receivers.clear();
    flow.between.clear();
    flow.assumed.clear();
    flow.systems = systems(facts, flow, turned);
    for (end, system) in [&flow.from, &flow.to].into_iter().zip(&mut flow.systems) {
        *system = system.or(others.systems.get(&end.host).copied());
    }
    let of_host = |n: u32| said(facts, Of::Host(n)).map(|(system, _)| system);
    let mut rest = Vec::new();
    for (n, names) in (0_u32..).zip(&facts.hosts) {
        if facts.aside.is_mixed(n) {
            continue;
        }
        let by_file = facts.sides.get(n as usize).copied().flatten();
        let by_file = by_file.map(|role| flow.side_of(role));
        let is_own = |side: &Side| !is_other_kernel(facts, flow, n, *side);
        let side = by_file
            .filter(is_own)
            .or_else(|| by_names(facts, flow, names))
            .or_else(|| headed(facts, flow, n))
            .or_else(|| names.iter().find_map(|name| shares(flow, name)))
            .or_else(|| copies_here(facts, flow, n))
            .or_else(|| windows(facts, flow, n))
            .or_else(|| {
                let beside = beside_log(facts, flow, n).filter(is_own);
                beside.filter(|side| may_be(facts, flow, n, *side))
            })
            .or_else(|| bystander::tied(facts, flow, names))
            .or_else(|| others.end_of(flow, n));
        match side {
            Some(side) => flow.take(side, n, of_host(n)),
            None if shapes(facts, n) => flow.between.push(n),
            None => rest.push(n),
        }
    }
    let placed = [flow.senders.clone(), flow.receivers.clone()];
    let mut open = Vec::new();
    for n in rest {
        if facts.aside.has(n) || fetches::goes_past(facts, flow, &facts.hosts[n as usize]) {
            continue;
        }
        let addresses = others.named.get(&n);
        let side = match bystander::excluded(facts, flow, (n, addresses), &placed) {
            [true, true] => continue,
            [true, false] => Some(Side::Receiver),
            [false, true] => Some(Side::Sender),
            [false, false] => {
                let beside = beside_prompts(facts, flow, n);
                beside.or_else(|| bystander::beside_copy(facts, flow, n))
            }
        };
        match side {
            Some(side) => {
                flow.assumed.push(n);
                flow.take(side, n, of_host(n));
            }
            None => open.push(n),
        }
    }
    place_open(facts, flow, open);
}

impl Flow {
    /// A host's text is of an end, and so is the system that it says.
    fn take(&mut self, side: Side, host: u32, system: Option<System>) {
        match side {
            Side::Sender => self.senders.push(host),
            Side::Receiver => self.receivers.push(host),
        }
        let of_end = &mut self.systems[side as usize];
        *of_end = sharper(*of_end, system);
    }
}

/// Whether a host's text says that it is one of Windows.
pub(crate) fn is_windows(facts: &Facts, host: u32) -> bool {
    matches!(said(facts, Of::Host(host)), Some((System::Windows, _)))
}

/// Whether a host may be at an end, by its system.
fn may_be(facts: &Facts, flow: &Flow, host: u32, side: Side) -> bool {
    let counts = side == Side::Sender && resends(flow);
    let another = counts || bystander::not_windows(facts, flow, host)[side as usize];
    !(is_windows(facts, host) && another)
}

/// Whether a host's text is of a BSD or of macOS, and the kernel that printed an end's sockets is Linux: whatever heads that text, it is
/// not of that end.
fn is_other_kernel(facts: &Facts, flow: &Flow, host: u32, side: Side) -> bool {
    let own = match side {
        Side::Sender => &flow.sockets,
        Side::Receiver => &flow.far_sockets,
    };
    let is_bsd = |(system, _): (System, Place)| system.agrees(System::Bsd);
    !own.is_empty() && said(facts, Of::Host(host)).is_some_and(is_bsd)
}

/// Gives the ends the texts of hosts that nobody names: by their systems, and otherwise to both.
fn place_open(facts: &Facts, flow: &mut Flow, open: Vec<u32>) {
    let of_host = |n: u32| said(facts, Of::Host(n)).map(|(system, _)| system);
    let placed = [flow.senders.clone(), flow.receivers.clone()];
    let ends_said = [Of::Sender, Of::Receiver].map(|of| said(facts, of));
    let at_end = ends_said
        .iter()
        .any(|s| matches!(s, Some((System::Windows, _))));
    for n in open {
        let ends = [Side::Sender, Side::Receiver].map(|side| may_be(facts, flow, n, side));
        if ends == [false; 2] {
            continue;
        }
        // What was typed says which end it is not: that it is the other one is assumed.
        let typed = is_windows(facts, n) && bystander::not_windows(facts, flow, n) != [false; 2];
        let beside = beside_named(facts, &placed, n);
        let fits = |end: usize| match (of_host(n), flow.systems[end]) {
            (Some(mine), Some(theirs)) => mine.agrees(theirs),
            (Some(System::Windows), None) => ends[end],
            _ => true,
        };
        let (sender, receiver) = (fits(0), fits(1));
        if typed && !sender && !receiver {
            continue;
        }
        if typed && !at_end || beside.is_some() {
            flow.assumed.push(n);
        }
        let exact = |end: usize| of_host(n).is_some() && flow.systems[end].is_some();
        // A host that cannot be the one end is the other; one that may be both speaks for both.
        let only = match (sender, receiver) {
            (true, true) if beside.is_some() => beside,
            (false, true) => Some(1),
            (true, false) => Some(0),
            (true, true) if exact(1) && !exact(0) && flow.systems[0].is_some() => Some(1),
            // Two hosts have the same system less often than one is described twice; but for Linux.
            (true, true) if exact(0) != exact(1) && of_host(n) != Some(System::Linux) => {
                Some(usize::from(exact(1)))
            }
            _ => None,
        };
        if only != Some(1) {
            flow.senders.push(n);
        }
        if only != Some(0) {
            flow.receivers.push(n);
        }
        if let Some(end) = only
            && flow.systems[end].is_none()
        {
            flow.systems[end] = of_host(n);
        }
    }
}

/// Gives hosts of two systems, of which nobody says at which end they are, the ends that the cause speaks of: a window that holds the flow is
/// the receiver's setting, a buffer the sender's. The host of the other system is at the other end.
pub(crate) fn by_cause(facts: &Facts, flows: &mut [Flow]) {
    let system = |n: u32| said(facts, Of::Host(n)).map(|(system, _)| system);
    for flow in flows {
        let both = flow.senders.iter().filter(|n| flow.receivers.contains(n));
        let both: Vec<(u32, System)> = both.filter_map(|n| Some((*n, system(*n)?))).collect();
        let apart = |(_, s): &(u32, System)| !both.iter().all(|(_, other)| s.agrees(*other));
        if !both.iter().any(apart) {
            continue;
        }
        let held = Judged::of(facts, flow).held_by();
        let own = held.and_then(|(side, n)| Some((side, both.iter().find(|(m, _)| *m == n)?.1)));
        let Some((side, own)) = own else { continue };
        for (n, system) in both {
            let there = if system.agrees(own) {
                side
            } else {
                side.other()
            };
            let elsewhere = match there {
                Side::Sender => &mut flow.receivers,
                Side::Receiver => &mut flow.senders,
            };
            elsewhere.retain(|m| *m != n);
            let known = &mut flow.systems[there as usize];
            *known = sharper(*known, Some(system));
        }
    }
}

/// The end of a host whose text bears a name, where another host by name is at the other end, and none at this one.
fn beside_named(facts: &Facts, placed: &[Vec<u32>; 2], host: u32) -> Option<usize> {
    let names = &facts.hosts[host as usize];
    let differs = |other: &u32| {
        let others = &facts.hosts[*other as usize];
        let is = |a: &String| others.iter().any(|b| alike(a, b));
        !names.is_empty() && !others.is_empty() && !names.iter().any(is)
    };
    let taken = |end: usize| !placed[end].is_empty() && placed[end].iter().all(differs);
    match (taken(0), taken(1)) {
        (true, false) if placed[1].is_empty() => Some(1),
        (false, true) if placed[0].is_empty() => Some(0),
        _ => None,
    }
}

/// Whether a host that has a name of its own shapes what it sends: where it is neither end by that name, it is a device on the way.
fn shapes(facts: &Facts, host: u32) -> bool {
    let named = !facts.hosts[host as usize].is_empty();
    let of = Of::Host(host);
    named && (number(facts, of, "shaper_bps").is_some() || facts.latest(of, LEAVES).is_some())
}

/// What is known of a host's system from two texts: where one says only that it is a BSD, which one by the other.
fn sharper(one: Option<System>, other: Option<System>) -> Option<System> {
    match (one, other) {
        (Some(System::Bsd), Some(exact)) if exact.agrees(System::Bsd) => other,
        _ => one.or(other),
    }
}

/// The end whose host bears one of these names.
pub(crate) fn by_names(facts: &Facts, flow: &Flow, names: &[String]) -> Option<Side> {
    named(flow, names).or_else(|| at_prompt(facts, flow, names))
}

/// The end of a host by its name above a table of its processors or disks.
fn headed(facts: &Facts, flow: &Flow, host: u32) -> Option<Side> {
    let (name, _) = word(facts, Of::Host(host), HEADED)?;
    by_names(facts, flow, &[name.to_owned()]).or_else(|| shares(flow, name))
}

/// The end whose share a copy reads or writes, by the name of its host.
fn shares(flow: &Flow, name: &str) -> Option<Side> {
    let words = &flow.test.as_ref()?.words;
    let is = |end: usize| words.get(SHARES[end]).is_some_and(|host| alike(host, name));
    match [is(0), is(1)] {
        [true, false] => Some(Side::Sender),
        [false, true] => Some(Side::Receiver),
        _ => None,
    }
}

/// The end at which a copy between a share and a disk ran: its text is of one host of Windows, or of that and the share's.
fn copies_here(facts: &Facts, flow: &Flow, host: u32) -> Option<Side> {
    let test = flow
        .test
        .as_ref()
        .filter(|t| t.words.contains_key(COPIER))?;
    let Place::Line(source, _) = test.at else {
        return None;
    };
    let of_text = |n: u32| facts.host_sources.get(n as usize) == Some(&source);
    let is_here = |n: u32| of_text(n) && is_windows(facts, n);
    let own = facts.hosts.get(host as usize)?;
    let all = (0_u32..).zip(&facts.hosts).filter(|(n, _)| is_here(*n));
    let others = all.flat_map(|(_, names)| names);
    let mut others = others.filter(|name| shares(flow, name).is_none());
    let first = others.next();
    let one = first.is_none_or(|first| own.iter().chain(others).all(|name| alike(name, first)));
    (is_here(host) && one).then_some(test.client)
}

/// The end that one of these names is of.
fn named(flow: &Flow, names: &[String]) -> Option<Side> {
    let test = flow.test.as_ref();
    let is = |end: &End, aliases: Option<&Vec<String>>| {
        let all = aliases.into_iter().flatten().chain([&end.host]);
        all.filter(|a| !a.is_empty())
            .any(|a| names.iter().any(|n| alike(a, n)))
    };
    if is(&flow.to, test.map(|t| &t.aliases[1])) {
        return Some(Side::Receiver);
    }
    is(&flow.from, test.map(|t| &t.aliases[0])).then_some(Side::Sender)
}

/// The end whose address was printed behind a prompt that bears one of these names.
fn at_prompt(facts: &Facts, flow: &Flow, names: &[String]) -> Option<Side> {
    let all = facts.shells.iter();
    let here = all.filter(|(_, name, _)| names.iter().any(|n| alike(n, name)));
    one_end(flow, here.map(|(_, _, address)| address.as_str()))
}

/// The end that printed the log or the sockets of a text, where this host's settings are the only ones in it and nobody says
/// whose they are.
fn beside_log(facts: &Facts, flow: &Flow, host: u32) -> Option<Side> {
    let source = facts.host_sources.get(host as usize)?;
    let others = facts.host_sources.iter().filter(|s| *s == source).count();
    let names = &facts.hosts[host as usize];
    // A name above a table says no more than that no prompt may have another.
    let headed = word(facts, Of::Host(host), HEADED).is_some();
    if others > 1 || !names.is_empty() && !headed {
        return None;
    }
    let here = facts.shells.iter().filter(|(of, _, _)| of == source);
    let apart = |name: &String| !name.is_empty() && !names.iter().any(|n| alike(n, name));
    if headed && here.clone().any(|(_, name, _)| apart(name)) {
        return None;
    }
    one_end(flow, here.map(|(_, _, address)| address.as_str()))
}

/// The one end that these addresses are of.
fn one_end<'a>(flow: &Flow, addresses: impl Iterator<Item = &'a str>) -> Option<Side> {
    let ends = [(&flow.from, Side::Sender), (&flow.to, Side::Receiver)];
    let mut found = None;
    for address in addresses.filter(|a| !a.is_empty()) {
        let side = ends.iter().find(|(end, _)| end.host == address)?.1;
        if found.is_some_and(|before| before != side) {
            return None;
        }
        found = Some(side);
    }
    found
}

/// The end at whose prompts of Windows, in the texts that are asked for, addresses were printed.
fn at_prompts_of_windows(facts: &Facts, flow: &Flow, is: impl Fn(u32) -> bool) -> Option<Side> {
    let here = facts.shells.iter();
    let here = here.filter(|(source, name, _)| name == WINDOWS && is(*source));
    one_end(flow, here.map(|(_, _, address)| address.as_str()))
}

/// The end of the text of a Windows host: its prompt has no name, and what else was printed at one in the same text is of the same host.
fn windows(facts: &Facts, flow: &Flow, host: u32) -> Option<Side> {
    let (system, _) = said(facts, Of::Host(host))?;
    let source = *facts.host_sources.get(host as usize)?;
    let named = !facts.hosts[host as usize].is_empty();
    if system != System::Windows || named {
        return None;
    }
    at_prompts_of_windows(facts, flow, |of| of == source)
}

/// The end of a host whose prompt has another name than those at which, in the same text, addresses of the other end were printed.
fn beside_prompts(facts: &Facts, flow: &Flow, host: u32) -> Option<Side> {
    let names = &facts.hosts[host as usize];
    let source = facts.host_sources.get(host as usize)?;
    let here = || facts.shells.iter().filter(|(of, _, _)| of == source);
    let own = |name: &String| names.iter().any(|n| alike(n, name));
    if names.is_empty() || here().any(|(_, name, _)| name.is_empty() || own(name)) {
        return None;
    }
    // Where several others have a prompt in this text, one of them is of neither end.
    let apart = |(n, of): (usize, &u32)| {
        let other = &facts.hosts[n];
        let at_prompt = other
            .iter()
            .any(|o| here().any(|(_, name, _)| alike(o, name)));
        of == source && !other.is_empty() && !at_prompt && !other.iter().any(own)
    };
    if facts.host_sources.iter().enumerate().any(apart) {
        return None;
    }
    let side = one_end(flow, here().map(|(_, _, address)| address.as_str()))?;
    Some(side.other())
}

/// Linux gives twice the buffer that was asked for.
fn doubles(test: &Test) -> bool {
    let got = test.numbers.get("send_buffer_bytes");
    let asked = test.numbers.get("send_buffer_requested_bytes");
    got.zip(asked).is_some_and(|(got, asked)| {
        let ratio = got.value / asked.value.max(1.0);
        (1.98..2.02).contains(&ratio)
    })
}
