//! A rate that follows a trace: what a link can carry, as a function of time.

use std::sync::Arc;

use farpath_units::{Duration, Time};

/// Work is counted in bit·10⁻¹²: a rate in bit/s times picoseconds.
const WORK_PER_BYTE: u128 = 8_000_000_000_000;

/// How much a link could have carried by any instant. It rises at a rate, by jumps, or both; only
/// integers decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateTrace {
    places: Arc<[Place]>,
    /// It begins again after so long, having carried so much.
    period: Option<(u64, u128)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    at: u64,
    /// Work up to here, without and with what is carried at this instant.
    before: u128,
    after: u128,
    /// From here on, in bit/s.
    rate: u64,
}

impl RateTrace {
    /// Rates in bit/s, each from its time on, the first from 0; `period`: all over again after so long,
    /// else the last holds for ever. `None` if the times do not rise from 0 below the period, if
    /// nothing is ever carried, or if it ends with a rate of 0.
    pub fn rates(rates: &[(Duration, u64)], period: Option<Duration>) -> Option<RateTrace> {
        let rises = rates.windows(2).all(|w| w[0].0 < w[1].0);
        let (first, last) = (rates.first()?, rates.last()?);
        let within = period.is_none_or(|p| last.0 < p);
        if !rises || first.0 > Duration::ZERO || !within || (period.is_none() && last.1 == 0) {
            return None;
        }
        let (mut places, mut work, mut since) = (Vec::new(), 0, (0, 0));
        for (at, rate) in rates {
            let at = at.as_ps();
            work += u128::from(since.1) * u128::from(at - since.0);
            let place = Place {
                at,
                before: work,
                after: work,
                rate: *rate,
            };
            places.push(place);
            since = (at, *rate);
        }
        let period = match period {
            Some(p) => {
                let all = work + u128::from(since.1) * u128::from(p.as_ps() - since.0);
                Some((p.as_ps(), all))
            }
            None => None,
        };
        (period.is_none_or(|p| p.1 > 0)).then_some(RateTrace {
            places: places.into(),
            period,
        })
    }

    /// At each of these instants, `bytes` can be carried; an instant may come several times. All over
    /// again after the last, which must be later than 0; the instants must not fall.
    pub fn opportunities(instants: &[Duration], bytes: u64) -> Option<RateTrace> {
        let last = instants.last()?.as_ps();
        let falls = instants.windows(2).any(|w| w[0] > w[1]);
        if falls || last == 0 || bytes == 0 {
            return None;
        }
        let each = u128::from(bytes) * WORK_PER_BYTE;
        let mut places: Vec<Place> = vec![Place {
            at: 0,
            before: 0,
            after: 0,
            rate: 0,
        }];
        for at in instants {
            let (at, work) = (at.as_ps(), places[places.len() - 1].after);
            let same = places.last_mut().filter(|p| p.at == at);
            match same {
                Some(place) => place.after += each,
                None => places.push(Place {
                    at,
                    before: work,
                    after: work + each,
                    rate: 0,
                }),
            }
        }
        let all = each * instants.len() as u128;
        Some(RateTrace {
            places: places.into(),
            period: Some((last, all)),
        })
    }

    /// Work up to and including `at`.
    fn work(&self, at: u64) -> u128 {
        let (rounds, at) = match self.period {
            Some((period, all)) => (u128::from(at / period) * all, at % period),
            None => (0, at),
        };
        let n = self.places.partition_point(|p| p.at <= at);
        let place = self.places[n.saturating_sub(1)];
        rounds + place.after + u128::from(place.rate) * u128::from(at - place.at)
    }

    /// The first instant by which `work` could be done.
    fn by(&self, work: u128) -> u64 {
        let (rounds, work) = match self.period {
            Some((period, all)) if work > 0 => {
                let rounds = (work - 1) / all;
                (rounds.saturating_mul(period.into()), work - rounds * all)
            }
            _ => (0, work),
        };
        let n = self.places.partition_point(|p| p.after < work);
        let within = match self.places.get(n) {
            Some(place) if place.before < work => u128::from(place.at),
            _ => {
                let place = self.places[n.saturating_sub(1)];
                let rest = work.saturating_sub(place.after);
                u128::from(place.at) + rest.div_ceil(u128::from(place.rate.max(1)))
            }
        };
        u64::try_from(rounds + within).unwrap_or(u64::MAX)
    }

    /// Mean rate up to `end`, in bit/s.
    pub fn mean_bps(&self, end: Time) -> f64 {
        self.work(end.as_ps()) as f64 / end.as_ps().max(1) as f64
    }

    /// Mean rate from `from` to `until` in bit/s, where no more than `most_bps` is sent; what jumps allow
    /// is taken together. 0 of no time.
    pub fn mean_between(&self, from: Time, until: Time, most_bps: f64) -> f64 {
        let span = until.as_ps().saturating_sub(from.as_ps());
        if span == 0 {
            return 0.0;
        }
        let sent = self.sent_by(until.as_ps(), most_bps) - self.sent_by(from.as_ps(), most_bps);
        (sent / span as f64).min(most_bps)
    }

