//! That the other side had all at the end, and sent nothing back, beside what limited a connection.
//!
//! Frames do not say who waited for whom then: a client that waits for the rest of an answer has sent as little as one that has all it wants.
//! What the command's program slept in says it.

use farpath_observe::Limit;
use farpath_units::{Duration, Time};

use super::Watched;
use crate::lab::cause::Cause;
use crate::lab::sender::SENDERS;
use crate::lab::waits::Waits;

/// A pause at the end, in which the other side had all of it and sent nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Silence {
    from: Time,
    until: Time,
    /// The command's program slept until something came; none where nobody saw what it slept in.
    is_awaited: Option<bool>,
}

impl Silence {
    /// Of a connection that ends at an instant, and the command's end of it; none where the pause is too short to be named.
    pub(super) fn of(waits: &Waits, end: Time, command: Option<&Watched>) -> Option<Silence> {
        let (from, until) = waits.pause(end)?;
        Some(Silence {
            from,
            until,
            is_awaited: command.and_then(|command| command.awaited(from, until)),
        })
    }

    /// What the end of a host that has this number waited for, where it is known whether the command waited meanwhile.
    pub(super) fn judges(&self, host: usize, waits: &Waits) -> Waits {
        match (self.is_awaited, host) {
            (Some(true), 0) => waits.with_closing(self.time()),
            // Nobody was waited for.
            (Some(true), _) | (Some(false), 0) => waits.with_closing(Duration::ZERO),
            _ => *waits,
        }
    }

    fn time(&self) -> Duration {
        self.until.since(self.from)
    }

    /// In words, beside what a host that has this number sends, and a cause of it; none where the pause says nothing of that.
    fn words(&self, host: usize, cause: Cause) -> Option<String> {
        let [command, server] = SENDERS;
        let other = SENDERS[1 - host];
        let had = format!(
            "for the last {:.1} s {other} had all of it and sent nothing back",
            self.time().as_secs_f64()
        );
        let for_whom = ["for that", "for more"][host];
        let unknown = format!(
            "{had}; whether {command} waited {for_whom} is unknown: nobody saw what it slept in"
        );
        match (cause, self.is_awaited, host) {
            (Cause::Limit(Limit::Application), Some(true), 1) => {
                Some(format!("{had}: it waited for more of {server}"))
            }
            (Cause::Limit(Limit::Application), Some(false), _) | (Cause::Other, Some(true), 0) => {
                Some(had)
            }
            (Cause::Limit(Limit::Application), None, _) | (Cause::Other, None, 1) => Some(unknown),
            _ => None,
        }
    }
}

impl Watched {
    /// What a cause did, and that nothing came back at the end, where that is most of its time.
    pub(super) fn with_silence(&self, cause: (Cause, f64), silence: Option<Silence>) -> String {
        let is_most = |silence: &Silence| {
            2.0 * silence.time().as_secs_f64() >= cause.1 * self.time().as_secs_f64()
        };
        let silence = silence.filter(is_most);
        match silence.and_then(|silence| silence.words(self.host, cause.0)) {
            Some(words) => format!("{}; {words}", self.limited(cause)),
            None => self.limited(cause),
        }
    }

    /// Whether its program slept until something came, in half of the samples between two instants or more that say it; none where none does.
    fn awaited(&self, from: Time, until: Time) -> Option<bool> {
        let samples = self.samples.iter().zip(&self.ends);
        let within = samples.filter(|(sample, _)| (from..=until).contains(&sample.t));
        let seen: Vec<bool> = within.filter_map(|(_, end)| end.awaits).collect();
        let waited = seen.iter().filter(|awaits| **awaits).count();
        (!seen.is_empty()).then_some(2 * waited >= seen.len())
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::Turns;

    use super::*;
    use crate::lab::connections::Connections;
    use crate::lab::seen::ss::read_all;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A connection of 3 s whose sender, of this host, sends 64 B at its start, by samples of both ends each 100 ms: the command's program
    /// `awaits` data in them, or not, or nobody sees it.
    fn told(host: usize, awaits: Option<bool>, turns: impl Fn(Turns) -> Turns) -> String {
        let mut connections = Connections::across([500_000; 2]);
        let ends = ["198.18.0.1:40000", "198.18.0.2:7000"];
        for n in 1..=30 {
            for own in [0, 1] {
                let sent = if own == host { 64 } else { 0 };
                let text = format!(
                    "ESTAB 0 0 {} {}\n\t cubic mss:1428 cwnd:10 bytes_sent:{sent} bytes_acked:{sent} busy:1ms app_limited\n",
                    ends[own],
                    ends[1 - own]
                );
                let mut listed = read_all(at(100 * n), &text);
                listed[0].1.end.awaits = awaits.filter(|_| own == 0);
                connections.note(at(100 * n), own, listed);
            }
        }
        let none = Turns::between(ends.map(|end| end.parse().expect(end)));
        connections.take_turns(&turns(none));
        let told = connections.told([None, None]);
        told.expect("there is one").line
    }

    /// A server that takes a request and keeps it: the client gives up, and the server is ended behind it.
    #[test]
    fn a_command_that_sleeps_in_a_read_waits_for_a_silent_server() {
        let said = |awaits| {
            told(0, awaits, |none| Turns {
                unanswered: Some((0, at(150))),
                closed: [2950, 2970].map(|ms| Some(at(ms))),
                ..none
            })
        };
        let silence = "for the last 2.8 s the server had all of it and sent nothing back";
        let waited = said(Some(true));
        assert!(
            waited.contains("your command waited for the server 9"),
            "{waited}"
        );
        assert!(waited.contains(silence), "{waited}");
        let idle = said(Some(false));
        assert!(idle.contains("your command limited it"), "{idle}");
        assert!(idle.contains(silence), "{idle}");
        assert!(!idle.contains("unknown"), "{idle}");
        let unseen = said(None);
        assert!(
            unseen.contains("whether your command waited for that is unknown"),
            "{unseen}"
        );
    }

    /// A server that stalls in the middle of an answer, and a client that closes at last: one that waits for the rest, or thinks.
    #[test]
    fn a_command_that_waits_for_the_rest_of_an_answer_keeps_nobody_waiting() {
        let said = |awaits| {
            told(1, awaits, |none| Turns {
                closing: [2800, 0].map(Duration::from_ms),
                closed: [Some(at(2950)), None],
                ..none
            })
        };
        let stalled = said(Some(true));
        assert!(stalled.contains("the server limited it"), "{stalled}");
        assert!(
            stalled.contains(": it waited for more of the server"),
            "{stalled}"
        );
        let idle = said(Some(false));
        assert!(
            idle.contains("the server waited for your command 9"),
            "{idle}"
        );
        let unseen = said(None);
        assert!(
            unseen.contains("whether your command waited for more is unknown"),
            "{unseen}"
        );
    }

    /// A server that works on a request, and closes without a word.
    #[test]
    fn the_time_before_a_server_closes_without_an_answer_is_its_own() {
        let said = |awaits| {
            told(0, awaits, |none| Turns {
                closing: [0, 2800].map(Duration::from_ms),
                closed: [None, Some(at(2950))],
                ..none
            })
        };
        let unseen = said(None);
        assert!(
            unseen.contains("your command waited for the server 9"),
            "{unseen}"
        );
        assert!(!unseen.contains("unknown"), "{unseen}");
        let idle = said(Some(false));
        assert!(idle.contains("your command limited it"), "{idle}");
        assert!(!idle.contains("waited for the server"), "{idle}");
    }
}
