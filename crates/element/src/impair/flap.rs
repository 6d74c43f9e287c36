//! A link that goes down and up by itself.

use farpath_units::{Duration, Key, Stream, Time};

/// How often, and what it does to frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlapSpec {
    /// How long the link is up at a time; it begins so.
    pub up: Duration,
    /// How long it is down.
    pub down: Duration,
    /// Both are means of exponential times.
    pub random: bool,
    /// Frames wait while it is down, and those on the line arrive; else all of them are lost.
    pub holds: bool,
}

/// A flapping link at work. Its times are a pure function of key and number.
#[derive(Clone, Debug)]
pub struct Flap {
    spec: FlapSpec,
    luck: Stream,
    /// Changes so far: even, and it is up.
    changes: u64,
    /// The next change.
    next: Time,
}

impl Flap {
    /// Up from the start of the run.
    pub fn new(spec: FlapSpec, key: Key) -> Flap {
        let mut flap = Flap {
            spec,
            luck: key.stream(),
            changes: 0,
            next: Time::ZERO,
        };
        flap.next = Time::ZERO + flap.lasts();
        flap
    }

    /// How long the present state lasts.
    fn lasts(&self) -> Duration {
        let mean = match self.is_up() {
            true => self.spec.up,
            false => self.spec.down,
        };
        let ps = match self.spec.random {
            true => libm::round(mean.as_ps() as f64 * self.luck.exponential(self.changes)) as u64,
            false => mean.as_ps(),
        };
        Duration::from_ps(ps.max(1))
    }

    /// Whether it is up.
    pub fn is_up(&self) -> bool {
        self.changes.is_multiple_of(2)
    }

    /// Whether frames wait while it is down.
    pub fn holds(&self) -> bool {
        self.spec.holds
    }

    /// When it changes next.
    pub fn next(&self) -> Time {
        self.next
    }

    /// Makes the next change if it is due at `now`; the instant it was due.
    pub fn change(&mut self, now: Time) -> Option<Time> {
        if self.next > now {
            return None;
        }
        let due = self.next;
        self.changes += 1;
        self.next = due + self.lasts();
        Some(due)
    }

    /// From when until when it is down, one time after the other, without end.
    pub fn times_down(mut self) -> impl Iterator<Item = (Time, Time)> {
        core::iter::from_fn(move || {
            let from = self.change(self.next)?;
            let until = self.change(self.next)?;
            Some((from, until))
        })
    }

    /// How often it went down before `end`, and how long it was down in all.
    pub fn outages(mut self, end: Time) -> (u64, Duration) {
        let (mut count, mut down) = (0, Duration::ZERO);
        let mut last = Time::ZERO;
        while let Some(due) = self.change(end - Duration::from_ps(1)) {
            match self.is_up() {
                true => down += due.since(last),
                false => count += 1,
            }
            last = due;
        }
        if !self.is_up() {
            down += end.since(last);
        }
        (count, down)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(random: bool) -> FlapSpec {
        FlapSpec {
            up: Duration::from_ms(9),
            down: Duration::from_ms(1),
            random,
            holds: false,
        }
    }

    #[test]
    fn outages_of_a_periodic_link_are_counted_to_the_instant() {
        let outages = |ps: u64| Flap::new(spec(false), Key::new(1)).outages(Time::from_ps(ps));
        const MS: u64 = 1_000_000_000;
        assert_eq!(outages(9 * MS), (0, Duration::ZERO));
        assert_eq!(outages(9 * MS + 1), (1, Duration::from_ps(1)));
        assert_eq!(outages(10 * MS), (1, Duration::from_ms(1)));
        assert_eq!(outages(100 * MS), (10, Duration::from_ms(10)));
    }

    #[test]
    fn times_down_follow_one_another() {
        let at = |ms: u64| Time::ZERO + Duration::from_ms(ms);
        let times: Vec<_> = Flap::new(spec(false), Key::new(1))
            .times_down()
            .take(2)
            .collect();
        assert_eq!(times, [(at(9), at(10)), (at(19), at(20))]);
        let end = at(1000);
        let (count, down) = Flap::new(spec(true), Key::new(1)).outages(end);
        let times = Flap::new(spec(true), Key::new(1)).times_down();
        let inside: Vec<_> = times.take_while(|(from, _)| *from < end).collect();
        assert_eq!(inside.len() as u64, count);
        let sum = inside
            .iter()
            .map(|(from, until)| until.min(&end).since(*from));
        assert_eq!(sum.fold(Duration::ZERO, |a, b| a + b), down);
    }

    /// 10⁵ s are 10⁷ cycles of mean 10 ms: a share of 0.1 strays by 4·10⁻⁵.
    #[test]
    fn a_random_link_is_down_for_its_share() {
        let end = Time::ZERO + Duration::from_secs(10_000);
        let (count, down) = Flap::new(spec(true), Key::new(1)).outages(end);
        assert!((count as f64 / 1e6 - 1.0).abs() < 0.004, "{count}");
        assert!((down.as_secs_f64() / 1000.0 - 1.0).abs() < 0.006);
    }
}
