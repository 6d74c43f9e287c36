//! Connections that a host asked for and a reset answered, and datagrams for which nothing listened: by the frames of both.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;

use farpath_emu::plane::{Opening, Way};
use farpath_record::count_of;
use farpath_units::Time;
use serde::Serialize;

use super::seen::name_of;
use super::sender::SENDERS;

/// Connections or datagrams to one end that were refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Refused {
    /// Who refused them.
    by: Cow<'static, str>,
    /// The address and port.
    to: String,
    /// By which protocol they came.
    protocol: &'static str,
    /// How often; of datagrams how many reports of it came back, which are fewer.
    times: u64,
    /// How many of these connections came before anything listened on the port.
    before_listening: u64,
    /// How many came while nothing listened on the port any more, which had taken some.
    away: u64,
    /// They came back to a port that had asked for them, and that its program had closed meanwhile.
    late: bool,
    /// When nothing listened on the port yet, where connections came then.
    #[serde(skip)]
    not_yet: Option<NotYet>,
    /// When the port had taken some and refused others, over either version of IP.
    #[serde(skip)]
    gaps: Vec<Away>,
    #[serde(skip)]
    behind: Behind,
    /// The same end as a value.
    #[serde(skip)]
    end: SocketAddr,
}

/// Connections to a port came, from the first of them until one was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NotYet {
    from: Time,
    until: Time,
}

/// A port that had taken connections refused some, from the first of them until it took one again; none where it never did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Away {
    from: Time,
    until: Option<Time>,
}

impl Away {
    fn holds(&self, asked: Time) -> bool {
        asked >= self.from && self.until.is_none_or(|until| asked < until)
    }
}

/// What came behind connections over IPv6 that were refused, and not because nothing listened yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Behind {
    /// None over IPv4 to the same port was taken.
    #[default]
    Nothing,
    /// One was, by a host that listens on IPv4 alone.
    Ipv4Alone,
    /// One was, by a host that listens on IPv4 alone or that had just begun to listen.
    Ipv4Taken,
}

const TCP: &str = "tcp";
const UDP: &str = "udp";

/// Up to so many ports that refuse datagrams are named one by one: a traceroute asks many.
const FEW: usize = 3;

/// Of datagrams that were `unheard`, those where that was first reported `until` the programs of its host ended, or were asked to: what comes
/// to a port that its program has closed meanwhile was heard as long as that ran.
pub(super) fn before_the_end(
    unheard: impl Iterator<Item = (Way, Time, u64)>,
    until: [Time; 2],
    is_of: impl Fn(usize, &SocketAddr) -> bool,
) -> impl Iterator<Item = (Way, u64)> {
    unheard.filter_map(move |(way, first, times)| {
        let host = usize::from(!is_of(0, &way[1]));
        (first <= until[host]).then_some((way, times))
    })
}

