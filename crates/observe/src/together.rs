//! What limited several connections that are one transfer. At each instant those that anything limits count alike, and so does each
//! instant: a connection that ended early says nothing of the time in which others still went on.

use std::collections::BTreeMap;

use farpath_units::Time;

use crate::limit::{Stretch, WORDS, sum};

/// A smaller sum of shares is what rounding leaves.
const MOMENT: f64 = 1e-9;

/// Shares, by name, of the time in which any of these connections was limited; they add up to 1.
pub(crate) fn shares(accounts: &[Vec<Stretch>]) -> BTreeMap<String, f64> {
    let known = accounts.iter().flatten();
    let known = known.filter(|s| s.until > s.from && s.total() > 0.0);
    let mut edges: Vec<(Time, f64, &Stretch)> = known
        .flat_map(|s| [(s.from, 1.0, s), (s.until, -1.0, s)])
        .collect();
    edges.sort_by_key(|(at, ..)| *at);
    let mut now = [0.0_f64; WORDS.len()];
    let mut all = Stretch::new(Time::ZERO, Time::ZERO);
    let mut before = Time::ZERO;
    for (at, sign, stretch) in edges {
        let limited: f64 = now.iter().sum();
        if limited > MOMENT {
            // Of an interval in which the last one ended, its part counts.
            let seconds = at.since(before).as_secs_f64() * limited.min(1.0) / limited;
            for ((limit, ..), share) in WORDS.iter().zip(now) {
                all.add(*limit, seconds * share);
            }
        }
        let whole = stretch.until.since(stretch.from).as_secs_f64();
        for ((limit, ..), slot) in WORDS.iter().zip(&mut now) {
            *slot += sign * stretch.spent(*limit) / whole;
        }
        before = at;
    }
    sum(&[all])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::{Limit, largest};
    use farpath_units::Duration;

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
        let found = shares(&[short.clone(), short.clone(), short.clone(), waits]);
        assert!((found["loss"] - 0.925).abs() < 1e-6, "{found:?}");
        assert_eq!(largest(&found).as_deref(), Some("loss"));
        assert!(shares(&[]).is_empty());
    }

    #[test]
    fn where_all_last_as_long_each_connection_counts_alike() {
        let link = vec![Stretch::whole(at(0), at(15), Limit::Link)];
        let nic = vec![Stretch::whole(at(0), at(15), Limit::Nic)];
        let found = shares(&[link.clone(), nic, link]);
        assert!((found["link"] - 2.0 / 3.0).abs() < 1e-6, "{found:?}");
    }
}
