//! Segments that are too large for the path: with routers that say so, and with none.

use farpath_tcp::{Algorithm, Config, Flavour, MtuProbing, Out, Phase, Profile, Recovery};

use crate::harness::{Dialogue, Event, Path, RTT, config, ms};

/// MSS 9000 over a path that carries 4000.
fn step(recovery: Recovery) -> Config {
    Config {
        mss: 9000,
        initial_window: 6,
        amount: Some(2_000_000),
        flavour: Flavour::Linux,
        recovery,
        ..config()
    }
}

fn narrow(reported: bool) -> Path {
    Path {
        carries: 4000,
        reported: reported.then_some(ms(1).since(ms(0))),
        ..Path::new(RTT)
    }
}

/// Times in milliseconds and lengths of the data sent before `until`.
fn sent(d: &Dialogue, until: u64) -> Vec<(u64, u64, bool)> {
    let data = d.trace.iter().filter_map(|(at, event)| match event {
        Event::Sent(Out::Data(s)) => {
            Some((at.as_ps() / 1_000_000_000, u64::from(s.len), s.retransmit))
        }
        _ => None,
    });
    data.filter(|s| s.0 < until).collect()
}

#[test]
fn rfc1191_4_what_a_router_refused_is_sent_again_at_once_in_smaller_segments() {
    for recovery in [crate::harness::classic(), Profile::Linux6.recovery()] {
        let mut d = Dialogue::new(&step(recovery), narrow(true));
        d.run_until(ms(150));
        let sent = sent(&d, 150);
        let first: Vec<_> = sent.iter().filter(|s| s.0 == 100).collect();
        assert_eq!(first, [&(100, 9000, false); 6]);
        // Six segments of cwnd, as before, of the size that the first answer reported.
        let again: Vec<_> = sent.iter().filter(|s| s.0 == 101).collect();
        assert_eq!(again, [&(101, 4000, true); 6]);
        assert_eq!(sent.len(), 12, "the answers that follow say nothing new");
        assert_eq!(d.sender.segment_bytes(), 4000);
        assert_eq!(d.sender.cwnd_bytes(), 24_000);
        assert_eq!(d.sender.ssthresh_bytes(), u64::MAX, "nothing is cut");
        assert_eq!(d.sender.phase(), Phase::Loss);
        d.run_to_end();
        let stats = d.sender.stats();
        assert_eq!((stats.path_mtu_cuts, stats.rtos), (1, 0));
        assert_eq!(d.receiver.delivered(), 2_000_000);
        // 54 000 bytes were sent again, once.
        assert_eq!(stats.retransmitted_bytes, 54_000);
    }
}

#[test]
fn slow_start_goes_on_from_the_same_number_of_segments() {
    let mut d = Dialogue::new(&step(Profile::Linux6.recovery()), narrow(true));
    d.run_until(ms(202));
    assert_eq!(d.sender.cwnd_bytes(), 12 * 4000);
    d.run_until(ms(303));
    // Two of the segments sent again are what was left over of the first ones.
    assert!((22 * 4000..=24 * 4000).contains(&d.sender.cwnd_bytes()));
}

#[test]
fn rfc5927_4_1_an_answer_about_nothing_in_flight_is_ignored() {
    let mut d = Dialogue::new(&step(Profile::Linux6.recovery()), Path::new(RTT));
    d.sender.on_too_big(0, 1000);
    d.run_until(ms(250));
    let (una, nxt) = (d.sender.una(), d.sender.nxt());
    assert!(una > 0);
    d.sender.on_too_big(una - 1, 1000);
    d.sender.on_too_big(nxt + 1, 1000);
    assert_eq!(d.sender.stats().ignored_errors, 3);
    assert_eq!(d.sender.segment_bytes(), 9000);
    d.sender.on_too_big(nxt, 4000);
    assert_eq!(d.sender.segment_bytes(), 4000);
}

#[test]
fn a_silent_path_is_a_black_hole_for_who_does_not_probe() {
    let mut d = Dialogue::new(&step(Profile::Linux6.recovery()), narrow(false));
    d.run_until(ms(60_000));
    assert_eq!(d.sender.una(), 0);
    assert!(sent(&d, 60_000).iter().all(|s| s.1 == 9000));
}

/// As Linux 6.18 does it: timeouts at 300, 600, 1200 and 2400 ms after the probe of the tail, then 1024 bytes.
#[test]
fn rfc4821_7_a_black_hole_is_found_by_timeouts_and_searched_out_of() {
    let config = Config {
        mtu_probing: MtuProbing::BlackHole,
        algorithm: Algorithm::Cubic,
        amount: Some(4_000_000),
        ..step(Profile::Linux6.recovery())
    };
    let mut d = Dialogue::new(&config, narrow(false));
    d.run_until(ms(4_900));
    let again: Vec<_> = sent(&d, 4_850).into_iter().filter(|s| s.2).collect();
    // The probe of the tail, at two round trips and 2 ms, is new data.
    let times: Vec<u64> = again.iter().map(|s| s.0).collect();
    assert_eq!(times, [602, 1202, 2402, 4802]);
    let sizes: Vec<u64> = again.iter().map(|s| s.1).collect();
    assert_eq!(sizes, [9000, 9000, 9000, 1024]);
    d.run_to_end();
    assert_eq!(d.receiver.delivered(), 4_000_000);
    // Bisection: 5012 does not fit, 3017 does, 4014 does not, and so on.
    assert!((3993..=4000).contains(&d.sender.segment_bytes()));
    let stats = d.sender.stats();
    assert_eq!(
        stats.fast_recoveries, 0,
        "a probe that is lost is not congestion"
    );
    assert_eq!(stats.rtos, 4);
}

#[test]
fn who_always_probes_begins_small_and_ends_at_the_path() {
    for algorithm in [Algorithm::Reno, Algorithm::Cubic, Algorithm::Bbr] {
        let config = Config {
            mtu_probing: MtuProbing::Always,
            algorithm,
            amount: Some(40_000_000),
            ..step(Profile::Linux6.recovery())
        };
        let mut d = Dialogue::new(&config, narrow(false));
        d.run_until(ms(150));
        assert!(sent(&d, 150).iter().all(|s| s.1 == 1024), "{algorithm:?}");
        d.run_to_end();
        assert_eq!(d.receiver.delivered(), 40_000_000);
        let found = d.sender.segment_bytes();
        assert!((3993..=4000).contains(&found), "{algorithm:?}: {found}");
        assert_eq!(d.sender.stats().rtos, 0, "{algorithm:?}");
    }
}

#[test]
fn a_path_that_is_known_is_used_from_the_first_segment() {
    let mut sender = farpath_tcp::Sender::new(&step(Profile::Linux6.recovery()));
    sender.remember_path(4000);
    assert_eq!(
        (sender.segment_bytes(), sender.cwnd_bytes()),
        (4000, 24_000)
    );
}

#[test]
fn the_receiver_acknowledges_every_second_of_the_smaller_segments() {
    let mut d = Dialogue::new(&step(Profile::Linux6.recovery()), narrow(true));
    d.run_to_end();
    let acks = d.receiver.stats().acks;
    // 500 segments, and few of them alone.
    assert!((250..300).contains(&acks), "{acks}");
}
