//! What limited a connection, in three stages: what held the sender back in each stretch of time, by the best
//! evidence there is; what overrules that, by evidence from the path and the hosts; and shares of all the time.
//!
//! 1. A reader of one kind of evidence makes [`Stretch`]es: a simulated sender's own account comes as stretches
//!    already; `timers` reads the kernel's `TCP_INFO`, `flights` what a capture shows, `rates` bare rates. Windows that are full
//!    behind the holes of a long repair are the repair's (`long_repair`), and waits for a timer that ran out are the timeout's (`timeouts`).
//! 2. A stretch in which a link of the path was full is that link's, the narrowest of several. One in which a processor or disk of
//!    its hosts had hardly a pause is theirs, whatever link others fill ([`Path::full`], `timers`). Stretches are taken together to a round trip at least
//!    before that is judged, so that it does not depend on how fine the evidence is. Where a policer or an MTU took most of
//!    what was dropped on the path, the time spent on losses is theirs. A link that others fill is not what limits
//!    a connection that random losses or a policer keep small, nor one that gets next to nothing and waits for its timer.
//!    Where nothing was delivered, what took it all limited.
//!    A connection that gets all that its application lets it pace at waits for no link.
//!    What is left to the window of an algorithm with a model of the path is its own pace.
//! 3. Shares of the sum, which add up to 1. Time in which a link of the path was down, and what followed until the sender
//!    was heard again, is in none of them: [`outage`] says how much that is, and `outage_ratio` of records.

use std::collections::BTreeMap;

use farpath_record::WAS_DOWN;
use farpath_units::{Duration, Time};

use crate::connection::Connection;
use crate::path::{Path, Taken};
use crate::stretch::{IN_FLIGHT, OTHERS, sum};
pub use crate::stretch::{Limit, Stretch, WORDS, largest};
pub use crate::surroundings::{Hosts, Surroundings};
use crate::{flights, long_repair, rates, stall, timeouts, timers};

/// Shares of a connection's time from `from` on by what limited it; they add up to 1. Empty where nothing was seen.
pub fn shares(
    connection: &Connection,
    from: Time,
    around: &Surroundings<'_>,
) -> BTreeMap<String, f64> {
    sum(&account(connection, from, around))
}

/// What limited a connection from `from` on, stretch by stretch in order. Empty where nothing was seen.
pub fn account(connection: &Connection, from: Time, around: &Surroundings<'_>) -> Vec<Stretch> {
    let stretches = stretches(connection, from, around.path.is_some());
    let stretches = long_repair::settled(stretches, connection);
    let stretches = timeouts::settled(stretches, connection);
    let path = around.path.as_ref();
    let taken = path.map_or(Taken::Otherwise, |path| path.taken(connection.delivered));
    let known = Known {
        taken,
        starves: starves(&stretches, connection, from, around),
        keeps_pace: keeps_pace(&stretches, connection),
    };
    let stretches = joined(&stretches, connection.round()).into_iter();
    let down = path.map_or(&[][..], |path| &path.down);
    let overruled = stretches.map(|stretch| {
        let lost = connection.down(down, stretch.from, stretch.until);
        overrule(&stretch, connection, around, known).scaled(1.0 - lost)
    });
    overruled.collect()
}

/// What outages of its path cost a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outage {
    /// Time in which the path was down.
    pub down: Duration,
    /// The time in which nothing came through because of it: what followed until the sender's timer ran out is in it.
    pub silent: Duration,
    /// The time in which nothing new was delivered because of it, by the intervals in which that was so. Zero where they do not show it.
    pub undelivered: Duration,
    /// By how much `undelivered` may be too short: it began and ended within intervals.
    pub within: Duration,
    /// `silent` of all the connection's time, 0 to 1.
    pub share: f64,
    /// Whether the sender's timer is known never to have run out, so that nothing waited for it.
    pub without_timer: bool,
}

/// A smaller share of silence is not mentioned beside what limited more.
const OUTAGE_LEAST: f64 = 0.01;

/// What may be too short by more than one in so many is said as a range.
const CLOSE: u64 = 20;

