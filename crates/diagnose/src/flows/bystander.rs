//! Hosts that are neither end of a flow, and such as are only assumed to be one: what was typed and printed at their prompts says it.

use core::net::{IpAddr, Ipv4Addr};
use std::collections::{BTreeMap, BTreeSet};

use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::{Figure, Of, Place};
use crate::flows::flow::{Flow, alike, number, word};
use crate::flows::placed::{by_names, is_windows};
use crate::hosts::core::{is_public, may_lie_between};
use crate::known::System;
use crate::read::here::Client;
use crate::read::sysctl::FORWARDS;
use crate::read::{Facts, FetchedBy, WINDOWS};
use crate::seen::{Side, Test};

/// What was typed and printed at prompts that have a name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prompts {
    /// Names at prompts, and what each of them asked for an answer, by a test or by pings.
    pub(crate) reached: BTreeSet<(String, String)>,
    /// Names at whose prompts the server of a test was started.
    pub(crate) serves: BTreeSet<String>,
    /// Commands that start the client of a test, in the order of the texts.
    pub(crate) clients: Vec<Client>,
    /// Names at prompts, and the addresses that their interfaces were printed with.
    pub(crate) owns: BTreeSet<(String, String)>,
    /// Runs of pings in the words of Windows.
    pub(crate) windows: BTreeSet<Of>,
    /// Texts, and what was asked for an answer at their prompts of Windows.
    pub(crate) by_windows: BTreeSet<(u32, String)>,
    /// Addresses that were printed at a prompt of a Unix as the own one.
    pub(crate) unix: BTreeSet<String>,
}

/// The command above a test in its text: the last one, where no other test stands between.
pub(crate) fn typed_for<'f>(facts: &'f Facts, test: &Test) -> Option<&'f Client> {
    let Place::Line(own, _) = test.at else {
        return None;
    };
    let of_text = |at: Place| matches!(at, Place::Line(source, _) if source == own);
    let above = |c: &&Client| of_text(c.at) && c.at <= test.at;
    let last = facts.prompts.clients.iter().rfind(above)?;
    let between = |other: &Test| other.at >= last.at && other.at < test.at;
    (!facts.tests.iter().any(between)).then_some(last)
}

/// Which ends of a flow a host of Windows is not by what was typed: one whose address was printed at a prompt of a Unix, and one that it asked
/// for an answer.
pub(crate) fn not_windows(facts: &Facts, flow: &Flow, host: u32) -> [bool; 2] {
    let source = facts.host_sources.get(host as usize);
    [(&flow.from, 0), (&flow.to, 1)].map(|(end, n)| {
        let printed = |(_, name, address): &(u32, String, String)| {
            name == WINDOWS && !address.is_empty() && *address == end.host
        };
        if facts.shells.iter().any(printed) {
            return false;
        }
        let called = flow.end_names(n);
        let asked = |(of, target): &(u32, String)| {
            source == Some(of) && called.iter().any(|c| alike(c, target))
        };
        facts.prompts.unix.contains(&end.host) || facts.prompts.by_windows.iter().any(asked)
    })
}

