//! Transfers of curl that did not begin: whether the name, the port, the way to it, or TLS is at fault, as far as its code says it.

use crate::asking::Asking;
use crate::document::MissingFact;
use crate::fact::Place;
use crate::flows::flow::alike;
use crate::hosts::host_fault::NO_PORT;
use crate::known::System;
use crate::read::{Facts, Fetch, FetchedBy};
use crate::words::after;

/// How what is said of one begins.
pub(crate) const NOT_BEGUN: &str = "a transfer did not begin";

/// Why it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// The name was not resolved.
    Name,
    /// Something answered, and refused.
    Refused,
    /// Nothing answered in time.
    Silent,
    /// A router, or the own host, has no way there.
    NoWay,
    /// The own host had no port or no address to connect from (EADDRNOTAVAIL).
    NoPort,
    /// The code alone says that no connection was opened.
    Closed,
    /// The handshake of TLS failed.
    Handshake,
    /// The server's certificate is not trusted.
    Certificate,
}

/// A transfer that did not begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unopened {
    why: Why,
    /// The host and the port, empty where the line names none.
    host: String,
    port: Option<u16>,
    at: Place,
    /// The line says that a certificate has expired.
    expired: bool,
    /// Until when a certificate is valid, as another tool prints it, and where.
    until: Option<(String, Place)>,
    /// The server at which a capture of that port saw nothing, and where that was read.
    unseen: Option<(String, Place)>,
    /// What its code says, for people, once all is read.
    said: String,
}

impl Unopened {
    /// Of `curl: (7) Failed to connect to h.example port 443 after 2 ms: Connection refused`; none of a code of what had begun.
    pub(crate) fn of(line: &str, at: Place) -> Option<Unopened> {
        let (code, text) = line.strip_prefix("curl: (")?.split_once(") ")?;
        let lower = text.to_ascii_lowercase();
        let begins = |words: &[&str]| words.iter().any(|w| lower.starts_with(w));
        let says = |words: &[&str]| words.iter().any(|w| lower.contains(w));
        let why = match code {
            "5" | "6" => Why::Name,
            "7" if says(&["connection refused"]) => Why::Refused,
            "7" if says(&["no route to host", "unreachable"]) => Why::NoWay,
            "7" if says(&["timed out"]) => Why::Silent,
            "7" => Why::Closed,
            "28" if begins(&["resolving time"]) => Why::Name,
            "28" if begins(&["ssl connection time"]) => Why::Handshake,
            "28" if begins(&["failed to connect", "connection time"]) => Why::Silent,
            "35" => Why::Handshake,
            "60" => Why::Certificate,
            _ => return None,
        };
        // "Couldn't connect to server" has no name.
        let keys = ["ailed to connect to ", "resolve host: ", "resolve proxy: "];
        let host = keys.iter().find_map(|key| after(text, key)).unwrap_or("");
        let port = after(text, " port ").and_then(|port| port.parse().ok());
        Some(Unopened {
            why,
            host: crate::redact(host.trim_end_matches([';', ','])),
            port,
            at,
            expired: lower.contains("certificate has expired"),
            until: None,
            unseen: None,
            said: String::new(),
        })
    }

    /// The first of the texts. A refusal, or a port that was not found, may be said by `-v` alone.
    pub(crate) fn first(facts: &Facts) -> Option<Unopened> {
        let mut first = facts.refused.unopened.clone()?;
        let portless = || facts.facts.iter().any(|fact| fact.name == NO_PORT);
        match first.why {
            Why::Closed if facts.refused.connection => first.why = Why::Refused,
            Why::Closed if portless() => first.why = Why::NoPort,
            _ => {}
        }
        first.completes(facts);
        first.said = first.sentence(facts);
        Some(first)
    }

    /// Takes from the other texts what the line itself does not say: the server by the command above it, and what was printed there.
    fn completes(&mut self, facts: &Facts) {
        let known = facts.fetch_above(self.at).filter(|f| !f.host.is_empty());
        let past = |f: &&Fetch| !matches!(f.way, FetchedBy::Through(_));
        if let Some(fetch) = known.filter(past) {
            if self.host.is_empty() {
                self.host = crate::redact(&fetch.host);
            }
            if alike(&self.host, &fetch.host) {
                self.port = self.port.or(fetch.port);
            }
        }
        let captures = facts.refused.uncaptured.iter();
        let mut here = captures.filter(|c| Some(c.port) == self.port && alike(&c.host, &self.host));
        self.unseen = here.next().map(|c| (c.host.clone(), c.at));
        self.until = facts.refused.until.clone().filter(|_| self.expired);
    }

