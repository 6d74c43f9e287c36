//! A firewall that keeps connections and drops what belongs to none: the answer to a SYN that it did not see, as the way there leads past it and
//! the way back through it, or packets of sessions that it has forgotten.

use crate::document::MissingFact;
use crate::fact::Place;
use crate::read::Facts;
use crate::redact::address;
use crate::seen::End;
use crate::words::{between, whole};

/// How what is said of it begins.
pub(crate) const UNSEEN: &str = "a firewall drops the answers to SYNs that it did not see";

/// What the log of Cisco ASA and FTD has of a packet of a connection that it does not know.
const UNKNOWN: &str = "-106015: ";

/// How the same begins where a firewall only counts such packets.
pub(crate) const NO_SESSION: &str =
    "a firewall drops TCP packets of sessions that it does not know";

/// What PAN-OS calls that counter, and from how many a second on it is more than scans and late packets. A choice.
const NON_SYN: &str = "flow_tcp_non_syn_drop";
const MANY: u64 = 10;

/// What a firewall says of packets without a connection.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum UnseenSyn {
    /// Answers to SYNs that it did not see.
    Logged(Denied),
    /// Any that do not open one: how many, how many a second, and where that stands.
    Counted(u64, u64, Place),
}

/// What a firewall logged of such answers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Denied {
    server: End,
    client: End,
    /// The interface at which they arrived, as the firewall names it.
    interface: String,
    count: usize,
    at: Place,
}

impl UnseenSyn {
    /// What it shows, for people.
    pub(crate) fn said(&self, facts: &Facts) -> String {
        match self {
            UnseenSyn::Logged(denied) => denied.said(facts),
            UnseenSyn::Counted(count, rate, at) => format!(
                "{NO_SESSION}: it counts {count}, {rate} a second ({NON_SYN}, {}). One way of these connections leads past it, so that it never saw their SYNs, or it has forgotten them: a failover without its table of sessions, an idle time that ended",
                facts.place(*at)
            ),
        }
    }

    /// What finds where both ways part.
    pub(crate) fn asks(&self) -> MissingFact {
        match self {
            UnseenSyn::Logged(denied) => denied.asks(),
            UnseenSyn::Counted(..) => MissingFact {
                fact: "reachable",
                would_decide: "whether both ways of a connection that does not open cross that firewall, and whose packets it drops".to_owned(),
                command: "traceroute -n from each end to the other; on the firewall: show session all filter source ADDRESS destination ADDRESS while it is tried, and debug dataplane packet-diag with a filter of both addresses, or a capture of its drop stage. A route that takes both ways mends it; set session tcp-reject-non-syn no leaves them unchecked".to_owned(),
            },
        }
    }
}

impl Denied {
    /// Of `%ASA-6-106015: Deny TCP (no connection) from 192.0.2.5/80 to 198.51.100.4/51022 flags SYN ACK  on interface inside`; none of other
    /// packets, which a connection that was closed has as well.
    fn of(text: &str, at: Place) -> Option<Denied> {
        let rest = between(text, UNKNOWN, "")?;
        let flags = between(rest, " flags ", " on interface ")?;
        if flags.trim() != "SYN ACK" {
            return None;
        }
        let (from, to) = between(rest, " from ", " flags ")?.split_once(" to ")?;
        let interface = between(rest, " on interface ", "").unwrap_or("");
        Some(Denied {
            server: end(from)?,
            client: end(to)?,
            interface: crate::redact(interface.trim()),
            count: 1,
            at,
        })
    }

    /// What it shows, for people.
    fn said(&self, facts: &Facts) -> String {
        let answers = |syn: &&crate::read::Syn| {
            syn.answers && syn.from == self.server && syn.to.host == self.client.host
        };
        let seen = match facts.syns.iter().filter(answers).count() {
            0 => String::new(),
            n => format!(" A capture shows {n} of these answers leave."),
        };
        let times = match self.count {
            1 => "once".to_owned(),
            n => format!("{n} times"),
        };
        format!(
            "{UNSEEN}: it logged {times} that the SYN-ACK of {} to {} belongs to no connection that it knows (interface {}, {}).{seen} The SYN went past it by another way, so that no TCP connection opens; pings need no table of connections and pass",
            self.server.shown(),
            self.client.shown(),
            self.interface,
            facts.place(self.at)
        )
    }

