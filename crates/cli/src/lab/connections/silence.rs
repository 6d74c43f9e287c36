//! That the other side had all at the end, and sent nothing back, beside what limited a connection.
//!
//! Frames do not say who waited for whom then: a client that waits for the rest of an answer has sent as little as one that has all it wants.
//! What the command's program slept in says it.

use farpath_observe::Limit;
use farpath_units::{Duration, Time};

use super::unopened::address;
use super::{Connections, Watched, turned};
use crate::lab::cause::Cause;
use crate::lab::ending::Ending;
use crate::lab::seen::End;
use crate::lab::sender::SENDERS;
use crate::lab::unheard::Unheard;
use crate::lab::waits::Waits;

/// A timer that fires within one part in so many of a pause has not ended it.
const TIMERS: u64 = 2;

/// Why it is not known whether the command waited in a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// What its program slept in was not seen.
    Unseen,
    /// No sample was taken in it.
    TooShort,
    /// It slept until something came, or a timer of its own fired.
    Timer,
    /// It slept in a loop, and had not asked for anything that was missing.
    Loop,
}

impl Why {
    fn words(self) -> &'static str {
        match self {
            Why::Unseen => "nobody saw what it slept in",
            Why::TooShort => "the run was too short to see what it slept in",
            Why::Timer => {
                "it slept until something came or a timer of its own fired, and its own log says which it waited for"
            }
            Why::Loop => {
                "it slept in `epoll_wait`, which anything may end, and its own log says what it waited for"
            }
        }
    }
}

/// What came before a pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// All that the end sent, which the other one had.
    All,
    /// The same of a server that closed the idle connection behind it.
    Idle,
    /// The same, and one record of the server that may be a ticket of TLS.
    Ticket,
    /// A request to the server, which it had.
    Request,
    /// Several requests, one after another, to which the server sent nothing back.
    Requests,
}

/// A pause at the end, in which one side had all that was sent to it and sent nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Silence {
    from: Time,
    until: Time,
    before: Before,
    /// Whether the command's program slept until something came.
    awaited: Result<bool, Why>,
    /// The command closed then.
    is_cut: bool,
}

impl Silence {
    /// Of a connection that ends at an instant, whose end of a host that has this number waits so, and the command's end of it. None where the
    /// pause is too short to be named.
    fn of((host, waits): (usize, &Waits), end: Time, command: Option<&Watched>) -> Option<Silence> {
        if let Some(silence) = Silence::of_several((host, waits), end, command) {
            return Some(silence);
        }
        let idle = waits.idle_pause().filter(|_| host == 1);
        let idle = idle.map(|pause| (pause, Before::Idle));
        let all = waits.pause(end).map(|pause| (pause, Before::All));
        let more = match host {
            0 => waits.ticketed_pause(end).map(|p| (p, Before::Ticket)),
            _ => waits.asked_pause(end).map(|p| (p, Before::Request)),
        };
        let ((from, until), before) = idle.or(all).or(more)?;
        // Who asked waits for the answer, whatever else may come.
        let is_asked = match before {
            Before::All => host == 0 && waits.is_unanswered(),
            Before::Idle => false,
            Before::Ticket | Before::Request | Before::Requests => true,
        };
        let awaited = command.map(|command| command.awaited((from, until), is_asked));
        let awaited = awaited.unwrap_or(Err(Why::TooShort));
        // One record may have been the answer, and who has closed may have said no more than that.
        let is_known = match before {
            Before::All | Before::Idle => true,
            Before::Ticket => awaited == Ok(true),
            Before::Request | Before::Requests => {
                awaited == Ok(true) || (awaited.is_err() && waits.is_other_open())
            }
        };
        is_known.then_some(Silence {
            from,
            until,
            before,
            awaited,
            is_cut: false,
        })
    }