/// Those of `openings` that were refused, and datagrams that were `unheard`, which have one of these `ports` where there are any; `is_of`
/// says whether an address is one of the host with that number. `listening` are the ends on which the server's host listened at the end.
pub(super) fn refused(
    (openings, unheard): (
        impl Iterator<Item = Opening>,
        impl Iterator<Item = (Way, u64)>,
    ),
    (ports, listening): (&[u16], &[SocketAddr]),
    is_of: impl Fn(usize, &SocketAddr) -> bool,
) -> Vec<Refused> {
    let is_meant = |[_, to]: &Way| ports.is_empty() || ports.contains(&to.port());
    let openings: Vec<Opening> = openings.filter(|o| is_meant(&o.ends)).collect();
    let mut all: BTreeMap<SocketAddr, Vec<Time>> = BTreeMap::new();
    for opening in openings.iter().filter(|o| o.is_refused) {
        all.entry(opening.ends[1]).or_default().push(opening.asked);
    }
    let each = |(to, asked): (&SocketAddr, &Vec<Time>)| {
        let is_same = |other: &SocketAddr| {
            let is_of_both = |host: &usize| is_of(*host, other) && is_of(*host, to);
            other.port() == to.port() && (other == to || [0, 1].iter().any(is_of_both))
        };
        // The tables of sockets are the server's.
        let listens = listening
            .iter()
            .filter(|end| is_of(1, to) && end.port() == to.port());
        let port = Port {
            openings: openings.iter().filter(|o| is_same(&o.ends[1])).collect(),
            listens: listens.copied().collect(),
        };
        let not_yet = port.not_yet();
        let gaps = port.away();
        let is_before = |at: &&Time| not_yet.is_some_and(|yet| **at < yet.until);
        let is_away = |at: &&Time| gaps.iter().any(|gap| gap.holds(**at));
        let before_listening = asked.iter().filter(is_before).count() as u64;
        let away = asked.iter().filter(is_away).count() as u64;
        let rest = asked.iter().filter(|at| !is_before(at) && !is_away(at));
        let behind = match rest.max() {
            Some(last) if to.is_ipv6() => port.behind(*last),
            _ => Behind::Nothing,
        };
        Refused {
            times: asked.len() as u64,
            before_listening,
            away,
            not_yet: not_yet.filter(|_| before_listening > 0),
            gaps,
            behind,
            ..Refused::at(*to, TCP, &is_of)
        }
    };
    let datagrams = of_datagrams(unheard.filter(|(way, _)| is_meant(way)), false, &is_of);
    all.iter().map(each).chain(datagrams).collect()
}

/// What is known of one port of a host.
struct Port<'a> {
    openings: Vec<&'a Opening>,
    /// The ends at which it was listened on at the end, as far as that is known.
    listens: Vec<SocketAddr>,
}

impl Port<'_> {
    /// When the host answered each connection over IPv4, or over IPv6, that it took.
    fn taken(&self, is_ipv4: bool) -> impl Iterator<Item = Time> + '_ {
        let of = move |o: &&&Opening| o.ends[1].is_ipv4() == is_ipv4;
        self.openings.iter().filter(of).filter_map(|o| o.taken)
    }

    /// When each connection over IPv4, or over IPv6, was asked for that was refused.
    fn refused(&self, is_ipv4: bool) -> impl Iterator<Item = Time> + '_ {
        let of = move |o: &&&Opening| o.is_refused && o.ends[1].is_ipv4() == is_ipv4;
        self.openings.iter().filter(of).map(|o| o.asked)
    }

    /// When connections were refused before the first one was taken, as nothing listened yet: over the version of IP of one of them the port
    /// was listened on later.
    fn not_yet(&self) -> Option<NotYet> {
        let first = [true, false].iter().flat_map(|v| self.taken(*v)).min()?;
        let is_heard_later = |is_ipv4: &bool| {
            let is_listed = self.listens.iter().any(|end| end.is_ipv6()) && !is_ipv4;
            is_listed || self.taken(*is_ipv4).next().is_some()
        };
        let all = [true, false].into_iter();
        let was_refused = |is_ipv4: &bool| self.refused(*is_ipv4).any(|at| at < first);
        all.clone().find(|v| was_refused(v) && is_heard_later(v))?;
        let from = all.flat_map(|v| self.refused(v)).min()?;
        Some(NotYet { from, until: first })
    }

    /// When connections were refused after others had been taken over the same version of IP: its program had closed the port.
    fn away(&self) -> Vec<Away> {
        let versions = [false, true].into_iter();
        let taken = |v: bool| self.taken(v).map(move |at| (at, true, v));
        let refused = |v: bool| self.refused(v).map(move |at| (at, false, v));
        let taken = versions.clone().flat_map(taken);
        let mut all: Vec<(Time, bool, bool)> = versions.flat_map(refused).chain(taken).collect();
        all.sort_unstable();
        let mut has_taken = [false; 2];
        let mut gaps = Vec::new();
        // From when, and whether it had taken others over a version that it refuses.
        let mut gap: Option<(Time, bool)> = None;
        for (at, is_taken, is_ipv4) in all {
            let version = usize::from(is_ipv4);
            if !is_taken {
                let (from, is_away) = gap.unwrap_or((at, false));
                gap = Some((from, is_away || has_taken[version]));
                continue;
            }
            has_taken[version] = true;
            if let Some((from, true)) = gap.take() {
                let until = Some(at);
                gaps.push(Away { from, until });
            }
        }
        if let Some((from, true)) = gap {
            gaps.push(Away { from, until: None });
        }
        gaps
    }

    /// What came behind connections over IPv6 that were refused, the last of them asked for at an instant.
    fn behind(&self, last: Time) -> Behind {
        let is_behind = self.taken(true).any(|at| at > last);
        // Over IPv6 it listened as well, if not then.
        if !is_behind || self.taken(false).next().is_some() {
            return Behind::Nothing;
        }
        // Between two that were taken over IPv4 it listened.
        let first = self.taken(true).min();
        let is_between = first.is_some_and(|first| first <= last);
        let is_listed = !self.listens.is_empty() && self.listens.iter().all(SocketAddr::is_ipv4);
        match is_between || is_listed {
            true => Behind::Ipv4Alone,
            false => Behind::Ipv4Taken,
        }
    }
}

