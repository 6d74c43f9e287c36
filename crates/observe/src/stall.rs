//! When nothing new was delivered: runs of empty intervals between others. Every origin has intervals, and one rule holds for all.

use farpath_units::{Duration, Time};

use crate::connection::Connection;
use crate::span::Span;

/// A shorter one is not a stall.
const LEAST: Duration = Duration::from_ms(200);

/// A run of intervals in which nothing was delivered, behind one in which something was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stall {
    /// When the interval with the last delivery before it began, and ended.
    last: (Time, Time),
    /// When the interval with the next delivery began, and ended; both the end of the last interval where none came.
    next: (Time, Time),
}

impl Stall {
    /// Its empty intervals, from an instant on: nothing was delivered for so long at least.
    fn least(&self, from: Time) -> Duration {
        self.next.0.since(self.last.1.max(from))
    }

    /// Nothing was delivered for so long at most.
    fn most(&self, from: Time) -> Duration {
        self.next.1.since(self.last.0.max(from))
    }
}

/// All of a connection's, in order.
fn all(connection: &Connection) -> Vec<Stall> {
    let mut all = Vec::new();
    let mut last: Option<(Time, Time)> = None;
    let mut before = connection.opened;
    let mut is_empty = false;
    for (end, bytes) in &connection.intervals {
        if *bytes == 0 {
            is_empty = true;
        } else {
            let next = (before, *end);
            all.extend(last.filter(|_| is_empty).map(|last| Stall { last, next }));
            (last, is_empty) = (Some(next), false);
        }
        before = *end;
    }
    let next = (before, before);
    all.extend(last.filter(|_| is_empty).map(|last| Stall { last, next }));
    all
}

/// The longest in the measurement, by its whole empty intervals: the gap itself lasts longer, by less than two intervals, and one of
/// less than two may leave no empty interval. None where it is shorter than a round trip, in which a window leaves
/// pauses of its own, or than 200 ms. What a test waits for at its start is none, nor what comes behind its last byte.
pub(crate) fn longest(connection: &Connection, span: &Span) -> Option<Duration> {
    let from = span.from();
    let clock = span.duration.map_or(Time::MAX, |duration| from + duration);
    let is_over = connection.is_complete() && !connection.waits_at_clock(span);
    let until = match is_over {
        true => clock.min(connection.end()),
        false => clock,
    };
    let inside = |stall: Stall| stall.next.0.min(until).since(stall.last.1.max(from));
    let longest = all(connection).into_iter().map(inside).max();
    longest.filter(|stall| *stall >= LEAST.max(connection.round()))
}

/// For how long nothing new was delivered because of times in which the path was `down`: at least, and at most. What was under way then
/// still arrives for a round trip, or for two through a queue.
pub(crate) fn of_outages(
    connection: &Connection,
    down: impl Iterator<Item = (Time, Time)>,
) -> (Duration, Duration) {
    let all = all(connection);
    let round = connection.round();
    let mut behind = Time::ZERO;
    let (mut least, mut most) = (Duration::ZERO, Duration::ZERO);
    for (start, end) in down {
        let latest = end.max(start + round.times(2));
        let first = all.partition_point(|stall| stall.next.0 <= start.max(behind));
        let near = all[first..].iter().take_while(|s| s.last.1 <= latest);
        let its_own = near.filter(|s| s.last.1 <= end || s.most(start) >= round);
        if let Some(stall) = its_own.max_by_key(|s| s.least(start)) {
            least += stall.least(start);
            most += stall.most(start);
            behind = stall.next.0;
        }
    }
    (least, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::RoundTrips;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// Intervals of 100 ms from the start on, of which these, counted from 1, were empty; a round trip of 300 ms.
    fn seen(empty: &[u64]) -> Connection {
        let bytes = |n: u64| u64::from(!empty.contains(&n)) * 1000;
        Connection {
            rtt: Some(RoundTrips {
                min_ns: 3e8,
                avg_ns: 3e8,
                max_ns: 3e8,
                smoothed: false,
            }),
            intervals: (1..=40).map(|n| (at(n * 100), bytes(n))).collect(),
            ..Connection::default()
        }
    }

    /// Down from 1.0 s to 1.1 s. What was under way arrives until 1.3 s, and more from 2.15 s on.
    #[test]
    fn what_was_under_way_in_an_outage_still_arrives() {
        let seen = seen(&[14, 15, 16, 17, 18, 19, 20, 21]);
        let of = |start, end| of_outages(&seen, [(at(start), at(end))].into_iter());
        let ms = Duration::from_ms;
        assert_eq!(of(1000, 1100), (ms(800), ms(1000)));
        // From when it went down, and not for what was before.
        assert_eq!(of(1600, 2000), (ms(500), ms(600)));
        assert_eq!(of(2500, 2600), (ms(0), ms(0)), "it was over");
        assert_eq!(of(300, 400), (ms(0), ms(0)), "long before");
        let twice = [(at(1000), at(1100)), (at(1400), at(1500))];
        let twice = of_outages(&seen, twice.into_iter());
        assert_eq!(twice, (ms(800), ms(1000)), "one stall");
    }

    /// Bytes at 2.1 s and 4.28 s: intervals of a second show one of the 2.18 s between, and intervals of two seconds nothing.
    #[test]
    fn a_stall_is_its_whole_empty_intervals() {
        let of = |width: u64| {
            let bytes = |n: u64| u64::from(n * width < 2100 + width || n * width > 4280) * 1000;
            let seen = Connection {
                intervals: (1..=8000 / width)
                    .map(|n| (at(n * width), bytes(n)))
                    .collect(),
                ..seen(&[])
            };
            let span = Span {
                start: Time::ZERO,
                omit: Duration::ZERO,
                duration: None,
            };
            super::longest(&seen, &span).map(|stall| stall.as_ns() / 1_000_000)
        };
        assert_eq!(of(1000), Some(1000));
        assert_eq!(of(2000), None);
    }

    #[test]
    fn the_longest_stall_is_of_the_measurement() {
        let longest = |seen: &Connection, omit, duration: Option<u64>| {
            let span = Span {
                start: Time::ZERO,
                omit: Duration::from_ms(omit),
                duration: duration.map(Duration::from_ms),
            };
            super::longest(seen, &span).map(|stall| stall.as_ns() / 1_000_000)
        };
        let twice = seen(&[1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 21, 22, 23]);
        assert_eq!(longest(&twice, 0, None), Some(400), "not that of the start");
        assert_eq!(longest(&twice, 1100, None), Some(300));
        assert_eq!(longest(&twice, 1100, Some(1100)), Some(300));
        assert_eq!(longest(&twice, 1500, Some(700)), None, "of a part");
        assert_eq!(longest(&seen(&[11, 12]), 0, None), None, "a window's pause");
        // Nothing came behind 1 s: of a transfer that is over that is none.
        let rest: Vec<u64> = (11..=40).collect();
        let mut dead = seen(&rest);
        dead.finished = at(1000);
        assert_eq!(longest(&dead, 0, Some(4000)), Some(3000));
        dead.delivered = 10_000;
        assert_eq!(longest(&dead, 0, Some(4000)), None);
        dead.until_clock = true;
        assert_eq!(longest(&dead, 0, Some(4000)), Some(3000));
    }
}