    /// The same behind several requests without an answer, as of a client with a timeout that asks again: where its program slept until something
    /// came between them as well. One that sends a stream by itself sleeps in something else.
    fn of_several(
        (host, waits): (usize, &Waits),
        end: Time,
        command: Option<&Watched>,
    ) -> Option<Silence> {
        let [from, last, until] = waits.unheard_pause(host, end)?;
        let command = command?;
        let parts = [(from, last), (from, until)];
        let awaits = |part: &(Time, Time)| command.awaited(*part, true) == Ok(true);
        parts.iter().all(awaits).then_some(Silence {
            from,
            until,
            before: Before::Requests,
            awaited: Ok(true),
            is_cut: false,
        })
    }

    /// The same until the command closed at an instant, where it waited until then: what comes later keeps nobody waiting.
    fn until_closed(self, closed: Option<Time>) -> Silence {
        let is_within = |closed: &Time| (self.from..self.until).contains(closed);
        let closed = closed.filter(|_| self.awaited == Ok(true));
        match closed.filter(is_within) {
            Some(until) => Silence {
                until,
                is_cut: true,
                ..self
            },
            None => self,
        }
    }

    /// The same of a request that a command gave up sooner, one of many.
    fn given_up(host: usize, pause: (Time, Time), command: Option<&Watched>) -> Silence {
        let (from, until) = pause;
        let awaited = command.map(|command| command.awaited(pause, true));
        Silence {
            from,
            until,
            before: match host {
                0 => Before::All,
                _ => Before::Request,
            },
            awaited: awaited.unwrap_or(Err(Why::TooShort)),
            is_cut: false,
        }
    }

    /// What the end of a host that has this number waited for, where it is known whether the command waited meanwhile.
    pub(super) fn judges(&self, host: usize, waits: &Waits) -> Waits {
        match (self.awaited, host) {
            (Ok(true), 0) if self.is_cut => waits.with_closing(self.time()).over_at(self.until),
            (Ok(true), 0) => waits.with_closing(self.time()),
            (Ok(false), 1) if self.before == Before::Idle => waits.with_closing(self.time()),
            // Nobody was waited for.
            (Ok(true), _) | (Ok(false), 0) => waits.with_closing(Duration::ZERO),
            _ => *waits,
        }
    }

    fn time(&self) -> Duration {
        self.until.since(self.from)
    }

    /// Whether it is behind a request to the server.
    fn is_of_request(&self) -> bool {
        matches!(self.before, Before::Request | Before::Requests)
    }

    /// What it makes of the last request of the command, which has no answer where it `is_unanswered`: else the server closed.
    fn unheard(&self, is_unanswered: bool) -> Unheard {
        let seconds = self.time().as_secs_f64();
        match self.awaited {
            Ok(true) => Unheard::Awaited {
                seconds,
                is_unanswered,
            },
            Ok(false) => Unheard::Nothing,
            Err(why) if is_unanswered => Unheard::Unknown(seconds, why.words()),
            // The server worked on it before it closed.
            Err(_) => Unheard::Awaited {
                seconds,
                is_unanswered,
            },
        }
    }

    /// In words, beside what a host that has this number sends, and a cause of it; none where the pause says nothing of that.
    fn words(&self, host: usize, cause: Cause) -> Option<String> {
        let [command, server] = SENDERS;
        let other = SENDERS[1 - host];
        let last = format!("for the last {:.1} s", self.time().as_secs_f64());
        let had = match self.before {
            Before::All => format!("{last} {other} had all of it and sent nothing back"),
            Before::Idle => format!(
                "for {:.1} s {other} had all of it and sent nothing back, until {server} closed the connection",
                self.time().as_secs_f64()
            ),
            Before::Ticket => format!(
                "{last} {other} had all of it and sent nothing back but one record, as a ticket of TLS is"
            ),
            Before::Request => format!("{last} {server} had a request and had not answered it"),
            Before::Requests => {
                format!("{last} {command} asked again and again, and {server} sent nothing back")
            }
        };
        let is_request = self.is_of_request();
        let for_whom = if host == 0 || is_request {
            "for that"
        } else {
            "for more"
        };
        let unknown = |why: Why| {
            format!(
                "{had}; whether {command} waited {for_whom} is unknown: {}",
                why.words()
            )
        };
        match (cause, self.awaited, host) {
            (Cause::Limit(Limit::Application), Ok(true), 1) if is_request => {
                Some(format!("{had}, which {command} waited for"))
            }
            (Cause::Limit(Limit::Application), Ok(true), 1) => {
                Some(format!("{had}: it waited for more of {server}"))
            }
            (Cause::Limit(Limit::Application), Ok(false), _) | (Cause::Other, Ok(true), 0) => {
                Some(had)
            }
            (Cause::Other, Ok(false), 1) if self.before == Before::Idle => Some(had),
            (Cause::Limit(Limit::Application), Err(why), _) | (Cause::Other, Err(why), 1) => {
                Some(unknown(why))
            }
            _ => None,
        }
    }

