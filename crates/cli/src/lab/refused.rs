//! Connections that a host asked for and a reset answered, and datagrams for which nothing listened: by the frames of both.

use std::collections::BTreeMap;
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
    by: &'static str,
    /// The address and port.
    to: String,
    /// By which protocol they came.
    protocol: &'static str,
    /// How often; of datagrams how many reports of it came back, which are fewer.
    times: u64,
    /// They came back to a port that had asked for them, and that its program had closed meanwhile.
    late: bool,
    /// They were to an address of IPv6, and one to the same port over IPv4 was taken.
    #[serde(skip)]
    by_ipv4: bool,
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

/// Those of `openings` that were refused, and datagrams that were `unheard`, which have one of these ports where there are any; `is_of`
/// says whether an address is one of the host with that number.
pub(super) fn refused(
    (openings, unheard): (
        impl Iterator<Item = Opening>,
        impl Iterator<Item = (Way, u64)>,
    ),
    ports: &[u16],
    is_of: impl Fn(usize, &SocketAddr) -> bool,
) -> Vec<Refused> {
    let mut all: BTreeMap<SocketAddr, u64> = BTreeMap::new();
    let is_meant = |[_, to]: &Way| ports.is_empty() || ports.contains(&to.port());
    let mut taken = Vec::new();
    for opening in openings.filter(|o| is_meant(&o.ends)) {
        let to = opening.ends[1];
        match opening.is_refused {
            true => *all.entry(to).or_default() += 1,
            false => taken.push(to),
        }
    }
    let is_same = |to: &SocketAddr, other: &SocketAddr| {
        other.is_ipv4() && other.port() == to.port() && is_of(0, other) == is_of(0, to)
    };
    let each = |(to, times): (SocketAddr, u64)| Refused {
        by: SENDERS[usize::from(!is_of(0, &to))],
        to: name_of(to),
        protocol: TCP,
        times,
        late: false,
        by_ipv4: to.is_ipv6() && taken.iter().any(|other| is_same(&to, other)),
    };
    let datagrams = of_datagrams(unheard.filter(|(way, _)| is_meant(way)), false, &is_of);
    all.into_iter().map(each).chain(datagrams).collect()
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
        by: SENDERS[usize::from(!is_of(0, &to))],
        to: name_of(to),
        protocol: UDP,
        times,
        late,
        by_ipv4: false,
    };
    all.into_iter().map(each).collect()
}

/// In words, of those whose connections are to be named where that is `wanted` of them, and of all datagrams.
pub(super) fn lines(all: &[Refused], wanted: impl Fn(&Refused) -> bool) -> Vec<String> {
    let (datagrams, connections): (Vec<_>, Vec<_>) = all.iter().partition(|r| r.protocol == UDP);
    let (late, datagrams): (Vec<_>, Vec<_>) = datagrams.into_iter().partition(|r| r.late);
    let connections = connections.into_iter().filter(|r| wanted(r));
    let mut said: Vec<String> = connections.map(Refused::line).collect();
    for by in SENDERS {
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
    /// Whether they are datagrams that came from this host.
    pub(super) fn is_of_datagrams(&self, sender: &str) -> bool {
        self.protocol == UDP && self.by != sender
    }

    /// Whether it was made again over IPv4, which a run that carries something shows by its times alone.
    pub(super) fn is_made_again(&self) -> bool {
        self.by_ipv4
    }

    /// In words.
    pub(super) fn line(&self) -> String {
        let Refused { by, to, times, .. } = self;
        if self.protocol == UDP {
            return format!(
                "{by} refused datagrams to {to} (ICMP port unreachable), as where nothing listens"
            );
        }
        let what = match times {
            1 => "a connection".to_owned(),
            n => count_of(*n, "connection", "connections"),
        };
        match self.by_ipv4 {
            true => format!(
                "{by} refused {what} to {to}, and took the next one over IPv4, on which alone it listens: each costs a round trip or a \
                 client's patience; -4 makes names resolve to IPv4"
            ),
            false => {
                format!("{by} refused {what} to {to}: a reset came back, as where nothing listens")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use farpath_units::Duration;

    use super::*;

    fn opening(from: &str, to: &str, is_refused: bool) -> Opening {
        Opening {
            ends: [from, to].map(|end| end.parse().expect(end)),
            is_refused,
            tls_round_trips: 0,
        }
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
            let found = refused((all.into_iter(), std::iter::empty()), ports, is_of);
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
        let of_both = |host: usize, end: &SocketAddr| {
            let own = [["198.18.0.1", "2001:db8::1"], ["198.18.0.2", "2001:db8::2"]][host];
            own.contains(&end.ip().to_string().as_str())
        };
        let again = refused((both.into_iter(), std::iter::empty()), &[], of_both);
        assert!(again[0].is_made_again(), "{again:?}");
        assert!(again[0].line().contains("-4 makes names"), "{again:?}");
        let one = both[..1].iter().copied();
        let alone = refused((one, std::iter::empty()), &[], of_both);
        assert!(!alone[0].is_made_again(), "{alone:?}");
        assert!(said(&[80]).is_empty());
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
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
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
            lines(&late(all.into_iter(), ports, is_of), |_| true)
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
            let found = refused((std::iter::empty(), all.into_iter()), ports, is_of);
            let of_command = found.iter().all(|r| r.is_of_datagrams(SENDERS[0]));
            assert!(of_command, "{found:?}");
            lines(&found, |_| false)
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
