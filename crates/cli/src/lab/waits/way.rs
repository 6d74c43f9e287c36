//! How much of a connection's time its round trips took, the server and the command's own pauses, where samples are too few to say what limited it.

use farpath_emu::plane::Windows;
use farpath_units::{Duration, Time};

use super::{SET_UP_LEAST, Waits};
use crate::lab::sender::SENDERS;

/// A smaller part of the time in which a part of a message was on the way is not named.
const HANDED_LEAST: f64 = 0.1;

/// Nor is a smaller part beside others.
const PART_LEAST: f64 = 0.1;

/// Waits for a window are named that came so often, and took this part of the time.
const WINDOWS_LEAST: u64 = 3;
const WINDOW_PART: f64 = 0.05;

/// Bytes in flight that fill the window with which a stream and a connection of HTTP/2 begin (RFC 9113 §6.9.2), with what frames and records add.
const FIRST_WINDOW: [u64; 2] = [55_700, 70_800];

impl Waits {
    /// That this end waited for a window of the other side's program within what it sent, in words, of a connection's `time` with at most so many
    /// bytes in flight; empty where that is little. What is ciphered has to fill the window that HTTP/2 begins with.
    pub(in crate::lab) fn for_windows(&self, time: Duration, in_flight: u64) -> String {
        let Windows {
            times,
            waited,
            by_length,
        } = self.windows;
        let share = waited.as_secs_f64() / self.all(time);
        let fills = (FIRST_WINDOW[0]..=FIRST_WINDOW[1]).contains(&in_flight);
        let (of, known) = match by_length {
            true => (
                "the window with which HTTP/2 begins, 65535 B,",
                ", as lengths of records of TLS and what was in flight say",
            ),
            false => ("a window of HTTP/2", ""),
        };
        match times >= WINDOWS_LEAST && share >= WINDOW_PART && (fills || !by_length) {
            true => format!(
                "; {times} times it had sent what {of} let it, and waited for a word of the other side in the middle of an answer, {:.0} % of \
                 the time{known}: a larger window in the other program spares that",
                100.0 * share
            ),
            false => String::new(),
        }
    }

    /// That the command waited for the server for half of a connection's `time` or more, in words; where this is the end of a host that has
    /// this number.
    pub(in crate::lab) fn served(&self, host: usize, time: Duration) -> Option<String> {
        let share = self.of_server(host) / self.all(time);
        let [command, server] = SENDERS;
        (2.0 * share >= 1.0).then(|| {
            format!(
                "{command} waited for {server} {:.0} % of the time",
                100.0 * share
            )
        })
    }

    /// That the command's program paused within what it sent for half of a connection's `time` or more, in words: a header and then a body, say, behind a
    /// wait for `100 Continue`. This is the end of a host that has this number.
    pub(in crate::lab) fn command_paused(&self, host: usize, time: Duration) -> Option<String> {
        let paused = match host {
            0 => self.paused,
            _ => self.asking.paused,
        };
        let share = paused.as_secs_f64() / self.all(time);
        (2.0 * share >= 1.0).then(|| {
            format!(
                "{} paused for {:.0} % of the time within what it sent, and the server had not answered",
                SENDERS[0],
                100.0 * share
            )
        })
    }

    /// That half of a connection's time or more went by while it was set up, and while a request or an answer was on the way, in words: of a `time` that
    /// ends at an instant, where this is the end of a host that has this number.
    pub(in crate::lab) fn on_the_way(&self, end: (usize, Time), time: Duration) -> Option<String> {
        // When something was to come.
        let left = (1.0 - self.gone(end, time)).max(0.0) * self.all(time);
        let set_up = self.set_up.unwrap_or_default().as_secs_f64();
        let handed = self.handed();
        let way = (self.way + self.landing + self.overlap.way).as_secs_f64() + handed;
        let all = set_up + left.max(way);
        let percent = |part: f64| format!("{:.0} % of the time", 100.0 * part / all);
        let opening = match set_up >= SET_UP_LEAST * all {
            true => format!("setting it up took {}, and ", percent(set_up)),
            false => String::new(),
        };
        let growth = match handed >= HANDED_LEAST * all {
            true => format!(
                ", for {:.0} % before all of it had left, as while a window grows or a link carries it",
                100.0 * handed / all
            ),
            false => String::new(),
        };
        (way > 0.0 && 2.0 * (set_up + way) >= all).then(|| {
            format!(
                "{opening}a request or an answer was on the way for {}{growth}",
                percent(way)
            )
        })
    }

    /// What shares of a connection's `time` frames say, in words, where none of them is half of it: of a link that this end filled, of the command, which had
    /// all that was sent to it, and of the server. None where they are less than half together. This is the end of a host that has this number.
    pub(in crate::lab) fn parts(&self, host: usize, time: Duration) -> Option<String> {
        let [command, server] = SENDERS;
        let paused = match host {
            0 => self.own + self.paused,
            _ => self.other + self.asking.paused,
        };
        let [line, _] = self.lines;
        let mut parts = [
            (
                line.all.as_secs_f64(),
                format!("{} was full", self.filled()),
            ),
            (
                paused.as_secs_f64(),
                format!("{command} had all that was sent to it and asked for nothing"),
            ),
            (
                self.of_server(host),
                format!("{command} waited for {server}"),
            ),
        ];
        parts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let all = self.all(time);
        let shares = parts.iter().map(|(part, words)| (part / all, words));
        let named: Vec<(f64, &String)> = shares.filter(|(s, _)| *s >= PART_LEAST).collect();
        let sum: f64 = named.iter().map(|(share, _)| share).sum();
        let said = named
            .iter()
            .map(|(share, words)| format!("{words} {:.0} % of the time", 100.0 * share));
        let said: Vec<String> = said.collect();
        (2.0 * sum >= 1.0).then(|| said.join(", and "))
    }

