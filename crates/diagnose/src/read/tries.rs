//! What programs say of the connections that they try: by which version of IP, to which host, and whether it was answered.

use core::net::IpAddr;

use super::{Facts, Line};
use crate::fact::Place;
use crate::words::between;

/// What was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// A connection.
    Connection,
    /// A connection by IPv6 for which a program did not wait: it opened one by IPv4 besides.
    Start,
    /// Pings.
    Pings,
}

/// A try to reach a host by one version of IP.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Try {
    /// Its name, or its address where no text has its name.
    pub(crate) host: String,
    pub(crate) ipv6: bool,
    pub(crate) answered: bool,
    pub(crate) what: What,
    pub(crate) at: Place,
}

/// Most addresses that are read of a line.
const ADDRESSES_MAX: usize = 8;

/// How lines end that say why a connection did not open. What has no route at all costs no time, and is not among them.
const UNANSWERED: [&str; 2] = ["connection timed out", "no route to host"];

impl Facts {
    /// Takes what a line says of a try; the line may be another reader's, too.
    pub(super) fn tries_of(&mut self, line: Line<'_>) {
        let (text, at) = (line.bare, line.at);
        // What a command before this one tried first is over.
        if self.fetches.last().is_some_and(|fetch| fetch.at == at) {
            self.tries.first = None;
        }
        if let Some(said) = text.strip_prefix("* ") {
            self.tries_of_curl(said.trim_start(), at);
        } else if let Some((name, address, answered)) = of_wget(text).or_else(|| of_apt(text)) {
            self.tries.named(address, name);
            self.connects_to(address, answered, at);
        }
    }

    /// What curl says with `-v`, behind its mark.
    fn tries_of_curl(&mut self, said: &str, at: Place) {
        let resolved = said.strip_prefix("Host ");
        let resolved = resolved.and_then(|rest| rest.strip_suffix(" was resolved."));
        let list = said.strip_prefix("IPv6: ").or(said.strip_prefix("IPv4: "));
        if let Some(host) = resolved {
            let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
            self.tries.first = None;
            self.tries.resolved = crate::redact(name);
        } else if let Some(list) = list {
            let name = self.tries.resolved.clone();
            for address in list.split(", ").take(ADDRESSES_MAX) {
                if let Ok(address) = address.trim().parse() {
                    self.tries.named(address, &name);
                }
            }
        } else if let Some(address) = said.strip_prefix("Trying ") {
            // A port stands behind it, or not: of IPv6 there are two colons at least.
            if address.matches(':').count() > 1 {
                self.tries.first = Some(at);
            }
        } else if let Some((address, answered)) = ended(said) {
            self.connects_to(address, answered, at);
        } else if is_refused(said) {
            self.refused.connection = true;
        } else if said.starts_with("Immediate connect fail for ") {
            self.tries.first = None;
        } else if let Some((name, address)) = connected(said) {
            self.tries.named(address, name);
            if let Some(first) = self.tries.first.take().filter(|_| address.is_ipv4()) {
                let host = self.tries.host(&address.to_string());
                self.tries.add(Try {
                    host,
                    ipv6: true,
                    answered: false,
                    what: What::Start,
                    at: first,
                });
            }
            self.connects_to(address, true, at);
        }
    }

    /// A connection to an address was opened, or was not.
    fn connects_to(&mut self, address: IpAddr, answered: bool, at: Place) {
        let host = self.tries.host(&address.to_string());
        self.tries.add(Try {
            host,
            ipv6: address.is_ipv6(),
            answered,
            what: What::Connection,
            at,
        });
    }
}

/// Whether a connection was answered, by how a line ends; none where it does not say it.
fn answered(end: &str) -> Option<bool> {
    let end = end.trim_end_matches('.').to_ascii_lowercase();
    match end.ends_with(" connected") {
        true => Some(true),
        false => UNANSWERED
            .iter()
            .any(|why| end.ends_with(why))
            .then_some(false),
    }
}

/// `connect to 2001:db8::10 port 443 failed: Connection timed out` of curl, also with `from 2001:db8::1 port 50000` before the colon.
fn ended(said: &str) -> Option<(IpAddr, bool)> {
    let (address, rest) = said.strip_prefix("connect to ")?.split_once(" port ")?;
    let (_, why) = rest.split_once("failed: ")?;
    Some((address.parse().ok()?, answered(why)?))
}

/// `connect to 192.0.2.80 port 443 from 192.0.2.7 port 50000 failed: Connection refused` of curl.
fn is_refused(said: &str) -> bool {
    said.starts_with("connect to ") && said.ends_with(" failed: Connection refused")
}

/// `Connected to www.example.org (192.0.2.80) port 443` of curl.
fn connected(said: &str) -> Option<(&str, IpAddr)> {
    let (name, rest) = said.strip_prefix("Connected to ")?.split_once(" (")?;
    let (address, _) = rest.split_once(") port ")?;
    Some((name, address.parse().ok()?))
}

/// `Connecting to www.example.org (www.example.org)|2001:db8::10|:443... failed: Connection timed out.` of wget.
fn of_wget(text: &str) -> Option<(&str, IpAddr, bool)> {
    let (name, rest) = text.strip_prefix("Connecting to ")?.split_once('|')?;
    let (address, end) = rest.split_once('|')?;
    let name = name.split(' ').next()?;
    Some((name, address.parse().ok()?, answered(end)?))
}

/// `Could not connect to deb.example.org:80 (2001:db8::10), connection timed out` of apt.
fn of_apt(text: &str) -> Option<(&str, IpAddr, bool)> {
    let (server, rest) = between(text, "Could not connect to ", "")?.split_once(" (")?;
    let (address, end) = rest.split_once("), ")?;
    let (name, _) = server.rsplit_once(':')?;
    Some((name, address.parse().ok()?, answered(end)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_say_by_which_address_they_tried() {
        let six: IpAddr = "2001:db8::10".parse().expect("an address");
        assert_eq!(
            of_wget(
                "Connecting to h.example (h.example)|2001:db8::10|:443... failed: Connection timed out."
            ),
            Some(("h.example", six, false))
        );
        assert_eq!(
            of_wget("Connecting to h.example (h.example)|2001:db8::10|:443... connected."),
            Some(("h.example", six, true))
        );
        assert_eq!(
            of_apt("  Could not connect to h.example:80 (2001:db8::10), connection timed out"),
            Some(("h.example", six, false))
        );
        for said in [
            "connect to 2001:db8::10 port 443 failed: Connection timed out",
            "connect to 2001:db8::10 port 443 from 2001:db8::1 port 50000 failed: No route to host",
        ] {
            assert_eq!(ended(said), Some((six, false)), "{said}");
        }
        let refused = "connect to 2001:db8::10 port 443 failed: Connection refused";
        assert_eq!(ended(refused), None);
        assert!(is_refused(refused));
        assert_eq!(
            connected("Connected to h.example (2001:db8::10) port 443 (#0)"),
            Some(("h.example", six))
        );
    }
}
