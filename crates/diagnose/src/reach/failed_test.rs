//! Tests of iperf3 that failed: their control connection was not open, a data connection was not, or either of them broke.

use crate::asking::Asking;
use crate::cause::Cause;
use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::flows::flow::Flow;
use crate::known::System;
use crate::read::Facts;
use crate::seen::Test;

/// How what is said of one begins.
pub(crate) const TEST_FAILED: &str = "a test of iperf3 failed";

/// The most that is said of what holds a rate where the test stopped moving before it failed: it is not a verdict.
const OPEN: f64 = 0.39;

/// What makes a connection stop, and not a rate.
const STOPS: [Cause; 4] = [
    Cause::Outage,
    Cause::MtuBlackHole,
    Cause::Middlebox,
    Cause::FullTable,
];

/// What failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// The name of the server was not resolved.
    Name,
    /// The control connection was refused.
    Refused,
    /// Nothing answered it in time.
    Silent,
    /// A router, or the own host, has no way there.
    NoWay,
    /// It was not opened, and the words do not say why.
    NotOpen,
    /// It was open, and a data connection was not.
    Data,
    /// A data connection broke.
    DataBroke,
    /// The control connection broke.
    Closed,
    /// The server ended the test.
    Ended,
    /// The server runs another test.
    Busy,
}

/// Why a control connection was not opened, by words of its system.
const UNOPENED: [(&[&str], What); 4] = [
    (&["not known", "name resolution", "nodename"], What::Name),
    (&["refused"], What::Refused),
    (&["no route to host", "unreachable"], What::NoWay),
    (&["timed out", "in progress"], What::Silent),
];

/// A test that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FailedTest {
    what: What,
    at: Place,
    /// What it means, for people, once all is read.
    said: String,
    /// Whether nothing moved any more before it failed.
    still: bool,
}

impl FailedTest {
    /// Of what iperf3 says behind `iperf3: error - `; none of what says nothing of a connection.
    pub(crate) fn of(said: &str, at: Place) -> Option<FailedTest> {
        let lower = said.to_ascii_lowercase();
        let lower = lower.strip_prefix("error - ").unwrap_or(&lower);
        let says = |words: &[&str]| words.iter().any(|w| lower.contains(w));
        let what = match lower {
            _ if lower.starts_with("unable to connect to server") => {
                let mut whys = UNOPENED.iter();
                let why = whys.find(|(words, _)| says(words));
                why.map_or(What::NotOpen, |(_, what)| *what)
            }
            _ if lower.starts_with("unable to connect stream") => What::Data,
            _ if says(&["stream socket", "write to stream", "read from stream"]) => What::DataBroke,
            _ if lower.starts_with("the server has terminated") => What::Ended,
            _ if lower.starts_with("the server is busy") => What::Busy,
            _ if says(&["control socket", "control message", "cookie"]) => What::Closed,
            _ => return None,
        };
        Some(FailedTest {
            what,
            at,
            said: String::new(),
            still: false,
        })
    }

    /// The first of the texts, where it is of this flow: of a test that moved, the one that broke off in it.
    fn of_flow(facts: &Facts, flow: &Flow) -> Option<FailedTest> {
        let mut failed = facts.refused.test.clone()?;
        if let Some(test) = &flow.test {
            if !failed.is_of(test, facts) {
                return None;
            }
            failed.still = test.rows.last().is_some_and(|row| row.bps <= 0.0);
        }
        failed.said = failed.sentence(facts);
        Some(failed)
    }

    /// Whether a test broke off so: it is the last one above, and has no report of its end.
    fn is_of(&self, test: &Test, facts: &Facts) -> bool {
        let broke = matches!(self.what, What::DataBroke | What::Closed | What::Ended);
        let Some(below) = self.at.lines_below(test.at) else {
            return false;
        };
        let nearer = |other: &Test| self.at.lines_below(other.at).is_some_and(|n| n < below);
        let last = !facts.tests.iter().any(nearer);
        broke && last && test.tool == "iperf3" && test.received.is_none()
    }

    fn sentence(&self, facts: &Facts) -> String {
        let control = "its control connection (TCP port 5201, or that of -p)";
        let data = "its control connection was open, and a data connection";
        let says = match self.what {
            What::Name => {
                "the name of the server was not resolved, and nothing was sent to it".to_owned()
            }
            What::Refused => format!(
                "{control} was refused. Something answered, so that the way there is open: no iperf3 -s listens on that port, or a firewall rejects"
            ),
            What::Silent => format!(
                "{control} was not open in time. A firewall drops what is sent to that port or its answer, the host is off, or no way leads there"
            ),
            What::NoWay => format!(
                "{control} has no way to the server, as a router or the own host says at once"
            ),
            What::NotOpen => format!("{control} was not opened"),
            What::Data => format!(
                "{data} to the same port was not. A firewall or NAT between lets no further connection through, or, with -u, no UDP to that port"
            ),
            What::DataBroke => format!(
                "{data} broke. The other end's program ended, or a device between drops or resets what carries data"
            ),
            What::Closed => format!(
                "{control} broke. The other end's iperf3 ended or was killed, or a firewall or NAT between forgot or reset that connection, which is idle during a test"
            ),
            What::Ended => {
                "the server ended it: somebody stopped it, or it met an error of its own".to_owned()
            }
            What::Busy => {
                "the server runs another test, and takes one at a time: try again later".to_owned()
            }
        };
        let place = facts.place(self.at);
        format!("{TEST_FAILED}: {says} ({place}). That says nothing of a limit of the rate")
    }