    /// What finds where both ways part.
    fn asks(&self) -> MissingFact {
        let (client, server) = (&self.client.host, &self.server.host);
        let port = self
            .server
            .port
            .map_or(String::new(), |p| format!(" -T -p {p}"));
        MissingFact {
            fact: "reachable",
            would_decide: "where the way there and the way back part: both are to cross the same firewall, or firewalls that share their tables of connections (a failover pair, a cluster)".to_owned(),
            command: format!(
                "traceroute -n{port} {server} on {client}, beside traceroute -n {client} on {server}; on the firewall that logs it: show route {client}, show conn address {client}. A route that takes the way there mends it; TCP state bypass for these two hosts leaves them unchecked"
            ),
        }
    }
}

/// An end such as `192.0.2.5/80`, with the name of an interface before it or without.
fn end(text: &str) -> Option<End> {
    let (host, port) = text.trim().rsplit_once('/')?;
    let host = match host.split_once(':') {
        Some((_, bare)) if !bare.contains(':') => bare,
        _ => host,
    };
    (!host.is_empty()).then(|| End {
        host: address(host),
        port: port.parse().ok(),
    })
}

impl Facts {
    /// Takes a line of a firewall about such an answer: the first of them is kept, and how many there are.
    pub(crate) fn denies_answer(&mut self, text: &str, at: Place) {
        let Some(denied) = Denied::of(text, at) else {
            return;
        };
        match &mut self.unseen_syn {
            Some(UnseenSyn::Logged(known)) => known.count += 1,
            _ => self.unseen_syn = Some(UnseenSyn::Logged(denied)),
        }
    }

    /// Takes a count of PAN-OS of packets that open nothing and belong to no session: `flow_tcp_non_syn_drop  3122  309 drop  flow  session …`.
    pub(crate) fn counts_non_syn(&mut self, text: &str, at: Place) {
        let words: Vec<&str> = text.split_whitespace().take(3).collect();
        let [NON_SYN, count, rate] = words[..] else {
            return;
        };
        let both = whole(count).zip(whole(rate));
        if let Some((count, rate)) = both.filter(|(_, rate)| *rate >= MANY) {
            let counted = UnseenSyn::Counted(count, rate, at);
            self.unseen_syn.get_or_insert(counted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::{Source, read};

    const DENIED: &str = "Nov 24 2026 11:02:11: %ASA-6-106015: Deny TCP (no connection) from 192.0.2.5/80 to 198.51.100.4/51022 flags SYN ACK  on interface inside\n";

    fn of(text: &str) -> Facts {
        read(&[Source {
            name: "t.txt".to_owned(),
            bytes: text.as_bytes().to_vec(),
        }])
    }

    /// It was said that the log says nothing of a path.
    #[test]
    fn an_answer_to_an_unseen_syn_shows_two_ways() {
        let facts = of(&DENIED.repeat(2));
        assert!(!facts.is_empty());
        let found = facts.unseen_syn.clone().expect("it was logged");
        let said = found.said(&facts);
        assert!(said.contains("logged 2 times"), "{said}");
        assert!(
            said.contains("192.0.2.5:80 to 198.51.100.4:51022"),
            "{said}"
        );
        let command = found.asks().command;
        assert!(
            command.contains("traceroute -n -T -p 80 192.0.2.5 on 198.51.100.4"),
            "{command}"
        );
    }

    /// PAN-OS counts them without their ends; few are those of scans.
    #[test]
    fn a_count_of_packets_without_a_session_is_taken() {
        let of = |rate: u32| {
            of(&format!(
                "admin@pa> show counter global filter delta yes severity drop\nflow_tcp_non_syn_drop                   3122      {rate} drop      flow      session   Packets dropped: non-SYN TCP without session match\n"
            ))
            .unseen_syn
        };
        assert!(matches!(of(309), Some(UnseenSyn::Counted(3122, 309, _))));
        assert_eq!(of(1), None);
    }

    /// Packets of a connection that was closed are of other matters.
    #[test]
    fn other_packets_without_a_connection_are_none() {
        for flags in ["RST", "PSH ACK", "FIN ACK", "ACK"] {
            let facts = of(&DENIED.replace("SYN ACK", flags));
            assert_eq!(facts.unseen_syn, None, "{flags}");
        }
    }
}
