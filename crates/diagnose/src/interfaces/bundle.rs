//! Members of bonds and port channels that carry nothing: which they are, and what to check.

use std::collections::BTreeMap;

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::Change;
use crate::evidence::Evidence;
use crate::fact::Figure;
use crate::flows::flow::Flow;
use crate::items::Item;
use crate::lines::group::{ACTIVE, MEMBER, SLOWEST};
use crate::lines::lower_port::SPEEDS;
use crate::paths::around::PORT;
use crate::read::{Facts, Member, State};

/// Most members that are compared, and most that notes name.
const MEMBERS_MAX: usize = 10_000;
const NAMED_MAX: usize = 6;

impl Facts {
    /// Adds a reading of a member.
    pub(crate) fn bundles(&mut self, member: Member) {
        if self.members.len() < MEMBERS_MAX {
            self.members.push(member);
        }
    }
}

/// Whose a member is: whether a host's, its device by name or by its text, and the member's name. Each reading has a host of its own.
type Key<'f> = (bool, &'f str, Option<u32>, &'f str);

fn key<'f>(facts: &'f Facts, member: &'f Member) -> Key<'f> {
    let names = member.host.and_then(|host| facts.hosts.get(host as usize));
    let device = match member.host {
        Some(_) => names
            .and_then(|names| names.first())
            .map_or("", String::as_str),
        None => member.device.as_str(),
    };
    let source = member.at.source().filter(|_| device.is_empty());
    (member.host.is_some(), device, source, member.name.as_str())
}

/// Each member as it was read last, in the order of their names.
fn latest(facts: &Facts) -> impl Iterator<Item = &Member> {
    let mut last: BTreeMap<Key<'_>, &Member> = BTreeMap::new();
    for member in &facts.members {
        last.insert(key(facts, member), member);
    }
    last.into_values()
}

/// Members that carried nothing when they were read last.
fn absent(facts: &Facts) -> Vec<&Member> {
    latest(facts).filter(|m| m.state != State::Up).collect()
}

/// What a line is called that is the last member of a port channel which carries something.
pub(crate) const LEFT: &str = "the only member of a port channel that carries something";

/// A rate is a port's that has between these parts of what it leaves for payload. A choice.
const FILLS: [f64; 2] = [0.985, 1.012];

/// What it speaks for the line, decibans. A choice.
const FULL: f64 = 16.0;

/// The members that carry nothing of port channels of which one member alone carries something.
fn beside_one(facts: &Facts) -> Vec<&Member> {
    let all = latest(facts).filter(|m| m.host.is_none());
    let (up, gone): (Vec<&Member>, Vec<&Member>) = all.partition(|m| m.state == State::Up);
    let is_alone = |m: &&Member| {
        let own = |other: &&&Member| m.device == other.device && m.group == other.group;
        up.iter().filter(own).count() == 1
    };
    let gone = gone.into_iter().filter(|m| !m.group.is_empty());
    gone.filter(is_alone).take(NAMED_MAX).collect()
}

/// The device and the name of the only port channel of which several members carry something, and how many do.
fn several_up(facts: &Facts) -> Option<(&str, &str, usize)> {
    let mut groups: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let all = latest(facts).filter(|m| m.host.is_none() && m.state == State::Up);
    for member in all.filter(|m| !m.group.is_empty()) {
        *groups
            .entry((member.device.as_str(), member.group.as_str()))
            .or_default() += 1;
    }
    groups.retain(|_, members| *members > 1);
    let ((device, group), members) = groups.pop_first()?;
    groups.is_empty().then_some((device, group, members))
}

impl Evidence {
    /// Takes the last member of a port channel for the line, where no line is known, the other members carry nothing, and the flow has what a
    /// port of a usual speed leaves. Where several carry something, one connection takes one of them.
    pub(crate) fn of_last_member(&mut self, facts: &Facts) {
        if self.line.is_some() || self.around.group.is_some() || self.udp {
            return;
        }
        let rate = self.rate.as_ref().map_or(0.0, |rate| rate.value);
        let fills = |speed: &f64| {
            let part = rate / (speed * self.payload_share());
            *speed >= SLOWEST && (FILLS[0]..FILLS[1]).contains(&part)
        };
        let Some(speed) = SPEEDS.into_iter().find(fills) else {
            return;
        };
        if let Some(gone) = beside_one(facts).into_iter().next() {
            self.around.last_member = Some(format!(
                "at {} {}: one member of {} alone carries something, and this flow is what a port of {} leaves",
                gone.device(facts, None),
                gone.said(),
                gone.group,
                bps(speed)
            ));
            self.line = Some((Figure::exact(speed, gone.at), LEFT));
        } else if let Some((device, group, members)) =
            several_up(facts).filter(|_| self.streams == 1.0)
        {
            let device = match device {
                "" => String::new(),
                device => format!(" of {device}"),
            };
            self.around.last_member = Some(format!(
                "{members} members of {group}{device} carry something, of which one connection takes one, and this flow is what a port of {} leaves",
                bps(speed)
            ));
        }
    }
}

