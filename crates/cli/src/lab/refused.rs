//! Connections that a host asked for and a reset answered: by the frames of both.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use farpath_emu::plane::{Opening, Way};
use farpath_record::count_of;
use serde::Serialize;

use super::connections::{SENDERS, name_of};

/// Connections to one end that were refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Refused {
    /// Who refused them.
    by: &'static str,
    /// The address and port.
    to: String,
    /// How often.
    times: u64,
    /// They were to an address of IPv6, and one to the same port over IPv4 was taken.
    #[serde(skip)]
    by_ipv4: bool,
}

/// Those of `openings` that were refused, and have one of these ports where there are any; `is_of` says whether an address is one of
/// the host with that number.
pub(super) fn refused(
    openings: impl Iterator<Item = Opening>,
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
        times,
        by_ipv4: to.is_ipv6() && taken.iter().any(|other| is_same(&to, other)),
    };
    all.into_iter().map(each).collect()
}

impl Refused {
    /// Whether it was made again over IPv4, which a run that carries something shows by its times alone.
    pub(super) fn is_made_again(&self) -> bool {
        self.by_ipv4
    }

    /// In words.
    pub(super) fn line(&self) -> String {
        let Refused { by, to, times, .. } = self;
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
            let found = refused(all.into_iter(), ports, is_of);
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
        let again = refused(both.into_iter(), &[], of_both);
        assert!(again[0].is_made_again(), "{again:?}");
        assert!(again[0].line().contains("-4 makes names"), "{again:?}");
        let alone = refused(both[..1].iter().copied(), &[], of_both);
        assert!(!alone[0].is_made_again(), "{alone:?}");
        assert!(said(&[80]).is_empty());
    }
}
