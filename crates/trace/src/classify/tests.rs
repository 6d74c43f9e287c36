//! What fills a hole with the TSval of the segment that left it.

use super::*;

const MILLISECOND: i64 = 1_000_000;
const ROUND_TRIP: i64 = 40 * MILLISECOND;

/// A segment that fills a hole so long after the one that left it, with a TSval so much later.
fn filling(lag: i64, stamp: i32, overtaken: bool) -> Event {
    Event {
        at: ROUND_TRIP + lag,
        seq: 1,
        length: 1448,
        pieces: 1,
        place: Place::Hole,
        lag,
        since: lag,
        gap: 0,
        stamp: Some(stamp),
        identification: None,
        sending: Sending::Later,
        times: 0,
        same_echo: false,
        overtaken,
        is_syn: false,
        joined: false,
        known: false,
        told: false,
        reneged: false,
        head: true,
        tail: false,
        head_lag: NEVER,
        sack_at: NEVER,
        dup_at: NEVER,
        una_at: 0,
        ack_at: 0,
        una: 1,
        max: 14_481,
        smoothed: ROUND_TRIP,
        variation: 0,
        repaired_at: NEVER,
    }
}

/// Whether it counts as reordered where the sender's clock shows the same for so long.
fn is_reordered(event: Event, tick: i64) -> bool {
    let times = Times {
        round_trip: ROUND_TRIP,
        tick,
        ..Times::default()
    };
    classify(&[event], times) == [Class::Reordered]
}

#[test]
fn what_was_sent_in_the_tick_of_the_next_one_is_not_a_repetition_however_late() {
    for lag in [30, 35, 90] {
        let event = filling(lag * MILLISECOND, 0, false);
        assert!(is_reordered(event, MILLISECOND), "{lag} ms");
        // A repetition may leave in a tick that is as long as a round trip, and so it may where no clock was seen.
        for tick in [0, 20 * MILLISECOND, ROUND_TRIP] {
            assert!(!is_reordered(event, tick), "{lag} ms, tick of {tick} ns");
        }
    }
}

#[test]
fn what_was_sent_before_data_that_has_passed_is_not_a_repetition() {
    let late = 35 * MILLISECOND;
    assert!(is_reordered(filling(late, 0, true), 0));
    assert!(is_reordered(filling(late, 0, true), ROUND_TRIP));
    // Later than what left the hole: it was sent again, and others overtook it afterwards.
    assert!(!is_reordered(filling(late, 40, true), MILLISECOND));
    assert!(!is_reordered(filling(late, 40, false), MILLISECOND));
    assert!(is_reordered(filling(late, -1, false), 0));
}

/// However many there are, each repetition that filled a hole is found by what comes late, and all of its bytes have to.
#[test]
fn what_came_late_spares_the_repetitions_before_it_by_their_bytes() {
    const COUNT: u64 = 600;
    let lag = 35 * MILLISECOND;
    let place = |n: u64| 1 + n * 1448;
    let repeated = |n: u64| Event {
        seq: place(n),
        head: n == 0,
        ..filling(lag, 40, false)
    };
    let late = |n: u64, length: u32| Event {
        seq: place(n),
        length,
        place: Place::Seen,
        sending: Sending::Before,
        stamp: Some(-40),
        since: MILLISECOND,
        times: 2,
        ..filling(lag + MILLISECOND, 0, false)
    };
    let spared = |length: u32| {
        let mut events: Vec<Event> = (0..COUNT).map(repeated).collect();
        events.extend((0..COUNT).map(|n| late(n, length)));
        let times = Times {
            round_trip: ROUND_TRIP,
            ..Times::default()
        };
        let classes = classify(&events, times);
        let is_late = |class: &&Class| **class == Class::Reordered;
        assert_eq!(classes.iter().filter(is_late).count() as u64, COUNT);
        let unneeded = classes.iter().filter(|c| matches!(c, Class::Unneeded(_)));
        unneeded.count() as u64
    };
    assert_eq!([spared(1448), spared(700)], [COUNT, 0]);
}