/// The end that a host is of by an interface's address, as the only one that runs a server, by the command of its test or copy, or as the
/// address that a transfer asked.
pub(crate) fn tied(facts: &Facts, flow: &Flow, names: &[String]) -> Option<Side> {
    let own = |name: &String| names.iter().any(|n| alike(n, name));
    let owns = |side: Side| {
        let mut all = facts.prompts.owns.iter();
        let end = if side == Side::Sender {
            &flow.from
        } else {
            &flow.to
        };
        all.any(|(name, address)| own(name) && *address == end.host)
    };
    let by_address = [Side::Sender, Side::Receiver]
        .into_iter()
        .find(|s| owns(*s));
    let serves = || {
        let test = flow.test.as_ref().filter(|t| t.tool.starts_with("iperf"))?;
        let all = &facts.prompts.serves;
        (!all.is_empty() && all.iter().all(own)).then(|| test.client.other())
    };
    let connects = || {
        let test = flow.test.as_ref().filter(|t| t.tool.starts_with("iperf"))?;
        let client = typed_for(facts, test).filter(|c| own(&c.name))?;
        client.side.filter(|side| *side == test.client)
    };
    let fetched = || {
        let test = flow.test.as_ref()?;
        let fetch = facts.fetched_by(test)?;
        let through = matches!(fetch.way, FetchedBy::Through(_));
        let mut all = facts.prompts.owns.iter();
        let is_it = all.any(|(name, address)| own(name) && *address == fetch.host);
        (is_it && !through).then(|| test.client.other())
    };
    let copies = || {
        let test = flow.test.as_ref()?;
        if let Some((here, far)) = facts.copied_unnamed(test) {
            return own(far).then(|| here.other());
        }
        let ends = facts.copied_by(test)?;
        match own(&ends.here) {
            true => Some(ends.side),
            false => own(&ends.far).then(|| ends.side.other()),
        }
    };
    let by_test = by_address.or_else(serves).or_else(connects);
    by_test.or_else(fetched).or_else(copies)
}

/// The end at which a copy was typed at a prompt without a name: a host whose prompt has one, which is not that of the other end, is assumed
/// to be it, or the other end where its busy disk says so.
pub(crate) fn beside_copy(facts: &Facts, flow: &Flow, host: u32) -> Option<Side> {
    let (here, _) = facts.copied_unnamed(flow.test.as_ref()?)?;
    let named = !facts.hosts[host as usize].is_empty();
    let side = by_disk(facts, host).unwrap_or(here);
    (named && !crate::flows::copy_host::ran_on(facts, flow, host)).then_some(side)
}

/// A disk so busy is that of a copy, and at an end it moves so many times as much one way as the other. Choices.
const BUSY_DISK: f64 = 0.9;
const ONE_WAY: f64 = 10.0;

/// The end of a copy that a host is of by its busy disk: it reads what is sent, and writes what comes.
fn by_disk(facts: &Facts, host: u32) -> Option<Side> {
    let get = |name| number(facts, Of::Host(host), name).map_or(0.0, |f| f.value);
    let [read, written] = ["disk_read_bps", "disk_written_bps"].map(get);
    let side = match read > written {
        true => Side::Sender,
        false => Side::Receiver,
    };
    let is_clear = read.max(written) >= ONE_WAY * read.min(written).max(1.0);
    (get("disk_busy_ratio") >= BUSY_DISK && is_clear).then_some(side)
}

/// The addresses of the ends that each host bears the name of, in any flow.
pub(crate) fn named(facts: &Facts, flows: &[Flow]) -> BTreeMap<u32, BTreeSet<String>> {
    let mut all: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
    for (n, names) in (0_u32..)
        .zip(&facts.hosts)
        .filter(|(_, names)| !names.is_empty())
    {
        for flow in flows {
            let end = match by_names(facts, flow, names) {
                Some(Side::Sender) => &flow.from,
                Some(Side::Receiver) => &flow.to,
                None => continue,
            };
            all.entry(n).or_default().insert(end.host.clone());
        }
    }
    all
}

