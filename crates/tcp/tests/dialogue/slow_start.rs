//! How the window opens.

use farpath_tcp::{Algorithm, ByteCounting, Config, DelayedAck, Phase, SlowStart};
use farpath_units::Duration;

use crate::harness::{Dialogue, Path, RTT, config, ms};

/// A delayed-ACK timer that never matters.
const LONG: Duration = Duration::from_secs(100);

fn every(n: u8) -> DelayedAck {
    DelayedAck {
        every: n,
        timeout: LONG,
    }
}

#[test]
fn the_window_doubles_every_round_trip() {
    for delayed_ack in [every(1), every(2)] {
        let mut d = Dialogue::new(
            &Config {
                delayed_ack,
                ..config()
            },
            Path::new(RTT),
        );
        d.run_until(ms(750));
        assert_eq!(d.per_round(RTT, 6), [10, 20, 40, 80, 160, 320]);
        assert_eq!(d.sender.phase(), Phase::SlowStart);
    }
}

#[test]
fn without_byte_counting_delayed_acks_slow_the_growth_to_half_again() {
    let config = Config {
        delayed_ack: every(2),
        byte_counting: ByteCounting::Off,
        ..config()
    };
    let mut d = Dialogue::new(&config, Path::new(RTT));
    d.run_until(ms(650));
    assert_eq!(d.per_round(RTT, 5), [10, 15, 21, 33, 48]); // an odd segment waits for its pair
}

#[test]
fn rfc3465_2_3_a_stretch_ack_is_worth_l_segments() {
    let stretch = Config {
        delayed_ack: every(10),
        byte_counting: ByteCounting::Limit(2),
        ..config()
    };
    let mut d = Dialogue::new(&stretch, Path::new(RTT));
    d.run_until(ms(250));
    assert_eq!(d.per_round(RTT, 2), [10, 12]);
}

/// RFC 6928 §5.1: segments that arrive within each number of round trips, on a path without
/// bandwidth limit and with a delayed ACK every two segments. The RFC's sender counts ACKs.
#[test]
fn rfc6928_5_1_round_trips_by_transfer_size() {
    for (segments, iw3, iw10) in [
        (3, 1, 1),
        (6, 2, 1),
        (10, 3, 1),
        (12, 3, 2),
        (21, 4, 2),
        (25, 5, 2),
        (33, 5, 3),
        (46, 6, 3),
        (51, 6, 4),
    ] {
        for (initial_window, rounds) in [(3, iw3), (10, iw10)] {
            let config = Config {
                initial_window,
                delayed_ack: every(2),
                byte_counting: ByteCounting::Off,
                amount: Some(segments * 1000),
                ..config()
            };
            let mut d = Dialogue::new(&config, Path::new(RTT));
            d.run_until(ms(99 + 100 * rounds));
            let sent = d.data().len() as u64;
            assert!(
                sent >= segments,
                "{segments} segments, IW {initial_window}: {sent} in {rounds} rounds"
            );
            if rounds > 1 {
                let before = d
                    .data()
                    .iter()
                    .filter(|s| s.0 < 100.0 * rounds as f64)
                    .count() as u64;
                assert!(
                    before < segments,
                    "{segments} segments, IW {initial_window}: {before} in {} rounds",
                    rounds - 1
                );
            }
        }
    }
}

#[test]
fn initial_ssthresh_ends_slow_start_without_loss() {
    let config = Config {
        initial_ssthresh: Some(40),
        delayed_ack: every(1),
        ..config()
    };
    let mut d = Dialogue::new(&config, Path::new(RTT));
    d.run_until(ms(850));
    assert_eq!(d.per_round(RTT, 6), [10, 20, 40, 41, 42, 43]);
    assert_eq!(d.sender.phase(), Phase::Avoidance);
}

#[test]
fn cwnd_does_not_grow_much_beyond_what_the_receivers_window_uses() {
    for algorithm in [Algorithm::Reno, Algorithm::Cubic] {
        let config = Config {
            receive_window: 64_000,
            algorithm,
            ..config()
        };
        let mut d = Dialogue::new(&config, Path::new(RTT));
        d.run_until(ms(5000));
        assert!(
            d.sender.cwnd_bytes() <= 2 * 64_000,
            "{}",
            d.sender.cwnd_bytes()
        );
        assert_eq!(d.sender.nxt() - d.sender.una(), 64_000);
    }
}

/// A bottleneck of 10 segments per ms with an endless queue: the queue grows once 1000 segments
/// are in flight. Slow start fills it without end; HyStart++ grows by a quarter for five rounds.
#[test]
fn hystart_ends_slow_start_when_the_round_trip_grows() {
    let path = || Path {
        service: Duration::from_us(100),
        ..Path::new(RTT)
    };
    let mut plain = Dialogue::new(&config(), path());
    let mut hystart = Dialogue::new(
        &Config {
            slow_start: SlowStart::HyStartPlusPlus,
            ..config()
        },
        path(),
    );
    hystart.run_until(ms(1300));
    assert_eq!(hystart.sender.phase(), Phase::Css);
    plain.run_until(ms(4500));
    hystart.run_until(ms(4500));
    assert_eq!(plain.sender.phase(), Phase::SlowStart);
    assert_eq!(hystart.sender.phase(), Phase::Avoidance);
    assert!(hystart.sender.cwnd_bytes() * 3 < plain.sender.cwnd_bytes());
}

#[test]
fn hystart_does_not_disturb_a_path_without_queue() {
    let config = Config {
        slow_start: SlowStart::HyStartPlusPlus,
        delayed_ack: every(2),
        ..config()
    };
    let mut d = Dialogue::new(&config, Path::new(RTT));
    d.run_until(ms(750));
    assert_eq!(d.per_round(RTT, 6), [10, 20, 40, 80, 160, 320]);
}
