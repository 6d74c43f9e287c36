//! Segments sent again that one source of a flow counts and another does not: the report of a test, and its socket.

use crate::ceiling::bytes;
use crate::evidence::Evidence;
use crate::fact::{Figure, Place};
use crate::seen::{Row, Test};

/// What a test counts as sent again where its socket shows far less.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Recounted {
    /// The tool of the test.
    tool: &'static str,
    /// What it counts, segments.
    again: f64,
    /// What the socket counts, segments, and the bytes that it had sent by then.
    socket: [f64; 2],
    /// Where both were read.
    pub(crate) from: Vec<Place>,
}

/// A test counts more than its socket from so many times on: the socket is read before the test is over.
const MORE: f64 = 2.0;

impl Evidence {
    /// What sockets sent again, of all that they sent. A test that counts far more is believed: `ss` prints no `retrans` where there
    /// were none until then, or where it is another connection.
    pub(crate) fn socket_losses(
        &mut self,
        test: Option<&Test>,
        again: Option<Figure>,
        sent: Option<Figure>,
    ) {
        let Some((again, sent)) = again.zip(sent).filter(|(_, sent)| sent.value > 0.0) else {
            return;
        };
        let count = again.times(1.0 / self.mss);
        let more = |own: &&Figure| own.value >= 1.0 && own.value > MORE * count.value;
        if let (Some(own), Some(test)) = (self.retransmits.as_ref().filter(more), test) {
            let first = before_losses(&test.rows);
            if first.is_none_or(|first| sent.value > first) {
                self.recounted = Some(Recounted {
                    tool: test.tool,
                    again: own.value,
                    socket: [count.value, sent.value],
                    from: own.with(&sent).from,
                });
            }
            return;
        }
        let share = again.value / sent.value;
        let segments = sent.value / self.mss;
        let spread = 2.0 * (share * segments + 1.0).sqrt() / segments;
        let mut figure = again.with(&sent);
        (figure.value, figure.low, figure.high) =
            (share, (share - spread).max(0.0), share + spread);
        self.again = Some(figure);
        self.retransmits = Some(count);
    }
}

/// Bytes that a test carried before the end of its first interval with losses; none where no interval counts any.
fn before_losses(rows: &[Row]) -> Option<f64> {
    let lossy = |r: &Row| r.retransmits.is_some_and(|n| n > 0.0);
    let first = rows.iter().position(lossy)?;
    let side = rows[first].side;
    let before = rows[..=first].iter().filter(|r| r.side == side);
    Some(before.map(|r| r.bps * (r.until - r.from) / 8.0).sum())
}

impl Recounted {
    /// What does not fit, for people.
    pub(crate) fn sentence(&self) -> String {
        let [count, sent] = self.socket;
        let by_socket = match count {
            n if n < 0.5 => "none".to_owned(),
            n => format!("{n:.0}"),
        };
        format!(
            "{} counts {:.0} segments sent again, and ss {by_socket} of {} that the socket had sent: the former is taken; ss is of another connection, or of a time before",
            self.tool,
            self.again,
            bytes(sent)
        )
    }
}