    /// Work up to `at` at no more than `most_bps`.
    fn sent_by(&self, at: u64, most_bps: f64) -> f64 {
        let up_to = |end: u64| -> f64 {
            let begun = self.places.partition_point(|p| p.at <= end);
            let work = self.places[..begun].iter().enumerate().map(|(n, place)| {
                let next = self.places.get(n + 1).map_or(end, |p| p.at.min(end));
                let jump = (place.after - place.before) as f64;
                jump + (place.rate as f64).min(most_bps) * (next - place.at) as f64
            });
            work.sum()
        };
        match self.period {
            Some((period, _)) if at > period => {
                (at / period) as f64 * up_to(period) + up_to(at % period)
            }
            _ => up_to(at),
        }
    }

    /// Lowest and highest rate from `from` to `until` in bit/s; `None` where it jumps, or of no time.
    pub fn extremes(&self, from: Time, until: Time) -> Option<(u64, u64)> {
        let (from, span) = (from.as_ps(), until.as_ps().checked_sub(from.as_ps())?);
        if span == 0 || self.places.iter().any(|p| p.after > p.before) {
            return None;
        }
        let parts = match self.period {
            Some((period, _)) if span >= period => [(0, period), (0, 0)],
            Some((period, _)) => {
                let (begins, ends) = (from % period, from % period + span);
                [(begins, ends.min(period)), (0, ends.saturating_sub(period))]
            }
            None => [(from, from + span), (0, 0)],
        };
        let met = self.places.iter().enumerate().filter(|(n, place)| {
            let next = self.places.get(n + 1).map_or(u64::MAX, |p| p.at);
            parts.iter().any(|(a, b)| place.at < *b && next > *a)
        });
        let rates = met.map(|(_, place)| place.rate);
        Some((rates.clone().min()?, rates.max()?))
    }

    /// When `bytes` could have been carried that are sent from `from` on.
    pub fn carried(&self, from: Time, bytes: f64) -> Time {
        let more = (bytes * WORK_PER_BYTE as f64) as u128;
        Time::from_ps(self.by(self.work(from.as_ps()) + more))
    }

    /// Mean rate in bit/s of one round, or the last rate, which holds for ever.
    pub fn long_term_bps(&self) -> u64 {
        match self.period {
            Some((period, all)) => (all / u128::from(period)) as u64,
            None => self.places.last().map_or(0, |p| p.rate),
        }
    }

    /// Whether it begins again after its last line.
    pub fn repeats(&self) -> bool {
        self.period.is_some()
    }

    /// No `bytes` take less time than this.
    pub fn shortest(&self, bytes: u64) -> Duration {
        if self.places.iter().any(|p| p.after > p.before) {
            return Duration::ZERO;
        }
        let fastest = self.places.iter().map(|p| p.rate).max().unwrap_or(1);
        let ps = u128::from(bytes) * WORK_PER_BYTE / u128::from(fastest.max(1));
        // An end is rounded up and the start may be within a picosecond that has begun.
        Duration::from_ps((ps as u64).saturating_sub(1))
    }
}

/// A transmitter that follows a trace.
#[derive(Debug)]
pub(crate) struct Follower {
    trace: RateTrace,
    /// Work of the trace used up by the end of the last frame.
    used: u128,
    /// When that was.
    ended: Time,
}

impl Follower {
    pub(crate) fn new(trace: RateTrace) -> Follower {
        Follower {
            trace,
            used: 0,
            ended: Time::ZERO,
        }
    }

    /// The end of a frame of `wire_bytes` whose transmission starts at `now`. What the trace would have
    /// carried since the end of the last frame is gone; what that left of an opportunity is for this
    /// one, if it starts at once.
    pub(crate) fn end(&mut self, now: Time, wire_bytes: u32) -> Time {
        if now > self.ended {
            self.used = self.used.max(self.trace.work(now.as_ps()));
        }
        self.used += u128::from(wire_bytes) * WORK_PER_BYTE;
        self.ended = Time::from_ps(self.trace.by(self.used)).max(now);
        self.ended
    }

