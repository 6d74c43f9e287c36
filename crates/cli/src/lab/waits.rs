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
            way: turns.way,
            unanswered: turns.unanswered.filter(|(who, _)| *who == end).map(|u| u.1),
        }
    }

    /// From the first frame with data to the last.
    pub(super) fn span(&self) -> Duration {
        self.span
    }

    /// How long at the end, at an instant, the other one has had all and sent nothing, where that is worth naming.
    pub(super) fn unanswered(&self, end: Time) -> Option<Duration> {
        let waited = end.since(self.unanswered?.min(end));
        (waited >= NAMED).then_some(waited)
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
