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
    use super::*;

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
}
