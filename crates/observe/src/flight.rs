//! What a capture shows of a connection in one interval.

use farpath_units::{Duration, Time};

/// What a capture shows of a connection in one interval, as its sender had it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Flight {
    /// Its start.
    pub from: Time,
    /// Its end.
    pub until: Time,
    /// Nothing was in flight, or all that had been written.
    pub idle: Duration,
    /// Of that, all that had been written was under way.
    pub under_way: Duration,
    /// The receiver's window had no room for a segment.
    pub window: Duration,
    /// Of that, the receiver offered far less than it had before: its program has not read.
    pub held: Duration,
    /// Losses that acknowledgements showed were being repaired, or the window was made smaller for marks of ECN.
    pub recovery: Duration,
    /// A retransmission timeout was waited for or repaired.
    pub timeout: Duration,
    /// New bytes sent.
    pub sent: u64,
    /// Bytes acknowledged or SACKed for the first time.
    pub delivered: u64,
    /// Most bytes in flight.
    pub peak: u64,
    /// The shortest whole round trip that ended in it; none without samples.
    pub rtt: Option<Duration>,
    /// Packets of new data that passed.
    pub packets: u32,
    /// The longest time from one of them to the next.
    pub gap: Duration,
    /// They were seen on their way or at the receiver, and not as they left the sender.
    pub far: bool,
}

/// A queue is seen from this on: more than this, and more than this share of the shortest round trip.
const QUEUE_LEAST: Duration = Duration::from_ms(1);
const QUEUE_SHARE: f64 = 0.05;
/// Whether a round trip is longer than the shortest by what a queue takes.
pub(crate) fn is_queue(rtt: Duration, floor: Duration) -> bool {
    let waited = rtt.saturating_sub(floor);
    waited > QUEUE_LEAST && waited.as_secs_f64() > QUEUE_SHARE * floor.as_secs_f64()
}
