//! How long a start-up takes.

use farpath_units::{Duration, Time};

use crate::connection::Connection;
use crate::percentile::percentile;

/// What counts as having reached a rate.
pub const REACHED: f64 = 0.95;
/// Steps of a simulated connection in a round trip, at its start.
pub const STEPS_OF_A_ROUND: u64 = 32;

/// So many round trips at a rate were not a moment of a growing window.
const KEPT: usize = 3;

/// What arrived in a short stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Step {
    end: Time,
    long: Duration,
    bits: f64,
}

impl Step {
    fn begins(&self) -> Time {
        Time::from_ps(self.end.as_ps().saturating_sub(self.long.as_ps()))
    }
}

/// The steps of connections that began with their test and divide the same round trip, and that round trip; `None` where one
/// of them has none.
pub(crate) fn together(all: &[Connection]) -> Option<(Vec<Step>, Duration)> {
    let longest = all.iter().max_by_key(|c| c.steps.len())?;
    if all.iter().any(|c| c.steps.is_empty()) {
        return None;
    }
    let bits = |n: usize| -> u64 {
        let each = all.iter().filter_map(|c| c.steps.get(n));
        each.map(|(.., bytes)| bytes * 8).sum()
    };
    let step = |(n, (end, long, _)): (usize, &(Time, Duration, u64))| Step {
        end: *end,
        long: *long,
        bits: bits(n) as f64,
    };
    let steps = longest.steps.iter().enumerate().map(step).collect();
    Some((steps, longest.steps[0].1.times(STEPS_OF_A_ROUND)))
}

/// Intervals of a series as steps.
pub(crate) fn intervals(goodputs: &[(Time, f64)], every: Duration) -> Vec<Step> {
    let step = |(end, rate): &(Time, f64)| Step {
        end: *end,
        long: every,
        bits: rate * every.as_secs_f64(),
    };
    goodputs.iter().map(step).collect()
}

/// From `start` to the beginning of the first round trip, or step if that is longer, in which a test has 95 % of its rate, as
/// a forecast counts it. It begins with something that arrives, so that a pause before a window is not of that window.
///
/// The rate is what one in ten of longer stretches exceeds (p90), each of whole round trips and a hundredth of the test at
/// least; or what three round trips in a row had before the first `cut` of the window, if that is more. So neither a later
/// loss moves the end of the start, nor a machine that was held up for a moment and then catches up.
pub(crate) fn ramp(
    steps: &[Step],
    start: Time,
    (round, hundredth): (Duration, Duration),
    cut: Option<Time>,
) -> Option<Duration> {
    let rounds: Vec<(usize, f64)> = (0..steps.len())
        .map_while(|n| stretch(steps, n, round))
        .collect();
    let rounds_long = hundredth.as_ps().div_ceil(round.as_ps().max(1)).max(1);
    let steady = steady(steps, round.times(rounds_long))?;
    let rate = steady.max(kept(steps, &rounds, cut));
    let reached = |n: &usize| steps[*n].bits > 0.0 && rounds[*n].1 >= REACHED * rate;
    let begins = steps[(0..rounds.len()).find(reached)?].begins();
    Some(begins.since(start.min(begins)))
}

/// From step `n` on, so long at least: the step behind, and the rate.
fn stretch(steps: &[Step], n: usize, long: Duration) -> Option<(usize, f64)> {
    let (mut sum, mut bits) = (Duration::ZERO, 0.0);
    for (n, step) in steps.iter().enumerate().skip(n) {
        (sum, bits) = (sum + step.long, bits + step.bits);
        if sum >= long && sum > Duration::ZERO {
            return Some((n + 1, bits / sum.as_secs_f64()));
        }
    }
    None
}

/// What one in ten stretches exceeds.
fn steady(steps: &[Step], long: Duration) -> Option<f64> {
    let mut rates = Vec::new();
    let mut from = 0;
    while let Some((next, rate)) = stretch(steps, from, long) {
        rates.push(rate);
        from = next;
    }
    rates.sort_by(f64::total_cmp);
    (!rates.is_empty()).then(|| percentile(&rates, 0.90))
}

/// The most that so many round trips in a row had before the first `cut` of a window; 0 where none had.
fn kept(steps: &[Step], rounds: &[(usize, f64)], cut: Option<Time>) -> f64 {
    let before = |next: usize| cut.is_none_or(|cut| steps[next - 1].end <= cut);
    let from = |first: usize| {
        let (mut n, mut least) = (first, f64::INFINITY);
        for _ in 0..KEPT {
            let (next, rate) = *rounds.get(n).filter(|(next, _)| before(*next))?;
            (n, least) = (next, least.min(rate));
        }
        Some(least)
    };
    (0..rounds.len()).filter_map(from).fold(0.0, f64::max)
}

/// A start during which nothing is delivered for less than this is one that a lost SYN explains.
const LONG: Duration = Duration::from_secs(2);

/// The beginning of the first step in which anything was delivered: how much of it was silent, nobody knows.
pub(crate) fn begins(steps: &[Step]) -> Option<Time> {
    steps.iter().find(|step| step.bits > 0.0).map(Step::begins)
}

