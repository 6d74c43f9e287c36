//! Hosts that IPv4 reaches and IPv6 does not: what tries IPv6 first waits before it goes on.

use core::net::IpAddr;
use std::collections::BTreeSet;

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::{Of, Place};
use crate::flows::flow::number;
use crate::items::Item;
use crate::paths::pinged::by_ipv6;
use crate::read::tries::{Try, What};
use crate::read::{COPIES, Facts, FetchedBy};
use crate::seen::Test;

/// What it is worth by connections of both versions, decibans. A choice, as those below.
const CONNECTIONS: f64 = 126.0;

/// The same by a connection by IPv6 beside pings by IPv4, or by lost pings beside a program that tried IPv6 first.
const MIXED: f64 = 118.0;

/// The same by lost pings by IPv6 alone, which a firewall may drop where connections pass.
const PINGS: f64 = 110.0;

/// Fewer pings than these that are all lost show nothing.
const PINGS_LEAST: f64 = 3.0;

/// Most tries, and most names of addresses, that are kept.
const TRIES_MAX: usize = 200;
const NAMES_MAX: usize = 64;

/// What texts say of tries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tries {
    all: Vec<Try>,
    /// Names of addresses.
    names: Vec<(IpAddr, String)>,
    /// Where a connection of a command was opened or was not, whose version the command alone says.
    opened: Vec<(Place, bool)>,
    /// The host whose addresses are being named.
    pub(crate) resolved: String,
    /// Where the command that is being read tried IPv6 first.
    pub(crate) first: Option<Place>,
}

impl Tries {
    /// Another try.
    pub(crate) fn add(&mut self, one: Try) {
        if self.all.len() < TRIES_MAX {
            self.all.push(one);
        }
    }

    /// A connection of the command above was opened, or was not.
    pub(crate) fn opens(&mut self, at: Place, answered: bool) {
        if self.opened.len() < TRIES_MAX {
            self.opened.push((at, answered));
        }
    }

    /// An address is of the host of this name.
    pub(crate) fn named(&mut self, address: IpAddr, name: &str) {
        let new = self.names.iter().all(|(known, _)| *known != address);
        let is_name = !name.is_empty() && name.parse::<IpAddr>().is_err();
        if new && is_name && self.names.len() < NAMES_MAX {
            let name = crate::redact(name).to_ascii_lowercase();
            self.names.push((address, name));
        }
    }

    /// The name of a host that is called so, by its name or its address.
    pub(crate) fn host(&self, called: &str) -> String {
        let address = called.parse::<IpAddr>().ok();
        let mut names = self.names.iter();
        let named = names.find(|(known, _)| Some(*known) == address);
        named.map_or_else(|| called.to_ascii_lowercase(), |(_, name)| name.clone())
    }
}

impl Facts {
    /// Every try, with those of commands that say their version, and pings.
    fn all_tries(&self) -> Vec<Try> {
        let of_commands = self.tries.opened.iter().filter_map(|(at, answered)| {
            let fetch = self.fetch_above(*at)?;
            let has = |option: &str| fetch.options.iter().any(|o| o == option);
            let through = matches!(fetch.way, FetchedBy::Through(_));
            let tied = has("-4") != has("-6") && !through && !fetch.host.is_empty();
            tied.then(|| Try {
                host: self.tries.host(&fetch.host),
                ipv6: has("-6"),
                answered: *answered,
                what: What::Connection,
                at: *at,
            })
        });
        let pings = (0_u32..).zip(&self.pings).filter_map(|(n, names)| {
            let sent = number(self, Of::Ping(n), "ping_sent")?;
            let received = number(self, Of::Ping(n), "ping_received")?.value;
            let is_name = |name: &&String| name.parse::<IpAddr>().is_err();
            let called = names.iter().find(is_name).or_else(|| names.first())?;
            let says = received > 0.0 || sent.value >= PINGS_LEAST;
            let ipv6 = by_ipv6(self, n).filter(|_| says)?;
            Some(Try {
                host: self.tries.host(called),
                ipv6,
                answered: received > 0.0,
                what: What::Pings,
                at: sent.from.first().copied()?,
            })
        });
        let own = self.tries.all.iter().map(|one| Try {
            host: self.tries.host(&one.host),
            ..one.clone()
        });
        let pings = pings.take(TRIES_MAX);
        own.chain(of_commands).chain(pings).collect()
    }

    /// Whether a copy went by IPv6, or by IPv4: by the connection that its own program said, above its rate, to have been opened.
    pub(crate) fn version_of(&self, test: &Test) -> Option<bool> {
        let above = |at: Place, below: Place| below.lines_below(at).is_some_and(|n| n > 0);
        let is_own = |one: &&Try| {
            let is_between = |at: Place| above(one.at, at) && above(at, test.at);
            let others = self.tests.iter().map(|t| t.at);
            let mut others = others.chain(self.fetches.iter().map(|f| f.at));
            let opened = one.what == What::Connection && one.answered;
            opened && above(one.at, test.at) && !others.any(is_between)
        };
        let copies = COPIES.contains(&test.tool);
        let mut opened = self.tries.all.iter().filter(|_| copies);
        opened.rfind(is_own).map(|one| one.ipv6)
    }

    /// Whether texts show a host that IPv4 alone reaches.
    pub(crate) fn shows_one_version(&self) -> bool {
        OneVersion::of(self).is_some()
    }
}

/// A host that IPv4 reaches and IPv6 does not.
#[derive(Clone, Debug)]
pub(crate) struct OneVersion {
    host: String,
    /// What says so, for people.
    said: Vec<String>,
    /// What that is worth, decibans.
    worth: f64,
}