    /// How long the connection of a command that has this end took to be set up, how long a request or an answer was on the way, without what filled a
    /// link for a round trip or longer, and how long the server had a request, seconds.
    pub(in crate::lab) fn spent(&self) -> [f64; 3] {
        let set_up = self.set_up.unwrap_or_default();
        let way = self.way + self.landing + self.overlap.way;
        let line = self.lines[0].all + self.lines[1].all;
        let handed = (self.handed() - line.as_secs_f64()).max(0.0);
        [
            set_up.as_secs_f64(),
            way.as_secs_f64() + handed,
            self.of_server(0),
        ]
    }

    /// How long a part of messages of either end was on the way before all of it had left, and no small write was what waited, seconds.
    fn handed(&self) -> f64 {
        let of = |who: usize| self.handed[who].saturating_sub(self.held[who].unwrap_or_default());
        (of(0) + of(1)).as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::{Handing, OnLine, Turns};

    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A set-up of 800 ms, a request and an answer, 400 ms each way, of which the answer takes so much longer to leave.
    fn turns(handed: u64) -> Turns {
        let ends = ["198.18.0.1:40000", "198.18.0.2:7000"].map(|end| end.parse().expect(end));
        Turns {
            begun: Some(at(800)),
            span: Duration::from_ms(800 + handed),
            way: Duration::from_ms(400),
            landing: [400, 0].map(Duration::from_ms),
            handing: [
                Handing::default(),
                Handing {
                    way: Duration::from_ms(handed),
                    ..Handing::default()
                },
            ],
            done: [Some(at(1600 + handed)), None],
            set_up: Some(Duration::from_ms(800)),
            ..Turns::between(ends)
        }
    }

    #[test]
    fn round_trips_are_half_of_the_time_or_more() {
        let time = Duration::from_ms(1600);
        let said = Waits::of(&turns(0), 0).on_the_way((0, at(2400)), time);
        let words = "setting it up took 50 % of the time, and a request or an answer was on the way for 50 % of the time";
        assert_eq!(said.as_deref(), Some(words));
        let idle = Waits::of(&turns(0), 0).on_the_way((0, at(9600)), Duration::from_ms(16_000));
        assert_eq!(idle, None);
    }

    /// Six answers, one each second, of which each fills a link for 0.4 s: the command sleeps for the rest, in which nothing is on the way.
    #[test]
    fn parts_that_are_half_of_the_time_together_are_said() {
        let said = |paused: u64| {
            let turns = Turns {
                span: Duration::from_secs(6),
                at: [paused, 100].map(Duration::from_ms),
                lines: [
                    OnLine::default(),
                    OnLine {
                        all: Duration::from_ms(2400),
                        ..OnLine::default()
                    },
                ],
                ..turns(0)
            };
            Waits::of(&turns, 1).parts(1, Duration::from_secs(6))
        };
        let words = "a link of the path was full 40 % of the time, and your command had all that was sent to it and asked for nothing 33 % of the time";
        assert_eq!(said(2000).as_deref(), Some(words));
        assert_eq!(said(200), None);
    }

    /// A header, a second, and then the body, by the frames of both ends.
    #[test]
    fn a_pause_within_a_request_is_the_commands() {
        let pausing = Handing {
            paused: Duration::from_ms(1000),
            ..Handing::default()
        };
        let turns = Turns {
            span: Duration::from_ms(1400),
            handing: [pausing, Handing::default()],
            ..turns(0)
        };
        for end in [0, 1] {
            let waits = Waits::of(&turns, end);
            let said = waits.command_paused(end, Duration::from_ms(1400));
            assert!(
                said.is_some_and(|said| said.contains("paused for 71 %")),
                "{end}"
            );
            assert_eq!(waits.served(end, Duration::from_ms(1400)), None);
            let server = waits.command_paused(1 - end, Duration::from_ms(1400));
            assert_eq!(server, None, "{end}");
        }
    }

    #[test]
    fn waits_for_a_window_of_the_other_program_are_named() {
        let said = |times: u64, by_length: bool, in_flight: u64| {
            let windows = Windows {
                times,
                waited: Duration::from_ms(40 * times),
                by_length,
            };
            let turns = Turns {
                windows: [Windows::default(), windows],
                ..turns(0)
            };
            let of =
                |end: usize| Waits::of(&turns, end).for_windows(Duration::from_ms(1600), in_flight);
            [of(0), of(1)]
        };
        let [command, server] = said(20, false, 1_000_000);
        assert!(server.starts_with("; 20 times it had sent"), "{server}");
        assert!(server.contains("in the middle of an answer, 50 % of the time"));
        assert_eq!(command, "");
        assert_eq!(said(2, false, 66_000), ["", ""]);
        // Ciphered, it may have been requests for what is no longer than they let expect.
        let [_, server] = said(20, true, 66_000);
        let words =
            "50 % of the time, as lengths of records of TLS and what was in flight say: a larger";
        assert!(server.contains(words), "{server}");
        assert_eq!(said(20, true, 20_000), ["", ""]);
    }

    #[test]
    fn an_answer_that_waits_for_its_window_is_on_the_way() {
        let said = Waits::of(&turns(1600), 0).on_the_way((0, at(3200)), Duration::from_ms(2400));
        let words = "setting it up took 25 % of the time, and a request or an answer was on the way for 75 % of the time, for 50 % before all of it \
                     had left, as while a window grows or a link carries it";
        assert_eq!(said.as_deref(), Some(words));
        // Of all connections of a command it counts as well.
        let spent = Waits::of(&turns(1600), 0).spent();
        assert_eq!(spent.map(|s| (s * 1e3).round()), [800.0, 2400.0, 0.0]);
    }
}
