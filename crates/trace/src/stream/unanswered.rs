//! Data that its sender sends again until the capture ends, and of which nothing is acknowledged any more.

use super::Stream;
use crate::classify::{Class, Why};
use crate::found::Unanswered;

/// After one timeout the capture may have ended while a loss was repaired.
const TIMEOUTS_LEAST: usize = 2;

impl Stream {
    /// The time at the end of this direction in which its timer ran out again and again and nothing more was acknowledged; `classes` are
    /// those of its events. None where nobody ever acknowledged, or where the receiver closed its window.
    pub(crate) fn unanswered(&self, classes: &[Class]) -> Option<Unanswered> {
        if self.acks == 0 || self.closed {
            return None;
        }
        let each = self.events.iter().zip(classes);
        let vain = each.filter(|(event, class)| {
            let is_sent_again = matches!(class, Class::Again(_) | Class::Upstream(_));
            event.length > 0 && event.una == self.una && is_sent_again
        });
        let (mut since, mut expired, mut again, mut timeouts) = (i64::MAX, i64::MAX, 0, 0);
        for (event, class) in vain {
            since = since.min(event.at.saturating_sub(event.lag));
            again += 1;
            if matches!(class, Class::Again(Why::Rto) | Class::Upstream(Why::Rto)) {
                timeouts += 1;
                expired = expired.min(event.at);
            }
        }
        (timeouts >= TIMEOUTS_LEAST).then_some(Unanswered {
            since_ns: since,
            until_ns: self.last_data,
            again,
            timeouts,
            heard: self.ack_at >= expired,
        })
    }
}
