//! Names that are looked up: requests that waited for that, and name servers that do not answer, or late.

use core::net::IpAddr;

use crate::advice::Remedy;
use crate::bloat::ms;
use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::items::Item;
use crate::read::{Facts, GIVEN_UP};
use crate::slow_server::{Answer, SlowServer};

/// What it is worth where no text shows it, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth where a request spent most of its time so, and where only its name servers show it. Choices.
const WAITED: f64 = 126.0;
const SERVERS: f64 = 114.0;

/// Most name servers that are kept.
const SERVERS_MAX: usize = 16;

/// What texts say of names and their servers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Name servers of `/etc/resolv.conf`, in its order.
    servers: Vec<(IpAddr, Place)>,
    /// Those that did not answer dig.
    silent: Vec<(IpAddr, Place)>,
    /// Those that did, and after how many milliseconds.
    answered: Vec<Answer>,
    /// The look-up of a name that was most of its request, and all of it, seconds: the longest.
    waited: Option<([f64; 2], Place)>,
}

impl Names {
    /// A line `nameserver` of `/etc/resolv.conf`.
    pub(crate) fn serves(&mut self, server: IpAddr, at: Place) {
        let new = self.servers.iter().all(|(known, _)| *known != server);
        if new && self.servers.len() < SERVERS_MAX {
            self.servers.push((server, at));
        }
    }

    /// A server did not answer.
    pub(crate) fn keeps_silent(&mut self, server: IpAddr, at: Place) {
        let new = self.silent.iter().all(|(known, _)| *known != server);
        if new && self.silent.len() < SERVERS_MAX {
            self.silent.push((server, at));
        }
    }

    /// A server answered after so many milliseconds.
    pub(crate) fn answers(&mut self, server: IpAddr, after_ms: f64, at: Place) {
        if self.answered.len() < SERVERS_MAX {
            self.answered.push((server, after_ms, at));
        }
    }

    /// A request spent most of its time on the look-up of its name: that, and all of it, seconds.
    pub(crate) fn waits(&mut self, [took, whole]: [f64; 2], at: Place) {
        let longer = |([known, _], _): ([f64; 2], Place)| took > known;
        if self.waited.is_none_or(longer) {
            self.waited = Some(([took, whole], at));
        }
    }

    /// The first server of the list, where it never answered.
    fn first_silent(&self) -> Option<&(IpAddr, Place)> {
        let (first, _) = self.servers.first()?;
        let answered = self.answered.iter().any(|(server, ..)| server == first);
        let mut silent = self.silent.iter();
        silent.find(|(server, _)| server == first && !answered)
    }

    /// A server that answered late, and not because others had to be waited for first, which keep silent.
    fn slow(&self) -> Option<SlowServer> {
        SlowServer::of(&self.answered).filter(|_| self.silent.is_empty())
    }

    /// Whether they say why something is slow.
    pub(crate) fn decide(&self) -> bool {
        self.waited.is_some() || self.first_silent().is_some() || self.slow().is_some()
    }
}

/// A wait for a name, and what is known of the servers.
#[derive(Clone, Debug)]
pub(crate) struct NameWait {
    /// A request waited, as its times show.
    waited: bool,
    /// The first server, which does not answer, and another one that does.
    silent: Option<(IpAddr, Option<IpAddr>)>,
    /// A server that answers late.
    slow: Option<SlowServer>,
    /// What the texts say, for people.
    said: Vec<String>,
}

impl NameWait {
    fn of(facts: &Facts) -> Option<NameWait> {
        let names = &facts.names;
        let waited = names.waited.map(|([took, whole], at)| {
            format!(
                "of {} that a request took {} were the look-up of its name ({})",
                ms(whole),
                ms(took),
                facts.place(at)
            )
        });
        let first = names.first_silent();
        let other = names.answered.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let servers = first.map(|(server, at)| {
            let answers = other.map_or_else(String::new, |(other, after, at)| {
                format!(
                    ", and {other} answered after {after:.0} ms ({})",
                    facts.place(*at)
                )
            });
            format!(
                "{server}, the first name server of /etc/resolv.conf, did not answer ({}){answers}",
                facts.place(*at)
            )
        });
        let slow = names.slow();
        let late = slow.map(|slow| slow.sentence(facts));
        let all = NameWait {
            waited: waited.is_some(),
            silent: first.map(|(server, _)| (*server, other.map(|(other, ..)| *other))),
            slow,
            said: waited.into_iter().chain(servers).chain(late).collect(),
        };
        (!all.said.is_empty()).then_some(all)
    }

