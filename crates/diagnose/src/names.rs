//! Names that are looked up: requests that waited for that, and name servers that do not answer, or late.

use core::net::IpAddr;

use crate::cause::Cause;
use crate::document::{Change, MissingFact};
use crate::evidence::Evidence;
use crate::fact::Place;
use crate::items::Item;
use crate::lines::bloat::ms;
use crate::programs::searched_names::Searched;
use crate::programs::silent_names::{self, Silent};
use crate::programs::slow_server::{Answer, SlowServer};
use crate::read::resolvers::List;
use crate::read::{Facts, GIVEN_UP};

/// What it is worth where no text shows it, decibans: it is not a cause then.
pub(crate) const UNSEEN: f64 = -100.0;

/// What it is worth where a request spent most of its time so, and where only its name servers show it. Choices.
const WAITED: f64 = 126.0;
const SERVERS: f64 = 114.0;

/// No server is waited for that does not answer before another is asked for less than this, seconds (`timeout` of resolv.conf, 5).
const GIVEN_UP_S: f64 = 1.0;

/// Most name servers that are kept.
const SERVERS_MAX: usize = 16;

/// What texts say of names and their servers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// Name servers of `/etc/resolv.conf`, of systemd-resolved and of Windows, in the order of each list.
    servers: [Vec<(IpAddr, Place)>; 3],
    /// The one that systemd-resolved uses.
    used: Option<IpAddr>,
    /// The one that nslookup of Windows asked by itself.
    first: Option<(IpAddr, Place)>,
    /// Interfaces of Windows begin their lists differently: which of them is asked first, nobody says.
    apart: bool,
    /// Those that did not answer dig or nslookup.
    silent: Vec<(IpAddr, Place)>,
    /// Those that did, and after how many milliseconds.
    answered: Vec<Answer>,
    /// Those that answered nslookup, which does not say when, and those that answered with a failure.
    replied: Vec<(IpAddr, Place)>,
    failed: Vec<IpAddr>,
    /// The look-up of a name that was most of its request, and all of it, seconds: the longest.
    waited: Option<([f64; 2], Place)>,
}

impl Names {
    /// A line `nameserver` of `/etc/resolv.conf`.
    pub(crate) fn serves(&mut self, server: IpAddr, at: Place) {
        self.lists(List::ResolvConf, server, at);
    }

    /// A server of a list.
    pub(crate) fn lists(&mut self, list: List, server: IpAddr, at: Place) {
        keep(&mut self.servers[list as usize], (server, at));
    }

    /// The list of an interface of Windows begins with this server.
    pub(crate) fn begins_list(&mut self, server: IpAddr) {
        let first = self.servers[List::Windows as usize].first();
        self.apart |= first.is_some_and(|(first, _)| *first != server);
    }

    /// The server that systemd-resolved uses.
    pub(crate) fn uses(&mut self, server: IpAddr) {
        self.used = Some(server);
    }

    /// The server that nslookup of Windows asks by itself.
    pub(crate) fn asks_first(&mut self, server: IpAddr, at: Place) {
        self.first.get_or_insert((server, at));
    }

    /// A server did not answer.
    pub(crate) fn keeps_silent(&mut self, server: IpAddr, at: Place) {
        keep(&mut self.silent, (server, at));
    }

    /// The first server that did not answer, and where that was read.
    pub(crate) fn silent_server(&self) -> Option<(IpAddr, Place)> {
        self.silent.first().copied()
    }

    /// A server answered, after a time that is not said.
    pub(crate) fn replies(&mut self, server: IpAddr, at: Place) {
        keep(&mut self.replied, (server, at));
    }

