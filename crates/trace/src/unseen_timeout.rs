//! Timeouts of a sender behind a path that broke before the capture: nothing of what was lost passed here.
//!
//! Such a silence has the shape of a sender with nothing to send. How it ends tells the two apart. A timeout sends one full segment, the
//! first that is not acknowledged, and its acknowledgement releases data above all that was sent before (F-RTO, RFC 5682 §2.1). So one
//! segment comes alone, and a round trip later one that leaves a hole, which is filled afterwards: that had been sent before the silence.
//! A sender that goes on in slow start leaves no hole, and is taken for an idle one.

use std::collections::BTreeMap;

use crate::classify::{Class, RTO_LEAST};
use crate::event::Event;
use crate::flights::Interval;
use crate::work;

/// From the lone segment to the one behind the hole, in round trips: the shortest is of one seen here, and a receiver may wait a little.
const ANSWERED: core::ops::RangeInclusive<f64> = 0.7..=2.0;

/// When the segment before a hole came, that an event fills.
pub(crate) fn before_hole(event: &Event) -> i64 {
    left_at(event).saturating_sub(event.gap)
}

/// When the hole was left.
fn left_at(event: &Event) -> i64 {
    event.at.saturating_sub(event.lag)
}

/// Silences that a timeout ended: since when nothing was under way, by when the lone segment came. The segment is of `full` bytes at
/// least, and `round_trip` the shortest. They are taken out of the time in which there was nothing to send.
pub(crate) fn find(
    events: &[Event],
    classes: &[Class],
    intervals: &mut [Interval],
    (round_trip, full): (i64, u32),
) -> BTreeMap<i64, i64> {
    let filling = events.iter().zip(classes);
    let filling = filling.filter(|(e, class)| matches!(class, Class::Upstream(_)) && e.gap > 0);
    let mut found = BTreeMap::new();
    for (event, _) in filling {
        work::count(1);
        let rounds = event.gap as f64 / round_trip.max(1) as f64;
        let lone = before_hole(event);
        if round_trip <= 0 || !ANSWERED.contains(&rounds) || found.contains_key(&lone) {
            continue;
        }
        if let Some(since) = silence(intervals, (lone, left_at(event)), (round_trip, full)) {
            found.insert(lone, since);
        }
    }
    take_out(&found, intervals);
    found
}

/// Since when nothing was under way before one segment that came alone `at` an instant, the next one when the hole was `left`.
fn silence(
    intervals: &[Interval],
    (at, left): (i64, i64),
    (round_trip, full): (i64, u32),
) -> Option<i64> {
    let n = intervals.partition_point(|i| i.until < at);
    let silent = intervals.get(n).filter(|i| i.until == at)?;
    if silent.idle < RTO_LEAST.max(round_trip) {
        return None;
    }
    let (mut packets, mut bytes) = (0, 0);
    for interval in intervals[n + 1..].iter().take_while(|i| i.until <= left) {
        work::count(1);
        (packets, bytes) = (packets + interval.packets, bytes + interval.sent);
    }
    (packets == 1 && bytes >= u64::from(full)).then_some(at - silent.idle)
}

/// Takes silences out of the time in which there was nothing to send.
fn take_out(silences: &BTreeMap<i64, i64>, intervals: &mut [Interval]) {
    for at in silences.keys() {
        let n = intervals.partition_point(|i| i.until < *at);
        if let Some(silent) = intervals.get_mut(n) {
            (silent.idle, silent.under_way) = (0, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: i64 = 1_000_000;

    fn interval(from: i64, until: i64, idle: i64, packets: u32) -> Interval {
        Interval {
            from: from * MS,
            until: until * MS,
            idle: idle * MS,
            packets,
            sent: 1448 * u64::from(packets),
            ..Interval::default()
        }
    }

    /// Quiet from 5.05 s to 24 s, then so many segments, and 100 ms later the one that leaves a hole.
    fn since(packets: u32, quiet: i64, gap: i64) -> Option<i64> {
        let intervals = [
            interval(5000, 5050, 0, 20),
            interval(5050, 24_000, quiet, 0),
            interval(24_000, 24_000 + gap, 50, packets),
            interval(24_000 + gap, 24_300, 0, 1),
        ];
        let left = (24_000 + gap) * MS;
        let found = silence(&intervals, (24_000 * MS, left), (100 * MS, 1448));
        found.map(|at| at / MS)
    }

    #[test]
    fn one_segment_alone_behind_a_silence_shows_a_timeout() {
        assert_eq!(since(1, 18_950, 100), Some(5050));
        assert_eq!(since(4, 18_950, 100), None, "a program writes again");
        assert_eq!(since(1, 150, 100), None, "no timer is so short");
    }

    #[test]
    fn a_silence_that_a_timeout_ended_is_not_idle() {
        let mut intervals = [
            interval(0, 10, 5, 1),
            interval(10, 900, 890, 0),
            interval(900, 910, 5, 1),
        ];
        take_out(&BTreeMap::from([(900 * MS, 10 * MS)]), &mut intervals);
        assert_eq!(intervals.map(|i| i.idle / MS), [5, 0, 5]);
    }
}