    pub(crate) fn shortest(&self, bytes: u64) -> Duration {
        self.trace.shortest(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000_000;

    fn ms(n: u64) -> Time {
        Time::from_ps(n * MS)
    }

    /// Over rounds and without, up to a rate that is asked for.
    #[test]
    fn a_mean_is_of_the_time_asked_for() {
        let rates =
            [(0, 100), (10, 20), (20, 50)].map(|(at, r)| (Duration::from_ms(at), r * 1_000));
        let once = RateTrace::rates(&rates, None).expect("it rises");
        let all = f64::INFINITY;
        let near = |got: f64, bps: f64| assert!((got - bps).abs() < 1e-6 * bps, "{got} {bps}");
        near(once.mean_between(ms(0), ms(30), all), 170e3 / 3.0);
        near(once.mean_between(ms(5), ms(15), all), 60e3);
        near(once.mean_between(ms(0), ms(30), 50e3), 40e3);
        near(once.mean_between(ms(30), ms(90), all), 50e3);
        assert_eq!(once.mean_between(ms(3), ms(3), all), 0.0);
        let again = RateTrace::rates(&rates, Some(Duration::from_ms(30))).expect("a round");
        near(again.mean_between(ms(30), ms(90), all), 170e3 / 3.0);
        near(again.mean_between(ms(35), ms(45), 50e3), 35e3);
        assert_eq!(again.extremes(ms(12), ms(29)), Some((20_000, 50_000)));
        assert_eq!(again.extremes(ms(25), ms(35)), Some((50_000, 100_000)));
        assert_eq!(once.extremes(ms(40), ms(50)), Some((50_000, 50_000)));
        // 1000 bit of the first 10 ms, and 100 bit of the next.
        assert_eq!(once.carried(ms(0), 137.5), ms(15));
    }

    #[test]
    fn a_mean_of_jumps_counts_them() {
        let at = [0, 10, 10].map(Duration::from_ms);
        let trace = RateTrace::opportunities(&at, 1500).expect("opportunities");
        let mean = trace.mean_between(ms(0), ms(1000), f64::INFINITY);
        assert!((mean / 3.6e6 - 1.0).abs() < 0.01, "{mean}");
        assert_eq!(trace.mean_between(ms(0), ms(1000), 1e6), 1e6);
        assert_eq!(trace.extremes(ms(0), ms(10)), None);
    }

    #[test]
    fn a_frame_across_a_change_of_rate_takes_what_both_rates_leave() {
        // 12 Mbit/s for 1 ms carry 1500 bytes, then 6 Mbit/s.
        let rates = [
            (Duration::ZERO, 12_000_000),
            (Duration::from_ms(1), 6_000_000),
        ];
        let trace = RateTrace::rates(&rates, None).expect("it rises");
        let mut line = Follower::new(trace.clone());
        assert_eq!(line.end(ms(0), 750), Time::from_ps(MS / 2));
        // Half of it at each rate: 0.5 ms and 1 ms.
        assert_eq!(line.end(Time::from_ps(MS / 2), 1500), ms(2));
        assert_eq!(line.end(ms(10), 750), ms(11));
        assert_eq!(trace.long_term_bps(), 6_000_000);
        assert_eq!(trace.shortest(1500), Duration::from_ps(MS - 1));
    }

    #[test]
    fn an_outage_is_waited_for_and_rounds_follow_each_other() {
        let rates = [(Duration::ZERO, 8_000_000), (Duration::from_ms(1), 0)];
        let trace = RateTrace::rates(&rates, Some(Duration::from_ms(4))).expect("a round");
        let mut line = Follower::new(trace.clone());
        assert_eq!(line.end(ms(0), 1000), ms(1));
        // The first byte of the second round takes a microsecond.
        assert_eq!(line.end(ms(1), 1), Time::from_ps(4 * MS + MS / 1000));
        assert_eq!(line.end(ms(6), 1000), ms(9));
        assert_eq!(trace.mean_bps(ms(400)), 2e6);
        assert_eq!(RateTrace::rates(&rates, None), None);
    }

    #[test]
    fn opportunities_carry_whole_and_part_packets_and_go_by_unused() {
        // At 1 ms one of 1500 bytes, at 3 ms two, and round again.
        let at = [1, 3, 3].map(Duration::from_ms);
        let trace = RateTrace::opportunities(&at, 1500).expect("opportunities");
        let mut line = Follower::new(trace.clone());
        assert_eq!(line.end(ms(0), 1000), ms(1));
        // 500 bytes are left of the first.
        assert_eq!(line.end(ms(1), 500), ms(1));
        assert_eq!(line.end(ms(1), 3000), ms(3));
        assert_eq!(line.end(ms(3), 1500), ms(4));
        // Idle at 6 ms: what was offered then is gone, and the next is at 7 ms.
        assert_eq!(line.end(ms(6), 1), ms(7));
        assert_eq!(trace.long_term_bps(), 12_000_000);
        assert_eq!(trace.shortest(40), Duration::ZERO);
        assert_eq!(RateTrace::opportunities(&[Duration::ZERO], 1500), None);
    }

    /// Against the plainest search: the first picosecond by which the work could be done.
    #[test]
    fn ends_are_the_first_instants_that_do() {
        let rates = [(0, 7), (5, 0), (9, 1_000_003)].map(|(t, r)| (Duration::from_ps(t), r));
        let trace = RateTrace::rates(&rates, Some(Duration::from_ps(13))).expect("a round");
        for work in 1..9_000_000_u128 / 1001 {
            let work = work * 1001;
            let end = trace.by(work);
            assert!(trace.work(end) >= work, "{work}");
            assert!(end == 0 || trace.work(end - 1) < work, "{work}");
        }
    }
}
