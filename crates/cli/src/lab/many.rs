//! Many connections that carried a little each: what they have in common says more than the largest of them.

mod behind;
mod words;

use std::collections::BTreeMap;
use std::net::SocketAddr;

use farpath_emu::plane::Repairs;
use farpath_observe::Timers;
use farpath_units::Duration;
use serde::Serialize;

use self::behind::Behind;
use super::ending::Ending;
use super::unheard::{Undecided, Unheard, deadline};

/// What one of them came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Each {
    /// The sender's port and the other's.
    pub(super) ports: [u16; 2],
    /// Bytes sent, each once.
    pub(super) sent: u64,
    /// Its shortest round trip, seconds; none where nothing was measured.
    pub(super) rtt: Option<f64>,
    /// Time that the command waited for what it carried, seconds; without frames, time with data to send or to be acknowledged.
    pub(super) busy: f64,
    /// Round trips of its handshake of TLS, and those of them in which the server's first flight waited for its window.
    pub(super) tls: [u32; 2],
    /// Time that small writes of its sender and of the other end waited for an acknowledgement, seconds.
    pub(super) held: [f64; 2],
    /// Time in which the server had what the command had sent, and had not answered, seconds; none where its frames were not followed.
    pub(super) served: Option<f64>,
    /// What of that the server waited for connections that it had opened itself, seconds.
    pub(super) errand: f64,
    /// Time that a link was taken by what its sender sent, and by what the other end did, without a pause for a round trip or longer, seconds.
    pub(super) line: [f64; 2],
    /// What was lost of what both ends sent, and what that cost.
    pub(super) repairs: Repairs,
    /// Time in which it waited in the accept queue of the server, seconds: at least.
    pub(super) queued: f64,
    /// What came of its last request, where the server sent nothing back.
    pub(super) unheard: Unheard,
    /// How the server ended it before the command did.
    pub(super) ending: Option<Ending>,
    /// The command closed it while the answer was on its way.
    pub(super) is_early: bool,
    /// Its handshake of TLS ended with an alert.
    pub(super) is_rejected: bool,
    /// Requests of the command behind an answer, and those of them that came as soon as it was there.
    pub(super) requests: [u64; 2],
    /// Time until its SYN was answered, beyond a round trip and what the path's losses cost, seconds: the server answered none at first.
    pub(super) late: f64,
    /// Requests that the server had answered when it closed it right behind an answer, before the command did; none where it did not.
    pub(super) behind: Option<u64>,
    /// Its SYN carried data: it took no round trip to be set up.
    pub(super) is_fast: bool,
    /// Time in which the command had it open, had nothing to wait for on it and did not ask, seconds.
    pub(super) idle: f64,
}

impl Each {
    /// Of a connection between these ends that `sent` so much; none where its ends have no ports.
    pub(super) fn of([own, peer]: [&str; 2], sent: u64, timers: Option<Timers>) -> Option<Each> {
        let port = |end: &str| end.parse::<SocketAddr>().ok().map(|end| end.port());
        let rtt = timers.and_then(|t| t.min_rtt);
        Some(Each {
            ports: [port(own)?, port(peer)?],
            sent,
            rtt: rtt.map(Duration::as_secs_f64).filter(|rtt| *rtt > 0.0),
            busy: timers.map_or(0.0, |t| t.busy.as_secs_f64()),
            tls: [0; 2],
            held: [0.0; 2],
            served: None,
            errand: 0.0,
            line: [0.0; 2],
            repairs: Repairs::default(),
            queued: 0.0,
            unheard: Unheard::Nothing,
            ending: None,
            is_early: false,
            is_rejected: false,
            requests: [0; 2],
            late: 0.0,
            behind: None,
            is_fast: false,
            idle: 0.0,
        })
    }

    /// The same with the time that frames say it `waited`, where they say any. A kernel counts as busy what is under way, and a FIN is.
    pub(super) fn by_frames(self, waited: Option<Duration>) -> Each {
        let waited = waited.filter(|time| *time > Duration::ZERO);
        Each {
            busy: waited.map_or(self.busy, Duration::as_secs_f64),
            ..self
        }
    }

    /// The same with a handshake of TLS of so many round trips, and so many of them for the window.
    pub(super) fn with_tls(self, tls: [u32; 2]) -> Each {
        Each { tls, ..self }
    }

    /// The same where small writes of the sender and of the other end waited for so many seconds.
    pub(super) fn with_held(self, held: [f64; 2]) -> Each {
        Each { held, ..self }
    }

    /// The same with what was lost of it: the command waits for timers of a SYN before there are frames with data.
    pub(super) fn with_repairs(self, repairs: &Repairs) -> Each {
        Each {
            busy: self.busy + repairs.opening.as_secs_f64(),
            repairs: *repairs,
            ..self
        }
    }

    /// The same where links were taken for so many seconds by what its sender sent, and the other end.
    pub(super) fn with_line(self, line: [f64; 2]) -> Each {
        Each { line, ..self }
    }

    /// The same where it waited for so many seconds until the server's program took it.
    pub(super) fn with_queued(self, queued: f64) -> Each {
        Each { queued, ..self }
    }

    /// The same with what came of its last request: the command's wait for it is the server's time.
    pub(super) fn with_unheard(self, unheard: Unheard) -> Each {
        let waited = unheard.waited_s();
        Each {
            busy: self.busy + waited,
            served: self.served.map(|served| served + waited),
            unheard,
            ..self
        }
    }

