//! Connections that the command asked for, and that nothing answered: a full accept queue, a filtered port.

use std::collections::BTreeSet;

use farpath_record::count_of;
use farpath_units::{Duration, Time};

use super::open::together;
use super::{Connections, Watched};
use crate::lab::busiest::Busiest;
use crate::lab::sender::SENDERS;

/// A shorter time is not named.
const NAMED: Duration = Duration::from_secs(1);

/// So many ends are named one by one.
const FEW: usize = 3;

/// What the command asked for in vain.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::lab) struct InVain {
    /// Time in which it asked for any, seconds: until it gave up, or else until the last SYN.
    pub(in crate::lab) seconds: f64,
    /// It is not known of each when it was given up.
    is_at_least: bool,
    connections: u64,
    /// The ends that it asked.
    to: Vec<String>,
}

impl InVain {
    /// In words.
    pub(in crate::lab) fn words(&self) -> String {
        let [command, _] = SENDERS;
        let bound = if self.is_at_least { " or more" } else { "" };
        let (what, were, whose) = match self.connections {
            1 => ("a connection".to_owned(), "was", "its SYN"),
            n => (
                count_of(n, "connection", "connections"),
                "were",
                "their SYNs",
            ),
        };
        let to = listed(&self.to);
        format!(
            "for {:.1} s{bound} {command} asked for {what} to {to} that {were} never established: nothing answered {whose}",
            self.seconds
        )
    }
}

/// One of them.
struct Asked<'a> {
    to: &'a str,
    from: Time,
    until: Time,
    is_given_up: bool,
}

impl Connections {
    /// Connections that the command's host asked for, and that nothing answered; none where that took no time that is worth naming.
    pub(super) fn in_vain(&self) -> Option<InVain> {
        let asked = self.asked_in_vain();
        let sum = together(asked.iter().map(|one| (one.from, one.until)));
        let to: BTreeSet<&str> = asked.iter().map(|one| one.to).collect();
        (sum >= NAMED).then(|| InVain {
            seconds: sum.as_secs_f64(),
            is_at_least: asked.iter().any(|one| !one.is_given_up),
            connections: asked.len() as u64,
            to: to.into_iter().map(str::to_owned).collect(),
        })
    }

    /// How many connections that the command asked for were refused.
    pub(super) fn refused(&self) -> u64 {
        let own = self.own_addresses();
        let asked = |[from, _]: &&[String; 2]| own.contains(address(from));
        self.refused.iter().filter(asked).count() as u64
    }

    /// The addresses of the command's host.
    pub(super) fn own_addresses(&self) -> BTreeSet<&str> {
        let known = self.command.iter().map(String::as_str);
        let of_command = self.all.iter().filter(|(_, one)| one.host == 0);
        let own = of_command.map(|([own, _], _)| address(own));
        known.chain(own).collect()
    }

    /// Each of them.
    fn asked_in_vain(&self) -> Vec<Asked<'_>> {
        let own = self.own_addresses();
        let waits = self.waits.iter();
        let asked = waits.filter(|([from, _], _)| own.contains(address(from)));
        let asked = asked.filter_map(|(ends, waits)| {
            let (from, last) = waits.opening()?;
            let one = self.all.get(ends).filter(|one| one.is_unopened());
            let given_up = one.map(|one| one.last.sample.t);
            Some(Asked {
                to: &ends[1],
                from,
                until: given_up.map_or(last, |then| then.max(last)),
                is_given_up: given_up.is_some(),
            })
        });
        asked.collect()
    }

    /// What is said where nothing else is known of any connection; none where none was asked for in vain.
    pub(super) fn unopened_alone(&self) -> Option<Busiest> {
        let in_vain = self.in_vain()?;
        let none = Watched::default();
        Some(Busiest {
            in_vain: Some(in_vain),
            ..none.counts(0, false, self.holds[0])
        })
    }
}