/// Which ends of a flow a host is not, though nothing says which it is: the sender, the receiver. `placed` are the texts of hosts that are
/// known to be at each end, and `addresses` those of ends that it bears the name of.
pub(crate) fn excluded(
    facts: &Facts,
    flow: &Flow,
    (host, addresses): (u32, Option<&BTreeSet<String>>),
    placed: &[Vec<u32>; 2],
) -> [bool; 2] {
    let names = &facts.hosts[host as usize];
    if names.is_empty() {
        return [false, false];
    }
    let own = |name: &String| names.iter().any(|n| alike(n, name));
    let test = flow.test.as_ref();
    let copied = test.and_then(|test| facts.copied_by(test));
    [(&flow.from, 0), (&flow.to, 1)].map(|(end, n)| {
        let called = flow.end_names(n);
        let is_end = |target: &String| called.iter().any(|c| alike(c, target));
        let asked = |(name, target): &(String, String)| own(name) && is_end(target);
        if facts.prompts.reached.iter().any(asked) {
            return true;
        }
        let prompts = facts
            .shells
            .iter()
            .filter(|(_, _, a)| !a.is_empty() && *a == end.host);
        let prompts: Vec<&String> = prompts.map(|(_, name, _)| name).collect();
        let mut known: Vec<&String> = prompts.into_iter().filter(|n| !n.is_empty()).collect();
        let texts = placed[n]
            .iter()
            .flat_map(|h| facts.hosts[*h as usize].iter());
        known.extend(texts);
        let here = copied.filter(|ends| ends.side as usize == n);
        known.extend(here.map(|ends| &ends.here));
        let another = !known.is_empty() && !known.into_iter().any(own);
        another
            || owns_others(facts, own, &end.host)
            || addresses.is_some_and(|all| all.iter().all(|a| differs(a, &end.host)))
    })
}

/// Whether a host printed addresses of its own of the kind of an end's, and that is none of them. A private one that is of another network than
/// the end's, or one of 100.64.0.0/10, may be the end's own side of a translation.
fn owns_others(facts: &Facts, own: impl Fn(&String) -> bool, end: &str) -> bool {
    let all = facts.prompts.owns.iter().filter(|(name, _)| own(name));
    let all: Vec<&String> = all.map(|(_, address)| address).collect();
    let mut comparable = all.iter().filter(|own| differs(own, end));
    let alone = !all.iter().any(|own| *own == end);
    alone && comparable.any(|own| is_public(own) || is_beside(own, end))
}

/// Whether two addresses of IPv4 are of one network of 256 addresses: nothing translates between them.
pub(crate) fn is_beside(one: &str, other: &str) -> bool {
    let network = |text: &str| text.parse::<Ipv4Addr>().ok().map(|a| u32::from(a) >> 8);
    network(one).is_some() && network(one) == network(other)
}

/// Whether two addresses are of two hosts: of one kind, and both private or neither.
pub(crate) fn differs(one: &str, other: &str) -> bool {
    let parse = |text: &str| text.parse::<IpAddr>().ok();
    let (Some(one), Some(other)) = (parse(one), parse(other)) else {
        return false;
    };
    let private = |a: IpAddr| matches!(a, IpAddr::V4(a) if a.is_private());
    one.is_ipv4() == other.is_ipv4() && private(one) == private(other) && one != other
}

/// Where a host says something of itself, or counts something.
pub(crate) fn places_of(facts: &Facts, host: u32) -> impl Iterator<Item = Place> {
    let said = facts.facts.iter().filter(move |f| f.of == Of::Host(host));
    let counted = facts.counters.iter().filter(move |c| c.host == host);
    said.map(|f| f.at).chain(counted.map(|c| c.at))
}

/// A tunnel of WireGuard with so many peers joins networks, and is not that of an end alone.
const PEERS: usize = 2;

/// Whether texts show that a host carries what others send: it is set to, or has several peers of a tunnel. So may an end with containers.
fn forwards(facts: &Facts, host: u32) -> bool {
    let Some(own) = facts.hosts.get(host as usize) else {
        return false;
    };
    let all = (0_u32..).zip(&facts.hosts);
    let same = all.filter(|(n, names)| *n == host || names.iter().any(|name| own.contains(name)));
    let is_set = |n: u32| {
        let set = number(facts, Of::Host(n), FORWARDS);
        set.is_some_and(|set| set.value > 0.0)
    };
    let source = facts.host_sources.get(host as usize);
    let is_here =
        |(of, name): &(u32, String)| own.contains(name) || (name.is_empty() && source == Some(of));
    let peers = facts.wireguard.iter().filter(|peer| is_here(&peer.prompt));
    peers.count() >= PEERS || same.map(|(n, _)| n).any(is_set)
}

