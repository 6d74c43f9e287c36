//! What SACK saved: the recoveries that were seen beside a model of the same without it.
//!
//! Without SACK an acknowledgement shows one hole, and the next one a round trip later, when the first is repaired (RFC 6582
//! §3.2): a recovery with n holes takes n round trips. With SACK they are repaired side by side. The round trip is the one
//! that was smoothed when the recovery began.

use farpath_record::trace::SackBenefit;

use crate::classify::{Class, Why};
use crate::event::{Event, NEVER};

/// A recovery under way.
#[derive(Clone, Copy)]
struct Recovery {
    from: i64,
    until: i64,
    /// What had been sent when it began ends here.
    max: u64,
    holes: u64,
    round_trip: i64,
}

/// What SACK saved in one direction; `beyond` is the time from the capture to the sender and back.
pub(crate) fn sack_benefit(
    events: &[Event],
    classes: &[Class],
    beyond: i64,
) -> Option<SackBenefit> {
    let mut found = SackBenefit::default();
    let mut open: Option<Recovery> = None;
    let mut over = i64::MIN;
    for (event, class) in events.iter().zip(classes) {
        let fast = matches!(class, Class::Again(Why::Fast) | Class::Upstream(Why::Fast));
        if !fast || event.sack_at == NEVER || event.repaired_at == NEVER {
            continue;
        }
        match &mut open {
            // Of the same window: an acknowledgement of all that had been sent ends a recovery.
            Some(recovery) if event.seq < recovery.max => {
                recovery.holes += u64::from(event.pieces);
            }
            _ => {
                if let Some(done) = open.take() {
                    over = add(&mut found, done, over);
                }
                open = Some(Recovery {
                    from: event.at,
                    until: event.repaired_at,
                    max: event.max,
                    holes: u64::from(event.pieces),
                    round_trip: event.smoothed + beyond,
                });
            }
        }
    }
    if let Some(done) = open {
        add(&mut found, done, over);
    }
    (found.recoveries > 0).then_some(found)
}

/// Adds a recovery behind those that were `over` at an instant, and says when all of them are: one may begin before the one in
/// front is over, and time in both counts once.
fn add(found: &mut SackBenefit, done: Recovery, over: i64) -> i64 {
    if done.holes < 2 || done.round_trip <= 0 {
        return over;
    }
    let took = (done.until - done.from.max(over)).max(0) as u64;
    found.recoveries += 1;
    found.holes += done.holes;
    found.took_ns += took;
    found.without_ns += took.max(done.holes.saturating_mul(done.round_trip as u64));
    over.max(done.until)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One from 1 s to 4 s, one from 3 s to 6 s, and one from 8 s to 9 s: six seconds.
    #[test]
    fn time_in_two_recoveries_counts_once() {
        let second = 1_000_000_000;
        let mut found = SackBenefit::default();
        let mut over = i64::MIN;
        for (from, until) in [(1, 4), (3, 6), (8, 9)] {
            let one = Recovery {
                from: from * second,
                until: until * second,
                max: 0,
                holes: 10,
                round_trip: second,
            };
            over = add(&mut found, one, over);
        }
        assert_eq!((found.recoveries, found.holes), (3, 30));
        assert_eq!(found.took_ns, 6_000_000_000);
        assert_eq!(found.without_ns, 30_000_000_000);
    }
}