impl Outage {
    /// What is said of it; none where it is too short to matter.
    pub fn words(&self) -> Option<String> {
        if self.share < OUTAGE_LEAST {
            return None;
        }
        let down = format!("{:.1}", self.down);
        let percent = format!("{:.0} % of the time", 100.0 * self.share);
        let waited = |who: &str| match self.without_timer {
            true => String::new(),
            false => format!(": {who} waited for its timer"),
        };
        if let Some(undelivered) = self.undelivered_words() {
            return Some(format!(
                "{WAS_DOWN}{down}, and nothing new was delivered for {undelivered} ({percent} without an answer){}",
                waited("the sender")
            ));
        }
        let silent = format!("{:.1}", self.silent);
        Some(match self.silent > self.down && silent != down {
            true => format!(
                "{WAS_DOWN}{down}, and the sender heard nothing for {silent} ({percent}){}",
                waited("it")
            ),
            false => format!("{WAS_DOWN}{down} ({percent})"),
        })
    }

    /// For how long nothing new was delivered, where that was longer than the path was down.
    fn undelivered_words(&self) -> Option<String> {
        let (least, most) = (self.undelivered, self.undelivered + self.within);
        let is_longer = least > self.down || self.silent > self.down && most > self.down;
        if least == Duration::ZERO || !is_longer {
            return None;
        }
        let [least, most] = [least, most].map(|d| format!("{d:.1}"));
        Some(match self.within.times(CLOSE) > self.undelivered {
            true => format!("{least} to {most}"),
            false => least,
        })
    }
}

/// What outages cost a connection from `from` on.
pub fn outage(connection: &Connection, from: Time, around: &Surroundings<'_>) -> Outage {
    let Some(path) = around.path.as_ref().filter(|p| !p.down.is_empty()) else {
        return Outage::default();
    };
    let all = stretches(connection, from, true);
    let (Some(first), Some(last)) = (all.first(), all.last()) else {
        return Outage::default();
    };
    let total: f64 = all.iter().map(Stretch::total).sum();
    let lost = |s: &Stretch| connection.down(&path.down, s.from, s.until) * s.total();
    let silent: f64 = all.iter().map(lost).sum();
    let within = |(start, end): &(Time, Time)| {
        let (start, end) = ((*start).max(first.from), (*end).min(last.until));
        end.since(start.min(end))
    };
    let sum = |times: &mut dyn Iterator<Item = Duration>| times.fold(Duration::ZERO, |a, b| a + b);
    let seen = path
        .down
        .iter()
        .filter(|(start, end)| *start < last.until && *end > first.from);
    let (undelivered, most) = stall::of_outages(connection, seen.copied());
    Outage {
        down: sum(&mut path.down.iter().map(within)),
        undelivered,
        within: most.saturating_sub(undelivered),
        silent: Duration::from_secs_f64(silent),
        share: silent / total.max(f64::MIN_POSITIVE),
        without_timer: connection.rtos == Some(0),
    }
}

/// Stage 1: by the best evidence there is.
fn stretches(connection: &Connection, from: Time, known_path: bool) -> Vec<Stretch> {
    if !connection.account.is_empty() {
        let of = connection.account.iter().filter(|s| s.until > from);
        return of.copied().collect();
    }
    if connection.samples.iter().any(|s| s.timers.is_some()) {
        return timers::stretches(connection, from, known_path);
    }
    if !connection.flights.is_empty() {
        return flights::stretches(connection, from);
    }
    rates::stretches(connection, from)
}

/// Stretches taken together to `round` at least, where they follow each other; without those of no time.
fn joined(stretches: &[Stretch], round: Duration) -> Vec<Stretch> {
    let mut all: Vec<Stretch> = Vec::new();
    for next in stretches.iter().filter(|s| s.total() > 0.0) {
        match all.last_mut() {
            Some(last) if last.until == next.from && last.until.since(last.from) < round => {
                last.until = next.until;
                for (limit, ..) in WORDS {
                    last.add(limit, next.spent(limit));
                }
                last.idle += next.idle;
            }
            _ => all.push(*next),
        }
    }
    all
}

/// What the congestion window accounts for.
const CONGESTION: [Limit; 3] = [Limit::CwndSlowStart, Limit::CwndRecovery, Limit::Loss];

