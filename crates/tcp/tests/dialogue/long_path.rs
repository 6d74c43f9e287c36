//! The cost of the scoreboard on windows of up to a million segments, counted in steps.

use farpath_tcp::{Config, DelayedAck, Out, Receiver, Recovery, Sender, SenderStats};
use farpath_units::{Duration, Time};

use crate::harness::classic;

const MSS: u64 = 1000;

/// A round of `window` segments of which every `window/holes`-th is lost, acknowledged one by one,
/// repaired, and acknowledged again; returns the statistics.
fn lossy_window(window: u64, holes: u64, recovery: Recovery) -> SenderStats {
    let config = Config {
        mss: MSS as u32,
        initial_window: window as u32,
        initial_ssthresh: Some(window as u32),
        receive_window: u64::MAX / 4,
        delayed_ack: DelayedAck {
            every: 1,
            timeout: Duration::from_ms(40),
        },
        amount: Some(2 * window * MSS),
        recovery,
        ..Config::default()
    };
    let mut s = Sender::new(&config);
    let mut r = Receiver::new(&config);
    s.open(Time::ZERO);
    s.poll(Time::ZERO);
    r.on_syn(Time::ZERO);
    r.poll(Time::ZERO);
    s.on_syn_ack(Time::ZERO + Duration::from_ms(100));
    let mut now = Time::ZERO + Duration::from_ms(100);
    let mut wire = std::collections::VecDeque::new();
    let mut first = true;
    let spacing = window / holes;
    loop {
        while let Some(out) = s.poll(now) {
            if let Out::Data(d) = out {
                wire.push_back(d);
            }
        }
        let Some(d) = wire.pop_front() else { break };
        now += Duration::from_ns(100);
        let number = d.seq / MSS;
        if !d.retransmit && number < window && number % spacing == spacing / 2 {
            continue;
        }
        if first {
            now += Duration::from_ms(100);
            first = false;
        }
        r.on_data(now, d.seq, d.len, d.retransmit);
        if let Some(a) = r.poll(now) {
            s.on_ack(now, a.ack, a.window, a.echo_retransmit, a.sack);
        }
    }
    assert!(s.done(), "una {} nxt {}", s.una(), s.nxt());
    s.stats()
}

#[test]
fn steps_per_ack_do_not_grow_with_the_window_nor_much_with_the_holes() {
    let rack = Config::default().recovery;
    // A tenth of the small window's segments do not arrive to cost anything where there are 1000 holes.
    for (holes, recovery, growth) in [
        (1, classic(), 1.05),
        (1000, classic(), 1.12),
        (1, rack, 1.05),
        (1000, rack, 1.12),
    ] {
        let per_segment = |window: u64| {
            let stats = lossy_window(window, holes, recovery);
            assert_eq!(
                (stats.retransmits, stats.rtos),
                (holes, 0),
                "window {window}, {holes} holes"
            );
            stats.scoreboard_steps as f64 / window as f64
        };
        let small = per_segment(10_000);
        let large = per_segment(1_000_000);
        println!("{holes} holes: {small:.3} steps a segment at 10^4, {large:.3} at 10^6");
        assert!(
            large <= small * growth,
            "{holes} holes: {small} steps a segment at 10⁴, {large} at 10⁶"
        );
        assert!(large < 6.0, "{large}");
    }
}
