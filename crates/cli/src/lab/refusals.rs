//! How long connections that the server refused kept the command waiting: a client that tries one port after another, or one port again and again.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use farpath_emu::plane::{Opening, Turns, Way};
use farpath_scenario::NodeId;
use farpath_scenario::plan::address;
use farpath_units::{Duration, Time};

use super::at_rest::AtRest;
use super::connections::together;

/// A smaller part of the command's time is not named.
const NAMED: f64 = 0.1;

/// What they came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Refusals {
    /// From the SYN of each until its answer had come.
    spans: Vec<(Time, Time)>,
}

impl Refusals {
    /// Those of connections to one of these `ports`, where there are any.
    pub(super) fn at_rest((path, lab, _): AtRest<'_>, ports: &[u16]) -> Refusals {
        let own = |version| address(NodeId(path.hosts[1]), version);
        let is_servers = |end: &SocketAddr| {
            let is_meant = ports.is_empty() || ports.contains(&end.port());
            is_meant && [4, 6].map(own).contains(&end.ip())
        };
        Refusals::of(lab.plane.openings(), lab.plane.turns(), is_servers)
    }

    /// Those of `openings` that the server refused, where `is_servers` says so of an end that was asked; `turns` say when the answer came. Those to
    /// an end that took one later came before it listened, and are named as such.
    fn of(
        openings: impl Iterator<Item = Opening>,
        turns: impl Iterator<Item = Turns>,
        is_servers: impl Fn(&SocketAddr) -> bool,
    ) -> Refusals {
        let answered: BTreeMap<Way, Duration> = turns
            .filter_map(|turns| Some((turns.ends, turns.set_up?)))
            .collect();
        let openings: Vec<Opening> = openings.filter(|o| is_servers(&o.ends[1])).collect();
        let mut refusals = Refusals::default();
        for opening in openings.iter().filter(|o| o.is_refused) {
            let is_later = |o: &Opening| o.asked > opening.asked && o.taken.is_some();
            let mut same = openings.iter().filter(|o| o.ends[1] == opening.ends[1]);
            let Some(took) = answered.get(&opening.ends) else {
                continue;
            };
            if !same.any(is_later) {
                refusals.spans.push((opening.asked, opening.asked + *took));
            }
        }
        refusals
    }

    /// In words, of a command that ran for so many seconds; none where they are one, or took little of that.
    pub(super) fn words(&self, took_s: f64) -> Option<String> {
        let seconds = together(self.spans.iter().copied()).as_secs_f64();
        let several = self.spans.len() > 1 && seconds >= NAMED * took_s;
        several.then(|| {
            format!(
                "{} refused connections took {seconds:.1} s of the command's {took_s:.1} s, a round trip each",
                self.spans.len()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many tries at ports of the server, from 7100 on, one after another and 100 ms each, of which it takes one at last: at a port of its own,
    /// or at the first.
    fn said(tries: u16, last: u16) -> Option<String> {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let ends = |n: u16, port: u16| -> Way {
            [
                format!("198.18.0.1:{}", 40_000 + n),
                format!("198.18.0.2:{port}"),
            ]
            .map(|end| end.parse().expect("an end"))
        };
        let openings = (0..=tries).map(|n| Opening {
            ends: ends(n, if n < tries { 7100 + n } else { last }),
            asked: at(100 * u64::from(n)),
            taken: (n == tries).then(|| at(100 * u64::from(n) + 50)),
            is_refused: n < tries,
            tls_round_trips: 0,
            tls_windows: 0,
            alert: None,
        });
        let turns = openings.clone().map(|opening| Turns {
            set_up: Some(Duration::from_ms(100)),
            ..Turns::between(opening.ends)
        });
        let is_servers = |end: &SocketAddr| end.ip().to_string() == "198.18.0.2";
        Refusals::of(openings, turns, is_servers).words(1.5)
    }

    #[test]
    fn refusals_one_after_another_are_counted() {
        let words = "10 refused connections took 1.0 s of the command's 1.5 s, a round trip each";
        assert_eq!(said(10, 22).as_deref(), Some(words));
        let few = said(2, 22).expect("they took a tenth");
        assert!(few.starts_with("2 refused connections took 0.2 s"), "{few}");
        // One, and one that came too early.
        assert_eq!(said(1, 22), None);
        assert_eq!(said(2, 7100), None);
    }
}