    /// All of these: where the command is known to have waited at the end of some, it did so at the end of those of which that is unknown, if the pauses are
    /// alike, as with a deadline of its own.
    pub(super) fn settled(all: Vec<Each>) -> Vec<Each> {
        let unheard = || all.iter().map(|e| e.unheard);
        let is_known = unheard().any(Unheard::is_unanswered) && deadline(unheard()).is_some();
        let settle = |each: Each| match each.unheard {
            Unheard::Unknown(seconds, _) if is_known => each.with_unheard(Unheard::Awaited {
                seconds,
                is_unanswered: true,
            }),
            _ => each,
        };
        all.into_iter().map(settle).collect()
    }

    /// The same where the server ended it so.
    /// Until it closed without an answer the command waited for its FIN, half a round trip.
    pub(super) fn with_ending(self, ending: Option<Ending>) -> Each {
        let back = match ending {
            Some(Ending::ClosedUnanswered | Ending::ResetUnanswered | Ending::ClosedOnRequest) => {
                self.rtt.unwrap_or(0.0) / 2.0
            }
            _ => 0.0,
        };
        Each {
            busy: self.busy + back,
            ending,
            ..self
        }
    }

    /// The same where it took so long until its SYN was answered: the command waited for that. What was lost of it is known.
    pub(super) fn with_set_up(self, set_up: Option<Duration>) -> Each {
        let took = set_up.map_or(0.0, Duration::as_secs_f64);
        let due = self.repairs.opening.as_secs_f64();
        let late = self.rtt.map_or(0.0, |rtt| took - rtt - due);
        let late = if late >= LATE { late } else { 0.0 };
        Each {
            busy: self.busy + late,
            late,
            ..self
        }
    }

    /// The same where the command made so many requests behind an answer, and so many of them at once.
    pub(super) fn with_requests(self, requests: [u64; 2]) -> Each {
        Each { requests, ..self }
    }

    /// The same where the server had requests for so many seconds.
    pub(super) fn with_served(self, served: Option<f64>) -> Each {
        Each { served, ..self }
    }
}

/// A SYN that was answered so much later than a round trip was sent again, seconds: its timer is a second (RFC 6298 §2).
const LATE: f64 = 0.5;

/// Connections of one sender that have a port in common.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Many {
    pub(super) connections: u64,
    pub(super) port: u16,
    /// The port is the sender's, and not the other end's.
    pub(super) from: bool,
    /// Bytes sent by all, each once.
    pub(super) bytes_sent: u64,
    /// A round trip for each, in which it was set up, seconds: none of those whose SYN carried data.
    pub(super) set_up_s: f64,
    /// A round trip for each, seconds, and how many of them were set up without one.
    #[serde(skip)]
    round_trips_s: f64,
    #[serde(skip)]
    fast: u64,
    /// Time in which the command had them open and neither waited nor asked, of all, seconds.
    #[serde(skip)]
    idle_s: f64,
    /// Time that the command waited for what they carried, of all, seconds.
    pub(super) busy_s: f64,
    /// Round trips that the handshake of TLS of each took, on average: part of what the command waited for.
    pub(super) tls_round_trips: f64,
    /// Those of them in which the server's first flight, its certificates, waited for its window to grow.
    pub(super) tls_window_round_trips: f64,
    /// Time that small writes of all senders waited for an acknowledgement, and of all other ends, seconds.
    pub(super) held_small_s: f64,
    pub(super) other_held_small_s: f64,
    /// Time in which the server had what the command had sent, and had not answered, of all, seconds: where the frames of some alone were
    /// followed, as much for each of the others.
    pub(super) server_s: f64,
    /// What of that the server waited for connections that it had opened itself, of all, seconds.
    #[serde(skip)]
    errand_s: f64,
    /// What of that they waited in the server's accept queue, of all, seconds: at least.
    pub(super) accept_queue_s: f64,
    /// Those whose last request the server had and did not answer before the command closed, where the command waited for the answer.
    pub(super) unanswered: u64,
    /// Those that the server closed or reset before the command did, without an answer to the last request, and those that it reset though it had sent
    /// something.
    pub(super) closed_unanswered: u64,
    pub(super) reset_answered: u64,
    /// Those of the former that it closed behind earlier answers.
    #[serde(skip)]
    closed_on_request: u64,
    /// Those that it had closed as idle before the command asked again.
    #[serde(skip)]
    closed_idle: u64,
    /// Those of them on which it asked, and got a reset.
    #[serde(skip)]
    reset_idle: u64,
    /// Those that the server closed or reset with an answer to what it had not got all of.
    #[serde(skip)]
    cut_short: u64,
    /// Those that the command closed while the answer was on its way.
    #[serde(skip)]
    early: u64,
    /// Those that the server closed right behind an answer.
    #[serde(skip)]
    behind: Behind,
    /// Those whose handshake of TLS ended with an alert.
    #[serde(skip)]
    rejected: u64,
    /// Those whose first SYN the server did not answer though the path lost none, and how long that took of all, seconds.
    #[serde(skip)]
    late: u64,
    #[serde(skip)]
    late_s: f64,
    /// Those of which it is unknown whether the command waited at their end.
    #[serde(skip)]
    undecided: Undecided,
    /// Time that a link was taken by what each of them carried, without a pause for a round trip or longer, of all, seconds.
    pub(super) line_s: f64,
    /// The part of it that the busier direction has: links of one direction carry one frame at a time.
    #[serde(skip)]
    one_way_s: f64,
    /// Time in which any connection was open, seconds; none where it is not known.
    pub(super) open_s: Option<f64>,
    /// None of them was open beside another one.
    #[serde(skip)]
    is_serial: bool,
    /// Segments with data, and SYNs, that were lost of all, how many of them were SYNs, and how long the ends waited for their timers to send
    /// them again, seconds.
    pub(super) lost: u64,
    pub(super) syns_lost: u64,
    pub(super) timers_s: f64,
}