/// From `start` until something was delivered, where that is long.
pub(crate) fn silence(begun: Time, start: Time) -> Option<Duration> {
    Some(begun.since(start.min(begun))).filter(|silent| *silent >= LONG)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Time {
        Time::ZERO + Duration::from_ns(ns)
    }

    #[test]
    fn a_start_is_silent_until_something_is_delivered() {
        let s = |n: u64| Time::ZERO + Duration::from_secs(n);
        let seen = [(s(2), 0.0), (s(3), 0.0), (s(4), 5.0), (s(5), 0.0)];
        let seen = intervals(&seen, Duration::from_secs(1));
        let from = |steps: &[Step], start| silence(begins(steps)?, start);
        assert_eq!(from(&seen, s(1)), Some(Duration::from_secs(2)));
        assert_eq!(from(&seen[2..], s(3)), None, "not long");
        assert_eq!(from(&seen[..2], s(1)), None, "nothing to end it");
        // An interval of 5 s in which something came says nothing of its first part.
        let long = intervals(&[(s(6), 5.0)], Duration::from_secs(5));
        assert_eq!(from(&long, s(1)), None);
    }

    /// Steps of 10 ns after 1000 ns.
    fn steps(rates: &[f64]) -> Vec<Step> {
        let ends = (1..).map(|n: u64| at(1000 + n * 10));
        let goodputs: Vec<_> = ends.zip(rates.iter().copied()).collect();
        intervals(&goodputs, Duration::from_ns(10))
    }

    fn ramp_ns(rates: &[f64], round: u64, hundredth: u64, cut: Option<u64>) -> Option<u64> {
        let [round, hundredth] = [round, hundredth].map(Duration::from_ns);
        let found = ramp(&steps(rates), at(1000), (round, hundredth), cut.map(at));
        found.map(Duration::as_ns)
    }

    #[test]
    fn a_machine_that_catches_up_does_not_set_the_rate() {
        // 10 in each of 5 steps, then 100, but for one that caught up.
        let rate = |n: u64| match n {
            1..=5 => 10.0,
            20 => 0.0,
            21 => 200.0,
            _ => 100.0,
        };
        let rates: Vec<f64> = (1..=40).map(rate).collect();
        assert_eq!(ramp_ns(&rates, 10, 10, None), Some(50));
        assert_eq!(ramp_ns(&rates[..3], 40, 40, None), None, "too short to say");
        assert_eq!(ramp_ns(&[], 40, 40, None), None);
    }

    #[test]
    fn a_ramp_does_not_depend_on_how_long_the_test_lasts() {
        for ramp in [1, 7, 39, 40, 41, 55] {
            let rates = |n: usize| [vec![10.0; ramp], vec![100.0; n]].concat();
            for hundredth in [10, 60, 400] {
                let found = ramp_ns(&rates(1000), 10, hundredth, None);
                assert_eq!(found, Some(10 * ramp as u64), "{ramp} {hundredth}");
            }
        }
    }

    /// A window in one burst each round trip of four steps, doubled up to seven: stretches of parts of a round trip would have
    /// more bursts, and a round trip that begins in the pause before a window is not of that window.
    #[test]
    fn bursts_of_a_round_trip_make_no_rate_of_their_own() {
        let round = |burst: f64| [burst, 0.0, 0.0, 0.0];
        let start = [1.0, 2.0, 4.0].map(round).concat();
        let rates = [start, round(7.0).repeat(100)].concat();
        for hundredth in [10, 50, 90, 100, 110] {
            let found = ramp_ns(&rates, 40, hundredth, None);
            assert_eq!(found, Some(120), "{hundredth}");
        }
    }

    /// Doubled up to the line, at the rate for five round trips, halved by a loss, and slowly back or not at all.
    #[test]
    fn a_later_loss_does_not_move_the_end_of_the_start() {
        let start = [12.0, 25.0, 50.0, 100.0, 100.0, 100.0, 100.0, 100.0];
        for climb in [0.0, 0.05, 0.5] {
            let after = (0..400).map(|n| (50.0 + climb * f64::from(n)).min(100.0));
            let rates: Vec<f64> = start.into_iter().chain(after).collect();
            let found = ramp_ns(&rates, 10, 40, Some(1080));
            assert_eq!(found, Some(30), "{climb}");
        }
        // What a burst allowance lets through for a moment is not the rate that a policer leaves.
        let burst: Vec<f64> = [10.0, 20.0, 40.0, 80.0, 160.0].into();
        let rates = [burst, vec![50.0; 400]].concat();
        assert_eq!(ramp_ns(&rates, 10, 40, Some(1050)), Some(30));
    }

    #[test]
    fn steps_of_several_connections_are_added_up() {
        let of = |bytes: &[u64]| Connection {
            steps: (1..)
                .zip(bytes)
                .map(|(n, b)| (at(10 * n), Duration::from_ns(10), *b))
                .collect(),
            ..Connection::default()
        };
        let (steps, round) = together(&[of(&[1, 2]), of(&[10, 20, 30])]).expect("steps");
        let bits: Vec<f64> = steps.iter().map(|s| s.bits).collect();
        assert_eq!((bits, round.as_ns()), (vec![88.0, 176.0, 240.0], 320));
        assert_eq!(together(&[of(&[]), of(&[1])]), None);
    }
}
