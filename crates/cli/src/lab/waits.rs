//! How long an end of a connection waited for answers, by the frames of both.

use farpath_emu::plane::Turns;
use farpath_observe::Limit;
use farpath_units::{Duration, Time};

use super::cause::Cause;

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
    /// Since when the other end has had all that this one sent, and sent nothing.
    unanswered: Option<Time>,
}

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
        let all = time.max(self.span).as_secs_f64().max(1e-9);
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
}