    /// In words, of a connection of this `time` that was sampled too rarely, of a host that has this number; none where it is less than half of
    /// that.
    pub(super) fn alone(&self, host: usize, time: Duration) -> Option<String> {
        let [command, server] = SENDERS;
        let share = self.time().as_secs_f64() / time.as_secs_f64().max(1e-9);
        let cause = match (self.awaited, host) {
            (Ok(true), 0) => Cause::Other,
            _ => Cause::Limit(Limit::Application),
        };
        let words = self.words(host, cause).filter(|_| 2.0 * share >= 1.0)?;
        Some(match cause {
            Cause::Other => {
                let percent = 100.0 * share.min(1.0);
                format!("{command} waited for {server} {percent:.0} % of the time; {words}")
            }
            _ => words,
        })
    }
}

impl Connections {
    /// The pause at the end of a connection in which `one` of these ends waits; `command` is the command's end of it.
    pub(super) fn silence(
        &self,
        ends: &[String; 2],
        one: &Watched,
        command: Option<&Watched>,
    ) -> Option<Silence> {
        let waits = self.waits.get(ends)?;
        let silence = Silence::of((one.host, waits), one.last.sample.t, command)?;
        Some(silence.until_closed(self.closed(ends, one)))
    }

    /// That the server had closed `one` of these ends as idle, which the command did not wait for, or right behind an answer, where the command asked
    /// again: where it opened another connection to it afterwards.
    pub(super) fn left_idle(&self, ends: &[String; 2], one: &Watched) -> Option<Ending> {
        let (of_command, of_server) = match one.host {
            0 => (ends.clone(), turned(ends)),
            _ => (turned(ends), ends.clone()),
        };
        let [own, peer] = &of_command;
        let of_server = self.waits.get(&of_server)?;
        let tried = self.waits.get(&of_command).and_then(Waits::tried_behind);
        let idle = of_server.was_idle_pause();
        let (_, until) = idle.or(tried.map(|closed| (closed, closed)))?;
        let command = self.all.get(&of_command).zip(idle);
        let awaited = command.map(|(command, pause)| command.awaited(pause, false));
        let is_next = |([from, to], waits): (&[String; 2], &Waits)| {
            let opened = waits.opened.filter(|_| to == peer);
            let is_later = opened.is_some_and(|(begun, set_up)| begun > until + set_up);
            is_later && address(from) == address(own)
        };
        (awaited != Some(Ok(true)) && self.waits.iter().any(is_next)).then_some(Ending::LeftIdle)
    }