/// The same with what nobody explains.
const WINDOW: [&[Limit]; 2] = [&CONGESTION, &[Limit::Unknown]];

/// What is known of a connection over all of its time.
#[derive(Clone, Copy)]
struct Known {
    taken: Taken,
    starves: bool,
    keeps_pace: bool,
}

/// Stage 2: what a full link takes of each interval, then a busy host, then who took what was lost.
fn overrule(
    stretch: &Stretch,
    connection: &Connection,
    around: &Surroundings<'_>,
    known: Known,
) -> Stretch {
    let taken = known.taken;
    let (from, until) = (stretch.from, stretch.until);
    let path = around.path.as_ref();
    let hosts = || around.hosts.as_ref().and_then(|busy| busy(from, until));
    let busy = timers::busy(connection, from, until).or_else(hosts);
    let mut left = *stretch;
    let mut given = Stretch::new(from, until);
    // Nobody waits for a link in it: it is the application's, whatever another's packets wait for.
    let idle = left.idle.min(left.spent(Limit::Application));
    left.spent[Limit::Application as usize] -= idle;
    let paced = match known.keeps_pace {
        true => std::mem::take(&mut left.spent[Limit::Pacing as usize]),
        false => 0.0,
    };
    let held = |path: &&Path<'_>| is_held_elsewhere(connection, path, taken, (from, until));
    let is_hosts =
        |path: &&Path<'_>| busy.is_some() && is_filled_by_others(connection, path, (from, until));
    let limiting = path.filter(|path| !known.starves && !held(path) && !is_hosts(path));
    let full = |path: &Path<'_>| path.full(from, until, connection.round());
    for (full, share) in limiting.map_or_else(BTreeMap::new, full) {
        // A full link is waited for with a window that might be larger: that time is its first.
        let mut wanted = share * stretch.total();
        // What waits short of the brim may be the rest of a window that went out in one burst, and what nobody explains may be that window.
        let (windows, others): (&[&[_]], &[&[_]]) = match full.to_the_brim {
            true => (&WINDOW, &[&IN_FLIGHT, &OTHERS]),
            false => (&[&CONGESTION], &[&OTHERS]),
        };
        wanted -= left.take(windows, wanted, full.limit, &mut given);
        if full.waits {
            left.take(others, wanted, full.limit, &mut given);
        }
    }
    left.add(Limit::Application, idle);
    left.add(Limit::Pacing, paced);
    let all = f64::INFINITY;
    if let Some(limit) = busy {
        left.take(&WINDOW, all, limit, &mut given);
        left.take(&[&IN_FLIGHT, &OTHERS], all, limit, &mut given);
    } else if let Some(taker) = match taken {
        Taken::By(limit) => Some(limit),
        Taken::ByChance | Taken::Otherwise => connection.taker,
    } {
        let repairs = [Limit::Loss, Limit::CwndRecovery];
        left.take(&[&repairs], all, taker, &mut given);
        if taker == Limit::Mtu && connection.was_silent(from, until) {
            // What fills the windows is what the path swallowed.
            left.take(&[&IN_FLIGHT], all, taker, &mut given);
        }
    }
    if let Some(taker) = took_everything(connection, around) {
        left.take(&WINDOW, all, taker, &mut given);
    }
    if connection.paces_by_model {
        left.take(&[&[Limit::CwndRecovery]], all, Limit::Pacing, &mut given);
    }
    for (limit, ..) in WORDS {
        given.add(limit, left.spent(limit));
    }
    given
}

/// Of what its path carries: a connection that got less has next to nothing.
const NEXT_TO_NOTHING: f64 = 1e-3;

/// Whether from `from` on a connection got next to nothing through a path that others fill, and spent most of its time on timeouts. It waits
/// for its timer and not for the link, whose queue drops what it sends.
fn starves(
    stretches: &[Stretch],
    connection: &Connection,
    from: Time,
    around: &Surroundings<'_>,
) -> bool {
    let all: f64 = stretches.iter().map(Stretch::total).sum();
    let repairs: f64 = stretches.iter().map(|s| s.spent(Limit::Loss)).sum();
    let seen = connection.between(from, Time::MAX);
    let (Some(path), Some((last, _))) = (around.path.as_ref(), seen.last()) else {
        return false;
    };
    let bytes: u64 = seen.iter().map(|(_, bytes)| bytes).sum();
    2.0 * repairs > all && (bytes as f64) < NEXT_TO_NOTHING * path.capacity(from, *last)
}

