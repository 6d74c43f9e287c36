//! Sessions that break where nobody typed for long: a device between that keeps states of connections forgets those without traffic.

use crate::advice::Remedy;
use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flows::flow::{Flow, word};
use crate::items::Item;
use crate::reach::stuck::find_device;
use crate::read::Facts;
use crate::windows::channel::OVER_SSH;

/// What it is worth, decibans. A choice: a host that was started again, or that has another address since, breaks a session as well.
const BROKE: f64 = 112.0;

/// A connection that a firewall closed as idle, and that went on afterwards, as facts have it: its ends, and after how long.
pub(crate) const IDLE_CLOSED: &str = "idle_closed";

/// A session of a shell that broke, and no transfer did.
#[derive(Clone, Debug)]
pub(crate) struct IdleSession {
    /// Where a text says so, for people.
    at: String,
    /// The connection that a firewall closed as idle, by its log, and after how long.
    closed: Option<String>,
}

impl IdleSession {
    /// What tells a timeout from a host that went away.
    pub(crate) fn asks(&self) -> MissingFact {
        if let Some(closed) = &self.closed {
            return MissingFact {
                fact: "keepalive_seconds",
                would_decide: format!(
                    "whether the programs of such connections send keepalives, and whether those come sooner than that firewall closes them ({closed})"
                ),
                command: "on both hosts: sysctl net.ipv4.tcp_keepalive_time; ss -tno, which shows timer:(keepalive,...) where the program asks for it".to_owned(),
            };
        }
        MissingFact {
            fact: "idle_timeout",
            would_decide: "after how long without traffic it breaks. A device forgets after the same time each time, such as 5 min or 1 h. A host that was started again, or has another address, breaks a session at any time".to_owned(),
            command: "two sessions left alone side by side: ssh HOST, and ssh -o ServerAliveInterval=60 HOST: which of them breaks, and after how long; and on HOST: uptime".to_owned(),
        }
    }

    /// What a text says of it, and what that means.
    fn sentence(&self) -> String {
        match &self.closed {
            Some(closed) => format!(
                "the log of a firewall has a connection as closed, since nothing passed for its idle timeout ({closed}), and packets of it that came afterwards and were denied ({}): both ends held it for open. A connection that is in use does not meet that",
                self.at
            ),
            None => format!(
                "a session of ssh broke ({}): where nobody had typed for long, a stateful firewall, NAT or load balancer between forgot the connection, and drops or resets what comes then. Transfers, which are never idle, do not meet that",
                self.at
            ),
        }
    }

    /// What keeps such a session.
    fn change() -> Change {
        let remedy = Remedy {
            commands: vec![
                "ServerAliveInterval 60 under `Host *` in ~/.ssh/config: ssh then asks after each minute without traffic, and no device forgets it. Or on the server ClientAliveInterval 60 in sshd_config".to_owned(),
                "for other programs: keepalives of their own, or SO_KEEPALIVE with sysctl net.ipv4.tcp_keepalive_time below the timeout of the device; Linux waits 7200 s by default".to_owned(),
                "or at the firewall, NAT or load balancer between: a longer timeout of idle TCP connections, 2 h 4 min or more (RFC 5382 REQ-5), and a reset to both ends when one ends".to_owned(),
            ],
            undo: vec!["take ServerAliveInterval or ClientAliveInterval out again".to_owned()],
            risk: "a session that is kept alive breaks when the path is down for some minutes, where it would have lasted without traffic".to_owned(),
            ..Remedy::default()
        };
        remedy.change("the host of the session", None, None)
    }
}

impl Evidence {
    /// Takes a session that broke, where no transfer broke, and nothing hangs.
    pub(crate) fn of_idle_session(&mut self, facts: &Facts) {
        self.of_firewall(facts);
        let nothing = self.rate.as_ref().is_none_or(|r| r.value <= 0.0);
        // A copy over ssh that breaks off says the same.
        let copied = facts.tests.iter().any(|t| OVER_SSH.contains(&t.tool));
        let broken = copied || facts.refused.broken.is_some();
        let free = nothing && self.stuck.is_none() && !broken;
        let closed = word(facts, Of::Path, IDLE_CLOSED);
        let closed = closed.filter(|(said, _)| free && is_tied(facts, said));
        let session = facts.refused.session.filter(|_| free);
        let at = closed.map(|(_, at)| at).or(session);
        self.idle_session = at.map(|at| IdleSession {
            at: facts.place(at),
            closed: closed.map(|(said, _)| said.to_owned()),
        });
    }
}

/// Whether one of the ends of a closed connection is a host that was pinged; also where none was.
fn is_tied(facts: &Facts, said: &str) -> bool {
    let ends = said.split(' ').filter_map(|word| word.split_once('/'));
    let ends: Vec<&str> = ends.map(|(address, _)| address).collect();
    let mut pinged = facts.pings.iter().flatten();
    facts.pings.is_empty() || pinged.any(|name| ends.contains(&name.as_str()))
}

impl Evidence {
    /// What is done about a device on the way that drops data, or forgets sessions.
    pub(crate) fn find_device(&self, flow: &Flow) -> Change {
        match (&self.idle_session, self.change_firewall()) {
            (Some(_), _) => IdleSession::change(),
            (None, Some(change)) => change,
            (None, None) => find_device(flow),
        }
    }
}

/// Weighs it.
pub(crate) fn by_idle_session(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.idle_session.as_ref().map(|session| Item {
        holds: 1.0,
        weights: vec![(Cause::Middlebox, BROKE)],
        sentence: session.sentence(),
    }));
}