impl OneVersion {
    /// The one of which most is known.
    fn of(facts: &Facts) -> Option<OneVersion> {
        let all = facts.all_tries();
        let lost = all.iter().filter(|one| one.ipv6 && !one.answered);
        let hosts: BTreeSet<&str> = lost.map(|one| one.host.as_str()).collect();
        let each = hosts
            .into_iter()
            .filter_map(|host| OneVersion::of_host(host, &all, facts));
        each.max_by(|a, b| a.worth.total_cmp(&b.worth))
    }

    fn of_host(host: &str, all: &[Try], facts: &Facts) -> Option<OneVersion> {
        let find = |ipv6: bool, answered: bool, what: What| {
            let mut own = all.iter().filter(|one| one.host == host);
            own.find(|one| one.ipv6 == ipv6 && one.answered == answered && one.what == what)
        };
        let both = [What::Connection, What::Pings];
        // Where IPv6 answers, or IPv4 fails, too, it is something else.
        let answers = both.iter().any(|what| find(true, true, *what).is_some());
        if answers || find(false, false, What::Connection).is_some() {
            return None;
        }
        // A host that answers no pings at all says nothing by them.
        let deaf = find(false, false, What::Pings).is_some();
        let kinds = [What::Connection, What::Pings, What::Start];
        let lost = kinds.map(|what| {
            let says = !deaf || what != What::Pings;
            find(true, false, what).filter(|_| says)
        });
        let works = both.map(|what| find(false, true, what));
        let worth = match (lost, works) {
            ([Some(_), ..], [Some(_), _]) => CONNECTIONS,
            ([Some(_), ..], [None, Some(_)]) => MIXED,
            ([None, Some(_), Some(_)], [Some(_), _]) => MIXED,
            ([None, Some(_), _], [Some(_), _] | [None, Some(_)]) => PINGS,
            _ => return None,
        };
        let words = |one: &Try| {
            let what = match (one.what, one.ipv6) {
                (What::Connection, true) => "a connection by IPv6 was not opened",
                (What::Connection, false) => "a connection by IPv4 was opened",
                (What::Start, _) => "IPv6 was tried first, and did not answer in time",
                (What::Pings, true) => "all pings by IPv6 were lost",
                (What::Pings, false) => "pings by IPv4 were answered",
            };
            format!("{what} ({})", facts.place(one.at))
        };
        Some(OneVersion {
            host: host.to_owned(),
            said: lost.into_iter().chain(works).flatten().map(words).collect(),
            worth,
        })
    }

    /// What tells whether connections go the way of the pings.
    pub(crate) fn asks(&self) -> Vec<MissingFact> {
        let ask = MissingFact {
            fact: "ip_versions",
            would_decide: "whether connections fail by IPv6 and open by IPv4: a firewall may drop pings alone"
                .to_owned(),
            command: "on that host: for v in 4 6; do curl -$v -m 20 -s -o /dev/null -w 'namelookup: %{time_namelookup}\\nconnect: %{time_connect}\\ntotal: %{time_total}\\n' URL; done".to_owned(),
        };
        let open = self.worth < CONNECTIONS;
        open.then_some(ask).into_iter().collect()
    }

    /// Where IPv6 ends, and what goes by IPv4 meanwhile.
    fn change(&self) -> Change {
        let host = &self.host;
        let remedy = Remedy {
            commands: vec![
                format!("mend the routing or the firewall of IPv6. On the host that waits, with ADDRESS of dig +short AAAA {host}: ip -6 route get ADDRESS, and traceroute6 -n ADDRESS (tracert -6 of Windows). The last hop that answers is where to begin"),
                "where that is the host itself: ip -6 addr, ip -6 route show default, ip -6 neigh. A router that announces a prefix without a way out (a tunnel, the provider's line) is to be mended, or to announce none".to_owned(),
                format!("where that is {host}: whether it listens by IPv6 (ss -6ltn), and whether its firewall lets that port in (nft list ruleset). What is to have no IPv6 needs no AAAA record"),
                "meanwhile IPv4 first, on the host that waits: `precedence ::ffff:0:0/96 100` in /etc/gai.conf; of apt `Acquire::ForceIPv4 \"true\";` in /etc/apt/apt.conf.d/99ipv4; or -4 of curl, ssh and git clone".to_owned(),
            ],
            undo: vec![
                "take that line out of /etc/gai.conf, and remove /etc/apt/apt.conf.d/99ipv4"
                    .to_owned(),
            ],
            risk: "as long as IPv4 comes first nobody notices whether IPv6 works again".to_owned(),
            ..Remedy::default()
        };
        remedy.change("the host that waits", None, None)
    }
}

impl Evidence {
    /// Takes a host that IPv4 alone reaches, where nothing was transferred.
    pub(crate) fn of_ip_versions(&mut self, facts: &Facts) {
        let nothing = self.rate.as_ref().is_none_or(|r| r.value <= 0.0);
        self.around.one_version = nothing.then(|| OneVersion::of(facts)).flatten();
    }

    /// What to change about it.
    pub(crate) fn mend_ip_version(&self) -> Option<Change> {
        self.around.one_version.as_ref().map(OneVersion::change)
    }
}

/// Weighs it. IPv6 is down on the way to that host, and what goes by IPv4 is not.
pub(crate) fn by_ip_versions(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.around.one_version.as_ref().map(|one| Item {
        holds: 1.0,
        weights: vec![(Cause::Outage, one.worth)],
        sentence: format!(
            "IPv6 does not reach {}, and IPv4 does: {}. What tries IPv6 first waits before it goes on by IPv4; the path of IPv4 loses nothing by that",
            one.host,
            one.said.join("; ")
        ),
    }));
}
