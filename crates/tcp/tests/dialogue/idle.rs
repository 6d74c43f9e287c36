//! What an idle time does to the window, and to CUBIC's clock.

use farpath_tcp::{Algorithm, Config, DelayedAck, Flavour};
use farpath_units::Duration;

use crate::harness::{Dialogue, Path, RTT, config};

fn ack_each(algorithm: Algorithm, flavour: Flavour, amount: u64) -> Config {
    Config {
        algorithm,
        flavour,
        amount: Some(amount),
        delayed_ack: DelayedAck {
            every: 1,
            timeout: Duration::from_ms(40),
        },
        ..config()
    }
}

/// Everything is acknowledged, `idle` passes, and there is more to send than any window.
fn pause(d: &mut Dialogue, idle: Duration) {
    d.run_to_end();
    d.run_until(d.now + idle);
    d.sender.write(d.now, 1_000_000);
    d.pump();
}

fn flight(d: &Dialogue) -> u64 {
    (d.sender.nxt() - d.sender.una()) / 1000
}

#[test]
fn rfc5681_4_1_after_an_idle_time_the_window_starts_again() {
    let config = ack_each(Algorithm::Reno, Flavour::Rfc, 300_000);
    let mut d = Dialogue::new(&config, Path::new(RTT));
    d.run_to_end();
    let before = d.sender.cwnd_bytes() / 1000;
    assert!(before > 100);
    // The RTO is 300 ms. The last segment was sent a round trip before its ACK.
    pause(&mut d, Duration::from_ms(199));
    assert!(flight(&d) > 100, "{}", flight(&d));
    pause(&mut d, Duration::from_ms(250));
    assert_eq!(flight(&d), 10);
    d.run_to_end();
    assert_eq!(d.receiver.delivered(), 2_300_000);
}

#[test]
fn the_kernel_halves_the_window_for_each_timeout_and_comes_back_to_three_quarters() {
    // So long after the last ACK, and so many halvings: the last segment was sent a round trip before
    // it, and the RTO is 300 ms.
    for (idle_ms, halvings) in [(190, 0), (210, 1), (490, 1), (510, 2), (810, 3), (5000, 17)] {
        let config = Config {
            initial_ssthresh: Some(40),
            ..ack_each(Algorithm::Reno, Flavour::Linux, 1_500_000)
        };
        let mut d = Dialogue::new(&config, Path::new(RTT));
        d.run_to_end();
        let before = d.sender.cwnd_bytes() / 1000;
        assert!((60..80).contains(&before), "{before}");
        pause(&mut d, Duration::from_ms(idle_ms));
        assert_eq!(
            flight(&d),
            (before >> halvings).max(10),
            "{idle_ms} ms at {before}"
        );
        let least = if halvings > 0 {
            before / 2 + before / 4
        } else {
            40
        };
        assert_eq!(d.sender.ssthresh_bytes() / 1000, least);
    }
}

/// BBR has a model of the path to restart by (draft-cardwell-iccrg-bbr-congestion-control-00 §4.3.4.4).
#[test]
fn bbr_keeps_its_window_over_an_idle_time() {
    let config = ack_each(Algorithm::Bbr, Flavour::Rfc, 300_000);
    let mut d = Dialogue::new(&config, Path::new(RTT));
    d.run_to_end();
    let before = d.sender.cwnd_bytes();
    assert!(before > 100_000);
    pause(&mut d, Duration::from_secs(1));
    assert_eq!(d.sender.cwnd_bytes(), before);
}

/// W_max is 40 segments and K 3.1 s, so that 12 s more on the clock would be a window of hundreds.
#[test]
fn rfc9438_5_8_an_idle_pause_is_not_on_cubics_clock() {
    for flavour in [Flavour::Rfc, Flavour::Linux] {
        let config = Config {
            idle_restart: false,
            ..ack_each(Algorithm::Cubic, flavour, 433_000)
        };
        let mut d = Dialogue::new(&config, Path::new(RTT).losing([30]));
        d.run_to_end();
        let before = d.sender.cwnd_bytes();
        assert!((28_000..=40_000).contains(&before), "{before}");
        pause(&mut d, Duration::from_secs(12));
        d.run_until(d.now + RTT.times(8));
        let after = d.sender.cwnd_bytes();
        assert!(
            (before..=41_000).contains(&after),
            "{flavour:?}: {before} to {after}"
        );
    }
}
