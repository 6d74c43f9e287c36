//! Bare rates: what was delivered in each interval, and nothing of the sender.
//!
//! They tell one thing by themselves: a start-up whose rate grows by half or more from one round trip to the next, as
//! only slow start does. All else is unknown until the path or a host says that it was full.

use farpath_units::Time;

use crate::connection::Connection;
use crate::stretch::{Limit, Stretch};

/// A start-up grows this much from one round trip to the next.
const GROWS: f64 = 1.5;

/// The intervals from `from` on, taken together to a round trip at least.
pub(crate) fn stretches(connection: &Connection, from: Time) -> Vec<Stretch> {
    let every = connection.every;
    let Some((first, _)) = connection.intervals.first().copied() else {
        return Vec::new();
    };
    let round = connection.round();
    let together = round.as_ps().div_ceil(every.as_ps().max(1)).max(1) as usize;
    let mut all = Vec::new();
    let mut begun = Time::from_ps(first.as_ps().saturating_sub(every.as_ps()));
    let (mut starting, mut before) = (true, 0.0);
    let over = connection.finished + every;
    let end = match connection.delivered {
        0 => connection.intervals.len(),
        _ => connection.intervals.partition_point(|(t, _)| *t < over),
    };
    for chunk in connection.intervals[..end].chunks(together) {
        let Some((until, _)) = chunk.last().copied() else {
            break;
        };
        let bytes: u64 = chunk.iter().map(|(_, bytes)| bytes).sum();
        let rate = bytes as f64 / until.since(begun).as_secs_f64();
        starting &= before == 0.0 || rate >= GROWS * before;
        before = rate;
        if until > from {
            let limit = match starting && rate > 0.0 {
                true => Limit::CwndSlowStart,
                false => Limit::Unknown,
            };
            all.push(Stretch::whole(begun, until, limit));
        }
        begun = until;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::{Surroundings, shares};
    use farpath_units::Duration;

    #[test]
    fn a_doubling_rate_is_slow_start_and_the_rest_is_unknown() {
        let bytes = [0, 0, 10, 20, 40, 80, 100, 100, 100, 200];
        let at = |n: usize| Time::ZERO + Duration::from_secs(n as u64);
        let seen = Connection {
            every: Duration::from_secs(1),
            finished: at(10),
            delivered: 650,
            intervals: bytes
                .iter()
                .enumerate()
                .map(|(n, b)| (at(n + 1), *b))
                .collect(),
            ..Connection::default()
        };
        let all = shares(&seen, Time::ZERO, &Surroundings::default());
        assert_eq!(all["cwnd_slow_start"], 0.4);
        assert_eq!(all["unknown"], 0.6, "nothing delivered says nothing");
        assert_eq!(
            shares(&seen, at(6), &Surroundings::default())["unknown"],
            1.0
        );
    }
}