/// Of the pace that an application allows: what gets as much gets all of it, but for what is on its way.
const ALL_OF_PACE: f64 = 0.995;

/// Whether a connection got all that its application lets it pace at while its pace held it back. It waited for no link then, however
/// busy that was.
fn keeps_pace(stretches: &[Stretch], connection: &Connection) -> bool {
    let Some(pace) = connection.pace else {
        return false;
    };
    let mut runs: Vec<(Time, Time)> = Vec::new();
    let paced = |s: &&Stretch| 2.0 * s.spent(Limit::Pacing) > s.total();
    for stretch in stretches.iter().filter(paced) {
        match runs.last_mut() {
            Some((_, until)) if *until == stretch.from => *until = stretch.until,
            _ => runs.push((stretch.from, stretch.until)),
        }
    }
    let (mut bytes, mut seconds) = (0.0, 0.0);
    for (from, until) in runs {
        let seen = connection.between(from, until.next());
        bytes += seen.iter().map(|(_, bytes)| *bytes as f64).sum::<f64>();
        seconds += connection.every.as_secs_f64() * seen.len() as f64;
    }
    seconds > 0.0 && bytes * 8.0 >= ALL_OF_PACE * pace.as_bps() as f64 * seconds
}

/// Whether random losses or a policer hold a connection back on a link that others fill: it carries less than half of
/// what the link can, and they took what was lost.
fn is_held_elsewhere(
    connection: &Connection,
    path: &Path<'_>,
    taken: Taken,
    (from, until): (Time, Time),
) -> bool {
    let bytes = || delivered(connection, (from, until)) as f64;
    matches!(taken, Taken::By(Limit::Policer) | Taken::ByChance)
        && connection.retransmits.is_some_and(|n| n > 0)
        && bytes() < path.capacity(from, until) / 2.0
}

/// Whether others fill the link that was full: it is known what a connection carried, and that is less than half of what the link
/// can. A host of its own without a pause comes before such a link.
fn is_filled_by_others(
    connection: &Connection,
    path: &Path<'_>,
    (from, until): (Time, Time),
) -> bool {
    let is_known = !connection.between(from, until.next()).is_empty();
    let part = |capacity: f64| (delivered(connection, (from, until)) as f64) < capacity / 2.0;
    let carries = || path.full_capacity(from, until, connection.round());
    is_known && carries().is_some_and(part)
}

/// Bytes that a connection delivered in the intervals that end between two instants.
fn delivered(connection: &Connection, (from, until): (Time, Time)) -> u64 {
    let own = connection.between(from, until.next()).iter();
    own.map(|(_, bytes)| bytes).sum()
}

