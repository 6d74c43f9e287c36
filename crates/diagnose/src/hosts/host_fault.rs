//! What is wrong with a host by its own word, where no text says how fast anything was: ports that are used up, a full table of neighbours,
//! memory that is short, a disk without rest.

use crate::fact::{Fact, Of};
use crate::flows::flow::number;
use crate::read::{Facts, LOGGED};

/// How what is said first of such a host begins.
pub(crate) const FAULT: &str = "a host says by itself what is wrong with it: ";

/// A connection found no port of its own, and how many connections of a host wait for their end, as facts have it.
pub(crate) const NO_PORT: &str = "no_own_port";
pub(crate) const TIME_WAITS: &str = "time_wait_count";

/// The first and the last port that a host gives to connections by itself, and what Linux has where no text says it
/// (`net.ipv4.ip_local_port_range`).
pub(crate) const OWN_PORTS: [&str; 2] = ["own_port_first", "own_port_last"];
const USUAL: [f64; 2] = [32_768.0, 60_999.0];

/// A program could not write: what it says.
pub(crate) const NO_SPACE: &str = "no_space";

/// How many neighbours a host keeps at most (`gc_thresh3`).
pub(crate) const NEIGHBOURS_MOST: &str = "neighbour_most";

/// What a kernel logs where it keeps as many (Linux, net/core/neighbour.c).
const NEIGHBOURS_FULL: &str = "neighbor table overflow!";

/// So many of the ports are used up: some end between two readings. A choice.
const MOST: f64 = 0.9;

/// A disk that is busy for this part of the time has nothing more to give. A choice.
const BUSY: f64 = 0.95;

/// What hosts say is wrong with them; none where they say nothing.
pub(crate) fn fault(facts: &Facts) -> Option<String> {
    let all = [
        without_ports(facts),
        full_neighbours(facts),
        crate::hosts::swap::first(facts),
        full_disk(facts),
        without_room(facts),
        crate::reach::barred::fault(facts),
    ];
    let all: Vec<String> = all.into_iter().flatten().collect();
    (!all.is_empty()).then(|| format!("{FAULT}{}", all.join("; ")))
}

/// The last fact of this name, whomever it is about.
fn last<'f>(facts: &'f Facts, name: &str) -> Option<&'f Fact> {
    facts.facts.iter().rev().find(|fact| fact.name == name)
}

/// The name of the host that a fact is about.
fn whose<'f>(facts: &'f Facts, fact: &Fact) -> Option<&'f str> {
    match fact.of {
        Of::Host(n) => facts.hosts.get(n as usize)?.first().map(String::as_str),
        _ => None,
    }
}

/// A connection that found no port, beside as many that wait for their end as a host has ports: the words alone may be of an address that is not
/// the host's own.
fn without_ports(facts: &Facts) -> Option<String> {
    let (refused, waits) = (last(facts, NO_PORT)?, last(facts, TIME_WAITS)?);
    let names = [whose(facts, refused), whose(facts, waits)];
    let apart = matches!(names, [Some(one), Some(other)] if one != other);
    let count = waits.number()?.value;
    let said = OWN_PORTS.map(|name| last(facts, name).and_then(Fact::number));
    let [first, end] = [0, 1].map(|n| said[n].map_or(USUAL[n], |port| port.value));
    let room = end - first + 1.0;
    if apart || room <= 0.0 || count < MOST * room {
        return None;
    }
    let host = names.into_iter().flatten().next().unwrap_or("the host");
    let by = match said[0] {
        Some(_) => "net.ipv4.ip_local_port_range",
        None => "net.ipv4.ip_local_port_range, where nobody set it",
    };
    Some(format!(
        "{host} has no port left for a new connection (\"Cannot assign requested address\", {}), while {count:.0} of its connections are in TIME-WAIT ({}): each keeps its port for 60 s, of {room:.0} in all ({by}). Keep connections open and use them again (keep-alive, a pool of them); else sysctl -w net.ipv4.ip_local_port_range=\"1024 65535\", or more addresses to connect from or to; net.ipv4.tcp_tw_reuse=1 uses such ports again after a second, with timestamps at both ends",
        facts.place(refused.at),
        facts.place(waits.at),
    ))
}

/// A table of neighbours that has as many as it keeps.
fn full_neighbours(facts: &Facts) -> Option<String> {
    let (fact, word) = facts
        .all_words(LOGGED)
        .find(|(_, word)| word.contains(NEIGHBOURS_FULL))?;
    let (version, kind) = match word.contains("ndisc") {
        true => ("ipv6", "NDP"),
        false => ("ipv4", "ARP"),
    };
    let key = format!("net.{version}.neigh.default.gc_thresh");
    let most = last(facts, NEIGHBOURS_MOST).filter(|_| version == "ipv4");
    let room = match most.and_then(Fact::number) {
        Some(most) => format!(
            "It keeps {:.0} at most; sysctl -w {key}3={:.0} {key}2={:.0} makes room for more",
            most.value,
            4.0 * most.value,
            2.0 * most.value
        ),
        None => format!(
            "sysctl {key}3 says how many it keeps, and sysctl -w {key}3=N, with four times that, makes room for more"
        ),
    };
    Some(format!(
        "the table of neighbours ({kind}) of a host is full, as its kernel logged ({}): what goes to a neighbour without a place in it waits or is dropped, now to one and now to another. {room}, or fewer hosts in one network (ip neigh | wc -l counts them)",
        facts.place(fact.at)
    ))
}

/// A program that could not write what it was sent, or was to send.
fn without_room(facts: &Facts) -> Option<String> {
    let fact = last(facts, NO_SPACE)?;
    let said = fact.word()?;
    let whose = match said.contains("[receiver]") {
        true => "the host that the files go to",
        false => "the host that writes",
    };
    let full = match said.contains("quota") {
        true => "the quota of that user there is used up",
        false => "the file system there is full, or has no inode left",
    };
    Some(format!(
        "{whose} cannot write ({}): {said}; {full}, and the program ends, whatever the network carries. On that host: df -h and df -i of that folder, quota -s; delete or move files, or enlarge the file system, and begin anew",
        facts.place(fact.at)
    ))
}

/// The first disk without rest.
fn full_disk(facts: &Facts) -> Option<String> {
    let mut all = (0_u32..).zip(&facts.hosts);
    all.find_map(|(n, names)| {
        let busy = number(facts, Of::Host(n), "disk_busy_ratio")?;
        let at = busy.from.first().filter(|_| busy.value >= BUSY)?;
        let host = names.first().map_or("a host", String::as_str);
        Some(format!(
            "a disk of {host} is busy for {:.0} % of the time ({}): what reads or writes there waits for it, whatever the network carries. iostat -x 5 says which disk, pidstat -d 5 which program; fewer and larger writes, several disks, or a faster one",
            100.0 * busy.value,
            facts.place(*at)
        ))
    })
}