    /// What it means, for people.
    pub(crate) fn said(&self) -> &str {
        &self.said
    }

    /// What decides why; none where its words say it, or a refusal asks by itself.
    pub(crate) fn asks(&self, asking: &Asking) -> Option<MissingFact> {
        let host = asking.host.as_str();
        let (fact, would_decide, command) = match self.what {
            What::Refused | What::Busy => return None,
            What::Name => (
                "name_answer",
                "whether the name server answers, and knows that name",
                match asking.system {
                    Some(System::Windows) => format!("nslookup {host}; ipconfig /all"),
                    _ => format!("dig {host}; cat /etc/resolv.conf"),
                },
            ),
            What::Silent | What::NoWay | What::NotOpen => (
                "reachable",
                "where what is sent to the port of the test is dropped: on the way, at a firewall, or at the host itself",
                match asking.system {
                    Some(System::Windows) => {
                        format!("Test-NetConnection {host} -Port 5201; tracert -d {host}")
                    }
                    _ => format!(
                        "traceroute -n -T -p 5201 {host} (as root); on {host}: ss -ltnp sport = :5201, nft list ruleset, and meanwhile tcpdump -n port 5201, whether SYNs arrive and answers leave"
                    ),
                },
            ),
            What::Data | What::DataBroke => (
                "data_connection",
                "whether what opens or uses the data connection arrives at the server, and whether its answers leave",
                format!(
                    "on {host} during a test: tcpdump -n port 5201; the same test on another port (iperf3 -s -p 5202, and -p 5202 of the client)"
                ),
            ),
            What::Closed | What::Ended => (
                "server_log",
                "whether the server's program ended, or a device between reset its connection",
                format!(
                    "on {host}: what iperf3 -s printed, dmesg -T | grep -i killed; and during another test tcpdump -n 'port 5201 and tcp[tcpflags] & (tcp-fin|tcp-rst) != 0'"
                ),
            ),
        };
        Some(MissingFact {
            fact,
            would_decide: would_decide.to_owned(),
            command,
        })
    }
}

impl Evidence {
    /// Takes a test of this flow that failed.
    pub(crate) fn of_failed_test(&mut self, facts: &Facts, flow: &Flow) {
        self.failed_test = FailedTest::of_flow(facts, flow);
    }

    /// The most that is said of a cause where the test stopped moving before it failed: what holds a rate does not stop one.
    pub(crate) fn at_most_of_failed_test(&self, cause: Cause) -> f64 {
        let still = self.failed_test.as_ref().is_some_and(|test| test.still);
        let stops = STOPS.contains(&cause) || self.is_killed(cause);
        match still && self.rate.is_some() && !stops {
            true => OPEN,
            false => 1.0,
        }
    }

    /// That the test broke off, for people; none without a rate, where it is said first.
    pub(crate) fn failed_test_in_words(&self) -> Option<String> {
        let failed = self.failed_test.as_ref().filter(|_| self.rate.is_some())?;
        Some(failed.said().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_iperf3_say_which_connection_failed() {
        for (said, what) in [
            (
                "unable to connect to server: Connection timed out",
                Some(What::Silent),
            ),
            (
                "error - unable to connect to server: Connection timed out",
                Some(What::Silent),
            ),
            (
                "unable to connect to server - server may have stopped running or use a different port, firewall issue, etc.: Connection refused",
                Some(What::Refused),
            ),
            (
                "unable to connect to server: No route to host",
                Some(What::NoWay),
            ),
            (
                "unable to connect to server: Name or service not known",
                Some(What::Name),
            ),
            (
                "unable to connect stream: Connection timed out",
                Some(What::Data),
            ),
            (
                "unable to write to stream socket: Connection reset by peer",
                Some(What::DataBroke),
            ),
            ("control socket has closed unexpectedly", Some(What::Closed)),
            (
                "unable to receive control message - port may not be available, the other side may have stopped running, etc.: Connection reset by peer",
                Some(What::Closed),
            ),
            ("the server has terminated", Some(What::Ended)),
            (
                "the server is busy running a test. try again later",
                Some(What::Busy),
            ),
            ("the client has terminated", None),
            ("test duration too long (maximum = 86400 seconds)", None),
        ] {
            let found = FailedTest::of(said, Place::You).map(|failed| failed.what);
            assert_eq!(found, what, "{said}");
        }
    }
}
