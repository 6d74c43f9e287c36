//! When the receiver acknowledges.

use farpath_tcp::{Config, DelayedAck, Flavour, Out, Receiver, Sender};
use farpath_units::{Duration, Time};
use proptest::prelude::*;

use crate::harness::{Dialogue, Event, Path, RTT, config, ms};

fn open(config: &Config) -> Receiver {
    let mut r = Receiver::new(config);
    r.on_syn(ms(0));
    assert!(r.poll(ms(0)).is_some_and(|a| a.syn_ack && a.ack == 0));
    assert_eq!(r.poll(ms(0)), None);
    r
}

#[test]
fn every_second_full_segment_is_acknowledged_at_once_and_a_single_one_by_the_timer() {
    let mut r = open(&config());
    assert!(!r.on_data(ms(1), 0, 1000, false));
    assert_eq!(r.poll(ms(1)), None);
    assert_eq!(r.deadline(), ms(41));
    assert!(r.on_data(ms(2), 1000, 1000, false));
    assert_eq!(r.poll(ms(2)).map(|a| a.ack), Some(2000));
    assert_eq!(r.deadline(), farpath_units::Time::MAX);
    assert!(!r.on_data(ms(3), 2000, 1000, false));
    r.on_deadline(ms(43));
    assert_eq!(r.poll(ms(43)).map(|a| a.ack), Some(3000));
}

/// What comes within the time of a gathering is acknowledged at its end, once; a single segment by the timer.
#[test]
fn gathered_segments_are_acknowledged_together() {
    let us = |n: u64| ms(1) + Duration::from_us(n);
    let mut r = open(&Config {
        gro: Duration::from_us(50),
        ..config()
    });
    for n in 0..20 {
        assert!(!r.on_data(us(n), n * 1000, 1000, false));
    }
    assert_eq!(r.deadline(), us(50));
    r.on_deadline(us(50));
    assert_eq!(r.poll(us(50)).map(|a| a.ack), Some(20_000));
    // 64 KiB end a gathering.
    let due: Vec<bool> = (20..85)
        .map(|n| r.on_data(us(60), n * 1000, 1000, false))
        .collect();
    assert_eq!(due.iter().position(|due| *due), Some(64));
    assert_eq!(r.poll(us(60)).map(|a| a.ack), Some(85_000));
    // One alone waits as ever, and goes with the next.
    assert!(!r.on_data(us(100), 85_000, 1000, false));
    r.on_deadline(us(150));
    assert_eq!(r.poll(us(150)), None);
    assert_eq!(r.deadline(), us(100) + Duration::from_ms(40));
    assert!(r.on_data(us(1000), 86_000, 1000, false));
    assert_eq!(r.poll(us(1000)).map(|a| a.ack), Some(87_000));
    assert!(!r.on_data(us(2000), 87_000, 1000, false));
    assert_eq!(r.deadline(), us(2050));
    // What comes behind a gap is gathered as well; the single segment before it still waits for the timer.
    assert!(!r.on_data(us(2010), 90_000, 1000, false));
    r.on_deadline(us(2050));
    assert_eq!(r.poll(us(2050)), None);
    assert_eq!(r.deadline(), us(2060));
    r.on_deadline(us(2060));
    assert_eq!(
        r.poll(us(2060)).map(|a| (a.ack, a.sack.len())),
        Some((88_000, 1))
    );
}

#[test]
fn a_short_segment_does_not_count_as_a_full_one() {
    let mut r = open(&config());
    assert!(!r.on_data(ms(1), 0, 1000, false));
    assert!(!r.on_data(ms(1), 1000, 200, false));
    assert_eq!(r.deadline(), ms(41));
}

/// Reading doubles what is left of a window of one or two segments, which Linux says at once. By RFC 9293 §3.8.6.3 alone each second
/// segment is acknowledged.
#[test]
fn linux_acknowledges_half_of_a_small_window_at_once() {
    let due = |flavour, segments: u64| -> Vec<bool> {
        let mut r = open(&Config {
            flavour,
            receive_window: segments * 1000,
            ..config()
        });
        let arrivals = 0..segments;
        arrivals
            .map(|n| {
                let due = r.on_data(ms(1), n * 1000, 1000, false);
                assert_eq!(r.poll(ms(1)).is_some(), due);
                due
            })
            .collect()
    };
    for (segments, linux, rfc) in [
        (1, vec![true], vec![false]),
        (2, vec![true, true], vec![false, true]),
        (3, vec![false, true, false], vec![false, true, false]),
    ] {
        assert_eq!(due(Flavour::Linux, segments), linux, "{segments}");
        assert_eq!(due(Flavour::Rfc, segments), rfc, "{segments}");
    }
}

