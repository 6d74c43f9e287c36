//! A login by ssh that takes seconds over a path whose round trip is short: its server asks other hosts before it lets anybody in.

use crate::document::MissingFact;
use crate::evidence::Evidence;
use crate::lines::bloat::ms;
use crate::read::{Facts, GIVEN_UP};

/// How what is said first of it begins.
pub(crate) const LOGIN: &str = "a login by ssh took ";

/// A shorter one is not slow, seconds, nor is one of fewer round trips. Choices: it takes about ten.
const LONG_S: f64 = 3.0;
const TRIPS: f64 = 30.0;

/// Such a login, for people.
#[derive(Clone, Debug)]
pub(crate) struct SlowLogin {
    said: String,
}

impl SlowLogin {
    /// What is said first of it, where no cause is known.
    pub(crate) fn said(&self) -> &str {
        &self.said
    }

    /// What shows which of its steps waits.
    pub(crate) fn asks() -> MissingFact {
        MissingFact {
            fact: "login_steps",
            would_decide: "which step of the login waits: the server for the client's name, or for Kerberos, a directory or a program of its PAM. With that step switched off it is fast".to_owned(),
            command: "ssh -vvv HOST true 2>&1 | ts -s; on the server, with the client's address as CLIENT: time getent hosts CLIENT; sshd -T | grep -iE 'usedns|gssapiauth'; cat /etc/resolv.conf".to_owned(),
        }
    }
}

impl Evidence {
    /// Takes a login that was timed, where no rate was measured and no ping was lost.
    pub(crate) fn of_login(&mut self, facts: &Facts) {
        let lossy = self.idle_loss.as_ref().is_some_and(|l| l.low > 0.0);
        let rtt = self.rtt.as_ref().map(|rtt| rtt.value);
        let took = facts.logins.took.filter(|_| self.rate.is_none() && !lossy);
        let Some((took, at)) = took.filter(|(took, _)| *took >= LONG_S) else {
            return;
        };
        if rtt.is_some_and(|rtt| took < TRIPS * rtt) {
            return;
        }
        let path = rtt.map_or_else(String::new, |rtt| {
            format!(", and the path's round trip is {}", ms(rtt))
        });
        let asks = facts.logins.asks_names.map(|at| facts.place(at));
        let lookup = facts.logins.lookup.filter(|(took, _)| *took >= LONG_S);
        let looked = lookup.map_or_else(String::new, |(took, at)| {
            format!(
                " A look-up of an address took {took:.1} s there ({}): that is the wait, and its name server does not answer or asks others that do not. One that answers for the clients' networks, the client in /etc/hosts there, or UseDNS no takes it away",
                facts.place(at)
            )
        });
        let pause = facts.logins.pause.as_ref().filter(|(s, _)| *s >= LONG_S);
        let pause = pause.map_or_else(String::new, |(s, step)| {
            format!(", {s:.1} s of it behind \"{step}\"")
        });
        let silent = facts.names.silent_server();
        let silent = silent.map(|(server, at)| (server, facts.place(at)));
        let why = match (asks, silent) {
            (Some(asks), Some((server, place))) => format!(
                "Its server asks for the name of each client's address (UseDNS yes, {asks}), and the name server {server} did not answer ({place}): {GIVEN_UP}. A name server that answers, the client in /etc/hosts there, or UseDNS no takes that wait away"
            ),
            (Some(asks), None) => format!(
                "Its server asks for the name of each client's address (UseDNS yes, {asks}), and waits where no name server answers that: {GIVEN_UP}"
            ),
            (None, Some((server, place))) => format!(
                "The name server {server} did not answer ({place}): a server that asks for the name of each client's address (UseDNS, PAM) waits for it, as {GIVEN_UP}"
            ),
            (None, None) => "Before it lets anybody in a server may wait for other hosts: for the name of the client's address (UseDNS), for Kerberos (GSSAPIAuthentication), or for a directory".to_owned(),
        };
        self.around.login = Some(SlowLogin {
            said: format!(
                "{LOGIN}{took:.1} s ({}){pause}{path}. {why}{}{looked}",
                facts.place(at),
                if looked.is_empty() { "" } else { "." }
            ),
        });
    }
}
