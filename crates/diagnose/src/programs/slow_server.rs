//! A name server that answers late: quick with the names that it holds, and slow with those that it has to ask others for.

use core::net::IpAddr;

use crate::advice::Remedy;
use crate::document::{Change, MissingFact};
use crate::fact::Place;
use crate::read::{Facts, SLOW_MS};

/// An answer after fewer milliseconds is quick beside a slow one. A choice.
const QUICK_MS: f64 = 100.0;

/// What one slow answer is worth, decibans: by itself, as its name may be slow everywhere, and beside a quick one of the same server. Choices.
const ALONE: f64 = 100.0;
const HELD: f64 = 108.0;

/// The same beside a quick answer of another server, of one slow answer and of several.
const OTHER: f64 = 114.0;
const SEVERAL: f64 = 118.0;

/// An answer to dig: of which server, after how many milliseconds, and where that was read.
pub(crate) type Answer = (IpAddr, f64, Place);

/// A name server of which an answer took long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SlowServer {
    /// Its slowest answer, and how many of its answers were slow.
    slowest: Answer,
    count: usize,
    /// A quick answer of the same server, and one of another.
    own: Option<Answer>,
    other: Option<Answer>,
}

impl SlowServer {
    /// Of the slowest among answers.
    pub(crate) fn of(answers: &[Answer]) -> Option<SlowServer> {
        let slow = || answers.iter().filter(|(_, after, _)| *after >= SLOW_MS);
        let slowest = *slow().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let server = slowest.0;
        let quickest = |same: bool| {
            let all = answers.iter().filter(|(of, ..)| (*of == server) == same);
            let quick = all.filter(|(_, after, _)| *after <= QUICK_MS);
            quick.min_by(|a, b| a.1.total_cmp(&b.1)).copied()
        };
        Some(SlowServer {
            slowest,
            count: slow().filter(|(of, ..)| *of == server).count(),
            own: quickest(true),
            other: quickest(false),
        })
    }

    /// What it says for the look-up of a name, decibans.
    pub(crate) fn worth(&self) -> f64 {
        match (self.other, self.own) {
            (Some(_), _) if self.count > 1 => SEVERAL,
            (Some(_), _) => OTHER,
            (None, Some(_)) => HELD,
            (None, None) => ALONE,
        }
    }

    /// What is known of it, for people.
    pub(crate) fn sentence(&self, facts: &Facts) -> String {
        let (server, after, at) = self.slowest;
        let times = match self.count {
            1 => String::new(),
            n => format!(", the slowest of {n} such answers"),
        };
        let own = self.own.map_or_else(String::new, |(_, after, at)| {
            format!(
                ". It answered after {after:.0} ms another time ({}): it is quick with names that it holds, and the way to it is short. It waits for those that it asks itself",
                facts.place(at)
            )
        });
        let other = self.other.map_or_else(String::new, |(other, after, at)| {
            format!(
                ". Another name server, {other}, answered after {after:.0} ms ({})",
                facts.place(at)
            )
        });
        format!(
            "the name server {server} answered dig after {after:.0} ms ({}){times}{own}{other}",
            facts.place(at)
        )
    }

    /// What tells a slow server from a name that is slow everywhere, where no other server answered quickly.
    pub(crate) fn asks(&self) -> Option<MissingFact> {
        let ask = MissingFact {
            fact: "name_servers",
            would_decide: "whether another name server finds such names sooner: then this one is slow, or those that it asks; else those of the names' own zones are"
                    .to_owned(),
            command: format!(
                "on that host, each with a name that nobody asked for before: dig @{} NAME and dig @OTHER NAME, with another resolver as OTHER, | grep -E 'SERVER|Query time'",
                self.slowest.0
            ),
        };
        self.other.is_none().then_some(ask)
    }

    /// Its forwarders, or another server.
    pub(crate) fn change(&self) -> Change {
        let server = self.slowest.0;
        let other = match self.other {
            Some((other, ..)) => other.to_string(),
            None => "another resolver".to_owned(),
        };
        let remedy = Remedy {
            commands: vec![
                format!(
                    "on {server}: which servers it asks itself (its forwarders; those of a home router are often the provider's), and of each, with names that nobody asked for before: dig @FORWARDER NAME | grep 'Query time'. Take out those that are slow or do not answer"
                ),
                "cp /etc/resolv.conf /etc/resolv.conf.before".to_owned(),
                format!(
                    "or on this host: {other} ahead of {server} in /etc/resolv.conf. Where another program writes that file (NetworkManager, systemd-resolved, a DHCP client), there"
                ),
                "dig of a name that nobody asked for before: its Query time is below 0.1 s then"
                    .to_owned(),
            ],
            undo: vec!["cp /etc/resolv.conf.before /etc/resolv.conf".to_owned()],
            risk: format!(
                "names that {server} alone knows, as of the own network, are not found without it"
            ),
            ..Remedy::default()
        };
        remedy.change("the host that asks for names", None, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(last: u8, after: f64) -> Answer {
        (IpAddr::from([192, 0, 2, last]), after, Place::You)
    }

    /// A slow answer alone may be of a slow name; another server's quick one says more than the same server's.
    #[test]
    fn quick_answers_beside_a_slow_one_say_that_the_server_is_slow() {
        let worth = |all: &[Answer]| SlowServer::of(all).map(|slow| slow.worth());
        let (slow, own, other) = (answer(1, 2481.0), answer(1, 1.0), answer(9, 14.0));
        assert_eq!(worth(&[own, other]), None);
        assert_eq!(worth(&[slow]), Some(ALONE));
        assert_eq!(worth(&[slow, answer(9, 700.0)]), Some(ALONE));
        assert_eq!(worth(&[slow, own]), Some(HELD));
        assert_eq!(worth(&[own, slow, other]), Some(OTHER));
        assert_eq!(worth(&[slow, other, answer(1, 2390.0)]), Some(SEVERAL));
    }
}
