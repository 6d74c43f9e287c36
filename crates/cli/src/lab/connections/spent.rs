//! What a command's connections waited for, one after another, whatever the largest of them did.

use super::Connections;
use super::unopened::address;
use crate::lab::waits::Waits;

/// Times that are a smaller part of the command's say too little of it, and those that are longer than it were side by side.
const LEAST: f64 = 0.5;
const MOST: f64 = 1.05;

/// A part of the command's time that is smaller is not named.
const NAMED: f64 = 0.05;

/// Times of all connections of a command, seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::lab) struct Spent {
    connections: u64,
    /// Until they were set up.
    set_up_s: f64,
    /// With a request or an answer on the way.
    way_s: f64,
    /// In which the server had a request.
    server_s: f64,
}

impl Spent {
    /// In words, of a command that ran for so many seconds; none where they are one, no more than a small part of it, or were side by side.
    pub(in crate::lab) fn words(&self, took_s: f64) -> Option<String> {
        let all = self.set_up_s + self.way_s + self.server_s;
        let took = took_s.max(f64::MIN_POSITIVE);
        let is_known = (LEAST..=MOST).contains(&(all / took));
        let parts = [
            (self.set_up_s, "set-up took"),
            (self.way_s, "requests and answers on the way took"),
            (self.server_s, "the server's turns took"),
        ];
        let parts = parts.into_iter().filter(|(s, _)| *s >= NAMED * took);
        let said: Vec<String> = parts
            .map(|(s, what)| format!("{what} {:.0} %", 100.0 * s / took))
            .collect();
        (is_known && self.connections > 1).then(|| {
            format!(
                "{} connections shared the command's {took_s:.1} s: {} of it",
                self.connections,
                said.join(", ")
            )
        })
    }
}

impl Connections {
    /// What all connections of the command waited for.
    pub(super) fn spent(&self) -> Spent {
        let own = self.own_addresses();
        let waits = self.waits.iter();
        let is_own = |from: &str, waits: &Waits| own.contains(address(from)) && !waits.joins();
        let of_command = waits.filter(|([from, _], waits)| is_own(from, waits));
        let mut spent = Spent::default();
        for (_, waits) in of_command {
            let [set_up, way, server] = waits.spent();
            spent.connections += 1;
            spent.set_up_s += set_up;
            spent.way_s += way;
            spent.server_s += server;
        }
        spent
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::Turns;

    use super::*;
    use crate::lab::busiest::Busiest;
    use crate::lab::many::{Each, Many};

    /// Twelve files of a server of FTP, 80 ms away: a data connection for each, and three commands of which each takes a round trip.
    #[test]
    fn round_trips_of_several_connections_are_named_together() {
        let spent = Spent {
            connections: 13,
            set_up_s: 1.04,
            way_s: 2.88,
            server_s: 0.01,
        };
        let words = "13 connections shared the command's 4.0 s: set-up took 26 %, requests and answers on the way took 72 % of it";
        assert_eq!(spent.words(4.0).as_deref(), Some(words));
        assert_eq!(spent.words(40.0), None, "most of it is something else");
        assert_eq!(spent.words(2.0), None, "they were side by side");
        let one = Spent {
            connections: 1,
            ..spent
        };
        assert_eq!(one.words(4.0), None);
    }

    /// Two subflows of one connection of Multipath TCP.
    #[test]
    fn a_further_subflow_is_not_a_connection() {
        let mut connections = Connections::across([1000; 2]);
        connections.take_command(["198.18.0.1".parse().expect("an address")]);
        for (port, joins) in [(1, false), (2, true)] {
            let ends = [format!("198.18.0.1:{port}"), "198.18.0.2:80".to_owned()];
            connections.take_turns(&Turns {
                is_multipath: true,
                joins,
                ..Turns::between(ends.map(|end| end.parse().expect("an end")))
            });
        }
        assert_eq!(connections.spent().connections, 1);
    }

    /// Twenty short connections that take 2.4 s of the command's time, and a dialogue on another one that takes 5.
    #[test]
    fn what_others_took_is_said_in_front_of_many_short_ones() {
        let each = |n: u16| {
            let of = Each::numbered(n, 80, 500);
            Each {
                rtt: Some(0.06),
                busy: 0.06,
                ..of
            }
        };
        let all: Vec<Each> = (0..20).map(each).collect();
        let said = |took_s: f64| {
            let told = Busiest {
                many: Many::of(&all),
                spent: Spent {
                    connections: 21,
                    set_up_s: 1.2,
                    way_s: 6.0,
                    server_s: 0.2,
                },
                took_s: Some(took_s),
                ..Busiest::default()
            };
            told.in_words().line
        };
        let words = "21 connections shared the command's 8.0 s: set-up took 15 %, requests and answers on the way took 75 % of it; ";
        let shared = said(8.0);
        assert!(shared.starts_with(words), "{shared}");
        assert!(shared.contains("over 20 connections"), "{shared}");
        assert!(!said(3.0).contains("shared"), "{}", said(3.0));
    }
}