    /// Whether the texts say all that there is to ask.
    pub(crate) fn is_settled(&self) -> bool {
        self.why == Why::Certificate && self.until.is_some()
    }

    /// What its code says, for people.
    pub(crate) fn said(&self) -> &str {
        &self.said
    }

    /// Whether no packet was sent to the server, or its connection was open: that says nothing of the port.
    pub(crate) fn is_past_port(&self) -> bool {
        matches!(self.why, Why::Name | Why::Handshake | Why::Certificate)
    }

    /// Whether nothing answered in time, in whatever words: where the kernel gave up, curl's code alone says it.
    pub(crate) fn is_silent(&self) -> bool {
        self.why == Why::Silent
    }

    /// Whether the own host had no port or address for it: nothing was sent.
    pub(crate) fn is_portless(&self) -> bool {
        self.why == Why::NoPort
    }

    /// Whether it may have been to this address: the line names none, a name, or this one.
    pub(crate) fn may_be_to(&self, address: &str) -> bool {
        let other = self.host.parse::<core::net::IpAddr>();
        other.is_err() || alike(&self.host, address)
    }

    /// Whether something refused the connection.
    pub(crate) fn is_refused(&self) -> bool {
        self.why == Why::Refused
    }

    /// Host and port, for people; `otherwise` where the line names none.
    fn server(&self, otherwise: &str) -> String {
        match (self.host.as_str(), self.port) {
            ("", _) => otherwise.to_owned(),
            (host, None) => host.to_owned(),
            (host, Some(port)) => format!("{host} port {port}"),
        }
    }

    fn sentence(&self, facts: &Facts) -> String {
        let server = self.server("the server");
        let says = match self.why {
            Why::Name => format!(
                "the name {} was not resolved. DNS or the name is at fault, and nothing was sent to the server",
                match self.host.as_str() {
                    "" => "of the server",
                    host => host,
                }
            ),
            Why::Refused => format!(
                "the connection to {server} was refused. Something answered, so that the way there is open: nothing listens on that port, or a firewall rejects"
            ),
            Why::Silent if self.unseen.is_some() => format!(
                "the connection to {server} was not open in time, and a capture of that port at the server saw no packet{}. What asks for it is dropped before it: by a firewall, an access list or a security group on the way",
                place_of(facts, self.unseen.as_ref())
            ),
            Why::Silent => format!(
                "the connection to {server} was not open in time. A firewall drops what is sent there or its answer, the host is off, or no way leads there"
            ),
            Why::NoWay => {
                format!("no way leads to {server}, as a router or the own host says at once")
            }
            Why::NoPort => format!(
                "the own host had no port or no address for a connection to {server} (\"Cannot assign requested address\"). Nothing was sent, and the way there is not at fault"
            ),
            Why::Closed => format!(
                "the connection to {server} was not opened, and this line does not say whether it was refused or not answered"
            ),
            Why::Handshake => {
                format!("the handshake of TLS with {server} failed. The connection itself was open")
            }
            Why::Certificate if self.until.is_some() => format!(
                "{server} answered, and its certificate has expired: it was valid until {}{}. It is renewed at the server (certbot renew, or whoever signed it), whose service then reads it anew. The path is not at fault",
                self.until.as_ref().map_or("", |(until, _)| until.as_str()),
                place_of(facts, self.until.as_ref())
            ),
            Why::Certificate => format!(
                "{server} answered, and its certificate is not trusted. That is a setting of server or client, and not the path"
            ),
        };
        format!("{NOT_BEGUN}: {says} ({})", facts.place(self.at))
    }

