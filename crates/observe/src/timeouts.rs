//! Waits for the retransmission timer, and for a tail loss probe that found a loss. A sender's own account knows of a timeout when the
//! timer has run out: the wait until then it takes for its window's or, behind the last byte written, for its application's.

use farpath_record::quantity::quantity;

use crate::connection::Connection;
use crate::stretch::Stretch;

/// Of a recovery: what the wait before it must be for a word.
const WORTH: f64 = 0.1;

/// Says for how long the sender had waited for its timer where the last cut, from which `recovery_s` counts, was that of a timeout.
pub(crate) fn note(all: &[Connection]) -> Option<String> {
    let longest = all.iter().max_by_key(|c| c.recovery)?;
    let (recovery, cut) = (longest.recovery?, longest.cut?);
    let mut waits = longest.timeouts.iter();
    let (from, until) = waits.find(|(_, until)| *until == cut)?;
    let [waited, recovery] = [until.since(*from), recovery].map(|d| d.as_secs_f64());
    (waited > WORTH * recovery).then(|| {
        format!(
            "a timeout showed the last loss, {} after the last answer or segment: recovery_s counts from the timeout, and with the wait before it is {}",
            quantity("waited_s", waited),
            quantity("recovery_s", waited + recovery)
        )
    })
}

/// Stretches with the waits for the timer as the timeouts'.
pub(crate) fn settled(mut stretches: Vec<Stretch>, connection: &Connection) -> Vec<Stretch> {
    let waits = &connection.timeouts;
    for stretch in &mut stretches {
        let first = waits.partition_point(|(_, until)| *until <= stretch.from);
        let near = waits[first..].iter();
        let near = near.take_while(|(from, _)| *from < stretch.until);
        let inside = near.map(|(from, until)| {
            let (from, until) = ((*from).max(stretch.from), (*until).min(stretch.until));
            until.since(from).as_secs_f64()
        });
        let waited: f64 = inside.sum();
        if waited > 0.0 {
            *stretch = stretch.of_timeout(waited);
        }
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limit::{Limit, Surroundings, shares};
    use farpath_units::{Duration, Time};

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    fn connection(stretches: &[(u64, u64, Limit)], timeouts: &[(u64, u64)]) -> Connection {
        let stretch = |s: &(u64, u64, Limit)| Stretch::whole(at(s.0), at(s.1), s.2);
        Connection {
            account: stretches.iter().map(stretch).collect(),
            timeouts: timeouts.iter().map(|w| (at(w.0), at(w.1))).collect(),
            delivered: 1,
            ..Connection::default()
        }
    }

    /// The end of a short transfer is lost: 2 ms in slow start, 200 ms until the timer runs out, and the repair.
    #[test]
    fn a_wait_for_the_timer_is_the_timeouts() {
        let tail = [
            (0, 2, Limit::CwndSlowStart),
            (2, 102, Limit::Application),
            (102, 202, Limit::CwndRecovery),
            (202, 204, Limit::Loss),
        ];
        let named = |timeouts: &[(u64, u64)]| {
            let seen = connection(&tail, timeouts);
            shares(&seen, Time::ZERO, &Surroundings::default())
        };
        let found = named(&[(2, 202)]);
        assert!((found["loss"] - 202.0 / 204.0).abs() < 1e-9, "{found:?}");
        assert!(!found.contains_key("application"), "{found:?}");
        // Half of one interval, and a right neighbour: without a timeout it is as it was.
        let half = named(&[(52, 102)]);
        assert!((half["application"] - 50.0 / 204.0).abs() < 1e-9);
        assert!((named(&[])["application"] - 100.0 / 204.0).abs() < 1e-9);
    }

    /// 80 ms back to a window of two segments, and 1.4 s of silence before: the recovery alone hid what the loss had cost.
    #[test]
    fn a_recovery_behind_a_timeout_says_how_long_that_took() {
        let mut seen = connection(&[], &[(20, 120), (1000, 2400)]);
        seen.recovery = Some(Duration::from_ms(80));
        let alone = |seen: &Connection| note(std::slice::from_ref(seen));
        assert_eq!(alone(&seen), None, "when the cut was is unknown");
        seen.cut = Some(at(2400));
        let said = note(&[Connection::default(), seen.clone()]).expect("a note");
        assert!(said.contains("loss, 1.4000 s after"), "{said}");
        assert!(said.ends_with("is 1.4800 s"), "{said}");
        seen.recovery = Some(Duration::from_secs(20));
        assert_eq!(alone(&seen), None, "hardly more");
        seen.cut = Some(at(2000));
        assert_eq!(alone(&seen), None, "another cut");
    }

    /// Nothing was under way before the request that was lost: that time stays the application's.
    #[test]
    fn idle_time_in_the_same_interval_stays_the_applications() {
        let mut seen = connection(&[(0, 1000, Limit::Application)], &[(800, 1000)]);
        seen.account[0].set_idle(0.8);
        let found = shares(&seen, Time::ZERO, &Surroundings::default());
        assert!((found["application"] - 0.8).abs() < 1e-9, "{found:?}");
        assert!((found["loss"] - 0.2).abs() < 1e-9, "{found:?}");
    }
}
