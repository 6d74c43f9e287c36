//! What tools print when they cannot do what they were asked: an error is said, and nothing is made of it.

use super::own_ports::found_none;
use super::{Facts, Line, NOTES_MAX};
use crate::fact::{Of, Place};
use crate::hosts::host_fault::NO_SPACE;
use crate::reach::barred::{Barred, Why};
use crate::reach::failed_test::FailedTest;
use crate::reach::unopened::Unopened;
use crate::reach::unresolved::Unresolved;

/// The program of a session.
const SSH: &str = "ssh";

/// Beginnings of errors, and the tool.
const BEGINS: [(&str, &str); 28] = [
    ("iperf3: error - ", "iperf3"),
    ("iperf3: interrupt - ", "iperf3"),
    ("iperf3: parameter error - ", "iperf3"),
    ("connect failed: ", "iperf2"),
    ("tcp connect failed: ", "iperf2"),
    ("tcp connect attempt timed out", "iperf2"),
    ("write failed: ", "iperf2"),
    ("bind failed: ", "iperf2"),
    ("ping: ", "ping"),
    ("ping6: ", "ping"),
    ("connect: ", "ping"),
    ("Ping request could not find host ", "ping"),
    ("netperf: ", "netperf"),
    ("curl: (28) Failed to connect to ", "curl"),
    ("curl: (28) Connection timed out after ", "curl"),
    ("curl: (28) Connection timeout after ", "curl"),
    ("curl: (28) Resolving timed out after ", "curl"),
    ("curl: (28) SSL connection timeout", "curl"),
    ("curl: (5) ", "curl"),
    ("curl: (6) ", "curl"),
    ("curl: (7) ", "curl"),
    ("curl: (35) ", "curl"),
    ("curl: (60) ", "curl"),
    ("curl: (18) ", "curl"),
    ("curl: (56) ", "curl"),
    ("client_loop: send disconnect: ", SSH),
    ("packet_write_wait: Connection to ", SSH),
    (
        "establish control: are you sure there is a netserver",
        "netperf",
    ),
];

/// Words of errors that some of these beginnings need, so that a label or prose is none.
const WORDS: [&str; 15] = [
    "unknown host",
    "not known",
    "unreachable",
    "refused",
    "timed out",
    "timeout was reached",
    "not permitted",
    "failure in name resolution",
    "cannot resolve",
    "could not find host",
    "no route to host",
    "are you sure",
    "reset by peer",
    "broken pipe",
    "remaining to read",
];

/// Words of a connection that broke while it was open.
const BROKEN: [&str; 5] = [
    "reset by peer",
    "broken pipe",
    "remaining to read",
    "closed unexpectedly",
    "server has terminated",
];

/// The tool that gave up, and its words, if a line says so.
pub(super) fn failed(line: &str) -> Option<(&'static str, &str)> {
    let (begin, tool) = BEGINS.iter().find(|(b, _)| line.starts_with(b))?;
    if found_none(line) {
        return None;
    }
    let lower = line.to_ascii_lowercase();
    let named = begin.ends_with(" - ");
    let coded = || Unopened::of(line, Place::You).is_some();
    let said = line.len() < 400 && (named || WORDS.iter().any(|w| lower.contains(w)) || coded());
    // What names its tool says it by itself; of two words what they mean has to follow.
    let rest = if named { &line[begin.len()..] } else { line };
    said.then_some((*tool, rest))
}

/// What keeps anybody from connecting, as tools say it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refused {
    /// A connection was refused: the host answers, and nothing listens, or a firewall rejects.
    pub(crate) connection: bool,
    /// Where a connection timed out before it was open.
    pub(crate) timed_out: Option<Place>,
    /// Where one was open so late that its SYN had been sent again.
    pub(crate) asked_again: Option<Place>,
    /// The tool whose connection broke while it was open, and where it says so.
    pub(crate) broken: Option<(&'static str, Place)>,
    /// Where a session of ssh broke.
    pub(crate) session: Option<Place>,
    /// A table of connections that its kernel logged as full.
    pub(crate) table_full: Option<TableFull>,
    /// A socket that listens with more connections waiting than its backlog.
    pub(crate) full_queue: Option<FullQueue>,
    /// The first transfer of curl that did not begin.
    pub(crate) unopened: Option<Unopened>,
    /// Until when a certificate is valid, as openssl prints it, and where.
    pub(crate) until: Option<(String, Place)>,
    /// Captures of one port that saw nothing, a few of them.
    pub(crate) uncaptured: Vec<Uncaptured>,
    /// The first test of iperf3 that failed.
    pub(crate) test: Option<FailedTest>,
    /// Who says that the host is unreachable: a router, or the own kernel, which is not named.
    pub(crate) unreachable: Option<String>,
    /// Who says that a packet had lived too long.
    pub(crate) expired: Option<String>,
    /// The first neighbour whose hardware address a host did not find.
    pub(crate) unresolved: Option<Unresolved>,
    /// The interface of which the last command asked for neighbours; empty where it names none.
    pub(crate) neighbours_of: String,
    /// What says why packets do not go on.
    pub(crate) barred: Option<Barred>,
    /// Whether a host has an address that it did not give itself.
    pub(crate) addressed: bool,
}