/// That the last member of a port channel is full, or the one that a connection takes.
pub(crate) fn by_last_member(e: &Evidence, items: &mut Vec<Item>) {
    let said = e.around.last_member.clone();
    items.extend(said.map(|sentence| Item {
        holds: 1.0,
        weights: vec![(Cause::Link, FULL)],
        sentence,
    }));
}

impl Member {
    /// The host or device for people.
    fn device(&self, facts: &Facts, flow: Option<&Flow>) -> String {
        let host = self.host.zip(flow);
        match host {
            Some((host, flow)) => flow.host_called(facts, host, "a host"),
            None if self.host.is_some() => "a host".to_owned(),
            None if self.device.is_empty() => "a switch or router".to_owned(),
            None => self.device.clone(),
        }
    }

    /// What it is, and of what: `eno2, a member of bond0, has no link`.
    fn said(&self) -> String {
        let group = match self.group.as_str() {
            "" => "a group of links",
            group => group,
        };
        let state = match self.state {
            State::Up => "carries its part",
            State::Down => "has no link",
            State::Suspended => {
                "is suspended: what it is set to does not fit the others, or its other end"
            }
            State::Alone => "is not in use: it has not agreed with its other end",
        };
        format!("{}, a member of {group}, {state}", self.name)
    }

    /// What shows why.
    fn checks(&self) -> Vec<String> {
        let name = &self.name;
        let own = match self.host {
            Some(_) => format!(
                "ip -s -s link show {name}, ethtool {name} and ethtool -m {name}: whether it has a link, how fast, and how much light arrives"
            ),
            None => format!(
                "show interfaces {name} status, and show interfaces {name} transceiver: whether it has a link, how fast, and how much light arrives"
            ),
        };
        let cable = "its cable, its plugs or transceivers, and the port at its other end, which may be shut down";
        let settings = "speed, MTU and VLANs of the member and of the others: all have to be alike";
        let lacp = "the group at the other end: whether this link is in it, and LACP is on (show lacp neighbor of IOS, show lacp interface of NX-OS, show lacp peer of EOS, cat /proc/net/bonding/BOND of Linux)";
        match self.state {
            State::Up => Vec::new(),
            State::Down => vec![own, cable.to_owned()],
            State::Suspended => vec![settings.to_owned(), lacp.to_owned()],
            State::Alone => vec![lacp.to_owned()],
        }
    }
}

/// That members carry nothing, and what to check, each once.
pub(crate) fn notes(facts: &Facts, flows: &[Flow]) -> Vec<String> {
    let all = absent(facts);
    let more = all.len().saturating_sub(NAMED_MAX);
    let named = all.iter().take(NAMED_MAX).map(|member| {
        format!(
            "{}: at {} {}: the group has less room, or less in reserve. Check {}",
            facts.place(member.at),
            member.device(facts, flows.first()),
            member.said(),
            member.checks().join("; ")
        )
    });
    let more = (more > 0).then(|| format!("{more} more members of groups of links carry nothing"));
    named.chain(more).collect()
}

/// What to check of the members that carry nothing, where a host's interface or a member of such a group is full of the flow: one more would
/// take connections.
pub(crate) fn changes(e: &Evidence, (facts, flow): (&Facts, &Flow)) -> Vec<Change> {
    let by_host = matches!(e.line, Some((_, MEMBER | ACTIVE | PORT)));
    let left = match e.line {
        Some((_, LEFT)) => beside_one(facts),
        _ => Vec::new(),
    };
    let own = |member: &&Member| match member.host {
        Some(host) => by_host && flow.end_of(host).is_some(),
        None if left.contains(member) => true,
        None => {
            let group = e.around.group.as_ref();
            group.is_some_and(|g| g.router.is_empty() || g.router == member.device)
        }
    };
    let all = absent(facts).into_iter().filter(own).take(NAMED_MAX);
    let change = |member: &Member| {
        Change {
        host: member.device(facts, Some(flow)),
        commands: [
            vec![format!("{} ({})", member.said(), facts.place(member.at))],
            member.checks(),
        ]
        .concat(),
        risk: "a member that comes back moves connections, and packets under way may overtake each other; one connection never gets more than one member".to_owned(),
        ..Change::default()
    }
    };
    all.map(change).collect()
}