/// So many are many, where the largest has carried no more than one part in so many. So are fewer short ones whose frames were followed, where none
/// has carried more than all others.
const LEAST: u64 = 10;
const FEW: u64 = 5;
const PARTS: u64 = 5;

/// Connections that are kept open are advised where opening them takes this part of their time, and what limits one is said where it takes less
/// than half.
const ADVISED: f64 = 0.1;
const MOST_OF_IT: f64 = 0.5;

/// The first window of a sender, bytes: ten full segments of Ethernet (RFC 6928 §2). What takes so many round trips more than one, or more, may
/// have waited for it to grow.
const FIRST_WINDOW: u64 = 10 * 1448;
const FURTHER: f64 = 0.5;

/// Round trips of TLS for the window, on average, that are worth naming.
const WINDOW_LEAST: f64 = 0.5;

/// Connections whose times together are so many times that in which any was open were open side by side.
const SIDE_BY_SIDE: f64 = 1.25;

/// Connections whose times together are at most so many times that in which any was open were open one after the other.
const SERIAL: f64 = 1.05;

impl Many {
    /// What `all` connections of a sender have in common; none where they are few, or one carried much of it.
    pub(super) fn of(all: &[Each]) -> Option<Many> {
        let mut shared: BTreeMap<(u16, bool), u64> = BTreeMap::new();
        for each in all {
            let [own, other] = each.ports;
            *shared.entry((own, true)).or_default() += 1;
            *shared.entry((other, false)).or_default() += 1;
        }
        let ((port, from), connections) = shared.into_iter().max_by_key(|(_, n)| *n)?;
        let these = || {
            let side = usize::from(!from);
            all.iter().filter(move |e| e.ports[side] == port)
        };
        let bytes_sent: u64 = these().map(|e| e.sent).sum();
        let largest = these().map(|e| e.sent).max()?;
        let ended = |is_so: fn(Ending) -> bool| {
            these().filter(|e| e.ending.is_some_and(is_so)).count() as u64
        };
        let rtts: Vec<f64> = these().filter_map(|e| e.rtt).collect();
        let line = |way: usize| these().map(|e| e.line[way]).sum::<f64>();
        let tls = |n: usize| mean(these().map(|e| f64::from(e.tls[n])));
        let round_trip = rtts.iter().sum::<f64>() / rtts.len() as f64;
        let fast = these().filter(|e| e.is_fast).count() as u64;
        let is_followed = these().all(|e| e.served.is_some());
        let [are_alike, none_has_most] = [PARTS, 2].map(|parts| largest * parts <= bytes_sent);
        let many = Many {
            connections,
            port,
            from,
            bytes_sent,
            set_up_s: round_trip * (connections - fast) as f64,
            round_trips_s: round_trip * connections as f64,
            fast,
            idle_s: these().map(|e| e.idle).sum(),
            busy_s: these().map(|e| e.busy).sum(),
            tls_round_trips: tls(0),
            tls_window_round_trips: tls(1),
            held_small_s: these().map(|e| e.held[0]).sum(),
            other_held_small_s: these().map(|e| e.held[1]).sum(),
            server_s: mean(these().filter_map(|e| e.served)) * connections as f64,
            errand_s: these().map(|e| e.errand).sum(),
            accept_queue_s: these()
                .map(|e| e.served.map_or(0.0, |served| served.min(e.queued)))
                .sum(),
            unanswered: these().filter(|e| e.unheard.is_unanswered()).count() as u64,
            closed_unanswered: ended(Ending::is_without_answer),
            closed_on_request: ended(|ending| ending == Ending::ClosedOnRequest),
            reset_answered: ended(|ending| ending == Ending::Reset),
            cut_short: ended(|ending| ending == Ending::CutShort),
            closed_idle: ended(Ending::is_idle),
            reset_idle: ended(Ending::is_met),
            early: these().filter(|e| e.is_early).count() as u64,
            behind: Behind::of(these().filter_map(|e| e.behind)),
            rejected: these().filter(|e| e.is_rejected).count() as u64,
            late: these().filter(|e| e.late > 0.0).count() as u64,
            late_s: these().map(|e| e.late).sum(),
            undecided: Undecided::of(these().map(|e| e.unheard)),
            line_s: these().map(|e| e.line[0] + e.line[1]).sum(),
            one_way_s: f64::max(line(0), line(1)),
            open_s: None,
            is_serial: false,
            lost: these().map(|e| e.repairs.lost).sum(),
            syns_lost: these().map(|e| e.repairs.syns).sum(),
            timers_s: these().map(|e| e.repairs.timers.as_secs_f64()).sum(),
        };
        // Of a few large ones the largest says more.
        let is_named = many.opened() >= ADVISED || many.is_unheard();
        let are_short = connections >= FEW && is_followed && is_named && none_has_most;
        let is_many = (are_alike && connections >= LEAST) || are_short;
        (is_many && !rtts.is_empty()).then_some(many)
    }

    /// The same where any connection was open for so many seconds.
    pub(super) fn with_open(self, open_s: Option<f64>) -> Many {
        Many { open_s, ..self }
    }

    /// The same where all of the command's connections together were open for so many seconds, each counted by itself.
    pub(super) fn with_open_of_all(self, all_s: f64) -> Many {
        let is_serial = self.open_s.is_some_and(|open| all_s <= SERIAL * open);
        Many { is_serial, ..self }
    }

