//! Words by which a router, or the own host, says why it does not let packets go on: they name the place, and no firewall that drops
//! without a word does that.

use crate::asking::Asking;
use crate::document::MissingFact;
use crate::fact::Place;
use crate::read::Facts;

/// Why packets do not go on, what explains most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Why {
    /// The own kernel did not let them out (EPERM).
    NotPermitted,
    /// The own host has an address that it gave itself.
    NoLease,
    /// The own host has no route there (ENETUNREACH).
    NoRoute,
    /// Windows did not send them, and does not say why.
    NotSent,
    /// A filter rejects them (ICMP, communication administratively prohibited).
    Filtered,
    /// A router has no way there.
    NoWay,
}

/// Who says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Barred {
    why: Why,
    /// The router or host that says so; of [`Why::NoLease`] the address, and empty where the own host says it.
    by: String,
    at: Place,
}

/// What a ping prints of a filter, behind who reports it.
const FILTERED: [&str; 4] = [
    "Packet filtered",
    "Destination Host Prohibited",
    "Destination Net Prohibited",
    "Communication prohibited by filter",
];

/// Marks of traceroute: of a filter, and of a router without a way there.
const MARKS_FILTERED: [&str; 5] = ["!X", "!A", "!Z", "!10", "!13"];
const MARKS_NO_WAY: [&str; 2] = ["!H", "!N"];

/// Longest line that is taken for one of these.
const LINE_MAX: usize = 400;

impl Barred {
    /// What the own host says.
    pub(crate) fn own(why: Why, at: Place) -> Barred {
        let by = String::new();
        Barred { why, by, at }
    }

    fn by(why: Why, by: &str, at: Place) -> Barred {
        let by = crate::redact(by);
        Barred { why, by, at }
    }

    /// Of a line that a ping prints in place of an answer: `From 192.0.2.1 icmp_seq=1 Packet filtered`, `PING: transmit failed.`.
    pub(crate) fn of_ping(text: &str, at: Place) -> Option<Barred> {
        if text.len() > LINE_MAX {
            return None;
        }
        if text.starts_with("PING: transmit failed") {
            return Some(Barred::own(Why::NotSent, at));
        }
        let said = FILTERED.iter().any(|words| text.ends_with(words));
        let linux = text
            .strip_prefix("From ")
            .filter(|rest| rest.contains("icmp_seq"));
        let bsd = text.split_once(" bytes from ").map(|(_, rest)| rest);
        let rest = linux.or(bsd).filter(|_| said)?;
        Some(Barred::by(Why::Filtered, reporter(rest)?, at))
    }

    /// Of a hop of traceroute with a mark: `2  192.0.2.1  1.110 ms !X  1.101 ms !X`.
    pub(crate) fn of_hop(text: &str, at: Place) -> Option<Barred> {
        let (number, rest) = text.split_once(' ')?;
        let hop = rest.trim_start_matches([' ', '*']);
        if text.len() > LINE_MAX || number.parse::<u8>().is_err() || !hop.contains(" ms") {
            return None;
        }
        let has = |marks: &[&str]| rest.split_whitespace().any(|word| marks.contains(&word));
        let why = match (has(&MARKS_FILTERED), has(&MARKS_NO_WAY)) {
            (true, _) => Why::Filtered,
            (false, true) => Why::NoWay,
            (false, false) => return None,
        };
        Some(Barred::by(why, reporter(hop)?, at))
    }

    /// Of a line of tcpdump: `IP 192.0.2.9 > 192.0.2.1: ICMP host 192.0.2.9 unreachable - admin prohibited filter, length 68`.
    pub(crate) fn of_packet(text: &str, at: Place) -> Option<Barred> {
        let (ends, said) = text.split_once(": ICMP")?;
        let prohibited = said.contains("unreachable") && said.contains("prohibited");
        let (from, _) = ends.rsplit_once(" > ").filter(|_| prohibited)?;
        let from = from.split_whitespace().next_back()?;
        Some(Barred::by(Why::Filtered, from, at))
    }

    /// Whether the own host says it: nothing was sent.
    fn is_own(&self) -> bool {
        self.why < Why::Filtered
    }

