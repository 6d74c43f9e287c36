//! One connection of a test over TCP, as its forecast takes it.

use farpath_predict::Cc;
use farpath_predict::bursts::Chain;
use farpath_predict::recovery::Losses;
use farpath_tcp::Config;
use farpath_units::Duration;

use super::Narrowest;
use crate::model::Test;

/// What one test's connections are like, each.
#[derive(Clone)]
pub(super) struct Flow {
    pub(super) config: Config,
    /// The closed forms' name for its algorithm, if they know it.
    pub(super) cc: Option<Cc>,
    pub(super) streams: f64,
    pub(super) narrowest: Narrowest,
    /// Round-trip time of a full segment and its ACK, nothing waiting.
    pub(super) base: Duration,
    /// The handshake and the way of a first segment, without that segment's own time on the narrowest place.
    pub(super) opens: Duration,
    /// Payload in flight at most.
    pub(super) window: u64,
    /// Chance that a segment is lost, and how losses fall.
    pub(super) loss: f64,
    /// Chance that it is lost when the narrowest place has sent it.
    pub(super) lost_behind: f64,
    pub(super) losses: Losses,
    /// Where they come in bursts, of one place.
    pub(super) chain: Option<Chain>,
    /// Segments that the queue in front of the narrowest place holds; infinite where that is not known.
    pub(super) room: f64,
    /// The rate of the narrowest place, of that of the slowest one before it; 0 where none is.
    pub(super) feeds: f64,
    /// Whether a policer's bucket is known to be empty before slow start overflows that queue.
    pub(super) bucket_first: bool,
}

/// Whether a test goes on after so many seconds and bytes of each connection; `amount` is all that one has to carry.
pub(super) fn goes_on(test: &Test, amount: Option<u64>, seconds: f64, bytes: f64) -> bool {
    let stops = test.duration.map(|d| (test.omit + d).as_secs_f64());
    stops.is_none_or(|stops| seconds < stops) && amount.is_none_or(|all| bytes < all as f64)
}