/// A host that is taken for an end, as nothing says that it is the other.
#[derive(Clone, Debug)]
pub(crate) struct Assumed {
    /// The number of its text.
    host: u32,
    /// Its name.
    name: String,
    /// The end it is taken for.
    side: Side,
    /// What that end is called.
    end: String,
    /// Where its text says something.
    places: BTreeSet<Place>,
    /// Whether it is one of Windows.
    windows: bool,
    /// Whether it is a device on the way, by its shaper alone.
    between: bool,
    /// Whether it may be either end, as nothing says which it is.
    either: bool,
    /// The program that fills a processor of it, or its kernel, where that carries what others send: its host may lie between the ends.
    carries: Option<String>,
}

/// What a host of Windows is called whose prompt is all that names it.
const UNNAMED: &str = "the host of Windows";

impl Assumed {
    /// Those of a flow.
    pub(crate) fn of(facts: &Facts, flow: &Flow) -> Vec<Assumed> {
        let test = flow.test.as_ref();
        let copied = test.and_then(|test| facts.copied_by(test));
        let apart = crate::flows::untied::apart(facts, flow);
        let host = |n: &u32| {
            let between = flow.between.contains(n);
            let either = apart.contains(n);
            let side = match between || either {
                true => Side::Sender,
                false => flow.end_of(*n)?,
            };
            // What lies between is on the way to the receiver.
            let to = if between { Side::Receiver } else { side };
            let windows = is_windows(facts, *n);
            let unnamed = windows.then_some(UNNAMED);
            let named = facts.hosts[*n as usize].first().map(String::as_str);
            let program = word(facts, Of::Host(*n), "cpu_program").map(|(program, _)| program);
            let carries = program.filter(|program| may_lie_between(program));
            let carries = carries.or_else(|| forwards(facts, *n).then_some("kernel"));
            Some(Assumed {
                host: *n,
                name: named.or(unnamed)?.to_owned(),
                side,
                end: match copied.filter(|ends| ends.side != to) {
                    Some(ends) => ends.far.clone(),
                    None => flow.called(to),
                },
                places: places_of(facts, *n).collect(),
                windows,
                between,
                either,
                carries: carries.map(str::to_owned),
            })
        };
        let all = flow.assumed.iter().chain(&flow.between).chain(&apart);
        all.filter_map(host).collect()
    }

    /// The program by whose processor a cause goes, where its host may lie between the ends.
    fn carrier(&self, cause: Cause) -> Option<&str> {
        let program = self.carries.as_deref();
        program.filter(|_| cause == Cause::HostCpu)
    }

    /// What is assumed, beside the verdict.
    pub(crate) fn sentence(&self, cause: Cause) -> String {
        let name = &self.name;
        match self.carrier(cause) {
            _ if self.between => format!(
                "this goes by the shaper of {name}: that this flow goes through {name} is assumed, as no text says so"
            ),
            _ if self.either => format!(
                "this goes by what {name} says: that it is an end of this flow is assumed, as no text ties {name} to one"
            ),
            Some(program) => format!(
                "this goes by what {name} says, whose {program} carries what others send: that this flow goes through it is assumed, whether it is {} or lies before it",
                self.end
            ),
            None => format!(
                "this goes by what {name} says, which is assumed to be the {}: no text ties {name} to {}",
                self.side.name(),
                self.end
            ),
        }
    }

    /// Says of a change what comes before it; of a host that may lie between, that the change is there.
    pub(crate) fn precede(&self, cause: Cause, change: &mut Change) {
        // A change of a shaper names its host.
        if self.between {
            return;
        }
        if self.carrier(cause).is_some() {
            change.host.clone_from(&self.name);
            return;
        }
        let end = match self.either {
            true => "an end of this flow",
            false => self.end.as_str(),
        };
        let first = format!(
            "first make sure that {} is {end}: no text says so, and settings of another host say nothing of this flow",
            self.name
        );
        change.commands.insert(0, first);
    }