impl Refused {
    /// Whether a queue is full, and a connection opened late or never: that says something by itself.
    pub(super) fn shows_full_queue(&self) -> bool {
        let late = self.asked_again.is_some() || self.timed_out.is_some();
        late && self.full_queue.is_some()
    }
}

/// A table of connections (`nf_conntrack`) that a kernel logged as full.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableFull {
    /// The host, empty where no prompt names it.
    pub(crate) host: String,
    /// Where its kernel says so first.
    pub(crate) at: Place,
    /// When it said so last, in seconds since 1970 by that host's own clock; none where its lines have no date.
    pub(crate) logged: Option<i64>,
}

/// A socket whose program has not accepted the connections that wait in its queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FullQueue {
    /// The host at whose prompt it was printed; empty where none names it.
    pub(crate) host: String,
    /// Address and port, as `ss` prints them.
    pub(crate) local: String,
    /// Connections that wait, and the backlog.
    pub(crate) waiting: u64,
    pub(crate) backlog: u64,
    /// Where it was read.
    pub(crate) at: Place,
}

/// A capture that ended without a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Uncaptured {
    /// The host at whose prompt it was printed.
    pub(crate) host: String,
    /// The port that it was of.
    pub(crate) port: u16,
    /// Where it was read.
    pub(crate) at: Place,
}

/// What a program says that cannot write (ENOSPC, EDQUOT).
const NO_ROOM: [&str; 2] = [": No space left on device", ": Disk quota exceeded"];

/// Most of those that are kept.
const UNCAPTURED_MAX: usize = 16;

impl Facts {
    /// Takes a line that says by itself what is wrong: a host that is not reached, a neighbour that is not found, the end of a certificate.
    pub(super) fn says_so(&mut self, line: Line<'_>) -> bool {
        self.starts_exchange(line.bare, line.at);
        self.unreachable(line.bare)
            || self.is_barred(line.bare, line.at)
            || self.finds_none(line)
            || self.expires(line)
            || self.has_no_room(line)
    }

    /// Takes `write failed on "/srv/a": No space left on device (28)` of whatever program.
    fn has_no_room(&mut self, line: Line<'_>) -> bool {
        let said = NO_ROOM.iter().any(|words| line.bare.contains(words));
        let is_one = said && line.bare.len() < 400;
        if is_one {
            self.word(Of::Path, NO_SPACE, line.bare, line.at);
        }
        is_one
    }

    /// Takes `notAfter=Nov 24 23:59:59 2026 GMT` of openssl, and the line above it.
    fn expires(&mut self, line: Line<'_>) -> bool {
        if let Some(until) = line.bare.strip_prefix("notAfter=") {
            let until = crate::redact(until);
            self.refused.until.get_or_insert((until, line.at));
            return true;
        }
        line.bare.starts_with("notBefore=")
    }

    /// A capture of one port ended without a packet.
    pub(super) fn captured_nothing(&mut self, host: String, port: u16, at: Place) {
        if self.refused.uncaptured.len() < UNCAPTURED_MAX {
            let nothing = Uncaptured { host, port, at };
            self.refused.uncaptured.push(nothing);
        }
    }

    /// Takes `From 192.0.2.1 icmp_seq=1 Destination Host Unreachable` of ping.
    fn unreachable(&mut self, line: &str) -> bool {
        let by = line
            .strip_prefix("From ")
            .and_then(|rest| rest.split_whitespace().next());
        let said = line.contains(" Destination ") && line.ends_with(" Unreachable");
        let expired = line.contains(" icmp_seq=") && line.ends_with(" Time to live exceeded");
        let Some(by) = by.filter(|_| (said || expired) && line.len() < 400) else {
            return false;
        };
        let by = crate::redact(by.trim_end_matches(':'));
        let known = match expired {
            true => &mut self.refused.expired,
            false => &mut self.refused.unreachable,
        };
        known.get_or_insert(by);
        true
    }

