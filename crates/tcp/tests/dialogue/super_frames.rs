//! What a sender hands to its host's card at once, and what it waits for.

use farpath_tcp::{Config, DelayedAck, Out, Profile, Sender, fills_window};
use farpath_units::{Duration, Time};

use crate::harness::{Dialogue, Event, Path, RTT, config, ms};

/// Segments of 1448 bytes, a window of `segments`, Reno.
fn bursts(segments: u64) -> Config {
    Config {
        mss: 1448,
        receive_window: segments * 1448,
        tso: 65_536,
        ..config()
    }
}

/// Segments that left at each instant of the last round trip before `until`.
fn bundles(config: &Config, path: Path, until: Time) -> Vec<usize> {
    let mut d = Dialogue::new(config, path);
    d.keep_trace = true;
    d.run_until(until);
    let from = (until - RTT).as_ps() as f64 / 1e9;
    let mut bundles: Vec<(f64, usize)> = Vec::new();
    for (at, ..) in d.data().into_iter().filter(|d| d.0 >= from) {
        match bundles.last_mut() {
            Some((last, count)) if *last == at => *count += 1,
            _ => bundles.push((at, 1)),
        }
    }
    bundles.into_iter().map(|b| b.1).collect()
}

/// 1 Gbit/s: a window of 100 ms and bursts of 45 segments, which are 65 160 bytes. Without them, two for each acknowledgement.
#[test]
fn a_fast_sender_waits_for_whole_bursts() {
    let mut path = Path::new(RTT);
    path.service = Duration::from_us(12);
    let whole = bundles(&bursts(7000), path.clone(), ms(3000));
    let most = whole.iter().filter(|n| **n >= 44).count();
    assert!(most * 10 >= whole.len() * 9, "{whole:?}");
    let off = Config {
        tso: 0,
        ..bursts(7000)
    };
    assert!(bundles(&off, path, ms(3000)).iter().all(|n| *n <= 2));
}

/// A millisecond of the rate: 1.2 times cwnd a round trip, a 1024th of a second.
#[test]
fn bursts_are_a_millisecond_of_the_rate() {
    // 100 Mbit/s: 834 segments are a round trip, and slow start's rate is twice that: 16 segments.
    let mut path = Path::new(RTT);
    path.service = Duration::from_us(120);
    let found = bundles(&bursts(830), path, ms(3000));
    let usual = found.iter().filter(|n| (6..=18).contains(*n)).count();
    assert!(usual * 10 >= found.len() * 9, "{found:?}");
}

/// Where acknowledgements are more than a millisecond apart nothing waits.
#[test]
fn a_slow_sender_waits_for_nothing() {
    let mut path = Path::new(RTT);
    path.service = Duration::from_us(1200);
    let found = bundles(&bursts(80), path.clone(), ms(3000));
    let off = Config {
        tso: 0,
        ..bursts(80)
    };
    assert_eq!(found, bundles(&off, path, ms(3000)));
}

/// The last bytes do not wait for more that will never come, and everything gets there.
#[test]
fn the_end_of_a_transfer_does_not_wait() {
    for bytes in [1, 1447, 100_000, 3_000_001, 10_000_000] {
        let config = Config {
            amount: Some(bytes),
            ..bursts(300)
        };
        let mut path = Path::new(Duration::from_ms(4));
        path.service = Duration::from_us(12);
        let mut d = Dialogue::new(&config, path);
        d.run_to_end();
        assert_eq!(d.receiver.delivered(), bytes);
        assert_eq!(d.sender.stats().retransmits, 0);
    }
}

/// With nothing in flight all that the windows allow may leave.
#[test]
fn an_idle_sender_starts_at_once() {
    let mut s = Sender::new(&Config {
        amount: Some(14_480),
        ..bursts(300)
    });
    s.open(ms(0));
    assert!(s.poll(ms(0)).is_some());
    s.on_syn_ack(ms(1));
    s.prepare(ms(1));
    let mut sent = 0;
    while s.poll(ms(1)).is_some() {
        sent += 1;
    }
    assert_eq!(sent, 11, "the handshake's answer and ten segments");
}

/// A kernel's super-frame ends where the receiver's window does, so that the window is full: 7 segments of 8948 bytes, and 2899 more.
/// A sender without super-frames sends the whole segments of it.
#[test]
fn the_rest_of_a_window_leaves_with_the_whole_segments() {
    let kernel = Config {
        mss: 8948,
        receive_window: 65_535,
        tso: 65_536,
        delayed_ack: DelayedAck {
            every: 1,
            ..config().delayed_ack
        },
        ..config()
    };
    assert!(fills_window(&kernel));
    let alone = Config {
        tso: 0,
        ..kernel.clone()
    };
    assert!(!fills_window(&alone));
    let mut path = Path::new(RTT);
    path.service = Duration::from_us(72);
    let most = |config: &Config| {
        let mut d = Dialogue::new(config, path.clone());
        d.keep_trace = true;
        d.run_until(ms(3000));
        let last = d.trace.iter().filter_map(|(at, event)| match event {
            Event::Sent(Out::Data(s)) if *at >= ms(1000) => Some(u64::from(s.len)),
            _ => None,
        });
        last.sum::<u64>() / 20
    };
    let (whole, full) = (most(&alone), most(&kernel));
    assert!(whole <= 7 * 8948, "{whole}");
    assert!((64_500..=65_535).contains(&full), "{full}");
}

/// Three segments of 40 are held back when the path falls silent. All of them left with the probe's timer, and behind them the probe
/// repeated the last one.
#[test]
fn rfc8985_7_a_probe_is_one_of_the_segments_that_were_held_back() {
    let segments = |n: u64| n * 1448;
    let mut s = Sender::new(&Config {
        initial_window: 40,
        recovery: Profile::Linux6.recovery(),
        ..bursts(40)
    });
    let sent = |s: &mut Sender, now: Time| {
        let mut all = Vec::new();
        s.prepare(now);
        while let Some(seq) = s.poll_full(now) {
            all.push((seq, false));
        }
        while let Some(out) = s.poll(now) {
            if let Out::Data(segment) = out {
                all.push((segment.seq, segment.retransmit));
            }
            s.prepare(now);
        }
        all
    };
    s.open(ms(0));
    assert!(sent(&mut s, ms(0)).is_empty());
    s.on_syn_ack(ms(1));
    assert_eq!(sent(&mut s, ms(1)).len(), 40);
    s.on_ack(ms(2), segments(3), segments(40), false, &[]);
    assert!(sent(&mut s, ms(2)).is_empty(), "they wait for more");
    // Two round trips and 2 ms.
    assert_eq!(s.deadline(), ms(6));
    s.on_deadline(ms(6));
    assert_eq!(sent(&mut s, ms(6)), [(segments(40), false)]);
    assert_eq!((s.stats().tail_probes, s.stats().retransmits), (1, 0));
    s.on_ack(ms(7), segments(41), segments(40), false, &[]);
    let next = sent(&mut s, ms(7));
    assert_eq!(next.first(), Some(&(segments(41), false)));
}
