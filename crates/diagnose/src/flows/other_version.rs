//! A test by one version of IP beside one by the other between the same hosts: what differs is the way, and not the hosts.

use core::net::IpAddr;

use crate::cause::Cause;
use crate::ceiling::bps;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::flows::flow::Flow;
use crate::items::{Item, of, step};
use crate::programs::follow::TESTERS;
use crate::read::Facts;
use crate::seen::Test;

/// From so many times the rate on the other version says something, and fully. Choices.
const FASTER: [f64; 2] = [1.5, 2.5];

/// What it is worth against what both versions have of their hosts, decibans. A choice.
const AGAINST: f64 = -20.0;

/// What both versions have of their hosts, and the line of their interfaces.
const OF_HOSTS: [Cause; 7] = [
    Cause::ReceiveWindow,
    Cause::SendBuffer,
    Cause::NoWindowScaling,
    Cause::HostCpu,
    Cause::Application,
    Cause::Client,
    Cause::Link,
];

/// The most that is said of a kind of loss on the slower way where nothing counts what was lost: it is not a verdict.
const UNCOUNTED: f64 = 0.39;

/// The faster test by the other version.
#[derive(Clone, Debug)]
pub(crate) struct OtherVersion {
    /// Whether this one is of IPv6.
    ipv6: bool,
    /// The other's rate, and where it stands, for people.
    rate: Figure,
    place: String,
    /// How many times as fast it was.
    times: f64,
    /// The host that both went to.
    host: String,
}

/// Whether a test went by IPv6, by the addresses of its ends; none where they say nothing.
fn by_ipv6(test: &Test) -> Option<bool> {
    let of = |host: &str| host.parse::<IpAddr>().ok().map(|a| a.is_ipv6());
    let ends = [of(&test.from.host), of(&test.to.host)];
    match ends {
        [Some(a), Some(b)] if a != b => None,
        [a, b] => a.or(b),
    }
}

/// The name that both tests have for the end to which their client connected.
fn common<'t>(own: &'t Test, other: &Test) -> Option<&'t str> {
    let server = |test: &Test| usize::from(test.client == crate::seen::Side::Sender);
    let is_name = |name: &&String| !name.is_empty() && name.parse::<IpAddr>().is_err();
    let mut all = own.aliases[server(own)].iter().filter(is_name);
    let there = &other.aliases[server(other)];
    let same = |name: &&String| there.iter().any(|one| one.eq_ignore_ascii_case(name));
    all.find(same).map(String::as_str)
}

/// The name at the prompt under which a test's client was run, which may be empty.
pub(crate) fn client<'f>(facts: &'f Facts, test: &Test) -> Option<&'f str> {
    let all = facts.prompts.clients.iter();
    let mut above = all.filter(|client| test.at.lines_below(client.at).is_some());
    above.next_back().map(|client| client.name.as_str())
}

impl OtherVersion {
    /// The fastest test by the other version of the same client to the same host, the same way, where it was far faster.
    fn of(facts: &Facts, own: &Test, rate: f64) -> Option<OtherVersion> {
        let ipv6 = by_ipv6(own)?;
        let is_beside = |other: &&Test| {
            let alike = other.tool == own.tool && !other.udp && other.client == own.client;
            let same_client = client(facts, other) == client(facts, own);
            let near =
                matches!((own.at, other.at), (Place::Line(a, _), Place::Line(b, _)) if a == b);
            let other_way = by_ipv6(other) == Some(!ipv6) && other.streams <= own.streams;
            alike && other_way && near && same_client && common(own, other).is_some()
        };
        let all = facts.tests.iter().filter(is_beside);
        let rated = all.filter_map(|test| Some((test, test.goodput()?.0.clone())));
        let (test, faster) = rated.max_by(|a, b| a.1.value.total_cmp(&b.1.value))?;
        let times = faster.value / rate;
        (times >= FASTER[0]).then(|| OtherVersion {
            ipv6,
            place: faster
                .from
                .first()
                .map_or_else(String::new, |at| format!(" ({})", facts.place(*at))),
            rate: faster.clone(),
            times,
            host: common(own, test).unwrap_or("").to_owned(),
        })
    }

    /// This version and the other, for people.
    fn versions(&self) -> [&'static str; 2] {
        match self.ipv6 {
            true => ["IPv6", "IPv4"],
            false => ["IPv4", "IPv6"],
        }
    }
}

impl Evidence {
    /// Takes a test by the other version of IP that was far faster. Its windows and buffers are those of this one, too.
    pub(crate) fn of_other_version(&mut self, facts: &Facts, flow: &Flow) {
        let tests = |test: &&Test| TESTERS.contains(&test.tool) && !test.udp;
        let rate = self.rate.as_ref().map(|rate| rate.value);
        let both = flow.test.as_ref().filter(tests).zip(rate);
        let found = both.filter(|(_, rate)| *rate > 0.0);
        self.other_version = found.and_then(|(test, rate)| OtherVersion::of(facts, test, rate));
        if let Some(other) = &self.other_version {
            self.counted_else.tested = Some(other.rate.clone());
        }
    }