    /// A server answered that it cannot.
    pub(crate) fn fails(&mut self, server: IpAddr) {
        if self.failed.len() < SERVERS_MAX {
            self.failed.push(server);
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

    /// The server that a list has asked first, where that is known.
    fn first_of(&self, list: List) -> Option<IpAddr> {
        let servers = &self.servers[list as usize];
        let first = servers.first().map(|(first, _)| *first);
        match list {
            List::ResolvConf => first,
            // It stays with one that answered, wherever that stands.
            List::Resolved => self.used.or(first.filter(|_| servers.len() == 1)),
            List::Windows => match self.first {
                Some((own, _)) => Some(own),
                None => first.filter(|_| !self.apart),
            },
        }
    }

    /// The first server of a list, where it never answered.
    fn first_silent(&self) -> Option<(List, IpAddr, Place)> {
        let lists = [List::ResolvConf, List::Resolved, List::Windows];
        lists.into_iter().find_map(|list| {
            let first = self.first_of(list)?;
            let timed = self.answered.iter().any(|(server, ..)| *server == first);
            let replied = self.replied.iter().any(|(server, _)| *server == first);
            let answered = timed || replied || self.failed.contains(&first);
            let mut silent = self.silent.iter().filter(|_| !answered);
            let (_, at) = silent.find(|(server, _)| *server == first)?;
            Some((list, first, *at))
        })
    }

    /// Another server than one that keeps silent, which answered, and what is said of that.
    fn other(&self, facts: &Facts) -> Option<(IpAddr, String)> {
        let timed = self.answered.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let timed = timed.map(|(other, after, at)| {
            let place = facts.place(*at);
            let said = format!(", and {other} answered after {after:.0} ms ({place})");
            (*other, said)
        });
        timed.or_else(|| {
            let (other, at) = self.replied.first()?;
            let said = format!(", and {other} answered ({})", facts.place(*at));
            Some((*other, said))
        })
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

/// Keeps a server and its place, unless it is known.
fn keep(all: &mut Vec<(IpAddr, Place)>, one: (IpAddr, Place)) {
    if all.iter().all(|(known, _)| *known != one.0) && all.len() < SERVERS_MAX {
        all.push(one);
    }
}

/// A wait for a name, and what is known of the servers.
#[derive(Clone, Debug)]
pub(crate) struct NameWait {
    /// A request waited, as its times show.
    waited: bool,
    /// The first server, which does not answer, and another one that does.
    silent: Option<Silent>,
    /// A server that answers late.
    slow: Option<SlowServer>,
    /// The look-up took less time than any server is waited for that does not answer.
    short: bool,
    /// How the names of such a look-up are completed.
    searched: Searched,
    /// Whoever asks for names is a host of Windows.
    windows: bool,
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
        let other = names.other(facts);
        let servers = first.map(|(list, server, at)| {
            let answers = other.as_ref().map_or("", |(_, said)| said.as_str());
            format!(
                "{server}, {}, did not answer ({}){answers}",
                list.calls_first(),
                facts.place(at)
            )
        });
        let slow = names.slow();
        let late = slow.map(|slow| slow.sentence(facts));
        let short = names.waited.is_some_and(|([took, _], _)| took < GIVEN_UP_S);
        let searched = facts.searched;
        let completed = searched.said(facts).filter(|_| waited.is_some());
        let all = NameWait {
            waited: waited.is_some(),
            silent: first.map(|(list, server, _)| Silent {
                list,
                server,
                other: other.as_ref().map(|(other, _)| *other),
            }),
            windows: silent_names::by_windows(facts, first.map(|(list, ..)| list)),
            slow,
            short,
            searched,
            said: [waited, servers, late, completed]
                .into_iter()
                .flatten()
                .collect(),
        };
        (!all.said.is_empty()).then_some(all)
    }

    /// What tells which server a look-up waits for, or whether one waits at all.
    pub(crate) fn asks(&self) -> Option<MissingFact> {
        let alone = self.silent.is_none() && self.slow.is_none();
        if alone && self.waited && self.short && self.searched.change().is_some() {
            return None;
        }
        let compared = self.slow.as_ref().and_then(SlowServer::asks);
        if compared.is_some() || self.waited && self.slow.is_some() {
            return compared;
        }
        let (fact, would_decide, command) = match (self.waited, self.silent) {
            (true, Some(_)) => return None,
            (true, None) if self.windows => (
                "name_servers",
                "which name server the look-up waited for: one that does not answer, or one that has to ask others",
                silent_names::SERVERS_OF_WINDOWS,
            ),
            (false, _) if self.windows => (
                "time_namelookup",
                "whether what is slow waits for a name",
                silent_names::TIMES_OF_WINDOWS,
            ),
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
        match self.silent {
            Some(silent) => Some(silent.change()),
            None if self.slow.is_none() && self.waited => self.searched.change(),
            None => self.slow.as_ref().map(SlowServer::change),
        }
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
        match (self.slow, self.silent) {
            (Some(_), _) => said,
            (None, None) if self.short => said,
            (None, Some(silent)) if silent.list != List::ResolvConf => {
                format!("{said}: a look-up waits for it before another server is asked")
            }
            _ => format!("{said}: {GIVEN_UP}"),
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
