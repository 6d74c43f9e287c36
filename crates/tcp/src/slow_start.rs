//! What ends slow start before a loss does, and how fast it may grow.

use farpath_units::Time;

use crate::arrival::{Arrival, Step};
use crate::cc::Watch;
use crate::config::SlowStart;
use crate::hystart::HyStart;
use crate::train::Train;

/// Most segments of growth per ACK with HyStart++, for a sender that does not pace (RFC 9406 §4.3).
const L: u64 = 8;

/// A detector that ends slow start.
#[derive(Clone, Debug)]
pub(crate) enum Exit {
    /// HyStart++ (RFC 9406).
    PlusPlus(HyStart),
    /// HyStart as Linux's CUBIC has it.
    Classic(Train),
}

impl Exit {
    /// The detector of that kind of slow start, if it has one; `paced` senders do not send trains.
    fn of(slow_start: SlowStart, paced: bool) -> Option<Exit> {
        match slow_start {
            SlowStart::Standard | SlowStart::Limited { .. } => None,
            SlowStart::HyStartPlusPlus => Some(Exit::PlusPlus(HyStart::new(paced))),
            SlowStart::HyStart => Some(Exit::Classic(Train::new(paced))),
        }
    }

    /// The detector of a connection's first slow start; none where the algorithm watches deliveries.
    pub(crate) fn first(slow_start: SlowStart, paced: bool, watch: Watch) -> Option<Exit> {
        Exit::of(slow_start, paced).filter(|_| watch != Watch::Deliveries)
    }

    /// The detector after a timeout, when `nxt` was the first byte not sent yet. RFC 9406 §4.3: HyStart++ is for the first slow
    /// start only; the kernel's HyStart begins again.
    pub(crate) fn after_timeout(
        slow_start: SlowStart,
        paced: bool,
        now: Time,
        nxt: u64,
    ) -> Option<Exit> {
        let again = slow_start == SlowStart::HyStart;
        again.then(|| Exit::Classic(Train::after_timeout(paced, now, nxt)))
    }

    /// Whether it is kept over a loss.
    pub(crate) fn outlasts_loss(&self) -> bool {
        matches!(self, Exit::Classic(_))
    }

    /// An ACK moved the acknowledged edge.
    pub(crate) fn on_ack(&mut self, arrival: &Arrival) -> Step {
        match self {
            Exit::PlusPlus(h) => h.on_ack(arrival.rtt, arrival.una, arrival.nxt),
            Exit::Classic(train) => train.on_ack(arrival),
        }
    }

    /// Whether growth is held down already.
    pub(crate) fn is_conservative(&self) -> bool {
        matches!(self, Exit::PlusPlus(h) if h.is_conservative())
    }

    /// Most segments of growth per ACK.
    pub(crate) fn most(&self) -> u64 {
        match self {
            Exit::PlusPlus(h) if !h.is_paced() => L,
            Exit::PlusPlus(_) | Exit::Classic(_) => u64::MAX >> 32,
        }
    }
}

/// By what limited slow start (RFC 3742 §2) divides the growth at a window of so many segments:
/// K = int(cwnd / (max_ssthresh/2)) above max_ssthresh.
pub(crate) fn limited(cwnd: f64, max_ssthresh: f64) -> f64 {
    if cwnd <= max_ssthresh {
        1.0
    } else {
        (cwnd / (0.5 * max_ssthresh)).floor()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3742 §3: log2(max_ssthresh) + (cwnd − max_ssthresh)/(max_ssthresh/2) round trips, 1665 to 83 000 segments with
    /// max_ssthresh 100; the RFC prints 836, which is a misprint. Never more than max_ssthresh/2 segments come in a
    /// round trip.
    #[test]
    fn rfc3742_3_limited_slow_start_takes_1665_round_trips_to_83_000() {
        let mut cwnd = 1.0_f64;
        let mut rounds = 0;
        while cwnd < 83_000.0 {
            let more = cwnd / limited(cwnd, 100.0);
            assert!(more <= 100.0);
            cwnd += more;
            rounds += 1;
        }
        let formula = libm::log2(100.0) + (83_000.0 - 100.0) / 50.0;
        assert_eq!(formula.round(), 1665.0);
        assert!(
            (f64::from(rounds) / formula - 1.0).abs() < 0.01,
            "{rounds} for {formula}"
        );
    }
}
