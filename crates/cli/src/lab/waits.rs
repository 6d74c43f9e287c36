//! How long an end of a connection waited for answers, by the frames of both.

use farpath_emu::plane::{Overlap, Turns};
use farpath_observe::Limit;
use farpath_units::{Duration, Time};

use super::cause::{Cause, add};

/// What one end waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Waits {
    /// From the first frame with data to the last.
    span: Duration,
    /// The other end had a request, and had not answered.
    other: Duration,
    /// This end had all of an answer, and had not asked again.
    own: Duration,
    /// A request or an answer was on the way.
    way: Duration,
    /// What this end waited for beside that, where turns overlap.
    overlap: Overlap,
    /// Segments of requests and answers that were on the way at a time; none where they were many.
    at_a_time: Option<f64>,
    /// Since when the other end has had all that this one sent, and sent nothing.
    unanswered: Option<Time>,
}

/// Turns overlap where that has one part in so many of the time on the way.
const OVERLAPS: f64 = 10.0;

/// A shorter wait at the end than this is not named.
const NAMED: Duration = Duration::from_secs(1);

impl Waits {
    /// Of the end of a connection that has this number.
    pub(super) fn of(turns: &Turns, end: usize) -> Waits {
        Waits {
            span: turns.span,
            other: turns.at[1 - end],
            own: turns.at[end],
            way: turns.way,
            overlap: turns.overlapping[end],
            at_a_time: turns.at_a_time,
            unanswered: turns.unanswered.filter(|(who, _)| *who == end).map(|u| u.1),
        }
    }

    /// From the first frame with data to the last.
    pub(super) fn span(&self) -> Duration {
        self.span
    }

    /// The part of the span in which the command waited, where this is the end of a host that has this number: what it did between an
    /// answer and the next request is not in it, nor the round trip of a FIN, for which nobody waits.
    pub(super) fn of_command(&self, host: usize) -> Duration {
        let command = if host == 0 { self.own } else { self.other };
        self.span.saturating_sub(command)
    }

    /// How long at the end, at an instant, the other one has had all and sent nothing, where that is worth naming.
    pub(super) fn unanswered(&self, end: Time) -> Option<Duration> {
        let waited = end.since(self.unanswered?.min(end));
        (waited >= NAMED).then_some(waited)
    }

    /// Names the time of a server's program as that of requests it had not answered, where they are half of it or more.
    pub(super) fn name_asked(&self, time: Duration, causes: &mut [(Cause, f64)]) {
        let idle = |c: &&mut (Cause, f64)| c.0 == Cause::Limit(Limit::Application);
        let all = time.max(self.span).as_secs_f64();
        if let Some(cause) = causes.iter_mut().find(idle)
            && 2.0 * self.own.as_secs_f64() >= cause.1 * all
        {
            cause.0 = Cause::Asked;
        }
    }

    /// Gives these times their shares of a connection's `time`: frames say them exactly, and samples had them as time without
    /// anything to send, or as something else. Of `lost`, an outage's share, none is given twice.
    pub(super) fn share(&self, time: Duration, lost: f64, causes: &mut Vec<(Cause, f64)>) {
        let all = self.all(time);
        let share = |time: Duration| time.as_secs_f64() / all;
        let other = share(self.other).min(1.0 - lost);
        // What an outage held up was on the way.
        let way = (share(self.way) - lost).clamp(0.0, (1.0 - lost - other).max(0.0));
        let mut due = other + way;
        let idle = |c: &&mut (Cause, f64)| c.0 == Cause::Limit(Limit::Application);
        if let Some((_, share)) = causes.iter_mut().find(idle) {
            let from = due.min(*share);
            *share -= from;
            due -= from;
        }
        let rest: f64 = causes.iter().map(|(_, share)| share).sum();
        for (_, share) in causes.iter_mut().filter(|_| rest > 0.0) {
            *share *= ((rest - due) / rest).max(0.0);
        }
        causes.extend([(Cause::Other, other), (Cause::Way, way)]);
        causes.retain(|(_, share)| *share > 0.0);
        causes.sort_by(|a, b| b.1.total_cmp(&a.1));
    }

    /// The share of a connection's `time` that is known to be none of a small write: that of the end's own turn, and of overlapping turns.
    pub(super) fn known(&self, time: Duration) -> f64 {
        let known = self.own + self.overlap.way + self.overlap.other;
        known.as_secs_f64() / self.all(time)
    }