    /// Takes `10.90.4.1 dev eno1 FAILED` of `ip neigh`.
    fn finds_none(&mut self, line: Line<'_>) -> bool {
        if let Some(interface) = crate::reach::unresolved::asked(line.bare) {
            self.refused.neighbours_of = interface;
        }
        let found = Unresolved::of(line.bare, &self.refused.neighbours_of, line.at);
        let is_one = found.is_some();
        if self.refused.unresolved.is_none() {
            self.refused.unresolved = found;
        }
        is_one
    }

    /// A tool could not do what it was asked.
    pub(crate) fn gave_up(&mut self, tool: &'static str, said: &str, at: Place) {
        self.fails(tool, said, at);
        self.took(tool, at, 0, false);
        self.says(tool, said, at);
    }

    /// What the words of such a tool say of connections.
    pub(crate) fn fails(&mut self, tool: &'static str, said: &str, at: Place) {
        if tool == "iperf3" && self.refused.test.is_none() {
            self.refused.test = FailedTest::of(said, at);
        }
        let lower = said.to_ascii_lowercase();
        let unopened = Unopened::of(said, at);
        // What curl says of a name or of TLS says nothing of who accepts connections.
        let past = unopened.as_ref().is_some_and(Unopened::is_past_port);
        let silent = unopened.as_ref().is_some_and(Unopened::is_silent);
        if self.refused.unopened.is_none() {
            self.refused.unopened = unopened;
        }
        if past {
            return;
        }
        self.refused.connection |= lower.contains("connection refused");
        let broke = BROKEN.iter().any(|words| lower.contains(words));
        match (broke, tool == SSH) {
            (true, true) => {
                self.refused.session.get_or_insert(at);
            }
            (true, false) => {
                self.refused.broken.get_or_insert((tool, at));
            }
            (false, _) => {}
        }
        if silent || lower.contains("timed out") || lower.contains("timeout was reached") {
            self.refused.timed_out.get_or_insert(at);
            if tool == "curl" {
                self.tries.opens(at, false);
            }
        }
        if tool == "ping" {
            let sends = lower.contains("sendmsg") || lower.contains("sendto");
            if sends && lower.contains("operation not permitted") {
                self.bars(Barred::own(Why::NotPermitted, at));
            }
            if lower.contains("network is unreachable") {
                self.bars(Barred::own(Why::NoRoute, at));
            }
        }
        if lower.contains("no route to host") || lower.contains("network is unreachable") {
            self.refused.unreachable.get_or_insert_default();
        }
    }

    /// What a tool says went wrong.
    pub(crate) fn says(&mut self, tool: &'static str, said: &str, at: Place) {
        if self.notes.len() < NOTES_MAX {
            let said = crate::redact(said);
            self.notes
                .push(format!("{}: {tool} says: {said}", self.place(at)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_known_and_labels_are_not() {
        let line = "iperf3: error - unable to connect to server: Connection refused";
        let said = "unable to connect to server: Connection refused";
        assert_eq!(failed(line), Some(("iperf3", said)));
        let line = "ping: nowhere.example: Name or service not known";
        assert_eq!(failed(line), Some(("ping", line)));
        assert_eq!(failed("ping: rtt min/avg/max/mdev = 1/2/3/0.1 ms"), None);
        assert_eq!(failed("connect: it did, at once"), None);
        let line = "curl: (28) Failed to connect to h.example port 443 after 10001 ms: Timeout was reached";
        assert_eq!(failed(line), Some(("curl", line)));
        for line in [
            "curl: (6) Could not resolve host: h.example",
            "curl: (35) error:0A00010B:SSL routines::wrong version number",
            "curl: (60) SSL certificate problem: certificate has expired",
        ] {
            assert_eq!(failed(line), Some(("curl", line)));
        }
        // A reported size of packets is read elsewhere.
        let mtu = "ping: local error: message too long, mtu=1444";
        assert_eq!(failed(mtu), None);
        assert_eq!(failed("iperf3 -c host"), None);
    }
}