    /// What would tell whether a flow goes through it.
    fn asks_way(&self) -> MissingFact {
        let name = &self.name;
        MissingFact {
            fact: "host_name",
            would_decide: format!(
                "whether this flow goes through {name} at all, whose shaper it would fill"
            ),
            command: format!(
                "on {name}, before and after a test: tc -s qdisc show: whether its bytes grow by those of the test; on the sender: traceroute -n {}: whether a hop is an address of {name}",
                self.end
            ),
        }
    }

    /// What would tell whether it is that end.
    fn asks(&self, cause: Cause) -> MissingFact {
        if self.between {
            return self.asks_way();
        }
        if self.either {
            let name = &self.name;
            return MissingFact {
                fact: "host_name",
                would_decide: format!("whether {name} is an end of this flow at all"),
                command: format!(
                    "on {name}: hostname; ip addr: whether it has an address of an end"
                ),
            };
        }
        if let Some(program) = self.carrier(cause) {
            return MissingFact {
                fact: "host_name",
                would_decide: format!(
                    "whether this flow goes through {} at all, whose {program} fills a processor",
                    self.name
                ),
                command: format!(
                    "on {name}: hostname -I; top -b -n 1 during a test and without one; on the {}: traceroute -n {}: whether a hop is an address of {name}",
                    self.side.other().name(),
                    self.end,
                    name = self.name
                ),
            };
        }
        let (shows, system) = match self.windows {
            true => ("ipconfig", Some(System::Windows)),
            false => ("ip addr", None),
        };
        MissingFact {
            fact: "host_name",
            would_decide: format!(
                "whether {} is the {} at all, whose settings these are taken for",
                self.name,
                self.side.name()
            ),
            command: format!(
                "on {}, the {}: hostname; {shows}; {}",
                self.end,
                self.side.name(),
                crate::missing::settings(system, self.side == Side::Receiver)
            ),
        }
    }
}

impl Evidence {
    /// What tells whether the host is an end that the likeliest cause goes by, or who the others are that it is.
    pub(crate) fn asks_who(&self, likely: &[Cause]) -> Option<MissingFact> {
        let first = *likely.first()?;
        let asks = self.assumed_for(first).map(|assumed| assumed.asks(first));
        asks.or_else(|| self.asks_others(likely))
    }

    /// The host that a cause goes by, where all that speaks for it is a text of one that is merely assumed to be an end.
    pub(crate) fn assumed_for(&self, cause: Cause) -> Option<&Assumed> {
        let figures = |all: Vec<&Figure>| -> Vec<Place> {
            all.iter().flat_map(|f| f.from.iter().copied()).collect()
        };
        let waits = self.rwnd_share.as_ref().is_some_and(|s| s.value > WAITED);
        let fills = self.sndbuf_share.as_ref().is_some_and(|s| s.value > WAITED);
        let places = match cause {
            Cause::ReceiveWindow if !waits && self.full_window.is_none() => {
                figures(self.windows.iter().map(|r| &r.bytes).collect())
            }
            Cause::SendBuffer if !fills => figures(self.buffers.iter().map(|r| &r.bytes).collect()),
            Cause::NoWindowScaling => self.unscaled.into_iter().collect(),
            // A control group of an end that waits is what holds it, however idle others are.
            Cause::HostCpu if self.throttled_first().is_some() => return None,
            // Who is slow to read makes its sender wait.
            Cause::HostCpu if !self.waits_for_window() => figures(self.cpu.iter().collect()),
            Cause::Link => figures(self.line.iter().map(|(line, _)| line).collect()),
            // A queue that was seen is one that the flow goes through.
            Cause::Shaper if self.queueing().is_none_or(|s| s < QUEUED_S) => {
                figures(self.shaper.iter().collect())
            }
            Cause::Duplex => self.half_duplex.into_iter().collect(),
            // As many damaged frames as were sent again are the flow's, whoever counts them.
            Cause::RandomLoss if !self.settled_by_damage() => {
                let damaged = self.around.damaged.iter().map(|d| &d.count);
                let signal = self.around.signal.iter().map(|s| &s.below);
                figures(damaged.chain(signal).collect())
            }
            Cause::Disk => figures(self.around.busy.iter().chain(&self.around.disk).collect()),
            Cause::Nic => return self.assumed_to_drop(),
            _ => return None,
        };
        // A disk of Windows is of the end at whose prompt the copy ran.
        let may_be = |a: &Assumed| match cause {
            Cause::Shaper => a.between,
            Cause::Disk => !a.between && !a.windows,
            _ => !a.between,
        };
        let is_of = |a: &&Assumed| may_be(a) && places.iter().all(|p| a.places.contains(p));
        self.assumed.iter().find(|a| !places.is_empty() && is_of(a))
    }