    /// What tells which server a look-up waits for, or whether one waits at all.
    pub(crate) fn asks(&self) -> Option<MissingFact> {
        let compared = self.slow.as_ref().and_then(SlowServer::asks);
        if compared.is_some() || self.waited && self.slow.is_some() {
            return compared;
        }
        let (fact, would_decide, command) = match (self.waited, self.silent) {
            (true, Some(_)) => return None,
            (true, None) => (
                "name_servers",
                "which name server the look-up waited for: one that does not answer, or one that has to ask others",
                "on that host: cat /etc/resolv.conf (resolvectl dns, where it has 127.0.0.53 alone); then of each server in it, several times: dig @SERVER NAME | grep -E 'SERVER|Query time|timed out'",
            ),
            (false, _) => (
                "time_namelookup",
                "whether what is slow waits for a name",
                "on that host: curl -s -o /dev/null -w 'namelookup: %{time_namelookup}\\nconnect: %{time_connect}\\nstarttransfer: %{time_starttransfer}\\ntotal: %{time_total}\\n' URL",
            ),
        };
        Some(MissingFact {
            fact,
            would_decide: would_decide.to_owned(),
            command: command.to_owned(),
        })
    }

    /// What to change about a first server that does not answer, or about one that answers late.
    fn change(&self) -> Option<Change> {
        let Some((silent, other)) = self.silent else {
            return self.slow.as_ref().map(SlowServer::change);
        };
        let behind = other.map_or_else(String::new, |other| format!(", or put it behind {other}"));
        let remedy = Remedy {
            commands: vec![
                "cp /etc/resolv.conf /etc/resolv.conf.before".to_owned(),
                format!("take `nameserver {silent}` out of /etc/resolv.conf{behind}. Where another program writes that file (NetworkManager, systemd-resolved, a DHCP client), there"),
                "or options timeout:1 in /etc/resolv.conf: what does not answer costs 1 s, and not 5 s".to_owned(),
                "or a cache on this host, which asks the server that answers (systemd-resolved, dnsmasq, unbound)".to_owned(),
                format!("on {silent}: whether its service runs, and whether a firewall drops what goes to port 53"),
            ],
            undo: vec!["cp /etc/resolv.conf.before /etc/resolv.conf".to_owned()],
            risk: format!("names that {silent} alone knows are not found any more"),
            ..Remedy::default()
        };
        Some(remedy.change("the host that asks for names", None, None))
    }
}

impl Evidence {
    /// Takes what is known of names, where nothing was transferred.
    pub(crate) fn of_names(&mut self, facts: &Facts) {
        let nothing = self.rate.as_ref().is_none_or(|r| r.value <= 0.0);
        self.around.names = NameWait::of(facts).filter(|_| nothing);
    }

    /// What to change about name servers.
    pub(crate) fn change_names(&self) -> Option<Change> {
        self.around.names.as_ref()?.change()
    }
}

impl NameWait {
    /// What it is worth, decibans.
    fn worth(&self) -> f64 {
        match &self.slow {
            _ if self.waited => WAITED,
            Some(slow) => slow.worth(),
            None => SERVERS,
        }
    }

    /// All that is known, for people.
    fn sentence(&self) -> String {
        let said = self.said.join("; ");
        match self.slow {
            Some(_) => said,
            None => format!("{said}: {GIVEN_UP}"),
        }
    }
}

/// Weighs it.
pub(crate) fn by_names(e: &Evidence, items: &mut Vec<Item>) {
    items.extend(e.around.names.as_ref().map(|names| Item {
        holds: 1.0,
        weights: vec![(Cause::NameLookup, names.worth())],
        sentence: names.sentence(),
    }));
}
