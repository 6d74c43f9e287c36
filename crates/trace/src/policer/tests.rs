//! Senders that pace as BBR does, and others, through a bucket, a queue and chance.

use super::*;
use crate::classify::Why;
use crate::event::{NEVER, Place, Sending};

/// A packet with its headers, and these, bytes.
const PACKET: u32 = 1500;
const HEADER: u32 = 52;
const ROUND_TRIP: i64 = 40_000_000;
const SECOND: i64 = 1_000_000_000;
/// 15 Mbit/s, in bytes a nanosecond.
const RATE: f64 = 15e6 / 8e9;

/// When the packets of 20 s leave, at so many bytes a nanosecond at each time.
fn sent(pace: impl Fn(i64) -> f64) -> Vec<i64> {
    let (mut at, mut all) = (0, Vec::new());
    while at < 20 * SECOND {
        all.push(at);
        at += (f64::from(PACKET) / pace(at)) as i64;
    }
    all
}

/// BBR's gains, a round trip each, and four packets a round trip in the last 0.2 s of ten.
fn bbr(estimate: f64) -> impl Fn(i64) -> f64 {
    move |at: i64| {
        if at % (10 * SECOND) >= 98 * SECOND / 10 {
            return 4.0 * f64::from(PACKET) / ROUND_TRIP as f64;
        }
        let gain = match at / ROUND_TRIP % 8 {
            0 => 1.25,
            1 => 0.75,
            _ => 1.0,
        };
        gain * estimate
    }
}

/// What a packet finds in a bucket, or a queue, of so many bytes: how long that takes at the rate, nanoseconds; none where it is lost.
fn limited(rate: f64, size: f64) -> impl FnMut(i64) -> Option<i64> {
    let (mut backlog, mut before) = (0.0_f64, 0_i64);
    move |at: i64| {
        backlog = (backlog - rate * (at - before) as f64).max(0.0);
        before = at;
        let finds = (backlog / rate) as i64;
        let passes = backlog + f64::from(PACKET) <= size;
        if passes {
            backlog += f64::from(PACKET);
        }
        passes.then_some(finds)
    }
}

/// A policer: nothing waits for it.
fn policed(rate: f64, size: f64) -> impl FnMut(i64) -> Option<i64> {
    let mut bucket = limited(rate, size);
    move |at: i64| bucket(at).map(|_| 0)
}

/// A segment that is sent again for one that passed at this time, or that did not and followed another after `gap`.
fn again(at: i64, gap: i64) -> Event {
    Event {
        at: at + ROUND_TRIP,
        seq: 1,
        length: PACKET - HEADER,
        pieces: 1,
        place: Place::Seen,
        lag: ROUND_TRIP,
        since: ROUND_TRIP,
        gap,
        stamp: None,
        identification: None,
        sending: Sending::Later,
        times: 1,
        same_echo: false,
        overtaken: false,
        is_syn: false,
        joined: false,
        known: false,
        told: false,
        reneged: false,
        head: false,
        tail: false,
        head_lag: NEVER,
        sack_at: NEVER,
        dup_at: NEVER,
        una_at: 0,
        ack_at: 0,
        una: 0,
        max: 1,
        smoothed: 0,
        variation: 0,
        repaired_at: NEVER,
    }
}

/// The policer that is found at the sender, or at the receiver, where `takes` says how long each packet waits, or that it is lost.
fn found(
    sent: &[i64],
    at_sender: bool,
    mut takes: impl FnMut(i64) -> Option<i64>,
) -> Option<PolicerFound> {
    let mut passages = Passages::new(HEADER);
    let (mut events, mut intervals, mut last) = (Vec::new(), Vec::new(), 0);
    for at in sent.iter().copied() {
        let waits = takes(at);
        if at_sender || waits.is_some() {
            passages.all.push(Passage { at, bytes: PACKET });
        }
        match waits {
            Some(waits) => {
                last = at;
                let rtt_min = ROUND_TRIP + waits;
                intervals.push(Interval {
                    from: at + rtt_min,
                    until: at + rtt_min + 1,
                    rtt_min,
                    turn: 1,
                    ..Interval::default()
                });
            }
            None if at_sender => events.push(again(at, 0)),
            None => events.push(again(at, at - last)),
        }
    }
    let class = match at_sender {
        true => Class::Again(Why::Fast),
        false => Class::Upstream(Why::Fast),
    };
    let classes = vec![class; events.len()];
    let direction = Direction {
        intervals,
        repairs: Vec::new(),
        cuts: Vec::new(),
        round_trip: ROUND_TRIP,
        beyond: 0,
        at_sender,
        observed: farpath_observe::Connection::default(),
    };
    policer(&direction, &passages, (&events, &classes), PACKET - HEADER)
}