    /// The host that is merely assumed to be an end and whose interface dropped packets. As many as were sent again are the flow's, whoever
    /// counts them.
    fn assumed_to_drop(&self) -> Option<&Assumed> {
        let drops = self.nic_drops.as_ref().filter(|d| d.count.value > 0.0)?;
        let part = drops.part_of(self).filter(|_| drops.grew);
        if part.is_some_and(|part| part >= ALL_DROPPED) {
            return None;
        }
        let is_it = |a: &&Assumed| a.host == drops.host && !a.between;
        self.assumed.iter().find(is_it)
    }
}

/// An interface that dropped this part of what was sent again accounts for all of it. A choice.
const ALL_DROPPED: f64 = 0.9;

/// Packets that wait for so long under load stand in a queue, seconds. A choice.
const QUEUED_S: f64 = 0.002;

/// A kernel that waited for a window or a buffer for this share of its time shows it, whosever settings were printed.
const WAITED: f64 = 0.3;

/// Most hosts that are named as left out.
const NAMED_MAX: usize = 4;

/// That texts of hosts that are neither end of a flow, or that nothing ties to one, are left out.
pub(crate) fn left_out(facts: &Facts, flows: &[Flow]) -> Vec<String> {
    let taken = |n: u32| {
        let of = |f: &Flow| {
            f.senders
                .iter()
                .chain(&f.receivers)
                .chain(&f.between)
                .any(|h| *h == n)
        };
        flows.iter().any(of)
    };
    let [mut others, mut untied, mut aside] = [Vec::new(), Vec::new(), Vec::new()];
    for (n, names) in (0_u32..).zip(&facts.hosts) {
        let open = flows.iter().any(|f| f.untied.contains(&n));
        let name = match names.first() {
            _ if !open && taken(n) => continue,
            Some(name) => name.as_str(),
            None if is_windows(facts, n) => UNNAMED,
            None => continue,
        };
        if let Some(first) = places_of(facts, n).next() {
            let list = match (facts.aside.has(n), open) {
                (true, _) => &mut aside,
                (false, true) => &mut untied,
                (false, false) => &mut others,
            };
            list.push(format!("{name} ({})", facts.place(first)));
        }
    }
    let says = "a line \"sender:\" or \"receiver:\" above its text says so";
    let sentence = |mut named: Vec<String>, why: &str| {
        named.truncate(NAMED_MAX);
        (!named.is_empty()).then(|| {
            format!(
                "what the texts say of {} is not of a flow here, and is left out: {why}. Where it is one, {says}",
                named.join(", ")
            )
        })
    };
    let neither = "by its name, its addresses, and what was typed, that host is neither its sender nor its receiver";
    let nothing =
        "nothing ties that host to its sender or its receiver, and the other texts show the cause";
    let said = "a line above it says that it belongs to another matter";
    let all = [
        sentence(others, neither),
        sentence(untied, nothing),
        sentence(aside, said),
    ];
    all.into_iter().flatten().collect()
}
