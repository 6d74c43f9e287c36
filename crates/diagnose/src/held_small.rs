//! Small writes that wait: less than a segment is held back while something is unacknowledged (RFC 1122 §4.2.3.4), as one reading of a
//! socket shows it.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Of;
use crate::flow::{Flow, number};
use crate::items::Item;
use crate::read::Facts;

/// Segments are small that have less than this part of a full one on average; and a window has room that is filled to less than it.
const SMALL: f64 = 0.5;

/// Of fewer segments the mean says nothing.
const SEGMENTS_LEAST: f64 = 100.0;

/// What a socket shows of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HeldSmall {
    /// Bytes that wait, less than a segment.
    waits: f64,
    /// Segments that are not acknowledged, and those that its congestion window allows.
    sent: [f64; 2],
    /// Bytes of its segments on average.
    mean: f64,
}

impl HeldSmall {
    /// Of a socket; none where its window, or a loss, may hold the bytes back.
    fn of(facts: &Facts, socket: u32) -> Option<HeldSmall> {
        let get = |name: &'static str| number(facts, Of::Socket(socket), name).map(|f| f.value);
        let (mss, waits) = (get("mss_bytes")?, get("unsent_bytes")?);
        let (unacked, window) = (get("unacked_segments")?, get("cwnd_bytes")? / mss);
        let segments = get("data_segments_sent").filter(|n| *n >= SEGMENTS_LEAST)?;
        let mean = get("bytes_sent")? / segments;
        let announced = get("window_announced_bytes").unwrap_or(f64::INFINITY);
        let room = unacked < SMALL * window && unacked * mss < SMALL * announced;
        let lost = get("bytes_retransmitted").is_some_and(|bytes| bytes > 0.0);
        let small = waits > 0.0 && waits < mss && mean < SMALL * mss;
        (small && unacked >= 1.0 && room && !lost).then_some(HeldSmall {
            waits,
            sent: [unacked, window],
            mean,
        })
    }
}

impl Evidence {
    /// What the sender's sockets show of small writes that wait.
    pub(crate) fn of_held_small(&mut self, facts: &Facts, flow: &Flow) {
        let mut all = flow.sockets.iter();
        self.around.held_small = all.find_map(|socket| HeldSmall::of(facts, *socket));
    }
}

/// Nothing but that rule holds a rest back where both windows have room. A round trip that is longer then waits for the receiver's
/// delayed acknowledgement, and for no queue.
pub(crate) fn by_held_small(e: &Evidence, items: &mut Vec<Item>) {
    let Some(held) = &e.around.held_small else {
        return;
    };
    let queues = [
        Cause::Link,
        Cause::CongestionLoss,
        Cause::Shaper,
        Cause::CrossTraffic,
    ];
    let others = queues.into_iter().map(|cause| (cause, -12.0));
    items.push(Item {
        holds: 1.0,
        weights: [(Cause::SmallWrites, 48.0)].into_iter().chain(others).collect(),
        sentence: format!(
            "{:.0} bytes wait in the sender's socket though {:.0} of the {:.0} segments that its window allows are sent, and its segments have {:.0} bytes on average: small writes wait until what was sent is acknowledged (Nagle), which the receiver may delay",
            held.waits, held.sent[0], held.sent[1], held.mean
        ),
    });
}