    /// What it means, for people.
    fn said(&self, host: &str, facts: &Facts) -> String {
        let by = &self.by;
        let place = facts.place(self.at);
        match self.why {
            Why::NotPermitted => format!(
                "the own host does not let packets out (\"Operation not permitted\", {place}): a rule of its own firewall, in an output chain, drops them, and nothing was sent"
            ),
            Why::NoLease => format!(
                "the own host gave itself the address {by} ({place}), which reaches its own link alone (RFC 3927): it got no answer from a DHCP server"
            ),
            Why::NoRoute => format!(
                "the own host says at once that it has no route there (\"Network is unreachable\", {place}): it has no default route, or the interface that leads there is down or has no address"
            ),
            Why::NotSent => format!(
                "Windows did not send these pings (\"transmit failed\", {place}): its interface has no usable address or route, or a filter on this host blocks them"
            ),
            Why::Filtered if by == host => format!(
                "{by} itself answers that a filter forbids it ({place}): the way there is open, and the firewall of that host rejects what was sent"
            ),
            Why::Filtered => format!(
                "{by} answers that a filter forbids it (communication administratively prohibited, {place}): an access list or a firewall rule there rejects what goes to {host}"
            ),
            Why::NoWay => format!(
                "{by} answers that it has no way there (!H or !N of traceroute, {place}): it has no route to that network, or nothing answers its ARP or ND for that address"
            ),
        }
    }

    /// What finds the place to mend.
    fn command(&self, host: &str) -> String {
        let by = &self.by;
        match self.why {
            Why::NotPermitted => "on that host: nft list ruleset; iptables -nvL OUTPUT: the rule whose counter grows with each ping; a rule before it that accepts them, or without it".to_owned(),
            Why::NoLease => "on that host: ipconfig /release and /renew (Linux: dhclient -v INTERFACE); on the switch: the VLAN of its port, DHCP snooping, the relay (ip helper-address); on the DHCP server: whether its pool has free addresses".to_owned(),
            Why::NoRoute => "on that host: ip route; ip -br addr; where no line begins with default: ip route add default via GATEWAY, or DHCP anew".to_owned(),
            Why::NotSent => "on that host: ipconfig /all; route print; netsh advfirewall show allprofiles".to_owned(),
            Why::Filtered if by == host => format!("on {by}: nft list ruleset, or firewall-cmd --list-all, or iptables -nvL INPUT: the rule that rejects; let in what is wanted (firewall-cmd --add-port=PORT/tcp)"),
            Why::Filtered => format!("on {by}: show access-lists and show ip interface, show firewall (Junos), or nft list ruleset: the rule whose counter grows with each ping; one before it that permits this traffic to {host}"),
            Why::NoWay => format!("on {by}: show ip route {host}; show ip arp {host} (Linux: ip route get {host}; ip neigh)"),
        }
    }

    /// What is asked of it.
    fn asks(&self, facts: &Facts, asking: &Asking) -> MissingFact {
        let host = asking.host.as_str();
        MissingFact {
            fact: "reachable",
            would_decide: format!("why nothing answers: {}", self.said(host, facts)),
            command: self.command(host),
        }
    }
}

/// The address of who reports, of `gw.example (192.0.2.1) icmp_seq=1 …` and `192.0.2.1: …`, or else its name.
fn reporter(rest: &str) -> Option<&str> {
    let mut words = rest.split_whitespace();
    let first = words.next()?.trim_end_matches(':');
    let inner = words.next().map_or("", |word| word.trim_end_matches(':'));
    let inner = inner.strip_prefix('(').and_then(|w| w.strip_suffix(')'));
    Some(inner.unwrap_or(first)).filter(|by| !by.is_empty())
}

/// What a line of `ipconfig`, `ip` or `ifconfig` says of the own address: one that the host gave itself, or another.
pub(crate) fn own_address(text: &str) -> Option<(&str, bool)> {
    let windows = || {
        let (key, value) = text.rsplit_once(": ")?;
        (key.contains("IPv4") && key.contains(". .")).then_some(value)
    };
    let value = text.strip_prefix("inet ").or_else(windows)?.trim();
    let end = value.find(|c: char| !c.is_ascii_digit() && c != '.');
    let address = &value[..end.unwrap_or(value.len())];
    let parsed: core::net::Ipv4Addr = address.parse().ok()?;
    (!parsed.is_loopback()).then(|| (address, parsed.is_link_local()))
}

impl Facts {
    /// Takes what a ping prints in place of an answer; notes what a hop of a trace and a list of addresses say, which their readers take.
    pub(crate) fn is_barred(&mut self, text: &str, at: Place) -> bool {
        match own_address(text) {
            Some((address, true)) => self.bars(Barred::by(Why::NoLease, address, at)),
            Some((_, false)) => self.refused.addressed = true,
            None => {}
        }
        if let Some(hop) = Barred::of_hop(text, at) {
            self.bars(hop);
        }
        let Some(said) = Barred::of_ping(text, at) else {
            return false;
        };
        self.bars(said);
        true
    }