/// Datagrams that came back from one of these ports, where there are any, to one that had asked, and that its program had closed meanwhile.
pub(super) fn late(
    unheard: impl Iterator<Item = (Way, u64)>,
    ports: &[u16],
    is_of: impl Fn(usize, &SocketAddr) -> bool,
) -> Vec<Refused> {
    let is_meant = |[from, _]: &Way| ports.is_empty() || ports.contains(&from.port());
    of_datagrams(unheard.filter(|(way, _)| is_meant(way)), true, &is_of)
}

/// Datagrams for which nothing listened, by where they went; whether they were `late`.
fn of_datagrams(
    unheard: impl Iterator<Item = (Way, u64)>,
    late: bool,
    is_of: &impl Fn(usize, &SocketAddr) -> bool,
) -> Vec<Refused> {
    let mut all: BTreeMap<SocketAddr, u64> = BTreeMap::new();
    for ([_, to], times) in unheard {
        *all.entry(to).or_default() += times;
    }
    let each = |(to, times): (SocketAddr, u64)| Refused {
        times,
        late,
        ..Refused::at(to, UDP, is_of)
    };
    all.into_iter().map(each).collect()
}

/// In words: connections that came too early, then those to a port that was closed for a time, then all others, and datagrams.
pub(super) fn lines(all: &[Refused]) -> Vec<String> {
    let (datagrams, connections): (Vec<_>, Vec<_>) = all.iter().partition(|r| r.protocol == UDP);
    let (late, datagrams): (Vec<_>, Vec<_>) = datagrams.into_iter().partition(|r| r.late);
    let mut said = too_early(&connections);
    said.extend(while_away(&connections));
    said.extend(for_good(&connections));
    let hosts: BTreeSet<&str> = datagrams.iter().map(|r| r.by.as_ref()).collect();
    for by in hosts {
        let own: Vec<&Refused> = datagrams.iter().copied().filter(|r| r.by == by).collect();
        match &own[..] {
            [first, .., last] if own.len() > FEW => said.push(format!(
                "{by} refused datagrams to {} ports, from {} to {} (ICMP port unreachable), as where nothing listens",
                own.len(),
                first.to,
                last.to
            )),
            few => said.extend(few.iter().map(|r| r.line())),
        }
    }
    said.extend([0, 1].into_iter().filter_map(|host| too_late(&late, host)));
    said
}

