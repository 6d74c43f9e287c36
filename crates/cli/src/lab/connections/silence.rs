//! That the other side had all at the end, and sent nothing back, beside what limited a connection.

use farpath_observe::Limit;
use farpath_units::Duration;

use super::Watched;
use crate::lab::cause::Cause;
use crate::lab::sender::SENDERS;

impl Watched {
    /// What a cause did, and that nothing came back at the end, for so long, where that is most of the time without anything to send.
    pub(super) fn with_silence(&self, cause: (Cause, f64), unanswered: Option<Duration>) -> String {
        match (cause, unanswered) {
            ((Cause::Limit(Limit::Application), share), Some(time))
                if 2.0 * time.as_secs_f64() >= share * self.time().as_secs_f64() =>
            {
                format!("{}; {}", self.limited(cause), self.unanswered(time))
            }
            _ => self.limited(cause),
        }
    }

    /// That nothing came back at the end.
    fn unanswered(&self, time: Duration) -> String {
        format!(
            "for the last {:.1} s {} had all of it and sent nothing back",
            time.as_secs_f64(),
            SENDERS[1 - self.host]
        )
    }
}