    /// Whether what was measured of them cannot be: they were open one after the other, and for less time than that.
    fn is_excessive(&self) -> bool {
        let is_more = |open: f64| self.lived() >= SIDE_BY_SIDE * open;
        self.is_serial && self.open_s.is_some_and(is_more)
    }

    /// The part that their time is of a command's that ran for so many seconds, where they were open one after the other and it is less than half.
    pub(super) fn part(&self, took_s: Option<f64>) -> Option<f64> {
        let part = self.lived() / took_s.filter(|took| *took > 0.0)?;
        Some(part).filter(|part| self.is_serial && *part < MOST_OF_IT)
    }

    /// Whether their time is less than half of a command's that ran for so many seconds: others may have the rest.
    pub(super) fn is_part(&self, took_s: Option<f64>) -> bool {
        took_s.is_some_and(|took| self.lived() < MOST_OF_IT * took)
    }

    /// Time that the command waited for them and for their handshakes, of all, seconds.
    fn lived(&self) -> f64 {
        (self.set_up_s + self.busy_s).max(f64::MIN_POSITIVE)
    }

    /// Time in which any of them was open, seconds, where they were open side by side: their times together are longer by a quarter or more.
    fn side_by_side(&self) -> Option<f64> {
        self.open_s
            .filter(|open| !self.is_serial && SIDE_BY_SIDE * open <= self.lived())
    }

    /// The part of their time in which a link was full of what they carried. All of them share its time: where they were open side by side, it is
    /// the part of the time in which any was.
    fn on_line(&self) -> f64 {
        let share = match self.side_by_side() {
            Some(open) => self.one_way_s / open.max(f64::MIN_POSITIVE),
            None => self.line_s / self.lived(),
        };
        share.min(1.0)
    }

    /// Whether a link that they fill is what limits them, and not what opening them takes, or one of them.
    pub(super) fn fill_a_link(&self) -> bool {
        self.on_line() >= MOST_OF_IT && self.on_line() > self.opened()
    }

    /// Whether half of the connections or more ended without an answer to their last request: opening fewer of them would spare none of that.
    fn is_unheard(&self) -> bool {
        let unheard = self.unanswered + self.undecided.connections + self.closed_unanswered;
        let failed = unheard.max(self.rejected);
        2 * (failed + self.closed_idle + self.early) >= self.connections
    }

    /// The part of their time that opening them takes.
    fn opened(&self) -> f64 {
        let opened = self.set_up_s + self.round_trips_s * self.tls_round_trips;
        opened / self.lived()
    }

    /// Whether opening them takes so little of their time that something else is what limits them.
    pub(super) fn is_little(&self) -> bool {
        self.opened() < MOST_OF_IT
    }
}

/// This share; 0 where it is not worth naming.
fn named(share: f64) -> f64 {
    if share >= ADVISED { share } else { 0.0 }
}

/// The mean of these; 0 of none.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, n), value| (sum + value, n + 1));
    sum / f64::from(count.max(1))
}

