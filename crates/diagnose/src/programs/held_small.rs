//! Small writes that wait: less than a segment is held back while something is unacknowledged (RFC 1122 §4.2.3.4), as one reading of a
//! socket shows it.

use crate::cause::Cause;
use crate::evidence::{Evidence, NS};
use crate::fact::Of;
use crate::flows::flow::{Flow, number, word};
use crate::items::Item;
use crate::lines::bloat::ms;
use crate::read::Facts;

/// Segments are small that have less than this part of a full one on average; and a window has room that is filled to less than it.
const SMALL: f64 = 0.5;

/// Of fewer segments the mean says nothing.
const SEGMENTS_LEAST: f64 = 100.0;

/// So many small segments go for each that comes: two writes and an answer.
const PAIR: [f64; 2] = [1.8, 2.3];

/// What a delayed acknowledgement waits for, seconds: 40 ms on Linux, 100 to 200 ms elsewhere, and less than 0.5 s (RFC 1122 §4.2.3.2).
const DELAYED_S: [f64; 2] = [0.03, 0.5];

/// Of two writes the first is acknowledged after that time, and the second at once: the mean round trip is half of it. A choice.
const HALF: [f64; 2] = [0.35, 0.65];

/// A path is near whose round trip is less than this part of that time.
const NEAR: f64 = 0.25;

/// What a socket shows of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum HeldSmall {
    /// A rest waits.
    Rest {
        /// Bytes that wait, less than a segment.
        waits: f64,
        /// Segments that are not acknowledged, and those that its congestion window allows.
        sent: [f64; 2],
        /// Bytes of its segments on average.
        mean: f64,
    },
    /// Two writes go for each answer, of which the second waits.
    Pair {
        /// Writes for each answer.
        writes: f64,
        /// Bytes of its segments on average.
        mean: f64,
        /// How long something was under way for each answer, the mean round trip and the least, seconds.
        times: [f64; 3],
    },
}

impl HeldSmall {
    /// Of a socket; none where its window, or a loss, may hold the bytes back.
    pub(crate) fn of(facts: &Facts, socket: u32) -> Option<HeldSmall> {
        HeldSmall::rest(facts, socket).or_else(|| HeldSmall::pair(facts, socket))
    }

    fn rest(facts: &Facts, socket: u32) -> Option<HeldSmall> {
        let get = |name: &'static str| number(facts, Of::Socket(socket), name).map(|f| f.value);
        let (mss, waits) = (get("mss_bytes")?, get("unsent_bytes")?);
        let (unacked, window) = (get("unacked_segments")?, get("cwnd_bytes")? / mss);
        let segments = get("data_segments_sent").filter(|n| *n >= SEGMENTS_LEAST)?;
        let mean = get("bytes_sent")? / segments;
        let announced = get("window_announced_bytes").unwrap_or(f64::INFINITY);
        let room = unacked < SMALL * window && unacked * mss < SMALL * announced;
        let lost = get("bytes_retransmitted").is_some_and(|bytes| bytes > 0.0);
        let small = waits > 0.0 && waits < mss && mean < SMALL * mss;
        (small && unacked >= 1.0 && room && !lost).then_some(HeldSmall::Rest {
            waits,
            sent: [unacked, window],
            mean,
        })
    }

    fn pair(facts: &Facts, socket: u32) -> Option<HeldSmall> {
        let get = |name: &'static str| number(facts, Of::Socket(socket), name).map(|f| f.value);
        word(facts, Of::Socket(socket), "app_limited")?;
        let sent = get("data_segments_sent").filter(|n| *n >= SEGMENTS_LEAST)?;
        let answers = get("data_segments_received").filter(|n| *n > 0.0)?;
        let (mss, mean) = (get("mss_bytes")?, get("bytes_sent")? / sent);
        let each = get("busy_ns")? * NS / answers;
        let [mean_rtt, floor] = [get("rtt_loaded_ns")? * NS, get("rtt_min_ns")? * NS];
        let within = |[least, most]: [f64; 2], value: f64| value >= least && value <= most;
        let pairs = within(PAIR, sent / answers) && mean < SMALL * mss;
        let delayed = within(DELAYED_S, each - floor) && within(HALF, mean_rtt / each);
        let lost = get("bytes_retransmitted").is_some_and(|bytes| bytes > 0.0);
        let near = floor < NEAR * each;
        (pairs && delayed && near && !lost).then_some(HeldSmall::Pair {
            writes: sent / answers,
            mean,
            times: [each, mean_rtt, floor],
        })
    }

    /// What it shows, for people.
    fn sentence(&self) -> String {
        match self {
            HeldSmall::Rest { waits, sent, mean } => format!(
                "{waits:.0} bytes wait in the sender's socket though {:.0} of the {:.0} segments that its window allows are sent, and its segments have {mean:.0} bytes on average: small writes wait until what was sent is acknowledged (Nagle), which the receiver may delay",
                sent[0], sent[1]
            ),
            HeldSmall::Pair {
                writes,
                mean,
                times: [each, mean_rtt, floor],
            } => format!(
                "{writes:.1} small segments of {mean:.0} bytes go for each answer, and something is under way for {} of each, where a round trip takes {}. On average an acknowledgement comes after half of that, {}. So a second write waits until the first is acknowledged (Nagle), which the receiver delays",
                ms(*each),
                ms(*floor),
                ms(*mean_rtt)
            ),
        }
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
        weights: [(Cause::SmallWrites, 48.0)]
            .into_iter()
            .chain(others)
            .collect(),
        sentence: held.sentence(),
    });
}
