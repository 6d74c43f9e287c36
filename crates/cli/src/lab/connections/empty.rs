//! Connections that the command opened and on which neither side sent anything, as health checks do: all of their time is their set-up.

use std::collections::BTreeSet;

use farpath_units::Duration;

use super::Connections;
use super::unopened::{address, listed};
use crate::lab::sender::SENDERS;

/// Fewer are not named.
const LEAST: u64 = 5;

/// What they came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::lab) struct Empty {
    connections: u64,
    /// Time until they were set up, of all, seconds.
    pub(in crate::lab) seconds: f64,
    /// The ends that the command opened them to.
    to: Vec<String>,
}

impl Empty {
    /// In words, with the part of the time of a command that ran for so many seconds, where that is known and they were opened one after another.
    pub(in crate::lab) fn words(&self, took_s: Option<f64>) -> String {
        let [command, _] = SENDERS;
        let to = listed(&self.to);
        let share = took_s.map(|took| self.seconds / took.max(f64::MIN_POSITIVE));
        let share = share.filter(|share| *share <= 1.0);
        let share = share.map_or(String::new(), |share| {
            format!(", {:.0} % of the command's time", 100.0 * share)
        });
        format!(
            "{command} opened {} connections to {to} that carried nothing: setting them up, a round trip each, took {:.2} s in all{share}",
            self.connections, self.seconds
        )
    }
}

impl Connections {
    /// Connections of the command that carried nothing; none where they are few.
    pub(super) fn empty(&self) -> Option<Empty> {
        let own = self.own_addresses();
        let waits = self.waits.iter();
        let of_command = waits.filter(|([from, _], _)| own.contains(address(from)));
        let empty = of_command.filter_map(|([_, to], waits)| Some((to.as_str(), waits.empty()?)));
        let empty: Vec<(&str, Duration)> = empty.collect();
        let to: BTreeSet<&str> = empty.iter().map(|(to, _)| *to).collect();
        let connections = empty.len() as u64;
        (connections >= LEAST).then(|| Empty {
            connections,
            seconds: empty.iter().map(|(_, took)| took.as_secs_f64()).sum(),
            to: to.into_iter().map(str::to_owned).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::Turns;
    use farpath_units::Time;

    use super::*;
    use crate::lab::seen::Seen;

    /// So many connections that the command opens, 80 ms away, and closes at once; the server refuses them, or takes them.
    fn said(count: u16, is_refused: bool) -> String {
        let at = |ms| Time::ZERO + Duration::from_ms(ms);
        let mut connections = Connections::across([1000; 2]);
        for n in 0..count {
            let t = 80 * u64::from(n);
            let own = format!("198.18.0.1:{}", 40_000 + n);
            let ends = [own, "198.18.0.2:7000".to_owned()];
            connections.note(at(t), 0, [(ends.clone(), Seen::default())]);
            connections.take_turns(&Turns {
                set_up: Some(Duration::from_ms(80)),
                closed: [Some(at(t + 80)), Some(at(t + 120))],
                reset: [None, is_refused.then(|| at(t + 40))],
                ..Turns::between(ends.map(|end| end.parse().expect("an end")))
            });
        }
        connections.told([None, None]).expect("there is one").line
    }

    #[test]
    fn connections_that_carry_nothing_are_their_set_up() {
        let words = "your command opened 20 connections to 198.18.0.2:7000 that carried nothing: setting them up, a round trip each, took 1.60 s in \
                     all";
        let probed = said(20, false);
        assert!(probed.ends_with(words), "{probed}");
        assert!(!probed.contains("samples"), "{probed}");
        assert!(!said(20, true).contains("carried nothing"));
        assert!(!said(4, false).contains("carried nothing"));
        let empty = Empty {
            connections: 20,
            seconds: 1.6,
            to: vec!["198.18.0.2:7000".to_owned()],
        };
        let part = empty.words(Some(2.0));
        assert!(
            part.ends_with(" in all, 80 % of the command's time"),
            "{part}"
        );
        assert!(empty.words(Some(0.4)).ends_with("s in all"), "side by side");
    }
}
