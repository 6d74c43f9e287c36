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
    for opening in openings.filter(|o| o.is_refused && is_meant(&o.ends)) {
        *all.entry(opening.ends[1]).or_default() += 1;
    }
    let each = |(to, times): (SocketAddr, u64)| Refused {
        by: SENDERS[usize::from(!is_of(0, &to))],
        to: name_of(to),
        times,
    };
    all.into_iter().map(each).collect()
}

impl Refused {
    /// In words.
    pub(super) fn line(&self) -> String {
        let Refused { by, to, times } = self;
        let what = match times {
            1 => "a connection".to_owned(),
            n => count_of(*n, "connection", "connections"),
        };
        format!("{by} refused {what} to {to}: a reset came back, as where nothing listens")
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
        assert!(said(&[80]).is_empty());
    }
}