/// These ends: few one by one, many by their number and the first.
pub(super) fn listed(ends: &[String]) -> String {
    match ends {
        few if few.len() <= FEW => few.join(", "),
        many => format!("{} ends, {} among them", many.len(), many[0]),
    }
}

/// The address of an end, without its port.
pub(super) fn address(end: &str) -> &str {
    end.rsplit_once(':').map_or(end, |(address, _)| address)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use farpath_emu::plane::Turns;
    use farpath_probe::live::{Ended, Snapshot};

    use super::*;
    use crate::lab::seen::ss::read_all;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A request in an accept queue that is full by it, of a connection of 10 s, and two more connections that are asked for one after the other: SYNs
    /// for so long, and they are given up after 3.5 s each, or nobody hears of it.
    fn said(syns: u64, is_answered: bool, is_given_up: bool) -> String {
        let mut connections = Connections::across([500_000; 2]);
        for n in 1..=100 {
            let text = "ESTAB 0 0 198.18.0.1:40000 198.18.0.2:7000\n\t cubic mss:1428 cwnd:10 bytes_sent:200 bytes_acked:200 busy:1ms app_limited\n";
            let mut listed = read_all(at(100 * n), text);
            listed[0].1.end.is_left = false;
            connections.note(at(100 * n), 0, listed);
        }
        for (own, from) in [("198.18.0.1:40001", 200), ("198.18.0.1:40002", 5200)] {
            let ends = [own, "198.18.0.2:7000"].map(|end| end.parse().expect(end));
            let opening = (at(from), at(from + syns));
            connections.take_turns(&Turns {
                opening: (!is_answered).then_some(opening),
                ..Turns::between(ends)
            });
            if is_given_up {
                let ended = Ended {
                    local: ends[0],
                    peer: ends[1],
                    last: Snapshot::default(),
                };
                connections.close(at(from + 3500), 0, &ended);
            }
        }
        let told = connections.told([None, None]).expect("there is one");
        told.of_command(std::time::Duration::from_secs(10), &[])
            .line
    }

    #[test]
    fn a_command_that_asks_for_a_connection_in_vain_is_said() {
        let words = "your command asked for 2 connections to 198.18.0.2:7000 that were never established: nothing answered their SYNs; ";
        let vain = said(3000, false, false);
        let first = format!("for 6.0 s or more {words}what your command sends");
        assert!(vain.starts_with(&first), "{vain}");
        let given_up = said(3000, false, true);
        assert!(
            given_up.starts_with(&format!("for 7.0 s {words}")),
            "{given_up}"
        );
        assert!(!said(3000, true, false).contains("never established"));
    }

    /// For less than half of the time it stands behind what limited the connection.
    #[test]
    fn what_is_asked_for_in_vain_for_a_short_time_is_said_last() {
        let some = said(1000, false, false);
        assert!(some.starts_with("what your command sends"), "{some}");
        let last = "; for 2.0 s or more your command asked for 2 connections to 198.18.0.2:7000 that were never established: nothing answered \
                    their SYNs";
        assert!(some.ends_with(last), "{some}");
        assert!(!said(300, false, false).contains("never established"));
    }

    /// A command whose only connection nobody answers, and that is ended from outside: no kernel says anything of it.
    #[test]
    fn a_connection_of_which_frames_alone_know_is_said() {
        let told = |command: &str| {
            let mut connections = Connections::across([500_000; 2]);
            let command: IpAddr = command.parse().expect("an address");
            connections.take_command([command]);
            let ends = ["198.18.0.1:40001", "198.18.0.2:7000"].map(|end| end.parse().expect(end));
            connections.take_turns(&Turns {
                opening: Some((at(10), at(3010))),
                ..Turns::between(ends)
            });
            connections.told([None, None]).map(|told| told.line)
        };
        let words = "for 3.0 s or more your command asked for a connection to 198.18.0.2:7000 that was never established: nothing answered its SYN";
        assert_eq!(told("198.18.0.1").as_deref(), Some(words));
        assert_eq!(told("198.18.0.9"), None);
    }
}