    /// What came of the last request of `one` of these ends: until the command closed it, or its last sample.
    pub(super) fn unheard(&self, ends: &[String; 2], one: &Watched) -> Unheard {
        let Some(waits) = self.waits.get(ends) else {
            return Unheard::Nothing;
        };
        let command = self.of_command(ends, one);
        let last = one.last.sample.t;
        let closed = self.closed(ends, one);
        let end = closed.map_or(last, |t| t.min(last));
        let soon = || {
            let pause = waits.given_up(one.host, closed?)?;
            Some(Silence::given_up(one.host, pause, command))
        };
        match Silence::of((one.host, waits), end, command).or_else(soon) {
            Some(silence) if one.host == 0 || silence.is_of_request() => {
                let is_open = waits.is_command_unanswered(one.host);
                silence.unheard(is_open || silence.before != Before::All)
            }
            _ => Unheard::Nothing,
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

    /// Whether its program slept until something came, in half of the samples between two instants or more that say it. Where it is `is_asked`,
    /// its last request has no answer.
    fn awaited(&self, (from, until): (Time, Time), is_asked: bool) -> Result<bool, Why> {
        let pause = until.since(from);
        let samples = self.samples.iter().zip(&self.ends);
        let within = samples.filter(|(sample, _)| (from..=until).contains(&sample.t));
        // What it does when it has closed is not what it did before.
        let (left, held): (Vec<&End>, Vec<&End>) =
            within.map(|(_, end)| end).partition(|end| end.is_left);
        let seen = held.iter().filter_map(|end| awaits(end, pause, is_asked));
        let seen: Vec<Result<bool, Why>> = seen.collect();
        let known: Vec<bool> = seen.iter().copied().filter_map(Result::ok).collect();
        let waited = known.iter().filter(|awaits| **awaits).count();
        match seen.iter().copied().find_map(Result::err) {
            _ if known.is_empty() && left.len() > held.len() => Ok(false),
            Some(why) if 2 * known.len() < seen.len() => Err(why),
            _ if !known.is_empty() => Ok(2 * waited >= known.len()),
            _ if held.is_empty() => Err(Why::TooShort),
            _ => Err(Why::Unseen),
        }
    }
}

/// Whether the command's program slept until something came on its end of a connection, by a sample in a pause of this length when it held
/// that. None where nobody saw it. Where it `is_asked`, the pause is that after its last request.
fn awaits(end: &End, pause: Duration, is_asked: bool) -> Option<Result<bool, Why>> {
    let known = end.awaits.map(Ok);
    known.or_else(|| {
        let wakes = end.wakes?;
        let is_late = |timer: Duration| timer.times(TIMERS) > pause;
        Some(match () {
            () if !is_asked => Err(Why::Loop),
            () if wakes.timer.is_some_and(is_late) => Err(Why::Timer),
            () => Ok(true),
        })
    })
}

#[cfg(test)]
mod tests {
    use farpath_emu::plane::Turns;

    use super::*;
    use crate::lab::asleep::Wakes;
    use crate::lab::seen::ss::read_all;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A connection of 3 s whose sender, of this host, sends 64 B at its start, by samples of both ends each 100 ms: the command's program
    /// `awaits` data in them, or not, or nobody sees it.
    fn told(host: usize, awaits: Option<bool>, turns: impl Fn(Turns) -> Turns) -> String {
        told_of(host, &|end| end.awaits = awaits, turns)
    }

    /// The same where the command's end is `seen` so.
    fn told_of(host: usize, seen: &dyn Fn(&mut End), turns: impl Fn(Turns) -> Turns) -> String {
        let told = watched(host, seen, turns).told([None, None]);
        told.expect("there is one").line
    }

    /// The connection itself.
    fn watched(
        host: usize,
        seen: &dyn Fn(&mut End),
        turns: impl Fn(Turns) -> Turns,
    ) -> Connections {
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
                listed[0].1.end.is_left = false;
                if own == 0 {
                    seen(&mut listed[0].1.end);
                }
                connections.note(at(100 * n), own, listed);
            }
        }
        let none = Turns::between(ends.map(|end| end.parse().expect(end)));
        connections.take_turns(&turns(none));
        connections
    }

    /// A request that a server keeps until the last sample, and one behind which the server closes: what they are among many.
    #[test]
    fn the_last_request_of_one_of_many_is_judged_alike() {
        let ends = ["198.18.0.1:40000", "198.18.0.2:7000"].map(str::to_owned);
        let of = |awaits: Option<bool>, is_closed: bool| {
            let all = watched(0, &|end| end.awaits = awaits, |none| match is_closed {
                true => Turns {
                    closing: [0, 2800].map(Duration::from_ms),
                    closed: [None, Some(at(2950))],
                    ..none
                },
                false => Turns {
                    unanswered: Some((0, at(150))),
                    ..none
                },
            });
            all.unheard(&ends, &all.all[&ends])
        };
        let asked = of(Some(true), false);
        assert!(asked.is_unanswered() && (asked.waited_s() - 2.85).abs() < 1e-9);
        assert!(matches!(of(None, false), Unheard::Unknown(..)));
        assert_eq!(of(Some(false), false), Unheard::Nothing);
        for awaits in [Some(true), None] {
            let closed = of(awaits, true);
            assert!(!closed.is_unanswered() && (closed.waited_s() - 2.8).abs() < 1e-9);
        }
    }

