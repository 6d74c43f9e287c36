//! Acknowledgements of what is out of order, some for many.

use farpath_tcp::{Autotuning, Config, Flavour, Profile, Receiver};
use farpath_units::{Duration, Time};

use crate::harness::{config, ms};

fn receiver(most: u32, rtt: Duration) -> Receiver {
    gathering(Duration::ZERO, most, rtt)
}

/// A receiver whose card gathers for `gro`.
fn gathering(gro: Duration, most: u32, rtt: Duration) -> Receiver {
    let mut r = Receiver::new(&Config {
        compressed_sacks: most,
        flavour: Flavour::Linux,
        gro,
        ..config()
    });
    r.on_syn(ms(0));
    assert!(r.poll(ms(0)).is_some_and(|a| a.syn_ack));
    r.on_round_trip(rtt);
    r
}

fn us(n: u64) -> Time {
    ms(100) + Duration::from_us(n)
}

/// Segments from the `from`-th on, one each 10 us, after the 0-th was lost: when the receiver acknowledged, and how many
/// bytes it had above the gap.
fn acks(r: &mut Receiver, from: u64, count: u64) -> Vec<(u64, u64)> {
    let mut acks = Vec::new();
    for n in from..from + count {
        let now = us(10 * n);
        if r.deadline() <= now {
            let due = r.deadline();
            r.on_deadline(due);
            let sacked = r.poll(due).map(|a| a.sack[0].end - a.sack[0].start);
            acks.extend(sacked.map(|s| (due.since(us(0)).as_ns() / 1000, s)));
        }
        r.on_data(now, n * 1000, 1000, false);
        let sacked = r.poll(now).map(|a| a.sack[0].end - a.sack[0].start);
        acks.extend(sacked.map(|s| (10 * n, s)));
    }
    acks
}

/// Linux: three at once, then one for what comes within a millisecond and 100 us, or for 44.
#[test]
fn three_leave_at_once_and_then_one_for_a_millisecond() {
    let mut r = receiver(44, Duration::from_ms(100));
    let found = acks(&mut r, 1, 150);
    let expected = [
        (10, 1000),
        (20, 2000),
        (30, 3000),
        (480, 48_000),
        (930, 93_000),
        (1380, 138_000),
    ];
    assert_eq!(found, expected);
    let mut r = receiver(1000, Duration::from_ms(100));
    let found = acks(&mut r, 1, 150);
    assert_eq!(found[3..], [(1140, 113_000)]);
    assert_eq!(r.deadline(), us(1140 + 1100));
}

/// A twentieth of the handshake's round trip where that is less.
#[test]
fn on_a_short_path_they_wait_for_less() {
    let mut r = receiver(44, Duration::from_ms(2));
    let found = acks(&mut r, 1, 26);
    assert_eq!(found[3..], [(240, 23_000)]);
    // None is held before a round trip is known, or without the rule.
    for mut r in [
        receiver(44, Duration::ZERO),
        receiver(0, Duration::from_ms(2)),
    ] {
        assert_eq!(acks(&mut r, 1, 30).len(), 30);
    }
}

/// What fills the gap is acknowledged at once, and so is what came before.
#[test]
fn what_fills_a_gap_is_acknowledged_at_once() {
    let mut r = receiver(44, Duration::from_ms(100));
    assert_eq!(acks(&mut r, 1, 10).len(), 3);
    assert!(!r.on_data(us(210), 11_000, 1000, false));
    assert_eq!(r.deadline(), us(1140));
    assert!(r.on_data(us(220), 0, 1000, true));
    assert_eq!(r.poll(us(220)).map(|a| a.ack), Some(12_000));
    assert_eq!(r.deadline(), Time::MAX);
    // The next gap has its own three.
    assert_eq!(acks(&mut r, 23, 10).len(), 3);
}

/// Linux, where losses lie close to each other: what is held leaves before a third block begins or changes, so that each block
/// was in the first two of an acknowledgement. The segment that made it leave waits for the next.
#[test]
fn what_is_held_leaves_before_a_third_block() {
    let mut r = receiver(44, Duration::from_ms(100));
    assert_eq!(acks(&mut r, 1, 9).len(), 3);
    assert!(!r.on_data(us(110), 11_000, 1000, false), "a second block");
    assert!(r.on_data(us(120), 13_000, 1000, false), "a third");
    let sacked = |r: &mut Receiver, at| -> Option<Vec<(u64, u64)>> {
        let ack = r.poll(at)?;
        assert_eq!(ack.ack, 0);
        Some(ack.sack.iter().map(|b| (b.start, b.end)).collect())
    };
    let first = vec![(11_000, 12_000), (1000, 10_000)];
    assert_eq!(sacked(&mut r, us(120)), Some(first));
    assert_eq!(sacked(&mut r, us(120)), None);
    assert_eq!(r.deadline(), Time::MAX, "nothing waits");
    assert!(!r.on_data(us(130), 14_000, 1000, false), "it grows");
    assert_eq!(r.deadline(), us(1230));
    assert!(r.on_data(us(140), 10_000, 500, false), "the oldest grows");
    let second = vec![(13_000, 15_000), (11_000, 12_000), (1000, 10_500)];
    assert_eq!(sacked(&mut r, us(140)), Some(second));
    assert_eq!(r.deadline(), Time::MAX);
    assert!(!r.on_data(us(150), 15_000, 1000, false), "the second grows");
    r.on_deadline(us(1250));
    let third = vec![(13_000, 16_000), (1000, 10_500), (11_000, 12_000)];
    assert_eq!(sacked(&mut r, us(1250)), Some(third));
    assert_eq!(r.stats().acks, 6);
}