/// That connections came before anything listened on their ports, over both versions of IP together.
fn too_early(all: &[&Refused]) -> Vec<String> {
    let mut ports: BTreeMap<(&str, u16), (NotYet, u64)> = BTreeMap::new();
    for refused in all {
        if let Some(yet) = refused.not_yet {
            let (_, times) = ports.entry(refused.port()).or_insert((yet, 0));
            *times += refused.before_listening;
        }
    }
    let each = |((by, port), (yet, times)): ((&str, u16), (NotYet, u64))| {
        format!(
            "{by} refused {} to port {port} in the {:.1} s before it took one: nothing listened there yet",
            count_of(times, "connection", "connections"),
            yet.until.since(yet.from).as_secs_f64()
        )
    };
    ports.into_iter().map(each).collect()
}

/// That connections came while nothing listened any more on a port that had taken some, over both versions of IP together.
fn while_away(all: &[&Refused]) -> Vec<String> {
    let mut ports: BTreeMap<(&str, u16), (&[Away], u64)> = BTreeMap::new();
    for refused in all.iter().filter(|r| r.away > 0) {
        let (_, times) = ports
            .entry(refused.port())
            .or_insert((&refused.gaps[..], 0));
        *times += refused.away;
    }
    let each = |((by, port), (gaps, times)): ((&str, u16), (&[Away], u64))| {
        let [first, .., last] = gaps else {
            return format!(
                "{by} refused {} to port {port} {}",
                count_of(times, "connection", "connections"),
                gaps.first().map_or(String::new(), Away::words)
            );
        };
        let what = match last.until {
            Some(_) => "it took others before and behind each",
            None => "it took others before each, and none behind the last",
        };
        format!(
            "{by} refused {} to port {port} in {} stretches, the first from {:.1} s of the run on and the last from {:.1} s on: {what}, as a program \
             does that is started anew",
            count_of(times, "connection", "connections"),
            gaps.len(),
            seconds(first.from),
            seconds(last.from)
        )
    };
    ports.into_iter().map(each).collect()
}

impl Away {
    /// In words, behind what was refused.
    fn words(&self) -> String {
        let from = seconds(self.from);
        match self.until {
            Some(until) => format!(
                "from {from:.1} s to {:.1} s of the run: it had taken some before, and took one again then, as a program does that is started anew",
                seconds(until)
            ),
            None => format!(
                "from {from:.1} s of the run on: it had taken some before, and took none after that, as where its program has ended or closed the port"
            ),
        }
    }
}

/// An instant in seconds since the command began.
fn seconds(at: Time) -> f64 {
    at.since(Time::ZERO).as_secs_f64()
}

/// That connections were refused which came neither too early nor while the port was closed for a time: those that were made again over IPv4,
/// then each port, and many ports of a host together.
fn for_good(all: &[&Refused]) -> Vec<String> {
    let left = all.iter().copied().filter(|r| r.rest() > 0);
    let (again, left): (Vec<&Refused>, Vec<&Refused>) =
        left.partition(|r| r.behind != Behind::Nothing);
    let mut hosts: BTreeMap<&str, BTreeMap<u16, Vec<&Refused>>> = BTreeMap::new();
    for refused in left {
        let (by, port) = refused.port();
        let ports = hosts.entry(by).or_default();
        ports.entry(port).or_default().push(refused);
    }
    let mut said: Vec<String> = again.iter().map(|r| r.line()).collect();
    for (by, ports) in hosts {
        let of_port = |(port, ends): (&u16, &Vec<&Refused>)| match ends[..] {
            [one] => one.line(),
            _ => format!(
                "{by} refused {} to port {port}, over IPv6 and IPv4: resets came back, as where nothing listens",
                connections(ends)
            ),
        };
        let [first, last] = [ports.keys().next(), ports.keys().next_back()];
        match (first, last) {
            (Some(first), Some(last)) if ports.len() > FEW => {
                let ends: Vec<&Refused> = ports.values().flatten().copied().collect();
                said.push(format!(
                    "{by} refused {} to {} ports, from {first} to {last}: resets came back, as where nothing listens",
                    connections(&ends),
                    ports.len()
                ));
            }
            _ => said.extend(ports.iter().map(of_port)),
        }
    }
    said
}

