//! Whose turn it was to send in a conversation of requests and answers, by what its two ends counted.

use farpath_units::{Duration, Time};

/// One end of a connection in a round of samples.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct End {
    /// Both ends are sampled in each round.
    pub(super) round: usize,
    pub(super) t: Time,
    /// Bytes sent so far, each once.
    pub(super) sent: u64,
    /// Bytes acknowledged so far; the SYN counts as one to who opened the connection.
    pub(super) acked: u64,
    /// Bytes received so far.
    pub(super) received: u64,
    /// Bytes written and not sent yet.
    pub(super) unsent: u64,
    /// Since it sent data.
    pub(super) since_sent: Duration,
}

/// Shares of the time in which neither end had more to send than it could; they add up to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Turns {
    /// That time, in seconds.
    pub(super) time: f64,
    /// It was the first end's turn to send.
    pub(super) own: f64,
    /// It was the other's.
    pub(super) other: f64,
    /// A request or an answer was on the way to the end whose turn came.
    pub(super) way: f64,
}

/// Whose turn it was, by samples of both ends in order; none where neither was seen to wait. The turn is of the end that
/// sends next, from when it has all that the other has sent.
pub(super) fn turns(own: &[End], other: &[End]) -> Option<Turns> {
    let both = |a: &End| {
        let found = other.binary_search_by_key(&a.round, |b| b.round);
        found.ok().map(|n| [*a, other[n]])
    };
    let rounds: Vec<[End; 2]> = own.iter().filter_map(both).collect();
    let mut turns = Turns::default();
    for (n, pair) in rounds.windows(2).enumerate() {
        let [now, then] = [&pair[0], &pair[1]];
        let seconds = then[0].t.since(now[0].t.min(then[0].t)).as_secs_f64();
        if now.iter().any(|end| end.unsent > 0) {
            continue;
        }
        turns.time += seconds;
        let Some(next) = next(&rounds[n..]) else {
            // Nobody sends any more: whose turn it would be is unknown.
            continue;
        };
        let arrives = now[1 - next].sent > now[next].received;
        match next {
            _ if arrives && last(now) != next => turns.way += seconds,
            0 => turns.own += seconds,
            _ => turns.other += seconds,
        }
    }
    let all = turns.own + turns.other + turns.way;
    (all > 0.0).then(|| Turns {
        time: turns.time,
        own: turns.own / all,
        other: turns.other / all,
        way: turns.way / all,
    })
}

/// The end that sends next after the first of some rounds: of two that have sent when they are sampled again, the one
/// that had not sent last.
fn next(rounds: &[[End; 2]]) -> Option<usize> {
    let first = rounds.first()?;
    let mut sent = rounds
        .iter()
        .map(|r| [0, 1].map(|n| r[n].sent > first[n].sent));
    match sent.find(|sent| *sent != [false; 2])? {
        [true, false] => Some(0),
        [false, _] => Some(1),
        [true, true] => Some(1 - last(first)),
    }
}

/// The end that has sent last.
fn last([a, b]: &[End; 2]) -> usize {
    usize::from(b.since_sent < a.since_sent)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    /// Samples of two ends every 50 ms. Each message is of 10 bytes: who sends it when, in ms; the path takes so long.
    fn ends(messages: &[(usize, u64)], takes: u64, until: u64) -> [Vec<End>; 2] {
        [0, 1].map(|end| {
            let of = |t: u64| {
                let sent = messages.iter().filter(|m| m.0 == end && m.1 <= t);
                let received = messages.iter().filter(|m| m.0 != end && m.1 + takes <= t);
                End {
                    round: (t / 50) as usize,
                    t: Time::from_ps(t * MS),
                    since_sent: Duration::from_ms(t - sent.clone().map(|m| m.1).max().unwrap_or(0)),
                    sent: 10 * sent.count() as u64,
                    acked: 0,
                    received: 10 * received.count() as u64,
                    unsent: 0,
                }
            };
            (0..until).step_by(50).map(of).collect()
        })
    }

    /// Requests of the first end, each `thinks` after the answer to the one before; the other takes `works` for an answer.
    fn asked(thinks: u64, works: u64, takes: u64) -> Turns {
        let (mut messages, mut t) = (Vec::new(), 7);
        while t < 20_000 {
            messages.extend([(0, t), (1, t + takes + works)]);
            t += takes + works + takes + thinks;
        }
        let [own, other] = ends(&messages, takes, 20_000);
        let found = turns(&own, &other).expect("a conversation");
        let mirror = turns(&other, &own).expect("a conversation");
        // The instant at which both ends have just sent is one end's.
        let apart = [found.own - mirror.other, found.other - mirror.own];
        assert!(apart.iter().all(|d| d.abs() < 0.01), "{found:?} {mirror:?}");
        assert_eq!((found.way, found.time), (mirror.way, mirror.time));
        assert!((found.time - 19.95).abs() < 1e-9, "all of it");
        found
    }

    #[test]
    fn the_time_of_a_request_is_of_the_end_that_has_it() {
        // Shares of thinking, working and two ways: a sample says where things are at one of some instants of each.
        for (thinks, works, takes) in [(0, 0, 100), (0, 300, 100), (150, 0, 100), (70, 130, 20)] {
            let all = (thinks + works + 2 * takes) as f64;
            let found = asked(thinks, works, takes);
            let pairs = [
                (found.own, thinks as f64 / all),
                (found.other, works as f64 / all),
                (found.way, 2.0 * takes as f64 / all),
            ];
            for (share, wanted) in pairs {
                assert!(
                    (share - wanted).abs() < 0.1,
                    "{thinks} {works} {takes}: {found:?}"
                );
            }
        }
    }

    /// Several exchanges between two samples.
    #[test]
    fn fast_requests_are_on_the_way_as_well() {
        let found = asked(0, 0, 9);
        assert!(found.way > 0.8, "{found:?}");
    }

    /// Nobody waits for an answer to what is on the way all the time.
    #[test]
    fn who_sends_again_without_an_answer_had_the_turn() {
        let messages: Vec<(usize, u64)> = (0..100).map(|n| (0, n * 120)).collect();
        let [own, other] = ends(&messages, 200, 12_000);
        let found = turns(&own, &other).expect("one sends");
        assert_eq!((found.own, found.other, found.way), (1.0, 0.0, 0.0));
        // The answer to a request in pieces, 200 ms apart.
        let mut messages = vec![(0, 0)];
        messages.extend((0..50).map(|n| (1, 100 + n * 200)));
        let [own, other] = ends(&messages, 100, 10_000);
        let found = turns(&own, &other).expect("both send");
        assert!(found.other > 0.95, "{found:?}");
    }

    #[test]
    fn where_nothing_is_counted_nothing_is_said() {
        assert_eq!(turns(&[], &[]), None);
        let [own, other] = ends(&[], 100, 1000);
        assert_eq!(turns(&own, &other), None);
    }
}