/// The one segment of a window is acknowledged at the end of its gathering.
#[test]
fn linux_acknowledges_a_small_window_when_it_is_gathered() {
    let mut r = open(&Config {
        flavour: Flavour::Linux,
        gro: Duration::from_us(50),
        receive_window: 1000,
        ..config()
    });
    assert!(!r.on_data(ms(1), 0, 1000, false));
    let end = ms(1) + Duration::from_us(50);
    assert_eq!(r.deadline(), end);
    r.on_deadline(end);
    assert_eq!(r.poll(end).map(|a| a.ack), Some(1000));
}

/// A segment a round trip of 20 ms; by the RFCs' rules the receiver's timer of 40 ms has to run out as well.
#[test]
fn a_window_of_one_segment_waits_for_no_timer_in_linux() {
    for (flavour, apart) in [(Flavour::Linux, 20), (Flavour::Rfc, 60)] {
        let config = Config {
            flavour,
            receive_window: 1000,
            amount: Some(10_000),
            ..config()
        };
        let mut d = Dialogue::new(&config, Path::new(Duration::from_ms(20)));
        d.run_to_end();
        let sent: Vec<u64> = d.data().iter().map(|sent| sent.0 as u64).collect();
        let expected: Vec<u64> = (0..10).map(|n| 20 + n * apart).collect();
        assert_eq!(sent, expected);
    }
}

#[test]
fn the_last_partial_segment_is_acknowledged_by_the_timer() {
    let mut d = Dialogue::new(
        &Config {
            amount: Some(2500),
            ..config()
        },
        Path::new(RTT),
    );
    d.run_to_end();
    assert_eq!(d.now, ms(100 + 50 + 40 + 50));
    assert_eq!(d.receiver.stats().acks, 2);
}

#[test]
fn rfc5681_4_2_out_of_order_and_gap_filling_segments_are_acknowledged_at_once() {
    let mut r = open(&config());
    assert!(r.on_data(ms(1), 1000, 1000, false));
    assert_eq!(r.poll(ms(1)).map(|a| a.ack), Some(0));
    assert!(r.on_data(ms(2), 0, 1000, false));
    assert_eq!(
        r.poll(ms(2)).map(|a| (a.ack, a.sack.len())),
        Some((2000, 0))
    );
    assert_eq!(r.stats().out_of_order, 1);
}

#[test]
fn what_was_received_before_and_what_lies_beyond_the_window_is_answered_and_counted() {
    let mut r = open(&Config {
        receive_window: 5000,
        ..config()
    });
    r.on_data(ms(1), 0, 1000, false);
    assert!(r.on_data(ms(2), 0, 1000, true));
    assert_eq!(r.poll(ms(2)).map(|a| a.ack), Some(1000));
    assert!(r.on_data(ms(3), 6000, 1000, false));
    assert_eq!(
        r.poll(ms(3)).map(|a| (a.ack, a.sack.len())),
        Some((1000, 0))
    );
    assert_eq!((r.stats().duplicates, r.stats().refused), (1, 1));
    assert_eq!(r.delivered(), 1000);
}

#[test]
fn rfc7323_4_3_the_echo_is_of_the_segment_at_the_last_ack() {
    let mut r = open(&config());
    // The first of a pair is a retransmission: its timestamp is echoed.
    r.on_data(ms(1), 0, 1000, true);
    r.on_data(ms(1), 1000, 1000, false);
    assert_eq!(r.poll(ms(1)).map(|a| a.echo_retransmit), Some(true));
    // The second is: the first one's timestamp is echoed.
    r.on_data(ms(2), 2000, 1000, false);
    r.on_data(ms(2), 3000, 1000, true);
    assert_eq!(r.poll(ms(2)).map(|a| a.echo_retransmit), Some(false));
}

/// Ten segments leave at 100 ms, and more at 200 ms: a retransmission is younger by 2 ticks than what left 2 ms before it.
#[test]
fn rfc7323_5_the_stamp_of_a_retransmission_says_what_is_older() {
    let mut s = Sender::new(&config());
    s.open(ms(0));
    assert_eq!(s.poll(ms(0)), Some(Out::Syn));
    s.on_syn_ack(ms(100));
    while s.poll(ms(100)).is_some() {}
    assert_eq!(s.nxt(), 10_000);
    s.on_ack(ms(200), 2000, 1 << 30, false, &[]);
    while s.poll(ms(200)).is_some() {}
    let all = s.nxt();
    assert!(all > 10_000, "{all}");
    let stamp = |at: u64, older_below: u64| {
        let found = s.stamp(ms(at));
        assert_eq!((found.ms, found.older_below), (at, older_below));
    };
    stamp(101, 2000);
    stamp(102, 10_000);
    stamp(201, 10_000);
    stamp(202, all);
}