/// How many connections to these ends were refused for good.
fn connections(ends: &[&Refused]) -> String {
    let all: u64 = ends.iter().map(|r| r.rest()).sum();
    count_of(all, "connection", "connections")
}

/// That datagrams came back to the host that has this number when it had closed their ports; none where none did.
fn too_late(late: &[&Refused], host: usize) -> Option<String> {
    let by = SENDERS[host];
    let sender = SENDERS[1 - host];
    let mut ports = late.iter().filter(|r| r.by == by).map(|r| &r.to);
    let first = ports.next()?;
    let (where_to, it) = match ports.clone().next_back() {
        None => (first.clone(), "that port"),
        Some(last) => {
            let count = 1 + ports.count();
            (format!("{count} ports, from {first} to {last},"), "these")
        }
    };
    Some(format!(
        "{sender} sent datagrams back to {where_to} when {by} had closed {it} already (ICMP port unreachable): late answers"
    ))
}

impl Refused {
    /// None yet to this end; whose it is `is_of` says.
    fn at(
        to: SocketAddr,
        protocol: &'static str,
        is_of: &impl Fn(usize, &SocketAddr) -> bool,
    ) -> Refused {
        Refused {
            by: Cow::Borrowed(SENDERS[usize::from(!is_of(0, &to))]),
            to: name_of(to),
            protocol,
            times: 0,
            before_listening: 0,
            away: 0,
            late: false,
            not_yet: None,
            gaps: Vec::new(),
            behind: Behind::Nothing,
            end: to,
        }
    }

    /// The same, where `name` has the name of the host of an end that is neither the command's nor the server's.
    pub(super) fn named(self, name: impl Fn(&SocketAddr) -> Option<String>) -> Refused {
        let by = name(&self.end).map_or(self.by, Cow::Owned);
        Refused { by, ..self }
    }

    /// Who refused, and on which port.
    fn port(&self) -> (&str, u16) {
        (self.by.as_ref(), self.end.port())
    }

    /// How many connections came neither too early nor while the port was closed for a time.
    fn rest(&self) -> u64 {
        self.times - self.before_listening - self.away
    }

    /// Whether they are datagrams that came from this host.
    pub(super) fn is_of_datagrams(&self, sender: &str) -> bool {
        self.protocol == UDP && self.by != sender
    }

