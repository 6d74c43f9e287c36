//! Random losses where a lost retransmission waits for the timer: Reno without RACK on short paths.

use farpath_tcp::{Algorithm, Config, DelayedAck, Profile};
use farpath_units::{Duration, Key, Time};

use crate::harness::{Dialogue, Path};

/// Transmissions whose fate is drawn: several times what any of these flows makes.
const TRANSMISSIONS: u64 = 200_000;
/// The first seconds, which are not measured, and all.
const SECONDS: (u64, u64) = (5, 35);

/// A host of 2004: SACK, rate halving and undo, no RACK and no F-RTO. An ACK for each segment.
fn host() -> Config {
    Config {
        delayed_ack: DelayedAck {
            every: 1,
            timeout: Duration::from_ms(40),
        },
        ..Profile::Linux2004.config(Algorithm::Reno)
    }
}

/// Segments a second that arrive in order, while each transmission is lost with probability `p`.
fn simulated(config: &Config, rtt: Duration, p: f64, seed: u64) -> f64 {
    let luck = Key::new(seed).stream();
    let lost = move |n: &u64| (luck.bits(*n) >> 11) as f64 * libm::exp2(-53.0) < p;
    let path = Path::new(rtt).losing((0..TRANSMISSIONS).filter(lost));
    let (mut d, mut before) = (Dialogue::new(config, path), 0);
    d.keep_trace = false;
    for second in 1..=SECONDS.1 {
        d.run_until(Time::ZERO + Duration::from_secs(second));
        let sent = d.sender.nxt() / u64::from(config.mss);
        assert!(2 * sent < TRANSMISSIONS, "{sent} segments in {second} s");
        if second == SECONDS.0 {
            before = d.receiver.delivered();
        }
    }
    let segments = (d.receiver.delivered() - before) / u64::from(config.mss);
    segments as f64 / (SECONDS.1 - SECONDS.0) as f64
}

/// Segments a second of Padhye et al. (1998), equation 32 with an ACK for each segment: `rtt` and the first timeout in seconds.
fn padhye(rtt: f64, timeout: f64, p: f64) -> f64 {
    let window = 1.0 + libm::sqrt(8.0 * (1.0 - p) / (3.0 * p) + 1.0);
    let keep = |n: f64| libm::pow(1.0 - p, n);
    let last = (1.0 - keep(3.0)) * (1.0 + keep(3.0) * (1.0 - keep(window - 3.0)));
    let timeouts = libm::fmin(1.0, last / (1.0 - keep(window)));
    let backoff = (1..=6).fold(1.0, |sum, n| {
        sum + libm::ldexp(libm::pow(p, f64::from(n)), n - 1)
    });
    let sent = (1.0 - p) / p + window + timeouts / (1.0 - p);
    sent / (rtt * (window / 2.0 + 1.0) + timeouts * timeout * backoff / (1.0 - p))
}

/// The mean over some flows of a host with or without RACK, by Padhye's rate.
fn over_padhye(rack: bool, ms: u64, p: f64) -> f64 {
    let mut config = host();
    config.recovery.rack = rack;
    let rtt = Duration::from_ms(ms);
    // The floor of the timer is under the variation: one round trip more.
    let law = padhye(rtt.as_secs_f64(), rtt.as_secs_f64() + 0.2, p);
    let flows = 1..=3;
    let sum: f64 = flows
        .clone()
        .map(|seed| simulated(&config, rtt, p, seed))
        .sum();
    sum / flows.count() as f64 / law
}

/// A repair that is lost waits for the timer, which is 20 to 100 round trips here. Padhye has silence meanwhile. With SACK the
/// window still goes out each round trip (RFC 6675 §5 C), so that there is more than the law: up to four times. It must not grow in
/// that time, with no loss that could cut it before the next timeout: growing by SACKs it had 200 times the law at 2 ms and 0.1.
/// RACK finds lost repairs without the timer, and so has more.
#[test]
fn without_rack_a_short_lossy_path_does_not_run_away() {
    for ms in [2, 5, 10] {
        for p in [0.05, 0.1, 0.2] {
            let (without, with) = (over_padhye(false, ms, p), over_padhye(true, ms, p));
            println!("{ms} ms, p = {p}: {without:.2} times Padhye's rate, with RACK {with:.2}");
            assert!((0.8..5.0).contains(&without), "{ms} ms, {p}: {without}");
            assert!(with > without, "{ms} ms, {p}: {with} and {without}");
        }
    }
}