    /// What decides it.
    pub(crate) fn asks(&self, asking: &Asking) -> MissingFact {
        let (fact, would_decide) = match self.why {
            Why::Name => (
                "name_answer",
                "whether the name server answers, and knows that name",
            ),
            Why::Refused => (
                "listening",
                "whether anything listens on that port: a refused connection was answered, so that nothing listened, or a firewall rejects",
            ),
            Why::Silent | Why::NoWay => (
                "reachable",
                "where what is sent there is dropped: on the way, at a firewall, or at the host itself",
            ),
            Why::NoPort => (
                "own_ports",
                "whether the ports of that host are used up: as many connections in TIME-WAIT as its range has ports",
            ),
            Why::Closed => (
                "refused",
                "whether the connection was refused, or not answered",
            ),
            Why::Handshake => (
                "tls_handshake",
                "whether the server, a device on the way, or a size of packets ends the handshake",
            ),
            Why::Certificate => (
                "certificate",
                "whose certificate it is, until when it is valid, and who signed it",
            ),
        };
        MissingFact {
            fact,
            would_decide: would_decide.to_owned(),
            command: self.command(asking),
        }
    }

    /// The command that gets it, in the words of the system that is to type it.
    fn command(&self, asking: &Asking) -> String {
        let host = match self.host.as_str() {
            "" => asking.host.as_str(),
            host => host,
        };
        let port = self.port.unwrap_or(443);
        let windows = asking.system == Some(System::Windows);
        match self.why {
            Why::Name if windows => format!("nslookup {host}; ipconfig /all"),
            Why::Name => format!("dig {host}; cat /etc/resolv.conf"),
            Why::Refused => format!("on {host}: ss -ltnp sport = :{port}; nft list ruleset"),
            Why::Silent if self.unseen.is_some() && !windows => format!(
                "traceroute -n -T -p {port} {host} (as root), and the same with a port that is open: the hop behind the last one that answers, and the rules of what stands there for TCP port {port}"
            ),
            Why::Silent | Why::NoWay if windows => {
                format!("Test-NetConnection {host} -Port {port}; tracert -d {host}")
            }
            Why::Silent | Why::NoWay => format!(
                "traceroute -n -T -p {port} {host} (as root); on {host} meanwhile: tcpdump -n tcp port {port}, whether SYNs arrive and answers leave"
            ),
            Why::NoPort => {
                "on the host that connects: ss -s; sysctl net.ipv4.ip_local_port_range; ip addr"
                    .to_owned()
            }
            Why::Closed => format!(
                "curl -v -o FILE URL; its line `connect to {host} port {port} failed:` says it"
            ),
            Why::Handshake => format!(
                "openssl s_client -connect {host}:{port} -servername {host}; {}",
                asking.whole(3, 1472.0)
            ),
            Why::Certificate => format!(
                "openssl s_client -connect {host}:{port} -servername {host} -showcerts; date"
            ),
        }
    }
}

/// Where something was read, in brackets.
fn place_of(facts: &Facts, read: Option<&(String, Place)>) -> String {
    read.map_or_else(String::new, |(_, at)| format!(" ({})", facts.place(*at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_curl_say_why_nothing_began() {
        for (line, why, host, port) in [
            (
                "curl: (7) Failed to connect to h.example port 443 after 2 ms: Connection refused",
                Some(Why::Refused),
                "h.example",
                Some(443),
            ),
            (
                "curl: (7) Failed to connect to h.example port 80 after 2 ms: Couldn't connect to server",
                Some(Why::Closed),
                "h.example",
                Some(80),
            ),
            (
                "curl: (28) Connection timed out after 10001 milliseconds",
                Some(Why::Silent),
                "",
                None,
            ),
            (
                "curl: (28) Resolving timed out after 5000 milliseconds",
                Some(Why::Name),
                "",
                None,
            ),
            (
                "curl: (6) Could not resolve host: h.example; Unknown error",
                Some(Why::Name),
                "h.example",
                None,
            ),
            (
                "curl: (60) SSL certificate problem: unable to get local issuer certificate",
                Some(Why::Certificate),
                "",
                None,
            ),
            (
                "curl: (28) Operation timed out after 60001 milliseconds with 0 bytes received",
                None,
                "",
                None,
            ),
            (
                "curl: (56) Recv failure: Connection reset by peer",
                None,
                "",
                None,
            ),
        ] {
            let found = Unopened::of(line, Place::You);
            assert_eq!(found.as_ref().map(|f| f.why), why, "{line}");
            if let Some(found) = found {
                assert_eq!((found.host.as_str(), found.port), (host, port), "{line}");
            }
        }
    }
}