#[cfg(test)]
impl Each {
    /// One of many to this port of a server that sent so much, from a port of its own, of which nothing more is known.
    pub(super) fn numbered(n: u16, port: u16, sent: u64) -> Each {
        let ends = [
            format!("198.18.0.1:{}", 40_000 + n),
            format!("198.18.0.2:{port}"),
        ];
        Each::of([&ends[0], &ends[1]], sent, None).expect("they have ports")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One of which nothing more is known.
    fn plain() -> Each {
        Each::numbered(0, 7000, 0)
    }

    /// Each with a request that the server has for 200 of 280 ms, as it asks elsewhere for so long, or works.
    #[test]
    fn a_server_that_asks_elsewhere_is_named_as_such() {
        let said = |errand: f64| {
            let each = |n: u16| Each {
                ports: [40_000 + n, 7000],
                sent: 104,
                rtt: Some(0.08),
                busy: 0.28,
                served: Some(0.2),
                errand,
                ..plain()
            };
            let all: Vec<Each> = (0..20).map(each).collect();
            Many::of(&all).expect("they are many").words(0)
        };
        let words = "your command waited for the server 56 % of their time, which waited for other connections of its own; ";
        assert!(said(0.19).contains(words), "{}", said(0.19));
        assert!(!said(0.01).contains("of its own"), "{}", said(0.01));
    }

    /// Connect, 104 B, 104 B, close, at 280 ms: the kernel counts the FIN's round trip as busy.
    #[test]
    fn the_round_trip_of_a_fin_is_nobodys() {
        let each = |n: u16| Each {
            ports: [40_000 + n, 7000],
            sent: 104,
            rtt: Some(0.28),
            busy: 0.56,
            ..plain()
        };
        let said = |requests: u64| {
            let waited = Some(Duration::from_ms(280 * requests));
            let all: Vec<Each> = (0..20).map(|n| each(n).by_frames(waited)).collect();
            Many::of(&all).expect("they are many").words(0)
        };
        let words = "each took 2.0 round trips, one of them to be set up (50 %";
        assert!(said(1).contains(words), "{}", said(1));
        assert!(
            said(10).contains("each took 11.0 round trips"),
            "{}",
            said(10)
        );
        assert!((each(0).by_frames(None).busy - 0.56).abs() < 1e-9);
    }

    /// Connect, a request, close, 40 ms away: every second SYN finds the accept queue full, and is sent again after a second.
    #[test]
    fn syns_that_the_server_does_not_answer_at_first_are_named() {
        let said = |late_ms: u64| {
            let each = |n: u16| {
                let one = Each::numbered(n, 80, 500);
                let one = Each {
                    rtt: Some(0.04),
                    busy: 0.04,
                    ..one
                };
                let set_up = Duration::from_ms(40 + late_ms * u64::from(n % 2));
                one.with_set_up(Some(set_up))
            };
            let all: Vec<Each> = (0..20).map(each).collect();
            Many::of(&all).expect("they are many").words(0)
        };
        let late = said(1000);
        let words = "to port 80: the server left the first SYN of 10 of them without an answer, which took 86 % of their time; each took 2.0 round trips";
        assert!(late.contains(words), "{late}");
        assert!(!said(20).contains("SYN"), "{}", said(20));
    }

    /// Connect, a handshake of TLS, a request: curl over and over, 100 ms away.
    #[test]
    fn round_trips_of_tls_are_named() {
        let said = |of_tls: &dyn Fn(u16) -> u32| {
            let each = |n: u16| {
                let tls = of_tls(n);
                let one = Each {
                    ports: [40_000 + n, 443],
                    sent: 700,
                    rtt: Some(0.1),
                    busy: 0.1 * f64::from(1 + tls),
                    ..plain()
                };
                one.with_tls([tls, 0])
            };
            let all: Vec<Each> = (0..20).map(each).collect();
            Many::of(&all).expect("they are many").words(0)
        };
        for (of_tls, words) in [
            (
                1,
                "each took 3.0 round trips, one of them to be set up and one for TLS (67 %",
            ),
            (
                2,
                "each took 4.0 round trips, one of them to be set up and two for TLS (75 %",
            ),
        ] {
            let said = said(&|_| of_tls);
            assert!(
                said.contains(words) && said.ends_with("kept open spares them"),
                "{said}"
            );
        }
        // A chain of certificates that is larger than the first window.
        let chained = |n: u16| {
            let one = Each::numbered(n, 443, 18_000);
            Each {
                rtt: Some(0.08),
                busy: 0.24,
                ..one.with_tls([2, 1])
            }
        };
        let all: Vec<Each> = (0..12).map(chained).collect();
        let many = Many::of(&all).expect("they are many").words(1);
        let words =
            "and two for TLS, as the server's certificates are larger than its first window (75 %";
        assert!(many.contains(words), "{many}");
        // Every second one resumed a session of TLS 1.2.
        let mixed = said(&|n| 1 + u32::from(n % 2 == 0));
        assert!(mixed.contains("and 1.5 for TLS"), "{mixed}");
    }

    /// Python's `http.server` with HTTP/1.1, 80 ms away: header and body in two writes, and the body waits a round trip.
    #[test]
    fn small_writes_of_short_connections_are_named() {
        let said = |held: [f64; 2]| {
            let each = |n: u16| Each {
                ports: [8000, 40_000 + n],
                sent: 500,
                rtt: Some(0.08),
                busy: 0.16,
                ..plain()
            };
            let all: Vec<Each> = (0..20).map(|n| each(n).with_held(held)).collect();
            Many::of(&all).expect("they are many").words(1)
        };
        let words = "; for 33 % of their time a small write of the server waited for the acknowledgement of the one before (Nagle's \
                     algorithm): one write for both, or TCP_NODELAY, spares that wait";
        let server = said([0.08, 0.0]);
        assert!(server.ends_with(words), "{server}");
        let command = said([0.0, 0.08]);
        assert!(
            command.contains("a small write of your command"),
            "{command}"
        );
        assert!(!said([0.01, 0.01]).contains("Nagle"));
    }

    /// 40 connections one after another, 20 ms away: a request, and a server that thinks for 300 ms, for 10, or for none.
    #[test]
    fn a_server_of_many_connections_is_waited_for() {
        let said = |thinks: f64| {
            let each = |n: u16| Each {
                ports: [40_000 + n, 8000],
                sent: 80,
                rtt: Some(0.02),
                busy: 0.02 + thinks,
                ..plain()
            };
            // The frames of 20 were followed.
            let served = |n: u16| (n < 20).then_some(thinks);
            let all: Vec<Each> = (0..40).map(|n| each(n).with_served(served(n))).collect();
            let many = Many::of(&all).expect("they are many");
            assert!((many.server_s - 40.0 * thinks).abs() < 1e-9);
            many.words(0)
        };
        let slow = said(0.3);
        let words = "to port 8000: your command waited for the server 88 % of their time; each took 2.0 round trips";
        assert!(slow.contains(words), "{slow}");
        let some = said(0.01);
        let words = "spares it; your command waited for the server 20 % of their time";
        assert!(some.ends_with(words), "{some}");
        assert!(!said(0.0).contains("waited for the server"));
    }

    /// 30 connections one after another, 100 ms away, an answer of 50 kB at 2 Mbit/s: 0.2 s of it are the line's.
    #[test]
    fn a_link_that_each_of_many_connections_fills_is_named() {
        let said = |line: f64| {
            let each = |n: u16| Each {
                ports: [7000, 40_000 + n],
                sent: 50_000,
                rtt: Some(0.1),
                busy: 0.1 + line,
                ..plain()
            };
            let all: Vec<Each> = (0..30).map(|n| each(n).with_line([line, 0.0])).collect();
            Many::of(&all).expect("they are many").words(1)
        };
        let slow = said(0.2);
        let words = "port 7000: a link of the path was full of what they carried 50 % of their time; each took";
        assert!(slow.contains(words), "{slow}");
        let some = said(0.05);
        let words =
            "spares it; a link of the path was full of what they carried 20 % of their time";
        assert!(some.ends_with(words), "{some}");
        assert!(!said(0.0).contains("link"));
    }

    /// 80 connections of 16 threads, 100 ms away, 60 kB each at 10 Mbit/s: of the 4.7 s in which any is open the link has 4.0 s. They spend 63 s
    /// together, as they wait for each other.
    #[test]
    fn a_link_that_a_pool_fills_is_named_by_the_time_that_its_connections_share() {
        let pool = |line: [f64; 2], open: Option<f64>| {
            let each = |n: u16| Each {
                ports: [7000, 40_000 + n],
                sent: 60_000,
                rtt: Some(0.123),
                busy: 0.664,
                line,
                ..plain()
            };
            let all: Vec<Each> = (0..80).map(each).collect();
            Many::of(&all).expect("they are many").with_open(open)
        };
        let full = pool([0.05, 0.0], Some(4.7));
        assert!(full.fill_a_link());
        let said = full.words(1);
        let words = "port 7000: a link of the path was full of what they carried 85 % of the time in which any of them was open; each took";
        assert!(said.contains(words), "{said}");
        assert!(!said.contains("spares"), "{said}");
        // No link is full for as long as two are together.
        let both = pool([0.025, 0.025], Some(4.7));
        assert!(!both.fill_a_link());
        assert!(
            both.words(1)
                .contains("carried 43 % of the time in which any")
        );
        // How long any was open may be unknown, or they came one after the other.
        for open in [None, Some(63.0)] {
            let alone = pool([0.05, 0.0], open);
            assert!(!alone.fill_a_link() && !alone.words(1).contains("a link"));
        }
    }

    /// 25 connections one after another, 60 ms away: three segments are lost, and the first of them is a SYN. Where little is lost that comes
    /// last.
    #[test]
    fn losses_of_many_connections_are_named() {
        let said = |lost: u16, timers: u64| {
            let each = |n: u16| Each {
                ports: [40_000 + n, 7000],
                sent: 104,
                rtt: Some(0.06),
                busy: 0.06,
                ..plain()
            };
            let repairs = |n: u16| match n < lost {
                true => Repairs {
                    lost: 1,
                    syns: u64::from(n == 0),
                    timers: Duration::from_ms(timers),
                    opening: Duration::from_ms(if n == 0 { timers } else { 0 }),
                },
                false => Repairs::default(),
            };
            let all: Vec<Each> = (0..25).map(|n| each(n).with_repairs(&repairs(n))).collect();
            Many::of(&all).expect("they are many").words(0)
        };
        let most = said(3, 1000);
        let words = "port 7000: 3 segments were lost, 1 SYN among them: retransmission timers took 3.0 s (75 % of their time); each took";
        assert!(most.contains(words), "{most}");
        let some = said(1, 100);
        let words = "spares it; 1 segment was lost, 1 SYN among them: retransmission timers took 0.1 s (3 % of their time)";
        assert!(some.ends_with(words), "{some}");
        assert!(!said(0, 0).contains("lost"));
    }

    /// Ten connections one after another, 100 ms away. 200 kB take four round trips of an exchange, and 14 kB one. A server that has requests for
    /// the rest accounts for it.
    #[test]
    fn a_window_that_has_grown_is_spared_as_well() {
        let said = |sent: u64, trips: f64, served: f64| {
            let each = |n: u16| Each {
                ports: [7000, 40_000 + n],
                sent,
                rtt: Some(0.1),
                busy: 0.1 * trips,
                served: Some(served),
                ..plain()
            };
            let all: Vec<Each> = (0..10).map(each).collect();
            Many::of(&all).expect("they are many").words(1)
        };
        let large = said(200_000, 4.3, 0.0);
        let words = "each took 5.3 round trips, one of them to be set up (19 % of their time); a connection that is kept open spares it, and of \
                     messages that are larger than the first window";
        assert!(large.contains(words), "{large}");
        assert!(said(14_000, 1.0, 0.0).ends_with("spares it"));
        assert!(said(14_000, 4.3, 0.0).ends_with("spares it"));
        assert!(!said(200_000, 4.3, 0.33).contains("first window"));
    }

    /// Twelve connections one after another, 80 ms away: one is set up, and the SYNs of the others carry their requests.
    #[test]
    fn a_syn_with_data_takes_no_round_trip_to_be_set_up() {
        let of = |fast: u16| {
            let each = |n: u16| {
                let of = Each::numbered(n, 8000, 500);
                Each {
                    rtt: Some(0.08),
                    busy: 0.08,
                    is_fast: n >= 12 - fast,
                    ..of
                }
            };
            let all: Vec<Each> = (0..12).map(each).collect();
            Many::of(&all).expect("they are many")
        };
        let some = of(11).words(1);
        let words = "each took 1.1 round trips, one of them to be set up where the SYN carried no data, as on 1 of 12 (TCP Fast Open) (8 % of";
        assert!(some.contains(words) && !some.contains("kept"), "{some}");
        let all = of(12).words(1);
        let words = "each took 1.0 round trips, none of them to be set up, as SYNs";
        assert!(all.contains(words) && !all.contains("kept"), "{all}");
        let none = of(0).words(1);
        let words = "each took 2.0 round trips, one of them to be set up (50 % of their time); a connection that is kept open spares it";
        assert!(none.ends_with(words), "{none}");
        // One after the other they cannot have taken longer than they were open.
        let open = |open: f64, all: f64| {
            let many = of(0).with_open(Some(open)).with_open_of_all(all);
            many.words(1)
        };
        let excessive = open(1.0, 1.0);
        let words = "how many round trips each took is unknown: what was measured of them adds up to 1.9 s, and they were open for 1.0 s";
        assert!(excessive.ends_with(words), "{excessive}");
        assert!(open(1.92, 1.92).ends_with("kept open spares it"));
        // Side by side they may have.
        assert!(open(0.5, 1.92).contains("each took 2.0 round trips"));
    }

    /// Twelve connections, one after another, 60 ms away: on each the command works for 0.3 s before it asks.
    #[test]
    fn what_a_command_does_with_open_connections_is_named() {
        let many = |idle: f64, all: f64| {
            let each = |n: u16| {
                let of = Each::numbered(n, 8000, 200);
                Each {
                    rtt: Some(0.06),
                    busy: 0.06,
                    idle,
                    ..of
                }
            };
            let of: Vec<Each> = (0..12).map(each).collect();
            let many = Many::of(&of).expect("they are many");
            many.with_open(Some(5.04)).with_open_of_all(all)
        };
        let slow = many(0.3, 5.04);
        let words = "; for 3.6 s of the 5.0 s in which they were open your command neither waited for them nor asked";
        assert!(slow.words(0).ends_with(words), "{}", slow.words(0));
        let part = slow.part(Some(5.8)).expect("it is little");
        let said = slow.words_of_part(0, part);
        assert!(
            said.contains("(50 % of their time, 12 % of the command's)"),
            "{said}"
        );
        assert_eq!(slow.part(Some(2.0)), None);
        assert_eq!(slow.part(None), None);
        for other in [many(0.01, 5.04), many(0.3, 9.0)] {
            assert!(!other.words(0).contains("nor asked"));
        }
        assert_eq!(
            many(0.3, 9.0).part(Some(5.8)),
            None,
            "they were side by side"
        );
    }

    /// 200 kB each at 8 Mbit/s, twenty at a time, 60 ms away: 44 round trips, one of them to be set up.
    #[test]
    fn a_set_up_that_takes_little_is_no_advice() {
        let each = |n: u16| Each {
            ports: [7000, 40_000 + n],
            sent: 200_000,
            rtt: Some(0.06),
            busy: 0.06 * 43.0,
            ..plain()
        };
        let all: Vec<Each> = (0..20).map(each).collect();
        let many = Many::of(&all).expect("they are many");
        assert!(many.is_little());
        let said = many.words(1);
        assert!(said.ends_with("(2 % of their time)"), "{said}");
    }

    /// Twenty at once to a program that takes one after the other: of 1.2 s that the server had each, 0.66 s went by before it was taken.
    #[test]
    fn the_accept_queue_is_a_part_of_the_servers_time() {
        let said = |queued: f64| {
            let each = |n: u16| {
                let of = Each::numbered(n, 7000, 5000);
                Each {
                    rtt: Some(0.06),
                    busy: 1.26,
                    queued,
                    ..of.with_served(Some(1.2))
                }
            };
            let all: Vec<Each> = (0..20).map(each).collect();
            Many::of(&all).expect("they are many").words(0)
        };
        let words = "your command waited for the server 91 % of their time, 50 % at least in its accept queue";
        assert!(said(0.66).contains(words), "{}", said(0.66));
        assert!(!said(0.0).contains("accept queue"));
    }

    /// Six connections one after another, 100 ms away, each with a request that a server keeps for the 0.85 s that its client waits; and the same
    /// where nobody saw what the client slept in.
    #[test]
    fn requests_that_are_never_answered_are_the_servers() {
        let of = |count: u16, unheard: Unheard| {
            let each = |n: u16| {
                let of = Each::numbered(n, 7000, 200);
                let each = Each {
                    rtt: Some(0.1),
                    busy: 0.05,
                    ..of
                };
                each.with_served(Some(0.0)).with_unheard(unheard)
            };
            let all: Vec<Each> = (0..count).map(each).collect();
            Many::of(&all)
        };
        let awaited = Unheard::Awaited {
            seconds: 0.85,
            is_unanswered: true,
        };
        let six = of(6, awaited).expect("they are many");
        assert_eq!(six.unanswered, 6);
        assert!((six.server_s - 5.1).abs() < 1e-9 && six.is_little());
        let said = six.words(0);
        let words = "port 7000: your command waited for the server 85 % of their time: 6 requests were not answered before your command closed; each took 1.5 round trips";
        assert!(said.contains(words), "{said}");
        assert!(!said.contains("kept open"), "{said}");
        let unknown = of(6, Unheard::Unknown(0.85, "nobody saw it"));
        let said = unknown.expect("they are many").words(0);
        let words = "at the end of 6 of them the server had all of it and sent nothing back, 5.1 s in all, and whether your command waited for \
                     that is unknown: nobody saw it";
        assert!(said.contains(words), "{said}");
        assert!(!said.contains("kept open"), "{said}");
        // One of which it is known, and others that were given up as soon.
        let alike = |seconds: f64| {
            let each = Each::of(["198.18.0.1:40000", "198.18.0.2:7000"], 200, None);
            let each = each.expect("they have ports");
            let unknown = Unheard::Unknown(seconds, "nobody saw it");
            let all = [awaited, unknown, unknown].map(|unheard| each.with_unheard(unheard));
            let settled = Each::settled(all.to_vec()).into_iter();
            settled.filter(|e| e.unheard.is_unanswered()).count()
        };
        assert_eq!((alike(0.8), alike(0.2)), (3, 1));
        let heard = of(6, Unheard::Nothing).expect("they are many").words(0);
        assert!(heard.ends_with("kept open spares it"), "{heard}");
    }

    /// Eight connections that the server closes at once, and one that it resets behind a part of its answer.
    #[test]
    fn connections_that_the_server_ends_are_counted() {
        let said = |closes: u16, resets: u16| {
            let each = |n: u16| {
                let of = Each::numbered(n, 7000, 200);
                let ending = match n {
                    n if n < closes => Some(Ending::ClosedUnanswered),
                    n if n < closes + resets => Some(Ending::Reset),
                    _ => None,
                };
                let each = Each {
                    rtt: Some(0.1),
                    busy: 0.05,
                    ..of
                };
                each.with_served(Some(0.0)).with_ending(ending)
            };
            let all: Vec<Each> = (0..10).map(each).collect();
            let many = Many::of(&all).expect("they are many");
            assert_eq!(many.closed_unanswered, u64::from(closes));
            assert_eq!(many.reset_answered, u64::from(resets));
            many.words(0)
        };
        let both = said(8, 1);
        let words = "port 7000: the server closed or reset 8 of them without an answer; the server reset 1 of them, which had sent something; each";
        assert!(both.contains(words), "{both}");
        assert!(!both.contains("kept open"), "{both}");
        assert!(said(4, 0).contains("kept open"), "{}", said(4, 0));
        assert!(!said(0, 0).contains("the server"));
    }

    /// Each of these on its sixth request.
    #[test]
    fn requests_that_the_server_closed_on_are_without_an_answer() {
        let each = |n: u16| {
            let plain = Each {
                ports: [40_000 + n, 7000],
                sent: 10,
                rtt: Some(0.04),
                busy: 0.22,
                served: Some(0.0),
                ..plain()
            };
            plain.with_ending(Some(Ending::ClosedOnRequest))
        };
        let all: Vec<Each> = (0..8).map(each).collect();
        let many = Many::of(&all).expect("they are many");
        assert_eq!(many.closed_unanswered, 8);
        let said = many.words(0);
        let words = "the server closed 8 of them without an answer to the last request, behind earlier answers";
        assert!(
            said.contains(words) && !said.contains("limit of requests"),
            "{said}"
        );
        assert!(!said.contains("kept open"), "{said}");
    }

    /// Thirty requests on six connections, of which the server closes each behind the fifth answer; and a request on each.
    #[test]
    fn a_limit_of_requests_for_each_connection_is_named() {
        let said = |answers: u64| {
            let each = |n: u16| Each {
                ports: [40_000 + n, 7000],
                sent: 200,
                rtt: Some(0.1),
                busy: 0.5,
                served: Some(0.0),
                behind: (n < 5).then_some(answers),
                ..plain()
            };
            let all: Vec<Each> = (0..6).map(each).collect();
            Many::of(&all).expect("they are many").words(0)
        };
        let limited = said(5);
        let words = "; the server closed 5 of them right behind its answer, after 5 requests each, as with a limit of requests for each: a higher one \
                     spares it";
        assert!(limited.contains(words), "{limited}");
        assert!(!limited.contains("kept open"), "{limited}");
        assert!(said(1).contains("a connection that is kept open spares it"));
    }

    #[test]
    fn many_small_connections_are_said_together() {
        let each = |n: u16| Each {
            ports: [40_000 + n, 7000],
            sent: 5000,
            rtt: (n > 0).then_some(0.06),
            busy: 0.06,
            ..plain()
        };
        let all: Vec<Each> = (0..40).map(each).collect();
        let many = Many::of(&all).expect("they are many");
        assert_eq!((many.connections, many.port, many.from), (40, 7000, false));
        assert_eq!(many.bytes_sent, 200_000);
        assert_eq!(
            many.words(0),
            "your command sent 200 kB over 40 connections to port 7000: each took 2.0 round trips, one of them to be set up (50 % of \
             their time); a connection that is kept open spares it"
        );
        let seldom = many.words_of_part(0, 0.2);
        let words = "(50 % of their time, 10 % of the command's); a connection that is kept open";
        assert!(seldom.contains(words), "{seldom}");
        assert_eq!(Many::of(&all[..9]), None, "they are few");
        let followed = |n: u16, busy: f64| Each {
            busy,
            ..each(n).with_served(Some(0.0))
        };
        let few = |count: u16, busy: f64| {
            let all: Vec<Each> = (1..=count).map(|n| followed(n, busy)).collect();
            Many::of(&all).map(|many| many.words(0))
        };
        // Frames say of each what it waited for.
        let six = few(6, 0.06).expect("they are short");
        let words = "over 6 connections to port 7000: each took 2.0 round trips, one of them to be set up (50 % of their time)";
        assert!(six.contains(words), "{six}");
        assert_eq!(few(4, 0.06), None);
        // The first one has the whole handshake of TLS.
        let unlike = |sent: u64| {
            let first = Each {
                sent,
                ..followed(0, 0.06)
            };
            let rest = (1..=11).map(|n| followed(n, 0.06));
            let all: Vec<Each> = [first].into_iter().chain(rest).collect();
            Many::of(&all).map(|many| many.connections)
        };
        assert_eq!((unlike(15_000), unlike(55_000)), (Some(12), Some(12)));
        assert_eq!(unlike(55_001), None, "the largest says more");
        assert_eq!(few(6, 6.0), None, "they are long");
        let one = Each {
            sent: 1_000_000,
            ..each(41)
        };
        assert_eq!(Many::of(&[&all[..], &[one]].concat()), None, "one had most");
        assert_eq!(Many::of(&[]), None);
    }
}
