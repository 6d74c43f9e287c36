//! A way back that is full: acknowledgements wait for it.

use farpath_units::Time;

use crate::connection::Connection;
use crate::surroundings::Surroundings;

/// A smaller share of the time is not mentioned.
const LEAST: f64 = 0.1;

/// For which share of a connection's time from `from` on a link of its way back carried what it can and frames waited for it; 0 where
/// nobody saw that.
pub(crate) fn full(connection: &Connection, from: Time, around: &Surroundings<'_>) -> f64 {
    let first = connection.intervals.first().map(|(end, _)| *end);
    let last = connection.intervals.last().map(|(end, _)| *end);
    let (Some(path), Some(first), Some(last)) = (&around.path, first, last) else {
        return 0.0;
    };
    let begins = Time::ZERO + first.since(Time::ZERO).saturating_sub(connection.every);
    path.back_full(begins.max(from), last, connection.round())
}

/// What is said of that share; none where it is too small to matter.
pub(crate) fn words(share: f64) -> Option<String> {
    (share >= LEAST).then(|| {
        format!(
            "the way back was full {:.0} % of the time: acknowledgements waited for it",
            100.0 * share.min(1.0)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::{Dropped, Hop, Interval, Path};
    use farpath_units::{Duration, Rate};

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_ms(ms)
    }

    /// A way back of 64 kbit/s, 800 bytes in 0.1 s, that is full for three of four seconds; and one of as many bytes where nothing waits.
    #[test]
    fn a_way_back_that_is_full_is_said() {
        let said = |waiting: u64, ahead: bool| {
            let interval = |n: u64| Interval {
                bytes: if n < 30 { 800 } else { 80 },
                queue_bytes: waiting,
            };
            let intervals: Vec<Interval> = (0..40).map(interval).collect();
            let hop = Hop {
                name: "l a>b",
                own: false,
                waits_unseen: false,
                rates: vec![(Time::ZERO, Rate::from_bps(64_000).expect("a rate"))],
                intervals: &intervals,
                dropped: Dropped::default(),
                frame_bytes: 0,
            };
            let (hops, back) = match ahead {
                true => (vec![hop], Vec::new()),
                false => (Vec::new(), vec![hop]),
            };
            let around = Surroundings {
                path: Some(Path {
                    every: Duration::from_ms(100),
                    hops,
                    back,
                    down: Vec::new(),
                    notes: Vec::new(),
                }),
                hosts: None,
            };
            let connection = Connection {
                every: Duration::from_ms(100),
                intervals: (1..=40).map(|n| (at(100 * n), 1000)).collect(),
                ..Connection::default()
            };
            words(full(&connection, Time::ZERO, &around))
        };
        assert_eq!(
            said(300, false).as_deref(),
            Some("the way back was full 75 % of the time: acknowledgements waited for it")
        );
        assert_eq!([said(0, false), said(300, true)], [None, None]);
    }
}
