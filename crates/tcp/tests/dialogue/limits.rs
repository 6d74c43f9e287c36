//! What limited the sender, and for how long.

use farpath_tcp::{Algorithm, Config, DelayedAck, Flavour, Limit};
use farpath_units::Duration;

use crate::harness::{Dialogue, Path, RTT, config, ms};

fn ack_each() -> Config {
    Config {
        delayed_ack: DelayedAck {
            every: 1,
            timeout: Duration::from_ms(40),
        },
        ..config()
    }
}

fn shares(d: &mut Dialogue) -> Vec<(&'static str, u64)> {
    let shares = d.sender.limited(d.now);
    assert_eq!(shares.total(), d.now.since(farpath_units::Time::ZERO));
    let named = Limit::ALL.map(|l| (l.as_str(), shares.spent(l).as_ps() / 1_000_000_000));
    named.into_iter().filter(|s| s.1 > 0).collect()
}

#[test]
fn slow_start_then_the_receivers_window() {
    let mut d = Dialogue::new(
        &Config {
            receive_window: 40_000,
            ..ack_each()
        },
        Path::new(RTT),
    );
    d.run_until(ms(2000));
    // Handshake, 10, 20; from 300 ms on 40 segments are in flight.
    assert_eq!(
        shares(&mut d),
        [("receive_window", 1700), ("cwnd_slow_start", 300)]
    );
}

#[test]
fn a_smaller_send_buffer_is_named() {
    let mut d = Dialogue::new(
        &Config {
            send_buffer: 20_000,
            receive_window: 40_000,
            ..ack_each()
        },
        Path::new(RTT),
    );
    d.run_until(ms(2000));
    assert_eq!(
        shares(&mut d),
        [("send_buffer", 1800), ("cwnd_slow_start", 200)]
    );
    assert_eq!(d.sender.nxt() - d.sender.una(), 20_000);
}

#[test]
fn the_application_when_it_has_written_everything() {
    let mut d = Dialogue::new(
        &Config {
            amount: Some(5000),
            ..ack_each()
        },
        Path::new(RTT),
    );
    d.run_until(ms(1000));
    assert_eq!(
        shares(&mut d),
        [("application", 900), ("cwnd_slow_start", 100)]
    );
}

#[test]
fn the_congestion_window_after_a_loss_and_a_timeout_after_a_lost_window() {
    let config = Config {
        algorithm: Algorithm::Cubic,
        receive_window: 100_000,
        initial_window: 60,
        ..ack_each()
    };
    let mut d = Dialogue::new(&config, Path::new(RTT).losing([500]));
    d.run_until(ms(60_000));
    let limited = d.sender.limited(d.now);
    assert!(limited.spent(Limit::CwndRecovery) > Duration::from_secs(2));
    assert_eq!(limited.largest(), Limit::ReceiveWindow);
    assert_eq!(limited.total(), Duration::from_secs(60));

    let mut d = Dialogue::new(&config, Path::new(RTT).losing(500..620));
    d.run_until(ms(10_000));
    assert!(d.sender.limited(d.now).spent(Limit::Loss) >= Duration::from_ms(200));
}

/// `crates/drill/scripts/kernel-6.18/flight-of-cwnd.pkt`: the kernel counts such a flight as limited by cwnd.
#[test]
fn a_flight_of_all_of_cwnd_with_nothing_behind_it_lets_a_linux_window_grow() {
    let grown = |flavour, short: u64| {
        let config = Config {
            flavour,
            initial_ssthresh: Some(5),
            idle_restart: false,
            amount: Some((10 - short) * 1000),
            ..ack_each()
        };
        let mut d = Dialogue::new(&config, Path::new(RTT));
        d.run_to_end();
        for _ in 0..2 {
            let flight = d.sender.cwnd_bytes() - short * 1000;
            d.sender.write(d.now, flight);
            d.pump();
            d.run_to_end();
        }
        d.sender.cwnd_bytes() / 1000
    };
    assert_eq!(grown(Flavour::Linux, 0), 13);
    assert_eq!(grown(Flavour::Linux, 1), 10);
    assert_eq!(grown(Flavour::Rfc, 0), 10);
}