    /// In words.
    fn line(&self) -> String {
        let Refused { by, to, .. } = self;
        if self.protocol == UDP {
            return format!(
                "{by} refused datagrams to {to} (ICMP port unreachable), as where nothing listens"
            );
        }
        let what = match self.rest() {
            1 => "a connection".to_owned(),
            n => count_of(n, "connection", "connections"),
        };
        match self.behind {
            Behind::Ipv4Alone => format!(
                "{by} refused {what} to {to}, and took the next one over IPv4, on which alone it listens: each costs a round trip or a \
                 client's patience; -4 makes names resolve to IPv4"
            ),
            Behind::Ipv4Taken => format!(
                "{by} refused {what} to {to}, and took the next one over IPv4: it listens on IPv4 alone, or had just begun to listen; each \
                 costs a round trip or a client's patience; -4 makes names resolve to IPv4"
            ),
            Behind::Nothing => {
                format!("{by} refused {what} to {to}: a reset came back, as where nothing listens")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use farpath_units::Duration;

    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn opening(from: &str, to: &str, is_refused: bool) -> Opening {
        Opening {
            ends: [from, to].map(|end| end.parse().expect(end)),
            asked: Time::ZERO,
            taken: (!is_refused).then(|| at(30)),
            is_refused,
            tls_round_trips: 0,
            tls_windows: 0,
            alert: None,
        }
    }

    /// Whether an end is one of this host's, over either version of IP.
    fn of_both(host: usize, end: &SocketAddr) -> bool {
        let own = [["198.18.0.1", "2001:db8::1"], ["198.18.0.2", "2001:db8::2"]][host];
        own.contains(&end.ip().to_string().as_str())
    }

    #[test]
    fn who_refused_what_is_said_once_for_each_port() {
        let all = [
            opening("198.18.0.1:40000", "198.18.0.2:7001", true),
            opening("198.18.0.1:40001", "198.18.0.2:7001", true),
            opening("198.18.0.1:40002", "198.18.0.2:80", false),
            opening("198.18.0.2:40000", "198.18.0.1:9000", true),
        ];
        let is_of = |host: usize, end: &SocketAddr| {
            end.ip().to_string() == ["198.18.0.1", "198.18.0.2"][host]
        };
        let said = |ports: &[u16]| {
            let found = refused((all.into_iter(), std::iter::empty()), (ports, &[]), is_of);
            found.iter().map(Refused::line).collect::<Vec<_>>()
        };
        let server = "the server refused 2 connections to 198.18.0.2:7001: a reset came back, as where nothing listens";
        let command = "your command refused a connection to 198.18.0.1:9000: a reset came back, as where nothing listens";
        assert_eq!(said(&[]), [command, server]);
        assert_eq!(said(&[7001]), [server]);
        // What is taken over IPv4 has lost a round trip of IPv6.
        let both = [
            opening("[2001:db8::1]:40000", "[2001:db8::2]:8000", true),
            opening("198.18.0.1:40003", "198.18.0.2:8000", false),
        ];
        let again = refused((both.into_iter(), std::iter::empty()), (&[], &[]), of_both);
        assert!(again[0].line().contains("-4 makes names"), "{again:?}");
        let one = both[..1].iter().copied();
        let alone = refused((one, std::iter::empty()), (&[], &[]), of_both);
        assert!(!alone[0].line().contains("-4 makes names"), "{alone:?}");
        assert!(said(&[80]).is_empty());
    }

    /// The ends of a server's port, and what is said of connections to it: by version, when they were asked for, and whether they were taken
    /// 30 ms later, with the table of sockets at the end.
    fn said_of(tries: &[(u8, u64, bool)], listening: &[&str]) -> Vec<String> {
        let all = tries
            .iter()
            .zip(40_000..)
            .map(|((version, ms, is_taken), port)| {
                let ends = match version {
                    4 => [format!("198.18.0.1:{port}"), "198.18.0.2:8000".to_owned()],
                    _ => [
                        format!("[2001:db8::1]:{port}"),
                        "[2001:db8::2]:8000".to_owned(),
                    ],
                };
                Opening {
                    asked: at(*ms),
                    taken: is_taken.then(|| at(ms + 30)),
                    ..opening(&ends[0], &ends[1], !is_taken)
                }
            });
        let listening: Vec<SocketAddr> = listening
            .iter()
            .map(|end| end.parse().expect("an end"))
            .collect();
        let found = refused((all, std::iter::empty()), (&[], &listening), of_both);
        lines(&found)
    }

    /// A client that tries IPv6 and then IPv4 every 400 ms, and a server that begins to listen on both between the last two: it is not one
    /// of IPv4 alone.
    #[test]
    fn a_server_that_begins_to_listen_is_no_server_of_ipv4_alone() {
        let tries = [
            (6, 0, false),
            (4, 60, false),
            (6, 400, false),
            (4, 460, false),
            (6, 800, false),
            (4, 860, true),
        ];
        let early = "the server refused 5 connections to port 8000 in the 0.9 s before it took one: nothing listened there yet";
        assert_eq!(said_of(&tries, &[]), [early]);
        assert_eq!(said_of(&tries, &["[::]:8000"]), [early]);
        // It began between the first two: by frames alone it may be either.
        let late = [(6, 0, false), (4, 60, true)];
        let either = said_of(&late, &[]);
        let words = "it listens on IPv4 alone, or had just begun to listen";
        assert!(either[0].contains(words), "{either:?}");
        let both = said_of(&late, &["[::]:8000"]);
        assert!(both[0].ends_with("nothing listened there yet"), "{both:?}");
        // It took the next one over IPv6.
        let six = [(6, 0, false), (4, 60, false), (6, 400, true)];
        let both = said_of(&six, &[]);
        assert!(
            both[0].contains("refused 2 connections to port 8000"),
            "{both:?}"
        );
    }

    /// The socket of IPv4 in the kernel's table, or a connection of IPv6 refused between two that IPv4 takes.
    #[test]
    fn a_server_of_ipv4_alone_is_named() {
        let once = [(6, 0, false), (4, 60, true)];
        let again = [once, [(6, 400, false), (4, 460, true)]].concat();
        let listed = said_of(&once, &["0.0.0.0:8000", "[::]:9000"]);
        for said in [listed, said_of(&again, &[])] {
            assert_eq!(said.len(), 1, "{said:?}");
            assert!(said[0].contains("on which alone it listens"), "{said:?}");
        }
        // One that is refused for good says nothing of IPv4.
        let for_good = said_of(&[(4, 0, false), (4, 400, false)], &[]);
        let words = "the server refused 2 connections to 198.18.0.2:8000: a reset came back, as where nothing listens";
        assert_eq!(for_good, [words]);
        let both = said_of(&[(6, 0, false), (4, 60, false)], &[]);
        let words = "the server refused 2 connections to port 8000, over IPv6 and IPv4: resets came back, as where nothing listens";
        assert_eq!(both, [words]);
    }

    /// A client that opens a connection every 400 ms, over IPv6 and then over IPv4, and a server that is started anew meanwhile, or ends: it
    /// listens on both, or on IPv4 alone.
    #[test]
    fn a_port_that_was_closed_for_a_time_is_said_from_when_to_when() {
        let gone = [
            (6, 0, true),
            (6, 400, false),
            (4, 460, false),
            (6, 800, false),
            (4, 860, false),
        ];
        let back = [&gone[..], &[(6, 1200, true), (6, 1600, true)]].concat();
        let words = "the server refused 4 connections to port 8000 from 0.4 s to 1.2 s of the run: it had taken some before, and took one again \
                     then, as a program does that is started anew";
        assert_eq!(said_of(&back, &[]), [words]);
        assert_eq!(said_of(&back, &["[::]:8000"]), [words]);
        let ended = said_of(&gone, &[]);
        assert_eq!(ended.len(), 1, "{ended:?}");
        assert!(ended[0].contains("4 connections to port 8000 from 0.4 s of the run on: "));
        let twice = [&back[..], &[(6, 2000, false), (6, 2400, true)]].concat();
        let twice = said_of(&twice, &[]);
        assert!(twice[0].contains("refused 5 connections to port 8000 in 2 stretches, "));
        let alone = [
            (6, 0, false),
            (4, 60, true),
            (6, 400, false),
            (4, 460, false),
            (6, 800, false),
            (4, 860, true),
        ];
        let alone = said_of(&alone, &[]);
        assert!(alone[0].contains("refused 3 connections to port 8000 from 0.4 s to 0.9 s"));
        assert!(alone[1].contains("refused a connection to [2001:db8::2]:8000, and took"));
    }

    /// A port scan, and a third host that the server asked.
    #[test]
    fn many_ports_and_other_hosts_are_named() {
        let scan = |port: u16| opening("198.18.0.1:40000", &format!("198.18.0.2:{port}"), true);
        let all = (7001..=7010).map(scan);
        let third = opening("198.18.0.2:40000", "198.18.0.3:5432", true);
        let all = all.chain([third]);
        let found = refused((all, std::iter::empty()), (&[], &[]), of_both);
        let name = |end: &SocketAddr| (end.port() == 5432).then(|| "db".to_owned());
        let found: Vec<Refused> = found.into_iter().map(|r| r.named(name)).collect();
        let third = "db refused a connection to 198.18.0.3:5432: a reset came back, as where nothing listens";
        let many = "the server refused 10 connections to 10 ports, from 7001 to 7010: resets came back, as where nothing listens";
        assert_eq!(lines(&found), [third, many]);
    }

    /// The server is ended by the lab at 2 s, the command at 1 s by itself: datagrams that arrive afterwards find a closed port. One that came
    /// earlier found none that listened.
    #[test]
    fn datagrams_that_arrive_after_the_end_are_not_refused() {
        let ends = ["198.18.0.1:40000", "198.18.0.2:7000"];
        let there: Way = ends.map(|end| end.parse().expect(end));
        let back = [there[1], there[0]];
        let is_of = |host: usize, end: &SocketAddr| {
            end.ip().to_string() == ["198.18.0.1", "198.18.0.2"][host]
        };
        let left = |first: u64, until: [Time; 2]| {
            let all = [(there, at(first), 3), (back, at(first), 2)];
            before_the_end(all.into_iter(), until, is_of).collect::<Vec<(Way, u64)>>()
        };
        let until = [1000, 2000].map(at);
        assert_eq!(left(900, until), [(there, 3), (back, 2)]);
        assert_eq!(left(1500, until), [(there, 3)]);
        assert!(left(2001, until).is_empty());
        // Where the lab started no server, it ended none.
        assert_eq!(left(2001, [at(1000), Time::MAX]), [(there, 3)]);
    }

    /// Answers to sockets that their program gave up before: of one, and of several.
    #[test]
    fn late_answers_are_no_refusals() {
        let is_of = |host: usize, end: &SocketAddr| {
            end.ip().to_string() == ["198.18.0.1", "198.18.0.2"][host]
        };
        let said = |to: &[u16], ports: &[u16]| {
            let server: SocketAddr = "198.18.0.2:53".parse().expect("an end");
            let end = |port: &u16| SocketAddr::new([198, 18, 0, 1].into(), *port);
            let all: Vec<(Way, u64)> = to.iter().map(|port| ([server, end(port)], 1)).collect();
            lines(&late(all.into_iter(), ports, is_of))
        };
        let one = "the server sent datagrams back to 198.18.0.1:40000 when your command had closed that port already (ICMP port \
                   unreachable): late answers";
        assert_eq!(said(&[40_000], &[]), [one]);
        assert_eq!(said(&[40_000], &[53]), [one]);
        assert!(said(&[40_000], &[80]).is_empty() && said(&[], &[]).is_empty());
        let several = said(&[40_000, 40_001], &[]);
        let words = "back to 2 ports, from 198.18.0.1:40000 to 198.18.0.1:40001, when your command had closed these already";
        assert!(several[0].contains(words), "{several:?}");
    }

    /// A report for each of some datagrams; a traceroute has one of every port.
    #[test]
    fn datagrams_that_nobody_hears_are_said_by_their_port() {
        let is_of = |host: usize, end: &SocketAddr| {
            end.ip().to_string() == ["198.18.0.1", "198.18.0.2"][host]
        };
        let said = |to: &[u16], ports: &[u16]| {
            let own: SocketAddr = "198.18.0.1:40000".parse().expect("an end");
            let end = |port: &u16| SocketAddr::new([198, 18, 0, 2].into(), *port);
            let all: Vec<(Way, u64)> = to.iter().map(|port| ([own, end(port)], 3)).collect();
            let found = refused((std::iter::empty(), all.into_iter()), (ports, &[]), is_of);
            let of_command = found.iter().all(|r| r.is_of_datagrams(SENDERS[0]));
            assert!(of_command, "{found:?}");
            lines(&found)
        };
        let one = "the server refused datagrams to 198.18.0.2:9000 (ICMP port unreachable), as where nothing listens";
        assert_eq!(said(&[9000], &[]), [one]);
        assert_eq!(said(&[9000, 53], &[9000]), [one]);
        assert!(said(&[9000], &[53]).is_empty());
        let many = "the server refused datagrams to 4 ports, from 198.18.0.2:33434 to 198.18.0.2:33437 (ICMP port unreachable), as where \
                    nothing listens";
        assert_eq!(said(&[33_434, 33_435, 33_436, 33_437], &[]), [many]);
    }
}
