//! Turns at equal times, as a timer has them, beside what limited a connection: neither the path nor the other side was waited for meanwhile.
//! And pings, which nobody asks with, and waits for a window of the other program.

use farpath_observe::Limit;
use farpath_record::count_of;

use super::Watched;
use crate::lab::cause::Cause;
use crate::lab::sender::SENDERS;
use crate::lab::waits::Waits;

impl Watched {
    /// That most of its largest cause is time before turns at equal times, how many pings were sent, and how it waited for windows, in words; empty
    /// where none of that is so.
    pub(super) fn at_times(&self, waits: Option<&Waits>, largest: Option<(Cause, f64)>) -> String {
        let Some(waits) = waits else {
            return String::new();
        };
        let by_timer = largest.and_then(|largest| self.by_timer(waits, largest));
        let pings = match waits.pings.times {
            0 => String::new(),
            n => format!(
                "; {}, which count for no request",
                count_of(n, "ping", "pings")
            ),
        };
        by_timer.unwrap_or_default()
            + &pings
            + &waits.for_windows(self.time(), self.in_flight_max())
    }

    /// That most of a cause is time before turns at equal times, in words; none where that is not so.
    fn by_timer(&self, waits: &Waits, (cause, share): (Cause, f64)) -> Option<String> {
        let who = match cause {
            Cause::Limit(Limit::Application) | Cause::Asked => 0,
            Cause::Other => 1,
            _ => return None,
        };
        let beat = waits.beats[who];
        let paused = beat.paused.saturating_sub(beat.pinged).as_secs_f64();
        let turns = beat.turns.saturating_sub(beat.pings);
        let is_most = 2.0 * paused >= share * self.time().as_secs_f64();
        let [command, server] = SENDERS;
        let mean = |all: f64| all / turns.max(1) as f64;
        // Between so many turns of a row lies one time less.
        let apart = beat.turns.saturating_sub(beat.rows).max(1) as f64;
        let all = beat.spanned.as_secs_f64() * beat.turns as f64 / apart;
        let said = match [self.host, 1 - self.host][who] {
            0 => format!(
                "; {turns} requests of {command} came at equal times, one each {:.2} s, as by a timer: for {paused:.1} s of that it waited neither for \
                 the path nor for {server}",
                mean(all)
            ),
            _ => format!(
                "; {server} sent {turns} times at equal times, {:.2} s after what {command} had sent, as by a timer or by the same work",
                mean(paused)
            ),
        };
        (turns > 0 && is_most).then_some(said)
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::{Beat, Pings, Turns};
    use farpath_units::{Duration, Time};

    use crate::lab::connections::Connections;
    use crate::lab::seen::ss::read_all;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// What is said of 10 s of a connection, of which the host that has this number sends most, and whose turns are `as_seen`.
    fn said(host: usize, as_seen: impl Fn(Turns) -> Turns) -> String {
        let mut connections = Connections::across([500_000; 2]);
        let ends = ["198.18.0.1:40000", "198.18.0.2:7000"];
        let [own, peer] = [ends[host], ends[1 - host]];
        for n in 1..=100 {
            let text = format!(
                "ESTAB 0 0 {own} {peer}\n\t cubic mss:1428 cwnd:10 bytes_sent:{n}000 bytes_acked:{n}000 busy:{n}ms app_limited\n"
            );
            connections.note(at(100 * n), host, read_all(at(100 * n), &text));
        }
        let none = Turns::between(ends.map(|end| end.parse().expect(end)));
        connections.take_turns(&as_seen(Turns {
            begun: Some(at(100)),
            span: Duration::from_ms(9900),
            ..none
        }));
        connections.told([None, None]).expect("there is one").line
    }

    /// Nine turns of an end, a second after what they answer.
    fn each_second(end: usize) -> impl Fn(Turns) -> Turns {
        move |none| {
            let mut turns = Turns {
                way: Duration::from_ms(900),
                ..none
            };
            turns.at[end] = Duration::from_secs(9);
            turns.beats[end] = Beat {
                turns: 9,
                paused: Duration::from_secs(9),
                spanned: Duration::from_ms(8800),
                rows: 1,
                ..Beat::default()
            };
            turns
        }
    }

    #[test]
    fn a_command_that_asks_by_a_timer_is_said() {
        let words = "; 9 requests of your command came at equal times, one each 1.10 s, as by a timer: for 9.0 s of that it waited neither for the \
                     path nor for the server; ";
        let own = said(0, each_second(0));
        assert!(own.contains("your command limited it"), "{own}");
        assert!(own.contains(words), "{own}");
        let other = said(1, each_second(0));
        assert!(
            other.contains("the server waited for your command"),
            "{other}"
        );
        assert!(other.contains(words), "{other}");
        // At times of its own.
        let at_will = said(0, |none| Turns {
            beats: Default::default(),
            ..each_second(0)(none)
        });
        assert!(!at_will.contains("timer"), "{at_will}");
    }

    #[test]
    fn a_server_that_answers_after_an_equal_time_is_said() {
        let slow = said(0, each_second(1));
        assert!(
            slow.contains("your command waited for the server"),
            "{slow}"
        );
        let words = "; the server sent 9 times at equal times, 1.00 s after what your command had sent, as by a timer or by the same work; ";
        assert!(slow.contains(words), "{slow}");
    }

    /// Pings each second, and nothing else.
    #[test]
    fn pings_make_neither_side_the_cause() {
        for host in [0, 1] {
            let said = said(host, |none| Turns {
                pings: Pings {
                    times: 9,
                    quiet: Duration::from_secs(9),
                },
                ..none
            });
            assert!(said.contains(": neither side asked for anything"), "{said}");
            assert!(
                said.contains("; 9 pings, which count for no request; "),
                "{said}"
            );
            assert!(!said.contains("limited it"), "{said}");
        }
    }
}
