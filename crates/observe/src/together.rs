//! What limited several connections that are one transfer. At each instant those that anything limits count alike, and so does each
//! instant: a connection that ended early says nothing of the time in which others still went on.

use std::collections::BTreeMap;

use farpath_units::{Duration, Time};

use crate::stretch::{Stretch, WORDS, sum};

/// A smaller sum of shares is what rounding leaves.
const MOMENT: f64 = 1e-9;

/// Shares, by name, of the time in which any of these connections was limited; they add up to 1. Each counts until its last byte came, at
/// `ends` in the same order: what its sender waits for after that keeps nothing back.
pub(crate) fn shares(accounts: &[Vec<Stretch>], ends: &[Time]) -> BTreeMap<String, f64> {
    let known = accounts.iter().zip(ends).flat_map(|(account, end)| {
        let all = account.iter().enumerate();
        let alone = account.len() == 1;
        all.filter_map(move |(n, stretch)| {
            let time = match alone {
                true => within_one(stretch, *end),
                false => within(n, stretch, *end),
            };
            Some((time?, stretch))
        })
    });
    let mut edges: Vec<(Time, f64, &Stretch)> = known
        .flat_map(|((from, until), stretch)| [(from, 1.0, stretch), (until, -1.0, stretch)])
        .collect();
    edges.sort_by_key(|(at, ..)| *at);
    let mut now = [0.0_f64; WORDS.len()];
    let mut all = Stretch::new(Time::ZERO, Time::ZERO);
    let mut before = Time::ZERO;
    for (at, sign, stretch) in edges {
        let limited: f64 = now.iter().sum();
        if limited > MOMENT {
            let seconds = at.since(before).as_secs_f64() / limited;
            for ((limit, ..), share) in WORDS.iter().zip(now) {
                all.add(*limit, seconds * share);
            }
        }
        let whole = stretch.total();
        for ((limit, ..), slot) in WORDS.iter().zip(&mut now) {
            *slot += sign * stretch.spent(*limit) / whole;
        }
        before = at;
    }
    sum(&[all])
}

/// When a connection was at work in its stretch number `n`, as long as that accounts for: it ends within its last interval, and begins
/// within its first.
fn within(n: usize, stretch: &Stretch, end: Time) -> Option<(Time, Time)> {
    let lasts = Duration::from_secs_f64(stretch.total());
    let lasts = lasts.min(stretch.until.since(stretch.from));
    let (from, until) = match n {
        0 => (stretch.until - lasts, stretch.until),
        _ => (stretch.from, stretch.from + lasts),
    };
    let until = until.min(end);
    (until > from).then_some((from, until))
}

/// The same of a connection that began and ended within one interval: as long as that accounts for, until its end.
fn within_one(stretch: &Stretch, end: Time) -> Option<(Time, Time)> {
    let until = stretch.until.min(end);
    let lasts = Duration::from_secs_f64(stretch.total());
    let lasts = lasts.min(until.since(stretch.from));
    (lasts > Duration::ZERO).then(|| (until - lasts, until))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::{Limit, largest};

    const NEVER: [Time; 4] = [Time::MAX; 4];

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// Three connections fill a link for 15 ms, and a fourth waits for its timer for another 185: one transfer of 200 ms. The mean of
    /// the four is the link's.
    #[test]
    fn of_one_transfer_each_instant_counts_alike() {
        let short = vec![Stretch::whole(at(0), at(15), Limit::Link)];
        let mut waits = short.clone();
        waits.push(Stretch::whole(at(15), at(200), Limit::Loss));
        let found = shares(
            &[short.clone(), short.clone(), short.clone(), waits],
            &NEVER,
        );
        assert!((found["loss"] - 0.925).abs() < 1e-6, "{found:?}");
        assert_eq!(largest(&found).as_deref(), Some("loss"));
        assert!(shares(&[], &NEVER).is_empty());
    }

    /// Four connections wait for a link for 10 ms and for their last acknowledgements in 2 ms of the next 10, all at once: that are 2 ms.
    #[test]
    fn the_rest_of_an_interval_counts_for_none() {
        let mut last = Stretch::new(at(10), at(20));
        last.add(Limit::Application, 0.002);
        let account = vec![Stretch::whole(at(0), at(10), Limit::Link), last];
        let four = [(); 4].map(|()| account.clone());
        let found = shares(&four, &NEVER);
        assert!((found["link"] - 10.0 / 12.0).abs() < 1e-6, "{found:?}");
    }

    /// Five connections open and end in the first quarter of an interval of a second.
    #[test]
    fn connections_of_less_than_an_interval_count() {
        let mut short = Stretch::new(at(0), at(1000));
        short.add(Limit::Application, 0.2);
        let found = shares(&[vec![short], vec![short]], &[at(250), at(240)]);
        assert_eq!(largest(&found).as_deref(), Some("application"));
        // Its last byte came before all of it.
        assert!(shares(&[vec![short]], &[at(0)]).is_empty());
    }

    #[test]
    fn where_all_last_as_long_each_connection_counts_alike() {
        let link = vec![Stretch::whole(at(0), at(15), Limit::Link)];
        let nic = vec![Stretch::whole(at(0), at(15), Limit::Nic)];
        let found = shares(&[link.clone(), nic, link], &NEVER);
        assert!((found["link"] - 2.0 / 3.0).abs() < 1e-6, "{found:?}");
    }

    /// The last acknowledgement of one comes 40 ms after its last byte, as its receiver waits for a second segment.
    #[test]
    fn what_comes_behind_the_last_byte_counts_for_none() {
        let account = vec![
            Stretch::whole(at(0), at(2), Limit::Link),
            Stretch::whole(at(2), at(42), Limit::Application),
        ];
        let other = vec![Stretch::whole(at(0), at(2), Limit::Link)];
        let both = [account, other];
        assert_eq!(shares(&both, &[at(2), at(2)])["link"], 1.0);
        let found = shares(&both, &[at(42), at(2)]);
        assert_eq!(largest(&found).as_deref(), Some("application"));
    }
}