const GRO: Duration = Duration::from_us(50);

/// What a card gathers behind a gap is answered once, and is one of those that one answer may stand for.
#[test]
fn what_is_gathered_behind_a_gap_is_acknowledged_once() {
    let rtt = Duration::from_ms(100);
    let found = acks(&mut gathering(GRO, 0, rtt), 1, 21);
    let expected = [(60, 5000), (110, 10_000), (160, 15_000), (210, 20_000)];
    assert_eq!(found, expected);
    let found = acks(&mut gathering(GRO, 44, rtt), 1, 150);
    assert_eq!(found[..3], expected[..3]);
    assert_eq!(found[3..], [(1310, 130_000)], "a timer from 210 us on");
}

/// What does not follow is another segment: the stack takes the one before it first.
#[test]
fn a_second_gap_ends_what_is_gathered() {
    let mut r = gathering(GRO, 0, Duration::from_ms(100));
    assert!(!r.on_data(us(10), 1000, 1000, false));
    assert!(!r.on_data(us(20), 2000, 1000, false));
    assert!(r.on_data(us(30), 4000, 1000, false));
    let blocks = |r: &mut Receiver, at| -> Vec<(u64, u64)> {
        let ack = r.poll(at).expect("an acknowledgement");
        ack.sack.iter().map(|b| (b.start, b.end)).collect()
    };
    assert_eq!(blocks(&mut r, us(30)), [(1000, 3000)]);
    assert_eq!(r.deadline(), us(80));
    r.on_deadline(us(80));
    assert_eq!(blocks(&mut r, us(80)), [(4000, 5000), (1000, 3000)]);
    assert_eq!(r.deadline(), Time::MAX);
    // What fills a gap is taken at once, and what was gathered goes before it.
    assert!(!r.on_data(us(90), 5000, 1000, false));
    assert!(r.on_data(us(100), 0, 1000, true));
    let ack = r.poll(us(100)).expect("an acknowledgement");
    assert_eq!(ack.ack, 3000);
    assert_eq!(ack.sack[0].end, 6000);
    assert!(r.on_data(us(110), 3000, 1000, true));
    assert_eq!(r.poll(us(110)).map(|a| a.ack), Some(6000));
    assert_eq!(r.deadline(), Time::MAX);
}

/// What came in order before the gap is acknowledged when the gathering ends, which is at the gap.
#[test]
fn a_gap_ends_what_is_gathered_in_order() {
    let mut r = gathering(GRO, 0, Duration::from_ms(100));
    assert!(!r.on_data(us(10), 0, 1000, false));
    assert!(!r.on_data(us(20), 1000, 1000, false));
    assert!(r.on_data(us(30), 3000, 1000, false));
    let ack = r.poll(us(30)).expect("an acknowledgement");
    assert_eq!((ack.ack, ack.sack.len()), (2000, 0));
    assert_eq!(r.deadline(), us(80));
    r.on_deadline(us(80));
    let ack = r.poll(us(80)).expect("an acknowledgement");
    assert_eq!((ack.ack, ack.sack[0].start), (2000, 3000));
}

/// The card hands over what made a third block, and with it what fills the gap: two acknowledgements leave, the one that was held as it
/// was. Where buffers grow by themselves as well, though then what was delivered is counted apart. The sender heard nothing, and waited for
/// its timer.
#[test]
fn what_fills_a_gap_behind_a_third_block_is_acknowledged_too() {
    for autotuning in [
        None,
        Some(Autotuning {
            profile: Profile::Linux6,
            first: 64_000,
            start: 64_000,
        }),
    ] {
        let mut r = Receiver::new(&Config {
            autotuning,
            compressed_sacks: 44,
            flavour: Flavour::Linux,
            gro: GRO,
            ..config()
        });
        r.on_syn(ms(0));
        assert!(r.poll(ms(0)).is_some_and(|a| a.syn_ack));
        r.on_round_trip(Duration::from_ms(100));
        assert_eq!(acks(&mut r, 1, 30).len(), 3);
        assert!(!r.on_data(us(310), 40_000, 1000, false), "a second block");
        assert!(!r.on_data(us(320), 45_000, 1000, false), "a third");
        let mut due = r.on_data(us(330), 0, 1000, true);
        if autotuning.is_some() {
            due = r.on_received(us(330), r.delivered());
        }
        assert!(due, "{autotuning:?}");
        let said = |r: &mut Receiver| r.poll(us(330)).map(|a| (a.ack, a.sack.len()));
        assert_eq!(said(&mut r), Some((0, 2)), "{autotuning:?}");
        assert_eq!(said(&mut r), Some((31_000, 2)), "{autotuning:?}");
        assert_eq!((said(&mut r), r.deadline()), (None, Time::MAX));
    }
}
