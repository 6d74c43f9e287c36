//! A line that a capture at the sender saw full bounds every gain: what was sent more waited there, and did not come sooner.

use crate::cause::Cause;
use crate::evidence::Evidence;
use crate::fact::Figure;

/// From this share of the time on it is the line that bounds, as the same share speaks fully for one (`observed`).
const FULL: f64 = 0.6;

/// A capture at the sender that lost nothing is believed so far.
const WHOLE: f64 = 1.0;

/// What is left after a change, and no more than what came while the line was full.
pub(super) fn within_plateau(next: (Cause, Figure), e: &Evidence) -> (Cause, Figure) {
    let account = e.account.as_ref().filter(|a| !a.sees_buffers);
    let full = account.filter(|a| a.trust >= WHOLE && a.share("link") >= FULL);
    // What the sender was idle for is in the mean rate, and not in what the line carried.
    let idle = full.map(|a| a.share("application"));
    let carried = idle.and_then(|idle| Some(e.settled()?.times(1.0 / (1.0 - idle))));
    match carried {
        Some(carried) if carried.value < next.1.value => (Cause::Link, carried),
        _ => next,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::Account;
    use crate::fact::Place;

    /// BBR at 18.8 Mbit/s, whose windows would let 366 Mbit/s through.
    #[test]
    fn no_window_promises_more_than_a_full_line_carried() {
        let promised = |link: f64, trust: f64| {
            let shares = [("link", link), ("cwnd_slow_start", 1.0 - link)];
            let e = Evidence {
                rate: Some(Figure::exact(18.8e6, Place::You)),
                account: Some(Account::captured(shares, trust)),
                ..Evidence::default()
            };
            let window = Figure::exact(366e6, Place::You);
            let (cause, left) = within_plateau((Cause::ReceiveWindow, window), &e);
            (cause, left.value)
        };
        assert_eq!(promised(0.9, 1.0), (Cause::Link, 18.8e6));
        let unbounded = (Cause::ReceiveWindow, 366e6);
        assert_eq!(promised(0.2, 1.0), unbounded, "not for long");
        assert_eq!(promised(0.9, 0.25), unbounded, "seen from afar");
    }
}