#[test]
fn acks_are_counted_by_policy() {
    for (every, per_segment) in [(1, 1.0), (2, 0.5), (8, 0.125)] {
        let delayed_ack = DelayedAck {
            every,
            timeout: Duration::from_secs(10),
        };
        let mut d = Dialogue::new(
            &Config {
                delayed_ack,
                initial_window: 16,
                ..config()
            },
            Path::new(RTT),
        );
        d.run_until(ms(900));
        let stats = d.receiver.stats();
        assert!((stats.acks as f64 - stats.segments as f64 * per_segment).abs() <= 1.0);
        let acks = d
            .trace
            .iter()
            .filter(|(_, e)| matches!(e, Event::Acked { .. }))
            .count();
        assert_eq!(acks as u64, stats.acks);
    }
}

#[test]
fn nothing_is_received_before_a_syn() {
    let mut r = Receiver::new(&config());
    for seq in [0, 1000, u64::MAX] {
        assert!(!r.on_data(ms(0), seq, 1000, false));
    }
    assert_eq!(r.poll(ms(0)), None);
    assert_eq!((r.delivered(), r.stats().refused), (0, 3));
}

/// What a receiver did: acknowledgements with their time, number and blocks.
type Acknowledged = Vec<(Time, u64, usize)>;

/// A receiver takes segments (time, first byte, bytes, whether sent again), by itself in runs of at most
/// `most` where it can.
fn take(
    config: &Config,
    segments: &[(Time, u64, u32, bool)],
    most: usize,
) -> (Receiver, Acknowledged) {
    let mut receiver = open(config);
    let mut acks = Vec::new();
    let mut rest = segments;
    while let [(now, seq, len, again), ..] = *rest {
        if receiver.deadline() <= now {
            let due = receiver.deadline();
            receiver.on_deadline(due);
            acks.extend(receiver.poll(due).map(|a| (due, a.ack, a.sack.len())));
        }
        let mut taken = 0;
        if let Some(mut run) = receiver.begin_run(now, config.receive_window) {
            for &(now, seq, bytes, again) in rest.iter().take(most) {
                if again || bytes != len || !run.expects(now, seq) {
                    break;
                }
                taken += 1;
                acks.extend(run.take(now, bytes.into()).map(|ack| (now, ack, 0)));
            }
            receiver.end_run(&run);
        }
        if taken == 0 {
            taken = 1;
            receiver.on_data(now, seq, len, again);
            acks.extend(receiver.poll(now).map(|a| (now, a.ack, a.sack.len())));
        }
        rest = &rest[taken..];
    }
    (receiver, acks)
}

proptest! {
    #[test]
    fn a_run_is_acknowledged_as_its_segments_are_one_by_one(
        steps in proptest::collection::vec((0usize..12, 0usize..24), 1..200),
        every in 1u8..4,
        quick_acks in 0u8..6,
        most in 1usize..40,
        kernel: bool,
        gathers: bool,
    ) {
        let delayed_ack = DelayedAck { every, ..config().delayed_ack };
        let flavour = if kernel { Flavour::Linux } else { Flavour::Rfc };
        let gro = Duration::from_ms(if gathers { 20 } else { 0 });
        let config = Config { delayed_ack, quick_acks, flavour, gro, ..config() };
        let (mut now, mut next, mut segments) = (ms(1), 0, Vec::new());
        for (gap, kind) in steps {
            // The timer's very instant, an idle second and one more instant, are among them.
            now += [
                Duration::ZERO,
                Duration::from_ms(40),
                Duration::from_ms(20),
                Duration::from_ms(20) + Duration::from_ps(1),
                Duration::from_ms(30),
                Duration::from_secs(1),
                Duration::from_secs(1) + Duration::from_ps(1),
            ].get(gap).copied().unwrap_or(Duration::from_us(gap as u64));
            let len = if kind == 0 { 300 } else { 1000 };
            segments.push(match kind {
                1 => (now, next + 1000, 1000, false),
                2 if next >= 1000 => (now, next - 1000, 1000, true),
                _ => (now, next, len, kind == 3),
            });
            next += match kind {
                1 | 2 => 0,
                _ => u64::from(len),
            };
        }
        let (one, alone) = take(&config, &segments, 0);
        let (runs, together) = take(&config, &segments, most);
        prop_assert_eq!(alone, together);
        prop_assert_eq!(format!("{one:?}"), format!("{runs:?}"));
    }
}