/// What kept everything back, where nothing was delivered.
fn took_everything(connection: &Connection, around: &Surroundings<'_>) -> Option<Limit> {
    let lost = || {
        connection
            .rtos
            .is_some_and(|n| n > 0)
            .then_some(Limit::Loss)
    };
    if connection.delivered > 0 {
        return None;
    }
    let Some(path) = around.path.as_ref() else {
        return connection.taker;
    };
    path.took_everything().or_else(lost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::{Dropped, Hop, Interval};
    use farpath_units::Rate;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn connection(stretches: &[(u64, u64, Limit)]) -> Connection {
        let stretch = |s: &(u64, u64, Limit)| Stretch::whole(at(s.0), at(s.1), s.2);
        Connection {
            account: stretches.iter().map(stretch).collect(),
            delivered: 1,
            ..Connection::default()
        }
    }

    #[test]
    fn words_stand_at_their_places_and_are_read_back() {
        for (n, (limit, name, _)) in WORDS.iter().enumerate() {
            assert_eq!(*limit as usize, n, "{name}");
            assert_eq!(Limit::named(name), Some(*limit));
        }
        assert_eq!(Limit::named("rate"), None);
    }

    #[test]
    fn an_account_begins_with_the_measurement() {
        let seen = connection(&[
            (0, 100, Limit::CwndSlowStart),
            (100, 200, Limit::ReceiveWindow),
            (200, 300, Limit::Application),
        ]);
        let all = shares(&seen, Time::ZERO, &Surroundings::default());
        assert_eq!(all.len(), 3);
        let later = shares(&seen, at(100), &Surroundings::default());
        assert_eq!(later["receive_window"], 0.5);
        assert!(shares(&Connection::default(), at(0), &Surroundings::default()).is_empty());
    }

    /// Down from 2 s to 4 s, and heard again at 5 s: three of ten seconds belong to no limit, of every kind of evidence.
    #[test]
    fn time_in_which_the_path_was_down_is_of_no_limit() {
        let mut seen = connection(&[
            (0, 2000, Limit::ReceiveWindow),
            (2000, 5000, Limit::Loss),
            (5000, 10_000, Limit::CwndRecovery),
        ]);
        let heard = |second: u64| u64::from(second <= 2 || second >= 5) * 1000;
        seen.intervals = (1..=10).map(|s| (at(s * 1000), heard(s))).collect();
        let around = |down: Vec<(Time, Time)>| Surroundings {
            path: Some(Path {
                down,
                ..link(&[], Dropped::default())
            }),
            hosts: None,
        };
        let out = around(vec![(at(2000), at(4000))]);
        let cost = outage(&seen, at(0), &out);
        assert!((cost.share - 0.3).abs() < 1e-9);
        let seconds = Duration::from_secs;
        assert_eq!((cost.down, cost.silent), (seconds(2), seconds(3)));
        assert_eq!(
            cost.words().as_deref(),
            Some(
                "the path was down for 2.0 s, and nothing new was delivered for 2.0 s to 3.0 s (30 % of the time without an answer): the sender waited for its timer"
            )
        );
        // Whoever saw each frame knows better: one came 50 ms after the path went down, and the next at 4.65 s.
        let exact = Connection {
            pauses: Some(vec![
                (at(500), at(700)),
                (at(2050), at(4650)),
                (at(9900), Time::MAX),
            ]),
            ..seen.clone()
        };
        let cost = outage(&exact, at(0), &out);
        assert_eq!(cost.silent, Duration::from_ms(2600));
        assert_eq!((cost.undelivered, cost.within), (seconds(2), seconds(1)));
        assert_eq!(
            cost.words().as_deref(),
            Some(
                "the path was down for 2.0 s, and nothing new was delivered for 2.0 s to 3.0 s (26 % of the time without an answer): the sender waited for its timer"
            )
        );
        // Frames that a link held until it was up again need no timer.
        let held = Connection {
            rtos: Some(0),
            ..exact.clone()
        };
        let said = outage(&held, at(0), &out).words();
        assert!(said.is_some_and(|said| said.ends_with("(26 % of the time without an answer)")));
        let idle = around(vec![(at(6000), at(6500))]);
        assert_eq!(outage(&exact, at(0), &idle).silent, Duration::from_ms(500));
        let left = shares(&seen, at(0), &out);
        assert!(!left.contains_key("loss"), "{left:?}");
        assert!(
            (left["receive_window"] - 2.0 / 7.0).abs() < 1e-9,
            "{left:?}"
        );
        let whole = around(Vec::new());
        assert_eq!(outage(&seen, at(0), &whole), Outage::default());
        assert_eq!(Outage::default().words(), None);
        assert!((shares(&seen, at(0), &whole)["loss"] - 0.3).abs() < 1e-9);
        // Never heard again: all of the rest.
        let dead = around(vec![(at(2000), Time::MAX)]);
        let dead = outage(&seen, at(0), &dead);
        assert!((dead.share - 0.8).abs() < 1e-9);
        let words = dead.words().expect("it is most of the time");
        assert_eq!(words, "the path was down for 8.0 s (80 % of the time)");
    }

    /// Nothing was lost, and a window that a model of the path sets does not answer losses. What a full link or a policer takes is
    /// theirs as of any window.
    #[test]
    fn what_a_model_of_the_path_does_not_send_is_its_own_pace() {
        let mut seen = connection(&[
            (0, 100, Limit::CwndSlowStart),
            (100, 300, Limit::CwndRecovery),
            (300, 400, Limit::CwndRecovery),
        ]);
        seen.paces_by_model = true;
        let full = Interval {
            bytes: 1000,
            queue_bytes: 1,
        };
        let idle = Interval::default();
        let found = |intervals: &[Interval], dropped| {
            let around = Surroundings {
                path: Some(link(intervals, dropped)),
                hosts: None,
            };
            shares(&seen, Time::ZERO, &around)
        };
        let named = |shares: BTreeMap<String, f64>| shares.into_keys().collect::<Vec<_>>();
        let paced = found(&[idle, idle, idle, full], Dropped::default());
        assert_eq!(paced["pacing"], 0.5);
        assert_eq!(paced["link"], 0.25);
        assert_eq!(paced["cwnd_slow_start"], 0.25);
        let policed = Dropped {
            policed: 9,
            ..Dropped::default()
        };
        assert_eq!(named(found(&[], policed)), ["cwnd_slow_start", "policer"]);
    }

    /// A path of one link that carries 1000 bytes in an interval of 100 ms.
    fn link(intervals: &[Interval], dropped: Dropped) -> Path<'_> {
        Path {
            down: Vec::new(),
            notes: Vec::new(),
            back: Vec::new(),
            every: Duration::from_ms(100),
            hops: vec![Hop {
                name: "l a>b",
                own: false,
                waits_unseen: false,
                rates: vec![(Time::ZERO, Rate::from_bps(80_000).expect("a rate"))],
                intervals,
                dropped,
                frame_bytes: 0,
            }],
        }
    }

    #[test]
    fn a_full_link_overrules_and_a_busy_host_does_where_none_is() {
        let seen = connection(&[
            (0, 100, Limit::CwndRecovery),
            (100, 200, Limit::CwndRecovery),
        ]);
        let full = Interval {
            bytes: 1000,
            queue_bytes: 1,
        };
        let intervals = [full, Interval::default()];
        let path = link(&intervals, Dropped::default());
        let found = shares(
            &seen,
            Time::ZERO,
            &Surroundings {
                path: Some(path),
                hosts: Some(Box::new(|_, _| Some(Limit::Disk))),
            },
        );
        assert_eq!(found["link"], 0.5);
        assert_eq!(found["disk"], 0.5);
    }

    /// A link of 1000 bytes that others fill, and a host without a pause: the host's where the connection has a tenth of the link,
    /// the link's where it has most of it, or nobody knows how much it has.
    #[test]
    fn a_busy_host_comes_before_a_link_that_others_fill() {
        let full = [Interval {
            bytes: 1000,
            queue_bytes: 1,
        }];
        let found = |own_bytes: Option<u64>, busy: Option<Limit>| {
            let mut seen = connection(&[(0, 100, Limit::CwndRecovery)]);
            seen.intervals = own_bytes
                .map(|bytes| (at(100), bytes))
                .into_iter()
                .collect();
            let hosts: Hosts<'_> = Box::new(move |_, _| busy);
            let around = Surroundings {
                path: Some(link(&full, Dropped::default())),
                hosts: Some(hosts),
            };
            largest(&shares(&seen, Time::ZERO, &around))
        };
        let disk = Some(Limit::Disk);
        assert_eq!(found(Some(100), disk).as_deref(), Some("disk"));
        assert_eq!(found(Some(900), disk).as_deref(), Some("link"));
        assert_eq!(found(None, disk).as_deref(), Some("link"));
        assert_eq!(found(Some(100), None).as_deref(), Some("link"));
    }

    /// 96 % of a link with frames waiting are a burst of a sender that gets all of its pace, 72 kbit/s. Of one that asks for 80 they are
    /// all that the link carries.
    #[test]
    fn a_pace_that_is_kept_is_the_limit_beside_a_busy_link() {
        let mut seen = connection(&[(0, 100, Limit::Pacing), (100, 200, Limit::Pacing)]);
        seen.every = Duration::from_ms(100);
        seen.intervals = vec![(at(100), 900), (at(200), 900)];
        let busy = [Interval {
            bytes: 960,
            queue_bytes: 1,
        }; 2];
        let found = |pace: Option<u64>| {
            let asked = Connection {
                pace: pace.and_then(Rate::from_bps),
                ..seen.clone()
            };
            let path = Some(link(&busy, Dropped::default()));
            shares(&asked, Time::ZERO, &Surroundings { path, hosts: None })
        };
        assert_eq!(found(Some(72_000))["pacing"], 1.0);
        assert_eq!(found(Some(80_000))["link"], 1.0);
        assert_eq!(found(None)["link"], 1.0);
    }

    /// A link that others fill takes what waits with their packets, and not the time in which nothing is under way.
    #[test]
    fn idle_time_is_the_applications_on_a_full_link_too() {
        let mut seen = connection(&[(0, 100, Limit::Application)]);
        seen.account[0].set_idle(0.075);
        let full = [Interval {
            bytes: 1000,
            queue_bytes: 1,
        }];
        let found = |hosts| {
            let path = Some(link(&full, Dropped::default()));
            shares(&seen, Time::ZERO, &Surroundings { path, hosts })
        };
        let near = |shares: BTreeMap<String, f64>, wanted: [(&str, f64); 2]| {
            let apart = wanted.map(|(limit, share)| (shares[limit] - share).abs());
            assert!(apart.iter().all(|a| *a < 1e-9), "{shares:?}");
        };
        near(found(None), [("application", 0.75), ("link", 0.25)]);
        let disk: Hosts<'_> = Box::new(|_, _| Some(Limit::Disk));
        near(found(Some(disk)), [("disk", 0.75), ("link", 0.25)]);
    }

    #[test]
    fn losses_are_their_takers() {
        let seen = connection(&[
            (0, 100, Limit::CwndRecovery),
            (100, 200, Limit::Loss),
            (200, 400, Limit::Application),
        ]);
        let found = |dropped| {
            let around = Surroundings {
                path: Some(link(&[], dropped)),
                hosts: None,
            };
            shares(&seen, Time::ZERO, &around)
        };
        let policed = Dropped {
            policed: 9,
            queue: 2,
            ..Dropped::default()
        };
        assert_eq!(found(policed)["policer"], 0.5);
        let mtu = Dropped {
            mtu: 5,
            other: 5,
            ..Dropped::default()
        };
        assert_eq!(found(mtu)["loss"], 0.25, "half is not most");
        assert_eq!(
            found(Dropped {
                mtu: 6,
                other: 5,
                ..Dropped::default()
            })["mtu"],
            0.5
        );
    }

    /// One on which chance takes frames.
    fn lossy(intervals: &[Interval]) -> Path<'_> {
        let dropped = Dropped {
            other: 30,
            queue: 20,
            ..Dropped::default()
        };
        link(intervals, dropped)
    }

    #[test]
    fn random_losses_limit_on_a_link_that_others_fill() {
        let full = [Interval {
            bytes: 1000,
            queue_bytes: 10,
        }];
        let named = |own_bytes| {
            let mut seen = connection(&[(0, 100, Limit::CwndRecovery)]);
            seen.retransmits = Some(3);
            seen.intervals = vec![(at(100), own_bytes)];
            let around = Surroundings {
                path: Some(lossy(&full)),
                hosts: None,
            };
            largest(&shares(&seen, Time::ZERO, &around))
        };
        assert_eq!(named(90).as_deref(), Some("cwnd_recovery"));
        assert_eq!(named(900).as_deref(), Some("link"), "it fills it itself");
    }

    /// Its own access link loses 10 frames by chance, or by a policer; of the 100 that the queue of the next one dropped a
    /// tenth is its share, as it carried a tenth.
    #[test]
    fn losses_of_a_link_that_others_use_count_by_the_share_of_it() {
        let own = [Interval {
            bytes: 100,
            queue_bytes: 0,
        }];
        let shared = [Interval {
            bytes: 1000,
            queue_bytes: 10,
        }];
        let named = |lost: Dropped| {
            let mut seen = connection(&[(0, 100, Limit::CwndRecovery)]);
            (seen.retransmits, seen.delivered) = (Some(3), 100);
            seen.intervals = vec![(at(100), 100)];
            let queue = Dropped {
                queue: 100,
                ..Dropped::default()
            };
            let mut path = link(&own, lost);
            path.hops.extend(link(&shared, queue).hops);
            let around = Surroundings {
                path: Some(path),
                hosts: None,
            };
            largest(&shares(&seen, Time::ZERO, &around))
        };
        let by_chance = |other| Dropped {
            other,
            ..Dropped::default()
        };
        assert_eq!(named(by_chance(11)).as_deref(), Some("cwnd_recovery"));
        assert_eq!(named(by_chance(9)).as_deref(), Some("link"));
        let policed = Dropped {
            policed: 11,
            ..Dropped::default()
        };
        assert_eq!(named(policed).as_deref(), Some("policer"));
    }

    /// 100 Mbit/s x 20 s that others fill, in a class of a hundredth that a flood of 50 times as much fills as well: four timeouts,
    /// and nothing delivered. Scaled to a link of 10 kB/s: a byte in a hundred is no longer next to nothing.
    #[test]
    fn a_connection_that_waits_for_its_timer_beside_a_flood_has_its_losses() {
        let full = [Interval {
            bytes: 1000,
            queue_bytes: 10,
        }; 4];
        let queue = Dropped {
            queue: 100,
            ..Dropped::default()
        };
        let named = |own_bytes, limit| {
            let mut seen = connection(&[(0, 100, Limit::CwndRecovery), (100, 400, limit)]);
            (seen.retransmits, seen.rtos) = (Some(3), Some(3));
            (seen.delivered, seen.every) = (1000, Duration::from_ms(100));
            seen.intervals = (1..=4).map(|n| (at(100 * n), own_bytes)).collect();
            let around = Surroundings {
                path: Some(link(&full, queue)),
                hosts: None,
            };
            largest(&shares(&seen, Time::ZERO, &around))
        };
        assert_eq!(named(0, Limit::Loss).as_deref(), Some("loss"));
        assert_eq!(named(10, Limit::Loss).as_deref(), Some("link"));
        assert_eq!(named(0, Limit::CwndRecovery).as_deref(), Some("link"));
    }

    /// A full queue that took every SYN is not waited for.
    #[test]
    fn a_queue_that_drops_everything_is_a_loss() {
        let took = |dropped| link(&[], dropped).took_everything();
        let queue = Dropped {
            queue: 6,
            ..Dropped::default()
        };
        assert_eq!(took(queue), Some(Limit::Loss));
        let policed = Dropped {
            policed: 7,
            ..queue
        };
        assert_eq!(took(policed), Some(Limit::Policer));
        assert_eq!(took(Dropped::default()), None);
    }

    #[test]
    fn what_took_everything_limits() {
        let named = |delivered| {
            let mut seen = connection(&[(0, 100, Limit::CwndSlowStart)]);
            seen.delivered = delivered;
            let around = Surroundings {
                path: Some(lossy(&[])),
                hosts: None,
            };
            largest(&shares(&seen, Time::ZERO, &around))
        };
        assert_eq!(named(0).as_deref(), Some("loss"));
        assert_eq!(named(1).as_deref(), Some("cwnd_slow_start"));
    }

    #[test]
    fn a_window_full_of_what_an_mtu_took_is_the_mtus() {
        let dropped = Dropped {
            mtu: 6,
            ..Dropped::default()
        };
        let mut seen = connection(&[
            (0, 100, Limit::ReceiveWindow),
            (100, 200, Limit::ReceiveWindow),
        ]);
        seen.intervals = vec![(at(100), 0), (at(200), 10)];
        (seen.every, seen.delivered) = (Duration::from_ms(100), 10);
        let around = Surroundings {
            path: Some(link(&[], dropped)),
            hosts: None,
        };
        let found = shares(&seen, Time::ZERO, &around);
        assert_eq!((found["mtu"], found["receive_window"]), (0.5, 0.5));
    }

    #[test]
    fn the_first_of_equal_shares_is_named() {
        let shares = |list: &[(&str, f64)]| {
            let shares = list.iter().map(|(n, s)| ((*n).to_owned(), *s));
            largest(&shares.collect())
        };
        assert_eq!(
            shares(&[("nic", 0.4), ("link", 0.6)]).as_deref(),
            Some("link")
        );
        assert_eq!(
            shares(&[("nic", 0.5), ("link", 0.5)]).as_deref(),
            Some("link")
        );
        assert_eq!(shares(&[]), None);
    }
}