/// The rate within a hundredth, the size within an eighth, and both rates that explain as much around the right one.
fn assert_is(found: Option<PolicerFound>, rate: f64, size: f64) {
    let found = found.expect("a policer");
    let rates = [
        found.rate_bps,
        found.rate_least_bps,
        found.rate_most_bps,
        found.burst_bytes,
    ];
    let [of_rate, least, most, of_size] = rates.map(|v| v as f64);
    let right = rate * 8e9;
    assert!((of_rate / right - 1.0).abs() < 0.01, "{found:?}");
    assert!((of_size / size - 1.0).abs() < 0.125, "{found:?}");
    assert!(least < 1.001 * right && most > 0.999 * right, "{found:?}");
}

/// What BBR believes is a tenth above the rate. Once in eight round trips it leaves the bucket room for nine packets, and once in ten
/// seconds it lets it fill: a rate that is wrong by a thousandth is twelve packets off by then.
#[test]
fn a_bucket_that_bbr_keeps_near_empty_is_found_at_either_end() {
    let sent = sent(bbr(1.1 * RATE));
    for at_sender in [true, false] {
        assert_is(found(&sent, at_sender, policed(RATE, 30e3)), RATE, 30e3);
    }
}

/// A policer's rate, less a little, fills the bucket between times of more.
#[test]
fn a_bucket_that_is_full_again_between_probes_is_found() {
    let pace = |at: i64| match at % (3 * SECOND) < 2 * SECOND {
        true => 0.96 * RATE,
        false => 1.25 * RATE,
    };
    assert_is(found(&sent(pace), true, policed(RATE, 60e3)), RATE, 60e3);
}

/// A path that is down for two seconds: the window that was sent is lost, and so are lone repetitions while the timer doubles.
#[test]
fn an_outage_under_a_full_window_is_not_a_policer() {
    let down = 14 * SECOND..16 * SECOND;
    let alone = [14_280, 14_760, 15_720].map(|ms| ms * SECOND / 1000);
    let is_sent = |at: &i64| *at < down.start + ROUND_TRIP || *at > down.end + 2 * SECOND;
    let mut sent: Vec<i64> = sent(|_| RATE).into_iter().filter(is_sent).collect();
    sent.extend(alone);
    sent.sort_unstable();
    let takes = |at: i64| (!down.contains(&at)).then_some(0);
    assert_eq!(found(&sent, true, takes), None);
}

#[test]
fn a_policer_is_found_beside_an_outage() {
    let down = 12 * SECOND..25 * SECOND / 2;
    let mut bucket = policed(RATE, 30e3);
    let takes = |at: i64| match down.contains(&at) {
        true => None,
        false => bucket(at),
    };
    assert_is(found(&sent(bbr(1.1 * RATE)), true, takes), RATE, 30e3);
}

#[test]
fn losses_of_chance_are_not_a_policer_under_bbr() {
    for (seed, percent) in [(1, 2), (2, 5), (3, 10)] {
        let mut state: u64 = seed;
        let chance = |_: i64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % 100 >= percent).then_some(0)
        };
        let found = found(&sent(bbr(RATE)), true, chance);
        assert_eq!(found, None, "{percent} %");
    }
}

/// It loses what a bucket of its size would lose, and packets wait in it: the longer one shows in round trips before the losses.
#[test]
fn a_full_queue_under_bbr_is_not_a_policer() {
    for size in [20e3, 30e3] {
        let found = found(&sent(bbr(1.1 * RATE)), true, limited(RATE, size));
        assert_eq!(found, None, "{size} bytes");
    }
}

/// Windows that climb from 0.8 to 1.08 of the rate and are cut, through a shaper of 10 kB and its queue of 40 kB.
#[test]
fn a_shaper_under_windows_that_climb_is_not_a_policer() {
    let pace = |at: i64| RATE * (0.8 + 0.28 * (at % (3 * SECOND)) as f64 / (3 * SECOND) as f64);
    let mut both = limited(RATE, 50e3);
    let of_burst = (10e3 / RATE) as i64;
    let shaper = |at: i64| both(at).map(|finds| (finds - of_burst).max(0));
    assert_eq!(found(&sent(pace), true, shaper), None);
}

#[test]
fn of_two_buckets_that_are_not_the_same_the_closer_one_counts() {
    let bucket = |rate: f64, size: f64, ends: [f64; 2]| {
        let fit = Fit {
            rate,
            size,
            wrong: 0,
        };
        Some((fit, ends))
    };
    let bounded = bucket(1.0, 30e3, [0.999, 1.001]);
    let size = |stepped| closer(stepped, bounded).map(|found| found.0.size);
    assert_eq!(size(None), Some(30e3));
    assert_eq!(size(bucket(1.05, 10e3, [0.9, 1.1])), Some(30e3));
    assert_eq!(size(bucket(1.05, 29e3, [1.04, 1.06])), Some(30e3));
    assert_eq!(size(bucket(1.0, 29e3, [0.9, 1.1])), Some(29e3));
    let alone = closer(bounded, None).map(|found| found.0.size);
    assert_eq!(alone, Some(30e3));
}