    /// A client that gives up after 180 ms, by the frames of either end; and one that closes behind a request it wants no answer to.
    #[test]
    fn a_request_that_was_given_up_soon_is_one_of_many() {
        let ends = ["198.18.0.1:40000", "198.18.0.2:7000"];
        for host in [0, 1] {
            let own = [ends[host], ends[1 - host]].map(str::to_owned);
            let of = |awaits: Option<bool>, since: u64| {
                let all = watched(host, &|end| end.awaits = awaits, |none| Turns {
                    begun: Some(at(since - 10)),
                    unanswered: Some((0, at(since))),
                    closed: [Some(at(3000)), None],
                    ..none
                });
                all.unheard(&own, &all.all[&own])
            };
            let given_up = of(Some(true), 2820);
            assert!(given_up.is_unanswered(), "{host}");
            assert!((given_up.waited_s() - 0.18).abs() < 1e-9, "{host}");
            assert!(matches!(of(None, 2820), Unheard::Unknown(..)), "{host}");
            assert_eq!(of(Some(false), 2820), Unheard::Nothing);
            assert_eq!(of(Some(true), 2990), Unheard::Nothing);
        }
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

    /// A client with a timeout, whose program is seen in two samples of the pause, and then by none for the round trip of its FIN: it has waited. One
    /// that closes as soon as it has sent its request has not.
    #[test]
    fn a_command_that_has_closed_waited_before_that() {
        let said = |seen: u64, left: u64| {
            let sample = std::cell::Cell::new(0);
            let of = |end: &mut End| {
                let n = sample.get() + 1;
                sample.set(n);
                end.awaits = (3..3 + seen).contains(&n).then_some(true);
                end.is_left = n > left;
            };
            told_of(0, &of, |none| Turns {
                unanswered: Some((0, at(150))),
                closed: [Some(at(100 * left + 50)), None],
                ..none
            })
        };
        let waited = said(2, 20);
        let words = "for the last 1.9 s the server had all of it and sent nothing back";
        assert!(
            waited.contains("your command waited for the server"),
            "{waited}"
        );
        assert!(waited.contains(words), "{waited}");
        assert!(!waited.contains("limited it"), "{waited}");
        let unseen = said(0, 20);
        assert!(unseen.contains("waited for that is unknown"), "{unseen}");
        let gone = said(0, 3);
        assert!(gone.contains("your command limited it"), "{gone}");
        assert!(!gone.contains("unknown"), "{gone}");
    }

    /// A request that is never answered, of a client that sleeps in a loop: without a timer, with one that fires over and over, and with one
    /// that outlasts the pause.
    #[test]
    fn a_loop_with_an_unanswered_request_waits_for_a_silent_server() {
        let said = |timer: Option<Duration>| {
            let wakes = Wakes { timer };
            told_of(0, &|end| end.wakes = Some(wakes), |none| Turns {
                unanswered: Some((0, at(150))),
                closed: [2950, 2970].map(|ms| Some(at(ms))),
                ..none
            })
        };
        for timer in [None, Some(1000)] {
            let waited = said(timer.map(Duration::from_ms));
            let words = "your command waited for the server 9";
            assert!(waited.contains(words), "{timer:?}: {waited}");
        }
        let long = said(Some(Duration::from_secs(30)));
        assert!(long.contains("a timer of its own fired"), "{long}");
        let left = told_of(0, &|end| end.is_left = true, |none| Turns {
            unanswered: Some((0, at(150))),
            ..none
        });
        assert!(left.contains("your command limited it"), "{left}");
        assert!(!left.contains("unknown"), "{left}");
    }

    /// A request each second, of a client that waits a second for each answer: nothing comes back, and it closes behind the third. One that sleeps in
    /// something else between them sends a stream.
    #[test]
    fn a_command_that_asks_again_and_again_waits_for_a_silent_server() {
        let said = |host: usize, awaits: &dyn Fn(usize) -> bool| {
            let sample = std::cell::Cell::new(0);
            let of = |end: &mut End| {
                sample.set(sample.get() + 1);
                end.awaits = Some(awaits(sample.get()));
            };
            told_of(host, &of, |none| Turns {
                begun: Some(at(100)),
                span: Duration::from_ms(2030),
                unanswered: Some((0, at(2130))),
                unheard: Some(at(130)),
                closed: [Some(at(3000)), None],
                ..none
            })
        };
        let waited = said(0, &|_| true);
        let words = "your command waited for the server 9";
        assert!(waited.contains(words), "{waited}");
        let words = "for the last 2.9 s your command asked again and again, and the server sent nothing back";
        assert!(waited.contains(words), "{waited}");
        assert!(!waited.contains("limited it"), "{waited}");
        let server = said(1, &|_| true);
        assert!(server.contains("which your command waited for"), "{server}");
        let stream = said(0, &|n| n > 21);
        assert!(!stream.contains("again and again"), "{stream}");
        assert!(stream.contains("your command limited it"), "{stream}");
    }

    /// A request on a connection whose server has sent more; and one behind which one record came that may be a ticket.
    #[test]
    fn a_request_behind_larger_answers_or_before_a_ticket_is_waited_for() {
        let said = |awaits| {
            told(1, awaits, |none| Turns {
                unanswered: Some((0, at(150))),
                ..none
            })
        };
        let had = "for the last 2.9 s the server had a request and had not answered it";
        let waited = said(Some(true));
        let words = format!("{had}, which your command waited for");
        assert!(waited.contains(&words), "{waited}");
        let unseen = said(None);
        assert!(unseen.contains("waited for that is unknown"), "{unseen}");
        let ticketed = |awaits| {
            told(0, awaits, |none| Turns {
                unanswered: Some((1, at(200))),
                ticketed: Some(at(150)),
                ..none
            })
        };
        let waited = ticketed(Some(true));
        assert!(waited.contains("one record, as a ticket"), "{waited}");
        assert!(waited.contains("waited for the server 9"), "{waited}");
        assert!(!ticketed(None).contains("one record"));
    }

    /// A connection that has its answer: its client may wait for a child, or on another one.
    #[test]
    fn a_loop_that_has_not_asked_may_wait_for_anything() {
        let wakes = Wakes { timer: None };
        let said = told_of(1, &|end| end.wakes = Some(wakes), |none| Turns {
            closing: [2800, 0].map(Duration::from_ms),
            closed: [Some(at(2950)), None],
            ..none
        });
        assert!(said.contains("which anything may end"), "{said}");
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

    /// A server that answers, and closes the connection after 2 s in which nothing came: its client works for itself, waits for more, or nobody knows.
    #[test]
    fn a_server_that_closes_an_idle_connection_is_not_its_limit() {
        let said = |awaits| {
            told(1, awaits, |none| Turns {
                idle: [Some((at(150), at(2150))), None],
                done: [Some(at(2150)), None],
                closed: [2950, 2150].map(|ms| Some(at(ms))),
                ..none
            })
        };
        let had = "for 2.0 s your command had all of it and sent nothing back, until the server closed the connection";
        let own = said(Some(false));
        let words = "the server waited for your command 9";
        assert!(own.contains(words) && own.contains(had), "{own}");
        assert!(!own.contains("limited it"), "{own}");
        let waits = said(Some(true));
        assert!(waits.contains("the server limited it"), "{waits}");
        let words = format!("{had}: it waited for more of the server");
        assert!(waits.contains(&words), "{waits}");
        let unseen = said(None);
        let words = format!("{had}; whether your command waited for more is unknown");
        assert!(unseen.contains(&words), "{unseen}");
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