    /// The most that is said of a kind of loss where only one version of IP meets it, and nothing counts what was lost.
    pub(crate) fn at_most_of_version(&self, cause: Cause) -> f64 {
        let around = &self.around;
        let counted = around.cloud.surely(self).is_some()
            || self.settled_by_damage()
            || around.ports.surely_police(self)
            || self.settled_by_own_drops(cause)
            || self.policer.is_some();
        match self.other_version {
            Some(_) if cause.is_loss() && !counted => UNCOUNTED,
            _ => 1.0,
        }
    }

    /// Where the ways of both versions part.
    pub(crate) fn asks_other_version(&self) -> Option<MissingFact> {
        let own = self.other_version.as_ref()?;
        let [slow, fast] = own.versions();
        let host = &own.host;
        Some(MissingFact {
            fact: "ip_version_paths",
            would_decide: format!(
                "where the way of {slow} parts from that of {fast}, which is fast: a tunnel, another provider, or a router that forwards {slow} by its processor"
            ),
            command: format!(
                "mtr -4 -bwc 100 {host}; mtr -6 -bwc 100 {host}; tracepath -4 -n {host}; tracepath -6 -n {host}; on the routers of the slower way during a test: processes cpu, and drops of their filters"
            ),
        })
    }
}

/// Weighs it.
pub(crate) fn by_other_version(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.other_version.as_ref().map(|own| {
        let [slow, fast] = own.versions();
        Item {
            holds: step(own.times, FASTER[0], FASTER[1]),
            weights: of(&OF_HOSTS, AGAINST),
            sentence: format!(
                "by {fast} the same test got {}{}, {:.1} times as much: hosts, programs and windows carry that. What holds this one lies on the way of {slow}",
                bps(own.rate.value),
                own.place,
                own.times
            ),
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    /// Two tests of one client, each from and to these addresses, at these rates in Mbit/s.
    fn times(hosts: [&str; 2], rates: [u32; 2]) -> Option<f64> {
        let ends = [
            ["10.97.0.1", "10.97.0.2"],
            ["2001:db8:1::1", "2001:db8:2::2"],
        ];
        let mut text = String::new();
        for n in [0, 1] {
            let ([from, to], mbit) = (ends[n], rates[n]);
            let mbytes = f64::from(mbit) * 6.0 / 8.388_608;
            let (option, host) = (if n == 0 { "-4" } else { "-6" }, hosts[n]);
            text += &format!(
                "h1$ iperf3 {option} -c {host} -t 6\nConnecting to host {host}, port 5201\n[  5] local {from} port 48122 connected to {to} port 5201\n[ ID] Interval           Transfer     Bitrate         Retr\n[  5]   0.00-6.00  sec  {mbytes:.1} MBytes  {mbit} Mbits/sec  0             sender\n[  5]   0.00-6.00  sec  {mbytes:.1} MBytes  {mbit} Mbits/sec                  receiver\n\niperf Done.\n"
            );
        }
        let facts = read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.into_bytes(),
        }]);
        let own = facts.tests.last().expect("there are two");
        let found = OtherVersion::of(&facts, own, f64::from(rates[1]) * 1e6);
        found.map(|found| found.times.round())
    }

    /// Windows and a policer were named beside 9.4 Gbit/s by IPv4.
    #[test]
    fn the_other_version_is_held_against_a_slow_one_between_the_same_hosts() {
        assert_eq!(times(["h2", "h2"], [9400, 1100]), Some(9.0));
        assert_eq!(times(["h2", "h2"], [1200, 1100]), None);
        // Another host has another path, and other windows.
        assert_eq!(times(["h2", "h3"], [9400, 1100]), None);
    }

    #[test]
    fn a_kind_of_loss_that_one_version_meets_is_no_verdict() {
        let mut e = Evidence::default();
        assert!(e.at_most_of_version(Cause::Policer) > 0.9);
        e.other_version = Some(OtherVersion {
            ipv6: true,
            rate: Figure::exact(9.4e9, Place::You),
            place: String::new(),
            times: 8.5,
            host: "h2".to_owned(),
        });
        assert!(e.at_most_of_version(Cause::Policer) < 0.4);
        assert!(e.at_most_of_version(Cause::Outage) > 0.9);
        // What a text states is known.
        e.policer = Some(Figure::exact(1.2e9, Place::You));
        assert!(e.at_most_of_version(Cause::Policer) > 0.9);
    }
}
