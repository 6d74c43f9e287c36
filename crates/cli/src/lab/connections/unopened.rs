//! Connections that were asked for and never opened, beside one that had nothing to send meanwhile.

use std::collections::BTreeSet;

use farpath_observe::Limit;
use farpath_units::{Duration, Time};

use super::{Connections, Watched};
use crate::lab::cause::Cause;
use crate::lab::sender::SENDERS;

/// A shorter time is not named.
const NAMED: Duration = Duration::from_secs(1);

impl Connections {
    /// How long the command asked for other connections in vain while `one` of its own had nothing to send, in words; empty where that is not its
    /// largest cause, or that was short.
    pub(super) fn unopened_meanwhile(&self, one: &Watched, cause: Option<Cause>) -> String {
        let is_idle = cause == Some(Cause::Limit(Limit::Application));
        let asked = self.asked_in_vain([one.begun(), one.last.sample.t]);
        match is_idle && one.host == 0 && asked >= NAMED {
            true => format!(
                "; for {:.1} s of it or more, {} asked for another connection that was never opened",
                asked.as_secs_f64(),
                SENDERS[0]
            ),
            false => String::new(),
        }
    }

    /// Time between two instants in which the command's host had asked for a connection, and nothing had answered when it asked last.
    fn asked_in_vain(&self, [begun, end]: [Time; 2]) -> Duration {
        let of_command = self.all.iter().filter(|(_, one)| one.host == 0);
        let own: BTreeSet<&str> = of_command.map(|([own, _], _)| address(own)).collect();
        let waits = self.waits.iter();
        let waits = waits.filter(|([from, _], _)| own.contains(address(from)));
        let times = waits.filter_map(|(_, waits)| waits.opening());
        let mut times: Vec<(Time, Time)> = times
            .map(|(from, to)| (from.max(begun), to.min(end)))
            .collect();
        times.sort_unstable();
        let (mut until, mut sum) = (begun, Duration::ZERO);
        for (from, to) in times {
            sum += to.since(from.max(until));
            until = until.max(to);
        }
        sum
    }
}

/// The address of an end, without its port.
fn address(end: &str) -> &str {
    end.rsplit_once(':').map_or(end, |(address, _)| address)
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::Turns;

    use super::*;
    use crate::lab::seen::ss::read_all;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A request in an accept queue that is full by it, and two more connections that are asked for one after the other, for 3 s each.
    #[test]
    fn a_command_that_asks_for_a_connection_in_vain_is_said() {
        let said = |answered: bool| {
            let mut connections = Connections::across([500_000; 2]);
            for n in 1..=100 {
                let text = "ESTAB 0 0 198.18.0.1:40000 198.18.0.2:7000\n\t cubic mss:1428 cwnd:10 bytes_sent:200 bytes_acked:200 busy:1ms app_limited\n";
                let listed = read_all(at(100 * n), text);
                connections.note(at(100 * n), 0, listed);
            }
            for (own, from) in [("198.18.0.1:40001", 200), ("198.18.0.1:40002", 5200)] {
                let ends = [own, "198.18.0.2:7000"].map(|end| end.parse().expect(end));
                let opening = (at(from), at(from + 3000));
                connections.take_turns(&Turns {
                    opening: (!answered).then_some(opening),
                    ..Turns::between(ends)
                });
            }
            connections.told([None, None]).expect("there is one").line
        };
        let vain = said(false);
        let words = "; for 6.0 s of it or more, your command asked for another connection that was never opened; ";
        assert!(vain.contains(words), "{vain}");
        assert!(vain.contains("your command limited it"), "{vain}");
        assert!(!said(true).contains("never opened"));
    }
}