    /// Gives what the end waited for where turns overlap its share of a connection's `time`: samples had it as time without anything
    /// to send, and no other time is taken for it.
    pub(super) fn share_overlap(&self, time: Duration, causes: &mut Vec<(Cause, f64)>) {
        let Overlap { way, other } = self.overlap;
        let all = self.all(time);
        let [way, other] = [way, other].map(|time| time.as_secs_f64() / all);
        let idle = |c: &&mut (Cause, f64)| c.0 == Cause::Limit(Limit::Application);
        if let Some((_, idle)) = causes.iter_mut().find(idle)
            && way + other > 0.0
        {
            let part = (*idle / (way + other)).min(1.0);
            *idle = (*idle - part * (way + other)).max(0.0);
            add(causes, Cause::Other, part * other);
            add(causes, Cause::Way, part * way);
        }
        let several = self.at_a_time.map_or(0, |n| n.round() as u32);
        if let Some((cause, share)) = causes.iter_mut().find(|c| c.0 == Cause::Way)
            && several > 1
            && OVERLAPS * way > *share
        {
            *cause = Cause::Ways(several);
        }
    }

    /// The connection's time in seconds, by samples or by frames.
    fn all(&self, time: Duration) -> f64 {
        time.max(self.span).as_secs_f64().max(1e-9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two requests with a pause between, by the frames of both ends: 280 ms for each answer, 50 ms of it at the server, and a second of the
    /// command's.
    #[test]
    fn what_a_command_waited_is_without_its_pauses() {
        let turns = Turns {
            ends: ["198.18.0.1:40000", "198.18.0.2:7000"].map(|end| end.parse().expect(end)),
            span: Duration::from_ms(1560),
            at: [1000, 100].map(Duration::from_ms),
            way: Duration::from_ms(320),
            overlapping: Default::default(),
            at_a_time: None,
            unanswered: None,
        };
        for end in [0, 1] {
            let waited = Waits::of(&turns, end).of_command(end);
            assert_eq!(waited, Duration::from_ms(560), "{end}");
        }
    }

    /// `psql -c "select pg_sleep(3)"`: the server has the request for three seconds of four.
    #[test]
    fn a_server_that_was_asked_is_waited_for() {
        let turns = |asked: u64| Turns {
            ends: ["198.18.0.1:40000", "198.18.0.2:5432"].map(|end| end.parse().expect(end)),
            span: Duration::from_ms(4000),
            at: [100, asked].map(Duration::from_ms),
            way: Duration::from_ms(600),
            overlapping: Default::default(),
            at_a_time: None,
            unanswered: None,
        };
        for (asked, wanted) in [(3000, "asked"), (200, "idle")] {
            let mut causes = [(Cause::Limit(Limit::Application), 0.79)];
            Waits::of(&turns(asked), 1).name_asked(Duration::from_secs(4), &mut causes);
            let is_asked = causes[0].0 == Cause::Asked;
            assert_eq!(is_asked, wanted == "asked", "{asked}");
            assert_eq!(causes[0].0.name(), "application");
        }
    }
    /// Ten queries on the way at a time: samples have all of the server's time as time without anything to send.
    #[test]
    fn requests_that_overlap_are_waited_for() {
        let overlap = |way, other| Overlap {
            way: Duration::from_ms(way),
            other: Duration::from_ms(other),
        };
        let shared = |overlapping: Overlap, at_a_time: f64| {
            let turns = Turns {
                ends: ["198.18.0.1:40000", "198.18.0.2:8005"].map(|end| end.parse().expect(end)),
                span: Duration::from_ms(1000),
                at: Default::default(),
                way: Duration::from_ms(50),
                overlapping: [Overlap::default(), overlapping],
                at_a_time: Some(at_a_time),
                unanswered: None,
            };
            let time = Duration::from_ms(1000);
            let waits = Waits::of(&turns, 1);
            let mut causes = vec![
                (Cause::Limit(Limit::Application), 0.9),
                (Cause::Limit(Limit::CwndSlowStart), 0.1),
            ];
            waits.share(time, 0.0, &mut causes);
            waits.share_overlap(time, &mut causes);
            let sum: f64 = causes.iter().map(|c| c.1).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{causes:?}");
            causes
        };
        let share = |causes: &[(Cause, f64)], cause| {
            let found = causes.iter().find(|c| c.0 == cause);
            found.map_or(0.0, |c| (c.1 * 1e6).round() / 1e6)
        };
        let piped = shared(overlap(800, 30), 9.8);
        assert_eq!(share(&piped, Cause::Ways(10)), 0.85, "{piped:?}");
        assert_eq!(share(&piped, Cause::Other), 0.03);
        assert_eq!(piped[0].0.name(), "on_the_way");
        // No more than the sender had nothing to send.
        let full = shared(overlap(2000, 0), 2.0);
        assert_eq!(share(&full, Cause::Ways(2)), 0.9);
        assert_eq!(share(&full, Cause::Limit(Limit::CwndSlowStart)), 0.1);
        let turns = shared(overlap(0, 0), 3.0);
        assert_eq!(share(&turns, Cause::Way), 0.05);
    }
}