    /// Keeps what explains most, and of that the first.
    pub(crate) fn bars(&mut self, said: Barred) {
        let known = self.refused.barred.as_ref();
        if known.is_none_or(|known| said.why < known.why) {
            self.refused.barred = Some(said);
        }
    }

    /// What bars packets; an address that a host gave itself is left out beside another.
    fn barred(&self) -> Option<&Barred> {
        let beside = |b: &&Barred| b.why == Why::NoLease && self.refused.addressed;
        self.refused.barred.as_ref().filter(|b| !beside(b))
    }
}

/// What the own host says of itself, for people; none where a router says it.
pub(crate) fn fault(facts: &Facts) -> Option<String> {
    let barred = facts.barred()?;
    let sure = matches!(barred.why, Why::NotPermitted | Why::NoLease);
    sure.then(|| barred.said("", facts))
}

/// Whether a router or a host says why nothing answers.
pub(crate) fn is_said(facts: &Facts) -> bool {
    facts.barred().is_some()
}

/// What is asked where the own host says why nothing was sent.
pub(crate) fn asks_own(facts: &Facts, asking: &Asking) -> Option<MissingFact> {
    let own = facts.barred().filter(|b| b.is_own())?;
    Some(own.asks(facts, asking))
}

/// The same where a router says why nothing answers.
pub(crate) fn asks_way(facts: &Facts, asking: &Asking) -> Option<MissingFact> {
    let way = facts.barred().filter(|b| !b.is_own())?;
    Some(way.asks(facts, asking))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(found: Option<Barred>) -> Option<(Why, String)> {
        found.map(|b| (b.why, b.by))
    }

    #[test]
    fn words_of_routers_and_hosts_are_known() {
        let filtered = Some((Why::Filtered, "10.80.0.1".to_owned()));
        for text in [
            "From 10.80.0.1 icmp_seq=1 Packet filtered",
            "From gw.example (10.80.0.1) icmp_seq=1 Packet filtered",
            "92 bytes from gw (10.80.0.1): Communication prohibited by filter",
        ] {
            assert_eq!(why(Barred::of_ping(text, Place::You)), filtered, "{text}");
        }
        let hop = "2  10.80.0.1  1.110 ms !X  1.101 ms !X  1.099 ms !X";
        assert_eq!(why(Barred::of_hop(hop, Place::You)), filtered);
        let hop = "3  gw (10.80.0.1)  1.110 ms !H  1.101 ms !H *";
        let no_way = Some((Why::NoWay, "10.80.0.1".to_owned()));
        assert_eq!(why(Barred::of_hop(hop, Place::You)), no_way);
        let packet = "03:40:01.1 IP 10.80.0.1 > 10.0.0.5: ICMP host 198.51.100.12 unreachable - admin prohibited filter, length 68";
        assert_eq!(why(Barred::of_packet(packet, Place::You)), filtered);
    }

    #[test]
    fn other_lines_say_nothing_of_it() {
        for text in [
            "64 bytes from 10.80.0.1: icmp_seq=1 ttl=64 time=0.3 ms",
            "From 10.80.0.1 icmp_seq=1 Time to live exceeded",
            "From ops: the ticket says Packet filtered",
        ] {
            assert_eq!(Barred::of_ping(text, Place::You), None, "{text}");
        }
        let hop = "2  10.80.0.1  1.110 ms  1.101 ms  1.099 ms";
        assert_eq!(Barred::of_hop(hop, Place::You), None);
        let port = "IP 10.0.0.9 > 10.0.0.5: ICMP 10.0.0.9 udp port 33434 unreachable, length 68";
        assert_eq!(Barred::of_packet(port, Place::You), None);
    }

    #[test]
    fn addresses_that_hosts_give_themselves_are_known() {
        let own = "Autoconfiguration IPv4 Address. . : 169.254.31.7(Preferred)";
        assert_eq!(own_address(own), Some(("169.254.31.7", true)));
        let leased = "IPv4 Address. . . . . . . . . . . : 192.0.2.7";
        assert_eq!(own_address(leased), Some(("192.0.2.7", false)));
        assert_eq!(own_address("inet 127.0.0.1/8 scope host lo"), None);
        assert_eq!(own_address("Server: 169.254.169.253"), None);
    }
}
